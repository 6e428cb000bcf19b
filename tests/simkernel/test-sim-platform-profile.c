/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fixture.h"

#define LEGACY        "/sys/firmware/acpi/platform_profile"
#define CHOICES       LEGACY "_choices"
#define DEVPATH(n)    "/devices/platform/firmware." #n "/platform-profile/platform-profile-" #n
#define DEVICE(n)     "/sys" DEVPATH(n)
#define LEGACY_NEWS   "notify " LEGACY "\n"
#define CLASS_NEWS(n) "notify " DEVICE(n) "/profile\nchange platform-profile " DEVPATH(n) "\n"

static const SimMachineOptions legacy = {.n_cpus = 1,
                                         .platform_choices = "performance balanced low-power"};
static const SimMachineOptions class = {.n_cpus = 1,
                                        .platform_choices = "quiet balanced performance custom",
                                        .has_platform_class = true};
static const SimMachineOptions two = {.n_cpus = 1,
                                      .platform_choices = "low-power quiet balanced performance",
                                      .platform_choices2 = "low-power cool balanced performance",
                                      .has_platform_class = true};
static const SimMachineOptions disjoint = {.n_cpus = 1,
                                           .platform_choices = "quiet performance",
                                           .platform_choices2 = "low-power balanced",
                                           .has_platform_class = true};
static const SimMachineOptions none = {.n_cpus = 1};
static const SimMachineOptions late = {.n_cpus = 1, .has_platform_class = true};

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture_set_up(fixture, data);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  fixture_tear_down(fixture);
}

static void
test_writes(void)
{
  static const struct {
    const SimMachineOptions *options;
    const char *file;
    const char *text;
    const char *result;
    const char *reads; /* the legacy file */
  } cases[] = {
      {&legacy, LEGACY, "performance\n", "ok", "performance"},
      {&legacy, LEGACY, "low-power", "ok", "low-power"},
      {&legacy, LEGACY, "quiet\n", "EOPNOTSUPP", "balanced"},
      {&legacy, LEGACY, "max-power\n", "EOPNOTSUPP", "balanced"},
      {&legacy, LEGACY, "custom\n", "EINVAL", "balanced"},
      {&legacy, LEGACY, "Performance\n", "EINVAL", "balanced"},
      {&legacy, LEGACY, "nonsense\n", "EINVAL", "balanced"},
      {&legacy, LEGACY, "\n", "EINVAL", "balanced"},
      {&legacy, LEGACY, "performance now", "EINVAL", "balanced"},
      {&legacy, CHOICES, "performance", "EIO", "balanced"},
      {&class, LEGACY, "custom", "EINVAL", "balanced"},
      {&class, DEVICE(0) "/profile", "quiet\n", "ok", "quiet"},
      {&class, DEVICE(0) "/profile", "custom\n", "ok", "custom"},
      {&class, DEVICE(0) "/profile", "cool\n", "EOPNOTSUPP", "balanced"},
      {&class, DEVICE(0) "/profile", "nonsense\n", "EINVAL", "balanced"},
      {&two, LEGACY, "quiet", "EOPNOTSUPP", "balanced"},
      {&two, LEGACY, "cool", "EOPNOTSUPP", "balanced"},
      {&two, LEGACY, "low-power", "ok", "low-power"},
      {&two, DEVICE(0) "/profile", "quiet", "ok", "custom"},
      {&two, DEVICE(1) "/profile", "performance", "ok", "custom"},
      {&none, LEGACY, "balanced", "ENOENT", "ENOENT"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    g_test_message("'%s' to %s", cases[i].text, cases[i].file);
    fixture_set_up(&fixture, cases[i].options);
    fixture_assert_write(&fixture, cases[i].file, cases[i].text, cases[i].result);
    fixture_assert_read(&fixture, LEGACY, cases[i].reads);
    fixture_tear_down(&fixture);
  }
}

static void
test_choices(void)
{
  static const struct {
    const SimMachineOptions *options;
    const char *choices;
    const char *profile;
  } cases[] = {
      {&legacy, "low-power balanced performance", "balanced"},
      {&class, "quiet balanced performance custom", "balanced"},
      {&two, "low-power balanced performance", "balanced"},
      {&disjoint, "EINVAL", "custom"},
      {&none, "ENOENT", "ENOENT"},
  };

  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    Fixture fixture;

    fixture_set_up(&fixture, cases[i].options);
    fixture_assert_read(&fixture, CHOICES, cases[i].choices);
    fixture_assert_read(&fixture, LEGACY, cases[i].profile);
    fixture_tear_down(&fixture);
  }
}

static void
test_legacy_has_no_class(Fixture *fixture, gconstpointer data)
{
  SimNode *directory = sim_tree_find(fixture->tree, "/sys/class/platform-profile");
  g_autoptr(GPtrArray) names = sim_node_children(directory);

  g_assert_cmpuint(names->len, ==, 0);
}

