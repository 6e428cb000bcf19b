# SPDX-License-Identifier: GPL-2.0-or-later
"""Other programs that write EPP, on a kernel that logs each write: theirs stay, eppd writes no more
than it must, and tells a person who asks."""

import time

from gi.repository import Gio, GLib

from boost_case import POWER_PROFILES, POWER_PROFILES_PATH
from sim_load_case import BASE, BOOST, SimLoadCase

# Long enough that no boost ends for want of a tick, and no sample period changes for slow writes, on a machine that
# has other things to do.
CONFIG = '[Boost]\nSampleMs=100\nHoldMs=1000\n'
HOLD_SECONDS = 1
THEIRS = 'power'
EPISODES_UNTIL_REST = 4  # more than three foreign writes in 10 s
REST_SECONDS = 60


def plural(n_foreign):
    return f'{n_foreign} foreign write' + ('s' if n_foreign > 1 else '')


class ForeignCase(SimLoadCase):
    """The time between passes at once, for eppd and the load."""

    def start(self, busy=()):
        self.use_faults()
        self.start_loaded(busy=busy, config=CONFIG)
        self.since = self.sim.mark()
        self.n_idle_edges = 0

    def pass_time(self, seconds):
        self.load.stop()
        # Once eppd has read what there is: no dispatch has the leap in its midst.
        self.settle()
        self.faults.pass_time(seconds)
        self.load.pass_time(seconds)
        self.load.resume()

    def go_busy(self):
        self.load.set(1, 100)
        self.wait_for_epp('policy1', BOOST)

    def go_idle(self):
        self.load.set(1, 0)
        self.pass_time(HOLD_SECONDS + 0.1)
        self.n_idle_edges += 1
        self.wait_for_statistics(idle_edges=self.n_idle_edges)

    def assert_written(self, *texts):
        """What eppd wrote into policy1's EPP file since the start was done; into others nothing."""
        self.settle()
        self.assertEqual(self.epp_writes(since=self.since), list(texts))
        self.assertEqual(self.epp_writes('policy[023]', since=self.since), [])

    def assert_shown(self, explained, in_status, n_foreign):
        """A person reads it of policy1."""
        self.assertEqual(self.policies()['policy1']['foreign-writes'], n_foreign)
        explain = self.eppctl('explain', '1')
        status = self.eppctl('status')
        self.assertEqual((explain.code(), status.code()), (0, 0), explain.err + status.err)
        self.assertIn(explained, ' '.join(explain.out.split()))
        row = next(line for line in status.out.splitlines() if line.startswith('policy1'))
        self.assertIn(in_status, row)

    def assert_shown_as_base(self, epp, n_foreign=1):
        self.assert_shown(f'Another program set {epp}', plural(n_foreign), n_foreign)


class WrittenOnce(ForeignCase):

    def test_while_nobody_boosts(self):
        self.start()
        self.set_epp('policy1', THEIRS)
        self.assert_shown('Another program wrote it since', 'written by another program', 0)
        self.assert_written()
        cookie = self.arm()
        for _ in range(3):
            self.go_busy()
            self.go_idle()
            self.assertEqual(self.epp('policy1'), THEIRS)
        self.call('ReleaseBoost', cookie)
        self.assert_written(*[BOOST, THEIRS] * 3)
        self.assert_shown_as_base(THEIRS)

    def test_during_a_boost(self):
        self.start()
        self.arm()
        self.go_busy()
        self.set_epp('policy1', THEIRS)
        self.assert_shown('Another program wrote it over the boost', 'boosted', 0)
        self.go_idle()
        self.assertEqual(self.epp('policy1'), THEIRS)
        self.assert_written(BOOST)
        self.assert_shown_as_base(THEIRS)
        # It is the base from then on.
        self.go_busy()
        self.go_idle()
        self.assert_written(BOOST, BOOST, THEIRS)
        self.assert_shown_as_base(THEIRS)

    def test_the_boost_value_while_nobody_boosts(self):
        self.start(busy=(1,))
        self.set_epp('policy1', BOOST)
        cookie = self.arm()
        self.wait_for_statistics(busy_edges=1)
        self.go_idle()
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assert_written()
        self.assert_shown_as_base(BOOST)

    def test_the_boost_value_during_a_boost(self):
        self.start()
        self.arm()
        self.go_busy()
        self.set_epp('policy1', BOOST)
        self.go_idle()
        self.assertEqual(self.epp('policy1'), BASE)
        self.assert_written(BOOST, BASE)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_the_base_value_during_a_boost(self):
        self.start()
        self.arm()
        self.go_busy()
        self.set_epp('policy1', BASE)
        self.go_idle()
        self.assertEqual(self.epp('policy1'), BASE)
        self.assert_written(BOOST)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 1)

    def test_only_a_profile_change_overwrites_it(self):
        self.start()
        self.set_epp('policy1', THEIRS)
        # A hold of the boost is none; a profile that is chosen again is one.
        self.call('ReleaseBoost', self.arm())
        self.set('ActiveProfile', GLib.Variant('s', 'balanced'), POWER_PROFILES,
                 POWER_PROFILES_PATH)
        self.assert_written(BASE)
        self.assertEqual(self.epp('policy1'), BASE)


