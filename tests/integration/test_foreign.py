# SPDX-License-Identifier: GPL-2.0-or-later
"""What other programs write stays theirs, and what the kernel refuses for now is not forgotten."""

import contextlib
import signal

from gi.repository import Gio, GLib

import boost_case
import harness
from boost_case import BASE, BOOST, Load, POLICY_DIR

GOVERNOR = POLICY_DIR + 'policy{}/scaling_governor'


class ForeignWrites(boost_case.BoostTestCase):

    def assert_foreign(self, base, n, policy='policy1'):
        view = self.policies()[policy]
        self.assertEqual((view['base'], view['foreign-writes']), (base, n))
        return view

    def test_before_a_boost_it_becomes_the_base(self):
        self.start_busy()
        self.set_epp('policy1', 'power')
        cookie = self.boost()
        view = self.assert_foreign('power', 1)
        self.assertIn('Another program set power', view['why'])
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertEqual(self.call('GetStatistics')['foreign-writes'], 1)
        self.assert_foreign(BASE, 0, 'policy0')

    def test_during_a_boost_it_stays(self):
        self.start_busy()
        cookie = self.boost()
        self.set_epp('policy1', 'balance_power')
        written_ns = self.written_ns('policy1')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'balance_power')
        self.assertEqual(self.written_ns('policy1'), written_ns)
        self.assert_foreign('balance_power', 1)

    def test_the_boost_value_before_a_boost_is_not_ours_to_take_back(self):
        self.start_busy()
        self.set_epp('policy1', BOOST)
        written_ns = self.written_ns('policy1')
        cookie = self.arm()
        self.wait_for_statistics(busy_edges=1)
        self.assertFalse(self.assert_foreign(BOOST, 1)['boosted'])
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assertEqual(self.written_ns('policy1'), written_ns)

    def test_the_boost_value_during_a_boost_ends_with_it(self):
        self.start_busy()
        cookie = self.boost()
        self.set_epp('policy1', BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.assert_foreign(BASE, 0)

    def test_garbage_during_a_boost_is_left_to_its_writer(self):
        self.start_busy()
        cookie = self.boost()
        self.set_epp('policy1', 'no such value')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'no such value')
        # What can't be put back is not boosted.
        self.arm()
        self.wait_for_statistics(busy_edges=2)
        self.assertEqual(self.epp('policy1'), 'no such value')

    def test_an_unreadable_value_is_nobodys(self):
        self.start_busy()
        cookie = self.boost()
        self.write(self.epp_path('policy1'), '')
        self.assertEqual(self.policies()['policy1']['current'], 'unknown')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.assert_foreign(BASE, 0)

    def test_a_profile_change_takes_the_base_back(self):
        self.start_busy()
        self.set_epp('policy1', 'power')
        self.call('ReleaseBoost', self.boost())
        self.assertEqual(self.epp('policy1'), 'power')
        self.apply('power-saver')
        self.apply('balanced')
        self.assertEqual(self.epp('policy1'), BASE)
        self.call('ReleaseBoost', self.boost())
        self.assertEqual(self.epp('policy1'), BASE)

    def test_a_profile_change_during_a_boost_changes_what_comes_back(self):
        self.start_busy()
        cookie = self.boost()
        self.write_config('[Policy]\nTable=custom\nBalancedAC=balance_power\n')
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'balance_power')
        self.assert_foreign('balance_power', 0)

    def test_more_than_three_in_10_s_and_the_policy_rests(self):
        self.start_busy()
        for n, epp in enumerate(['power', 'balance_power', 'default'], 1):
            self.set_epp('policy1', epp)
            self.call('ReleaseBoost', self.boost())
            self.assertFalse(self.assert_foreign(epp, n)['resting'])
        self.set_epp('policy1', 'power')
        self.arm()
        self.wait_for(lambda: self.policies()['policy1']['base'] == 'power', 'the look')
        view = self.assert_foreign('power', 4)
        self.assertTrue(view['resting'])
        self.assertFalse(view['boosted'])
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertIn('left out of the boost', view['why'])
        self.assertIn('left out of the boost', self.call('Explain', 1)['text'])
        self.assertRegex(self.eppctl('status').out, '(?m)^policy1.*left out')

    def test_the_others_go_on_while_one_rests(self):
        self.start_busy(loads=[Load(0, 0, 300_000), Load(1, 0, 300_000)])
        for epp in ('power', 'balance_power', 'default', 'power'):
            self.set_epp('policy1', epp)
            cookie = self.boost('policy0')
            self.wait_for(lambda epp=epp: self.policies()['policy1']['base'] == epp, 'the look')
            self.call('ReleaseBoost', cookie)
            self.assertEqual(self.epp('policy0'), BASE)
        self.assertTrue(self.policies()['policy1']['resting'])
        self.boost('policy0')
        self.assertEqual(self.epp('policy1'), 'power')


