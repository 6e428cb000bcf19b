# SPDX-License-Identifier: GPL-2.0-or-later
"""What users of such programs report again and again, on the simulated kernel: each symptom, and the tests
that show that it is not eppd's.

| report | test |
|---|---|
| EPP stays at performance, after a resume … | test_epp_is_not_stuck_at_performance_after_resume |
| … or after the game … | test_nor_after_the_game_has_ended |
| … or after the daemon has ended … | test_nor_after_the_daemon_has_ended |
| … or crashed | test_nor_after_the_daemon_has_crashed |
| EBUSY again and again under the performance governor, and the daemon exits | test_the_performance_governor_s_ebusy_is_said_once |
| one CPU's EINVAL makes the profile fail for all at boot | test_one_policy_s_einval_fails_no_other |
| errors about CPUs that are offline … | test_a_cpu_that_is_offline_is_no_error |
| … and have no directory | test_nor_is_one_without_a_directory |
| CPUs that come back have an old setting | test_a_cpu_brought_back_has_the_profile_of_now |
| only the first CPU of a shared policy counts | test_each_cpu_of_a_shared_policy_counts |
| two programs reset EPP on each other all the time | test_no_tug_of_war_with_another_program |
| the wrong profile after a hold has ended | test_a_choice_counts_though_a_hold_shows_the_same_profile |
| holds outlive their program, or end by another's hand | test_a_hold_is_its_client_s_alone_and_ends_with_it |
| the daemon takes its own writes for a user's | test_its_own_writes_are_nobody_s_choice |
| a mistake in the configuration, and it does not start | test_a_broken_configuration_is_no_reason_not_to_start |
| a charger that comes and goes makes it write all the time | test_a_flapping_charger_costs_one_write_a_policy |
| a USB-C dock counts as a charger, or a charger does not … | test_a_dock_is_no_charger |
| … where UPower knows better, too | test_upower_knows_better_than_a_supply |
| a game in a sandbox is not seen … | test_a_game_in_a_pid_namespace_is_held_by_its_pidfd |
| … or only its launcher | test_a_game_of_many_processes_is_held_by_its_cgroup |
| a password prompt covers the game that starts | test_no_game_waits_for_a_password |
| by SSH the switch jumps back without a word | test_who_may_not_is_told_so_and_what_is_so |
| what one user sets another's programs undo | test_several_users_have_one_arbiter |
| it fails where there is no cpufreq, as in a virtual machine | test_a_machine_without_cpufreq_is_served |
| it crashes, or crawls, with hundreds of CPUs | test_a_thousand_cpus_cost_a_write_each |
| the daemon itself takes CPU time … | test_it_sleeps_while_nothing_is_armed |
| … also after a game | test_and_again_after_a_game |
| nothing happens, and nothing says why | test_whatever_keeps_it_from_boosting_is_named |
| a rule undoes what a user chose | test_what_a_user_chose_stays |
| the kernel manages EPP itself (7.1) … | test_a_kernel_that_manages_epp_is_left_to_it |
| … (7.3) … | test_so_is_one_that_does_it_for_each_policy |
| … or boosts by its epp_boost … | test_the_kernel_s_own_boost_is_used |
| … or by hwp_dynamic_boost | test_intel_s_own_boost_is_left_alone_and_told |
"""

import contextlib
import os
import re
import signal
import time
import unittest
from xml.etree import ElementTree

import harness
from boost_case import DYNAMIC_EPP, KERNEL_BOOST, variant
from fake_services import Logind, Polkit, UPower
from hold_case import HoldsTestCase
from profile_case import FACES, NOBODY, PLATFORM, ModernCase
from sim_load_case import BASE, BOOST, KERNEL_EPP, POLICIES, STATUS, SimLoadCase

SOMEBODY = 1
SAVING = 'power'
HWP_BOOST = '/sys/devices/system/cpu/intel_pstate/hwp_dynamic_boost'
# What it must not do for so long is seen if it does.
QUIET_SECONDS = 3


