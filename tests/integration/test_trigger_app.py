# SPDX-License-Identifier: GPL-2.0-or-later
"""The trigger app: the cores that the held application runs on, and no others. Real processes in real cgroups."""

import os
import shutil
import time

import harness
from boost_case import BASE, BOOST, POLICY_DIR, variant
from hold_case import HoldsTestCase, cgroup2_root

NOBODY = 65534
GAME_CPU = 1
OTHER_CPU = 0
# Frames of little work: each of them a small share of any window.
LITTLE = (1, 20)
# So long without an edge, many frames, is a quiet stretch: now and then others may make the core busy.
QUIET_SECONDS = 1
# Many hold times.
LONG_SECONDS = 3


class TriggerAppTestCase(HoldsTestCase):
    """This process and the daemon run on CPU 0; the game runs on CPU 1."""

    def setUp(self):
        self.pin()
        super().setUp()

    def start(self, config=''):
        if config:
            self.write_config(config)
        self.start_eppd('--residency', 'bpf')
        self.require_bpf()

    def game_cgroup(self, *below):
        return self.make_cgroup('user.slice', 'user-0.slice', f'eppd-test-{os.getpid()}.scope', *below)

    def move(self, program, cgroup):
        with open(f'{cgroup2_root()}{cgroup}/cgroup.procs', 'w', encoding='utf-8') as file:
            file.write(str(program.pid))
        return program

    def start_game(self, cgroup, work_ms=10, sleep_ms=0):
        return self.move(self.start_load(work_ms, sleep_ms, GAME_CPU), cgroup)

    def start_frames(self, cgroup):
        """A game whose frame passes through six threads, on one CPU."""
        return self.move(self.start_program_on(
            GAME_CPU, [harness.EPPD_FRAME_LOAD, '--cpus', str(GAME_CPU), '--seconds', '1000']), cgroup)

    def hold_app(self, cgroup, percent=None, app_id='game', on=None):
        options = {'threshold_percent': variant('u', percent)} if percent else {}
        return self.hold(app_id, trigger=variant('s', 'app'), cgroup=variant('s', cgroup), on=on, **options)

    def only_policy1(self):
        """A machine without policy0: what else runs on this machine runs on CPU 0."""
        self.make_tree()
        shutil.rmtree(self.path(POLICY_DIR + 'policy0'))

    def wait_for_quiet(self, what):
        """Until no core was boosted for QUIET_SECONDS: one that each frame makes busy would have been."""
        state = {'edges': -1, 'since': 0}

        def quiet():
            statistics = self.call('GetStatistics')
            now = time.monotonic()
            if statistics['busy-edges'] != state['edges'] or statistics['idle-edges'] != state['edges']:
                state.update(edges=statistics['busy-edges'], since=now)
            return now - state['since'] >= QUIET_SECONDS
        self.wait_for(quiet, f'{QUIET_SECONDS} s without a boost {what}')


class Application(TriggerAppTestCase):

    def test_its_core_is_boosted_and_another_programs_is_not(self):
        self.start()
        cgroup = self.game_cgroup()
        self.start_load(10, 0, OTHER_CPU)
        game = self.start_game(cgroup)
        before_ns = self.written_ns('policy0')
        self.hold_app(cgroup)
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.get('BoostState'), 'armed')
        self.assertIn('runs at least 10 % of the time', self.get('BoostReason'))
        hold, = self.held()
        self.assertEqual((hold['trigger'], hold['threshold-percent']), ('app', 10))
        self.assertNotIn('trigger-why', hold)
        view = self.policies()['policy1']
        self.assertEqual(view['boosted-for'], 'game')
        self.assertIn("boosted for 'game'", view['why'])
        self.assertIn("boosted for 'game'", self.call('Explain', GAME_CPU)['text'])

        # The hold ends with it, and the boost with the hold.
        game.end()
        self.wait_for_epp('policy1', BASE)
        self.wait_for_state('idle')
        self.assertEqual(self.held(), [])
        self.assertEqual(self.written_ns('policy0'), before_ns)
        self.assertNotIn('boosted-for', self.policies()['policy1'])

    def test_it_pauses_and_the_hold_lasts(self):
        self.start()
        cgroup = self.game_cgroup()
        self.start_in(cgroup)
        self.hold_app(cgroup)
        for _ in range(3):
            game = self.start_game(cgroup)
            self.wait_for_epp('policy1', BOOST)
            game.end()
            self.wait_for_epp('policy1', BASE)
        self.assertEqual(len(self.held()), 1)

    def test_tasks_in_cgroups_below(self):
        self.start()
        cgroup = self.game_cgroup()
        below = self.game_cgroup('renderer', 'worker')
        self.start_game(below)
        self.hold_app(cgroup)
        self.wait_for_epp('policy1', BOOST)
        # The cgroup is populated by those below it.
        self.assertEqual(len(self.held()), 1)

    def test_each_hold_has_its_threshold(self):
        self.only_policy1()
        self.start()
        first = self.game_cgroup('first')
        second = self.game_cgroup('second')
        self.start_game(first, *LITTLE)
        self.start_game(second, *LITTLE)
        self.hold_app(first, 90, 'high')
        self.wait_for_state('armed')
        self.wait_for_quiet('at 90 %')
        self.hold_app(second, 1, 'low')
        self.wait_for_epp('policy1', BOOST)
        self.wait_for(lambda: self.policies()['policy1'].get('boosted-for') == 'low', 'the boost of the low threshold')
        self.assertEqual([hold['threshold-percent'] for hold in self.held()], [90, 1])

    def test_a_hold_with_trigger_core_besides(self):
        self.start()
        cgroup = self.game_cgroup()
        self.start_game(cgroup, *LITTLE)
        self.start_load(10, 0, OTHER_CPU)
        app = self.hold_app(cgroup, 1)
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(self.epp('policy0'), BASE)
        links = self.descriptors().count('anon_inode:bpf_link')

        core = self.hold('other')
        self.wait_for_epp('policy0', BOOST)
        self.assertIn('at least 50 % busy, or on which', self.get('BoostReason'))
        self.call('ReleaseBoost', core)
        self.wait_for_epp('policy0', BASE)
        self.assertEqual(self.epp('policy1'), BOOST)

        self.hold('other')
        self.wait_for_epp('policy0', BOOST)
        self.call('ReleaseBoost', app)
        self.wait_for(lambda: 'boosted-for' not in self.policies()['policy1'], 'the end of the boost of the game')
        self.assertEqual(self.epp('policy0'), BOOST)
        # The programs for applications are gone with their hold, and nothing was armed anew.
        self.assertEqual(self.descriptors().count('anon_inode:bpf_link'), links - 2)
        self.assertEqual(self.call('GetStatistics')['arms'], 1)

    def test_nothing_is_left_open(self):
        self.start()
        cgroup = self.game_cgroup()
        self.start_in(cgroup)
        self.call('ReleaseBoost', self.hold_app(cgroup))
        self.wait_for_state('idle')
        before = self.descriptors()
        self.assertEqual(self.sampling_descriptors(), [])
        for _ in range(20):
            cookie = self.hold_app(cgroup)
            self.wait_for_state('armed')
            self.call('ReleaseBoost', cookie)
            self.wait_for_state('idle')
        self.assertEqual(self.descriptors(), before)


