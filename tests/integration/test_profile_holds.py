# SPDX-License-Identifier: GPL-2.0-or-later
"""HoldProfile, ReleaseProfile and ProfileReleased on both power-profiles interfaces."""

import os

from gi.repository import Gio

from boost_case import variant
from profile_case import ERROR, FACES, NOBODY, LegacyCase, ModernCase

ONLY = "Only profiles 'performance' and 'power-saver' can be a hold profile"
HOLDS_PER_USER = 64


def listed(profile, reason='why', app_id='app'):
    return {'ApplicationId': app_id, 'Profile': profile, 'Reason': reason}


class HoldsRows:

    def start(self, selected='balanced'):
        self.start_eppd(polkit=None)
        if selected != 'balanced':
            self.switch(selected)

    def no_hold(self, cookie):
        return 'InvalidArgs', f'No hold with cookie {cookie}'

    # ---- one hold ----

    def test_a_hold_is_in_effect_and_listed_until_it_is_released(self):
        self.start()
        for profile, epp in (('performance', 'performance'), ('power-saver', 'power')):
            with self.subTest(profile=profile):
                cookie = self.hold_profile(profile, 'encoding', 'org.example.App')
                self.assertNotEqual(cookie, 0)
                self.assertEqual(self.profile(), profile)
                self.assertEqual(self.epp('policy1'), epp)
                self.assertEqual(self.value('ActiveProfileHolds'),
                                 [listed(profile, 'encoding', 'org.example.App')])
                self.release_profile(cookie)
                self.assertEqual(self.profile(), 'balanced')
                self.assertEqual(self.epp('policy1'), 'balance_performance')
                self.assertEqual(self.value('ActiveProfileHolds'), [])

    def test_the_platform_follows_a_hold(self):
        self.add_platform()
        self.start()
        cookie = self.hold_profile('power-saver')
        self.assertEqual(self.platform(), 'low-power')
        self.release_profile(cookie)
        self.assertEqual(self.platform(), 'balanced')

    def test_after_the_last_release_comes_what_was_selected_before(self):
        self.start()
        for selected in ('power-saver', 'performance', 'balanced'):
            for held in ('performance', 'power-saver'):
                with self.subTest(selected=selected, held=held):
                    self.switch(selected)
                    cookie = self.hold_profile(held)
                    self.assertEqual(self.profile(), held)
                    self.release_profile(cookie)
                    self.assertEqual(self.profile(), selected)

    def test_cookies_can_not_be_guessed_from_another(self):
        self.start()
        cookies = [self.hold_profile() for _ in range(16)]
        self.assertEqual(len(set(cookies)), 16)
        self.assertNotIn(0, cookies)
        steps = {after - before for before, after in zip(cookies, cookies[1:])}
        self.assertGreater(len(steps), 1)
        self.assertGreater(max(cookies), 1 << 16)

    def test_texts_may_be_empty_or_long_and_are_cut_at_a_character(self):
        self.start()
        self.hold_profile('performance', '', '')
        self.hold_profile('performance', 'ü' * 200, 'x' + 'ü' * 200)
        self.assertEqual(self.value('ActiveProfileHolds'),
                         [listed('performance', '', ''),
                          listed('performance', 'ü' * 128, 'x' + 'ü' * 127)])

    # ---- several ----

    def test_power_saver_beats_performance_whoever_came_first(self):
        self.start()
        for order in (('performance', 'power-saver'), ('power-saver', 'performance')):
            with self.subTest(order=order):
                cookies = {profile: self.hold_profile(profile) for profile in order}
                self.assertEqual(self.profile(), 'power-saver')
                self.assertEqual(self.held_profiles(), list(order))
                self.release_profile(cookies['power-saver'])
                self.assertEqual(self.profile(), 'performance')
                self.release_profile(cookies['performance'])
                self.assertEqual(self.profile(), 'balanced')

    def test_two_holds_of_one_client_are_two(self):
        self.start()
        first, second = self.hold_profile(), self.hold_profile()
        self.assertNotEqual(first, second)
        self.assertEqual(self.held_profiles(), ['performance'] * 2)
        self.release_profile(first)
        self.assertEqual(self.profile(), 'performance')
        self.release_profile(second)
        self.assertEqual(self.profile(), 'balanced')

    def test_holds_of_both_interfaces_are_in_one_list(self):
        self.start()
        self.hold_profile('performance', 'one')
        self.hold_profile('power-saver', 'two', face=self.other)
        holds = [listed('performance', 'one'), listed('power-saver', 'two')]
        for face in FACES:
            self.assertEqual(self.value('ActiveProfileHolds', face=face), holds)
            self.assertEqual(self.profile(face), 'power-saver')

    def test_no_more_than_a_limit_for_one_user(self):
        self.start_eppd()
        cookies = [self.hold_profile() for _ in range(HOLDS_PER_USER)]
        with self.assert_dbus_error(ERROR + 'LimitsExceeded',
                                    f'has {HOLDS_PER_USER} profile holds already'):
            self.hold_profile('power-saver', on=self.connect())
        self.assertEqual(self.profile(), 'performance')
        nobody = self.connect_as(NOBODY)
        self.hold_profile('power-saver', on=nobody)
        self.assertEqual(self.profile(), 'power-saver')
        self.release_profile(cookies[0])
        self.hold_profile()

    # ---- signals ----

    def test_what_is_told_of_a_hold_and_its_release(self):
        self.start()
        changes = self.record_changes()
        cookie = self.hold_profile('performance')
        self.assertEqual(changes.take(), [
            (face, {'ActiveProfile': 'performance', 'ActiveProfileHolds': [listed('performance')]},
             [])
            for face in FACES])
        self.release_profile(cookie)
        self.assertEqual(changes.take(), [
            (face, {'ActiveProfile': 'balanced', 'ActiveProfileHolds': []}, []) for face in FACES])

    def test_a_hold_of_what_is_in_effect_changes_the_list_alone(self):
        self.start('performance')
        changes = self.record_changes()
        cookie = self.hold_profile('performance')
        self.release_profile(cookie)
        self.assertEqual(changes.take_of(self.face),
                         [{'ActiveProfileHolds': [listed('performance')]},
                                                      {'ActiveProfileHolds': []}])

    def test_a_hold_that_does_not_win_changes_the_list_alone(self):
        self.start()
        self.hold_profile('power-saver')
        changes = self.record_changes()
        cookie = self.hold_profile('performance')
        self.release_profile(cookie)
        self.assertEqual([list(changed) for changed in changes.take_of(self.face)],
                         [['ActiveProfileHolds']] * 2)
        self.assertEqual(self.profile(), 'power-saver')

    def test_released_is_for_the_holder_alone_by_the_way_it_used(self):
        self.start()
        watcher = self.connect()
        onlooker = self.record_releases(watcher)
        for by in FACES:
            with self.subTest(by=by.name):
                holder = self.connect()
                released = self.record_releases(holder)
                cookie = self.hold_profile(on=holder)
                self.release_profile(cookie, on=holder, face=by)
                self.settle(holder)
                self.assertEqual(released, [(self.face, cookie)])
        self.settle(watcher)
        self.assertEqual(onlooker, [])

    def test_released_is_told_before_the_change_and_the_change_before_the_reply(self):
        self.start()
        cookie = self.hold_profile()
        seen = []
        self.connection.signal_subscribe(
            self.name_owner(self.face.name), None, None, self.face.path, None,
            Gio.DBusSignalFlags.NONE,
            lambda _connection, _sender, _path, _interface, signal,
            _parameters: seen.append(signal))
        self.settle()
        self.release_profile(cookie)
        # Nothing is awaited behind the reply.
        self.assertEqual(seen, ['ProfileReleased', 'PropertiesChanged'])

    # ---- what ends a hold ----

    def test_a_set_drops_all_holds_and_tells_each_holder(self):
        self.start()
        clients = [self.connect() for _ in range(3)]
        released = [self.record_releases(client) for client in clients]
        cookies = [self.hold_profile(profile, on=client) for client, profile in
                   zip(clients, ('performance', 'power-saver', 'performance'))]
        changes = self.record_changes()
        self.switch('performance')
        for client in clients:
            self.settle(client)
        self.assertEqual(released, [[(self.face, cookie)] for cookie in cookies])
        self.assertEqual(changes.take(), [
            (face, {'ActiveProfile': 'performance', 'ActiveProfileHolds': []}, [])
            for face in FACES])
        self.assertEqual(self.profile(), 'performance')

    def test_a_refused_set_drops_none(self):
        self.start()
        cookie = self.hold_profile()
        released = self.record_releases()
        self.assertEqual(self.error_of(self.switch, 'bogus')[0], 'Failed')
        self.settle()
        self.assertEqual((released, self.held_profiles()), ([], ['performance']))
        self.release_profile(cookie)

    def test_a_set_that_a_policy_refuses_drops_none(self):
        self.use_faults()
        self.start()
        self.hold_profile()
        writer = self.connect()
        released = self.record_releases()
        changes = self.record_changes()
        self.faults.set('policy1/energy_performance_preference', 'power')
        self.assertIn('policy1', self.error_of(self.switch, 'power-saver', on=writer)[1])
        self.settle()
        self.assertEqual((released, changes.take()), ([], []))
        self.assertEqual(self.held_profiles(), ['performance'])
        self.assertEqual(self.profile(), 'performance')
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['performance'] * 2)

    def test_a_holder_that_leaves_loses_its_holds(self):
        self.start()
        holder = self.connect()
        self.hold_profile('performance', on=holder)
        self.hold_profile('power-saver', on=holder)
        mine = self.hold_profile('performance')
        changes = self.record_changes()
        self.leave(holder)
        self.wait_for_profile('performance')
        self.assertEqual(self.value('ActiveProfileHolds'), [listed('performance')])
        self.settle()
        self.assertEqual(changes.take(), [
            (face, {'ActiveProfile': 'performance', 'ActiveProfileHolds': [listed('performance')]},
             [])
            for face in FACES])
        self.release_profile(mine)
        self.assertEqual(self.profile(), 'balanced')

    def test_an_end_of_the_daemon_is_the_end_of_the_holds(self):
        self.start('power-saver')
        released = self.record_releases()
        cookie = self.hold_profile('performance')
        self.restart_eppd()
        self.settle()
        self.assertEqual(released, [(self.face, cookie)])
        self.assertEqual(self.profile(), 'power-saver')
        self.assertEqual(self.value('ActiveProfileHolds'), [])

    def test_holds_are_not_saved(self):
        self.start()
        self.hold_profile('performance')
        self.assertEqual(self.state_file(), {})
        self.switch('power-saver')
        before = self.state_file()
        self.release_profile(self.hold_profile('performance'))
        self.assertEqual(self.state_file(), before)

    # ---- errors ----

    def test_an_unknown_cookie(self):
        self.start()
        for cookie in (0, 4242, 0xffffffff):
            with self.subTest(cookie=cookie):
                self.assertEqual(self.error_of(self.release_profile, cookie), self.no_hold(cookie))

    def test_a_cookie_is_good_for_one_release(self):
        self.start()
        cookie = self.hold_profile()
        self.release_profile(cookie)
        self.assertEqual(self.error_of(self.release_profile, cookie), self.no_hold(cookie))

    def test_another_s_hold_can_not_be_released(self):
        self.start()
        cookie = self.hold_profile()
        for client in (self.connect(), self.connect_as(NOBODY)):
            self.assertEqual(self.error_of(self.release_profile, cookie, on=client),
                             self.no_hold(cookie))
        self.assertEqual(self.profile(), 'performance')
        self.release_profile(cookie)

    def test_only_the_two_can_be_held(self):
        self.start()
        changes = self.record_changes()
        for profile in ('balanced', 'bogus', '', 'Performance'):
            with self.subTest(profile=profile):
                self.assertEqual(self.error_of(self.hold_profile, profile), ('InvalidArgs', ONLY))
        self.settle()
        self.assertEqual((self.held_profiles(), changes.take()), ([], []))

    def test_an_unavailable_profile_can_not_be_held(self):
        os.makedirs(self.tree)
        self.start()
        self.assertEqual(self.error_of(self.hold_profile, 'performance'),
                         ('InvalidArgs',
                          "Cannot hold profile 'performance' as it is not available"))
        self.assertEqual(self.held_profiles(), [])
        self.hold_profile('power-saver')

    def test_a_hold_whose_switch_fails_is_none(self):
        self.use_faults()
        self.start()
        changes = self.record_changes()
        self.faults.set('policy1/energy_performance_preference', 'performance')
        name, text = self.error_of(self.hold_profile, 'performance')
        self.assertEqual(name, 'Failed')
        self.assertIn('policy1', text)
        self.settle()
        self.assertEqual((self.held_profiles(), changes.take()), ([], []))
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['balance_performance'] * 2)

    def test_a_release_goes_through_even_where_a_policy_refuses_what_follows(self):
        self.use_faults()
        self.start()
        cookie = self.hold_profile('performance')
        self.faults.set('policy1/energy_performance_preference')
        self.release_profile(cookie)
        self.assertEqual(self.profile(), 'balanced')
        self.assertEqual(self.epp('policy0'), 'balance_performance')

    # ---- the firmware ----

    def test_during_a_hold_the_firmware_is_followed_and_the_hold_stays(self):
        self.add_platform()
        self.start()
        cookie = self.hold_profile('performance')
        released = self.record_releases()
        changes = self.record_changes()
        self.press_key('low-power')
        self.wait_for_profile('power-saver')
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertEqual(self.held_profiles(), ['performance'])
        self.settle()
        self.assertEqual(changes.take(),
                         [(face, {'ActiveProfile': 'power-saver'}, []) for face in FACES])
        self.assertEqual(released, [])
        self.release_profile(cookie)
        self.assertEqual(self.profile(), 'power-saver')

    def test_the_next_hold_after_the_firmware_s_change_counts_again(self):
        self.add_platform()
        self.start()
        self.hold_profile('performance')
        self.press_key('balanced')
        self.wait_for_profile('balanced')
        cookie = self.hold_profile('power-saver')
        self.assertEqual(self.profile(), 'power-saver')
        self.release_profile(cookie)
        self.assertEqual(self.profile(), 'performance')


class ModernHolds(HoldsRows, ModernCase):

    def test_a_hold_is_independent_of_battery_aware(self):
        self.start()
        cookie = self.hold_profile('performance')
        self.assign('BatteryAware', variant('b', False))
        self.assertEqual(self.held_profiles(), ['performance'])
        self.release_profile(cookie)


class LegacyHolds(HoldsRows, LegacyCase):

    def test_a_hold_by_the_old_name_is_seen_by_the_new_one(self):
        self.start()
        self.hold_profile('power-saver')
        self.assertEqual(self.value('ActiveProfileHolds', face=self.other), [listed('power-saver')])
