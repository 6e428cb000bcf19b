/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "state-fixture.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>

/* How often data was forced to the disk, and with what that fails. */
static guint n_fsyncs;
static int fsync_errno;

/* Stands before the C library's. */
int
fsync(int fd)
{
  n_fsyncs++;
  if (fsync_errno) {
    errno = fsync_errno;
    return -1;
  }
  return (int)syscall(SYS_fsync, fd);
}

typedef struct {
  const char *name;
  Expected state;
  const char *text;
} SaveCase;

static const SaveCase save_cases[] = {
    {"nothing-chosen", {-1}, "[State]\nBatteryAware=true\n"},
    {"both-drivers",
     {SAVER, "amd_pstate", "platform_profile", false, "b=1 a=0"},
     "[State]\nProfile=power-saver\nCpuDriver=amd_pstate\nPlatformDriver=platform_profile\n"
     "BatteryAware=true\n\n[Actions]\na=false\nb=true\n"},
    {"no-cpu-driver",
     {MIDDLE, "", "placeholder", true},
     "[State]\nProfile=balanced\nCpuDriver=\nPlatformDriver=placeholder\nBatteryAware=false\n"},
    {"any-driver", {FASTEST}, "[State]\nProfile=performance\nBatteryAware=true\n"},
    {"odd-driver",
     {FASTEST, "a\\qb = [x] #", "\xc3\xa4"},
     "[State]\nProfile=performance\nCpuDriver=a\\qb = [x] #\nPlatformDriver=\xc3\xa4\n"
     "BatteryAware=true\n"},
};

static void
assert_saves(Fixture *fixture, const EppdState *state)
{
  g_autoptr(GError) error = NULL;
  gboolean saved = eppd_state_save(state, fixture->state_dir, &error);

  g_assert_no_error(error);
  g_assert_true(saved);
}

static void
test_save(Fixture *fixture, gconstpointer data)
{
  const SaveCase *row = data;
  g_autoptr(EppdState) state = new_state(&row->state);
  g_autoptr(EppdState) loaded = NULL;
  g_autofree char *before = actions_text(state);
  Expected expected = row->state;
  g_autofree char *text = NULL;

  assert_saves(fixture, state);
  text = scratch_read(fixture->dir, "state/state.ini");
  g_assert_cmpstr(text, ==, row->text);
  loaded = eppd_state_load(fixture->state_dir, NULL);
  expected.actions = before;
  assert_state(loaded, &expected);
  g_assert_cmpstr(said->str, ==, "");
}

static void
test_one_fsync(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = eppd_state_new();

  n_fsyncs = 0;
  /* The first one too: a rename without it can leave an empty file after a power cut. */
  for (guint i = 1; i <= 3; i++) {
    assert_saves(fixture, state);
    g_assert_cmpuint(n_fsyncs, ==, i);
  }
}

static void
test_file_mode(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = eppd_state_new();
  g_autofree char *path = scratch_path(fixture->dir, "state/state.ini");
  mode_t mask = umask(022);
  struct stat st;

  assert_saves(fixture, state);
  umask(mask);
  g_assert_cmpint(stat(path, &st), ==, 0);
  g_assert_cmpint(st.st_mode & 07777, ==, 0644);
}

static guint
count_files(const char *path)
{
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  guint n = 0;

  g_assert_nonnull(dir);
  while (g_dir_read_name(dir))
    n++;
  return n;
}

static void
assert_refuses(Fixture *fixture, const char *why)
{
  g_autoptr(EppdState) state = new_state(&save_cases[1].state);
  g_autoptr(GError) error = NULL;

  scratch_be_nobody(true);
  g_assert_false(eppd_state_save(state, fixture->state_dir, &error));
  scratch_be_nobody(false);
  g_assert_nonnull(error);
  g_test_message("%s", error->message);
  g_assert_nonnull(strstr(error->message, fixture->state_dir));
  g_assert_nonnull(strstr(error->message, why));
}

/* In a directory that nobody may write, too. */
static void
write_old(Fixture *fixture, guint dir_mode)
{
  scratch_write(fixture->dir, "state/state.ini", "[State]\nProfile=balanced\n");
  scratch_chmod(fixture->dir, "state", dir_mode);
}

static void
assert_old_alone(Fixture *fixture)
{
  g_autofree char *text = scratch_read(fixture->dir, "state/state.ini");

  g_assert_cmpstr(text, ==, "[State]\nProfile=balanced\n");
  g_assert_cmpuint(count_files(fixture->state_dir), ==, 1);
}

static void
test_full_disk(Fixture *fixture, gconstpointer data)
{
  static const int errnums[] = {ENOSPC, EIO, EDQUOT};

  for (guint i = 0; i < G_N_ELEMENTS(errnums); i++) {
    write_old(fixture, 0777);
    fsync_errno = errnums[i];
    assert_refuses(fixture, g_strerror(errnums[i]));
    fsync_errno = 0;
    assert_old_alone(fixture);
  }
}

static void
test_read_only_directory(Fixture *fixture, gconstpointer data)
{
  write_old(fixture, 0555);
  assert_refuses(fixture, "Permission denied");
  assert_old_alone(fixture);
}

static void
test_no_directory_possible(Fixture *fixture, gconstpointer data)
{
  scratch_write(fixture->dir, "state", "a file");
  assert_refuses(fixture, "Could not create");
}

/* What a killed daemon left half written is no obstacle, wherever it leads. */
static void
test_leftover(Fixture *fixture, gconstpointer data)
{
  g_autoptr(EppdState) state = eppd_state_new();
  g_autofree char *victim = NULL;

  scratch_write(fixture->dir, "state/state.ini.new", "[State]\nProf");
  assert_saves(fixture, state);
  g_assert_cmpuint(count_files(fixture->state_dir), ==, 1);
  scratch_write(fixture->dir, "victim", "precious");
  scratch_symlink(fixture->dir, "../victim", "state/state.ini.new");
  assert_saves(fixture, state);
  victim = scratch_read(fixture->dir, "victim");
  g_assert_cmpstr(victim, ==, "precious");
  g_assert_cmpuint(count_files(fixture->state_dir), ==, 1);
}

static void
test_file_is_a_directory(Fixture *fixture, gconstpointer data)
{
  scratch_mkdir(fixture->dir, "state/state.ini/x");
  scratch_chmod(fixture->dir, "state", 0777);
  assert_refuses(fixture, "Is a directory");
  g_assert_cmpuint(count_files(fixture->state_dir), ==, 1);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  /* What is wrong in the file is warned of, and must not end the test. */
  g_log_set_always_fatal(G_LOG_FATAL_MASK);
  g_log_set_writer_func(keep_said, NULL, NULL);

  ADD_ROWS("save/", save_cases, test_save);
  add("save/one-fsync", NULL, test_one_fsync);
  add("save/mode-0644", NULL, test_file_mode);
  add("save/full-disk-leaves-the-old-file", NULL, test_full_disk);
  add("save/read-only-directory-leaves-the-old-file", NULL, test_read_only_directory);
  add("save/directory-cannot-be-made", NULL, test_no_directory_possible);
  add("save/leftover-of-a-killed-daemon", NULL, test_leftover);
  add("save/file-is-a-directory", NULL, test_file_is_a_directory);
  return g_test_run();
}
