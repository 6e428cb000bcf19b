/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/power-source.h"

#include <glib.h>

static void
test_texts(void)
{
  g_assert_cmpstr(eppd_power_source_text(EPPD_POWER_SOURCE_AC), ==, "ac");
  g_assert_cmpstr(eppd_power_source_text(EPPD_POWER_SOURCE_BATTERY), ==, "battery");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/power-source/texts", test_texts);
  return g_test_run();
}
