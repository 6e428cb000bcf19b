# SPDX-License-Identifier: GPL-2.0-or-later
"""What the integration tests share: a private bus, a simulated EPP tree, the daemon, eppctl.

class MyTest(harness.EppdTestCase):
    def test_something(self):
        self.write_config('[Boost]\\nMode=always\\n')
        self.start_eppd('--residency', 'procstat')
        cookie = self.call('HoldBoost', 'game', 'playing', {'trigger': GLib.Variant('s', 'core')})
        self.wait_for(lambda: self.get('BoostState') == 'armed', 'the boost to be armed')
        self.set_epp('policy1', 'power')
        self.assertEqual(self.epp('policy0'), 'balance_performance')

use_faults() before the start lets a test have writes refused or slow, and time pass: faults.py.

Whatever is awaited (a signal, a file's content, a line in the log) is awaited by wait_for(), which runs
the main context meanwhile: objects that a test exports answer, and signals arrive.

What eppd does wrong besides fails the test that started it: a GLib critical or another crash, an end
that is not clean, and whatever a wrapper has to say ($EPPD_WRAPPER, e.g. valgrind: see HACKING.md).
"""

import contextlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

import gi

gi.require_version('Gio', '2.0')
from gi.repository import Gio, GLib  # noqa: E402

from fake_services import Polkit  # noqa: E402
from faults import Faults  # noqa: E402

SOURCE_ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD_ROOT = os.environ.get('EPPD_BUILD_ROOT', os.path.join(SOURCE_ROOT, 'build', 'test'))

EPPD = os.path.join(BUILD_ROOT, 'src', 'daemon', 'eppd')
EPPCTL = os.path.join(BUILD_ROOT, 'src', 'ctl', 'eppctl')
EPPD_LOAD = os.path.join(BUILD_ROOT, 'tests', 'load', 'eppd-load')
EPPD_FRAME_LOAD = os.path.join(BUILD_ROOT, 'tests', 'load', 'eppd-frame-load')
FAULT_SHIM = os.path.join(BUILD_ROOT, 'tests', 'integration', 'fault-shim.so')
# Stands before each eppd. What it writes below $EPPD_WRAPPER_LOGS is an error of that eppd, but for what
# valgrind says of itself: that it does not know a BPF command, which it passes on.
WRAPPER = shlex.split(os.environ.get('EPPD_WRAPPER', ''))
WRAPPER_REMARK = re.compile(r'^--\d+-- .*\n', re.MULTILINE)
CRASHES = (signal.SIGABRT, signal.SIGBUS, signal.SIGFPE, signal.SIGILL, signal.SIGSEGV,
           signal.SIGSYS, signal.SIGTRAP)

BUS_NAME = 'org.eppd.Eppd1'
OBJECT_PATH = '/org/eppd/Eppd1'
INTERFACE_FILE = os.path.join(SOURCE_ROOT, 'data', 'org.eppd.Eppd1.xml')

# Generous: a limit says that the awaited will not come, not how fast it should be.
TIMEOUT_SECONDS = 600 if WRAPPER else 60
POLL_MS = 10

BUS_CONFIG = '''<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
 "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>system</type>
  <listen>unix:path={directory}/bus</listen>
  <auth>EXTERNAL</auth>
  {services}
  <policy context="default">
    <allow user="*"/>
    <allow own="*"/>
    <allow send_type="method_call"/>
    <allow send_type="signal"/>
    <allow send_requested_reply="true"/>
    <allow receive_type="method_call"/>
    <allow receive_type="signal"/>
    <allow receive_requested_reply="true"/>
  </policy>
</busconfig>
'''


def iterate_until(predicate, timeout=TIMEOUT_SECONDS):
    """Runs the default main context until predicate() is true; its value, or None at the limit."""
    context = GLib.MainContext.default()
    deadline = time.monotonic() + timeout
    ticker = GLib.timeout_add(POLL_MS, lambda: True)
    try:
        while True:
            value = predicate()
            if value:
                return value
            if time.monotonic() > deadline:
                return None
            context.iteration(True)
    finally:
        GLib.source_remove(ticker)


