# SPDX-License-Identifier: GPL-2.0-or-later
"""A quiet period: nothing disturbs any more, and all must be as it should be, and stay so."""

import collections
import os
import re
import time

import harness
from boost_case import POLICY_DIR
from oracle import BOOST, DYNAMIC, Policy
from profile_case import MODERN, PLATFORM
from rig import DYNAMIC_EPP, KERNEL_BOOST, TICK_MS, TRACE, Failure
from steps import cpus_of

# What is awaited comes within some ticks; the first is generous, the other for the many tries of the
# shrinker, each of which waits in vain if it is as bad as the one before.
LIMIT_SECONDS = 30
SHRINKING_LIMIT_SECONDS = 3
# A kernel that answered wrongly sends no news when it is right again: after this it sends some.
NUDGE_SECONDS = 0.3
STAYS_TICKS = 4
# So late may a CPU be news: eppd rests between its looks, and a policy that came back is set anew.
LATE_SECONDS = 5
# How often what has no path of its own may be open; files are once.
DESCRIPTORS = {'anon_inode:[eventfd]': 4, 'anon_inode:inotify': 3, 'pipe:[N]': 1, 'socket:[N]': 2}
DESCRIPTOR_TRIES = 4
RSS_KB = 60_000
IDLE_TICKS = 100
WAKEUP_TRIES = 5
REFUSALS = 3


