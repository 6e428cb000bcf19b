# SPDX-License-Identifier: GPL-2.0-or-later
"""GLib's GPowerProfileMonitor, which applications use to save power, with eppd behind it."""

import os
import sys

import desktop_case

PROGRAM = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'profile_monitor.py')


class GlibMonitor(desktop_case.DesktopTestCase):

    def start_monitor(self):
        self.monitor = self.start_program([sys.executable, PROGRAM])

    def wait_for_lines(self, *lines):
        """All that it has said so far."""
        self.wait_for(lambda: self.monitor.out.splitlines() == list(lines)
                      or self.monitor.code() is not None, f'the monitor to say {lines}')
        self.assertIsNone(self.monitor.code(), self.monitor.err)

    def test_it_follows_the_profile(self):
        self.start_eppd()
        self.start_monitor()
        self.wait_for_lines('off')
        self.switch('power-saver')
        self.wait_for_lines('off', 'on')
        self.switch('performance')
        self.wait_for_lines('off', 'on', 'off')
        cookie = self.hold_profile('power-saver')
        self.wait_for_lines('off', 'on', 'off', 'on')
        self.release_profile(cookie)
        self.wait_for_lines('off', 'on', 'off', 'on', 'off')

    def test_power_saver_from_the_start(self):
        self.start_eppd()
        self.switch('power-saver')
        self.start_monitor()
        self.wait_for(lambda: self.monitor.out.splitlines()[-1:] == ['on'],
                      'the monitor to say on')

    def test_it_follows_eppd_itself(self):
        self.start_eppd()
        self.switch('power-saver')
        self.start_monitor()
        self.wait_for(lambda: self.monitor.out.splitlines()[-1:] == ['on'],
                      'the monitor to say on')
        said = self.monitor.out.splitlines()
        self.stop_eppd()
        self.wait_for_lines(*said, 'off')
        self.start_eppd()
        self.wait_for_lines(*said, 'off', 'on')
