# SPDX-License-Identifier: GPL-2.0-or-later
"""power-profiles-daemon's own powerprofilesctl, of the distribution, as a client of eppd."""

import os
import re
import signal

import desktop_case
from profile_case import NOBODY

PROGRAM = '/usr/bin/powerprofilesctl'


def lacks():
    """What the machine lacks, or None. eppd can be installed with a powerprofilesctl of its own."""
    try:
        with open(PROGRAM, 'rb') as file:
            if re.match(rb'#!.*python', file.readline()):
                return None
    except OSError:
        pass
    return "power-profiles-daemon's powerprofilesctl"


class UpstreamCtl(desktop_case.DesktopTestCase):

    def setUp(self):
        if lacks():
            self.skipTest(f'machine lacks: {lacks()}')
        super().setUp()
        self.start_eppd()

    def ctl(self, *args, code=0, **popen_args):
        """What it prints; it must end with @code."""
        program = self.start_program([PROGRAM, *args], **popen_args)
        self.assertEqual(self.wait_program(program), code, program.out + program.err)
        return program.out if code == 0 else program.err

    def test_get_and_set(self):
        for profile in ('power-saver', 'performance', 'balanced'):
            self.ctl('set', profile)
            self.wait_for_machine(profile)
            self.assertEqual(self.ctl('get'), f'{profile}\n')

    def test_set_of_an_unknown_profile(self):
        error = self.ctl('set', 'bogus', code=1)
        self.assertRegex(error, "Failed to communicate with power-profiles-daemon: .*"
                                "Invalid profile name 'bogus'")
        self.wait_for_machine('balanced')

    def test_set_that_polkit_denies(self):
        if os.geteuid() != 0:
            self.skipTest('machine lacks: root (to be another user)')
        self.allow([])
        os.chmod(self.directory, 0o711)
        error = self.ctl('set', 'performance', code=1, user=NOBODY, group=NOBODY, extra_groups=[])
        self.assertIn('Not Authorized: org.freedesktop.UPower.PowerProfiles.switch-profile', error)
        self.wait_for_machine('balanced')

    def test_list(self):
        self.switch('power-saver')
        self.wait_for_machine('power-saver')
        profiles = self.value('Profiles')
        self.assertEqual([entry['Profile'] for entry in profiles],
                         ['power-saver', 'balanced', 'performance'])
        printed = re.findall(r'^([* ]) (\S+):$', self.ctl('list'), re.MULTILINE)
        self.assertEqual(printed, [(' ', 'performance'), (' ', 'balanced'), ('*', 'power-saver')])
        # Without a command it lists, too.
        self.assertEqual(self.ctl(), self.ctl('list'))

    def test_list_tells_the_drivers(self):
        printed = re.findall(r'^ +(\w*Driver): +(\S+)$', self.ctl('list'), re.MULTILINE)
        self.assertTrue(printed)
        known = {(key, value) for entry in self.value('Profiles')
                 for key, value in entry.items() if key.endswith('Driver')}
        self.assertLessEqual(set(printed), known)
        self.assertRegex(self.ctl('list'), r'(?m)^    Degraded: +no$')

    def test_list_holds(self):
        self.assertEqual(self.ctl('list-holds'), '')
        self.hold_profile('performance')
        self.hold_profile('power-saver')
        printed = re.findall(r'^Hold:\n +Profile: +(\S+)\n +Application ID: +(.*)\n +Reason: +(.*)$',
                             self.ctl('list-holds'), re.MULTILINE)
        self.assertEqual(printed, [(hold['Profile'], hold['ApplicationId'], hold['Reason'])
                                   for hold in self.value('ActiveProfileHolds')])
        self.assertCountEqual(printed, [('performance', 'app', 'why'),
                                        ('power-saver', 'app', 'why')])

    def test_launch_holds_the_profile_while_the_command_runs(self):
        program = self.start_group([PROGRAM, 'launch', '-p', 'power-saver', '-r', 'reading', '-i',
                                    'org.example.Reader', 'sh', '-c',
                                    'echo reading; exec sleep infinity'])
        self.wait_for(lambda: program.out == 'reading\n', 'the command to run')
        self.assertEqual(self.value('ActiveProfileHolds'),
                         [{'ApplicationId': 'org.example.Reader', 'Profile': 'power-saver',
                           'Reason': 'reading'}])
        self.wait_for_machine('power-saver')
        program.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(program), 0, program.err)
        self.assertEqual(self.held_profiles(), [])
        self.wait_for_machine('balanced')

    def test_launch_by_default_holds_performance(self):
        record = self.directory + '/seen'
        self.ctl('launch', 'sh', '-c', f'{PROGRAM} list-holds >{record}; {PROGRAM} get >>{record}')
        with open(record, encoding='utf-8') as file:
            self.assertEqual(file.read(), 'Hold:\n  Profile:         performance\n'
                             '  Application ID:  sh\n  Reason:          Running sh\nperformance\n')
        self.assertEqual(self.held_profiles(), [])
        self.wait_for_machine('balanced')

    def test_a_launch_that_is_killed_leaves_no_hold(self):
        program = self.start_group([PROGRAM, 'launch', 'sleep', 'infinity'])
        self.wait_for_machine('performance')
        program.send(signal.SIGKILL)
        self.wait_program(program)
        self.wait_for_machine('balanced')
        self.assertEqual(self.held_profiles(), [])

    def test_a_hold_that_can_not_be(self):
        self.assertIn('can be a hold profile', self.ctl('launch', '-p', 'balanced', 'true', code=1))

    def test_version(self):
        self.assertRegex(self.ctl('version'), r'\d+\.\d+')

    def test_eppd_is_down(self):
        self.stop_eppd()
        self.assertIn('Failed to communicate with power-profiles-daemon', self.ctl('get', code=1))
