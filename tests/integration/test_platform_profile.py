# SPDX-License-Identifier: GPL-2.0-or-later
"""The firmware's platform_profile: what is written, what it says by itself, how it comes and goes."""

import os

from profile_case import CHOICES, FACES, PLATFORM, ProfileCase

ALL_CHOICES = 'low-power cool quiet balanced balanced-performance performance max-power custom'
CLASS = '/sys/class/platform-profile/'
EPP = {'power-saver': 'power', 'balanced': 'balance_performance', 'performance': 'performance'}


class Written(ProfileCase):

    def test_what_each_profile_writes(self):
        for choices, power_saver in (('low-power balanced performance', 'low-power'),
                                     ('quiet balanced performance', 'quiet'),
                                     ('low-power quiet balanced performance', 'low-power'),
                                     ('balanced performance', 'balanced'),
                                     ('cool balanced performance', 'balanced'),
                                     (ALL_CHOICES, 'low-power')):
            with self.subTest(choices=choices):
                self.add_platform(choices)
                self.start_eppd(polkit=None)
                for profile, text in (('performance', 'performance'), ('power-saver', power_saver),
                                      ('balanced', 'balanced'), ('power-saver', power_saver),
                                      ('performance', 'performance'), ('balanced', 'balanced')):
                    self.switch(profile)
                    self.assertEqual((self.profile(), self.platform()), (profile, text))
                    self.assertEqual(self.epp('policy1'), EPP[profile])
                self.stop_eppd()

    def test_what_the_start_makes_of_what_is_there(self):
        for found, left in (('balanced', 'balanced'), ('cool', 'cool'), ('quiet', 'balanced'),
                            ('custom', 'balanced'), ('low-power', 'balanced'),
                            ('performance', 'balanced'),
                            ('max-power', 'balanced'),
                            ('balanced-performance', 'balanced-performance')):
            with self.subTest(found=found):
                self.add_platform(ALL_CHOICES, found)
                self.start_eppd(polkit=None)
                self.assertEqual((self.profile(), self.platform()), ('balanced', left))
                self.stop_eppd()
                os.unlink(self.path(PLATFORM))

    def test_what_is_right_already_is_not_written(self):
        self.use_faults()
        self.add_platform(ALL_CHOICES, 'cool')
        self.start_eppd(polkit=None)
        self.switch('balanced')
        self.assertEqual(self.faults.writes(PLATFORM), [])
        self.switch('power-saver')
        self.switch('power-saver')
        self.assertEqual(self.faults.writes(PLATFORM), [('low-power', None)])

    def test_the_cpu_comes_first(self):
        self.use_faults()
        self.add_platform()
        self.start_eppd(polkit=None)
        before = len(self.faults.log())
        self.switch('performance')
        self.assertEqual([os.path.basename(path)
                          for path, value, _error in self.faults.log()[before:]
                          if value == 'performance'],
                         ['scaling_governor',
                          'energy_performance_preference'] * 2 + ['platform_profile'])

    def test_where_it_refuses_the_cpu_is_taken_back(self):
        self.use_faults()
        self.add_platform()
        self.start_eppd(polkit=None)
        before = [self.policy_files('policy0'), self.policy_files('policy1')]
        writer = self.connect()
        for errno in ('EIO', 'EINVAL', 'EPERM', 'EOPNOTSUPP'):
            with self.subTest(errno=errno):
                self.faults.clear()
                self.faults.set(PLATFORM, errno=errno)
                changes = self.record_changes()
                name, text = self.error_of(self.switch, 'performance', on=writer)
                self.assertEqual(name, 'Failed')
                self.assertIn('platform_profile', text)
                self.settle()
                self.assertEqual(changes.take(), [])
                self.assertEqual((self.profile(), self.platform()), ('balanced', 'balanced'))
                self.assertEqual([self.policy_files('policy0'), self.policy_files('policy1')],
                                 before)
                self.assertEqual(self.state_file(), {})
        self.faults.clear()
        self.switch('performance')
        self.assertEqual(self.platform(), 'performance')

    def test_where_it_refuses_at_the_start_that_is_a_warning(self):
        self.use_faults()
        self.add_platform(value='performance')
        self.faults.set(PLATFORM)
        self.start_eppd(polkit=None)
        self.assertEqual((self.profile(), self.platform()), ('balanced', 'performance'))
        self.assertRegex(self.log(), '(?m)^warning: platform: .*platform_profile.*; ignoring')


