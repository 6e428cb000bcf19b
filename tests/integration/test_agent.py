# SPDX-License-Identifier: GPL-2.0-or-later
"""eppd-agent: which applications it sees start and end, and what it holds for them."""

import importlib.util
import os
import shutil
import signal
import subprocess
import sys
import unittest

import harness
from agent_case import AGENT, AgentTestCase
from boost_case import variant
from fake_session import GameMode, UserManager
from hold_case import cgroup2_root

LAUNCHER_UNIT = 'app-gnome-steam-42.scope'
STEAM_SHORTCUT = 'steam steam://rungameid/570'

# Owns the name that it is given, as a DBusActivatable application does, and says so.
NAME_OWNER = '''
import sys
from gi.repository import Gio, GLib
Gio.bus_own_name(Gio.BusType.SESSION, sys.argv[1], Gio.BusNameOwnerFlags.NONE, None,
                 lambda *_: print('owned', flush=True), None)
GLib.MainLoop().run()
'''

# Many processes that look alike.
FORKS = '''
import os, time
for _ in range(80):
    if os.fork() == 0:
        time.sleep(1000)
print('ready', flush=True)
time.sleep(1000)
'''

# Launches files, and stays.
GLIB_LAUNCHER = '''
import sys
from gi.repository import Gio, GLib
for path in sys.argv[1:]:
    Gio.DesktopAppInfo.new_from_filename(path).launch([], None)
GLib.MainLoop().run()
'''

UNIT = os.path.join(harness.BUILD_ROOT, 'data', 'eppd-agent.service')
# Runs a command under a unit's filters: DIRECTORY UNIT KILL COMMAND….
FILTERED = '''
import os, sys
sys.path.insert(0, sys.argv[1])
import sandbox
sandbox.load_filters(sandbox.read_unit(sys.argv[2]), sys.argv[3] == 'kill')
os.execv(sys.argv[4], sys.argv[4:])
'''


def is_sanitized(program):
    with open(program, 'rb') as file:
        return b'__asan_init' in file.read()


