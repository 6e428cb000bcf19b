/* SPDX-License-Identifier: GPL-2.0-or-later */
/* EPP texts. The lines of an input: what a file holds, the list of what it takes, what it reads
 * back. */
#include "fuzz.h"

#include "policy/epp.h"
#include "policy/platform-choice.h"

#include <string.h>

static void
check_text(const EppdEpp *epp)
{
  char buffer[EPPD_EPP_TEXT_SIZE];
  const char *text = eppd_epp_text(epp, buffer);
  EppdEpp again = eppd_epp_parse(text);

  g_assert_true(strlen(text) < EPPD_EPP_TEXT_SIZE);
  for (const char *p = text; *p; p++)
    g_assert_true(g_ascii_isprint(*p));
  /* Text that is kept cut may read as something else. */
  if (epp->kind != EPPD_EPP_UNKNOWN && epp->kind != EPPD_EPP_OTHER)
    g_assert_true(eppd_epp_equal(epp, &again));
  if (eppd_epp_is_writable(epp) && epp->kind != EPPD_EPP_DYNAMIC)
    g_assert_true(eppd_epp_may_read_back_as(epp, &again));
}

static void
check_fit(const EppdEpp *wanted, const EppdEppChoices *choices)
{
  bool adapted;
  bool adapted_again;
  EppdEpp fitting = eppd_epp_fit(wanted, choices, &adapted);
  EppdEpp again = eppd_epp_fit(&fitting, choices, &adapted_again);

  if (!eppd_epp_is_writable(wanted))
    return;
  g_assert_true(eppd_epp_is_writable(&fitting));
  g_assert_cmpint(adapted, ==, !eppd_epp_equal(wanted, &fitting));
  g_assert_true(eppd_epp_equal(&fitting, &again));
  g_assert_false(adapted_again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_auto(GStrv) lines = g_strsplit(text, "\n", 3);
  guint n_lines = g_strv_length(lines);
  EppdEpp epp = eppd_epp_parse(n_lines > 0 ? lines[0] : NULL);
  EppdEppChoices choices = eppd_epp_choices_parse(n_lines > 1 ? lines[1] : NULL);
  EppdEpp readback = eppd_epp_parse(n_lines > 2 ? lines[2] : NULL);

  check_text(&epp);
  check_text(&readback);
  check_fit(&epp, &choices);
  choices.accepts_raw = !choices.accepts_raw;
  check_fit(&epp, &choices);
  if (eppd_epp_may_read_back_as(&epp, &readback))
    g_assert_cmpint(readback.kind, !=, EPPD_EPP_UNKNOWN);
  eppd_epp_may_be_left_over(&readback);
  return 0;
}
