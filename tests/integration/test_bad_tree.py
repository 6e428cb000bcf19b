# SPDX-License-Identifier: GPL-2.0-or-later
"""Whatever the files of the machine hold, eppd serves on, and what can work does."""

import os
import shutil

import boost_case
import harness
from boost_case import BASE, BOOST, POLICY_DIR

NOBODY = 65534


def garbage(path):
    with open(path, 'wb') as file:
        file.write(bytes(range(1, 256)) * 3)


def binary(path):
    with open(path, 'wb') as file:
        file.write(bytes(4096))


def words(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('-1 99999999999999999999 \x1b[31m{} ../../etc %s%n\n')


def huge(path):
    with open(path, 'w', encoding='utf-8') as file:
        file.write('7' * (2 << 20))


# What a file becomes; it was removed before.
DAMAGES = {
    'missing': lambda path: None,
    'empty': lambda path: open(path, 'wb').close(),
    'garbage': garbage,
    'binary': binary,
    'words': words,
    'huge': huge,
    'endless': lambda path: os.symlink('/dev/zero', path),
    'unreadable': lambda path: os.symlink('/proc/self/mem', path),
    'loop': lambda path: os.symlink(path, path),
    'fifo': os.mkfifo,
    'directory': os.mkdir,
}


def remove(path):
    if os.path.isdir(path) and not os.path.islink(path):
        os.rmdir(path)
    elif os.path.lexists(path):
        os.unlink(path)


class BadTree(boost_case.BoostTestCase):

    def files(self):
        """All files of the tree, as paths of the machine."""
        found = []
        for directory, _, names in os.walk(self.tree):
            if directory != self.tree:  # SIMULATED is the tool's
                found += ['/' + os.path.relpath(os.path.join(directory, name), self.tree)
                          for name in names]
        self.assertGreater(len(found), 30)
        return sorted(found)

    def damage(self, path, how):
        """A function that takes it back."""
        full_path = self.path(path)
        aside = full_path + '.aside'
        os.rename(full_path, aside)
        DAMAGES[how](full_path)

        def mend():
            remove(full_path)
            os.rename(aside, full_path)
        return mend

    def check_serving(self):
        """Every question gets an answer."""
        policies = self.call('GetPolicies')
        for policy in policies:
            self.assertTrue(policy['why'])
        for cpu in (0, 1, 4096, 0xffffffff):
            try:
                self.call('Explain', cpu)
            except harness.GLib.Error as error:
                self.assertIn('InvalidArgs', error.message)
        self.call('GetStatistics')
        self.get_all()
        self.assertIsNone(self.daemon.code(), self.log())
        return policies

    def check_one_by_one(self, how):
        self.make_tree('--cpus', '2', '--battery')
        self.start_busy()
        self.arm()
        self.wait_for_epp('policy1', BOOST)
        before = self.descriptors()
        for path in self.files():
            with self.subTest(path=path):
                mend = self.damage(path, how)
                self.call('Reload')
                self.check_serving()
                if 'policy0' in path or '/cpu0/' in path:
                    self.wait_for_epp('policy1', BOOST)
                mend()
                self.call('Reload')
                self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.descriptors(), before)
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def check_all(self, how):
        self.make_tree('--cpus', '2', '--battery')
        mends = [self.damage(path, how) for path in self.files()]
        self.start_busy()
        self.hold()
        self.check_serving()
        for mend in mends:
            mend()
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)


def add_tests():
    for how in DAMAGES:
        setattr(BadTree, f'test_each_file_{how}', lambda self, how=how: self.check_one_by_one(how))
        setattr(BadTree, f'test_all_files_{how}', lambda self, how=how: self.check_all(how))


add_tests()


