# SPDX-License-Identifier: GPL-2.0-or-later
"""The shrinker finds what matters, in the time that it has."""

import itertools
import unittest

from shrink import Shrinker


def needs(*wanted):
    """Fails where all of @wanted come, in this order."""
    def fails(steps):
        rest = iter(steps)
        return all(step in rest for step in wanted)
    return fails


class Shrinking(unittest.TestCase):

    def shrink(self, fails, steps, **kwargs):
        kwargs.setdefault('clock', lambda: 0)
        return Shrinker(fails, 1, **kwargs).shrink(steps)

    def test_what_matters_is_left_in_its_order(self):
        for n, wanted in ((1, (0,)), (10, (3, 9)), (100, (0, 50, 99)), (1000, (998, 999)),
                          (5000, (17, 2500, 4000, 4999)), (70, tuple(range(70)))):
            with self.subTest(n=n, wanted=wanted):
                self.assertEqual(self.shrink(needs(*wanted), list(range(n))), list(wanted))

    def test_the_last_step_always_stays(self):
        self.assertEqual(self.shrink(lambda steps: True, list(range(500))), [499])

    def test_what_fails_only_now_and_then_gets_its_tries(self):
        turn = itertools.count()
        fails = needs(5, 20)
        self.assertEqual(self.shrink(lambda steps: fails(steps) and next(turn) % 3 == 2,
                                     list(range(21)), tries=3), [5, 20])

    def test_without_time_the_list_is_as_it_was(self):
        shrinker = Shrinker(needs(3), 0, clock=lambda: 0)
        self.assertEqual(shrinker.shrink([1, 2, 3]), [1, 2, 3])
        self.assertEqual(shrinker.n_runs, 0)

    def test_when_time_is_up_the_shortest_so_far_is_told(self):
        times = itertools.count()
        shrinker = Shrinker(needs(2, 999), 40, clock=lambda: next(times))
        steps = shrinker.shrink(list(range(1000)))
        self.assertTrue(needs(2, 999)(steps))
        self.assertLess(len(steps), 1000)
        self.assertLessEqual(shrinker.n_runs, 40)

    def test_the_list_given_is_not_changed(self):
        steps = list(range(100))
        self.shrink(needs(99), steps)
        self.assertEqual(steps, list(range(100)))
