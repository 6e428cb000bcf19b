# SPDX-License-Identifier: GPL-2.0-or-later
"""One scripted session with a daemon that claims to be power-profiles-daemon, on one of its names: every
method, property, signal and error, what they do to the files, and what polkit is asked. It asserts
nothing: it keeps a transcript, to be compared with another daemon's."""

import json
import os
import re
import signal
import sys
import xml.etree.ElementTree as ElementTree

from gi.repository import Gio, GLib

import harness
import machines
from polkit_mock import PolkitMock

PROPERTIES = 'org.freedesktop.DBus.Properties'
UPOWER = 'org.freedesktop.UPower'
UPOWER_PATH = '/org/freedesktop/UPower'
MODERN_NAME = 'org.freedesktop.UPower.PowerProfiles'
PROFILES = ('performance', 'power-saver', 'balanced')
# polkit lets root pass whatever it is told, and eppd does not even ask for it.
NOBODY = 65534

PROPERTY_NAMES = ('ActiveProfile', 'PerformanceInhibited', 'PerformanceDegraded', 'Profiles', 'Actions',
                  'ActionsInfo', 'ActiveProfileHolds', 'Version', 'BatteryAware')
READ_ONLY = {'PerformanceInhibited': ('s', 'x'), 'PerformanceDegraded': ('s', 'x'),
             'Profiles': ('aa{sv}', []), 'Actions': ('as', []), 'ActionsInfo': ('aa{sv}', []),
             'ActiveProfileHolds': ('aa{sv}', []), 'Version': ('s', 'x')}


class Client:
    """A connection, and the signals that came to it."""

    def __init__(self, connection):
        self.connection = connection
        self.received = []  # (path, interface, signal, parameters)
        connection.signal_subscribe(None, None, None, None, None, Gio.DBusSignalFlags.NONE, self._on_signal)

    def _on_signal(self, _connection, _sender, path, interface, name, parameters):
        if path.endswith('/PowerProfiles'):
            self.received.append((path, interface, name, parameters.unpack()))

    def take(self):
        received, self.received = self.received, []
        return received


