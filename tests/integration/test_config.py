# SPDX-License-Identifier: GPL-2.0-or-later
"""A configuration, however wrong, never keeps eppd from its work."""

import os
import re
import signal
import tempfile

import boost_case
import harness
from boost_case import BASE, BOOST

NOBODY = 65534

# Key by key a value that makes no sense.
WRONG = {
    'Policy': {'DefaultProfile': 'turbo', 'Table': 'fastest', 'PowerSaverAC': '256',
               'PowerSaverBattery': '-1', 'BalancedAC': 'dynamic', 'BalancedBattery': 'custom',
               'PerformanceAC': '0x100', 'PerformanceBattery': 'perf ormance', 'Governor': 'maybe',
               'FrequencyFloor': '2', 'CoreBoost': 'ja', 'PowerSourceDebounceMs': '-5',
               'ModelValues': ''},
    'Boost': {'Mode': 'sometimes', 'Trigger': 'gpu', 'ThresholdPercent': '0',
              'AppThresholdPercent': '101', 'SampleMs': '0', 'HoldMs': '60001',
              'Epp': 'no-such-epp', 'SuppressIn': 'power-saver;noisy', 'OnBattery': 'x',
              'Backend': 'bios', 'Siblings': '\x01'},
    'Residency': {'Source': 'trace:/etc/passwd'},
    'Kernel': {'DynamicEpp': 'fight'},
    'Games': {'DesktopKey': '7', 'GameMode': 'nope'},
}


class WrongValues(boost_case.BoostTestCase):

    def check_default(self):
        """All as without a configuration."""
        self.assertEqual(self.get('ActiveProfile'), 'balanced')
        self.assertEqual(self.epp('policy1'), BASE)
        self.boost()
        self.assertRegex(self.get('BoostReason'),
                         'at least 50 % busy gets performance until 300 ms after')

    def test_each_is_said_with_file_line_and_key_and_the_default_holds(self):
        lines = []
        expected = []
        for group, keys in WRONG.items():
            lines.append(f'[{group}]')
            for key, value in keys.items():
                lines.append(f'{key}={value}')
                expected.append((len(lines), group, key))
        self.write_config('\n'.join(lines) + '\n')
        self.start_busy()
        for line, group, key in expected:
            with self.subTest(key=key):
                self.assertRegex(self.log(), rf'(?m)^warning: config: {re.escape(self.config_path)}'
                                 rf':{line}: \[{group}\] {key}=.*: expected .*; ignoring it$')
        self.assertEqual(self.log().count('warning: config:'), len(expected))
        self.check_default()

    def test_each_alone_leaves_the_key_below_it_alone(self):
        self.start_busy()
        for group, keys in WRONG.items():
            for key, value in keys.items():
                with self.subTest(key=key):
                    self.write_config(f'[{group}]\n{key}={value}\n[Policy]\nTable=custom\n'
                                      'BalancedAC=power\n'
                                      if (group, key) != ('Policy', 'BalancedAC') else
                                      '[Policy]\nBalancedAC=dynamic\nBalancedAC=power\n'
                                      'Table=custom\n')
                    self.call('Reload')
                    self.assertEqual(self.epp('policy1'), 'power')

    def test_no_such_key_no_such_group_no_such_line(self):
        self.write_config('[Boost]\nTurbo=1\nsome words\n[Nonsense]\nA=1\n\xff\xfe\n[Policy\n')
        self.start_busy()
        for pattern in (r':2: \[Boost\] Turbo: no such key', r":3: 'some words' is no group",
                        r':4: \[Nonsense\]: no such group', ":7: '.Policy' is no group"):
            self.assertRegex(self.log(), pattern)
        self.check_default()

    def test_unreadable_ones(self):
        def huge():
            self.write_config('#' * (20 << 20))

        def binary():
            with open(self.config_path, 'wb') as file:
                file.write(bytes(range(256)) * 40)

        for name, make in {'directory': lambda: os.mkdir(self.config_path),
                           'fifo': lambda: os.mkfifo(self.config_path),
                           'missing': lambda: None,
                           'loop': lambda: os.symlink(self.config_path, self.config_path),
                           'huge': huge, 'binary': binary}.items():
            with self.subTest(name=name):
                self.write_config('')
                self.start_busy()
                os.unlink(self.config_path)
                make()
                self.call('Reload')
                self.assertRegex(self.log(), rf'warning: config: .*{re.escape(self.config_path)}')
                self.check_default()
                self.stop_eppd()
                # And at the start.
                self.spawn_with_this_config()
                self.assertRegex(self.log(), rf'warning: config: .*{re.escape(self.config_path)}')
                self.check_default()
                self.stop_eppd()
                if os.path.isdir(self.config_path):
                    os.rmdir(self.config_path)
                elif os.path.lexists(self.config_path):
                    os.unlink(self.config_path)

    def spawn_with_this_config(self):
        """start_eppd() makes a configuration where there is none."""
        self.daemon = self.start_bare_eppd(
            '-v', '--root', self.tree, '--config', self.config_path, '--state-dir', self.state_dir,
            '--runtime-dir', self.runtime_dir, *self.daemon_args)
        self.wait_for(lambda: self.name_owner(harness.BUS_NAME), 'the daemon on the bus')
        self.get('Version')


