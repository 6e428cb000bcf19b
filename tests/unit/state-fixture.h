/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/state.h"
#include "said.h"
#include "scratch.h"

#include <string.h>

#define SAVER   EPPD_PROFILE_POWER_SAVER
#define MIDDLE  EPPD_PROFILE_BALANCED
#define FASTEST EPPD_PROFILE_PERFORMANCE

/* A state directory that is not there yet, and a file of another daemon's, neither. */
typedef struct {
  Scratch *dir;
  char *state_dir;   /* "state" in it */
  char *import_file; /* "ppd/state.ini" in it */
} Fixture;

static inline void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = scratch_new();
  fixture->state_dir = scratch_path(fixture->dir, "state");
  fixture->import_file = scratch_path(fixture->dir, "ppd/state.ini");
  said = g_string_new(NULL);
}

static inline void
tear_down(Fixture *fixture, gconstpointer data)
{
  scratch_free(fixture->dir);
  g_free(fixture->state_dir);
  g_free(fixture->import_file);
  g_string_free(said, TRUE);
}

static inline void
assert_said(const char *part)
{
  g_test_message("expected '%s' in: %s", part, said->str);
  g_assert_nonnull(strstr(said->str, part));
}

/* The action switches, as "a=1 b=0", sorted. */
static inline char *
actions_text(const EppdState *state)
{
  GList *names = g_list_sort(g_hash_table_get_keys(state->actions), (GCompareFunc)strcmp);
  g_autoptr(GString) text = g_string_new(NULL);

  for (GList *link = names; link; link = link->next) {
    bool enabled;

    g_assert_true(eppd_state_action(state, link->data, &enabled));
    g_string_append_printf(text, "%s%s=%d", text->len > 0 ? " " : "", (char *)link->data, enabled);
  }
  g_list_free(names);
  return g_string_free(g_steal_pointer(&text), FALSE);
}

typedef struct {
  int profile; /* -1: none */
  const char *cpu_driver;
  const char *platform_driver;
  bool ignores_battery;
  const char *actions; /* NULL: none */
} Expected;

static inline void
assert_state(const EppdState *state, const Expected *expected)
{
  g_autofree char *actions = actions_text(state);

  g_assert_cmpint(state->has_profile ? (int)state->profile : -1, ==, expected->profile);
  g_assert_cmpstr(state->cpu_driver, ==, expected->cpu_driver);
  g_assert_cmpstr(state->platform_driver, ==, expected->platform_driver);
  g_assert_cmpint(state->battery_aware, ==, !expected->ignores_battery);
  g_assert_cmpstr(actions, ==, expected->actions ? expected->actions : "");
}

static inline EppdState *
new_state(const Expected *from)
{
  EppdState *state = eppd_state_new();
  g_auto(GStrv) actions = g_strsplit(from->actions ? from->actions : "", " ", -1);

  state->has_profile = from->profile >= 0;
  if (state->has_profile)
    state->profile = (EppdProfile)from->profile;
  state->cpu_driver = g_strdup(from->cpu_driver);
  state->platform_driver = g_strdup(from->platform_driver);
  state->battery_aware = !from->ignores_battery;
  for (guint i = 0; actions[i]; i++) {
    gsize name_length = strcspn(actions[i], "=");
    g_autofree char *name = g_strndup(actions[i], name_length);

    g_assert_true(eppd_state_set_action(state, name, g_str_equal(actions[i] + name_length, "=1")));
  }
  return state;
}

static inline void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/state/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

/* One test a row of a table whose rows begin with their name. */
static inline void
add_rows(const char *prefix,
         gconstpointer rows,
         gsize n_rows,
         gsize row_size,
         void (*func)(Fixture *, gconstpointer))
{
  for (gsize i = 0; i < n_rows; i++) {
    const void *row = (const char *)rows + i * row_size;
    g_autofree char *path = g_strconcat(prefix, *(const char *const *)row, NULL);

    add(path, row, func);
  }
}

#define ADD_ROWS(prefix, rows, func)                                                               \
  add_rows(prefix, rows, G_N_ELEMENTS(rows), sizeof *(rows), func)
