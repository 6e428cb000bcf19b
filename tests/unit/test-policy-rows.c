/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/policy-rows.h"

#include <string.h>

static GPtrArray *
rows_of(const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) policies =
      g_variant_parse(G_VARIANT_TYPE("aa{sv}"), text, NULL, NULL, &error);

  g_assert_no_error(error);
  return eppd_policy_rows_new(policies);
}

/* The rows but for the heading, columns collapsed to single spaces. */
static char *
table_of(const char *text, bool condense)
{
  g_autoptr(GPtrArray) rows = rows_of(text);
  g_autoptr(EppdTable) table = eppd_policy_rows_table(rows, condense);
  g_autofree char *formatted = eppd_table_format(table, false);
  g_autoptr(GRegex) spaces = g_regex_new(" +", 0, 0, NULL);
  g_autofree char *collapsed = g_regex_replace_literal(spaces, formatted, -1, 0, " ", 0, NULL);
  const char *end_of_heading = strchr(collapsed, '\n');

  g_assert_nonnull(end_of_heading);
  return g_strdup(end_of_heading + 1);
}

#define POLICY(name, cpus, more)                                                                   \
  "{'policy': <'" name "'>, 'cpus': <'" cpus "'>, 'base': <'power'>, 'current': <'power'>" more "}"
#define EPPS(base, current, more)                                                                  \
  "{'policy': <'policy0'>, 'cpus': <'0'>, 'base': <'" base "'>, 'current': <'" current "'>" more "}"
#define FOREIGN(flag)  ", 'foreign': <" flag ">"
#define BUSY(permille) ", 'busy-permille': <uint32 " permille ">"

static const struct {
  const char *name;
  const char *policies;
  bool condense;
  const char *expected;
} cases[] = {
    {"each-in-its-row", "[" POLICY("policy0", "0", "") "," POLICY("policy1", "1", "") "]", false,
     "policy0 0 power power -\npolicy1 1 power power -\n"},
    {"alike-and-idle-in-one",
     "[" POLICY("policy0", "0-1", BUSY("99")) "," POLICY("policy2", "2 3", BUSY("0")) "]", true,
     "policy0,2 0-3 power power < 10 %\n"},
    {"busy-stands-alone",
     "[" POLICY("policy0", "0", BUSY("0")) "," POLICY("policy1", "1", BUSY("100")) "," POLICY(
         "policy2", "2", BUSY("0")) "]",
     true, "policy0,2 0,2 power power < 10 %\npolicy1 1 power power 10 %\n"},
    {"boosted-stands-alone",
     "[" POLICY("policy0", "0", "") "," POLICY("policy1", "1", ", 'boosted': <true>") "]", true,
     "policy0 0 power power -\npolicy1 1 power power - boosted\n"},
    {"pending-and-resting-stand-alone",
     "[" POLICY("policy0", "0", ", 'resting': <true>") "," POLICY(
         "policy1", "1", ", 'restore-pending': <true>") "]",
     true,
     "policy0 0 power power - left out, others write it\n"
     "policy1 1 power power - restore pending\n"},
    {"offline-apart-from-online",
     "[" POLICY("policy0", "0", "") "," POLICY("policy1", "1", ", 'online': <false>") "," POLICY(
         "policy2", "2", "") "]",
     true, "policy0,2 0,2 power power -\npolicy1 1 power power - offline\n"},
    {"never-sampled-apart-from-idle",
     "[" POLICY("policy0", "0", "") "," POLICY("policy1", "1", BUSY("0")) "]", true,
     "policy0 0 power power -\npolicy1 1 power power < 10 %\n"},
    {"unknown-names-stand-alone",
     "[" POLICY("policyX", "0", "") "," POLICY("policy1-2", "1", "") "," POLICY(
         "policy99999", "2", "") "," POLICY("policy3", "many", "") "]",
     true,
     "policyX 0 power power -\npolicy1-2 1 power power -\npolicy99999 2 power power -\n"
     "policy3 many power power -\n"},
    {"foreign-writes-counted",
     "[" POLICY("policy0", "0", ", 'foreign-writes': <uint64 1>") "," POLICY(
         "policy1", "1", ", 'foreign-writes': <uint64 12>") "]",
     false, "policy0 0 power power - 1 foreign write\npolicy1 1 power power - 12 foreign writes\n"},
    {"foreign-value-told",
     "[" POLICY("policy0", "0", FOREIGN("true")) "," POLICY("policy1", "1", FOREIGN("false")) "]",
     false, "policy0 0 power power - written by another program\npolicy1 1 power power -\n"},
    {"foreign-value-and-writes",
     "[" POLICY("policy0", "0", FOREIGN("true") ", 'foreign-writes': <uint64 2>") "]", false,
     "policy0 0 power power - written by another program, 2 foreign writes\n"},
    {"foreign-stands-apart",
     "[" POLICY("policy0", "0", "") "," POLICY("policy1", "1", FOREIGN("true")) "," POLICY(
         "policy2", "2", "") "," POLICY("policy3", "3", FOREIGN("true")) "]",
     true, "policy0,2 0,2 power power -\npolicy1,3 1,3 power power - written by another program\n"},
    {"untold-and-neither-base-nor-boosted", "[" EPPS("power", "default", "") "]", false,
     "policy0 0 power default - written by another program\n"},
    {"untold-and-boosted", "[" EPPS("power", "performance", ", 'boosted': <true>") "]", false,
     "policy0 0 power performance - boosted\n"},
    {"untold-and-pending", "[" EPPS("power", "performance", ", 'restore-pending': <true>") "]",
     false, "policy0 0 power performance - restore pending\n"},
    {"untold-and-offline", "[" EPPS("power", "default", ", 'online': <false>") "]", false,
     "policy0 0 power default - offline\n"},
    {"untold-and-unknown", "[" EPPS("power", "unknown", "") "," EPPS("unknown", "power", "") "]",
     false, "policy0 0 power unknown -\npolicy0 0 unknown power -\n"},
    {"told-that-it-is-ours", "[" EPPS("128", "balance_power", FOREIGN("false")) "]", false,
     "policy0 0 128 balance_power -\n"},
    {"none", "[]", true, ""},
};

