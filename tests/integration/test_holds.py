# SPDX-License-Identifier: GPL-2.0-or-later
"""Who holds the boost, who may, and when a hold ends. Nothing that the bus brings is believed."""

import os
import subprocess

from gi.repository import Gio, GLib

import boost_case
import harness
from boost_case import BASE, BOOST, variant
from hold_case import HoldsTestCase, cgroup2_root

NOBODY = 65534
INVALID = 'org.freedesktop.DBus.Error.InvalidArgs'
DENIED = 'org.freedesktop.DBus.Error.AccessDenied'
LIMIT = 'org.freedesktop.DBus.Error.LimitsExceeded'


class AbsurdArguments(HoldsTestCase):

    def setUp(self):
        super().setUp()
        self.start_busy()

    def tearDown(self):
        # Nothing was held, and it still serves.
        if self.daemon:
            self.assertEqual(self.held(), [])
            self.boost()
        super().tearDown()

    def refused(self, pattern, error=INVALID, fds=None, **options):
        with self.assert_dbus_error(error, pattern):
            self.hold(fds=fds, **options)

    def test_cookies(self):
        for cookie in (0, 1, 0xffffffff):
            with self.assert_dbus_error(INVALID, f'No boost hold with cookie {cookie}'):
                self.call('ReleaseBoost', cookie)

    def test_a_released_cookie(self):
        cookie = self.hold()
        self.call('ReleaseBoost', cookie)
        with self.assert_dbus_error(INVALID, 'No boost hold'):
            self.call('ReleaseBoost', cookie)

    def test_thresholds(self):
        for percent in (0, 101, 0xffffffff):
            self.refused(f"'threshold-percent': {percent} is not within 1..100",
                         threshold_percent=variant('u', percent))

    def test_triggers(self):
        for text in ('', 'gpu', 'CORE', 'core\n', 'x' * 100_000):
            self.refused("Option 'trigger'", trigger=variant('s', text))

    def test_unknown_options(self):
        self.refused("Unknown option 'speed'", speed=variant('s', 'high'))
        self.refused('Unknown option', **{'x\x1b[31m' * 1000: variant('s', '')})

    def test_wrong_types(self):
        for name, value in (('pidfd', variant('s', 'x')), ('pidfd', variant('u', 0)),
                            ('cgroup', variant('ay', b'/x')), ('trigger', variant('u', 1)),
                            ('threshold_percent', variant('s', '50')),
                            ('threshold_percent', variant('i', 50)),
                            ('threshold_percent', variant('v', variant('u', 50)))):
            self.refused('must be of type', **{name: value})

    def test_the_same_option_twice(self):
        builder = GLib.VariantBuilder(GLib.VariantType('a{sv}'))
        for percent in (10, 20):
            builder.add_value(GLib.Variant.new_dict_entry(
                variant('s', 'threshold-percent'), variant('v', variant('u', percent))))
        parameters = GLib.Variant.new_tuple(variant('s', 'a'), variant('s', 'b'), builder.end())
        with self.assert_dbus_error(INVALID, 'given twice'):
            self.bus_call(self.connection, harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME,
                          'HoldBoost', parameters)

    def test_wrong_signatures(self):
        for method, parameters in (('HoldBoost', None), ('HoldBoost', variant('(s)', ('x',))),
                                   ('ReleaseBoost', variant('(s)', ('x',))),
                                   ('ReleaseBoost', variant('(t)', (1,))),
                                   ('Explain', variant('(i)', (-1,))),
                                   ('GetPolicies', variant('(u)', (1,)))):
            with self.assert_dbus_error(INVALID):
                self.bus_call(self.connection, harness.BUS_NAME, harness.OBJECT_PATH,
                              harness.BUS_NAME, method, parameters)
        with self.assert_dbus_error('org.freedesktop.DBus.Error.UnknownMethod'):
            self.bus_call(self.connection, harness.BUS_NAME, harness.OBJECT_PATH, harness.BUS_NAME,
                          'NoSuchMethod', None)

    def test_properties_are_read_only(self):
        for name in ('BoostState', 'ActiveProfile', 'NoSuchProperty'):
            with self.assertRaises(GLib.Error):
                self.set(name, variant('s', 'x'), harness.BUS_NAME, harness.OBJECT_PATH)

    def test_cgroups(self):
        long_path = '/' + 'x' * 1_000_000
        for path in ('', 'user.slice', '/../etc', '/user.slice/../x', '/./x', '/a\nb', long_path):
            self.refused('not an absolute cgroup path', cgroup=variant('s', path))
        self.refused("may not name '/'", DENIED, cgroup=variant('s', '/'))
        if not cgroup2_root():
            self.skipTest('machine lacks: a cgroup v2 hierarchy')
        self.refused('could not open.*No such file',
                     cgroup=variant('s', '/user.slice/user-0.slice/no-such.scope'))

    def test_an_empty_cgroup(self):
        self.refused('no process is in', cgroup=variant('s', self.user_cgroup()))

    def test_a_pidfd_without_descriptors(self):
        for handle in (0, 1, -1, 0x7fffffff):
            self.refused('no descriptor came with the message', pidfd=variant('h', handle))

    def test_a_pidfd_beyond_the_descriptors(self):
        fd = self.pidfd(os.getpid())
        for handle in (1, 2, -1):
            self.refused('no descriptor came with the message', fds=[fd],
                         pidfd=variant('h', handle))

    def test_descriptors_that_are_no_pidfd(self):
        read_fd, write_fd = os.pipe()
        null_fd = os.open('/dev/null', os.O_RDWR)
        dir_fd = os.open('/', os.O_RDONLY)
        for fd in (read_fd, write_fd, null_fd, dir_fd):
            self.addCleanup(os.close, fd)
            self.refused('not that of a living process', fds=[fd], pidfd=variant('h', 0))

    def test_a_dead_process(self):
        zombie = subprocess.Popen(['true'])
        fd = self.pidfd(zombie.pid)
        os.waitid(os.P_PID, zombie.pid, os.WEXITED | os.WNOWAIT)
        self.refused('process', fds=[fd], pidfd=variant('h', 0))
        zombie.wait()
        self.refused('not that of a living process', fds=[fd], pidfd=variant('h', 0))

    def test_no_descriptor_is_lost(self):
        fd = self.pidfd(os.getpid())
        before = self.descriptors()
        for _ in range(50):
            self.refused('threshold-percent', fds=[fd], pidfd=variant('h', 0),
                         threshold_percent=variant('u', 0))
            self.call('ReleaseBoost', self.hold_pidfd(fd))
            self.call('ReleaseBoost', self.hold(fds=[fd] * 8))
        self.assertEqual(self.descriptors(), before)


