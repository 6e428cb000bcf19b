# SPDX-License-Identifier: GPL-2.0-or-later
"""How the daemon's work grows with the machine: on the simulated kernel, of 2 to 1,024 CPUs.

Each figure is the daemon's CPU time, and its reads and writes, for each CPU; and how much more a CPU of the
largest machine takes than one of a middle one. What the simulation itself takes is a process of its own, and
where time passes for it too there is a bare client in the same run, which does the least that must be done.
"""

import contextlib
import fcntl
import json
import os
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True

import rig
from report import Unavailable
from samples import percentile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                                'simkernel'))
import harness  # noqa: E402
import simkernel  # noqa: E402
from gi.repository import GLib  # noqa: E402

SIZES = (2, 64, 256, 1024)
# The growth is that from the middle one: with few CPUs what does not depend on them counts most.
MIDDLE = 64
GROWTH = 1.5
LIMIT_SECONDS = 300

CPUFREQ = '/sys/devices/system/cpu/cpufreq'
EPP = 'energy_performance_preference'
# What there is to know of a policy.
FACTS = ('affected_cpus', 'scaling_driver', 'scaling_governor', 'energy_performance_available_preferences', EPP)
PROFILES = ('org.freedesktop.UPower.PowerProfiles', '/org/freedesktop/UPower/PowerProfiles')
BOOST = 'performance'
BASE = 'balance_power'
CONFIG = f'[Policy]\nTable=custom\nBalancedAC={BASE}\nPowerSaverAC=power\n'
SAMPLE_USEC = 10000
TSC_PER_USEC = 2000


class Ticks:
    """The ticks of CPUs, for --residency trace:FIFO; nobody wakes the daemon but by pulse()."""

    def __init__(self, directory, n_cpus):
        self.path = os.path.join(directory, 'ticks')
        self.mperf = [0] * n_cpus
        os.mkfifo(self.path)
        self.fd = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        fcntl.fcntl(self.fd, fcntl.F_SETPIPE_SZ, 1 << 20)
        self.source = f'trace:{self.path}'

    def close(self):
        os.close(self.fd)

    def pulse(self, cpus, apart_usec=0):
        """A busy window of each of @cpus, ending now or, of each next one, @apart_usec later; when the first
        ended."""
        end_usec = time.monotonic_ns() // 1000
        lines = []
        for place, cpu in enumerate(cpus):
            usec = end_usec + place * apart_usec
            for busy_usec, when_usec in ((0, usec - SAMPLE_USEC), (SAMPLE_USEC, usec)):
                self.mperf[cpu] += busy_usec * TSC_PER_USEC
                lines.append((when_usec, f'{when_usec} {cpu} {self.mperf[cpu]} {when_usec * TSC_PER_USEC}\n'))
        # Each CPU's two in their order: a sort keeps what is equal as it was.
        lines.sort(key=lambda line: line[0])
        text = '\n' + ''.join(line for _, line in lines)
        os.write(self.fd, text.encode())
        return end_usec


class Work:
    """What a process does from now on: its CPU time, its reads and writes (of files: a bus is none)."""

    def __init__(self, process):
        self.process = process
        self.before = self._now()

    def _now(self):
        counts = self.process.io()
        return self.process.cpu_usec(), counts['syscr'] + counts['syscw']

    def done(self):
        """(CPU microseconds, calls)"""
        return tuple(after - before for after, before in zip(self._now(), self.before, strict=True))


