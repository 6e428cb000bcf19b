# SPDX-License-Identifier: GPL-2.0-or-later
"""From a busy core to its EPP and back."""

import os
import random
import signal

import boost_case
import harness
from boost_case import BASE, BOOST, Load, POLICY_DIR, TICK_MS, variant

# Ends a recording: when its episode is over, all before it was seen.
END_CPU = 0
END_MS = 100


class RealLoad(boost_case.BoostTestCase):
    """Load on CPU 1, seen by the running kernel."""

    def setUp(self):
        self.pin()
        super().setUp()

    def only_policy1(self):
        """A machine without policy0: what else runs on this machine runs on CPU 0."""
        self.make_tree()
        harness.shutil.rmtree(self.path(POLICY_DIR + 'policy0'))

    def check_there_and_back(self):
        load = self.start_load(10, 0)
        self.boost()
        self.assertIn(1, self.get('BoostedCpus'))
        self.stop_load(load)
        self.wait_for_epp('policy1', BASE)
        self.wait_for(lambda: 1 not in self.get('BoostedCpus'), 'CPU 1 to leave BoostedCpus')

    def test_bpf(self):
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.check_there_and_back()
        self.assertEqual(self.get('ResidencySource'), 'bpf')

    def test_procstat(self):
        self.start_eppd('--residency', 'procstat')
        self.check_there_and_back()
        self.assertEqual(self.get('ResidencySource'), 'procstat')

    def test_perf_works_or_says_what_it_lacks(self):
        self.start_eppd('--residency', 'perf')
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the probe')
        if self.get('ResidencySource') == 'perf':
            self.check_there_and_back()
            return
        self.hold()
        self.wait_for_state('blocked')
        self.assertEqual(self.get('ResidencySource'), 'none')
        self.assertIn('not perf: ', self.get('ResidencyReason'))
        self.assertIn('mperf', self.get('ResidencyReason'))
        self.assertIn(self.get('ResidencyReason'), self.get('BoostReason'))

    def test_auto_says_why_not_the_better_ones(self):
        self.start_eppd()
        self.check_there_and_back()
        source = self.get('ResidencySource')
        reason = self.get('ResidencyReason')
        order = ['bpf', 'perf', 'procstat']
        self.assertIn(source, order)
        self.assertTrue(reason)
        for name in order:
            self.assertEqual(f'not {name}: ' in reason, order.index(name) < order.index(source),
                             reason)

    def statistics_at_rest(self):
        """Once every boost has ended, also one for whatever else ran there."""
        def read():
            statistics = self.call('GetStatistics')
            return statistics if statistics['busy-edges'] == statistics['idle-edges'] else None
        return self.wait_for(read, 'the last idle edge')

    def test_frames_of_6_ms_every_10_ms_hold_the_boost_with_two_writes(self):
        self.only_policy1()
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.arm()
        before = self.statistics_at_rest()
        load = self.start_load(6, 4, seconds=3)
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.wait_program(load), 0)
        self.wait_for_epp('policy1', BASE)
        self.assert_statistics(self.call('GetStatistics'),
                               boost_writes=before['boost-writes'] + 1,
                               base_writes=before['base-writes'] + 1)

    def is_boosted_and_busy(self):
        policy = self.policies()['policy1']
        return (policy['boosted'] and policy['current'] == BOOST
                and policy['busy-permille'] >= 500)

    def test_each_boost_coincides_with_a_busy_sample(self):
        self.only_policy1()
        self.write_config('[Boost]\nHoldMs=60\n')
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.arm()
        before = self.statistics_at_rest()
        for _ in range(10):
            load = self.start_load(10, 0)
            # In one reply: the boost outlasts a sample that is not busy.
            self.wait_for(self.is_boosted_and_busy, 'a boost with a busy sample')
            self.stop_load(load)
            self.wait_for_epp('policy1', BASE)
        after = self.statistics_at_rest()
        episodes = after['busy-edges'] - before['busy-edges']
        self.assertGreaterEqual(episodes, 10)
        self.assertEqual(after['boost-writes'] - before['boost-writes'], episodes)
        self.assertEqual(after['base-writes'] - before['base-writes'], episodes)

    def test_nothing_is_left_open_while_nothing_is_armed(self):
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()
        self.assertEqual(self.sampling_descriptors(), [])
        first = self.arm()
        self.assertRegex(' '.join(self.sampling_descriptors()), 'bpf')
        self.call('ReleaseBoost', first)
        self.wait_for_state('idle')
        self.assertEqual(self.sampling_descriptors(), [])
        before = self.descriptors()
        for _ in range(100):
            cookie = self.arm()
            self.call('ReleaseBoost', cookie)
            self.wait_for_state('idle')
        self.assertEqual(self.descriptors(), before)
        self.assertEqual(self.call('GetStatistics')['arms'], 101)

    def test_procstat_leaves_nothing_open(self):
        self.start_eppd('--residency', 'procstat')
        self.wait_for(lambda: self.get('ResidencySource') == 'procstat', 'the source')
        before = self.descriptors()
        for _ in range(10):
            cookie = self.arm()
            self.call('ReleaseBoost', cookie)
            self.wait_for_state('idle')
        self.assertEqual(self.descriptors(), before)


