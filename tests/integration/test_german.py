# SPDX-License-Identifier: GPL-2.0-or-later
"""eppctl in German, from the build's own catalogue."""

import json
import os

import boost_case
import harness

SHIM = os.path.join(harness.BUILD_ROOT, 'tests', 'integration', 'locale-shim.so')
LOCALE_DIR = os.path.join(harness.BUILD_ROOT, 'po')


class GermanTest(boost_case.BoostTestCase):

    def german(self, *args):
        """eppctl in German. C.UTF-8 is there everywhere, and LANGUAGE is heeded in it."""
        env = dict(self.env, LC_ALL='C.UTF-8', LANGUAGE='de', EPPD_TEST_LOCALE_DIR=LOCALE_DIR,
                   LD_PRELOAD=' '.join(filter(None, [SHIM, self.env.get('LD_PRELOAD')])))
        return self.eppctl(*args, env=env)

    def test_help(self):
        program = self.german('--help')
        self.assertEqual((program.code(), program.err), (0, ''))
        self.assertIn('Verben:', program.out)
        self.assertRegex(program.out, r'\n  holds +Zeigen, wer die Beschleunigung hält\n')

    def test_help_of_a_verb(self):
        program = self.german('run', '--help')
        self.assertEqual((program.code(), program.err), (0, ''))
        self.assertIn('Führt COMMAND aus', program.out)
        self.assertIn('Wird von `eppctl holds` gezeigt', program.out)

    def test_help_of_the_verbs_of_game(self):
        program = self.german('game', '--help')
        self.assertEqual((program.code(), program.err), (0, ''))
        self.assertRegex(program.out, r'\nVerben:\n  list +Die Spiele zeigen')
        self.assertIn('Meldet ein Spiel ab', self.german('game', 'disable', '--help').out)

    def test_errors(self):
        program = self.german('klettern')
        self.assertEqual(program.code(), 2)
        self.assertEqual(program.err,
                         'eppctl: es gibt kein Verb »klettern« (siehe `eppctl --help`)\n')
        program = self.german('status')
        self.assertEqual(program.code(), 1)
        self.assertIn('eppd läuft nicht (org.eppd.Eppd1 hat keinen Besitzer)', program.err)

    def test_a_table_stands_in_columns(self):
        self.start_busy()
        self.hold(reason='spielt')
        heading, row = self.german('holds').out.splitlines()
        self.assertEqual(heading.split()[:3], ['ANWENDUNG', 'UID', 'BESITZER'])
        # Behind a right-aligned column and one whose heading has letters of two bytes.
        self.assertEqual(heading.index('AUSLÖSER'), row.index('core'))
        self.assertEqual(heading.index('GRUND'), row.index('spielt'))

    def test_what_a_program_reads_is_not_translated(self):
        self.start_busy()
        german = json.loads(self.german('status', '--json').out)
        english = json.loads(self.eppctl('status', '--json').out)
        self.assertEqual(german.keys(), english.keys())
        self.assertEqual(german['ActiveProfile'], 'balanced')
