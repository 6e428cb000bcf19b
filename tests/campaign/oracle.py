# SPDX-License-Identifier: GPL-2.0-or-later
"""What is expected of eppd, whatever it says itself: pure, told of what happened.

Much of a campaign races on purpose, so for some things there is more than one right answer: they are
sets. What a quiet period finds narrows them again.
"""

from collections import namedtuple

from steps import PROFILES

BOOST = 'performance'
TABLES = {
    'ppd': {'power-saver': ('power', 'power'),
            'balanced': ('balance_power', 'balance_performance'),
            'performance': ('performance', 'performance')},
    'dynamic-epp': {'power-saver': ('power', 'power'),
                    'balanced': ('balance_performance', 'performance'),
                    'performance': ('performance', 'performance')},
    'numbers': {'power-saver': ('power', 'power'),
                'balanced': ('200', '100'),
                'performance': ('performance', 'performance')},
}
# Where no numbers are taken.
NEAREST = {'200': 'balance_power', '100': 'balance_performance'}
DYNAMIC = 'dynamic'

# What eppd makes of a configuration file. Nearly all of them use its own boost, and small times.
Config = namedtuple('Config', 'text table mode threshold suppress_in on_battery takes_over backend '
                              'default')

COMMON = '''[Policy]
PowerSourceDebounceMs=20
{policy}
[Boost]
{own}
{boost}
'''
OWN = 'Backend=user\nSampleMs=4\nHoldMs=24'


def _config(policy='', boost='', tail='', own=OWN, table='ppd', mode='opt-in', threshold=50,
            suppress_in=('power-saver',), on_battery=True, takes_over=False, backend='user',
            default='balanced'):
    return Config(COMMON.format(policy=policy, own=own, boost=boost) + tail, table, mode, threshold,
                  suppress_in, on_battery, takes_over, backend, default)


CONFIGS = {
    'plain': _config(),
    'always': _config(boost='Mode=always', mode='always'),
    'off': _config(boost='Mode=off', mode='off'),
    'kernel-table': _config('Table=dynamic-epp', table='dynamic-epp'),
    'not-on-battery': _config(boost='OnBattery=false', on_battery=False),
    'sensitive': _config(boost='ThresholdPercent=10\nSuppressIn=', threshold=10, suppress_in=()),
    'numbers': _config('Table=custom\nBalancedAC=100\nBalancedBattery=0xC8', table='numbers'),
    'take-over': _config(tail='[Kernel]\nDynamicEpp=take-over\n', takes_over=True),
    # The kernel's own boost, where there is one that does the same.
    'kernel': _config(own='', boost='Mode=always', mode='always', backend='auto'),
    'default': _config('DefaultProfile=performance', default='performance'),
    'no-governor': _config('Governor=false\nFrequencyFloor=false\nCoreBoost=false'),
    # What makes no sense is as if it were not there.
    'broken': _config('Table=nonsense\nGovernor=perhaps', 'Mode=sometimes\nThresholdPercent=1000\n=\n[',
                      tail='\x01\nSampleMs\n[Boost\nHoldMs=9999999999999999999\n'),
}


class Policy(namedtuple('Policy', 'online epp governor resting')):
    """What a policy's files hold; epp None: there is no such file."""


def effective(holds, selected):
    """The profile in effect: @holds the profiles held."""
    if 'power-saver' in holds:
        return 'power-saver'
    return 'performance' if 'performance' in holds else selected


