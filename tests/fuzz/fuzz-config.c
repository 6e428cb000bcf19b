/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The configuration of all its places: the vendor's file, the system's, and drop-ins. */
#include "fuzz.h"

#include "build-config.h"
#include "scratch.h"

static char *vendor_config;
static char *system_config;
static char *system_config_dir;

/* The places are constants of the build: here they are the target's own. */
#undef EPPD_VENDOR_CONFIG
#undef EPPD_SYSTEM_CONFIG
#undef EPPD_SYSTEM_CONFIG_DIR
#define EPPD_VENDOR_CONFIG     vendor_config
#define EPPD_SYSTEM_CONFIG     system_config
#define EPPD_SYSTEM_CONFIG_DIR system_config_dir
#include "daemon/config.c"

static const FuzzPlace places[] = {
    {"vendor.conf", "vendor.conf"},
    {"", "eppd.conf"},
    {"eppd.conf", "eppd.conf"},
    {"10.conf", "eppd.conf.d/10.conf"},
    {"20.conf", "eppd.conf.d/20.conf"},
    {".hidden.conf", "eppd.conf.d/.hidden.conf"},
    {"no-suffix", "eppd.conf.d/no-suffix"},
};

/* The documented ranges, whatever was read. */
static void
check_config(const EppdConfig *config)
{
  g_assert_cmpuint(config->default_profile, <, EPPD_N_PROFILES);
  g_assert_cmpint(config->power_source_debounce_usec, >=, 0);
  g_assert_cmpuint(config->threshold_percent, >=, 1);
  g_assert_cmpuint(config->threshold_percent, <=, 100);
  g_assert_cmpuint(config->app_threshold_percent, >=, 1);
  g_assert_cmpuint(config->app_threshold_percent, <=, 100);
  g_assert_cmpint(config->sample_usec, >=, 1000);
  g_assert_cmpint(config->sample_usec, <=, 1000 * 1000);
  g_assert_cmpint(config->hold_usec, >=, 0);
  g_assert_cmpint(config->hold_usec, <=, 60 * G_USEC_PER_SEC);
  g_assert_true(eppd_epp_is_writable(&config->boost_epp));
  g_assert_cmpuint(config->suppress_in, <, 1u << EPPD_N_PROFILES);
  g_assert_nonnull(config->residency_source);
  g_assert_nonnull(config->categories);
}

static void
check_complaints(const GPtrArray *complaints)
{
  for (guint i = 0; i < complaints->len; i++) {
    /* They go to the bus as strings. */
    g_assert_true(g_utf8_validate(complaints->pdata[i], -1, NULL));
    g_assert_null(strchr(complaints->pdata[i], '\n'));
  }
}

static void
load(const char *only_file)
{
  g_autoptr(GPtrArray) complaints = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(EppdConfig) config = eppd_config_load(only_file, complaints);

  check_config(config);
  check_complaints(complaints);
  for (EppdProfile profile = 0; profile < EPPD_N_PROFILES; profile++) {
    for (EppdPowerSource source = 0; source < EPPD_N_POWER_SOURCES; source++) {
      EppdEpp epp = eppd_epp_table_lookup(&config->table, profile, source);

      g_assert_true(eppd_epp_is_writable(&epp));
    }
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  if (!vendor_config) {
    vendor_config = scratch_path(fuzz_scratch(), "vendor.conf");
    system_config = scratch_path(fuzz_scratch(), "eppd.conf");
    system_config_dir = scratch_path(fuzz_scratch(), "eppd.conf.d");
  }
  fuzz_clear();
  fuzz_write_files(data, size, places, G_N_ELEMENTS(places));
  load(NULL);
  load(system_config);
  return 0;
}
