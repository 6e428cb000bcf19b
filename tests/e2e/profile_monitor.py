#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""An application that follows GLib's power profile monitor: a line, «on» or «off», for what it says of
power saving at the start and at each change. A program of its own: GLib's system bus is one a process."""

from gi.repository import Gio, GLib


def tell(monitor, *_pspec):
    print('on' if monitor.get_power_saver_enabled() else 'off', flush=True)


the_monitor = Gio.PowerProfileMonitor.dup_default()
the_monitor.connect('notify::power-saver-enabled', tell)
tell(the_monitor)
GLib.MainLoop().run()
