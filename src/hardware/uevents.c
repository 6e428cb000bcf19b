/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/uevents.h"

#include <gudev/gudev.h>

struct _EppdUevents {
  GUdevClient *client;
  EppdUeventsChanged changed;
  gpointer data;
};

static void
on_uevent(GUdevClient *client, const char *action, GUdevDevice *device, gpointer data)
{
  EppdUevents *uevents = data;

  uevents->changed(g_udev_device_get_subsystem(device), uevents->data);
}

EppdUevents *
eppd_uevents_new(EppdUeventsChanged changed, gpointer data)
{
  const char *const subsystems[] = {"cpu", "power_supply", NULL};
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