class SimRig(rig.Rig):
    """The daemon on a simulated kernel with so many CPUs, each with a policy of its own."""

    def __init__(self, n_cpus):
        super().__init__(n_cpus)
        self.n_cpus = n_cpus

    def setUp(self):
        super().setUp()
        self.sim = simkernel.SimKernel(self.tree, '--cpus', str(self.n_cpus), directory=self.directory,
                                       build_root=harness.BUILD_ROOT)
        self.addCleanup(self.sim.close)
        self.ticks = Ticks(self.directory, self.n_cpus)
        self.addCleanup(self.ticks.close)

    def start(self, mode='always', **boost):
        keys = ''.join(f'{key}={value}\n' for key, value in boost.items())
        self.write_config(f'{CONFIG}[Boost]\nMode={mode}\n{keys}')
        self.start_eppd('--residency', self.ticks.source, polkit=None)
        self.wait_for(lambda: self.get('ResidencySource') == 'trace', 'the source')
        if mode == 'always':
            self.wait_for_armed()
        self.settle()
        return rig.Process(self.daemon.pid)

    def start_once(self):
        """(seconds to the first reply, CPU time and calls until then)"""
        seconds, program = self.start_to_first_reply()
        usec, calls = Work(rig.Process(program.pid)).before
        program.send(signal.SIGTERM)
        self.wait_program(program)
        return seconds, usec, calls

    def settle(self):
        """Until it has nothing more to do."""
        process = rig.Process(self.daemon.pid)
        used = -1
        while (now_used := process.cpu_usec()) != used:
            used = now_used
            time.sleep(0.25)

    def file(self, cpu, name=EPP):
        return self.path(f'{CPUFREQ}/policy{cpu}/{name}')

    def epp_writes(self, since, text=None):
        """The daemon's, that were taken: [Write]."""
        return [write for write in self.sim.writes(f'*/{EPP}', since, pid=self.daemon.pid)
                if not write.error and text in (None, write.text)]

    def wait_for_writes(self, cpus, since, text):
        """Until the daemon has written @text into each of them; the writes."""
        wanted = {f'{CPUFREQ}/policy{cpu}/{EPP}' for cpu in cpus}
        deadline = time.monotonic() + LIMIT_SECONDS
        while True:
            writes = self.epp_writes(since, text)
            missing = wanted - {write.path for write in writes}
            if not missing:
                return writes
            if time.monotonic() > deadline or self.daemon.code() is not None:
                raise Unavailable(f'{len(missing)} of {len(wanted)} policies were not set to {text}, '
                                  f'{sorted(missing)[0]} among them')
            time.sleep(0.05)


class Growth:
    """A value for each size; what it says of a CPU."""

    def __init__(self, report, sizes):
        self.report = report
        self.sizes = sizes
        self.values = {}

    def add(self, n_cpus, values, text=''):
        """@values: {name: (of all CPUs, unit)}"""
        for name, (value, unit) in values.items():
            self.values.setdefault((name, unit), {})[n_cpus] = value / n_cpus
        each = ', '.join(f'{name} {value / n_cpus:.4g} {unit}'.rstrip() for name, (value, unit) in values.items())
        self.report.value(f'{n_cpus} CPUs, each of them', each + (f'; {text}' if text else ''))

    def judge(self):
        largest = self.sizes[-1]
        for (name, _unit), values in self.values.items():
            growth = values[largest] / values[MIDDLE] if values[MIDDLE] > 0 else float(values[largest] > 0)
            self.report.value(f'{name}, a CPU of {largest} against {MIDDLE}', f'{growth:.2f} times',
                              f'<= {GROWTH}', growth <= GROWTH)


def _seconds(function, *args):
    begin = time.monotonic()
    function(*args)
    return time.monotonic() - begin


@contextlib.contextmanager
def _growth(report, sizes):
    report.note('simulated kernel; amd-pstate, a policy a CPU; "calls" are reads and writes of files')
    growth = Growth(report, sizes)
    yield growth
    growth.judge()


# ---- start ----

def _read_facts(daemon):
    for cpu in range(daemon.n_cpus):
        for name in FACTS:
            with open(daemon.file(cpu, name), 'rb', buffering=0) as file:
                file.read()


def start(report, options):
    """From the start of the process to its first reply."""
    times = 1 if options.quick else 3
    with _growth(report, SIZES) as growth:
        report.note(f'bare: {len(FACTS)} files of each policy opened, read and closed, by a client in Python')
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon:
                daemon.write_config(CONFIG)
                bare = min(_seconds(_read_facts, daemon) for _ in range(times))
                runs = [daemon.start_once() for _ in range(times)]
                seconds, usec, calls = (min(values) for values in zip(*runs, strict=True))
                growth.add(n_cpus, {'CPU time': (usec, 'us'), 'calls': (calls, ''),
                                    'passed / bare': (seconds / bare * n_cpus, '')}, f'{seconds * 1000:.0f} ms in all')


