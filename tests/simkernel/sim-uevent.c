/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-uevent.h"

#include <errno.h>
#include <gio/gio.h>
#include <linux/netlink.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of NETLINK_KOBJECT_UEVENT: the kernel speaks to group 1, udev to group 2. */
#define UDEV_GROUP 2
#define UDEV_MAGIC 0xfeedcafe

/* In front of the properties; big-endian where it says so. */
typedef struct {
  char prefix[8];
  guint32 magic_be;
  guint32 header_size;
  guint32 properties_offset;
  guint32 properties_size;
  guint32 subsystem_hash_be;
  guint32 devtype_hash_be;
  guint32 tag_bloom_high_be;
  guint32 tag_bloom_low_be;
} UdevHeader;

struct SimUevents {
  int fd;
  guint64 seqnum;
};

guint32
sim_uevent_hash(const char *text)
{
  const guint32 multiplier = 0x5bd1e995;
  const guint8 *bytes = (const guint8 *)text;
  guint32 length = strlen(text);
  guint32 hash = length;

  for (; length >= 4; length -= 4, bytes += 4) {
    guint32 word;

    memcpy(&word, bytes, sizeof word);
    word *= multiplier;
    word ^= word >> 24;
    hash = (hash * multiplier) ^ (word * multiplier);
  }
  if (length > 0) {
    for (guint i = length; i-- > 0;)
      hash ^= (guint32)bytes[i] << (8 * i);
    hash *= multiplier;
  }
  hash ^= hash >> 13;
  hash *= multiplier;
  return hash ^ hash >> 15;
}

static void
append_property(GByteArray *message, const char *key, const char *value)
{
  g_autofree char *property = g_strconcat(key, "=", value, NULL);

  g_byte_array_append(message, (const guint8 *)property, strlen(property) + 1);
}

GByteArray *
sim_uevent_message(guint64 seqnum,
                   const char *action,
                   const char *subsystem,
                   const char *devpath,
                   const char *const *properties)
{
  g_autofree char *number = g_strdup_printf("%" G_GUINT64_FORMAT, seqnum);
  GByteArray *message = g_byte_array_new();
  UdevHeader header = {
      .prefix = "libudev",
      .magic_be = GUINT32_TO_BE(UDEV_MAGIC),
      .header_size = sizeof header,
      .properties_offset = sizeof header,
      .subsystem_hash_be = GUINT32_TO_BE(sim_uevent_hash(subsystem)),
  };

  g_byte_array_append(message, (const guint8 *)&header, sizeof header);
  append_property(message, "ACTION", action);
  append_property(message, "DEVPATH", devpath);
  append_property(message, "SUBSYSTEM", subsystem);
  append_property(message, "SEQNUM", number);
  for (guint i = 0; properties && properties[i]; i++)
    g_byte_array_append(message, (const guint8 *)properties[i], strlen(properties[i]) + 1);
  header.properties_size = message->len - sizeof header;
  memcpy(message->data, &header, sizeof header);
  return message;
}

/* tests/simkernel/isolate names the network that it made. */
static bool
is_isolated(void)
{
  const char *isolated = g_getenv("SIMKERNEL_NETWORK");
  g_autofree char *network = g_file_read_link("/proc/self/ns/net", NULL);

  return isolated && g_strcmp0(network, isolated) == 0;
}

SimUevents *
sim_uevents_new(GError **error)
{
  SimUevents *uevents;
  int fd;

  if (!is_isolated()) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED,
                "not under tests/simkernel/isolate");
    return NULL;
  }
  fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_KOBJECT_UEVENT);
  if (fd < 0) {
    g_set_error(error, G_IO_ERROR, g_io_error_from_errno(errno), "a netlink socket: %s",
                g_strerror(errno));
    return NULL;
  }
  uevents = g_new0(SimUevents, 1);
  uevents->fd = fd;
  return uevents;
}

void
sim_uevents_free(SimUevents *uevents)
{
  close(uevents->fd);
  g_free(uevents);
}

void
sim_uevents_send(SimUevents *uevents,
                 const char *action,
                 const char *subsystem,
                 const char *devpath,
                 const char *const *properties)
{
  g_autoptr(GByteArray) message =
      sim_uevent_message(++uevents->seqnum, action, subsystem, devpath, properties);
  struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = UDEV_GROUP};

  /* ECONNREFUSED says that the kernel itself does not listen, which it does not. */
  if (sendto(uevents->fd, message->data, message->len, 0, (const struct sockaddr *)&address,
             sizeof address) < 0 &&
      errno != ECONNREFUSED)
    g_printerr("a uevent of %s is lost: %s\n", devpath, g_strerror(errno));
}
