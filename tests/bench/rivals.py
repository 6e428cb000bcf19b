# SPDX-License-Identifier: GPL-2.0-or-later
"""eppd and power-profiles-daemon side by side: what a client waits for, and what they take."""

import contextlib
import os
import shutil
import statistics
import subprocess
import sys
import time

import rig
from samples import median_ratio

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'compat'))
import daemons  # noqa: E402
import harness  # noqa: E402
import mount_namespace  # noqa: E402
import polkit_mock  # noqa: E402
from gi.repository import Gio, GLib  # noqa: E402

BUS_NAME, PATH = daemons.LEGACY
PROPERTIES = 'org.freedesktop.DBus.Properties'
CPU_DIR = '/sys/devices/system/cpu'
PPD_STATE_DIR = '/var/lib/power-profiles-daemon'
# Whom polkit is asked about; eppd lets root pass by itself.
NOBODY = 65534


def _driver(version):
    """What both know: 0.12 has no amd_pstate."""
    return 'amd-pstate-epp' if version >= (0, 20) else 'intel_pstate'


class Rival(rig.Rig):
    """A daemon with a bus, a polkit and a tree of its own."""

    first_name = daemons.LEGACY
    first_property = 'ActiveProfile'

    def __init__(self, n_cpus, driver):
        super().__init__(n_cpus)
        self.tree_args = ('--cpus', str(n_cpus), '--driver', driver)

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o711)
        self.make_tree()
        self.write_config('')
        self.start_program([sys.executable, '-B', polkit_mock.__file__])
        self.wait_for(lambda: self.name_owner(polkit_mock.NAME), 'the polkit mock')
        self.client = self._connect_as_nobody()

    def _connect_as_nobody(self):
        os.seteuid(NOBODY)
        try:
            return self.connect()
        finally:
            os.seteuid(0)

    def launch(self):
        self.daemon = self.spawn_eppd()
        self.wait_for(lambda: self.name_owner(BUS_NAME) or self.daemon.code() is not None,
                      'the daemon on the bus')
        if self.daemon.code() is not None:
            raise rig.Unavailable(f'{self.name} ended at once: {self.log()}')
        self.ask('Get', '(ss)', BUS_NAME, 'ActiveProfile')

    def ask(self, method, signature, *args):
        """A call of the properties' interface; in milliseconds."""
        parameters = GLib.Variant(signature, args)
        start = time.perf_counter()
        self.client.call_sync(BUS_NAME, PATH, PROPERTIES, method, parameters, None,
                              Gio.DBusCallFlags.NONE, -1, None)
        return (time.perf_counter() - start) * 1000

    def ask_polkit(self):
        """The mock's share of an authorised call, in milliseconds."""
        parameters = GLib.Variant('((sa{sv})sa{ss}us)', (('system-bus-name', {}), 'x', {}, 0, ''))
        start = time.perf_counter()
        self.client.call_sync(polkit_mock.NAME, polkit_mock.PATH, 'org.freedesktop.PolicyKit1.Authority',
                              'CheckAuthorization', parameters, None, Gio.DBusCallFlags.NONE, -1, None)
        return (time.perf_counter() - start) * 1000

    def set_profile(self, profile):
        return self.ask('Set', '(ssv)', BUS_NAME, 'ActiveProfile', GLib.Variant('s', profile))


class Ours(Rival):
    """eppd, as its unit runs it but for the tree."""

    name = 'eppd'

    def settle(self):
        """Until the start is over: it tries its residency sources for the first moments."""
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'a residency source')

    def spawn_eppd(self, *args):
        return super().spawn_eppd(*args, preexec_fn=lambda: os.nice(rig.NICE))


class Theirs(Rival):
    """power-profiles-daemon in a mount namespace, where the tree is in the kernel's place."""

    name = 'power-profiles-daemon'

    def settle(self):
        """It does nothing after its first reply."""

    def setUp(self):
        super().setUp()
        # Its state is on the tmpfs too.
        os.makedirs(os.path.join(self.state_dir, os.path.basename(PPD_STATE_DIR)))
        mounts = [(self.tree + CPU_DIR, CPU_DIR), (self.state_dir, os.path.dirname(PPD_STATE_DIR)),
                  (self.directory, self.directory)]
        try:
            self.namespace = mount_namespace.MountNamespace(mounts, daemons.RELEASE)
        except OSError as error:
            raise rig.Unavailable(f'no mount namespace: {error}') from error
        self.addCleanup(self.namespace.close)

    def spawn_eppd(self, *args):
        return self.start_program([daemons.find_ppd(), *args], preexec_fn=self.namespace.enter)


@contextlib.contextmanager
def _both(n_cpus, launch=True):
    """(eppd, power-profiles-daemon) on equal trees."""
    if os.geteuid() != 0:
        raise rig.Unavailable('root is needed, for a mount namespace')
    try:
        version = daemons.ppd_version('/tmp', dict(os.environ))
    except daemons.Missing as missing:
        raise rig.Unavailable(f'the machine lacks {missing}') from missing
    driver = _driver(version)
    with Ours(n_cpus, driver) as ours, Theirs(n_cpus, driver) as theirs:
        theirs.label = f'power-profiles-daemon {version[0]}.{version[1]}, {driver}'
        for rival in (ours, theirs):
            if launch:
                rival.launch()
        yield ours, theirs


def _introduce(report, theirs, how):
    report.note(f'eppd against {theirs.label}; {how}')