class Texts(HoldsTestCase):

    def test_a_megabyte_is_cut_at_a_characters_end(self):
        self.start_busy()
        self.hold('é' * 500_000, 'x' * 1_000_000)
        hold, = self.held()
        self.assertEqual(hold['app-id'], 'é' * 128)
        self.assertEqual(hold['reason'], 'x' * 256)

    def test_control_characters_reach_no_log_and_no_terminal(self):
        self.start_busy()
        self.hold('game\x1b[31m\n', 'two\nlines\r\x07')
        self.assertNotRegex(self.log(), '[\x00-\x09\x0b-\x1f\x7f]')
        self.assertEqual([line for line in self.log().splitlines() if line.startswith('lines')], [])
        shown = self.eppctl('holds')
        self.assertEqual(shown.code(), 0)
        self.assertNotRegex(shown.out, '[\x00-\x09\x0b-\x1f\x7f]')
        self.assertEqual(len(self.held()), 1)

    def test_a_megabyte_from_many_clients_is_served(self):
        self.start_busy()
        clients = [self.connect() for _ in range(8)]
        for client in clients:
            self.hold('x' * 1_000_000, 'y' * 1_000_000, on=client)
        self.assertEqual(len(self.held()), 8)


class Owners(HoldsTestCase):

    def test_another_clients_cookie(self):
        self.start_busy()
        cookie = self.boost()
        with self.assert_dbus_error(DENIED, "another client's"):
            self.call('ReleaseBoost', cookie, on=self.connect())
        self.assertEqual(self.epp('policy1'), BOOST)
        self.assertEqual(len(self.held()), 1)

    def test_cookies_are_shown_to_their_owner_alone(self):
        self.start_busy()
        cookie = self.hold()
        other = self.connect()
        self.assertEqual([hold['cookie'] for hold in self.held()], [cookie])
        self.assertEqual([hold['cookie'] for hold in self.held(on=other)], [0])

    def test_cookies_are_random_and_never_0(self):
        self.start_busy()
        cookies = []
        for _ in range(200):
            cookies.append(self.hold())
            self.call('ReleaseBoost', cookies[-1])
        self.assertEqual(len(set(cookies)), 200)
        self.assertNotIn(0, cookies)
        # Of 200 random numbers some have the highest bit, and some have not.
        self.assertEqual({cookie >> 31 for cookie in cookies}, {0, 1})

    def test_the_65th_of_a_user(self):
        self.start_busy()
        clients = [self.connect() for _ in range(2)]
        for n in range(64):
            self.hold(on=clients[n % 2])
        with self.assert_dbus_error(LIMIT, 'has 64 boost holds already'):
            self.hold()
        other = self.connect_as(NOBODY)
        self.hold(on=other)
        self.assertEqual(len(self.held()), 65)
        self.assertEqual(self.held()[-1]['uid'], NOBODY)
        clients[0].close_sync(None)
        self.wait_for(lambda: len(self.held()) == 33, 'the holds of the client that left')
        self.hold()
        statistics = self.call('GetStatistics')
        self.assert_statistics(statistics, holds_taken=66)

    def test_the_list_says_all(self):
        self.start_busy()
        before_usec = GLib.get_monotonic_time()
        sleeper = self.start_sleep()
        cookie = self.hold('game', 'level 3', pidfd=variant('h', 0), trigger=variant('s', 'core'),
                           threshold_percent=variant('u', 30), fds=[self.pidfd(sleeper.pid)])
        hold, = self.held()
        since_usec = hold.pop('since-usec')
        self.assertTrue(before_usec <= since_usec <= GLib.get_monotonic_time())
        self.assertEqual(hold, {
            'cookie': cookie, 'app-id': 'game', 'reason': 'level 3', 'uid': os.geteuid(),
            'owner': self.connection.get_unique_name(), 'trigger': 'core', 'trigger-asked': 'core',
            'threshold-percent': 30, 'pid': sleeper.pid})


