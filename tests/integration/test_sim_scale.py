# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon does grows with the machine, and no faster: reads, writes and looks are counted, on two
sizes of it. (How long they take: tests/bench.)"""

import time

from boost_case import variant
from profile_case import MODERN
from sim_load_case import BASE, BOOST, SimLoadCase

SIZES = (8, 64)
# What does not depend on the CPUs counts more on the smaller one, so that the ratio is below that of the
# sizes; with each CPU costing a look at all of them it would be its square.
GROWTH = 1.25 * SIZES[1] / SIZES[0]
LOOK_FILE = '/sys/devices/system/cpu/cpufreq/policy*/affected_cpus'
LOOK_MS = 20
RESTS_A_LOOK = 9
REST_MAX_MS = 1000


class Scale(SimLoadCase):

    def make_machine(self, n_cpus):
        """A machine and a daemon of that size, in the place of those before."""
        if self.sim:
            self.doCleanups()
            self.setUp()
        self.n_cpus = n_cpus
        self.make_tree('--cpus', str(n_cpus))
        self.start_loaded(busy=(), config='[Boost]\nMode=always\nHoldMs=2000\n', cpus=range(n_cpus))
        self.wait_for_state('armed')
        self.load.stop()
        self.settle()

    def assert_proportionate(self, count):
        """@count: what a function counts, of a machine of each size."""
        counts = []
        for n_cpus in SIZES:
            self.make_machine(n_cpus)
            counts.append(count())
        self.assertGreater(counts[0], 0)
        self.assertLessEqual(counts[1], GROWTH * counts[0], counts)

    def bytes_written(self):
        """Of all files, by the daemon."""
        with open(f'/proc/{self.daemon.pid}/io', encoding='ascii') as file:
            return int(dict(line.split(': ') for line in file)['wchar'])

    def count_reads(self, glob='/sys/*'):
        """From here on; a function that tells how many there were."""
        self.sim.fault(glob, op='read', short=4096)
        before = self.sim.faults_met()
        return lambda: self.sim.faults_met() - before

    def all_epps(self, text):
        return all(self.epp(f'policy{cpu}') == text for cpu in range(self.n_cpus))

    def looks(self):
        return self.call('GetStatistics')['arms']

    def switch(self, profile):
        self.set('ActiveProfile', variant('s', profile), MODERN.name, MODERN.path)

    # ---- a switch ----

    def test_a_switch_reads_and_writes_each_policy_as_often(self):
        def count():
            # What is read once is known after these.
            for profile in ('power-saver', 'balanced'):
                self.switch(profile)
            reads = self.count_reads()
            since = self.sim.mark()
            self.switch('performance')
            return reads() + len(self.sim.writes(since=since, pid=self.daemon.pid))
        self.assert_proportionate(count)

    # ---- edges ----

    def test_the_first_boost_of_all_at_once_writes_no_journal_for_each(self):
        """Each policy learns with it what its boost reads back as."""
        def count():
            before = self.bytes_written()
            for cpu in range(self.n_cpus):
                self.load.set(cpu, 100)
            self.load.resume()
            self.wait_for(lambda: self.all_epps(BOOST), 'all to be boosted')
            self.load.stop()
            self.wait_for(lambda: self.all_epps(BASE), 'all to be idle')
            return self.bytes_written() - before
        self.assert_proportionate(count)

    # ---- hotplug ----

    def plug(self, cpu):
        self.sim.command(f'cpu {cpu} offline')
        self.sim.command(f'epp {cpu} 255')
        self.sim.command(f'cpu {cpu} online')

    def test_a_look_reads_each_policy_once(self):
        self.make_machine(SIZES[0])
        looks = self.looks()
        reads = self.count_reads(LOOK_FILE)
        self.plug(3)
        self.wait_for_epp('policy3', BASE)
        self.settle()

        def counted():
            n_looks, n_reads = self.looks(), reads()
            return (n_reads, n_looks) if self.looks() == n_looks else None
        n_reads, n_looks = self.wait_for(counted, 'no look meanwhile')
        self.assertEqual(n_reads, self.n_cpus * (n_looks - looks))

    def test_a_storm_does_not_cost_a_look_for_each_cpu(self):
        """One that goes on for long, as each CPU takes the kernel a while, with looks that take long too."""
        self.make_machine(SIZES[0])
        self.sim.fault(LOOK_FILE, op='open', delay_ms=LOOK_MS)
        looks = self.looks()
        begin = time.monotonic()
        for _ in range(20):
            for cpu in (1, 2, 3):
                self.plug(cpu)
                self.settle()
        self.wait_for(lambda: self.all_epps(BASE), 'the base to be back')
        self.settle()
        at_least_ms = LOOK_MS * self.n_cpus * (1 + RESTS_A_LOOK)
        # One has no rest before it, the last none behind it.
        storm_ms = (time.monotonic() - begin) * 1000
        # One has no rest before it, the last none behind it.
        self.assertLessEqual(self.looks() - looks, 2 + storm_ms / min(at_least_ms, REST_MAX_MS))