class Units(AgentTestCase):
    """Applications with a unit of their own."""

    def test_held_from_start_to_end(self):
        self.write_entry('org.example.Game', 'X-Eppd-Boost=true\nX-Eppd-Trigger=app\n'
                         'X-Eppd-Threshold=12\n')
        self.write_entry('org.example.Editor', '')
        self.start_agent()
        self.start_app('app-gnome-org.example.Editor-6.scope')
        game, cgroup = self.start_app('app-gnome-org.example.Game-7.scope')
        hold, = self.wait_for_held('org.example.Game')
        self.assertEqual((hold['cgroup'], hold['trigger-asked'], hold['uid'], hold.get('pid')),
                         (cgroup, 'app', os.getuid(), None))
        self.assertIn('X-Eppd-Boost=true', hold['reason'])
        self.wait_for_state('armed')
        game.end()
        self.wait_for_held()
        self.wait_for_agent_log("'org.example.Game' is no longer held for")
        self.wait_for_state('idle')

    def test_the_threshold_and_the_trigger_are_the_entry_s(self):
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Trigger=core\nX-Eppd-Threshold=37\n')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        hold, = self.wait_for_held('game')
        self.assertEqual((hold['trigger-asked'], hold['threshold-percent']), ('core', 37))

    def test_names_of_every_desktop(self):
        units = {'app-gnome-org.example.Gnome-12.scope': 'org.example.Gnome',
                 'app-org.example.Kde@0123abcd.service': 'org.example.Kde',
                 'app-flatpak-org.example.Flatpak-2718.scope': 'org.example.Flatpak',
                 r'app-gnome-with\x2ddash-13.scope': 'with-dash',
                 'app-gnome-not-escaped-14.scope': 'not-escaped',
                 'dbus-:1.2-org.example.Activated@0.service': 'org.example.Activated'}
        for app_id in units.values():
            self.write_entry(app_id, 'X-Eppd-Boost=true\n' + (
                'X-Flatpak=org.example.Flatpak\n' if 'Flatpak' in app_id else ''))
        self.start_agent()
        for unit in units:
            self.start_app(unit)
        self.wait_for_held(*units.values())

    def test_what_runs_already_counts(self):
        self.write_entry('game')
        self.manager = UserManager(self.session)
        _, cgroup = self.start_app('app-gnome-game-7.scope')
        self.start_agent()
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['cgroup'], cgroup)

    def test_a_unit_that_is_there_before_it_starts_and_starts_again(self):
        self.write_entry('game')
        self.start_agent()
        unit = 'app-game@autostart.service'
        self.manager.add(unit)
        cgroup = self.app_cgroup(unit)
        for _ in range(2):
            program = self.start_sleep()
            self.move(program, cgroup)
            self.manager.set_cgroup(unit, cgroup)
            self.wait_for_held('game')
            program.end()
            self.wait_for_held()
            self.manager.set_cgroup(unit, None)
        self.manager.remove(unit)
        self.wait_for_sentinel()

    def test_each_instance_has_a_hold_of_its_own(self):
        self.write_entry('game')
        self.start_agent()
        first, _ = self.start_app('app-gnome-game-7.scope')
        _, cgroup = self.start_app('app-gnome-game-8.scope')
        self.wait_for_held('game', 'game')
        first.end()
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['cgroup'], cgroup)

    def test_the_hold_follows_the_unit_and_not_its_first_process(self):
        self.write_entry('game')
        self.start_agent()
        launcher, cgroup = self.start_app('app-gnome-game-7.scope')
        hold, = self.wait_for_held('game')
        game = self.start_sleep()
        self.move(game, cgroup)
        launcher.end()
        self.wait_for_sentinel('game')
        self.assertIn(hold['since-usec'], [other['since-usec'] for other in self.held()], self.agent.out + self.log())
        game.end()
        self.wait_for_held(*self.sentinels)

    def test_a_cgroup_that_was_empty_for_a_moment_is_held_again(self):
        self.write_entry('game')
        self.start_agent()
        game, cgroup = self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.agent.send(signal.SIGSTOP)
        self.move(game, '/')
        self.wait_for_held()
        self.move(game, cgroup)
        self.agent.send(signal.SIGCONT)
        self.wait_for_held('game')

    def test_a_cgroup_that_is_made_anew_is_held_and_watched(self):
        self.write_entry('game')
        self.start_agent()
        unit = 'app-game@autostart.service'
        game, cgroup = self.start_app(unit)
        self.wait_for_held('game')
        self.agent.send(signal.SIGSTOP)
        game.end()
        self.wait_for_held()
        self.remove_cgroup(cgroup2_root() + cgroup)
        os.mkdir(cgroup2_root() + cgroup)
        game = self.start_sleep()
        self.move(game, cgroup)
        self.manager.set_cgroup(unit, cgroup)
        self.agent.send(signal.SIGCONT)
        self.wait_for_held('game')
        game.end()
        self.wait_for_agent_log("'game' is no longer held for")

    def test_where_no_more_files_can_be_watched(self):
        limit = ['unshare', '--user', '--map-root-user', 'sh', '-c',
                 'echo 1 >/proc/sys/user/max_inotify_watches && exec "$@"', 'sh']
        if subprocess.run([*limit, 'true'], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest('machine lacks: user namespaces')
        self.write_entry('game')
        self.start_agent(wrapper=limit)
        game, cgroup = self.start_app('app-gnome-game-7.scope')
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['cgroup'], cgroup)
        self.assertEqual(self.n_logged('^warning: paths: no more files can be watched'), 1, self.agent.out)
        game.end()
        self.wait_for_held()
        self.manager.remove('app-gnome-game-7.scope')
        self.wait_for_agent_log("'game' is no longer held for")

    def test_a_manager_that_starts_again_leaves_no_gap(self):
        self.check_a_new_manager(is_subscribed=False)

    def test_a_manager_that_executes_itself_anew_knows_us_already(self):
        self.check_a_new_manager(is_subscribed=True)
        self.assertEqual(self.n_logged('^warning: units'), 0, self.agent.out)

    def check_a_new_manager(self, is_subscribed):
        self.write_entry('game')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        hold, = self.wait_for_held('game')
        units = dict(self.manager.cgroups)
        self.manager.leave()
        self.manager = UserManager(self.session, units, is_subscribed)
        self.wait_for(lambda: self.manager.listed, 'the agent to ask the new manager')
        self.wait_for_sentinel('game')
        self.assertIn(hold['since-usec'], [other['since-usec'] for other in self.held()])

    def test_what_eppctl_run_made_is_left_to_it(self):
        self.write_entry('game')
        self.start_agent()
        self.start_app('app-eppd-game-7.scope')
        self.wait_for_sentinel()

    def test_the_busy_core_is_boosted_and_given_back(self):
        self.write_entry('game')
        self.start_agent()
        cgroup = self.app_cgroup('app-gnome-game-7.scope')
        load = self.start_load(10, 0)
        self.move(load, cgroup)
        self.manager.add('app-gnome-game-7.scope', cgroup)
        self.wait_for_epp('policy1', 'performance')
        load.send(signal.SIGKILL)
        self.wait_for_epp('policy1', 'balance_performance')
        self.wait_for_held()


