# SPDX-License-Identifier: GPL-2.0-or-later
"""A simulated kernel from a test's side: started, commanded, its log read.

sim = SimKernel('/tmp/x/tree', '--cpus', '8', directory='/tmp/x', build_root=BUILD)
sim.command('cpu 3 offline')
sim.fault('/sys/*/energy_performance_preference', op='write', errno='EBUSY', count=2)
since = sim.mark()
sim.writes('*/policy3/*', since=since)      # [Write(usec, pid, path, error, text)]
sim.close()
"""

import codecs
import ctypes
import fnmatch
import os
import re
import signal
import subprocess
from collections import namedtuple

Write = namedtuple('Write', 'usec pid path error text')
Event = namedtuple('Event', 'usec pid path error text')

# Generous: it is awaited, and no promise.
TIMEOUT_SECONDS = 60
MNT_FORCE = 1
MNT_DETACH = 2
PR_SET_PDEATHSIG = 1
# More than a line of the log can have: a page of text, escaped, and a path.
_LINE_BYTES_MAX = 65536
_LINE = re.compile(r'(\d+) (\d+) (write|event) (\S+) (\S+) "(.*)"$')
_libc = ctypes.CDLL(None, use_errno=True)


def program(build_root):
    return os.path.join(build_root, 'tests', 'simkernel', 'eppd-simkernel')


def missing(build_root):
    """What the machine or the build lacks for it; None if nothing."""
    if not os.path.exists(program(build_root)):
        return 'machine lacks: libfuse3 (the build has no simulated kernel)'
    if os.geteuid() != 0:
        return 'machine lacks: root'
    try:
        os.close(os.open('/dev/fuse', os.O_RDWR))
    except OSError:
        return 'machine lacks: FUSE (/dev/fuse)'
    return None


def _die_with_parent():
    _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _unescape(text):
    """g_strescape's way back."""
    return codecs.escape_decode(text.encode('ascii'))[0].decode('utf-8', 'replace')


class SimKernel:
    """Runs until close()."""

    def __init__(self, mountpoint, *args, directory, build_root):
        """Mounted when this returns. @directory: for its log and what it says."""
        self.mountpoint = mountpoint
        self.log_path = os.path.join(directory, 'simkernel.log')
        self.stderr_path = os.path.join(directory, 'simkernel.stderr')
        self._control = os.path.join(mountpoint, 'simkernel', 'control')
        if not os.path.lexists(mountpoint):
            os.makedirs(mountpoint)
        with open(self.stderr_path, 'wb') as stderr:
            self.process = subprocess.Popen(
                [program(build_root), mountpoint, '--log', self.log_path, *args],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=stderr,
                preexec_fn=_die_with_parent, env=dict(os.environ, LC_ALL='C.UTF-8', LANGUAGE=''))
        if self.process.stdout.readline() != b'ready\n':
            self.process.wait()
            raise OSError(f'the simulated kernel did not start: {self.stderr()}')

    @property
    def pid(self):
        return self.process.pid

    def stderr(self):
        with open(self.stderr_path, encoding='utf-8', errors='replace') as file:
            return file.read().strip()

    def path(self, path):
        """An absolute path of the simulated machine, in the mount."""
        return os.path.join(self.mountpoint, path.lstrip('/'))

    # ---- what happens to it ----

    def command(self, text):
        """OSError with what it said if that makes no sense."""
        handle = os.open(self._control, os.O_WRONLY)
        try:
            os.write(handle, text.encode())
        except OSError as error:
            said = self.stderr().splitlines()
            raise OSError(error.errno, said[-1] if said else str(error)) from None
        finally:
            os.close(handle)

    def fault(self, glob, *flags, op=None, errno=None, delay_ms=None, short=None, count=None,
              probability=None):
        """@flags: 'empty', 'vanish'. @op: 'read', 'write', 'open', or several with a space between."""
        options = {'errno': errno, 'delay-ms': delay_ms, 'short': short, 'count': count,
                   'probability': probability}
        self.command(' '.join(['fault', glob] + ([op] if op else []) + list(flags)
                              + [f'{name}={value}' for name, value in options.items()
                                 if value is not None]))

    def clear_faults(self, glob=None):
        self.command('fault clear' + (f' {glob}' if glob else ''))

    def faults_met(self):
        """To how many accesses a fault has applied since the start (vanish not counted)."""
        with open(self.path('/simkernel/faults-met'), encoding='ascii') as file:
            return int(file.read())

    # ---- what was done to it ----

    def mark(self):
        """The end of the log's last line, for since=. Its size may be in the midst of the next one: a
        write grows a file page by page."""
        with open(self.log_path, 'rb') as file:
            size = file.seek(0, os.SEEK_END)
            start = file.seek(max(0, size - _LINE_BYTES_MAX))
            return start + file.read(size - start).rfind(b'\n') + 1

    def _entries(self, op, kind, since):
        with open(self.log_path, encoding='ascii', errors='replace') as file:
            file.seek(since)
            # A line that is being written has no end yet.
            lines = file.read().split('\n')[:-1]
        for line in lines:
            match = _LINE.match(line)
            if not match:
                raise ValueError(f'not a line of the log: {line!r}')
            usec, pid, this_op, path, error, text = match.groups()
            if this_op == op:
                yield kind(int(usec), int(pid), path, None if error == '0' else error,
                           _unescape(text).removesuffix('\n'))

    def writes(self, path_glob='*', since=0, pid=None, not_pid=None):
        """[Write], oldest first; error: None or 'EBUSY'; text without its newline."""
        return [write for write in self._entries('write', Write, since)
                if fnmatch.fnmatchcase(write.path, path_glob)
                and (pid is None or write.pid == pid)
                and (not_pid is None or write.pid != not_pid)]

    def events(self, since=0):
        """[Event]: commands (path /simkernel/control), and uevents (pid 0, path the device's, text
        «ACTION SUBSYSTEM»)."""
        return list(self._entries('event', Event, since))

    # ---- its end ----

    def kill(self):
        """As a crash; the mount is dead."""
        self.process.kill()
        self.process.wait()

    def close(self):
        """Unmounts; its exit code. A second call does nothing."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(TIMEOUT_SECONDS)
            except subprocess.TimeoutExpired:
                # Forced, so that nobody waits for it any more.
                _libc.umount2(self.mountpoint.encode(), MNT_FORCE)
                self.kill()
        self.process.stdout.close()
        while _libc.umount2(self.mountpoint.encode(), MNT_DETACH) == 0:
            continue
        return self.process.returncode
