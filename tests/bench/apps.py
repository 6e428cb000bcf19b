# SPDX-License-Identifier: GPL-2.0-or-later
"""What telling applications apart costs them and others."""

import contextlib
import os
import sys

import overhead
import rig
from samples import ratio

# Of the build, which rig knows.
sys.path.insert(0, os.path.dirname(os.path.abspath(rig.harness.__file__)))
from hold_case import cgroup2_root  # noqa: E402


@contextlib.contextmanager
def _cgroup():
    """The directory of a new cgroup."""
    root = cgroup2_root()
    if not root:
        raise rig.Unavailable('a cgroup v2 hierarchy')
    path = os.path.join(root, f'eppd-bench-{os.getpid()}')
    try:
        os.mkdir(path)
    except OSError as error:
        raise rig.Unavailable(f'could not make a cgroup: {error}') from error
    try:
        yield path
    finally:
        os.rmdir(path)


def _pipe(arguments, cgroup):
    """The pipe benchmark on one CPU, within @cgroup (None: where we are); its seconds."""
    enter = ['sh', '-c', f'echo $$ > {cgroup}/cgroup.procs && exec "$@"', 'sh'] if cgroup else []
    output = rig.run([*enter, 'taskset', '-c', str(rig.CPUS[-1]), rig.perf(), 'bench', '-f', 'simple', 'sched',
                      *arguments])
    return float(output.split()[0])


def app(report, options):
    """A pipe benchmark on one CPU, with an app hold and without."""
    rounds = 3 if options.quick else 10
    arguments = overhead.sized('-l', 20000, ['pipe'], 0.3 if options.quick else 1.0, rig.CPUS[-1])
    armed = ['--variant', 'mperf', '--event', overhead.msr_event(), '--threshold-permille',
             str(overhead.NEVER_BUSY)]
    report.note(f'ratio of the means of {rounds} runs each, in turn, and its 95 % interval')
    with _cgroup() as cgroup:
        for what, inside in (('the application\'s own', cgroup), ('another program\'s', None)):
            seconds = {False: [], True: []}
            for number in range(rounds):
                for with_app in (False, True) if number % 2 == 0 else (True, False):
                    with (overhead.ArmedSource([*armed, '--app', cgroup]) if with_app
                          else contextlib.nullcontext()):
                        seconds[with_app].append(_pipe(arguments, inside))
            value, low, high = ratio(seconds[True], seconds[False])
            met = True if high <= 1.10 else False if low > 1.10 else None
            report.value(what, f'{value:.4f}  [{low:.4f}, {high:.4f}]', '<= 1.10', met)
            _report_each(report, armed, arguments, cgroup, inside)


def _report_each(report, armed, arguments, cgroup, inside):
    with overhead.ArmedSource([*armed, '--app', cgroup, '--stats']) as source:
        before = source.programs()
        _pipe(arguments, inside)
        after = source.programs()
    for name in after:
        runs, nsec = (after[name][i] - before[name][i] for i in (0, 1))
        if name.endswith('_app') and runs:
            report.value(f'  {name}', f'{nsec / runs:.0f} ns each')
