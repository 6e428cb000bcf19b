# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of the boost share: recordings for --residency trace:FILE, and real load."""

import dataclasses
import functools
import os
import re
import signal

from gi.repository import GLib

import harness

POLICY_DIR = '/sys/devices/system/cpu/cpufreq/'
KERNEL_BOOST = '/sys/module/amd_pstate/parameters/epp_boost'
AC_ONLINE = '/sys/class/power_supply/AC/online'
DYNAMIC_EPP = '/sys/devices/system/cpu/amd_pstate/dynamic_epp'
BASE = 'balance_performance'
BOOST = 'performance'

TICK_MS = 4
TSC_PER_MS = 2_000_000
POWER_PROFILES = 'org.freedesktop.UPower.PowerProfiles'
POWER_PROFILES_PATH = '/org/freedesktop/UPower/PowerProfiles'


@dataclasses.dataclass(frozen=True)
class Load:
    """Frames of work and sleep on a CPU from one time to another."""

    cpu: int
    start_ms: int
    end_ms: int
    work_ms: int = 1
    sleep_ms: int = 0

    @property
    def frame_ms(self):
        return self.work_ms + self.sleep_ms

    def worked_ms(self, now_ms):
        """For how long it has worked until @now_ms."""
        passed_ms = min(max(now_ms - self.start_ms, 0), self.end_ms - self.start_ms)
        frames, rest_ms = divmod(passed_ms, self.frame_ms)
        return frames * self.work_ms + min(rest_ms, self.work_ms)


def trace_lines(cpus, loads, duration_ms):
    """The readings of @cpus on each tick, with what @loads (at most one a CPU at a time) do."""
    for now_ms in range(0, duration_ms + 1, TICK_MS):
        for cpu in cpus:
            worked_ms = sum(load.worked_ms(now_ms) for load in loads if load.cpu == cpu)
            yield (f'{now_ms * 1000} {cpu} {int(worked_ms * TSC_PER_MS)} '
                   f'{now_ms * TSC_PER_MS + 1}\n')


@functools.lru_cache(maxsize=4)
def trace_text(cpus, loads, duration_ms):
    """The same few in most tests of a file, and each takes a while."""
    return ''.join(trace_lines(cpus, loads, duration_ms))


