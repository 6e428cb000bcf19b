# SPDX-License-Identifier: GPL-2.0-or-later
"""The bus policies and activation files, in a real dbus-daemon with the system bus's own defaults."""

import os
import shutil
import tempfile
import unittest
from xml.etree import ElementTree

from gi.repository import Gio, GLib

import harness

NAMES = ('org.eppd.Eppd1', 'org.freedesktop.UPower.PowerProfiles', 'net.hadess.PowerProfiles')
SYSTEM_CONF = '/usr/share/dbus-1/system.conf'
OTHER_USER = 65534
PRIMARY_OWNER = 1

HEAD = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
'''


def system_like_config(directory):
    """What the system bus allows by itself, without its address and user; then our files."""
    data_dir = os.path.join(harness.SOURCE_ROOT, 'data')
    root = ElementTree.Element('busconfig')
    ElementTree.SubElement(root, 'type').text = 'system'
    ElementTree.SubElement(root, 'listen').text = f'unix:path={directory}/bus'
    ElementTree.SubElement(root, 'auth').text = 'EXTERNAL'
    ElementTree.SubElement(root, 'servicedir').text = os.path.join(directory, 'services')
    # A bus of type system starts nothing without one.
    ElementTree.SubElement(root, 'servicehelper').text = '/bin/false'
    root.extend(ElementTree.parse(SYSTEM_CONF).getroot().findall('policy'))
    for name in NAMES:
        ElementTree.SubElement(root, 'include').text = os.path.join(data_dir, name + '.conf')
    return HEAD + ElementTree.tostring(root, encoding='unicode')


class BusPolicyTest(unittest.TestCase):

    def setUp(self):
        if os.geteuid() != 0:
            self.skipTest('machine lacks: root (to be several users)')
        if not os.path.exists(SYSTEM_CONF):
            self.skipTest(f'machine lacks: {SYSTEM_CONF}')
        self.directory = tempfile.mkdtemp(prefix='eppd-test-')
        self.addCleanup(shutil.rmtree, self.directory)
        os.chmod(self.directory, 0o711)
        self.start_bus()
        self.client = self.connect(OTHER_USER)

    def start_bus(self):
        services = os.path.join(self.directory, 'services')
        os.mkdir(services)
        for name in NAMES:
            shutil.copy(os.path.join(harness.SOURCE_ROOT, 'data', name + '.service'), services)
        path = os.path.join(self.directory, 'bus.conf')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(system_like_config(self.directory))
        read_fd, write_fd = os.pipe()
        bus = harness.Program(['dbus-daemon', f'--config-file={path}', '--nofork', '--nopidfile',
                               '--nosyslog', f'--print-address={write_fd}'], self.directory,
                              dict(os.environ), pass_fds=[write_fd])
        self.addCleanup(bus.end)
        os.close(write_fd)
        with os.fdopen(read_fd, encoding='utf-8') as file:
            self.address = file.readline().strip()
        self.assertTrue(self.address, f'dbus-daemon did not start: {bus.err}')
        self.bus = bus

    def connect(self, uid=0):
        os.seteuid(uid)
        try:
            connection = Gio.DBusConnection.new_for_address_sync(
                self.address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        finally:
            os.seteuid(0)
        connection.set_exit_on_close(False)
        self.addCleanup(connection.close_sync, None)
        return connection

    def bus_method(self, connection, method, signature, *args):
        return connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus',
                                    'org.freedesktop.DBus', method,
                                    GLib.Variant(signature, args) if signature else None, None,
                                    Gio.DBusCallFlags.NONE, -1, None).unpack()[0]

    def own(self, connection, *names):
        for name in names:
            self.assertEqual(self.bus_method(connection, 'RequestName', '(su)', name, 0),
                             PRIMARY_OWNER)

    def answer(self, name, interface, member, signature=None, *args):
        """The D-Bus error that another user's call ends with; None: it succeeded."""
        answers = []

        def done(connection, result):
            try:
                connection.call_finish(result)
                answers.append(None)
            except GLib.Error as error:
                answers.append(Gio.DBusError.get_remote_error(error)
                               .removeprefix('org.freedesktop.DBus.Error.'))

        self.client.call(name, '/', interface, member,
                         GLib.Variant(signature, args) if signature else None, None,
                         Gio.DBusCallFlags.NO_AUTO_START, harness.TIMEOUT_SECONDS * 1000, None,
                         done)
        self.assertTrue(harness.iterate_until(lambda: answers), f'no answer from {name}')
        return answers[0]

    def check_calls(self, name):
        # No object is there: that it is its owner who says so shows that the call got through.
        properties = 'org.freedesktop.DBus.Properties'
        self.assertEqual(self.answer(name, name, 'SomeMethod'), 'UnknownMethod')
        self.assertEqual(self.answer(name, properties, 'GetAll', '(s)', name), 'UnknownMethod')
        self.assertEqual(self.answer(name, properties, 'Set', '(ssv)', name, 'Version',
                                     GLib.Variant('s', '')), 'UnknownMethod')
        self.assertIsNone(self.answer(name, 'org.freedesktop.DBus.Introspectable', 'Introspect'))
        self.assertIsNone(self.answer(name, 'org.freedesktop.DBus.Peer', 'Ping'))
        self.assertEqual(self.answer(name, 'org.example.Other', 'SomeMethod'), 'AccessDenied')

    def test_root_may_own_each_name_and_others_may_call_it(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.own(self.connect(), name)
                self.check_calls(name)

    def test_one_connection_may_own_all_of_them(self):
        self.own(self.connect(), *NAMES)
        for name in NAMES:
            with self.subTest(name=name):
                self.check_calls(name)

    def test_another_user_may_own_none(self):
        for name in NAMES:
            with self.subTest(name=name):
                with self.assertRaises(GLib.Error) as caught:
                    self.own(self.client, name)
                self.assertEqual(Gio.DBusError.get_remote_error(caught.exception),
                                 'org.freedesktop.DBus.Error.AccessDenied')

    def test_each_name_can_be_activated(self):
        names = self.bus_method(self.client, 'ListActivatableNames', None)
        self.assertEqual(set(names), {'org.freedesktop.DBus', *NAMES})

    def test_activation_starts_the_unit(self):
        for name in NAMES:
            with self.subTest(name=name):
                file = GLib.KeyFile()
                file.load_from_file(os.path.join(harness.SOURCE_ROOT, 'data', name + '.service'),
                                    GLib.KeyFileFlags.NONE)
                self.assertEqual({key: file.get_string('D-BUS Service', key)
                                  for key in file.get_keys('D-BUS Service')[0]},
                                 {'Name': name, 'Exec': '/bin/false', 'User': 'root',
                                  'SystemdService': 'eppd.service'})

    def test_the_bus_loads_each_file_without_a_complaint(self):
        self.assertNotRegex(self.bus.err, '|'.join(NAMES))
