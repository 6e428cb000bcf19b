# SPDX-License-Identifier: GPL-2.0-or-later
"""The verbs of powerprofilesctl, as eppctl and under that program's own name, against a fake service
(fake_power_profiles.py); and next to the real program, byte for byte."""

import os
import re
import signal
import sys

from gi.repository import GLib

import harness
from fake_power_profiles import (FakePowerProfiles, LEGACY, MODERN, action, dicts, hold, profile)

DENIED = ('org.freedesktop.DBus.Error.AccessDenied',
          'Not Authorized: org.freedesktop.UPower.PowerProfiles.switch-profile')
FAILED = ('org.freedesktop.DBus.Error.Failed', "Invalid profile name 'bogus'")
COMPLAINT = 'Failed to communicate with power-profiles-daemon: '

# Says when it is ready and which signals come; TERM ends it with 5.
LISTENER = '''
import os, signal
numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGABRT)
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print('ready', flush=True)
while True:
    number = signal.sigwait(numbers)
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        os._exit(5)
'''


class ProfilesTestCase(harness.EppdTestCase):
    """The program under test is self.program; messages call it self.name."""

    name = 'powerprofilesctl'

    def setUp(self):
        super().setUp()
        self.program = os.path.join(self.directory, self.name)
        os.symlink(harness.EPPCTL, self.program)

    def start_service(self, **fake_args):
        self.fake = FakePowerProfiles(self.connect(), **fake_args)
        return self.fake

    def ctl(self, *args, **popen_args):
        return self.run_program([self.program, *args], **popen_args)

    def assert_prints(self, expected, *args):
        program = self.ctl(*args)
        self.assertEqual((program.code(), program.out, program.err), (0, expected, ''))

    def assert_fails(self, code, expected, *args, out=''):
        """It ends with @code, and says exactly @expected on standard error."""
        program = self.ctl(*args)
        self.assertEqual((program.code(), program.out, program.err), (code, out, expected))


class OutputTest(ProfilesTestCase):
    def test_list(self):
        self.start_service().properties.update(
            Profiles=dicts(profile('power-saver'), profile('balanced'),
                           profile('performance', platform=None)))
        expected = ('  performance:\n    CpuDriver:\tamd_pstate\n    Degraded:   no\n\n'
                    '* balanced:\n    CpuDriver:\tamd_pstate\n    PlatformDriver:\tplatform_profile\n\n'
                    '  power-saver:\n    CpuDriver:\tamd_pstate\n'
                    '    PlatformDriver:\tplatform_profile\n')
        self.assert_prints(expected, 'list')
        self.assert_prints(expected)

    def test_list_of_a_degraded_performance(self):
        self.start_service().properties.update(
            ActiveProfile=GLib.Variant('s', 'performance'),
            PerformanceDegraded=GLib.Variant('s', 'lap-detected'),
            Profiles=dicts(profile('performance', platform=None)))
        self.assert_prints('* performance:\n    CpuDriver:\tamd_pstate\n'
                           '    Degraded:   yes (lap-detected)\n', 'list')

    def test_list_holds(self):
        self.start_service()
        self.assert_prints('', 'list-holds')
        self.fake.properties['ActiveProfileHolds'] = dicts(hold('a'), hold('b', 'power-saver', 'low'))
        self.assert_prints('Hold:\n  Profile:         performance\n  Application ID:  a\n'
                           '  Reason:          playing\n\n'
                           'Hold:\n  Profile:         power-saver\n  Application ID:  b\n'
                           '  Reason:          low\n', 'list-holds')

    def test_get(self):
        self.start_service()
        self.assert_prints('balanced\n', 'get')

    def test_set(self):
        self.start_service()
        for name in ('performance', 'power-saver', 'balanced'):
            self.assert_prints('', 'set', name)
            self.assert_prints(f'{name}\n', 'get')
        self.assertEqual(self.fake.called('Set'),
                         [(MODERN, 'ActiveProfile', name)
                          for name in ('performance', 'power-saver', 'balanced')])

    def test_battery_aware(self):
        self.start_service()
        self.assert_prints('Dynamic changes from charger and battery events: True\n',
                           'query-battery-aware')
        self.assert_prints('', 'configure-battery-aware', '--disable')
        self.assert_prints('Dynamic changes from charger and battery events: False\n',
                           'query-battery-aware')
        self.assert_prints('', 'configure-battery-aware', '--enable')
        self.assertEqual(self.fake.called('Set'),
                         [(MODERN, 'BatteryAware', False), (MODERN, 'BatteryAware', True)])

    def test_actions(self):
        self.start_service().properties['ActionsInfo'] = dicts(
            action('trickle_charge', True), action('amdgpu_dpm', False, 'GPU power'))
        self.assert_prints('Name: trickle_charge\nDescription: Does something\nEnabled: True\n\n'
                           'Name: amdgpu_dpm\nDescription: GPU power\nEnabled: False\n',
                           'list-actions')

    def test_configure_action(self):
        self.start_service()
        self.assert_prints('action: trickle_charge, enable: False\n',
                           'configure-action', 'trickle_charge', '--disable')
        self.assert_prints('action: amdgpu_dpm, enable: True\n',
                           'configure-action', '--enable', 'amdgpu_dpm')
        self.assertEqual(self.fake.called('SetActionEnabled'),
                         [('trickle_charge', False), ('amdgpu_dpm', True)])

    def test_version(self):
        version = re.search(r"version: '([^']+)'",
                            harness.read_file(os.path.join(harness.SOURCE_ROOT, 'meson.build')))[1]
        self.assert_prints(f'client: {version}\ndaemon: unknown\n', 'version')
        self.start_service()
        self.assert_prints(f'client: {version}\ndaemon: 9.9\n', 'version')

    def test_nothing_is_translated(self):
        """Scripts parse it."""
        self.start_service().errors['Set'] = FAILED
        env = dict(self.env, LANG='de_DE.UTF-8', LANGUAGE='de', LC_ALL='')
        self.assertIn('Degraded:   no\n', self.ctl('list', env=env).out)
        self.assertRegex(self.ctl('set', 'bogus', env=env).err, f'^{COMPLAINT}.*Invalid profile name')


