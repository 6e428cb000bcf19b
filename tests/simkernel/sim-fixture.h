/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-machine.h"

#include <errno.h>
#include <string.h>

/* A machine in memory for the models' tests, and what it tells unasked. */

typedef struct {
  SimTree *tree;
  SimMachine *machine;
  GString *news; /* "notify PATH\n", "ACTION SUBSYSTEM DEVPATH\n" */
} Fixture;

#define FIXTURE_CPU    "/sys/devices/system/cpu/"
#define FIXTURE_POLICY FIXTURE_CPU "cpufreq/policy"
#define FIXTURE_EPP    "/energy_performance_preference"

static inline void
fixture_on_notify(SimNode *node, gpointer data)
{
  Fixture *fixture = data;
  g_autofree char *path = sim_node_path(node);

  g_string_append_printf(fixture->news, "notify %s\n", path);
}

static inline void
fixture_on_uevent(const char *action,
                  const char *subsystem,
                  const char *devpath,
                  const char *const *properties,
                  gpointer data)
{
  Fixture *fixture = data;

  g_string_append_printf(fixture->news, "%s %s %s\n", action, subsystem, devpath);
}

static inline void
fixture_set_up(Fixture *fixture, const SimMachineOptions *options)
{
  const SimTreeHooks hooks = {.notify = fixture_on_notify, .uevent = fixture_on_uevent};

  fixture->news = g_string_new(NULL);
  fixture->tree = sim_tree_new(&hooks, fixture);
  fixture->machine = sim_machine_new(options, fixture->tree);
  g_string_truncate(fixture->news, 0);
}

static inline void
fixture_tear_down(Fixture *fixture)
{
  g_clear_pointer(&fixture->machine, sim_machine_free);
  g_clear_pointer(&fixture->tree, sim_tree_free);
  g_string_free(fixture->news, TRUE);
}

static inline const char *
fixture_errno_name(int errnum)
{
  static const struct {
    int errnum;
    const char *name;
  } names[] = {
      {0, "ok"},          {EINVAL, "EINVAL"}, {EBUSY, "EBUSY"},   {ENODEV, "ENODEV"},
      {ENOENT, "ENOENT"}, {EIO, "EIO"},       {ERANGE, "ERANGE"}, {EOPNOTSUPP, "EOPNOTSUPP"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    if (names[i].errnum == errnum)
      return names[i].name;
  }
  return g_strerror(errnum);
}

/* What a read gives without its last newline, or the errno's name. */
static inline char *
fixture_read(const Fixture *fixture, const char *path)
{
  SimNode *node = sim_tree_find(fixture->tree, path);
  GString *text = g_string_new(NULL);
  int error = node ? sim_node_read(node, text) : ENOENT;

  if (error)
    g_string_assign(text, fixture_errno_name(error));
  else if (text->len > 0 && text->str[text->len - 1] == '\n')
    g_string_truncate(text, text->len - 1);
  return g_string_free(text, FALSE);
}

/* "ok" or the errno's name. */
static inline const char *
fixture_write(const Fixture *fixture, const char *path, const char *text)
{
  SimNode *node = sim_tree_find(fixture->tree, path);

  return fixture_errno_name(node ? sim_node_write(node, text) : ENOENT);
}

static inline void
fixture_assert_read(const Fixture *fixture, const char *path, const char *text)
{
  g_autofree char *found = fixture_read(fixture, path);

  g_assert_cmpstr(found, ==, text);
}

static inline void
fixture_assert_write(const Fixture *fixture, const char *path, const char *text, const char *result)
{
  g_assert_cmpstr(fixture_write(fixture, path, text), ==, result);
}

static inline void
fixture_command(const Fixture *fixture, const char *command)
{
  g_autofree char *error = NULL;
  bool ok = sim_machine_command(fixture->machine, command, &error);

  g_assert_cmpstr(error, ==, NULL);
  g_assert_true(ok);
}

static inline void
fixture_refuses_command(const Fixture *fixture, const char *command)
{
  g_autofree char *error = NULL;

  g_assert_false(sim_machine_command(fixture->machine, command, &error));
  g_assert_nonnull(error);
}

static inline void
fixture_assert_link(const Fixture *fixture, const char *path, const char *target)
{
  SimNode *node = sim_tree_find(fixture->tree, path);

  g_assert_nonnull(node);
  g_assert_cmpstr(sim_node_link_target(node), ==, target);
}

/* All that came since the last time. */
static inline void
fixture_assert_news(Fixture *fixture, const char *news)
{
  g_assert_cmpstr(fixture->news->str, ==, news);
  g_string_truncate(fixture->news, 0);
}
