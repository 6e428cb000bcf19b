# SPDX-License-Identifier: GPL-2.0-or-later
"""The firmware's platform_profile, where the kernel refuses what it should tell."""

from boost_case import POWER_PROFILES, POWER_PROFILES_PATH
from sim_load_case import SimLoadCase


class Unreadable(SimLoadCase):

    sim_args = ('--cpus', '4', '--platform-profile', 'low-power balanced performance')

    def profile(self):
        return self.get('ActiveProfile', POWER_PROFILES, POWER_PROFILES_PATH)

    def test_a_profile_that_cannot_be_read_keeps_nobody_waiting(self):
        self.start_loaded()
        self.sim.fault('/sys/*/platform_profile', op='read', errno='EIO')
        self.sim.command('platform firmware performance')
        # To the machine's news the bus comes second: it would not answer while they go on and on.
        self.wait_for(lambda: self.sim.faults_met() >= 3, 'looks at the profile')
        self.settle()
        self.sim.clear_faults()
        self.wait_for(lambda: self.profile() == 'performance', 'the profile of the firmware')