class ErrorsTest(ProfilesTestCase):
    CALLS = (['list'], ['list-holds'], ['get'], ['set', 'balanced'], ['query-battery-aware'],
             ['configure-battery-aware', '--enable'], ['list-actions'], ['launch', 'true'])

    def test_no_daemon(self):
        for args in self.CALLS:
            with self.subTest(args=args):
                self.assert_fails(1, f'{COMPLAINT}g-dbus-error-quark: GDBus.Error:'
                                     'org.freedesktop.DBus.Error.ServiceUnknown: The name '
                                     f'{MODERN} was not provided by any .service files (2)\n', *args)

    def test_no_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        for args in self.CALLS:
            with self.subTest(args=args):
                program = self.ctl(*args, env=env)
                self.assertEqual((program.code(), program.out), (1, ''))
                self.assertRegex(program.err, f'^{COMPLAINT}g-io-error-quark: .*No such file.*\n$')

    def test_refusals(self):
        self.start_service().errors.update(dict.fromkeys(
            ('Get', 'GetAll', 'Set', 'HoldProfile', 'SetActionEnabled'), DENIED))
        complaint = (f'{COMPLAINT}g-dbus-error-quark: GDBus.Error:{DENIED[0]}: {DENIED[1]} (9)\n')
        for args in self.CALLS:
            with self.subTest(args=args):
                self.assert_fails(1, complaint, *args)
        self.assert_fails(1, complaint, 'configure-action', 'nope', '--enable',
                          out='action: nope, enable: True\n')

    def test_unknown_profile_is_the_daemons_to_refuse(self):
        self.start_service().errors['Set'] = FAILED
        self.assert_fails(1, f'{COMPLAINT}g-dbus-error-quark: GDBus.Error:{FAILED[0]}: {FAILED[1]} (0)\n',
                          'set', 'bogus')
        self.assertEqual(self.fake.called('Set'), [(MODERN, 'ActiveProfile', 'bogus')])

    def test_daemon_that_lacks_a_property(self):
        fake = self.start_service()
        fake.missing.update(('ActionsInfo', 'PerformanceDegraded'))
        for verb, name in (('list-actions', 'ActionsInfo'), ('list', 'PerformanceDegraded')):
            program = self.ctl(verb)
            self.assertEqual((program.code(), program.out), (1, ''))
            self.assertRegex(program.err, f'^{COMPLAINT}.*{name}')

    def test_daemon_whose_property_is_of_another_type(self):
        types = {'ActiveProfile': 'u', 'BatteryAware': 's', 'ActiveProfileHolds': 'as'}
        self.start_service(types=types).properties.update(
            ActiveProfile=GLib.Variant('u', 7), BatteryAware=GLib.Variant('s', 'yes'),
            ActiveProfileHolds=GLib.Variant('as', []))
        for verb in ('get', 'query-battery-aware', 'list-holds', 'list'):
            with self.subTest(verb=verb):
                program = self.ctl(verb)
                self.assertEqual((program.code(), program.out), (1, ''))
                self.assertRegex(program.err, f'^{COMPLAINT}.* type ')

    def test_hostile_text_is_escaped(self):
        self.start_service().properties.update(
            ActiveProfile=GLib.Variant('s', 'x\x1b[2J\ny'), Version=GLib.Variant('s', '1\r2'),
            ActiveProfileHolds=dicts(hold('a\nHold:', reason='\x07')))
        self.fake.errors['Set'] = ('org.example.Error', 'red\x1b[31m\nline')
        self.assert_prints('x\\x1b[2J\\x0ay\n', 'get')
        self.assertIn('daemon: 1\\x0d2\n', self.ctl('version').out)
        self.assertIn('Application ID:  a\\x0aHold:\n', self.ctl('list-holds').out)
        program = self.ctl('set', 'balanced')
        self.assertEqual(program.code(), 1)
        self.assertIn('red\\x1b[31m\\x0aline', program.err)

    def test_argument_that_is_no_text(self):
        fake = self.start_service()
        self.assert_prints('', 'set', b'a\xffb')
        self.assertEqual(fake.called('Set'), [(MODERN, 'ActiveProfile', 'a\ufffdb')])


