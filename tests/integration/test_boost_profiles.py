# SPDX-License-Identifier: GPL-2.0-or-later
"""The boost on top of the profile: what a switch does to boosted cores, and what they go back to."""

from boost_case import BOOST, Load, variant
from fake_services import UPower
from profile_case import LegacyCase, ModernCase, ProfileCase

BALANCED_AC, BALANCED_BATTERY = 'balance_performance', 'balance_power'
OTHER_BALANCED = '[Policy]\nTable=custom\nPerformanceAC=balance_power\nGovernor=false\n'


class BoostRows:
    """CPU 1 is busy all the time, CPU 0 never."""

    tree_args = ('--cpus', '2', '--battery')

    def start(self, *args, config='', **busy):
        self.write_config(config)
        self.start_busy(*args, polkit=None, **busy)

    def both(self):
        return self.epp('policy0'), self.epp('policy1')

    def base(self, policy='policy1'):
        return self.policies()[policy]['base']

    # ---- profiles ----

    def test_a_switch_changes_the_base_of_a_boosted_core(self):
        # A profile named performance whose EPP leaves room for the boost.
        self.start(config=OTHER_BALANCED)
        cookie = self.boost()
        self.assertEqual((self.base(), self.epp('policy0')), (BALANCED_AC, BALANCED_AC))
        self.switch('performance')
        self.assertEqual((self.base(), *self.both()), ('balance_power', 'balance_power', BOOST))
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.both(), ('balance_power',) * 2)

    def test_a_switch_back_and_forth_during_the_boost(self):
        self.start(config=OTHER_BALANCED)
        cookie = self.boost()
        for profile in ('performance', 'balanced') * 5:
            self.switch(profile)
            self.assertEqual(self.epp('policy1'), BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.both(), (BALANCED_AC,) * 2)
        self.assertEqual(self.call('GetStatistics')['foreign-writes'], 0)

    def test_an_idle_edge_after_the_switch_ends_at_the_new_base(self):
        self.start(config=OTHER_BALANCED, loads=[Load(1, 0, 2000), Load(0, 60_000, 61_000)],
                   duration_ms=120_000)
        self.boost()
        self.switch('performance')
        self.wait_for_epp('policy1', 'balance_power')
        self.assertEqual(self.get('BoostState'), 'armed')

    def test_power_saver_suppresses_and_balanced_brings_it_back(self):
        self.start()
        self.boost()
        self.switch('power-saver')
        self.assertEqual((self.get('BoostState'), *self.both()), ('suppressed', 'power', 'power'))
        self.assertIn('power-saver', self.get('BoostReason'))
        self.switch('balanced')
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.epp('policy0'), BALANCED_AC)

    def test_performance_has_nothing_to_boost_and_says_so(self):
        self.start()
        self.boost()
        self.switch('performance')
        self.assertEqual((self.get('BoostState'), *self.both()),
                         ('blocked', 'performance', 'performance'))
        self.assertIn('performance', self.get('BoostReason'))
        arms = self.call('GetStatistics')['arms']
        self.hold()
        self.assertEqual((self.get('BoostState'), self.call('GetStatistics')['arms']),
                         ('blocked', arms))
        self.switch('balanced')
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.epp('policy0'), BALANCED_AC)

    def test_the_end_of_the_daemon_leaves_the_profile_s_epp(self):
        self.start(config=OTHER_BALANCED)
        self.boost()
        self.switch('performance')
        self.stop_eppd()
        self.assertEqual(self.both(), ('balance_power',) * 2)

    def test_a_crash_after_the_switch_is_restored_to_the_new_base(self):
        self.start(config=OTHER_BALANCED)
        self.boost()
        self.switch('performance')
        self.assertEqual(self.epp('policy1'), BOOST)
        self.kill_eppd()
        self.restore()
        self.assertEqual(self.epp('policy1'), 'balance_power')

    # ---- both kinds of holds ----

    def test_a_profile_hold_suppresses_and_its_end_brings_the_boost_back(self):
        self.start()
        self.boost()
        cookie = self.hold_profile('power-saver')
        self.assertEqual((self.get('BoostState'), *self.both()), ('suppressed', 'power', 'power'))
        self.assertEqual(len(self.held()), 1)
        self.release_profile(cookie)
        self.wait_for_epp('policy1', BOOST)

    def test_a_boost_hold_is_no_profile_hold_and_the_other_way_round(self):
        self.start()
        boost = self.boost()
        self.assertEqual(self.value('ActiveProfileHolds'), [])
        profile = self.hold_profile('power-saver')
        self.assertEqual(len(self.held()), 1)
        self.assertEqual(self.error_of(self.release_profile, boost)[0], 'InvalidArgs')
        self.assertEqual(self.error_of(self.call, 'ReleaseBoost', profile)[0], 'InvalidArgs')
        self.call('ReleaseBoost', boost)
        self.assertEqual(self.held_profiles(), ['power-saver'])
        self.release_profile(profile)
        self.assertEqual(self.both(), (BALANCED_AC,) * 2)

    def test_a_set_ends_profile_holds_alone(self):
        self.start()
        self.boost()
        self.hold_profile('power-saver')
        self.switch('balanced')
        self.assertEqual((self.held_profiles(), len(self.held())), ([], 1))
        self.wait_for_epp('policy1', BOOST)

    def test_a_client_that_leaves_loses_both(self):
        self.start()
        client = self.connect()
        self.boost(on=client)
        self.hold_profile('power-saver', on=client)
        self.leave(client)
        self.wait_for(lambda: not self.held() and not self.held_profiles(), 'the end of both holds')
        self.wait_for_profile('balanced')
        self.assertEqual(self.both(), (BALANCED_AC,) * 2)

    # ---- failures ----

    def test_a_switch_that_fails_leaves_the_boost_and_its_base(self):
        self.use_faults()
        self.start(config=OTHER_BALANCED)
        cookie = self.boost()
        self.faults.set('policy0/energy_performance_preference', 'balance_power')
        self.assertIn('policy0', self.error_of(self.switch, 'performance')[1])
        self.assertEqual((self.profile(), self.epp('policy0')), ('balanced', BALANCED_AC))
        self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.both(), (BALANCED_AC,) * 2)

    def test_a_boosted_policy_that_goes_offline_gets_the_new_base_when_it_is_back(self):
        uevent = self.use_uevents('cpu', 'cpu1')
        self.start(config=OTHER_BALANCED)
        cookie = self.boost()
        affected = '/sys/devices/system/cpu/cpufreq/policy1/affected_cpus'
        self.put(affected, '\n')
        uevent('offline')
        self.wait_for(lambda: 'offline' in self.policies()['policy1']['why'],
                      'the look at the CPUs')
        self.switch('performance')
        self.call('ReleaseBoost', cookie)
        self.put(affected, '1\n')
        uevent('online')
        self.wait_for_epp('policy1', 'balance_power')


