# SPDX-License-Identifier: GPL-2.0-or-later
"""eppctl run, against a fake daemon (fake_eppd.py) on a private bus."""

import os
import re
import signal
import socket
import sys

import harness
from ctl_case import CtlTestCase
from fake_eppd import FakeEppd
from fake_user_manager import UserManager

# Says when it is ready and which signals come; TERM ends it with 5.
LISTENER = '''
import os, signal
numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
           signal.SIGUSR2, signal.SIGCONT)
signal.pthread_sigmask(signal.SIG_BLOCK, numbers)
print('ready', flush=True)
while True:
    number = signal.sigwait(numbers)
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        os._exit(5)
'''


class RunTest(CtlTestCase):
    def listener(self, *args, **popen_args):
        """eppctl run of the LISTENER, ready."""
        program = self.start_eppctl('run', *args, '--', sys.executable, '-c', LISTENER,
                                    **popen_args)
        self.wait_for(lambda: program.out.startswith('ready'), 'the command')
        return program

    def test_exit_code_is_the_commands(self):
        self.start_fake()
        for code in (0, 1, 7, 255):
            with self.subTest(code=code):
                self.assertEqual(self.eppctl('run', 'sh', '-c', f'exit {code}').code(), code)

    def test_dies_by_the_commands_signal(self):
        self.start_fake()
        for number in (signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV, signal.SIGPIPE):
            with self.subTest(number=number):
                self.assertEqual(self.eppctl('run', 'sh', '-c', f'kill -{int(number)} $$').code(),
                                 -number)

    def test_commands_that_cannot_start(self):
        self.start_fake()
        for command, code, pattern in (('nonexistent-command', 127, 'command not found'),
                                       ('/nonexistent/command', 127, 'command not found'),
                                       (self.directory, 126, '[Pp]ermission denied'),
                                       (self.bus_config_path(), 126, '[Pp]ermission denied')):
            with self.subTest(command=command):
                self.assert_fails(self.eppctl('run', command), code, pattern)
        self.wait_for(lambda: not self.fake.holds, 'the holds to be released')

    def bus_config_path(self):
        return os.path.join(self.directory, 'bus.conf')

    def test_script_without_an_interpreter_line_is_the_shells(self):
        self.start_fake()
        script = os.path.join(self.directory, 'script')
        with open(script, 'w', encoding='utf-8') as file:
            file.write('echo "$1"; exit 4\n')
        os.chmod(script, 0o755)
        program = self.eppctl('run', script, 'argument')
        self.assertEqual((program.code(), program.out), (4, 'argument\n'))

    def test_options_of_the_command_are_its_own(self):
        self.start_fake()
        self.assertEqual(self.assert_ok(self.eppctl('run', 'echo', '--strict', '--help')),
                         '--strict --help\n')
        self.assertEqual(self.assert_ok(self.eppctl('run', '--', 'echo', '--', '-t')), '-- -t\n')

    def test_hold_is_taken_with_the_options_and_released_at_the_end(self):
        self.start_fake()
        program = self.listener('--trigger', 'app', '--threshold', '030', '--app-id', 'the-game',
                                '--reason', 'just because')
        self.assertEqual(self.fake.called('HoldBoost'),
                         [('the-game', 'just because', {'trigger': 'app', 'threshold-percent': 30})])
        self.assertEqual(len(self.fake.holds), 1)
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 5)
        self.wait_for(lambda: self.fake.called('ReleaseBoost') == [(1001,)], 'the release')
        self.assertEqual(program.err, '')

    def test_a_message_for_a_closed_stream_is_not_the_daemons(self):
        self.start_fake().needs_cgroup = True
        program = self.run_program(['/bin/sh', '-c', f'exec {harness.EPPCTL} run --trigger app -- '
                                    'sh -c "(exec 3>&1) || exit 7" <&- >&- 2>&-'])
        # Nor are they the command's.
        self.assertEqual(program.code(), 7)
        self.wait_for(lambda: self.fake.called('ReleaseBoost') == [(1001,)], 'the release')

    def test_defaults(self):
        self.start_fake()
        self.assert_ok(self.eppctl('run', 'true'))
        self.assertEqual(self.fake.called('HoldBoost'), [('true', 'eppctl run', {})])

    def test_texts_that_are_no_utf8_are_sent_as_something_that_is(self):
        self.start_fake()
        self.assert_ok(self.eppctl('run', '--app-id', b'game\xff', '--reason', b'\xe2\x82' * 500,
                                   'true'))
        app_id, reason, _options = self.fake.called('HoldBoost')[0]
        self.assertEqual(app_id, 'game\ufffd')
        self.assertLessEqual(len(reason.encode()), 256)

    def test_command_runs_without_the_daemon_after_one_warning(self):
        program = self.eppctl('run', 'sh', '-c', 'echo ran; exit 3')
        self.assertEqual(program.out, 'ran\n')
        self.assert_fails(program, 3, 'running sh without the boost: eppd is not running')

    def test_command_runs_without_a_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        program = self.eppctl('run', 'sh', '-c', 'echo ran; exit 3', env=env)
        self.assertEqual(program.out, 'ran\n')
        self.assert_fails(program, 3, 'without the boost: no connection to the system bus')

    def test_command_runs_when_the_hold_is_refused(self):
        self.start_fake().errors['HoldBoost'] = ('org.freedesktop.DBus.Error.AccessDenied', 'no')
        program = self.eppctl('run', 'sh', '-c', 'echo ran; exit 3')
        self.assertEqual(program.out, 'ran\n')
        self.assert_fails(program, 3, 'without the boost: not allowed: no')
        self.assertEqual(len(self.fake.called('HoldBoost')), 1)

    def test_command_runs_when_the_daemon_is_silent(self):
        self.start_fake().silent.add('HoldBoost')
        program = self.eppctl('run', 'sh', '-c', 'echo ran; exit 3')
        self.assertEqual(program.out, 'ran\n')
        self.assert_fails(program, 3, 'without the boost: eppd does not answer')

    def test_strict_runs_nothing_when_the_hold_is_refused(self):
        self.start_fake().errors['HoldBoost'] = ('org.freedesktop.DBus.Error.LimitsExceeded',
                                                 'too many holds')
        program = self.eppctl('run', '--strict', 'echo', 'ran')
        self.assert_fails(program, 1, 'too many holds')
        self.assertEqual(program.out, '')
        self.fake.disown()
        program = self.eppctl('run', '--strict', 'echo', 'ran')
        self.assert_fails(program, 1, 'eppd is not running')
        self.assertEqual(program.out, '')

    def test_hold_that_does_nothing_for_now_is_told_in_one_line(self):
        self.start_fake().properties.update(BoostState='suppressed', BoostReason='power-saver')
        self.fake.hold_fields = {'trigger': 'core', 'trigger-why': 'it has no cgroup'}
        self.assert_fails(self.eppctl('run', '--trigger', 'app', 'true'), 0,
                          r'the trigger is core \(it has no cgroup: there is no session bus\); '
                          r'the boost is suppressed for now: power-saver$')

    def test_state_is_told_once_it_is_known(self):
        self.start_fake().properties.update(ResidencySource='probing', BoostState='blocked')
        program = self.listener()
        self.assertEqual(program.err, '')
        self.fake.change(BoostReason='still probing')
        self.fake.change(ResidencySource='none', BoostReason='no source works')
        self.wait_for(lambda: program.err, 'the message')
        self.fake.change(BoostReason='another reason')
        program.send(signal.SIGTERM)
        self.wait_program(program)
        self.assert_fails(program, 5, 'the boost is blocked for now: no source works$')

    def test_nothing_is_told_when_probing_ends_well(self):
        self.start_fake().properties.update(ResidencySource='probing', BoostState='blocked')
        program = self.listener()
        n_read = self.fake.n_read
        self.fake.change(ResidencySource='bpf', BoostState='armed')
        self.wait_for(lambda: self.fake.n_read > n_read, 'eppctl to look')
        program.send(signal.SIGTERM)
        self.wait_program(program)
        self.assertEqual(program.err, '')

    def test_kernel_boost_is_as_good(self):
        self.start_fake().properties['BoostState'] = 'kernel'
        self.assert_ok(self.eppctl('run', 'true'))

    def test_hold_is_taken_again_from_a_daemon_that_restarts(self):
        self.start_fake()
        program = self.listener()
        self.fake.disown()
        again = FakeEppd(self.connect()).own()
        self.wait_for(lambda: again.holds, 'the hold at the new daemon')
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 5)
        self.assertEqual(again.called('HoldBoost'), self.fake.called('HoldBoost'))

    def test_hold_is_taken_from_a_daemon_that_starts_later(self):
        program = self.listener()
        self.start_fake()
        self.wait_for(lambda: self.fake.holds, 'the hold')
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 5)

    def test_signals_of_other_processes_are_passed_on(self):
        self.start_fake()
        program = self.listener()
        for name in ('SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2', 'SIGCONT', 'SIGTERM'):
            program.send(signal.Signals[name])
            self.wait_for(lambda: name in program.out.split(), name)  # pylint: disable=W0640
        self.assertEqual(self.wait_program(program), 5)
        self.assertEqual(program.out.split(), ['ready', 'SIGINT', 'SIGHUP', 'SIGQUIT', 'SIGUSR1',
                                               'SIGUSR2', 'SIGCONT', 'SIGTERM'])

    def test_terminal_interrupt_reaches_the_command_once(self):
        self.start_fake()
        program = self.start_on_terminal([harness.EPPCTL, 'run', '--', sys.executable, '-c',
                                          LISTENER])
        self.wait_for(lambda: 'ready' in program.read(), 'the command')
        os.write(program.master, b'\x03')
        self.wait_for(lambda: 'SIGINT' in program.read(), 'the interrupt')
        # What eppctl would pass on, it passes on in order: a second SIGINT would stand before.
        os.kill(program.pid, signal.SIGUSR2)
        self.wait_for(lambda: 'SIGUSR2' in program.read(), 'the marker')
        self.assertEqual(program.out.count('SIGINT'), 1)
        os.kill(program.pid, signal.SIGTERM)
        self.wait_for(program.ended, 'the end')
        self.assertEqual(os.waitstatus_to_exitcode(program.status), 5)

    def test_ignored_signals_stay_ignored(self):
        self.start_fake()
        program = self.run_program(
            ['/bin/sh', '-c', f'trap "" HUP PIPE; exec {harness.EPPCTL} run grep SigIgn '
                              '/proc/self/status'])
        ignored = int(program.out.split()[1], 16)
        self.assertTrue(ignored & 1 << (signal.SIGHUP - 1))
        self.assertTrue(ignored & 1 << (signal.SIGPIPE - 1))

    def test_command_inherits_nothing_that_eppctl_made(self):
        self.start_fake()
        grep = ['/bin/grep', 'Sig[BI]', '/proc/self/status']
        # glibc's posix_spawn() leaves its own two signals ignored; the command's libc uses them anew.
        own = 1 << 31 | 1 << 32

        def signals(program):
            return [int(line.split()[1], 16) & ~own for line in program.out.splitlines()]

        self.assertEqual(signals(self.eppctl('run', *grep)), signals(self.run_program(grep)))
        direct = self.run_program(['/bin/ls', '/proc/self/fd'])
        program = self.eppctl('run', 'ls', '/proc/self/fd')
        self.assertEqual(program.out, direct.out)


