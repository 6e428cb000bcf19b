#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs a command as a unit's [Service] has it run: sandbox.py [--kill] UNIT WRITABLE… -- COMMAND…

Without systemd, so that it works in any test: the capabilities, the system call filters, the limits, and
of the file system what is read-only, and /proc. WRITABLE stand for the unit's own directories and /sys.
--kill: a call outside SystemCallFilter= kills, where the unit has an error returned, so that none that
the command could do without goes unseen.
"""

import argparse
import ctypes
import errno
import os
import resource
import subprocess
import sys

import seccomp
from seccomp import ALLOW, Arg, EQ, ERRNO, GE, KILL_PROCESS, MASKED_EQ, SyscallFilter

# What is done below.
MIMICKED = {
    'CapabilityBoundingSet', 'LimitNICE', 'MemoryDenyWriteExecute', 'Nice', 'NoNewPrivileges',
    'ProtectControlGroups', 'ProtectProc', 'ProtectSystem',
    'RestrictAddressFamilies', 'RestrictNamespaces', 'RestrictRealtime', 'RestrictSUIDSGID',
    'SystemCallArchitectures', 'SystemCallErrorNumber', 'SystemCallFilter', 'UMask',
}
# What is not about the sandbox; what the capabilities and filters above deny already; and what takes a
# cgroup, or would hide the tests' own directories (/tmp, a checkout in /home).
LEFT_OUT = {
    'BusName', 'ExecReload', 'ExecStart', 'ExecStopPost', 'Restart', 'RuntimeDirectory',
    'RuntimeDirectoryPreserve', 'StateDirectory', 'StateDirectoryMode', 'Type',
    'KeyringMode', 'LockPersonality', 'PrivateMounts', 'ProtectClock', 'ProtectHostname',
    'ProtectKernelLogs', 'ProtectKernelModules',
    'DevicePolicy', 'IPAddressDeny', 'PrivateDevices', 'PrivateTmp', 'ProtectHome',
}

AT_FDCWD = -100
AT_RECURSIVE = 0x8000
CAPABILITY_VERSION_3 = 0x20080522
CLONE_NEWNS = 0x20000
# cgroup, uts, ipc, user, pid, net, mount.
NAMESPACE_FLAGS = (0x02000000, 0x04000000, 0x08000000, 0x10000000, 0x20000000, 0x40000000,
                   CLONE_NEWNS)
MOUNT_ATTR_RDONLY = 1
MS_BIND, MS_REC, MS_PRIVATE = 0x1000, 0x4000, 1 << 18
PR_CAPBSET_DROP, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL = 24, 47, 4
PROT_WRITE, PROT_EXEC, SHM_EXEC = 2, 4, 0o100000
SYS_MOUNT_SETATTR = 442
# batch, idle and other; the rest are real-time.
HARMLESS_SCHEDULERS = (0, 3, 5)
ADDRESS_FAMILIES = {'AF_UNIX': 1, 'AF_INET': 2, 'AF_INET6': 10, 'AF_NETLINK': 16, 'AF_PACKET': 17}
ADDRESS_FAMILY_MAX = 64

libc = ctypes.CDLL(None, use_errno=True)


def read_unit(path):
    """{key: [value, …]} of [Service]; an empty value takes back those before it."""
    service = {}
    section = None
    with open(path, encoding='utf-8') as file:
        for line in map(str.strip, file):
            if line.startswith('['):
                section = line
            elif section == '[Service]' and line and not line.startswith('#'):
                key, _, value = line.partition('=')
                service[key] = service.get(key, []) + [value] if value else []
    return service


def has(service, key):
    return service.get(key, ['no'])[-1] == 'yes'


# ---- the file system ----

def check(result, what):
    if result < 0:
        error = ctypes.get_errno()
        raise OSError(error, f'{what}: {os.strerror(error)}')


def mount(source, target, kind, flags, options=None):
    check(libc.mount(*(text.encode() if text else None for text in (source, target, kind)),
                     ctypes.c_ulong(flags), options.encode() if options else None),
          f'mount on {target}')


def set_read_only(path, read_only):
    """@path, a mount point, and all below it."""
    attributes = (ctypes.c_uint64 * 4)(*((MOUNT_ATTR_RDONLY, 0) if read_only
                                         else (0, MOUNT_ATTR_RDONLY)), 0, 0)
    check(libc.syscall(SYS_MOUNT_SETATTR, AT_FDCWD, path.encode(), AT_RECURSIVE, attributes,
                       ctypes.sizeof(attributes)), f'mount_setattr of {path}')


def enter_file_system(service, writable):
    check(libc.unshare(CLONE_NEWNS), 'unshare')
    mount(None, '/', None, MS_REC | MS_PRIVATE)
    for directory in writable:
        mount(directory, directory, None, MS_BIND | MS_REC)
    if service.get('ProtectSystem') == ['strict']:
        set_read_only('/', True)
        for directory in ('/dev', '/sys', *writable):
            set_read_only(directory, False)
    mount('proc', '/proc', 'proc', 0, f'hidepid={service.get("ProtectProc", ["0"])[-1]}')
    if has(service, 'ProtectControlGroups'):
        set_read_only('/sys/fs/cgroup', True)


# ---- capabilities and limits ----

def drop_capabilities(service):
    names = subprocess.run(['setpriv', '--list-caps'], stdout=subprocess.PIPE, encoding='ascii',
                           check=True).stdout.split()
    kept = {name.removeprefix('CAP_').lower()
            for value in service['CapabilityBoundingSet'] for name in value.split()}
    if not kept <= set(names):
        raise ValueError(f'unknown capabilities: {kept - set(names)}')
    for number, name in enumerate(names):
        if name not in kept:
            check(libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0), f'drop {name}')
    check(libc.prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0), 'ambient capabilities')
    # Root's exec would pass on what is inheritable besides the bounding set.
    header = (ctypes.c_uint32 * 2)(CAPABILITY_VERSION_3, 0)
    data = (ctypes.c_uint32 * 6)()
    check(libc.capget(header, data), 'capget')
    data[2] = data[5] = 0
    check(libc.capset(header, data), 'capset')


def set_limits(service):
    os.umask(int(service['UMask'][-1], 8))
    nice = int(service['LimitNICE'][-1])
    try:
        resource.setrlimit(resource.RLIMIT_NICE, (20 - nice, 20 - nice))
    except (PermissionError, ValueError):
        # As the service manager does in a container that can't raise limits.
        pass
    os.setpriority(os.PRIO_PROCESS, 0, int(service['Nice'][-1]))


# ---- system calls ----

def syscall_sets():
    """{'@set': [name or '@set', …]} as systemd has them."""
    text = subprocess.run(['systemd-analyze', 'syscall-filter', '--no-pager'],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding='utf-8',
                          check=True).stdout
    sets = {}
    for line in text.splitlines():
        if line.startswith('@'):
            current = sets[line.strip()] = []
        elif line.strip() and not line.strip().startswith('#'):
            current.append(line.strip())
    return sets


def expand(word, sets):
    if not word.startswith('@'):
        return {word}
    return set().union(*(expand(member, sets) for member in sets[word]))


def allowed_syscalls(values):
    """What SystemCallFilter= lines that begin as an allow-list allow."""
    sets = syscall_sets()
    allowed = expand('@default', sets)
    for value in values:
        named = set().union(*(expand(word, sets) for word in value.removeprefix('~').split()))
        allowed = allowed - named if value.startswith('~') else allowed | named
    return allowed


def add_rules(rules, action, names, *arguments):
    for name in names:
        # Newer than libseccomp, or of another architecture: nobody calls it by that name.
        if seccomp.resolve_syscall(seccomp.Arch(), name) >= 0:
            rules.add_rule(action, name, *arguments)


def mode_rules(rules):
    """No set-uid and set-gid files: where the mode can be seen it is looked at."""
    for bit in (0o4000, 0o2000):
        for position, names in ((1, ('chmod', 'fchmod', 'mkdir', 'mknod', 'creat')),
                                (2, ('fchmodat', 'fchmodat2', 'mkdirat', 'mknodat'))):
            add_rules(rules, ERRNO(errno.EPERM), names, Arg(position, MASKED_EQ, bit, bit))
        for position, name in ((1, 'open'), (2, 'openat')):
            add_rules(rules, ERRNO(errno.EPERM), [name],
                      Arg(position, MASKED_EQ, os.O_CREAT, os.O_CREAT),
                      Arg(position + 1, MASKED_EQ, bit, bit))
    add_rules(rules, ERRNO(errno.ENOSYS), ['openat2'])


def memory_rules(rules):
    both = PROT_WRITE | PROT_EXEC
    add_rules(rules, ERRNO(errno.EPERM), ['mmap'], Arg(2, MASKED_EQ, both, both))
    add_rules(rules, ERRNO(errno.EPERM), ['mprotect', 'pkey_mprotect'],
              Arg(2, MASKED_EQ, PROT_EXEC, PROT_EXEC))
    add_rules(rules, ERRNO(errno.EPERM), ['shmat'], Arg(2, MASKED_EQ, SHM_EXEC, SHM_EXEC))


def namespace_rules(rules):
    add_rules(rules, ERRNO(errno.EPERM), ['unshare', 'setns'])
    for flag in NAMESPACE_FLAGS:
        add_rules(rules, ERRNO(errno.EPERM), ['clone'], Arg(0, MASKED_EQ, flag, flag))
    add_rules(rules, ERRNO(errno.ENOSYS), ['clone3'])


def scheduler_rules(rules):
    for policy in set(range(max(HARMLESS_SCHEDULERS))) - set(HARMLESS_SCHEDULERS):
        add_rules(rules, ERRNO(errno.EPERM), ['sched_setscheduler'], Arg(1, EQ, policy))
    add_rules(rules, ERRNO(errno.EPERM), ['sched_setscheduler'],
              Arg(1, GE, max(HARMLESS_SCHEDULERS) + 1))


def family_rules(rules, values):
    allowed = {ADDRESS_FAMILIES[name] for value in values for name in value.split()}
    for family in set(range(ADDRESS_FAMILY_MAX)) - allowed:
        add_rules(rules, ERRNO(errno.EAFNOSUPPORT), ['socket'], Arg(0, EQ, family))
    add_rules(rules, ERRNO(errno.EAFNOSUPPORT), ['socket'], Arg(0, GE, ADDRESS_FAMILY_MAX))


def load_filters(service, kill):
    # libseccomp's filters are for the native architecture unless told otherwise.
    if service['SystemCallArchitectures'] != ['native'] or not has(service, 'NoNewPrivileges'):
        raise ValueError('SystemCallArchitectures=native and NoNewPrivileges=yes are expected')
    for key, add in (('RestrictSUIDSGID', mode_rules),
                     ('MemoryDenyWriteExecute', memory_rules),
                     ('RestrictNamespaces', namespace_rules),
                     ('RestrictRealtime', scheduler_rules)):
        if has(service, key):
            rules = SyscallFilter(ALLOW)
            add(rules)
            rules.load()
    rules = SyscallFilter(ALLOW)
    family_rules(rules, service['RestrictAddressFamilies'])
    rules.load()
    denied = KILL_PROCESS if kill else ERRNO(getattr(errno, service['SystemCallErrorNumber'][-1]))
    # The last one: it may forbid to load another.
    rules = SyscallFilter(denied)
    add_rules(rules, ALLOW, allowed_syscalls(service['SystemCallFilter']))
    rules.load()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--kill', action='store_true')
    parser.add_argument('unit')
    parser.add_argument('writable', nargs='*')
    split = sys.argv.index('--')
    arguments = parser.parse_args(sys.argv[1:split])
    command = sys.argv[split + 1:]

    service = read_unit(arguments.unit)
    unknown = set(service) - MIMICKED - LEFT_OUT
    if unknown:
        raise ValueError(f'the sandbox does not know {unknown}')
    enter_file_system(service, arguments.writable)
    set_limits(service)
    drop_capabilities(service)
    load_filters(service, arguments.kill)
    os.execv(command[0], command)


if __name__ == '__main__':
    main()
