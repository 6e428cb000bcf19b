/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/profile-views.h"

#include "policy/degraded.h"

#include <gio/gio.h>

#define TYPE_DICTS ((const GVariantType *)"aa{sv}")

static void
add_text(GVariantBuilder *builder, const char *key, const char *text)
{
  if (text)
    g_variant_builder_add(builder, "{sv}", key, g_variant_new_string(text));
}

GVariant *
eppd_profile_views_profiles(EppdProfileControl *profiles)
{
  const EppdProfileDrivers *drivers =
      eppd_profile_keeper_drivers(eppd_profile_control_keeper(profiles));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, TYPE_DICTS);
  for (EppdProfile profile = 0; profile < EPPD_N_PROFILES; profile++) {
    if (!eppd_profile_is_available(drivers, profile))
      continue;
    g_variant_builder_open(&builder, G_VARIANT_TYPE_VARDICT);
    add_text(&builder, "Profile", eppd_profile_text(profile));
    add_text(&builder, "CpuDriver", eppd_profile_cpu_driver(drivers, profile));
    add_text(&builder, "PlatformDriver", eppd_profile_platform_driver(drivers, profile));
    add_text(&builder, "Driver", eppd_profile_driver(drivers, profile));
    g_variant_builder_close(&builder);
  }
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_profile_views_holds(EppdProfileControl *profiles)
{
  const GPtrArray *holds = eppd_profile_keeper_holds(eppd_profile_control_keeper(profiles));
  GVariantBuilder builder;

  g_variant_builder_init(&builder, TYPE_DICTS);
  for (guint i = 0; i < holds->len; i++) {
    const EppdProfileHold *hold = holds->pdata[i];

    g_variant_builder_open(&builder, G_VARIANT_TYPE_VARDICT);
    add_text(&builder, "ApplicationId", hold->app_id);
    add_text(&builder, "Profile", eppd_profile_text(hold->profile));
    add_text(&builder, "Reason", hold->reason);
    g_variant_builder_close(&builder);
  }
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_profile_views_actions(EppdProfileControl *profiles)
{
  const EppdActions *actions = eppd_profile_control_actions(profiles);
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_STRING_ARRAY);
  for (guint i = 0; i < eppd_actions_count(actions); i++) {
    const EppdActionInfo *info = eppd_actions_info(actions, i);

    if (info->enabled)
      g_variant_builder_add(&builder, "s", info->name);
  }
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_profile_views_actions_info(EppdProfileControl *profiles)
{
  const EppdActions *actions = eppd_profile_control_actions(profiles);
  GVariantBuilder builder;

  g_variant_builder_init(&builder, TYPE_DICTS);
  for (guint i = 0; i < eppd_actions_count(actions); i++) {
    const EppdActionInfo *info = eppd_actions_info(actions, i);

    g_variant_builder_open(&builder, G_VARIANT_TYPE_VARDICT);
    add_text(&builder, "Name", info->name);
    add_text(&builder, "Description", info->description);
    g_variant_builder_add(&builder, "{sv}", "Enabled", g_variant_new_boolean(info->enabled));
    g_variant_builder_close(&builder);
  }
  return g_variant_builder_end(&builder);
}

GVariant *
eppd_profile_views_degraded(EppdProfileControl *profiles)
{
  g_autofree char *text = eppd_degraded_text(eppd_profile_control_degraded(profiles));

  return g_variant_new_string(text);
}
