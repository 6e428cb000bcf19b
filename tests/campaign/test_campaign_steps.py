# SPDX-License-Identifier: GPL-2.0-or-later
"""Steps print and parse as one line each, and a seed always draws the same."""

import collections
import unittest

import machines
import rig
import steps
from oracle import CONFIGS

SEEDS = range(40)


class Texts(unittest.TestCase):

    def test_each_drawn_step_is_parsed_back(self):
        for seed in SEEDS:
            drawn = steps.draw_steps(seed, 500, machines.of_seed(seed)[0])
            lines = [steps.text(step) for step in drawn]
            self.assertEqual(steps.parse_all(lines), drawn)
            self.assertFalse([line for line in lines if '\n' in line])

    def test_comments_and_blank_lines_are_passed_over(self):
        self.assertEqual(steps.parse_all(['# why', '', '  \n', ' # x', 'ticks 3\n']),
                         [steps.Step('ticks', ('3',))])

    def test_nonsense_is_refused(self):
        for line in ('sing', 'ticks', 'ticks 1 2', 'quiet', 'load 1', 'clear all'):
            with self.subTest(line=line), self.assertRaises(ValueError):
                steps.parse(line)

    def test_lists_of_cpus(self):
        for text, cpus in (('-', ()), ('0', (0,)), ('0,2,3', (0, 2, 3))):
            self.assertEqual(steps.cpus_of(text), cpus)


class Drawing(unittest.TestCase):

    def draw(self, seed, n=10_000):
        return steps.draw_steps(seed, n, machines.of_seed(seed)[0])

    def test_a_seed_always_draws_the_same(self):
        self.assertEqual(self.draw(7), self.draw(7))
        self.assertEqual(machines.of_seed(7)[1], machines.of_seed(7)[1])
        self.assertNotEqual(self.draw(7), self.draw(8))

    def test_so_many_as_asked_for_and_the_last_is_quiet(self):
        for n in (1, 2, 61, 1000):
            drawn = self.draw(3, n)
            self.assertEqual(len(drawn), n)
            self.assertEqual(drawn[-1].kind, 'quiet')

    def test_a_quiet_period_comes_after_so_many_steps(self):
        last = -1
        for index, step in enumerate(self.draw(5)[:-steps.LONGEST_CHAOS]):
            if step.kind == 'quiet':
                self.assertIn(index - last - 1,
                              range(steps.SHORTEST_CHAOS, steps.LONGEST_CHAOS + 1))
                last = index

    def test_every_kind_comes_and_cheap_ones_come_most(self):
        drawn = [step for seed in SEEDS for step in self.draw(seed, 2000)]
        counts = collections.Counter(step.kind for step in drawn)
        self.assertEqual(set(counts), set(steps.KINDS))
        dear = sum(counts[kind] for kind in ('kill', 'restart', 'handover', 'sleep', 'hup'))
        self.assertLess(dear, len(drawn) // 40)

    def test_what_the_machine_lacks_does_not_come(self):
        machine = steps.Machine(2, has_epp=False)
        kinds = {step.kind for step in steps.draw_steps(1, 5000, machine)}
        self.assertFalse(kinds & {'mode', 'firmware', 'foreign', 'dynamic', 'dynamic-epp',
                                  'kernel-boost'})

    def test_arguments_name_what_there_is(self):
        for seed in SEEDS:
            machine, _args = machines.of_seed(seed)
            for step in self.draw(seed, 500):
                if step.kind in ('load', 'foreign', 'governor', 'cpu'):
                    self.assertIn(int(step.args[0]), range(machine.n_cpus))
                elif step.kind == 'config':
                    self.assertIn(step.args[0], CONFIGS)

    def test_the_rig_can_carry_out_each_kind(self):
        for kind in set(steps.KINDS) - {'quiet'}:
            self.assertTrue(callable(getattr(rig.Rig, 'do_' + kind.replace('-', '_'), None)), kind)
