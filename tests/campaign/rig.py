# SPDX-License-Identifier: GPL-2.0-or-later
"""The real eppd on a simulated kernel, with clients, a logind and loads: carries steps out, and tells
the oracle what became of them."""

import os
import random
import re
import signal
import time

from gi.repository import Gio, GLib

import harness
import sim_case
from boost_case import POLICY_DIR
from fake_services import Logind
from live_load import LiveLoad
from oracle import BOOST, CONFIGS, DYNAMIC, Oracle
from profile_case import LEGACY, MODERN

# Generous: the machine may be busy with other things.
CALL_SECONDS = 20
START_SECONDS = 60
TICK_MS = 4
# No edge is on its way any longer.
EDGE_SECONDS = 0.1
TRACE = 'load'
DYNAMIC_EPP = '/sys/devices/system/cpu/amd_pstate/dynamic_epp'
KERNEL_BOOST = '/sys/module/amd_pstate/parameters/epp_boost'

# What a call comes back with where the daemon died meanwhile, or is not there.
LOST = ('NoReply', 'ServiceUnknown', 'NameHasNoOwner', 'Disconnected')

FIRMWARE_PROFILES = {'low-power': 'power-saver', 'quiet': 'power-saver', 'cool': 'balanced',
                     'balanced': 'balanced', 'balanced-performance': 'balanced',
                     'performance': 'performance', 'max-power': 'performance'}


class Failure(Exception):
    """An invariant does not hold."""


class Call:
    """A call on its way. outcome: None, 'ok', 'refused' or 'lost'; then value or error."""

    def __init__(self, connection, name, path, interface, method, parameters, done=None,
                 unpack=GLib.Variant.unpack):
        self.method = f'{interface}.{method}'
        self.outcome = None
        self.value = None
        self.error = None
        self._done = done
        self._unpack = unpack
        connection.call(name, path, interface, method, parameters, None, Gio.DBusCallFlags.NO_AUTO_START,
                        CALL_SECONDS * 1000, None, self._replied)

    def _replied(self, connection, result):
        try:
            value = self._unpack(connection.call_finish(result))
            self.value = value[0] if len(value) == 1 else value
            self.outcome = 'ok'
        except GLib.Error as error:
            self.error = error
            remote = Gio.DBusError.get_remote_error(error) or ''
            lost = (remote.removeprefix('org.freedesktop.DBus.Error.') in LOST
                    or error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.CLOSED))
            self.outcome = 'lost' if lost else 'refused'
            if error.matches(Gio.io_error_quark(), Gio.IOErrorEnum.TIMED_OUT):
                self.outcome = 'late'
        if self._done:
            self._done(self)


class Client:
    """Somebody on the bus, who holds."""

    def __init__(self, rig):
        self.connection = rig.connect()
        # Told to the holder alone.
        self.connection.signal_subscribe(
            None, MODERN.name, 'ProfileReleased', MODERN.path, None, Gio.DBusSignalFlags.NONE,
            lambda _connection, _sender, _path, _interface, _signal, parameters:
            rig.oracle.released(parameters.unpack()[0]))
        self.profile_cookies = []
        self.boost_cookies = []


class Figures:
    """What a campaign amounts to."""

    NAMES = ('steps', 'quiet', 'faults', 'met', 'kills', 'restarts', 'episodes', 'writes', 'nudges')

    def __init__(self):
        for name in self.NAMES:
            setattr(self, name, 0)

    def __str__(self):
        return ', '.join(f'{getattr(self, name)} {name}' for name in self.NAMES)


