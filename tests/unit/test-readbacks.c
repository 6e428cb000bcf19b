/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/readbacks.h"

static void
learn(EppdReadbacks *readbacks, const char *written, const char *readback)
{
  EppdEpp written_epp = eppd_epp_parse(written);
  EppdEpp readback_epp = eppd_epp_parse(readback);

  eppd_readbacks_learn(readbacks, &written_epp, &readback_epp);
}

/* NULL @readback: not known. */
static void
assert_known(const EppdReadbacks *readbacks, const char *written, const char *readback)
{
  EppdEpp written_epp = eppd_epp_parse(written);
  const EppdEpp *found = eppd_readbacks_find(readbacks, &written_epp);
  char buffer[EPPD_EPP_TEXT_SIZE];

  g_assert_cmpstr(found ? eppd_epp_text(found, buffer) : NULL, ==, readback);
}

static void
test_each_value_has_its_own(void)
{
  EppdReadbacks readbacks = {0};

  assert_known(&readbacks, "performance", NULL);
  learn(&readbacks, "performance", "0");
  learn(&readbacks, "128", "balance_performance");
  assert_known(&readbacks, "performance", "0");
  assert_known(&readbacks, "128", "balance_performance");
  assert_known(&readbacks, "power", NULL);
  eppd_readbacks_forget(&readbacks);
  assert_known(&readbacks, "performance", NULL);
}

static void
test_what_another_wrote_is_not_learned(void)
{
  static const char *const found[] = {"power", "", "dynamic", "perf", "b"};
  EppdReadbacks readbacks = {0};

  for (guint i = 0; i < G_N_ELEMENTS(found); i++)
    learn(&readbacks, "performance", found[i]);
  assert_known(&readbacks, "performance", NULL);
  learn(&readbacks, "128", "b");
  assert_known(&readbacks, "128", NULL);
}

static void
test_there_is_an_end(void)
{
  EppdReadbacks readbacks = {0};

  for (guint i = 0; i < EPPD_READBACKS_MAX + 2; i++) {
    g_autofree char *text = g_strdup_printf("%u", i);

    learn(&readbacks, text, text);
    assert_known(&readbacks, text, i < EPPD_READBACKS_MAX ? text : NULL);
  }
  assert_known(&readbacks, "0", "0");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/readbacks/each-value-has-its-own", test_each_value_has_its_own);
  g_test_add_func("/readbacks/what-another-wrote-is-not-learned",
                  test_what_another_wrote_is_not_learned);
  g_test_add_func("/readbacks/there-is-an-end", test_there_is_an_end);
  return g_test_run();
}
