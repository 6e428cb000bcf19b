# SPDX-License-Identifier: GPL-2.0-or-later
"""A daemon on a bus and a tree of its own, and what /proc says of it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time

from report import Unavailable

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                'integration'))
import harness  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

CPUS = sorted(os.sched_getaffinity(0))
# The unit's.
NICE = -10
SAMPLE_MS = 10
CLOCK_MONOTONIC_COARSE = 6


def tick_ms():
    """The kernel's tick: the resolution of its coarse clock."""
    return time.clock_getres(CLOCK_MONOTONIC_COARSE) * 1000


def tool(name):
    path = os.path.join(harness.BUILD_ROOT, 'tests', 'bench', name)
    if not os.path.exists(path):
        raise Unavailable(f'{path} was not built (the build has no BPF source?)')
    return path


def perf():
    path = shutil.which('perf')
    if not path:
        raise Unavailable('perf is not installed (Debian: linux-perf)')
    return path


def run(argv, **popen_args):
    """Runs a measuring program; its output. Its own words are the reason if it fails."""
    result = subprocess.run(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, check=False, **popen_args)
    if result.returncode != 0:
        raise Unavailable(f'{os.path.basename(argv[0])} failed ({result.returncode}): '
                          + result.stderr.strip())
    return result.stdout


@contextlib.contextmanager
def load(cpus, work_ms, sleep_ms, new_session=False):
    """Load on each of @cpus while the block runs. @new_session: as programs of another session or unit are,
    with which the scheduler shares by group (autogroup, cgroup): our nice value counts for nothing then."""
    programs = []
    try:
        for cpu in cpus:
            programs.append(subprocess.Popen(
                [harness.EPPD_LOAD, '--cpu', str(cpu), '--work-ms', str(work_ms), '--sleep-ms',
                 str(sleep_ms), '--seconds', '3600'], stdin=subprocess.DEVNULL,
                start_new_session=new_session))
        yield
    finally:
        for program in programs:
            program.kill()
            program.wait()


@contextlib.contextmanager
def on_cpu(cpu):
    """This process and all that it starts stay on @cpu while the block runs."""
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {cpu})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


class IdleTime:
    """How idle a CPU ("cpu3"), or all of them ("cpu"), has been from now on."""

    def __init__(self, name='cpu'):
        self.name = name
        self.before = self._ticks()

    def _ticks(self):
        """(idle, all) of /proc/stat, of which guest time is in user time already."""
        for line in harness.read_file('/proc/stat').splitlines():
            name, *fields = line.split()
            if name == self.name:
                ticks = [int(field) for field in fields[:8]]
                return ticks[3] + ticks[4], sum(ticks)
        raise Unavailable(f'/proc/stat has no {self.name}')

    def percent(self):
        idle, total = (after - before for after, before in zip(self._ticks(), self.before))
        return 100 * idle / max(total, 1)


class Process:
    """What /proc says of a process."""

    def __init__(self, pid):
        self.directory = f'/proc/{pid}'

    def _read(self, *names):
        return harness.read_file(os.path.join(self.directory, *names))

    def _fields(self, *names):
        """The lines «Name: value»."""
        pairs = (line.split(':', 1) for line in self._read(*names).splitlines() if ':' in line)
        return {name: value.strip() for name, value in pairs}

    def tasks(self):
        return os.listdir(os.path.join(self.directory, 'task'))

    def switches(self):
        """{task: its context switches so far}"""
        switches = {}
        for task in self.tasks():
            fields = self._fields('task', task, 'status')
            switches[task] = (int(fields['voluntary_ctxt_switches'])
                              + int(fields['nonvoluntary_ctxt_switches']))
        return switches

    def cpu_usec(self):
        """The time that its tasks ran, of those that have not ended."""
        return sum(int(self._read('task', task, 'schedstat').split()[0])
                   for task in self.tasks()) / 1000

    def io(self):
        """{'syscr': its read calls so far, 'syscw': its write calls, …}"""
        return {name: int(value) for name, value in self._fields('io').items()}

    def n_descriptors(self):
        return len(os.listdir(os.path.join(self.directory, 'fd')))

    def memory_kib(self):
        """{'Rss': …, 'Pss': …, 'Private_Dirty': …}"""
        fields = self._fields('smaps_rollup')
        return {name: int(fields[name].split()[0]) for name in ('Rss', 'Pss', 'Private_Dirty')}

    def bpf_kib(self):
        """The kernel memory of the BPF programs and maps that it holds."""
        total = 0
        for fd in os.listdir(os.path.join(self.directory, 'fdinfo')):
            with contextlib.suppress(FileNotFoundError):
                total += int(self._fields('fdinfo', fd).get('memlock', 0))
        return total / 1024