def _in_turn(times, ours, theirs):
    """Two lists of what two functions return, called in turn after one call of each for warmth."""
    ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(times)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def _compare(report, label, ours, theirs, unit='ms', wanted=1):
    """A line: both medians, and how many times better eppd is, which is to be @wanted at least."""
    times, low, high = median_ratio(theirs, ours)
    met = True if low >= wanted else False if high < wanted else None
    report.value(label, f'{statistics.median(ours):.2f} against {statistics.median(theirs):.2f} {unit}, '
                        f'{times:.2f} times ({low:.2f}..{high:.2f})', f'>= {wanted}', met)


def calls(report, options):
    """power-profiles-daemon and eppd: Get and GetAll."""
    times = 40 if options.quick else 400
    with _both(16) as (ours, theirs):
        _introduce(report, theirs, f'medians of {times} calls in turn, by a client in Python')
        for method, args in (('Get', ('(ss)', BUS_NAME, 'ActiveProfile')), ('GetAll', ('(s)', BUS_NAME))):
            _compare(report, method, *_in_turn(times, lambda: ours.ask(method, *args),
                                               lambda: theirs.ask(method, *args)))


def switch(report, options):
    """power-profiles-daemon and eppd: Set ActiveProfile."""
    for n_cpus, times in ((2, 100), (16, 100), (128, 50), (512, 20)):
        with _both(n_cpus) as (ours, theirs):
            if n_cpus == 2:
                _introduce(report, theirs, 'up and down in turn')
            _compare_switches(report, n_cpus, 8 if options.quick else times, ours, theirs)


def _compare_switches(report, n_cpus, times, ours, theirs):
    def switch_twice(rival):
        """(milliseconds, CPU microseconds) of one of two switches that undo each other."""
        process = rig.Process(rival.daemon.pid)
        before = process.cpu_usec()
        milliseconds = rival.set_profile('power-saver') + rival.set_profile('balanced')
        return milliseconds / 2, (process.cpu_usec() - before) / 2

    samples = _in_turn(times, lambda: switch_twice(ours), lambda: switch_twice(theirs))
    polkit = statistics.median(_in_turn(times, ours.ask_polkit, theirs.ask_polkit)[0])
    wanted = 2 if n_cpus == 128 else 1
    (our_ms, our_usec), (their_ms, their_usec) = (zip(*values, strict=True) for values in samples)
    _compare(report, f'{n_cpus} policies', our_ms, their_ms, wanted=wanted)
    _compare(report, '  CPU time of the daemon', our_usec, their_usec, unit='us', wanted=wanted)
    report.note(f'about {polkit:.2f} ms are the polkit mock\'s')


def start(report, options):
    """power-profiles-daemon and eppd: from the start of the process to the first reply."""
    times = 5 if options.quick else 20
    with _both(16, launch=False) as (ours, theirs):
        _introduce(report, theirs, 'a client in Python')
        _compare(report, f'p50 of {times} starts in turn',
                 *_in_turn(times, lambda: ours.seconds_to_first_reply() * 1000,
                           lambda: theirs.seconds_to_first_reply() * 1000))


def memory(report, options):
    """power-profiles-daemon and eppd: memory, after use."""
    with _both(16) as (ours, theirs):
        _introduce(report, theirs, 'after 100 switches and readings')
        if daemons.RELEASE:
            report.note('another release\'s libraries are shared with nobody: its PSS is more than it would be')
        for rival in (ours, theirs):
            rival.settle()
            for _ in range(50):
                rival.set_profile('power-saver')
                rival.set_profile('balanced')
                rival.ask('GetAll', '(s)', BUS_NAME)
        # A program that was just built has pages that are not on the disk yet, which would count as dirty.
        os.sync()
        memory = [rig.Process(rival.daemon.pid).memory_kib() for rival in (ours, theirs)]
        for name in memory[0]:
            _compare(report, name.replace('_', ' '), [memory[0][name]], [memory[1][name]], unit='KiB')
        report.value('tasks', ' against '.join(str(len(rig.Process(rival.daemon.pid).tasks()))
                                               for rival in (ours, theirs)))


def idle(report, options):
    """power-profiles-daemon and eppd: context switches while nothing happens."""
    seconds = options.seconds or (5 if options.quick else 20)
    with _both(16) as (ours, theirs):
        _introduce(report, theirs, 'at the same time')
        # What the start has left to do, eppd's choice of a source among it.
        time.sleep(5)
        processes = [rig.Process(rival.daemon.pid) for rival in (ours, theirs)]
        before = [process.switches() for process in processes]
        time.sleep(seconds)
        after = [process.switches() for process in processes]
        # A task that ended meanwhile is in none of them.
        counts = [sum(count - first.get(task, 0) for task, count in last.items())
                  for first, last in zip(before, after, strict=True)]
        report.value('context switches', f'{counts[0]} against {counts[1]} in {seconds:.0f} s', 'no more',
                     counts[0] <= counts[1])


def _run_milliseconds(argv, env):
    start = time.perf_counter()
    result = subprocess.run(argv, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            check=False)
    milliseconds = (time.perf_counter() - start) * 1000
    if result.returncode != 0 or result.stdout != 'balanced\n':
        raise rig.Unavailable(f'{argv} said {result.stdout!r}, {result.stderr!r}')
    return milliseconds


def command(report, options):
    """powerprofilesctl get and eppctl get."""
    times = 5 if options.quick else 20
    theirs_path = shutil.which('powerprofilesctl')
    if not theirs_path:
        raise rig.Unavailable('the machine lacks powerprofilesctl')
    with _both(16) as (ours, theirs):
        _introduce(report, theirs, f'medians of {times} runs in turn')
        _compare(report, 'eppctl get, powerprofilesctl get',
                 *_in_turn(times, lambda: _run_milliseconds([harness.EPPCTL, 'get'], ours.env),
                           lambda: _run_milliseconds([theirs_path, 'get'], theirs.env)), wanted=20)
