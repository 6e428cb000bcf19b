# SPDX-License-Identifier: GPL-2.0-or-later
"""What differs between power-profiles-daemon and eppd in the session, and why. Nothing else may."""

import re

import daemons

START_STEPS = ('start', 'restart', 'replace', 'what is blocked')
ACTION_STEPS = ('action off', 'action on', 'action on again')
BATTERY_STEPS = ('not battery aware', 'battery aware', 'not battery aware on battery',
                 'battery aware on battery')
REFUSED_STEPS = ('wrong writes', 'refused by polkit', 'set performance', 'performance on battery')
SOURCE_STEPS = ('on battery', 'performance on battery', 'power-saver on battery', 'balanced on battery',
                'on mains')
RELEASE_STEPS = ('release power-saver', 'the first releases', 'the second releases',
                 'one of the two released', 'released', 'restart', 'replace')

# ---- pieces of the session's lines ----

HOLD = r'\{"ApplicationId": "\w+", "Profile": "[\w-]+", "Reason": "\w+"\}'
INFO = r'\[(\{"Description": "SOME Description", "Enabled": (true|false), "Name": "\w+"\}(, )?)*\]'
NAMES = r'\[("\w+"(, )?)*\]'
PROFILES = (r'\[(\{("CpuDriver": "\w+", )?"Driver": "\w+", ("PlatformDriver": "\w+", )?'
            r'"Profile": "[\w-]+"\}(, )?)*\]')
OLD_PROFILES = r'\[(\{"Driver": "\w+", "Profile": "[\w-]+"\}(, )?)*\]'
RELEASED = r'signal ProfileReleased\(cookie \d+\)'
NO_HOLD = r'ReleaseProfile\(.*\) failed: org\.freedesktop\.DBus\.Error\.InvalidArgs "No hold with cookie '
INTERFACES = {daemons.MODERN: r'signal /org/freedesktop/UPower/PowerProfiles PropertiesChanged of \S+: ',
              daemons.LEGACY: r'signal /net/hadess/PowerProfiles PropertiesChanged of \S+: ',
              None: r'signal /\S+ PropertiesChanged of \S+: '}


def changed(contents, name=None):
    """PropertiesChanged with certain contents, of one interface or any."""
    return INTERFACES[name] + r'\{' + contents + r'\} \[\]'


# The whole object.
EVERYTHING = changed(r'"Actions": .*"PerformanceInhibited": .*')
# What is told when the last hold goes.
BALANCED_AGAIN = changed(r'"ActiveProfile": "balanced", "ActiveProfileHolds": \[\]')


class Difference:
    """A reason, and the lines that it explains: those that only one of the two has, in certain steps."""

    def __init__(self, reason, steps, theirs=(), ours=()):
        """@steps: their names; None: any. @theirs, @ours: patterns of whole lines."""
        self.reason = reason
        self.steps = steps
        self.lines = {'-': theirs, '+': ours}

    def matches(self, step, sign, line):
        return ((self.steps is None or step in self.steps)
                and any(re.fullmatch(pattern, line) for pattern in self.lines[sign]))


