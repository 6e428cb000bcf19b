# SPDX-License-Identifier: GPL-2.0-or-later
"""What the oracle expects, case by case."""

import unittest

from oracle import CONFIGS, DYNAMIC, Oracle, Policy, effective
from steps import Machine

IDLE = Policy(True, 'balance_performance', 'powersave', False)


class Expectations(unittest.TestCase):

    def setUp(self):
        self.oracle = Oracle(Machine(2))

    def use(self, config):
        self.oracle.file_config = config
        self.oracle.reloaded()

    def problems(self, policy, profile='balanced', boosted=()):
        return self.oracle.problems({0: policy}, profile, boosted)

    def test_the_profile_in_effect(self):
        for holds, selected, wanted in (((), 'balanced', 'balanced'),
                                        (('performance',), 'power-saver', 'performance'),
                                        (('performance', 'power-saver'), 'balanced', 'power-saver')):
            self.assertEqual(effective(holds, selected), wanted)

    def test_the_table(self):
        for config, on_ac, profile, epp in (
                ('plain', True, 'balanced', 'balance_performance'),
                ('plain', False, 'balanced', 'balance_power'),
                ('plain', False, 'power-saver', 'power'),
                ('kernel-table', True, 'balanced', 'performance'),
                ('kernel-table', False, 'balanced', 'balance_performance'),
                ('broken', True, 'balanced', 'balance_performance')):
            with self.subTest(config=config, on_ac=on_ac, profile=profile):
                self.use(config)
                self.oracle.on_ac = on_ac
                self.assertEqual(self.oracle.epp(profile), epp)

    def test_a_configuration_counts_when_it_is_read(self):
        self.oracle.file_config = 'kernel-table'
        self.assertEqual(self.oracle.epp('balanced'), 'balance_performance')
        self.oracle.daemon_started()
        self.assertEqual(self.oracle.epp('balanced'), 'performance')

    def test_a_choice(self):
        for outcome, profiles in (('ok', {'performance'}), ('refused', {'balanced'}),
                                  ('lost', {'balanced', 'performance'})):
            with self.subTest(outcome=outcome):
                oracle = Oracle(Machine(2))
                oracle.chosen('performance', outcome)
                self.assertEqual(oracle.profiles(), profiles)

    def test_a_choice_that_raced_may_have_come_first(self):
        for disturb in (lambda: None, self.oracle.fault):
            disturb()
            self.oracle.firmware_chose('power-saver')
            self.oracle.chosen('performance', 'ok', raced=True)
            self.assertLessEqual({'power-saver', 'performance'}, self.oracle.profiles())

    def test_a_choice_ends_the_holds(self):
        self.oracle.profile_held(7, 'anna', 'power-saver')
        self.assertEqual(self.oracle.profiles(), {'power-saver'})
        self.oracle.chosen('performance', 'ok')
        self.assertEqual(self.oracle.profiles(), {'performance'})

    def test_holds_end_with_their_client_and_with_the_daemon(self):
        self.oracle.profile_held(7, 'anna', 'power-saver')
        self.oracle.boost_holds = {1: ('anna', 10), 2: ('bert', 80)}
        self.assertEqual(self.oracle.threshold(), 10)
        self.oracle.vanished('anna')
        self.assertEqual((self.oracle.profiles(), self.oracle.threshold()), ({'balanced'}, 80))
        self.oracle.daemon_ended()
        self.assertFalse(self.oracle.is_wanted())
        self.assertEqual(self.oracle.threshold(), 50)

    def test_the_boost(self):
        performance = IDLE._replace(governor='performance')
        offline = IDLE._replace(online=False)
        without = IDLE._replace(epp=None)
        for config, holds, on_ac, profile, policies, state in (
                ('off', 1, True, 'balanced', (IDLE,), 'off'),
                ('plain', 0, True, 'balanced', (IDLE,), 'idle'),
                ('plain', 1, True, 'balanced', (IDLE,), 'armed'),
                ('always', 0, True, 'balanced', (IDLE,), 'armed'),
                ('plain', 1, True, 'power-saver', (IDLE,), 'suppressed'),
                ('sensitive', 1, True, 'power-saver', (IDLE,), 'armed'),
                ('plain', 1, True, 'performance', (IDLE,), 'blocked'),
                ('kernel-table', 1, True, 'balanced', (IDLE,), 'blocked'),
                ('not-on-battery', 1, False, 'balanced', (IDLE,), 'suppressed'),
                ('plain', 1, False, 'balanced', (IDLE,), 'armed'),
                ('plain', 1, True, 'balanced', (performance, performance), 'blocked'),
                ('plain', 1, True, 'balanced', (performance, IDLE), 'armed'),
                ('plain', 1, True, 'balanced', (offline, without), 'blocked')):
            with self.subTest(config=config, holds=holds, profile=profile, policies=policies):
                self.use(config)
                self.oracle.boost_holds = dict.fromkeys(range(holds), ('anna', 50))
                self.oracle.on_ac = on_ac
                self.assertEqual(self.oracle.boost_states(profile, dict(enumerate(policies))),
                                 {state})

    def test_files(self):
        for epp, governor, resting, boosted, is_right in (
                ('balance_performance', 'powersave', False, (), True),
                ('performance', 'powersave', False, (), False),
                ('power', 'powersave', False, (), False),
                ('performance', 'powersave', False, (0,), True),
                ('balance_performance', 'powersave', False, (0,), False),
                ('balance_performance', 'powersave', True, (0,), True),
                ('performance', 'performance', False, (), True),
                ('balance_performance', 'performance', False, (), False)):
            with self.subTest(epp=epp, governor=governor, resting=resting, boosted=boosted):
                policy = Policy(True, epp, governor, resting)
                self.assertEqual(not self.problems(policy, boosted=boosted), is_right)

    def test_what_is_offline_or_has_no_file_is_not_judged(self):
        self.assertEqual(self.problems(IDLE._replace(online=False, epp='power')), [])
        self.assertEqual(self.problems(IDLE._replace(epp=None)), [])


