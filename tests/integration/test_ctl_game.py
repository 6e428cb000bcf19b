# SPDX-License-Identifier: GPL-2.0-or-later
"""eppctl game, with desktop entries of the test's own, a fake daemon and real processes."""

import json
import os
import shutil
import subprocess

import harness
from ctl_case import CtlTestCase
from fake_eppd import Wide
from fake_user_manager import UserManager
from gi.repository import Gio, GLib

# No other run of these tests has them: what runs is seen of all that the user runs.
SUPER = f'org.example.Super{os.getpid()}'
STEAM_ID = str(1_000_000_000 + os.getpid())
SUPER_TEXT = '''# The system's
[Desktop Entry]
Type=Application
Name=Super Game
Name[de]=Superspiel

Exec=super --full %U
Categories=Game;ActionGame;

[Desktop Action new]
Name=New
'''
STEAM_TEXT = f'[Desktop Entry]\nType=Application\nName=Half\nExec=steam steam://rungameid/{STEAM_ID}\n'
EDITOR_TEXT = '[Desktop Entry]\nType=Application\nName=Editor\nExec=editor\n'
HINT = 'systemctl --user enable --now eppd-agent'

GAME_MODE = 'com.feralinteractive.GameMode'
GAME_MODE_PATH = '/com/feralinteractive/GameMode'
GAME_MODE_XML = f'''<node><interface name="{GAME_MODE}">
  <method name="ListGames"><arg type="a(io)" direction="out"/></method></interface></node>'''


class GameTestCase(CtlTestCase):

    def setUp(self):
        super().setUp()
        self.own = os.path.join(self.directory, 'home', '.local', 'share', 'applications')
        self.system = os.path.join(self.directory, 'share', 'applications')
        for name in ('XDG_DATA_HOME', 'SteamAppId', 'SteamGameId', 'FLATPAK_ID'):
            self.env.pop(name, None)
        self.env.update(HOME=os.path.join(self.directory, 'home'),
                        XDG_DATA_DIRS=os.path.join(self.directory, 'share'))
        os.makedirs(self.system)
        self.write_config('')
        self.install('editor', EDITOR_TEXT)
        self.install('Half', STEAM_TEXT)
        self.install(SUPER, SUPER_TEXT)

    def install(self, entry_id, text, directory=None):
        path = os.path.join(directory or self.system, entry_id + '.desktop')
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(text)
        return path

    def own_path(self, entry_id):
        return os.path.join(self.own, entry_id + '.desktop')

    def game(self, *args, **popen_args):
        return self.eppctl('game', args[0], '--config', self.config_path, *args[1:], **popen_args)

    def games(self, *args):
        """The list by id."""
        games = json.loads(self.assert_ok(self.game('list', '--json', *args)))
        return {game['id']: game for game in games}

    def row(self, entry_id):
        """The words of its row in the list."""
        for line in self.assert_ok(self.game('list')).splitlines():
            if line.split()[:1] == [entry_id]:
                return line.split()
        return None

    def start_agent(self):
        """Some process of that name."""
        path = os.path.join(self.directory, 'eppd-agent')
        shutil.copy(shutil.which('sleep'), path)
        program = self.start_program([path, '1000'])
        self.wait_for(lambda: harness.read_file(f'/proc/{program.pid}/comm') == 'eppd-agent\n',
                      'it to start')
        return program

    def start_game(self, **variables):
        """A process with an environment of launchers."""
        program = self.start_program(['sleep', '1000'], env=dict(self.env, **variables))
        self.wait_for(lambda: harness.read_file(f'/proc/{program.pid}/comm') == 'sleep\n',
                      'it to start')
        return program

    def own_hold(self, **fields):
        return {'cookie': 1, 'app-id': 'x', 'reason': 'playing', 'owner': ':1.9',
                'uid': os.getuid(), 'trigger': 'core', 'trigger-asked': 'core',
                'threshold-percent': 50, 'since-usec': Wide(1), **fields}

    def start_game_mode(self, *pids):
        connection = self.game_mode = self.connect()

        def answer(_connection, _sender, _path, _interface, _method, _parameters, invocation):
            games = [(pid, f'{GAME_MODE_PATH}/Games/{pid}') for pid in pids]
            invocation.return_value(GLib.Variant('(a(io))', (games,)))

        connection.register_object(GAME_MODE_PATH,
                                   Gio.DBusNodeInfo.new_for_xml(GAME_MODE_XML).interfaces[0],
                                   answer, None, None)
        self.bus_call(connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                      'org.freedesktop.DBus', 'RequestName', GLib.Variant('(su)', (GAME_MODE, 0)))
        self.env['DBUS_SESSION_BUS_ADDRESS'] = self.bus_address

    def run_alone(self, *args):
        """Where no other process is, so that no other test's agent is either."""
        probe = ['unshare', '--pid', '--fork', '--mount-proc']
        if subprocess.run([*probe, 'true'], stderr=subprocess.DEVNULL, check=False).returncode != 0:
            self.skipTest('machine lacks: root (for a pid namespace)')
        return self.run_program([*probe, harness.EPPCTL, 'game', args[0], '--config',
                                 self.config_path, *args[1:]])