class UsageTest(ProfilesTestCase):
    def test_wrong_command_lines_exit_with_2(self):
        for args in (['list', 'x'], ['list', '--x'], ['get', 'x'], ['set'], ['set', 'a', 'b'],
                     ['version', 'x'], ['list-holds', '-x'], ['query-battery-aware', 'x'],
                     ['configure-battery-aware', '--nonsense'], ['configure-battery-aware', 'x'],
                     ['configure-battery-aware', '--enable=x'],
                     ['configure-action'], ['configure-action', '--enable'],
                     ['configure-action', 'a', 'b', '--enable'],
                     ['launch', '-p'], ['launch', '--nonsense', 'true'], ['launch', '-x', 'true']):
            with self.subTest(args=args):
                program = self.ctl(*args)
                self.assertEqual((program.code(), program.out), (2, ''), program.err)
                self.assertRegex(program.err, f'^usage: {self.name} {args[0]} \\[-h\\].*\n'
                                              f'{self.name} {args[0]}: error: .+\n$')

    def test_both_switches_are_an_error_as_in_0_30(self):
        for args in (['configure-battery-aware'], ['configure-action', 'a']):
            with self.subTest(args=args):
                self.assert_fails(1, "Error: can't set both enable and disable\n",
                                  *args, '--enable', '--disable')

    def test_help_of_each_verb_needs_no_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        for verb in ('list', 'list-holds', 'get', 'set', 'launch', 'query-battery-aware',
                     'configure-battery-aware', 'list-actions', 'configure-action', 'version'):
            for option in ('-h', '--help'):
                with self.subTest(verb=verb, option=option):
                    program = self.ctl(verb, option, env=env)
                    self.assertEqual((program.code(), program.err), (0, ''))
                    self.assertTrue(program.out.startswith(f'usage: {self.name} {verb} [-h]'),
                                    program.out)

    def test_neither_enable_nor_disable(self):
        fake = self.start_service()
        self.assert_fails(1, 'Error: enable or disable is required\n', 'configure-battery-aware')
        self.assert_fails(1, 'Error: enable or disable is required\n', 'configure-action', 'x')
        self.assertEqual(fake.calls, [])

    def test_launch_without_a_command(self):
        fake = self.start_service()
        self.assert_fails(1, 'Error: No command to launch\n', 'launch')
        self.assert_fails(1, 'Error: No command to launch\n', 'launch', '-p', 'performance', '--')
        self.assertEqual(fake.calls, [])