class Report(HoldsTestCase, ModernCase, SimLoadCase):

    def wait_for_all(self, epp):
        for policy in POLICIES:
            self.wait_for_epp(policy, epp)

    def all_epps(self):
        return [self.epp(policy) for policy in POLICIES]

    def warnings(self):
        return re.findall('^(?:warning|critical): .*', self.log(), re.MULTILINE)

    def ask_eppctl(self, *args):
        """What it prints; no error."""
        program = self.eppctl(*args)
        self.assertEqual((program.code(), program.err), (0, ''))
        return program.out

    def eppctl_as(self, uid, *args):
        os.chmod(self.directory, 0o711)
        return self.eppctl(*args, user=uid, group=uid, extra_groups=[])

    def set_governors(self, governor):
        for policy in POLICIES:
            self.set_governor(policy, governor)


class Stuck(Report):

    def test_epp_is_not_stuck_at_performance_after_resume(self):
        logind = Logind(self)
        self.start_loaded()
        self.wait_for(lambda: logind.asked, 'the inhibitor')
        self.boost()
        logind.prepare_for_sleep(True)
        self.load.set(1, 0)
        self.sim.command('suspend')
        self.sim.command('resume epp-performance')
        logind.prepare_for_sleep(False)
        self.wait_for_all(BASE)

    def test_nor_after_the_game_has_ended(self):
        self.start_loaded(busy=(0, 1, 2, 3))
        game = self.start_eppctl('run', '--', 'sleep', '1000')
        self.wait_for_all(BOOST)
        game.end()
        self.wait_for_all(BASE)

    def test_nor_after_the_daemon_has_ended(self):
        self.start_loaded(busy=(1, 2))
        self.set_epp('policy2', SAVING)
        self.boost()
        self.wait_for_epp('policy2', BOOST)
        self.stop_eppd()
        self.assertEqual(self.all_epps(), [BASE, BASE, SAVING, BASE])

    def test_nor_after_the_daemon_has_crashed(self):
        self.start_loaded(busy=(1, 2))
        self.set_epp('policy2', SAVING)
        self.boost()
        self.wait_for_epp('policy2', BOOST)
        self.kill_eppd()
        self.assertIn('2 restored', self.restore())
        self.assertEqual(self.all_epps(), [BASE, BASE, SAVING, BASE])


class Refusals(Report):

    def test_the_performance_governor_s_ebusy_is_said_once(self):
        self.start_loaded(config='Governor=false\n')
        self.boost()
        self.set_governors('performance')
        self.wait_for_state('blocked')
        self.assertIn('the governor is performance', self.get('BoostReason'))
        for profile in ('power-saver', 'balanced') * 5:
            with contextlib.suppress(harness.GLib.Error):
                self.switch(profile)
            self.call('Reload')
        for policy in POLICIES:
            self.assertLessEqual(len([text for text in self.warnings() if policy in text]), 1,
                                 self.warnings())
        self.set_governors('powersave')
        self.load.set(1, 0)
        self.wait_for_all(BASE)

    def test_one_policy_s_einval_fails_no_other(self):
        self.make_tree()
        self.sim.fault('/sys/*/policy1/energy_performance_preference', op='write', errno='EINVAL')
        self.start_loaded()
        self.assertEqual(self.all_epps(), [BASE, KERNEL_EPP, BASE, BASE])
        self.assertEqual(self.profile(), 'balanced')
        said = [text for text in self.warnings() if 'policy1' in text]
        self.assertEqual(self.warnings(), said)
        self.assertEqual(len(said), 1, said)
        self.assertIn('Invalid argument', said[0])
        self.assertIn('The kernel refused to take', self.ask_eppctl('explain', '1'))
        self.sim.clear_faults()
        self.wait_for_all(BASE)

    def check_offline(self, *before):
        self.make_tree()
        self.sim.command('cpu 1 offline')
        for command in before:
            self.sim.command(command)
        self.start_loaded()
        self.switch('power-saver')
        self.assertEqual([self.epp(policy) for policy in POLICIES if policy != 'policy1'],
                         [SAVING] * 3)
        self.assertEqual(self.warnings(), [])
        self.sim.command('cpu 1 online')
        self.wait_for_all(SAVING)
        self.assertEqual(self.warnings(), [])

    def test_a_cpu_that_is_offline_is_no_error(self):
        self.check_offline()

    def test_nor_is_one_without_a_directory(self):
        self.check_offline('mode passive', 'mode active')
        self.assertIn('policy1', self.policies())

    def test_a_cpu_brought_back_has_the_profile_of_now(self):
        self.start_loaded()
        self.sim.command('cpu 3 offline')
        self.wait_for(lambda: not self.policies()['policy3']['online'], 'the look at policy3')
        self.switch('power-saver')
        self.sim.command('cpu 3 online')
        self.wait_for_all(SAVING)


