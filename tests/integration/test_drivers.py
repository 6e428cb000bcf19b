# SPDX-License-Identifier: GPL-2.0-or-later
"""What each CPU driver's files become of a profile: amd_pstate, intel_pstate, none."""

import contextlib
import os
import signal

from boost_case import POLICY_DIR
from profile_case import CHOICES, PROFILES, ProfileCase

AMD_STATUS = '/sys/devices/system/cpu/amd_pstate/status'
INTEL_STATUS = '/sys/devices/system/cpu/intel_pstate/status'
EPP = 'energy_performance_preference'
DYNAMIC_EPP = '/sys/devices/system/cpu/amd_pstate/dynamic_epp'

# Governor, EPP, boost, min freq: on AC, on battery.
AMD = {'power-saver': (('powersave', 'power', '0', '400000'),) * 2,
       'balanced': (('powersave', 'balance_performance', '1', '1700000'),
                    ('powersave', 'balance_power', '1', '1700000')),
       'performance': (('performance', 'performance', '1', '1700000'),) * 2}
EPB = {'power-saver': ('15', '15'), 'balanced': ('6', '8'), 'performance': ('0', '0')}
NO_BOOST_FILE = None


class DriverCase(ProfileCase):

    tree_args = ('--cpus', '2', '--battery')

    @contextlib.contextmanager
    def at_once(self):
        """A kernel changes all its files in one go: eppd, which watches some, stands still meanwhile."""
        if self.daemon:
            self.daemon.send(signal.SIGSTOP)
        try:
            yield
        finally:
            if self.daemon:
                self.daemon.send(signal.SIGCONT)

    def set_source(self, source):
        """Seen at once, as after a resume."""
        self.set_ac(int(source == 'ac'))
        self.call('Reload')
        self.assertEqual(self.get('PowerSource'), source)

    def check_each(self, expected, read):
        """@expected[profile]: (on AC, on battery), of what @read() tells."""
        for index, source in enumerate(('ac', 'battery', 'ac')):
            self.set_source(source)
            for profile in (*PROFILES, *reversed(PROFILES)):
                with self.subTest(source=source, profile=profile):
                    self.switch(profile)
                    self.assertEqual(read(), expected[profile][index % 2])

    def files_of_all(self):
        first, second = self.policy_files('policy0'), self.policy_files('policy1')
        self.assertEqual(first, second)
        return first

    def written(self):
        """(policy, file, value) of what was written to the policies so far, in order."""
        entries = []
        for path, value, _error in self.faults.log():
            directory, name = os.path.split(path)
            if POLICY_DIR.rstrip('/') in directory:
                entries.append((os.path.basename(directory), name, value))
        return entries


