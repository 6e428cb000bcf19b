# SPDX-License-Identifier: GPL-2.0-or-later
"""eppd is killed at random moments, and at chosen ones, while it boosts: whatever comes after, each
EPP file of the simulated kernel gets its base back."""

import functools
import os
import random
import signal
import time

import crash_case
import harness
from boost_case import DYNAMIC_EPP, POWER_PROFILES, POWER_PROFILES_PATH
from crash_case import BOOST, BOOSTING, EPP_OF, FLIPPING, KERNEL_EPP, POLICIES

# $EPPD_CRASH_SEED repeats a run, $EPPD_CRASH_KILLS makes it longer
# (or shorter: a wrapper makes a cycle take seconds).
SEED = int(os.environ.get('EPPD_CRASH_SEED', random.SystemRandom().randrange(1 << 32)))
N_KILLS = int(os.environ.get('EPPD_CRASH_KILLS', 20 if harness.WRAPPER else 500))
# The most that passes before a kill, and between the steps of a cycle.
MOMENT_SECONDS = 0.02
STATUS = '/sys/devices/system/cpu/amd_pstate/status'
FOREIGN_EPP = 'balance_performance'


class Disturbance:
    """What happens besides, once in a cycle: before the kill, or (@is_dead) between that and the
    recovery. Most are over, by end(), only when the recovery has been tried once."""

    def __init__(self, case, is_dead):
        self.case = case
        self.sim = case.sim
        self.is_dead = is_dead
        self.policy = case.draw.choice(POLICIES[1:])  # CPU 0 can't go
        self.cpu = int(self.policy.removeprefix('policy'))

    def prepare(self):
        """Before eppd starts."""

    def begin(self):
        raise NotImplementedError

    def end(self):
        pass

    def allowed(self, policy, base, was_boosted):
        """What that policy may hold in the end, where it should hold @base but for this."""
        return {base}


class Nothing(Disturbance):
    def begin(self):
        pass


class Offline(Disturbance):
    """The kernel keeps what was boosted in its cache."""

    def begin(self):
        self.sim.command(f'cpu {self.cpu} offline')

    def end(self):
        self.sim.command(f'cpu {self.cpu} online')


class Profile(Disturbance):
    """A change of the profile that is on its way, or (@is_dead stands for that here) answered."""

    def begin(self):
        self.profile = self.case.draw.choice(list(EPP_OF))
        self.case.choose_profile(self.profile, self.is_dead)

    def end(self):
        # Under the performance governor nothing can be put back.
        for policy in POLICIES:
            self.case.set_governor(policy, 'powersave')

    def allowed(self, policy, base, was_boosted):
        new_base = EPP_OF[self.profile]
        return {new_base} if self.is_dead else {base, new_base}


class Mode(Disturbance):
    """The driver goes, and comes back with EPPs of its own."""

    def begin(self):
        self.case.write(STATUS, 'passive\n')

    def end(self):
        self.case.write(STATUS, 'active\n')


class ForeignWrite(Disturbance):
    """Another program's value. While eppd lives, to a CPU that is not busy: nobody can tell what it
    does between eppd's look and its write. In a handover the successor may be there before it, and
    then leaves it alone."""

    def prepare(self):
        if not self.is_dead:
            self.case.load.set(self.cpu, 0)

    def begin(self):
        self.is_late = self.is_dead and any(eppd.code() is None for eppd in self.case.eppds)
        self.case.set_epp(self.policy, FOREIGN_EPP)
        if not self.is_dead:
            self.case.load.set(self.cpu, 100)
            self.case.wait_for_boost(self.policy)

    def allowed(self, policy, base, was_boosted):
        return {base, FOREIGN_EPP} if policy == self.policy and self.is_late else {base}