class GovernorPerformance(boost_case.BoostTestCase):
    """Plain files take every write, so the kernel's refusal is an immutable file's."""

    def set_governor(self, number, governor):
        self.write(GOVERNOR.format(number), governor + '\n')

    def check_pending(self):
        self.wait_for_statistics(restores_pending=1)
        view = self.policies()['policy1']
        self.assertTrue(view['restore-pending'])
        self.assertEqual(view['governor'], 'performance')
        self.assertIn('governor is performance', view['why'])
        self.assertIn('governor is performance', self.call('Explain', 1)['text'])
        self.assertEqual(self.epp('policy1'), BOOST)

    def check_done(self):
        self.wait_for_epp('policy1', BASE)
        self.wait_for(lambda: not self.policies()['policy1']['restore-pending'], 'no more restore')
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)

    def test_the_restore_is_pending_and_done_when_it_goes(self):
        self.start_busy()
        cookie = self.boost()
        allow = self.refuse_writes(self.epp_path('policy1'))
        self.set_governor(1, 'performance')
        self.wait_for(lambda: self.policies()['policy1']['governor'] == 'performance',
                      'the governor to be seen')
        self.call('ReleaseBoost', cookie)
        self.check_pending()
        allow()
        self.set_governor(1, 'powersave')
        self.check_done()

    def test_another_governor_write_is_no_licence_over_a_foreign_value(self):
        self.start_busy()
        cookie = self.boost()
        self.set_governor(1, 'powersave')
        # Served after the news of the write above, which goes before the bus.
        self.call('GetStatistics')
        self.set_epp('policy1', 'power')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), 'power')
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 1)

    def test_on_every_policy_it_blocks_and_says_so(self):
        self.start_busy()
        cookie = self.boost()
        allow = self.refuse_writes(self.epp_path('policy1'))
        for number in (0, 1):
            self.set_governor(number, 'performance')
        self.wait_for_state('blocked')
        self.assertIn('governor is performance on every policy', self.get('BoostReason'))
        self.assertIn('governor is performance', self.eppctl('status').out)
        self.check_pending()
        allow()
        for number in (0, 1):
            self.set_governor(number, 'powersave')
        # Armed again, and busy.
        self.wait_for_state('armed')
        self.wait_for_statistics(boost_writes=2)
        self.call('ReleaseBoost', cookie)
        self.check_done()

    def test_it_never_counts_as_a_foreign_write(self):
        self.use_faults()
        self.start_busy(loads=[Load(1, 0, 200), Load(1, 60_000, 300_000)])
        self.arm()
        self.wait_for_statistics(idle_edges=1)
        # As the kernel does: the file reads performance under that governor, and after it.
        self.set_governor(1, 'performance')
        self.set_epp('policy1', 'performance')
        self.faults.pass_time(60)
        self.wait_for_statistics(busy_edges=2)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)
        self.assertEqual(self.call('GetStatistics')['boost-writes'], 1)

    def test_its_value_does_not_stay_when_it_goes(self):
        self.start_busy(loads=[Load(0, 0, 300_000)])
        self.arm()
        self.set_governor(1, 'performance')
        self.set_epp('policy1', 'performance')
        self.wait_for(lambda: self.policies()['policy1']['governor'] == 'performance',
                      'the governor to be seen')
        self.set_governor(1, 'powersave')
        self.wait_for_epp('policy1', BASE)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_its_value_does_not_stay_when_it_was_there_between_two_looks(self):
        self.start_busy(loads=[Load(0, 0, 300_000)])
        self.arm()
        self.daemon.send(signal.SIGSTOP)
        self.set_governor(1, 'performance')
        self.set_epp('policy1', 'performance')
        self.set_governor(1, 'powersave')
        self.daemon.send(signal.SIGCONT)
        self.wait_for_epp('policy1', BASE)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_a_core_that_was_busy_under_it_is_boosted_when_it_goes(self):
        self.make_tree()
        # A long hold: an eppd that stands still for a while sees no idle core for that.
        self.write_config('[Policy]\nGovernor=false\n[Boost]\nHoldMs=2000\n')
        self.set_governor(1, 'performance')
        self.start_busy()
        self.arm()
        self.wait_for_statistics(busy_edges=1)
        self.assertFalse(self.policies()['policy1']['boosted'])
        self.set_governor(1, 'powersave')
        self.wait_for_epp('policy1', BOOST)
        self.assert_statistics(self.call('GetStatistics'), busy_edges=1)

    def flood(self, method, n_clients, n_calls):
        """Each of @n_clients has @n_calls on their way, all the time until the test's end."""
        replies = []
        ended = []

        def call(connection):
            connection.call(harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME, method, None,
                            None, Gio.DBusCallFlags.NONE, harness.TIMEOUT_SECONDS * 2000, None,
                            replied)

        def replied(connection, result):
            with contextlib.suppress(GLib.Error):
                replies.append(connection.call_finish(result))
            if not ended:
                call(connection)

        self.addCleanup(ended.append, True)
        for connection in [self.connect() for _ in range(n_clients)]:
            for _ in range(n_calls):
                call(connection)
        self.wait_for(lambda: len(replies) > n_clients * n_calls, 'the flood')

    def test_no_flood_of_calls_hides_it(self):
        n_policies = 256
        self.make_tree('--cpus', str(n_policies))
        self.start_busy()
        self.arm()
        self.flood('GetPolicies', n_clients=2, n_calls=30)
        received = self.record_signals('PropertiesChanged', 'org.freedesktop.DBus.Properties')
        self.name_owner(harness.BUS_NAME)  # once that is answered the bus knows what we listen to
        for number in range(n_policies):
            self.set_governor(number, 'performance')
        self.wait_for(lambda: any(changed.get('BoostState') == 'blocked'
                                  for _, changed, _ in received), 'the news')

    def test_a_refusal_that_ends_without_an_event_is_tried_again(self):
        self.start_busy()
        cookie = self.boost()
        allow = self.refuse_writes(self.epp_path('policy1'))
        self.call('ReleaseBoost', cookie)
        self.wait_for_statistics(restores_pending=1)
        self.assertIn('refused', self.policies()['policy1']['why'])
        allow()
        self.check_done()

    def test_what_is_pending_at_the_end_is_left_to_restore(self):
        self.start_busy()
        cookie = self.boost()
        allow = self.refuse_writes(self.epp_path('policy1'))
        self.call('ReleaseBoost', cookie)
        self.wait_for_statistics(restores_pending=1)
        self.stop_eppd()
        self.assertIn('1 pending', self.restore())
        self.assertEqual(self.epp('policy1'), BOOST)
        allow()
        self.assertIn('1 restored', self.restore())
        self.assertEqual(self.epp('policy1'), BASE)

    def test_a_new_boost_drops_a_pending_restore(self):
        self.start_busy()
        cookie = self.boost()
        allow = self.refuse_writes(self.epp_path('policy1'))
        self.call('ReleaseBoost', cookie)
        self.wait_for_statistics(restores_pending=1)
        cookie = self.arm()
        allow()
        self.wait_for(lambda: self.policies()['policy1']['boosted'], 'the boost')
        self.call('ReleaseBoost', cookie)
        self.check_done()
