# SPDX-License-Identifier: GPL-2.0-or-later
"""What happens in a campaign: steps, each a line of text with all that it needs, so that a list of them
can be printed, cut, and run again.

quiet CPUS            all calms down, with the CPUs of the list ("0,2", "-": none) busy; then it is looked
                      whether everything is as it should be
ticks N               N ticks of the simulated CPUs pass
load CPU DUTY         percent; "none": it sleeps
profile NAME          somebody chooses it, and waits for the reply; profile-nowait: and does not
hold-profile CLIENT NAME, release-profile CLIENT
hold CLIENT PERCENT   of the boost, with that threshold; release CLIENT
vanish CLIENT         the client leaves the bus with all that it holds
ac 0|1
cpu N offline|online
governor CPU NAME     another program's
foreign CPU EPP       another program's, once
dynamic CPU           another program gives its policy to the kernel (7.3)
dynamic-epp on|off    another program's, of the global file (7.1)
kernel-boost 0|1      another program's, of the kernel's own boost
mode NAME             of the driver
firmware NAME         a platform-profile key
sleep well|bug        suspend and resume; with the resume bug every EPP is at performance then
fault GLOB WORDS…     as the simulated kernel's command; clear: the end of all
config NAME           the file is another from here on; nobody is told
reload                over the bus; hup: by SIGHUP
kill restore|start    kill -9, and then --restore and a start, or a start alone
restart               SIGTERM and a start
fresh PROFILE         SIGTERM, and a start with a state that has nothing but that profile; "-": with none
handover              a newcomer with -r
"""

import random
from collections import namedtuple

PROFILES = ('power-saver', 'balanced', 'performance')
HELD_PROFILES = ('power-saver', 'performance')
# Most often what leaves room for the boost.
CHOICES = ('balanced', 'balanced', 'balanced', 'power-saver', 'performance')
CLIENTS = ('anna', 'bert', 'cleo')
DUTIES = ('100', '100', '30', '0', '0', 'none')
THRESHOLDS = ('10', '50', '80')
HARMS = ('errno=EIO', 'errno=EBUSY', 'errno=EINVAL', 'errno=ENODEV', 'errno=EAGAIN', 'delay-ms=1',
         'delay-ms=5')
READ_HARMS = ('empty', 'short=3')
OFTEN = ('count=1', 'count=2', 'count=7', 'probability=0.3')
POLICY_DIR = '/sys/devices/system/cpu/cpufreq/'
SHORTEST_CHAOS = 25
LONGEST_CHAOS = 85
FAULTY_SHARE = 0.4
# What eppd must get right by itself often comes last, so that nothing else helps it.
LAST_SHARE = 0.5
LAST = ('sleep', 'mode', 'governor', 'cpu', 'ac', 'firmware', 'vanish', 'release', 'release-profile',
        'foreign', 'hup', 'dynamic', 'dynamic-epp', 'kernel-boost')

Step = namedtuple('Step', 'kind args')


def text(step):
    return ' '.join((step.kind, *step.args))


def parse(line):
    kind, *args = line.split()
    if kind not in KINDS or KINDS[kind].n_args not in (len(args), None):
        raise ValueError(f'no step: {line!r}')
    return Step(kind, tuple(args))


def parse_all(lines):
    """The steps of @lines; '#' comments and blank lines are passed over."""
    return [parse(line) for line in lines if line.strip() and not line.lstrip().startswith('#')]


def cpus_of(list_text):
    return () if list_text == '-' else tuple(int(cpu) for cpu in list_text.split(','))


# ---- how each is drawn: (draw, machine) → arguments ----

def _cpu(draw, machine):
    return str(draw.randrange(machine.n_cpus))


def _cpu_list(draw, machine):
    cpus = [str(cpu) for cpu in range(machine.n_cpus) if draw.random() < 0.4]
    return ','.join(cpus) or '-'


def _hotplug(draw, machine):
    # CPU 0 can't go.
    return str(draw.randrange(1, machine.n_cpus)), draw.choice(('offline', 'online', 'online'))


# Which files ({}: a CPU or all), with which operations, and how often.
FAULTS = (
    (POLICY_DIR + 'policy{}/energy_performance_preference', ('read', 'write', 'write'), 5),
    (POLICY_DIR + 'policy{}/scaling_governor', ('read', 'write', 'open'), 1),
    (POLICY_DIR + 'policy{}/*', ('read', 'write', 'open'), 1),
    (POLICY_DIR + 'policy{}/*cpus', ('read', 'open'), 1),
    ('/sys/devices/system/cpu/*', ('read', 'open'), 1),
    ('/sys/*/power_supply/*/online', ('read', 'open'), 1),
    ('/sys/firmware/acpi/*', ('read', 'write'), 1),
    ('/sys/*', ('read', 'write'), 1),
)


def _fault(draw, machine):
    glob, operations, _weight = draw.choices(FAULTS, [weight for *_, weight in FAULTS])[0]
    glob = glob.format(draw.choice(('*', _cpu(draw, machine))))
    if draw.random() < 0.1:
        return glob, 'vanish'
    operation = draw.choice(operations)
    harms = HARMS + READ_HARMS if operation == 'read' else HARMS
    return glob, operation, draw.choice(harms), draw.choice(OFTEN)