class SixThreads(TriggerAppTestCase):

    def test_core_never_boosts_and_app_boosts_the_core_that_they_run_on(self):
        self.only_policy1()
        self.start()
        cgroup = self.game_cgroup()
        self.start_frames(cgroup)
        core = self.hold(cgroup=variant('s', cgroup))
        self.wait_for_state('armed')
        self.wait_for_quiet('with trigger core')
        self.assertEqual(self.epp('policy1'), BASE)

        app = self.hold_app(cgroup)
        self.call('ReleaseBoost', core)
        self.wait_for_epp('policy1', BOOST)
        written_ns = self.written_ns('policy1')
        idle_edges = self.call('GetStatistics')['idle-edges']
        # No frame lets go of it.
        self.wait_for(lambda: time.time_ns() - written_ns > LONG_SECONDS * 1_000_000_000, 'the time')
        self.assertEqual(self.written_ns('policy1'), written_ns)
        self.assertEqual(self.call('GetStatistics')['idle-edges'], idle_edges)
        self.assertEqual(self.policies()['policy1']['boosted-for'], 'game')
        self.call('ReleaseBoost', app)
        self.assertEqual(self.epp('policy1'), BASE)


class Limits(TriggerAppTestCase):

    def test_the_65th_cgroup_falls_back_until_another_ends(self):
        self.start()
        cgroups = [self.game_cgroup(str(n)) for n in range(64)]
        members = [self.start_in(cgroup) for cgroup in cgroups]
        cookies = [self.hold_app(cgroup) for cgroup in cgroups]
        own = self.make_cgroup('user.slice', f'user-{NOBODY}.slice', f'eppd-test-{os.getpid()}.scope')
        self.start_in(own)
        nobody = self.connect_as(NOBODY)
        self.hold_app(own, on=nobody)
        # One more hold of a cgroup that is watched.
        self.call('ReleaseBoost', cookies.pop())
        self.hold_app(cgroups[-1])
        holds = {hold['cgroup']: hold for hold in self.held()}
        self.assertEqual(holds[own]['trigger'], 'app')
        late = holds[cgroups[-1]]
        self.assertEqual((late['trigger-asked'], late['trigger']), ('app', 'core'))
        self.assertIn('64 cgroups at a time', late['trigger-why'])
        self.assertIn('at least 50 % busy, or on which', self.get('BoostReason'))
        members[0].end()
        self.wait_for(lambda: {hold['trigger'] for hold in self.held()} == {'app'}, 'the place that is free')
        self.assertIn('; a core on which', self.get('BoostReason'))


class Fallbacks(TriggerAppTestCase):

    def test_a_process_without_a_cgroup(self):
        self.start()
        sleeper = self.start_sleep()
        self.hold(trigger=variant('s', 'app'), pidfd=variant('h', 0), fds=[self.pidfd(sleeper.pid)])
        hold, = self.held()
        self.assertEqual(hold['trigger'], 'core')
        self.assertIn("needs the application's cgroup", hold['trigger-why'])

    def test_a_source_that_does_not_know_applications(self):
        self.start_eppd('--residency', 'procstat')
        cgroup = self.game_cgroup()
        self.start_game(cgroup)
        self.hold_app(cgroup)
        self.wait_for_epp('policy1', BOOST)
        hold, = self.held()
        self.assertEqual(hold['trigger'], 'core')
        self.assertIn('can tell applications apart', hold['trigger-why'])
        self.assertNotIn('boosted-for', self.policies()['policy1'])
