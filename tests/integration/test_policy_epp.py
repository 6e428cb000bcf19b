# SPDX-License-Identifier: GPL-2.0-or-later
"""Profile, power source and table to EPP, and what else goes with a profile."""

import os

from boost_case import BASE, BOOST, KERNEL_BOOST, POLICY_DIR, PolicyTestCase, variant

PROFILES = ('power-saver', 'balanced', 'performance')
CHOICES = 'energy_performance_available_preferences'

# By profile: on AC, on battery.
PPD = {'power-saver': ('power', 'power'),
       'balanced': ('balance_performance', 'balance_power'),
       'performance': ('performance', 'performance')}
KERNEL_TABLE = {'power-saver': ('power', 'power'),
                'balanced': ('performance', 'balance_performance'),
                'performance': ('performance', 'performance')}


class Tables(PolicyTestCase):

    def check_table(self, table):
        for profile in PROFILES:
            for source, online in (('ac', 1), ('battery', 0)):
                with self.subTest(profile=profile, source=source):
                    self.set_ac(online)
                    self.apply(profile)
                    self.assertEqual(self.get('ActiveProfile'), profile)
                    self.assertEqual(self.get('PowerSource'), source)
                    self.assertEqual([self.epp('policy0'), self.epp('policy1')],
                                     [table[profile][source == 'battery']] * 2)

    def test_ppd(self):
        self.make_tree('--cpus', '2', '--battery')
        self.start_eppd('--residency', 'procstat')
        self.check_table(PPD)

    def test_dynamic_epp(self):
        self.make_tree('--cpus', '2', '--battery')
        self.write_config('[Policy]\nTable=dynamic-epp\n')
        self.start_eppd('--residency', 'procstat')
        self.check_table(KERNEL_TABLE)

    def test_custom_and_what_it_leaves_out(self):
        self.make_tree('--cpus', '2', '--battery')
        self.write_config('[Policy]\nTable=custom\nPowerSaverAC=balance_power\n'
                          'BalancedBattery=default\n')
        self.start_eppd('--residency', 'procstat')
        self.check_table({**PPD, 'power-saver': ('balance_power', 'power'),
                          'balanced': ('balance_performance', 'default')})

    def check_number(self, expected, text='100'):
        self.write_config(f'[Policy]\nTable=custom\nBalancedAC={text}\n')
        self.start_eppd('--residency', 'procstat')
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], [expected] * 2)
        self.assertEqual(self.policies()['policy1']['base'], expected)

    def test_a_number_where_the_driver_takes_numbers(self):
        self.check_number('100')

    def test_a_hexadecimal_number(self):
        self.check_number('100', '0x64')

    def test_a_number_for_intel_pstate(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.check_number('100')

    def test_a_number_where_the_driver_takes_names_alone_becomes_the_nearest_and_is_said_once(self):
        self.make_tree()
        for number in (0, 1):
            self.put(f'{POLICY_DIR}policy{number}/{CHOICES}',
                     'default performance balance_performance balance_power power\n')
        self.check_number('balance_performance')
        for _ in range(3):
            self.call('Reload')
        for policy in ('policy0', 'policy1'):
            self.assertEqual(self.log().count(f'{policy}: its driver does not take EPP 100'), 1)

    def test_a_raw_base_comes_back_after_a_boost(self):
        self.write_config('[Policy]\nTable=custom\nBalancedAC=100\n')
        self.start_busy()
        self.call('ReleaseBoost', self.boost())
        self.assertEqual(self.epp('policy1'), '100')

    def test_a_raw_boost_value(self):
        self.write_config('[Boost]\nEpp=16\n')
        self.start_busy()
        cookie = self.arm()
        self.wait_for_epp('policy1', '16')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_default_profile_is_for_where_none_was_saved(self):
        self.write_config('[Policy]\nDefaultProfile=power-saver\n')
        self.start_eppd()
        self.assertEqual(self.epp('policy1'), 'power')
        self.apply('balanced')
        self.assertEqual(self.epp('policy1'), BASE)

    def test_a_bad_state_is_the_default_and_said_with_its_line(self):
        self.set_profile('turbo')
        self.start_eppd()
        self.assertEqual(self.get('ActiveProfile'), 'balanced')
        self.assertRegex(self.log(), r'state.ini:2: \[State\] Profile=turbo: expected')


class WhatGoesWithIt(PolicyTestCase):

    def test_governor_core_boost_and_frequency_floor(self):
        self.start_eppd('--residency', 'procstat')
        for profile, governor, core_boost, floor in (
                ('power-saver', 'powersave', '0', '400000'),
                ('balanced', 'powersave', '1', '1700000'),
                ('performance', 'performance', '1', '1700000'),
                ('power-saver', 'powersave', '0', '400000')):
            with self.subTest(profile=profile):
                self.apply(profile)
                for policy in ('policy0', 'policy1'):
                    self.assertEqual([self.policy_file(name, policy) for name in
                                      ('scaling_governor', 'boost', 'scaling_min_freq')],
                                     [governor, core_boost, floor])

    def test_each_of_them_can_be_turned_off(self):
        files = {'Governor': 'scaling_governor', 'CoreBoost': 'boost',
                 'FrequencyFloor': 'scaling_min_freq'}
        self.make_tree()
        found = {'scaling_governor': 'schedutil', 'boost': '7', 'scaling_min_freq': '123456'}
        self.start_eppd('--residency', 'procstat')
        for key, name in files.items():
            with self.subTest(key=key):
                self.write_config(f'[Policy]\n{key}=false\n')
                self.call('Reload')
                for other, text in found.items():
                    self.write(f'{POLICY_DIR}policy1/{other}', text + '\n')
                self.apply('power-saver')
                for other, text in found.items():
                    self.assertEqual(self.policy_file(other) == text, other == name,
                                     other)

    def test_a_driver_without_these_files_gets_its_epp(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.start_eppd('--residency', 'procstat')
        self.apply('power-saver')
        self.assertEqual(self.epp('policy1'), 'power')


class BoostAndProfile(PolicyTestCase):

    def test_power_saver_suppresses(self):
        self.set_profile('power-saver')
        self.start_busy()
        self.hold()
        self.wait_for_state('suppressed')
        self.assertIn('power-saver', self.get('BoostReason'))
        self.assertEqual(self.epp('policy1'), 'power')
        self.apply('balanced')
        self.wait_for_epp('policy1', BOOST)

    def test_power_saver_in_the_middle_of_a_boost_ends_it(self):
        self.start_busy()
        self.boost()
        self.apply('power-saver')
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertEqual(self.get('BoostState'), 'suppressed')

    def test_suppressin_may_be_empty(self):
        self.set_profile('power-saver')
        self.write_config('[Boost]\nSuppressIn=\n')
        self.start_busy()
        cookie = self.boost()
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'power')

    def test_onbattery_false(self):
        self.make_tree('--cpus', '2', '--battery')
        self.set_ac(0)
        self.write_config('[Boost]\nOnBattery=false\n')
        self.start_busy()
        self.hold()
        self.wait_for_state('suppressed')
        self.assertIn('battery', self.get('BoostReason'))
        self.set_ac(1)
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)

    def test_performance_has_nothing_to_boost(self):
        for config, reason in (('', 'governor is performance on every policy'),
                               ('[Policy]\nGovernor=false\n',
                                'profile performance already gives every core EPP performance')):
            with self.subTest(config=config):
                self.set_profile('performance')
                self.write_config(config)
                self.make_tree()
                self.start_busy()
                self.hold()
                self.wait_for_state('blocked')
                self.assertIn(reason, self.get('BoostReason'))
                self.assertEqual(self.call('GetStatistics')['arms'], 0)
                self.stop_eppd()

    def test_an_offline_policy_is_skipped_without_an_error(self):
        self.make_tree()
        self.put(POLICY_DIR + 'policy1/affected_cpus', '\n')
        written_ns = self.written_ns('policy1')
        self.start_eppd('--residency', 'procstat')
        self.apply('power-saver')
        self.assertEqual(self.epp('policy0'), 'power')
        self.assertEqual(self.written_ns('policy1'), written_ns)
        self.assert_not_logged('^warning')
        self.assertIn('offline', self.policies()['policy1']['why'])

    def test_one_that_refuses_at_the_start_is_named_and_the_others_go_on(self):
        self.make_tree()
        self.set_profile('power-saver')
        allow = self.refuse_writes(self.epp_path('policy0'))
        self.start_eppd('--residency', 'procstat')
        self.assertEqual(self.epp('policy0'), BASE)
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertRegex(self.log(), '(?m)^warning: policy0: .*; ignoring, the others go on')
        allow()
        self.wait_for_epp('policy0', 'power')


