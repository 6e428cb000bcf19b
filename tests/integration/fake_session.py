# SPDX-License-Identifier: GPL-2.0-or-later
"""A user's session bus, and what is on it: the systemd user manager and GameMode as a test plays them."""

import os

from gi.repository import Gio, GLib

import harness
from fake_services import PROPERTIES, Service

SYSTEMD = 'org.freedesktop.systemd1'
SYSTEMD_PATH = '/org/freedesktop/systemd1'
SYSTEMD_MANAGER = 'org.freedesktop.systemd1.Manager'
SYSTEMD_UNIT = 'org.freedesktop.systemd1.Unit'
UNIT_KINDS = {'scope': 'org.freedesktop.systemd1.Scope',
              'service': 'org.freedesktop.systemd1.Service'}
SYSTEMD_XML = f'''<node><interface name="{SYSTEMD_MANAGER}">
  <method name="Subscribe"/>
  <method name="ListUnitsByPatterns"><arg type="as" direction="in"/><arg type="as" direction="in"/>
    <arg type="a(ssssssouso)" direction="out"/></method>
  <signal name="UnitNew"><arg type="s"/><arg type="o"/></signal>
  <signal name="UnitRemoved"><arg type="s"/><arg type="o"/></signal></interface></node>'''
UNIT_XML = '<node><interface name="{}"><property name="ControlGroup" type="s" access="read"/>' \
           '</interface></node>'

GAMEMODE = 'com.feralinteractive.GameMode'
GAMEMODE_PATH = '/com/feralinteractive/GameMode'
GAMEMODE_XML = f'''<node><interface name="{GAMEMODE}">
  <method name="ListGames"><arg type="a(io)" direction="out"/></method>
  <signal name="GameRegistered"><arg type="i"/><arg type="o"/></signal>
  <signal name="GameUnregistered"><arg type="i"/><arg type="o"/></signal></interface></node>'''


class SessionBus:
    """What a service on it needs of a test case, by the session's bus."""

    def __init__(self, case):
        self.bus_call = case.bus_call
        self.wait_for = case.wait_for
        directory = os.path.join(case.directory, 'session')
        os.mkdir(directory)
        config = os.path.join(directory, 'bus.conf')
        with open(config, 'w', encoding='utf-8') as file:
            file.write(harness.BUS_CONFIG.format(directory=directory, services='')
                       .replace('<type>system<', '<type>session<'))
        read_fd, write_fd = os.pipe()
        self.daemon = case.start_program(['dbus-daemon', f'--config-file={config}', '--nofork', '--nopidfile',
                                          '--nosyslog', f'--print-address={write_fd}'],
                                         pass_fds=[write_fd])
        os.close(write_fd)
        with os.fdopen(read_fd, encoding='utf-8') as file:
            self.address = file.readline().strip()
        self.connection = self.connect()

    def connect(self):
        connection = Gio.DBusConnection.new_for_address_sync(
            self.address, Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        connection.set_exit_on_close(False)
        return connection

    def name_owner(self, name):
        try:
            return self.bus_call(self.connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                                 'org.freedesktop.DBus', 'GetNameOwner',
                                 GLib.Variant('(s)', (name,)))
        except GLib.Error:
            return None


class UserManager(Service):
    """systemd's, with the units that the test adds."""

    def __init__(self, bus, units=None, is_subscribed=False):
        """@units: of a manager before this one, {name: cgroup}; @is_subscribed: it knows of the
        subscription too, as one that executes itself anew does."""
        super().__init__(bus, SYSTEMD)
        self.cgroups = {}
        self.objects = {}
        self.is_subscribed = is_subscribed
        self.listed = 0
        self.connection.register_object(SYSTEMD_PATH,
                                        Gio.DBusNodeInfo.new_for_xml(SYSTEMD_XML).interfaces[0],
                                        self._call, None, None)
        for name, cgroup in (units or {}).items():
            self._register(name, cgroup)
        self.own()

    def _call(self, _connection, _sender, _path, _interface, method, _parameters, invocation):
        if method == 'Subscribe' and self.is_subscribed:
            invocation.return_dbus_error(f'{SYSTEMD}.AlreadySubscribed', 'Client is already subscribed.')
            return
        if method == 'Subscribe':
            self.is_subscribed = True
            invocation.return_value(None)
            return
        self.listed += 1
        invocation.return_value(GLib.Variant('(a(ssssssouso))', ([
            (name, '', 'loaded', 'active', 'running', '', self._path(name), 0, '', '/')
            for name in self.cgroups],)))

    def _path(self, name):
        return f'{SYSTEMD_PATH}/unit/u{list(self.cgroups).index(name)}'

    def _register(self, name, cgroup):
        self.cgroups[name] = cgroup
        kind = UNIT_KINDS[name.rsplit('.', 1)[1]]
        info = Gio.DBusNodeInfo.new_for_xml(UNIT_XML.format(kind)).interfaces[0]
        self.objects[name] = self.connection.register_object(
            self._path(name), info, None,
            lambda *_args: GLib.Variant('s', self.cgroups[name] or ''), None)

    def add(self, name, cgroup=None):
        """A unit comes; without @cgroup it has not started yet."""
        self._register(name, cgroup)
        self.emit(SYSTEMD_PATH, SYSTEMD_MANAGER, 'UnitNew',
                  GLib.Variant('(so)', (name, self._path(name))))

    def set_cgroup(self, name, cgroup):
        """It starts, or with None has ended."""
        self.cgroups[name] = cgroup
        state = 'active' if cgroup else 'inactive'
        self.emit(self._path(name), PROPERTIES, 'PropertiesChanged',
                  GLib.Variant('(sa{sv}as)', (SYSTEMD_UNIT,
                                              {'ActiveState': GLib.Variant('s', state)}, [])))

    def remove(self, name):
        path = self._path(name)
        self.connection.unregister_object(self.objects.pop(name))
        self.emit(SYSTEMD_PATH, SYSTEMD_MANAGER, 'UnitRemoved', GLib.Variant('(so)', (name, path)))


class GameMode(Service):

    def __init__(self, bus, pids=()):
        super().__init__(bus, GAMEMODE)
        self.pids = list(pids)
        self.connection.register_object(GAMEMODE_PATH,
                                        Gio.DBusNodeInfo.new_for_xml(GAMEMODE_XML).interfaces[0],
                                        self._call, None, None)
        self.own()

    def _call(self, _connection, _sender, _path, _interface, _method, _parameters, invocation):
        invocation.return_value(GLib.Variant('(a(io))', ([
            (pid, f'{GAMEMODE_PATH}/Games/{pid}') for pid in self.pids],)))

    def _tell(self, signal, pid):
        self.emit(GAMEMODE_PATH, GAMEMODE, signal,
                  GLib.Variant('(io)', (pid, f'{GAMEMODE_PATH}/Games/{pid}')))

    def register(self, pid):
        self.pids.append(pid)
        self._tell('GameRegistered', pid)

    def unregister(self, pid):
        self.pids.remove(pid)
        self._tell('GameUnregistered', pid)
