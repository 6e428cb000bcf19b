# SPDX-License-Identifier: GPL-2.0-or-later
"""What the tests of eppctl share."""

import fcntl
import os
import pty
import signal
import struct
import termios

import harness
from fake_eppd import FakeEppd


class CtlTestCase(harness.EppdTestCase):
    def setUp(self):
        super().setUp()
        # The machine's own session, whose systemd and GameMode eppctl would ask.
        for name in ('DBUS_SESSION_BUS_ADDRESS', 'XDG_RUNTIME_DIR'):
            self.env.pop(name, None)

    def start_fake(self, xml=None):
        self.fake = FakeEppd(self.connect(), xml).own()
        return self.fake

    def assert_ok(self, program):
        self.assertEqual(program.code(), 0, program.err)
        self.assertEqual(program.err, '')
        return program.out

    def assert_fails(self, program, code, pattern):
        """It failed with @code and one line on standard error that matches."""
        self.assertEqual(program.code(), code, program.err)
        self.assertEqual(len(program.err.splitlines()), 1, program.err)
        self.assertRegex(program.err, '^eppctl: ')
        self.assertRegex(program.err, pattern)

    def assert_harmless(self, text):
        """Nothing in it that a terminal would obey."""
        for character in text:
            self.assertTrue(character == '\n' or character.isprintable(), repr(character))

    def start_on_terminal(self, argv, size=(0, 0), **env):
        """Runs @argv on a terminal of its own, of @size lines and columns; the program."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack('HHHH', *size, 0, 0))
        self.addCleanup(os.close, master)
        os.set_blocking(master, False)
        pid = os.fork()
        if pid == 0:
            login_tty(slave)
            os.execve(argv[0], argv, {**self.env, 'TERM': 'xterm', **env})
        os.close(slave)
        return TerminalProgram(self, pid, master)


def login_tty(slave):
    """os.login_tty() of a newer Python."""
    os.setsid()
    fcntl.ioctl(slave, termios.TIOCSCTTY, 0)
    for number in (0, 1, 2):
        os.dup2(slave, number)


class TerminalProgram:
    def __init__(self, case, pid, master):
        self.pid = pid
        self.master = master
        self.out = ''
        self.status = None
        case.addCleanup(self.end)

    def read(self):
        try:
            self.out += os.read(self.master, 65536).decode(errors='replace')
        except (BlockingIOError, OSError):
            pass
        return self.out

    def ended(self):
        self.read()
        if self.status is None:
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = status
                self.read()
        return self.status is not None

    def end(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
