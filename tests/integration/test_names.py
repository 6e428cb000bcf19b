# SPDX-License-Identifier: GPL-2.0-or-later
"""The three bus names: taken together, lost together."""

import signal

from gi.repository import Gio, GLib

import harness
from boost_case import BASE, variant
from profile_case import FACES, LEGACY, MODERN, ProfileCase

NAMES = (harness.BUS_NAME, MODERN.name, LEGACY.name)
ALLOW_REPLACEMENT, REPLACE_EXISTING, DO_NOT_QUEUE = 1, 2, 4
PRIMARY_OWNER = 1


class Names(ProfileCase):

    def request(self, connection, name, flags):
        return self.bus_call(connection, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                             'org.freedesktop.DBus', 'RequestName', variant('(su)', (name, flags)))

    def output(self, program):
        return program.out + program.err

    def assert_ends(self, program, code, pattern):
        self.assertEqual(self.wait_program(program), code, self.output(program))
        self.assertRegex(self.output(program), pattern)

    def test_one_owner_has_all_three(self):
        self.start_eppd(polkit=None)
        owners = {self.name_owner(name) for name in NAMES}
        self.assertEqual(len(owners), 1)
        self.assertNotIn(None, owners)

    def test_all_objects_answer_on_each_name(self):
        self.start_eppd(polkit=None)
        for name in NAMES:
            for face in FACES:
                with self.subTest(name=name, face=face.name):
                    self.assertEqual(self.get('ActiveProfile', face.name, face.path, bus_name=name),
                                     'balanced')
            self.assertEqual(self.get('BoostState', bus_name=name), 'idle')

    def test_the_loss_of_any_name_ends_the_process_with_0(self):
        for name in NAMES:
            with self.subTest(name=name):
                self.start_busy(polkit=None)
                self.boost()
                taker = self.connect()
                self.assertEqual(self.request(taker, name, REPLACE_EXISTING | DO_NOT_QUEUE),
                                 PRIMARY_OWNER)
                self.assert_ends(self.daemon, 0, f'another program has {name} now')
                self.assertEqual(self.epp('policy1'), BASE)
                taker.close_sync(None)
                self.wait_for(lambda: not any(map(self.name_owner, NAMES)), 'the names to be free')

    def test_another_has_one_of_the_names(self):
        for name in NAMES:
            with self.subTest(name=name):
                other = self.connect()
                self.assertEqual(self.request(other, name, ALLOW_REPLACEMENT), PRIMARY_OWNER)
                self.make_tree()
                self.set_epp('policy1', 'power')
                self.assert_ends(self.spawn_eppd(), 1,
                                 f'could not get the name {name} on the system bus: another eppd or '
                                 r'power-profiles-daemon has it \(-r replaces it\)')
                self.assertEqual(self.name_owner(name), other.get_unique_name())
                # It had not begun.
                self.assertEqual(self.epp('policy1'), 'power')
                other.close_sync(None)
                self.wait_for(lambda: not any(map(self.name_owner, NAMES)), 'the names to be free')

    def test_r_takes_the_names_from_another(self):
        other = self.connect()
        for face in FACES:
            self.assertEqual(self.request(other, face.name, ALLOW_REPLACEMENT), PRIMARY_OWNER)
        self.daemon = self.spawn_eppd('-r')
        self.wait_for(lambda: not {self.name_owner(name) for name in NAMES} & {None, other.get_unique_name()},
                      'all three names')
        self.assertEqual(self.profile(), 'balanced')

    def test_r_where_another_does_not_let_go(self):
        other = self.connect()
        self.assertEqual(self.request(other, MODERN.name, 0), PRIMARY_OWNER)
        self.assert_ends(self.spawn_eppd('-r'), 1, f'could not get the name {MODERN.name}')
        self.assertEqual(self.name_owner(MODERN.name), other.get_unique_name())

    def test_r_replaces_a_running_one(self):
        self.start_busy(polkit=None)
        self.boost()
        self.switch('power-saver')
        self.hold_profile('performance')
        first = self.daemon
        owner = self.name_owner(MODERN.name)
        self.daemon = self.spawn_eppd('-r', *self.daemon_args)
        self.assert_ends(first, 0, 'replaced')
        self.wait_for(lambda: self.name_owner(LEGACY.name) not in (None, owner), 'the newcomer')
        self.assertEqual(self.profile(), 'power-saver')
        self.assertEqual(self.value('ActiveProfileHolds'), [])
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_second_one_leaves_the_first_alone(self):
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.assert_ends(self.spawn_eppd(), 1, 'another eppd or power-profiles-daemon has it')
        self.assertIsNone(self.daemon.code())
        self.assertEqual(self.profile(), 'power-saver')

    def test_no_bus(self):
        self.env['DBUS_SYSTEM_BUS_ADDRESS'] = f'unix:path={self.directory}/no-bus'
        self.assert_ends(self.spawn_eppd(), 1, 'could not reach the system bus')

    def test_sigterm_and_sigint_end_it_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number=number):
                self.start_eppd(polkit=None)
                self.switch('power-saver')
                self.daemon.send(number)
                self.assertEqual(self.wait_program(self.daemon), 0, self.log())
                # What a profile set stays.
                self.assertEqual(self.epp('policy1'), 'power')
                self.wait_for(lambda: not any(map(self.name_owner, NAMES)), 'the names to be free')

    def test_what_it_says_is_on_its_standard_output(self):
        self.add_platform()
        # Besides the rig's own -v.
        self.start_eppd('-v', polkit=None)
        self.switch('power-saver')
        self.press_key('nonsense')
        self.wait_for_log('^debug: platform: .*nonsense')
        self.stop_eppd()
        self.assertEqual(self.daemon.err, '')
        self.assertRegex(self.daemon.out, '(?m)^info: profile: the user chose power-saver')

    def test_the_state_is_complete_before_the_first_reply(self):
        self.add_platform()
        self.write_state('[State]\nProfile=power-saver\nCpuDriver=amd_pstate\n'
                         'PlatformDriver=platform_profile\nBatteryAware=false\n')
        answers = {}

        def done(connection, result, face):
            try:
                answers[face] = connection.call_finish(result).unpack()[0]
            except GLib.Error as error:
                answers[face] = error.message

        # Called while it starts: as soon as each name is there.
        asked = set()
        self.daemon = self.spawn_eppd()

        def ask_as_soon_as_possible():
            for face in FACES:
                if face not in asked and self.name_owner(face.name):
                    asked.add(face)
                    self.connection.call(face.name, face.path, 'org.freedesktop.DBus.Properties',
                                         'GetAll',
                                         variant('(s)', (face.name,)), None, Gio.DBusCallFlags.NONE,
                                         60_000,
                                         None, done, face)
            return len(answers) == len(FACES)

        self.wait_for(ask_as_soon_as_possible, 'the answers')
        for face in FACES:
            self.assertEqual(answers[face]['ActiveProfile'], 'power-saver')
            self.assertEqual([profile['Driver'] for profile in answers[face]['Profiles']],
                             ['multiple'] * 3)
        self.assertEqual(answers[MODERN]['BatteryAware'], False)
        self.assertEqual((self.epp('policy1'), self.platform()), ('power', 'low-power'))
