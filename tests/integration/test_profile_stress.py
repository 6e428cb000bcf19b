# SPDX-License-Identifier: GPL-2.0-or-later
"""Many holds, many clients that vanish, many switches: nothing leaks, no signal is lost."""

import collections
import itertools
import re

from gi.repository import Gio, GLib

import harness
from boost_case import BOOST, Load, variant
from profile_case import FACES, MODERN, PROPERTIES, Changes, ProfileCase

CYCLES = 10_000
CLIENTS = 1_000
BATCH = 50  # a user may hold no more than 64 at a time
SWITCHES = 30 * 50
SWITCH_EVERY_MS = 20
UNANSWERED_MAX = 64  # the bus refuses more than 128
# A leak of the smallest thing a cycle would be more. A sanitizer keeps books besides, which grow for
# some time; what leaked it tells at the end by itself.
MAX_GROWTH_KB = 512
MAX_GROWTH_SANITIZED_KB = 8192
SHADOW_KB = 1 << 30  # a sanitizer reserves terabytes

# Profiles that leave room for the boost, and one that does not; short episodes.
FLIPPING = '''[Policy]
Table=custom
PerformanceAC=balance_power
Governor=false
[Boost]
HoldMs=20
'''


class ProfileStress(ProfileCase):

    def start(self, *args):
        # What is freed is to be used again, also under a sanitizer.
        self.env['ASAN_OPTIONS'] += ':quarantine_size_mb=0:thread_local_quarantine_size_kb=0'
        self.start_eppd(*args, polkit=None)
        # What looks for it has descriptors and memory of its own.
        self.wait_for(lambda: self.get('ResidencySource') != 'probing', 'the residency source')

    def memory_kb(self, name):
        return int(re.search(rf'{name}:\s+(\d+) kB',
                             harness.read_file(f'/proc/{self.daemon.pid}/status'))[1])

    def rss_kb(self):
        return self.memory_kb('VmRSS')

    def assert_bounded(self, before_kb):
        is_sanitized = self.memory_kb('VmSize') > SHADOW_KB
        self.assertLess(self.rss_kb() - before_kb,
                        MAX_GROWTH_SANITIZED_KB if is_sanitized else MAX_GROWTH_KB)

    def call_now(self, connection, method, signature, *args, interface=MODERN.name):
        """Without the main loop in between."""
        reply = connection.call_sync(MODERN.name, MODERN.path, interface, method,
                                     variant(signature, args),
                                     None, Gio.DBusCallFlags.NONE, harness.TIMEOUT_SECONDS * 1000,
                                     None)
        return reply.unpack()

    def hold_now(self, connection, profile):
        return self.call_now(connection, 'HoldProfile', '(sss)', profile, 'why', 'app')[0]

    def active_of(self, changes, face):
        """ActiveProfile of each change that told one."""
        return [changed['ActiveProfile'] for whose, changed, _invalidated in changes.list
                if whose == face and 'ActiveProfile' in changed]

    # ---- holds ----

    def cycle(self, connection, profiles, n):
        for profile in itertools.islice(profiles, n):
            cookie = self.hold_now(connection, profile)
            self.call_now(connection, 'ReleaseProfile', '(u)', cookie)

    def test_many_holds_and_releases(self):
        self.start()
        client, listener = self.connect(), self.connect()
        profiles = itertools.cycle(('performance', 'power-saver'))
        self.cycle(client, profiles, 1000)
        before_kb, descriptors = self.rss_kb(), self.descriptors()
        released = self.record_releases(client)
        changes = self.record_changes(listener)
        self.cycle(client, profiles, CYCLES)
        self.settle(listener)
        self.settle(client)
        expected = ['performance', 'balanced', 'power-saver', 'balanced'] * (CYCLES // 2)
        for face in FACES:
            self.assertEqual(self.active_of(changes, face), expected)
        self.assertEqual(len(changes.list), 2 * len(expected))
        self.assertEqual((len(released), len(set(released))), (CYCLES, CYCLES))
        self.assertEqual(self.descriptors(), descriptors)
        self.assert_bounded(before_kb)
        self.assertEqual((self.profile(), self.held_profiles()), ('balanced', []))
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['balance_performance'] * 2)
        self.stop_eppd()

    # ---- clients ----

    def vanish(self, n):
        clients = [self.connect() for _ in range(n)]
        for client, profile in zip(clients, itertools.cycle(('performance', 'power-saver'))):
            self.hold_now(client, profile)
            client.call_sync(harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME, 'HoldBoost',
                             variant('(ssa{sv})', ('app', 'why', {})), None, Gio.DBusCallFlags.NONE,
                             harness.TIMEOUT_SECONDS * 1000, None)
        self.assertEqual((len(self.held_profiles()), len(self.held())), (n, n))
        for client in clients:
            client.close_sync(None)
        self.wait_for(lambda: not self.held_profiles() and not self.held(), 'the end of all holds')
        self.assertEqual(self.profile(), 'balanced')

    def test_many_clients_that_vanish(self):
        self.start('--residency', f'trace:{self.make_trace([Load(0, 0, 1000)], 1000)}')
        for _ in range(4):
            self.vanish(BATCH)
        before_kb, descriptors = self.rss_kb(), self.descriptors()
        for _ in range(CLIENTS // BATCH):
            self.vanish(BATCH)
        self.assertEqual(self.descriptors(), descriptors)
        self.assert_bounded(before_kb)
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['balance_performance'] * 2)
        self.stop_eppd()

    # ---- switches ----

    def switch_at_a_pace(self, profiles):
        """Sets each of them, one a tick, if eppd keeps up; returns when all are answered."""
        queue = collections.deque(profiles)
        answers = []

        def done(connection, result):
            try:
                connection.call_finish(result)
                answers.append(None)
            except GLib.Error as error:
                answers.append(error.message)

        def tick():
            if not queue:
                return False
            if len(profiles) - len(queue) - len(answers) >= UNANSWERED_MAX:
                return True
            self.connection.call(MODERN.name, MODERN.path, PROPERTIES, 'Set',
                                 variant('(ssv)', (MODERN.name, 'ActiveProfile',
                                                   variant('s', queue.popleft()))), None,
                                 Gio.DBusCallFlags.NONE, 600_000, None, done)
            return True

        GLib.timeout_add(SWITCH_EVERY_MS, tick)
        self.wait_for(lambda: len(answers) == len(profiles), 'the answers to all switches', 600)
        self.assertEqual(set(answers), {None})

    def test_many_switches_while_the_boost_flips(self):
        self.write_config(FLIPPING)
        trace = self.make_trace([Load(1, 0, 600_000, work_ms=40, sleep_ms=60)], 600_000)
        self.start('--residency', f'trace:{trace}')
        self.boost()
        # Mostly switches that leave the boost armed; the first round warms up.
        profiles = (['performance', 'balanced'] * 12 + ['power-saver']) * (SWITCHES // 25)
        self.switch_at_a_pace(profiles[:100])
        before_kb = self.rss_kb()
        boosts = self.call('GetStatistics')['boost-writes']
        changes = Changes(self.connection)
        self.settle()
        self.assertEqual(self.profile(), profiles[-1])
        self.switch_at_a_pace(profiles)
        self.settle()
        for face in FACES:
            self.assertEqual(self.active_of(changes, face), profiles)
        self.assertEqual(len(changes.list), 2 * len(profiles))
        statistics = self.call('GetStatistics')
        self.assertGreater(statistics['boost-writes'] - boosts, 50)
        self.assertEqual(statistics['foreign-writes'], 0)
        self.assertEqual((self.get('BoostState'), self.epp('policy0'), self.epp('policy1')),
                         ('suppressed', 'power', 'power'))
        self.assert_bounded(before_kb)
        self.switch('balanced')
        self.wait_for_epp('policy1', BOOST)
        self.stop_eppd()
        self.assertEqual([self.epp('policy0'), self.epp('policy1')], ['balance_performance'] * 2)
