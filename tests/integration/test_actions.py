# SPDX-License-Identifier: GPL-2.0-or-later
"""The three actions: when they are on, what they write, what they leave alone."""

import os

from fake_services import UPower
from profile_case import LEGACY, MODERN, ProfileCase

NAMES = ['trickle_charge', 'amdgpu_panel_power', 'amdgpu_dpm']
MOUSE = '/sys/class/power_supply/mouse/charge_type'
PANEL = '/sys/class/drm/card0-eDP-1/amdgpu/panel_power_savings'
DPM = '/sys/class/drm/card0/device/power_dpm_force_performance_level'


class ActionCase(ProfileCase):

    tree_args = ('--cpus', '2', '--battery')

    def start(self, *args):
        self.start_eppd(*args, polkit=None)

    def set_action(self, name, enabled):
        self.ask('SetActionEnabled', '(sb)', name, enabled)

    def enabled(self):
        """{name: whether it is on}, in order."""
        return {info['Name']: info['Enabled'] for info in self.value('ActionsInfo')}


class Switches(ActionCase):

    def test_which_are_on_at_first(self):
        self.start()
        self.assertEqual(list(self.enabled().items()), list(zip(NAMES, (True, False, False))))
        for face in (MODERN, LEGACY):
            self.assertEqual(self.value('Actions', face=face), ['trickle_charge'])

    def test_each_has_a_description(self):
        self.start()
        descriptions = [info['Description'] for info in self.value('ActionsInfo')]
        self.assertEqual(len(set(descriptions)), 3)
        self.assertNotIn('', descriptions)

    def test_all_are_there_on_any_machine(self):
        for args in (('--driver', 'intel_pstate'), ()):
            with self.subTest(args=args):
                self.make_tree('--cpus', '2', *args)
                self.start()
                self.assertEqual(list(self.enabled()), NAMES)
                self.stop_eppd()

    def test_each_can_be_switched(self):
        self.start()
        for name in NAMES:
            for enabled in (True, False, True):
                self.set_action(name, enabled)
                self.assertEqual(self.enabled()[name], enabled)
                self.assertEqual(name in self.value('Actions'), enabled)
        self.assertEqual(self.value('Actions'), NAMES)

    def test_a_switch_to_what_it_is_changes_nothing(self):
        self.start()
        changes = self.record_changes()
        self.set_action('trickle_charge', True)
        self.set_action('amdgpu_dpm', False)
        self.settle()
        self.assertEqual((changes.take(), self.state_file()), ([], {}))

    def test_switches_survive_a_restart(self):
        self.start()
        self.set_action('trickle_charge', False)
        self.set_action('amdgpu_dpm', True)
        self.restart_eppd()
        self.assertEqual(self.enabled(), dict(zip(NAMES, (False, False, True))))

    def test_blocked_ones_are_listed_off_and_stay_so(self):
        self.make_tree()
        self.put(MOUSE, 'Standard\n')
        self.put(os.path.dirname(MOUSE) + '/scope', 'Device\n')
        self.start('--block-action', 'trickle_charge', '--block-action', 'amdgpu_dpm',
                   '--block-action',
                   'no_such_action')
        self.assertEqual(self.enabled(), dict.fromkeys(NAMES, False))
        self.assertEqual(self.error_of(self.set_action, 'trickle_charge', True),
                         ('Failed', "Action 'trickle_charge' is blocked (--block-action)"))
        self.switch('power-saver')
        self.assertEqual(self.line(MOUSE), 'Standard')
        self.set_action('amdgpu_panel_power', True)
        self.assertEqual(self.value('Actions'), ['amdgpu_panel_power'])

    def test_a_blocked_one_keeps_its_saved_switch(self):
        self.start()
        self.set_action('amdgpu_dpm', True)
        self.stop_eppd()
        self.start('--block-action', 'amdgpu_dpm')
        self.assertEqual(self.enabled()['amdgpu_dpm'], False)
        self.stop_eppd()
        self.start()
        self.assertEqual(self.enabled()['amdgpu_dpm'], True)

    def test_bad_switches_in_the_state_are_the_defaults(self):
        self.write_state('[Actions]\ntrickle_charge=perhaps\namdgpu_dpm=1\nno_such_action=true\n')
        self.start()
        self.assertEqual(list(self.enabled().items()), list(zip(NAMES, (True, False, False))))
        self.assertRegex(self.log(), r'state.ini:2: \[Actions\] trickle_charge=perhaps: expected')