class Machine:
    """What the drawing must know of the simulated machine, and the oracle too."""

    def __init__(self, n_cpus, cpus_per_policy=1, modes=(), platform_choices=(), has_epp=True,
                 takes_numbers=False, dynamic='', has_kernel_boost=False):
        self.n_cpus = n_cpus
        self.cpus_per_policy = cpus_per_policy
        self.modes = modes  # besides active
        self.governors = ('powersave', 'performance')
        self.platform_choices = platform_choices
        self.has_epp = has_epp
        self.takes_numbers = takes_numbers
        self.dynamic = dynamic  # '', 'global' (7.1), 'policy' (7.3)
        self.has_kernel_boost = has_kernel_boost
        self.configs = ('plain',)
        self.epps = ('performance', 'power')  # that others write

    @property
    def policies(self):
        return range(0, self.n_cpus, self.cpus_per_policy)

    def policy_of(self, cpu):
        return cpu - cpu % self.cpus_per_policy

    def cpus_of(self, policy):
        return range(policy, policy + self.cpus_per_policy)


def _always(_machine):
    return True


class Kind:
    """How often a kind of step comes, how many arguments it has (None: some), how they are drawn, and
    on which machines it makes sense."""

    def __init__(self, weight, n_args=0, draw=lambda draw, machine: (), needs=_always):
        self.weight = weight
        self.draw = draw
        self.needs = needs
        self.n_args = n_args


KINDS = {
    'quiet': Kind(0, 1, lambda draw, machine: (_cpu_list(draw, machine),)),
    'ticks': Kind(120, 1, lambda draw, machine: (str(draw.choice((1, 1, 2, 3, 6))),)),
    'load': Kind(400, 2, lambda draw, machine: (_cpu(draw, machine), draw.choice(DUTIES))),
    'profile': Kind(50, 1, lambda draw, machine: (draw.choice(CHOICES),)),
    'profile-nowait': Kind(20, 1, lambda draw, machine: (draw.choice(CHOICES),)),
    'hold-profile': Kind(10, 2, lambda draw, machine: (draw.choice(CLIENTS),
                                                       draw.choice(HELD_PROFILES))),
    'release-profile': Kind(20, 1, lambda draw, machine: (draw.choice(CLIENTS),)),
    'hold': Kind(60, 2, lambda draw, machine: (draw.choice(CLIENTS), draw.choice(THRESHOLDS))),
    'release': Kind(40, 1, lambda draw, machine: (draw.choice(CLIENTS),)),
    'vanish': Kind(10, 1, lambda draw, machine: (draw.choice(CLIENTS),)),
    'ac': Kind(20, 1, lambda draw, machine: (draw.choice('01'),)),
    'cpu': Kind(25, 2, _hotplug),
    'governor': Kind(10, 2, lambda draw, machine: (_cpu(draw, machine),
                                                   draw.choice(machine.governors))),
    'foreign': Kind(5, 2, lambda draw, machine: (_cpu(draw, machine), draw.choice(machine.epps)),
                    needs=lambda machine: machine.has_epp),
    'dynamic': Kind(5, 1, lambda draw, machine: (_cpu(draw, machine),),
                    needs=lambda machine: machine.dynamic == 'policy'),
    'dynamic-epp': Kind(5, 1, lambda draw, machine: (draw.choice(('on', 'off', 'off')),),
                        needs=lambda machine: machine.dynamic == 'global'),
    'kernel-boost': Kind(4, 1, lambda draw, machine: (draw.choice('01'),),
                         needs=lambda machine: machine.has_kernel_boost),
    'mode': Kind(8, 1, lambda draw, machine: (draw.choice(4 * ('active',) + machine.modes),),
                 needs=lambda machine: machine.modes),
    'firmware': Kind(6, 1, lambda draw, machine: (draw.choice(machine.platform_choices),),
                     needs=lambda machine: machine.platform_choices),
    'sleep': Kind(4, 1, lambda draw, machine: (draw.choice(('well', 'bug')),)),
    'fault': Kind(80, None, _fault),
    'clear': Kind(30),
    'config': Kind(8, 1, lambda draw, machine: (draw.choice(machine.configs),)),
    'reload': Kind(5),
    'hup': Kind(5),
    'kill': Kind(2, 1, lambda draw, machine: (draw.choice(('restore', 'start')),)),
    'restart': Kind(1),
    'fresh': Kind(1, 1, lambda draw, machine: (draw.choice(('-', *PROFILES)),)),
    'handover': Kind(1),
}


def draw_steps(seed, n, machine):
    """@n steps, the last of them quiet. Faults come in some of the times between two quiet ones: in the
    others there is less that may excuse eppd."""
    draw = random.Random(seed)
    kinds = {name: kind.weight for name, kind in KINDS.items() if kind.needs(machine)}
    without_faults = {**kinds, 'fault': 0, 'clear': 0}
    steps = []
    while len(steps) < n:
        length = min(draw.randrange(SHORTEST_CHAOS, LONGEST_CHAOS + 1), n - len(steps) - 1)
        weights = kinds if draw.random() < FAULTY_SHARE else without_faults
        drawn = draw.choices(list(weights), list(weights.values()), k=length)
        if drawn and draw.random() < LAST_SHARE:
            drawn[-1] = draw.choice([name for name in LAST if name in kinds])
        drawn.append('quiet')
        steps += [Step(kind, tuple(KINDS[kind].draw(draw, machine))) for kind in drawn]
    return steps
