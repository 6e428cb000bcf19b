# SPDX-License-Identifier: GPL-2.0-or-later
"""The power source by UPower, or by the kernel's power_supply, and what a profile makes of it."""

import os
import sys

from gi.repository import GLib

import harness
from boost_case import variant
from fake_services import UPOWER, UPOWER_PATH, UPower
from profile_case import MODERN, PROFILES, PROPERTIES, ProfileCase

AC_EPP, BATTERY_EPP = 'balance_performance', 'balance_power'
LONG = '[Policy]\nPowerSourceDebounceMs=600000\n'


class PowerCase(ProfileCase):

    tree_args = ('--cpus', '2', '--battery')

    def start(self, *args, upower=True, on_battery=False, config='', percent=None):
        """Returns once UPower was listened to, if it is there."""
        self.write_config(config)
        self.upower = UPower(self, on_battery, percent) if upower else None
        self.start_eppd('--residency', 'procstat', *args, polkit=None)
        if upower and '--disable-upower' not in args:
            self.wait_for(lambda: self.upower.asked >= 3, 'eppd to ask UPower')
            self.settle(on=self.upower.connection)

    def source(self):
        return self.get('PowerSource')

    def wait_for_source(self, source):
        self.wait_for(lambda: self.source() == source, f'PowerSource {source}')

    def assert_on(self, source):
        self.assertEqual((self.source(), self.epp('policy0'), self.epp('policy1')),
                         (source, *([AC_EPP if source == 'ac' else BATTERY_EPP] * 2)))


class WithUPower(PowerCase):

    def test_on_battery_from_the_start(self):
        self.start(on_battery=True)
        self.assert_on('battery')

    def test_on_ac_from_the_start_whatever_the_kernel_says(self):
        self.make_tree()
        self.set_ac(0)
        self.start(on_battery=False)
        self.assert_on('ac')

    def test_a_change_is_followed_at_once(self):
        self.start(config=LONG)
        self.upower.set_on_battery(True)
        self.assert_on('battery')

    def test_each_profile_on_battery(self):
        self.start(on_battery=True)
        for profile, epp in zip(PROFILES, ('power', BATTERY_EPP, 'performance')):
            self.switch(profile)
            self.assertEqual(self.epp('policy1'), epp)

    def test_a_flap_is_held_off(self):
        self.start(config=LONG)
        self.upower.set_on_battery(True)
        for on_battery in (False, True, False, True):
            self.upower.set_on_battery(on_battery)
            self.assert_on('battery')

    def test_what_stays_after_a_flap_is_followed(self):
        self.start(config='[Policy]\nPowerSourceDebounceMs=50\n')
        for on_battery in (True, False, True, False):
            self.upower.set_on_battery(on_battery)
        self.wait_for_source('ac')
        self.assert_on('ac')
        self.upower.set_on_battery(True)
        self.wait_for_source('battery')

    def test_after_the_wait_a_change_is_at_once_again(self):
        self.use_faults()
        self.start(config=LONG)
        self.upower.set_on_battery(True)
        self.faults.pass_time(601)
        self.upower.set_on_battery(False)
        self.assert_on('ac')

    def test_the_change_is_told_by_eppd_s_own_interface_alone(self):
        self.start()
        changes = self.record_changes()
        self.upower.set_on_battery(True)
        self.assert_on('battery')
        self.assertEqual(changes.take(), [])

    def test_the_kernel_s_news_do_not_count_meanwhile(self):
        self.start()
        self.set_ac(0)
        self.call('Reload')
        self.assert_on('ac')

    def test_when_it_goes_the_kernel_is_asked(self):
        for kernel, source in ((0, 'battery'), (1, 'ac')):
            with self.subTest(kernel=kernel):
                self.make_tree()
                self.set_ac(kernel)
                self.start(config=LONG, on_battery=bool(kernel))
                self.assertNotEqual(self.source(), source)
                self.upower.leave()
                self.wait_for_source(source)
                self.assert_on(source)
                self.stop_eppd()

    def test_when_it_comes_late_it_is_listened_to(self):
        self.start(upower=False, config=LONG)
        self.assert_on('ac')
        upower = UPower(self, on_battery=True)
        self.wait_for_source('battery')
        self.assert_on('battery')
        upower.leave()
        self.wait_for_source('ac')

    def test_disabled_it_is_not_asked(self):
        self.start('--disable-upower', on_battery=True)
        self.settle(on=self.upower.connection)
        self.assert_on('ac')
        self.assertEqual(self.upower.asked, 0)

    def test_another_s_signal_is_not_upower_s(self):
        self.start()
        asked = self.upower.asked
        stranger = self.connect()
        stranger.emit_signal(None, UPOWER_PATH, PROPERTIES, 'PropertiesChanged', variant(
            '(sa{sv}as)', (UPOWER, {'OnBattery': variant('b', True)}, [])))
        self.settle(on=stranger)
        self.settle(on=self.upower.connection)
        self.assert_on('ac')
        self.assertEqual(self.upower.asked, asked)

    def test_one_that_answers_nonsense_is_as_none(self):
        self.make_tree()
        self.set_ac(0)
        stranger = self.connect()
        self.bus_call(stranger, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                      'org.freedesktop.DBus',
                      'RequestName', variant('(su)', (UPOWER, 0)))
        self.start(upower=False)
        # Its objects are not there.
        self.wait_for_log('upower: ignoring /org/freedesktop/UPower: ')
        self.assert_on('battery')

    def test_with_dbusmock_s_upower(self):
        mock = self.start_program([sys.executable, '-m', 'dbusmock', '--system', '--template',
                                   'upower',
                                   '--parameters', '{"OnBattery": true}'])
        self.wait_for(lambda: self.name_owner(UPOWER), 'the UPower mock')
        self.start_eppd(polkit=None)
        self.wait_for_source('battery')
        self.assert_on('battery')
        self.bus_call(self.connection, UPOWER, UPOWER_PATH, 'org.freedesktop.DBus.Mock',
                      'UpdateProperties',
                      variant('(sa{sv})', (UPOWER, {'OnBattery': variant('b', False)})))
        self.wait_for_source('ac')
        self.assert_on('ac')
        mock.end()


