# SPDX-License-Identifier: GPL-2.0-or-later
"""The campaign of one seed; tests/campaign/run starts it, isolated."""

import argparse
import os
import sys
import tempfile
import time

DIRECTORY = os.path.dirname(os.path.abspath(__file__))
for name in ('integration', 'simkernel'):
    sys.path.insert(0, os.path.join(os.path.dirname(DIRECTORY), name))

import harness  # noqa: E402
import machines  # noqa: E402
import simkernel  # noqa: E402
from quiet import LIMIT_SECONDS, SHRINKING_LIMIT_SECONDS, Quiet  # noqa: E402
from rig import Failure, Figures, Rig  # noqa: E402
from shrink import Shrinker  # noqa: E402
from steps import draw_steps, parse_all, text  # noqa: E402


# Of the daemon's log, and of the steps.
SHOWN_LINES = 20
SHOWN_STEPS = 100


def evidence(rig):
    """{name: text}, of what is gone with the rig."""
    texts = {'daemon': rig.log()}
    for name, path in (('journal', os.path.join(rig.runtime_dir, 'restore.ini')),
                       ('simkernel', rig.sim.log_path if rig.sim else '')):
        if os.path.exists(path):
            texts[name] = harness.read_file(path)
    return texts


def run_steps(seed, steps, limit_seconds=LIMIT_SECONDS):
    """(figures, None), or (figures, what failed, how many steps that took)."""
    machine, sim_args = machines.of_seed(seed)
    rig = Rig()
    n = 0
    try:
        rig.open(machine, sim_args, seed)
        for n, step in enumerate(steps, 1):
            if step.kind == 'quiet':
                rig.figures.steps += 1
                Quiet(rig, limit_seconds).run(*step.args)
            else:
                rig.carry_out(step)
        return rig.figures, None
    except (Failure, OSError, AssertionError) as failure:
        return getattr(rig, 'figures', Figures()), (str(failure), evidence(rig)), n
    finally:
        rig.close()


def shrink(seed, steps, seconds):
    """A shorter list that also fails, in whatever way."""
    def fails(candidate):
        return run_steps(seed, candidate, SHRINKING_LIMIT_SECONDS)[1] is not None
    return Shrinker(fails, seconds).shrink(steps)


def report(seed, steps, failure, texts, shortest):
    base = os.path.join(tempfile.gettempdir(), f'eppd-campaign-{seed}')
    why = ''.join(f'# {line}\n' for line in failure.splitlines())
    texts = {**texts, 'steps': why + ''.join(text(step) + '\n' for step in shortest)}
    for name, content in texts.items():
        with open(f'{base}.{name}', 'w', encoding='utf-8') as file:
            file.write(content)
    print(f'seed {seed} FAILED after {len(steps)} steps: {failure}')
    print('the daemon said last:', *texts['daemon'].splitlines()[-SHOWN_LINES:], sep='\n  ')
    print(f'the shortest list of steps found has {len(shortest)}; the last of them:',
          *map(text, shortest[-SHOWN_STEPS:]), sep='\n  ')
    print(f'kept: {", ".join(f"{base}.{name}" for name in texts)}')
    print(f'to repeat it: tests/campaign/run --seed {seed} --replay {base}.steps')


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--seed', type=int, required=True)
    parser.add_argument('--steps', type=int, default=10_000)
    parser.add_argument('--replay')
    parser.add_argument('--shrink-seconds', type=float, default=60)
    args = parser.parse_args()
    lacks = simkernel.missing(harness.BUILD_ROOT)
    if lacks:
        print(f'1..0 # SKIP {lacks}')
        return 0
    machine, sim_args = machines.of_seed(args.seed)
    if args.replay:
        with open(args.replay, encoding='utf-8') as file:
            steps = parse_all(file)
    else:
        steps = draw_steps(args.seed, args.steps, machine)
    start = time.monotonic()
    figures, *failed = run_steps(args.seed, steps)
    duration = f'{time.monotonic() - start:.1f} s'
    if failed[0] is not None:
        (failure, texts), n = failed
        report(args.seed, steps[:n], failure, texts,
               shrink(args.seed, steps[:n], args.shrink_seconds))
    print(f'seed {args.seed}: {figures}; {duration}; {" ".join(sim_args)}', flush=True)
    return 0 if failed[0] is None else 1


if __name__ == '__main__':
    sys.exit(main())
