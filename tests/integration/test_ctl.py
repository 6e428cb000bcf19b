# SPDX-License-Identifier: GPL-2.0-or-later
"""eppctl, against a fake daemon (fake_eppd.py) on a private bus; `run` is in test_ctl_run.py."""

import json
import os
import re

import harness
from ctl_case import CtlTestCase
from fake_eppd import Wide, policy

HOSTILE = 'a\x1b[31mred\x07\r\nline\x7f\u009b2Jx\u202eback' + 'y' * 5000


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

    def test_refusal_by_polkit_says_who_may(self):
        self.start_fake().errors['Reload'] = ('org.freedesktop.DBus.Error.AccessDenied',
                                              'Not Authorized: org.eppd.configure')
        self.assert_fails(self.eppctl('reload'), 1,
                          'Not Authorized: org.eppd.configure: polkit allows it to root and to the '
                          'user of the active local session')

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
        program = self.start_eppctl('top')
        self.wait_for(lambda: program.out.count('\n') >= 2, 'two lines')
        program.end()
        lines = program.out.split('\n')[:2]
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
