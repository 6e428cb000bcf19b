# SPDX-License-Identifier: GPL-2.0-or-later
"""eppctl, against a fake daemon (fake_eppd.py) on a private bus."""

import fcntl
import json
import os
import pty
import re
import signal
import struct
import sys
import termios

import harness
from fake_eppd import FakeEppd, Wide, policy

# Says when it is ready and which signals come; TERM ends it with 5.
LISTENER = '''
import os, signal, sys
def said(number, frame):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        os._exit(5)
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1,
               signal.SIGUSR2, signal.SIGCONT):
    signal.signal(number, said)
print('ready', flush=True)
while True:
    signal.pause()
'''

HOSTILE = 'a\x1b[31mred\x07\r\nline\x7f\u009b2Jx\u202eback' + 'y' * 5000


class CtlTestCase(harness.EppdTestCase):
    def start_fake(self, xml=None):
        self.fake = FakeEppd(self.connect(), xml).own()
        return self.fake

    def assert_ok(self, program):
        self.assertEqual(program.code(), 0, program.err)
        self.assertEqual(program.err, '')
        return program.out

    def assert_fails(self, program, code, pattern):
        """It failed with @code and one line on standard error that matches."""
        self.assertEqual(program.code(), code, program.err)
        self.assertEqual(len(program.err.splitlines()), 1, program.err)
        self.assertRegex(program.err, '^eppctl: ')
        self.assertRegex(program.err, pattern)

    def assert_harmless(self, text):
        """Nothing in it that a terminal would obey."""
        for character in text:
            self.assertTrue(character == '\n' or character.isprintable(), repr(character))

    def start_on_terminal(self, argv, size=(0, 0), **env):
        """Runs @argv on a terminal of its own, of @size lines and columns; the program."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', *size, 0, 0))
        self.addCleanup(os.close, master)
        os.set_blocking(master, False)
        pid = os.fork()
        if pid == 0:
            login_tty(slave)
            os.execve(argv[0], argv, {**self.env, 'TERM': 'xterm', **env})
        os.close(slave)
        return TerminalProgram(self, pid, master)


def login_tty(slave):
    """os.login_tty() of a newer Python."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(slave, number)


class TerminalProgram:
    def __init__(self, case, pid, master):
        self.pid = pid
        self.master = master
        self.out = ''
        self.status = None
        case.addCleanup(self.end)

    def read(self):
        try:
            self.out += os.read(self.master, 65536).decode(errors='replace')
        except (BlockingIOError, OSError):
            pass
        return self.out

    def ended(self):
        self.read()
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                self.read()
        return self.status is not None

    def end(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)


class UsageTest(CtlTestCase):
    def test_wrong_command_lines_exit_with_2(self):
        for args in (['nonsense'], ['--nonsense'], ['status', '--nonsense'], ['status', 'x'],
                     ['explain'], ['explain', 'x'], ['explain', '-1'], ['explain', '99999'],
                     ['explain', '1', '2'], ['run'], ['run', '--'], ['run', '--trigger', 'x', 'true'],
                     ['run', '--threshold', '0', 'true'], ['run', '--threshold', '101', 'true'],
                     ['run', '--threshold', '99999999999', 'true'], ['top', '--seconds', '-1'],
                     ['top', '--seconds', 'x'], ['holds', 'x'], ['reload', 'x'], ['stats', 'x']):
            with self.subTest(args=args):
                program = self.eppctl(*args)
                self.assertEqual(program.code(), 2, program.err)
                self.assertNotEqual(program.err, '')
                self.assertEqual(program.out, '')

    def test_help_and_version_need_no_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        for args, expected in ((['--help'], 'Verbs:'), (['--version'], 'eppctl '),
                               (['run', '--help'], '--strict'), (['top', '--help'], '--seconds')):
            with self.subTest(args=args):
                self.assertIn(expected, self.assert_ok(self.eppctl(*args, env=env)))

    def test_hostile_argument_is_escaped(self):
        program = self.eppctl('\x1b[31m\u009b')
        self.assertEqual(program.code(), 2)
        self.assert_harmless(program.err)


