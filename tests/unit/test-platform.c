/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "daemon/platform.h"
#include "poll-news.h"
#include "skip.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define PROFILE "sys/firmware/acpi/platform_profile"
#define CHOICES PROFILE "_choices"
#define LAP     "sys/devices/platform/thinkpad_acpi/dytc_lapmode"
#define CLASS   "sys/class/platform-profile/platform-profile-0/"

#define ALL "low-power balanced performance\n"

typedef struct {
  Scratch *dir;
  EppdSysRoot *root;
  EppdPlatform *platform;
  GString *heard; /* words, each with a space behind it */
  bool is_in_call;
  const char *apply_when_driver_comes; /* a profile's text; NULL: none */
} Fixture;

static void
apply(Fixture *fixture, const char *profile_text)
{
  g_autoptr(GError) error = NULL;
  EppdProfile profile;
  bool was_in_call = fixture->is_in_call;

  g_assert_true(eppd_profile_parse(profile_text, &profile));
  fixture->is_in_call = true;
  g_assert_true(eppd_platform_apply(fixture->platform, profile, &error));
  fixture->is_in_call = was_in_call;
  g_assert_no_error(error);
}

static void
hear(Fixture *fixture, const char *word)
{
  g_assert_false(fixture->is_in_call);
  g_string_append_printf(fixture->heard, "%s ", word);
}

static void
on_driver_changed(gpointer data)
{
  Fixture *fixture = data;

  hear(fixture, eppd_platform_driver(fixture->platform));
  if (fixture->apply_when_driver_comes)
    apply(fixture, fixture->apply_when_driver_comes);
}

static void
on_firmware_chose(EppdProfile profile, gpointer data)
{
  hear(data, eppd_profile_text(profile));
}

static void
on_lap_changed(gpointer data)
{
  Fixture *fixture = data;

  hear(fixture, eppd_platform_is_on_lap(fixture->platform) ? "lap" : "table");
}

static const EppdPlatformListener listener = {on_driver_changed, on_firmware_chose, on_lap_changed};

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->dir = scratch_new();
  fixture->root = eppd_sys_root_new(fixture->dir);
  fixture->heard = g_string_new(NULL);
  scratch_mkdir(fixture->dir, "sys/firmware/acpi");
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->platform, eppd_platform_free);
  g_string_free(fixture->heard, TRUE);
  eppd_sys_root_unref(fixture->root);
  scratch_free(fixture->dir);
}

static void
start_blocked(Fixture *fixture, bool is_blocked)
{
  fixture->is_in_call = true;
  fixture->platform = eppd_platform_new(fixture->root, is_blocked, &listener, fixture);
  fixture->is_in_call = false;
}

static void
start(Fixture *fixture, const char *profile, const char *choices)
{
  scratch_write(fixture->dir, PROFILE, profile);
  scratch_write(fixture->dir, CHOICES, choices);
  start_blocked(fixture, false);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "platform_profile");
}

/* Runs the main loop until it has no more to do: a local file's news are there with the write. */
static void
settle(void)
{
  while (g_main_context_iteration(NULL, FALSE))
    continue;
}

static void
assert_hears(Fixture *fixture, const char *words)
{
  settle();
  g_assert_cmpstr(fixture->heard->str, ==, words);
  g_string_truncate(fixture->heard, 0);
}

static void
assert_profile(Fixture *fixture, const char *text)
{
  g_autofree char *line = scratch_read_line(fixture->dir, PROFILE);

  g_assert_cmpstr(line, ==, text);
}

static void
look_again(Fixture *fixture)
{
  fixture->is_in_call = true;
  eppd_platform_look_again(fixture->platform);
  fixture->is_in_call = false;
}

/* ---- applying ---- */

typedef struct {
  const char *name;
  const char *choices;
  const char *found;
  const char *profile;
  const char *written;
} ApplyCase;

#define EMULATED "balanced performance"

static const ApplyCase apply_cases[] = {
    {"power-saver", ALL, "balanced", "power-saver", "low-power"},
    {"balanced", ALL, "performance", "balanced", "balanced"},
    {"performance", ALL, "balanced", "performance", "performance"},
    {"quiet-where-there-is-no-low-power", "quiet " EMULATED, "balanced", "power-saver", "quiet"},
    {"emulated", EMULATED, "performance", "power-saver", "balanced"},
    {"cool-stays-in-balanced", "cool " ALL, "cool", "balanced", "cool"},
    {"quiet-goes-to-balanced", "quiet " EMULATED, "quiet", "balanced", "balanced"},
    {"quiet-stays-in-power-saver", "quiet " ALL, "quiet", "power-saver", "quiet"},
    {"custom-goes-to-balanced", "custom " ALL, "custom", "balanced", "balanced"},
    {"max-power-stays-in-performance", "max-power " ALL, "max-power", "performance", "max-power"},
    {"balanced-performance-stays-in-balanced", "balanced-performance " ALL, "balanced-performance",
     "balanced", "balanced-performance"},
    {"empty-file-is-written", ALL, "", "performance", "performance"},
    {"odd-file-is-written", ALL, "turbo", "balanced", "balanced"},
};