class WrittenAgainAndAgain(ForeignCase):

    def start(self):
        super().start()
        self.arm()
        self.turn_seconds = self.now_seconds()

    def now_seconds(self):
        return time.monotonic() + self.faults.clock_ahead_usec / 1e6

    def wait_for_turn(self, seconds):
        """Until it is so long since the last turn."""
        self.turn_seconds += seconds
        self.pass_time(max(self.turn_seconds - self.now_seconds(), 0))

    def busy_edge_without_a_boost(self):
        edges = self.call('GetStatistics')['busy-edges']
        self.load.set(1, 100)
        self.wait_for_statistics(busy_edges=edges + 1)

    def assert_resting(self):
        self.assertTrue(self.policies()['policy1']['resting'])
        self.assert_shown('left out of the boost', 'left out', EPISODES_UNTIL_REST)

    def test_every_2_s_it_is_left_to_the_other_program_for_a_minute(self):
        self.start()
        for _ in range(EPISODES_UNTIL_REST):
            self.go_busy()
            self.set_epp('policy1', THEIRS)
            self.go_idle()
            self.wait_for_turn(2)
        self.assert_written(*[BOOST] * EPISODES_UNTIL_REST)
        self.assert_resting()
        for _ in range(5):
            self.busy_edge_without_a_boost()
            self.set_epp('policy1', THEIRS)
            self.go_idle()
            self.wait_for_turn(2)
        self.assert_written(*[BOOST] * EPISODES_UNTIL_REST)
        self.pass_time(REST_SECONDS)
        # The other one has gone.
        self.go_busy()
        self.go_idle()
        self.assertEqual(self.epp('policy1'), THEIRS)
        self.assert_written(*[BOOST] * EPISODES_UNTIL_REST, BOOST, THEIRS)
        self.assertFalse(self.policies()['policy1']['resting'])

    def test_every_4_s_each_boost_is_one_write(self):
        self.start()
        for _ in range(8):
            self.go_busy()
            self.set_epp('policy1', THEIRS)
            self.go_idle()
            self.assertEqual(self.epp('policy1'), THEIRS)
            self.wait_for_turn(4)
        self.assert_written(*[BOOST] * 8)
        self.assert_shown_as_base(THEIRS, 8)

    def test_every_2_s_between_boosts_the_same_value_is_no_fight(self):
        self.start()
        for _ in range(8):
            self.set_epp('policy1', THEIRS)
            self.go_busy()
            self.go_idle()
            self.wait_for_turn(2)
        self.assert_written(*[BOOST, THEIRS] * 8)
        self.assert_shown_as_base(THEIRS)


class Fought(ForeignCase):
    """Another program that answers each write of eppd with its own."""

    def answer(self):
        """From here on."""
        file = Gio.File.new_for_path(self.path(self.epp_path('policy1')))
        monitor = file.monitor_file(Gio.FileMonitorFlags.NONE, None)
        monitor.set_rate_limit(0)
        monitor.connect('changed', self.on_written)
        self.addCleanup(monitor.cancel)

    def on_written(self, *_args):
        if self.epp('policy1') != THEIRS:
            self.set_epp('policy1', THEIRS)

    def n_answers(self):
        return len(self.sim.writes('*/policy1/energy_performance_preference', since=self.since,
                                   not_pid=self.daemon.pid))

    def test_on_each_edge_it_wins_after_four(self):
        self.start()
        self.answer()
        self.arm()
        for number in range(1, 11):
            self.load.set(1, 100)
            self.wait_for_statistics(busy_edges=number)
            self.wait_for(lambda number=number:
                          self.n_answers() == min(number, EPISODES_UNTIL_REST), 'the answer')
            self.go_idle()
        self.assert_written(*[BOOST] * EPISODES_UNTIL_REST)
        self.assertEqual(self.n_answers(), EPISODES_UNTIL_REST)
        self.assertEqual(self.epp('policy1'), THEIRS)
        self.assert_shown('left out of the boost', 'left out', EPISODES_UNTIL_REST)


del SimLoadCase, ForeignCase