class Quiet:

    def __init__(self, rig, limit_seconds=LIMIT_SECONDS):
        self.rig = rig
        self.limit_seconds = limit_seconds
        self.oracle = rig.oracle
        self.profile = None
        # Without faults eppd needs none.
        self.is_nudged = not rig.oracle.faulty

    # ---- what is ----

    def policies(self):
        """{number: Policy} by the files."""
        rig = self.rig
        found = {}
        for number in rig.machine.policies:
            # In other modes there is none, or one that is nobody's to write.
            epp = rig.epp_of(number) if self.oracle.mode == 'active' else None
            # Under the governor performance the kernel has no other EPP.
            governor = (rig.look_up(f'{POLICY_DIR}{rig.policy_name(number)}/scaling_governor')
                        if epp in (None, BOOST) else None)
            found[number] = Policy(
                any(cpu in self.cpus_online for cpu in rig.machine.cpus_of(number)), epp, governor,
                False)
        return found

    def with_rests(self, policies):
        """Those that eppd leaves out for a time, too."""
        views = self.views()
        return {number: policy._replace(
            resting=views.get(self.rig.policy_name(number), {}).get('resting', False))
                for number, policy in policies.items()}

    def views(self):
        call = self.rig.eppd1('GetPolicies')
        if call.outcome != 'ok':
            raise Failure(f'GetPolicies: {call.error.message}')
        return {view['policy']: view for view in call.value}

    # ---- what is wrong ----

    def problems(self, busy):
        """A list of texts. @busy: the CPUs that are."""
        oracle = self.oracle
        self.profile, state, reason = self.rig.values_of('ActiveProfile', 'BoostState',
                                                         'BoostReason')
        self.is_armed = state == 'armed'
        if self.profile not in oracle.profiles():
            return [f'the profile is {self.profile}, not {" or ".join(sorted(oracle.profiles()))}']
        self.cpus_online = self.rig.cpus_online()
        self.found = self.policies()
        self.dynamic_epp = (self.rig.machine.dynamic == 'global'
                            and self.rig.look_up(DYNAMIC_EPP) == 'enabled')
        if self.dynamic_epp not in oracle.dynamic_epp:
            return [f'dynamic_epp is {"on" if self.dynamic_epp else "off"}']
        wanted = oracle.boost_states(self.profile, self.found, self.dynamic_epp)
        if state not in wanted:
            return [f'BoostState is {state} ({reason}), not {" or ".join(wanted)}']
        if self.dynamic_epp:
            return []
        boosted = oracle.boosted_policies(busy, self.cpus_online) if self.is_armed else ()
        problems = oracle.problems(self.found, self.profile, boosted)
        if problems and boosted:
            problems = oracle.problems(self.with_rests(self.found), self.profile, boosted)
        problems += oracle.kernel_boost_problems(state, self.kernel_boost())
        return problems or ([] if boosted else self.journal_problems())

    def kernel_boost(self):
        return (self.rig.look_up(KERNEL_BOOST) == 'Y' if self.rig.machine.has_kernel_boost else None)

    def journal_problems(self):
        """Nothing is boosted: only what can't be written now may be flagged."""
        try:
            journal = harness.read_file(os.path.join(self.rig.runtime_dir, 'restore.ini'))
        except FileNotFoundError:
            return []
        flagged = re.findall(r'(?m)^\[(policy\d+)\][^\[]*^Boosted=1', journal)
        return [f'the journal says that {name} is boosted, and it is not'
                for name in map(self.rig.policy_name, self.writable()) if name in flagged]

    def writable(self):
        return [number for number, policy in self.found.items() if self.is_writable(policy)]

    def is_writable(self, policy):
        return (policy.online and policy.epp not in (None, DYNAMIC) and policy.governor != BOOST
                and not self.dynamic_epp)

    def is_awaited(self):
        """Whether eppd says that a write was refused: it tries that again by itself, and no news must
        help it. What a read told it wrongly, that a CPU is offline or a file is gone, it can't know."""
        if self.rig.figures.quiet % 4 != 1 or self.rig.had_vanished:
            # It takes a second or more each time; and a file that is gone comes back with no news only
            # here.
            return False
        views = self.views()
        return any(views.get(name, {}).get('restore-pending')
                   for name in map(self.rig.policy_name, self.writable()))

    def nudge(self):
        """News of the kernel's, once after its answers were wrong."""
        rig = self.rig
        if self.is_nudged:
            return
        self.is_nudged = True
        rig.figures.nudges += 1
        rig.sim.command(f'supply AC online {int(self.oracle.on_ac)}')
        if rig.machine.platform_choices:
            rig.put_text(PLATFORM, rig.look_up(PLATFORM))
        last = rig.machine.n_cpus - 1
        if last in rig.cpus_online():
            rig.do_cpu(last, 'offline')
        rig.do_cpu(last, 'online')

    def converge(self, busy, what):
        """Waits until all is right, and stays so for some ticks."""
        start = time.monotonic()
        right = 0
        while right < 2:
            problems = self.problems(busy)
            right = 0 if problems else right + 1
            passed = time.monotonic() - start
            if problems and passed > NUDGE_SECONDS and not self.is_awaited():
                self.nudge()
            if problems and passed > self.limit_seconds:
                raise Failure(f'{what}, for {self.limit_seconds} s: ' + '; '.join(problems))
            self.rig.pass_ticks(STAYS_TICKS if right == 1 else 1)

    def set_busy(self, busy):
        for cpu in range(self.rig.machine.n_cpus):
            self.rig.load.set(cpu, 100 if cpu in busy else 0)

    # ---- the phases ----

    def calm_down(self):
        rig = self.rig
        rig.command('fault clear')
        rig.finish_calls()

    def check_holds(self):
        rig, oracle = self.rig, self.oracle
        call = rig.eppd1('ListBoostHolds')
        held = sorted(hold['app-id'] for hold in call.value)
        wanted = sorted(client for client, _percent in oracle.boost_holds.values())
        if held != wanted:
            raise Failure(f'boost holds: {held}, not {wanted}')
        held = sorted((hold['ApplicationId'], hold['Profile'])
                      for hold in rig.value_of('ActiveProfileHolds', MODERN))
        wanted = sorted(oracle.profile_holds.values())
        if held != wanted:
            raise Failure(f'profile holds: {held}, not {wanted}')

    def descriptor_problems(self):
        counts = collections.Counter(self.rig.descriptors())
        n_traces = sum(n for link, n in counts.items() if link.endswith('/' + TRACE))
        is_armed = self.rig.value_of('BoostState') == 'armed'
        problems = [f'{link} is open {n} times' for link, n in counts.items()
                    if n > DESCRIPTORS.get(link, 1)]
        if n_traces != is_armed:
            problems.append(f'the trace is open {n_traces} times, armed: {is_armed}')
        return problems

    def check_descriptors(self):
        # Late news may have it close and open what it needs just now.
        for _ in range(DESCRIPTOR_TRIES):
            problems = self.descriptor_problems()
            if not problems:
                return
            self.rig.pass_ticks(IDLE_TICKS)
        raise Failure('; '.join(problems))

    def check_episodes(self, since):
        """Each episode has two writes, there and back."""
        rig = self.rig
        for name in map(rig.policy_name, self.writable()):
            writes = [write.text for write in rig.sim.writes(
                rig.epp_path(name), since=since, pid=rig.daemon.pid) if not write.error]
            for before, after in zip(writes, writes[1:]):
                if (before == BOOST) == (after == BOOST):
                    raise Failure(f'{name} was written {writes}: not there and back')

    def check_episode(self, busy):
        """One more episode changes nothing for good."""
        arms = self.arms()
        self.converge((), 'before an episode')
        before = {cpu: policy.epp for cpu, policy in self.found.items()}
        since = self.rig.sim.mark()
        self.set_busy(busy)
        self.converge(busy, 'busy again')
        self.set_busy(())
        self.converge((), 'idle again')
        if not self.is_armed or self.arms() != arms:
            # Late news made eppd arm anew, which ends an episode, and sets each base; or there was no
            # episode, and a look asks a driver whether it takes what it has.
            return
        after = {cpu: policy.epp for cpu, policy in self.found.items()}
        if before != after:
            raise Failure(f'after an episode {after}, before it {before}')
        self.check_episodes(since)

    def check_foreign(self):
        """What another program writes stays: while idle, through a boost and after it, and while other
        CPUs come and go."""
        rig = self.rig
        # A driver that a fault had taken away sets the profile when a look finds it again, and the look at
        # the last hotplug may be late: Reload makes it now. It may set another governor.
        rig.do_reload()
        self.set_busy(())
        self.converge((), 'after a reload')
        now = time.monotonic()
        policies = [number for number in self.writable()
                    if now - rig.plugged.get(number, -LATE_SECONDS) >= LATE_SECONDS]
        if not policies:
            return
        number = rig.draw.choice(policies)
        path = rig.epp_path(rig.policy_name(number))
        cpu = rig.machine.cpus_of(number)[0]
        for busy in ((), (cpu,)):
            self.set_busy(busy)
            self.converge(busy, 'before another program writes')
            epp = rig.draw.choice([epp for epp in rig.machine.epps if epp != BOOST])
            if not rig.put_text(path, epp):
                raise Failure(f'the simulated kernel takes no {epp}')
            self.oracle.is_sure[number] = epp
            self.plug_another(number)
            self.converge(busy, 'after another program wrote')
            for again in ((), (cpu,), ()):
                self.set_busy(again)
                self.converge(again, 'after another program wrote')
        del self.oracle.is_sure[number]
        self.oracle.settle(self.profile, self.found, self.dynamic_epp)

    def plug_another(self, number):
        rig = self.rig
        last = rig.machine.n_cpus - 1
        if rig.machine.policy_of(last) != number and last in rig.cpus_online():
            rig.do_cpu(last, 'offline')
            rig.do_cpu(last, 'online')

    def arms(self):
        self.rig.take_statistics()
        return self.rig.statistics['arms']

    def check_refused_restore(self, busy):
        """The kernel refuses what ends an episode, also when eppd looks why, and no news comes: it is
        tried again after a time."""
        self.set_busy(busy)
        self.converge(busy, 'busy before a refusal')
        for name in map(self.rig.policy_name, self.rig.machine.policies):
            self.rig.sim.command(f'fault {self.rig.epp_path(name)} write errno=EBUSY '
                                 f'count={REFUSALS}')
        self.set_busy(())
        self.converge((), 'idle after a refusal')
        self.rig.sim.command('fault clear')

    def status_number(self, name):
        text = harness.read_file(f'/proc/{self.rig.daemon.pid}/status')
        return int(re.search(rf'(?m)^{name}:\s+(\d+)', text)[1])

    def check_wakeups(self):
        """Nothing is armed and nothing pending: nothing wakes it."""
        rig = self.rig
        counts = []
        while len(counts) < WAKEUP_TRIES:
            # Late news may have had it armed by now.
            if (rig.value_of('BoostState') == 'armed'
                    or any(view['restore-pending'] for view in self.views().values())):
                return
            # Its answer may have come before it sleeps again; and a look at the machine that is under way, or due
            # after a rest, has a switch for each read.
            rig.pass_ticks(2)
            before = self.status_number('voluntary_ctxt_switches')
            rig.pass_ticks(IDLE_TICKS)
            counts.append(self.status_number('voluntary_ctxt_switches') - before)
            if counts[-1] == 0:
                return
        raise Failure(f'with nothing armed it woke up {counts} times, each in {IDLE_TICKS * TICK_MS} ms')

    def check_memory(self):
        rss_kb = self.status_number('VmRSS')
        if rss_kb > RSS_KB:
            raise Failure(f'{rss_kb} kB of memory')

    def run(self, cpus_text):
        rig = self.rig
        rig.figures.quiet += 1
        busy = cpus_of(cpus_text)
        self.calm_down()
        self.set_busy(busy)
        self.converge(busy, 'busy')
        self.set_busy(())
        # What is right by chance only would be wrong later.
        self.nudge()
        self.converge((), 'idle')
        self.check_holds()
        self.check_descriptors()
        self.check_memory()
        self.oracle.settle(self.profile, self.found, self.dynamic_epp)
        rig.had_vanished = False
        if rig.figures.quiet % 4 == 0:
            self.check_episode(busy)
        if rig.figures.quiet % 16 == 2:
            self.check_foreign()
        if rig.figures.quiet % 32 == 8:
            self.check_refused_restore(range(rig.machine.n_cpus))
        if rig.figures.quiet % 8 == 4:
            self.check_wakeups()
        rig.look_at_log()
        rig.take_statistics()
        rig.figures.met = rig.sim.faults_met()
        # The loads go on as they were.
        for cpu in rig.duty:
            rig.load_again(cpu)