class Ends(HoldsTestCase):

    def test_with_its_process(self):
        self.start_busy()
        sleeper = self.start_sleep()
        self.hold_pidfd(self.pidfd(sleeper.pid))
        self.wait_for_epp('policy1', BOOST)
        sleeper.end()
        self.wait_for_epp('policy1', BASE)
        self.wait_for(lambda: self.held() == [], 'the hold to end')

    def test_with_its_cgroup(self):
        self.start_busy()
        cgroup = self.user_cgroup()
        sleeper = self.start_in(cgroup)
        self.hold(cgroup=variant('s', cgroup + '//'))
        self.assertEqual(self.held()[0]['cgroup'], cgroup)
        self.wait_for_epp('policy1', BOOST)
        sleeper.end()
        self.wait_for_epp('policy1', BASE)
        self.wait_for(lambda: self.held() == [], 'the hold to end')

    def test_with_whichever_comes_first(self):
        self.start_busy()
        cgroup = self.user_cgroup()
        self.start_in(cgroup)
        sleeper = self.start_sleep()
        self.hold(cgroup=variant('s', cgroup), pidfd=variant('h', 0),
                  fds=[self.pidfd(sleeper.pid)])
        self.wait_for_epp('policy1', BOOST)
        sleeper.end()
        self.wait_for(lambda: self.held() == [], 'the hold to end')

    def test_many_and_no_descriptor_stays(self):
        self.start_busy()
        cgroup = self.user_cgroup()
        member = self.start_in(cgroup)
        before = self.descriptors()
        for _ in range(20):
            sleeper = self.start_sleep()
            self.hold(cgroup=variant('s', cgroup), pidfd=variant('h', 0),
                      fds=[self.pidfd(sleeper.pid)])
            sleeper.end()
            self.wait_for(lambda: self.held() == [], 'the hold to end')
        self.assertEqual(self.descriptors(), before)
        member.end()


    def test_all_of_a_client_at_once(self):
        self.start_busy()
        self.boost()
        client = self.connect()
        for _ in range(20):
            self.hold(on=client)
        self.wait_for(lambda: '21 holds' in self.get('BoostReason'), 'all holds')
        said_before = len(self.log())
        client.close_sync(None)
        self.wait_for(lambda: '1 hold;' in self.get('BoostReason'), 'the end of the client')
        # A decision each would be one line each.
        self.assertEqual(self.log()[said_before:].count('boost: armed: '), 1)
        self.assertEqual(self.epp('policy1'), BOOST)


