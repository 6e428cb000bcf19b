/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/intel-pstate.h"
#include "scratch.h"

#define DIR "sys/devices/system/cpu/intel_pstate/"

#define STATUS(text)    DIR "status=" text
#define NO_TURBO(text)  DIR "no_turbo=" text
#define TURBO_PCT(text) DIR "turbo_pct=" text

typedef struct {
  const char *name;
  const char *entries[4];
  EppdIntelPstate pstate;
} Case;

static const Case cases[] = {
    {"none", {NULL}, {0}},
    {"active", {STATUS("active\n")}, {.present = true, .active = true}},
    {"passive", {STATUS("passive\n")}, {.present = true}},
    {"off", {STATUS("off\n")}, {.present = true}},
    {"turbo-allowed",
     {STATUS("active\n"), NO_TURBO("0\n"), TURBO_PCT("30\n")},
     {.present = true, .active = true, .tells_turbo = true}},
    {"turbo-off",
     {STATUS("active\n"), NO_TURBO("1\n"), TURBO_PCT("30\n")},
     {.present = true, .active = true, .tells_turbo = true, .turbo_is_off = true}},
    {"no-turbo-to-switch-off",
     {STATUS("active\n"), NO_TURBO("1\n"), TURBO_PCT("0\n")},
     {.present = true, .active = true}},
    /* Hybrid parts have no turbo_pct. */
    {"no-turbo-pct", {STATUS("active\n"), NO_TURBO("1\n")}, {.present = true, .active = true}},
    {"no-no-turbo",
     {STATUS("active\n"), TURBO_PCT("100\n")},
     {.present = true, .active = true, .tells_turbo = true}},

    {"empty-files", {STATUS(""), NO_TURBO(""), TURBO_PCT("")}, {0}},
    {"blank-files", {STATUS(" \n"), NO_TURBO("\n"), TURBO_PCT("\n")}, {0}},
    {"odd-texts",
     {STATUS("acti\xff\n"), NO_TURBO("yes\n"), TURBO_PCT("30\n")},
     {.present = true, .tells_turbo = true}},
    {"odd-numbers",
     {STATUS("active\n"), NO_TURBO("2\n"), TURBO_PCT("30\n")},
     {.present = true, .active = true, .tells_turbo = true}},
    {"too-large-percentage",
     {STATUS("active\n"), NO_TURBO("1\n"), TURBO_PCT("101\n")},
     {.present = true, .active = true}},
    {"huge-number",
     {STATUS("active\n"), NO_TURBO("1\n"), TURBO_PCT("99999999999999999999\n")},
     {.present = true, .active = true}},
    {"negative-number",
     {STATUS("active\n"), NO_TURBO("1\n"), TURBO_PCT("-30\n")},
     {.present = true, .active = true}},
    {"directories", {DIR "status/", DIR "no_turbo/", DIR "turbo_pct/"}, {0}},
};

static void
test_read(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  EppdIntelPstate pstate;

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  eppd_intel_pstate_read(root, &pstate);
  g_assert_cmpint(pstate.present, ==, c->pstate.present);
  g_assert_cmpint(pstate.active, ==, c->pstate.active);
  g_assert_cmpint(pstate.tells_turbo, ==, c->pstate.tells_turbo);
  g_assert_cmpint(pstate.turbo_is_off, ==, c->pstate.turbo_is_off);
}

static void
test_no_turbo_path(void)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new("/tree");
  g_autofree char *path = eppd_intel_pstate_no_turbo_path(root);

  g_assert_cmpstr(path, ==, "/tree/" DIR "no_turbo");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/intel-pstate/read/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_read);
  }
  g_test_add_func("/intel-pstate/no-turbo-path", test_no_turbo_path);
  return g_test_run();
}
