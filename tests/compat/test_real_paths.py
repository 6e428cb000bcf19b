# SPDX-License-Identifier: GPL-2.0-or-later
"""Debian's power-profiles-daemon and eppd, unmodified and without a --root, on a simulated kernel that is
mounted over the real paths."""

import os

import boost_case
import daemons
import harness
import sim_case
from boost_case import POLICY_DIR
from polkit_mock import PolkitMock

ENTER = os.path.join(harness.SOURCE_ROOT, 'tests', 'simkernel', 'enter')
# Where power-profiles-daemon has its state.
HIDE_STATE = 'mount -t tmpfs tmpfs /var/lib && exec "$@"'
POLICIES = ('policy0', 'policy1')
EPP = {'power-saver': 'power', 'balanced': 'balance_performance', 'performance': 'performance'}


class SimulatedSession(sim_case.SimTestCase):
    """Profiles are switched over the legacy name, which both daemons have."""

    sim_args = ('--cpus', '2', '--driver', 'intel_pstate')

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o711)
        self.make_tree()
        self.polkit = PolkitMock(self)

    def inside(self, *argv):
        """The arguments with which ENTER runs a command."""
        return self.tree, '--', 'sh', '-c', HIDE_STATE, 'sh', *argv

    def profile(self):
        name, path = daemons.LEGACY
        return self.get('ActiveProfile', name, path)

    def switch(self, profile):
        name, path = daemons.LEGACY
        self.set('ActiveProfile', boost_case.variant('s', profile), name, path)
        self.assertEqual(self.profile(), profile)

    def epps(self):
        return [self.epp(policy) for policy in POLICIES]

    def check_switches(self, daemon):
        self.daemon = daemon
        name, path = daemons.LEGACY
        self.wait_for(lambda: self.name_owner(name) or daemon.code() is not None, 'the daemon')
        self.assertIsNone(daemon.code(), self.log())
        drivers = {profile['Profile']: profile['Driver'] for profile in self.get('Profiles', name, path)}
        self.assertEqual(set(drivers), set(EPP), self.log())
        self.assertEqual(drivers['performance'], 'intel_pstate')
        for profile in ('performance', 'power-saver', 'balanced'):
            since = self.sim.mark()
            self.switch(profile)
            self.assertEqual(self.epps(), [EPP[profile]] * len(POLICIES))
            written = self.sim.writes(POLICY_DIR + '*/energy_performance_preference', since=since)
            self.assertEqual({(write.pid, write.error) for write in written}, {(daemon.pid, None)})

    def test_power_profiles_daemon(self):
        try:
            program = daemons.find_ppd()
        except daemons.Missing as missing:
            self.skipTest(f'machine lacks: {missing}')
        self.check_switches(self.start_program([ENTER, *self.inside(program, '-v')]))

    def test_eppd(self):
        self.write_config('')
        for directory in (self.state_dir, self.runtime_dir):
            os.makedirs(directory, exist_ok=True)
        self.check_switches(self.start_bare_eppd(*self.inside(
            harness.EPPD, '-v', '--config', self.config_path, '--state-dir', self.state_dir,
            '--runtime-dir', self.runtime_dir, '--residency', 'procstat'), program=ENTER))

    def test_the_machine_s_own_files_are_elsewhere(self):
        """Of what is not simulated, they are there too."""
        shown = self.run_program([ENTER, *self.inside(
            'sh', '-c', 'cat /sys/SIMULATED /sys/devices/system/cpu/online; cat /proc/cpuinfo; '
            'ls /sys/kernel; test -e /sys/fs/cgroup && echo cgroups')])
        self.assertEqual(shown.code(), 0, shown.err)
        self.assertIn('0-1\n', shown.out)
        self.assertIn('cgroups\n', shown.out)
        self.assertIn(harness.read_file(self.path('/proc/cpuinfo')), shown.out)
        self.assertEqual(os.listdir(self.path('/sys/kernel')), [])