static void
test_apply(Fixture *fixture, gconstpointer data)
{
  const ApplyCase *c = data;

  start(fixture, c->found, c->choices);
  assert_profile(fixture, c->found);
  apply(fixture, c->profile);
  assert_profile(fixture, c->written);
  /* Our own write is nobody's choice. */
  assert_hears(fixture, "");
  apply(fixture, c->profile);
  assert_profile(fixture, c->written);
  assert_hears(fixture, "");
}

static void
test_equal_is_not_written(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  start(fixture, "performance\n", ALL);
  scratch_chmod(fixture->dir, PROFILE, 0444);
  scratch_be_nobody(true);
  apply(fixture, "performance");
  g_assert_false(eppd_platform_apply(fixture->platform, EPPD_PROFILE_BALANCED, &error));
  scratch_be_nobody(false);
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_nonnull(strstr(error->message, PROFILE));
  assert_hears(fixture, "");
}

/* ---- the firmware ---- */

/* What is written by others, one after the other while the main loop runs, with @profile applied.
 */
typedef struct {
  const char *name;
  const char *choices;
  const char *profile;
  const char *written[4];
  const char *heard;
} FirmwareCase;

static const FirmwareCase firmware_cases[] = {
    {"followed", ALL, "balanced", {"performance\n"}, "performance "},
    {"followed-step-by-step",
     ALL,
     "balanced",
     {"performance\n", "low-power\n", "balanced\n"},
     "performance power-saver balanced "},
    {"same-again", ALL, "balanced", {"balanced\n", "balanced\n"}, ""},
    {"told-once", ALL, "balanced", {"performance\n", "performance\n"}, "performance "},
    {"other-name-of-the-same-profile",
     "cool quiet max-power " ALL,
     "balanced",
     {"cool\n", "balanced\n", "balanced-performance\n"},
     ""},
    {"max-power-is-performance", "max-power " ALL, "balanced", {"max-power\n"}, "performance "},
    {"quiet-is-power-saver", "quiet " ALL, "balanced", {"quiet\n", "low-power\n"}, "power-saver "},
    {"custom-is-not-followed", "custom " ALL, "performance", {"custom\n"}, ""},
    {"back-from-custom", "custom " ALL, "performance", {"custom\n", "performance\n"}, ""},
    {"from-custom-to-another",
     "custom " ALL,
     "performance",
     {"custom\n", "balanced\n"},
     "balanced "},
    {"emulated-power-saver", EMULATED, "power-saver", {"balanced\n"}, ""},
    {"from-emulated-power-saver",
     EMULATED,
     "power-saver",
     {"performance\n", "balanced\n"},
     "performance balanced "},
    {"empty-for-a-moment", ALL, "balanced", {"", "performance\n"}, "performance "},
    {"empty-and-the-same", ALL, "balanced", {"", "balanced\n"}, ""},
    {"half-written", ALL, "balanced", {"perf", "performance\n"}, "performance "},
    {"unknown-name", ALL, "balanced", {"turbo\n", "balanced\n"}, ""},
};

static void
test_firmware(Fixture *fixture, gconstpointer data)
{
  const FirmwareCase *c = data;

  start(fixture, "balanced\n", c->choices);
  apply(fixture, c->profile);
  settle();
  for (gsize i = 0; i < G_N_ELEMENTS(c->written) && c->written[i]; i++) {
    scratch_write(fixture->dir, PROFILE, c->written[i]);
    settle();
  }
  assert_hears(fixture, c->heard);
}

/* Our write comes last, so the file is where we want it. */
static void
test_choice_before_our_write_is_over(Fixture *fixture, gconstpointer data)
{
  start(fixture, "balanced\n", ALL);
  apply(fixture, "balanced");
  scratch_write(fixture->dir, PROFILE, "performance\n");
  apply(fixture, "power-saver");
  assert_hears(fixture, "");
  assert_profile(fixture, "low-power");
}

static void
test_choice_right_after_our_write_is_told(Fixture *fixture, gconstpointer data)
{
  start(fixture, "balanced\n", ALL);
  apply(fixture, "performance");
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  assert_hears(fixture, "balanced ");
}

