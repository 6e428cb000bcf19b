# SPDX-License-Identifier: GPL-2.0-or-later
"""What polkit is asked by the power-profiles interfaces, and what its answers do."""

from gi.repository import Gio, GLib

from boost_case import variant
from fake_services import POLKIT, POLKIT_PATH, POLKIT_XML
from profile_case import NOBODY, PROPERTIES, LegacyCase, ModernCase

PREFIX = 'org.freedesktop.UPower.PowerProfiles.'
SWITCH = PREFIX + 'switch-profile'
HOLD = PREFIX + 'hold-profile'
ACTION = PREFIX + 'configure-action'
BATTERY = PREFIX + 'configure-battery-aware'


class PolkitRows:

    def start_with(self, answer):
        """@answer(action, subject's bus name, invocation) is called at each check."""
        self.checks = []

        def called(_connection, _sender, _path, _interface, _method, parameters, invocation):
            (kind, details), action, _details, flags, _cancellation = parameters.unpack()
            self.checks.append((action, kind, flags))
            answer(action, details['name'], invocation)

        self.authority = self.connect()
        self.authority.register_object(POLKIT_PATH,
                                       Gio.DBusNodeInfo.new_for_xml(POLKIT_XML).interfaces[0],
                                       called, None,
                                       None)
        self.bus_call(self.authority, 'org.freedesktop.DBus', '/org/freedesktop/DBus',
                      'org.freedesktop.DBus', 'RequestName', variant('(su)', (POLKIT, 0)))
        self.start_eppd(polkit=None)
        self.user = self.connect_as(NOBODY)

    @staticmethod
    def answer(invocation, is_authorized):
        invocation.return_value(variant('((bba{ss}))', ((is_authorized, False, {}),)))

    def start_and_allow(self, *allowed):
        self.start_with(lambda action, _name,
                        invocation: self.answer(invocation, action in allowed))

    def start_and_wait(self):
        """Answers wait for the test, by the caller's bus name: {name: [invocation]}."""
        waiting = {}
        self.start_with(lambda _action, name,
                        invocation: waiting.setdefault(name, []).append(invocation))
        return waiting

    def later(self, on, interface, method, parameters):
        """Calls without waiting; a list that gets the error's text, the reply's value, or None."""
        ended = []

        def done(connection, result):
            try:
                reply = connection.call_finish(result).unpack()
                ended.append(reply[0] if reply else None)
            except GLib.Error as error:
                ended.append(error.message)

        on.call(self.face.name, self.face.path, interface, method, parameters, None,
                Gio.DBusCallFlags.NONE, 120_000, None, done)
        return ended

    def switch_later(self, profile, on):
        return self.later(on, PROPERTIES, 'Set', variant('(ssv)', (self.face.name, 'ActiveProfile',
                                                                   variant('s', profile))))

    def hold_later(self, profile, on):
        return self.later(on, self.face.name, 'HoldProfile',
                          variant('(sss)', (profile, 'why', 'app')))

    def wait_for_question(self, waiting, connection):
        self.wait_for(lambda: connection.get_unique_name() in waiting, 'the question')

    # ---- yes and no ----

    def test_an_unauthorised_switch_changes_nothing(self):
        self.add_platform()
        self.start_and_allow()
        before = [self.policy_files('policy0'), self.policy_files('policy1'), self.platform()]
        changes = self.record_changes()
        self.assertEqual(self.error_of(self.switch, 'power-saver', on=self.user),
                         ('AccessDenied', f'Not Authorized: {SWITCH}'))
        self.settle()
        self.assertEqual(changes.take(), [])
        self.assertEqual(self.profile(), 'balanced')
        self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1'),
                          self.platform()], before)
        self.assertEqual(self.state_file(), {})

    def test_an_unauthorised_writer_is_told_what_is_so(self):
        self.start_and_allow()
        changes = self.record_changes(self.user)
        self.error_of(self.switch, 'power-saver', on=self.user)
        self.settle(self.user)
        self.assertEqual(changes.take(), [(self.face, {'ActiveProfile': 'balanced'}, [])])

    def test_an_unauthorised_switch_ends_no_hold(self):
        self.start_and_allow(HOLD)
        self.hold_profile('performance', on=self.user)
        self.assertEqual(self.error_of(self.switch, 'power-saver', on=self.user)[0], 'AccessDenied')
        self.assertEqual((self.profile(), self.held_profiles()), ('performance', ['performance']))

    def test_an_unauthorised_hold_is_none(self):
        self.start_and_allow(SWITCH)
        self.assertEqual(self.error_of(self.hold_profile, 'performance', on=self.user),
                         ('AccessDenied', f'Not Authorized: {HOLD}'))
        self.assertEqual((self.profile(), self.held_profiles()), ('balanced', []))

    def test_leave_for_one_is_none_for_another(self):
        self.start_and_allow(SWITCH)
        self.switch('power-saver', on=self.user)
        self.assertEqual(self.profile(), 'power-saver')
        self.start_over(HOLD)
        self.hold_profile('performance', on=self.user)
        self.assertEqual(self.profile(), 'performance')

    def start_over(self, *allowed):
        self.stop_eppd()
        self.authority.close_sync(None)
        self.wait_for(lambda: not self.name_owner(POLKIT), 'the authority to go')
        self.start_and_allow(*allowed)

    def test_what_is_asked_for(self):
        self.start_with(lambda _action, _name, invocation: self.answer(invocation, True))
        self.switch('power-saver', on=self.user)
        cookie = self.hold_profile('performance', on=self.user)
        self.release_profile(cookie, on=self.user)
        self.profile()
        self.get_all(self.face.name, self.face.path)
        self.assertEqual(self.checks, [(action, 'system-bus-name', 0) for action in (SWITCH, HOLD)])

    def test_the_question_comes_before_what_is_asked_for_is_looked_at(self):
        self.start_and_allow()
        for call, arg, action in ((self.switch, 'bogus', SWITCH),
                                  (self.hold_profile, 'balanced', HOLD)):
            self.assertEqual(self.error_of(call, arg, on=self.user),
                             ('AccessDenied', f'Not Authorized: {action}'))

    def test_what_can_not_be_is_refused_without_a_question(self):
        self.start_and_allow()
        for call, args in ((self.assign, ('Version', variant('s', 'x'))),
                           (self.assign, ('ActiveProfile', variant('u', 1))),
                           (self.assign, ('Nope', variant('s', 'x'))),
                           (self.ask, ('HoldProfile', '(s)', 'performance')),
                           (self.release_profile, (4242,))):
            self.assertEqual(self.error_of(call, *args, on=self.user)[0], 'InvalidArgs', args)
        self.assertEqual(self.checks, [])

    def test_a_release_needs_no_leave(self):
        self.start_and_allow(HOLD)
        cookie = self.hold_profile('performance', on=self.user)
        self.release_profile(cookie, on=self.user)
        self.assertEqual([action for action, _kind, _flags in self.checks], [HOLD])

    def test_polkit_is_absent(self):
        self.start_eppd(polkit=None)
        user = self.connect_as(NOBODY)
        for call, arg, action in ((self.switch, 'power-saver', SWITCH),
                                  (self.hold_profile, 'performance', HOLD)):
            name, text = self.error_of(call, arg, on=user)
            self.assertEqual(name, 'AccessDenied')
            self.assertTrue(text.startswith(f'Not Authorized: {action}'), text)
            self.assertIn('polkit is not running', text)
        self.assertEqual((self.profile(), self.held_profiles()), ('balanced', []))
        self.switch('power-saver')
        self.assertEqual(self.profile(), 'power-saver')

    def test_polkit_answers_with_an_error(self):
        self.start_with(lambda _action, _name, invocation: invocation.return_dbus_error(
            'org.freedesktop.PolicyKit1.Error.Failed', 'out of order'))
        name, text = self.error_of(self.switch, 'power-saver', on=self.user)
        self.assertEqual(name, 'AccessDenied')
        self.assertTrue(text.startswith(f'Not Authorized: {SWITCH}'), text)
        self.assertEqual(self.profile(), 'balanced')

    # ---- late answers ----

    def test_the_order_of_the_calls_wins_where_polkit_answers_the_second_first(self):
        waiting = self.start_and_wait()
        second = self.connect_as(NOBODY)
        changes = self.record_changes()
        ends = [self.switch_later('performance', self.user)]
        self.wait_for_question(waiting, self.user)
        ends.append(self.switch_later('power-saver', second))
        self.wait_for_question(waiting, second)
        self.answer(waiting[second.get_unique_name()][0], True)
        self.settle(self.authority)
        self.assertEqual((ends, self.profile()), ([[], []], 'balanced'))
        self.answer(waiting[self.user.get_unique_name()][0], True)
        self.wait_for(lambda: ends[0] and ends[1], 'the replies')
        self.assertEqual(ends, [[None], [None]])
        self.assertEqual(self.profile(), 'power-saver')
        self.assertEqual(changes.take_of(self.face), [{'ActiveProfile': 'performance'},
                                                      {'ActiveProfile': 'power-saver'}])

    def test_a_denied_first_lets_the_second_through(self):
        waiting = self.start_and_wait()
        second = self.connect_as(NOBODY)
        ends = [self.switch_later('performance', self.user)]
        self.wait_for_question(waiting, self.user)
        ends.append(self.switch_later('power-saver', second))
        self.wait_for_question(waiting, second)
        self.answer(waiting[second.get_unique_name()][0], True)
        self.answer(waiting[self.user.get_unique_name()][0], False)
        self.wait_for(lambda: ends[0] and ends[1], 'the replies')
        self.assertIn('Not Authorized', ends[0][0])
        self.assertEqual((ends[1], self.profile()), ([None], 'power-saver'))

    def test_reads_are_answered_meanwhile(self):
        waiting = self.start_and_wait()
        ended = self.switch_later('performance', self.user)
        self.wait_for_question(waiting, self.user)
        self.assertEqual((self.profile(), ended), ('balanced', []))
        self.answer(waiting[self.user.get_unique_name()][0], True)
        self.wait_for(lambda: ended, 'the reply')
        self.assertEqual(self.profile(), 'performance')

    def test_a_caller_that_dies_meanwhile_leaves_no_hold(self):
        waiting = self.start_and_wait()
        self.hold_later('performance', self.user)
        self.wait_for_question(waiting, self.user)
        name = self.user.get_unique_name()
        self.leave(self.user)
        changes = self.record_changes()
        self.answer(waiting[name][0], True)
        # Root's own comes behind it in the queue.
        cookie = self.hold_profile('power-saver')
        self.assertEqual(self.held_profiles(), ['power-saver'])
        self.release_profile(cookie)
        self.assertEqual([changed['ActiveProfile'] for changed in changes.take_of(self.face)],
                         ['power-saver', 'balanced'])

    def test_the_daemon_ends_while_polkit_is_asked(self):
        waiting = self.start_and_wait()
        ended = self.switch_later('performance', self.user)
        self.wait_for_question(waiting, self.user)
        self.stop_eppd()
        self.wait_for(lambda: ended, 'the reply')
        self.assertIn('eppd is stopping', ended[0])


