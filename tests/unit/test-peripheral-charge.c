/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/peripheral-charge.h"
#include "scratch.h"

#define CLASS "sys/class/power_supply/"

/* What is there, and the names of the supplies found, joined by spaces. */
typedef struct {
  const char *name;
  const char *entries[6];
  const char *found;
} Case;

static const Case cases[] = {
    {"no-class", {NULL}, ""},
    {"no-supplies", {CLASS}, ""},
    {"mouse", {CLASS "mouse/scope=Device\n", CLASS "mouse/charge_type=Standard\n"}, "mouse"},
    {"two-sorted",
     {CLASS "b/scope=Device\n", CLASS "b/charge_type=Fast\n", CLASS "a/scope=Device\n",
      CLASS "a/charge_type=Custom\n"},
     "a b"},
    {"linked-as-in-a-real-class",
     {CLASS "mouse->../../devices/mouse", "sys/devices/mouse/scope=Device\n",
      "sys/devices/mouse/charge_type=Standard\n"},
     "mouse"},
    {"laptop-battery", {CLASS "BAT0/scope=System\n", CLASS "BAT0/charge_type=Standard\n"}, ""},
    {"no-scope", {CLASS "BAT0/type=Battery\n", CLASS "BAT0/charge_type=Standard\n"}, ""},
    {"no-charge-type", {CLASS "mouse/scope=Device\n"}, ""},
    {"empty-scope", {CLASS "x/scope=", CLASS "x/charge_type=Standard\n"}, ""},
    {"odd-scope", {CLASS "x/scope=device\n", CLASS "x/charge_type=Standard\n"}, ""},
    {"charge-type-is-a-directory", {CLASS "x/scope=Device\n", CLASS "x/charge_type/"}, ""},
    {"links-to-nothing", {CLASS "gone->nowhere", CLASS "loop->loop"}, ""},
    {"file-among-them", {CLASS "notes=Device\n"}, ""},
};

static void
test_files(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GPtrArray) files = NULL;
  g_auto(GStrv) found = g_strsplit(c->found, " ", -1);

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  files = eppd_peripheral_charge_files(root);
  g_assert_cmpuint(files->len, ==, g_strv_length(found));
  for (guint i = 0; i < files->len; i++) {
    g_autofree char *path = g_strdup_printf("%s/" CLASS "%s/charge_type", dir, found[i]);

    g_assert_cmpstr(files->pdata[i], ==, path);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/peripheral-charge/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_files);
  }
  return g_test_run();
}