class UsageTest(GameTestCase):

    def test_wrong_command_lines_exit_with_2(self):
        for args in ([], ['bogus'], ['--bogus'], ['list', 'x'], ['list', '--bogus'], ['enable'],
                     ['enable', 'a', 'b'], ['enable', SUPER, '--trigger', 'x'],
                     ['enable', SUPER, '--threshold', '0'], ['enable', SUPER, '--threshold', '101'],
                     ['enable', SUPER, '--threshold', 'x'], ['enable', SUPER, '--threshold', ''],
                     ['enable', SUPER, '--profile', 'balanced'], ['disable'], ['why'],
                     ['why', 'a', 'b']):
            with self.subTest(args=args):
                program = self.eppctl('game', *args)
                self.assertEqual((program.code(), program.out), (2, ''), program.err)
                self.assertRegex(program.err, '^eppctl: game')
        self.assertFalse(os.path.exists(self.own))

    def test_unknown_ids_are_answered_with_close_ones(self):
        for verb in ('enable', 'disable', 'why'):
            with self.subTest(verb=verb):
                typo = SUPER.removeprefix('org.example.').replace('p', 'pp')
                self.assert_fails(self.game(verb, typo), 1,
                                  rf'no desktop entry {typo}; did you mean: {SUPER}\?$')
                self.assert_fails(self.game(verb, 'nothing-like-it'), 1,
                                  'no desktop entry nothing-like-it; `eppctl game list --all`')
                self.assert_fails(self.game(verb, '../editor'), 1, "no desktop entry's id")

    def test_no_home(self):
        del self.env['HOME']
        for args in (['list'], ['enable', SUPER], ['disable', SUPER], ['why', SUPER]):
            with self.subTest(args=args):
                self.assert_fails(self.game(*args), 1, 'neither HOME nor XDG_DATA_HOME')

    def test_help_names_the_verbs(self):
        out = self.assert_ok(self.eppctl('game', '--help'))
        for verb in ('list', 'enable', 'disable', 'why'):
            self.assertRegex(out, rf'(?m)^  {verb} ')