def read_file(path):
    with open(path, encoding='utf-8', errors='replace') as file:
        return file.read()


def read_threads(pid, name):
    """{thread: its file @name in /proc} of those that do not end while this looks."""
    directory = f'/proc/{pid}/task'
    texts = {}
    for thread in sorted(os.listdir(directory)):
        try:
            texts[thread] = read_file(f'{directory}/{thread}/{name}')
        except (FileNotFoundError, ProcessLookupError):
            continue
    return texts


def interface_info():
    return Gio.DBusNodeInfo.new_for_xml(read_file(INTERFACE_FILE)).lookup_interface(BUS_NAME)


class Program:
    """A running program with its output in files, so that it never blocks on a pipe."""

    def __init__(self, argv, directory, env, **popen_args):
        self.argv = argv
        handle, self.out_path = tempfile.mkstemp(prefix='out-', dir=directory)
        err_handle, self.err_path = tempfile.mkstemp(prefix='err-', dir=directory)
        self.process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=handle,
                                        stderr=err_handle, env=env, **popen_args)
        os.close(handle)
        os.close(err_handle)

    @property
    def out(self):
        return read_file(self.out_path)

    @property
    def err(self):
        return read_file(self.err_path)

    @property
    def pid(self):
        return self.process.pid

    def code(self):
        """The exit code (negative: the signal); None while it runs."""
        return self.process.poll()

    def send(self, signal_number):
        self.process.send_signal(signal_number)

    def end(self):
        """Kills it if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class EppdTestCase(unittest.TestCase):
    """Every test has a directory, a bus and a tree of its own."""

    maxDiff = None
    tree_args = ('--cpus', '4')
    bus_services = ''  # <servicedir>…</servicedir> for activation

    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix='eppd-test-')
        self.addCleanup(shutil.rmtree, self.directory, ignore_errors=True)
        self.wrapper_logs = os.path.join(self.directory, 'wrapper-logs')
        self.eppds = []
        self.addCleanup(self._check_eppds)
        self.tree = os.path.join(self.directory, 'tree')
        self.state_dir = os.path.join(self.directory, 'state')
        self.runtime_dir = os.path.join(self.directory, 'run')
        self.config_path = os.path.join(self.directory, 'eppd.conf')
        self.daemon = None
        self.daemon_args = ()
        self.faults = None
        self._methods = {method.name: method for method in interface_info().methods}
        self._start_bus()
        self.connection = self.connect()

    # ---- bus ----

    def _start_bus(self):
        config = os.path.join(self.directory, 'bus.conf')
        with open(config, 'w', encoding='utf-8') as file:
            file.write(BUS_CONFIG.format(directory=self.directory, services=self.bus_services))
        read_fd, write_fd = os.pipe()
        self.bus = Program(['dbus-daemon', f'--config-file={config}', '--nofork', '--nopidfile',
                            '--nosyslog', f'--print-address={write_fd}'], self.directory,
                           dict(os.environ), pass_fds=[write_fd])
        self.addCleanup(self.bus.end)
        os.close(write_fd)
        with os.fdopen(read_fd, encoding='utf-8') as file:
            self.bus_address = file.readline().strip()
        if not self.bus_address:
            self.fail(f'dbus-daemon did not start: {self.bus.err}')
        self.env = dict(os.environ, DBUS_SYSTEM_BUS_ADDRESS=self.bus_address, LC_ALL='C.UTF-8',
                        LANGUAGE='')
        self.env.pop('DBUS_STARTER_ADDRESS', None)
        # What a test preloads comes before the run time of an eppd built with ASan.
        self.env['ASAN_OPTIONS'] = ':'.join(filter(None, [os.environ.get('ASAN_OPTIONS'),
                                                          'verify_asan_link_order=0']))

    def connect(self):
        """A new connection to the bus: another client, with a unique name of its own."""
        connection = Gio.DBusConnection.new_for_address_sync(
            self.bus_address,
            Gio.DBusConnectionFlags.AUTHENTICATION_CLIENT
            | Gio.DBusConnectionFlags.MESSAGE_BUS_CONNECTION, None, None)
        connection.set_exit_on_close(False)
        return connection

    def name_owner(self, name):
        """The unique name that owns @name, or None."""
        try:
            return self.connection.call_sync(
                'org.freedesktop.DBus', '/org/freedesktop/DBus', 'org.freedesktop.DBus',
                'GetNameOwner', GLib.Variant('(s)', (name,)), None, Gio.DBusCallFlags.NONE, -1,
                None).unpack()[0]
        except GLib.Error:
            return None

    def bus_call(self, connection, name, path, interface, method, parameters, fds=None):
        """Calls anything; @parameters a tuple Variant or None. Runs the main context meanwhile. The
        reply, unpacked: nothing → None, one value → that value, several → a tuple."""
        answer = {}

        def done(source, result):
            try:
                reply, _fds = source.call_with_unix_fd_list_finish(result)
                answer['reply'] = reply.unpack()
            except GLib.Error as error:
                answer['error'] = error

        fd_list = Gio.UnixFDList.new_from_array(fds) if fds else None
        connection.call_with_unix_fd_list(name, path, interface, method, parameters, None,
                                          Gio.DBusCallFlags.NONE, TIMEOUT_SECONDS * 1000, fd_list,
                                          None, done)
        self.wait_for(lambda: answer, f'the reply to {interface}.{method}', TIMEOUT_SECONDS + 10)
        if 'error' in answer:
            raise answer['error']
        reply = answer['reply']
        return None if not reply else reply[0] if len(reply) == 1 else reply

    def call(self, method, *args, on=None, fds=None):
        """Calls a method of org.eppd.Eppd1, e.g. call('HoldBoost', 'app', 'why', {}). @on: another
        connection than the test's own. @fds: descriptors; their handles are 0, 1, … (the list
        duplicates them)."""
        info = self._methods[method]
        signature = '(' + ''.join(arg.signature for arg in info.in_args or []) + ')'
        return self.bus_call(on or self.connection, BUS_NAME, OBJECT_PATH, BUS_NAME, method,
                             GLib.Variant(signature, args),
                             [os.dup(fd) for fd in fds] if fds else None)

    def get(self, name, interface=BUS_NAME, path=OBJECT_PATH, bus_name=None, on=None):
        return self.bus_call(on or self.connection, bus_name or interface, path,
                             'org.freedesktop.DBus.Properties', 'Get',
                             GLib.Variant('(ss)', (interface, name)))

    def set(self, name, variant, interface, path, bus_name=None, on=None):
        return self.bus_call(on or self.connection, bus_name or interface, path,
                             'org.freedesktop.DBus.Properties', 'Set',
                             GLib.Variant('(ssv)', (interface, name, variant)))

    def get_all(self, interface=BUS_NAME, path=OBJECT_PATH, bus_name=None):
        return self.bus_call(self.connection, bus_name or interface, path,
                             'org.freedesktop.DBus.Properties', 'GetAll',
                             GLib.Variant('(s)', (interface,)))

    def record_signals(self, name, interface=BUS_NAME, on=None):
        """A list that grows by the parameters (a tuple) of each signal from now on."""
        received = []
        connection = on or self.connection
        connection.signal_subscribe(
            None, interface, name, None, None, Gio.DBusSignalFlags.NONE,
            lambda _connection, _sender, _path, _interface, _signal, parameters:
            received.append(parameters.unpack()))
        return received

    @contextlib.contextmanager
    def assert_dbus_error(self, name, pattern=None):
        """The block must fail with the D-Bus error @name, its text matching @pattern if given."""
        try:
            yield
        except GLib.Error as error:
            self.assertEqual(Gio.DBusError.get_remote_error(error), name, error.message)
            if pattern:
                self.assertRegex(error.message, pattern)
        else:
            self.fail(f'expected the error {name}')

    def start_polkit(self, allowed='all'):
        """A polkit that answers while the main context runs. @allowed: 'all', or a list of action
        ids."""
        self.polkit = Polkit(self, allowed)

    def allow(self, allowed):
        """What polkit allows from now on."""
        self.polkit.allowed = allowed

    # ---- programs ----

    def start_program(self, argv, **popen_args):
        program = Program(argv, self.directory, popen_args.pop('env', self.env), **popen_args)
        self.addCleanup(program.end)
        return program

    def wait_program(self, program, timeout=TIMEOUT_SECONDS):
        """Waits for its end; its exit code (negative: the signal)."""
        self.wait_for(lambda: program.code() is not None, f'the end of {program.argv}', timeout)
        return program.code()

    def run_program(self, argv, **popen_args):
        program = self.start_program(argv, **popen_args)
        self.wait_program(program)
        return program

    def eppctl(self, *args, **popen_args):
        """Runs eppctl to its end; has out, err and code()."""
        return self.run_program([EPPCTL, *args], **popen_args)

    def start_eppctl(self, *args, **popen_args):
        return self.start_program([EPPCTL, *args], **popen_args)

    # ---- the daemon and its tree ----

    def make_tree(self, *args):
        """The simulated tree that the daemon is to control, at self.tree; once a test."""
        subprocess.run([os.path.join(SOURCE_ROOT, 'tools', 'make-epp-tree'), self.tree,
                        *(args or self.tree_args)], check=True, stdout=subprocess.DEVNULL)

    def write_config(self, text):
        """The configuration of the next start or Reload()."""
        with open(self.config_path, 'w', encoding='utf-8') as file:
            file.write(text)

    def use_faults(self):
        """From here on eppd starts with the fault shim, which self.faults controls."""
        self.assertTrue(os.path.exists(FAULT_SHIM), 'the build has no fault shim')
        self.faults = Faults(os.path.join(self.directory, 'faults'), FAULT_SHIM)

    def start_bare_eppd(self, *args, program=EPPD, **popen_args):
        """eppd with these arguments alone. What still runs of it at the test's end must end well."""
        env = dict(popen_args.pop('env', self.env), EPPD_WRAPPER_LOGS=self.wrapper_logs)
        env['G_DEBUG'] = ','.join(filter(None, [env.get('G_DEBUG'), 'fatal-criticals']))
        if WRAPPER:
            # Also for an eppd of another user.
            os.makedirs(self.wrapper_logs, exist_ok=True)
            os.chmod(self.wrapper_logs, 0o777)
        eppd = self.start_program([*WRAPPER, program, *args], env=env, **popen_args)
        self.eppds.append(eppd)
        self.addCleanup(self._end_eppd, eppd)
        return eppd

    def run_bare_eppd(self, *args, **popen_args):
        """The same to its end."""
        eppd = self.start_bare_eppd(*args, **popen_args)
        self.wait_program(eppd)
        return eppd

    def _end_eppd(self, eppd):
        if eppd.code() is not None:
            return
        eppd.send(signal.SIGTERM)
        eppd.send(signal.SIGCONT)
        if self.wait_program(eppd) != 0:
            self.fail(f'the end of {eppd.argv} was not clean ({eppd.code()}):\n{eppd.out}{eppd.err}')

    def _check_eppds(self):
        """Once they all have ended."""
        for eppd in self.eppds:
            if -eppd.code() in CRASHES:
                self.fail(f'{eppd.argv} crashed ({eppd.code()}):\n{eppd.out}{eppd.err}')
        if os.path.isdir(self.wrapper_logs):
            said = ''.join(WRAPPER_REMARK.sub('', read_file(os.path.join(self.wrapper_logs, name)))
                           for name in sorted(os.listdir(self.wrapper_logs)))
            if said:
                self.fail(f'{WRAPPER[0]} said:\n{said}')

    def spawn_eppd(self, *args):
        """Starts the daemon without waiting for anything."""
        if not os.path.isdir(self.tree):
            self.make_tree()
        if not os.path.exists(self.config_path):
            self.write_config('')
        for directory in (self.state_dir, self.runtime_dir):
            os.makedirs(directory, exist_ok=True)
        return self.start_bare_eppd('-v', '--root', self.tree, '--config', self.config_path,
                                    '--state-dir', self.state_dir, '--runtime-dir',
                                    self.runtime_dir, *args,
                                    env=self.faults.environment(self.env) if self.faults
                                    else self.env)

    def start_eppd(self, *args, polkit='all'):
        """Starts the daemon and waits until it answers. @polkit: what polkit allows ('all', a
        list of action ids), or None for no polkit."""
        if polkit is not None and not self.name_owner('org.freedesktop.PolicyKit1'):
            self.start_polkit(polkit)
        self.daemon_args = args
        self.daemon = self.spawn_eppd(*args)
        self.wait_for(lambda: self.name_owner(BUS_NAME) or self.daemon.code() is not None,
                      'the daemon on the bus')
        if self.daemon.code() is not None:
            self.fail(f'the daemon ended at once ({self.daemon.code()}):\n{self.log()}')
        # It answers once it controls the tree.
        self.get('Version')
        return self.daemon

    def stop_eppd(self):
        """SIGTERM; the daemon must end with 0."""
        self.daemon.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(self.daemon), 0, self.log())

    def kill_eppd(self):
        """SIGKILL, as a crash."""
        self.daemon.send(signal.SIGKILL)
        self.wait_program(self.daemon)
        self.wait_for(lambda: not self.name_owner(BUS_NAME), 'the bus to notice the kill')

    def restart_eppd(self, *args):
        self.stop_eppd()
        return self.start_eppd(*(args or self.daemon_args))

    def log(self):
        """What the daemon has said, on both streams."""
        return self.daemon.out + self.daemon.err if self.daemon else ''

    def path(self, path):
        """An absolute path of the machine, below the tree."""
        return os.path.join(self.tree, path.lstrip('/'))

    def read(self, path):
        return read_file(self.path(path)).strip()

    def write(self, path, text):
        """In place, as a write to sysfs."""
        handle = os.open(self.path(path), os.O_WRONLY | os.O_TRUNC)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)

    def epp_path(self, policy):
        return f'/sys/devices/system/cpu/cpufreq/{policy}/energy_performance_preference'

    def epp(self, policy):
        """The first line: a plain file keeps what is longer than a write, which sysfs does not."""
        return self.read(self.epp_path(policy)).split('\n')[0]

    def set_epp(self, policy, text):
        """A foreign write."""
        self.write(self.epp_path(policy), text + '\n')

    def policies(self):
        """GetPolicies by name: {'policy0': {…}}."""
        return {policy['policy']: policy for policy in self.call('GetPolicies')}

    # ---- waiting and asserting ----

    def wait_for(self, predicate, what, timeout=TIMEOUT_SECONDS):
        """Runs the main context until predicate() is true and returns its value; fails, naming @what,
        at the limit."""
        value = iterate_until(predicate, timeout)
        if not value:
            log = self.log()
            self.fail(f'waited {timeout} s in vain for {what}'
                      + (f'; the daemon said:\n{log}' if log else ''))
        return value

    def wait_for_epp(self, policy, text):
        if not iterate_until(lambda: self.epp(policy) == text):
            views = self.call('GetPolicies') if self.name_owner(BUS_NAME) else 'no eppd is there'
            self.fail(f'waited in vain for the EPP of {policy} to be {text}: it is '
                      f'{self.epp(policy)}; eppd sees {views}; the daemon said:\n{self.log()}')

    def wait_for_log(self, pattern):
        """The first match of @pattern (MULTILINE) in the daemon's log, awaited."""
        return self.wait_for(lambda: re.search(pattern, self.log(), re.MULTILINE),
                             f'the daemon to log /{pattern}/')

    def assert_not_logged(self, pattern):
        self.assertNotRegex(self.log(), re.compile(pattern, re.MULTILINE))