class Cgroups(AgentTestCase):
    """Without a user manager."""

    def test_directories_come_and_go(self):
        self.write_entry('game')
        self.app_cgroup('app-other-1.scope')
        cgroup = self.app_cgroup('app-gnome-game-6.scope')
        running = self.start_sleep()
        self.move(running, cgroup)
        self.start_agent(manager=False)
        self.wait_for_held('game')
        cgroup = self.make_cgroup('user.slice', 'user-0.slice', 'user@0.service', 'app.slice',
                                  'app-late.slice', 'app-gnome-game-7.scope')
        late = self.start_sleep()
        self.move(late, cgroup)
        self.wait_for_held('game', 'game')
        running.end()
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['cgroup'], cgroup)
        late.end()
        self.wait_for_held()

    def test_one_whose_path_is_no_text_is_left_alone(self):
        self.write_entry('game')
        self.user_cgroup()  # the agent looks for its slice once, and so long as this is there it stays
        self.start_agent(manager=False)
        slice_path = os.fsencode(cgroup2_root() + self.make_cgroup('user.slice', 'user-0.slice')) + b'/b\xe9.slice'
        unit = slice_path + b'/app-gnome-game-6.scope'
        for path in (slice_path, unit):
            os.mkdir(path)
            self.addCleanup(self.remove_cgroup, path)
        self.move(self.start_sleep(), unit[len(cgroup2_root()):].decode(errors='surrogateescape'))
        cgroup = self.make_cgroup('user.slice', 'user-0.slice', 'app-gnome-game-7.scope')
        self.move(self.start_sleep(), cgroup)
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['cgroup'], cgroup)

    def test_a_manager_that_comes_takes_over_without_a_gap(self):
        self.write_entry('game')
        unit = 'app-gnome-game-7.scope'
        cgroup = self.app_cgroup(unit)
        self.move(self.start_sleep(), cgroup)
        self.start_agent(manager=False)
        hold, = self.wait_for_held('game')
        self.manager = UserManager(self.session, {unit: cgroup})
        self.wait_for_sentinel('game')
        self.assertIn(hold['since-usec'], [other['since-usec'] for other in self.held()])


