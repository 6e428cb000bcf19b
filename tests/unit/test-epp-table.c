/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-table.h"

static void
check_table(const EppdEppTable *table, const char *const expected[EPPD_N_PROFILES][2])
{
  for (int profile = 0; profile < EPPD_N_PROFILES; profile++) {
    for (int source = 0; source < EPPD_N_POWER_SOURCES; source++) {
      char buffer[EPPD_EPP_TEXT_SIZE];
      EppdEpp epp = eppd_epp_table_lookup(table, (EppdProfile)profile, (EppdPowerSource)source);

      g_test_message("%s on %s", eppd_profile_text((EppdProfile)profile),
                     eppd_power_source_text((EppdPowerSource)source));
      g_assert_cmpstr(eppd_epp_text(&epp, buffer), ==, expected[profile][source]);
    }
  }
}

static void
test_ppd_is_power_profiles_daemons_amd_pstate_table(void)
{
  static const char *const expected[][2] = {
      {"power", "power"},
      {"balance_performance", "balance_power"},
      {"performance", "performance"},
  };
  EppdEppTable table = {.kind = EPPD_EPP_TABLE_PPD};

  check_table(&table, expected);
}

static void
test_dynamic_epp_is_the_kernels_table(void)
{
  static const char *const expected[][2] = {
      {"power", "power"},
      {"performance", "balance_performance"},
      {"performance", "performance"},
  };
  EppdEppTable table = {.kind = EPPD_EPP_TABLE_DYNAMIC_EPP};

  check_table(&table, expected);
}

static void
test_custom_falls_back_to_ppd_cell_by_cell(void)
{
  static const char *const expected[][2] = {
      {"power", "200"},
      {"default", "balance_power"},
      {"performance", "performance"},
  };
  EppdEppTable table = {.kind = EPPD_EPP_TABLE_CUSTOM};

  table.custom[EPPD_PROFILE_POWER_SAVER][EPPD_POWER_SOURCE_BATTERY] = eppd_epp_raw(200);
  table.custom[EPPD_PROFILE_BALANCED][EPPD_POWER_SOURCE_AC] = eppd_epp_named(EPPD_EPP_DEFAULT);
  check_table(&table, expected);
}

static void
test_only_custom_looks_at_custom_cells(void)
{
  EppdEppTable table = {.kind = EPPD_EPP_TABLE_PPD};
  EppdEpp epp;

  table.custom[EPPD_PROFILE_BALANCED][EPPD_POWER_SOURCE_AC] = eppd_epp_raw(1);
  epp = eppd_epp_table_lookup(&table, EPPD_PROFILE_BALANCED, EPPD_POWER_SOURCE_AC);
  g_assert_cmpint((int)epp.kind, ==, EPPD_EPP_BALANCE_PERFORMANCE);
}

static void
test_kind_texts(void)
{
  static const char *const texts[] = {"ppd", "dynamic-epp", "custom"};
  EppdEppTableKind kind = EPPD_EPP_TABLE_CUSTOM;

  for (int i = 0; i < (int)G_N_ELEMENTS(texts); i++) {
    g_assert_true(eppd_epp_table_kind_parse(texts[i], &kind));
    g_assert_cmpint((int)kind, ==, i);
    g_assert_cmpstr(eppd_epp_table_kind_text(kind), ==, texts[i]);
  }
  g_assert_false(eppd_epp_table_kind_parse("tlp", &kind));
  g_assert_cmpint((int)kind, ==, EPPD_EPP_TABLE_CUSTOM);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/epp-table/ppd-is-power-profiles-daemons-amd-pstate-table",
                  test_ppd_is_power_profiles_daemons_amd_pstate_table);
  g_test_add_func("/epp-table/dynamic-epp-is-the-kernels-table",
                  test_dynamic_epp_is_the_kernels_table);
  g_test_add_func("/epp-table/custom-falls-back-to-ppd-cell-by-cell",
                  test_custom_falls_back_to_ppd_cell_by_cell);
  g_test_add_func("/epp-table/only-custom-looks-at-custom-cells",
                  test_only_custom_looks_at_custom_cells);
  g_test_add_func("/epp-table/kind-texts", test_kind_texts);
  return g_test_run();
}
