# SPDX-License-Identifier: GPL-2.0-or-later
"""The shortest list of steps, found in limited time, that still fails."""

import time


class Shrinker:
    """@fails: a list of steps → whether it fails. Since real time is involved, what fails once in
    @tries fails."""

    def __init__(self, fails, seconds, tries=2, clock=time.monotonic):
        self._fails = fails
        self._deadline = clock() + seconds
        self._tries = tries
        self._clock = clock
        self.n_runs = 0

    def _time_is_up(self):
        return self._clock() >= self._deadline

    def _still_fails(self, steps):
        for _ in range(self._tries):
            if self._time_is_up():
                return False
            self.n_runs += 1
            if self._fails(steps):
                return True
        return False

    def _shortest_tail(self, steps):
        """What came last is most often enough: tails, each twice as long as the one before."""
        length = 64
        while length < len(steps) and not self._time_is_up():
            if self._still_fails(steps[-length:]):
                return steps[-length:]
            length *= 2
        return steps

    def shrink(self, steps):
        """The last step, the quiet one that found it, stays."""
        steps = self._shortest_tail(list(steps))
        chunk = max((len(steps) - 1) // 2, 1)
        while not self._time_is_up():
            start = 0
            is_shorter = False
            while start < len(steps) - 1 and not self._time_is_up():
                candidate = steps[:start] + steps[min(start + chunk, len(steps) - 1):]
                if self._still_fails(candidate):
                    steps = candidate
                    is_shorter = True
                else:
                    start += chunk
            if chunk == 1 and not is_shorter:
                break
            chunk = max(chunk // 2, 1)
        return steps