# Whatever the version.
COMMON = [
    # Bugs.
    Difference('a Set equal to the profile that a hold shows is ignored: eppd takes it for what the '
               'user wants, and drops the holds',
               ('a Set equal to what a hold shows', 'what is held then', 'balanced once more'),
               theirs=[fr'Get ActiveProfileHolds -> \[{HOLD}\]', RELEASED, BALANCED_AGAIN],
               ours=[r'Get ActiveProfileHolds -> \[\]', RELEASED, changed(r'"ActiveProfileHolds": \[\]'),
                     changed('"ActiveProfile": "balanced"')]),
    Difference('anybody may release anybody\'s hold: of eppd its holder alone, so that it lasts until '
               'the next Set',
               ('somebody else releases it', 'balanced after that'),
               theirs=[r'ReleaseProfile\(cookie \d+\) -> null', 'Get ActiveProfile -> "balanced"',
                       RELEASED, BALANCED_AGAIN, r'file \w+: .*'],
               ours=[NO_HOLD + r'cookie \d+"', 'Get ActiveProfile -> "performance"', RELEASED,
                     BALANCED_AGAIN, r'file \w+: .*']),
    # Choices.
    Difference('eppd tells whoever was refused a Set what it is: clients keep what they wrote',
               REFUSED_STEPS, ours=[changed('"(ActiveProfile|BatteryAware)": ("[\\w-]+"|true|false)')]),
    Difference('its text has two blanks where the sense has one',
               ('wrong calls', 'refused by polkit', 'release it again'),
               theirs=[NO_HOLD + r' (\d+|cookie \d+)"'], ours=[NO_HOLD + r'(\d+|cookie \d+)"']),
    Difference('all holds of a client that leaves are dropped together: one signal, not one for each',
               ('a client leaves',), theirs=[changed(fr'"ActiveProfileHolds": \[{HOLD}\]')]),
    Difference('a wrong command line is 2 in all of eppd\'s programs, as in powerprofilesctl',
               ('options',), theirs=[r"\['--(bogus|block-driver)'\] -> exit code 1"],
               ours=[r"\['--(bogus|block-driver)'\] -> exit code 2"]),
]

# Of 0.30.
MODERN = [
    # Bugs.
    Difference('the start tells Actions as aa{sv}, and BatteryAware on the legacy interface',
               START_STEPS, theirs=[EVERYTHING],
               ours=[changed(fr'"Actions": {NAMES}, "ActionsInfo": {INFO}, "ActiveProfile": "[\w-]+", '
                             r'"ActiveProfileHolds": \[\], "BatteryAware": true, "PerformanceDegraded": "", '
                             fr'"PerformanceInhibited": "", "Profiles": {PROFILES}, '
                             r'"Version": "SOME Version"', daemons.MODERN),
                     changed(fr'"Actions": {NAMES}, "ActiveProfile": "[\w-]+", "ActiveProfileHolds": \[\], '
                             r'"PerformanceDegraded": "", "PerformanceInhibited": "", '
                             fr'"Profiles": {PROFILES}, "Version": "SOME Version"', daemons.LEGACY)]),
    # Choices.
    Difference('a profile saved with other drivers: it takes it where there is no CPU driver any more',
               ('what is blocked',), theirs=['Get ActiveProfile -> "power-saver"'],
               ours=['Get ActiveProfile -> "balanced"']),
    Difference('Trickle in power-saver, else Standard: it charges Fast in performance', None,
               theirs=['file charge_type: "(Fast|Standard)"'], ours=['file charge_type: "Standard"']),
]

# Of what its modern name alone has.
MODERN_NAME = [
    # Bugs.
    Difference('it tells the same whole object when an action is switched, or told to be what it is',
               ACTION_STEPS, theirs=[EVERYTHING],
               ours=[changed(fr'"Actions": {NAMES}, "ActionsInfo": {INFO}', daemons.MODERN),
                     changed(fr'"Actions": {NAMES}', daemons.LEGACY)]),
    Difference('and with BatteryAware', BATTERY_STEPS, theirs=[EVERYTHING],
               ours=[changed('"BatteryAware": (true|false)', daemons.MODERN)]),
    Difference('a Set of BatteryAware to what it is fails', ('not battery aware again',),
               theirs=['Set BatteryAware false failed: .* "battery_aware is already set to FALSE"'],
               ours=['Set BatteryAware false -> null']),
]

