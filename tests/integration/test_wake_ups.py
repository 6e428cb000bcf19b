# SPDX-License-Identifier: GPL-2.0-or-later
"""That neither the agent nor the daemon wakes up while nothing happens."""

import os
import re
import shutil
import time

import harness
from agent_case import AgentTestCase

STEAM_SHORTCUT = 'steam steam://rungameid/570'
QUIET_SECONDS = 3
NO_WAKE_UP_SECONDS = 60
# Longer than two looks at launchers would be apart.
LAUNCHER_SECONDS = 12


class WakeUps(AgentTestCase):

    def programs(self):
        return [self.agent]

    def switches(self):
        """{thread: its name, how often it went to sleep, and how often it was made to wait}"""
        return {thread: re.findall('(?m)^(?:Name|voluntary|nonvoluntary).*', status)
                for program in self.programs()
                for thread, status in harness.read_threads(program.pid, 'status').items()}

    def wait_for_quiet(self):
        """Until they are done with what there was to do, and GLib's worker threads have ended."""
        last = {}

        def quiet():
            now = time.monotonic()
            switches = self.switches()
            if switches != last.get('switches') or 'pool' in str(switches):
                last.update(switches=switches, since=now)
            return now - last['since'] >= QUIET_SECONDS
        self.wait_for(quiet, f'{QUIET_SECONDS} s without a wake-up')

    def assert_asleep(self, seconds):
        self.wait_for_quiet()
        before = self.switches()
        until = time.monotonic() + seconds
        harness.iterate_until(lambda: time.monotonic() > until, 2 * seconds)
        self.assertEqual(self.switches(), before, self.agent.out + self.log())


class Agent(WakeUps):

    def test_none_while_nothing_happens(self):
        # Directories that are not there, launchers' shortcuts, names and programs to watch.
        self.session_env['XDG_DATA_DIRS'] += f':{self.directory}/none/at/all:/none/at/all'
        shutil.copy('/bin/sleep', os.path.join(self.directory, 'the-game'))
        self.write_entry('program', exec_line=os.path.join(self.directory, 'the-game'))
        self.write_entry('Some Game', exec_line=STEAM_SHORTCUT)
        self.write_entry('org.example.Activated', 'X-Eppd-Boost=true\nDBusActivatable=true\n')
        self.write_entry('sleeper')
        self.start_agent()
        self.start_app('app-gnome-org.example.Editor-6.scope')
        self.wait_for_sentinel()
        self.assert_asleep(LAUNCHER_SECONDS)
        # Nor while a game runs.
        self.start_app('app-gnome-sleeper-7.scope')
        self.wait_for_held('sleeper', *self.sentinels)
        self.assert_asleep(LAUNCHER_SECONDS)

    def test_none_for_a_launcher_without_a_game_that_is_opted_in(self):
        self.write_entry('Some Game', '', exec_line=STEAM_SHORTCUT)
        self.start_agent()
        self.start_app('app-gnome-steam-42.scope')
        self.wait_for_sentinel()
        self.assert_asleep(LAUNCHER_SECONDS)


class AgentAndDaemon(WakeUps):

    def programs(self):
        return [self.agent, self.daemon]

    def test_none_after_a_game(self):
        self.write_entry('org.example.Sleeper', 'X-Eppd-Boost=true\nX-Eppd-Trigger=app\n')
        self.write_entry('org.example.Editor', '')
        self.write_entry('shortcut', exec_line=STEAM_SHORTCUT)
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.start_agent()
        self.start_app('app-gnome-org.example.Editor-6.scope')
        game, _ = self.start_app('app-gnome-org.example.Sleeper-7.scope')
        self.wait_for_held('org.example.Sleeper')
        self.wait_for_state('armed')
        game.end()
        self.wait_for_held()
        self.wait_for_state('idle')
        self.assert_asleep(NO_WAKE_UP_SECONDS)
