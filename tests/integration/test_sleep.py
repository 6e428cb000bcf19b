# SPDX-License-Identifier: GPL-2.0-or-later
"""Sleep, as logind tells of it: no core sleeps boosted, and afterwards all is as it should be."""

import mmap
import sys

from boost_case import AC_ONLINE, BASE, BOOST, POLICY_DIR, variant
from fake_services import LOGIND, LOGIND_PATH, MANAGER, Logind
from profile_case import PLATFORM, ProfileCase


class Sleep(ProfileCase):

    tree_args = ('--cpus', '2', '--battery')

    def start(self, *args, refuses=False):
        self.logind = Logind(self, refuses)
        self.start_busy(*args, polkit=None)
        self.wait_for(lambda: self.logind.asked or '--disable-logind' in args, 'the inhibitor')
        self.settle(on=self.logind.connection)

    def reset(self, path, text):
        """As a firmware does while the machine sleeps: nobody is told of it. @text must not be longer
        than what the file holds."""
        with open(self.path(path), 'r+b') as file, mmap.mmap(file.fileno(), 0) as content:
            content[:len(text) + 1] = (text + '\n').encode()

    def test_a_delay_inhibitor_is_held_while_awake(self):
        self.start()
        [(what, who, why, mode)] = self.logind.asked
        self.assertEqual((what, who, mode), ('sleep', 'eppd', 'delay'))
        self.assertTrue(why)
        self.assertFalse(self.logind.is_released(0))
        self.stop_eppd()
        self.assertTrue(self.logind.is_released(0))

    def test_no_core_is_boosted_any_more_when_the_inhibitor_is_released(self):
        self.start()
        self.boost()
        released_at = []

        def released():
            if self.logind.is_released(0):
                released_at.append(self.epp('policy1'))
            return released_at

        self.logind.emit(LOGIND_PATH, MANAGER, 'PrepareForSleep', variant('(b)', (True,)))
        self.wait_for(released, 'the release of the inhibitor')
        self.assertEqual(released_at, [BASE])
        self.assertNotEqual(self.get('BoostState'), 'armed')
        self.assertEqual(len(self.logind.asked), 1)

    def test_afterwards_it_is_armed_again_with_a_new_inhibitor(self):
        self.start()
        self.boost()
        for index in range(1, 4):
            self.logind.prepare_for_sleep(True)
            self.assertEqual(self.epp('policy1'), BASE)
            self.logind.prepare_for_sleep(False)
            self.wait_for_state('armed')
            self.wait_for(lambda index=index: len(self.logind.asked) == index + 1,
                          'the new inhibitor')
            self.settle(on=self.logind.connection)
            self.assertTrue(self.logind.is_released(index - 1))
            self.assertFalse(self.logind.is_released(index))
        self.assertEqual(len(self.held()), 1)

    def test_what_the_firmware_reset_is_set_again(self):
        self.add_platform()
        self.start()
        self.switch('power-saver')
        self.logind.prepare_for_sleep(True)
        self.reset(PLATFORM, 'balanced')
        for policy in ('policy0', 'policy1'):
            self.set_epp(policy, 'balance_performance')
            for name, text in (('boost', '1'), ('scaling_min_freq', '1700000'),
                               ('scaling_governor', 'schedutil')):
                self.write(f'{POLICY_DIR}{policy}/{name}', text + '\n')
        self.logind.prepare_for_sleep(False)
        self.assertEqual(self.platform(), 'low-power')
        for policy in ('policy0', 'policy1'):
            self.assertEqual(self.policy_files(policy), ('powersave', 'power', '0', '400000'))
        self.assertEqual(self.profile(), 'power-saver')
        self.wait_for_log('the machine woke up: profile power-saver is set again')

    def test_what_the_firmware_reset_of_an_intel_cpu_is_set_again(self):
        bias = '/sys/devices/system/cpu/cpu1/power/energy_perf_bias'
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.put(bias, '6\n')
        self.start()
        self.switch('power-saver')
        self.logind.prepare_for_sleep(True)
        self.write(bias, '6\n')
        self.set_epp('policy1', 'performance')
        self.logind.prepare_for_sleep(False)
        self.assertEqual((self.line(bias), self.epp('policy1')), ('15', 'power'))

    def test_what_degrades_performance_is_looked_at_again(self):
        no_turbo = '/sys/devices/system/cpu/intel_pstate/no_turbo'
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.start()
        for text, reason in (('1', 'high-operating-temperature'), ('0', '')):
            self.logind.prepare_for_sleep(True)
            self.reset(no_turbo, text)
            self.logind.prepare_for_sleep(False)
            self.assertEqual(self.value('PerformanceDegraded'), reason)

    def test_a_hold_outlives_the_sleep(self):
        self.start()
        cookie = self.hold_profile('power-saver')
        self.logind.prepare_for_sleep(True)
        self.set_epp('policy1', 'balance_performance')
        self.logind.prepare_for_sleep(False)
        self.assertEqual((self.profile(), self.epp('policy1')), ('power-saver', 'power'))
        self.release_profile(cookie)
        self.assertEqual(self.profile(), 'balanced')

    def test_a_charger_that_was_plugged_meanwhile_is_seen_at_once(self):
        self.make_tree()
        self.set_ac(0)
        self.start()
        self.assertEqual(self.epp('policy0'), 'balance_power')
        self.logind.prepare_for_sleep(True)
        self.write(AC_ONLINE, '1\n')
        self.logind.prepare_for_sleep(False)
        self.assertEqual((self.get('PowerSource'), self.epp('policy0')),
                         ('ac', 'balance_performance'))

    def test_a_policy_that_refuses_after_the_sleep_is_a_warning(self):
        self.use_faults()
        self.start()
        self.switch('power-saver')
        self.logind.prepare_for_sleep(True)
        for policy in ('policy0', 'policy1'):
            self.set_epp(policy, 'balance_performance')
        self.faults.set('policy0/energy_performance_preference')
        self.logind.prepare_for_sleep(False)
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertRegex(self.log(), '(?m)^warning: policy0: .*; ignoring, the others go on')

    def test_a_profile_that_is_chosen_before_the_machine_sleeps(self):
        self.start()
        self.logind.prepare_for_sleep(True)
        self.switch('power-saver')
        self.assertEqual(self.epp('policy1'), 'power')
        self.logind.prepare_for_sleep(False)
        self.assertEqual((self.profile(), self.epp('policy1')), ('power-saver', 'power'))

    def test_nothing_is_armed_before_the_machine_sleeps(self):
        self.start()
        self.logind.prepare_for_sleep(True)
        self.hold()
        self.assertNotEqual(self.get('BoostState'), 'armed')
        self.assertIn('sleep', self.get('BoostReason'))
        self.logind.prepare_for_sleep(False)
        self.wait_for_epp('policy1', BOOST)

    def test_an_end_of_sleep_alone_sets_all_again(self):
        self.start()
        self.set_epp('policy0', 'power')
        self.logind.prepare_for_sleep(False)
        self.assertEqual(self.epp('policy0'), BASE)

    def test_logind_goes_while_the_machine_sleeps(self):
        self.start()
        self.boost()
        self.logind.prepare_for_sleep(True)
        self.assertEqual(self.epp('policy1'), BASE)
        self.logind.leave()
        self.wait_for_epp('policy1', BOOST)

    def test_logind_comes_late(self):
        self.start_busy(polkit=None)
        self.boost()
        self.logind = Logind(self)
        self.wait_for(lambda: self.logind.asked, 'the inhibitor')
        self.logind.prepare_for_sleep(True)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_one_that_gives_no_inhibitor_is_listened_to(self):
        self.start(refuses=True)
        self.wait_for_log('^warning: sleep: no delay inhibitor, ignoring: .*no inhibitors today')
        self.boost()
        self.logind.prepare_for_sleep(True)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_another_s_signal_is_not_logind_s(self):
        self.start()
        self.boost()
        stranger = self.connect()
        stranger.emit_signal(None, LOGIND_PATH, MANAGER, 'PrepareForSleep', variant('(b)', (True,)))
        self.settle(on=stranger)
        self.assertEqual((self.get('BoostState'), self.epp('policy1')), ('armed', BOOST))
        self.assertFalse(self.logind.is_released(0))

    def test_a_signal_of_another_type_is_a_warning(self):
        self.start()
        self.boost()
        self.logind.emit(LOGIND_PATH, MANAGER, 'PrepareForSleep', variant('(s)', ('true',)))
        self.settle(on=self.logind.connection)
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assertRegex(self.log(), '(?m)^warning: sleep: ignoring a PrepareForSleep of the type')

    def test_disabled_it_is_not_asked_nor_listened_to(self):
        self.start('--disable-logind')
        self.boost()
        self.logind.prepare_for_sleep(True)
        self.assertEqual((self.logind.asked, self.epp('policy1')), ([], BOOST))

    def test_with_dbusmock_s_logind(self):
        self.start_program([sys.executable, '-m', 'dbusmock', '--system', '--template', 'logind'])
        self.wait_for(lambda: self.name_owner(LOGIND), 'the logind mock')
        self.start_busy(polkit=None)
        self.boost()
        self.wait_for(lambda: self.listed('eppd'), 'the inhibitor')
        self.emit_by_mock(True)
        self.wait_for_epp('policy1', BASE)
        self.wait_for(lambda: not self.listed('eppd'), 'the release of the inhibitor')
        self.emit_by_mock(False)
        self.wait_for_epp('policy1', BOOST)
        self.wait_for(lambda: self.listed('eppd'), 'the new inhibitor')

    def listed(self, who):
        inhibitors = self.bus_call(self.connection, LOGIND, LOGIND_PATH, MANAGER, 'ListInhibitors',
                                   None)
        return [inhibitor for inhibitor in inhibitors or [] if inhibitor[1] == who]

    def emit_by_mock(self, sleeps):
        self.bus_call(self.connection, LOGIND, LOGIND_PATH, 'org.freedesktop.DBus.Mock',
                      'EmitSignal',
                      variant('(sssav)', (MANAGER, 'PrepareForSleep', 'b', [variant('b', sleeps)])))