class Others(unittest.TestCase):
    """What other programs wrote."""

    def setUp(self):
        self.oracle = Oracle(Machine(2))
        self.oracle.foreign(0, 'power')

    def test_it_may_stay_of_that_policy_alone(self):
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance', 'power'})
        self.assertEqual(self.oracle.bases(1, 'balanced'), {'balance_performance'})

    def test_it_may_stay_over_the_boost_of_a_cpu_that_is_busy_ever_since(self):
        busy = {0: IDLE._replace(epp='power')}
        self.assertEqual(self.oracle.problems(busy, 'balanced', (0,)), [])
        self.oracle.settle('balanced', {0: IDLE, 1: IDLE})
        self.assertEqual(len(self.oracle.problems(busy, 'balanced', (0,))), 1)

    def test_it_goes_with_what_sets_the_profile(self):
        for happens in (lambda: self.oracle.chosen('balanced', 'ok'), self.oracle.reloaded,
                        self.oracle.daemon_started, lambda: self.oracle.woke_up(True)):
            self.oracle.foreign(0, 'power')
            happens()
            self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance'})

    def test_under_faults_it_may_survive_that(self):
        self.oracle.fault()
        self.oracle.chosen('balanced', 'ok')
        self.assertIn('power', self.oracle.bases(0, 'balanced'))

    def test_what_a_quiet_period_finds_is_what_is(self):
        self.oracle.foreign(0, 'balance_power')
        self.oracle.settle('balanced', {0: IDLE._replace(epp='power'), 1: IDLE})
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance', 'power'})
        self.oracle.settle('balanced', {0: IDLE, 1: IDLE})
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance'})

    def test_what_the_performance_governor_left_may_stay_only_under_faults(self):
        self.oracle.governor_left(1)
        self.assertNotIn('performance', self.oracle.bases(1, 'balanced'))
        self.oracle.fault()
        self.assertIn('performance', self.oracle.bases(1, 'balanced'))
        self.oracle.settle('balanced', {0: IDLE, 1: IDLE})
        self.oracle.fault()
        self.assertNotIn('performance', self.oracle.bases(1, 'balanced'))

    def test_the_firmware_may_have_chosen(self):
        self.oracle.firmware_chose('power-saver')
        self.assertEqual(self.oracle.profiles(), {'balanced', 'power-saver'})
        self.oracle.settle('power-saver', {0: IDLE, 1: IDLE})
        self.assertEqual(self.oracle.profiles(), {'power-saver'})


