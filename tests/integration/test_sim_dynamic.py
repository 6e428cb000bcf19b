# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own dynamic EPP in both ABIs: not fought, or taken over and given back."""

from boost_case import DYNAMIC_EPP, POLICY_DIR, POWER_PROFILES, POWER_PROFILES_PATH
from sim_load_case import BASE, BOOST, POLICIES, SimLoadCase

TAKE_OVER = '[Kernel]\nDynamicEpp=take-over\n'


class GlobalSwitch(SimLoadCase):
    """7.1 and 7.2: a file for all, which makes the driver anew."""

    sim_args = ('--cpus', '4', '--kernel', '7.1')

    def start_with(self, value, config=''):
        self.make_tree()
        if value == 'enabled':
            self.write(DYNAMIC_EPP, value)
        self.start_loaded(config=config)

    def global_writes(self):
        return [write.text for write in self.sim.writes(DYNAMIC_EPP, pid=self.daemon.pid)]

    def test_it_is_not_fought(self):
        self.start_with('enabled')
        self.hold()
        self.assert_told('blocked', 'kernel dynamic EPP', "The kernel's dynamic EPP manages it")
        self.apply('power-saver')
        self.stop_eppd()
        self.assertEqual(self.global_writes(), [])

    def test_switched_on_in_the_middle_of_a_boost(self):
        self.start_with('disabled')
        self.boost()
        since = self.sim.mark()
        self.write(DYNAMIC_EPP, 'enabled')
        self.wait_for_state('blocked')
        self.wait_for(lambda: self.call('GetStatistics')['restores-pending'] == 0, 'no restore')
        self.assertEqual([text for text in self.epp_writes(since=since) if 'EBUSY' not in text], [])
        self.write(DYNAMIC_EPP, 'disabled')
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_the_profile_is_set_when_it_goes_off_though_nobody_holds_the_boost(self):
        self.start_with('enabled')
        self.write(DYNAMIC_EPP, 'disabled')
        self.wait_for_epps()

    def test_taken_over_from_the_start_and_given_back(self):
        self.start_with('enabled', TAKE_OVER)
        self.wait_for_epps()
        self.boost()
        self.stop_eppd()
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')
        self.assertEqual(self.global_writes(), ['disabled', 'enabled'])

    def test_taken_over_and_given_back_after_a_kill(self):
        self.start_with('enabled', TAKE_OVER)
        self.boost()
        self.kill_eppd()
        self.restore()
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_taken_over_once(self):
        self.start_with('enabled', TAKE_OVER)
        self.boost()
        self.write(DYNAMIC_EPP, 'enabled')
        self.wait_for_state('blocked')
        self.assertIn('another program switched it on again', self.get('BoostReason'))
        self.write(DYNAMIC_EPP, 'disabled')
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.global_writes(), ['disabled'])

    def test_taken_over_again_by_reload(self):
        self.start_with('enabled', TAKE_OVER)
        self.hold()
        self.write(DYNAMIC_EPP, 'enabled')
        self.wait_for_state('blocked')
        self.call('Reload')
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.line(DYNAMIC_EPP), 'disabled')


