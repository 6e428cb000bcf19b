# SPDX-License-Identifier: GPL-2.0-or-later
"""What a program in eppd's place does wrong fails the test that started it."""

import sys
import unittest
from unittest import mock

import harness

UNTIL_SIGTERM = '''
import signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
print('ready', flush=True)
signal.sigwait({signal.SIGTERM})
sys.exit(int(sys.argv[1]))
'''


class HarnessTest(unittest.TestCase):

    def failures(self, body):
        """What a test that does @body(test) says at its failure; '' where it passes."""
        class Inner(harness.EppdTestCase):
            def runTest(self):
                body(self)

        result = unittest.TestResult()
        Inner().run(result)
        self.assertEqual((result.testsRun, result.errors), (1, []))
        return ''.join(text for _test, text in result.failures)

    def of_shell(self, script):
        return self.failures(lambda test: test.run_bare_eppd('-c', script, program='/bin/sh'))

    def test_any_exit_code_is_the_test_s_to_judge(self):
        for code in (0, 1):
            self.assertEqual(self.of_shell(f'exit {code}'), '')

    def test_a_crash(self):
        for name in ('TRAP', 'ABRT', 'SEGV'):
            self.assertRegex(self.of_shell(f'echo last words; kill -{name} $$'),
                             r'crashed \(-\d+\):\nlast words')

    def test_a_kill_is_none(self):
        self.assertEqual(self.of_shell('kill -KILL $$'), '')

    def test_criticals_of_glib_are_fatal(self):
        self.assertEqual(self.of_shell('case ",$G_DEBUG," in *,fatal-criticals,*) ;; '
                                       '*) kill -ABRT $$ ;; esac'), '')

    def end_with(self, code):
        def body(test):
            program = test.start_bare_eppd('-c', UNTIL_SIGTERM, str(code), program=sys.executable)
            test.wait_for(lambda: program.out == 'ready\n', 'the program')
        return self.failures(body)

    def test_what_still_runs_at_the_end_must_end_well(self):
        self.assertEqual(self.end_with(0), '')
        self.assertRegex(self.end_with(3), r'was not clean \(3\)')

    def of_wrapper(self, words):
        with mock.patch.object(harness, 'WRAPPER', ['env']):
            return self.of_shell(f'echo "{words}" >"$EPPD_WRAPPER_LOGS/1"')

    def test_what_a_wrapper_says(self):
        self.assertRegex(self.of_wrapper('==1== Invalid read of size 1'),
                         'env said:\n==1== Invalid read of size 1')

    def test_what_valgrind_says_of_itself_is_no_error(self):
        self.assertEqual(self.of_wrapper('--1-- WARNING: unhandled eBPF command 28'), '')
