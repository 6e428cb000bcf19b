/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A unit's name or a cgroup's path: what comes of it can be shown and looked up. */
#include "fuzz.h"

#include "games/scope-name.h"

#include <string.h>

static void
check_reading(const EppdScopeReading *reading, const char *text)
{
  g_assert_nonnull(reading->identity);
  g_assert_cmpuint(strlen(reading->identity->id), >, 0);
  g_assert_true(g_utf8_validate(reading->identity->id, -1, NULL));
  g_assert_null(strchr(reading->identity->id, '/'));
  if (reading->launcher) {
    g_assert_cmpuint(strlen(reading->launcher), >, 0);
    g_assert_true(g_utf8_validate(reading->launcher, -1, NULL));
  }
  /* Neither is ever escaped. */
  if (reading->instance) {
    g_assert_cmpuint(strlen(reading->instance), >, 0);
    g_assert_nonnull(strstr(text, reading->instance));
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_autoptr(EppdScopeName) name = eppd_scope_name_parse(text);
  g_autofree char *path = NULL;
  g_autoptr(EppdScopeName) inner = NULL;

  /* The path of its cgroup says the same. */
  path = g_strconcat("/user.slice/", text, "/leaf", NULL);
  inner = eppd_scope_name_parse(path);
  g_assert_true((name != NULL) == (inner != NULL));
  if (!name)
    return 0;
  g_assert_cmpuint(name->readings->len, >, 0);
  g_assert_cmpuint(name->readings->len, ==, inner->readings->len);
  for (guint i = 0; i < name->readings->len; i++) {
    const EppdScopeReading *reading = name->readings->pdata[i];
    const EppdScopeReading *same = inner->readings->pdata[i];

    check_reading(reading, text);
    g_assert_true(eppd_game_identity_equal(reading->identity, same->identity));
  }
  return 0;
}
