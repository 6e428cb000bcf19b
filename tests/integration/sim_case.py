# SPDX-License-Identifier: GPL-2.0-or-later
"""Tests on the simulated kernel, under tests/simkernel/isolate:

class MyTest(sim_case.SimTestCase):
    def test_something(self):
        self.start_eppd('--residency', 'procstat')          # on the tree that make_tree() mounts
        self.sim.fault('/sys/*/policy1/*', op='write', errno='EBUSY', count=1)
        self.sim.command('cpu 1 offline')
        self.sim.writes('*/policy1/*', pid=self.daemon.pid)
"""

import os
import sys

import harness
from boost_case import PolicyTestCase

sys.path.insert(0, os.path.join(harness.SOURCE_ROOT, 'tests', 'simkernel'))
import simkernel  # noqa: E402


def is_isolated():
    """Whether this process has the mounts and the network that tests/simkernel/isolate made."""
    return os.environ.get('SIMKERNEL_NETWORK') == os.readlink('/proc/self/ns/net')


class SimTestCase(PolicyTestCase):
    """The tree is a simulated kernel's. make_tree() starts it; it may be called before a start for other
    arguments than sim_args."""

    sim_args = ('--cpus', '4')

    def setUp(self):
        lacks = simkernel.missing(harness.BUILD_ROOT)
        if lacks:
            self.skipTest(lacks)
        self.assertTrue(is_isolated(), 'these tests run under tests/simkernel/isolate')
        super().setUp()
        self.sim = None

    def make_tree(self, *args):
        self.assertIsNone(self.sim, 'it is there already')
        self.sim = simkernel.SimKernel(self.tree, *(args or self.sim_args), directory=self.directory,
                                       build_root=harness.BUILD_ROOT)
        self.addCleanup(self.sim.close)