class ExactCounts(boost_case.BoostTestCase):
    """Recordings replayed in virtual time: nothing else runs there."""

    def replay(self, loads, cpus=(0, 1), end_cpu=END_CPU, config='', n_policies_at_end=1):
        """The statistics when @loads, and an episode of @end_cpu behind them, have passed; those of
        that last episode are taken off."""
        end_ms = max([load.end_ms for load in loads], default=0) + 1000
        end = Load(end_cpu, end_ms, end_ms + END_MS)
        path = self.make_trace([*loads, end], end.end_ms + 1000, cpus)
        self.write_config(config)
        self.start_eppd('--residency', f'trace:virtual:{path}')
        # The profile is applied by now: what is written from here on is the boost's.
        self.written_before = {policy: self.written_ns(policy) for policy in self.policies()}
        before = self.call('GetStatistics')
        self.arm()

        last = {}

        def over():
            # The end's episode has passed, and no sample is left.
            now = self.call('GetStatistics')
            was, last['samples'] = last.get('samples'), now['samples']
            return (now if now['idle-edges'] == now['busy-edges'] and now['samples'] == was
                    and self.written_ns(f'policy{end_cpu}') != self.written_before[
                        f'policy{end_cpu}'] else None)

        statistics = self.wait_for(over, 'the end of the recording')
        for name in statistics:
            statistics[name] -= before[name]
        for name, n in (('busy-edges', 1), ('idle-edges', 1), ('boost-writes', n_policies_at_end),
                        ('base-writes', n_policies_at_end)):
            statistics[name] -= n
        return statistics

    def assert_episodes(self, statistics, n, n_policies=1):
        self.assert_statistics(statistics, busy_edges=n, idle_edges=n, boost_writes=n * n_policies,
                               base_writes=n * n_policies, write_errors=0, foreign_writes=0)

    def test_a_long_load_is_one_episode_of_two_writes(self):
        self.assert_episodes(self.replay([Load(1, 100, 5000)]), 1)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_frames_of_6_ms_every_10_ms_are_one_episode(self):
        self.assert_episodes(self.replay([Load(1, 100, 5000, 6, 4)]), 1)

    def test_frames_of_2_ms_every_10_ms_never_boost(self):
        statistics = self.replay([Load(1, 100, 5000, 2, 8)])
        self.assert_episodes(statistics, 0)
        self.assertEqual(self.written_ns('policy1'), self.written_before['policy1'])

    def test_a_lower_threshold_boosts_what_the_usual_one_does_not(self):
        statistics = self.replay([Load(1, 100, 5000, 2, 8)],
                                 config='[Boost]\nThresholdPercent=20\n')
        self.assertGreaterEqual(statistics['boost-writes'], 1)
        self.assertNotEqual(self.written_ns('policy1'), self.written_before['policy1'])

    def test_another_cpu_never_boosts(self):
        self.make_tree('--cpus', '4')
        statistics = self.replay([Load(1, 100, 2000), Load(2, 1000, 3000)], cpus=range(4))
        self.assert_episodes(statistics, 2)
        self.assertEqual(self.written_ns('policy3'), self.written_before['policy3'])
        self.assertNotEqual(self.written_ns('policy1'), self.written_before['policy1'])
        self.assertNotEqual(self.written_ns('policy2'), self.written_before['policy2'])

    def test_pauses_shorter_than_the_hold_do_not_end_an_episode(self):
        seed = random.SystemRandom().randrange(1 << 32)
        draw = random.Random(seed)
        loads = []
        now_ms = 100
        n_episodes = 1
        for _ in range(100):
            end_ms = now_ms + draw.randrange(40, 400, TICK_MS)
            loads.append(Load(1, now_ms, end_ms))
            # Between a pause that is surely within the 300 ms and one that is surely not there is
            # the time of a window at both of its ends.
            is_short = draw.random() < 0.5
            n_episodes += not is_short
            now_ms = end_ms + (draw.randrange(TICK_MS, 270, TICK_MS) if is_short
                               else draw.randrange(340, 1000, TICK_MS))
        n_episodes -= not is_short
        with self.subTest(seed=seed):
            self.assert_episodes(self.replay(loads), n_episodes)

    def test_a_policy_of_several_cpus_is_busy_while_any_of_them_is(self):
        self.make_tree('--cpus', '4', '--cpus-per-policy', '2')
        statistics = self.replay([Load(2, 100, 1000), Load(3, 900, 2000)], cpus=range(4))
        self.assert_statistics(statistics, busy_edges=2, idle_edges=2, boost_writes=1,
                               base_writes=1)

    def check_siblings(self, config, n_policies):
        # CPUs 1 and 3 are a core, and so are 0 and 2.
        self.make_tree('--cpus', '4')
        statistics = self.replay([Load(3, 100, 1000)], cpus=range(4), config=config,
                                 n_policies_at_end=n_policies)
        self.assert_episodes(statistics, 1, n_policies)
        self.assertEqual(self.written_ns('policy1') != self.written_before['policy1'],
                         n_policies == 2)

    def test_siblings_are_boosted_with_a_busy_cpu_where_asked(self):
        self.check_siblings('[Boost]\nSiblings=true\n', 2)

    def test_siblings_are_left_alone_by_default(self):
        self.check_siblings('', 1)