class KernelBoost(PolicyTestCase):
    """The parameter epp_boost."""

    def start_with(self, value, config=''):
        self.make_tree()
        self.put(KERNEL_BOOST, value + '\n')
        self.write_config(config)
        self.start_busy()

    def assert_parameter(self, value):
        self.assertEqual(self.line(KERNEL_BOOST), value)

    def test_it_does_it_where_it_means_the_same(self):
        self.start_with('N')
        self.assert_parameter('N')
        cookie = self.hold()
        self.wait_for_state('kernel')
        self.assertIn("kernel's own epp_boost", self.get('BoostReason'))
        self.assert_parameter('Y')
        self.assertEqual(self.call('GetStatistics')['arms'], 0)
        self.call('ReleaseBoost', cookie)
        self.wait_for_state('idle')
        self.assert_parameter('N')

    def test_a_parameter_that_cannot_be_written_leaves_it_to_us(self):
        self.use_faults()
        self.faults.set(KERNEL_BOOST, errno='EPERM')
        self.start_with('N')
        cookie = self.boost()
        self.assert_parameter('N')
        self.assertRegex(self.log(), '(?m)^warning: kernel: .*epp_boost not set to Y')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_put_back_at_the_end(self):
        self.start_with('N')
        self.hold()
        self.wait_for_state('kernel')
        self.assert_parameter('Y')
        self.stop_eppd()
        self.assert_parameter('N')

    def test_put_back_after_a_crash_by_restore(self):
        self.start_with('N')
        self.hold()
        self.wait_for_state('kernel')
        self.kill_eppd()
        self.assert_parameter('Y')
        self.assertIn('1 restored', self.restore())
        self.assert_parameter('N')

    def test_put_back_after_a_crash_by_the_next_start(self):
        self.start_with('N')
        self.hold()
        self.wait_for_state('kernel')
        self.kill_eppd()
        self.start_eppd(*self.daemon_args)
        self.call('GetStatistics')
        self.assert_parameter('N')

    def test_another_value_at_a_crash_is_left_alone(self):
        self.start_with('Y', '[Boost]\nBackend=user\n')
        self.boost()
        self.assert_parameter('N')
        self.kill_eppd()
        self.put(KERNEL_BOOST, 'Y\n')
        self.restore()
        self.assert_parameter('Y')

    def test_on_before_us_stays_on(self):
        self.start_with('Y')
        cookie = self.hold()
        self.wait_for_state('kernel')
        self.call('ReleaseBoost', cookie)
        self.wait_for_state('idle')
        self.assert_parameter('Y')

    def test_off_while_we_boost_where_it_means_something_else(self):
        obstacles = {'ThresholdPercent=60': None, 'HoldMs=400': None, 'SampleMs=20': None,
                     'Siblings=true': None, 'Epp=0': '0', 'Backend=user': None}
        self.start_with('Y')
        for key, boost_value in obstacles.items():
            with self.subTest(key=key):
                self.write_config(f'[Boost]\n{key}\n')
                self.call('Reload')
                cookie = self.arm()
                self.assert_parameter('N')
                self.wait_for_epp('policy1', boost_value or BOOST)
                self.call('ReleaseBoost', cookie)
                self.assertEqual(self.epp('policy1'), BASE)
                self.assert_parameter('Y')

    def test_a_hold_with_a_threshold_of_its_own_is_for_us(self):
        self.start_with('Y')
        first = self.hold()
        self.wait_for_state('kernel')
        second = self.hold(threshold_percent=variant('u', 30))
        self.wait_for_state('armed')
        self.assert_parameter('N')
        self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', second)
        self.wait_for_state('kernel')
        self.assert_parameter('Y')
        self.assertEqual(self.epp('policy1'), BASE)
        self.call('ReleaseBoost', first)

    def test_without_cppc_it_would_silently_do_nothing(self):
        self.make_tree()
        self.put('/proc/cpuinfo', 'flags\t\t: fpu tsc msr aperfmperf\n')
        self.put(KERNEL_BOOST, 'N\n')
        self.start_busy()
        self.boost()
        self.assert_parameter('N')

    def test_backend_kernel_without_it_is_blocked(self):
        self.write_config('[Boost]\nBackend=kernel\n')
        self.start_busy()
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('no epp_boost parameter', self.get('BoostReason'))
        self.assertFalse(os.path.exists(self.path(KERNEL_BOOST)))
