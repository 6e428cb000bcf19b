# SPDX-License-Identifier: GPL-2.0-or-later
"""amd-pstate changes its mode: all policies are made anew, with an EPP of the kernel's own."""

import re
import time

import harness
from sim_load_case import BASE, BOOST, KERNEL_EPP, POLICIES, STATUS, SimLoadCase

# Many times what a look waits for a storm of hotplug to pass.
REST_SECONDS = 0.5


class ModeSwitch(SimLoadCase):

    def switch(self, mode):
        self.write(STATUS, mode)

    def wait_for_rest(self):
        """Until no look is due any more: one in the midst of two switches is followed by another, which sets the
        profile anew."""
        last = {}

        def rests():
            now = time.monotonic()
            status = harness.read_threads(self.daemon.pid, 'status')[str(self.daemon.pid)]
            switches = re.findall('.*ctxt_switches.*', status)
            if switches != last.get('switches'):
                last.update(switches=switches, since=now)
            return now - last['since'] >= REST_SECONDS
        self.wait_for(rests, 'eppd to come to rest')

    def test_the_profile_is_applied_again_though_nobody_holds_the_boost(self):
        self.start_loaded()
        self.wait_for_epps()
        since = self.sim.mark()
        self.switch('passive')
        self.wait_for_reason('amd-pstate is not in active mode')
        self.wait_for_rest()
        self.switch('active')
        self.assertIn(self.epp('policy3'), (KERNEL_EPP, BASE))
        self.wait_for_epps()
        self.settle()
        for policy in POLICIES:
            # Besides, the kernel's own value is written back once, to see whether EPP is taken.
            self.assertEqual([text for text in self.epp_writes(policy, since) if text != KERNEL_EPP],
                             [BASE])
            self.assertEqual(self.policies()[policy]['foreign-writes'], 0)

    def test_passive_is_told_with_what_to_do(self):
        self.start_loaded()
        self.arm()
        self.switch('passive')
        self.assert_told('blocked', f'"active" written to {STATUS}',
                         'has no EPP in this mode of its driver (driver amd-pstate)')
        self.switch('active')
        self.wait_for_state('armed')

    def test_passive_and_back_while_boosted(self):
        self.start_loaded()
        cookie = self.boost()
        self.switch('passive')
        self.wait_for_state('blocked')
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
        self.switch('active')
        self.wait_for_epps(policy1=BOOST)
        self.load.set(1, 0)
        self.wait_for_epps()
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)
        self.call('ReleaseBoost', cookie)
        self.stop_eppd()
        self.assertEqual([self.epp(policy) for policy in POLICIES], [BASE] * 4)

    def test_at_once_back_while_boosted(self):
        """Both switches have happened before eppd can look: only the files tell that they are others."""
        self.start_loaded()
        self.boost()
        since = self.sim.mark()
        self.switch('passive')
        self.switch('active')
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(set(self.epp_writes('policy3', since)), {BASE})
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_many_switches_end_as_one(self):
        self.start_loaded()
        self.arm()
        for mode in ('passive', 'guided', 'active') * 5:
            self.switch(mode)
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_started_in_passive_mode(self):
        self.make_tree('--cpus', '4', '--mode', 'passive')
        self.start_loaded()
        self.hold()
        self.wait_for_state('blocked')
        self.switch('active')
        self.wait_for_epps(policy1=BOOST)
