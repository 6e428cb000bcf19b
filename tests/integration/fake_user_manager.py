# SPDX-License-Identifier: GPL-2.0-or-later
"""A FAKE systemd of a user: it makes transient scopes, in real cgroups, and nothing else."""

import contextlib
import os

from gi.repository import Gio, GLib

from hold_case import cgroup2_root

NAME = 'org.freedesktop.systemd1'
PATH = '/org/freedesktop/systemd1'
MANAGER = 'org.freedesktop.systemd1.Manager'
XML = f'''<node><interface name="{MANAGER}">
  <method name="StartTransientUnit">
    <arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="a(sv)" direction="in"/><arg type="a(sa(sv))" direction="in"/>
    <arg type="o" direction="out"/></method>
  <signal name="JobRemoved">
    <arg type="u"/><arg type="o"/><arg type="s"/><arg type="s"/></signal>
</interface></node>'''
JOB = PATH + '/job/7'


class UserManager:
    """On the test's own bus, which is the session's too: case.env says so from here on."""

    def __init__(self, case):
        if os.geteuid() != 0:
            case.skipTest('machine lacks: root (to make cgroups)')
        self.root = cgroup2_root()
        if not self.root:
            case.skipTest('machine lacks: a cgroup v2 hierarchy')
        self.case = case
        self.units = []        # (name, mode, properties) of each that was asked for
        self.error = None      # (D-Bus error name, message): the answer
        self.result = 'done'   # of the job; None: it never ends
        self.moves = True      # the processes
        # No other test makes it, so that none waits for another's.
        self.slice = f'/eppd-test-{os.getpid()}.slice'
        self.made = []
        # Once all programs have ended that the test starts from here on.
        case.addCleanup(self._remove_all)
        self._make(self.slice)
        self._make(self.slice + '/app.slice')
        self.connection = case.connect()
        self.connection.register_object(
            PATH, Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0], self._on_call, None, None)
        case.bus_call(self.connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                      'org.freedesktop.DBus', 'RequestName', GLib.Variant('(su)', (NAME, 0)))
        case.env['DBUS_SESSION_BUS_ADDRESS'] = case.bus_address

    def cgroup(self, unit):
        return f'{self.slice}/app.slice/{unit}'

    def move(self, pid, unit):
        """Moves a process into the cgroup of @unit, which is made; its path below the v2 root."""
        cgroup = self.cgroup(unit)
        if not os.path.isdir(self.root + cgroup):
            self._make(cgroup)
        with open(f'{self.root}{cgroup}/cgroup.procs', 'w', encoding='ascii') as file:
            file.write(str(pid))
        return cgroup

    def _make(self, cgroup):
        os.mkdir(self.root + cgroup)
        self.made.append(self.root + cgroup)

    def _remove_all(self):
        def removed(path):
            with contextlib.suppress(OSError):
                os.rmdir(path)
            return not os.path.isdir(path)
        for path in reversed(self.made):
            self.case.wait_for(lambda: removed(path), f'{path} to be empty')  # pylint: disable=W0640

    def _on_call(self, connection, _sender, _path, _interface, _method, parameters, invocation):
        unit, mode, properties, _aux = parameters.unpack()
        self.units.append((unit, mode, dict(properties)))
        if self.error:
            invocation.return_dbus_error(*self.error)
            return
        invocation.return_value(GLib.Variant('(o)', (JOB,)))
        # As with the real one, the answer comes before the job is done. Another's job is none of ours.
        if self.result and self.moves:
            for pid in dict(properties)['PIDs']:
                self.move(pid, unit)
        connection.emit_signal(None, PATH, MANAGER, 'JobRemoved',
                               GLib.Variant('(uoss)', (6, PATH + '/job/6', 'other.scope', 'failed')))
        if self.result:
            connection.emit_signal(None, PATH, MANAGER, 'JobRemoved',
                                   GLib.Variant('(uoss)', (7, JOB, unit, self.result)))