class Triggers(HoldsTestCase):

    def check_fallback(self, why, **options):
        self.hold(trigger=variant('s', 'app'), threshold_percent=variant('u', 5), **options)
        self.wait_for_epp('policy1', BOOST)
        hold = self.held()[-1]
        self.assertEqual((hold['trigger-asked'], hold['trigger']), ('app', 'core'))
        self.assertIn(why, hold['trigger-why'])
        # 5 % of the application's time are not 5 % of a core's.
        self.assertEqual(hold['threshold-percent'], 50)
        self.assertIn('at least 50 % busy', self.get('BoostReason'))

    def test_app_without_a_cgroup_falls_back_to_core(self):
        self.start_busy()
        self.check_fallback('needs the application\'s cgroup')

    def test_app_where_the_source_sees_no_applications(self):
        self.start_busy()
        cgroup = self.user_cgroup()
        self.start_in(cgroup)
        self.check_fallback('needs a residency source that can tell applications apart',
                            cgroup=variant('s', cgroup))

    def test_the_configured_trigger_is_what_a_hold_does_not_say(self):
        self.write_config('[Boost]\nTrigger=app\n')
        self.start_busy()
        self.hold()
        self.assertEqual(self.held()[0]['trigger-asked'], 'app')


class OtherUsers(HoldsTestCase):

    def setUp(self):
        super().setUp()
        self.start_busy()
        self.nobody = self.connect_as(NOBODY)

    def test_may_hold_and_release(self):
        cookie = self.hold(on=self.nobody)
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.held()[0]['uid'], NOBODY)
        self.call('ReleaseBoost', cookie, on=self.nobody)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_another_users_process(self):
        fd = self.pidfd(os.getpid())
        with self.assert_dbus_error(DENIED, f'process {os.getpid()} is not one of user {NOBODY}'):
            self.hold_pidfd(fd, on=self.nobody)
        own = self.start_sleep(user=NOBODY, group=NOBODY, extra_groups=[])
        self.hold_pidfd(self.pidfd(own.pid), on=self.nobody)
        self.assertEqual([hold['pid'] for hold in self.held()], [own.pid])

    def test_another_users_cgroup(self):
        roots = self.user_cgroup()
        self.start_in(roots)
        for path in (roots, '/', '/user.slice', f'/user.slice/user-{NOBODY}.slice', '/system.slice',
                     f'/user.slice/user-{NOBODY}.slice/user@{NOBODY}.service',
                     f'/user.slice/user-{NOBODY}.slice//user@{NOBODY}.service/'):
            with self.assert_dbus_error(DENIED, f'user {NOBODY} may not name'):
                self.hold(on=self.nobody, cgroup=variant('s', path))
        own = self.user_cgroup(NOBODY)
        self.start_in(own)
        self.hold(on=self.nobody, cgroup=variant('s', own))
        self.assertEqual([hold['cgroup'] for hold in self.held()], [own])

    def test_root_may_name_any(self):
        own = self.user_cgroup(NOBODY)
        self.start_in(own)
        self.hold(cgroup=variant('s', own))
        sleeper = self.start_sleep(user=NOBODY, group=NOBODY, extra_groups=[])
        self.hold_pidfd(self.pidfd(sleeper.pid))
        self.assertEqual(len(self.held()), 2)