class ListTest(GameTestCase):

    def test_what_looks_like_a_game(self):
        self.install('opted', EDITOR_TEXT + 'X-Eppd-Boost=false\n')
        self.install('wrong', EDITOR_TEXT + 'X-Eppd-Threshold=7000\n')
        self.install('link', '[Desktop Entry]\nType=Link\nName=x\nCategories=Game;\n')
        self.install('gone', SUPER_TEXT.replace('Exec', 'Hidden=true\nExec'))
        self.install('broken', 'no desktop entry\n')
        self.assertEqual(set(self.games()), {SUPER, 'Half', 'opted', 'wrong', 'broken'})
        self.assertEqual(set(self.games('--all')),
                         {SUPER, 'Half', 'opted', 'wrong', 'broken', 'editor'})

    def test_state_of_each(self):
        self.write_config('[Games]\nCategories=ActionGame\n')
        self.install('keyed', EDITOR_TEXT + 'X-Eppd-Boost=true\nX-Eppd-Trigger=app\n'
                     'X-Eppd-Threshold=15\nX-Eppd-Profile=performance\n')
        self.install('wrong', EDITOR_TEXT + 'X-Eppd-Boost=maybe\nX-Eppd-Threshold=7000\n')
        self.install('broken', 'no desktop entry\n')
        games = self.games()
        self.assertEqual({game_id: (game['opted-in'], game['by']) for game_id, game in games.items()},
                         {SUPER: (True, 'category'), 'Half': (False, ''), 'keyed': (True, 'key'),
                          'wrong': (False, ''), 'broken': (False, '')})
        keyed = games['keyed']
        self.assertEqual((keyed['trigger'], keyed['threshold-percent'], keyed['profile']),
                         ('app', 15, 'performance'))
        self.assertEqual(len(games['wrong']['problems']), 2)
        self.assertIn('no group [Desktop Entry]', games['broken']['broken'])
        self.assertEqual(self.row('keyed'),
                         ['keyed', 'Editor', 'yes', 'key', 'app', '15', '%', 'performance'])
        self.assertEqual(self.row(SUPER)[1:], ['Super', 'Game', 'yes', 'category'])
        self.assertEqual(self.row('Half'), ['Half', 'Half', 'no'])
        self.assertIn('X-Eppd-Boost=maybe:', self.row('wrong'))
        self.assertEqual(self.row('wrong')[-3:], ['(and', '1', 'more)'])
        self.assertEqual(self.row('broken')[1], 'broken')

    def test_keys_that_the_configuration_leaves_alone(self):
        self.write_config('[Games]\nDesktopKey=false\n')
        self.install('keyed', EDITOR_TEXT + 'X-Eppd-Boost=true\nX-Eppd-Trigger=app\n')
        game = self.games()['keyed']
        self.assertFalse(game['opted-in'])
        self.assertIn('DesktopKey=false', game['why'])
        self.assertNotIn('trigger', game)

    def test_nothing(self):
        for name in ('Half', SUPER):
            os.unlink(os.path.join(self.system, name + '.desktop'))
        self.assertIn('game list --all', self.assert_ok(self.game('list')))
        self.assertEqual(self.games(), {})

    def test_names_play_no_tricks(self):
        self.install('trick', SUPER_TEXT.replace('Super Game', 'a\x1b[31m\u202eb' + 'x' * 5000))
        self.assert_harmless(self.assert_ok(self.game('list')))

    def test_what_runs_and_is_held(self):
        game = self.start_game(SteamAppId=STEAM_ID)
        self.assertEqual(self.games()['Half']['pids'], [game.pid])
        self.assertEqual(self.row('Half')[-1], 'runs')
        self.start_fake()
        self.assertFalse(self.games()['Half']['held'])
        self.fake.holds = [self.own_hold(**{'app-id': 'Half'})]
        self.assertTrue(self.games()['Half']['held'])
        self.assertEqual(self.row('Half')[-1], 'held')
        self.fake.holds = [self.own_hold(**{'app-id': 'Half'}, uid=os.getuid() + 1),
                           self.own_hold(pid=game.pid + 1)]
        self.assertFalse(self.games()['Half']['held'], 'of another user, of another process')
        self.fake.holds = [self.own_hold(pid=game.pid)]
        self.assertTrue(self.games()['Half']['held'])
        self.assertFalse(self.games()[SUPER]['held'])

    def test_units(self):
        manager = UserManager(self)
        units = {name: self.start_game() for name in
                 (f'app-gnome-{SUPER}-77.scope', f'app-steam-app{STEAM_ID}-78.scope',
                  'app-a-b-79.scope', 'app-gnome-Half-80.scope')}
        for unit, program in units.items():
            manager.move(program.pid, unit)
        # Both may be meant: the launcher is a, or none; the first reading wins.
        self.install('b', SUPER_TEXT)
        self.install('a-b', SUPER_TEXT)
        games = self.games()
        self.assertEqual(games[SUPER]['units'], [f'app-gnome-{SUPER}-77.scope'])
        # A launcher's game by its own unit, never by that of the shortcut.
        self.assertEqual(games['Half']['units'], [f'app-steam-app{STEAM_ID}-78.scope'])
        self.assertEqual(sorted([games['b']['units'], games['a-b']['units']]),
                         [[], ['app-a-b-79.scope']])
        self.start_fake().holds = [self.own_hold(cgroup=manager.cgroup(f'app-gnome-{SUPER}-7'))]
        self.assertFalse(self.games()[SUPER]['held'], 'the beginning of a name')
        self.fake.holds = [self.own_hold(cgroup=manager.cgroup(f'app-gnome-{SUPER}-77.scope'))]
        self.assertTrue(self.games()[SUPER]['held'])

    def test_registered_with_game_mode(self):
        game = self.start_game(SteamAppId=STEAM_ID)
        self.start_game_mode(game.pid, 1)
        half = self.games()['Half']
        self.assertEqual((half['opted-in'], half['by']), (True, 'GameMode'))
        self.write_config('[Games]\nGameMode=false\n')
        self.assertFalse(self.games()['Half']['opted-in'])

    def test_agent_is_asked_for_where_something_is_opted_in(self):
        self.assertNotIn(HINT, self.assert_ok(self.game('list')))
        self.install('keyed', EDITOR_TEXT + 'X-Eppd-Boost=true\n')
        self.start_agent()
        self.assertNotIn(HINT, self.assert_ok(self.game('list')))


