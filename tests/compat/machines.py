# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated machines that power-profiles-daemon and eppd can both be started on: one tree of plain files
and links below a directory, laid out as the kernel's."""

import os
import subprocess

import harness

POLICY_DIR = 'sys/devices/system/cpu/cpufreq'
PLATFORM_PROFILE = 'sys/firmware/acpi/platform_profile'
NO_TURBO = 'sys/devices/system/cpu/intel_pstate/no_turbo'
MOUSE = 'sys/devices/mouse/power_supply/mouse'
LAP_MODE = 'sys/devices/platform/thinkpad_acpi/dytc_lapmode'

# What a profile switch may write.
_POLICY_FILES = ('scaling_governor', 'energy_performance_preference', 'boost', 'scaling_min_freq')
_OTHER_FILES = (PLATFORM_PROFILE, f'{MOUSE}/charge_type')


def _write(root, path, text):
    full_path = os.path.join(root, path)
    os.makedirs(os.path.dirname(full_path), exist_ok=True)
    with open(full_path, 'w', encoding='utf-8') as file:
        file.write(text)


def _link(root, path, target):
    full_path = os.path.join(root, path)
    os.makedirs(os.path.dirname(full_path), exist_ok=True)
    os.symlink(os.path.relpath(os.path.join(root, target), os.path.dirname(full_path)), full_path)


def _add_skeleton(root):
    """What is there on any machine; libudev finds no device at all where one of these is missing."""
    for directory in ('sys/bus/platform/devices', 'sys/class/power_supply', 'sys/class/drm',
                      'sys/class/platform-profile', 'sys/devices/platform'):
        os.makedirs(os.path.join(root, directory), exist_ok=True)
    _write(root, 'sys/firmware/acpi/pm_profile', '2\n')


def _add_platform_profile(root, choices='low-power balanced performance'):
    _write(root, f'{PLATFORM_PROFILE}_choices', f'{choices}\n')
    _write(root, PLATFORM_PROFILE, 'balanced\n')


def _add_mouse(root):
    """A peripheral's battery that can be charged slowly."""
    for name, text in (('type', 'Battery'), ('scope', 'Device'), ('charge_type', 'Standard'),
                       ('status', 'Charging'), ('uevent', 'POWER_SUPPLY_NAME=mouse')):
        _write(root, f'{MOUSE}/{name}', f'{text}\n')
    _link(root, f'{MOUSE}/subsystem', 'sys/class/power_supply')
    _link(root, 'sys/class/power_supply/mouse', MOUSE)


def _add_lap_mode(root):
    directory = os.path.dirname(LAP_MODE)
    _write(root, LAP_MODE, '0\n')
    _write(root, f'{directory}/uevent', 'MODALIAS=platform:thinkpad_acpi\n')
    _link(root, f'{directory}/subsystem', 'sys/bus/platform')
    _link(root, 'sys/bus/platform/devices/thinkpad_acpi', directory)


def _add_cpus_without_cpufreq(root):
    _write(root, 'proc/cpuinfo', 'processor\t: 0\nvendor_id\t: GenuineIntel\n\n')
    for name in ('online', 'present', 'possible'):
        _write(root, f'sys/devices/system/cpu/{name}', '0-1\n')
    for cpu in range(2):
        os.makedirs(os.path.join(root, f'sys/devices/system/cpu/cpu{cpu}/topology'))


def make_cpus(root, driver, cpus=2):
    """CPUs with a policy each, as tools/make-epp-tree makes them."""
    subprocess.run([os.path.join(harness.SOURCE_ROOT, 'tools', 'make-epp-tree'), root, '--driver',
                    driver, '--cpus', str(cpus)], check=True, stdout=subprocess.DEVNULL)
    _add_skeleton(root)


def _amd_platform(root):
    make_cpus(root, 'amd-pstate-epp')
    _add_platform_profile(root)
    _add_mouse(root)
    _add_lap_mode(root)


def _amd(root):
    make_cpus(root, 'amd-pstate-epp')
    _add_mouse(root)


def _intel(root):
    make_cpus(root, 'intel_pstate')


def _platform(root):
    _add_cpus_without_cpufreq(root)
    _add_skeleton(root)
    _add_platform_profile(root, 'quiet balanced performance')
    _add_mouse(root)
    _add_lap_mode(root)


def _nothing(root):
    _add_cpus_without_cpufreq(root)
    _add_skeleton(root)


# Those that any version of power-profiles-daemon has a driver for, or none has.
ANY_VERSION = ('intel', 'platform', 'nothing')

# Name → what makes its tree in a directory that is not there yet.
MACHINES = {
    'amd-platform': _amd_platform,
    'amd': _amd,
    'intel': _intel,
    'platform': _platform,
    'nothing': _nothing,
}


def write(root, path, text):
    """As the firmware does: in place, and whole."""
    with open(os.path.join(root, path), 'r+', encoding='utf-8') as file:
        file.write(text)
        file.truncate()


def settings(root):
    """{file: what it holds} of what profiles change, the policies' files being equal or listed all."""
    found = {}
    policy_dir = os.path.join(root, POLICY_DIR)
    policies = sorted(os.listdir(policy_dir)) if os.path.isdir(policy_dir) else []
    for name in _POLICY_FILES:
        values = [_first_line(os.path.join(policy_dir, policy, name)) for policy in policies]
        if any(value is not None for value in values):
            found[name] = values[0] if len(set(values)) == 1 else values
    for path in _OTHER_FILES:
        value = _first_line(os.path.join(root, path))
        if value is not None:
            found[os.path.basename(path)] = value
    return found


def _first_line(path):
    """A plain file keeps what is longer than a write, which sysfs does not."""
    return harness.read_file(path).split('\n')[0] if os.path.exists(path) else None