class Policies(Report):

    def test_each_cpu_of_a_shared_policy_counts(self):
        self.make_tree('--cpus', '4', '--driver', 'intel_pstate', '--cpus-per-policy', '2')
        # As long as no boost ends, and no sample period changes, since eppd or the load came late.
        self.start_loaded(busy=(3,), config='[Boost]\nSampleMs=100\nHoldMs=2000\n')
        since = self.sim.mark()
        self.boost('policy2')
        self.load.set(2, 100)
        self.wait_for(lambda: self.call('Explain', 2).get('busy-permille') == 1000, 'a busy CPU 2')
        self.load.set(3, 10)
        self.wait_for(lambda: self.call('Explain', 3).get('busy-permille') == 100, 'an idle CPU 3')
        self.assertIn("CPU 3's EPP is performance", self.ask_eppctl('explain', '3'))
        self.load.set(2, 0)
        self.wait_for_epp('policy2', BASE)
        self.assertEqual(self.epp_writes('policy2', since), [BOOST, BASE])
        self.assertEqual(self.epp_writes('policy0', since), [])

    def test_no_tug_of_war_with_another_program(self):
        self.start_loaded(busy=())
        self.arm()
        since = self.sim.mark()
        for n in range(1, 11):
            for policy in ('policy1', 'policy3'):
                self.set_epp(policy, SAVING)
            self.load.set(1, 100)
            self.wait_for_statistics(busy_edges=n)
            self.load.set(1, 0)
            self.wait_for_statistics(idle_edges=n)
        self.assertEqual(self.epp_writes('policy3', since), [])
        # Its own, once it was seen: what is written after a boost is what the other wrote.
        self.assertLessEqual(set(self.epp_writes('policy1', since)), {BOOST, SAVING})
        self.wait_for_epp('policy1', SAVING)
        statistics = self.call('GetStatistics')
        self.assertLessEqual(len(self.epp_writes('policy1', since)),
                             statistics['busy-edges'] + statistics['idle-edges'])
        self.assertIn('Another program set power', self.ask_eppctl('explain', '1'))
        self.assertIn('Another program wrote it', self.ask_eppctl('explain', '3'))
        self.assertRegex(self.ask_eppctl('status'), '(?m)^policy1 .*foreign')


class Holds(Report):

    def test_a_choice_counts_though_a_hold_shows_the_same_profile(self):
        self.start_loaded()
        client = self.connect()
        self.hold_profile('power-saver', on=client)
        self.switch('power-saver')
        self.leave(client)
        self.assertEqual((self.profile(), self.all_epps()), ('power-saver', [SAVING] * 4))
        self.restart_eppd()
        self.assertEqual((self.profile(), self.all_epps()), ('power-saver', [SAVING] * 4))

    def test_a_hold_is_its_client_s_alone_and_ends_with_it(self):
        self.start_loaded()
        client, other = self.connect(), self.connect()
        boost = self.boost(on=client)
        profile = self.hold_profile('performance', on=client)
        self.assertNotIn(0, (boost, profile))
        with self.assert_dbus_error('org.freedesktop.DBus.Error.AccessDenied'):
            self.call('ReleaseBoost', boost, on=other)
        with self.assert_dbus_error('org.freedesktop.DBus.Error.InvalidArgs'):
            self.release_profile(profile, on=other)
        self.assertEqual((self.profile(), self.epp('policy1')), ('performance', BOOST))
        self.leave(client)
        self.assertEqual((self.held(), self.held_profiles(), self.profile()), ([], [], 'balanced'))
        self.assertEqual(self.all_epps(), [BASE] * 4)

    def test_its_own_writes_are_nobody_s_choice(self):
        self.make_tree('--cpus', '4', '--platform-profile', 'low-power balanced performance')
        self.start_loaded()
        since = self.sim.mark()
        for _ in range(5):
            cookie = self.hold_profile('power-saver')
            self.release_profile(cookie)
        cookie = self.hold_profile('power-saver')
        # The firmware's news come by the same way: behind all that eppd's own writes brought.
        self.sim.command('cpu 3 offline')
        self.wait_for(lambda: not self.policies()['policy3']['online'], 'the look at policy3')
        self.assertEqual((self.held_profiles(), self.profile()), (['power-saver'], 'power-saver'))
        self.release_profile(cookie)
        self.assertEqual((self.profile(), self.platform()), ('balanced', 'balanced'))
        self.assertEqual([write.text for write in
                          self.sim.writes('*/platform_profile', since, self.daemon.pid)],
                         ['low-power', 'balanced'] * 6)
        self.assertEqual(self.state_file(), {})