class SwitchTest(GameTestCase):

    def assert_untouched(self):
        self.assertEqual(harness.read_file(os.path.join(self.system, SUPER + '.desktop')), SUPER_TEXT)

    def test_enable_writes_a_copy_of_the_users_with_the_key(self):
        out = self.assert_ok(self.game('enable', SUPER))
        self.assertEqual(out.splitlines()[:2],
                         [f'{SUPER}: opted in', f'Wrote {self.own_path(SUPER)}.'])
        self.assertEqual(harness.read_file(self.own_path(SUPER)),
                         SUPER_TEXT.replace('[Desktop Entry]\n',
                                            '[Desktop Entry]\nX-Eppd-Boost=true\n'))
        self.assert_untouched()
        self.assertEqual(self.games()[SUPER]['by'], 'key')

    def test_options_are_kept_until_another_says_otherwise(self):
        out = self.assert_ok(self.game('enable', SUPER + '.desktop', '-t', 'app', '-T', '20'))
        self.assertIn('opted in (trigger app, threshold 20 %)', out)
        out = self.assert_ok(self.game('enable', SUPER, '--profile', 'performance',
                                       '--threshold', '30'))
        self.assertIn('opted in (trigger app, threshold 30 %, profile performance)', out)
        game = self.games()[SUPER]
        self.assertEqual((game['trigger'], game['threshold-percent'], game['profile']),
                         ('app', 30, 'performance'))

    def test_enable_twice_writes_once(self):
        self.assert_ok(self.game('enable', SUPER))
        before = os.stat(self.own_path(SUPER))
        self.assertIn('nothing was written', self.assert_ok(self.game('enable', SUPER)))
        after = os.stat(self.own_path(SUPER))
        self.assertEqual((before.st_ino, before.st_mtime_ns), (after.st_ino, after.st_mtime_ns))

    def test_enable_repairs_what_is_wrong(self):
        self.install(SUPER, SUPER_TEXT.replace('Exec', 'X-Eppd-Boost=maybe\nX-Eppd-Trigger=x\nExec'),
                     self.own)
        self.assert_ok(self.game('enable', SUPER))
        self.assertEqual(harness.read_file(self.own_path(SUPER)),
                         SUPER_TEXT.replace('Exec', 'X-Eppd-Boost=true\nExec'))

    def test_what_cannot_be_opted_in(self):
        self.install('hidden', SUPER_TEXT.replace('Exec', 'Hidden=true\nExec'))
        self.install('link', '[Desktop Entry]\nType=Link\nName=x\n')
        self.install('broken', 'no desktop entry\n')
        self.assert_fails(self.game('enable', 'hidden'), 1, 'is hidden')
        self.assert_fails(self.game('enable', 'link'), 1, "is no application's")
        self.assert_fails(self.game('enable', 'broken'), 1, r'no group \[Desktop Entry\]')
        self.assertFalse(os.path.exists(self.own))

    def test_what_cannot_be_written(self):
        with open(os.path.join(self.directory, 'home'), 'w', encoding='ascii'):
            pass
        self.assert_fails(self.game('enable', SUPER), 1, 'Not a directory')
        self.assert_untouched()

    def test_enable_says_what_has_no_effect(self):
        self.write_config('[Games]\nDesktopKey=false\n')
        self.assertIn('DesktopKey=false', self.assert_ok(self.game('enable', SUPER)))

    def test_enable_says_whether_the_agent_runs(self):
        agent = self.start_agent()
        self.assertRegex(self.assert_ok(self.game('enable', SUPER)), r'eppd-agent runs \(process \d+\)')
        agent.end()
        program = self.run_alone('enable', SUPER)
        self.assertIn(HINT, self.assert_ok(program))

    def test_disable_removes_the_copy(self):
        self.assert_ok(self.game('enable', SUPER, '-t', 'app'))
        out = self.assert_ok(self.game('disable', SUPER))
        self.assertEqual(out.splitlines()[0], f'{SUPER}: not opted in')
        self.assertIn(f'Removed {self.own_path(SUPER)}', out)
        self.assertFalse(os.path.exists(self.own_path(SUPER)))
        self.assert_untouched()
        self.assertIn('nothing was written', self.assert_ok(self.game('disable', SUPER)))

    def test_disable_keeps_a_file_of_the_users_own(self):
        text = SUPER_TEXT.replace('Super Game', 'My Game')
        self.install(SUPER, text, self.own)
        self.assert_ok(self.game('enable', SUPER))
        self.assertIn('Wrote', self.assert_ok(self.game('disable', SUPER)))
        self.assertEqual(harness.read_file(self.own_path(SUPER)), text)

    def test_disable_says_no_where_a_category_says_yes(self):
        self.write_config('[Games]\nCategories=Game\n')
        out = self.assert_ok(self.game('disable', SUPER))
        self.assertIn(f'Wrote {self.own_path(SUPER)}', out)
        self.assertIn('X-Eppd-Boost=false\n', harness.read_file(self.own_path(SUPER)))
        self.assertFalse(self.games()[SUPER]['opted-in'])
        self.assertNotIn('GameMode', out)

    def test_disable_tells_of_game_mode(self):
        self.assertIn('GameMode', self.assert_ok(self.game('disable', SUPER)))
        self.write_config('[Games]\nGameMode=false\n')
        self.assertNotIn('GameMode', self.assert_ok(self.game('disable', SUPER)))


