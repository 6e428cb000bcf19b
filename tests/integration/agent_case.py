# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of eppd-agent share: a session with a bus, desktop entries, applications in real cgroups, and
the agent beside a real eppd on a simulated EPP tree."""

import os
import re
import signal

from gi.repository import GLib

import harness
from boost_case import POWER_PROFILES, POWER_PROFILES_PATH
from fake_services import PROPERTIES, Logind
from fake_session import SessionBus, UserManager
from file_watch import FileWatch
from hold_case import HoldsTestCase, cgroup2_root

AGENT = os.path.join(harness.BUILD_ROOT, 'src', 'agent', 'eppd-agent')
LOGIND_SESSION = 'org.freedesktop.login1.Session'


def entry_text(keys='', exec_line='no-such-program', name='A game', categories='Game;'):
    return (f'[Desktop Entry]\nType=Application\nName={name}\nExec={exec_line}\n'
            f'Categories={categories}\n{keys}')


class AgentTestCase(HoldsTestCase):

    uid = 0  # the agent's, and the applications'

    def setUp(self):
        super().setUp()
        os.chmod(self.directory, 0o711)
        self.agent = None
        self.manager = None
        self.sentinels = []
        self.home = os.path.join(self.directory, 'home')
        self.user_entries = os.path.join(self.home, '.local', 'share', 'applications')
        self.system_entries = os.path.join(self.directory, 'system', 'applications')
        for directory in (self.user_entries, self.system_entries):
            os.makedirs(directory)
        for number in range(16):
            self.write_entry(self.sentinel(number), directory=self.system_entries)
        self.session = SessionBus(self)
        self.session_env = dict(self.env, DBUS_SESSION_BUS_ADDRESS=self.session.address,
                                HOME=self.home,
                                XDG_DATA_DIRS=os.path.dirname(self.system_entries))
        for name in ('XDG_DATA_HOME', 'DBUS_STARTER_BUS_TYPE', 'GIO_LAUNCHED_DESKTOP_FILE',
                     'GIO_LAUNCHED_DESKTOP_FILE_PID'):
            self.session_env.pop(name, None)

    # ---- desktop entries ----

    def write_entry(self, app_id, keys='X-Eppd-Boost=true\n', directory=None, **parts):
        """As an editor does: a new file in the old one's place. Its path."""
        path = os.path.join(directory or self.user_entries, app_id + '.desktop')
        with open(path + '.new', 'wb') as file:
            file.write(entry_text(keys, **parts).encode())
        os.rename(path + '.new', path)
        return path

    # ---- the agent ----

    def start_agent(self, manager=True, daemon=True, wrapper=()):
        """With a user manager, unless there is none to be; and with the daemon. @wrapper: the words of a
        command that it is started by."""
        if manager and not self.manager:
            self.manager = UserManager(self.session)
        if daemon and not self.daemon:
            self.start_eppd('--residency', 'procstat')
        program, *args = *wrapper, AGENT, '-v', '-v', '--config', self.config_path
        self.agent = self.start_bare_eppd(*args, program=program, env=self.session_env, user=self.uid)
        self.wait_for(lambda: 'agent: started' in self.agent.out or self.agent.code() is not None,
                      'the agent to start')
        if self.manager:
            self.wait_for(lambda: self.manager.is_subscribed and self.manager.listed,
                          'the agent to ask the user manager')
        return self.agent

    def wait_for(self, predicate, what, timeout=harness.TIMEOUT_SECONDS):
        try:
            return super().wait_for(predicate, what, timeout)
        except AssertionError as error:
            said = self.agent.out + self.agent.err if getattr(self, 'agent', None) else ''
            raise AssertionError(f'{error}\nthe agent said:\n{said}') from None

    def wait_for_agent_log(self, pattern):
        return self.wait_for(lambda: re.search(pattern, self.agent.out, re.MULTILINE),
                             f'the agent to log /{pattern}/')

    def n_logged(self, pattern):
        return len(re.findall(pattern, self.agent.out, re.MULTILINE))

    def stop_agent(self):
        self.agent.send(signal.SIGTERM)
        self.assertEqual(self.wait_program(self.agent), 0, self.agent.out + self.agent.err)

    # ---- applications ----

    def app_cgroup(self, unit):
        """In a slice of this program's own: others that run at the same time have units of the same name."""
        return self.make_cgroup('user.slice', f'user-{self.uid}.slice', f'user@{self.uid}.service',
                                'app.slice', f'app-test{os.getpid()}.slice', unit)

    def move(self, program, cgroup):
        with open(f'{cgroup2_root()}{cgroup}/cgroup.procs', 'w', encoding='utf-8') as file:
            file.write(str(program.pid))

    def start_app(self, unit, **popen_args):
        """A process in a unit that the user manager tells of; (process, cgroup)."""
        cgroup = self.app_cgroup(unit)
        events = f'{cgroup2_root()}{cgroup}/cgroup.events'
        was_empty = 'populated 0' in harness.read_file(events)
        watch = FileWatch(self, events)
        program = self.start_sleep(user=self.uid, **popen_args)
        self.move(program, cgroup)
        # Told later, it would be news of its own to the agent: that the cgroup was empty for a moment.
        if was_empty:
            self.wait_for(watch.take, 'the kernel to tell of the process')
        self.manager.add(unit, cgroup)
        return program, cgroup

    # ---- holds ----

    def held_ids(self):
        return sorted(hold['app-id'] for hold in self.held())

    def wait_for_held(self, *app_ids):
        """Waits until just these are held, each as often as it is named; the holds."""
        self.wait_for(lambda: self.held_ids() == sorted(app_ids), f'the holds of {app_ids}')
        return self.held()

    def active_profile(self):
        return self.get('ActiveProfile', POWER_PROFILES, POWER_PROFILES_PATH)

    def sentinel(self, number):
        """Its name; an agent without a user manager sees the units of other programs, too."""
        return f'sentinel{os.getpid()}x{number}'

    def wait_for_sentinel(self, *app_ids):
        """Has the agent see another application, and with it all that was told before. Then just
        @app_ids must be held, besides that one."""
        name = self.sentinel(len(self.manager.cgroups))
        self.sentinels.append(name)
        self.start_app(f'app-test-{name}-1.scope')
        self.wait_for(lambda: name in self.held_ids(), 'the sentinel to be held')
        self.assertEqual(self.held_ids(), sorted([*app_ids, *self.sentinels]))

    def start_logind(self):
        self.logind = Logind(self)

    def tell_session_active(self):
        """As logind does when a session is switched to."""
        self.logind.emit('/org/freedesktop/login1/session/_31', PROPERTIES, 'PropertiesChanged',
                         GLib.Variant('(sa{sv}as)', (LOGIND_SESSION,
                                                     {'Active': GLib.Variant('b', True)}, [])))
