# SPDX-License-Identifier: GPL-2.0-or-later
"""UPower, logind and polkit as a test plays them. Each has a connection of its own: what it tells or answers
eppd comes there before what is asked on that connection next, case.settle(on=service.connection)."""

import os

from gi.repository import Gio, GLib

PROPERTIES = 'org.freedesktop.DBus.Properties'

UPOWER = 'org.freedesktop.UPower'
UPOWER_PATH = '/org/freedesktop/UPower'
DEVICE = 'org.freedesktop.UPower.Device'
DISPLAY_DEVICE_PATH = '/org/freedesktop/UPower/devices/DisplayDevice'
UPOWER_XML = f'''<node><interface name="{UPOWER}">
  <property name="OnBattery" type="b" access="read"/></interface>
  <interface name="{DEVICE}">
  <property name="IsPresent" type="b" access="read"/>
  <property name="Percentage" type="d" access="read"/></interface></node>'''

LOGIND = 'org.freedesktop.login1'
LOGIND_PATH = '/org/freedesktop/login1'
MANAGER = 'org.freedesktop.login1.Manager'
LOGIND_XML = f'''<node><interface name="{MANAGER}">
  <method name="Inhibit"><arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/>
    <arg type="h" direction="out"/></method>
  <signal name="PrepareForSleep"><arg type="b"/></signal></interface></node>'''

POLKIT = 'org.freedesktop.PolicyKit1'
POLKIT_PATH = '/org/freedesktop/PolicyKit1/Authority'
POLKIT_XML = '''<node><interface name="org.freedesktop.PolicyKit1.Authority">
  <method name="CheckAuthorization">
    <arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{ss}" direction="in"/><arg type="u" direction="in"/>
    <arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/>
  </method></interface></node>'''


class Service:
    """Something on the bus with a name."""

    def __init__(self, case, name):
        self.case = case
        self.name = name
        self.connection = case.connect()

    def own(self):
        self.case.bus_call(self.connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                           'org.freedesktop.DBus', 'RequestName',
                           GLib.Variant('(su)', (self.name, 0)))

    def leave(self):
        self.connection.close_sync(None)
        self.case.wait_for(lambda: not self.case.name_owner(self.name), f'{self.name} to leave')

    def emit(self, path, interface, signal, parameters):
        self.connection.emit_signal(None, path, interface, signal, parameters)


class UPower(Service):

    def __init__(self, case, on_battery=False, percent=None):
        super().__init__(case, UPOWER)
        self.on_battery = on_battery
        self.percent = percent  # None: there is no battery
        self.asked = 0
        main, device = Gio.DBusNodeInfo.new_for_xml(UPOWER_XML).interfaces
        self.connection.register_object(UPOWER_PATH, main, None, self._get, None)
        self.connection.register_object(DISPLAY_DEVICE_PATH, device, None, self._get, None)
        self.own()

    def _get(self, _connection, _sender, _path, _interface, name):
        self.asked += 1
        return self._variant(name)

    def _variant(self, name):
        return {'OnBattery': GLib.Variant('b', self.on_battery),
                'IsPresent': GLib.Variant('b', self.percent is not None),
                'Percentage': GLib.Variant('d', self.percent or 0.0)}[name]

    def _tell(self, path, interface, *names):
        """eppd has asked again, and been answered, when this returns."""
        before = self.asked
        self.emit(path, PROPERTIES, 'PropertiesChanged', GLib.Variant(
            '(sa{sv}as)', (interface, {name: self._variant(name) for name in names}, [])))
        self.case.wait_for(lambda: self.asked >= before + len(names), 'eppd to ask UPower again')
        self.case.settle(on=self.connection)

    def set_on_battery(self, on_battery):
        self.on_battery = on_battery
        self._tell(UPOWER_PATH, UPOWER, 'OnBattery')

    def set_percent(self, percent):
        self.percent = percent
        self._tell(DISPLAY_DEVICE_PATH, DEVICE, 'IsPresent', 'Percentage')


class Logind(Service):

    def __init__(self, case, refuses=False):
        super().__init__(case, LOGIND)
        self.refuses = refuses
        self.asked = []  # what each inhibitor was asked for with
        self.held = []  # the read ends of their pipes
        self.connection.register_object(LOGIND_PATH,
                                        Gio.DBusNodeInfo.new_for_xml(LOGIND_XML).interfaces[0],
                                        self._call, None, None)
        case.addCleanup(self._close)
        self.own()

    def _call(self, _connection, _sender, _path, _interface, _method, parameters, invocation):
        self.asked.append(parameters.unpack())
        if self.refuses:
            invocation.return_dbus_error('org.freedesktop.DBus.Error.AccessDenied',
                                         'no inhibitors today')
            return
        read_fd, write_fd = os.pipe2(os.O_CLOEXEC | os.O_NONBLOCK)
        self.held.append(read_fd)
        invocation.return_value_with_unix_fd_list(GLib.Variant('(h)', (0,)),
                                                  Gio.UnixFDList.new_from_array([write_fd]))

    def _close(self):
        for fd in self.held:
            os.close(fd)

    def is_released(self, index):
        """Whether nobody has the inhibitor any more."""
        try:
            return os.read(self.held[index], 1) == b''
        except BlockingIOError:
            return False

    def prepare_for_sleep(self, sleeps):
        self.emit(LOGIND_PATH, MANAGER, 'PrepareForSleep', GLib.Variant('(b)', (sleeps,)))
        self.case.settle(on=self.connection)


class Polkit(Service):

    def __init__(self, case, allowed='all'):
        """@allowed: 'all', or a list of action ids."""
        super().__init__(case, POLKIT)
        self.allowed = allowed
        self.held_back = None
        self.connection.register_object(POLKIT_PATH,
                                        Gio.DBusNodeInfo.new_for_xml(POLKIT_XML).interfaces[0],
                                        self._call, None, None)
        self.own()

    def _call(self, _connection, _sender, _path, _interface, _method, parameters, invocation):
        action = parameters.unpack()[1]
        is_authorized = self.allowed == 'all' or action in self.allowed
        answer = GLib.Variant('((bba{ss}))', ((is_authorized, False, {}),))
        if self.held_back is None:
            invocation.return_value(answer)
        else:
            self.held_back.append((invocation, answer))

    def hold_back(self):
        """Answers late from here on, and as things were when it was asked."""
        self.held_back = []

    def let_go(self):
        answers, self.held_back = self.held_back, None
        for invocation, answer in answers:
            invocation.return_value(answer)