static void
table(gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);
  g_autofree char *text = table_of(cases[i].policies, cases[i].condense);

  g_assert_cmpstr(text, ==, cases[i].expected);
}

#define DRIVER(driver, governor) "{'driver': <'" driver "'>, 'governor': <'" governor "'>}"

static void
driver_texts(void)
{
  static const struct {
    const char *policies;
    const char *expected;
  } drivers[] = {
      {"[]", "none"},
      {"[{}]", "none"},
      {"[" DRIVER("acpi-cpufreq", "") "]", "acpi-cpufreq"},
      {"[" DRIVER("amd-pstate-epp", "powersave") "," DRIVER("amd-pstate-epp", "powersave") "]",
       "amd-pstate-epp (active mode), governor powersave"},
      {"[" DRIVER("intel_pstate", "powersave") "," DRIVER("intel_pstate", "performance") "]",
       "intel_pstate (active mode), governor powersave; "
       "intel_pstate (active mode), governor performance"},
      {"[" DRIVER("a", "") "," DRIVER("b", "") "," DRIVER("c", "") "," DRIVER("d", "") "," DRIVER(
           "e", "") "]",
       "a; b; c; d"},
  };

  for (guint i = 0; i < G_N_ELEMENTS(drivers); i++) {
    g_autoptr(GPtrArray) rows = rows_of(drivers[i].policies);
    g_autofree char *text = eppd_policy_rows_driver_text(rows);

    g_assert_cmpstr(text, ==, drivers[i].expected);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/policy-rows/table/", cases[i].name, NULL);

    g_test_add_data_func(path, GUINT_TO_POINTER(i), table);
  }
  g_test_add_func("/policy-rows/driver-texts", driver_texts);
  return g_test_run();
}
