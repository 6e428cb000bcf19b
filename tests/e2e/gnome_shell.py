# SPDX-License-Identifier: GPL-2.0-or-later
"""A headless GNOME Shell on a session bus of its own, used as a user would: with a pointer.

It runs as an unprivileged user, so that eppd asks polkit about it. Nothing of the machine's own desktop
is in reach: its home, runtime directory, settings and both buses are the test's.
"""

import json
import os
import shutil
import sys

from gi.repository import Gio, GLib

import harness
from profile_case import NOBODY

WIDTH, HEIGHT = 1280, 800
BUS_NAME = 'org.gnome.Shell'
DRIVER_FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'shell-driver.js')

# No animation to wait for, no welcome, no banner over what is to be clicked.
SETTINGS = '''[org/gnome/desktop/interface]
enable-animations=false
[org/gnome/desktop/notifications]
show-banners=false
[org/gnome/shell]
welcome-dialog-last-shown-version='999'
'''


def lacks():
    """What the machine lacks to run it, or None."""
    return None if shutil.which('gnome-shell') else 'gnome-shell'


class GnomeShell:
    """GNOME Shell for @test, a DesktopTestCase, whose system bus it uses; ends with the test."""

    def __init__(self, test):
        self.test = test
        self.user = ({'user': NOBODY, 'group': NOBODY, 'extra_groups': []}
                     if os.geteuid() == 0 else {})
        self.directory = os.path.join(test.directory, 'desktop')
        self.home = os.path.join(self.directory, 'home')
        self.bus_address = f'unix:path={self.directory}/bus'
        self.program = None
        self.connection = None

    def start(self):
        """Until it can be used."""
        self._make_directory()
        self._start_mocks()
        self.connection = self._start_session_bus()
        self._start_shell()
        # It starts in the overview.
        self.eval('Main.overview.hide()')
        self.eval(harness.read_file(DRIVER_FILE))

    # ---- start ----

    def _make_directory(self):
        """All that the Shell's user has; the test's own directory is its owner's alone."""
        files = {
            'bus.conf': harness.BUS_CONFIG.format(directory=self.directory, services=''),
            'home/.config/glib-2.0/settings/keyfile': SETTINGS,
        }
        os.makedirs(os.path.join(self.directory, 'runtime'), mode=0o700)
        for name, text in files.items():
            path = os.path.join(self.directory, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)
        if self.user:
            os.chmod(self.test.directory, 0o711)
            for path, _directories, names in os.walk(self.directory):
                for name in ['.', *names]:
                    os.chown(os.path.join(path, name), NOBODY, NOBODY)

    def _start_mocks(self):
        """Without logind it does not start; without UPower it has no power indicator."""
        for template, name in (('logind', 'org.freedesktop.login1'),
                               ('upower', 'org.freedesktop.UPower')):
            self.test.start_program([sys.executable, '-m', 'dbusmock', '--system', '--template',
                                     template])
            self.test.wait_for(lambda name=name: self.test.name_owner(name), f'the mock of {name}')

    def _start_session_bus(self):
        """The bus, and a connection to it."""
        bus = self.test.start_program(['dbus-daemon', f'--config-file={self.directory}/bus.conf',
                                       '--nofork', '--nopidfile', '--nosyslog'], **self.user)
        connection = self.test.wait_for(lambda: bus.code() is not None or self._connect(),
                                        'the session bus')
        if bus.code() is not None:
            self.test.fail(f'the session bus did not start: {bus.err}')
        return connection

    def _connect(self):
        try:
            connection = Gio.DBusConnection.new_for_address_sync(
                self.bus_address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
                | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        except GLib.Error:
            return None
        connection.set_exit_on_close(False)
        return connection

    def _start_shell(self):
        env = {'PATH': '/usr/bin:/bin', 'LC_ALL': 'C.UTF-8', 'HOME': self.home,
               'XDG_RUNTIME_DIR': os.path.join(self.directory, 'runtime'),
               'GSETTINGS_BACKEND': 'keyfile', 'DBUS_SYSTEM_BUS_ADDRESS': self.test.bus_address,
               'DBUS_SESSION_BUS_ADDRESS': self.bus_address}
        self.program = self.test.start_group(
            ['gnome-shell', '--headless', '--no-x11', '--virtual-monitor', f'{WIDTH}x{HEIGHT}',
             '--unsafe-mode'], env=env, cwd=self.home, **self.user)
        self.test.wait_for(lambda: self.program.code() is not None or self._is_ready(),
                           'GNOME Shell to be ready')
        if self.program.code() is not None:
            self.test.fail(f'GNOME Shell ended at once ({self.program.code()}):\n{self.log()}')

    def _is_ready(self):
        try:
            return self.eval('!Main.layoutManager._startingUp')
        except GLib.Error as error:
            if Gio.DBusError.get_remote_error(error) in (
                    'org.freedesktop.DBus.Error.ServiceUnknown',
                    'org.freedesktop.DBus.Error.UnknownMethod',
                    'org.freedesktop.DBus.Error.NoReply'):
                return False
            raise

    # ---- the Shell ----

    def log(self):
        return self.program.out + self.program.err if self.program else ''

    def eval(self, code):
        """The value of JavaScript @code inside the Shell; None for undefined."""
        ok, value = self.test.bus_call(self.connection, BUS_NAME, '/org/gnome/Shell', BUS_NAME,
                                       'Eval', GLib.Variant('(s)', (code,)))
        if not ok:
            self.test.fail(f'GNOME Shell did not run {code!r}: {value}')
        return json.loads(value) if value else None

    def _drive(self, function, *args):
        return self.eval(f'driver.{function}(...{json.dumps(args)})')

    def _at_rest(self, function, name):
        """What the driver's @function says of an actor, once it says the same twice."""
        seen = []

        def is_at_rest():
            seen.append(self._drive(function, name))
            return seen[-1] and seen[-2:-1] == seen[-1:]

        self.test.wait_for(is_at_rest, f'{name} to be at rest on the screen')
        return seen[-1]

    def click(self, name):
        """Points at an actor of shell-driver.js until it feels that and stays there; clicks it."""
        self._at_rest('point', name)
        self._drive('click')

    def area(self, name):
        """(x, y, width, height) of an actor on the screen, awaited."""
        return tuple(round(value) for value in self._at_rest('extents', name))

    def screenshot(self, name):
        """Of the whole screen; the path of the PNG."""
        path = os.path.join(self.home, name)
        ok, used_path = self.test.bus_call(
            self.connection, 'org.gnome.Shell.Screenshot', '/org/gnome/Shell/Screenshot',
            'org.gnome.Shell.Screenshot', 'Screenshot', GLib.Variant('(bbs)', (False, False, path)))
        self.test.assertEqual((ok, used_path), (True, path))
        return path

    # ---- its power menu ----

    def power_menu(self):
        """visible, checked, label (of the toggle); isPanelOpen, isOpen; profiles, as listed; active: those
        with a check mark; cached: what the Shell takes for the active profile."""
        return self._drive('state')

    def open_quick_settings(self):
        if not self.power_menu()['isPanelOpen']:
            self.click('quick settings')
            self.test.wait_for(lambda: self.power_menu()['isPanelOpen'], 'the quick settings')

    def open_power_menu(self):
        self.open_quick_settings()
        if not self.power_menu()['isOpen']:
            self.click('arrow')
            self.test.wait_for(lambda: self.power_menu()['isOpen'], 'the power menu')

    def choose(self, profile):
        """Opens the menu and clicks the entry of @profile."""
        self.open_power_menu()
        self.click(profile)

    def click_toggle(self):
        self.open_quick_settings()
        self.click('toggle')
