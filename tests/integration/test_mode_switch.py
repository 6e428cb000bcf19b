# SPDX-License-Identifier: GPL-2.0-or-later
"""amd-pstate's operation mode changes: the driver, and the EPP files with it."""

import os

from boost_case import BASE, BOOST, PolicyTestCase

STATUS = '/sys/devices/system/cpu/amd_pstate/status'
DRIVERS = {'active': 'amd-pstate-epp', 'passive': 'amd-pstate'}
POLICIES = ('policy0', 'policy1')


class ModeSwitch(PolicyTestCase):

    def switch(self, mode):
        """As the kernel does, whose files are new ones then, with an EPP of its own choice; all that
        has happened when its news comes."""
        for policy in POLICIES:
            path = self.path(self.epp_path(policy))
            self.put(os.path.dirname(self.epp_path(policy)) + '/scaling_driver',
                     DRIVERS[mode] + '\n')
            if mode == 'active':
                self.put(self.epp_path(policy), 'balance_power\n')
            else:
                os.unlink(path)
        self.write(STATUS, mode + '\n')

    def check_there(self):
        cookie = self.boost()
        self.assertEqual(self.epp('policy0'), BASE)
        self.assertEqual(self.policies()['policy1']['driver'], 'amd-pstate-epp')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def check_gone(self):
        self.wait_for_state('blocked')
        self.assertIn('no CPU has an energy_performance_preference file', self.get('BoostReason'))
        self.assertEqual(self.policies()['policy1']['driver'], 'amd-pstate')

    def test_active_before_a_hold(self):
        self.make_tree()
        self.switch('passive')
        self.start_busy()
        self.switch('active')
        self.check_there()

    def test_passive_before_a_hold(self):
        self.start_busy()
        self.switch('passive')
        self.hold()
        self.check_gone()

    def test_passive_and_back_while_boosted(self):
        self.start_busy()
        cookie = self.boost()
        self.switch('passive')
        self.check_gone()
        self.switch('active')
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.epp('policy0'), BASE)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)
        self.stop_eppd()