class NameTest(ProfilesTestCase):
    """What differs between the two names."""

    def test_powerprofilesctl_has_its_verbs_alone(self):
        for args in (['status'], ['run', 'true'], ['top'], ['holds'], ['nonsense'], ['--nonsense'],
                     ['']):
            with self.subTest(args=args):
                program = self.ctl(*args)
                self.assertEqual((program.code(), program.out), (2, ''))
                self.assertRegex(program.err,
                                 r'^usage: powerprofilesctl \[-h\] .*\npowerprofilesctl: error: ')

    def test_powerprofilesctl_help_and_version(self):
        program = self.ctl('--help')
        self.assertEqual((program.code(), program.err), (0, ''))
        self.assertTrue(program.out.startswith('usage: powerprofilesctl [-h] {list,'), program.out)
        self.assertNotIn('eppctl', program.out)
        self.assertEqual(self.ctl('--version').out, self.ctl('version').out)

    def test_eppctl_has_both(self):
        self.start_service()
        self.assertEqual(self.eppctl('get').out, 'balanced\n')
        self.assertEqual(self.eppctl().out, self.ctl('list').out)
        self.assertRegex(self.eppctl('--help').out, r'(?m)^  status .*(\n.*)*^  configure-action ')
        self.assertRegex(self.eppctl('--version').out, '^eppctl ')
        self.assertRegex(self.eppctl('set').err, '^usage: eppctl set ')


class LaunchTest(ProfilesTestCase):
    def held(self, *expected):
        """Each hold that was asked for was @expected, and was released."""
        self.assertEqual(self.fake.called('HoldProfile'), list(expected))
        self.assertEqual(len(self.fake.called('ReleaseProfile')), len(expected))

    def test_defaults(self):
        self.start_service()
        self.assert_prints('hello -p x\n', 'launch', 'echo', 'hello', '-p', 'x')
        self.held(('performance', 'Running echo', 'echo'))
        self.assertEqual(self.fake.called('ReleaseProfile'), [(1000,)])

    def test_options(self):
        self.start_service()
        for args in (['-p', 'power-saver', '-r', 'a b', '-i', 'org.example.App'],
                     ['-ppower-saver', '-ra b', '-iorg.example.App'],
                     ['--profile=power-saver', '--reason=a b', '--appid=org.example.App'],
                     ['--profile', 'power-saver', '--reason', 'a b', '--appid', 'org.example.App'],
                     ['--prof=power-saver', '--rea=a b', '--app=org.example.App']):
            for separator in ([], ['--']):
                with self.subTest(args=args, separator=separator):
                    self.fake.calls.clear()
                    self.assert_prints('x\n', 'launch', *args, *separator, 'echo', 'x')
                    self.held(('power-saver', 'a b', 'org.example.App'))

    def test_reason_names_the_application(self):
        self.start_service()
        self.assert_prints('', 'launch', '-i', 'game', 'true')
        self.held(('performance', 'Running game', 'game'))

    def test_command_takes_what_follows_it(self):
        self.start_service()
        self.assert_prints('-- --help -i\n', 'launch', '--', 'echo', '--', '--help', '-i')

    def test_ends_as_the_command_does(self):
        self.start_service()
        self.assertEqual(self.ctl('launch', 'sh', '-c', 'exit 7').code(), 7)
        for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGABRT):
            self.assertEqual(self.ctl('launch', 'sh', '-c', f'kill -{int(number)} $$').code(), -number)
        self.held(*[('performance', 'Running sh', 'sh')] * 4)

    def test_command_that_cannot_start(self):
        self.start_service()
        program = self.ctl('launch', '/nonexistent')
        self.assertEqual((program.code(), program.out), (127, ''))
        self.assertRegex(program.err, '^Error: /nonexistent: ')
        self.assertEqual(self.ctl('launch', '/').code(), 126)
        self.held(*[('performance', f'Running {path}', path) for path in ('/nonexistent', '/')])
        self.assertIn('/a\\x1b[31m: ', self.ctl('launch', '/a\x1b[31m').err)

    def test_signals_are_forwarded(self):
        self.start_service()
        program = self.start_program([self.program, 'launch', sys.executable, '-c', LISTENER])
        self.wait_for(lambda: program.out == 'ready\n', 'the command to be ready')
        for number in (signal.SIGINT, signal.SIGABRT):
            program.send(number)
            self.wait_for(lambda: program.out.endswith(f'{signal.Signals(number).name}\n'),
                          f'the command to hear {number}')
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 5)
        self.assertEqual(program.out, 'ready\nSIGINT\nSIGABRT\nSIGTERM\n')
        self.assertEqual(len(self.fake.called('ReleaseProfile')), 1)

    def test_held_while_the_command_runs(self):
        self.start_service()
        gate = os.path.join(self.directory, 'gate')
        os.mkfifo(gate)
        program = self.start_program([self.program, 'launch', 'cat', gate])
        self.wait_for(lambda: self.fake.called('HoldProfile'), 'the hold')
        self.assertTrue(self.name_owner(self.fake.senders[1000]))
        with open(gate, 'w', encoding='ascii'):
            self.assertEqual(self.fake.called('ReleaseProfile'), [])
        self.assertEqual(self.wait_program(program), 0)
        self.assertEqual(len(self.fake.called('ReleaseProfile')), 1)

    def test_refused_hold_runs_nothing(self):
        self.start_service().errors['HoldProfile'] = (
            'org.freedesktop.DBus.Error.InvalidArgs',
            "Cannot hold profile 'performance' as it is not available")
        program = self.ctl('launch', 'echo', 'ran')
        self.assertEqual((program.code(), program.out), (1, ''))
        self.assertRegex(program.err, f'^{COMPLAINT}.*not available')

    def test_hold_that_another_ended_does_not_change_the_result(self):
        self.start_service().errors['ReleaseProfile'] = (
            'org.freedesktop.DBus.Error.InvalidArgs', 'No hold with cookie 1000')
        program = self.ctl('launch', 'sh', '-c', 'exit 3')
        self.assertEqual((program.code(), program.err), (3, ''))


