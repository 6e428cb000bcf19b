# SPDX-License-Identifier: GPL-2.0-or-later
"""What polkit says, does not say, or says too late."""

from gi.repository import Gio, GLib

import boost_case
import harness
from boost_case import BASE, BOOST, variant
from fake_services import POLKIT, POLKIT_PATH, POLKIT_XML

NOBODY = 65534
DENIED = 'org.freedesktop.DBus.Error.AccessDenied'


class Polkit(boost_case.BoostTestCase):
    """An authority that answers when and what the test wants."""

    def start_authority(self, answer):
        """@answer(action_id, invocation) is called at each check."""
        self.checks = []

        def called(_connection, _sender, _path, _interface, _method, parameters, invocation):
            self.checks.append(parameters.unpack()[1])
            answer(parameters.unpack()[1], invocation)

        self.authority = self.connect()
        self.authority.register_object(
            POLKIT_PATH, Gio.DBusNodeInfo.new_for_xml(POLKIT_XML).interfaces[0], called, None, None)
        Gio.bus_own_name_on_connection(self.authority, POLKIT, Gio.BusNameOwnerFlags.NONE, None,
                                       None)
        self.wait_for(lambda: self.name_owner(POLKIT), 'the authority')

    @staticmethod
    def reply(invocation, is_authorized):
        invocation.return_value(variant('((bba{ss}))', ((is_authorized, False, {}),)))

    def call_later(self, on, method, *args):
        """Calls without waiting; a list that gets the error or None."""
        ended = []

        def done(connection, result):
            try:
                connection.call_finish(result)
                ended.append(None)
            except GLib.Error as error:
                ended.append(error)

        info = self._methods[method]
        signature = '(' + ''.join(arg.signature for arg in info.in_args) + ')'
        on.call(harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME, method,
                variant(signature, args), None, Gio.DBusCallFlags.NONE, 120_000, None, done)
        return ended

    def test_denies(self):
        self.start_busy(polkit=['org.eppd.configure'])
        nobody = self.connect_as(NOBODY)
        with self.assert_dbus_error(DENIED, 'Not Authorized: org.eppd.hold-boost'):
            self.hold(on=nobody)
        self.assertEqual(self.held(), [])
        self.assertEqual(self.epp('policy1'), BASE)
        self.allow(['org.eppd.hold-boost'])
        self.hold(on=nobody)
        self.wait_for_epp('policy1', BOOST)

    def test_is_asked_for_the_right_thing(self):
        self.start_authority(lambda _action, invocation: self.reply(invocation, True))
        self.start_busy(polkit=None)
        nobody = self.connect_as(NOBODY)
        cookie = self.hold(on=nobody)
        self.call('ReleaseBoost', cookie, on=nobody)
        self.call('Reload', on=nobody)
        self.call('GetPolicies', on=nobody)
        self.assertEqual(self.checks, ['org.eppd.hold-boost', 'org.eppd.configure'])

    def test_is_silent(self):
        self.start_authority(lambda _action, invocation: None)
        self.start_busy(polkit=None)
        nobody = self.connect_as(NOBODY)
        with self.assert_dbus_error(DENIED, 'polkit did not answer within'):
            self.hold(on=nobody)
        self.assertEqual(self.held(), [])
        self.hold()

    def test_serves_others_while_one_is_asked_about(self):
        waiting = []
        self.start_authority(lambda _action, invocation: waiting.append(invocation))
        self.start_busy(polkit=None)
        nobody = self.connect_as(NOBODY)
        ended = self.call_later(nobody, 'HoldBoost', 'game', 'x', {})
        self.wait_for(lambda: waiting, 'the question')
        self.assertEqual(self.held(), [])
        self.assertEqual(self.get('BoostState'), 'idle')
        self.reply(waiting[0], True)
        self.wait_for(lambda: ended, 'the reply')
        self.assertEqual(ended, [None])
        self.assertEqual(len(self.held()), 1)

    def test_answers_with_an_error(self):
        self.start_authority(lambda _action, invocation: invocation.return_dbus_error(
            'org.freedesktop.PolicyKit1.Error.Failed', 'out of order'))
        self.start_busy(polkit=None)
        with self.assert_dbus_error(DENIED, 'polkit failed: out of order'):
            self.hold(on=self.connect_as(NOBODY))

    def test_is_absent(self):
        self.start_busy(polkit=None)
        with self.assert_dbus_error(DENIED, 'polkit is not running'):
            self.hold(on=self.connect_as(NOBODY))
        self.assertEqual(self.held(), [])
        self.boost()

    def test_the_caller_leaves_while_it_is_asked(self):
        waiting = []
        self.start_authority(lambda _action, invocation: waiting.append(invocation))
        self.start_busy(polkit=None)
        nobody = self.connect_as(NOBODY)
        name = nobody.get_unique_name()
        self.call_later(nobody, 'HoldBoost', 'game', 'x', {})
        self.wait_for(lambda: waiting, 'the question')
        nobody.close_sync(None)
        self.wait_for(lambda: not self.name_owner(name), 'the caller to leave')
        self.reply(waiting[0], True)
        # Root's own hold comes behind it in the queue.
        mine = self.hold()
        self.assertEqual([hold['cookie'] for hold in self.held()], [mine])
        self.assert_statistics(self.call('GetStatistics'), holds_taken=1)

    def test_a_later_request_does_not_overtake_one_that_waits(self):
        waiting = []
        self.start_authority(lambda _action, invocation: waiting.append(invocation))
        self.start_busy(polkit=None)
        nobody = self.connect_as(NOBODY)
        ended = self.call_later(nobody, 'HoldBoost', 'game', 'x', {})
        self.wait_for(lambda: waiting, 'the question')
        behind = self.call_later(self.connection, 'HoldBoost', 'root', 'x', {})
        self.call('GetStatistics')
        self.assertEqual((ended, behind, self.held()), ([], [], []))
        self.reply(waiting[0], True)
        self.wait_for(lambda: ended and behind, 'the replies')
        self.assertEqual([hold['app-id'] for hold in self.held()], ['game', 'root'])
