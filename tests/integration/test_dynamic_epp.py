# SPDX-License-Identifier: GPL-2.0-or-later
"""The kernel's own dynamic EPP: left alone, or taken over, whenever it comes and goes."""

import os

import gi

from boost_case import BASE, BOOST, DYNAMIC_EPP, Load, POLICY_DIR, PolicyTestCase

MANAGED = 'dynamic(profile:balance_performance)'


class DynamicEpp(PolicyTestCase):

    def start_with(self, value='enabled', config=''):
        self.make_tree('--cpus', '2', '--epp', 'balance_power')
        self.put(DYNAMIC_EPP, value + '\n')
        self.write_config(config)
        self.start_busy()

    def test_it_is_not_fought(self):
        self.make_tree('--cpus', '2', '--epp', 'balance_power')
        written_ns = self.written_ns('policy1')
        self.put(DYNAMIC_EPP, 'enabled\n')
        self.start_busy()
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('kernel dynamic EPP', self.get('BoostReason'))
        self.apply('power-saver')
        self.assertEqual(self.written_ns('policy1'), written_ns)
        self.stop_eppd()
        self.assertEqual(self.written_ns('policy1'), written_ns)
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_nor_is_that_of_each_policy(self):
        self.make_tree()
        self.set_epp('policy1', 'dynamic(profile:balance_performance)')
        written_ns = self.written_ns('policy1')
        self.start_busy()
        self.arm()
        self.wait_for_statistics(busy_edges=1)
        self.assertIn("not on 1 of 2 policies, which the kernel's dynamic EPP manages",
                      self.get('BoostReason'))
        self.assertEqual(self.epp('policy0'), BASE)
        self.assertEqual(self.written_ns('policy1'), written_ns)

    def test_take_over_and_back(self):
        self.start_with(config='[Kernel]\nDynamicEpp=take-over\n')
        self.assertEqual(self.line(DYNAMIC_EPP), 'disabled')
        self.assertEqual(self.epp('policy1'), BASE)
        self.boost()
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_back_when_the_configuration_no_longer_says_so(self):
        self.start_with(config='[Kernel]\nDynamicEpp=take-over\n')
        self.write_config('')
        self.call('Reload')
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_back_after_a_crash(self):
        self.start_with(config='[Kernel]\nDynamicEpp=take-over\n')
        self.boost()
        self.kill_eppd()
        self.assertIn('2 restored', self.restore())
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.line(DYNAMIC_EPP), 'enabled')

    def test_off_is_no_obstacle(self):
        self.start_with('disabled')
        self.boost()
        self.assertEqual(self.line(DYNAMIC_EPP), 'disabled')

    def test_the_profile_is_applied_once_it_goes_off(self):
        self.start_with()
        self.hold()
        self.wait_for_state('blocked')
        self.assertEqual(self.epp('policy0'), 'balance_power')
        self.write(DYNAMIC_EPP, 'disabled\n')
        self.wait_for_epp('policy0', BASE)
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_the_profile_is_applied_if_it_went_off_while_nobody_held_the_boost(self):
        self.start_with()
        self.write(DYNAMIC_EPP, 'disabled\n')
        cookie = self.boost()
        self.assertEqual(self.epp('policy0'), BASE)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_taken_over_also_if_it_comes_on_while_nobody_holds_the_boost(self):
        self.start_with('disabled', config='[Kernel]\nDynamicEpp=take-over\n')
        self.write(DYNAMIC_EPP, 'enabled\n')
        self.boost()
        self.assertEqual(self.line(DYNAMIC_EPP), 'disabled')

    def test_taken_over_again_if_another_program_switches_it_on(self):
        self.start_with('disabled', config='[Kernel]\nDynamicEpp=take-over\n')
        self.boost()
        self.write(DYNAMIC_EPP, 'enabled\n')
        self.wait_for(lambda: self.line(DYNAMIC_EPP) == 'disabled', 'the take-over')
        self.wait_for_epp('policy1', BOOST)

    def test_what_else_goes_with_a_profile_is_left_alone_too(self):
        self.make_tree()
        self.put(DYNAMIC_EPP, 'enabled\n')
        found = {'scaling_governor': 'schedutil', 'boost': '7', 'scaling_min_freq': '123456'}
        for name, text in found.items():
            self.put(f'{POLICY_DIR}policy1/{name}', text + '\n')
        self.start_busy()
        self.apply('power-saver')
        self.assertEqual({name: self.policy_file(name) for name in found}, found)


class ManagedPolicies(PolicyTestCase):
    """No global file: a policy is dynamic by what its EPP file reads."""

    def make_managed(self, policies=('policy0', 'policy1')):
        for policy in policies:
            self.set_epp(policy, MANAGED)

    def wait_for_governor(self, governor):
        self.wait_for(lambda: self.policies()['policy1']['governor'] == governor,
                      f'the look at the governor {governor}')

    def make_power_supply(self):
        """A device of umockdev's, and what tells of its changes."""
        gi.require_version('UMockdev', '1.0')
        from gi.repository import UMockdev
        testbed = UMockdev.Testbed.new()
        self.env['UMOCKDEV_DIR'] = testbed.get_root_dir()
        supply = testbed.add_device('power_supply', 'AC', None, ['type', 'Mains', 'online', '1'],
                                    [])
        self.make_tree('--cpus', '2', '--battery')
        return supply, testbed.uevent

    def test_nothing_is_written_when_the_governor_leaves_performance(self):
        self.start_busy(loads=[Load(0, 0, 300_000)])
        self.boost('policy0')
        self.make_managed()
        self.set_governor('policy1', 'performance')
        self.wait_for_governor('performance')
        self.wait_for_state('blocked')
        self.set_governor('policy1', 'powersave')
        self.wait_for_governor('powersave')
        self.assertEqual(self.epp('policy1'), MANAGED)

    def test_nothing_is_written_when_a_refused_restore_is_tried_again(self):
        self.use_faults()
        self.start_busy()
        cookie = self.boost()
        self.faults.set('policy1/', errno='EBUSY')
        self.set_governor('policy1', 'performance')
        self.wait_for_governor('performance')
        self.call('ReleaseBoost', cookie)
        self.wait_for_statistics(restores_pending=1)
        self.make_managed()
        self.faults.clear()
        self.set_governor('policy1', 'powersave')
        self.wait_for(lambda: self.call('GetStatistics')['restores-pending'] == 0, 'no more restore')
        self.assertEqual(self.epp('policy1'), MANAGED)

    def test_nothing_is_written_when_the_power_source_changes(self):
        if 'umockdev' not in os.environ.get('LD_PRELOAD', ''):
            self.skipTest('machine lacks: umockdev, under which this test runs')
        supply, uevent = self.make_power_supply()
        self.start_eppd('--residency', 'procstat')
        self.assertEqual(self.get('PowerSource'), 'ac')
        self.make_managed()
        self.set_ac(0)
        uevent(supply, 'change')
        self.wait_for(lambda: self.get('PowerSource') == 'battery', 'the look at the power source')
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], [MANAGED] * 2)
