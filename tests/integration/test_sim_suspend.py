# SPDX-License-Identifier: GPL-2.0-or-later
"""Suspend and resume: no core sleeps boosted, and whatever the kernel makes of EPP meanwhile, each policy
has its base afterwards."""

from fake_services import Logind
from sim_load_case import BASE, BOOST, POLICIES, SimLoadCase


class Suspend(SimLoadCase):

    def start(self, *sim_args):
        if sim_args:
            self.make_tree(*sim_args)
        self.logind = Logind(self)
        self.start_loaded()
        self.wait_for(lambda: self.logind.asked, 'the inhibitor')

    def sleep(self, *resume):
        self.logind.prepare_for_sleep(True)
        self.assertEqual([self.epp(policy) for policy in POLICIES], [BASE] * 4)
        self.sim.command('suspend')
        self.sim.command(' '.join(['resume', *resume]))
        self.logind.prepare_for_sleep(False)

    def test_it_is_told_while_the_machine_is_about_to_sleep(self):
        self.start()
        self.boost()
        self.logind.prepare_for_sleep(True)
        self.assert_told('suppressed', 'the machine is about to sleep', 'the boost comes back when it wakes up')

    def test_everything_is_written_again(self):
        self.start()
        since = self.sim.mark()
        self.sleep()
        for policy in POLICIES:
            self.assertEqual([text for text in self.epp_writes(policy, since)][-1:], [BASE])
        self.assertLessEqual(len(self.epp_writes('policy3', since)), 2)

    def test_a_kernel_that_wakes_up_with_performance(self):
        self.start()
        self.boost()
        self.load.set(1, 0)
        self.wait_for_epps()
        self.sleep('epp-performance')
        self.wait_for_epps()
        self.assertEqual([self.policies()[policy]['foreign-writes'] for policy in POLICIES], [0] * 4)

    def test_the_same_while_a_core_was_boosted(self):
        self.start()
        self.boost()
        self.sleep('epp-performance')
        self.wait_for_epps(policy1=BOOST)
        self.load.set(1, 0)
        self.wait_for_epps()
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_the_same_with_intel_s_driver(self):
        self.start('--cpus', '4', '--driver', 'intel_pstate')
        self.boost()
        self.sleep('epp-performance')
        self.wait_for_epps(policy1=BOOST)

    def test_a_machine_that_sleeps_without_warning(self):
        """An inhibitor that was not waited for: boosted all through it."""
        self.start()
        self.boost()
        self.sim.command('suspend')
        self.sim.command('resume epp-performance')
        self.logind.prepare_for_sleep(False)
        self.wait_for_epps(policy1=BOOST)
        self.load.set(1, 0)
        self.wait_for_epps()

    def test_many_sleeps(self):
        self.start()
        self.boost()
        for _ in range(5):
            self.sleep('epp-performance')
            self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)
