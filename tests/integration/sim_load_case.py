# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the daemon on the simulated kernel share: CPUs that are as busy as a test says, and
what eppd wrote about it."""

from live_load import LiveLoad
from sim_case import SimTestCase

# None that a driver begins with, so that a base that was not written shows.
BASE = 'balance_power'
BOOST = 'performance'
KERNEL_EPP = 'balance_performance'
CONFIG = f'[Policy]\nTable=custom\nBalancedAC={BASE}\nPerformanceAC={BASE}\n'
STATUS = '/sys/devices/system/cpu/amd_pstate/status'
POLICIES = ('policy0', 'policy1', 'policy2', 'policy3')


class SimLoadCase(SimTestCase):
    """Four CPUs with a policy each; CPU 1 is busy."""

    def start_loaded(self, *args, busy=(1,), config='', cpus=range(4)):
        if not self.sim:
            self.make_tree()
        self.load = LiveLoad(self.directory, cpus)
        self.addCleanup(self.load.close)
        for cpu in busy:
            self.load.set(cpu, 100)
        self.write_config(CONFIG + config)
        self.start_eppd('--residency', self.load.source, *args)

    def epp_writes(self, policy='policy1', since=0):
        """What eppd wrote into @policy's EPP file, with the error if there was one."""
        return [f'{write.text} {write.error}' if write.error else write.text
                for write in self.sim.writes(f'*/{policy}/energy_performance_preference',
                                             since=since, pid=self.daemon.pid)]

    def wait_for_epps(self, **wanted):
        """Those named, and BASE in all others."""
        for policy in POLICIES:
            self.wait_for_epp(policy, wanted.get(policy, BASE))

    def wait_for_reason(self, text):
        self.wait_for(lambda: text in self.get('BoostReason'), f'a BoostReason with {text!r}')

    def settle(self, on=None):
        """What eppd had to do before this is done."""
        for _ in range(2):
            self.get('Version', on=on)

    def explain(self, cpu=1):
        return self.call('Explain', cpu)['text']

    def assert_told(self, state, reason, why, cpu=1):
        """In BoostState and BoostReason, in Explain, in GetPolicies, and by eppctl."""
        self.wait_for_state(state)
        self.wait_for_reason(reason)
        self.assertIn(why, self.explain(cpu))
        status = self.eppctl('status')
        self.assertEqual(status.code(), 0, status.err)
        self.assertIn(state, status.out)
        explained = self.eppctl('explain', str(cpu))
        self.assertEqual(explained.code(), 0, explained.err)
        self.assertIn(why.split()[0], explained.out)