class ModernPolkit(PolkitRows, ModernCase):

    def test_an_action_s_switch_needs_leave(self):
        self.start_and_allow(SWITCH, HOLD, BATTERY)
        before = self.value('Actions')
        for name in ('trickle_charge', 'nope'):
            self.assertEqual(self.error_of(self.ask, 'SetActionEnabled', '(sb)', name, False,
                                           on=self.user),
                             ('AccessDenied', f'Not Authorized: {ACTION}'))
        self.assertEqual(self.value('Actions'), before)
        self.assertEqual(self.state_file(), {})

    def test_battery_aware_needs_leave(self):
        self.start_and_allow(SWITCH, HOLD, ACTION)
        self.assertEqual(self.error_of(self.assign, 'BatteryAware', variant('b', False),
                                       on=self.user),
                         ('AccessDenied', f'Not Authorized: {BATTERY}'))
        self.assertEqual(self.value('BatteryAware'), True)
        self.assertEqual(self.state_file(), {})

    def test_what_is_asked_for_by_the_modern_only(self):
        self.start_and_allow(ACTION, BATTERY)
        self.ask('SetActionEnabled', '(sb)', 'trickle_charge', False, on=self.user)
        self.assign('BatteryAware', variant('b', False), on=self.user)
        self.assertEqual([action for action, _kind, _flags in self.checks], [ACTION, BATTERY])
        self.assertEqual(self.value('BatteryAware'), False)
        self.assertNotIn('trickle_charge', self.value('Actions'))


class LegacyPolkit(PolkitRows, LegacyCase):
    """The ids are the same as the modern interface's."""