class Launchers(AgentTestCase):
    """Games that run in the unit of Steam, Lutris or Heroic."""

    def setUp(self):
        super().setUp()
        self.write_entry('steam', '', exec_line='steam %U')
        self.write_entry('Some Game', exec_line=STEAM_SHORTCUT)

    def start_reaper(self, cgroup, app_id=570):
        """A process with the command line of Steam's."""
        # cat waits for somebody to open the other end of what is no option of it.
        fifo = os.path.join(self.directory, 'SteamLaunch')
        if not os.path.exists(fifo):
            os.mkfifo(fifo)
        reaper = self.start_program(['reaper', 'SteamLaunch', f'AppId={app_id}', '--', 'game'],
                                    executable='/bin/cat', cwd=self.directory)
        self.move(reaper, cgroup)
        return reaper

    def test_a_game_of_steam_s(self):
        self.start_agent()
        _, cgroup = self.start_app(LAUNCHER_UNIT)
        self.wait_for_sentinel()
        self.start_reaper(cgroup, app_id=571)
        reaper = self.start_reaper(cgroup)
        # One of those that the game starts: it is no game of its own.
        self.move(self.start_sleep(env=dict(self.env, SteamAppId='570')), cgroup)
        self.wait_for_held('Some Game', *self.sentinels)
        hold, = [hold for hold in self.held() if hold['app-id'] == 'Some Game']
        self.assertEqual((hold['cgroup'], hold['pid']), (cgroup, reaper.pid))

    def test_it_ends_with_its_last_process(self):
        self.start_agent()
        _, cgroup = self.start_app(LAUNCHER_UNIT)
        first = self.start_sleep(env=dict(self.env, SteamAppId='570'))
        second = self.start_sleep(env=dict(self.env, SteamAppId='0', SteamGameId='570'))
        for program in (first, second):
            self.move(program, cgroup)
        self.wait_for_held('Some Game')
        first.end()
        self.wait_for(lambda: [hold.get('pid') for hold in self.held()] == [second.pid],
                      'the other process to be held')
        second.end()
        self.wait_for_held()

    def test_a_client_that_a_shortcut_has_started_is_no_game(self):
        self.start_agent()
        client, cgroup = self.start_app(r'app-gnome-Some\x20Game-7.scope')
        self.wait_for_sentinel()
        game = self.start_sleep(env=dict(self.env, SteamAppId='570'))
        self.move(game, cgroup)
        self.wait_for_held('Some Game', *self.sentinels)
        game.end()
        self.wait_for_held(*self.sentinels)
        self.assertIsNone(client.code())

    def test_a_game_with_a_unit_of_its_own(self):
        self.start_agent()
        _, cgroup = self.start_app('app-steam-app570-99.scope')
        hold, = self.wait_for_held('Some Game')
        self.assertEqual((hold['cgroup'], hold.get('pid')), (cgroup, None))

    def test_lutris_and_heroic(self):
        self.write_entry('net.lutris.game-5', name='The Game',
                         exec_line='env LUTRIS_SKIP_INIT=1 lutris lutris:rungameid/5')
        self.write_entry('heroic-game', exec_line='xdg-open heroic://launch/legendary/Quail')
        self.start_agent()
        for unit, env in (('app-gnome-net.lutris.Lutris-3.scope',
                           {'LUTRIS_GAME_UUID': 'a', 'GAME_NAME': 'The Game'}),
                          ('app-flatpak-com.heroicgameslauncher.hgl-3.scope',
                           {'HEROIC_APP_NAME': 'Quail'})):
            _, cgroup = self.start_app(unit)
            self.move(self.start_sleep(env=dict(self.env, **env)), cgroup)
        self.wait_for_held('heroic-game', 'net.lutris.game-5')

    def test_registered_with_gamemode(self):
        """A game without a shortcut, in a client that runs anyway."""
        gamemode = GameMode(self.session)
        self.start_agent()
        _, cgroup = self.start_app(LAUNCHER_UNIT)
        game = self.start_sleep(env=dict(self.env, SteamAppId='999'))
        self.move(game, cgroup)
        self.wait_for_sentinel()
        gamemode.register(game.pid)
        self.wait_for_held('999', *self.sentinels)
        hold, = [hold for hold in self.held() if hold['app-id'] == '999']
        self.assertEqual((hold['cgroup'], hold['pid']), (cgroup, game.pid))
        gamemode.unregister(game.pid)
        self.wait_for_held(*self.sentinels)


