/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp-twin.h"

static EppdEppTwin
twin(const char *written, const char *readback)
{
  return (EppdEppTwin){eppd_epp_parse(written), eppd_epp_parse(readback)};
}

static void
test_the_readback_is_expected_once_it_is_learned(void)
{
  static const struct {
    const char *written, *readback, *found;
    bool holds;
  } rows[] = {
      {"performance", "", "performance", true}, {"performance", "", "0", false},
      {"performance", "0", "0", true},          {"performance", "0", "performance", false},
      {"performance", "", "", false},           {"", "", "", false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdEppTwin value = twin(rows[i].written, rows[i].readback);
    EppdEpp found = eppd_epp_parse(rows[i].found);

    g_test_message("%s reads %s, found %s", rows[i].written, rows[i].readback, rows[i].found);
    g_assert_true(eppd_epp_twin_is_learned(&value) == (rows[i].readback[0] != '\0'));
    g_assert_true(eppd_epp_twin_holds(&value, &found) == rows[i].holds);
    g_assert_true(eppd_epp_twin_expected(&value) ==
                  (rows[i].readback[0] ? &value.readback : &value.written));
  }
}

static void
test_two_unknown_halves_are_the_same(void)
{
  static const struct {
    const char *a[2], *b[2];
    bool same;
  } rows[] = {
      {{"", ""}, {"", ""}, true},
      {{"power", ""}, {"power", ""}, true},
      {{"power", "255"}, {"power", "255"}, true},
      {{"power", "255"}, {"power", ""}, false},
      {{"power", ""}, {"", ""}, false},
      {{"power", ""}, {"balance_power", ""}, false},
  };

  for (guint i = 0; i < G_N_ELEMENTS(rows); i++) {
    EppdEppTwin a = twin(rows[i].a[0], rows[i].a[1]);
    EppdEppTwin b = twin(rows[i].b[0], rows[i].b[1]);

    g_test_message("row %u", i);
    g_assert_true(eppd_epp_twin_is_same(&a, &b) == rows[i].same);
    g_assert_true(eppd_epp_twin_is_same(&b, &a) == rows[i].same);
  }
}

static void
test_another_value_is_not_learned_yet(void)
{
  EppdEppTwin value = twin("power", "255");
  EppdEpp power = eppd_epp_parse("power");
  EppdEpp other = eppd_epp_parse("balance_power");

  eppd_epp_twin_set(&value, &power);
  g_assert_true(eppd_epp_twin_is_learned(&value));
  eppd_epp_twin_set(&value, &other);
  g_assert_true(eppd_epp_equal(&value.written, &other));
  g_assert_false(eppd_epp_twin_is_learned(&value));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/epp-twin/the-readback-is-expected-once-it-is-learned",
                  test_the_readback_is_expected_once_it_is_learned);
  g_test_add_func("/epp-twin/two-unknown-halves-are-the-same",
                  test_two_unknown_halves_are_the_same);
  g_test_add_func("/epp-twin/another-value-is-not-learned-yet",
                  test_another_value_is_not_learned_yet);
  return g_test_run();
}