static void
test_switch_to_what_the_firmware_chose(Fixture *fixture, gconstpointer data)
{
  start(fixture, "balanced\n", ALL);
  apply(fixture, "balanced");
  scratch_write(fixture->dir, PROFILE, "performance\n");
  apply(fixture, "performance");
  assert_hears(fixture, "");
}

/* As a mock of udev does it: the old file is watched no more. */
static void
test_replaced_file(Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = scratch_path(fixture->dir, PROFILE);

  start(fixture, "balanced\n", ALL);
  apply(fixture, "balanced");
  settle();
  g_assert_true(g_file_set_contents(path, "performance\n", -1, NULL));
  assert_hears(fixture, "performance ");
  g_assert_true(g_file_set_contents(path, "low-power\n", -1, NULL));
  assert_hears(fixture, "power-saver ");
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  assert_hears(fixture, "balanced ");
}

static void
test_firmware_by_the_class(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, CLASS "choices", ALL);
  scratch_write(fixture->dir, CLASS "profile", "balanced\n");
  start_blocked(fixture, false);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "platform_profile");
  apply(fixture, "balanced");
  scratch_write(fixture->dir, CLASS "profile", "performance\n");
  assert_hears(fixture, "performance ");
  scratch_write(fixture->dir, CLASS "profile", "balanced\n");
  assert_hears(fixture, "balanced ");
}

/* ---- coming and going ---- */

static void
test_late_driver(Fixture *fixture, gconstpointer data)
{
  start_blocked(fixture, false);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "placeholder");
  apply(fixture, "power-saver");
  fixture->apply_when_driver_comes = "power-saver";

  /* What it comes with is no choice of the firmware's. */
  scratch_write(fixture->dir, PROFILE, "performance\n");
  assert_hears(fixture, "");
  scratch_write(fixture->dir, CHOICES, "performance\n");
  assert_hears(fixture, "");
  scratch_write(fixture->dir, CHOICES, ALL);
  assert_hears(fixture, "platform_profile ");
  assert_profile(fixture, "low-power");
  scratch_write(fixture->dir, PROFILE, "performance\n");
  assert_hears(fixture, "performance ");
}

static void
test_late_driver_that_nobody_applies_to(Fixture *fixture, gconstpointer data)
{
  start_blocked(fixture, false);
  apply(fixture, "balanced");
  scratch_write(fixture->dir, PROFILE, "performance\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  assert_hears(fixture, "platform_profile ");
  look_again(fixture);
  assert_hears(fixture, "");
  assert_profile(fixture, "performance");
  scratch_write(fixture->dir, PROFILE, "low-power\n");
  assert_hears(fixture, "power-saver ");
}

/* In sysfs no watch tells that a file came: the uevent does. */
static void
test_late_directory(Fixture *fixture, gconstpointer data)
{
  scratch_remove(fixture->dir, "sys");
  start_blocked(fixture, false);
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  scratch_write(fixture->dir, LAP, "1\n");
  assert_hears(fixture, "");
  look_again(fixture);
  assert_hears(fixture, "platform_profile lap ");
  scratch_write(fixture->dir, PROFILE, "performance\n");
  scratch_write(fixture->dir, LAP, "0\n");
  assert_hears(fixture, "table performance ");
}

static void
test_driver_goes_and_comes_back(Fixture *fixture, gconstpointer data)
{
  start(fixture, "balanced\n", ALL);
  apply(fixture, "balanced");
  scratch_remove(fixture->dir, "sys/firmware/acpi");
  assert_hears(fixture, "placeholder ");
  apply(fixture, "power-saver");

  scratch_write(fixture->dir, PROFILE, "performance\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  look_again(fixture);
  assert_hears(fixture, "platform_profile ");
  apply(fixture, "power-saver");
  assert_profile(fixture, "low-power");
}

static void
test_unusable_choices_are_waited_for(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, PROFILE, "low-power\n");
  scratch_write(fixture->dir, CHOICES, "low-power balanced\n");
  start_blocked(fixture, false);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "placeholder");
  apply(fixture, "balanced");
  assert_profile(fixture, "low-power");
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  assert_hears(fixture, "");
  scratch_write(fixture->dir, CHOICES, ALL);
  assert_hears(fixture, "platform_profile ");
}

static void
test_looking_again_at_nothing_new(Fixture *fixture, gconstpointer data)
{
  start(fixture, "balanced\n", ALL);
  apply(fixture, "balanced");
  look_again(fixture);
  look_again(fixture);
  assert_hears(fixture, "");
}