class AmdPstate(DriverCase):

    def test_what_each_profile_sets(self):
        self.start_eppd(polkit=None)
        self.check_each(AMD, self.files_of_all)

    def test_the_order_of_the_writes(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        before = len(self.written())
        self.switch('performance')
        self.assertEqual(self.written()[before:], [
            (policy, name, value) for policy in ('policy0', 'policy1') for name, value in
            (('scaling_governor', 'performance'), (EPP, 'performance'), ('boost', '1'),
             ('scaling_min_freq', '1700000'))])

    def test_what_is_right_already_is_not_written(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        before = len(self.written())
        self.switch('balanced')
        self.call('Reload')
        self.assertEqual(self.written()[before:], [])

    def test_without_a_boost_file(self):
        self.make_tree()
        os.unlink(self.path(f'{POLICY_DIR}policy1/boost'))
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.assertEqual(self.policy_files('policy1'),
                         ('powersave', 'power', NO_BOOST_FILE, '400000'))
        self.assert_not_logged('^warning')

    def test_the_start_applies_the_profile(self):
        self.make_tree('--cpus', '2', '--epp', 'power')
        self.start_eppd(polkit=None)
        self.assertEqual(self.files_of_all(), AMD['balanced'][0])

    def test_passive_has_no_driver_and_nothing_is_written(self):
        self.make_tree()
        self.make_passive()
        found = [self.policy_files('policy0'), self.policy_files('policy1')]
        self.start_eppd(polkit=None)
        self.assertEqual([profile.get('CpuDriver') for profile in self.value('Profiles')],
                         [None] * 2)
        self.switch('power-saver')
        self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1')], found)

    def make_passive(self):
        with self.at_once():
            self.put(AMD_STATUS, 'passive\n')
            for policy in ('policy0', 'policy1'):
                self.put(f'{POLICY_DIR}{policy}/scaling_driver', 'amd-pstate\n')
                self.put(f'{POLICY_DIR}{policy}/scaling_governor', 'schedutil\n')
                os.unlink(self.path(self.epp_path(policy)))

    def make_active(self):
        with self.at_once():
            for policy in ('policy0', 'policy1'):
                self.put(f'{POLICY_DIR}{policy}/scaling_driver', 'amd-pstate-epp\n')
                self.put(f'{POLICY_DIR}{policy}/scaling_governor', 'powersave\n')
                self.put(self.epp_path(policy), 'balance_performance\n')
            self.put(AMD_STATUS, 'active\n')

    def test_a_change_of_the_mode_is_noticed_by_the_next_switch(self):
        self.start_eppd(polkit=None)
        self.switch('performance')
        self.make_passive()
        self.switch('power-saver')
        self.assertEqual(self.policy_files()[:2], ('schedutil', None))
        self.wait_for(lambda: [profile.get('CpuDriver') for profile in self.value('Profiles')]
                      == [None] * 2, 'the driver to be gone')
        self.assertEqual(self.profile(), 'power-saver')
        self.make_active()
        self.switch('power-saver')
        self.assertEqual(self.policy_files(), AMD['power-saver'][0])
        self.wait_for(lambda: len(self.value('Profiles')) == 3, 'the driver to be back')

    def test_the_tables(self):
        tables = {'dynamic-epp': {'power-saver': ('power', 'power'),
                                  'balanced': ('performance', 'balance_performance'),
                                  'performance': ('performance', 'performance')},
                  'custom\nPowerSaverAC=balance_power\nBalancedBattery=default\n'
                  'PerformanceAC=balance_performance':
                  {'power-saver': ('balance_power', 'power'),
                   'balanced': ('balance_performance', 'default'),
                   'performance': ('balance_performance', 'performance')}}
        self.start_eppd(polkit=None)
        for table, expected in tables.items():
            # Under the governor performance no kernel takes another EPP.
            self.write_config(f'[Policy]\nTable={table}\nGovernor=false\n')
            self.call('Reload')
            self.check_each(expected, lambda: self.files_of_all()[1])

    def test_a_policy_that_refuses_names_itself_and_all_is_taken_back(self):
        self.use_faults()
        self.make_tree('--cpus', '4')
        self.start_eppd(polkit=None)
        self.switch('performance')
        before = [self.policy_files(f'policy{i}') for i in range(4)]
        for errno in ('EIO', 'EBUSY', 'EINVAL', 'EPERM'):
            with self.subTest(errno=errno):
                self.faults.clear()
                self.faults.set(f'policy2/{EPP}', 'power', errno=errno)
                name, text = self.error_of(self.switch, 'power-saver')
                self.assertEqual(name, 'Failed')
                self.assertIn(f'policy2/{EPP}', text)
                self.assertEqual([self.policy_files(f'policy{i}') for i in range(4)], before)
                self.assertEqual((self.profile(), self.state_file()['State']['Profile']),
                                 ('performance', 'performance'))

    def test_the_refusal_of_a_governor_is_no_obstacle(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        self.faults.set('policy1/scaling_governor', errno='EINVAL')
        self.switch('performance')
        self.assertEqual([self.policy_files(policy)[:2] for policy in ('policy0', 'policy1')],
                         [('performance', 'performance'), ('powersave', 'performance')])
        self.assertRegex(self.log(), '(?m)^warning: policy1: governor not set: ')

    def test_one_that_goes_offline_under_the_write_is_skipped(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        self.faults.set(f'policy1/{EPP}', errno='ENODEV')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.epp('policy0')), ('power-saver', 'power'))

    def test_an_offline_policy_gets_the_profile_when_it_comes_online(self):
        uevent = self.use_uevents('cpu', 'cpu1')
        self.make_tree()
        self.put(POLICY_DIR + 'policy1/affected_cpus', '\n')
        written_ns = self.written_ns('policy1')
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.assertEqual((self.epp('policy0'), self.written_ns('policy1')), ('power', written_ns))
        self.put(POLICY_DIR + 'policy1/affected_cpus', '1\n')
        uevent('online')
        self.wait_for_epp('policy1', 'power')
        self.wait_for(lambda: self.policy_files('policy1') == AMD['power-saver'][0],
                      'the rest of the profile')

    def test_a_policy_that_comes_anew_gets_the_profile(self):
        uevent = self.use_uevents('cpu', 'cpu1')
        self.make_tree()
        os.rename(self.path(POLICY_DIR + 'policy1'), self.path('away'))
        self.start_eppd(polkit=None)
        self.switch('performance')
        os.rename(self.path('away'), self.path(POLICY_DIR + 'policy1'))
        uevent('add')
        self.wait_for(lambda: self.policy_files('policy1') == AMD['performance'][0], 'the profile')

    def test_blocked_it_is_left_alone(self):
        self.make_tree()
        self.put(f'{POLICY_DIR}policy1/scaling_min_freq', '123456\n')
        found = [self.policy_files('policy0'), self.policy_files('policy1')]
        self.start_eppd('--block-driver', 'amd_pstate', polkit=None)
        self.assertEqual([(profile['Profile'], profile['Driver'])
                          for profile in self.value('Profiles')],
                         [('power-saver', 'placeholder'), ('balanced', 'placeholder')])
        self.switch('power-saver')
        self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1')], found)


class IntelPstate(DriverCase):

    tree_args = ('--cpus', '2', '--battery', '--driver', 'intel_pstate')

    def add_bias(self, value='6'):
        if not os.path.isdir(self.tree):
            self.make_tree()
        for cpu in range(2):
            self.put(self.bias_path(cpu), value + '\n')

    def bias_path(self, cpu):
        return f'/sys/devices/system/cpu/cpu{cpu}/power/energy_perf_bias'

    def biases(self):
        return [self.line(self.bias_path(cpu)) for cpu in range(2)]

    def bias_of_all(self):
        first, second = self.biases()
        self.assertEqual(first, second)
        return first

    def make_passive(self):
        """Also in passive mode such a CPU has EPP files."""
        with self.at_once():
            self.put(INTEL_STATUS, 'passive\n')
            for policy in ('policy0', 'policy1'):
                self.put(f'{POLICY_DIR}{policy}/scaling_driver', 'intel_cpufreq\n')
                self.put(f'{POLICY_DIR}{policy}/scaling_governor', 'schedutil\n')

    def test_epp_of_each_profile_and_the_governor_stays_powersave(self):
        self.start_eppd(polkit=None)
        self.check_each({profile: tuple(('powersave', files[1], None, '400000') for files in both)
                         for profile, both in AMD.items()}, self.files_of_all)

    def test_another_governor_is_replaced_when_it_takes_over(self):
        self.make_tree()
        self.set_governor('policy1', 'performance')
        self.start_eppd(polkit=None)
        self.assertEqual(self.policy_files()[:2], ('powersave', 'balance_performance'))

    def test_bias_of_each_profile(self):
        self.add_bias()
        self.start_eppd(polkit=None)
        self.check_each(EPB, self.bias_of_all)

    def test_bias_is_set_besides_epp(self):
        self.add_bias()
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.assertEqual((self.epp('policy1'), self.biases()), ('power', ['15', '15']))

    def test_passive_with_bias_sets_that_and_never_epp(self):
        self.add_bias()
        self.make_passive()
        found = [self.policy_files('policy0'), self.policy_files('policy1')]
        self.start_eppd(polkit=None)
        self.assertEqual([profile.get('CpuDriver') for profile in self.value('Profiles')],
                         ['intel_pstate'] * 3)
        for profile in PROFILES:
            self.switch(profile)
            self.assertEqual(self.bias_of_all(), EPB[profile][0])
        self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1')], found)

    def test_passive_without_bias_is_no_driver(self):
        self.make_tree()
        self.make_passive()
        self.start_eppd(polkit=None)
        self.assertEqual([profile.get('CpuDriver') for profile in self.value('Profiles')],
                         [None] * 2)

    def test_bias_of_any_driver_s_cpu(self):
        os.makedirs(self.tree)
        self.add_bias()
        self.start_eppd(polkit=None)
        self.switch('performance')
        self.assertEqual(self.bias_of_all(), '0')

    def test_a_bias_that_is_refused_fails_the_switch(self):
        self.use_faults()
        self.add_bias()
        self.start_eppd(polkit=None)
        self.faults.set('cpu1/power/energy_perf_bias', '15')
        name, text = self.error_of(self.switch, 'power-saver')
        self.assertEqual(name, 'Failed')
        self.assertIn('cpu1/power/energy_perf_bias', text)
        self.assertEqual((self.biases(), self.epp('policy1')), (['6', '6'], 'balance_performance'))
        self.assertEqual(self.profile(), 'balanced')

    def test_the_bias_of_an_offline_cpu_is_skipped(self):
        self.use_faults()
        self.add_bias()
        self.put('/sys/devices/system/cpu/cpu1/online', '0\n')
        self.start_eppd(polkit=None)
        self.faults.set('cpu1/power/energy_perf_bias')
        self.switch('power-saver')
        self.assertEqual(self.biases(), ['15', '6'])

    def test_blocked_it_is_left_alone(self):
        self.add_bias('7')
        found = [self.policy_files('policy0'), self.policy_files('policy1')]
        self.start_eppd('--block-driver', 'intel_pstate', polkit=None)
        self.switch('power-saver')
        self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1')], found)
        self.assertEqual(self.biases(), ['7', '7'])
        self.assertEqual([profile['Driver'] for profile in self.value('Profiles')],
                         ['placeholder'] * 2)


class Blocked(DriverCase):

    def test_an_unknown_driver_can_be_blocked(self):
        self.start_eppd('--block-driver', 'no_such_driver', polkit=None)
        self.assertEqual([profile['CpuDriver'] for profile in self.value('Profiles')],
                         ['amd_pstate'] * 3)

    def test_an_unknown_name_is_said_once_with_those_that_are_known(self):
        self.start_eppd('--block-driver', 'amd-pstate', '--block-driver', 'intel_pstate',
                        '--block-action', 'dpm', '--block-action', 'amdgpu_dpm', polkit=None)
        self.switch('power-saver')
        self.call('Reload')
        self.assertEqual([line for line in self.log().splitlines() if line.startswith('warning: ')], [
            'warning: eppd: --block-driver amd-pstate: there is no such name (known: amd_pstate, '
            'intel_pstate, platform_profile); ignoring it',
            'warning: eppd: --block-action dpm: there is no such name (known: trickle_charge, '
            'amdgpu_panel_power, amdgpu_dpm); ignoring it'])

    def test_all_of_them(self):
        self.add_platform()
        self.start_eppd('--block-driver', 'amd_pstate', '--block-driver', 'intel_pstate',
                        '--block-driver',
                        'platform_profile', polkit=None)
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.epp('policy1'), self.platform()),
                         ('power-saver', 'balance_performance', 'balanced'))

    def test_the_platform_alone(self):
        self.add_platform()
        self.start_eppd('--block-driver', 'platform_profile', polkit=None)
        self.switch('performance')
        self.assertEqual((self.platform(), self.epp('policy1')), ('balanced', 'performance'))
        self.press_key('low-power')
        self.write(CHOICES, 'low-power balanced performance\n')
        self.settle()
        self.assertEqual(self.profile(), 'performance')
        self.assertEqual(self.value('Profiles')[0]['PlatformDriver'], 'placeholder')

    def test_the_boost_of_a_blocked_driver(self):
        self.start_busy('--block-driver', 'amd_pstate', polkit=None)
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('amd_pstate', self.get('BoostReason'))
        self.assertEqual(self.epp('policy1'), 'balance_performance')

    def test_dynamic_epp_leaves_the_profile_to_the_platform(self):
        self.add_platform()
        self.put(DYNAMIC_EPP, 'enabled\n')
        self.start_eppd(polkit=None)
        written_ns = self.written_ns('policy1')
        self.switch('power-saver')
        self.assertEqual((self.platform(), self.written_ns('policy1')), ('low-power', written_ns))
        self.assertEqual(self.profile(), 'power-saver')
