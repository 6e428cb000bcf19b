/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "daemon/owner-lock.h"
#include "scratch.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

static EppdOwnerLock *
lock_or_fail(const char *dir)
{
  g_autoptr(GError) error = NULL;
  EppdOwnerLock *lock = eppd_owner_lock_try(dir, &error);

  g_assert_no_error(error);
  g_assert_nonnull(lock);
  return lock;
}

static void
assert_refused(const char *dir, EppdError code, const char *message)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(eppd_owner_lock_try(dir, &error));
  g_assert_error(error, EPPD_ERROR, (int)code);
  g_assert_nonnull(strstr(error->message, message));
}

static void
test_one_owner(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  EppdOwnerLock *lock = lock_or_fail(dir);
  g_autofree char *holder = g_strdup_printf("is held by process %d", (int)getpid());

  assert_refused(dir, EPPD_ERROR_BUSY, holder);
  /* The failed attempt must not have let go of it. */
  assert_refused(dir, EPPD_ERROR_BUSY, holder);
  eppd_owner_lock_free(lock);
  lock = lock_or_fail(dir);
  eppd_owner_lock_free(lock);
}

static void
test_makes_the_directory(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *runtime_dir = scratch_path(dir, "run/eppd");
  g_autoptr(EppdOwnerLock) lock = lock_or_fail(runtime_dir);

  g_assert_nonnull(lock);
  g_assert_true(g_file_test(runtime_dir, G_FILE_TEST_IS_DIR));
}

static void
test_odd_holder_text(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdOwnerLock) lock = lock_or_fail(dir);

  g_assert_nonnull(lock);
  scratch_write(dir, "lock", "\x1b[2J not a number");
  assert_refused(dir, EPPD_ERROR_BUSY, "is held by another process");
}

/* Holds the lock in a child; returns once it is held. */
static pid_t
fork_holder(const char *dir)
{
  int ready[2];
  char byte;
  pid_t pid;

  g_assert_cmpint(pipe(ready), ==, 0);
  pid = fork();
  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    EppdOwnerLock *lock = eppd_owner_lock_try(dir, NULL);

    if (lock && write(ready[1], "x", 1) == 1)
      pause();
    _exit(1);
  }
  close(ready[1]);
  g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
  close(ready[0]);
  return pid;
}

static void
test_ends_with_a_killed_process(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  pid_t pid = fork_holder(dir);
  g_autofree char *holder = g_strdup_printf("is held by process %d", (int)pid);
  EppdOwnerLock *lock;

  assert_refused(dir, EPPD_ERROR_BUSY, holder);
  g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
  lock = lock_or_fail(dir);
  eppd_owner_lock_free(lock);
}

static void
test_unwritable_directory(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *below = scratch_path(dir, "run");
  g_autofree char *file = scratch_path(dir, "file");

  scratch_write(dir, "file", "");
  assert_refused(file, EPPD_ERROR_GONE, file);
  scratch_chmod(dir, "", 0555);
  scratch_be_nobody(true);
  assert_refused(dir, EPPD_ERROR_DENIED, dir);
  assert_refused(below, EPPD_ERROR_DENIED, below);
  assert_refused(below, EPPD_ERROR_DENIED, "run eppd as root, or with --runtime-dir DIR");
  scratch_be_nobody(false);
}

static void
test_links_are_not_followed(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *text = NULL;

  scratch_write(dir, "victim", "precious");
  scratch_symlink(dir, "victim", "lock");
  assert_refused(dir, EPPD_ERROR_FAILED, dir);
  text = scratch_read(dir, "victim");
  g_assert_cmpstr(text, ==, "precious");
}

typedef struct {
  EppdOwnerLock *lock;
  GError *error;
  bool done;
} Waited;

static void
on_waited(GObject *source, GAsyncResult *result, gpointer data)
{
  Waited *waited = data;

  waited->lock = eppd_owner_lock_wait_finish(result, &waited->error);
  waited->done = true;
}

static void
run_until_done(Waited *waited)
{
  while (!waited->done)
    g_main_context_iteration(NULL, TRUE);
}

static void
test_wait_takes_a_free_lock(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  Waited waited = {0};

  eppd_owner_lock_wait_async(dir, 0, on_waited, &waited);
  run_until_done(&waited);
  g_assert_no_error(waited.error);
  eppd_owner_lock_free(waited.lock);
}

static gboolean
on_idle_free(gpointer lock)
{
  eppd_owner_lock_free(lock);
  return G_SOURCE_REMOVE;
}

static void
test_wait_gets_it_from_the_owner(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  Waited waited = {0};

  g_idle_add(on_idle_free, lock_or_fail(dir));
  eppd_owner_lock_wait_async(dir, 60 * G_USEC_PER_SEC, on_waited, &waited);
  run_until_done(&waited);
  g_assert_no_error(waited.error);
  assert_refused(dir, EPPD_ERROR_BUSY, "is held by process");
  eppd_owner_lock_free(waited.lock);
}

static void
test_wait_ends_in_time(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdOwnerLock) lock = lock_or_fail(dir);
  Waited waited = {0};

  g_assert_nonnull(lock);
  eppd_owner_lock_wait_async(dir, 50 * 1000, on_waited, &waited);
  run_until_done(&waited);
  g_assert_null(waited.lock);
  g_assert_error(waited.error, EPPD_ERROR, EPPD_ERROR_BUSY);
  g_clear_error(&waited.error);
}

static void
test_wait_for_the_impossible_fails_at_once(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *file = scratch_path(dir, "file");
  Waited waited = {0};

  scratch_write(dir, "file", "");
  eppd_owner_lock_wait_async(file, G_MAXINT64 / 2, on_waited, &waited);
  run_until_done(&waited);
  g_assert_error(waited.error, EPPD_ERROR, EPPD_ERROR_GONE);
  g_clear_error(&waited.error);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/owner-lock/one-owner", test_one_owner);
  g_test_add_func("/owner-lock/makes-the-directory", test_makes_the_directory);
  g_test_add_func("/owner-lock/odd-holder-text", test_odd_holder_text);
  g_test_add_func("/owner-lock/ends-with-a-killed-process", test_ends_with_a_killed_process);
  g_test_add_func("/owner-lock/unwritable-directory", test_unwritable_directory);
  g_test_add_func("/owner-lock/links-are-not-followed", test_links_are_not_followed);
  g_test_add_func("/owner-lock/wait-takes-a-free-lock", test_wait_takes_a_free_lock);
  g_test_add_func("/owner-lock/wait-gets-it-from-the-owner", test_wait_gets_it_from_the_owner);
  g_test_add_func("/owner-lock/wait-ends-in-time", test_wait_ends_in_time);
  g_test_add_func("/owner-lock/wait-for-the-impossible-fails-at-once",
                  test_wait_for_the_impossible_fails_at_once);
  return g_test_run();
}