class Session:
    """Runs once, on a daemon that is not started yet: run() returns {step: [what happened, a line each]}."""

    def __init__(self, case, daemon, machine, name):
        """@case: an EppdTestCase with its bus. @daemon: of daemons.py. @machine: of machines.MACHINES. @name:
        (bus name, path)."""
        self.case = case
        self.daemon = daemon
        self.bus_name, self.path = name
        self.transcript = {}
        self.lines = None
        self.cookies = {}
        self.files = {}
        self.degraded = {}
        self.process = None
        os.chmod(case.directory, 0o711)
        machines.MACHINES[machine](case.tree)
        self.polkit = PolkitMock(case)
        self._start_upower()
        self.client = self._new_client()
        self.other = self._new_client()

    def _start_upower(self):
        self.case.start_program([sys.executable, '-m', 'dbusmock', '--system', '--template', 'upower'])
        self.case.wait_for(lambda: self.case.name_owner(UPOWER), 'the mock of UPower')

    # ---- talking ----

    def _new_client(self):
        if os.geteuid() != 0:
            return Client(self.case.connect())
        os.seteuid(NOBODY)
        try:
            return Client(self.case.connect())
        finally:
            os.seteuid(0)

    def _request(self, method, parameters, interface=None, path=None, client=None):
        return self.case.bus_call((client or self.client).connection, self.bus_name, path or self.path,
                                  interface or self.bus_name, method, parameters)

    def _call(self, method, signature, *args, text='', **where):
        """Calls and tells what came back. @text: what to call it in the transcript."""
        text = text or f'{method}{self._text(args)}'
        try:
            reply = self._request(method, GLib.Variant(signature, args), **where)
        except GLib.Error as error:
            self._note(f'{text} failed: {self._error_text(error)}')
            return None
        self._note(f'{text} -> {self._text(reply)}')
        return reply

    def _get(self, name, interface=None, **where):
        about = f' of {interface}' if interface else ''
        return self._call('Get', '(ss)', interface or self.bus_name, name, interface=PROPERTIES,
                          text=f'Get {name}{about}', **where)

    def _set(self, name, signature, value, interface=None, **where):
        about = f' of {interface}' if interface else ''
        self._call('Set', '(ssv)', interface or self.bus_name, name, GLib.Variant(signature, value),
                   interface=PROPERTIES, text=f'Set {name}{about} {self._text(value)}', **where)

    def _value(self, name):
        """A property, without a word."""
        return self._request('Get', GLib.Variant('(ss)', (self.bus_name, name)), interface=PROPERTIES)

    def _hold(self, profile, reason='why', application='app', client=None):
        """A hold's cookie; called by a letter in the transcript. None if it was refused."""
        text = f'HoldProfile{self._text((profile, reason, application))}'
        try:
            cookie = self._request('HoldProfile', GLib.Variant('(sss)', (profile, reason, application)),
                                   client=client)
        except GLib.Error as error:
            self._note(f'{text} failed: {self._error_text(error)}')
            return None
        self.cookies[cookie] = f'cookie {len(self.cookies) + 1}'
        self._note(f'{text} -> {self.cookies[cookie]}' + (', which is 0' if cookie == 0 else ''))
        return cookie

    def _release(self, cookie, client=None):
        text = f'ReleaseProfile({self.cookies.get(cookie, cookie)})'
        try:
            self._request('ReleaseProfile', GLib.Variant('(u)', (cookie or 0,)), client=client)
            self._note(f'{text} -> null')
        except GLib.Error as error:
            self._note(f'{text} failed: {self._error_text(error)}')

    # ---- the transcript ----

    def _note(self, line):
        self.lines.append(self.daemon.modernise(line))

    def _plain(self, value):
        """Without what may differ: texts of the daemon's own, and the order of holds (their hash table's)."""
        if isinstance(value, dict):
            return {key: f'SOME {key}' if key in ('Version', 'Description') and item else self._plain(item)
                    for key, item in value.items()}
        if isinstance(value, list):
            items = [self._plain(item) for item in value]
            if items and isinstance(items[0], dict) and 'Reason' in items[0]:
                items.sort(key=lambda hold: hold['ApplicationId'])
            return items
        return value

    def _text(self, value):
        if isinstance(value, tuple):
            return f'({", ".join(self._text(item) for item in value)})'
        return json.dumps(self._plain(value), sort_keys=True, ensure_ascii=False)

    def _error_text(self, error):
        name = Gio.DBusError.get_remote_error(error)
        message = error.message.removeprefix(f'GDBus.Error:{name}: ')
        for cookie, letter in self.cookies.items():
            message = re.sub(f' {cookie}$', f' {letter}', message)
        return f'{name} {json.dumps(message, ensure_ascii=False)}'

    def _signal_text(self, path, interface, name, parameters):
        if name == 'ProfileReleased':
            is_own = (path, interface) == (self.path, self.bus_name)
            return (f'ProfileReleased({self.cookies.get(parameters[0], parameters[0])})'
                    + ('' if is_own else f' from {path} {interface}'))
        if name == 'PropertiesChanged':
            about, changed, invalidated = parameters
            return f'{path} {name} of {about}: {self._text(changed)} {self._text(invalidated)}'
        return f'{path} {interface}.{name}{self._text(parameters)}'

    def _settle(self):
        """Waits until all that the daemon has to say has come: its signals are sent by its main loop, which a
        property's reading goes through; twice, for what it had queued for itself."""
        for _ in range(2):
            for client in (self.client, self.other):
                if not client.connection.is_closed():
                    self._request('Get', GLib.Variant('(ss)', (self.bus_name, 'ActiveProfile')),
                                  interface=PROPERTIES, client=client)

    def step(self, name, function, *args, **options):
        """Runs the function, which notes; then notes signals, files that changed, what polkit was asked."""
        self.lines = self.transcript.setdefault(name, [])
        function(*args, **options)
        if self.process.code() is None:
            self._settle()
        self._note_signals()
        for file, value in machines.settings(self.case.tree).items():
            if value != self.files.get(file):
                self._note(f'file {file}: {self._text(value)}')
                self.files[file] = value
        for action, kind, flags in self.polkit.take_asked():
            self._note(f'polkit was asked {action} of a {kind}, flags {flags}')

    def _is_repeated(self, received):
        """A file's change may be seen, and told, more than once, and at any time after the first."""
        path, _interface, name, parameters = received
        if name != 'PropertiesChanged' or list(parameters[1]) != ['PerformanceDegraded']:
            return False
        repeated = self.degraded.get(path, '') == parameters[1]['PerformanceDegraded']
        self.degraded[path] = parameters[1]['PerformanceDegraded']
        return repeated

    def _note_signals(self):
        for received in self.client.take():
            if not self._is_repeated(received):
                self._note(f'signal {self._signal_text(*received)}')
        # What all get is told already.
        for received in self.other.take():
            if received[2] == 'ProfileReleased':
                self._note(f'signal to the other client {self._signal_text(*received)}')

    # ---- the steps ----

    def _wait_for_names(self):
        for name, _path in self.daemon.names:
            self.case.wait_for(
                lambda name=name: self.case.name_owner(name) or self.process.code() is not None,
                f'{self.daemon.label} to own {name}')
        if self.process.code() is not None:
            self.case.fail(f'{self.daemon.label} ended at once ({self.process.code()}):\n{self.case.log()}')

    def _start(self, *args):
        """All of the files' state is to be told after it."""
        self.files = {}
        self.process = self.daemon.spawn(self.case, *args)
        self.case.daemon = self.process
        self._wait_for_names()
        self._get('ActiveProfile')

    def _stop(self, signal_number=signal.SIGTERM):
        self.process.send(signal_number)
        code = self.case.wait_program(self.process)
        self._note(f'signal {signal.Signals(signal_number).name} -> exit code {code}')
        self.case.wait_for(lambda: not self.case.name_owner(self.bus_name), 'the bus to notice the end')

    def _introspect(self):
        xml = self._request('Introspect', None, interface='org.freedesktop.DBus.Introspectable')
        interface = next(node for node in ElementTree.fromstring(xml).findall('interface')
                         if node.get('name') == self.bus_name)
        for member in interface:
            args = [(arg.get('direction', 'out'), arg.get('type'), arg.get('name'))
                    for arg in member.findall('arg')]
            self._note(' '.join(filter(None, [member.tag, member.get('name'), member.get('type'),
                                              member.get('access'), self._text(args) if args else ''])))
        self.lines.sort()

    def _read_all(self):
        everything = self._request('GetAll', GLib.Variant('(s)', (self.bus_name,)), interface=PROPERTIES)
        for name, value in sorted(everything.items()):
            self._note(f'{name}: {"SOME Version" if name == "Version" and value else self._text(value)}')

    def _read_each(self):
        for name in PROPERTY_NAMES:
            if name == 'Version':
                continue
            self._get(name)
        self._get('Nope')
        self._get('ActiveProfile', interface='org.nope.Nope')
        self._get('ActiveProfile', path='/nope')
        for interface in ('org.nope.Nope', ''):
            self._call('GetAll', '(s)', interface, interface=PROPERTIES)

    def _write_wrongly(self):
        for name, (signature, value) in READ_ONLY.items():
            self._set(name, signature, value)
        self._set('Nope', 's', 'x')
        self._set('ActiveProfile', 's', 'x', interface='org.nope.Nope')
        self._set('ActiveProfile', 'u', 3)
        self._set('BatteryAware', 's', 'x')
        for value in ('bogus', '', 'Performance', 'power-saver\n', 'balanced '):
            self._set('ActiveProfile', 's', value)

    def _call_wrongly(self):
        self._call('Nope', '()')
        self._call('HoldProfile', '(s)', 'performance')
        self._call('HoldProfile', '(ssu)', 'performance', 'why', 1)
        self._call('ReleaseProfile', '(s)', 'performance')
        self._call('ReleaseProfile', '(u)', 4242)
        self._call('ReleaseProfile', '(u)', 0)
        self._call('SetActionEnabled', '(ss)', 'trickle_charge', 'x')
        self._call('SetActionEnabled', '(sb)', 'nope', True)
        for profile in ('balanced', 'bogus', ''):
            self._hold(profile)

    def _set_profile(self, profile):
        self._set('ActiveProfile', 's', profile)
        self._get('ActiveProfile')

    def _be_refused(self):
        self.polkit.allowed = False
        for profile in ('performance', 'bogus'):
            self._set('ActiveProfile', 's', profile)
        self._hold('performance')
        self._hold('balanced')
        self._call('ReleaseProfile', '(u)', 4242)
        for action in ('trickle_charge', 'nope'):
            self._call('SetActionEnabled', '(sb)', action, False)
        self._set('BatteryAware', 'b', False)
        self.polkit.allowed = True
        for name in ('ActiveProfile', 'ActiveProfileHolds'):
            self._get(name)

    def _hold_steps(self):
        """Holds of two clients; each ends where it began: balanced, nothing held."""
        has_performance = 'performance' in [profile['Profile'] for profile in self._value('Profiles')]
        cookies = {}

        def hold(key, *args, **options):
            cookies[key] = self._hold(*args, **options)
            self._get('ActiveProfileHolds')

        def release(key, **options):
            self._release(cookies[key], **options)
            self._get('ActiveProfile')

        self.step('hold power-saver', hold, 'saver', 'power-saver')
        self.step('release power-saver', release, 'saver')
        self.step('release it again', release, 'saver')
        self.step('hold performance', hold, 'first', 'performance')
        if not has_performance:
            return
        self.step('a second client holds power-saver', hold, 'second', 'power-saver', 'other', 'app2',
                  client=self.other)
        self.step('the first releases', release, 'first')
        self.step('the second releases', lambda: release('second', client=self.other))
        self.step('two holds of one client', lambda: (
            hold('first', 'performance'), hold('second', 'performance', 'again', 'app2')))
        self.step('one of the two released', release, 'first')
        self.step('a Set drops the rest', self._set_profile, 'power-saver')
        self.step('a hold equal to the profile', hold, 'equal', 'power-saver')
        self.step('released', release, 'equal')
        self.step('a Set equal to the profile', self._set_profile, 'power-saver')
        self.step('hold', hold, 'shown', 'performance')
        self.step('a Set equal to what a hold shows', self._set_profile, 'performance')
        self.step('what is held then', self._get, 'ActiveProfileHolds')
        self.step('balanced once more', self._set_profile, 'balanced')
        self.step('a hold that somebody else releases', lambda: hold('foreign', 'performance'))
        self.step('somebody else releases it', lambda: release('foreign', client=self.other))
        self.step('balanced after that', self._set_profile, 'balanced')
        self.step('a client leaves', self._leave)

    def _leave(self):
        leaver = self._new_client()
        self._hold('performance', client=leaver)
        self._hold('power-saver', 'other', 'app2', client=leaver)
        self._get('ActiveProfile')
        # The signals of the two holds are not what this is about, and may or may not be one.
        self._settle()
        self.client.take()
        leaver.connection.close_sync(None)
        self.case.wait_for(lambda: not self._value('ActiveProfileHolds'), 'the leaver\'s holds to be gone')
        self._get('ActiveProfile')

    def _set_action(self, name, enabled):
        self._call('SetActionEnabled', '(sb)', name, enabled)
        for property_name in ('Actions', 'ActionsInfo'):
            self._get(property_name)

    def _set_battery_aware(self, value):
        self._set('BatteryAware', 'b', value)
        self._get('BatteryAware')

    def _wait_for_epp(self, wanted):
        self.case.wait_for(
            lambda: machines.settings(self.case.tree)['energy_performance_preference'] == wanted,
            f'the EPP to be {wanted}')

    def _set_on_battery(self, on_battery, epp):
        self.case.bus_call(self.case.connection, UPOWER, UPOWER_PATH, 'org.freedesktop.DBus.Mock',
                           'UpdateProperties',
                           GLib.Variant('(sa{sv})', (UPOWER, {'OnBattery': GLib.Variant('b', on_battery)})))
        self._wait_for_epp(epp)

    def _set_battery_aware_on_battery(self, value, epp):
        self._set('BatteryAware', 'b', value)
        self._wait_for_epp(epp)

    def _battery_steps(self):
        self.step('on battery', self._set_on_battery, True, 'balance_power')
        if self.bus_name == MODERN_NAME:
            self.step('not battery aware on battery', self._set_battery_aware_on_battery, False,
                      'balance_performance')
            self.step('battery aware on battery', self._set_battery_aware_on_battery, True, 'balance_power')
        for profile in PROFILES:
            self.step(f'{profile} on battery', self._set_profile, profile)
        self.step('on mains', self._set_on_battery, False, 'balance_performance')

    def _change_by_firmware(self, path, text, name, wanted):
        machines.write(self.case.tree, path, f'{text}\n')
        self.case.wait_for(lambda: self._value(name) == wanted, f'{name} to be {wanted}')
        self._note(f'{os.path.basename(path)} is {text}: {name} is {wanted}')

    def _firmware_steps(self):
        def has(path):
            return os.path.exists(os.path.join(self.case.tree, path))

        if has(machines.PLATFORM_PROFILE):
            self.step('the firmware switches', self._change_by_firmware, machines.PLATFORM_PROFILE,
                      'performance', 'ActiveProfile', 'performance')
            self.step('and back', self._change_by_firmware, machines.PLATFORM_PROFILE, 'balanced',
                      'ActiveProfile', 'balanced')
        for path, reason in ((machines.LAP_MODE, 'lap-detected'),
                             (machines.NO_TURBO, 'high-operating-temperature')):
            if has(path):
                self.step(f'degraded by {os.path.basename(path)}', self._change_by_firmware, path, '1',
                          'PerformanceDegraded', reason)
                self.step(f'{os.path.basename(path)} over', self._change_by_firmware, path, '0',
                          'PerformanceDegraded', '')

    def _restart(self):
        """Holds are not saved, but whoever holds is told."""
        self._hold('power-saver')
        self._settle()
        self._stop()
        self._start()

    def _start_another(self):
        code = self.case.wait_program(self.daemon.spawn(self.case))
        self._note(f'a second instance -> exit code {code}')

    def _replace(self):
        self._hold('power-saver')
        self._settle()
        self.client.take()
        first = self.process
        self.process = self.daemon.spawn(self.case, '-r')
        self.case.daemon = self.process
        self._note(f'replaced -> exit code {self.case.wait_program(first)}')
        self._wait_for_names()
        for name in ('ActiveProfile', 'ActiveProfileHolds'):
            self._get(name)

    def _options(self):
        for options in (['--help'], ['--bogus'], ['--block-driver']):
            code = self.case.wait_program(self.daemon.spawn(self.case, *options))
            self._note(f'{options} -> exit code {code}')

    def _block(self):
        self._stop(signal.SIGINT)
        self._start('--block-driver', 'platform_profile', '--block-driver', 'amd_pstate',
                    '--block-action', 'trickle_charge')
        for name in ('Profiles', 'Actions', 'ActionsInfo'):
            self._get(name)

    def run(self):
        self.step('start', self._start)
        self.step('introspection', self._introspect)
        self.step('all properties', self._read_all)
        self.step('each property', self._read_each)
        self.step('wrong writes', self._write_wrongly)
        self.step('wrong calls', self._call_wrongly)
        for profile in PROFILES:
            self.step(f'set {profile}', self._set_profile, profile)
        self.step('refused by polkit', self._be_refused)
        self._hold_steps()
        self.step('action off', self._set_action, 'trickle_charge', False)
        self.step('power-saver without it', self._set_profile, 'power-saver')
        self.step('action on', self._set_action, 'trickle_charge', True)
        self.step('action on again', self._set_action, 'trickle_charge', True)
        self.step('not battery aware', self._set_battery_aware, False)
        self.step('not battery aware again', self._set_battery_aware, False)
        self.step('battery aware', self._set_battery_aware, True)
        self.step('balanced before the firmware', self._set_profile, 'balanced')
        if self.daemon.follows_source and 'energy_performance_preference' in self.files:
            self._battery_steps()
        self._firmware_steps()
        self.step('power-saver to be saved', self._set_profile, 'power-saver')
        self.step('restart', self._restart)
        self.step('second instance', self._start_another)
        self.step('replace', self._replace)
        self.step('options', self._options)
        if self.daemon.can_block:
            self.step('what is blocked', self._block)
        self.step('end', self._stop)
        return self.transcript


def as_lines(transcript):
    """A transcript as text, for people."""
    return [text for step, lines in transcript.items()
            for text in (f'{step}:', *(f'  {line}' for line in lines))]