class EachPolicy(SimLoadCase):
    """7.3 and later: a policy is dynamic by what was written to it, and no longer by any other write."""

    sim_args = ('--cpus', '4', '--kernel', '7.3')

    def is_dynamic(self, policy):
        return self.epp(policy).startswith('dynamic')

    def make_dynamic(self, *policies):
        for policy in policies or POLICIES:
            self.set_epp(policy, 'dynamic')

    def start_dynamic(self, *policies, config=''):
        self.make_tree()
        self.make_dynamic(*policies)
        self.start_loaded(config=config)

    def test_none_is_written_where_all_are(self):
        self.start_dynamic()
        self.hold()
        self.assert_told('blocked', 'kernel dynamic EPP', "The kernel's dynamic EPP manages it")
        self.apply('power-saver')
        self.stop_eppd()
        self.assertEqual([self.epp_writes(policy) for policy in POLICIES], [[]] * 4)

    def test_nothing_else_of_a_profile_is_written_to_it(self):
        self.start_dynamic('policy1')
        self.apply('power-saver')
        for policy, is_written in (('policy0', True), ('policy1', False)):
            self.assertEqual(self.sim.writes(f'{POLICY_DIR}{policy}/*', pid=self.daemon.pid) != [],
                             is_written, policy)

    def test_the_others_are_boosted(self):
        self.start_dynamic('policy1')
        self.arm()
        self.assert_told('armed', "not on 1 of 4 policies, which the kernel's dynamic EPP manages",
                         "The kernel's dynamic EPP manages it")
        self.load.set(2, 100)
        self.wait_for_epp('policy2', BOOST)
        self.wait_for_statistics(busy_edges=2)
        self.assertTrue(self.is_dynamic('policy1'))
        self.assertEqual(self.epp_writes('policy1'), [])
        self.assertEqual((self.epp('policy0'), self.epp('policy3')), (BASE, BASE))

    def test_one_that_turns_dynamic_between_two_looks(self):
        self.start_loaded()
        self.arm()
        self.wait_for_epp('policy1', BOOST)
        self.make_dynamic('policy2')
        since = self.sim.mark()
        self.load.set(2, 100)
        self.wait_for_reason("not on 1 of 4 policies, which the kernel's dynamic EPP manages")
        self.apply('performance')
        self.assertTrue(self.is_dynamic('policy2'))
        self.assertEqual(self.sim.writes(f'{POLICY_DIR}policy2/*', since=since, pid=self.daemon.pid),
                         [])

    def test_one_that_turns_dynamic_in_the_middle_of_a_boost(self):
        self.start_loaded()
        self.boost()
        self.make_dynamic('policy1')
        since = self.sim.mark()
        self.load.set(1, 0)
        self.wait_for_statistics(idle_edges=1)
        self.assertTrue(self.is_dynamic('policy1'))
        self.assertEqual(self.epp_writes(since=since), [])
        self.assertFalse(self.policies()['policy1']['boosted'])

    def test_taken_over_and_given_back(self):
        self.start_dynamic('policy1', 'policy2', config=TAKE_OVER)
        self.wait_for_epps()
        self.boost()
        self.stop_eppd()
        self.assertEqual([self.is_dynamic(policy) for policy in POLICIES], [False, True, True, False])
        self.assertEqual((self.epp('policy0'), self.epp('policy3')), (BASE, BASE))

    def test_given_back_after_a_kill(self):
        self.start_dynamic('policy1', 'policy2', config=TAKE_OVER)
        self.boost()
        self.kill_eppd()
        self.restore()
        self.assertEqual([self.is_dynamic(policy) for policy in POLICIES], [False, True, True, False])

    def test_given_back_when_the_configuration_no_longer_says_so(self):
        self.start_dynamic('policy1', config=TAKE_OVER)
        self.wait_for_epps()
        self.write_config('')
        self.call('Reload')
        self.assertTrue(self.is_dynamic('policy1'))
        self.assertFalse(self.is_dynamic('policy0'))

    def test_the_platform_profile_that_goes_with_it_is_no_failure(self):
        self.start_dynamic(config=TAKE_OVER)
        self.wait_for_log('no longer offers')
        self.assert_not_logged('^warning: platform')

    def test_another_s_static_value_is_not_given_back(self):
        self.start_dynamic('policy1', config=TAKE_OVER)
        self.wait_for_epps()
        # The kernel's platform profile goes with its dynamic EPP, and the profile is set again then.
        self.wait_for(lambda: all(profile.get('PlatformDriver', 'placeholder') == 'placeholder'
                                  for profile in self.get('Profiles', POWER_PROFILES, POWER_PROFILES_PATH)),
                      'the end of the platform profile')
        self.set_epp('policy1', 'power')
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), 'power')

    def test_taken_over_when_it_turns_dynamic_later(self):
        self.start_loaded(config=TAKE_OVER)
        self.arm()
        self.make_dynamic('policy2')
        self.load.set(2, 100)
        self.wait_for_epp('policy2', BOOST)
        self.stop_eppd()
        self.assertTrue(self.is_dynamic('policy2'))