class Oracle:

    def __init__(self, machine, config='plain'):
        self.machine = machine
        self.file_config = config  # what the file says
        self.config = config  # what eppd was told to read last
        self.on_ac = True
        self.mode = 'active'
        self.selected = {CONFIGS[config].default}
        self.was_chosen = False  # whether a profile may have been saved
        self.firmware = set()  # what it chose while others held, or may have
        self.drivers_doubtful = False  # whether a choice was made with others than now
        self.profile_holds = {}  # cookie → (client, profile)
        self.boost_holds = {}  # cookie → (client, percent)
        self.faulty = False  # faults stand, or stood since the last quiet
        self.n_disturbances = 0  # by what eppd hears of in its own time
        self.left_by_governor = set()
        self.others = {policy: set() for policy in machine.policies}  # what may be its base
        # What may have replaced the boost of a policy that has been busy ever since: eppd looks at
        # edges.
        self.over_boost = {policy: set() for policy in machine.policies}
        self.is_sure = {}  # policy → the one value that it may hold while it is idle
        self.surely_dynamic = set()  # policies that nobody but eppd could have taken out of it
        self.was_dynamic = set()  # those that eppd may give back
        self.dynamic_epp = {False}  # what the global file may say
        self.was_switched_on = False  # …by another program, so that eppd does not fight it again
        self.is_owed = False  # whether eppd has yet to switch it on again
        self.kernel_boost = None  # what another program set since eppd looked at it anew

    # ---- what happens ----

    def foreign(self, policy, epp):
        """Another program wrote it, successfully."""
        self.n_disturbances += 1
        self.others[policy].add(epp)
        self.over_boost[policy].add(epp)
        self.surely_dynamic.discard(policy)

    def entered_dynamic(self, policy, is_sure):
        """@is_sure: eppd had no reason to write just then."""
        self.foreign(policy, DYNAMIC)
        self.was_dynamic.add(policy)
        # The kernel has a platform profile then.
        self.drivers_are_others()
        if is_sure and not self.takes_over():
            self.surely_dynamic.add(policy)

    def dynamic_epp_switched(self, on):
        """All policies are made anew."""
        self.n_disturbances += 1
        self.drivers_are_others()
        if on and self.takes_over():
            self.dynamic_epp = {True, False} if self.was_switched_on or self.faulty else {False}
            self.was_switched_on = True
        else:
            self.dynamic_epp = {on}
        self.policies_are_others()

    def kernel_boost_switched(self, on):
        self.n_disturbances += 1
        self.kernel_boost = on

    def drivers_are_others(self):
        self.drivers_doubtful = True

    def policies_are_others(self):
        """What was in them is gone; news of eppd's that was under way may find another's value."""
        self.surely_dynamic.clear()
        if not self.faulty:
            for values in self.others.values():
                values.clear()
            self.left_by_governor.clear()

    def governor_set(self, policy):
        """Even a governor may end dynamic EPP."""
        self.surely_dynamic.discard(policy)

    def governor_left(self, policy):
        """The performance governor left its own EPP: eppd's to undo, unless it saw something else."""
        self.n_disturbances += 1
        self.left_by_governor.add(policy)
        if self.faulty:
            self.others[policy].add(BOOST)

    def takes_over(self):
        return CONFIGS[self.config].takes_over

    def applied_surely(self):
        """A profile was carried out, and who asked for it was told so."""
        if not self.faulty:
            for values in self.others.values():
                values &= set() if self.takes_over() else {DYNAMIC}

    def chosen(self, profile, outcome, raced=False):
        """@outcome of a user's choice: 'ok', 'refused', or 'lost': nobody knows. @raced: something
        disturbed before the reply came, and may have come before or after."""
        if outcome == 'refused':
            return
        self.selected.add(profile)
        self.was_chosen = True
        if outcome == 'lost':
            return
        self.profile_holds.clear()
        if raced or self.faulty:
            return
        self.selected = {profile}
        self.firmware.clear()
        self.drivers_doubtful = self.mode != 'active' or self.may_be_dynamic()
        self.applied_surely()

    def may_be_dynamic(self):
        return True in self.dynamic_epp or any(DYNAMIC in values for values in self.others.values())

    def firmware_chose(self, profile):
        """Over what is held, and for the time after it."""
        self.n_disturbances += 1
        self.firmware.add(profile)
        self.selected.add(profile)
        self.was_chosen = True

    def profile_held(self, cookie, client, profile):
        self.profile_holds[cookie] = (client, profile)

    def released(self, cookie):
        """eppd says so."""
        self.profile_holds.pop(cookie, None)

    def vanished(self, client):
        for holds in (self.profile_holds, self.boost_holds):
            for cookie in [cookie for cookie, hold in holds.items() if hold[0] == client]:
                del holds[cookie]

    def daemon_ended(self):
        self.profile_holds.clear()
        self.boost_holds.clear()
        self.gives_back()

    def gives_back(self):
        """What eppd took over, if it did."""
        if self.takes_over():
            for policy in self.was_dynamic:
                self.others[policy].add(DYNAMIC)
            if self.was_switched_on:
                self.dynamic_epp = {True, False}
                # The kernel refuses it then; the journal keeps it for the next start.
                self.is_owed |= self.mode != 'active' or self.faulty

    def daemon_started(self):
        self.was_switched_on = False
        if self.is_owed:
            self.dynamic_epp = {True, False}
            self.is_owed = self.mode != 'active' or self.faulty
        self.file_was_read()

    def reloaded(self):
        if not CONFIGS[self.file_config].takes_over:
            self.gives_back()
        self.file_was_read()

    def file_was_read(self):
        self.config = self.file_config
        self.kernel_boost = None
        if not self.was_chosen:
            self.selected.add(CONFIGS[self.config].default)
        if self.takes_over():
            self.surely_dynamic.clear()
            self.was_switched_on |= True in self.dynamic_epp
            self.dynamic_epp.add(False)
            if not self.faulty and self.mode == 'active':
                self.dynamic_epp = {False}
        self.applied_surely()

    def state_was_replaced(self, profile):
        """While no eppd ran. @profile: the one that is saved, for whatever drivers; None: there is none
        saved."""
        self.was_chosen = profile is not None
        self.selected = {profile or CONFIGS[self.file_config].default}
        self.firmware.clear()
        # Without a driver there is no other profile than balanced.
        self.drivers_doubtful = self.mode != 'active' or not self.machine.has_epp

    def woke_up(self, has_bug):
        """All is set again; with the bug every EPP was at performance."""
        self.surely_dynamic.clear()
        if has_bug:
            for values in self.others.values():
                values.add(BOOST)
        self.applied_surely()

    def mode_changed(self, mode):
        self.mode = mode
        self.drivers_are_others()
        self.surely_dynamic.clear()
        if self.takes_over():
            self.dynamic_epp.add(False)

    def fault(self):
        self.faulty = True
        for policy in self.left_by_governor:
            self.others[policy].add(BOOST)
        if True in self.dynamic_epp and self.takes_over():
            self.dynamic_epp.add(False)
        self.drivers_are_others()

    # ---- what is expected ----

    def is_wanted(self):
        mode = CONFIGS[self.config].mode
        return mode == 'always' or (mode == 'opt-in' and bool(self.boost_holds))

    def profiles(self):
        """Those that may be in effect."""
        held = {profile for _client, profile in self.profile_holds.values()}
        selected = self.selected | self.firmware
        if self.drivers_doubtful:
            selected = selected | {'balanced', CONFIGS[self.config].default}
        return {effective(held, profile) for profile in selected} | self.firmware

    def epp(self, profile):
        epp = TABLES[CONFIGS[self.config].table][profile][self.on_ac]
        return epp if self.machine.takes_numbers else NEAREST.get(epp, epp)

    def threshold(self):
        return min([percent for _client, percent in self.boost_holds.values()],
                   default=CONFIGS[self.config].threshold)

    def boosted_policies(self, busy, cpus_online):
        """Those of the CPUs @busy."""
        return {self.machine.policy_of(cpu) for cpu in busy if cpu in cpus_online}

    def boost_states(self, profile, policies, dynamic_epp=False):
        """What BoostState may be with @profile in effect; @policies: {number: Policy}. @dynamic_epp:
        what the global file says."""
        config = CONFIGS[self.config]
        there = [policy for policy in policies.values() if policy.online and policy.epp is not None]
        if config.mode == 'off':
            return {'off'}
        if not self.is_wanted():
            return {'idle'}
        if dynamic_epp or all(policy.epp == DYNAMIC for policy in there):
            return {'blocked'}
        if all(policy.governor == 'performance' for policy in there):
            return {'blocked'}
        if self.epp(profile) == BOOST:
            return {'blocked'}
        if profile in config.suppress_in or not (self.on_ac or config.on_battery):
            return {'suppressed'}
        if config.backend == 'auto' and self.machine.has_kernel_boost and self.threshold() == 50:
            # Who switched it off is not fought.
            return {'kernel', 'armed'} if self.kernel_boost is False else {'kernel'}
        return {'armed'}

    def bases(self, policy, profile):
        """What @policy's EPP file may hold while it is idle."""
        if policy in self.is_sure:
            return {self.is_sure[policy]}
        if policy in self.surely_dynamic:
            return {DYNAMIC}
        return {self.epp(profile)} | self.others[policy]

    def all_bases(self):
        """{policy: what its EPP file may hold while it is idle}, whatever the profile."""
        profiles = self.profiles()
        return {policy: set().union(*(self.bases(policy, profile) for profile in profiles))
                for policy in self.others}

    def kernel_boost_problems(self, state, is_on):
        """@is_on: the kernel's own boost, None where there is none."""
        if is_on is None or self.kernel_boost is not None or self.faulty:
            return []
        wanted = {'kernel': True, 'armed': False}.get(state, is_on)
        return [] if is_on == wanted else [f'epp_boost is {is_on} while the boost is {state}']

    def problems(self, policies, profile, boosted):
        """What is wrong with the policies' files: texts. @boosted: the policies that should be."""
        problems = []
        for number, policy in policies.items():
            if not policy.online or policy.epp is None:
                continue
            if policy.governor == 'performance':
                wanted = {BOOST}
            elif number in boosted and number not in self.surely_dynamic and not policy.resting:
                wanted = ({BOOST} | self.over_boost[number] | (self.others[number] & {DYNAMIC})
                          | ({self.is_sure[number]} if number in self.is_sure else set()))
            else:
                wanted = self.bases(number, profile)
            if policy.epp not in wanted:
                problems.append(f'policy{number} holds {policy.epp}, not '
                                f'{" or ".join(sorted(wanted))} ('
                                f'{"busy" if number in boosted else "idle"}, '
                                f'governor {policy.governor})')
        return problems

    def settle(self, profile, policies, dynamic_epp=False):
        """All is as it should be, all CPUs idle: what was found is what is."""
        self.faulty = False
        self.left_by_governor.clear()
        self.dynamic_epp = {dynamic_epp}
        for values in self.over_boost.values():
            values.clear()
        if (not self.profile_holds and self.mode == 'active' and not self.drivers_doubtful):
            self.selected = {profile}
            self.firmware.clear()
        for number, policy in policies.items():
            # What a policy that can't be looked at holds is not known.
            if (policy.online and policy.epp is not None and policy.governor != 'performance'
                    and not dynamic_epp):
                self.others[number] = {policy.epp} - {self.epp(profile)}


assert set(PROFILES) == set(TABLES['ppd'])
