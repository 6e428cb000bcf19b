# SPDX-License-Identifier: GPL-2.0-or-later
"""The report: a block a figure, a line a value."""

import os
import platform
import re
import time


class Unavailable(Exception):
    """The machine lacks what a figure needs; the text says what."""


class Report:
    """Prints as it goes. Verdicts inform; they change no exit code."""

    def __init__(self):
        self.verdicts = {'pass': 0, 'miss': 0, 'open': 0}
        self.not_measured = []

    @staticmethod
    def _print(text=''):
        print(text, flush=True)

    def machine(self):
        with open('/proc/cpuinfo', encoding='utf-8') as file:
            cpuinfo = file.read()
        model = re.search(r'^model name\s*: (.*)$', cpuinfo, re.MULTILINE)
        self._print(f'{time.strftime("%Y-%m-%d %H:%M")}, Linux {platform.release()}, '
                    f'{len(os.sched_getaffinity(0))} CPUs: {model[1] if model else "unknown"}'
                    + (', a virtual machine' if ' hypervisor' in cpuinfo else ''))
        self._print(f'Load average {os.getloadavg()[0]:.2f}. The figures are those of a quiet machine only '
                    'if it is one.')

    def begin(self, name, title):
        self._print()
        self._print(f'{name}: {title}')

    def value(self, label, text, aim=None, met=None):
        """@aim: as text. @met: whether it is; None where the values are too uncertain to tell."""
        line = f'  {label:<44} {text:<30}'
        if aim is not None:
            verdict = {True: 'pass', False: 'miss', None: 'open'}[met]
            self.verdicts[verdict] += 1
            line += f' aim {aim}: {verdict}'
        self._print(line.rstrip())

    def note(self, text):
        self._print(f'  ({text})')

    def unavailable(self, name, reason):
        self.not_measured.append(name)
        self._print(f'  not measured: {reason}')

    def end(self, seconds):
        self._print()
        counts = ', '.join(f'{count} {verdict}' for verdict, count in self.verdicts.items())
        self._print(f'{counts}; not measured: {", ".join(self.not_measured) or "none"}; {seconds:.0f} s')