class Rig(harness.EppdTestCase):
    """The daemon as its unit runs it, but for the tree: with Rig() as rig: …"""

    # (bus name and interface, path), and the property that is asked for first.
    first_name = (harness.BUS_NAME, harness.OBJECT_PATH)
    first_property = 'Version'

    def __init__(self, n_cpus=CPUS[-1] + 1):
        super().__init__()
        self.tree_args = ('--cpus', str(n_cpus))

    def __enter__(self):
        try:
            self.setUp()
        except BaseException:
            self.doCleanups()
            raise
        return self

    def __exit__(self, *_exception):
        self.doCleanups()

    def spawn_eppd(self, *args, **popen_args):
        """As quiet as the unit: the tests' -v costs time at each edge."""
        if not os.path.isdir(self.tree):
            self.make_tree()
        for directory in (self.state_dir, self.runtime_dir):
            os.makedirs(directory, exist_ok=True)
        return self.start_bare_eppd('--root', self.tree, '--config', self.config_path, '--state-dir',
                                    self.state_dir, '--runtime-dir', self.runtime_dir, *args,
                                    **popen_args)

    def start(self, mode, source='bpf', **boost):
        """Starts the daemon with a Mode and other keys of [Boost], and waits until its source is chosen. A
        source that does not work here makes the figure unavailable."""
        keys = ''.join(f'{key}={value}\n' for key, value in boost.items())
        self.write_config(f'[Boost]\nMode={mode}\n{keys}')
        self.start_eppd('--residency', source, polkit=None)
        for task in Process(self.daemon.pid).tasks():
            with contextlib.suppress(PermissionError, ProcessLookupError):
                os.setpriority(os.PRIO_PROCESS, int(task), NICE)
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the source')
        if self.get('ResidencySource') == 'none':
            raise Unavailable(self.get('ResidencyReason'))
        if mode == 'always':
            self.wait_for_armed()
        return Process(self.daemon.pid)

    def wait_for_armed(self):
        if self.get('BoostState') != 'armed':
            raise Unavailable(f'not armed: {self.get("BoostReason")}')

    def hold(self):
        """Arms it. Root needs no polkit."""
        cookie = self.call('HoldBoost', 'bench', 'bench', {})
        self.wait_for_armed()
        return cookie

    def release(self, cookie):
        self.call('ReleaseBoost', cookie)

    def statistics(self):
        return self.call('GetStatistics')

    def start_to_first_reply(self):
        """(seconds from before the start of the daemon's process to its first reply, the program)"""
        name, path = self.first_name
        owned = []
        subscription = self.connection.signal_subscribe(
            'org.freedesktop.DBus', 'org.freedesktop.DBus', 'NameOwnerChanged',
            '/org/freedesktop/DBus', name, Gio.DBusSignalFlags.NONE,
            lambda *args: owned.extend(filter(None, args[-1].unpack()[2:])))
        # The match is on its way to the bus: a reply behind it says that it has come.
        self.name_owner(name)
        start = time.monotonic()
        program = self.spawn_eppd()
        self.wait_for(lambda: owned, 'the daemon on the bus')
        self.connection.call_sync(
            name, path, 'org.freedesktop.DBus.Properties', 'Get',
            GLib.Variant('(ss)', (name, self.first_property)), None, Gio.DBusCallFlags.NONE, -1, None)
        seconds = time.monotonic() - start
        self.connection.signal_unsubscribe(subscription)
        return seconds, program

    def seconds_to_first_reply(self):
        """The same. Stops it again."""
        seconds, program = self.start_to_first_reply()
        program.send(signal.SIGTERM)
        self.wait_program(program)
        return seconds
