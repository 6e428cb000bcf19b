# SPDX-License-Identifier: GPL-2.0-or-later
"""A polkit that answers as told and keeps what it was asked."""

from gi.repository import Gio, GLib

NAME = 'org.freedesktop.PolicyKit1'
PATH = '/org/freedesktop/PolicyKit1/Authority'
XML = '''<node><interface name="org.freedesktop.PolicyKit1.Authority">
  <method name="CheckAuthorization">
    <arg type="(sa{sv})" direction="in"/><arg type="s" direction="in"/>
    <arg type="a{ss}" direction="in"/><arg type="u" direction="in"/>
    <arg type="s" direction="in"/><arg type="(bba{ss})" direction="out"/>
  </method>
  <signal name="Changed"/>
  <property name="BackendName" type="s" access="read"/>
  <property name="BackendVersion" type="s" access="read"/>
  <property name="BackendFeatures" type="u" access="read"/>
</interface></node>'''


def _get_property(_connection, _sender, _path, _interface, name):
    return GLib.Variant('u', 0) if name == 'BackendFeatures' else GLib.Variant('s', 'mock')


class PolkitMock:
    """Answers while the main context runs."""

    def __init__(self, case):
        """@case: the EppdTestCase whose bus it serves on, by a connection of its own."""
        self.allowed = True
        self.asked = []  # (action id, subject kind, flags)
        self.connection = case.connect()
        interface = Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0]
        self.connection.register_object(PATH, interface, self._call, _get_property, None)
        case.bus_call(self.connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                      'org.freedesktop.DBus', 'RequestName', GLib.Variant('(su)', (NAME, 0)))

    def _call(self, _connection, _sender, _path, _interface, _method, parameters, invocation):
        (kind, _details), action, _action_details, flags, _cancellation = parameters.unpack()
        self.asked.append((action, kind, flags))
        invocation.return_value(GLib.Variant('((bba{ss}))', ((self.allowed, False, {}),)))

    def take_asked(self):
        """What it was asked since the last call."""
        asked, self.asked = self.asked, []
        return asked


def main():
    """A polkit of its own on the system bus that allows all, until it is killed."""
    connection = Gio.bus_get_sync(Gio.BusType.SYSTEM, None)
    interface = Gio.DBusNodeInfo.new_for_xml(XML).interfaces[0]

    def call(_connection, _sender, _path, _interface, _method, _parameters, invocation):
        invocation.return_value(GLib.Variant('((bba{ss}))', ((True, False, {}),)))

    connection.register_object(PATH, interface, call, _get_property, None)
    Gio.bus_own_name_on_connection(connection, NAME, Gio.BusNameOwnerFlags.NONE, None, None)
    GLib.MainLoop().run()


if __name__ == '__main__':
    main()