class NoPermission(boost_case.BoostTestCase):

    def test_a_tree_that_may_not_be_written(self):
        if os.geteuid() != 0:
            self.skipTest('machine lacks: root (to start a daemon of another user)')
        self.make_tree()
        self.set_profile('power-saver')
        self.write_config('')
        os.chmod(self.directory, 0o755)
        # The build may be below a directory that is closed to others.
        eppd = os.path.join(self.directory, 'eppd')
        shutil.copy(harness.EPPD, eppd)
        os.chmod(eppd, 0o755)
        os.makedirs(self.runtime_dir)
        os.chown(self.runtime_dir, NOBODY, NOBODY)
        self.start_polkit()
        self.daemon = self.start_bare_eppd(
            '-v', '--root', self.tree, '--config', self.config_path, '--state-dir',
            self.state_dir, '--runtime-dir', self.runtime_dir, '--residency', 'procstat',
            program=eppd, user=NOBODY, group=NOBODY, extra_groups=[])
        self.wait_for(lambda: self.name_owner(harness.BUS_NAME), 'the daemon on the bus')
        self.assertEqual(self.policies()['policy1']['current'], BASE)
        self.assertRegex(self.log(), 'warning: policy1: .*Permission denied; ignoring')
        self.stop_eppd()


class PoliciesComeAndGo(boost_case.BoostTestCase):

    def vanish(self, policy):
        path = self.path(POLICY_DIR + policy)
        os.rename(path, path + '.aside')
        return lambda: os.rename(path + '.aside', path)

    def test_vanishing_and_coming_back_while_boosted(self):
        self.start_busy()
        self.boost()
        before = self.descriptors()
        for _ in range(10):
            come_back = self.vanish('policy1')
            self.call('Reload')
            self.assertEqual(list(self.policies()), ['policy0'])
            come_back()
            self.call('Reload')
            self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.descriptors(), before)
        self.stop_eppd()
        self.assertEqual(self.epp('policy1'), BASE)

    def test_a_boosted_file_is_gone_at_the_release(self):
        self.start_busy()
        cookie = self.boost()
        os.unlink(self.path(self.epp_path('policy1')))
        self.call('ReleaseBoost', cookie)
        self.call('Reload')
        self.assertEqual(self.call('GetStatistics')['restores-pending'], 0)
        self.hold()
        self.wait_for_state('armed')
        self.assertEqual(self.epp('policy0'), BASE)

    def test_all_gone_and_back(self):
        self.start_busy()
        self.boost()
        path = self.path(POLICY_DIR)
        os.rename(path, path.rstrip('/') + '.aside')
        self.call('Reload')
        self.wait_for_state('blocked')
        self.assertEqual(self.call('GetPolicies'), [])
        self.assertEqual(self.get('BoostedCpus'), [])
        os.rename(path.rstrip('/') + '.aside', path)
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)

    def test_a_new_policy_gets_the_profile(self):
        self.make_tree()
        come = self.vanish('policy1')
        self.set_profile('power-saver')
        self.start_busy()
        come()
        self.call('Reload')
        self.assertEqual(self.epp('policy1'), 'power')


class NoCpufreq(boost_case.BoostTestCase):

    def check(self):
        self.start_busy()
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('no CPU has an energy_performance_preference file', self.get('BoostReason'))
        self.assertEqual(self.call('GetPolicies'), [])
        with self.assert_dbus_error('org.freedesktop.DBus.Error.InvalidArgs', 'CPU 0 has no'):
            self.call('Explain', 0)
        self.assertEqual(self.eppctl('status').code(), 0)
        self.assertEqual(self.sampling_descriptors(), [])
        self.stop_eppd()

    def test_no_directory(self):
        self.make_tree()
        shutil.rmtree(self.path(POLICY_DIR))
        self.check()

    def test_nothing_at_all(self):
        os.makedirs(self.tree)
        self.check()

    def test_policies_without_an_epp_file(self):
        self.make_tree()
        for number in (0, 1):
            os.unlink(self.path(self.epp_path(f'policy{number}')))
        self.start_busy()
        self.hold()
        self.wait_for_state('blocked')
        self.assertIn('no CPU has an energy_performance_preference file', self.get('BoostReason'))
        self.assertEqual(self.policies()['policy1']['current'], 'unknown')
        self.stop_eppd()

    def test_names_that_are_no_policies(self):
        self.make_tree()
        for name in ('policy', 'policy01', 'policy-1', 'policy99999999999', 'policyX', 'boost'):
            os.mkdir(self.path(POLICY_DIR + name))
        self.put(POLICY_DIR + 'policy7', 'a file')
        self.start_busy()
        self.assertEqual(list(self.policies()), ['policy0', 'policy1'])
        self.boost()
