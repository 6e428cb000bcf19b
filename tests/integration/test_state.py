# SPDX-License-Identifier: GPL-2.0-or-later
"""What is saved, when it is used again, and what power-profiles-daemon saved."""

import os
import stat

from boost_case import variant
from profile_case import CHOICES, ProfileCase

BOTH = '[State]\nProfile=power-saver\nCpuDriver=amd_pstate\nPlatformDriver=platform_profile\n'
# As power-profiles-daemon 0.30 writes it.
PPD = ('[State]\nbattery_aware=false\nCpuDriver=amd_pstate\nPlatformDriver=platform_profile\n'
       'Profile=power-saver\n\n[Actions]\ntrickle_charge=false\namdgpu_panel_power=false\n'
       'amdgpu_dpm=true\n')


class StateCase(ProfileCase):

    def start(self, *args):
        self.start_eppd(*args, polkit=None)

    @property
    def state_path(self):
        return os.path.join(self.state_dir, 'state.ini')

    def state_text(self):
        with open(self.state_path, 'rb') as file:
            return file.read()


class Saved(StateCase):

    def test_a_choice_is_saved_with_the_drivers(self):
        self.add_platform()
        self.start()
        self.switch('power-saver')
        self.assertEqual(self.state_file()['State'], {
            'Profile': 'power-saver', 'CpuDriver': 'amd_pstate',
            'PlatformDriver': 'platform_profile',
            'BatteryAware': 'true'})
        self.assertEqual(stat.S_IMODE(os.stat(self.state_path).st_mode), 0o644)

    def test_a_choice_outlives_restart_and_crash(self):
        self.start()
        for profile in ('performance', 'power-saver', 'balanced', 'power-saver'):
            self.switch(profile)
            self.kill_eppd()
            self.start()
            self.assertEqual(self.profile(), profile)

    def test_nothing_is_saved_at_the_start_nor_by_reading(self):
        self.start()
        self.get_all(self.face.name, self.face.path)
        self.stop_eppd()
        self.assertEqual(os.listdir(self.state_dir), [])

    def test_what_is_the_same_is_not_written_again(self):
        self.start()
        self.switch('power-saver')
        before = os.stat(self.state_path)
        self.switch('power-saver')
        self.assertEqual(os.stat(self.state_path).st_ino, before.st_ino)

    def test_a_choice_of_what_is_the_default_is_saved_too(self):
        self.write_config('[Policy]\nDefaultProfile=power-saver\n')
        self.start()
        self.assertEqual(self.profile(), 'power-saver')
        self.switch('balanced')
        self.restart_eppd()
        self.assertEqual(self.profile(), 'balanced')


class Drivers(StateCase):

    def test_other_drivers_do_not_get_the_choice(self):
        for text in ('CpuDriver=intel_pstate\nPlatformDriver=placeholder\n',
                     'CpuDriver=\nPlatformDriver=placeholder\n',
                     'CpuDriver=amd_pstate\nPlatformDriver=platform_profile\n'):
            with self.subTest(text=text):
                text = '[State]\nProfile=power-saver\n' + text
                self.write_state(text)
                self.start()
                self.assertEqual(self.profile(), 'balanced')
                self.stop_eppd()
                self.assertEqual(self.state_text(), text.encode())

    def test_a_late_platform_driver_brings_the_choice(self):
        self.write_state(BOTH)
        self.add_platform('')
        self.start()
        self.assertEqual((self.profile(), self.epp('policy1')), ('balanced', 'balance_performance'))
        self.assertEqual(self.state_text(), BOTH.encode())
        self.write(CHOICES, 'low-power balanced performance\n')
        self.wait_for_profile('power-saver')
        self.assertEqual((self.epp('policy1'), self.platform()), ('power', 'low-power'))
        self.assertEqual(self.state_text(), BOTH.encode())

    def test_a_choice_made_meanwhile_is_the_one(self):
        self.write_state(BOTH)
        self.add_platform('')
        self.start()
        self.switch('performance')
        self.write(CHOICES, 'low-power balanced performance\n')
        self.wait_for(lambda: self.platform() == 'performance', 'the choice at the late driver')
        self.assertEqual(self.profile(), 'performance')

    def test_battery_aware_and_switches_are_used_with_any_driver(self):
        self.write_state('[State]\nProfile=power-saver\nCpuDriver=intel_pstate\n'
                         'BatteryAware=false\n[Actions]\ntrickle_charge=false\n')
        self.start()
        self.assertEqual((self.value('BatteryAware'), self.value('Actions')), (False, []))

    def test_the_late_driver_is_told(self):
        self.write_state(BOTH)
        self.add_platform('')
        self.start()
        changes = self.record_changes()
        self.write(CHOICES, 'low-power balanced performance\n')
        self.wait_for_profile('power-saver')
        self.settle()
        told = {}
        for changed in changes.take_of(self.face):
            told.update(changed)
        self.assertEqual(set(told), {'ActiveProfile', 'Profiles'})


