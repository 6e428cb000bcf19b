# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of holds share: processes and cgroups that holds may name."""

import contextlib
import os

import boost_case
import harness
from boost_case import variant


def cgroup2_root():
    for line in harness.read_file('/proc/self/mountinfo').splitlines():
        fields = line.split()
        if fields[fields.index('-') + 1] == 'cgroup2' and fields[3] == '/':
            return fields[4]
    return None


class HoldsTestCase(boost_case.BoostTestCase):

    def start_sleep(self, **popen_args):
        return self.start_program(['sleep', '1000'], **popen_args)

    def pidfd(self, pid):
        fd = os.pidfd_open(pid)
        self.addCleanup(os.close, fd)
        return fd

    def hold_pidfd(self, fd, on=None):
        return self.hold(pidfd=variant('h', 0), fds=[fd], on=on)

    def make_cgroup(self, *parts):
        """An empty cgroup below the v2 root; its path there."""
        root = cgroup2_root()
        if os.geteuid() != 0:
            self.skipTest('machine lacks: root (to make cgroups)')
        if not root:
            self.skipTest('machine lacks: a cgroup v2 hierarchy')
        # Other tests make and remove the same slices.
        self.wait_for(lambda: self._make_directories(root, parts), 'the cgroup to be made')
        return '/' + '/'.join(parts)

    def _make_directories(self, root, parts):
        path = root
        try:
            for part in parts:
                path = os.path.join(path, part)
                is_new = not os.path.isdir(path)
                if is_new:
                    os.mkdir(path)
                # Whoever made those that are shared, others that run at the same time may leave them last.
                if part.endswith('.slice') or part.startswith('user@'):
                    if is_new or part != 'user.slice':
                        self.addCleanup(self.remove_shared, path)
                elif is_new:
                    self.addCleanup(self.remove_cgroup, path)
        except (FileNotFoundError, FileExistsError):
            return False
        return True

    def remove_shared(self, path):
        """The last one to leave it could."""
        with contextlib.suppress(OSError):
            os.rmdir(path)

    def remove_cgroup(self, path):
        def removed():
            with contextlib.suppress(OSError):
                os.rmdir(path)
            return not os.path.isdir(path)
        self.wait_for(removed, f'{path} to be empty')

    def user_cgroup(self, uid=0):
        return self.make_cgroup('user.slice', f'user-{uid}.slice', f'eppd-test-{os.getpid()}.scope')

    def start_in(self, cgroup):
        procs = f'{cgroup2_root()}{cgroup}/cgroup.procs'
        program = self.start_sleep()
        with open(procs, 'w', encoding='utf-8') as file:
            file.write(str(program.pid))
        return program
