/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-uevent.h"

#include <gio/gio.h>
#include <string.h>

/* Values that do not come from this implementation: the reference's, of MurmurHash2 with the seed
 * 0. */
static void
test_hash(void)
{
  static const struct {
    const char *text;
    guint32 hash;
  } rows[] = {
      {"", 0x00000000},
      {"a", 0x92685f5e},
      {"ab", 0x1aa14063},
      {"cpu", 0x4d1a71b3},
      {"power_supply", 0xb1acbcca},
      {"platform-profile", 0x824d8383},
      {"drm", 0x16664179},
      {"block", 0xf0031db7},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++)
    g_assert_cmphex(sim_uevent_hash(rows[i].text), ==, rows[i].hash);
}

static guint32
number_at(const GByteArray *message, guint offset)
{
  guint32 number;

  memcpy(&number, message->data + offset, sizeof number);
  return number;
}

static void
test_message(void)
{
  const char *const properties[] = {"POWER_SUPPLY_NAME=AC", "POWER_SUPPLY_ONLINE=1", NULL};
  const char expected[] = "ACTION=change\0DEVPATH=/devices/AC\0SUBSYSTEM=power_supply\0SEQNUM=7\0"
                          "POWER_SUPPLY_NAME=AC\0POWER_SUPPLY_ONLINE=1";
  g_autoptr(GByteArray) message =
      sim_uevent_message(7, "change", "power_supply", "/devices/AC", properties);

  g_assert_cmpmem(message->data, 8, "libudev", 8);
  g_assert_cmphex(GUINT32_FROM_BE(number_at(message, 8)), ==, 0xfeedcafe);
  g_assert_cmpuint(number_at(message, 12), ==, 40);
  g_assert_cmpuint(number_at(message, 16), ==, 40);
  g_assert_cmpuint(number_at(message, 20), ==, sizeof expected);
  g_assert_cmphex(GUINT32_FROM_BE(number_at(message, 24)), ==, sim_uevent_hash("power_supply"));
  for (guint offset = 28; offset < 40; offset += 4)
    g_assert_cmphex(number_at(message, offset), ==, 0);
  g_assert_cmpmem(message->data + 40, message->len - 40, expected, sizeof expected);
}

static void
test_a_message_without_properties(void)
{
  const char expected[] = "ACTION=online\0DEVPATH=/devices/cpu1\0SUBSYSTEM=cpu\0SEQNUM=1";
  g_autoptr(GByteArray) message = sim_uevent_message(1, "online", "cpu", "/devices/cpu1", NULL);

  g_assert_cmpmem(message->data + 40, message->len - 40, expected, sizeof expected);
}

static void
test_the_machine_s_network_gets_none(void)
{
  g_autoptr(GError) error = NULL;

  g_setenv("SIMKERNEL_NETWORK", "net:[1]", TRUE);
  g_assert_null(sim_uevents_new(&error));
  g_assert_error(error, G_IO_ERROR, G_IO_ERROR_PERMISSION_DENIED);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-uevent/hash", test_hash);
  g_test_add_func("/sim-uevent/message", test_message);
  g_test_add_func("/sim-uevent/a-message-without-properties", test_a_message_without_properties);
  g_test_add_func("/sim-uevent/the-machine-s-network-gets-none",
                  test_the_machine_s_network_gets_none);
  return g_test_run();
}
