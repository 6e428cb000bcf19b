/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/amdgpu.h"
#include "scratch.h"

#define CLASS "sys/class/drm/"
#define SAVE  "/amdgpu/panel_power_savings"
#define DPM   "/device/power_dpm_force_performance_level"

typedef GPtrArray *(*List)(EppdSysRoot *root);

/* What is there, and the files found, below the class. */
typedef struct {
  const char *name;
  List list;
  const char *entries[6];
  const char *found[3];
} Case;

static const Case cases[] = {
    {"panel/no-class", eppd_amdgpu_panel_files, {NULL}, {NULL}},
    {"panel/connected",
     eppd_amdgpu_panel_files,
     {CLASS "card0-eDP-1/status=connected\n", CLASS "card0-eDP-1" SAVE "=0\n"},
     {"card0-eDP-1" SAVE}},
    {"panel/two",
     eppd_amdgpu_panel_files,
     {CLASS "card1-eDP-2/status=connected\n", CLASS "card1-eDP-2" SAVE "=0\n",
      CLASS "card0-eDP-1/status=connected\n", CLASS "card0-eDP-1" SAVE "=0\n"},
     {"card0-eDP-1" SAVE, "card1-eDP-2" SAVE}},
    {"panel/disconnected",
     eppd_amdgpu_panel_files,
     {CLASS "card0-eDP-1/status=disconnected\n", CLASS "card0-eDP-1" SAVE "=0\n"},
     {NULL}},
    {"panel/no-status", eppd_amdgpu_panel_files, {CLASS "card0-eDP-1" SAVE "=0\n"}, {NULL}},
    {"panel/empty-status",
     eppd_amdgpu_panel_files,
     {CLASS "card0-eDP-1/status=", CLASS "card0-eDP-1" SAVE "=0\n"},
     {NULL}},
    {"panel/of-another-driver",
     eppd_amdgpu_panel_files,
     {CLASS "card0-eDP-1/status=connected\n"},
     {NULL}},
    {"panel/hdmi-is-none",
     eppd_amdgpu_panel_files,
     {CLASS "card0-HDMI-A-1/status=connected\n", CLASS "card0-HDMI-A-1" SAVE "=0\n"},
     {NULL}},
    {"panel/file-is-a-directory",
     eppd_amdgpu_panel_files,
     {CLASS "card0-eDP-1/status=connected\n", CLASS "card0-eDP-1" SAVE "/"},
     {NULL}},

    {"dpm/no-class", eppd_amdgpu_dpm_files, {NULL}, {NULL}},
    {"dpm/card", eppd_amdgpu_dpm_files, {CLASS "card0" DPM "=auto\n"}, {"card0" DPM}},
    {"dpm/two-cards",
     eppd_amdgpu_dpm_files,
     {CLASS "card1" DPM "=auto\n", CLASS "card0" DPM "=auto\n"},
     {"card0" DPM, "card1" DPM}},
    {"dpm/two-cards-of-one-device",
     eppd_amdgpu_dpm_files,
     {"sys/devices/gpu/power_dpm_force_performance_level=auto\n",
      CLASS "card0/device->../../../devices/gpu", CLASS "card1/device->../../../devices/gpu"},
     {"card0" DPM}},
    {"dpm/connectors-and-render-nodes-are-none",
     eppd_amdgpu_dpm_files,
     {CLASS "card0-eDP-1" DPM "=auto\n", CLASS "renderD128" DPM "=auto\n", CLASS "version=1\n"},
     {NULL}},
    {"dpm/of-another-driver", eppd_amdgpu_dpm_files, {CLASS "card0/device/"}, {NULL}},
    {"dpm/file-is-a-directory", eppd_amdgpu_dpm_files, {CLASS "card0" DPM "/"}, {NULL}},
    {"dpm/links-to-nothing",
     eppd_amdgpu_dpm_files,
     {CLASS "card0->nowhere", CLASS "card1/device->device"},
     {NULL}},
};

static void
test_files(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GPtrArray) files = NULL;
  guint n_found = 0;

  for (gsize i = 0; i < G_N_ELEMENTS(c->entries) && c->entries[i]; i++)
    scratch_make(dir, c->entries[i]);
  files = c->list(root);
  for (; n_found < G_N_ELEMENTS(c->found) && c->found[n_found]; n_found++) {
    g_autofree char *path = g_strconcat(dir, "/" CLASS, c->found[n_found], NULL);

    g_assert_cmpuint(n_found, <, files->len);
    g_assert_cmpstr(files->pdata[n_found], ==, path);
  }
  g_assert_cmpuint(files->len, ==, n_found);
}

typedef struct {
  const char *name;
  const char *cpuinfo; /* NULL: no such file */
  bool is_amd;
} VendorCase;

static const VendorCase vendors[] = {
    {"amd", "processor\t: 0\nvendor_id\t: AuthenticAMD\n", true},
    {"intel", "processor\t: 0\nvendor_id\t: GenuineIntel\n", false},
    {"hygon", "vendor_id\t: HygonGenuine\n", false},
    {"amd-elsewhere", "model name\t: AuthenticAMD\n", false},
    {"longer-name", "vendor_id\t: AuthenticAMD2\n", false},
    {"empty", "", false},
    {"no-file", NULL, false},
};

static void
test_vendor(gconstpointer data)
{
  const VendorCase *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);

  if (c->cpuinfo)
    scratch_write(dir, "proc/cpuinfo", c->cpuinfo);
  g_assert_cmpint(eppd_amdgpu_is_amd_machine(root), ==, c->is_amd);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/amdgpu/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_files);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(vendors); i++) {
    g_autofree char *path = g_strconcat("/amdgpu/vendor/", vendors[i].name, NULL);

    g_test_add_data_func(path, &vendors[i], test_vendor);
  }
  return g_test_run();
}