class Fault(Disturbance):
    """The kernel refuses some writes."""

    def begin(self):
        self.sim.fault(f'/sys/*/{self.policy}/energy_performance_preference', op='write',
                       errno=self.case.draw.choice(['EBUSY', 'EIO', 'ENODEV']),
                       count=self.case.draw.randint(1, 3))

    def end(self):
        self.sim.clear_faults()


class Governor(Disturbance):
    """While it is performance the kernel takes no base; it leaves its own EPP behind."""

    def begin(self):
        self.case.set_governor(self.policy, 'performance')

    def end(self):
        self.case.set_governor(self.policy, 'powersave')

    def allowed(self, policy, base, was_boosted):
        return {base, BOOST} if policy == self.policy and not was_boosted else {base}


class DynamicEpp(Disturbance):
    """The kernel manages EPP. By the file of 7.1 it refuses all writes, and begins anew after it;
    on 7.3 any write would end it, so there must be none."""

    def begin(self):
        self.is_global = os.path.exists(self.case.path(DYNAMIC_EPP))
        if self.is_global:
            self.case.write(DYNAMIC_EPP, 'enabled\n')
        else:
            self.sim.command(f'dynamic {self.cpu}')

    def end(self):
        if self.is_global:
            self.case.write(DYNAMIC_EPP, 'disabled\n')
        else:
            if self.is_dead:
                self.case.assertRegex(self.case.epp(self.policy), r'^dynamic\(')
            self.case.set_epp(self.policy, KERNEL_EPP)

    def allowed(self, policy, base, was_boosted):
        return {base, KERNEL_EPP} if policy == self.policy or self.is_global else {base}