class Firmware(ProfileCase):

    def test_each_change_is_followed_and_saved(self):
        self.add_platform(ALL_CHOICES)
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        steps = (('performance', 'performance'), ('low-power', 'power-saver'), ('cool', 'balanced'),
                 ('quiet', 'power-saver'), ('balanced-performance', 'balanced'),
                 ('max-power', 'performance'),
                 ('balanced', 'balanced'))
        for text, profile in steps:
            with self.subTest(text=text):
                self.press_key(text)
                self.wait_for_profile(profile)
                self.assertEqual((self.platform(), self.epp('policy1')), (text, EPP[profile]))
                self.assertEqual(self.state_file()['State']['Profile'], profile)
        self.settle()
        self.assertEqual(changes.take(),
                         [(face, {'ActiveProfile': profile}, []) for _text, profile in steps
                                          for face in FACES])

    def test_custom_and_nonsense_are_not_followed_but_what_comes_next_is(self):
        self.add_platform(ALL_CHOICES)
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        for text in ('custom', 'nonsense'):
            self.press_key(text)
            self.press_key('performance')
            self.wait_for_profile('performance')
            self.press_key(text)
            self.press_key('balanced')
            self.wait_for_profile('balanced')
        self.settle()
        self.assertEqual([changed for _face, changed, _invalidated in changes.take()],
                         [{'ActiveProfile': profile} for profile in ('performance', 'balanced') * 2
                          for _face in FACES])

    def test_another_way_to_the_same_profile_is_no_change(self):
        self.add_platform(ALL_CHOICES)
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        self.press_key('cool')
        self.press_key('performance')
        self.wait_for_profile('performance')
        self.settle()
        self.assertEqual([changed['ActiveProfile'] for changed in changes.take_of(FACES[0])],
                         ['performance'])

    def test_a_file_that_is_empty_for_a_moment(self):
        self.add_platform()
        self.start_eppd(polkit=None)
        changes = self.record_changes()
        for text, profile in (('performance', 'performance'), ('low-power', 'power-saver')) * 5:
            # Truncates, then writes.
            self.write(PLATFORM, text + '\n')
            self.wait_for_profile(profile)
        self.settle()
        self.assertEqual(len(changes.take()), 20)
        self.assert_not_logged('^warning')

    def test_the_emulated_power_saver_is_left_by_a_key(self):
        self.add_platform('balanced performance')
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        self.press_key('performance')
        self.wait_for_profile('performance')
        self.press_key('balanced')
        self.wait_for_profile('balanced')
        self.assertEqual(self.epp('policy1'), 'balance_performance')

    def test_a_policy_that_refuses_to_follow_is_a_warning(self):
        self.use_faults()
        self.add_platform()
        self.start_eppd(polkit=None)
        self.faults.set('policy0/energy_performance_preference')
        self.press_key('performance')
        self.wait_for_profile('performance')
        self.assertEqual((self.platform(), self.epp('policy1')), ('performance', 'performance'))
        self.assertRegex(self.log(), '(?m)^warning: policy0: .*; ignoring, the others go on')


