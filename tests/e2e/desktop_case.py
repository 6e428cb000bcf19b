# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests with real clients share: a profile on the bus, and what it means in the tree."""

import contextlib
import os
import signal

import profile_case

# Governor and EPP of each profile, on AC.
FILES = {
    'power-saver': ('powersave', 'power'),
    'balanced': ('powersave', 'balance_performance'),
    'performance': ('performance', 'performance'),
}


class DesktopTestCase(profile_case.LegacyCase):
    """Debian 12's clients know the legacy name alone."""

    def start_group(self, argv, **popen_args):
        """A program that ends with the test, and with it what it has started."""
        program = self.start_program(argv, start_new_session=True, **popen_args)
        self.addCleanup(self._end_group, program.pid)
        return program

    @staticmethod
    def _end_group(group):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(group, signal.SIGKILL)

    def wait_for_machine(self, profile):
        """@profile on the bus, and in the files of all policies."""
        self.wait_for_profile(profile)
        self.wait_for(lambda: all(self.policy_files(policy)[:2] == FILES[profile]
                                  for policy in ('policy0', 'policy1')),
                      f'the files of all policies to follow {profile}')