class Reload(boost_case.BoostTestCase):

    POWER = '[Policy]\nTable=custom\nBalancedAC=power\n'

    def test_sighup(self):
        self.start_busy()
        self.write_config(self.POWER)
        self.daemon.send(signal.SIGHUP)
        self.wait_for_epp('policy1', 'power')
        self.wait_for_log('config: read again')

    def test_a_hundred_sighups_and_still_boosted(self):
        self.start_busy()
        self.boost()
        before = self.descriptors()
        for _ in range(100):
            self.daemon.send(signal.SIGHUP)
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)
        self.wait_for(lambda: self.descriptors() == before, 'the same descriptors as before')

    def test_a_hold_outlives_it_and_follows_the_mode(self):
        self.start_busy()
        self.boost()
        self.write_config('[Boost]\nMode=off\n')
        self.call('Reload')
        self.assertEqual(self.get('BoostState'), 'off')
        self.assertEqual(self.epp('policy1'), BASE)
        self.write_config('')
        self.call('Reload')
        self.wait_for_epp('policy1', BOOST)
        self.assertEqual(len(self.call('ListBoostHolds')), 1)

    def test_what_is_wrong_is_shown_by_the_property_and_by_eppctl(self):
        self.write_config('')
        self.start_eppd('--residency', 'procstat')
        self.assertEqual(self.get('ConfigProblems'), [])

        self.write_config('[Boost]\nHoldMs=banana\n')
        reload = self.eppctl('reload')
        self.assertEqual(reload.code(), 0)
        self.assertIn(f'{self.config_path}:2: [Boost] HoldMs=banana', reload.err)
        self.assertEqual(len(self.get('ConfigProblems')), 1)

        self.write_config('[Boost]\nHoldMs=250\n')
        self.assertEqual(self.eppctl('reload').err, '')
        self.assertEqual(self.get('ConfigProblems'), [])

    def test_another_residency_source(self):
        self.write_config('[Residency]\nSource=procstat\n')
        self.start_eppd()
        self.wait_for(lambda: self.get('ResidencySource') == 'procstat', 'procstat')
        self.write_config('[Residency]\nSource=perf\n')
        self.call('Reload')
        self.wait_for(lambda: self.get('ResidencySource') == 'perf'
                      or 'perf: ' in self.get('ResidencyReason'), 'perf, or why not')

    def test_another_boost_value_while_boosted(self):
        self.start_busy()
        cookie = self.boost()
        self.write_config('[Boost]\nEpp=balance_power\n')
        self.call('Reload')
        self.wait_for_epp('policy1', 'balance_power')
        self.call('ReleaseBoost', cookie)
        self.assertEqual(self.epp('policy1'), BASE)

    def test_polkit_says_who_may(self):
        self.start_busy(polkit=[])
        self.write_config(self.POWER)
        client = self.connect_as(NOBODY)
        with self.assert_dbus_error('org.freedesktop.DBus.Error.AccessDenied',
                                    'org.eppd.configure'):
            self.call('Reload', on=client)
        self.allow(['org.eppd.hold-boost'])
        with self.assert_dbus_error('org.freedesktop.DBus.Error.AccessDenied'):
            self.call('Reload', on=client)
        self.assertEqual(self.epp('policy1'), BASE)
        self.allow(['org.eppd.configure'])
        self.call('Reload', on=client)
        self.assertEqual(self.epp('policy1'), 'power')


class CheckConfig(boost_case.BoostTestCase):

    def check(self, text, code, pattern=None):
        with tempfile.NamedTemporaryFile('w', dir=self.directory, suffix='.conf') as file:
            file.write(text)
            file.flush()
            program = self.run_bare_eppd('--check-config', '--config', file.name)
        self.assertEqual(program.code(), code, program.out)
        if pattern:
            self.assertRegex(program.out, pattern)
        else:
            self.assertEqual(program.out, '')

    def test_good(self):
        self.check('', 0)
        self.check('# nothing\n[Boost]\nMode=always # really\n', 0)

    def test_the_sample_is_good(self):
        self.check(harness.read_file(os.path.join(harness.SOURCE_ROOT, 'data', 'eppd.conf')), 0)

    def test_wrong(self):
        self.check('[Boost]\nHoldMs=x\n', 1, r':2: \[Boost\] HoldMs=x: expected')

    def test_missing(self):
        program = self.run_bare_eppd('--check-config', '--config', '/nonexistent')
        self.assertEqual(program.code(), 1)
        self.assertIn('/nonexistent', program.out)