def upstreams():
    """The real program: as it is installed (eppd can be under that name, which is not it), and of
    another release (tests/compat/make-release)."""
    roots = ['/', os.environ.get('EPPD_COMPAT_RELEASE')]
    paths = [os.path.join(root, 'usr/bin/powerprofilesctl') for root in roots if root]
    return [path for path in paths
            if os.path.exists(path) and re.match('#!.*python', harness.read_file(path))]


class SameAsUpstreamTest(ProfilesTestCase):
    """Standard output, standard error and exit code, byte for byte."""

    def setUp(self):
        super().setUp()
        if not upstreams():
            self.skipTest("machine lacks: power-profiles-daemon's powerprofilesctl")

    def upstream(self, path, *args, **popen_args):
        return self.run_program([sys.executable, path, *args], **popen_args)

    def is_modern(self, path):
        """Versions from 0.20 on tell the client's and the daemon's; those before have fewer verbs, and
        only one driver in `list`."""
        return self.upstream(path, 'version').out.startswith('client: ')

    def text(self, path, text):
        """What must be the same."""
        if self.is_modern(path):
            return text
        without_drivers = re.sub(r'(?m)^    (Cpu|Platform|)Driver:.*\n', '', text)
        return without_drivers.replace(LEGACY, MODERN)

    def assert_same(self, path, *args, **popen_args):
        theirs = self.upstream(path, *args, **popen_args)
        ours = self.ctl(*args, **popen_args)
        self.assertEqual((ours.code(), self.text(path, ours.out), self.text(path, ours.err)),
                         (theirs.code(), self.text(path, theirs.out), self.text(path, theirs.err)))

    def assert_all_same(self, verbs, modern_verbs=()):
        for path in upstreams():
            for args in [*verbs, *(modern_verbs if self.is_modern(path) else ())]:
                with self.subTest(path=path, args=args):
                    self.assert_same(path, *args)

    def test_answers(self):
        fake = self.start_service()
        states = (
            {},
            {'ActiveProfile': GLib.Variant('s', 'performance'),
             'PerformanceDegraded': GLib.Variant('s', 'lap-detected,high-operating-temperature'),
             'ActiveProfileHolds': dicts(hold('a'), hold('', 'power-saver', 'two  words'))},
            {'Profiles': dicts(profile('power-saver', cpu=None), profile('balanced', cpu=None)),
             'ActiveProfile': GLib.Variant('s', 'power-saver'),
             'ActionsInfo': dicts(action('a', False), action('b', True)),
             'BatteryAware': GLib.Variant('b', False)},
            {'ActionsInfo': dicts(), 'ActiveProfileHolds': dicts(hold('späte Öffnung'))},
        )
        for state in states:
            fake.properties.update(state)
            self.assert_all_same([[], ['list'], ['list-holds'], ['get']],
                                 [['list-actions'], ['query-battery-aware']])

    def test_version(self):
        self.start_service()
        for path in upstreams():
            if self.is_modern(path):
                self.assertEqual(self.ctl('version').out.splitlines()[1:],
                                 self.upstream(path, 'version').out.splitlines()[1:])

    def test_sets(self):
        fake = self.start_service()
        self.assert_all_same([['set', 'performance'], ['set', 'power-saver']],
                             [['configure-battery-aware', '--disable'],
                              ['configure-battery-aware', '--enable'],
                              ['configure-battery-aware', '--dis'],
                              ['configure-action', 'trickle_charge', '--disable'],
                              ['configure-action', '--enable', 'x']])
        # Each was called by theirs, then by ours.
        calls = [(method, [LEGACY if word == MODERN else word for word in arguments])
                 for method, arguments in fake.calls]
        self.assertEqual(calls[0::2], calls[1::2])

    def test_refusals(self):
        self.start_service().errors.update(dict.fromkeys(
            ('Get', 'GetAll', 'Set', 'HoldProfile', 'SetActionEnabled'), DENIED))
        self.assert_all_same([['list'], ['list-holds'], ['get'], ['launch', 'true']],
                             [['list-actions'], ['query-battery-aware'],
                              ['configure-battery-aware', '--disable'],
                              ['configure-action', 'x', '--disable']])
        # Later versions read the list of profiles, and know what is no choice.
        del self.fake.errors['Get']
        self.assert_all_same([['set', 'balanced']])

    def test_no_daemon(self):
        self.assert_all_same([['list'], ['list-holds'], ['get'], ['launch', 'true']],
                             [['list-actions'], ['query-battery-aware'], ['configure-battery-aware'],
                              ['configure-battery-aware', '--disable'], ['launch']])

    def test_no_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        for path in upstreams():
            for verb in ('list', 'get'):
                with self.subTest(path=path, verb=verb):
                    self.assert_same(path, verb, env=env)

    def test_launch(self):
        fake = self.start_service()
        for path in upstreams():
            options = [['-i', 'app'], ['-p', 'power-saver', '-r', 'a b', '-i', 'app'],
                       ['--profile=power-saver', '--reason=why', '--appid=app', '--']]
            for args in options:
                with self.subTest(path=path, args=args):
                    fake.calls.clear()
                    self.assert_same(path, 'launch', *args, 'echo', 'ran')
                    theirs, ours = fake.called('HoldProfile')
                    # 0.30 names no application where none was given: "Running None".
                    if 'why' in args or 'a b' in args:
                        self.assertEqual(ours, theirs)
                    self.assertEqual(ours[0::2], theirs[0::2])

    def test_launch_ends_as_the_command_does(self):
        self.start_service()
        for path in upstreams():
            # Older versions end with 0.
            if self.is_modern(path):
                for command in ('exit 7', 'kill -TERM $$', 'kill -KILL $$'):
                    with self.subTest(path=path, command=command):
                        self.assert_same(path, 'launch', '--', 'sh', '-c', command)


class EppctlOutputTest(OutputTest):
    name = 'eppctl'


class EppctlErrorsTest(ErrorsTest):
    name = 'eppctl'


class EppctlUsageTest(UsageTest):
    name = 'eppctl'


class EppctlLaunchTest(LaunchTest):
    name = 'eppctl'
