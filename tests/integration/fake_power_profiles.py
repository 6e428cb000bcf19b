# SPDX-License-Identifier: GPL-2.0-or-later
"""A FAKE power profiles service, on both of its names: it answers what the test says, and keeps what it
was asked. It switches nothing and checks nothing but types: for tests of the programs that talk to such
a service, never of eppd itself."""

import os
import re

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

import harness  # noqa: E402

MODERN = 'org.freedesktop.UPower.PowerProfiles'
LEGACY = 'net.hadess.PowerProfiles'

PROPERTIES_INTERFACE = 'org.freedesktop.DBus.Properties'
INVALID_ARGS = 'org.freedesktop.DBus.Error.InvalidArgs'


def path_of(name):
    return '/' + name.replace('.', '/')


def dicts(*fields):
    """An aa{sv} of plain dicts, whose values are str or bool."""
    return GLib.Variant('aa{sv}', [
        {key: GLib.Variant('b' if isinstance(value, bool) else 's', value)
         for key, value in each.items()} for each in fields])


def profile(name, cpu='amd_pstate', platform='platform_profile'):
    """A profile as the property Profiles has it. None: there is no such driver."""
    drivers = {key: driver for key, driver in (('CpuDriver', cpu), ('PlatformDriver', platform))
               if driver}
    return {'Profile': name, **drivers,
            'Driver': 'multiple' if len(drivers) == 2 else ''.join(drivers.values())}


def hold(application, name='performance', reason='playing'):
    return {'ApplicationId': application, 'Profile': name, 'Reason': reason}


def action(name, enabled, description='Does something'):
    return {'Name': name, 'Description': description, 'Enabled': enabled}


class FakePowerProfiles:
    def __init__(self, connection, types=()):
        """Exports the objects on @connection and takes both names. @types: property → another D-Bus type
        than the right one, for a daemon that speaks otherwise."""
        self.connection = connection
        self.properties = {
            'ActiveProfile': GLib.Variant('s', 'balanced'),
            'PerformanceInhibited': GLib.Variant('s', ''),
            'PerformanceDegraded': GLib.Variant('s', ''),
            'Profiles': dicts(*map(profile, ('power-saver', 'balanced', 'performance'))),
            'Actions': GLib.Variant('as', ['trickle_charge']),
            'ActionsInfo': dicts(action('trickle_charge', True)),
            'ActiveProfileHolds': dicts(),
            'Version': GLib.Variant('s', '9.9'),
            'BatteryAware': GLib.Variant('b', True)}
        self.errors = {}    # method (Get, Set and GetAll too) → (D-Bus error name, message)
        self.missing = set()  # properties that this daemon does not know
        self.calls = []     # (method, arguments), but for Get and GetAll
        self.senders = {}   # cookie → bus name
        for name in (MODERN, LEGACY):
            xml = harness.read_file(os.path.join(harness.SOURCE_ROOT, 'data', f'{name}.xml'))
            for property_name, other in dict(types).items():
                xml = re.sub(f'(name="{property_name}" type=)"[^"]*"', rf'\1"{other}"', xml)
            info = Gio.DBusNodeInfo.new_for_xml(xml).lookup_interface(name)
            # Without functions for properties their calls come to the one for methods.
            connection.register_object(path_of(name), info, self._on_call, None, None)
            connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus',
                                 'org.freedesktop.DBus', 'RequestName',
                                 GLib.Variant('(su)', (name, 4)), None, Gio.DBusCallFlags.NONE, -1,
                                 None)

    def called(self, method):
        """The arguments of each call of @method."""
        return [arguments for name, arguments in self.calls if name == method]

    def _on_call(self, _connection, sender, _path, interface, method, parameters, invocation):
        if method not in ('Get', 'GetAll'):
            self.calls.append((method, parameters.unpack()))
        if method in self.errors:
            invocation.return_dbus_error(*self.errors[method])
        elif interface == PROPERTIES_INTERFACE:
            self._on_property(method, parameters, invocation)
        else:
            invocation.return_value(getattr(self, '_' + method)(sender, *parameters.unpack()))

    def _on_property(self, method, parameters, invocation):
        if method == 'GetAll':
            known = {name: value for name, value in self.properties.items()
                     if name not in self.missing}
            invocation.return_value(GLib.Variant('(a{sv})', (known,)))
            return
        name = parameters.get_child_value(1).get_string()
        if name in self.missing:
            invocation.return_dbus_error(INVALID_ARGS, f'No such property “{name}”')
        elif method == 'Get':
            invocation.return_value(GLib.Variant('(v)', (self.properties[name],)))
        else:
            self.properties[name] = parameters.get_child_value(2).get_variant()
            invocation.return_value(None)

    def _HoldProfile(self, sender, _profile, _reason, _application):
        cookie = 1000 + len(self.senders)
        self.senders[cookie] = sender
        return GLib.Variant('(u)', (cookie,))

    def _ReleaseProfile(self, _sender, _cookie):
        return None

    def _SetActionEnabled(self, _sender, _action, _enabled):
        return None
