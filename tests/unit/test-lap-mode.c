/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/lap-mode.h"
#include "poll-news.h"
#include "skip.h"

#define FILE "sys/devices/platform/thinkpad_acpi/dytc_lapmode"

typedef struct {
  const char *name;
  const char *entry; /* NULL: nothing there */
  bool was_on_lap;
  bool on_lap;
  bool is_there;
} Case;

static const Case cases[] = {
    {"no-thinkpad", NULL, true, false, false},
    {"no-file", "sys/devices/platform/thinkpad_acpi/", true, false, false},
    {"on-a-lap", FILE "=1\n", false, true, true},
    {"on-a-table", FILE "=0\n", true, false, true},
    {"older-text-behind-the-line", FILE "=1\n0\n", false, true, true},
    {"odd-number", FILE "=2\n", true, false, true},
    {"odd-text", FILE "=yes\n", true, false, true},
    {"no-utf8", FILE "=\xff\n", true, false, true},
    {"directory", FILE "/", true, false, true},
    {"link-to-nothing", FILE "->nowhere", true, false, false},
    {"empty-for-a-moment-on-a-lap", FILE "=", true, true, true},
    {"empty-for-a-moment-on-a-table", FILE "=", false, false, true},
};

static void
test_open(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  bool on_lap = c->was_on_lap;
  int fd;

  if (c->entry)
    scratch_make(dir, c->entry);
  fd = eppd_lap_mode_open(root, &on_lap);
  g_assert_cmpint(on_lap, ==, c->on_lap);
  g_assert_cmpint(fd >= 0, ==, c->is_there);
  if (fd >= 0)
    close(fd);
}

static void
test_long_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autofree char *text = g_strnfill(100 * 1000, '1');
  bool on_lap = true;
  int fd;

  scratch_write(dir, FILE, text);
  fd = eppd_lap_mode_open(root, &on_lap);
  g_assert_cmpint(fd, >=, 0);
  g_assert_false(on_lap);
  close(fd);
}

static void
test_unreadable_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  bool on_lap = true;
  int fd;

  scratch_write(dir, FILE, "1\n");
  scratch_chmod(dir, FILE, 0);
  scratch_be_nobody(true);
  fd = eppd_lap_mode_open(root, &on_lap);
  scratch_be_nobody(false);
  g_assert_cmpint(fd, ==, -1);
  g_assert_false(on_lap);
}

static void
test_descriptor_tells_the_next_change(void)
{
  g_autoptr(PollNews) news = poll_news_new();
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  bool on_lap;
  int fd;

  if (!news) {
    skip_lacking_root("a cgroup of the test's own can't be made");
    return;
  }
  poll_news_link(news, dir, FILE);
  fd = eppd_lap_mode_open(root, &on_lap);
  g_assert_cmpint(fd, >=, 0);
  g_assert_false(poll_news_is_raised(fd, 0));
  poll_news_raise(news);
  g_assert_true(poll_news_is_raised(fd, 60 * 1000));
  close(fd);
}

static void
test_plain_file_tells_nothing(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  bool on_lap;
  int fd;

  scratch_write(dir, FILE, "1\n");
  fd = eppd_lap_mode_open(root, &on_lap);
  scratch_write(dir, FILE, "0\n");
  g_assert_false(poll_news_is_raised(fd, 0));
  close(fd);
}

static void
test_directory(void)
{
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new("/tree");
  g_autofree char *directory = eppd_lap_mode_directory(root);

  g_assert_cmpstr(directory, ==, "/tree/sys/devices/platform/thinkpad_acpi");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/lap-mode/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_open);
  }
  g_test_add_func("/lap-mode/long-file", test_long_file);
  g_test_add_func("/lap-mode/unreadable-file", test_unreadable_file);
  g_test_add_func("/lap-mode/descriptor-tells-the-next-change",
                  test_descriptor_tells_the_next_change);
  g_test_add_func("/lap-mode/plain-file-tells-nothing", test_plain_file_tells_nothing);
  g_test_add_func("/lap-mode/watched-directory", test_directory);
  return g_test_run();
}
