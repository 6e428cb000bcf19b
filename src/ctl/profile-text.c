/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/profile-text.h"

#include "ctl/fields.h"

#include "base/printable.h"

#include <string.h>

static void
append_driver(GString *text, GVariant *profile, const char *key)
{
  g_autofree char *driver = eppd_field_text(profile, key, "");

  if (*driver)
    g_string_append_printf(text, "    %s:\t%s\n", key, driver);
}

static void
append_degraded(GString *text, const char *degraded)
{
  g_autofree char *reason = eppd_printable(degraded, EPPD_FIELD_TEXT_MAX);

  if (*reason)
    g_string_append_printf(text, "    Degraded:   yes (%s)\n", reason);
  else
    g_string_append(text, "    Degraded:   no\n");
}

static void
append_profile(GString *text, GVariant *profile, const char *active, const char *degraded)
{
  g_autofree char *name = eppd_field_text(profile, "Profile", "");

  g_string_append_printf(text, "%s %s:\n", strcmp(name, active) == 0 ? "*" : " ", name);
  append_driver(text, profile, "CpuDriver");
  append_driver(text, profile, "PlatformDriver");
  if (strcmp(name, "performance") == 0)
    append_degraded(text, degraded);
}

static void
append_field(GString *text, GVariant *fields, const char *key, const char *label)
{
  g_autofree char *value = eppd_field_text(fields, key, "");

  g_string_append_printf(text, "%s%s\n", label, value);
}

static void
append_hold(GString *text, GVariant *hold)
{
  g_string_append(text, "Hold:\n");
  append_field(text, hold, "Profile", "  Profile:         ");
  append_field(text, hold, "ApplicationId", "  Application ID:  ");
  append_field(text, hold, "Reason", "  Reason:          ");
}

static void
append_action(GString *text, GVariant *action)
{
  append_field(text, action, "Name", "Name: ");
  append_field(text, action, "Description", "Description: ");
  g_string_append_printf(text, "Enabled: %s\n",
                         eppd_profile_flag_text(eppd_field_flag(action, "Enabled", false)));
}

char *
eppd_profile_list_text(GVariant *profiles, const char *active, const char *degraded)
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (gsize i = g_variant_n_children(profiles); i > 0; i--) {
    g_autoptr(GVariant) profile = g_variant_get_child_value(profiles, i - 1);

    if (text->len > 0)
      g_string_append_c(text, '\n');
    append_profile(text, profile, active, degraded);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Of an aa{sv}, a blank line between two. */
static char *
entries_text(GVariant *entries, void (*append)(GString *text, GVariant *entry))
{
  g_autoptr(GString) text = g_string_new(NULL);

  for (gsize i = 0; i < g_variant_n_children(entries); i++) {
    g_autoptr(GVariant) entry = g_variant_get_child_value(entries, i);

    if (i > 0)
      g_string_append_c(text, '\n');
    append(text, entry);
  }
  return g_string_free(g_steal_pointer(&text), FALSE);
}

char *
eppd_profile_holds_text(GVariant *holds)
{
  return entries_text(holds, append_hold);
}

char *
eppd_profile_actions_text(GVariant *actions)
{
  return entries_text(actions, append_action);
}

const char *
eppd_profile_flag_text(gboolean flag)
{
  return flag ? "True" : "False";
}