class Bad(StateCase):

    def check_bad(self, content, complaint=None):
        os.makedirs(self.state_dir, exist_ok=True)
        with open(self.state_path, 'wb') as file:
            file.write(content)
        self.start()
        self.assertEqual((self.profile(), self.value('BatteryAware'), self.value('Actions')),
                         ('balanced', True, ['trickle_charge']))
        if complaint:
            self.assertRegex(self.log(), complaint)
        self.switch('power-saver')
        self.restart_eppd()
        self.assertEqual(self.profile(), 'power-saver')
        self.stop_eppd()

    def test_bad_files(self):
        for content, complaint in (
                (b'', None), (b'\0' * 100, 'warning: state: '),
                (b'\xff\xfe\xfd', 'warning: state: '),
                (b'junk\n', r'state.ini:1: .*junk'),
                (b'[State\nProfile=power-saver\n', 'state.ini:'),
                (b'[State]\nProfile=turbo\n', r'state.ini:2: \[State\] Profile=turbo: expected'),
                (b'[State]\nBatteryAware=maybe\n',
                 r'state.ini:2: \[State\] BatteryAware=maybe: expected'),
                (b'x' * (4 << 20), 'warning: state: '), (b'[Other]\nProfile=power-saver\n', None)):
            with self.subTest(content=content[:30]):
                self.check_bad(content, complaint)

    def test_a_directory_in_its_place(self):
        os.makedirs(self.state_path)
        self.start()
        self.assertEqual(self.profile(), 'balanced')
        self.assertRegex(self.log(), '(?m)^warning: state: ')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.epp('policy1')), ('power-saver', 'power'))

    def make_unwritable(self):
        os.makedirs(self.state_dir, exist_ok=True)
        if self.run_program(['chattr', '+i', self.state_dir]).code() != 0:
            self.skipTest('machine lacks: root (for immutable files)' if os.geteuid() != 0 else
                          'machine lacks: immutable files in the temporary directory')
        self.addCleanup(self.run_program, ['chattr', '-i', self.state_dir])

    def test_a_directory_that_can_not_be_written_is_a_warning(self):
        self.make_unwritable()
        self.start()
        self.switch('power-saver')
        self.assign('BatteryAware', variant('b', False))
        self.assertEqual((self.profile(), self.epp('policy1'), self.value('BatteryAware')),
                         ('power-saver', 'power', False))
        self.assertRegex(self.log(),
                         '(?m)^warning: state: .*; ignoring, but the next start will not know of it')

    def test_what_could_not_be_saved_is_saved_with_the_next(self):
        self.make_unwritable()
        self.start()
        self.switch('power-saver')
        self.run_program(['chattr', '-i', self.state_dir])
        self.assign('BatteryAware', variant('b', False))
        self.restart_eppd()
        self.assertEqual((self.profile(), self.value('BatteryAware')), ('power-saver', False))

    def test_a_directory_that_is_missing_is_made(self):
        self.start()
        os.rmdir(self.state_dir)
        self.switch('power-saver')
        self.assertEqual(self.state_file()['State']['Profile'], 'power-saver')


