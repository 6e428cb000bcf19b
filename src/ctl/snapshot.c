/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/snapshot.h"

gboolean
eppd_snapshot_take(EppdSnapshot *snapshot, EppdClient *client, bool with_statistics, GError **error)
{
  g_autoptr(GVariant) properties = NULL;
  g_autoptr(GVariant) policies = NULL;
  g_autoptr(GVariant) statistics = NULL;

  properties = eppd_client_properties(client, EPPD_CALL_TIMEOUT_MS, error);
  if (!properties)
    return FALSE;
  policies = eppd_client_get(client, "GetPolicies", "aa{sv}", error);
  if (!policies)
    return FALSE;
  if (with_statistics) {
    statistics = eppd_client_get(client, "GetStatistics", "a{sv}", error);
    if (!statistics)
      return FALSE;
  }

  snapshot->properties = g_steal_pointer(&properties);
  snapshot->policies = g_steal_pointer(&policies);
  snapshot->statistics = g_steal_pointer(&statistics);
  return TRUE;
}

void
eppd_snapshot_clear(EppdSnapshot *snapshot)
{
  g_clear_pointer(&snapshot->properties, g_variant_unref);
  g_clear_pointer(&snapshot->policies, g_variant_unref);
  g_clear_pointer(&snapshot->statistics, g_variant_unref);
}

GVariant *
eppd_snapshot_pack(const EppdSnapshot *snapshot)
{
  g_auto(GVariantBuilder) builder = G_VARIANT_BUILDER_INIT(G_VARIANT_TYPE_VARDICT);
  GVariantIter iter;
  GVariant *property;

  g_variant_iter_init(&iter, snapshot->properties);
  while ((property = g_variant_iter_next_value(&iter))) {
    g_variant_builder_add_value(&builder, property);
    g_variant_unref(property);
  }
  g_variant_builder_add(&builder, "{sv}", "Policies", snapshot->policies);
  if (snapshot->statistics)
    g_variant_builder_add(&builder, "{sv}", "Statistics", snapshot->statistics);
  return g_variant_ref_sink(g_variant_builder_end(&builder));
}
