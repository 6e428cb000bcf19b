#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Runs unittest modules and prints TAP, one line a test: tap.py FILE[:NAME,…]…

NAME: a class of the file, or one of its tests, Class.test_it. Without any all are run."""

import importlib.util
import os
import signal
import sys
import traceback
import unittest


class TapResult(unittest.TestResult):
    """Prints each test's line when it ends, so that a run that is killed tells how far it came."""

    def __init__(self, stream):
        super().__init__()
        self.stream = stream
        self.n_tests = 0

    def line(self, outcome, test, suffix=''):
        self.n_tests += 1
        name = test.id() if hasattr(test, 'id') else str(test)
        print(f'{outcome} {self.n_tests} - {name}{suffix}', file=self.stream, flush=True)

    def details(self, error):
        for line in ''.join(traceback.format_exception(*error)).splitlines():
            print(f'# {line}', file=self.stream, flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.line('ok', test)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self.line('not ok', test)
        self.details(err)

    def addError(self, test, err):
        super().addError(test, err)
        self.line('not ok', test)
        self.details(err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.line('ok', test, f' # SKIP {" ".join(reason.split())}')

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err is not None:
            self.line('not ok', subtest)
            self.details(err)

    def addExpectedFailure(self, test, err):
        super().addExpectedFailure(test, err)
        self.line('not ok', test, ' # an expected failure is no test: skip it with a reason')

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.line('not ok', test, ' # unexpected success')


def load(argument):
    path, _, chosen = argument.partition(':')
    name = os.path.splitext(os.path.basename(path))[0]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    loader = unittest.defaultTestLoader
    return (loader.loadTestsFromNames(chosen.split(','), module) if chosen
            else loader.loadTestsFromModule(module))


def run_suite(suite):
    """Runs @suite; the exit code. A suite without a test is a failure: nothing was tested."""
    result = TapResult(sys.stdout)
    suite.run(result)
    if result.n_tests == 0:
        print('Bail out! no test was found')
        return 1
    print(f'1..{result.n_tests}', flush=True)
    return 0 if not (result.failures or result.errors or result.unexpectedSuccesses
                     or result.expectedFailures) else 1


def heed_signals():
    """What a job in the background or nohup ignores, the programs under test would ignore too."""
    for number, handler in ((signal.SIGHUP, signal.SIG_DFL), (signal.SIGQUIT, signal.SIG_DFL),
                            (signal.SIGINT, signal.default_int_handler)):
        if signal.getsignal(number) == signal.SIG_IGN:
            signal.signal(number, handler)


def main():
    if len(sys.argv) < 2:
        print('usage: tap.py FILE[:NAME,…]…', file=sys.stderr)
        return 2
    heed_signals()
    return run_suite(unittest.TestSuite(load(argument) for argument in sys.argv[1:]))


if __name__ == '__main__':
    sys.exit(main())