class ErrorsTest(CtlTestCase):
    VERBS = (['status'], ['explain', '0'], ['holds'], ['stats'], ['reload'], ['top'])

    def test_absent_daemon_is_named_with_the_remedy(self):
        for args in self.VERBS:
            with self.subTest(args=args):
                self.assert_fails(self.eppctl(*args), 1,
                                  r'eppd is not running.*org\.eppd\.Eppd1.*systemctl start eppd')

    def test_absent_bus(self):
        env = dict(self.env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent')
        self.assert_fails(self.eppctl('status', env=env), 1,
                          r'no connection to the system bus at unix:path=/nonexistent: .*No such '
                          r'file or directory: is dbus running \(`systemctl status dbus`\)\?$')

    def test_refusal_is_passed_on(self):
        self.start_fake().errors['Reload'] = ('org.freedesktop.DBus.Error.AccessDenied',
                                              'org.eppd.configure is needed')
        self.assert_fails(self.eppctl('reload'), 1, 'not allowed: org.eppd.configure is needed')

    def test_refusal_is_not_said_twice(self):
        text = 'Not Authorized: org.eppd.configure (polkit is not running)'
        self.start_fake().errors['Reload'] = ('org.freedesktop.DBus.Error.AccessDenied', text)
        program = self.eppctl('reload')
        self.assertEqual((program.code(), program.err), (1, f'eppctl: {text}\n'))

    def test_hostile_error_text_is_escaped(self):
        self.start_fake().errors['Reload'] = ('org.example.Error', HOSTILE)
        program = self.eppctl('reload')
        self.assert_fails(program, 1, r'a\\x1b\[31mred')
        self.assert_harmless(program.err)

    def test_daemon_that_speaks_otherwise(self):
        self.start_fake(harness.read_file(harness.INTERFACE_FILE).replace('"aa{sv}"', '"s"'))
        self.fake._ListBoostHolds = lambda sender: harness.GLib.Variant('(s)', ('x',))
        self.assert_fails(self.eppctl('holds'), 1, 'do not understand each other')

    def test_full_disk_is_a_failure(self):
        self.start_fake()
        if not os.path.exists('/dev/full'):
            self.skipTest('machine lacks: /dev/full')
        program = self.run_program(['/bin/sh', '-c', f'exec {harness.EPPCTL} status > /dev/full'])
        self.assert_fails(program, 1, 'could not be written')


class StatusTest(CtlTestCase):
    def test_head_and_policies(self):
        self.start_fake().policies = [
            policy(0, **{'busy-permille': 31}),
            policy(1, current='performance', boosted=True, **{'busy-permille': 874}),
            policy(2, online=False), policy(3, resting=True),
            policy(4, **{'restore-pending': True}), policy(5, **{'foreign-writes': Wide(2)}),
            policy(6, current='default', foreign=True)]
        self.fake.properties['BoostedCpus'] = [1, 2, 3, 7]
        self.assertEqual(self.assert_ok(self.eppctl('status')), '''\
eppd       9.9
Driver     amd-pstate-epp (active mode), governor powersave
Profile    balanced
Power      AC
Boost      armed: one hold
Residency  bpf: sampled by ticks
Boosted    CPU 1-3,7

POLICY   CPUS  BASE                 CURRENT              BUSY  NOTE
policy0  0     balance_performance  balance_performance   3 %
policy1  1     balance_performance  performance          87 %  boosted
policy2  2     balance_performance  balance_performance     -  offline
policy3  3     balance_performance  balance_performance     -  left out, others write it
policy4  4     balance_performance  balance_performance     -  restore pending
policy5  5     balance_performance  balance_performance     -  2 foreign writes
policy6  6     balance_performance  default                 -  written by another program
''')

    def test_no_policies(self):
        self.start_fake().policies = []
        out = self.assert_ok(self.eppctl('status'))
        self.assertIn('Driver     none\n', out)
        self.assertIn('No CPU frequency policy', out)

    def test_large_machine_is_condensed_unless_all_is_asked_for(self):
        self.start_fake().policies = [
            policy(n, **{'busy-permille': 900 if n == 40 else n % 7}) for n in range(256)]
        self.fake.policies[3].update(current='performance', boosted=True)
        rows = self.assert_ok(self.eppctl('status')).split('\n\n')[1].splitlines()
        self.assertEqual([row.split()[:2] for row in rows[1:]],
                         [['policy0-2,4-39,41-255', '0-2,4-39,41-255'], ['policy3', '3'],
                          ['policy40', '40']])
        self.assertIn('< 10 %', rows[1])
        rows = self.assert_ok(self.eppctl('status', '--all')).split('\n\n')[1].splitlines()
        self.assertEqual(len(rows), 257)

    def test_policies_with_names_of_another_kind_are_not_condensed(self):
        self.start_fake().policies = [policy(n, policy=f'odd{n}') for n in range(40)]
        rows = self.assert_ok(self.eppctl('status')).split('\n\n')[1].splitlines()
        self.assertEqual(len(rows), 41)

    def test_json(self):
        self.start_fake()
        status = json.loads(self.assert_ok(self.eppctl('status', '--json')))
        self.assertEqual(status['BoostState'], 'armed')
        self.assertEqual([fields['policy'] for fields in status['Policies']],
                         ['policy0', 'policy1'])

    def test_hostile_strings_are_escaped_and_cut(self):
        self.start_fake().policies = [
            policy(0, policy=HOSTILE, cpus=HOSTILE, driver=HOSTILE, governor=HOSTILE, base=HOSTILE,
                   current=HOSTILE)]
        for name in ('Version', 'BoostState', 'BoostReason', 'ResidencySource', 'ResidencyReason',
                     'ActiveProfile', 'PowerSource'):
            self.fake.properties[name] = HOSTILE
        out = self.assert_ok(self.eppctl('status'))
        self.assert_harmless(out)
        self.assertIn('a\\x1b[31mred\\x07\\x0d\\x0aline\\x7f\\u{009b}', out)
        self.assertLess(max(map(len, out.splitlines())), 10000)
        json.loads(self.assert_ok(self.eppctl('status', '--json')))

    def test_missing_fields_and_wrong_types_are_unknown(self):
        self.start_fake().policies = [{}, {'policy': 7, 'cpus': True, 'boosted': 'yes',
                                          'busy-permille': 'x', 'base': [1]},
                                      policy(1, **{'busy-permille': 4294967295})]
        rows = self.assert_ok(self.eppctl('status')).split('\n\n')[1].splitlines()
        self.assertEqual(rows[1].split(), ['?', '?', 'unknown', 'unknown', '-'])
        self.assertEqual(rows[2].split(), ['?', '?', 'unknown', 'unknown', '-'])
        self.assertEqual(rows[3].split()[-1], '?')

    def test_colour_only_on_a_terminal_that_wants_it(self):
        self.start_fake()
        for env, coloured in (({}, True), ({'NO_COLOR': '1'}, False), ({'NO_COLOR': ''}, True),
                              ({'TERM': 'dumb'}, False)):
            with self.subTest(env=env):
                program = self.start_on_terminal([harness.EPPCTL, 'status'], **env)
                self.wait_for(program.ended, 'eppctl status')
                self.assertIn('policy1', program.out)
                self.assertEqual('\x1b[' in program.out, coloured)
        self.assertNotIn('\x1b', self.assert_ok(self.eppctl('status')))


class ExplainTest(CtlTestCase):
    def test_text(self):
        self.start_fake()
        for spelling in ('1', 'cpu1'):
            self.assertEqual(self.assert_ok(self.eppctl('explain', spelling)), '''\
CPU      1
Policy   policy1
Base     balance_performance
Current  performance
Boosted  yes
Busy     87 %, 4.0 ms ago

It was busy a moment ago.
''')
        self.assertEqual(self.fake.called('Explain'), [(1,), (1,)])

    def test_json(self):
        self.start_fake()
        explanation = json.loads(self.assert_ok(self.eppctl('explain', '--json', '1')))
        self.assertEqual(explanation['busy-permille'], 874)

    def test_unknown_cpu(self):
        self.start_fake().errors['Explain'] = ('org.freedesktop.DBus.Error.InvalidArgs',
                                               'No policy has CPU 77')
        self.assert_fails(self.eppctl('explain', '77'), 1, 'No policy has CPU 77')


class HoldsTest(CtlTestCase):
    def test_none(self):
        self.start_fake()
        self.assertEqual(self.assert_ok(self.eppctl('holds')), 'Nothing holds the boost.\n')
        self.assertEqual(json.loads(self.assert_ok(self.eppctl('holds', '--json'))), [])

    def test_table(self):
        self.start_fake().holds = [
            {'cookie': 0, 'app-id': 'game', 'reason': 'playing', 'owner': ':1.7', 'uid': 1000,
             'trigger': 'core', 'trigger-asked': 'app', 'trigger-why': 'no cgroup',
             'threshold-percent': 50, 'since-usec': Wide(0)},
            {'app-id': HOSTILE, 'reason': HOSTILE, 'trigger': HOSTILE, 'trigger-why': HOSTILE}]
        out = self.assert_ok(self.eppctl('holds'))
        self.assert_harmless(out)
        lines = out.splitlines()
        self.assertEqual(len(lines), 3)
        self.assertRegex(lines[1], r'^game +1000 +:1\.7 .* 50 % +core \(asked for app: no cgroup\)'
                                   r' +playing$')

    def test_json(self):
        self.start_fake().holds = [{'app-id': 'game', 'uid': 1000}]
        self.assertEqual(json.loads(self.assert_ok(self.eppctl('holds', '--json'))),
                         [{'app-id': 'game', 'uid': 1000}])


class StatsAndReloadTest(CtlTestCase):
    def test_stats(self):
        self.start_fake()
        out = self.assert_ok(self.eppctl('stats'))
        self.assertRegex(out, r'(?m)^busy edges +3$')
        self.assertRegex(out, r'(?m)^sample period +10\.0 ms$')
        self.assertEqual(json.loads(self.assert_ok(self.eppctl('stats', '--json')))['samples'],
                         1234)

    def test_hostile_stats(self):
        self.start_fake().statistics = {HOSTILE: Wide(1), 'x': HOSTILE, '-usec': Wide(2 ** 64 - 1)}
        self.assert_harmless(self.assert_ok(self.eppctl('stats')))

    def test_reload(self):
        self.start_fake()
        self.assertEqual(self.assert_ok(self.eppctl('reload')), '')
        self.assertEqual(len(self.fake.called('Reload')), 1)


class TopTest(CtlTestCase):
    def test_lines_where_the_output_is_no_terminal(self):
        self.start_fake().policies = [policy(0), policy(1, current='performance', boosted=True,
                                                        **{'busy-permille': 600})]
        lines = self.assert_ok(self.eppctl('top', '--seconds', '1')).splitlines()
        self.assertGreaterEqual(len(lines), 2)
        for line in lines:
            self.assertRegex(line, r's  armed .*busy edges 3.*\|  policy1 performance busy 60 % '
                                   r'BOOSTED$')
        self.assertNotIn('\x1b', ''.join(lines))

    def test_idle(self):
        self.start_fake()
        self.assertRegex(self.assert_ok(self.eppctl('top', '--seconds', '1')), r'\|  all idle\n')

    def test_json_is_one_object_a_line(self):
        self.start_fake()
        for line in self.assert_ok(self.eppctl('top', '--seconds', '1', '--json')).splitlines():
            snapshot = json.loads(line)
            self.assertEqual(snapshot['Statistics']['busy-edges'], 3)
            self.assertEqual(len(snapshot['Policies']), 2)

    def test_screen_on_a_terminal(self):
        self.start_fake()
        program = self.start_on_terminal([harness.EPPCTL, 'top'])
        self.wait_for(lambda: program.read().count('\x1b[H') >= 2, 'a redraw')
        self.assertIn('policy1', program.out)

    def redrawn(self, *args, **terminal):
        """The lines of one redraw, as a terminal shows them."""
        program = self.start_on_terminal([harness.EPPCTL, 'top', *args], **terminal)
        self.wait_for(lambda: program.read().count('\x1b[H') >= 3, 'redraws')
        redraw = program.out.split('\x1b[H')[2].split('\x1b[J')[0]
        return [re.sub(r'\x1b\[\d*[A-Za-z]', '', line) for line in redraw.split('\r\n')]

    def test_lines_are_cut_to_the_terminals_width(self):
        self.start_fake().properties['BoostReason'] = 'a reason ' * 20
        for columns in (80, 40, 1):
            with self.subTest(columns=columns):
                lines = self.redrawn(size=(24, columns))
                self.assertEqual(len(lines), 7)
                self.assertEqual(max(map(len, lines)), columns)
        lines = self.redrawn(size=(24, 250))
        self.assertIn('a reason a reason', lines[1])
        self.assertIn('balance_performance', lines[-1])

    def test_policies_without_room_are_counted(self):
        # Each in a line of its own: they are not alike.
        self.start_fake().policies = [policy(n, boosted=True) for n in range(40)]
        lines = self.redrawn(size=(12, 80))
        self.assertEqual(len(lines), 12)
        self.assertIn('policy5 ', lines[-2])
        self.assertEqual(lines[-1], '… 34 more')
        lines = self.redrawn('--title', 'x', size=(12, 80))
        self.assertEqual(lines[-1], '… 35 more')
        self.assertEqual(self.redrawn(size=(1, 80)), ['… 45 more'])
        lines = self.redrawn(size=(45, 80))
        self.assertEqual(len(lines), 45)
        self.assertIn('policy39', lines[-1])

    def test_title_is_the_first_line(self):
        self.start_fake()
        lines = self.redrawn('--title', f'A SIMULATED tree {HOSTILE}', size=(24, 50))
        self.assertEqual(len(lines), 8)
        self.assertRegex(lines[0], r'^A SIMULATED tree a\\x1b\[31mred')
        self.assertRegex(lines[1], r'^\d+\.\d s ')
        out = self.assert_ok(self.eppctl('top', '--seconds', '1', '--title', HOSTILE[:20]))
        self.assert_harmless(out)
        self.assertRegex(out, r'^a\\x1b\[31mred[^\n]*\n +\d')
        self.assertEqual(out.count('31mred'), 1)
        for line in self.assert_ok(self.eppctl('top', '--seconds', '1', '--json', '--title',
                                               'x')).splitlines():
            json.loads(line)

    def test_nothing_is_cut_where_the_output_is_no_terminal(self):
        self.start_fake().policies = [policy(n, boosted=True) for n in range(40)]
        line = self.assert_ok(self.eppctl('top', '--seconds', '1')).splitlines()[0]
        self.assertIn('policy39', line)

    def test_daemon_that_leaves(self):
        self.start_fake()
        program = self.start_eppctl('top')
        self.wait_for(lambda: program.out, 'the first line')
        self.fake.disown()
        self.wait_program(program)
        self.assert_fails(program, 1, 'eppd is not running')

    def test_reader_that_leaves(self):
        self.start_fake()
        program = self.run_program(['/bin/sh', '-c', f'{harness.EPPCTL} top | head -n 1'])
        self.assertEqual(program.err, '')
        self.assertEqual(len(program.out.splitlines()), 1)


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
        program = self.listener('--trigger', 'app', '--threshold', '30', '--app-id', 'the-game',
                                '--reason', 'just because')
        self.assertEqual(self.fake.called('HoldBoost'),
                         [('the-game', 'just because', {'trigger': 'app', 'threshold-percent': 30})])
        self.assertEqual(len(self.fake.holds), 1)
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 5)
        self.assertEqual(self.fake.called('ReleaseBoost'), [(1001,)])
        self.assertEqual(program.err, '')

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
                          r'the trigger is core \(it has no cgroup\); '
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
        self.fake.change(ResidencySource='bpf', BoostState='armed')
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
