# SPDX-License-Identifier: GPL-2.0-or-later
"""How soon an edge comes."""

import rig
from samples import percentile

BOOST_EPP = 'performance'


def onset(report, options):
    """From the onset of load to the finished write."""
    episodes = 20 if options.quick else 100
    cpu = rig.CPUS[-1]
    limit_ms = rig.SAMPLE_MS + 2 * rig.tick_ms()
    with rig.Rig() as daemon:
        daemon.start('always')
        output = rig.run([rig.tool('onset-latency'), '--cpu', str(cpu), '--watch-cpu',
                          str(rig.CPUS[0]), '--episodes', str(episodes), '--file',
                          daemon.path(daemon.epp_path(f'policy{cpu}')), '--boost', BOOST_EPP])
        reason = daemon.get('ResidencyReason')
    *times, (_, early) = (line.split() for line in output.splitlines())
    times_ms = [float(time[0]) / 1000 for time in times]
    late = sum(time > limit_ms for time in times_ms)

    report.note(reason)
    report.value(f'p50 of {len(times_ms)} episodes', f'{percentile(times_ms, 50):.2f} ms')
    report.value('p99', f'{percentile(times_ms, 99):.2f} ms',
                 f'<= {limit_ms:.0f} ms (SampleMs + 2 ticks)', percentile(times_ms, 99) <= limit_ms)
    report.value('longest', f'{max(times_ms):.2f} ms; {late} past the limit')
    if int(early):
        report.note(f'{early} more episodes left out: something else kept the CPU busy before them')


def _edge(report, what, load, edges, hold_ms, limit_seconds):
    with rig.Rig() as daemon:
        daemon.make_tree()
        with load:
            output = rig.run([rig.tool('edge-latency'), '--root', daemon.tree, '--runtime-dir',
                              daemon.directory, '--edges', str(edges), '--hold-ms', str(hold_ms),
                              '--seconds', str(limit_seconds), '--nice', str(rig.NICE)])
    *lines, source = output.splitlines()
    times = [[float(field) / 1000 for field in line.split()] for line in lines]
    if not times:
        raise rig.Unavailable(f'no edge was seen ({source})')
    arrived_ms, written_ms = zip(*times)
    p50, p99 = percentile(written_ms, 50), percentile(written_ms, 99)

    report.value(f'{what}: p50 of {len(times)}', f'{p50:.3f} ms', '< 0.3 ms', p50 < 0.3)
    report.value('  p99', f'{p99:.3f} ms', '< 2 ms', p99 < 2)
    report.value('  longest', f'{max(written_ms):.3f} ms')
    report.value('  of it until user space has the sample',
                 f'p50 {percentile(arrived_ms, 50):.3f}, p99 {percentile(arrived_ms, 99):.3f} ms')


def edge(report, options):
    """From the sample in the BPF program to the finished write: the user-space part."""
    episodes = 20 if options.quick else 100
    _edge(report, 'bursts on one CPU', rig.load(rig.CPUS[-1:], 60, 191.3), episodes, 100,
          episodes * 0.25 + 10)
    # With no hold time a CPU that stays busy has an edge each sample.
    edges = 200 if options.quick else 2000
    for what, new_session in (('every CPU spinning', False), ('the same, another session', True)):
        _edge(report, what, rig.load(rig.CPUS, 1000, 0, new_session), edges, 0, edges * 0.01 + 10)
