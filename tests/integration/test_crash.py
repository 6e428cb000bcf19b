# SPDX-License-Identifier: GPL-2.0-or-later
"""However eppd ends, no core stays boosted."""

import os
import random
import re
import signal

from gi.repository import GLib

import boost_case
from boost_case import BASE, BOOST, POWER_PROFILES, POWER_PROFILES_PATH, Load, variant

N_KILLS = 25
BOOT_ID = '/proc/sys/kernel/random/boot_id'
POLICY1 = '/sys/devices/system/cpu/cpufreq/policy1'
AFFECTED = POLICY1 + '/affected_cpus'
DRIVER = POLICY1 + '/scaling_driver'


class CrashTestCase(boost_case.BoostTestCase):

    @property
    def journal_path(self):
        return os.path.join(self.runtime_dir, 'restore.ini')

    def journal(self):
        with open(self.journal_path, encoding='utf-8') as file:
            return file.read()

    def crash_boosted(self):
        """policy1 is left boosted by an eppd that is no more."""
        self.start_busy()
        self.boost()
        self.kill_eppd()
        self.assertEqual(self.epp('policy1'), BOOST)

    def write_journal(self, text):
        with open(self.journal_path, 'w', encoding='utf-8') as file:
            file.write(text)


class Ends(CrashTestCase):

    def test_sigterm_restores_and_ends_with_0(self):
        self.start_busy()
        self.boost()
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertFalse(os.path.exists(self.journal_path))

    def test_sigint_restores_and_ends_with_0(self):
        self.start_busy()
        self.boost()
        self.daemon.send(signal.SIGINT)
        self.assertEqual(self.wait_program(self.daemon), 0)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_the_holder_of_the_lock_restores_by_itself(self):
        self.start_busy()
        self.boost()
        self.assertRegex(self.restore(), f'nothing done: .*held by process {self.daemon.pid}')
        self.assertEqual(self.epp('policy1'), BOOST)
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_restore_without_a_journal_does_nothing(self):
        self.make_tree()
        os.makedirs(self.runtime_dir)
        self.set_epp('policy1', BOOST)
        self.restore()
        self.assertEqual(self.epp('policy1'), BOOST)


class KilledAtRandomMoments(CrashTestCase):
    """Load that flips the boost of both CPUs all the time, and a kill somewhere in it."""

    def setUp(self):
        super().setUp()
        self.seed = random.SystemRandom().randrange(1 << 32)
        self.draw = random.Random(self.seed)
        self.loads = [Load(0, 0, 60_000, 20, 44), Load(1, 12, 60_000, 28, 40)]

    def boosted(self):
        return [policy for policy in ('policy0', 'policy1') if self.epp(policy) == BOOST]

    def crash(self):
        """Starts eppd and kills it at a random moment; who is left boosted."""
        self.write_config('[Boost]\nHoldMs=0\nMode=always\n')
        self.start_busy(loads=self.loads, duration_ms=60_000)
        self.wait_for_statistics(boost_writes=1)
        moment_usec = GLib.get_monotonic_time() + self.draw.randrange(100_000)
        self.wait_for(lambda: GLib.get_monotonic_time() >= moment_usec, 'the random moment')
        self.kill_eppd()
        return self.boosted()

    def check_kills(self, put_back):
        n_left_boosted = 0
        for kill in range(N_KILLS):
            left = self.crash()
            n_left_boosted += len(left)
            said = put_back()
            for policy in ('policy0', 'policy1'):
                self.assertEqual(self.epp(policy), BASE, f'{policy}, kill {kill}, seed {self.seed}')
            for policy in left:
                self.assertIn(f'{policy}: its EPP is {BASE} again', said)
        self.assertGreater(n_left_boosted, 0, f'no kill hit a boost, seed {self.seed}')

    def test_restore_puts_back(self):
        self.check_kills(self.restore)

    def test_the_next_start_puts_back(self):
        def start():
            self.write_config('')
            self.start_eppd()
            # Its first reply comes when it has restored.
            self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
            said = self.log()
            self.stop_eppd()
            return said
        self.check_kills(start)