class Surroundings(Report):

    def test_a_broken_configuration_is_no_reason_not_to_start(self):
        self.start_loaded(config='PerformanceAC=faster\n\x01\xff]\n[Boost\nHoldMs=long\nMode=always\n')
        for line, what in ((5, 'PerformanceAC'), (7, 'Boost')):
            self.assertRegex(self.log(), rf'warning: config: {re.escape(self.config_path)}:{line}: .*{what}')
        self.assertEqual(self.all_epps(), [BASE] * 4)
        self.boost()

    def test_a_flapping_charger_costs_one_write_a_policy(self):
        self.make_tree('--cpus', '4', '--battery')
        self.start_loaded(config='BalancedBattery=power\nPowerSourceDebounceMs=600000\n')
        since = self.sim.mark()
        self.sim.command('supply AC online 0')
        self.wait_for_all(SAVING)
        for online in (1, 0) * 10 + (1,):
            self.sim.command(f'supply AC online {online}')
        # Its news come behind those of the charger.
        self.sim.command('cpu 3 offline')
        self.wait_for(lambda: not self.policies()['policy3']['online'], 'the look at policy3')
        for policy in ('policy0', 'policy1', 'policy2'):
            self.assertEqual(self.epp_writes(policy, since), [SAVING])

    def test_a_dock_is_no_charger(self):
        self.make_tree('--cpus', '4', '--battery')
        self.sim.command('supply AC online 0')
        self.sim.command('supply dock add USB')
        self.sim.command('supply dock set device/typec/port0/power_role [source] sink')
        self.sim.command('supply dock online 1')
        self.start_loaded(config='BalancedBattery=power\n')
        self.assertEqual((self.get('PowerSource'), self.all_epps()), ('battery', [SAVING] * 4))
        self.sim.command('supply dock set device/typec/port0/power_role source [sink]')
        self.sim.command('supply dock online 1')
        self.wait_for_all(BASE)

    def test_upower_knows_better_than_a_supply(self):
        self.make_tree('--cpus', '4', '--battery')
        upower = UPower(self, on_battery=True)
        self.start_loaded(config='BalancedBattery=power\n')
        self.wait_for_all(SAVING)
        self.sim.command('supply dock add USB')
        self.sim.command('supply dock online 1')
        self.sim.command('cpu 3 offline')
        self.wait_for(lambda: not self.policies()['policy3']['online'], 'the look at policy3')
        self.assertEqual((self.get('PowerSource'), self.epp('policy1')), ('battery', SAVING))
        upower.set_on_battery(False)
        self.sim.command('supply AC online 0')
        self.sim.command('supply dock online 0')
        self.sim.command('cpu 3 online')
        self.wait_for_all(BASE)


