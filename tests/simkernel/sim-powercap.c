/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-powercap.h"

#include "sim-device.h"

struct SimPowercap {
  SimDevice *root;
  SimDevice *package;
  gint64 start_usec;
  guint64 used_uj; /* besides what goes by the clock */
};

static int
show_energy(gpointer data, GString *text)
{
  const SimPowercap *powercap = data;
  gint64 elapsed_usec = g_get_monotonic_time() - powercap->start_usec;
  guint64 energy_uj = powercap->used_uj + (guint64)elapsed_usec * SIM_POWERCAP_WATTS;

  g_string_append_printf(text, "%" G_GUINT64_FORMAT "\n", sim_powercap_wrap(energy_uj));
  return 0;
}

static int
show_range(gpointer data, GString *text)
{
  g_string_append_printf(text, "%" G_GUINT64_FORMAT "\n", SIM_POWERCAP_MAX_UJ);
  return 0;
}

static int
show_name(gpointer data, GString *text)
{
  g_string_append(text, "package-0\n");
  return 0;
}

static const struct {
  const char *name;
  SimFileOps ops;
} files[] = {
    {"name", {show_name, NULL}},
    {"energy_uj", {show_energy, NULL}},
    {"max_energy_range_uj", {show_range, NULL}},
};

SimPowercap *
sim_powercap_new(SimTree *tree)
{
  SimPowercap *powercap = g_new0(SimPowercap, 1);

  powercap->start_usec = g_get_monotonic_time();
  powercap->root =
      sim_device_add(tree, "/devices/virtual/powercap/intel-rapl", "powercap", SIM_SUBSYSTEM_CLASS);
  powercap->package = sim_device_add(tree, "/devices/virtual/powercap/intel-rapl/intel-rapl:0",
                                     "powercap", SIM_SUBSYSTEM_CLASS);
  for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = sim_device_file(powercap->package, files[i].name);

    sim_tree_add_file(tree, path, &files[i].ops, powercap);
  }
  return powercap;
}

void
sim_powercap_free(SimPowercap *powercap)
{
  sim_device_free(powercap->root);
  sim_device_free(powercap->package);
  g_free(powercap);
}

void
sim_powercap_use(SimPowercap *powercap, guint64 energy_uj)
{
  powercap->used_uj = sim_powercap_wrap(powercap->used_uj + energy_uj);
}

guint64
sim_powercap_wrap(guint64 energy_uj)
{
  return energy_uj % (SIM_POWERCAP_MAX_UJ + 1);
}
