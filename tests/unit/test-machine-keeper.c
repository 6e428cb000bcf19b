/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/machine-keeper.h"
#include "scratch.h"

#define CPUFREQ   "sys/devices/system/cpu/cpufreq/"
#define MODE_FILE "sys/devices/system/cpu/amd_pstate/status"

typedef struct {
  Scratch *dir;
  EppdSysRoot *root;
  EppdJournal *journal;
  EppdStatistics statistics;
  EppdMachine *machine;
  EppdKernelSettings *kernel;
  EppdMachineKeeper *keeper;
  guint looks;
  guint looks_with_new;
  guint disarms;
  const char *mode_while_looking; /* written as policies are looked for; NULL: nothing */
} Fixture;

static void
on_look(gpointer data)
{
  Fixture *fixture = data;

  fixture->looks++;
  fixture->looks_with_new += eppd_machine_keeper_look(fixture->keeper, false);
}

static void
on_disarm(gpointer data)
{
  Fixture *fixture = data;

  fixture->disarms++;
  if (fixture->mode_while_looking)
    scratch_write(fixture->dir, MODE_FILE, fixture->mode_while_looking);
}

static void
make_policy(Fixture *fixture, guint number)
{
  static const char *const files[][2] = {
      {"scaling_driver", "amd-pstate-epp\n"},
      {"scaling_governor", "powersave\n"},
      {"energy_performance_preference", "power\n"},
  };
  g_autofree char *cpu = g_strdup_printf("%u\n", number);
  g_autofree char *cpus = g_strdup_printf(CPUFREQ "policy%u/affected_cpus", number);

  scratch_write(fixture->dir, cpus, cpu);
  for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
    g_autofree char *path = g_strdup_printf(CPUFREQ "policy%u/%s", number, files[i][0]);

    scratch_write(fixture->dir, path, files[i][1]);
  }
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  static const EppdMachineKeeperListener listener = {.look = on_look, .disarm = on_disarm};
  const EppdEpp boost = eppd_epp_named(EPPD_EPP_PERFORMANCE);
  g_autofree char *run = NULL;

  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  scratch_mkdir(fixture->dir, "run");
  scratch_write(fixture->dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "enabled\n");
  scratch_write(fixture->dir, MODE_FILE, "active\n");
  make_policy(fixture, 0);
  run = scratch_path(fixture->dir, "run");
  fixture->journal = eppd_journal_load(fixture->root, run);
  fixture->machine =
      eppd_machine_new(fixture->root, fixture->journal, &fixture->statistics, &boost, NULL);
  fixture->kernel = eppd_kernel_settings_new(fixture->root, fixture->journal);
  fixture->keeper = eppd_machine_keeper_new(fixture->machine, fixture->kernel, &listener, fixture);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  eppd_machine_keeper_free(fixture->keeper);
  eppd_kernel_settings_free(fixture->kernel);
  eppd_machine_free(fixture->machine);
  eppd_journal_free(fixture->journal);
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
}

static void
wait_for_looks(Fixture *fixture, guint n)
{
  while (fixture->looks < n)
    g_main_context_iteration(NULL, TRUE);
}

static void
run_what_is_ready(void)
{
  while (g_main_context_iteration(NULL, FALSE)) {
  }
}

static guint
count_policies(Fixture *fixture)
{
  return eppd_machine_policies(fixture->machine)->len;
}

static void
assert_dynamic_epp(Fixture *fixture, const char *text)
{
  g_autofree char *found = scratch_read_line(fixture->dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE);

  g_assert_cmpstr(found, ==, text);
}

static void
test_news_are_looked_at_later(Fixture *fixture, gconstpointer data)
{
  eppd_machine_keeper_note_news(fixture->keeper, false);
  eppd_machine_keeper_note_news(fixture->keeper, false);
  g_assert_cmpuint(fixture->looks, ==, 0);
  wait_for_looks(fixture, 1);
  run_what_is_ready();
  g_assert_cmpuint(fixture->looks, ==, 1);
  g_assert_cmpuint(fixture->disarms, ==, 0);
}

static void
test_a_storm_of_hotplug_is_one_look(Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < 32; i++)
    eppd_machine_keeper_note_hotplug(fixture->keeper, "cpu7");
  make_policy(fixture, 7);
  run_what_is_ready();
  wait_for_looks(fixture, 1);
  g_assert_cmpuint(fixture->disarms, ==, 1);
  g_assert_cmpuint(fixture->looks_with_new, ==, 1);
  g_assert_cmpuint(count_policies(fixture), ==, 2);
}

static void
test_odd_names_of_cpus(Fixture *fixture, gconstpointer data)
{
  static const char *const names[] = {NULL, "", "cpu", "cpufreq", "cpu99999999999999999999", "x0"};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++)
    eppd_machine_keeper_note_hotplug(fixture->keeper, names[i]);
  wait_for_looks(fixture, 1);
  g_assert_cmpuint(count_policies(fixture), ==, 1);
}