class Launched(AgentTestCase):
    """Applications without a unit: by their program, by GLib's launcher, by their name on the bus."""

    def setUp(self):
        super().setUp()
        self.program = os.path.join(self.directory, 'the-game')
        shutil.copy('/bin/sleep', self.program)
        self.exec_line = f'{self.program} 1000 %U'
        self.addCleanup(self.kill_games)

    def game_pids(self):
        return [int(pid) for pid in subprocess.run(
            ['pgrep', '-f', f'^({self.program}|the-game) 1000$'], check=False,
            stdout=subprocess.PIPE, encoding='ascii').stdout.split()]

    def kill_games(self):
        for pid in self.game_pids():
            os.kill(pid, signal.SIGKILL)

    def gio_launch(self, path):
        program = self.run_program(['gio', 'launch', path], env=self.session_env)
        self.assertEqual(program.code(), 0, program.err)

    def test_gio_launch(self):
        path = self.write_entry('game', exec_line=self.exec_line)
        self.start_agent()
        for _ in range(2):
            self.gio_launch(path)
            hold, = self.wait_for_held('game')
            self.wait_for(self.game_pids, 'the launcher to become the game')
            self.assertEqual((hold['pid'], hold.get('cgroup')), (self.game_pids()[0], None))
            self.kill_games()
            self.wait_for_held()

    def test_whoever_starts_the_program(self):
        self.session_env['PATH'] = f'{self.directory}:{os.environ["PATH"]}'
        self.write_entry('game', exec_line='the-game 1000')
        self.start_agent()
        other = self.start_program([self.program, '2000'])
        game = self.start_program(['the-game', '1000'], env=self.session_env)
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['pid'], game.pid)
        game.end()
        self.wait_for_held()
        other.end()

    def test_a_program_of_many_processes_is_one_game(self):
        script = os.path.join(self.directory, 'forks')
        with open(script, 'w', encoding='utf-8') as file:
            file.write(FORKS)
        self.write_entry('game', exec_line=f'{sys.executable} {script}')
        self.start_agent()
        game = self.start_program([sys.executable, script], start_new_session=True)
        self.wait_for(lambda: game.out, 'the processes')
        self.addCleanup(os.killpg, game.pid, signal.SIGKILL)
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['pid'], game.pid)
        game.end()
        self.wait_for(lambda: [hold['pid'] for hold in self.held()] not in ([], [game.pid]), 'another one to be held')
        self.assertEqual(self.held_ids(), ['game'])
        self.assertLess(len(os.listdir(f'/proc/{self.agent.pid}/fd')), 50)

    def test_a_script(self):
        script = os.path.join(self.directory, 'script')
        with open(script, 'w', encoding='utf-8') as file:
            file.write(f'#!/bin/sh\n"{self.program}" 1000\n:\n')
        os.chmod(script, 0o755)
        self.write_entry('game', exec_line=f'env A=b {script} --fullscreen')
        self.start_agent()
        program = self.start_program([script, '--fullscreen'])
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['pid'], program.pid)
        program.end()
        self.wait_for_held()

    def test_a_program_that_is_replaced(self):
        path = self.write_entry('game', exec_line=self.exec_line)
        self.start_agent()
        shutil.copy('/bin/sleep', self.program + '.new')
        os.rename(self.program + '.new', self.program)
        self.wait_for_agent_log('reading the desktop entries again')
        self.gio_launch(path)
        self.wait_for_held('game')

    def test_a_launcher_that_tells(self):
        """By the file, also of one that is not in the directories and whose program is any."""
        inside = self.write_entry('game', exec_line='sh -c "exec sleep 1000"')
        outside = self.write_entry('other', exec_line='sh -c "exec sleep 1000"',
                                   directory=self.directory)
        self.start_agent()
        launcher = self.start_program([sys.executable, '-c', GLIB_LAUNCHER, inside, outside],
                                      env=self.session_env)
        self.wait_for_held('game', 'other')
        pids = [hold['pid'] for hold in self.held()]
        self.stop_agent()
        self.wait_for_held()
        # The environment tells of what runs already, within the directories and outside.
        self.manager.listed = 0
        self.start_agent()
        self.wait_for_held('game', 'other')
        for pid in pids:
            os.kill(pid, signal.SIGKILL)
        self.wait_for_held()
        launcher.end()

    def test_what_was_launched_before_counts(self):
        path = self.write_entry('game', exec_line=self.exec_line)
        self.gio_launch(path)
        self.wait_for(self.game_pids, 'the game to run')
        self.start_agent()
        hold, = self.wait_for_held('game')
        self.assertEqual([hold['pid']], self.game_pids())

    def test_a_unit_takes_over(self):
        path = self.write_entry('game', exec_line=self.exec_line)
        self.start_agent()
        unit = 'app-gnome-game-1234.scope'
        cgroup = self.app_cgroup(unit)
        self.addCleanup(self.kill_games)
        self.gio_launch(path)
        self.wait_for_held('game')
        self.wait_for(self.game_pids, 'the launcher to become the game')
        with open(f'{cgroup2_root()}{cgroup}/cgroup.procs', 'w', encoding='utf-8') as file:
            file.write(str(self.game_pids()[0]))
        self.manager.add(unit, cgroup)
        self.wait_for(lambda: [hold.get('cgroup') for hold in self.held()] == [cgroup],
                      'the hold of the unit alone')
        self.kill_games()
        self.wait_for_held()

    def test_by_its_name_on_the_bus(self):
        self.write_entry('org.example.Activated', 'X-Eppd-Boost=true\nDBusActivatable=true\n')
        self.start_agent()
        for _ in range(2):
            program = self.start_program([sys.executable, '-c', NAME_OWNER,
                                          'org.example.Activated'], env=self.session_env)
            hold, = self.wait_for_held('org.example.Activated')
            self.assertEqual(hold['pid'], program.pid)
            program.end()
            self.wait_for_held()


