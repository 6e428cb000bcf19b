# SPDX-License-Identifier: GPL-2.0-or-later
"""Others change governors: under performance the kernel refuses EPP, and leaves its own behind."""

import time

from boost_case import POLICY_DIR
from sim_load_case import BASE, BOOST, POLICIES, SimLoadCase


class Governor(SimLoadCase):

    def governor(self, governor, policies=POLICIES):
        for policy in policies:
            self.write(f'{POLICY_DIR}{policy}/scaling_governor', governor)

    def test_performance_in_the_middle_of_a_boost(self):
        self.start_loaded()
        self.boost()
        self.load.set(1, 0)
        self.load.set(2, 100)
        self.wait_for_epps(policy2=BOOST)
        self.governor('performance')
        self.assert_told('blocked', 'the governor is performance on every policy',
                         'The governor is performance', cpu=2)
        self.wait_for_statistics(restores_pending=1)
        self.load.set(2, 0)
        self.governor('powersave')
        self.wait_for_epps()
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
        self.assertEqual(self.policies()['policy2']['foreign-writes'], 0)

    def test_a_pending_base_costs_no_tries_while_it_is_there(self):
        self.start_loaded()
        self.boost()
        since = self.sim.mark()
        self.governor('performance')
        self.wait_for_statistics(restores_pending=1)
        self.wait_for_state('blocked')
        # The timer of a refusal without news would fire twice meanwhile; there is nothing to await where
        # nothing is to happen.
        end = time.monotonic() + 3.5
        self.wait_for(lambda: time.monotonic() >= end, 'time to pass')
        refused = [write for write in self.epp_writes(since=since) if 'EBUSY' in write]
        self.assertLessEqual(len(refused), 2, refused)

    def test_the_epp_that_it_leaves_is_undone_though_nobody_holds_the_boost(self):
        """As GameMode does: performance for a game, and powersave after it."""
        self.start_loaded()
        self.governor('performance')
        self.wait_for_epps(**dict.fromkeys(POLICIES, BOOST))
        self.governor('powersave')
        self.wait_for_epps()

    def test_one_policy_of_several(self):
        self.start_loaded()
        self.boost()
        self.governor('performance', ['policy3'])
        self.wait_for_reason('not on 1 of 4 policies, where the governor is performance')
        self.assertIn('The governor is performance', self.explain(3))
        self.assertEqual(self.get('BoostState'), 'armed')
        self.load.set(1, 0)
        self.wait_for_epp('policy1', BASE)

    def test_performance_until_the_end(self):
        self.start_loaded()
        self.boost()
        self.governor('performance')
        self.wait_for_state('blocked')
        self.stop_eppd()
        self.governor('powersave')
        self.assertIn('1 restored', self.restore())
        self.assertEqual(self.epp('policy1'), BASE)