class TrickleCharge(ActionCase):

    def add_peripheral(self, name='mouse', charge_type='Standard', scope='Device'):
        directory = f'/sys/class/power_supply/{name}/'
        self.make_tree_once()
        for file, text in (('type', 'Battery'), ('scope', scope), ('charge_type', charge_type)):
            self.put(directory + file, text + '\n')
        return directory + 'charge_type'

    def make_tree_once(self):
        if not os.path.isdir(self.tree):
            self.make_tree()

    def test_slow_in_power_saver_else_standard(self):
        path = self.add_peripheral()
        self.start()
        for profile, text in (('power-saver', 'Trickle'), ('balanced', 'Standard'),
                              ('power-saver', 'Trickle'),
                              ('performance', 'Standard')):
            self.switch(profile)
            self.assertEqual(self.line(path), text)

    def test_what_is_never_touched(self):
        self.use_faults()
        paths = [self.add_peripheral('a', 'Custom'), self.add_peripheral('b', 'Adaptive'),
                 self.add_peripheral('c', 'N/A'), self.add_peripheral('d', scope='System')]
        self.start()
        for profile in ('power-saver', 'balanced', 'performance'):
            self.switch(profile)
        self.assertEqual([write for path in paths for write in self.faults.writes(path)], [])

    def test_fast_is_one_of_ours(self):
        path = self.add_peripheral(charge_type='Fast')
        self.start()
        self.assertEqual(self.line(path), 'Standard')

    def test_no_write_where_it_is_so_already(self):
        self.use_faults()
        path = self.add_peripheral()
        self.start()
        self.switch('performance')
        self.assertEqual(self.faults.writes(path), [])
        self.switch('power-saver')
        self.call('Reload')
        self.assertEqual(self.faults.writes(path), [('Trickle', None)])

    def test_off_it_puts_back_what_balanced_has_and_on_it_acts_at_once(self):
        path = self.add_peripheral()
        self.start()
        self.switch('power-saver')
        self.set_action('trickle_charge', False)
        self.assertEqual(self.line(path), 'Standard')
        self.switch('balanced')
        self.switch('power-saver')
        self.assertEqual(self.line(path), 'Standard')
        self.set_action('trickle_charge', True)
        self.assertEqual(self.line(path), 'Trickle')

    def test_a_hold_counts_as_the_profile_it_is(self):
        path = self.add_peripheral()
        self.start()
        cookie = self.hold_profile('power-saver')
        self.assertEqual(self.line(path), 'Trickle')
        self.release_profile(cookie)
        self.assertEqual(self.line(path), 'Standard')

    def test_a_refusal_is_a_warning_and_no_obstacle(self):
        self.use_faults()
        path = self.add_peripheral()
        self.start()
        self.faults.set(path, errno='EINVAL')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.line(path)), ('power-saver', 'Standard'))
        self.assertRegex(self.log(), '(?m)^warning: trickle_charge: .*charge_type.*; ignoring')

    def test_a_mouse_that_comes_late(self):
        uevent = self.use_uevents('power_supply', 'mouse')
        self.make_tree()
        self.start()
        self.switch('power-saver')
        path = self.add_peripheral()
        uevent('add')
        self.wait_for(lambda: self.line(path) == 'Trickle', 'the late mouse to be charged slowly')


class AmdGpuCase(ActionCase):

    def make_gpu(self, *args):
        self.make_tree('--cpus', '2', '--battery', *args)
        self.put_panel()
        self.put(DPM, 'auto\n')

    def put_panel(self, name='eDP-1', status='connected'):
        path = PANEL.replace('eDP-1', name)
        self.put(path, '0\n')
        self.put(os.path.dirname(os.path.dirname(path)) + '/status', status + '\n')
        return path