class Sandboxes(Report):

    def test_a_game_in_a_pid_namespace_is_held_by_its_pidfd(self):
        self.start_loaded()
        sandbox = self.start_program(['unshare', '--pid', '--fork', '--kill-child', 'sleep', '1000'])
        children = f'/proc/{sandbox.pid}/task/{sandbox.pid}/children'
        pid = int(self.wait_for(lambda: harness.read_file(children).strip(), 'the game'))
        self.assertRegex(harness.read_file(f'/proc/{pid}/status'), r'(?m)^NSpid:\t\d+\t1$')
        self.hold_pidfd(self.pidfd(pid))
        self.assertEqual([hold['pid'] for hold in self.held()], [pid])
        self.assertIn(str(pid), self.ask_eppctl('holds'))
        self.wait_for_epp('policy1', BOOST)
        # The game itself, which ends the sandbox: one that has just begun may not take it along.
        os.kill(pid, signal.SIGKILL)
        self.wait_program(sandbox)
        self.wait_for_all(BASE)
        self.assertEqual(self.held(), [])

    def test_a_game_of_many_processes_is_held_by_its_cgroup(self):
        self.start_loaded()
        scope = self.user_cgroup()
        launcher = self.start_in(scope)
        self.hold(cgroup=variant('s', scope))
        self.wait_for_epp('policy1', BOOST)
        # The game is a process beneath; its launcher ends long before it.
        game = self.start_in(self.make_cgroup(*scope.strip('/').split('/'), 'game'))
        launcher.end()
        self.assertEqual([hold['cgroup'] for hold in self.held()], [scope])
        self.assertEqual(self.epp('policy1'), BOOST)
        game.end()
        self.wait_for_all(BASE)
        self.assertEqual(self.held(), [])


class AskedPolkit(Polkit):
    """It keeps what it was asked: [(action, flags)]."""

    def __init__(self, case, allowed='all'):
        self.asked = []
        super().__init__(case, allowed)

    def _call(self, *args):
        _subject, action, _details, flags, _cancellation = args[5].unpack()
        self.asked.append((action, flags))
        super()._call(*args)


class Users(Report):

    def test_no_game_waits_for_a_password(self):
        self.start_polkit([])
        self.polkit.leave()
        polkit = AskedPolkit(self)
        self.start_loaded()
        for verb in (['run', '--', 'true'], ['launch', '-p', 'performance', 'true']):
            game = self.eppctl_as(NOBODY, *verb)
            self.assertEqual((game.code(), game.err), (0, ''))
        self.assertEqual(polkit.asked,
                         [('org.eppd.hold-boost', 0),
                          ('org.freedesktop.UPower.PowerProfiles.hold-profile', 0)])
        # And whose session is in front needs none.
        for name in ('org.eppd', 'org.freedesktop.UPower.PowerProfiles'):
            policy = ElementTree.parse(f'{harness.SOURCE_ROOT}/data/{name}.policy.in')
            self.assertEqual({allow.text for allow in policy.iter('allow_active')}, {'yes'})

    def test_who_may_not_is_told_so_and_what_is_so(self):
        self.start_polkit([])
        self.start_loaded()
        remote = self.connect_as(NOBODY)
        for face in FACES:
            changes = self.record_changes(remote)
            name, text = self.error_of(self.switch, 'power-saver', on=remote, face=face)
            self.assertEqual(name, 'AccessDenied')
            self.assertIn('switch-profile', text)
            self.settle(remote)
            self.assertIn((face, {'ActiveProfile': 'balanced'}, []), changes.take())
        said = self.eppctl_as(NOBODY, 'set', 'power-saver')
        self.assertEqual(said.code(), 1)
        self.assertIn('Not Authorized', said.out + said.err)
        self.assertEqual((self.profile(), self.all_epps()), ('balanced', [BASE] * 4))

    def test_several_users_have_one_arbiter(self):
        self.start_loaded(busy=())
        first, second = self.connect_as(NOBODY), self.connect_as(SOMEBODY)
        cookie = self.hold_profile('performance', on=first)
        self.arm(on=first, threshold_percent=variant('u', 60))
        self.hold(on=second, threshold_percent=variant('u', 20))
        self.wait_for_reason('at least 20 % busy')
        self.hold_profile('power-saver', on=second)
        for user in (first, second):
            self.assertEqual(self.value('ActiveProfile', on=user), 'power-saver')
            self.assertEqual(sorted(hold['uid'] for hold in self.held(on=user)), [SOMEBODY, NOBODY])
        with self.assert_dbus_error('org.freedesktop.DBus.Error.InvalidArgs'):
            self.release_profile(cookie, on=second)
        self.leave(second)
        self.assertEqual(self.profile(), 'performance')
        self.wait_for_reason('at least 60 % busy')
        self.leave(first)
        self.assertEqual(self.profile(), 'balanced')


