# SPDX-License-Identifier: GPL-2.0-or-later
"""A FAKE org.eppd.Eppd1: it answers what the test says, and keeps what it was asked. It boosts nothing
and checks nothing: for tests of the programs that talk to eppd, never of eppd itself."""

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

import harness  # noqa: E402


def variant(value):
    """The Variant of a plain value: bool b, int u (or t, if it is a Wide), str s, list au."""
    if isinstance(value, GLib.Variant):
        return value
    if isinstance(value, bool):
        return GLib.Variant('b', value)
    if isinstance(value, Wide):
        return GLib.Variant('t', value)
    if isinstance(value, int):
        return GLib.Variant('u', value)
    if isinstance(value, list):
        return GLib.Variant('au', value)
    return GLib.Variant('s', value)


class Wide(int):
    """An int that travels as a t."""


def vardict(fields):
    return {key: variant(value) for key, value in fields.items()}


def policy(number, **fields):
    """A policy as GetPolicies describes an idle one."""
    return {
        'policy': f'policy{number}', 'cpus': str(number), 'online': True,
        'driver': 'amd-pstate-epp', 'governor': 'powersave', 'base': 'balance_performance',
        'current': 'balance_performance', 'boosted': False, 'foreign-writes': Wide(0),
        'resting': False, 'restore-pending': False, 'why': 'idle', **fields}


class FakeEppd:
    def __init__(self, connection, xml=None):
        """Exports the object on @connection; own() takes the name. @xml: another interface text, for
        a daemon that speaks otherwise."""
        info = Gio.DBusNodeInfo.new_for_xml(xml or harness.read_file(harness.INTERFACE_FILE))
        self.connection = connection
        self.properties = {
            'Version': '9.9', 'BoostState': 'armed', 'BoostReason': 'one hold',
            'ResidencySource': 'bpf', 'ResidencyReason': 'sampled by ticks', 'BoostedCpus': [],
            'ActiveProfile': 'balanced', 'PowerSource': 'ac',
            'ConfigProblems': GLib.Variant('as', [])}
        self.policies = [policy(0), policy(1)]
        self.holds = []
        self.statistics = {'samples': Wide(1234), 'busy-edges': Wide(3), 'idle-edges': Wide(2),
                           'boost-writes': Wide(3), 'base-writes': Wide(2),
                           'sample-period-usec': Wide(10000)}
        self.explanation = {'policy': 'policy1', 'base': 'balance_performance',
                            'current': 'performance', 'boosted': True, 'busy-permille': 874,
                            'sample-age-usec': Wide(4000), 'text': 'It was busy a moment ago.'}
        self.default_trigger = 'core'
        self.needs_cgroup = False  # for trigger app, as the real one
        self.hold_fields = {}  # more fields for the holds that are taken
        self.errors = {}       # method → (D-Bus error name, message), or what says so by the arguments
        self.silent = set()    # methods that never answer
        self.calls = []        # (method, arguments)
        self.n_read = 0        # properties that were asked for
        self._registration = connection.register_object(
            harness.OBJECT_PATH, info.lookup_interface(harness.BUS_NAME), self._on_call,
            self._on_get, None)

    def own(self):
        self._name_call('RequestName', GLib.Variant('(su)', (harness.BUS_NAME, 4)))
        return self

    def disown(self):
        self._name_call('ReleaseName', GLib.Variant('(s)', (harness.BUS_NAME,)))

    def _name_call(self, method, parameters):
        self.connection.call_sync('org.freedesktop.DBus', '/org/freedesktop/DBus',
                                  'org.freedesktop.DBus', method, parameters, None,
                                  Gio.DBusCallFlags.NONE, -1, None)

    def change(self, **properties):
        """Sets properties and says so on the bus."""
        self.properties.update(properties)
        self.connection.emit_signal(
            None, harness.OBJECT_PATH, 'org.freedesktop.DBus.Properties', 'PropertiesChanged',
            GLib.Variant('(sa{sv}as)', (harness.BUS_NAME, vardict(properties), [])))

    def called(self, method):
        """The arguments of each call of @method."""
        return [arguments for name, arguments in self.calls if name == method]

    def _on_get(self, _connection, _sender, _path, _interface, name):
        self.n_read += 1
        return variant(self.properties[name])

    def _on_call(self, _connection, sender, _path, _interface, method, parameters, invocation):
        self.calls.append((method, parameters.unpack()))
        if method in self.silent:
            return
        error = self.errors.get(method)
        if callable(error):
            error = error(*parameters.unpack())
        if error:
            invocation.return_dbus_error(*error)
            return
        invocation.return_value(getattr(self, '_' + method)(sender, *parameters.unpack()))

    def _HoldBoost(self, sender, app_id, reason, options):
        cookie = 1000 + len(self.called('HoldBoost'))
        asked = options.get('trigger', self.default_trigger)
        falls_back = asked == 'app' and self.needs_cgroup and 'cgroup' not in options
        self.holds.append({
            'cookie': cookie, 'app-id': app_id, 'reason': reason, 'owner': sender, 'uid': 1000,
            'trigger': 'core' if falls_back else asked, 'trigger-asked': asked,
            **({'trigger-why': 'it has no cgroup'} if falls_back else {}),
            **({'cgroup': options['cgroup']} if 'cgroup' in options else {}),
            'threshold-percent': options.get('threshold-percent', 50),
            'since-usec': Wide(GLib.get_monotonic_time()), **self.hold_fields})
        return GLib.Variant('(u)', (cookie,))

    def _ReleaseBoost(self, _sender, cookie):
        self.holds = [hold for hold in self.holds if hold['cookie'] != cookie]

    def _ListBoostHolds(self, _sender):
        return GLib.Variant('(aa{sv})', ([vardict(hold) for hold in self.holds],))

    def _GetPolicies(self, _sender):
        if isinstance(self.policies, GLib.Variant):
            return self.policies
        return GLib.Variant('(aa{sv})', ([vardict(fields) for fields in self.policies],))

    def _GetStatistics(self, _sender):
        return GLib.Variant('(a{sv})', (vardict(self.statistics),))

    def _Explain(self, _sender, _cpu):
        return GLib.Variant('(a{sv})', (vardict(self.explanation),))

    def _Reload(self, _sender):
        return None
