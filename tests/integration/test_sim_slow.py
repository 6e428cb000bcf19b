# SPDX-License-Identifier: GPL-2.0-or-later
"""A kernel that takes long for an EPP write, as shared-memory CPPC does, and longer."""

import threading

from sim_load_case import BASE, SimLoadCase

WRITE_MS = 300
FLIP_SECONDS = 0.06


class SlowWrites(SimLoadCase):

    def flip_load(self):
        """CPU 1 goes busy and idle all the time, until the test ends."""
        ended = threading.Event()

        def flip():
            percent = 0
            while not ended.wait(FLIP_SECONDS):
                percent = 100 - percent
                self.load.set(1, percent)
        thread = threading.Thread(target=flip)
        thread.start()

        def end():
            ended.set()
            thread.join()
            self.load.set(1, 0)
        return end

    def test_the_bus_is_served_between_them(self):
        self.start_loaded(busy=(), config='[Boost]\nMode=always\nHoldMs=20\nSampleMs=4\n')
        self.wait_for_state('armed')
        self.sim.fault('/sys/*/policy1/energy_performance_preference', op='write', delay_ms=WRITE_MS)
        end_flips = self.flip_load()
        self.addCleanup(end_flips)
        # Edges come before the bus, and more of them wait whenever one is done.
        for writes in range(2, 8):
            self.wait_for(lambda: len(self.epp_writes()) >= writes, 'edges')
            self.settle()
        end_flips()
        self.sim.clear_faults()
        self.wait_for_epp('policy1', BASE)
