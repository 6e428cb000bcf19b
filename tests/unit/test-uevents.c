/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/uevents.h"

#include <gio/gio.h>
#include <umockdev.h>

/* Runs under umockdev-wrapper: the kernel's messages are the test bed's. */

typedef struct {
  UMockdevTestbed *testbed;
  EppdUevents *uevents;
  char *cpu;
  char *supply;
  char *disk;
  char *card;
  char *profile;
  char *thinkpad;
  char *platform;
  GString *heard; /* subsystems, each with a space behind it */
} Fixture;

static void
on_changed(const char *subsystem, const char *name, gpointer data)
{
  Fixture *fixture = data;

  g_string_append_printf(fixture->heard, "%s ", subsystem);
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->testbed = umockdev_testbed_new();
  fixture->cpu =
      umockdev_testbed_add_device(fixture->testbed, "cpu", "cpu3", NULL, "online", "1", NULL, NULL);
  fixture->supply = umockdev_testbed_add_device(fixture->testbed, "power_supply", "AC", NULL,
                                                "type", "Mains", "online", "1", NULL, NULL);
  fixture->disk = umockdev_testbed_add_device(fixture->testbed, "block", "sda", NULL, NULL, NULL);
  fixture->card = umockdev_testbed_add_device(fixture->testbed, "drm", "card0", NULL, NULL, NULL);
  fixture->profile = umockdev_testbed_add_device(fixture->testbed, "platform-profile",
                                                 "platform-profile-0", NULL, NULL, NULL);
  fixture->thinkpad =
      umockdev_testbed_add_device(fixture->testbed, "platform", "thinkpad_acpi", NULL, NULL, NULL);
  fixture->platform =
      umockdev_testbed_add_device(fixture->testbed, "platform", "VPC2004:00", NULL, NULL, NULL);
  fixture->heard = g_string_new(NULL);
  fixture->uevents = eppd_uevents_new(on_changed, fixture);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->uevents, eppd_uevents_free);
  g_string_free(fixture->heard, TRUE);
  g_free(fixture->cpu);
  g_free(fixture->supply);
  g_free(fixture->disk);
  g_free(fixture->card);
  g_free(fixture->profile);
  g_free(fixture->thinkpad);
  g_free(fixture->platform);
  g_object_unref(fixture->testbed);
}

static gboolean
on_timeout(gpointer data)
{
  g_assert_not_reached();
}

static void
wait_until_heard(Fixture *fixture, const char *heard)
{
  guint timeout = g_timeout_add_seconds(60, on_timeout, NULL);

  while (!g_str_has_suffix(fixture->heard->str, heard))
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timeout);
}

static void
test_cpu(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->cpu, "offline");
  wait_until_heard(fixture, "cpu ");
  umockdev_testbed_uevent(fixture->testbed, fixture->cpu, "online");
  wait_until_heard(fixture, "cpu cpu ");
}

static void
test_power_supply(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->supply, "change");
  wait_until_heard(fixture, "power_supply ");
}

static void
test_drm(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->card, "change");
  wait_until_heard(fixture, "drm ");
}

static void
test_platform_profile(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->profile, "add");
  wait_until_heard(fixture, "platform-profile ");
  umockdev_testbed_uevent(fixture->testbed, fixture->profile, "remove");
  wait_until_heard(fixture, "platform-profile platform-profile ");
}

static void
test_thinkpad(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->thinkpad, "add");
  wait_until_heard(fixture, "platform ");
}

static void
test_platform_drivers_bind_alone(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->platform, "bind");
  wait_until_heard(fixture, "platform ");
  umockdev_testbed_uevent(fixture->testbed, fixture->platform, "unbind");
  wait_until_heard(fixture, "platform platform ");
  umockdev_testbed_uevent(fixture->testbed, fixture->platform, "change");
  umockdev_testbed_uevent(fixture->testbed, fixture->cpu, "offline");
  wait_until_heard(fixture, "cpu ");
  g_assert_cmpstr(fixture->heard->str, ==, "platform platform cpu ");
}

static void
test_other_subsystems_are_not_heard(Fixture *fixture, gconstpointer data)
{
  umockdev_testbed_uevent(fixture->testbed, fixture->disk, "change");
  umockdev_testbed_uevent(fixture->testbed, fixture->cpu, "offline");
  wait_until_heard(fixture, "cpu ");
  g_assert_cmpstr(fixture->heard->str, ==, "cpu ");
}

static void
test_nothing_after_free(Fixture *fixture, gconstpointer data)
{
  EppdUevents *other = eppd_uevents_new(on_changed, fixture);

  g_clear_pointer(&fixture->uevents, eppd_uevents_free);
  umockdev_testbed_uevent(fixture->testbed, fixture->cpu, "offline");
  wait_until_heard(fixture, "cpu ");
  eppd_uevents_free(other);
  while (g_main_context_iteration(NULL, FALSE))
    continue;
  g_assert_cmpstr(fixture->heard->str, ==, "cpu ");
}

static void
add(const char *path, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/uevents/", path, NULL);

  g_test_add(full, Fixture, NULL, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  add("cpu", test_cpu);
  add("power-supply", test_power_supply);
  add("drm", test_drm);
  add("platform-profile", test_platform_profile);
  add("thinkpad", test_thinkpad);
  add("platform-drivers-bind-alone", test_platform_drivers_bind_alone);
  add("other-subsystems-are-not-heard", test_other_subsystems_are_not_heard);
  add("nothing-after-free", test_nothing_after_free);
  return g_test_run();
}
