# SPDX-License-Identifier: GPL-2.0-or-later
"""The power menu of a real GNOME Shell, with eppd behind it."""

import os
import shutil

import gi

import desktop_case
import gnome_shell
import harness

LABELS = {'power-saver': 'Power Saver', 'balanced': 'Balanced', 'performance': 'Performance'}
SCREENSHOT = os.path.join(harness.BUILD_ROOT, 'e2e', 'power-menu.png')


def colours(path, area=None):
    """(width, height, the set of colours in @area) of an image; @area (x, y, width, height) or all."""
    # It comes with GNOME Shell: a machine without that gets no further than setUp.
    gi.require_version('GdkPixbuf', '2.0')
    from gi.repository import GdkPixbuf  # pylint: disable=import-outside-toplevel

    image = GdkPixbuf.Pixbuf.new_from_file(path)
    left, top, width, height = area or (0, 0, image.get_width(), image.get_height())
    data, stride, size = image.get_pixels(), image.get_rowstride(), image.get_n_channels()
    return image.get_width(), image.get_height(), {
        data[start:start + size]
        for y in range(top, top + height)
        for start in range(y * stride + left * size, y * stride + (left + width) * size, size)}


class PowerMenu(desktop_case.DesktopTestCase):
    shell = None

    def setUp(self):
        lacks = gnome_shell.lacks()
        if lacks:
            self.skipTest(f'machine lacks: {lacks}')
        super().setUp()
        self.start_eppd()
        self.shell = gnome_shell.GnomeShell(self)
        self.shell.start()
        self.wait_for_menu('balanced')

    def log(self):
        return super().log() + (f'GNOME Shell said:\n{self.shell.log()}' if self.shell else '')

    def wait_for_menu(self, profile):
        """Toggle and menu show @profile, and the menu marks nothing else."""
        wanted = {'visible': True, 'checked': profile != 'balanced', 'label': LABELS[profile],
                  'profiles': ['performance', 'balanced', 'power-saver'], 'active': [profile],
                  'cached': profile}
        self.wait_for(lambda: wanted == {key: value for key, value in self.shell.power_menu().items()
                                         if key in wanted},
                      f'the menu to show {profile}')

    def assert_shown(self, profile):
        """On the bus, in the tree, in the menu."""
        self.wait_for_machine(profile)
        self.wait_for_menu(profile)

    def test_choosing_each_profile_in_the_menu_changes_the_machine(self):
        for profile in ('performance', 'power-saver', 'balanced', 'power-saver', 'performance'):
            self.shell.choose(profile)
            self.assert_shown(profile)

    def test_clicking_the_toggle_flips_between_balanced_and_the_last_chosen(self):
        self.shell.click_toggle()
        self.assert_shown('power-saver')
        self.shell.choose('performance')
        self.assert_shown('performance')
        for profile in ('balanced', 'performance', 'balanced'):
            self.shell.click_toggle()
            self.assert_shown(profile)

    def test_a_change_by_another_client_moves_the_open_menu(self):
        self.shell.open_power_menu()
        for profile in ('power-saver', 'performance', 'balanced'):
            self.switch(profile)
            self.assert_shown(profile)

    def test_holds_move_the_menu_and_their_end_moves_it_back(self):
        application = self.connect()
        self.shell.open_power_menu()
        self.hold_profile('performance', on=application)
        self.assert_shown('performance')
        cookie = self.hold_profile('power-saver')
        self.assert_shown('power-saver')
        self.release_profile(cookie)
        self.assert_shown('performance')
        self.leave(application)
        self.assert_shown('balanced')

    def test_choosing_in_the_menu_ends_holds(self):
        self.hold_profile('performance')
        self.assert_shown('performance')
        self.shell.choose('power-saver')
        self.assert_shown('power-saver')
        self.assertEqual(self.held_profiles(), [])

    def test_the_toggle_goes_and_comes_back_with_eppd(self):
        self.shell.choose('performance')
        self.assert_shown('performance')
        self.stop_eppd()
        self.wait_for(lambda: not self.shell.power_menu()['visible'], 'the toggle to disappear')
        self.start_eppd()
        self.assert_shown('performance')
        self.shell.choose('balanced')
        self.assert_shown('balanced')

    def test_the_menu_survives_an_eppd_that_is_killed(self):
        self.shell.choose('power-saver')
        self.assert_shown('power-saver')
        self.kill_eppd()
        self.wait_for(lambda: not self.shell.power_menu()['visible'], 'the toggle to disappear')
        self.start_eppd()
        self.assert_shown('power-saver')

    def test_an_eppd_that_replaces_another_serves_the_menu(self):
        self.shell.choose('power-saver')
        self.assert_shown('power-saver')
        old = self.daemon
        old_owner = self.name_owner(self.face.name)
        self.daemon = self.spawn_eppd('-r')
        self.wait_program(old)
        self.wait_for(lambda: self.name_owner(self.face.name) not in (None, old_owner),
                      'the new eppd on the bus')
        self.assert_shown('power-saver')
        self.shell.choose('performance')
        self.assert_shown('performance')
        self.assertIsNone(self.daemon.code(), self.log())

    def test_what_polkit_denies_changes_neither_machine_nor_menu(self):
        self.allow([])
        self.shell.choose('performance')
        self.wait_for(lambda: 'Not Authorized: org.freedesktop.UPower.PowerProfiles.switch-profile'
                      in self.shell.log(), 'the error to reach GNOME Shell')
        self.assert_shown('balanced')
        self.allow('all')
        self.shell.choose('performance')
        self.assert_shown('performance')

    def test_a_screenshot_of_the_open_menu(self):
        before = self.shell.screenshot('before.png')
        self.shell.open_power_menu()
        area = self.shell.area('menu')
        path = self.shell.screenshot('power-menu.png')
        os.makedirs(os.path.dirname(SCREENSHOT), exist_ok=True)
        shutil.copyfile(path, SCREENSHOT)
        width, height, all_colours = colours(SCREENSHOT)
        self.assertEqual((width, height), (gnome_shell.WIDTH, gnome_shell.HEIGHT))
        self.assertGreater(len(all_colours), 1)
        # Letters and icons; and it was not there before.
        _width, _height, menu_colours = colours(SCREENSHOT, area)
        self.assertGreater(len(menu_colours), 8)
        self.assertNotEqual(menu_colours, colours(before, area)[2])
