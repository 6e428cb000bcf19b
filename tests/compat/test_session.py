# SPDX-License-Identifier: GPL-2.0-or-later
"""The same session with power-profiles-daemon and with eppd, on equal machines: what differs is what
differences.py lists, and nothing else."""

import difflib

import daemons
import differences
import harness
import machines
import session


def changes(theirs, ours):
    """[(step, '-' or '+', line)]: what only one of two transcripts has."""
    found = []
    for step in [*theirs, *(step for step in ours if step not in theirs)]:
        lines = difflib.ndiff(theirs.get(step, []), ours.get(step, []))
        found.extend((step, line[0], line[2:]) for line in lines if line[0] in '-+')
    return found


class SessionTest(harness.EppdTestCase):
    """A test for each name, a subtest for each machine."""

    def setUp(self):
        """Each session has a bus and a tree of its own: see run_session()."""
        self.daemon = None

    def run_session(self, daemon_class, machine, name):
        """(daemon, transcript). May skip the test."""
        case = harness.EppdTestCase()
        case.setUp()
        try:
            daemon = daemon_class(case)
            if name not in daemon.names:
                self.skipTest(f'machine lacks: a power-profiles-daemon with the name {name[0]} (it has '
                              f'{daemon.version[0]}.{daemon.version[1]})')
            return daemon, session.Session(case, daemon, machine, name).run()
        except daemons.Missing as missing:
            self.skipTest(f'machine lacks: {missing}')
        finally:
            case.doCleanups()

    def compare(self, theirs, ours, listed, seen):
        """Nothing but @listed must differ; what of it does is added to the set @seen."""
        unlisted = []
        for change in changes(theirs, ours):
            matching = [difference for difference in listed if difference.matches(*change)]
            seen.update(matching)
            if not matching:
                unlisted.append('{}: {} {}'.format(*change))
        self.assertEqual(unlisted, [], 'not listed (-: the first alone has it, +: the second)')

    def assert_all_seen(self, listed, seen):
        self.assertEqual([difference.reason for difference in listed if difference not in seen], [],
                         'listed, and no difference any more')

    def compare_with_ppd(self, name):
        seen = set()
        for machine in machines.MACHINES:
            ppd, theirs = self.run_session(daemons.Ppd, machine, name)
            if not ppd.is_modern and machine not in machines.ANY_VERSION:
                continue
            listed = differences.listed(ppd.is_modern, name)
            _eppd, ours = self.run_session(daemons.Eppd, machine, name)
            with self.subTest(machine=machine):
                self.compare(theirs, ours, listed, seen)
        self.assert_all_seen(listed, seen)

    def test_legacy_name(self):
        self.compare_with_ppd(daemons.LEGACY)

    def test_modern_name(self):
        self.compare_with_ppd(daemons.MODERN)

    def test_both_names_are_alike(self):
        seen = set()
        for machine in machines.MACHINES:
            _eppd, modern = self.run_session(daemons.Eppd, machine, daemons.MODERN)
            _eppd, legacy = self.run_session(daemons.Eppd, machine, daemons.LEGACY)
            with self.subTest(machine=machine):
                self.compare(modern, legacy, differences.BETWEEN_NAMES, seen)
        self.assert_all_seen(differences.BETWEEN_NAMES, seen)
