# SPDX-License-Identifier: GPL-2.0-or-later
"""The two daemons, to be started alike on a simulated machine."""

import os
import re
import shutil
import subprocess

import harness

MODERN = ('org.freedesktop.UPower.PowerProfiles', '/org/freedesktop/UPower/PowerProfiles')
LEGACY = ('net.hadess.PowerProfiles', '/net/hadess/PowerProfiles')

# The directory of another release of Debian, of which power-profiles-daemon is taken (./make-release).
RELEASE = os.environ.get('EPPD_COMPAT_RELEASE', '')
PPD_PATHS = ('/usr/libexec/power-profiles-daemon', '/usr/lib/power-profiles-daemon')

# In a mount namespace of its own: runs "$@" in the release at $1, which sees $2.
IN_RELEASE = '''set -e
release=$1 directory=$2
shift 2
mkdir -p "$release$directory"
mount --rbind /proc "$release/proc"
mount --bind "$directory" "$release$directory"
exec chroot "$release" "$@"
'''


class Missing(Exception):
    """What the machine lacks."""


def find_ppd():
    """The path of power-profiles-daemon, in RELEASE if there is one."""
    for path in PPD_PATHS:
        if os.access(RELEASE + path, os.X_OK):
            return path
    raise Missing('power-profiles-daemon' + (f' in {RELEASE}' if RELEASE else ''))


def in_release(argv, directory):
    """The command line that runs @argv in RELEASE, if there is one, with @directory in its place."""
    if not RELEASE:
        return argv
    if os.geteuid() != 0:
        raise Missing('root (to enter another release)')
    return ['unshare', '--mount', 'sh', '-c', IN_RELEASE, 'sh', RELEASE, directory, *argv]


def ppd_version(directory, env):
    """(0, 12): it tells its version in its log alone; what it then lacks (a bus) ends it."""
    command = in_release([find_ppd(), '-v', '-v'], directory)
    result = subprocess.run(command, capture_output=True, text=True, check=False,
                            env=dict(env, DBUS_SYSTEM_BUS_ADDRESS='unix:path=/nonexistent'),
                            timeout=harness.TIMEOUT_SECONDS)
    found = re.search(r'version (\d+)\.(\d+)', result.stdout + result.stderr)
    if not found:
        raise Missing(f'a power-profiles-daemon that tells its version: {result.stdout}{result.stderr}')
    return int(found[1]), int(found[2])


class Ppd:
    """power-profiles-daemon, on a tree by umockdev's preloaded library."""

    label = 'power-profiles-daemon'

    def __init__(self, case):
        """@case: an EppdTestCase with its bus. May raise Missing."""
        if not RELEASE and not shutil.which('umockdev-wrapper'):
            raise Missing('umockdev-wrapper (Debian: umockdev)')
        self.command = in_release(['umockdev-wrapper', find_ppd()], case.directory)
        self.version = ppd_version(case.directory, case.env)
        # The modern name came with 0.20, and much with it.
        self.is_modern = self.version >= (0, 20)
        self.names = (MODERN, LEGACY) if self.is_modern else (LEGACY,)
        self.can_block = self.is_modern
        self.follows_source = self.is_modern

    def modernise(self, line):
        """The modern name of a polkit action: they were renamed with the bus name."""
        return line if self.is_modern else re.sub(r'net\.hadess\.PowerProfiles\.(\w+-profile\b)',
                                                  r'org.freedesktop.UPower.PowerProfiles.\1', line)

    def spawn(self, case, *args):
        # Its state file is in the tree then, too.
        return case.start_program([*self.command, '-v', *args],
                                  env=dict(case.env, UMOCKDEV_DIR=case.tree))


class Eppd:
    """The eppd of the build."""

    label = 'eppd'
    names = (MODERN, LEGACY)
    can_block = True
    follows_source = True

    def __init__(self, case):
        case.write_config('')

    @staticmethod
    def modernise(line):
        return line

    @staticmethod
    def spawn(case, *args):
        return case.spawn_eppd('--residency', 'procstat', *args)