class Activation(PowerCase):

    @property
    def bus_services(self):
        """UPower can be started, and leaves a mark where it is."""
        directory = os.path.join(self.directory, 'services')
        helper = os.path.join(self.directory, 'helper')
        os.makedirs(directory)
        with open(os.path.join(directory, UPOWER + '.service'), 'w', encoding='utf-8') as file:
            file.write(f'[D-BUS Service]\nName={UPOWER}\nExec=/bin/false\nUser=root\n')
        with open(helper, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\necho >>{self.directory}/started\nexit 1\n')
        os.chmod(helper, 0o755)
        return f'<servicedir>{directory}</servicedir><servicehelper>{helper}</servicehelper>'

    def test_upower_is_never_started_by_us(self):
        mark = os.path.join(self.directory, 'started')
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.call('Reload')
        self.assertFalse(os.path.exists(mark))
        # It is by somebody else: this would be seen.
        with self.assertRaises(GLib.Error):
            self.bus_call(self.connection, UPOWER, UPOWER_PATH, PROPERTIES, 'GetAll',
                          variant('(s)', (UPOWER,)))
        # Once: had it been by us, the bus would have done that before.
        self.assertEqual(harness.read_file(mark), '\n')


class ByTheKernel(PowerCase):

    def put_supply(self, name, **files):
        for file, text in files.items():
            self.put(f'/sys/class/power_supply/{name}/{file}', text + '\n')

    def test_the_rules(self):
        self.start(upower=False)
        for online, source in ((0, 'battery'), (1, 'ac'), (0, 'battery')):
            self.set_ac(online)
            self.call('Reload')
            self.assert_on(source)
        # A mouse's battery is none of ours, a USB supply is.
        self.put_supply('mouse', type='USB', online='1', scope='Device')
        self.call('Reload')
        self.assert_on('battery')
        self.put_supply('usb', type='USB', online='1')
        self.call('Reload')
        self.assert_on('ac')

    def test_no_supply_at_all_is_ac(self):
        self.make_tree()
        self.run_program(['rm', '-r', self.path('/sys/class/power_supply')])
        self.start(upower=False)
        self.assert_on('ac')

    def test_uevents_are_followed_the_first_at_once(self):
        uevent = self.use_uevents('power_supply', 'AC', ('type', 'Mains', 'online', '1'))
        self.start(upower=False, config=LONG)
        self.set_ac(0)
        uevent('change')
        self.wait_for_source('battery')
        self.assert_on('battery')

    def test_uevents_after_a_flap(self):
        uevent = self.use_uevents('power_supply', 'AC', ('type', 'Mains', 'online', '1'))
        self.start(upower=False, config='[Policy]\nPowerSourceDebounceMs=50\n')
        for online in (0, 1, 0, 1, 0):
            self.set_ac(online)
            uevent('change')
        self.wait_for_source('battery')
        self.assert_on('battery')


class BatteryAware(PowerCase):
    """A property of the modern interface."""

    def set_aware(self, aware):
        self.assign('BatteryAware', variant('b', aware))

    def test_off_is_as_on_ac_and_on_is_back_both_at_once(self):
        self.start(on_battery=True)
        self.assertEqual(self.epp('policy1'), BATTERY_EPP)
        self.set_aware(False)
        self.assertEqual(self.epp('policy1'), AC_EPP)
        self.set_aware(True)
        self.assertEqual(self.epp('policy1'), BATTERY_EPP)

    def test_off_the_source_is_told_and_not_followed(self):
        self.start()
        self.set_aware(False)
        self.upower.set_on_battery(True)
        self.assertEqual((self.source(), self.epp('policy1')), ('battery', AC_EPP))
        self.switch('power-saver')
        self.switch('balanced')
        self.assertEqual(self.epp('policy1'), AC_EPP)
        self.set_aware(True)
        self.assertEqual(self.epp('policy1'), BATTERY_EPP)

    def test_it_changes_the_profile_s_epp_alone(self):
        self.start(on_battery=True)
        changes = self.record_changes()
        self.set_aware(False)
        self.assertEqual(changes.take(), [(MODERN, {'BatteryAware': False}, [])])
        self.assertEqual(self.profile(), 'balanced')

    def test_it_survives_a_restart(self):
        self.start(on_battery=True)
        self.set_aware(False)
        self.restart_eppd()
        self.assertEqual((self.value('BatteryAware'), self.epp('policy1')), (False, AC_EPP))