class Driver(ProfileCase):

    def drivers(self):
        return [profile.get('PlatformDriver') for profile in self.value('Profiles')]

    def wait_for_drivers(self, *drivers):
        self.wait_for(lambda: self.drivers() == list(drivers), f'the drivers {drivers}')

    def wait_for_driver(self):
        self.wait_for_drivers(*['platform_profile'] * 3)

    def wait_for_placeholder(self):
        self.wait_for_drivers('placeholder', 'placeholder', None)

    def test_choices_without_balanced_and_performance_are_waited_for(self):
        for choices in ('', 'low-power', 'balanced', 'performance', 'low-power performance',
                        'low-power balanced', 'quiet cool custom'):
            with self.subTest(choices=choices):
                self.add_platform(choices)
                self.start_eppd(polkit=None)
                self.assertEqual(self.drivers(), ['placeholder', 'placeholder', None])
                self.switch('performance')
                self.assertEqual(self.platform(), 'balanced')
                self.write(CHOICES, 'low-power balanced performance\n')
                self.wait_for_driver()
                self.assertEqual((self.profile(), self.platform()), ('performance', 'performance'))
                self.switch('balanced')
                self.stop_eppd()

    def test_files_that_come_late(self):
        self.make_tree()
        os.makedirs(self.path(os.path.dirname(PLATFORM)), exist_ok=True)
        self.start_eppd(polkit=None)
        self.assertEqual(self.drivers(), ['placeholder', 'placeholder', None])
        self.switch('power-saver')
        for path, text in ((CHOICES, 'low-power balanced performance\n'), (PLATFORM, 'balanced\n')):
            # Whole at once, as a kernel's.
            self.put('/new', text)
            os.rename(self.path('/new'), self.path(path))
        self.wait_for_driver()
        self.wait_for(lambda: self.platform() == 'low-power', 'the profile in the late file')
        self.assertEqual(self.profile(), 'power-saver')

    def test_files_that_go(self):
        self.add_platform()
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        os.unlink(self.path(CHOICES))
        os.unlink(self.path(PLATFORM))
        self.wait_for_placeholder()
        self.assertEqual(self.profile(), 'power-saver')
        self.switch('performance')
        self.assertEqual(self.epp('policy1'), 'performance')

    def test_where_performance_goes_with_the_driver_so_do_its_holds(self):
        self.put(CHOICES, 'low-power balanced performance\n')
        self.put(PLATFORM, 'balanced\n')
        self.start_eppd(polkit=None)
        released = self.record_releases()
        cookie = self.hold_profile('performance')
        self.write(CHOICES, 'low-power balanced\n')
        self.wait_for(lambda: len(self.value('Profiles')) == 2, 'performance to be gone')
        self.wait_for_profile('balanced')
        self.settle()
        self.assertEqual((released, self.held_profiles()), ([(self.face, cookie)], []))


class Class(ProfileCase):
    """/sys/class/platform-profile."""

    def add_handler(self, number=0, choices='low-power balanced performance', profile='balanced',
                    name='acpi'):
        directory = f'{CLASS}platform-profile-{number}/'
        for file, text in (('name', name), ('choices', choices), ('profile', profile)):
            self.put(directory + file, text + '\n')
        return directory + 'profile'

    def test_one_handler_without_the_old_file_is_driven_by_the_class(self):
        self.make_tree()
        path = self.add_handler()
        self.start_eppd(polkit=None)
        self.assertEqual([profile['PlatformDriver'] for profile in self.value('Profiles')],
                         ['platform_profile'] * 3)
        for profile, text in (('power-saver', 'low-power'), ('performance', 'performance')):
            self.switch(profile)
            self.assertEqual(self.line(path), text)
        self.press_key('balanced', path)
        self.wait_for_profile('balanced')

    def test_several_handlers_are_set_by_the_old_file(self):
        self.add_platform()
        first, second = self.add_handler(0), self.add_handler(1, name='other')
        self.start_eppd(polkit=None)
        self.switch('performance')
        self.assertEqual((self.platform(), self.line(first), self.line(second)),
                         ('performance', 'balanced', 'balanced'))

    def test_custom_is_what_handlers_that_agree_say(self):
        self.add_platform('low-power quiet balanced performance')
        first = self.add_handler(0)
        second = self.add_handler(1, 'quiet balanced performance', name='other')
        self.start_eppd(polkit=None)
        self.press_key('low-power', first)
        self.press_key('quiet', second)
        self.press_key('custom')
        self.wait_for_profile('power-saver')

    def test_several_handlers_without_the_old_file_are_none(self):
        self.make_tree()
        self.add_handler(0)
        self.add_handler(1)
        self.start_eppd(polkit=None)
        self.assertEqual(self.value('Profiles')[0]['PlatformDriver'], 'placeholder')

    def test_a_handler_that_comes_late(self):
        uevent = self.use_uevents('platform-profile', 'platform-profile-0')
        self.make_tree()
        self.start_eppd(polkit=None)
        self.switch('power-saver')
        path = self.add_handler()
        uevent('add')
        self.wait_for(lambda: self.line(path) == 'low-power', 'the profile at the late handler')
        self.assertEqual(self.value('Profiles')[0]['PlatformDriver'], 'platform_profile')