# Of 0.12, of whose drivers the first that it finds is the only one.
OLD = [
    # What it lacks.
    Difference('it has no modern name', None,
               ours=['signal /org/freedesktop/UPower/PowerProfiles .*']),
    Difference('it has no Version', ('introspection', 'all properties', 'wrong writes'),
               theirs=['Set Version "x" failed: .* "No such property “Version”"'],
               ours=['property Version s read', 'Version: SOME Version',
                     'Set Version "x" failed: .* "Property “Version” is not writable"']),
    Difference('its profiles have one driver', (*START_STEPS, 'all properties', 'each property'),
               theirs=[fr'Profiles: {OLD_PROFILES}', fr'Get Profiles -> {OLD_PROFILES}',
                       changed(fr'"Actions": .*"Profiles": {OLD_PROFILES}')],
               ours=[fr'Profiles: {PROFILES}', fr'Get Profiles -> {PROFILES}',
                     changed(fr'"Actions": .*"Profiles": {PROFILES}, "Version": "SOME Version"')]),
    Difference('it does not say that a hold is released but by a Set', RELEASE_STEPS,
               ours=[r'signal (to the other client )?ProfileReleased\(cookie \d+\)']),
    Difference('it has no option to block', ('what is blocked',), ours=['.*']),
    Difference('it knows no power source', SOURCE_STEPS, ours=['.*']),
    # Bugs that 0.30 has no more.
    Difference('it dies by a signal', ('restart', 'end'), theirs=['signal SIGTERM -> exit code -15'],
               ours=['signal SIGTERM -> exit code 0']),
    Difference('it charges Fast in all but power-saver', None, theirs=['file charge_type: "Fast"'],
               ours=['file charge_type: "Standard"']),
    Difference('it takes performance where that is not available: so it has a hold more',
               ('set performance', 'set power-saver', 'hold performance', 'power-saver without it',
                'restart', 'replace'),
               theirs=['Set ActiveProfile "performance" -> null', 'Get ActiveProfile -> "performance"',
                       changed('"ActiveProfile": "performance"'),
                       r'HoldProfile\("performance", .*\) -> cookie \d',
                       fr'Get ActiveProfileHolds -> \[{HOLD}\]',
                       changed(fr'"ActiveProfile": "performance", "ActiveProfileHolds": \[{HOLD}\]'),
                       RELEASED, changed(r'"ActiveProfile": "power-saver", "ActiveProfileHolds": \[\]'),
                       r'HoldProfile\("power-saver", .*\) -> cookie \d'],
               ours=['Set ActiveProfile "performance" failed: .* '
                     '"Cannot switch to unavailable profile \'performance\'"',
                     'Get ActiveProfile -> "balanced"', r'Get ActiveProfileHolds -> \[\]',
                     r'HoldProfile\("performance", .*\) failed: .* '
                     '"Cannot hold profile \'performance\' as it is not available"',
                     changed('"ActiveProfile": "power-saver"'),
                     r'HoldProfile\("power-saver", .*\) -> cookie \d']),
]

# Between eppd's own two names: the modern one first.
BETWEEN_NAMES = [
    Difference('who is refused a Set is told on the interface that was used', REFUSED_STEPS,
               theirs=[changed('"(ActiveProfile|BatteryAware)": ("[\\w-]+"|true|false)', daemons.MODERN)],
               ours=[changed('"ActiveProfile": "[\\w-]+"', daemons.LEGACY)]),
    Difference('the legacy interface has neither ActionsInfo, BatteryAware nor SetActionEnabled', None,
               theirs=['method SetActionEnabled .*', 'property (ActionsInfo|BatteryAware) .*',
                       '(ActionsInfo|BatteryAware): .*', 'Get (ActionsInfo|BatteryAware) -> .*',
                       'Set (ActionsInfo|BatteryAware) .*', 'SetActionEnabled.*', 'Get Actions -> .*',
                       r'polkit was asked org\.freedesktop\.UPower\.PowerProfiles\.configure-.*',
                       changed(fr'"Actions": {NAMES}(, "ActionsInfo": {INFO})?'),
                       changed('"BatteryAware": (true|false)'),
                       'file (charge_type|energy_performance_preference): .*'],
               ours=['(Get|Set) (ActionsInfo|BatteryAware).* failed: .* "No such property “[a-zA-Z]+”"',
                     'SetActionEnabled.* failed: .*UnknownMethod .*', 'Get Actions -> .*',
                     'file charge_type: .*']),
]


def listed(is_modern, name):
    """Those between a power-profiles-daemon that has the modern name, or has not, and eppd; on one name."""
    return COMMON + (MODERN if is_modern else OLD) + (MODERN_NAME if name == daemons.MODERN else [])
