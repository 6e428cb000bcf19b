# SPDX-License-Identifier: GPL-2.0-or-later
"""The properties of both power-profiles interfaces: types, values, errors and change signals."""

import os
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio

import harness
from boost_case import variant
from profile_case import (CHOICES, FACES, LEGACY, MODERN, PLATFORM, PROFILES, PROPERTIES,
                          LegacyCase,
                          ModernCase, ProfileCase)

TYPES = {'ActiveProfile': 's', 'PerformanceInhibited': 's', 'PerformanceDegraded': 's',
         'Profiles': 'aa{sv}', 'Actions': 'as', 'ActiveProfileHolds': 'aa{sv}', 'Version': 's'}
MODERN_TYPES = {**TYPES, 'ActionsInfo': 'aa{sv}', 'BatteryAware': 'b'}
WRITABLE = {'ActiveProfile', 'BatteryAware'}

METHODS = {'HoldProfile': [('in', 's', 'profile'), ('in', 's', 'reason'),
                           ('in', 's', 'application_id'),
                           ('out', 'u', 'cookie')],
           'ReleaseProfile': [('in', 'u', 'cookie')]}
MODERN_METHODS = {**METHODS, 'SetActionEnabled': [('in', 's', 'action'), ('in', 'b', 'enabled')]}


def with_cpu_and_platform(cpu, platform):
    """Profiles, where there are both."""
    return [{'Profile': profile, 'CpuDriver': cpu, 'PlatformDriver': platform, 'Driver': 'multiple'}
            for profile in PROFILES]


def with_placeholder(cpu):
    """Profiles of a CPU driver alone."""
    return with_cpu_and_platform(cpu, 'placeholder')[:2] + [
        {'Profile': 'performance', 'CpuDriver': cpu, 'Driver': cpu}]