class Watch(HoldsTestCase):

    def start_flipping(self, work_ms=24, sleep_ms=40):
        self.write_config('[Boost]\nHoldMs=0\n')
        self.start_busy(loads=[boost_case.Load(1, 0, 120_000, work_ms, sleep_ms)],
                        duration_ms=120_000)

    def record_times(self, on):
        received = []
        on.signal_subscribe(None, harness.BUS_NAME, 'BoostedCpusChanged', None, None,
                            Gio.DBusSignalFlags.NONE,
                            lambda *args: received.append((GLib.get_monotonic_time(),
                                                           args[5].unpack()[0])))
        return received

    def test_who_watches_is_told_and_nobody_else(self):
        # Slower than the signals, so that each edge is told.
        self.start_flipping(400, 400)
        watcher = self.connect()
        other = self.connect()
        received = self.record_times(watcher)
        others = self.record_times(other)
        self.assertEqual(self.call('Watch', on=watcher), 100)
        cookie = self.arm()
        self.wait_for(lambda: {tuple(cpus) for _, cpus in received} == {(), (1,)}, 'both sets')
        self.call('ReleaseBoost', cookie)
        self.wait_for(lambda: received[-1][1] == [], 'the last word')
        # Behind all signals that were sent to it.
        self.call('GetStatistics', on=other)
        self.assertEqual(others, [])

    def test_at_most_ten_a_second(self):
        self.start_flipping()
        received = self.record_times(self.connection)
        for _ in range(5):
            self.call('Watch')  # again and again is once
        self.arm()
        # Before the call, so that no time in which signals came is missed.
        start_usec = GLib.get_monotonic_time()
        before = self.call('GetStatistics')['busy-edges']
        start = len(received)
        self.wait_for_statistics(busy_edges=before + 40)
        spent_usec = GLib.get_monotonic_time() - start_usec
        n = len(received) - start
        self.assertGreater(n, 0)
        self.assertLessEqual(n, spent_usec // 100_000 + 1)

    def test_a_watcher_that_leaves_is_forgotten(self):
        self.start_flipping()
        self.arm()
        before = self.descriptors()
        for _ in range(50):
            watcher = self.connect()
            self.call('Watch', on=watcher)
            watcher.close_sync(None)
        self.call('GetStatistics')
        self.assertEqual(self.descriptors(), before)

    def test_statistics_count_up(self):
        self.start_flipping()
        self.arm()
        first = self.wait_for_statistics(busy_edges=3)
        second = self.wait_for_statistics(busy_edges=first['busy-edges'] + 3)
        self.assertEqual(set(first), {
            'samples', 'busy-edges', 'idle-edges', 'boost-writes', 'base-writes', 'write-errors',
            'foreign-writes', 'restores-pending', 'holds-taken', 'arms', 'uptime-usec',
            'sample-period-usec', 'epp-write-usec'})
        for name in ('samples', 'busy-edges', 'idle-edges', 'boost-writes', 'base-writes',
                     'uptime-usec'):
            self.assertGreater(second[name], first[name], name)
        self.assert_statistics(second, write_errors=0, foreign_writes=0, holds_taken=1, arms=1,
                               sample_period_usec=10_000)