class Sizes(Report):

    def test_a_machine_without_cpufreq_is_served(self):
        self.make_tree('--cpus', '2', '--driver', 'none')
        self.start_loaded()
        self.assertEqual(self.warnings(), [])
        self.assertEqual([(profile['Profile'], profile['Driver'])
                          for profile in self.value('Profiles')],
                         [('power-saver', 'placeholder'), ('balanced', 'placeholder')])
        self.switch('power-saver')
        self.hold()
        self.assertEqual((self.profile(), self.get('BoostState')), ('power-saver', 'blocked'))
        self.assertIn('no CPU has an energy_performance_preference file', self.ask_eppctl('status'))
        self.stop_eppd()
        self.assertEqual(self.warnings(), [])

    def test_a_thousand_cpus_cost_a_write_each(self):
        self.make_tree('--cpus', '1024')
        # No boost ends since eppd or the load came late.
        self.start_loaded(config='[Boost]\nHoldMs=2000\n')
        for profile, n_writes in (('power-saver', 1024), ('power-saver', 0), ('balanced', 1024)):
            since = self.sim.mark()
            self.switch(profile)
            self.assertEqual(len(self.epp_writes('*', since)), n_writes, profile)
            # All there is to a profile: EPP, governor, core boost, floor.
            self.assertLessEqual(len(self.sim.writes(since=since, pid=self.daemon.pid)), 4 * n_writes)
        since = self.sim.mark()
        self.boost()
        self.load.set(1, 0)
        self.wait_for_epp('policy1', BASE)
        self.assertEqual(self.epp_writes('*', since), [BOOST, BASE])


class Rest(Report):

    def n_switches(self):
        """How often eppd has gone to sleep: it has woken up as often. GLib's idle workers wake up once, and end by
        themselves."""
        return {thread: int(re.search(r'(?m)^voluntary_ctxt_switches:\t(\d+)$', status)[1])
                for thread, status in harness.read_threads(self.daemon.pid, 'status').items()
                if not re.search(r'(?m)^Name:\tpool', status)}

    def assert_asleep(self):
        """Once what a start or an end brings is over, it stays so for a while."""
        self.settle()
        before = None

        def is_quiet():
            nonlocal before
            last, before = before, self.n_switches()
            time.sleep(0.5)
            return last == before
        self.wait_for(is_quiet, 'eppd to come to rest')
        time.sleep(QUIET_SECONDS)
        self.assertEqual(self.n_switches(), before)

    def test_it_sleeps_while_nothing_is_armed(self):
        self.start_loaded(busy=(0, 1, 2, 3))
        self.assert_asleep()

    def test_and_again_after_a_game(self):
        self.start_loaded(busy=(0, 1, 2, 3))
        self.call('ReleaseBoost', self.boost())
        self.wait_for_all(BASE)
        self.assert_asleep()


class Silence(Report):

    def assert_named(self, text):
        self.wait_for_reason(text)
        self.assertIn(text, self.ask_eppctl('status'))
        self.assertIn(text, self.ask_eppctl('explain', '1'))

    def test_whatever_keeps_it_from_boosting_is_named(self):
        self.start_loaded()
        self.assert_named('no program holds the boost')
        self.arm()
        self.assert_named('1 hold; a core that is at least 50 % busy')
        self.switch('power-saver')
        self.assert_named('no boost in the profile power-saver')
        self.switch('balanced')
        self.set_governors('performance')
        self.assert_named('the governor is performance')
        self.write(STATUS, 'passive')
        self.assert_named('amd-pstate is not in active mode')
        self.write(STATUS, 'active')
        self.wait_for_state('armed')
        self.write_config('[Boost]\nEpp=balance_performance\n')
        self.call('Reload')
        self.assert_named('there is nothing to boost')
        self.write_config('[Boost]\nMode=off\n')
        self.call('Reload')
        self.assert_named('Mode=off')
        self.write_config('')
        self.restart_eppd('--residency', f'trace:{self.directory}/missing')
        self.hold()
        self.assert_named('no way to see how busy the cores are')
        self.restart_eppd('--block-driver', 'amd_pstate')
        self.hold()
        self.wait_for_reason('--block-driver amd_pstate')
        self.assertIn('--block-driver amd_pstate', self.ask_eppctl('status'))