class Registered(AgentTestCase):
    """GameMode."""

    def test_from_registered_to_unregistered(self):
        gamemode = GameMode(self.session)
        self.start_agent()
        game = self.start_sleep()
        gamemode.register(game.pid)
        hold, = self.wait_for_held('sleep')
        self.assertEqual(hold['pid'], game.pid)
        self.assertIn('GameMode', hold['reason'])
        gamemode.unregister(game.pid)
        self.wait_for_held()

    def test_what_is_registered_already_counts_and_ends_with_gamemode(self):
        self.start_agent()
        game = self.start_sleep()
        gamemode = GameMode(self.session, [game.pid, 2 ** 31 - 1])
        self.wait_for_held('sleep')
        gamemode.leave()
        self.wait_for_held()
        GameMode(self.session, [game.pid])
        self.wait_for_held('sleep')
        game.end()
        self.wait_for_held()

    def test_a_name_that_the_kernel_has_cut_within_a_character(self):
        gamemode = GameMode(self.session)
        self.start_agent()
        game = self.start_program(
            [sys.executable, '-c', 'import pathlib, time\n'
             'pathlib.Path("/proc/self/comm").write_bytes("fourteen_bytes\u00e9".encode())\n'
             'print("named", flush=True)\ntime.sleep(1000)'])
        self.wait_for(lambda: game.out, 'the name')
        gamemode.register(game.pid)
        self.wait_for_held('fourteen_bytes\ufffd')

    def test_another_user_s_process_is_none(self):
        gamemode = GameMode(self.session)
        self.start_agent()
        gamemode.register(self.start_sleep(user=65534).pid)
        self.wait_for_agent_log('ignoring a game: Process .* is not one of user 0')
        self.wait_for_sentinel()

    def test_a_unit_is_held_as_a_whole(self):
        gamemode = GameMode(self.session)
        self.start_agent()
        game, cgroup = self.start_app('app-gnome-org.example.Game-7.scope')
        self.wait_for_sentinel()
        gamemode.register(game.pid)
        self.wait_for_held('org.example.Game', *self.sentinels)
        self.assertIn(cgroup, [hold.get('cgroup') for hold in self.held()])

    def test_its_entry_s_no_wins(self):
        self.write_entry('game', 'X-Eppd-Boost=false\n')
        gamemode = GameMode(self.session)
        self.start_agent()
        game, _ = self.start_app('app-gnome-game-7.scope')
        gamemode.register(game.pid)
        self.wait_for_agent_log(f'{game.pid} is registered')
        self.wait_for_sentinel()

    def test_the_configuration_s_no_wins(self):
        self.write_config('[Games]\nGameMode=false\n')
        gamemode = GameMode(self.session)
        self.start_agent()
        game = self.start_sleep()
        gamemode.register(game.pid)
        self.wait_for_agent_log(f'{game.pid} is registered')
        self.wait_for_sentinel()


class Entries(AgentTestCase):

    def test_opted_in_and_out_while_it_runs(self):
        self.write_entry('game', '')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_sentinel()
        self.write_entry('game')
        self.wait_for_held('game', *self.sentinels)
        os.unlink(os.path.join(self.user_entries, 'game.desktop'))
        self.wait_for_held(*self.sentinels)

    def test_another_threshold_while_it_runs(self):
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Threshold=20\n')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Threshold=21\n')
        self.wait_for(lambda: [hold['threshold-percent'] for hold in self.held()] == [21],
                      'the new threshold')

    def test_the_user_s_is_over_the_system_s(self):
        self.write_entry('game', directory=self.system_entries)
        self.write_entry('game', 'X-Eppd-Boost=false\n')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_sentinel()
        os.unlink(os.path.join(self.user_entries, 'game.desktop'))
        self.wait_for_held('game', *self.sentinels)

    def test_a_directory_that_comes_late(self):
        os.rmdir(self.user_entries)
        os.rmdir(os.path.dirname(self.user_entries))
        self.start_agent()
        self.start_app('app-gnome-vendor-game-7.scope')
        self.wait_for_sentinel()
        vendor = os.path.join(self.user_entries, 'vendor')
        os.makedirs(vendor)
        self.write_entry('game', directory=vendor)
        self.wait_for_held('vendor-game', *self.sentinels)

    def test_a_broken_entry_skips_itself_and_is_said_once(self):
        self.write_entry('game')
        self.write_entry('maybe', 'X-Eppd-Boost=maybe\n')
        with open(os.path.join(self.user_entries, 'broken.desktop'), 'wb') as file:
            file.write(b'\xff\x00[Desktop Entri]\n' * 100)
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.write_entry('late')
        self.wait_for_agent_log('reading the desktop entries again')
        self.start_app('app-gnome-late-7.scope')
        self.wait_for_held('game', 'late')
        self.assertEqual(self.n_logged('^warning: entries: .*broken.desktop'), 1, self.agent.out)
        self.assertEqual(self.n_logged('^warning: entries: .*maybe.desktop, line 6: '
                                       'X-Eppd-Boost=maybe'), 1, self.agent.out)

    def test_the_configuration_is_read_again_by_sighup(self):
        self.write_entry('game', '', categories='Game;')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_sentinel()
        self.write_config('[Games]\nCategories=Toy;Game\n')
        self.agent.send(signal.SIGHUP)
        self.wait_for_held('game', *self.sentinels)
        self.assertIn('category Game', [hold for hold in self.held()
                                        if hold['app-id'] == 'game'][0]['reason'])
        self.write_config('[Games]\nDesktopKey=false\n')
        self.agent.send(signal.SIGHUP)
        self.wait_for_held()