class Dynamic(unittest.TestCase):
    """The kernel's dynamic EPP, of single policies and of all."""

    def setUp(self):
        self.oracle = Oracle(Machine(2))

    def take_over(self):
        self.oracle.file_config = 'take-over'
        self.oracle.reloaded()

    def test_a_policy_stays_dynamic_whatever_the_profile(self):
        self.oracle.entered_dynamic(0, is_sure=True)
        self.oracle.chosen('power-saver', 'ok')
        self.assertEqual(self.oracle.bases(0, 'power-saver'), {DYNAMIC})
        self.assertEqual(self.oracle.bases(1, 'power-saver'), {'power'})
        busy = {0: IDLE._replace(epp='performance')}
        self.assertEqual(len(self.oracle.problems(busy, 'balanced', (0,))), 1)

    def test_where_eppd_may_have_written_just_then_it_may_be_static(self):
        self.oracle.entered_dynamic(0, is_sure=False)
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance', DYNAMIC})

    def test_what_ends_it_is_known(self):
        for end in (lambda: self.oracle.foreign(0, 'power'), lambda: self.oracle.governor_set(0),
                    lambda: self.oracle.mode_changed('passive'), self.take_over):
            self.oracle.entered_dynamic(0, is_sure=True)
            end()
            self.assertIn('balance_performance', self.oracle.bases(0, 'balanced'))

    def test_taken_over_it_goes_with_the_next_profile_and_comes_back_at_the_end(self):
        self.take_over()
        self.oracle.entered_dynamic(0, is_sure=True)
        self.oracle.chosen('balanced', 'ok')
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance'})
        self.oracle.daemon_ended()
        self.assertIn(DYNAMIC, self.oracle.bases(0, 'balanced'))

    def test_all_that_are_dynamic_block_the_boost(self):
        self.oracle.boost_holds = {1: ('anna', 50)}
        dynamic = IDLE._replace(epp=DYNAMIC)
        self.assertEqual(self.oracle.boost_states('balanced', {0: dynamic}), {'blocked'})
        self.assertEqual(self.oracle.boost_states('balanced', {0: dynamic, 1: IDLE}), {'armed'})
        self.assertEqual(self.oracle.boost_states('balanced', {0: IDLE}, dynamic_epp=True),
                         {'blocked'})

    def test_the_global_file_is_what_others_made_it(self):
        self.oracle.dynamic_epp_switched(True)
        self.assertEqual(self.oracle.dynamic_epp, {True})
        self.oracle.dynamic_epp_switched(False)
        self.assertEqual(self.oracle.dynamic_epp, {False})

    def test_it_is_taken_over_once(self):
        self.take_over()
        self.oracle.dynamic_epp_switched(True)
        self.assertEqual(self.oracle.dynamic_epp, {False})
        self.oracle.dynamic_epp_switched(True)
        self.assertIn(True, self.oracle.dynamic_epp)
        self.oracle.reloaded()
        self.assertEqual(self.oracle.dynamic_epp, {False})

    def test_it_is_given_back_at_the_end_and_later_where_that_was_refused(self):
        self.take_over()
        self.oracle.dynamic_epp_switched(True)
        self.oracle.mode_changed('passive')
        self.oracle.daemon_ended()
        self.assertIn(True, self.oracle.dynamic_epp)
        self.oracle.settle('balanced', {}, dynamic_epp=False)
        self.oracle.mode_changed('active')
        self.oracle.file_config = 'plain'
        self.oracle.daemon_started()
        self.assertIn(True, self.oracle.dynamic_epp)

    def test_policies_made_anew_hold_nothing_of_others(self):
        self.oracle.foreign(0, 'power')
        self.oracle.dynamic_epp_switched(False)
        self.assertEqual(self.oracle.bases(0, 'balanced'), {'balance_performance'})


