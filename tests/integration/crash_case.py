# SPDX-License-Identifier: GPL-2.0-or-later
"""What tests of eppd's violent ends on the simulated kernel share: CPUs that flip their boost all
the time, and what each EPP file must hold afterwards, told from that kernel's log alone."""

import os
import signal

from gi.repository import Gio, GLib

import harness
from boost_case import BOOST, POWER_PROFILES, POWER_PROFILES_PATH
from live_load import LiveLoad
from sim_case import SimTestCase

CPUS = range(4)
POLICIES = [f'policy{cpu}' for cpu in CPUS]
# What a driver puts there when it is registered; no profile's.
KERNEL_EPP = 'balance_performance'
EPP_OF = {'balanced': 'balance_power', 'power-saver': 'power', 'performance': BOOST}

# The load ticks every 8 ms, and a boost ends 4 ms after a tick.
TICK_MS = 8
TABLE = '[Policy]\nTable=custom\nBalancedAC=balance_power\nPowerSaverAC=power\n'
FLIPPING = TABLE + '[Boost]\nMode=always\nSampleMs=2\nHoldMs=0\nSuppressIn=\n'
# And here never.
BOOSTING = TABLE + '[Boost]\nMode=always\nSampleMs=2\nHoldMs=60000\n'
STATE = '[State]\nProfile={}\n'


class CrashCase(SimTestCase):
    """Four CPUs with a policy each, all busy."""

    def setUp(self):
        super().setUp()
        self.make_tree()
        self.load = LiveLoad(self.directory, CPUS, TICK_MS)
        self.addCleanup(self.load.close)
        for cpu in CPUS:
            self.load.set(cpu, 100)
        self.since = 0
        self.found = {}

    # ---- eppd's life ----

    def spawn(self, config, *args):
        """Starts eppd; nothing is awaited."""
        self.write_config(config)
        self.daemon = self.spawn_eppd('--residency', self.load.source, '--disable-upower',
                                      '--disable-logind', *args)
        return self.daemon

    def begin(self, profile):
        """The log from here on counts. @profile: as saved by an earlier eppd."""
        os.makedirs(self.state_dir, exist_ok=True)
        with open(os.path.join(self.state_dir, 'state.ini'), 'w', encoding='ascii') as file:
            file.write(STATE.format(profile))
        self.found = self.epps()
        self.since = self.sim.mark()

    def wait_for_boost(self, policy='*'):
        self.wait_for(lambda: any(write.text == BOOST and not write.error
                                  for write in self.epp_writes(policy)), f'a boost of {policy}')

    def start_quiet(self, *args):
        """An eppd that boosts nothing; waits until it has restored, and set its profile."""
        daemon = self.spawn(TABLE, *args)
        self.wait_for_answer(daemon)
        return daemon

    def wait_for_answer(self, daemon):
        """Until the name's owner is @daemon and does its work."""
        def answers():
            self.assertIsNone(daemon.code(), f'it ended: {daemon.out}')
            return self.owner_pid() == daemon.pid
        self.wait_for(answers, 'eppd on the bus')
        self.get('Version')

    def owner_pid(self):
        """Of the name; None: it has no owner."""
        try:
            return self.connection.call_sync(
                'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus',
                'GetConnectionUnixProcessID', GLib.Variant('(s)', (harness.BUS_NAME,)), None,
                0, -1, None).unpack()[0]
        except GLib.Error:
            return None

    def choose_profile(self, profile, awaited):
        parameters = GLib.Variant('(ssv)', (POWER_PROFILES, 'ActiveProfile',
                                            GLib.Variant('s', profile)))
        answered = []
        self.connection.call(POWER_PROFILES, POWER_PROFILES_PATH, 'org.freedesktop.DBus.Properties',
                             'Set', parameters, None, Gio.DBusCallFlags.NONE, -1, None,
                             lambda *_: answered.append(True))
        if awaited:
            self.wait_for(lambda: answered, 'the reply to Set')

    def kill(self, daemon):
        daemon.send(signal.SIGKILL)
        self.wait_program(daemon)

    # ---- what is there, and what should be ----

    def epp_writes(self, policy='*'):
        return self.sim.writes(f'*/{policy}/energy_performance_preference', since=self.since)

    def unboosted(self):
        """By policy, whether the last that was written is eppd's boost, and what the file holds
        without that: what anybody wrote last, but for eppd's boosts, and for what --restore, which
        is on trial, has written."""
        eppds = {eppd.pid for eppd in self.eppds}
        restorers = {eppd.pid for eppd in self.eppds if '--restore' in eppd.argv}
        held = {policy: (False, epp) for policy, epp in self.found.items()}
        for write in sorted(self.epp_writes() + self.registrations(), key=lambda write: write.usec):
            policy = write.path.split('/')[-2]
            if write.error or write.pid in restorers:
                continue
            is_boost = write.text == BOOST and write.pid in eppds
            held[policy] = (is_boost, held[policy][1] if is_boost else write.text)
        return held

    def registrations(self):
        """The driver's, as writes into each file."""
        return [write._replace(path=f'/{policy}/', text=KERNEL_EPP)
                for name in ('status', 'dynamic_epp')
                for write in self.sim.writes(f'*/amd_pstate/{name}', since=self.since)
                for policy in POLICIES]

    def epps(self):
        return {policy: self.epp(policy) for policy in POLICIES}