class Daemon(AgentTestCase):
    """The other end of the holds."""

    def test_a_daemon_that_starts_again_is_asked_again(self):
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Profile=performance\n')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.wait_for(lambda: self.active_profile() == 'performance', 'the profile')
        self.kill_eppd()
        self.start_eppd(*self.daemon_args)
        self.wait_for_held('game')
        self.wait_for(lambda: self.active_profile() == 'performance', 'the profile again')
        # A clean stop gives up each profile's hold too, and is no user's choice.
        self.restart_eppd()
        self.wait_for_held('game')
        self.wait_for(lambda: self.active_profile() == 'performance', 'the profile once more')

    def test_a_daemon_that_comes_late(self):
        self.write_entry('game')
        self.start_agent(daemon=False)
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_agent_log("'game' runs")
        self.start_eppd('--residency', 'procstat')
        self.wait_for_held('game')

    def test_a_profile_that_the_user_chose_otherwise_is_not_held_again(self):
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Profile=performance\n')
        self.start_agent()
        game, _ = self.start_app('app-gnome-game-7.scope')
        self.wait_for(lambda: self.active_profile() == 'performance', 'the profile')
        self.set('ActiveProfile', variant('s', 'balanced'),
                 'org.freedesktop.UPower.PowerProfiles', '/org/freedesktop/UPower/PowerProfiles')
        self.wait_for_agent_log("what 'game' held was released by another choice")
        self.restart_eppd()
        self.wait_for(lambda: self.n_logged('PowerProfiles is there') == 2, 'the agent to see it again')
        # What the agent asked for before this is answered.
        self.wait_for_sentinel('game')
        self.assertEqual(self.active_profile(), 'balanced')
        game.end()
        self.wait_for_held(*self.sentinels)
        self.start_app('app-gnome-game-8.scope')
        self.wait_for(lambda: self.active_profile() == 'performance', 'the next run of the game')

    def test_the_profile_ends_with_the_game(self):
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Profile=power-saver\n')
        self.start_agent()
        game, _ = self.start_app('app-gnome-game-7.scope')
        self.wait_for(lambda: self.active_profile() == 'power-saver', 'the profile')
        game.end()
        self.wait_for(lambda: self.active_profile() == 'balanced', 'the profile before')

    def test_sigterm_releases_and_ends_with_0(self):
        self.write_entry('game')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.stop_agent()
        self.wait_for_held()
        self.assertRegex(self.agent.out, "no longer held for 'game'")

    def test_a_killed_agent_holds_nothing_and_the_next_one_all(self):
        self.write_entry('game')
        self.start_agent()
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_held('game')
        self.agent.send(signal.SIGKILL)
        self.wait_program(self.agent)
        self.wait_for_held()
        self.manager.listed = 0
        self.start_agent()
        self.wait_for_held('game')