class ModernBoost(BoostRows, ModernCase):
    """By the modern name."""


class LegacyBoost(BoostRows, LegacyCase):
    """By the old name."""


class Source(ProfileCase):
    """The power source during a boost."""

    tree_args = ('--cpus', '2', '--battery')

    def start(self, config=''):
        self.write_config(config)
        self.upower = UPower(self)
        self.start_busy(polkit=None)
        self.wait_for(lambda: self.upower.asked >= 3, 'eppd to ask UPower')
        self.settle(on=self.upower.connection)

    def test_a_change_of_the_source_changes_the_base_of_a_boosted_core(self):
        self.start('[Policy]\nPowerSourceDebounceMs=0\n')
        cookie = self.boost()
        for on_battery, epp in ((True, BALANCED_BATTERY), (False, BALANCED_AC),
                                (True, BALANCED_BATTERY)):
            self.upower.set_on_battery(on_battery)
            self.assertEqual((self.epp('policy0'), self.policies()['policy1']['base']), (epp, epp))
            self.wait_for_epp('policy1', BOOST)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BALANCED_BATTERY)
        self.assertEqual(self.call('GetStatistics')['foreign-writes'], 0)

    def test_not_aware_of_the_battery_the_base_stays(self):
        self.start()
        cookie = self.boost()
        self.assign('BatteryAware', variant('b', False))
        self.upower.set_on_battery(True)
        self.assertEqual(self.policies()['policy1']['base'], BALANCED_AC)
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BALANCED_AC)

    def test_onbattery_false_goes_by_the_source_itself(self):
        self.start('[Boost]\nOnBattery=false\n')
        self.boost()
        self.assign('BatteryAware', variant('b', False))
        self.upower.set_on_battery(True)
        self.assertEqual((self.get('BoostState'), self.epp('policy1')), ('suppressed', BALANCED_AC))
        self.assertIn('battery', self.get('BoostReason'))

    def test_a_key_of_the_firmware_during_a_boost(self):
        self.add_platform()
        self.start()
        self.boost()
        self.press_key('low-power')
        self.wait_for_profile('power-saver')
        self.assertEqual((self.get('BoostState'), self.epp('policy1')), ('suppressed', 'power'))
        self.press_key('balanced')
        self.wait_for_profile('balanced')
        self.wait_for_epp('policy1', BOOST)