static void
test_who_waits_for_a_profile_waits_for_no_storm(Fixture *fixture, gconstpointer data)
{
  make_policy(fixture, 7);
  eppd_machine_keeper_note_hotplug(fixture->keeper, "cpu7");
  eppd_machine_keeper_look_at_mode(fixture->keeper, false);
  g_assert_cmpuint(count_policies(fixture), ==, 2);
  g_assert_cmpuint(fixture->looks, ==, 0);
  /* And what follows from it is done. */
  wait_for_looks(fixture, 1);
}

/* None of the policies is new afterwards. */
static void
apply(Fixture *fixture)
{
  const EppdPolicyWish wish = {.profile = EPPD_PROFILE_BALANCED,
                               .epp = eppd_epp_named(EPPD_EPP_POWER)};

  g_assert_true(eppd_machine_apply(fixture->machine, &wish, true, NULL));
}

static void
test_after_a_sleep_all_may_be_new(Fixture *fixture, gconstpointer data)
{
  apply(fixture);
  g_assert_false(eppd_machine_keeper_look(fixture->keeper, false));
  eppd_machine_keeper_note_sleep(fixture->keeper);
  g_assert_true(eppd_machine_keeper_look(fixture->keeper, false));
  g_assert_cmpuint(fixture->disarms, ==, 1);
}

static void
test_dynamic_epp_is_taken_over_and_released(Fixture *fixture, gconstpointer data)
{
  eppd_machine_keeper_begin(fixture->keeper, false);
  g_assert_cmpuint(fixture->disarms, ==, 0);
  assert_dynamic_epp(fixture, "enabled");
  eppd_machine_keeper_begin(fixture->keeper, true);
  g_assert_cmpuint(fixture->disarms, >, 0);
  assert_dynamic_epp(fixture, "disabled");
  g_assert_false(eppd_machine_amd_pstate(fixture->machine)->dynamic_epp_on);

  /* Another program's is not fought, unless a person asks. */
  scratch_write(fixture->dir, EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE, "enabled\n");
  eppd_machine_keeper_look(fixture->keeper, true);
  assert_dynamic_epp(fixture, "enabled");
  eppd_machine_keeper_look_anew(fixture->keeper, true);
  assert_dynamic_epp(fixture, "disabled");
  eppd_machine_keeper_look_anew(fixture->keeper, false);
  assert_dynamic_epp(fixture, "enabled");
}

static void
test_a_watch_is_followed_by_a_look(Fixture *fixture, gconstpointer data)
{
  eppd_machine_keeper_update(fixture->keeper, false);
  wait_for_looks(fixture, 1);
  scratch_write(fixture->dir, CPUFREQ "policy0/scaling_governor", "performance\n");
  wait_for_looks(fixture, 2);
  g_assert_cmpuint(eppd_machine_count_governor_performance(fixture->machine), ==, 1);
}

/* It left some of them half made, and they are looked for again. */
static void
test_a_mode_that_is_switched_while_policies_are_looked_for(Fixture *fixture, gconstpointer data)
{
  eppd_machine_keeper_update(fixture->keeper, false);
  wait_for_looks(fixture, 1);

  fixture->mode_while_looking = "active\n";
  eppd_machine_keeper_note_sleep(fixture->keeper);
  g_assert_true(eppd_machine_keeper_look(fixture->keeper, false));
  fixture->mode_while_looking = NULL;
  apply(fixture);
  fixture->looks_with_new = 0;
  eppd_machine_keeper_update(fixture->keeper, false);
  wait_for_looks(fixture, 2);
  g_assert_cmpuint(fixture->looks_with_new, ==, 1);

  apply(fixture);
  eppd_machine_keeper_update(fixture->keeper, false);
  wait_for_looks(fixture, 3);
  g_assert_cmpuint(fixture->looks_with_new, ==, 1);
}

/* What it says is not what is tested here. */
static GLogWriterOutput
ignore_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  return G_LOG_WRITER_HANDLED;
}

static void
add(const char *name, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *path = g_strconcat("/machine-keeper/", name, NULL);

  g_test_add(path, Fixture, NULL, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(ignore_log, NULL, NULL);
  add("news-are-looked-at-later", test_news_are_looked_at_later);
  add("a-storm-of-hotplug-is-one-look", test_a_storm_of_hotplug_is_one_look);
  add("odd-names-of-cpus", test_odd_names_of_cpus);
  add("who-waits-for-a-profile-waits-for-no-storm",
      test_who_waits_for_a_profile_waits_for_no_storm);
  add("after-a-sleep-all-may-be-new", test_after_a_sleep_all_may_be_new);
  add("dynamic-epp-is-taken-over-and-released", test_dynamic_epp_is_taken_over_and_released);
  add("a-watch-is-followed-by-a-look", test_a_watch_is_followed_by_a_look);
  add("a-mode-that-is-switched-while-policies-are-looked-for",
      test_a_mode_that_is_switched_while_policies_are_looked_for);
  return g_test_run();
}