class Handover(CrashTestCase):

    def test_replaced_while_boosted(self):
        self.start_busy()
        self.boost()
        old = self.daemon
        old_owner = self.name_owner(boost_case.harness.BUS_NAME)
        self.daemon = self.spawn_eppd('-r', *self.daemon_args)
        self.wait_for(lambda: self.name_owner(boost_case.harness.BUS_NAME) not in (old_owner, None),
                      'the newcomer on the bus')
        # The newcomer answers once it has the lock: the old one is done then.
        statistics = self.call('GetStatistics')
        self.assertEqual(self.epp('policy1'), BASE)
        self.assert_statistics(statistics, arms=0, boost_writes=0)
        self.assertEqual(self.wait_program(old), 0)
        self.assertIn('replaced: another program has', old.out)
        with open(os.path.join(self.runtime_dir, 'lock'), encoding='utf-8') as file:
            self.assertEqual(int(file.read()), self.daemon.pid)
        self.assertEqual(self.get('BoostState'), 'idle')
        self.boost()

    def test_ten_in_a_row_leave_one(self):
        self.start_busy()
        daemons = [self.daemon]
        for _ in range(10):
            self.boost()
            owner = self.name_owner(boost_case.harness.BUS_NAME)
            self.daemon = self.spawn_eppd('-r', *self.daemon_args)
            self.wait_for(lambda: self.name_owner(boost_case.harness.BUS_NAME) not in (owner, None),
                          'the newcomer on the bus')
            self.assertEqual(self.call('GetStatistics')['boost-writes'], 0)
            self.assertEqual(self.epp('policy1'), BASE)
            daemons.append(self.daemon)
        self.assertEqual([self.wait_program(daemon) for daemon in daemons[:-1]], [0] * 10)
        self.assertIsNone(self.daemon.code())

    def test_a_stopped_one_does_not_let_go(self):
        self.start_busy()
        self.boost()
        old = self.daemon
        old.send(signal.SIGSTOP)
        newcomer = self.spawn_eppd('-r', *self.daemon_args)
        self.assertEqual(self.wait_program(newcomer), 1)
        self.assertRegex(newcomer.out, f'could not start: .*lock is held by process {old.pid}')
        # It never touched what the other one controls.
        self.assertEqual(self.epp('policy1'), BOOST)
        old.send(signal.SIGCONT)
        self.assertEqual(self.wait_program(old), 0)
        self.assertEqual(self.epp('policy1'), BASE)


class WhatACrashLeft(CrashTestCase):

    def test_an_offline_policy_stays_pending(self):
        self.crash_boosted()
        self.put(AFFECTED, '\n')
        said = self.restore()
        self.assertRegex(said, 'policy1: .*offline; it stays in the journal')
        self.assertIn('1 pending', said)
        self.assertEqual(self.epp('policy1'), BOOST)
        self.put(AFFECTED, '1\n')
        self.assertRegex(self.restore(), '1 restored')
        self.assertEqual(self.epp('policy1'), BASE)

    def test_an_offline_policy_survives_a_start_and_is_restored_once_online(self):
        self.crash_boosted()
        self.put(AFFECTED, '\n')
        self.start_eppd(*self.daemon_args)
        self.assertFalse(self.policies()['policy1']['online'])
        self.assertEqual(self.epp('policy1'), BOOST)
        self.stop_eppd()
        self.assertIn('Boosted=1', self.journal())
        self.start_eppd(*self.daemon_args)
        self.put(AFFECTED, '1\n')
        self.call('Reload')
        self.assertEqual(self.epp('policy1'), BASE)
        self.assertTrue(self.policies()['policy1']['online'])
        self.stop_eppd()
        self.assertFalse(os.path.exists(self.journal_path))

    def test_another_boots_journal_means_nothing(self):
        self.crash_boosted()
        self.put(BOOT_ID, '11111111-2222-3333-4444-555555555555\n')
        self.restore()
        self.assertEqual(self.epp('policy1'), BOOST)

    def test_another_driver_means_nothing(self):
        self.crash_boosted()
        self.put(DRIVER, 'intel_pstate\n')
        self.assertIn('its driver is intel_pstate now', self.restore())
        self.assertEqual(self.epp('policy1'), BOOST)

    def test_a_foreign_value_is_left_alone(self):
        self.crash_boosted()
        self.set_epp('policy1', 'power')
        self.assertRegex(self.restore(), "by another's hand: left alone")
        self.assertEqual(self.epp('policy1'), 'power')

    def test_a_foreign_base_is_what_comes_back(self):
        self.start_busy()
        self.set_epp('policy1', 'balance_power')
        self.boost()
        self.kill_eppd()
        self.restore()
        self.assertEqual(self.epp('policy1'), 'balance_power')

    def test_a_number_that_a_kill_left_without_its_read_back(self):
        # The kernel reads a number back as a name where it has one.
        for readback, restored in (('performance', True), ('0', True), ('64', False),
                                   ('dynamic(profile:power)', False)):
            with self.subTest(readback=readback):
                self.make_tree('--cpus', '2', '--driver', 'intel_pstate')
                self.set_epp('policy1', readback)
                os.makedirs(self.runtime_dir, exist_ok=True)
                self.write_journal(f'[Journal]\nBootId={self.read(BOOT_ID)}\n\n[policy1]\n'
                                   f'Driver=intel_pstate\nBase={BASE}\nBoost=0\nBoosted=1\n')
                self.restore()
                self.assertEqual(self.epp('policy1'), BASE if restored else readback)

    def test_a_policy_that_is_gone_stays_pending(self):
        self.crash_boosted()
        os.rename(self.path(POLICY1), self.path(POLICY1) + '-gone')
        self.assertRegex(self.restore(), '1 pending')
        os.rename(self.path(POLICY1) + '-gone', self.path(POLICY1))
        self.assertRegex(self.restore(), '1 restored')
        self.assertEqual(self.epp('policy1'), BASE)


