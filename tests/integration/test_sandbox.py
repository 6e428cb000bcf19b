# SPDX-License-Identifier: GPL-2.0-or-later
"""The boost, and what else the daemon does, under the unit's capabilities and system call filters."""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

import harness
from boost_case import BASE, BOOST, variant
from test_holds import HoldsTestCase

UNIT = os.path.join(harness.BUILD_ROOT, 'data', 'eppd.service')
SANDBOX = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sandbox.py')
POWER_PROFILES = 'org.freedesktop.UPower.PowerProfiles'
POWER_PROFILES_PATH = '/org/freedesktop/UPower/PowerProfiles'
OTHER_USER = 65534
# Of systemd-analyze security, in tenths.
EXPOSURE_MAX = 18


def is_sanitized():
    with open(harness.EPPD, 'rb') as file:
        return b'__asan_init' in file.read()


@unittest.skipIf(not shutil.which('systemd-analyze'), 'machine lacks: systemd-analyze')
class UnitTest(unittest.TestCase):

    def test_its_exposure_is_low(self):
        result = subprocess.run(['systemd-analyze', 'security', '--offline=yes', '--no-pager',
                                 f'--threshold={EXPOSURE_MAX}', UNIT], stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, encoding='utf-8', check=False)
        self.assertEqual(result.returncode, 0, result.stdout)
        self.assertRegex(result.stdout, r'Overall exposure level for eppd\.service: 1\.')


@unittest.skipIf(not shutil.which('systemd-analyze'), 'machine lacks: systemd-analyze')
@unittest.skipIf(not importlib.util.find_spec('seccomp'), 'machine lacks: libseccomp for Python')
@unittest.skipIf(os.geteuid() != 0, 'machine lacks: root')
class SandboxTest(HoldsTestCase):

    unit = UNIT

    def setUp(self):
        self.pin()
        super().setUp()
        # A denied call shows, but for those of the sanitizers' own run time.
        self.kill = ['--kill']
        if is_sanitized():
            self.kill = []
            # It would trace its own process.
            self.env['ASAN_OPTIONS'] += ':detect_leaks=0'

    def start_program(self, argv, **popen_args):
        """eppd in the sandbox, everything else as it is."""
        if argv[0] == harness.EPPD:
            argv = [sys.executable, '-B', SANDBOX, *self.kill, self.unit, self.tree,
                    self.state_dir, self.runtime_dir, '--', *argv]
        return super().start_program(argv, **popen_args)

    def start_bpf(self):
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()

    def unit_with(self, old, new):
        """A copy of the unit with a change."""
        text = harness.read_file(UNIT)
        self.assertIn(old, text)
        self.unit = os.path.join(self.directory, 'eppd.service')
        with open(self.unit, 'w', encoding='utf-8') as file:
            file.write(text.replace(old, new))
        self.kill = []

    def status_field(self, name):
        for line in harness.read_file(f'/proc/{self.daemon.pid}/status').splitlines():
            if line.startswith(name + ':'):
                return line.split()[1]
        return None

    def test_the_sandbox_is_on(self):
        self.start_bpf()
        capabilities = (1 << 38) | (1 << 39)
        for name in ('CapPrm', 'CapEff', 'CapBnd'):
            self.assertEqual(int(self.status_field(name), 16), capabilities, name)
        self.assertEqual(int(self.status_field('CapInh'), 16), 0)
        self.assertEqual(self.status_field('NoNewPrivs'), '1')
        self.assertEqual(self.status_field('Seccomp'), '2')
        mounts = [line.split() for line in
                  harness.read_file(f'/proc/{self.daemon.pid}/mountinfo').splitlines()]
        root = [fields for fields in mounts if fields[4] == '/'][-1]
        self.assertIn('ro', root[5].split(','))

    def test_a_busy_core_is_boosted_and_restored(self):
        self.start_bpf()
        self.assertEqual(self.get('ResidencySource'), 'bpf')
        load = self.start_load(10, 0)
        cookie = self.boost()
        self.stop_load(load)
        self.wait_for_epp('policy1', BASE)
        self.call('ReleaseBoost', cookie)
        self.wait_for_state('idle')
        self.stop_eppd()

    def test_procstat_does_for_want_of_bpf(self):
        self.start_eppd('--residency', 'procstat')
        load = self.start_load(10, 0)
        self.boost()
        self.stop_load(load)
        self.wait_for_epp('policy1', BASE)

    def check_no_bpf(self, pattern):
        self.start_eppd('--residency', 'bpf')
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the probe')
        self.assertEqual(self.get('ResidencySource'), 'none')
        self.assertRegex(self.get('ResidencyReason'), pattern)

    def test_bpf_needs_each_of_the_capabilities(self):
        self.start_bpf()
        self.stop_eppd()
        for kept in ('CAP_BPF', 'CAP_PERFMON'):
            with self.subTest(kept=kept):
                self.unit_with('=CAP_BPF CAP_PERFMON\n', f'={kept}\n')
                self.check_no_bpf('.')
                self.stop_eppd()

    def test_bpf_needs_its_system_call(self):
        self.unit_with('=bpf perf_event_open', '=perf_event_open')
        self.check_no_bpf('not permitted')

    def test_the_self_test_needs_its_system_call(self):
        self.unit_with('=sched_setaffinity ', '=')
        self.check_no_bpf('Could not run on CPU')

    def test_a_hold_with_another_users_pidfd(self):
        self.start_bpf()
        client = self.connect_as(OTHER_USER)
        program = self.start_program(['sleep', '1000'], user=OTHER_USER)
        self.hold_pidfd(self.pidfd(program.pid), on=client)
        self.assertEqual([hold['pid'] for hold in self.held()], [program.pid])
        program.end()
        self.wait_for(lambda: not self.held(), 'the hold to end with its process')

    def test_a_hold_with_a_cgroup(self):
        self.start_bpf()
        cgroup = self.user_cgroup()
        program = self.start_in(cgroup)
        self.hold(cgroup=variant('s', cgroup))
        self.assertEqual([hold['cgroup'] for hold in self.held()], [cgroup])
        program.end()
        self.wait_for(lambda: not self.held(), 'the hold to end with its cgroup')

    def test_the_configuration_is_read_again(self):
        self.start_bpf()
        self.write_config('[Boost]\nMode=always\n')
        self.call('Reload')
        self.wait_for_state('armed')

    def test_a_profile_is_applied_and_saved(self):
        self.start_bpf()
        self.set('ActiveProfile', variant('s', 'power-saver'), POWER_PROFILES, POWER_PROFILES_PATH)
        self.wait_for_epp('policy1', 'power')
        self.stop_eppd()
        self.assertIn('power-saver',
                      harness.read_file(os.path.join(self.state_dir, 'state.ini')))

    def test_what_a_killed_daemon_left_is_restored(self):
        self.start_bpf()
        self.start_load(10, 0)
        self.boost()
        self.kill_eppd()
        self.assertEqual(self.epp('policy1'), BOOST)
        self.restore()
        self.assertEqual(self.epp('policy1'), BASE)
