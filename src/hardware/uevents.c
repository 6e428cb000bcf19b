/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/uevents.h"

#include <gudev/gudev.h>
#include <stdbool.h>

struct _EppdUevents {
  GUdevClient *client;
  EppdUeventsChanged changed;
  gpointer data;
};

/* Some platform devices send news often; few of it matters. */
static bool
is_of_interest(const char *subsystem, const char *action, const char *name)
{
  return !g_str_equal(subsystem, "platform") || g_strcmp0(name, "thinkpad_acpi") == 0 ||
         g_str_equal(action, "bind") || g_str_equal(action, "unbind");
}

static void
on_uevent(GUdevClient *client, const char *action, GUdevDevice *device, gpointer data)
{
  EppdUevents *uevents = data;
  const char *subsystem = g_udev_device_get_subsystem(device);

  if (is_of_interest(subsystem, action, g_udev_device_get_name(device)))
    uevents->changed(subsystem, g_udev_device_get_name(device), uevents->data);
}

EppdUevents *
eppd_uevents_new(EppdUeventsChanged changed, gpointer data)
{
  const char *const subsystems[] = {"cpu", "power_supply", "drm", "platform-profile", "platform",
                                    NULL};
  EppdUevents *uevents = g_new0(EppdUevents, 1);

  uevents->changed = changed;
  uevents->data = data;
  uevents->client = g_udev_client_new(subsystems);
  g_signal_connect(uevents->client, "uevent", G_CALLBACK(on_uevent), uevents);
  return uevents;
}

void
eppd_uevents_free(EppdUevents *uevents)
{
  /* Its emission may still hold the client. */
  g_signal_handlers_disconnect_by_data(uevents->client, uevents);
  g_object_unref(uevents->client);
  g_free(uevents);
}