# ---- profile switch ----

def _rewrite(descriptors, text):
    for descriptor in descriptors:
        os.pread(descriptor, 4096, 0)
        os.pwrite(descriptor, text, 0)


def switch(report, options):
    """A profile switch."""
    times = 2 if options.quick else 6
    with _growth(report, SIZES) as growth:
        report.note('bare: each EPP file read and written, on descriptors that are open')
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon, contextlib.ExitStack() as stack:
                descriptors = [stack.enter_context(open(daemon.file(cpu), 'r+b', buffering=0)).fileno()
                               for cpu in range(n_cpus)]
                bare = min(_seconds(_rewrite, descriptors, text) for text in (b'power', b'performance') * times)
                process = daemon.start()
                runs = [_switch_once(daemon, process, profile)
                        for profile in ('power-saver', 'balanced') * times]
                # The first two find what they had not read before.
                seconds, usec, calls = (min(values) for values in zip(*runs[2:], strict=True))
                growth.add(n_cpus, {'CPU time': (usec, 'us'), 'calls': (calls, ''),
                                    'passed / bare': (seconds / bare * n_cpus, '')}, f'{seconds * 1000:.1f} ms in all')


def _switch_once(daemon, process, profile):
    work = Work(process)
    name, path = PROFILES
    seconds = _seconds(daemon.set, 'ActiveProfile', GLib.Variant('s', profile), name, path)
    return seconds, *work.done()


# ---- hotplug ----

def _storm(daemon):
    """All CPUs but 0 go and come back, with another EPP than they had."""
    for cpu in range(1, daemon.n_cpus):
        daemon.sim.command(f'cpu {cpu} offline')
    for cpu in range(1, daemon.n_cpus):
        daemon.sim.command(f'epp {cpu} 255')
        daemon.sim.command(f'cpu {cpu} online')


def hotplug(report, options):
    """A storm of hotplug: all CPUs but 0 go and come back, until each has its EPP again."""
    times = 1 if options.quick else 3
    with _growth(report, SIZES) as growth:
        report.note('armed; bare: the same storm with nobody there')
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon:
                bare = min(_seconds(_storm, daemon) for _ in range(times))
                process = daemon.start()
                runs = [_storm_once(daemon, process) for _ in range(times)]
                seconds, usec, calls, looks = (min(values) for values in zip(*runs, strict=True))
                growth.add(n_cpus, {'CPU time': (usec, 'us'), 'calls': (calls, ''),
                                    'passed / bare': (seconds / bare * n_cpus, '')},
                           f'{looks} times armed again; {seconds * 1000:.0f} ms in all')


def _storm_once(daemon, process):
    arms = daemon.statistics()['arms']
    work = Work(process)
    since = daemon.sim.mark()
    begin = time.monotonic()
    _storm(daemon)
    daemon.wait_for_writes(range(1, daemon.n_cpus), since, BASE)
    seconds = time.monotonic() - begin
    daemon.settle()
    usec, calls = work.done()
    return seconds, usec, calls, daemon.statistics()['arms'] - arms


# ---- edges ----

def edges(report, options):
    """An edge, of one CPU that goes busy and idle."""
    times = 20 if options.quick else 60
    with _growth(report, SIZES) as growth:
        report.note(f'the CPU goes busy and idle {times} times; not "each of them", but of all')
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon:
                process = daemon.start(HoldMs=20)
                cpu = n_cpus - 1
                _pulse_once(daemon, cpu)
                daemon.settle()
                work = Work(process)
                latencies = [_pulse_once(daemon, cpu) for _ in range(times)]
                usec, calls = (value / (2 * times) for value in work.done())
                growth.add(n_cpus, {'CPU time': (usec * n_cpus, 'us'), 'calls': (calls * n_cpus, '')},
                           f'tick to written p50 {percentile(latencies, 50):.0f} us')


def _pulse_once(daemon, cpu):
    """Until it is idle again; the microseconds from the tick to the write."""
    since = daemon.sim.mark()
    begin_usec = daemon.ticks.pulse([cpu])
    write = daemon.wait_for_writes([cpu], since, BOOST)[0]
    daemon.wait_for_writes([cpu], since, BASE)
    return write.usec - begin_usec


