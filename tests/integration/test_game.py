# SPDX-License-Identifier: GPL-2.0-or-later
"""A game that its desktop entry opts in, from its launch to its end: the real agent, the real daemon, real load."""

import os
import shutil
import signal
import subprocess

import harness
from agent_case import AgentTestCase
from boost_case import BASE, BOOST
from hold_case import cgroup2_root

GAME_CPU = 1
OTHER_CPU = 0
UNIT = 'app-gnome-org.example.Game-7.scope'
KEYS = 'X-Eppd-Boost=true\nX-Eppd-Trigger=app\n'
# A burst of two samples (SampleMs), and then a pause of many hold times.
BURST_MS = 20
PAUSE_MS = 3000


class GameTestCase(AgentTestCase):
    """All but the game runs on CPU 0; the game runs on CPU 1."""

    def setUp(self):
        self.pin()
        super().setUp()

    def start(self):
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.start_agent()

    def wait_for_the_end(self):
        """Of the boost and of the hold."""
        self.wait_for_epp('policy1', BASE)
        self.wait_for_held()
        self.wait_for_state('idle')


class Scope(GameTestCase):

    def setUp(self):
        super().setUp()
        self.write_entry('org.example.Game', KEYS)

    def check_until_the_end(self, end):
        self.start()
        other = self.start_load(10, 0, OTHER_CPU)
        written_ns = self.written_ns('policy0')
        cgroup = self.app_cgroup(UNIT)
        game = self.start_load(10, 0, GAME_CPU)
        self.move(game, cgroup)
        self.manager.add(UNIT, cgroup)
        self.wait_for_epp('policy1', BOOST)
        hold, = self.wait_for_held('org.example.Game')
        self.assertEqual((hold['cgroup'], hold['trigger']), (cgroup, 'app'))
        self.assertEqual(self.policies()['policy1']['boosted-for'], 'org.example.Game')

        self.wait_for(lambda: self.policies()['policy0'].get('busy-permille', 0) >= 500, 'the other core to be seen busy')
        self.assertEqual(self.epp('policy1'), BOOST)
        end(game)
        self.wait_for_the_end()
        self.assertIsNone(other.code())
        self.assertEqual((self.epp('policy0'), self.written_ns('policy0')), (BASE, written_ns))

    def test_its_core_alone_is_boosted_until_it_ends(self):
        self.check_until_the_end(self.stop_load)

    def test_its_core_alone_is_boosted_until_it_is_killed(self):
        self.check_until_the_end(lambda game: game.send(signal.SIGKILL))

    def test_a_burst_of_two_samples_is_boosted(self):
        """So the boost comes within these, without a clock to tell."""
        self.start()
        launcher, cgroup = self.start_app(UNIT)
        self.wait_for_held('org.example.Game')
        self.wait_for_state('armed')
        game = self.start_program(['sh', '-c', 'echo $$ >"$0" && exec "$@"', f'{cgroup2_root()}{cgroup}/cgroup.procs',
                                   harness.EPPD_LOAD, '--cpu', str(GAME_CPU), '--work-ms', str(BURST_MS),
                                   '--sleep-ms', str(PAUSE_MS), '--seconds', '1000'])
        self.wait_for_epp('policy1', BOOST)
        # Its pauses end the boost, and not the hold.
        self.wait_for_epp('policy1', BASE)
        self.assertEqual(self.held_ids(), ['org.example.Game'])
        self.wait_for_epp('policy1', BOOST)
        for program in (launcher, game):
            program.end()
        self.wait_for_the_end()


class Launched(GameTestCase):
    """By GLib's launcher: without a unit, and so without a cgroup that is its own."""

    def setUp(self):
        super().setUp()
        self.program = os.path.join(self.directory, 'the-game')
        shutil.copy(harness.EPPD_LOAD, self.program)
        self.entry = self.write_entry(
            'org.example.Game', KEYS,
            exec_line=f'{self.program} --cpu {GAME_CPU} --work-ms 10 --sleep-ms 0 --seconds 1000')
        self.addCleanup(self.signal_game, signal.SIGKILL)

    def signal_game(self, signal_number):
        found = subprocess.run(['pgrep', '-f', f'^{self.program} '], check=False, stdout=subprocess.PIPE,
                               encoding='ascii')
        for pid in found.stdout.split():
            os.kill(int(pid), signal_number)

    def test_its_core_is_boosted_until_it_ends_or_is_killed(self):
        self.start()
        for signal_number in (signal.SIGTERM, signal.SIGKILL):
            launcher = self.run_program(['gio', 'launch', self.entry], env=self.session_env)
            self.assertEqual(launcher.code(), 0, launcher.err)
            self.wait_for_epp('policy1', BOOST)
            hold, = self.wait_for_held('org.example.Game')
            self.assertEqual((hold['trigger-asked'], hold['trigger'], hold.get('cgroup')), ('app', 'core', None))
            self.signal_game(signal_number)
            self.wait_for_the_end()
