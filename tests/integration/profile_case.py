# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the power-profiles interfaces share. A class of tests is written once, as a mixin
that uses self.face, and runs for each bus name:

class SomethingRows:
    def test_something(self):
        self.start_eppd(polkit=None)
        self.switch('performance')

class ModernSomething(SomethingRows, ModernCase):
    ...

class LegacySomething(SomethingRows, LegacyCase):
    ...
"""

import os
from collections import namedtuple

import gi
from gi.repository import Gio, GLib

from boost_case import POLICY_DIR, PolicyTestCase, variant

Face = namedtuple('Face', 'name path')  # the bus name is the interface's too
MODERN = Face('org.freedesktop.UPower.PowerProfiles', '/org/freedesktop/UPower/PowerProfiles')
LEGACY = Face('net.hadess.PowerProfiles', '/net/hadess/PowerProfiles')
FACES = (MODERN, LEGACY)

PROPERTIES = 'org.freedesktop.DBus.Properties'
ERROR = 'org.freedesktop.DBus.Error.'
PROFILES = ('power-saver', 'balanced', 'performance')
NOBODY = 65534

PLATFORM = '/sys/firmware/acpi/platform_profile'
CHOICES = '/sys/firmware/acpi/platform_profile_choices'
LOW_POWER_CHOICES = 'low-power balanced performance'


class Changes:
    """PropertiesChanged of our two interfaces, as they come: (face, {property: value},
    [invalidated])."""

    def __init__(self, connection):
        self.list = []
        self._ids = [connection.signal_subscribe(None, PROPERTIES, 'PropertiesChanged', face.path,
                                                 None,
                                                 Gio.DBusSignalFlags.NONE, self._came, face)
                     for face in FACES]

    def _came(self, _connection, _sender, _path, _interface, _signal, parameters, face):
        interface, changed, invalidated = parameters.unpack()
        self.list.append((face if interface == face.name else interface, changed, invalidated))

    def take(self):
        taken, self.list = self.list, []
        return taken

    def take_of(self, face):
        """What changed on @face: a dictionary a signal."""
        return [changed for whose, changed, _invalidated in self.take() if whose == face]


class ProfileCase(PolicyTestCase):
    """Two CPUs of amd_pstate with a policy each, and no platform_profile."""

    face = MODERN

    # ---- the interface ----

    def ask(self, method, signature, *args, on=None, face=None, interface=None):
        """A method of the interface (or of @interface) at the face's path."""
        face = face or self.face
        return self.bus_call(on or self.connection, face.name, face.path, interface or face.name,
                             method,
                             variant(signature, args) if signature else None)

    def value(self, name, on=None, face=None):
        face = face or self.face
        return self.get(name, face.name, face.path, on=on)

    def assign(self, name, value, on=None, face=None):
        """@value: a Variant."""
        face = face or self.face
        self.set(name, value, face.name, face.path, on=on)

    def switch(self, profile, on=None, face=None):
        self.assign('ActiveProfile', variant('s', profile), on, face)

    def profile(self, face=None):
        return self.value('ActiveProfile', face=face)

    def hold_profile(self, profile='performance', reason='why', app_id='app', on=None, face=None):
        """The cookie."""
        return self.ask('HoldProfile', '(sss)', profile, reason, app_id, on=on, face=face)

    def release_profile(self, cookie, on=None, face=None):
        self.ask('ReleaseProfile', '(u)', cookie, on=on, face=face)

    def held_profiles(self):
        """The profiles held, in the order of the list."""
        return [hold['Profile'] for hold in self.value('ActiveProfileHolds')]

    def error_of(self, call, *args, **kwargs):
        """The error that the call fails with: its name without the common prefix, and its text."""
        try:
            call(*args, **kwargs)
        except GLib.Error as error:
            name = Gio.DBusError.get_remote_error(error)
            return name.removeprefix(ERROR), error.message.removeprefix(f'GDBus.Error:{name}: ')
        self.fail(f'{call.__name__}{args} should have failed')

    def record_changes(self, on=None):
        changes = Changes(on or self.connection)
        self.settle(on)
        changes.take()
        return changes

    def record_releases(self, on=None):
        """A list of (face, cookie), as ProfileReleased comes."""
        released = []
        connection = on or self.connection
        for face in FACES:
            connection.signal_subscribe(
                None, face.name, 'ProfileReleased', face.path, None, Gio.DBusSignalFlags.NONE,
                lambda _connection, _sender, _path, _interface, _signal, parameters, face=face:
                released.append((face, parameters.unpack()[0])))
        self.settle(on)
        return released

    def settle(self, on=None):
        """All that eppd has said so far has come: the reply to this comes behind it."""
        self.value('Version', on=on)

    def wait_for_profile(self, profile):
        self.wait_for(lambda: self.profile() == profile, f'ActiveProfile {profile}')

    def leave(self, connection):
        """The client leaves the bus, and eppd knows."""
        name = connection.get_unique_name()
        connection.close_sync(None)
        self.wait_for(lambda: not self.name_owner(name), f'{name} to leave')

    # ---- the machine ----

    def add_platform(self, choices=LOW_POWER_CHOICES, value='balanced'):
        if not os.path.isdir(self.tree):
            self.make_tree()
        self.put(CHOICES, choices + '\n')
        self.put(PLATFORM, value + '\n')

    def platform(self):
        return self.line(PLATFORM)

    def press_key(self, value, path=PLATFORM):
        """The firmware's own change. As a kernel's file it never reads empty in between."""
        with open(self.path(path), 'r+', encoding='utf-8') as file:
            file.write(value + '\n')
            file.truncate()

    def use_uevents(self, subsystem, name, attributes=()):
        """Before the start: eppd sees the uevents of umockdev's test bed, which has one device; a
        function that sends the device's uevent of an action."""
        if 'umockdev' not in os.environ.get('LD_PRELOAD', ''):
            self.skipTest('machine lacks: umockdev, under which this test runs')
        gi.require_version('UMockdev', '1.0')
        from gi.repository import UMockdev
        testbed = UMockdev.Testbed.new()
        self.env['UMOCKDEV_DIR'] = testbed.get_root_dir()
        device = testbed.add_device(subsystem, name, None, list(attributes), [])
        return lambda action: testbed.uevent(device, action)

    def policy_files(self, policy='policy1'):
        """(governor, EPP, boost, min freq); None for a file that is not there."""
        return tuple(self.line(path) if os.path.exists(self.path(path)) else None
                     for path in (f'{POLICY_DIR}{policy}/{name}' for name in
                                  ('scaling_governor', 'energy_performance_preference', 'boost',
                                   'scaling_min_freq')))

    def state_file(self):
        """{group: {key: value}} of the saved state; {} where there is none."""
        path = os.path.join(self.state_dir, 'state.ini')
        if not os.path.exists(path):
            return {}
        file = GLib.KeyFile()
        file.load_from_file(path, GLib.KeyFileFlags.NONE)
        return {group: {key: file.get_value(group, key) for key in file.get_keys(group)[0]}
                for group in file.get_groups()[0]}

    def write_state(self, text, directory=None):
        """As an earlier daemon left it."""
        directory = directory or self.state_dir
        os.makedirs(directory, exist_ok=True)
        with open(os.path.join(directory, 'state.ini'), 'w', encoding='utf-8') as file:
            file.write(text)


class ModernCase(ProfileCase):

    face = MODERN
    other = LEGACY


class LegacyCase(ProfileCase):

    face = LEGACY
    other = MODERN
