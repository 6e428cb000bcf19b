# SPDX-License-Identifier: GPL-2.0-or-later
"""Which simulated machine a seed has."""

import random

from oracle import CONFIGS
from steps import Machine

N_CPUS = 4
CHOICES = ('low-power', 'balanced', 'performance')
AMD = ('--driver', 'amd-pstate', '--mode', 'active')
AMD_MODES = ('passive', 'guided')
INTEL = ('--driver', 'intel_pstate', '--mode', 'active', '--epb')
NAMES = ('performance', 'balance_performance', 'balance_power', 'power')
# Without a name, and read back as they are.
NUMBERS = ('37', '150', '222')

# Arguments, and what differs from a Machine's defaults.
MODELS = (
    ((*AMD, '--kernel', '7.0'), {'modes': AMD_MODES}),
    ((*AMD, '--kernel', '7.1'), {'modes': AMD_MODES, 'takes_numbers': True,
                                 'dynamic': 'global'}),
    ((*AMD, '--kernel', '7.3'), {'modes': AMD_MODES, 'takes_numbers': True,
                                 'dynamic': 'policy'}),
    (INTEL, {'modes': ('passive',), 'takes_numbers': True}),
    ((*INTEL, '--cpus-per-policy', '2'), {'modes': ('passive',), 'takes_numbers': True,
                                          'cpus_per_policy': 2}),
    (('--driver', 'acpi-cpufreq', '--cpus-per-policy', '2'), {'has_epp': False,
                                                              'cpus_per_policy': 2}),
)
# A machine without EPP has little that can go wrong.
WEIGHTS = (3, 4, 4, 3, 3, 1)


def of_seed(seed):
    """(Machine, the simulated kernel's arguments)"""
    draw = random.Random(f'machine {seed}')
    driver, facts = draw.choices(MODELS, WEIGHTS)[0]
    args = ('--cpus', str(N_CPUS), *driver, '--battery')
    if draw.random() < 0.5:
        facts = {**facts, 'platform_choices': CHOICES}
        args += ('--platform-profile', ' '.join(CHOICES), '--platform-class')
    if 'amd-pstate' in driver and draw.random() < 0.5:
        facts = {**facts, 'has_kernel_boost': True}
        args += ('--epp-boost',)
    machine = Machine(N_CPUS, **facts)
    # Most often there is room for the boost.
    machine.configs = (*sorted(CONFIGS), *5 * ('always',), *3 * ('plain',))
    machine.epps = NAMES + (NUMBERS if machine.takes_numbers else ())
    return machine, args
