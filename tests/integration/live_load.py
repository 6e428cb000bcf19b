# SPDX-License-Identifier: GPL-2.0-or-later
"""Simulated load for --residency trace:FIFO: the ticks of CPUs that are as busy as a test says.

load = LiveLoad(self.directory, range(4))
self.addCleanup(load.close)
self.start_eppd('--residency', load.source)
load.set(1, 100)
"""

import fcntl
import os
import threading
import time

TSC_PER_USEC = 2000
LINE_BYTES = 64  # about
PIPE_BUF = 4096  # what is written at once, whole lines of it
KEPT_TICKS = 16

# What a thread that was kept from running makes up for; longer gaps stay gaps.
CATCH_UP_TICKS = 50


class LiveLoad:
    """A thread writes a line a CPU and tick; what nobody reads is dropped."""

    def __init__(self, directory, cpus, tick_ms=4, name='live-load'):
        self.path = os.path.join(directory, name)
        self._tick_usec = int(tick_ms * 1000)
        self._duty = {cpu: 0 for cpu in cpus}
        self._mperf = {cpu: 0 for cpu in self._duty}
        self._changed = threading.Condition()
        self._ahead_usec = 0
        self._runs = True
        self._closed = False
        os.mkfifo(self.path)
        # For reading too: it can be opened, and stays, while no eppd has it open.
        self._fd = os.open(self.path, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        fcntl.fcntl(self._fd, fcntl.F_SETPIPE_SZ,
                    max(PIPE_BUF, KEPT_TICKS * LINE_BYTES * len(self._duty)))
        self._thread = threading.Thread(target=self._write_ticks, daemon=True)
        self._thread.start()

    @property
    def source(self):
        """What --residency takes."""
        return f'trace:{self.path}'

    def set(self, cpu, duty_percent):
        """How busy @cpu is from the next tick on; None: it sleeps without a tick, or is offline."""
        with self._changed:
            self._duty[cpu] = duty_percent

    def stop(self):
        """All CPUs sleep without a tick, until resume()."""
        with self._changed:
            self._runs = False

    def resume(self):
        with self._changed:
            self._runs = True
            self._changed.notify()

    def pass_time(self, seconds):
        """The clock leaps, as faults.pass_time() has that of eppd leap: after that, while stopped."""
        with self._changed:
            self._ahead_usec += int(seconds * 1_000_000)

    def close(self):
        with self._changed:
            self._closed = True
            self._changed.notify()
        self._thread.join()
        os.close(self._fd)
        os.unlink(self.path)

    def _tick(self, usec):
        """The lines of a tick; called with the lock."""
        lines = []
        usec += self._ahead_usec
        for cpu, duty in self._duty.items():
            if duty is None:
                continue
            self._mperf[cpu] += self._tick_usec * TSC_PER_USEC * duty // 100
            lines.append(f'{usec} {cpu} {self._mperf[cpu]} {usec * TSC_PER_USEC}\n')
        return lines

    def _put(self, lines):
        chunk = b''
        for line in [line.encode() for line in lines] + [None]:
            if chunk and (line is None or len(chunk) + len(line) > PIPE_BUF):
                try:
                    os.write(self._fd, chunk)
                except BlockingIOError:
                    return
                chunk = b''
            chunk += line or b''

    def _write_ticks(self):
        next_usec = 0
        while True:
            with self._changed:
                if not self._runs and not self._closed:
                    self._changed.wait_for(lambda: self._runs or self._closed)
                now_usec = time.monotonic_ns() // 1000
                if next_usec > now_usec:
                    self._changed.wait((next_usec - now_usec) / 1e6)
                if self._closed:
                    return
                now_usec = time.monotonic_ns() // 1000
                next_usec = max(next_usec, now_usec - CATCH_UP_TICKS * self._tick_usec)
                lines = []
                while self._runs and next_usec <= now_usec:
                    lines += self._tick(next_usec)
                    next_usec += self._tick_usec
                # A change is in what is written after it.
                self._put(lines)
