# SPDX-License-Identifier: GPL-2.0-or-later
"""What the armed sampling costs everything else."""

import contextlib
import os
import subprocess
import time

import rig
from samples import difference, percentile, ratio

# Never reached, so that nothing is sent.
NEVER_BUSY = 2000


def msr_event():
    """MPERF, or what stands for it where there is none: reading it costs the same."""
    return ('mperf' if os.path.exists('/sys/bus/event_source/devices/msr/events/mperf') else 'tsc')


VARIANTS = {
    'ticks alone': ['--variant', 'mperf', '--event', msr_event()],
    'ticks and cpu_idle': ['--variant', 'idle'],
}


class ArmedSource:
    """The BPF source alone, armed while the block runs."""

    def __init__(self, arguments):
        self.argv = [rig.tool('arm-residency'), *arguments]

    def __enter__(self):
        self.process = subprocess.Popen(self.argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, text=True)
        if self.process.stdout.readline() != 'armed\n':
            self.process.stdin.close()
            reason = self.process.stderr.read().strip()
            self.process.wait()
            raise rig.Unavailable(reason)
        return self

    def __exit__(self, *_exception):
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.process.stderr.close()

    def programs(self):
        """{name: (runs, nanoseconds)} so far."""
        self.process.stdin.write('\n')
        self.process.stdin.flush()
        programs = {}
        while (line := self.process.stdout.readline().split()):
            programs[line[0]] = (int(line[1]), int(line[2]))
        return programs


def sched_bench(arguments, cpu=None):
    """Runs a scheduler benchmark; its own seconds. @cpu: where all of it runs."""
    pinned = ['taskset', '-c', str(cpu)] if cpu is not None else []
    output = rig.run([*pinned, rig.perf(), 'bench', '-f', 'simple', 'sched', *arguments])
    return float(output.split()[0])


def sized(loops_option, loops, arguments, seconds, cpu=None):
    """The benchmark's arguments with as many loops as take about @seconds."""
    taken = sched_bench([*arguments, loops_option, str(loops)], cpu)
    return [*arguments, loops_option, str(max(1, round(loops * seconds / max(taken, 1e-3))))]


def sched_benches(seconds):
    """{name: (arguments, CPU or None)}"""
    pinned = rig.CPUS[-1]
    return {
        'sched pipe': (sized('-l', 20000, ['pipe'], seconds), None),
        'sched pipe on one CPU': (sized('-l', 20000, ['pipe'], seconds, pinned), pinned),
        'sched messaging': (sized('-l', 50, ['messaging', '-g', '4'], seconds), None),
    }


def _report_run_time(report, what, before, after, seconds):
    deltas = {name: (after[name][0] - before[name][0], after[name][1] - before[name][1])
              for name in after}
    share = sum(nsec for _, nsec in deltas.values()) / 1e9 / seconds / len(rig.CPUS) * 100
    report.value(what, f'{share:.4f} % of all CPUs', '< 0.1 %', share < 0.1)
    for name, (runs, nsec) in deltas.items():
        each = f'{nsec / runs:.0f} ns each' if runs else 'never'
        report.value(f'  {name}', f'{runs / seconds:.0f} a second, {each}')


def bpf_time(report, options):
    """The BPF programs' own run time."""
    seconds = 1 if options.quick else 5
    benches = sched_benches(seconds)
    report.note(f'the msr event is {msr_event()}; the kernel\'s own measuring is part of it')
    for variant, arguments in VARIANTS.items():
        # Boosted, as busy CPUs are: a busy sample is noted, and not sent.
        with ArmedSource([*arguments, '--stats', '--boosted']) as source:
            with rig.load(rig.CPUS, 1000, 0):
                time.sleep(0.5)
                before, start = source.programs(), time.monotonic()
                time.sleep(seconds)
                after, end = source.programs(), time.monotonic()
            _report_run_time(report, f'{variant}, every CPU spinning', before, after, end - start)
            for name, (bench, cpu) in benches.items():
                before, start = source.programs(), time.monotonic()
                sched_bench(bench, cpu)
                after, end = source.programs(), time.monotonic()
                _report_run_time(report, f'{variant}, {name}', before, after, end - start)


