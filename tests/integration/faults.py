# SPDX-License-Identifier: GPL-2.0-or-later
"""What plain files never do to eppd: refuse a write, or take long for one; a kill at a chosen
write; and time that passes at once. fault-shim.c, preloaded into the daemon, does as it is told
here, also while the daemon runs."""

import errno as errno_module
import os
import struct

KILL_BEFORE = -1
KILL_AFTER = -2


class Faults:
    """What eppd meets from now on; @path is any part of a file's path, @value what is written."""

    def __init__(self, directory, shim):
        self.directory = directory
        self.shim = shim
        self.rules = []
        self.n_rules = 0
        self.clock_ahead_usec = 0
        os.makedirs(directory)
        self.pass_time(0)

    def environment(self, base):
        """@base, and what preloads the shim."""
        preload = ' '.join(filter(None, [self.shim, base.get('LD_PRELOAD')]))
        return dict(base, EPPD_FAULTS=self.directory, LD_PRELOAD=preload)

    def set(self, path, value='*', errno='EIO', count=-1):
        """Writes fail with @errno, @count of them (-1: all)."""
        self._add(path, value, getattr(errno_module, errno), count, 0)

    def kill(self, path, value, after=False, nth=1):
        """SIGKILL right before (or @after) the @nth write of @value; 'rename' to the path and
        'unlink' of it are values too."""
        if nth > 1:
            self._add(path, value, 0, nth - 1, 0)
        self._add(path, value, KILL_AFTER if after else KILL_BEFORE, 1, 0)

    def slow(self, path, milliseconds):
        """Writes that change something take so long."""
        self._add(path, '*', 0, -1, milliseconds * 1000)

    def clear(self):
        self.rules = []
        self._write_rules()

    def log(self):
        """What was written so far: (path, value, None or the error's name), in order."""
        try:
            with open(self._path('log'), encoding='utf-8') as file:
                # A line that is being written has no end yet.
                entries = [line.rsplit(' ', 2) for line in file.read().split('\n')[:-1]]
        except FileNotFoundError:
            return []
        return [(where, value, errno_module.errorcode.get(int(error)))
                for where, value, error in entries]

    def writes(self, path):
        """What was written so far to such files: (value, None or the error's name)."""
        return [(value, error) for where, value, error in self.log() if path in where]

    def pass_time(self, seconds):
        """The daemon's monotonic clock leaps."""
        self.clock_ahead_usec += int(seconds * 1_000_000)
        fd = os.open(self._path('clock'), os.O_WRONLY | os.O_CREAT)
        try:
            os.pwrite(fd, struct.pack('=q', self.clock_ahead_usec), 0)
        finally:
            os.close(fd)

    def _path(self, name):
        return os.path.join(self.directory, name)

    def _add(self, path, value, error, count, delay_usec):
        self.rules.append(f'{self.n_rules} {path} {value} {error} {count} {delay_usec}\n')
        self.n_rules += 1
        self._write_rules()

    def _write_rules(self):
        """At once: the daemon may read them at any time."""
        new_path = self._path('rules.new')
        with open(new_path, 'w', encoding='utf-8') as file:
            file.writelines(self.rules)
        os.rename(new_path, self._path('rules'))