class KilledAtRandomMoments(crash_case.CrashCase):
    """Each cycle: an eppd that boosts and unboosts all the time, a kill, a recovery, a look."""

    kinds = [Nothing, Nothing, Offline, Profile, Mode, ForeignWrite, Fault, Governor, DynamicEpp]

    def setUp(self):
        super().setUp()
        self.seed = f'EPPD_CRASH_SEED={SEED}'
        self.draw = random.Random(f'{SEED} {self.id()}')
        self.number = 0
        self.n_left_boosted = 0

    # ---- the steps of a cycle ----

    def pass_a_moment(self, longest_seconds=MOMENT_SECONDS):
        time.sleep(self.draw.uniform(0, longest_seconds))

    def begin_cycle(self):
        """An eppd that boosts; what will happen besides."""
        kind = self.draw.choice(self.kinds)
        self.disturbance = kind(self, self.draw.random() < 0.5)
        self.profile = self.draw.choice(['balanced', 'power-saver'])
        self.begin(self.profile)
        self.disturbance.prepare()
        self.spawn(FLIPPING)
        self.wait_for_boost()
        self.pass_a_moment()
        # A profile is changed by an eppd that lives.
        if not self.disturbance.is_dead or kind is Profile:
            self.disturbance.begin()
            self.pass_a_moment()

    def end_of_eppd(self):
        """It has just died, however."""
        self.left = self.unboosted()
        self.n_left_boosted += sum(is_boosted for is_boosted, _ in self.left.values())
        if self.disturbance.is_dead and not isinstance(self.disturbance, Profile):
            self.disturbance.begin()

    def check_restore(self):
        """By eppd --restore, and once more when what was in its way is gone."""
        self.restore()
        self.disturbance.end()
        self.restore()
        self.check(self.unboosted())
        self.assertFalse(os.path.exists(os.path.join(self.runtime_dir, 'restore.ini')))

    def check(self, held):
        """@held: unboosted()'s, as of now."""
        for policy, (_is_boosted, base) in held.items():
            self.assertIn(self.epp(policy),
                          self.disturbance.allowed(policy, base, self.left[policy][0]),
                          self.story(policy))

    def check_profile(self):
        """As the eppd that runs has set it, soon."""
        def is_set():
            epp = EPP_OF[self.get('ActiveProfile', POWER_PROFILES, POWER_PROFILES_PATH)]
            return (self.call('GetStatistics')['restores-pending'] == 0
                    and all(found in self.disturbance.allowed(policy, epp, True)
                            for policy, found in self.epps().items()))
        if not harness.iterate_until(is_set):
            self.fail(f'waited in vain for the EPPs of the profile: {self.story("*")}')

    def story(self, policy):
        writes = '\n'.join(map(str, self.sim.writes(f'*/{policy}/*', since=self.since)[-20:]))
        return (f'cycle {self.number}, {policy}, {type(self.disturbance).__name__} '
                f'({"dead" if self.disturbance.is_dead else "alive"}), profile {self.profile}, '
                f'{self.seed}: {self.epps()}\n{writes}\n{self.sim.events(self.since)}\n'
                + ''.join(f'--- {eppd.pid}:\n{eppd.out}' for eppd in self.eppds[-4:]))

    # ---- the cycles ----

    def run_cycles(self, part, cycle):
        for number in range(N_KILLS * part // 100):
            self.number = number
            self.begin_cycle()
            cycle()
        # Few kills may well miss.
        if N_KILLS >= 500:
            self.assertGreater(self.n_left_boosted, 0, f'no kill hit a boost, {self.seed}')

    def put_back_by_restore(self):
        self.kill(self.daemon)
        self.end_of_eppd()
        self.check_restore()

    def put_back_by_a_start(self):
        self.kill(self.daemon)
        self.end_of_eppd()
        self.start_quiet()
        self.disturbance.end()
        self.check_profile()
        self.stop_eppd()

    def hand_over(self):
        """To an eppd -r; one or the other, or both, or none, are killed in the middle of it."""
        old = self.daemon
        new = self.spawn(crash_case.TABLE, '-r')
        victims = self.draw.choice([[], [old], [new], [old, new]])
        for victim in victims:
            self.pass_a_moment(0.06)
            victim.send(signal.SIGKILL)
        if new in victims:
            self.wait_program(new)
            old.send(signal.SIGTERM)
        self.wait_program(old)
        self.end_of_eppd()
        if new in victims:
            self.check_restore()
            return
        self.wait_for_answer(new)
        self.disturbance.end()
        self.check_profile()
        self.stop_eppd()

    def stop_and_kill(self):
        """A SIGTERM races a kill."""
        self.daemon.send(signal.SIGTERM)
        self.pass_a_moment(0.01)
        self.kill(self.daemon)
        self.end_of_eppd()
        self.check_restore()


class Kernel71(KilledAtRandomMoments):
    sim_args = ('--cpus', '4', '--kernel', '7.1')

    def test_restore_puts_back(self):
        self.run_cycles(25, self.put_back_by_restore)

    def test_the_next_start_puts_back(self):
        self.run_cycles(15, self.put_back_by_a_start)

    def test_a_handover_puts_back(self):
        self.run_cycles(10, self.hand_over)


class Kernel73(KilledAtRandomMoments):
    sim_args = ('--cpus', '4', '--kernel', '7.3')

    def test_restore_puts_back(self):
        self.run_cycles(15, self.put_back_by_restore)

    def test_the_next_start_puts_back(self):
        self.run_cycles(10, self.put_back_by_a_start)

    def test_a_handover_puts_back(self):
        self.run_cycles(10, self.hand_over)

    def test_a_stop_that_a_kill_overtakes_is_put_back(self):
        self.run_cycles(15, self.stop_and_kill)


class KilledAtEachPoint(crash_case.CrashCase):
    """Of the protocol: journal, boost, read-back, journal, base, journal; each right before it and
    right after it."""

    JOURNAL = 'restore.ini'
    POLICY = 'policy1/energy_performance_preference'
    BASE = EPP_OF['balanced']
    OTHER_BASE = EPP_OF['power-saver']

    # name: (file, value written, the how-manyth)
    edges = {
        'the empty journal of the start': (JOURNAL, 'rename', 1),
        'the journal of the arming': (JOURNAL, 'rename', 2),
        'the first flag': (JOURNAL, '1', 1),
        'the first boost': (POLICY, BOOST, 1),
        'the journal with what the boost reads as': (JOURNAL, 'rename', 3),
        'the first base': (POLICY, BASE, 2),  # the start has set the profile
        'the first flag taken back': (JOURNAL, '0', 1),
        'a later flag': (JOURNAL, '1', 11),
        'a later boost': (POLICY, BOOST, 7),
        'a later base': (POLICY, BASE, 9),
        'a later flag taken back': (JOURNAL, '0', 11),
    }
    # Once a profile is set in the middle of boosts; counted from there.
    profile_changes = {
        'the new base of a policy': (POLICY, OTHER_BASE, 1),
        'the journal with the new bases': (JOURNAL, 'rename', 1),
        'the saved profile': ('state.ini', 'rename', 1),
    }
    # Once another program has written an idle CPU's, which is busy from there on.
    foreign_bases = {
        'the journal with it': (JOURNAL, 'rename', 1),
        'the flag over it': (JOURNAL, '1', 1),
        'the boost over it': (POLICY, BOOST, 1),
    }
    # Once it is told to stop.
    stops = {
        'the last base': (POLICY, BASE, 1),
        'the last flag taken back': (JOURNAL, '0', 1),
        'the journal removed': (JOURNAL, 'unlink', 1),
    }

    def setUp(self):
        super().setUp()
        self.use_faults()

    def check(self, points, run, new_base=None):
        """@run starts eppd, and calls what it is given when the kill is to be prepared. @new_base:
        of a profile that is on its way."""
        for name, (path, value, nth) in points.items():
            for after in (False, True):
                with self.subTest(point=name, after=after):
                    for recover in (self.recover_by_restore, self.recover_by_start):
                        self.begin('balanced')
                        run(functools.partial(self.faults.kill, path, value, after, nth))
                        self.assertEqual(self.wait_program(self.daemon), -signal.SIGKILL)
                        self.faults.clear()
                        recover(new_base)

    def recover_by_restore(self, new_base):
        self.restore()
        for policy, (_is_boosted, base) in self.unboosted().items():
            self.assertIn(self.epp(policy), {base, new_base or base})
        self.assertFalse(os.path.exists(os.path.join(self.runtime_dir, self.JOURNAL)))

    def recover_by_start(self, _new_base):
        self.start_quiet()
        profile = self.get('ActiveProfile', POWER_PROFILES, POWER_PROFILES_PATH)
        self.assertEqual(self.epps(), dict.fromkeys(POLICIES, EPP_OF[profile]))
        self.stop_eppd()

    def test_of_an_edge(self):
        def run(prepare_kill):
            prepare_kill()
            self.spawn(FLIPPING)
        self.check(self.edges, run)

    def once_it_boosts(self, config, act):
        def run(prepare_kill):
            self.spawn(config)
            self.wait_for_boost('policy1')
            prepare_kill()
            act()
        return run

    def test_of_a_profile_change(self):
        self.check(self.profile_changes, self.once_it_boosts(
            FLIPPING, lambda: self.choose_profile('power-saver', False)), self.OTHER_BASE)

    def test_of_a_boost_over_another_program_s_value(self):
        def run(prepare_kill):
            self.load.set(1, 0)
            self.load.set(2, 100)
            self.spawn(FLIPPING)
            self.wait_for_boost('policy2')
            self.load.set(2, 0)
            self.set_epp('policy1', FOREIGN_EPP)
            prepare_kill()
            self.load.set(1, 100)
        for cpu in (0, 3):
            self.load.set(cpu, 0)
        self.check(self.foreign_bases, run)

    def test_of_a_stop(self):
        self.check(self.stops, self.once_it_boosts(
            BOOSTING, lambda: self.daemon.send(signal.SIGTERM)))



del KilledAtRandomMoments