def sched(report, options):
    """Scheduler benchmarks, armed against not armed."""
    rounds = 3 if options.quick else 10
    benches = sched_benches(0.3 if options.quick else 1.0)
    report.note(f'ratio of the means of {rounds} runs each, in turn, and its 95 % interval; the msr event '
                f'is {msr_event()}')
    conditions = [None, *VARIANTS]
    for name, (bench, cpu) in benches.items():
        seconds = {condition: [] for condition in conditions}
        for number in range(rounds):
            # Nobody is always the first.
            first = number % len(conditions)
            for condition in conditions[first:] + conditions[:first]:
                with (ArmedSource([*VARIANTS[condition], '--threshold-permille', str(NEVER_BUSY)])
                      if condition else contextlib.nullcontext()):
                    seconds[condition].append(sched_bench(bench, cpu))
        for variant in VARIANTS:
            value, low, high = ratio(seconds[variant], seconds[None])
            text = f'{value:.4f}  [{low:.4f}, {high:.4f}]'
            if variant == 'ticks alone':
                met = True if high <= 1.01 else False if low > 1.01 else None
                report.value(f'{name}, {variant}', text, '<= 1.01', met)
            else:
                report.value(f'{name}, {variant}', text)


def _interrupts(cpu):
    """{'RES': …, 'CAL': …}: the interrupts that other CPUs sent to @cpu so far."""
    with open('/proc/interrupts', encoding='utf-8') as file:
        columns = file.readline().split()
        counts = {}
        for line in file:
            name, *fields = line.split()
            if name in ('RES:', 'CAL:'):
                counts[name[:-1]] = int(fields[columns.index(f'CPU{cpu}')])
    return counts


def _interrupt_rates(cpu, seconds):
    """The same, a second, over @seconds."""
    before, start = _interrupts(cpu), time.monotonic()
    time.sleep(seconds)
    after, end = _interrupts(cpu), time.monotonic()
    return {name: (after[name] - before[name]) / (end - start) for name in after}


def _report_rates(report, what, rates):
    kinds = (f'{name} {percentile([rate[name] for rate in rates], 50):.2f}' for name in rates[0])
    report.value(f'{what}, median a second', ', '.join(kinds))


def ipi(report, options):
    """Interrupts that sampling sends to an idle CPU."""
    seconds = 1 if options.quick else 5
    rounds = 3 if options.quick else 6
    if len(rig.CPUS) < 2:
        raise rig.Unavailable('a second CPU')
    cpu = rig.CPUS[-1]
    rates = {False: [], True: []}
    with rig.on_cpu(rig.CPUS[0]), rig.Rig() as daemon:
        daemon.start('opt-in')
        idle = rig.IdleTime(f'cpu{cpu}')
        for number in range(rounds):
            for armed in (False, True) if number % 2 == 0 else (True, False):
                cookie = daemon.hold() if armed else None
                rates[armed].append(_interrupt_rates(cpu, seconds))
                if armed:
                    daemon.release(cookie)
        idle_percent = idle.percent()
        control = _control_rates(cpu, seconds)
    value, low, high = difference(*([sum(rate.values()) for rate in rates[armed]]
                                    for armed in (True, False)))

    report.note(f'CPU {cpu} was {idle_percent:.1f} % idle')
    _report_rates(report, 'not armed', rates[False])
    _report_rates(report, 'armed', rates[True])
    # Remote sampling would add one a sample, a hundred a second.
    met = False if low > 0 else True if high < 1 else None
    report.value('added by arming, a second: mean and 95 %', f'{value:.2f}  [{low:.2f}, {high:.2f}]', '0',
                 met)
    if control:
        _report_rates(report, 'perf reading it every 10 ms', [control])


def _control_rates(cpu, seconds):
    """The same of a reader in user space, which does interrupt the CPU; None without perf."""
    with contextlib.suppress(rig.Unavailable):
        reader = subprocess.Popen([rig.perf(), 'stat', '-a', '-C', str(cpu), '-I', '10', '-e',
                                   'msr/tsc/'], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            time.sleep(0.5)
            return _interrupt_rates(cpu, seconds) if reader.poll() is None else None
        finally:
            reader.kill()
            reader.wait()
    return None
