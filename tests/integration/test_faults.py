# SPDX-License-Identifier: GPL-2.0-or-later
"""Writes that the kernel refuses or takes long for: none leaves a core boosted, or without its boost."""

import boost_case
from boost_case import BASE, BOOST, Load


class FaultsTestCase(boost_case.BoostTestCase):

    def setUp(self):
        super().setUp()
        self.use_faults()


class RefusedBase(FaultsTestCase):

    def release_refused(self, errno):
        """A boost whose end the kernel refuses."""
        self.start_busy()
        cookie = self.boost()
        self.faults.set('policy1/', BASE, errno=errno)
        self.call('ReleaseBoost', cookie)
        self.wait_for_statistics(write_errors=1)
        self.assertEqual(self.epp('policy1'), BOOST)

    def check_it_is_put_back_later(self, errno):
        self.release_refused(errno)
        self.wait_for_statistics(restores_pending=1)
        self.faults.clear()
        self.wait_for_epp('policy1', BASE)
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
        self.assertEqual(self.get('BoostedCpus'), [])

    def test_eio_is_tried_again(self):
        self.check_it_is_put_back_later('EIO')

    def test_enodev_of_a_policy_that_is_there_is_tried_again(self):
        self.check_it_is_put_back_later('ENODEV')

    def test_enodev_at_an_idle_edge_is_tried_again(self):
        self.start_busy(loads=[Load(1, 0, 400)])
        self.faults.set('policy1/', BASE, errno='ENODEV')
        self.arm()
        self.wait_for_statistics(idle_edges=1, write_errors=1)
        self.faults.clear()
        self.wait_for_epp('policy1', BASE)
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_enodev_right_before_the_end_is_tried_again_at_the_end(self):
        self.release_refused('ENODEV')
        self.faults.clear()
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_enodev_up_to_the_end_is_left_to_restore(self):
        self.release_refused('ENODEV')
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assertIn('1 restored', self.restore())
        self.assertEqual(self.epp('policy1'), BASE)

    def test_its_cpus_stay_among_the_boosted(self):
        self.release_refused('EIO')
        self.assertEqual(self.get('BoostState'), 'idle')
        self.assertEqual(self.get('BoostedCpus'), [1])


class RefusedBoost(FaultsTestCase):

    def test_a_busy_core_gets_it_at_a_later_try(self):
        for errno in ('EIO', 'EBUSY'):
            with self.subTest(errno=errno):
                # An eppd that stands still for a while sees no idle core for that.
                self.write_config('[Boost]\nHoldMs=2000\n')
                self.start_busy()
                self.faults.clear()
                self.faults.set('policy1/', BOOST, errno=errno, count=1)
                cookie = self.arm()
                self.wait_for_epp('policy1', BOOST)
                self.assert_statistics(self.call('GetStatistics'), busy_edges=1, write_errors=1)
                self.call('ReleaseBoost', cookie)
                self.assertEqual(self.epp('policy1'), BASE)
                self.stop_eppd()

    def test_a_driver_that_says_enodev_again_and_again_is_not_looked_for_again_and_again(self):
        self.start_busy(loads=[Load(0, 0, 300_000), Load(1, 0, 300_000)])
        self.faults.set('policy1/', errno='ENODEV')
        self.boost('policy0')
        self.wait_for_statistics(write_errors=6)
        # Once, since the policy might have been gone and come back.
        self.assertLessEqual(self.call('GetStatistics')['arms'], 2)
        self.assertEqual(self.epp('policy0'), BOOST)
        self.faults.clear()
        self.wait_for_epp('policy1', BOOST)

    def test_the_end_of_a_rest_is_not_missed_by_a_core_that_stays_busy(self):
        # The longest: no sample is too old when the clock leaps.
        self.write_config('[Boost]\nHoldMs=60000\n')
        self.start_busy()
        for epp in ('power', 'balance_power', 'default', 'power'):
            self.set_epp('policy1', epp)
            cookie = self.arm()
            self.wait_for(lambda epp=epp: self.policies()['policy1']['base'] == epp, 'the look')
            if not self.policies()['policy1']['resting']:
                self.wait_for_epp('policy1', BOOST)
                self.call('ReleaseBoost', cookie)
        self.assertTrue(self.policies()['policy1']['resting'])
        edges = self.call('GetStatistics')['busy-edges']
        for seconds in (30, 31):
            samples = self.call('GetStatistics')['samples']
            self.faults.pass_time(seconds)
            self.wait_for_statistics(samples=samples + seconds * 50)
        self.wait_for_epp('policy1', BOOST)
        self.assert_statistics(self.call('GetStatistics'), busy_edges=edges)


class SlowWrites(FaultsTestCase):
    """The file holds the base at the start: that first write changes nothing and is fast."""

    BURSTS = [Load(1, start_ms, start_ms + 200) for start_ms in range(0, 60_000, 600)]

    def start_slow(self, milliseconds):
        self.write_config('[Boost]\nHoldMs=0\n')
        self.faults.slow('energy_performance_preference', milliseconds)
        self.start_busy(loads=self.BURSTS, duration_ms=60_000)
        self.hold()

    def test_too_slow_ones_block_the_boost(self):
        self.start_slow(40)
        self.wait_for_state('blocked')
        self.assertIn('slow EPP', self.get('BoostReason'))
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertGreaterEqual(self.call('GetStatistics')['epp-write-usec'], 40_000)

    def test_less_slow_ones_make_it_look_less_often(self):
        self.start_slow(4)
        self.wait_for(lambda: 'looks every' in self.get('BoostReason'), 'the longer period')
        self.assertEqual(self.get('BoostState'), 'armed')
        self.assertGreaterEqual(self.call('GetStatistics')['sample-period-usec'], 40_000)