class PanelPower(AmdGpuCase):

    def start_on_battery(self, percent):
        self.make_gpu()
        self.upower = UPower(self, on_battery=True, percent=percent)
        self.start()
        self.wait_for(lambda: self.upower.asked >= 3, 'eppd to ask UPower')
        self.settle(on=self.upower.connection)
        self.set_action('amdgpu_panel_power', True)

    def panel(self):
        return self.line(PANEL)

    def test_by_the_battery_s_charge(self):
        self.start_on_battery(80.0)
        table = {'power-saver': ((100.0, '0'), (50.0, '0'), (49.9, '1'), (30.1, '1'), (30.0, '2'),
                                 (20.1, '2'),
                                 (20.0, '3'), (0.0, '3')),
                 'balanced': ((100.0, '0'), (30.0, '0'), (29.9, '1'), (1.0, '1')),
                 'performance': ((100.0, '0'), (1.0, '0'))}
        for profile, rows in table.items():
            self.switch(profile)
            for percent, text in rows:
                with self.subTest(profile=profile, percent=percent):
                    self.upower.set_percent(percent)
                    self.assertEqual(self.panel(), text)

    def test_only_on_battery(self):
        self.start_on_battery(10.0)
        self.switch('power-saver')
        self.assertEqual(self.panel(), '3')
        self.upower.set_on_battery(False)
        self.assertEqual(self.panel(), '0')

    def test_without_a_battery_s_charge_it_is_off(self):
        self.start_on_battery(10.0)
        self.switch('power-saver')
        self.assertEqual(self.panel(), '3')
        for percent in (None, float('nan'), -1.0):
            self.upower.set_percent(percent)
            self.assertEqual(self.panel(), '0')
            self.upower.set_percent(10.0)
            self.assertEqual(self.panel(), '3')

    def test_off_by_default_and_off_it_puts_back(self):
        self.make_gpu()
        upower = UPower(self, on_battery=True, percent=10.0)
        self.start()
        self.wait_for(lambda: upower.asked >= 3, 'eppd to ask UPower')
        self.settle(on=upower.connection)
        self.switch('power-saver')
        self.assertEqual(self.panel(), '0')
        self.set_action('amdgpu_panel_power', True)
        self.assertEqual(self.panel(), '3')
        self.set_action('amdgpu_panel_power', False)
        self.assertEqual(self.panel(), '0')

    def test_only_connected_built_in_panels(self):
        self.start_on_battery(10.0)
        other = self.put_panel('HDMI-A-1')
        unplugged = self.put_panel('eDP-2', 'disconnected')
        self.switch('power-saver')
        self.assertEqual([self.line(path) for path in (PANEL, other, unplugged)], ['3', '0', '0'])

    def test_one_that_refuses_is_a_warning(self):
        self.use_faults()
        self.start_on_battery(10.0)
        self.faults.set(PANEL, errno='EBUSY')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.panel()), ('power-saver', '1'))
        self.assertRegex(self.log(),
                         '(?m)^warning: amdgpu_panel_power: .*panel_power_savings.*; ignoring')

    def test_a_connector_that_is_plugged_in_later(self):
        uevent = self.use_uevents('drm', 'card0')
        self.start_on_battery(10.0)
        self.switch('power-saver')
        late = self.put_panel('eDP-2')
        uevent('change')
        self.wait_for(lambda: self.line(late) == '3', 'the late panel')

    def test_nothing_on_another_s_machine(self):
        self.make_gpu('--driver', 'intel_pstate')
        upower = UPower(self, on_battery=True, percent=10.0)
        self.start()
        self.wait_for(lambda: upower.asked >= 3, 'eppd to ask UPower')
        self.settle(on=upower.connection)
        self.set_action('amdgpu_panel_power', True)
        self.set_action('amdgpu_dpm', True)
        self.switch('power-saver')
        self.assertEqual((self.panel(), self.line(DPM)), ('0', 'auto'))


class Dpm(AmdGpuCase):

    def start_dpm(self, level='auto'):
        self.make_gpu()
        self.put(DPM, level + '\n')
        self.start()
        self.set_action('amdgpu_dpm', True)

    def test_low_in_power_saver_else_auto(self):
        self.start_dpm()
        for profile, level in (('power-saver', 'low'), ('balanced', 'auto'), ('power-saver', 'low'),
                               ('performance', 'auto')):
            self.switch(profile)
            self.assertEqual(self.line(DPM), level)

    def test_others_become_ours_and_manual_is_never_touched(self):
        self.start_dpm('high')
        self.assertEqual(self.line(DPM), 'auto')
        self.write(DPM, 'manual\n')
        for profile in ('power-saver', 'balanced'):
            self.switch(profile)
            self.assertEqual(self.line(DPM), 'manual')

    def test_off_by_default_and_off_it_puts_back(self):
        self.make_gpu()
        self.start()
        self.switch('power-saver')
        self.assertEqual(self.line(DPM), 'auto')
        self.set_action('amdgpu_dpm', True)
        self.assertEqual(self.line(DPM), 'low')
        self.set_action('amdgpu_dpm', False)
        self.assertEqual(self.line(DPM), 'auto')

    def test_one_that_refuses_is_a_warning(self):
        self.use_faults()
        self.start_dpm()
        self.faults.set(DPM, errno='EINVAL')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.line(DPM)), ('power-saver', 'auto'))
        self.assertRegex(self.log(),
                         '(?m)^warning: amdgpu_dpm: .*power_dpm_force_performance_level.*; ignoring')
