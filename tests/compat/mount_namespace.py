# SPDX-License-Identifier: GPL-2.0-or-later
"""A mount namespace in which a simulated tree stands in for the kernel's files: a program meets it without
a preloaded library that would cost it time."""

import ctypes
import os
import subprocess

_SETUP = '''set -e
release=$1
shift
while [ $# -gt 1 ]; do
  mkdir -p "$release$2" 2>/dev/null || true
  mount --bind "$1" "$release$2"
  shift 2
done
echo ready
exec sleep infinity
'''


class MountNamespace:
    """Held by a process until it is closed."""

    def __init__(self, mounts, release=''):
        """@mounts: (source, target); @release: a directory whose programs are to run in it. OSError where the
        machine does not allow it."""
        self.release = release
        pairs = [path for mount in mounts for path in mount]
        self.holder = subprocess.Popen(['unshare', '--mount', 'sh', '-c', _SETUP, 'sh', release, *pairs],
                                       stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                       stderr=subprocess.PIPE, text=True)
        if self.holder.stdout.readline() != 'ready\n':
            self.holder.wait()
            raise OSError(self.holder.stderr.read().strip())
        self.fd = os.open(f'/proc/{self.holder.pid}/ns/mnt', os.O_RDONLY)

    def enter(self):
        """For the child of a fork, before it runs its program."""
        if ctypes.CDLL(None, use_errno=True).setns(self.fd, 0) != 0:
            raise OSError(ctypes.get_errno(), 'setns')
        if self.release:
            os.chroot(self.release)
            os.chdir('/')

    def close(self):
        os.close(self.fd)
        self.holder.kill()
        self.holder.wait()
        self.holder.stdout.close()
        self.holder.stderr.close()
