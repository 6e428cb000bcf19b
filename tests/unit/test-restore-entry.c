/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/restore-entry.h"

typedef struct {
  const char *name;
  const char *base, *boost, *readback;
  bool boosted, taken_over;
  const char *found; /* "": it can't be read */
  bool is_nameless;
  bool is_ours;
} Case;

static const Case cases[] = {
    {"the-boost", "power", "performance", "performance", true, false, "performance", false, true},
    {"another-value", "power", "performance", "performance", true, false, "128", false, false},
    {"the-boost-by-its-readback", "power", "performance", "16", true, false, "16", false, true},
    {"the-boost-as-written", "power", "0", "performance", true, false, "0", false, true},
    {"may-be-its-readback", "power", "performance", "", true, false, "16", false, true},
    {"the-base-is-there-already", "16", "performance", "", true, false, "16", false, false},
    {"a-text-that-is-no-epp", "power", "performance", "", true, false, "mystery", false, false},
    {"dynamic", "power", "performance", "", true, false, "dynamic", false, false},
    {"not-boosted", "power", "performance", "performance", false, false, "performance", false,
     false},
    {"unreadable", "power", "32", "", true, false, "", false, false},
    {"nameless", "power", "32", "", true, false, "", true, true},
    {"nameless-was-readable", "power", "32", "power", true, false, "", true, false},
    {"nameless-but-a-name-was-written", "power", "performance", "", true, false, "", true, false},
    {"nameless-but-not-boosted", "power", "32", "", false, true, "", true, false},
    {"taken-over", "power", "performance", "", false, true, "power", false, true},
    {"taken-over-by-its-readback", "power", "performance", "", false, true, "255", false, true},
    {"taken-over-and-written-since", "power", "performance", "", false, true, "balance_power",
     false, false},
    {"taken-over-and-boosted", "power", "performance", "", true, true, "performance", false, true},
};

static void
test_is_ours(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(EppdRestoreEntry) entry = eppd_restore_entry_new("policy3", 3);
  EppdEpp found = eppd_epp_parse(c->found);

  entry->base = eppd_epp_parse(c->base);
  entry->boost = (EppdEppTwin){eppd_epp_parse(c->boost), eppd_epp_parse(c->readback)};
  entry->boosted = c->boosted;
  entry->taken_over = c->taken_over;
  g_assert_true(eppd_restore_entry_is_ours(entry, &found, c->is_nameless) == c->is_ours);
}

static void
test_is_due(void)
{
  g_autoptr(EppdRestoreEntry) entry = eppd_restore_entry_new("policy3", 3);

  g_assert_cmpstr(entry->policy, ==, "policy3");
  g_assert_cmpuint(entry->number, ==, 3);
  g_assert_cmpstr(entry->driver, ==, "");
  g_assert_false(eppd_restore_entry_is_due(entry));
  entry->boosted = true;
  g_assert_true(eppd_restore_entry_is_due(entry));
  entry->boosted = false;
  entry->taken_over = true;
  g_assert_true(eppd_restore_entry_is_due(entry));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/restore-entry/due-is-what-is-boosted-or-taken-over", test_is_due);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/restore-entry/ours/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_is_ours);
  }
  return g_test_run();
}