class WhyTest(GameTestCase):

    def verdict(self, program):
        return self.assert_ok(program).splitlines()[-1]

    def test_every_file_that_counts(self):
        self.assertRegex(self.assert_ok(self.game('why', SUPER)),
                         rf'(?m)^Entry +{self.system}/{SUPER}\.desktop$')
        self.game('enable', SUPER)
        self.assertRegex(self.assert_ok(self.game('why', SUPER)),
                         rf'(?m)^Entry +{self.own_path(SUPER)}\n +in the place of {self.system}/')

    def test_not_opted_in(self):
        program = self.game('why', SUPER)
        self.assertRegex(program.out, r'(?m)^Opted in +no: its desktop entry has no')
        self.assertIn(f'eppctl game enable {SUPER}', self.verdict(program))

    def test_what_can_never_be(self):
        self.install('broken', 'no desktop entry\n')
        self.install('link', '[Desktop Entry]\nType=Link\nName=x\n')
        self.assertIn("can't be read", self.verdict(self.game('why', 'broken')))
        self.assertIn('starts nothing', self.verdict(self.game('why', 'link')))

    def test_wrong_keys_are_named(self):
        self.install('wrong', EDITOR_TEXT + 'X-Eppd-Boost=maybe\nX-Eppd-Threshold=7000\n')
        self.assertRegex(self.assert_ok(self.game('why', 'wrong')),
                         r'(?m)^Wrong +line 5: X-Eppd-Boost=maybe.*\n +line 6: X-Eppd-Threshold=7000')

    def test_category(self):
        self.write_config('[Games]\nCategories=Game\n')
        self.assertRegex(self.game('why', SUPER).out,
                         r'(?m)^Opted in +yes: .*category Game, which \[Games\] Categories= names$')

    def test_no_daemon(self):
        self.game('enable', SUPER)
        program = self.game('why', SUPER)
        self.assertRegex(program.out, '(?m)^Held +eppd is not running')
        self.assertIn("eppd can't be asked", self.verdict(program))

    def test_no_agent(self):
        self.start_fake()
        self.game('enable', SUPER)
        program = self.run_alone('why', SUPER)
        self.assertRegex(program.out, '(?m)^Agent +does not run$')
        self.assertIn(HINT, self.verdict(program))

    def test_it_does_not_run(self):
        self.start_fake()
        self.start_agent()
        self.game('enable', 'Half')
        program = self.game('why', 'Half')
        self.assertRegex(program.out, r'(?m)^Agent +runs \(process \d+\)$')
        self.assertRegex(program.out, '(?m)^Runs +no$')
        self.assertIn('boosted when it runs', self.verdict(program))

    def test_it_runs_and_is_not_held(self):
        self.start_fake()
        self.start_agent()
        self.game('enable', 'Half')
        game = self.start_game(SteamAppId=STEAM_ID)
        program = self.game('why', 'Half')
        self.assertRegex(program.out, rf'(?m)^Runs +process {game.pid}$')
        self.assertRegex(program.out, '(?m)^Held +no$')
        self.assertRegex(self.verdict(program), 'journalctl.*polkit')

    def test_it_is_held(self):
        self.start_fake().holds = [self.own_hold(**{'app-id': 'Half', 'trigger-why': 'no cgroup'})]
        self.game('enable', 'Half')
        program = self.game('why', 'Half')
        self.assertRegex(program.out,
                         r'(?m)^Held +yes: playing; trigger core \(no cgroup\), threshold 50 %$')
        self.assertRegex(program.out, '(?m)^Boost +armed: one hold$')
        self.assertIn('The boost is held for it: ', self.verdict(program))
        self.fake.properties.update(BoostState='suppressed', BoostReason='the profile is power-saver')
        program = self.game('why', 'Half')
        self.assertRegex(program.out, '(?m)^Boost +suppressed: the profile is power-saver$')
        self.assertIn('it is suppressed for now', self.verdict(program))

    def test_it_is_held_by_a_process_that_tells_nothing(self):
        self.start_fake().holds = [self.own_hold(**{'app-id': 'Half', 'pid': 4711})]
        self.game('enable', 'Half')
        program = self.game('why', 'Half')
        self.assertRegex(program.out, '(?m)^Runs +process 4711$')
        self.assertIn('The boost is held for it: ', self.verdict(program))

    def test_trigger_app_without_a_cgroup_says_how_to_get_one(self):
        fallen = {'app-id': 'Half', 'trigger-asked': 'app', 'trigger-why': 'no cgroup', 'pid': 4711}
        self.start_fake().holds = [self.own_hold(**fallen)]
        self.game('enable', 'Half', '--trigger', 'app')
        self.assertIn('`eppctl run --trigger app --`', self.verdict(self.game('why', 'Half')))
        self.fake.holds = [self.own_hold(cgroup='/user.slice/x.scope', **fallen)]
        self.assertNotIn('--trigger app', self.verdict(self.game('why', 'Half')))

    def test_json(self):
        self.start_fake().holds = [self.own_hold(**{'app-id': 'Half'})]
        self.start_agent()
        found = json.loads(self.assert_ok(self.game('why', '--json', 'Half')))
        self.assertEqual((found['id'], found['held'], found['opted-in']), ('Half', True, False))
        self.assertEqual(found['hold']['reason'], 'playing')
        self.assertEqual(found['daemon']['BoostState'], 'armed')
        self.assertGreater(found['agent-pid'], 0)
