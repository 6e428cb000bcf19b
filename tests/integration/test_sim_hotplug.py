# SPDX-License-Identifier: GPL-2.0-or-later
"""CPUs go and come, in the middle of a boost too."""

from sim_load_case import BASE, BOOST, KERNEL_EPP, POLICIES, SimLoadCase


class Hotplug(SimLoadCase):

    def plug(self, cpu, state):
        self.sim.command(f'cpu {cpu} {state}')

    def wait_for_online(self, policy, online):
        self.wait_for(lambda: self.policies().get(policy, {'online': False})['online'] == online,
                      f'{policy} to be seen {"online" if online else "offline"}')

    def test_offline_in_the_middle_of_a_boost(self):
        self.start_loaded()
        self.boost()
        self.plug(1, 'offline')
        self.wait_for_online('policy1', False)
        self.wait_for_state('armed')
        self.load.set(1, 0)
        self.plug(1, 'online')
        self.wait_for_online('policy1', True)
        self.wait_for_epps()
        self.assertEqual(self.policies()['policy1']['foreign-writes'], 0)

    def test_it_is_told(self):
        self.start_loaded()
        self.boost()
        self.plug(1, 'offline')
        self.wait_for_online('policy1', False)
        self.assert_told('armed', '1 hold', 'CPU 1 is offline')
        self.assertIn('It gets that when it comes online', self.explain())

    def test_boosted_again_once_it_is_back(self):
        self.start_loaded()
        self.boost()
        self.plug(1, 'offline')
        self.wait_for_online('policy1', False)
        self.plug(1, 'online')
        self.wait_for_epps(policy1=BOOST)

    def test_one_that_goes_and_returns_at_once_is_new(self):
        """Within the time that hotplug's storms share a look: it looks as if nothing had happened."""
        self.start_loaded()
        self.settle()
        since = self.sim.mark()
        self.plug(3, 'offline')
        self.sim.command('epp 3 255')
        self.plug(3, 'online')
        self.wait_for(lambda: self.epp_writes('policy3', since), 'the write after the return')
        self.wait_for_epps()
        self.assertEqual(self.epp_writes('policy2', since), [])

    def test_what_another_wrote_into_the_others_stays(self):
        self.start_loaded()
        self.settle()
        self.set_epp('policy1', 'power')
        since = self.sim.mark()
        self.plug(3, 'offline')
        self.sim.command('epp 3 255')
        self.plug(3, 'online')
        self.wait_for(lambda: self.epp_writes('policy3', since), 'the write after the return')
        self.wait_for_epps(policy1='power')
        self.boost()
        self.load.set(1, 0)
        self.wait_for_epps(policy1='power')

    def test_all_that_can_go_and_return_in_a_storm(self):
        self.start_loaded()
        self.boost()
        for _ in range(10):
            for cpu in (1, 2, 3):
                self.plug(cpu, 'offline')
            for cpu in (3, 2, 1):
                self.plug(cpu, 'online')
        self.wait_for_epps(policy1=BOOST)
        self.load.set(1, 0)
        self.wait_for_epps()
        self.assertEqual([self.policies()[policy]['foreign-writes'] for policy in POLICIES], [0] * 4)

    def test_no_rewrite_loop(self):
        self.start_loaded(config='[Boost]\nSampleMs=100\nHoldMs=2000\n')
        self.boost()
        since = self.sim.mark()
        self.plug(1, 'offline')
        self.wait_for_online('policy1', False)
        self.plug(1, 'online')
        self.wait_for_epps(policy1=BOOST)
        written = [text for text in self.epp_writes(since=since)]
        self.assertLessEqual(len(written), 4, written)
        self.assertEqual(self.epp_writes('policy3', since), [])

    def test_stopped_while_a_boosted_one_is_offline(self):
        self.start_loaded()
        self.boost()
        self.plug(1, 'offline')
        self.wait_for_online('policy1', False)
        self.stop_eppd()
        self.plug(1, 'online')
        self.restore()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_without_a_descriptor_left_the_policies_stay_known(self):
        self.start_loaded()
        self.boost()
        self.sim.fault('/sys/devices/system/cpu/cpufreq/policy*/affected_cpus', op='open',
                       errno='EMFILE')
        self.plug(3, 'offline')
        self.wait_for_log("^warning: machine: can't look for CPUs: .*; ignoring, what is known stays")
        self.assertEqual(sorted(self.policies()), list(POLICIES))
        self.wait_for_epp('policy1', BOOST)
        self.sim.clear_faults()
        self.wait_for_online('policy3', False)
        self.plug(3, 'online')
        self.wait_for_epps(policy1=BOOST)
        self.assertNotEqual(self.epp('policy3'), KERNEL_EPP)