class JournalCost(CrashTestCase):

    def written_bytes(self):
        with open(f'/proc/{self.daemon.pid}/io', encoding='utf-8') as file:
            return int(dict(line.split(': ') for line in file)['wchar'])

    def switch(self, mode):
        """A switch of 256 policies; how many bytes it wrote, and the journal has."""
        self.make_tree('--cpus', '256')
        self.write_config(f'[Boost]\nMode={mode}\nSuppressIn=\n')
        self.start_eppd('--residency', 'procstat')
        self.wait_for_state('armed' if mode == 'always' else 'idle')
        before = self.written_bytes()
        self.set('ActiveProfile', variant('s', 'power-saver'), POWER_PROFILES, POWER_PROFILES_PATH)
        written = self.written_bytes() - before
        self.assertEqual(self.epp('policy255'), 'power')
        return written, os.stat(self.journal_path).st_size

    def test_while_armed_a_switch_writes_the_journal_once_and_not_once_a_policy(self):
        written, size = self.switch('always')
        # Besides the journal, a policy's own files take some bytes each.
        self.assertGreater(size, 256 * len('[policy1]'))
        self.assertGreater(written, size)
        self.assertLess(written, 4 * size)

    def test_while_not_armed_there_is_nothing_to_note(self):
        _written, size = self.switch('opt-in')
        self.assertLess(size, 256 * len('[policy1]'))


class BadJournal(CrashTestCase):

    def check(self, n_restored):
        """--restore and a start live with it."""
        said = self.restore()
        self.assertEqual(self.epp('policy1'), BASE if n_restored else BOOST, said)
        self.start_eppd()
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
        self.boost_works()
        return said

    def boost_works(self):
        self.stop_eppd()
        self.start_busy()
        self.boost()
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_empty(self):
        self.crash_boosted()
        self.write_journal('')
        self.check(0)

    def test_binary(self):
        self.crash_boosted()
        with open(self.journal_path, 'wb') as file:
            file.write(random.Random(1).randbytes(10_000))
        self.check(0)

    def test_huge(self):
        self.crash_boosted()
        with open(self.journal_path, 'a', encoding='utf-8') as file:
            file.write('x' * (20 << 20))
        self.check(0)

    def test_cut_after_each_byte(self):
        self.crash_boosted()
        whole = self.journal()
        for length in range(0, len(whole), 7):
            with self.subTest(length=length):
                self.set_epp('policy1', BOOST)
                self.write_journal(whole[:length])
                self.restore()
                self.assertIn(self.epp('policy1'), (BASE, BOOST))
                self.assertEqual(self.epp('policy0'), BASE)
        self.set_epp('policy1', BOOST)
        self.write_journal(whole)
        self.check(1)

    def test_garbage_around_a_good_entry(self):
        self.crash_boosted()
        self.write_journal('\n\x01garbage\n' + self.journal() + '\nBoosted\n[policy99999999999]\n'
                           'Boosted=1\nBase=power\n[../../etc]\nBoosted=1\n')
        self.check(1)

    def test_values_that_make_no_sense(self):
        self.crash_boosted()
        self.write_journal(re.sub('(?m)^Base=.*', 'Base=/etc/passwd', self.journal()))
        self.check(0)

    def test_no_licence_to_write_any_file(self):
        self.crash_boosted()
        self.put('/sys/module/other/parameters/secret', 'N\n')
        self.write_journal(self.journal() + '[File /sys/module/other/parameters/secret]\n'
                           'Found=Y\nOurs=N\n[File ../../../secret]\nFound=Y\nOurs=N\n')
        self.check(1)
        self.assertEqual(self.read('/sys/module/other/parameters/secret'), 'N')

    def test_a_directory_in_its_place_is_said_and_restore_goes_on(self):
        self.make_tree()
        os.makedirs(self.journal_path)
        self.assertIn('restore.ini', self.restore())
