# SPDX-License-Identifier: GPL-2.0-or-later
"""Profiles on a machine that refuses, vanishes and changes its mind; and kills in the midst of it."""

import os

from boost_case import BOOST, Load, POLICY_DIR
from profile_case import ModernCase

AFFECTED = POLICY_DIR + 'policy1/affected_cpus'
EPP = 'energy_performance_preference'
MANAGED = 'dynamic(profile:balance_performance)'
OTHER_PERFORMANCE = '[Policy]\nTable=custom\nPerformanceAC=balance_power\n'


class ProfileFaults(ModernCase):

    def journal_bases(self):
        """What a restore would write, by policy."""
        with open(os.path.join(self.runtime_dir, 'restore.ini'), encoding='utf-8') as file:
            groups = file.read().split('\n[')[1:]
        return {group.split(']')[0]: group.split('Base=')[1].split('\n')[0]
                for group in groups if 'Base=' in group}

    def wait_for_residency(self):
        """Its choice is news, after which eppd looks at everything by itself."""
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the residency source')
        self.settle()

    # ---- a switch ----

    def test_a_policy_that_went_offline_unheard_is_skipped(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        # As the kernel: neither file of an offline policy is anything but busy.
        self.write(AFFECTED, '\n')
        self.faults.set('policy1/', errno='EBUSY')
        self.switch('power-saver')
        self.assertEqual((self.profile(), self.epp('policy0')), ('power-saver', 'power'))

    def test_a_policy_that_is_online_and_busy_is_not(self):
        self.use_faults()
        self.start_eppd(polkit=None)
        self.faults.set('policy1/' + EPP, errno='EBUSY')
        name, text = self.error_of(self.switch, 'power-saver')
        self.assertEqual(name, 'Failed')
        self.assertIn('policy1/' + EPP, text)
        self.assertEqual((self.profile(), self.epp('policy0')), ('balanced', 'balance_performance'))

    def test_what_could_not_be_taken_back_is_tried_again(self):
        self.use_faults()
        self.start_eppd('--residency', 'procstat', polkit=None)
        self.wait_for_residency()
        self.faults.set('policy1/' + EPP, 'power')
        self.faults.set('policy0/' + EPP, 'balance_performance')
        self.error_of(self.switch, 'power-saver')
        self.assertEqual((self.profile(), self.epp('policy0')), ('balanced', 'power'))
        self.faults.clear()
        self.wait_for_epp('policy0', 'balance_performance')

    def test_the_governor_does_not_stand_in_the_way_of_a_table(self):
        """Under the governor performance no kernel takes another EPP."""
        self.write_config(OTHER_PERFORMANCE)
        self.start_eppd(polkit=None)
        self.switch('performance')
        self.assertEqual(self.policy_files()[:2], ('powersave', 'balance_power'))

    def test_dynamic_epp_that_was_left_by_hand_is_noticed_by_the_next_switch(self):
        self.make_tree()
        for policy in ('policy0', 'policy1'):
            self.set_epp(policy, MANAGED)
        self.start_eppd('--residency', 'procstat', polkit=None)
        self.wait_for_residency()
        self.switch('power-saver')
        self.assertEqual(self.epp('policy0'), MANAGED)
        for policy in ('policy0', 'policy1'):
            self.set_epp(policy, 'balance_power')
        self.switch('performance')
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['performance'] * 2)

    def test_an_epp_without_a_name_is_no_reason_to_have_no_driver(self):
        self.make_tree()
        for policy in ('policy0', 'policy1'):
            # Refused as what the kernel can't name: a NUL is INVALID like its EINVAL.
            self.set_epp(policy, '\0')
        self.start_eppd(polkit=None)
        self.assertEqual([profile.get('CpuDriver') for profile in self.value('Profiles')],
                         ['amd_pstate'] * 3)
        self.assertEqual(self.epp('policy0'), 'balance_performance')

    # ---- the journal ----

    def test_arming_and_each_switch_while_armed_bring_the_journal_up_to_date(self):
        self.write_config(OTHER_PERFORMANCE)
        trace = self.make_trace([Load(0, 0, 0)], 300_000)
        self.start_eppd('--residency', f'trace:{trace}', polkit=None)
        self.switch('performance')
        self.arm()
        self.assertEqual(self.journal_bases(), dict.fromkeys(('policy0', 'policy1'), 'balance_power'))
        self.switch('balanced')
        self.assertEqual(self.journal_bases(),
                         dict.fromkeys(('policy0', 'policy1'), 'balance_performance'))

    def test_a_restore_that_outlives_two_crashes_writes_the_last_choice(self):
        self.start_busy(polkit=None)
        self.boost()
        self.kill_eppd()
        self.write(AFFECTED, '\n')
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.kill_eppd()
        self.assertEqual(self.epp('policy1'), BOOST)
        self.write(AFFECTED, '1\n')
        self.restore()
        self.assertEqual(self.epp('policy1'), 'power')
