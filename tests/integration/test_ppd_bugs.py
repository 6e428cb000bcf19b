# SPDX-License-Identifier: GPL-2.0-or-later
"""The behaviour bugs of power-profiles-daemon 0.30, each with what is right."""

from boost_case import POLICY_DIR, variant
from profile_case import LegacyCase, ModernCase


class BugRows:

    def start(self, *args):
        self.start_eppd(*args, polkit=None)

    def test_bug_1_power_saver_that_is_emulated_by_balanced_stays_power_saver(self):
        self.add_platform('balanced performance')
        self.start()
        changes = self.record_changes()
        self.switch('power-saver')
        # Whatever the write's own news make eppd look at, it has been looked at by then.
        self.press_key('performance')
        self.wait_for_profile('performance')
        self.switch('power-saver')
        self.assertEqual(self.platform(), 'balanced')
        self.assertEqual(self.epp('policy1'), 'power')
        self.settle()
        self.assertEqual([changed['ActiveProfile'] for changed in changes.take_of(self.face)],
                         ['power-saver', 'performance', 'power-saver'])
        self.assertEqual(self.profile(), 'power-saver')

    def test_bug_2_a_saved_power_saver_survives_a_restart_and_a_hold(self):
        self.start()
        self.switch('power-saver')
        self.restart_eppd()
        self.assertEqual(self.profile(), 'power-saver')
        self.release_profile(self.hold_profile('performance'))
        self.assertEqual(self.profile(), 'power-saver')
        self.assertEqual(self.epp('policy1'), 'power')
        self.restart_eppd()
        self.assertEqual(self.profile(), 'power-saver')

    def test_bug_4_a_policy_that_is_missing_or_offline_is_skipped(self):
        self.make_tree('--cpus', '4')
        self.put(POLICY_DIR + 'policy1/affected_cpus', '\n')
        self.start()
        self.run_program(['rm', '-r', self.path(POLICY_DIR + 'policy2')])
        self.switch('power-saver')
        self.assertEqual([self.epp('policy0'), self.epp('policy1'), self.epp('policy3')],
                         ['power', 'balance_performance', 'power'])
        self.assertEqual(self.profile(), 'power-saver')

    def test_bug_4_a_policy_that_refuses_is_named_and_the_rest_taken_back(self):
        self.use_faults()
        self.make_tree('--cpus', '4')
        self.start()
        before = [self.policy_files(f'policy{i}') for i in range(4)]
        self.faults.set('policy2/energy_performance_preference', 'power')
        name, text = self.error_of(self.switch, 'power-saver')
        self.assertEqual(name, 'Failed')
        self.assertIn('policy2', text)
        self.assertEqual([self.policy_files(f'policy{i}') for i in range(4)], before)
        self.assertEqual(self.profile(), 'balanced')
        self.faults.clear()
        self.switch('power-saver')
        self.assertEqual([self.epp(f'policy{i}') for i in range(4)], ['power'] * 4)

    def test_bug_5_a_set_equal_to_what_a_hold_shows_counts(self):
        self.start()
        holder = self.connect()
        released = self.record_releases(holder)
        cookie = self.hold_profile('performance', on=holder)
        changes = self.record_changes()
        self.switch('performance')
        self.settle(holder)
        self.assertEqual(released, [(self.face, cookie)])
        self.assertEqual(changes.take_of(self.face), [{'ActiveProfileHolds': []}])
        self.leave(holder)
        self.settle()
        self.assertEqual(self.profile(), 'performance')
        self.restart_eppd()
        self.assertEqual(self.profile(), 'performance')

    def test_bug_6_newer_platform_profiles_are_known(self):
        self.add_platform('low-power balanced balanced-performance performance max-power')
        self.start()
        for text, profile in (('max-power', 'performance'), ('low-power', 'power-saver'),
                              ('balanced-performance', 'balanced'), ('max-power', 'performance')):
            with self.subTest(text=text):
                self.press_key(text)
                self.wait_for_profile(profile)
                self.assertEqual(self.platform(), text)
        self.assert_not_logged('(?i)warning|critical')

    def test_bug_8_a_boost_file_that_refuses_is_no_obstacle(self):
        self.use_faults()
        self.start()
        for name in ('boost', 'scaling_min_freq'):
            self.faults.set(f'policy1/{name}', errno='EINVAL')
        self.switch('power-saver')
        self.assertEqual(self.profile(), 'power-saver')
        self.assertEqual(self.policy_files('policy0'), ('powersave', 'power', '0', '400000'))
        self.assertEqual(self.policy_files('policy1'), ('powersave', 'power', '1', '1700000'))
        for what in ('core boost', 'frequency floor'):
            self.assertRegex(self.log(), f'(?m)^warning: policy1: {what} not set: ')
        self.switch('performance')
        self.assertEqual(self.policy_files('policy1')[:2], ('performance', 'performance'))


class ModernBugs(BugRows, ModernCase):

    def test_bug_3_battery_aware_is_saved_at_once(self):
        self.start()
        for value, text in ((False, 'false'), (True, 'true')):
            self.assign('BatteryAware', variant('b', value))
            self.assertEqual(self.state_file()['State']['BatteryAware'], text)
        self.assign('BatteryAware', variant('b', False))
        self.kill_eppd()
        self.start()
        self.assertEqual(self.value('BatteryAware'), False)

    def test_bug_3_an_action_s_switch_is_saved_at_once(self):
        self.start()
        for value, text in ((False, 'false'), (True, 'true')):
            self.ask('SetActionEnabled', '(sb)', 'trickle_charge', value)
            self.assertEqual(self.state_file()['Actions']['trickle_charge'], text)
        self.ask('SetActionEnabled', '(sb)', 'trickle_charge', False)
        self.kill_eppd()
        self.start()
        self.assertNotIn('trickle_charge', self.value('Actions'))


class LegacyBugs(BugRows, LegacyCase):
    """The third is about what the old interface does not have."""