class HoldAndSignals(boost_case.BoostTestCase):

    def test_release_restores_at_once(self):
        self.start_busy()
        cookie = self.boost()
        self.call('ReleaseBoost', cookie)
        # The reply comes after the write.
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.get('BoostState'), 'idle')

    def test_one_of_two_holds_keeps_the_boost(self):
        self.start_busy()
        first = self.boost()
        second = self.hold()
        self.call('ReleaseBoost', first)
        self.assertEqual(self.epp('policy1'), BOOST)
        self.call('ReleaseBoost', second)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_the_client_is_killed(self):
        self.start_busy()
        client = self.start_eppctl('run', '--', 'sleep', '1000', start_new_session=True)
        self.addCleanup(lambda: os.killpg(client.pid, signal.SIGKILL))
        self.wait_for_epp('policy1', BOOST)
        client.send(signal.SIGKILL)
        self.wait_for_epp('policy1', BASE)
        self.wait_for_state('idle')
        self.assertEqual(self.call('ListBoostHolds'), [])

    def test_the_client_disconnects(self):
        self.start_busy()
        client = self.connect()
        self.boost(on=client)
        client.close_sync(None)
        self.wait_for_epp('policy1', BASE)
        self.wait_for_state('idle')

    def test_state_and_reason_are_told_by_signals(self):
        self.start_busy()
        self.wait_for(lambda: self.get('ResidencySource') == 'trace', 'the source')
        received = self.record_signals('PropertiesChanged', 'org.freedesktop.DBus.Properties')
        cookie = self.arm()
        reason = self.get('BoostReason')
        self.assertRegex(reason, '1 hold')
        self.call('ReleaseBoost', cookie)
        self.wait_for_state('idle')

        def told(name):
            return [changed[name] for interface, changed, _ in received
                    if interface == harness.BUS_NAME and name in changed]
        self.wait_for(lambda: told('BoostState')[-1:] == ['idle'], 'the signal')
        self.assertEqual(told('BoostState'), ['armed', 'idle'])
        self.assertEqual(told('BoostReason'), [reason, self.get('BoostReason')])
        self.assertFalse(any('BoostedCpus' in changed for _, changed, _ in received))

    def test_two_holds_change_nothing_but_the_reason(self):
        self.start_busy()
        self.arm()
        self.hold()
        self.assertRegex(self.get('BoostReason'), '2 holds')
        self.assertEqual(self.call('GetStatistics')['arms'], 1)

    def test_mode_always_needs_no_hold(self):
        self.write_config('[Boost]\nMode=always\n')
        self.start_busy()
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.call('ListBoostHolds'), [])

    def test_mode_off_boosts_nothing_and_says_so(self):
        self.write_config('[Boost]\nMode=off\n')
        self.start_busy()
        self.hold()
        self.assertEqual(self.get('BoostState'), 'off')
        self.assertIn('Mode=off', self.get('BoostReason'))
        self.assertEqual(self.get('ResidencySource'), 'none')
        self.assertEqual(self.call('GetStatistics')['arms'], 0)

    def test_a_trace_that_is_not_there_blocks_with_its_name(self):
        self.start_eppd('--residency', 'trace:/nonexistent/trace')
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('/nonexistent/trace', self.get('BoostReason'))

    def test_what_could_not_be_armed_is_tried_again(self):
        self.start_busy()
        self.wait_for(lambda: self.get('ResidencySource') == 'trace', 'the source')
        path = os.path.join(self.directory, 'trace')
        os.rename(path, path + '-away')
        self.hold()
        self.assertEqual(self.get('BoostState'), 'blocked')
        self.assertIn(f'Could not open {path}', self.get('BoostReason'))
        os.rename(path + '-away', path)
        self.wait_for_state('armed')
        self.wait_for_epp('policy1', BOOST)

    def test_the_lowest_threshold_of_several_holds_wins(self):
        self.start_busy(loads=[Load(1, 0, 300_000, 2, 6)])  # 25 %
        high = self.arm(threshold_percent=variant('u', 90))
        low = self.hold(threshold_percent=variant('u', 20))
        self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', low)
        self.wait_for_epp('policy1', BASE)
        self.assertEqual([hold['cookie'] for hold in self.call('ListBoostHolds')], [high])