static void
test_class_files(Fixture *fixture, gconstpointer data)
{
  fixture_assert_read(fixture, DEVICE(0) "/name", "simulated-0");
  fixture_assert_read(fixture, DEVICE(1) "/name", "simulated-1");
  fixture_assert_read(fixture, DEVICE(1) "/choices", "low-power cool balanced performance");
  fixture_assert_read(fixture, DEVICE(1) "/profile", "balanced");
  fixture_assert_link(fixture, "/sys/class/platform-profile/platform-profile-1",
                      "../.." DEVPATH(1));
}

static void
test_legacy_news(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, LEGACY, "performance", "ok");
  fixture_assert_news(fixture, CLASS_NEWS(0) CLASS_NEWS(1) LEGACY_NEWS);
  fixture_assert_read(fixture, DEVICE(0) "/profile", "performance");
  fixture_assert_read(fixture, DEVICE(1) "/profile", "performance");
  fixture_assert_write(fixture, LEGACY, "performance", "ok");
  fixture_assert_news(fixture, CLASS_NEWS(0) CLASS_NEWS(1) LEGACY_NEWS);
  fixture_assert_write(fixture, LEGACY, "quiet", "EOPNOTSUPP");
  fixture_assert_news(fixture, "");
}

static void
test_class_news(Fixture *fixture, gconstpointer data)
{
  fixture_assert_write(fixture, DEVICE(1) "/profile", "cool", "ok");
  fixture_assert_news(fixture, LEGACY_NEWS);
  fixture_assert_write(fixture, DEVICE(1) "/profile", "quiet", "EOPNOTSUPP");
  fixture_assert_news(fixture, "");
}

static void
test_key_news(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "platform firmware quiet");
  fixture_assert_news(fixture, CLASS_NEWS(0) LEGACY_NEWS);
  fixture_assert_read(fixture, DEVICE(0) "/profile", "quiet");
  fixture_assert_read(fixture, LEGACY, "custom");
  fixture_refuses_command(fixture, "platform firmware cool");
  fixture_refuses_command(fixture, "platform firmware nonsense");
  fixture_assert_news(fixture, "");
}

static void
test_late(Fixture *fixture, gconstpointer data)
{
  fixture_refuses_command(fixture, "platform firmware balanced");
  fixture_refuses_command(fixture, "platform remove");
  fixture_command(fixture, "platform add quiet performance");
  fixture_assert_news(fixture, "add platform-profile " DEVPATH(0) "\n");
  fixture_assert_read(fixture, LEGACY, "quiet");
  fixture_assert_read(fixture, CHOICES, "quiet performance");
  fixture_command(fixture, "platform add balanced performance");
  fixture_assert_read(fixture, CHOICES, "performance");
  g_string_truncate(fixture->news, 0);
  fixture_command(fixture, "platform remove");
  fixture_assert_news(fixture, "remove platform-profile " DEVPATH(1) "\n" LEGACY_NEWS);
  fixture_assert_read(fixture, CHOICES, "quiet performance");
  fixture_command(fixture, "platform remove");
  fixture_assert_read(fixture, LEGACY, "ENOENT");
  fixture_assert_read(fixture, CHOICES, "ENOENT");
  fixture_refuses_command(fixture, "platform add");
  fixture_refuses_command(fixture, "platform add nonsense");
}

static void
test_new_files(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_node_ref(sim_tree_find(fixture->tree, LEGACY));

  fixture_command(fixture, "platform add balanced performance");
  g_assert_true(sim_node_is_dead(node));
  sim_node_unref(node);
  fixture_assert_read(fixture, LEGACY, "balanced");
}

/* Numbers are given again, the lowest first. */
static void
test_numbers(Fixture *fixture, gconstpointer data)
{
  fixture_command(fixture, "platform remove");
  g_assert_null(sim_tree_find(fixture->tree, DEVICE(1)));
  fixture_command(fixture, "platform add balanced");
  g_assert_nonnull(sim_tree_find(fixture->tree, DEVICE(1)));
}

#define ADD(name, options, test)                                                                   \
  g_test_add("/sim-platform-profile/" name, Fixture, &(options), set_up, test, tear_down)

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/sim-platform-profile/writes", test_writes);
  g_test_add_func("/sim-platform-profile/choices-are-those-of-all-handlers", test_choices);
  ADD("old-kernel-has-no-class", legacy, test_legacy_has_no_class);
  ADD("class-has-a-device-a-handler", two, test_class_files);
  ADD("legacy-write-tells-all", two, test_legacy_news);
  ADD("class-write-tells-the-legacy-file-alone", two, test_class_news);
  ADD("firmware-key-tells-its-device-and-the-legacy-file", two, test_key_news);
  ADD("handlers-come-late-and-go", late, test_late);
  ADD("a-handler-that-comes-makes-the-legacy-files-anew", class, test_new_files);
  ADD("numbers-are-given-again", two, test_numbers);
  return g_test_run();
}
