# SPDX-License-Identifier: GPL-2.0-or-later
"""What is said of a list of measured values."""

import random
import statistics


def percentile(values, percent):
    """Linear between the two nearest; values in any order, at least one."""
    ordered = sorted(values)
    position = (len(ordered) - 1) * percent / 100
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (position - below)


def _bootstrap(pairs, statistic, rounds=10000):
    """The 95 % interval of statistic(pairs). The pairs were measured next to each other, and are drawn as such,
    so that the machine's slow drift does not widen it. Always the same draws."""
    draw = random.Random(1).choices
    values = [statistic(draw(pairs, k=len(pairs))) for _ in range(rounds)]
    return percentile(values, 2.5), percentile(values, 97.5)


def ratio(with_it, without_it):
    """(mean(with) / mean(without), low, high): the ratio of the means of values that were measured in turn."""
    def ratio_of(pairs):
        return sum(a for a, _ in pairs) / sum(b for _, b in pairs)

    pairs = list(zip(with_it, without_it, strict=True))
    return (ratio_of(pairs), *_bootstrap(pairs, ratio_of))


def difference(with_it, without_it):
    """(mean(with) - mean(without), low, high), likewise."""
    def difference_of(pairs):
        return statistics.fmean(a - b for a, b in pairs)

    pairs = list(zip(with_it, without_it, strict=True))
    return (difference_of(pairs), *_bootstrap(pairs, difference_of))


def median_ratio(numerator, denominator):
    """(median / median, low, high), likewise: for values with outliers."""
    def ratio_of(pairs):
        first, second = zip(*pairs, strict=True)
        return statistics.median(first) / statistics.median(second)

    pairs = list(zip(numerator, denominator, strict=True))
    return (ratio_of(pairs), *_bootstrap(pairs, ratio_of, rounds=2000))