class OtherUser(AgentTestCase):
    """Root is never refused."""

    uid = 65534

    def start_refused(self):
        self.write_entry('game')
        self.start_logind()
        self.start_eppd('--residency', 'procstat', polkit=[])
        self.start_agent()

    def test_refused_until_the_session_is_active(self):
        self.start_refused()
        other = self.start_app('app-gnome-game-6.scope')[0]
        self.start_app('app-gnome-game-7.scope')
        self.wait_for_agent_log('^warning: boost: refused.*until the session becomes active')
        other.end()
        self.wait_for_agent_log("'game' is no longer held for")
        self.assertEqual(self.held(), [])
        self.allow('all')
        self.tell_session_active()
        hold, = self.wait_for_held('game')
        self.assertEqual(hold['uid'], self.uid)
        self.assertEqual(self.n_logged('^warning: boost: refused'), 1, self.agent.out)

    def test_the_session_becomes_active_before_polkit_has_refused(self):
        self.write_entry('other')
        self.start_refused()
        self.start_app('app-gnome-game-6.scope')
        # Asked once more, for what nobody told of before it was listened to.
        self.wait_for_agent_log('^debug: boost: refused')
        self.polkit.hold_back()
        self.start_app('app-gnome-other-7.scope')
        self.wait_for(lambda: self.polkit.held_back, 'the question for the second game')
        self.allow('all')
        self.tell_session_active()
        self.wait_for(lambda: len(self.polkit.held_back) == 2, 'the question for the first game')
        self.polkit.let_go()
        self.wait_for_held('game', 'other')


class Buses(AgentTestCase):

    def test_without_a_system_bus(self):
        agent = self.run_bare_eppd(program=AGENT, env=dict(
            self.session_env, DBUS_SYSTEM_BUS_ADDRESS=f'unix:path={self.directory}/none'))
        self.assertEqual(agent.code(), 1)
        self.assertIn('could not reach the system bus', agent.out)

    def test_without_a_session_bus(self):
        self.write_entry('game')
        self.session_env['DBUS_SESSION_BUS_ADDRESS'] = f'unix:path={self.directory}/none'
        cgroup = self.app_cgroup('app-gnome-game-7.scope')
        self.move(self.start_sleep(), cgroup)
        self.start_agent(manager=False)
        self.wait_for_held('game')

    def test_the_end_of_the_session(self):
        self.start_agent()
        self.session.daemon.end()
        self.assertEqual(self.wait_program(self.agent), 0, self.agent.out)

    def test_the_end_of_the_system_bus(self):
        self.start_agent(daemon=False)
        self.bus.end()
        self.assertEqual(self.wait_program(self.agent), 1, self.agent.out)

    def test_arguments(self):
        for args, code, pattern in ((['--version'], 0, r'^eppd-agent \d'),
                                    (['--help'], 0, 'opted in'),
                                    (['--nonsense'], 2, 'nonsense'), (['more'], 2, 'more')):
            with self.subTest(args=args):
                agent = self.run_bare_eppd(*args, program=AGENT)
                self.assertEqual(agent.code(), code)
                self.assertRegex(agent.out + agent.err, pattern)


@unittest.skipIf(not shutil.which('systemd-analyze'), 'machine lacks: systemd-analyze')
@unittest.skipIf(not importlib.util.find_spec('seccomp'), 'machine lacks: libseccomp for Python')
class Sandbox(AgentTestCase):
    """Under the unit's system call filters, where a denied call kills, but for those of the
    sanitizers' own run time."""

    def setUp(self):
        super().setUp()
        self.kill = 'kill'
        if is_sanitized(AGENT):
            self.kill = ''
            # It would trace its own process.
            self.session_env['ASAN_OPTIONS'] += ':detect_leaks=0'

    def start_program(self, argv, **popen_args):
        if argv[0] == AGENT:
            argv = [sys.executable, '-B', '-c', FILTERED, os.path.dirname(os.path.abspath(__file__)),
                    UNIT, self.kill, *argv]
        return super().start_program(argv, **popen_args)

    def test_it_does_all_that_it_does(self):
        gamemode = GameMode(self.session)
        self.write_entry('Some Game', exec_line=STEAM_SHORTCUT)
        self.write_entry('game', 'X-Eppd-Boost=true\nX-Eppd-Profile=performance\n')
        self.start_agent()
        status = harness.read_file(f'/proc/{self.agent.pid}/status')
        self.assertRegex(status, r'(?m)^Seccomp:\s+2$')
        self.start_app('app-gnome-game-7.scope')
        _, cgroup = self.start_app(LAUNCHER_UNIT)
        self.move(self.start_sleep(env=dict(self.env, SteamAppId='570')), cgroup)
        game = self.start_sleep()
        gamemode.register(game.pid)
        self.wait_for_held('game', 'Some Game', 'sleep')
        game.end()
        self.wait_for_held('game', 'Some Game')
        self.write_entry('late')
        self.start_app('app-gnome-late-7.scope')
        self.wait_for_held('game', 'Some Game', 'late')
        self.agent.send(signal.SIGHUP)
        self.wait_for_agent_log('reading the configuration again')
        self.stop_agent()
        self.wait_for_held()