class Imported(StateCase):
    """What power-profiles-daemon left is taken over where nothing of ours is saved."""

    def write_theirs(self, text):
        self.write_state(text, os.path.join(self.directory, 'power-profiles-daemon'))

    def test_all_of_it(self):
        self.add_platform()
        self.write_theirs(PPD)
        self.start()
        self.assertEqual((self.profile(), self.epp('policy1'), self.platform()),
                         ('power-saver', 'power', 'low-power'))
        self.assertEqual((self.value('BatteryAware'), self.value('Actions')),
                         (False, ['amdgpu_dpm']))
        self.assertIn('taking over what power-profiles-daemon saved in '
                      f'{self.directory}/power-profiles-daemon/state.ini', self.log())

    def test_once(self):
        self.add_platform()
        self.write_theirs(PPD)
        self.start()
        self.switch('performance')
        self.restart_eppd()
        self.assertEqual((self.profile(), self.value('BatteryAware')), ('performance', False))
        self.assertEqual(self.state_file()['Actions']['amdgpu_dpm'], 'true')
        self.stop_eppd()
        self.write_theirs(PPD)
        self.start()
        self.assertEqual(self.profile(), 'performance')

    def test_the_file_stays_as_it_is(self):
        self.write_theirs(PPD)
        self.start()
        with open(os.path.join(self.directory, 'power-profiles-daemon', 'state.ini'),
                  encoding='utf-8') as file:
            self.assertEqual(file.read(), PPD)

    def test_of_a_machine_without_the_platform_driver(self):
        self.write_theirs(PPD.replace('platform_profile', 'placeholder'))
        self.start()
        self.assertEqual(self.profile(), 'power-saver')

    def test_of_a_machine_without_a_cpu_driver(self):
        text = '[State]\nbattery_aware=true\nPlatformDriver=placeholder\nProfile=power-saver\n'
        self.write_theirs(text)
        self.start()
        self.assertEqual(self.profile(), 'balanced')
        self.stop_eppd()
        os.unlink(self.state_path)
        self.write_theirs(text)
        self.start('--block-driver', 'amd_pstate')
        self.assertEqual(self.profile(), 'power-saver')

    def test_version_0_12_with_its_one_driver(self):
        self.add_platform()
        self.write_theirs('[State]\nDriver=platform_profile\nProfile=power-saver\n')
        self.start()
        self.assertEqual(self.profile(), 'power-saver')

    def test_version_0_12_with_another_driver(self):
        self.write_theirs('[State]\nDriver=intel_pstate\nProfile=power-saver\n')
        self.start()
        self.assertEqual(self.profile(), 'balanced')

    def test_with_a_late_platform_driver(self):
        self.add_platform('')
        self.write_theirs(PPD)
        self.start()
        self.assertEqual(self.profile(), 'balanced')
        self.write(CHOICES, 'low-power balanced performance\n')
        self.wait_for_profile('power-saver')

    def test_bad_values_are_the_defaults(self):
        self.write_theirs('[State]\nbattery_aware=maybe\nCpuDriver=amd_pstate\n'
                          'PlatformDriver=placeholder\nProfile=turbo\n[Actions]\ntrickle_charge=x\n')
        self.start()
        self.assertEqual((self.profile(), self.value('BatteryAware'), self.value('Actions')),
                         ('balanced', True, ['trickle_charge']))

    def test_junk(self):
        for text in ('junk', '\x00\x01', '[State]\n' * 3):
            with self.subTest(text=text):
                self.write_theirs(text)
                self.start()
                self.assertEqual(self.profile(), 'balanced')
                self.stop_eppd()
                if os.path.exists(self.state_path):
                    os.unlink(self.state_path)