def _storm_of_edges(report, options, apart_usec, note):
    times = 1 if options.quick else 3
    with _growth(report, SIZES) as growth:
        report.note(note)
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon:
                process = daemon.start(HoldMs=1000)
                first = _edges_once(daemon, process, apart_usec)
                runs = [_edges_once(daemon, process, apart_usec) for _ in range(times)]
                busy, usec, calls = (min(values) for values in zip(*runs, strict=True))
                growth.add(n_cpus, {'CPU time': (usec, 'us'), 'calls': (calls, ''), 'the first time': (first[1], 'us')},
                           f'{busy / 1000:.1f} ms to the last boost')


def _edges_once(daemon, process, apart_usec):
    """(microseconds to the last boost, CPU time, calls)"""
    daemon.settle()
    work = Work(process)
    since = daemon.sim.mark()
    begin_usec = daemon.ticks.pulse(range(daemon.n_cpus), apart_usec)
    boosts = daemon.wait_for_writes(range(daemon.n_cpus), since, BOOST)
    daemon.wait_for_writes(range(daemon.n_cpus), since, BASE)
    daemon.settle()
    return max(write.usec for write in boosts) - begin_usec, *work.done()


def busy(report, options):
    """All CPUs go busy at once, and idle at once."""
    _storm_of_edges(report, options, 0, 'HoldMs=1000')


def rolling(report, options):
    """All CPUs go busy, and idle one after the other."""
    _storm_of_edges(report, options, 900, 'HoldMs=1000, 0.9 ms between two; all are boosted meanwhile')


# ---- standing still ----

def memory(report, options):
    """Memory and descriptors, armed."""
    with _growth(report, SIZES) as growth:
        for n_cpus in SIZES:
            with SimRig(n_cpus) as daemon:
                process = daemon.start()
                _switch_once(daemon, process, 'power-saver')
                rss = process.memory_kib()['Private_Dirty']
                growth.add(n_cpus, {'private dirty': (rss, 'KiB'), 'descriptors': (process.n_descriptors(), '')},
                           f'RSS {process.memory_kib()["Rss"]} KiB in all')


def idle(report, options):
    """Context switches, armed, with nothing busy."""
    seconds = options.seconds or (3 if options.quick else 20)
    report.note('simulated kernel; the trace tells nothing meanwhile')
    for n_cpus in SIZES:
        with SimRig(n_cpus) as daemon:
            process = daemon.start()
            before = sum(process.switches().values())
            time.sleep(seconds)
            count = sum(process.switches().values()) - before
            report.value(f'{n_cpus} CPUs', f'{count} in {seconds:.0f} s', '0', count == 0)


FIGURES = {'scale-start': start, 'scale-switch': switch, 'scale-hotplug': hotplug, 'scale-edges': edges,
           'scale-busy': busy, 'scale-rolling': rolling, 'scale-memory': memory, 'scale-idle': idle}


# ---- in mounts and a network of its own ----

class _Relay:
    """A report that is told to another process."""

    def __getattr__(self, name):
        def tell(*args):
            print(json.dumps([name, args]), flush=True)
        return tell


def isolated(name):
    """The figure of that name, measured where uevents reach no other program."""
    def measure(report, options):
        isolate = os.path.join(os.path.dirname(simkernel.__file__), 'isolate')
        lacks = simkernel.missing(harness.BUILD_ROOT)
        if lacks:
            raise Unavailable(lacks)
        argv = [isolate, sys.executable, '-B', __file__, name, json.dumps(vars(options))]
        with subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as child:
            for line in child.stdout:
                if not line.startswith('['):
                    raise Unavailable(line.strip())
                method, args = json.loads(line)
                getattr(report, method)(*args)
        if child.returncode != 0:
            raise Unavailable(f'{os.path.basename(__file__)} failed ({child.returncode})')

    measure.__doc__ = FIGURES[name].__doc__
    return measure


def main():
    import argparse

    name, options = sys.argv[1:]
    try:
        FIGURES[name](_Relay(), argparse.Namespace(**json.loads(options)))
    except (Unavailable, harness.EppdTestCase.failureException) as error:
        print(error, flush=True)


if __name__ == '__main__':
    main()