class Rig(sim_case.SimTestCase):
    """Used by hand, not by a test runner: open(), carry_out(), close()."""

    def runTest(self):
        raise NotImplementedError('a rig is no test')

    def open(self, machine, sim_args, seed):
        self.setUp()
        self.machine = machine
        self.figures = Figures()
        self.oracle = Oracle(machine)
        self.draw = random.Random(seed)  # of what a quiet period does besides
        self.make_tree(*sim_args, '--seed', str(seed & 0xffffffff))
        self.load = LiveLoad(self.directory, range(machine.n_cpus), TICK_MS, TRACE)
        self.addCleanup(self.load.close)
        self.duty = {cpu: 0 for cpu in range(machine.n_cpus)}
        self.loaded_at = {}  # when that was set
        self.clients = {}
        self.calls = []  # on their way
        self.old_daemons = []
        self.pids = set()  # of all daemons so far
        self.had_vanished = False  # a file, since the last quiet period
        self.plugged = {}  # policy → when a CPU of it came or went last
        self.statistics = {}
        self.log_offset = 0
        self.logind = Logind(self)
        self.write_config(CONFIGS['plain'].text)
        self.start()

    def close(self):
        self.doCleanups()

    # ---- time, calls ----

    def until(self, predicate, what, seconds=CALL_SECONDS):
        value = harness.iterate_until(predicate, seconds)
        if not value:
            raise Failure(f'waited {seconds} s in vain for {what}')
        return value

    def pass_events(self):
        """What has come by now."""
        context = GLib.MainContext.default()
        while context.iteration(False):
            pass

    def pass_ticks(self, n):
        passed = []
        GLib.timeout_add(n * TICK_MS, lambda: passed.append(True))
        while not passed:
            GLib.MainContext.default().iteration(True)

    def start_call(self, connection, interface, path, method, parameters, done=None,
                   bus_name=None, **kwargs):
        call = Call(connection, bus_name or interface, path, interface, method, parameters, done,
                    **kwargs)
        self.calls.append(call)
        return call

    def finish(self, call):
        """Waits for the reply."""
        context = GLib.MainContext.default()
        while call.outcome is None:
            context.iteration(True)
        if call in self.calls:
            self.calls.remove(call)
        if call.outcome == 'late':
            raise Failure(f'no reply to {call.method} within {CALL_SECONDS} s')
        return call

    def finish_calls(self):
        while self.calls:
            self.finish(self.calls[0])

    def eppd1(self, method, parameters=None, on=None):
        return self.finish(self.start_call(on or self.connection, harness.BUS_NAME,
                                           harness.OBJECT_PATH, method, parameters))

    def profiles_call(self, method, parameters, on=None):
        return self.finish(self.start_call(on or self.connection, MODERN.name, MODERN.path, method,
                                           parameters))

    def value_of(self, name, face=None):
        """The value, or None: there is no eppd."""
        interface, path = (face.name, face.path) if face else (harness.BUS_NAME,
                                                               harness.OBJECT_PATH)
        call = self.finish(self.start_call(
            self.connection, 'org.freedesktop.DBus.Properties', path, 'Get',
            GLib.Variant('(ss)', (interface, name)), bus_name=interface))
        if call.outcome == 'refused':
            raise Failure(f'{interface}.{name} can\'t be read: {call.error.message}')
        return call.value

    def settle(self, on):
        """What was said to eppd on that connection has come; fake_services asks for this."""
        self.finish(self.start_call(on, 'org.freedesktop.DBus.Properties', harness.OBJECT_PATH, 'Get',
                                    GLib.Variant('(ss)', (harness.BUS_NAME, 'Version')),
                                    bus_name=harness.BUS_NAME))

    def values_of(self, *names):
        """Those properties of org.eppd.Eppd1, all texts."""
        def unpack(reply):
            # To unpack all of them takes longer than the rest.
            values = reply.get_child_value(0)
            return [[values.lookup_value(name, None).get_string() for name in names]]

        return self.finish(self.start_call(
            self.connection, 'org.freedesktop.DBus.Properties', harness.OBJECT_PATH, 'GetAll',
            GLib.Variant('(s)', (harness.BUS_NAME,)), bus_name=harness.BUS_NAME,
            unpack=unpack)).value

    # ---- the daemon ----

    @property
    def runs(self):
        return self.daemon is not None and self.daemon.code() is None

    def start(self, *args):
        self.daemon = self.spawn_eppd('--residency', self.load.source, *args)
        self.pids.add(self.daemon.pid)
        self.log_offset = 0
        self.statistics = {}
        self.until(lambda: self.owner_pid() == self.daemon.pid or not self.runs, 'eppd on the bus',
                   START_SECONDS)
        if not self.runs:
            raise Failure(f'eppd did not start: it ended with {self.daemon.code()}')
        # It answers once it controls the machine.
        self.value_of('Version')
        self.oracle.daemon_started()

    def owner_pid(self):
        """Of who has the name that eppd gets last; None if nobody has."""
        try:
            return self.connection.call_sync(
                'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus',
                'GetConnectionUnixProcessID', GLib.Variant('(s)', (LEGACY.name,)), None,
                Gio.DBusCallFlags.NONE, -1, None).unpack()[0]
        except GLib.Error:
            return None

    def ended(self):
        """The daemon is no more, and with it all that was held."""
        self.finish_calls()
        self.look_at_log()
        self.oracle.daemon_ended()
        for client in self.clients.values():
            client.profile_cookies.clear()
            client.boost_cookies.clear()

    def await_end(self, program, what):
        self.until(lambda: program.code() is not None, what, START_SECONDS)
        return program.code()

    def stop(self):
        self.take_statistics()
        self.daemon.send(signal.SIGTERM)
        code = self.await_end(self.daemon, 'the end of eppd')
        if code != 0:
            raise Failure(f'eppd ended with {code} upon SIGTERM')
        self.ended()

    def take_statistics(self):
        call = self.eppd1('GetStatistics')
        if call.outcome != 'ok':
            raise Failure(f'no statistics: {call.error.message}')
        new = call.value
        for figure, names in (('episodes', ('idle-edges',)), ('writes', ('boost-writes', 'base-writes'))):
            count = getattr(self.figures, figure)
            setattr(self.figures, figure,
                    count + sum(new[name] - self.statistics.get(name, 0) for name in names))
        self.statistics = new

    def said_since(self, offset):
        with open(self.daemon.out_path, encoding='utf-8', errors='replace') as file:
            file.seek(offset)
            return file.read()

    def look_at_log(self):
        said = self.said_since(self.log_offset)
        self.log_offset += len(said.encode())
        bad = re.search(r'(?m)^critical: .*|.*CRITICAL.*|.*runtime error.*|.*AddressSanitizer.*',
                        said + self.daemon.err)
        if bad:
            raise Failure(f'eppd said: {bad[0]}')

    # ---- steps ----

    def carry_out(self, step):
        """Any step but a quiet one."""
        self.figures.steps += 1
        getattr(self, 'do_' + step.kind.replace('-', '_'))(*step.args)
        self.pass_events()
        if not self.runs:
            raise Failure(f'eppd is gone: it ended with {self.daemon.code()}')

    def command(self, text):
        """False where it makes no sense for the machine as it is now."""
        try:
            self.sim.command(text)
        except OSError:
            return False
        return True

    def put_text(self, path, text):
        """Another program's write; False where the kernel refuses it."""
        try:
            self.write(path, text + '\n')
        except OSError:
            return False
        return True

    def look_up(self, path):
        """What a file says, for the test; None where it can't be read."""
        try:
            handle = os.open(self.path(path), os.O_RDONLY)
        except OSError:
            return None
        try:
            return os.read(handle, 4096).decode().strip()
        except OSError:
            return None
        finally:
            os.close(handle)

    def do_ticks(self, n):
        self.pass_ticks(int(n))

    def do_load(self, cpu, duty):
        self.duty[int(cpu)] = None if duty == 'none' else int(duty)
        self.load_again(int(cpu))

    def load_again(self, cpu):
        """As its duty says; an edge may be on its way from here on."""
        self.load.set(cpu, self.duty[cpu])
        self.loaded_at[cpu] = time.monotonic()

    def client(self, name):
        if name not in self.clients:
            self.clients[name] = Client(self)
        return self.clients[name]

    def do_profile(self, name):
        self.finish(self.choose(name))

    def do_profile_nowait(self, name):
        self.choose(name)

    def choose(self, name):
        # Of two that are on their way nobody knows which comes first.
        self.finish_calls()
        n_disturbances = self.oracle.n_disturbances

        def done(call):
            self.oracle.chosen(name, call.outcome, self.oracle.n_disturbances != n_disturbances)

        return self.start_call(
            self.connection, 'org.freedesktop.DBus.Properties', MODERN.path, 'Set',
            GLib.Variant('(ssv)', (MODERN.name, 'ActiveProfile', GLib.Variant('s', name))), done,
            bus_name=MODERN.name)

    def do_hold_profile(self, client, name):
        self.finish_calls()
        client_name, client = client, self.client(client)
        call = self.profiles_call('HoldProfile', GLib.Variant('(sss)', (name, 'campaign', client_name)),
                                  client.connection)
        if call.outcome == 'ok':
            client.profile_cookies.append(call.value)
            self.oracle.profile_held(call.value, client_name, name)

    def do_release_profile(self, client):
        self.finish_calls()
        client = self.client(client)
        if client.profile_cookies:
            cookie = client.profile_cookies.pop(0)
            self.profiles_call('ReleaseProfile', GLib.Variant('(u)', (cookie,)), client.connection)
            self.oracle.released(cookie)

    def do_hold(self, client, percent):
        client_name, client = client, self.client(client)
        if len(self.oracle.boost_holds) >= 20:
            return
        call = self.eppd1('HoldBoost', GLib.Variant(
            '(ssa{sv})', (client_name, 'campaign',
                          {'threshold-percent': GLib.Variant('u', int(percent))})),
            client.connection)
        if call.outcome == 'ok':
            client.boost_cookies.append(call.value)
            self.oracle.boost_holds[call.value] = (client_name, int(percent))
        else:
            raise Failure(f'HoldBoost: {call.error.message}')

    def do_release(self, client):
        client = self.client(client)
        if client.boost_cookies:
            cookie = client.boost_cookies.pop(0)
            call = self.eppd1('ReleaseBoost', GLib.Variant('(u)', (cookie,)), client.connection)
            if call.outcome != 'ok':
                raise Failure(f'ReleaseBoost: {call.error.message}')
            del self.oracle.boost_holds[cookie]

    def do_vanish(self, client):
        if client in self.clients:
            self.finish_calls()
            self.clients.pop(client).connection.close_sync(None)
            self.oracle.vanished(client)

    def do_ac(self, online):
        if self.command(f'supply AC online {online}'):
            self.oracle.on_ac = online == '1'

    def do_cpu(self, cpu, state):
        self.plugged[self.machine.policy_of(int(cpu))] = time.monotonic()
        self.command(f'cpu {cpu} {state}')

    def do_governor(self, cpu, name):
        policy = self.machine.policy_of(int(cpu))
        path = f'{POLICY_DIR}{self.policy_name(policy)}/scaling_governor'
        before = self.look_up(path)
        if self.put_text(path, name) and before != name:
            self.oracle.governor_set(policy)
            if name != 'performance':
                self.oracle.governor_left(policy)

    def do_foreign(self, cpu, epp):
        policy = self.machine.policy_of(int(cpu))
        if self.put_text(self.epp_path(self.policy_name(policy)), epp):
            self.oracle.foreign(policy, epp)

    def do_dynamic(self, cpu):
        policy = int(cpu)
        path = self.epp_path(self.policy_name(policy))
        # What an edge or a profile writes may have been decided on just before.
        is_quiet = (self.duty[policy] == 0 and not self.calls and self.epp_of(policy) != BOOST
                    and time.monotonic() - self.loaded_at.get(policy, 0) > EDGE_SECONDS)
        if self.put_text(path, DYNAMIC):
            self.oracle.entered_dynamic(policy, is_quiet)

    def do_dynamic_epp(self, state):
        if self.put_text(DYNAMIC_EPP, 'enabled' if state == 'on' else 'disabled'):
            self.oracle.dynamic_epp_switched(state == 'on')

    def do_kernel_boost(self, state):
        if self.put_text(KERNEL_BOOST, state):
            self.oracle.kernel_boost_switched(state == '1')

    def do_mode(self, mode):
        # By its file, as a person does it: that is what tells eppd.
        for driver in ('amd_pstate', 'intel_pstate'):
            if self.put_text(f'/sys/devices/system/cpu/{driver}/status', mode):
                self.oracle.mode_changed(mode)

    def do_firmware(self, name):
        if self.command(f'platform firmware {name}'):
            self.oracle.firmware_chose(FIRMWARE_PROFILES[name])

    def do_sleep(self, how):
        self.finish_calls()
        self.logind.prepare_for_sleep(True)
        self.sim.command('suspend')
        self.sim.command('resume epp-performance' if how == 'bug' else 'resume')
        self.logind.prepare_for_sleep(False)
        self.oracle.woke_up(how == 'bug')

    def do_fault(self, *words):
        self.sim.command(' '.join(('fault', *words)))
        self.figures.faults += 1
        self.had_vanished |= 'vanish' in words
        self.oracle.fault()

    def do_clear(self):
        self.sim.command('fault clear')

    def do_config(self, name):
        self.write_config(CONFIGS[name].text)
        self.oracle.file_config = name

    def do_reload(self):
        self.finish_calls()
        if self.eppd1('Reload').outcome != 'ok':
            raise Failure('Reload failed')
        self.oracle.reloaded()

    def do_hup(self):
        self.finish_calls()
        before = os.path.getsize(self.daemon.out_path)
        self.daemon.send(signal.SIGHUP)
        self.until(lambda: 'config: read again' in self.said_since(before), 'SIGHUP to be heeded')
        self.oracle.reloaded()

    def do_kill(self, how):
        self.figures.kills += 1
        self.take_statistics()
        bases = self.oracle.all_bases()
        self.daemon.send(signal.SIGKILL)
        self.await_end(self.daemon, 'the end of eppd')
        self.ended()
        if how == 'restore':
            program = self.start_bare_eppd('-v', '--restore', '--root', self.tree, '--runtime-dir',
                                           self.runtime_dir)
            self.pids.add(program.pid)
            if self.await_end(program, 'the end of eppd --restore') != 0:
                raise Failure(f'eppd --restore: {program.out}')
            self.check_restored(bases)
        self.start()

    def last_written(self, policy):
        """Into its EPP file; what the hardware came back with after a sleep was written by nobody."""
        writes = [write.text for write in self.sim.writes(self.epp_path(self.policy_name(policy)))
                  if not write.error]
        return writes[-1] if writes else None

    def check_restored(self, before):
        """No boost is left. @before: the bases that there were before the kill."""
        after = self.oracle.all_bases()  # what was chosen just then was perhaps carried out
        is_known = not (self.oracle.faulty or self.oracle.mode != 'active'
                        or True in self.oracle.dynamic_epp)
        for policy in before if is_known else ():
            governor = self.look_up(f'{POLICY_DIR}{self.policy_name(policy)}/scaling_governor')
            if (self.epp_of(policy) == BOOST and governor not in (None, BOOST)
                    and BOOST not in before[policy] | after[policy]
                    and policy not in self.oracle.left_by_governor
                    and self.last_written(policy) == BOOST):
                raise Failure(f'eppd --restore left policy{policy} at {BOOST}')

    def do_restart(self):
        self.figures.restarts += 1
        self.stop()
        self.start()

    def do_fresh(self, profile):
        self.figures.restarts += 1
        self.stop()
        path = os.path.join(self.state_dir, 'state.ini')
        if profile != '-':
            with open(path, 'w', encoding='utf-8') as file:
                file.write(f'[State]\nProfile={profile}\n')
        elif os.path.exists(path):
            os.unlink(path)
        self.oracle.state_was_replaced(None if profile == '-' else profile)
        self.start()

    def do_handover(self):
        self.figures.restarts += 1
        old = self.daemon
        self.take_statistics()
        self.ended()
        self.start('-r')
        if self.await_end(old, 'the end of the one that was replaced') != 0:
            raise Failure(f'the eppd that was replaced ended with {old.code()}')

    # ---- the simulated kernel ----

    def policy_name(self, policy):
        """The kernel names it by the first CPU that was online when it was made."""
        return next((name for name in (f'policy{cpu}' for cpu in self.machine.cpus_of(policy)[1:])
                     if os.path.isdir(self.path(POLICY_DIR + name))), f'policy{policy}')

    def epp_of(self, policy):
        """None where there is none; what is dynamic is just that. The performance governor leaves a
        number where there was one."""
        epp = self.look_up(self.epp_path(self.policy_name(policy)))
        return BOOST if epp == '0' else DYNAMIC if epp and epp.startswith(DYNAMIC) else epp

    def cpus_online(self):
        online = set()
        for part in self.read('/sys/devices/system/cpu/online').split(','):
            first, _, last = part.partition('-')
            online |= set(range(int(first), int(last or first) + 1))
        return online