class ProfilesRows:

    def raw_all(self):
        """GetAll, with its types: {name: Variant}."""
        reply = self.connection.call_sync(
            self.face.name, self.face.path, PROPERTIES, 'GetAll', variant('(s)', (self.face.name,)),
            None,
            Gio.DBusCallFlags.NONE, harness.TIMEOUT_SECONDS * 1000, None).get_child_value(0)
        return {entry.get_child_value(0).get_string(): entry.get_child_value(1).get_variant()
                for entry in (reply.get_child_value(i) for i in range(reply.n_children()))}

    def introspected(self):
        xml = self.ask('Introspect', None, interface='org.freedesktop.DBus.Introspectable')
        return next(node for node in ElementTree.fromstring(xml).findall('interface')
                    if node.get('name') == self.face.name)

    def members(self, kind):
        return {member.get('name'): [(arg.get('direction', 'out'), arg.get('type'), arg.get('name'))
                                     for arg in member.findall('arg')]
                for member in self.introspected().findall(kind)}

    # ---- properties ----

    def test_each_property_has_its_type(self):
        self.start_eppd(polkit=None)
        self.assertEqual({name: value.get_type_string() for name, value in self.raw_all().items()},
                         self.types)

    def test_each_property_is_declared_with_its_type_and_access(self):
        self.start_eppd(polkit=None)
        self.assertEqual({member.get('name'): (member.get('type'), member.get('access'))
                          for member in self.introspected().findall('property')},
                         {name: (kind, 'readwrite' if name in WRITABLE else 'read')
                          for name, kind in self.types.items()})

    def test_methods_and_the_signal_are_declared(self):
        self.start_eppd(polkit=None)
        self.assertEqual(self.members('method'), self.methods)
        self.assertEqual(self.members('signal'), {'ProfileReleased': [('out', 'u', 'cookie')]})

    def test_get_says_what_getall_says(self):
        self.start_eppd(polkit=None)
        self.hold_profile()
        everything = self.get_all(self.face.name, self.face.path)
        self.assertEqual({name: self.value(name) for name in self.types}, everything)

    def test_values_at_the_start(self):
        self.start_eppd(polkit=None)
        everything = self.get_all(self.face.name, self.face.path)
        self.assertEqual(everything['ActiveProfile'], 'balanced')
        self.assertEqual(everything['PerformanceInhibited'], '')
        self.assertEqual(everything['PerformanceDegraded'], '')
        self.assertEqual(everything['ActiveProfileHolds'], [])
        self.assertEqual(everything['Version'], self.get('Version'))

    def test_performance_is_never_inhibited(self):
        self.start_eppd(polkit=None)
        for profile in PROFILES:
            with self.subTest(profile=profile):
                self.switch(profile)
                self.assertEqual(self.value('PerformanceInhibited'), '')

    def test_both_interfaces_say_the_same(self):
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.hold_profile()
        for name in TYPES:
            with self.subTest(name=name):
                self.assertEqual(self.value(name), self.value(name, face=self.other))

    def test_both_objects_answer_on_either_name(self):
        self.start_eppd(polkit=None)
        self.assertEqual(self.get('ActiveProfile', self.other.name, self.other.path,
                                  bus_name=self.face.name), 'balanced')
        self.set('ActiveProfile', variant('s', 'power-saver'), self.other.name, self.other.path,
                 bus_name=self.face.name)
        self.assertEqual(self.profile(), 'power-saver')

    # ---- Profiles ----

    def check_profiles(self, expected):
        self.start_eppd(polkit=None)
        self.assertEqual(self.value('Profiles'), expected)

    def test_profiles_of_amd_pstate_and_platform_profile(self):
        self.add_platform()
        self.check_profiles(with_cpu_and_platform('amd_pstate', 'platform_profile'))

    def test_profiles_of_amd_pstate_alone(self):
        self.check_profiles(with_placeholder('amd_pstate'))

    def test_profiles_of_intel_pstate_alone(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.check_profiles(with_placeholder('intel_pstate'))

    def test_profiles_of_intel_pstate_and_platform_profile(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.add_platform('quiet balanced performance')
        self.check_profiles(with_cpu_and_platform('intel_pstate', 'platform_profile'))

    def test_profiles_of_platform_profile_alone(self):
        self.put(PLATFORM, 'balanced\n')
        self.put(CHOICES, 'low-power balanced performance\n')
        self.check_profiles([{'Profile': profile, 'PlatformDriver': 'platform_profile',
                              'Driver': 'platform_profile'} for profile in PROFILES])

    def test_profiles_of_no_driver_at_all(self):
        os.makedirs(self.tree)
        self.check_profiles([{'Profile': profile, 'PlatformDriver': 'placeholder',
                              'Driver': 'placeholder'}
                             for profile in PROFILES[:2]])

    def test_the_values_in_dictionaries_are_strings_and_booleans(self):
        self.add_platform()
        self.start_eppd(polkit=None)
        self.hold_profile()
        everything = self.raw_all()
        for name in ('Profiles', 'ActiveProfileHolds', 'ActionsInfo'):
            if name not in self.types:
                continue
            dictionaries = everything[name]
            self.assertGreater(dictionaries.n_children(), 0, name)
            for i in range(dictionaries.n_children()):
                dictionary = dictionaries.get_child_value(i)
                for j in range(dictionary.n_children()):
                    key, value = (dictionary.get_child_value(j).get_child_value(k) for k in (0, 1))
                    self.assertEqual(value.get_variant().get_type_string(),
                                     'b' if key.get_string() == 'Enabled' else 's', key)

    # ---- Set ----

    def test_each_profile_can_be_set(self):
        self.add_platform()
        self.start_eppd(polkit=None)
        epp = {'power-saver': 'power', 'balanced': 'balance_performance',
               'performance': 'performance'}
        platform = {'power-saver': 'low-power', 'balanced': 'balanced',
                    'performance': 'performance'}
        for profile in ('performance', 'power-saver', 'balanced', 'power-saver', 'performance',
                        'balanced'):
            with self.subTest(profile=profile):
                self.switch(profile)
                self.assertEqual(self.profile(), profile)
                self.assertEqual([self.epp('policy0'), self.epp('policy1')], [epp[profile]] * 2)
                self.assertEqual(self.platform(), platform[profile])

    def test_the_profile_in_effect_can_be_set_again(self):
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.switch('balanced')
        self.settle()
        self.assertEqual(changes.take(), [])
        self.assertEqual(self.profile(), 'balanced')

    # ---- errors ----

    def check_error(self, expected, call, *args):
        """Nothing changes, and nobody else is told of anything."""
        before = self.get_all(self.face.name, self.face.path)
        other = self.connect()
        changes = self.record_changes(other)
        self.assertEqual(self.error_of(call, *args), expected)
        self.settle(other)
        self.assertEqual(changes.take(), [])
        self.assertEqual(self.get_all(self.face.name, self.face.path), before)

    def test_an_unknown_profile(self):
        self.start_eppd(polkit=None)
        for name in ('bogus', '', 'Performance', 'power-saver\n', ' balanced',
                     'balanced performance',
                     '\u2713'):
            with self.subTest(name=name):
                self.check_error(('Failed', f"Invalid profile name '{name}'"), self.switch, name)

    def test_an_unavailable_profile(self):
        os.makedirs(self.tree)
        self.start_eppd(polkit=None)
        self.check_error(('Failed', "Cannot switch to unavailable profile 'performance'"),
                         self.switch,
                         'performance')

    def test_read_only_properties(self):
        self.start_eppd(polkit=None)
        values = {'s': variant('s', 'x'), 'as': variant('as', []), 'aa{sv}': variant('aa{sv}', [])}
        for name, kind in self.types.items():
            if name in WRITABLE:
                continue
            with self.subTest(name=name):
                self.check_error(('InvalidArgs', f'Property “{name}” is not writable'), self.assign,
                                 name,
                                 values[kind])

    def test_a_value_of_another_type(self):
        self.start_eppd(polkit=None)
        for kind, value in (('u', 3), ('b', True), ('as', ['balanced']),
                            ('v', variant('s', 'balanced'))):
            with self.subTest(kind=kind):
                self.check_error(('InvalidArgs',
                                  'Error setting property “ActiveProfile”: Expected type “s” '
                                  f'but got “{kind}”'), self.assign, 'ActiveProfile',
                                  variant(kind, value))

    def test_unknown_properties(self):
        self.start_eppd(polkit=None)
        for name in ('Nope', '', 'activeprofile'):
            with self.subTest(name=name):
                expected = ('InvalidArgs', f'No such property “{name}”')
                self.check_error(expected, self.value, name)
                self.check_error(expected, self.assign, name, variant('s', 'x'))

    def test_unknown_interfaces(self):
        self.start_eppd(polkit=None)
        expected = ('InvalidArgs', 'No such interface “org.nope.X”')
        self.check_error(expected, self.get, 'ActiveProfile', 'org.nope.X', self.face.path,
                         self.face.name)
        self.check_error(expected, self.set, 'ActiveProfile', variant('s', 'x'), 'org.nope.X',
                         self.face.path, self.face.name)
        self.check_error(expected, self.get_all, 'org.nope.X', self.face.path, self.face.name)

    def test_an_unknown_method(self):
        self.start_eppd(polkit=None)
        self.check_error(('UnknownMethod', 'No such method “Nope”'), self.ask, 'Nope', None)

    def test_an_unknown_path(self):
        self.start_eppd(polkit=None)
        self.check_error(('UnknownMethod', 'Object does not exist at path “/nope”'), self.get,
                         'ActiveProfile', self.face.name, '/nope')

    def test_wrong_arguments(self):
        self.start_eppd(polkit=None)
        for method, signature, args in (('HoldProfile', '(s)', ('performance',)),
                                        ('HoldProfile', '(ssu)', ('performance', 'why', 1)),
                                        ('ReleaseProfile', '(s)', ('1',)),
                                        ('ReleaseProfile', '(i)', (1,))):
            with self.subTest(method=method, signature=signature):
                wanted = '(sss)' if method == 'HoldProfile' else '(u)'
                self.check_error(('InvalidArgs',
                                  f'Type of message, “{signature}”, does not match expected '
                                  f'type “{wanted}”'), self.ask, method, signature, *args)

    # ---- change signals ----

    def test_a_switch_is_told_once_on_each_interface_modern_first(self):
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.switch('power-saver')
        self.assertEqual(changes.take(),
                         [(face, {'ActiveProfile': 'power-saver'}, []) for face in FACES])

    def test_what_is_told_at_the_start_is_what_this_interface_has(self):
        told = []
        self.connection.signal_subscribe(
            None, PROPERTIES, 'PropertiesChanged', self.face.path, None, Gio.DBusSignalFlags.NONE,
            lambda _connection, _sender, _path, _interface, _signal,
            parameters: told.append(parameters))
        self.start_eppd(polkit=None)
        self.settle()
        [parameters] = told
        self.assertEqual(parameters.get_child_value(0).get_string(), self.face.name)
        changed = parameters.get_child_value(1)
        entries = [changed.get_child_value(i) for i in range(changed.n_children())]
        self.assertEqual({entry.get_child_value(0).get_string():
                          entry.get_child_value(1).get_variant().get_type_string()
                          for entry in entries},
                         self.types)
        self.assertEqual(changed.unpack(), self.get_all(self.face.name, self.face.path))

    def test_a_platform_driver_that_comes_is_told(self):
        self.make_tree()
        self.put(CHOICES, '\n')
        self.put(PLATFORM, 'balanced\n')
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.write(CHOICES, 'low-power balanced performance\n')
        profiles = with_cpu_and_platform('amd_pstate', 'platform_profile')
        self.wait_for(lambda: self.value('Profiles') == profiles, 'the platform driver')
        self.settle()
        self.assertEqual(changes.take(), [(face, {'Profiles': profiles}, []) for face in FACES])

    def test_a_writer_that_is_refused_is_told_what_is_so_and_nobody_else_is(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        self.switch('performance')
        self.faults.set('policy1/energy_performance_preference', 'power')
        other = self.connect()
        for_writer, for_other = self.record_changes(), self.record_changes(other)
        for profile in ('bogus', 'power-saver'):
            with self.subTest(profile=profile):
                self.error_of(self.switch, profile)
                self.settle()
                self.settle(other)
                self.assertEqual(for_writer.take(),
                                 [(self.face, {'ActiveProfile': 'performance'}, [])])
                self.assertEqual(for_other.take(), [])


class ModernProfiles(ProfilesRows, ModernCase):

    types = MODERN_TYPES
    methods = MODERN_METHODS

    def test_battery_aware_is_told_on_this_interface_alone(self):
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        for value in (False, True):
            self.assign('BatteryAware', variant('b', value))
            self.assertEqual(self.value('BatteryAware'), value)
            self.assertEqual(changes.take(), [(MODERN, {'BatteryAware': value}, [])])

    def test_battery_aware_may_be_set_to_what_it_is(self):
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.assign('BatteryAware', variant('b', True))
        self.settle()
        self.assertEqual(changes.take(), [])

    def test_battery_aware_of_another_type(self):
        self.start_eppd(polkit=None)
        self.check_error(('InvalidArgs',
                          'Error setting property “BatteryAware”: Expected type “b” but got '
                          '“s”'), self.assign, 'BatteryAware', variant('s', 'true'))

    def test_an_action_s_switch_is_told_by_what_each_interface_has(self):
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.ask('SetActionEnabled', '(sb)', 'trickle_charge', False)
        actions, info = self.value('Actions'), self.value('ActionsInfo')
        self.assertEqual(changes.take(), [(MODERN, {'Actions': actions, 'ActionsInfo': info}, []),
                                          (LEGACY, {'Actions': actions}, [])])
        self.assertNotIn('trickle_charge', actions)

    def test_wrong_arguments_of_the_action_s_switch(self):
        self.start_eppd(polkit=None)
        self.check_error(('InvalidArgs',
                          'Type of message, “(ss)”, does not match expected type “(sb)”'),
                         self.ask, 'SetActionEnabled', '(ss)', 'trickle_charge', 'x')

    def test_an_unknown_action(self):
        self.start_eppd(polkit=None)
        for name in ('nope', ''):
            with self.subTest(name=name):
                self.check_error(('InvalidArgs', f"No such action '{name}'"), self.ask,
                                 'SetActionEnabled',
                                 '(sb)', name, True)


class LegacyProfiles(ProfilesRows, LegacyCase):

    types = TYPES
    methods = METHODS

    def test_what_is_modern_only_is_not_there(self):
        self.start_eppd(polkit=None)
        for name in ('BatteryAware', 'ActionsInfo'):
            with self.subTest(name=name):
                expected = ('InvalidArgs', f'No such property “{name}”')
                self.check_error(expected, self.value, name)
                self.check_error(expected, self.assign, name, variant('b', False))
        self.check_error(('UnknownMethod', 'No such method “SetActionEnabled”'), self.ask,
                         'SetActionEnabled', '(sb)', 'trickle_charge', False)


class Degraded(ProfileCase):
    """Both interfaces, at once: why performance is less than it could be."""

    LAP = '/sys/devices/platform/thinkpad_acpi/dytc_lapmode'
    NO_TURBO = '/sys/devices/system/cpu/intel_pstate/no_turbo'

    def start_with_both(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.add_platform()
        self.put(self.LAP, '0\n')
        self.start_eppd(polkit=None)

    def wait_for_degraded(self, text):
        self.wait_for(lambda: self.value('PerformanceDegraded') == text,
                      f'PerformanceDegraded "{text}"')
        self.assertEqual(self.value('PerformanceDegraded', face=LEGACY), text)

    def test_on_a_lap(self):
        self.add_platform()
        self.put(self.LAP, '0\n')
        self.start_eppd(polkit=None)
        for text, reason in (('1', 'lap-detected'), ('0', '')):
            changes = self.record_changes()
            self.press_key(text, self.LAP)
            self.wait_for_degraded(reason)
            self.settle()
            self.assertEqual(changes.take(),
                             [(face, {'PerformanceDegraded': reason}, []) for face in FACES])

    def test_on_a_lap_from_the_start(self):
        self.add_platform()
        self.put(self.LAP, '1\n')
        self.start_eppd(polkit=None)
        self.assertEqual(self.value('PerformanceDegraded'), 'lap-detected')

    def test_a_lap_without_the_platform_driver_is_none(self):
        self.make_tree()
        self.put(self.LAP, '1\n')
        self.start_eppd(polkit=None)
        self.assertEqual(self.value('PerformanceDegraded'), '')

    def test_too_hot_for_turbo(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.start_eppd(polkit=None)
        for text, reason in (('1', 'high-operating-temperature'), ('0', '')):
            changes = self.record_changes()
            self.press_key(text, self.NO_TURBO)
            self.wait_for_degraded(reason)
            self.settle()
            self.assertEqual(changes.take(),
                             [(face, {'PerformanceDegraded': reason}, []) for face in FACES])

    def test_a_cpu_without_turbo_misses_none(self):
        self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
        self.put('/sys/devices/system/cpu/intel_pstate/turbo_pct', '0\n')
        self.put(self.NO_TURBO, '1\n')
        self.start_eppd(polkit=None)
        self.assertEqual(self.value('PerformanceDegraded'), '')

    def test_several_reasons_are_joined_the_cpu_s_first(self):
        self.start_with_both()
        self.press_key('1', self.LAP)
        self.wait_for_degraded('lap-detected')
        self.press_key('1', self.NO_TURBO)
        self.wait_for_degraded('high-operating-temperature,lap-detected')
        self.press_key('0', self.LAP)
        self.wait_for_degraded('high-operating-temperature')

    def test_the_profile_stays(self):
        self.start_with_both()
        self.switch('performance')
        self.press_key('1', self.LAP)
        self.wait_for_degraded('lap-detected')
        self.assertEqual(self.profile(), 'performance')
