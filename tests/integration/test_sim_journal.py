# SPDX-License-Identifier: GPL-2.0-or-later
"""Where the restore journal can't be written there are profiles, and no boost that a crash would leave."""

import errno
import os
import shutil
import subprocess

from sim_load_case import BASE, BOOST, POLICIES, SimLoadCase

KIB = 1024
NO_SPACE = os.strerror(errno.ENOSPC)


class Journal(SimLoadCase):

    def setUp(self):
        super().setUp()
        os.makedirs(self.runtime_dir)
        subprocess.run(['mount', '-t', 'tmpfs', '-o', f'size={64 * KIB}', 'tmpfs', self.runtime_dir], check=True)
        self.addCleanup(subprocess.run, ['umount', '--lazy', self.runtime_dir], check=True)
        self.filler = os.path.join(self.runtime_dir, 'filler')
        self.journal = os.path.join(self.runtime_dir, 'restore.ini')

    def fill(self):
        with open(self.filler, 'wb', buffering=0) as file:
            try:
                while True:
                    file.write(bytes(KIB))
            except OSError as error:
                self.assertEqual(error.errno, errno.ENOSPC)

    def free(self):
        os.unlink(self.filler)

    def switch(self, profile):
        answer = self.eppctl('set', profile)
        self.assertEqual(answer.code(), 0, answer.err)

    def test_a_start_without_room_is_one_without_boost(self):
        self.fill()
        self.start_loaded(config='PowerSaverAC=power\n')
        self.wait_for_log(f'{self.journal}.*: {NO_SPACE}.*nothing is boosted')
        self.switch('power-saver')
        self.wait_for_epp('policy1', 'power')
        self.switch('balanced')
        since = self.sim.mark()
        self.hold()
        self.assert_told('blocked', NO_SPACE, 'after a crash the boost could not be taken back')
        self.assertEqual(self.epp_writes('*', since), [])
        self.free()
        self.wait_for_epps(policy1=BOOST)
        self.assertEqual(self.get('BoostState'), 'armed')
        self.stop_eppd()
        self.wait_for_epps()
        self.assertFalse(os.path.exists(self.journal))

    def test_a_directory_in_its_place(self):
        os.mkdir(self.journal)
        self.start_loaded()
        self.hold()
        self.assert_told('blocked', self.journal, 'after a crash the boost could not be taken back')
        os.rmdir(self.journal)
        self.wait_for_epps(policy1=BOOST)

    def test_no_room_for_a_new_base(self):
        self.start_loaded(config='PowerSaverAC=balance_performance\n[Boost]\nSuppressIn=\n')
        self.hold()
        self.wait_for_epp('policy1', BOOST)
        self.fill()
        self.switch('power-saver')
        self.assert_told('blocked', NO_SPACE, 'after a crash the boost could not be taken back')
        for policy in POLICIES:
            self.wait_for_epp(policy, 'balance_performance')
        since = self.sim.mark()
        self.load.set(2, 100)
        self.switch('balanced')
        self.wait_for_epps()
        self.assertNotIn(BOOST, self.epp_writes('*', since))
        self.free()
        self.wait_for_epps(policy1=BOOST, policy2=BOOST)

    def test_no_room_once_another_has_tidied_up(self):
        self.start_loaded(busy=())
        self.hold()
        self.wait_for_state('armed')
        shutil.rmtree(self.runtime_dir, ignore_errors=True)
        self.fill()
        since = self.sim.mark()
        self.load.set(1, 100)
        self.wait_for_reason(NO_SPACE)
        self.assertEqual(self.epp_writes('*', since), [])
        self.free()
        self.wait_for_epps(policy1=BOOST)
        self.kill_eppd()
        self.assertEqual(self.epp('policy1'), BOOST)
        self.restore()
        self.wait_for_epps()
        self.assertEqual(self.epp('policy1'), BASE)