# Where it runs, in the v2 hierarchy.
OWN_CGROUP = ('sed', '-n', 's/^0:://p', '/proc/self/cgroup')


class ScopeTest(CtlTestCase):
    """Trigger app needs a cgroup of the application's own."""

    def setUp(self):
        super().setUp()
        self.manager = UserManager(self)

    def start_fake(self, xml=None):
        super().start_fake(xml).needs_cgroup = True
        return self.fake

    def options(self):
        """Those of each HoldBoost."""
        return [options for _app_id, _reason, options in self.fake.called('HoldBoost')]

    def assert_core(self, program, pattern):
        """It ran its command, which is OWN_CGROUP, with trigger core, and said so once."""
        self.assert_fails(program, 0, rf'the trigger is core \(.*{pattern}.*\)$')
        self.assertNotIn('app-eppd', program.out)

    def test_command_runs_in_a_scope_of_its_own_which_the_hold_names(self):
        self.start_fake()
        program = self.eppctl('run', '--trigger', 'app', *OWN_CGROUP)
        cgroup = self.assert_ok(program).strip()
        self.assertEqual(cgroup, self.manager.cgroup(f'app-eppd-sed-{program.pid}.scope'))
        self.assertEqual(self.options(), [{'trigger': 'app', 'cgroup': cgroup}])
        (unit, mode, properties), = self.manager.units
        self.assertEqual(mode, 'fail')
        self.assertEqual(properties, {'PIDs': [program.pid], 'Slice': 'app.slice',
                                      'CollectMode': 'inactive-or-failed'})
        self.assertEqual(os.path.basename(cgroup), unit)

    def test_name_of_the_scope_is_escaped(self):
        self.start_fake()
        self.assert_ok(self.eppctl('run', '-t', 'app', '--app-id', '/opt/a-game 2', 'true'))
        self.assertRegex(self.manager.units[0][0], r'^app-eppd-a\\x2dgame\\x202-\d+\.scope$')

    def test_core_needs_none(self):
        self.start_fake()
        self.assert_ok(self.eppctl('run', '--trigger', 'core', 'true'))
        self.assert_ok(self.eppctl('run', 'true'))
        self.assertEqual(self.manager.units, [])
        self.assertEqual(self.options(), [{'trigger': 'core'}, {}])

    def test_app_by_the_daemons_configuration_gets_one_too(self):
        self.start_fake().default_trigger = 'app'
        cgroup = self.assert_ok(self.eppctl('run', *OWN_CGROUP)).strip()
        self.assertEqual(self.options(), [{}, {'cgroup': cgroup}])
        self.assertIn('app-eppd-sed', cgroup)
        # The first one, without a cgroup, went before.
        self.wait_for(lambda: self.fake.called('ReleaseBoost') == [(1001,), (1002,)], 'both releases')
        self.assertEqual(self.fake.holds, [])

    def test_exit_code_signal_and_streams_are_as_ever(self):
        self.start_fake()
        args = ('run', '-t', 'app', 'sh', '-c')
        self.assertEqual(self.eppctl(*args, 'exit 7').code(), 7)
        self.assertEqual(self.eppctl(*args, 'kill -9 $$').code(), -signal.SIGKILL)
        direct = self.run_program(['/bin/ls', '/proc/self/fd'])
        self.assertEqual(self.eppctl('run', '-t', 'app', 'ls', '/proc/self/fd').out, direct.out)
        self.assertEqual(self.eppctl('run', '-t', 'app', 'grep', 'Sig[BI]', '/proc/self/status').out,
                         self.eppctl('run', '-t', 'core', 'grep', 'Sig[BI]',
                                     '/proc/self/status').out)

    def test_hold_of_a_daemon_that_restarts_names_it_again(self):
        self.start_fake()
        program = self.start_eppctl('run', '-t', 'app', '--', 'sh', '-c', 'echo started; exec sleep 1000')
        # It begins once eppctl watches the daemon.
        self.wait_for(lambda: 'started' in program.out, 'the command')
        self.fake.disown()
        again = FakeEppd(self.connect()).own()
        self.wait_for(lambda: again.holds, 'the hold at the new daemon')
        self.assertEqual(again.called('HoldBoost'), self.fake.called('HoldBoost'))
        self.assertIn('cgroup', self.options()[0])
        program.send(signal.SIGTERM)
        self.wait_program(program)

    def test_without_a_session_bus(self):
        self.start_fake()
        for bus, pattern in ((None, 'there is no session bus'), ('unix:path=/nonexistent',
                                                                 'no connection to the session bus')):
            with self.subTest(bus=bus):
                self.env.pop('DBUS_SESSION_BUS_ADDRESS', None)
                if bus:
                    self.env['DBUS_SESSION_BUS_ADDRESS'] = bus
                self.assert_core(self.eppctl('run', '-t', 'app', *OWN_CGROUP), pattern)
        self.assertEqual(self.options(), [{'trigger': 'app'}] * 2)

    def test_by_the_socket_in_the_runtime_directory(self):
        self.start_fake()
        del self.env['DBUS_SESSION_BUS_ADDRESS']
        # Where the test's bus listens.
        self.env['XDG_RUNTIME_DIR'] = self.directory
        self.assertIn('app-eppd', self.assert_ok(self.eppctl('run', '-t', 'app', *OWN_CGROUP)))

    def test_without_a_user_manager(self):
        self.start_fake()
        self.manager.connection.close_sync(None)
        self.wait_for(lambda: not self.name_owner('org.freedesktop.systemd1'), 'it to leave')
        self.assert_core(self.eppctl('run', '-t', 'app', *OWN_CGROUP),
                         "no scope by the user's systemd")

    def test_user_manager_that_refuses(self):
        self.start_fake()
        self.manager.error = ('org.freedesktop.systemd1.UnitExists', 'it is there already')
        self.assert_core(self.eppctl('run', '-t', 'app', *OWN_CGROUP), 'it is there already')

    def test_job_that_fails_or_never_ends_or_moves_nobody(self):
        self.start_fake()
        self.manager.moves = False
        for result, pattern in (('failed', 'scope: failed'), (None, 'no answer'),
                                ('done', 'no cgroup v2 of that name')):
            with self.subTest(result=result):
                self.manager.result = result
                self.assert_core(self.eppctl('run', '-t', 'app', *OWN_CGROUP), pattern)

    def test_session_bus_that_is_silent(self):
        self.start_fake()
        path = os.path.join(self.directory, 'silent')
        listener = socket.socket(socket.AF_UNIX)
        self.addCleanup(listener.close)
        listener.bind(path)
        listener.listen()
        self.env['DBUS_SESSION_BUS_ADDRESS'] = 'unix:path=' + path
        self.assert_core(self.eppctl('run', '-t', 'app', *OWN_CGROUP),
                         'no connection to the session bus')

    def test_daemon_that_does_not_take_the_cgroup(self):
        self.start_fake()
        self.fake.errors['HoldBoost'] = lambda _app_id, _reason, options: (
            ('org.freedesktop.DBus.Error.InvalidArgs', 'which cgroup') if 'cgroup' in options
            else None)
        program = self.eppctl('run', '-t', 'app', 'true')
        self.assert_fails(program, 0, r'the trigger is core \(it has no cgroup: which cgroup\)$')
        self.assertEqual([set(options) for options in self.options()],
                         [{'trigger', 'cgroup'}, {'trigger'}])

    def test_real_daemon_takes_it(self):
        self.start_eppd('--residency', 'procstat')
        program = self.start_eppctl('run', '-t', 'app', '--', 'sh', '-c', 'echo in; exec sleep 1000')
        self.wait_for(lambda: 'in' in program.out, 'the command')
        hold, = self.call('ListBoostHolds')
        self.assertEqual(hold['cgroup'], self.manager.cgroup(f'app-eppd-sh-{program.pid}.scope'))
        self.assertEqual(hold['trigger-asked'], 'app')
        # No source but bpf knows applications: what is said is the daemon's reason, not the scope's.
        self.assertTrue(re.fullmatch(r'(eppctl: [^\n]*\n)?', program.err), program.err)
        self.assertNotIn('systemd', program.err)
        program.send(signal.SIGTERM)
        self.wait_program(program)
        self.wait_for(lambda: not self.call('ListBoostHolds'), 'the hold to end')