static void
test_blocked(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  scratch_write(fixture->dir, LAP, "1\n");
  start_blocked(fixture, true);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "placeholder");
  g_assert_false(eppd_platform_is_on_lap(fixture->platform));
  apply(fixture, "performance");
  look_again(fixture);
  scratch_write(fixture->dir, PROFILE, "low-power\n");
  assert_hears(fixture, "");
  assert_profile(fixture, "low-power");
}

/* ---- the lap ---- */

static void
test_lap(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, LAP, "1\n");
  start(fixture, "balanced\n", ALL);
  g_assert_true(eppd_platform_is_on_lap(fixture->platform));
  assert_hears(fixture, "");
  scratch_write(fixture->dir, LAP, "0\n");
  assert_hears(fixture, "table ");
  scratch_write(fixture->dir, LAP, "");
  assert_hears(fixture, "");
  scratch_write(fixture->dir, LAP, "1\n");
  assert_hears(fixture, "lap ");
  scratch_write(fixture->dir, LAP, "");
  assert_hears(fixture, "");
  scratch_remove(fixture->dir, LAP);
  assert_hears(fixture, "table ");
  scratch_write(fixture->dir, LAP, "1\n");
  assert_hears(fixture, "lap ");
}

static void
test_lap_is_the_drivers(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, LAP, "1\n");
  start_blocked(fixture, false);
  g_assert_false(eppd_platform_is_on_lap(fixture->platform));
  scratch_write(fixture->dir, PROFILE, "balanced\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  assert_hears(fixture, "platform_profile lap ");
  scratch_remove(fixture->dir, CHOICES);
  assert_hears(fixture, "placeholder table ");
}

/* ---- without inotify ---- */

static GLogWriterOutput
ignore_log(GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer data)
{
  return G_LOG_WRITER_HANDLED;
}

/* Descriptors are scarce while it starts. */
static void
start_without_inotify(Fixture *fixture)
{
  int next_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
  struct rlimit before;
  struct rlimit scarce;

  g_assert_cmpint(next_fd, >=, 0);
  close(next_fd);
  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
  scarce = before;
  scarce.rlim_cur = (rlim_t)next_fd;
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &scarce), ==, 0);
  start_blocked(fixture, false);
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &before), ==, 0);
  assert_hears(fixture, "");
  look_again(fixture);
  settle();
}

