# SPDX-License-Identifier: GPL-2.0-or-later
"""What the daemon itself takes: wake-ups, memory, time to start, CPU time an edge."""

import os
import statistics
import time

import rig
from samples import percentile


class _SwitchCount:
    """The context switches of a daemon's tasks from now on."""

    def __init__(self, daemon, process):
        self.daemon = daemon
        self.process = process
        # Before the count begins, since the daemon wakes up to answer.
        self.edges = self._edges()
        time.sleep(0.5)
        self.before = process.switches()
        self.start = time.monotonic()

    def _edges(self):
        counters = self.daemon.statistics()
        return counters['busy-edges'] + counters['idle-edges']

    def report(self, report, what, limit):
        after = self.process.switches()
        seconds = time.monotonic() - self.start
        count = sum(switches - self.before.get(task, 0) for task, switches in after.items())
        edges = self._edges() - self.edges
        aim = '0' if limit == 0 else f'<= {limit} a second'
        report.value(what, f'{count} in {seconds:.0f} s, {len(after)} tasks', aim,
                     count / seconds <= limit)
        if edges:
            report.note(f'{edges} edges meanwhile, each a wake-up')
        if set(after) != set(self.before):
            report.note('its tasks changed meanwhile')


def idle(report, options):
    """Context switches of the daemon on an idle machine."""
    seconds = options.seconds or (5 if options.quick else 60)
    with rig.Rig() as disarmed, rig.Rig() as armed:
        counts = [_SwitchCount(disarmed, disarmed.start('opt-in')),
                  _SwitchCount(armed, armed.start('always'))]
        idle_time = rig.IdleTime()
        time.sleep(seconds)
        report.note(f'the CPUs were {idle_time.percent():.1f} % idle')
        counts[0].report(report, 'not armed', 0)
        counts[1].report(report, 'armed', 1)


def _report_memory(report, what, process):
    memory = process.memory_kib()
    report.value(what, f'RSS {memory["Rss"]}, PSS {memory["Pss"]}, private dirty '
                       f'{memory["Private_Dirty"]} KiB')
    report.value('  BPF, in the kernel', f'{process.bpf_kib():.0f} KiB')


def memory(report, _options):
    """Memory, not armed and armed."""
    with rig.Rig() as daemon:
        process = daemon.start('opt-in', source='auto')
        report.note(daemon.get('ResidencyReason'))
        _report_memory(report, 'not armed', process)
        daemon.hold()
        _report_memory(report, 'armed', process)


def start(report, options):
    """From the start of the process to its first reply."""
    times = 5 if options.quick else 20
    with rig.Rig() as daemon:
        daemon.write_config('')
        daemon.make_tree()
        milliseconds = [daemon.seconds_to_first_reply() * 1000 for _ in range(times)]
    report.value(f'p50 of {times} starts', f'{percentile(milliseconds, 50):.1f} ms')
    report.value('shortest, longest', f'{min(milliseconds):.1f}, {max(milliseconds):.1f} ms')


# An episode begins each so often, so that at HoldMs=300 seven or eight CPUs are boosted at a time, however
# many there are.
EPISODE_USEC = 40000


def _write_trace(path, n_cpus, n_episodes):
    """Each CPU in its turn: a baseline, and a busy window of 10 ms after it."""
    with open(path, 'w', encoding='utf-8') as file:
        for number in range(n_episodes):
            usec = number * EPISODE_USEC
            for counter in (usec, usec + 10000):
                file.write(f'{counter} {number % n_cpus} {counter * 2000} {counter * 2000}\n')


def _trace_usec(n_cpus, n_episodes):
    """The daemon's CPU time from its start until a trace is through."""
    with rig.Rig(n_cpus) as daemon:
        trace = os.path.join(daemon.directory, 'trace')
        _write_trace(trace, n_cpus, n_episodes)
        process = daemon.start('always', source=f'trace:virtual:{trace}')
        wanted = {'busy-edges': n_episodes, 'idle-edges': n_episodes}
        used = -1
        # Asking costs the daemon time: only when it has been quiet.
        while (now_used := process.cpu_usec()) != used:
            used = now_used
            time.sleep(0.3)
        counters = daemon.statistics()
        if any(counters[name] != count for name, count in wanted.items()):
            raise rig.Unavailable(f'{n_episodes} episodes on {n_cpus} CPUs made '
                                  f'{counters["busy-edges"]} busy and {counters["idle-edges"]} idle edges')
        return used


def scale(report, options):
    """CPU time of the daemon an edge, with many CPUs (simulated, from a trace in virtual time)."""
    few, many = 500, (10500 if options.quick else 20500)
    times = 1 if options.quick else 3
    each = {}
    report.note('from the difference of two traces, so that what start and arming take is not in it')
    for n_cpus in (16, 128, 512):
        each[n_cpus] = statistics.median(
            (_trace_usec(n_cpus, many) - _trace_usec(n_cpus, few)) / (2 * (many - few))
            for _ in range(times))
        report.value(f'{n_cpus} CPUs', f'{each[n_cpus]:.2f} us an edge')
    growth = each[512] / each[16]
    report.value('512 CPUs against 16', f'{growth:.2f} times', '<= 2: with edges, not with CPUs',
                 growth <= 2)