class KernelBoost(unittest.TestCase):

    def setUp(self):
        self.oracle = Oracle(Machine(2, has_kernel_boost=True))
        self.oracle.file_config = 'kernel'
        self.oracle.reloaded()

    def states(self):
        return self.oracle.boost_states('balanced', {0: IDLE})

    def test_it_boosts_where_it_does_the_same(self):
        self.assertEqual(self.states(), {'kernel'})
        self.oracle.boost_holds = {1: ('anna', 10)}
        self.assertEqual(self.states(), {'armed'})

    def test_who_switches_it_off_is_not_fought_until_a_reload(self):
        self.oracle.kernel_boost_switched(False)
        self.assertEqual(self.states(), {'kernel', 'armed'})
        self.oracle.reloaded()
        self.assertEqual(self.states(), {'kernel'})

    def test_it_is_on_alone_and_off_beside_eppds(self):
        for state, is_on, is_right in (('kernel', True, True), ('kernel', False, False),
                                       ('armed', False, True), ('armed', True, False),
                                       ('idle', True, True), ('armed', None, True)):
            with self.subTest(state=state, is_on=is_on):
                problems = self.oracle.kernel_boost_problems(state, is_on)
                self.assertEqual(not problems, is_right)
        self.oracle.kernel_boost_switched(True)
        self.assertEqual(self.oracle.kernel_boost_problems('armed', True), [])


class Machines(unittest.TestCase):

    def test_numbers_where_they_are_taken(self):
        for takes_numbers, epp in ((True, '100'), (False, 'balance_performance')):
            oracle = Oracle(Machine(2, takes_numbers=takes_numbers), 'numbers')
            self.assertEqual(oracle.epp('balanced'), epp)

    def test_a_policy_is_busy_with_any_cpu_of_it_that_is_online(self):
        oracle = Oracle(Machine(4, cpus_per_policy=2))
        for busy, online, policies in (((1,), {0, 1, 2, 3}, {0}), ((1, 2), {0, 1, 2, 3}, {0, 2}),
                                       ((1,), {0, 2, 3}, set()), ((), {0, 1}, set())):
            self.assertEqual(oracle.boosted_policies(busy, online), policies)

    def test_a_state_that_was_replaced(self):
        for profile, config, selected in (('power-saver', 'plain', {'power-saver'}),
                                          (None, 'plain', {'balanced'}),
                                          (None, 'default', {'performance'})):
            oracle = Oracle(Machine(2), config)
            oracle.chosen('performance', 'ok')
            oracle.state_was_replaced(profile)
            self.assertEqual(oracle.profiles(), selected)

    def test_all_bases_are_of_all_profiles_that_may_be(self):
        oracle = Oracle(Machine(2))
        oracle.foreign(1, '37')
        oracle.chosen('power-saver', 'lost')
        self.assertEqual(oracle.all_bases(), {0: {'balance_performance', 'power'},
                                              1: {'balance_performance', 'power', '37'}})


class Configurations(unittest.TestCase):

    def test_those_of_eppds_own_boost_use_small_times(self):
        for name, config in CONFIGS.items():
            with self.subTest(name):
                if config.backend == 'user':
                    self.assertIn('Backend=user\n', config.text)
                    self.assertIn('HoldMs=24\n', config.text)