class Choices(Report):

    def test_what_a_user_chose_stays(self):
        logind = Logind(self)
        self.make_tree('--cpus', '4', '--battery')
        self.start_loaded(config='PowerSourceDebounceMs=0\n')
        self.wait_for(lambda: logind.asked, 'the inhibitor')
        program = self.connect()
        cookie = self.hold_profile('performance', on=program)
        released = self.record_releases(program)
        self.switch('power-saver')
        self.settle(program)
        self.assertIn((self.face, cookie), released)
        for online, source in ((0, 'battery'), (1, 'ac')):
            self.sim.command(f'supply AC online {online}')
            self.wait_for(lambda source=source: self.get('PowerSource') == source, source)
        logind.prepare_for_sleep(True)
        logind.prepare_for_sleep(False)
        self.call('Reload')
        self.leave(program)
        self.assertEqual((self.profile(), self.all_epps()), ('power-saver', [SAVING] * 4))
        self.restart_eppd()
        self.assertEqual((self.profile(), self.all_epps()), ('power-saver', [SAVING] * 4))


class KernelsOwn(Report):

    def test_a_kernel_that_manages_epp_is_left_to_it(self):
        self.make_tree('--cpus', '4', '--kernel', '7.1')
        self.write(DYNAMIC_EPP, 'enabled')
        self.start_loaded()
        self.hold()
        self.assert_told('blocked', 'kernel dynamic EPP', "The kernel's dynamic EPP manages it")
        since = self.sim.mark()
        self.switch('power-saver')
        self.stop_eppd()
        # That is how the kernel learns what is wanted.
        self.assertEqual([(write.path, write.text)
                          for write in self.sim.writes(since=since, pid=self.daemon.pid)],
                         [(PLATFORM, 'low-power')])
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_so_is_one_that_does_it_for_each_policy(self):
        self.make_tree('--cpus', '4', '--kernel', '7.3')
        self.set_epp('policy1', 'dynamic')
        self.start_loaded(busy=(1, 2))
        self.boost('policy2')
        self.assert_told('armed', "not on 1 of 4 policies, which the kernel's dynamic EPP manages",
                         "The kernel's dynamic EPP manages it")
        self.switch('power-saver')
        self.assertEqual(self.epp_writes('policy1'), [])
        self.assertRegex(self.epp('policy1'), '^dynamic')

    def test_the_kernel_s_own_boost_is_used(self):
        self.make_tree('--cpus', '4', '--epp-boost')
        self.start_loaded()
        cookie = self.hold()
        self.assert_told('kernel', "the kernel's own epp_boost does it", 'Boost (kernel)')
        self.assertEqual((self.line(KERNEL_BOOST), self.epp_writes()), ('Y', [BASE]))
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.line(KERNEL_BOOST), 'N')

    def test_intel_s_own_boost_is_left_alone_and_told(self):
        self.make_tree('--cpus', '4', '--driver', 'intel_pstate')
        self.start_loaded()
        self.arm()
        self.assertNotIn('hwp_dynamic_boost', self.get('BoostReason'))
        self.write(HWP_BOOST, '1')
        self.call('Reload')
        self.assert_told('armed', 'hwp_dynamic_boost is on and left alone', 'hwp_dynamic_boost')
        self.wait_for_epp('policy1', BOOST)
        self.stop_eppd()
        self.assertEqual(self.sim.writes(HWP_BOOST, pid=self.daemon.pid), [])


class Table(unittest.TestCase):

    def test_it_names_each_test(self):
        tests = [name for case in Report.__subclasses__() for name in vars(case)
                 if name.startswith('test_')]
        self.assertEqual(re.findall(r'\| (test_\w+) \|', __doc__), tests)
