# SPDX-License-Identifier: GPL-2.0-or-later
"""Starting, ending and the command line."""

import os
import re
import shutil
import signal

import boost_case
import harness
from boost_case import BASE, BOOST


class Start(boost_case.BoostTestCase):

    def assert_ends(self, program, code, pattern):
        self.assertEqual(self.wait_program(program), code, program.out + program.err)
        self.assertRegex(program.out + program.err, pattern)

    def test_the_name_is_taken(self):
        self.start_busy()
        self.boost()
        second = self.spawn_eppd(*self.daemon_args)
        self.assert_ends(second, 1, 'could not get the name org.eppd.Eppd1.*another eppd or power-profiles-daemon has it')
        # The first one was not disturbed.
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assertIsNone(self.daemon.code())

    def test_there_is_no_bus(self):
        self.env['DBUS_SYSTEM_BUS_ADDRESS'] = f'unix:path={self.directory}/no-bus'
        self.assert_ends(self.spawn_eppd(), 1, 'could not reach the system bus: .*No such file')

    def test_a_bus_address_that_is_none(self):
        self.env['DBUS_SYSTEM_BUS_ADDRESS'] = 'nonsense'
        self.assert_ends(self.spawn_eppd(), 1, 'could not reach the system bus')

    def test_the_bus_dies_while_boosted(self):
        self.start_busy()
        self.boost()
        self.bus.send(signal.SIGKILL)
        self.assert_ends(self.daemon, 1, 'the system bus went away')
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertFalse(os.path.exists(os.path.join(self.runtime_dir, 'restore.ini')))

    def test_a_runtime_directory_that_can_not_be_written(self):
        os.makedirs(self.runtime_dir)
        if self.run_program(['chattr', '+i', self.runtime_dir]).code() != 0:
            self.skipTest('machine lacks: root (for immutable files)' if os.geteuid() != 0 else
                          'machine lacks: immutable files in the temporary directory')
        self.addCleanup(self.run_program, ['chattr', '-i', self.runtime_dir])
        self.assert_ends(self.spawn_eppd(), 1, f'could not start: .*{re.escape(self.runtime_dir)}')

    def test_a_runtime_directory_that_is_a_file(self):
        self.runtime_dir = os.path.join(self.directory, 'file', 'run')
        with open(os.path.dirname(self.runtime_dir), 'w', encoding='utf-8'):
            pass
        self.make_tree()
        self.write_config('')
        daemon = self.start_bare_eppd('--root', self.tree, '--config', self.config_path,
                                      '--runtime-dir', self.runtime_dir)
        self.assert_ends(daemon, 1, f'could not start: .*{re.escape(self.runtime_dir)}')

    def test_the_runtime_directory_is_made(self):
        shutil.rmtree(self.runtime_dir, ignore_errors=True)
        self.make_tree()
        self.write_config('')
        daemon = self.start_bare_eppd('--root', self.tree, '--config', self.config_path,
                                      '--runtime-dir', self.runtime_dir)
        self.get_when_there()
        self.assertTrue(os.path.exists(os.path.join(self.runtime_dir, 'lock')))
        daemon.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(daemon), 0)

    def get_when_there(self):
        self.wait_for(lambda: self.name_owner(harness.BUS_NAME), 'the daemon on the bus')
        return self.get('Version')

    def test_calls_before_it_has_the_lock_are_answered_once_it_has(self):
        self.start_busy()
        old = self.daemon
        old.send(signal.SIGSTOP)
        self.addCleanup(old.send, signal.SIGCONT)
        old_owner = self.name_owner(harness.BUS_NAME)
        self.daemon = self.spawn_eppd('-r', *self.daemon_args)
        self.wait_for(lambda: self.name_owner(harness.BUS_NAME) not in (None, old_owner),
                      'the newcomer on the bus')
        answers = []
        for method in ('GetPolicies', 'GetStatistics', 'ListBoostHolds'):
            self.connection.call(harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME, method,
                                 None, None, harness.Gio.DBusCallFlags.NONE, 60_000, None,
                                 lambda connection, result:
                                 answers.append(connection.call_finish(result)))
        self.assertIsNone(harness.iterate_until(lambda: answers, 1))
        old.send(signal.SIGCONT)
        self.wait_for(lambda: len(answers) == 3, 'the answers')
        self.assertEqual(self.wait_program(old), 0)

    def test_a_signal_while_it_waits_for_the_lock(self):
        self.start_busy()
        old = self.daemon
        old.send(signal.SIGSTOP)
        self.addCleanup(old.send, signal.SIGCONT)
        old_owner = self.name_owner(harness.BUS_NAME)
        newcomer = self.spawn_eppd('-r', *self.daemon_args)
        self.wait_for(lambda: self.name_owner(harness.BUS_NAME) not in (None, old_owner),
                      'the newcomer on the bus')
        newcomer.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(newcomer), 0)

    def test_ends_while_the_sources_are_tried(self):
        self.start_eppd()
        self.hold()
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_starts_and_ends_twenty_times(self):
        self.start_busy()
        for _ in range(20):
            self.boost()
            self.restart_eppd()
            self.assertEqual(self.epp('policy1'), BASE)


class CommandLine(boost_case.BoostTestCase):

    def test_version(self):
        program = self.run_bare_eppd('--version')
        self.assertEqual(program.code(), 0)
        self.assertRegex(program.out, r'^eppd \d+\.\d+')
        self.start_eppd()
        self.assertEqual(program.out, f"eppd {self.get('Version')}\n")

    def test_help(self):
        program = self.run_bare_eppd('--help')
        self.assertEqual(program.code(), 0)
        for option in ('--root', '--config', '--state-dir', '--runtime-dir', '--residency',
                       '--restore', '--check-config', '--replace', '--verbose', '--version'):
            self.assertIn(option, program.out)

    def test_bad_options(self):
        for args in (['--no-such-option'], ['word'], ['--root'], ['--root', '/no/such/directory'],
                     ['--root', '/etc/passwd'], ['--residency', 'magic'], ['--residency', ''],
                     ['--residency', 'trace:'], ['-q']):
            with self.subTest(args=args):
                program = self.run_bare_eppd(*args)
                self.assertEqual(program.code(), 2)
                self.assertRegex(program.err, '^eppd: .')
                self.assertEqual(program.out, '')
                self.assertEqual(program.err.count('\n'), 1)

    def test_restore_where_the_runtime_directory_can_not_be(self):
        program = self.run_bare_eppd('--restore', '--runtime-dir', '/proc/no-such-directory')
        self.assertEqual(program.code(), 1)
        self.assertIn('/proc/no-such-directory', program.out + program.err)