class BoostTestCase(harness.EppdTestCase):
    """CPUs 0 and 1, each with a policy of its own, unless tree_args says otherwise."""

    tree_args = ('--cpus', '2')

    def put(self, path, text):
        """A file of the tree, made where it is missing."""
        full_path = self.path(path)
        os.makedirs(os.path.dirname(full_path), exist_ok=True)
        with open(full_path, 'w', encoding='utf-8') as file:
            file.write(text)

    def line(self, path):
        """The first line of a file of the tree: a plain file keeps what is longer than a write."""
        return self.read(path).split('\n')[0]

    def make_trace(self, loads, duration_ms, cpus=(0, 1)):
        """The path of a new recording."""
        path = os.path.join(self.directory, 'trace')
        with open(path, 'w', encoding='utf-8') as file:
            file.write(trace_text(tuple(cpus), tuple(loads), duration_ms))
        return path

    def start_busy(self, *args, loads=None, duration_ms=300_000, **start_args):
        """Starts eppd where CPU 1 is busy (or @loads run) from the arming on."""
        loads = loads or [Load(1, 0, duration_ms)]
        path = self.make_trace(loads, duration_ms, cpus=sorted({load.cpu for load in loads}))
        return self.start_eppd('--residency', f'trace:{path}', *args, **start_args)

    def hold(self, app_id='game', reason='playing', on=None, fds=None, **options):
        """HoldBoost with @options (threshold_percent for threshold-percent); the cookie."""
        return self.call('HoldBoost', app_id, reason,
                         {name.replace('_', '-'): value for name, value in options.items()}, on=on,
                         fds=fds)

    def held(self, on=None):
        return self.call('ListBoostHolds', on=on)

    def arm(self, **hold_args):
        cookie = self.hold(**hold_args)
        self.wait_for_state('armed')
        return cookie

    def boost(self, policy='policy1', **hold_args):
        """Holds and waits until @policy is boosted; the cookie."""
        cookie = self.arm(**hold_args)
        self.wait_for_epp(policy, BOOST)
        return cookie

    def wait_for_state(self, state):
        self.wait_for(lambda: self.get('BoostState') == state, f'BoostState {state}')

    def wait_for_statistics(self, **wanted):
        """Waits until each counter (busy_edges for busy-edges) is at least what is wanted; all of
        them."""
        def reached():
            statistics = self.call('GetStatistics')
            return statistics if all(statistics[name.replace('_', '-')] >= value
                                     for name, value in wanted.items()) else None
        return self.wait_for(reached, f'the statistics to reach {wanted}')

    def assert_statistics(self, statistics, **wanted):
        self.assertEqual({name: statistics[name.replace('_', '-')] for name in wanted}, wanted)

    def written_ns(self, policy):
        """When @policy's EPP file was last written."""
        return os.stat(self.path(self.epp_path(policy))).st_mtime_ns

    def refuse_writes(self, path):
        """Has even root's writes to @path fail, also those through an open descriptor; a function
        that takes that back."""
        full_path = self.path(path)

        def chattr(flag):
            return self.run_program(['chattr', flag, full_path])

        if chattr('+i').code() != 0:
            self.skipTest('machine lacks: root (for immutable files)' if os.geteuid() != 0 else
                          'machine lacks: immutable files in the temporary directory')
        self.addCleanup(chattr, '-i')
        return lambda: chattr('-i')

    def set_profile(self, profile):
        """As saved by an earlier eppd."""
        os.makedirs(self.state_dir, exist_ok=True)
        with open(os.path.join(self.state_dir, 'state.ini'), 'w', encoding='utf-8') as file:
            file.write(f'[State]\nProfile={profile}\n')

    def apply(self, profile):
        """A user chooses it; and the daemon looks at the power source again."""
        self.set('ActiveProfile', variant('s', profile), POWER_PROFILES, POWER_PROFILES_PATH)
        self.call('Reload')

    def restore(self):
        """eppd --restore; what it said."""
        program = self.run_bare_eppd('-v', '--restore', '--root', self.tree, '--runtime-dir',
                                     self.runtime_dir)
        self.assertEqual(program.code(), 0, program.out)
        return program.out

    def connect_as(self, uid):
        """A connection of another user."""
        if os.geteuid() != 0:
            self.skipTest('machine lacks: root (to be several users)')
        os.chmod(self.directory, 0o711)
        os.seteuid(uid)
        try:
            return self.connect()
        finally:
            os.seteuid(0)

    # ---- the daemon's descriptors ----

    def descriptors(self):
        """What the daemon's descriptors are, sorted: 'anon_inode:[eventfd]', paths, …"""
        # It answers when what it is at, with a file open perhaps, is done.
        self.get('Version')
        directory = f'/proc/{self.daemon.pid}/fd'
        links = []
        for name in os.listdir(directory):
            try:
                links.append(re.sub(r'\d{3,}', 'N', os.readlink(os.path.join(directory, name))))
            except FileNotFoundError:
                continue
        return sorted(links)

    def sampling_descriptors(self):
        """Those that may wake somebody up or cost time while nothing is armed."""
        return [link for link in self.descriptors()
                if re.search(r'bpf[-_]link|perf_event|timerfd', link)]

    # ---- real load ----

    def pin(self):
        """This process, and what it starts from here on, on CPU 0; CPU 1 is left to the load."""
        before = os.sched_getaffinity(0)
        if not {0, 1} <= before:
            self.skipTest('machine lacks: CPUs 0 and 1 for this process')
        os.sched_setaffinity(0, {0})
        self.addCleanup(os.sched_setaffinity, 0, before)

    def start_program_on(self, cpu, argv):
        """On @cpu from its first instruction on: its start alone can make another CPU busy."""
        program = self.start_program(['taskset', '--cpu-list', str(cpu), *argv])
        self.wait_for(lambda: os.sched_getaffinity(program.pid) == {cpu}, 'it to be on its CPU')
        return program

    def start_load(self, work_ms, sleep_ms, cpu=1, seconds=harness.TIMEOUT_SECONDS * 2):
        return self.start_program_on(cpu, [harness.EPPD_LOAD, '--cpu', str(cpu), '--work-ms', str(work_ms),
                                           '--sleep-ms', str(sleep_ms), '--seconds', str(seconds)])

    def stop_load(self, load):
        load.send(signal.SIGTERM)
        # By the signal where it had not yet got as far as to catch it.
        self.assertIn(self.wait_program(load), (0, -signal.SIGTERM))

    def require_bpf(self):
        """Skips where the running kernel or the build has no BPF for us. To be called with the
        daemon started with --residency bpf."""
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the probe of bpf')
        reason = self.get('ResidencyReason')
        if self.get('ResidencySource') == 'none' and (
                not os.path.exists('/sys/kernel/btf/vmlinux') or 'built without' in reason):
            self.skipTest(f'machine lacks: BPF: {reason}')


class PolicyTestCase(BoostTestCase):
    """What a profile, a power source and the driver make of the policies' files."""

    def policy_file(self, name, policy='policy1'):
        return self.line(f'{POLICY_DIR}{policy}/{name}')

    def set_governor(self, policy, governor):
        self.write(f'{POLICY_DIR}{policy}/scaling_governor', governor + '\n')

    def set_ac(self, online):
        self.write(AC_ONLINE, f'{online}\n')


def variant(signature, value):
    return GLib.Variant(signature, value)