static void
test_driver_gone_is_noticed_by_a_write(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  scratch_write(fixture->dir, PROFILE, "balanced\n");
  scratch_write(fixture->dir, CHOICES, ALL);
  start_without_inotify(fixture);
  assert_hears(fixture, "platform_profile ");
  apply(fixture, "balanced");
  scratch_remove(fixture->dir, PROFILE);
  assert_hears(fixture, "");
  g_assert_false(eppd_platform_apply(fixture->platform, EPPD_PROFILE_PERFORMANCE, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_GONE);
  assert_hears(fixture, "placeholder ");
  apply(fixture, "performance");
}

/* Writes so that not even inotify would tell. @text is as long as what is there. */
static void
write_silently(Fixture *fixture, const char *file, const char *text)
{
  g_autofree char *path = scratch_path(fixture->dir, file);
  int fd = open(path, O_RDWR | O_CLOEXEC);
  char *map = mmap(NULL, strlen(text), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

  g_assert_cmpint(fd, >=, 0);
  g_assert_true(map != MAP_FAILED);
  memcpy(map, text, strlen(text));
  g_assert_cmpint(munmap(map, strlen(text)), ==, 0);
  close(fd);
}

static gboolean
on_timeout(gpointer data)
{
  g_assert_not_reached();
}

static void
wait_until_heard(Fixture *fixture, const char *words)
{
  guint timeout = g_timeout_add_seconds(60, on_timeout, NULL);

  while (!g_str_equal(fixture->heard->str, words))
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timeout);
  assert_hears(fixture, words);
}

/* The file that raises POLLPRI here has no sense of its own: the other one's change, which nothing
 * else tells, shows that it was heard. */
static void
test_kernels_news_of_the_lap(Fixture *fixture, gconstpointer data)
{
  g_autoptr(PollNews) news = poll_news_new();

  if (!news) {
    skip_lacking_root("a cgroup of the test's own can't be made");
    return;
  }
  poll_news_link(news, fixture->dir, LAP);
  scratch_write(fixture->dir, PROFILE, "balanced   \n");
  scratch_write(fixture->dir, CHOICES, ALL);
  start_without_inotify(fixture);
  assert_hears(fixture, "platform_profile ");
  apply(fixture, "balanced");

  write_silently(fixture, PROFILE, "performance\n");
  assert_hears(fixture, "");
  poll_news_raise(news);
  wait_until_heard(fixture, "performance ");
  write_silently(fixture, PROFILE, "low-power  \n");
  assert_hears(fixture, "");
  poll_news_raise(news);
  wait_until_heard(fixture, "power-saver ");
}

static void
test_kernels_news_of_the_profile(Fixture *fixture, gconstpointer data)
{
  g_autoptr(PollNews) news = poll_news_new();

  if (!news) {
    skip_lacking_root("a cgroup of the test's own can't be made");
    return;
  }
  poll_news_link(news, fixture->dir, PROFILE);
  scratch_write(fixture->dir, CHOICES, ALL);
  scratch_write(fixture->dir, LAP, "0\n");
  start_without_inotify(fixture);
  assert_hears(fixture, "platform_profile ");

  write_silently(fixture, LAP, "1\n");
  assert_hears(fixture, "");
  poll_news_raise(news);
  wait_until_heard(fixture, "lap ");
}

/* When the main loop wakes up by itself; -1: never. */
static int
next_timer_msec(void)
{
  GMainContext *context = g_main_context_default();
  int priority, timeout_msec;

  g_assert_true(g_main_context_acquire(context));
  g_main_context_prepare(context, &priority);
  g_main_context_query(context, G_MAXINT, &timeout_msec, NULL, 0);
  g_main_context_release(context);
  return timeout_msec;
}

/* The kernel tells of news until the file is read. */
static void
test_unusable_choices_leave_the_loop_idle(Fixture *fixture, gconstpointer data)
{
  g_autoptr(PollNews) news = poll_news_new();
  guint n_dispatches = 0;

  if (!news) {
    skip_lacking_root("a cgroup of the test's own can't be made");
    return;
  }
  poll_news_link(news, fixture->dir, PROFILE);
  scratch_write(fixture->dir, CHOICES, "low-power balanced\n");
  start_blocked(fixture, false);
  g_assert_cmpstr(eppd_platform_driver(fixture->platform), ==, "placeholder");
  while (g_main_context_iteration(NULL, FALSE))
    g_assert_cmpuint(n_dispatches++, <, 100);
  g_assert_cmpint(next_timer_msec(), ==, -1);
}

static void
add(const char *path, gconstpointer data, void (*func)(Fixture *, gconstpointer))
{
  g_autofree char *full = g_strconcat("/platform/", path, NULL);

  g_test_add(full, Fixture, data, set_up, func, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  /* A warning is expected where there is no inotify. */
  g_log_set_writer_func(ignore_log, NULL, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(apply_cases); i++) {
    g_autofree char *path = g_strconcat("apply/", apply_cases[i].name, NULL);

    add(path, &apply_cases[i], test_apply);
  }
  for (gsize i = 0; i < G_N_ELEMENTS(firmware_cases); i++) {
    g_autofree char *path = g_strconcat("firmware/", firmware_cases[i].name, NULL);

    add(path, &firmware_cases[i], test_firmware);
  }
  add("equal-is-not-written", NULL, test_equal_is_not_written);
  add("choice-before-our-write-is-over", NULL, test_choice_before_our_write_is_over);
  add("choice-right-after-our-write-is-told", NULL, test_choice_right_after_our_write_is_told);
  add("switch-to-what-the-firmware-chose", NULL, test_switch_to_what_the_firmware_chose);
  add("replaced-file", NULL, test_replaced_file);
  add("firmware-by-the-class", NULL, test_firmware_by_the_class);
  add("late-driver", NULL, test_late_driver);
  add("late-driver-that-nobody-applies-to", NULL, test_late_driver_that_nobody_applies_to);
  add("late-directory", NULL, test_late_directory);
  add("driver-goes-and-comes-back", NULL, test_driver_goes_and_comes_back);
  add("unusable-choices-are-waited-for", NULL, test_unusable_choices_are_waited_for);
  add("unusable-choices-leave-the-loop-idle", NULL, test_unusable_choices_leave_the_loop_idle);
  add("looking-again-at-nothing-new", NULL, test_looking_again_at_nothing_new);
  add("blocked", NULL, test_blocked);
  add("lap", NULL, test_lap);
  add("lap-is-the-drivers", NULL, test_lap_is_the_drivers);
  add("driver-gone-is-noticed-by-a-write", NULL, test_driver_gone_is_noticed_by_a_write);
  add("kernels-news-of-the-lap", NULL, test_kernels_news_of_the_lap);
  add("kernels-news-of-the-profile", NULL, test_kernels_news_of_the_profile);
  return g_test_run();
}
