/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/hold-options.h"
#include "skip.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OTHER_UID 65534

/* A user of this test process alone, so that two of them do not meet in one slice. */
static uid_t
test_uid(void)
{
  return 2000000000u + (uid_t)getpid();
}

static gboolean
parse(const char *text, uid_t uid, EppdHoldOptions *options, GError **error)
{
  g_autoptr(GVariant) dict = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, error);

  g_assert_nonnull(dict);
  return eppd_hold_options_parse(options, dict, NULL, uid, EPPD_TRIGGER_CORE, error);
}

static const struct {
  const char *name;
  const char *options;
  EppdTrigger trigger;
  guint threshold_percent;
} good[] = {
    {"nothing", "{}", EPPD_TRIGGER_CORE, 0},
    {"trigger-app", "{'trigger': <'app'>}", EPPD_TRIGGER_APP, 0},
    {"trigger-core", "{'trigger': <'core'>}", EPPD_TRIGGER_CORE, 0},
    {"lowest-threshold", "{'threshold-percent': <uint32 1>}", EPPD_TRIGGER_CORE, 1},
    {"highest-threshold", "{'threshold-percent': <uint32 100>}", EPPD_TRIGGER_CORE, 100},
    {"both", "{'threshold-percent': <uint32 10>, 'trigger': <'app'>}", EPPD_TRIGGER_APP, 10},
};

static void
test_good(gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;

  g_assert_true(parse(good[i].options, 1000, &options, &error));
  g_assert_no_error(error);
  g_assert_cmpint(options.trigger, ==, good[i].trigger);
  g_assert_cmpuint(options.threshold_percent, ==, good[i].threshold_percent);
  g_assert_cmpint(options.pidfd, ==, -1);
  g_assert_cmpint(options.pid, ==, 0);
  g_assert_null(options.cgroup);
  g_assert_cmpuint(options.cgroup_id, ==, 0);
  g_assert_cmpint(options.cgroup_events_fd, ==, -1);
}

static void
test_default_trigger(void)
{
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GVariant) dict = g_variant_ref_sink(g_variant_new("a{sv}", NULL));
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_hold_options_parse(&options, dict, NULL, 0, EPPD_TRIGGER_APP, &error));
  g_assert_no_error(error);
  g_assert_cmpint(options.trigger, ==, EPPD_TRIGGER_APP);
}

static const struct {
  const char *name;
  const char *options;
  const char *complaint; /* a part of it */
} bad[] = {
    {"unknown", "{'colour': <'red'>}", "Unknown option 'colour'"},
    {"unknown-empty", "{'': <1>}", "Unknown option ''"},
    {"unknown-case", "{'Trigger': <'core'>}", "Unknown option 'Trigger'"},
    {"unknown-escape", "{'a\\nb\\u001b[31m': <1>}", "Unknown option 'a\\x0ab\\x1b[31m'"},
    {"unknown-after-good", "{'trigger': <'app'>, 'x': <1>}", "Unknown option 'x'"},
    {"twice", "{'trigger': <'app'>, 'trigger': <'app'>}", "Option 'trigger' is given twice"},
    {"threshold-twice", "{'threshold-percent': <uint32 5>, 'threshold-percent': <uint32 6>}",
     "Option 'threshold-percent' is given twice"},
    {"threshold-0", "{'threshold-percent': <uint32 0>}", "'threshold-percent': 0 is not within"},
    {"threshold-101", "{'threshold-percent': <uint32 101>}",
     "'threshold-percent': 101 is not within"},
    {"threshold-huge", "{'threshold-percent': <uint32 4294967295>}",
     "'threshold-percent': 4294967295 is not within"},
    {"threshold-signed", "{'threshold-percent': <50>}",
     "Option 'threshold-percent' must be of type 'u'"},
    {"threshold-text", "{'threshold-percent': <'50'>}",
     "Option 'threshold-percent' must be of type 'u'"},
    {"threshold-nested", "{'threshold-percent': <<uint32 50>>}",
     "Option 'threshold-percent' must be of type 'u'"},
    {"trigger-unknown", "{'trigger': <'gpu'>}", "Option 'trigger': 'gpu' is neither"},
    {"trigger-empty", "{'trigger': <''>}", "Option 'trigger': '' is neither"},
    {"trigger-number", "{'trigger': <uint32 0>}", "Option 'trigger' must be of type 's'"},
    {"trigger-path", "{'trigger': <objectpath '/core'>}", "Option 'trigger' must be of type 's'"},
    {"trigger-deeply-nested", "{'trigger': <<<<<<<<'core'>>>>>>>>}",
     "Option 'trigger' must be of type 's'"},
    {"trigger-array", "{'trigger': <['core']>}", "Option 'trigger' must be of type 's'"},
    {"pidfd-number", "{'pidfd': <uint32 1>}", "Option 'pidfd' must be of type 'h'"},
    {"pidfd-without-list", "{'pidfd': <handle 0>}", "Option 'pidfd': no descriptor came"},
    {"cgroup-number", "{'cgroup': <1>}", "Option 'cgroup' must be of type 's'"},
    {"cgroup-bytes", "{'cgroup': <b'/user.slice'>}", "Option 'cgroup' must be of type 's'"},
    {"cgroup-dict", "{'cgroup': <{'cgroup': <'/'>}>}", "Option 'cgroup' must be of type 's'"},
};

/* What the caller has is what it had. */
static void
assert_untouched(const EppdHoldOptions *options)
{
  g_assert_cmpint(options->trigger, ==, EPPD_TRIGGER_APP);
  g_assert_cmpuint(options->threshold_percent, ==, 77);
  g_assert_cmpint(options->pidfd, ==, -1);
  g_assert_cmpint(options->pid, ==, 0);
  g_assert_null(options->cgroup);
  g_assert_cmpint(options->cgroup_events_fd, ==, -1);
}

static EppdHoldOptions
mark_options(void)
{
  EppdHoldOptions options = EPPD_HOLD_OPTIONS_INIT;

  options.trigger = EPPD_TRIGGER_APP;
  options.threshold_percent = 77;
  return options;
}

static void
test_bad(gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);
  g_auto(EppdHoldOptions) options = mark_options();
  g_autoptr(GError) error = NULL;

  g_assert_false(parse(bad[i].options, 1000, &options, &error));
  g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
  g_assert_nonnull(strstr(error->message, bad[i].complaint));
  assert_untouched(&options);
}

static void
test_no_dict(void)
{
  static const char *const texts[] = {"'core'", "[('trigger', <'core'>)]", "{'trigger': 'core'}",
                                      "<@a{sv} {}>", "()"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_auto(EppdHoldOptions) options = mark_options();
    g_autoptr(GError) error = NULL;
    g_autoptr(GVariant) value = g_variant_parse(NULL, texts[i], NULL, NULL, NULL);

    g_assert_nonnull(value);
    g_assert_false(eppd_hold_options_parse(&options, value, NULL, 0, EPPD_TRIGGER_CORE, &error));
    g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
    assert_untouched(&options);
  }
}

static void
test_huge_strings(void)
{
  static const char *const names[] = {"trigger", "cgroup", NULL};
  g_autofree char *huge = g_strnfill(1024 * 1024, 'x');

  huge[0] = '/';
  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_auto(EppdHoldOptions) options = mark_options();
    g_autoptr(GError) error = NULL;
    GVariantBuilder builder;
    g_autoptr(GVariant) dict = NULL;

    g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
    g_variant_builder_add(&builder, "{sv}", names[i] ? names[i] : huge, g_variant_new_string(huge));
    dict = g_variant_ref_sink(g_variant_builder_end(&builder));
    g_assert_false(eppd_hold_options_parse(&options, dict, NULL, 0, EPPD_TRIGGER_CORE, &error));
    g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
    g_assert_cmpuint(strlen(error->message), <, 512);
    assert_untouched(&options);
  }
}

static const struct {
  const char *name;
  const char *path;
  GDBusError code;
  const char *complaint;
} bad_cgroups[] = {
    {"empty", "", G_DBUS_ERROR_INVALID_ARGS, "is not an absolute cgroup path"},
    {"relative", "user.slice/user-1000.slice/a.scope", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"dot-dot", "/user.slice/user-1000.slice/a/../../user-1001.slice/b", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"dot-dot-first", "/../etc", G_DBUS_ERROR_INVALID_ARGS, "is not an absolute cgroup path"},
    {"dot-dot-last", "/user.slice/user-1000.slice/a/..", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"dot", "/user.slice/./user-1000.slice/a", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"newline", "/user.slice/user-1000.slice/a\nb", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"escape", "/user.slice/user-1000.slice/\033[2J", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"delete", "/user.slice/user-1000.slice/\177", G_DBUS_ERROR_INVALID_ARGS,
     "is not an absolute cgroup path"},
    {"root", "/", G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"root-doubled", "//", G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"all-users", "/user.slice", G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"own-slice", "/user.slice/user-1000.slice", G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"own-slice-slashes", "//user.slice//user-1000.slice///", G_DBUS_ERROR_ACCESS_DENIED,
     "may not name"},
    {"own-manager", "/user.slice/user-1000.slice/user@1000.service", G_DBUS_ERROR_ACCESS_DENIED,
     "may not name"},
    {"own-manager-slash", "/user.slice/user-1000.slice//user@1000.service/",
     G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"another-users", "/user.slice/user-1001.slice/a.scope", G_DBUS_ERROR_ACCESS_DENIED,
     "may not name"},
    {"longer-number", "/user.slice/user-10000.slice/a.scope", G_DBUS_ERROR_ACCESS_DENIED,
     "may not name"},
    {"slice-elsewhere", "/a/user.slice/user-1000.slice/a.scope", G_DBUS_ERROR_ACCESS_DENIED,
     "may not name"},
    {"system", "/system.slice/ssh.service", G_DBUS_ERROR_ACCESS_DENIED, "may not name"},
    {"missing", "/user.slice/user-1000.slice/no-such-thing.scope", G_DBUS_ERROR_INVALID_ARGS, ""},
};

static gboolean
parse_cgroup(const char *path, uid_t uid, EppdHoldOptions *options, GError **error)
{
  GVariantBuilder builder;
  g_autoptr(GVariant) dict = NULL;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&builder, "{sv}", "cgroup", g_variant_new_string(path));
  dict = g_variant_ref_sink(g_variant_builder_end(&builder));
  return eppd_hold_options_parse(options, dict, NULL, uid, EPPD_TRIGGER_CORE, error);
}

static void
assert_cgroup_error(const char *path, uid_t uid, GDBusError code, const char *complaint)
{
  g_auto(EppdHoldOptions) options = mark_options();
  g_autoptr(GError) error = NULL;

  g_assert_false(parse_cgroup(path, uid, &options, &error));
  g_assert_error(error, G_DBUS_ERROR, (int)code);
  g_assert_true(g_str_has_prefix(error->message, "Option 'cgroup': "));
  g_assert_nonnull(strstr(error->message, complaint));
  assert_untouched(&options);
}

static void
assert_bad_cgroup(const char *path, uid_t uid, GDBusError code)
{
  assert_cgroup_error(path, uid, code, "");
}

/* Refused for what it is, before anything is looked for. */
static void
test_long_cgroup(void)
{
  g_autofree char *path = g_strnfill(1024 * 1024, 'x');

  path[0] = '/';
  assert_cgroup_error(path, 0, G_DBUS_ERROR_INVALID_ARGS, "is not an absolute cgroup path");
}

static void
test_bad_cgroup(gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);

  assert_cgroup_error(bad_cgroups[i].path, 1000, bad_cgroups[i].code, bad_cgroups[i].complaint);
}

static const struct {
  const char *text;
  bool is_empty;
} events[] = {
    {"populated 0\nfrozen 0\n", true},
    {"frozen 0\npopulated 0\n", true},
    {"populated 1\nfrozen 0\n", false},
    {"frozen 0\npopulated 1\n", false},
    {"frozen 0\n", false},
    {"populated\n", false},
    {"populated -1\n", false},
    {"populated 00x\n", false},
    {"unpopulated 0\n", false},
    {"", false},
};

static void
test_events(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(events); i++) {
    int fd = memfd_create("cgroup.events", MFD_CLOEXEC);

    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(write(fd, events[i].text, strlen(events[i].text)), ==, strlen(events[i].text));
    g_assert_cmpint(eppd_cgroup_is_empty(fd), ==, events[i].is_empty);
    close(fd);
  }
  g_assert_false(eppd_cgroup_is_empty(-1));
}

/* --- processes --- */

static int
open_pidfd(pid_t pid)
{
  int fd = (int)syscall(SYS_pidfd_open, pid, 0);

  g_assert_cmpint(fd, >=, 0);
  return fd;
}

/* A process of @uid that does nothing until it is killed, and dies with the test. */
static pid_t
start_idler(uid_t uid)
{
  int ready[2];
  char byte;
  pid_t pid;

  g_assert_cmpint(pipe(ready), ==, 0);
  pid = fork();
  g_assert_cmpint(pid, >=, 0);
  if (pid == 0) {
    if (uid != getuid() && setresuid(uid, uid, uid) != 0)
      _exit(1);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (write(ready[1], "", 1) != 1)
      _exit(1);
    for (;;)
      pause();
  }
  close(ready[1]);
  g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
  close(ready[0]);
  return pid;
}

static void
stop_idler(pid_t pid)
{
  g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

/* Takes @fd over; it is the only one of the message. */
static gboolean
parse_pidfd(int fd, gint32 handle, uid_t uid, EppdHoldOptions *options, GError **error)
{
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(&fd, 1);
  GVariantBuilder builder;
  g_autoptr(GVariant) dict = NULL;

  g_variant_builder_init(&builder, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&builder, "{sv}", "pidfd", g_variant_new_handle(handle));
  dict = g_variant_ref_sink(g_variant_builder_end(&builder));
  return eppd_hold_options_parse(options, dict, fds, uid, EPPD_TRIGGER_CORE, error);
}

static void
assert_bad_pidfd(int fd, gint32 handle, uid_t uid, GDBusError code, const char *complaint)
{
  g_auto(EppdHoldOptions) options = mark_options();
  g_autoptr(GError) error = NULL;

  g_assert_cmpint(fd, >=, 0);
  g_assert_false(parse_pidfd(fd, handle, uid, &options, &error));
  g_assert_error(error, G_DBUS_ERROR, (int)code);
  g_assert_true(g_str_has_prefix(error->message, "Option 'pidfd': "));
  g_assert_nonnull(strstr(error->message, complaint));
  assert_untouched(&options);
}

static void
test_pidfd(void)
{
  pid_t pid = start_idler(getuid());
  g_autoptr(GError) error = NULL;
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  struct pollfd poll_fd = {.events = POLLIN};

  g_assert_true(parse_pidfd(open_pidfd(pid), 0, getuid(), &options, &error));
  g_assert_no_error(error);
  g_assert_cmpint(options.pid, ==, pid);
  g_assert_cmpint(fcntl(options.pidfd, F_GETFD) & FD_CLOEXEC, ==, FD_CLOEXEC);

  /* It is a descriptor of its own, and tells the end. */
  poll_fd.fd = options.pidfd;
  g_assert_cmpint(poll(&poll_fd, 1, 0), ==, 0);
  stop_idler(pid);
  g_assert_cmpint(poll(&poll_fd, 1, -1), ==, 1);
}

static void
test_handles(void)
{
  static const gint32 handles[] = {1, 2, -1, G_MAXINT32, G_MININT32};

  for (guint i = 0; i < G_N_ELEMENTS(handles); i++)
    assert_bad_pidfd(open_pidfd(getpid()), handles[i], getuid(), G_DBUS_ERROR_INVALID_ARGS,
                     "no descriptor came");
}

static void
test_no_pidfds(void)
{
  int ends[2];
  int fds[6];

  g_assert_cmpint(pipe(ends), ==, 0);
  fds[0] = ends[0];
  fds[1] = ends[1];
  fds[2] = open("/dev/null", O_RDWR | O_CLOEXEC);
  fds[3] = open("/proc/self", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  fds[4] = epoll_create1(EPOLL_CLOEXEC);
  fds[5] = memfd_create("Pid:\t1", MFD_CLOEXEC);
  for (guint i = 0; i < G_N_ELEMENTS(fds); i++)
    assert_bad_pidfd(fds[i], 0, getuid(), G_DBUS_ERROR_INVALID_ARGS, "not that of a living");
}

static void
test_dead_process(void)
{
  pid_t pid = start_idler(getuid());
  int fd = open_pidfd(pid);
  siginfo_t info;

  /* Dead, and not yet buried: it still has its number. */
  g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
  g_assert_cmpint(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), ==, 0);
  assert_bad_pidfd(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0, getuid(), G_DBUS_ERROR_INVALID_ARGS,
                   "has ended");
  assert_bad_pidfd(fcntl(fd, F_DUPFD_CLOEXEC, 0), 0, 0, G_DBUS_ERROR_INVALID_ARGS, "has ended");

  g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
  assert_bad_pidfd(fd, 0, getuid(), G_DBUS_ERROR_INVALID_ARGS, "not that of a living");
}

static void
test_other_users_process(void)
{
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_auto(EppdHoldOptions) own = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  pid_t pid;

  if (getuid() != 0) {
    skip_lacking_root("it can't start another user's process");
    return;
  }
  pid = start_idler(OTHER_UID);
  assert_bad_pidfd(open_pidfd(pid), 0, 1000, G_DBUS_ERROR_ACCESS_DENIED, "not one of user 1000");
  assert_bad_pidfd(open_pidfd(1), 0, OTHER_UID, G_DBUS_ERROR_ACCESS_DENIED, "process 1 is not");

  g_assert_true(parse_pidfd(open_pidfd(pid), 0, OTHER_UID, &own, &error));
  g_assert_no_error(error);
  g_assert_cmpint(own.pid, ==, pid);
  /* Root may name any. */
  g_assert_true(parse_pidfd(open_pidfd(pid), 0, 0, &options, &error));
  g_assert_no_error(error);
  g_assert_cmpint(options.pid, ==, pid);
  stop_idler(pid);
}

static void
test_no_descriptor_left(void)
{
  g_autoptr(GError) error = NULL;
  g_auto(EppdHoldOptions) options = mark_options();
  struct rlimit limit;
  struct rlimit none_left;
  int fd = open_pidfd(getpid());
  gboolean ok;

  g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &limit), ==, 0);
  none_left = (struct rlimit){.rlim_cur = 0, .rlim_max = limit.rlim_max};
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &none_left), ==, 0);
  ok = parse_pidfd(fd, 0, getuid(), &options, &error);
  g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &limit), ==, 0);
  g_assert_false(ok);
  g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED);
  assert_untouched(&options);
}

/* An error in a later option closes what an earlier one opened. */
static void
test_closes_on_failure(void)
{
  int fd = open_pidfd(getpid());
  g_autoptr(GUnixFDList) fds = g_unix_fd_list_new_from_array(&fd, 1);
  g_autoptr(GVariant) dict = g_variant_parse(
      G_VARIANT_TYPE_VARDICT, "{'pidfd': <handle 0>, 'trigger': <'?'>}", NULL, NULL, NULL);
  int before = open("/dev/null", O_RDONLY | O_CLOEXEC);
  int after;

  close(before);
  for (guint i = 0; i < 10; i++) {
    g_auto(EppdHoldOptions) options = mark_options();
    g_autoptr(GError) error = NULL;

    g_assert_false(
        eppd_hold_options_parse(&options, dict, fds, getuid(), EPPD_TRIGGER_CORE, &error));
    g_assert_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS);
    assert_untouched(&options);
  }
  /* The lowest free number is the same as before. */
  after = open("/dev/null", O_RDONLY | O_CLOEXEC);
  g_assert_cmpint(after, ==, before);
  close(after);
}

/* --- cgroups --- */

/* user.slice/user-UID.slice/{a.scope,user@UID.service/app.slice/b.scope} below the real v2 root. */
typedef struct {
  char *root; /* NULL: no v2 hierarchy that the test may change */
  bool made_user_slice;
  char *slice; /* as a hold names it */
  char *scope;
  char *manager;
  char *app; /* below the manager */
} Tree;

/* Not the daemon's way of finding it: the two must agree. */
static char *
find_cgroup2_root(void)
{
  static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

  for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *controllers = g_build_filename(places[i], "cgroup.controllers", NULL);

    if (g_file_test(controllers, G_FILE_TEST_EXISTS))
      return g_strdup(places[i]);
  }
  return NULL;
}

static bool
make_cgroup(const Tree *tree, const char *cgroup)
{
  g_autofree char *path = g_strconcat(tree->root, cgroup, NULL);

  return mkdir(path, 0755) == 0;
}

static void
remove_cgroup(const Tree *tree, const char *cgroup)
{
  g_autofree char *path = g_strconcat(tree->root, cgroup, NULL);

  g_assert_cmpint(rmdir(path), ==, 0);
}

static void
put_into(const Tree *tree, const char *cgroup, pid_t pid)
{
  g_autofree char *path = g_strconcat(tree->root, cgroup, "/cgroup.procs", NULL);
  g_autofree char *text = g_strdup_printf("%d", (int)pid);
  int fd = open(path, O_WRONLY | O_CLOEXEC);

  g_assert_cmpint(fd, >=, 0);
  g_assert_cmpint(write(fd, text, strlen(text)), ==, strlen(text));
  close(fd);
}

/* What the kernel knows it by: the inode number of its directory. */
static guint64
cgroup_id(const Tree *tree, const char *cgroup)
{
  g_autofree char *path = g_strconcat(tree->root, cgroup, NULL);
  struct stat directory;

  g_assert_cmpint(stat(path, &directory), ==, 0);
  return directory.st_ino;
}

static void
tree_set_up(Tree *tree, gconstpointer data)
{
  uid_t uid = test_uid();
  g_autofree char *app_slice = NULL;
  bool made = false;

  tree->root = geteuid() == 0 ? find_cgroup2_root() : NULL;
  if (!tree->root)
    return;
  tree->slice = g_strdup_printf("/user.slice/user-%u.slice", (guint)uid);
  /* Other tests make and remove the same slices. */
  for (guint i = 0; i < 1000 && !made; i++) {
    tree->made_user_slice |= make_cgroup(tree, "/user.slice");
    made = make_cgroup(tree, tree->slice);
  }
  if (!made) {
    /* A container shows it, and lets nobody change it. */
    g_clear_pointer(&tree->root, g_free);
    return;
  }
  tree->scope = g_strconcat(tree->slice, "/a.scope", NULL);
  tree->manager = g_strdup_printf("%s/user@%u.service", tree->slice, (guint)uid);
  app_slice = g_strconcat(tree->manager, "/app.slice", NULL);
  tree->app = g_strconcat(app_slice, "/b.scope", NULL);
  g_assert_true(make_cgroup(tree, tree->scope));
  g_assert_true(make_cgroup(tree, tree->manager));
  g_assert_true(make_cgroup(tree, app_slice));
  g_assert_true(make_cgroup(tree, tree->app));
}

static void
tree_tear_down(Tree *tree, gconstpointer data)
{
  if (tree->root) {
    g_autofree char *app_slice = g_path_get_dirname(tree->app);

    remove_cgroup(tree, tree->app);
    remove_cgroup(tree, app_slice);
    remove_cgroup(tree, tree->manager);
    if (tree->scope)
      remove_cgroup(tree, tree->scope);
    remove_cgroup(tree, tree->slice);
    /* Another test process may use it by now. */
    if (tree->made_user_slice) {
      g_autofree char *path = g_strconcat(tree->root, "/user.slice", NULL);

      g_assert_true(rmdir(path) == 0 || errno == EBUSY);
    }
  }
  g_free(tree->root);
  g_free(tree->slice);
  g_free(tree->scope);
  g_free(tree->manager);
  g_free(tree->app);
}

static bool
skips(const Tree *tree)
{
  if (tree->root)
    return false;
  skip_lacking_root("no cgroup v2 hierarchy in which this user may make cgroups");
  return true;
}

/* Kills the process in it, and waits until the kernel says that it is empty. */
static void
empty_cgroup(int events_fd, pid_t pid)
{
  struct pollfd poll_fd = {.fd = events_fd, .events = POLLPRI};

  stop_idler(pid);
  while (!eppd_cgroup_is_empty(events_fd))
    g_assert_cmpint(poll(&poll_fd, 1, -1), ==, 1);
}

static void
test_cgroup_life(Tree *tree, gconstpointer data)
{
  g_auto(EppdHoldOptions) options = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  pid_t pid;

  if (skips(tree))
    return;
  assert_bad_cgroup(tree->scope, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
  pid = start_idler(getuid());
  put_into(tree, tree->scope, pid);
  g_assert_true(parse_cgroup(tree->scope, test_uid(), &options, &error));
  g_assert_no_error(error);
  g_assert_cmpstr(options.cgroup, ==, tree->scope);
  g_assert_cmpuint(options.cgroup_id, ==, cgroup_id(tree, tree->scope));
  g_assert_false(eppd_cgroup_is_empty(options.cgroup_events_fd));

  empty_cgroup(options.cgroup_events_fd, pid);
  g_assert_true(eppd_cgroup_is_empty(options.cgroup_events_fd));
  remove_cgroup(tree, tree->scope);
  g_assert_true(eppd_cgroup_is_empty(options.cgroup_events_fd));
  assert_bad_cgroup(tree->scope, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
  g_clear_pointer(&tree->scope, g_free);
}

static void
test_cgroup_of_an_app(Tree *tree, gconstpointer data)
{
  g_auto(EppdHoldOptions) leaf = EPPD_HOLD_OPTIONS_INIT;
  g_auto(EppdHoldOptions) above = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autofree char *app_slice = NULL;
  g_autofree char *untidy = NULL;
  pid_t pid;

  if (skips(tree))
    return;
  pid = start_idler(getuid());
  put_into(tree, tree->app, pid);

  untidy = g_strdup_printf("//%s///", tree->app);
  g_assert_true(parse_cgroup(untidy, test_uid(), &leaf, &error));
  g_assert_no_error(error);
  g_assert_cmpstr(leaf.cgroup, ==, tree->app);

  /* A process below counts. */
  app_slice = g_path_get_dirname(tree->app);
  g_assert_true(parse_cgroup(app_slice, test_uid(), &above, &error));
  g_assert_no_error(error);

  /* They are there and have processes: that is not why they are refused. */
  assert_bad_cgroup(tree->manager, test_uid(), G_DBUS_ERROR_ACCESS_DENIED);
  assert_bad_cgroup(tree->slice, test_uid(), G_DBUS_ERROR_ACCESS_DENIED);
  assert_bad_cgroup("/user.slice", test_uid(), G_DBUS_ERROR_ACCESS_DENIED);
  assert_bad_cgroup(tree->app, test_uid() + 1, G_DBUS_ERROR_ACCESS_DENIED);

  empty_cgroup(leaf.cgroup_events_fd, pid);
  g_assert_true(eppd_cgroup_is_empty(above.cgroup_events_fd));
}

static void
test_cgroup_of_root(Tree *tree, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  g_auto(EppdHoldOptions) scope = EPPD_HOLD_OPTIONS_INIT;
  g_auto(EppdHoldOptions) slice = EPPD_HOLD_OPTIONS_INIT;
  pid_t pid;

  if (skips(tree))
    return;
  pid = start_idler(getuid());
  put_into(tree, tree->scope, pid);
  g_assert_true(parse_cgroup(tree->scope, 0, &scope, &error));
  g_assert_no_error(error);
  g_assert_true(parse_cgroup(tree->slice, 0, &slice, &error));
  g_assert_no_error(error);
  assert_bad_cgroup("/", 0, G_DBUS_ERROR_ACCESS_DENIED);
  assert_bad_cgroup("/..", 0, G_DBUS_ERROR_INVALID_ARGS);
  empty_cgroup(scope.cgroup_events_fd, pid);
}

/* A file of the hierarchy, and a way below one, are no cgroups. */
static void
test_cgroup_files(Tree *tree, gconstpointer data)
{
  g_autofree char *file = NULL;
  g_autofree char *below = NULL;
  g_autofree char *long_name = NULL;
  g_autofree char *deep = NULL;

  if (skips(tree))
    return;
  file = g_strconcat(tree->scope, "/cgroup.procs", NULL);
  assert_bad_cgroup(file, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
  below = g_strconcat(file, "/x", NULL);
  assert_bad_cgroup(below, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
  long_name = g_strnfill(1000, 'n');
  deep = g_strconcat(tree->scope, "/", long_name, NULL);
  assert_bad_cgroup(deep, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
}

/* cgroupfs has no links: one can only be there in something mounted below it. */
static void
test_cgroup_links(Tree *tree, gconstpointer data)
{
  g_auto(EppdHoldOptions) direct = EPPD_HOLD_OPTIONS_INIT;
  g_autoptr(GError) error = NULL;
  g_autofree char *target = NULL;
  g_autofree char *mount_point = NULL;
  g_autofree char *link_path = NULL;
  g_autofree char *link = NULL;
  pid_t pid;

  if (skips(tree))
    return;
  pid = start_idler(getuid());
  put_into(tree, tree->app, pid);
  target = g_strconcat(tree->root, tree->app, NULL);
  mount_point = g_strconcat(tree->root, tree->scope, NULL);
  link = g_strconcat(tree->scope, "/link", NULL);
  link_path = g_strconcat(tree->root, link, NULL);

  /* Private, so that nobody else sees the mount. Not "/": that of a chroot may be no mount. */
  if (unshare(CLONE_NEWNS) != 0 ||
      mount("none", tree->root, NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
      mount("tmpfs", mount_point, "tmpfs", 0, NULL) != 0) {
    g_autofree char *problem =
        g_strdup_printf("a mount namespace with a private cgroup mount: %s", g_strerror(errno));

    skip_lacking(problem);
    stop_idler(pid);
    return;
  }
  g_assert_cmpint(symlink(target, link_path), ==, 0);
  assert_bad_cgroup(link, test_uid(), G_DBUS_ERROR_INVALID_ARGS);
  g_assert_true(parse_cgroup(tree->app, test_uid(), &direct, &error));
  g_assert_no_error(error);
  g_assert_cmpint(umount(mount_point), ==, 0);
  empty_cgroup(direct.cgroup_events_fd, pid);
}

static void
add_table(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
    g_autofree char *path = g_strdup_printf("/hold-options/takes/%s", good[i].name);

    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_good);
  }
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autofree char *path = g_strdup_printf("/hold-options/refuses/%s", bad[i].name);

    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_bad);
  }
  for (guint i = 0; i < G_N_ELEMENTS(bad_cgroups); i++) {
    g_autofree char *path = g_strdup_printf("/hold-options/cgroup/refuses/%s", bad_cgroups[i].name);

    g_test_add_data_func(path, GUINT_TO_POINTER(i), test_bad_cgroup);
  }
}

static void
add_tree(const char *path, void (*test)(Tree *, gconstpointer))
{
  g_test_add(path, Tree, NULL, tree_set_up, test, tree_tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);

  add_table();
  g_test_add_func("/hold-options/takes/default-trigger", test_default_trigger);
  g_test_add_func("/hold-options/refuses/what-is-no-dictionary", test_no_dict);
  g_test_add_func("/hold-options/refuses/huge-strings-with-a-short-message", test_huge_strings);
  g_test_add_func("/hold-options/pidfd/of-a-living-process", test_pidfd);
  g_test_add_func("/hold-options/pidfd/refuses-bad-handles", test_handles);
  g_test_add_func("/hold-options/pidfd/refuses-other-descriptors", test_no_pidfds);
  g_test_add_func("/hold-options/pidfd/refuses-dead-processes", test_dead_process);
  g_test_add_func("/hold-options/pidfd/is-of-the-caller", test_other_users_process);
  g_test_add_func("/hold-options/pidfd/no-descriptor-left", test_no_descriptor_left);
  g_test_add_func("/hold-options/pidfd/closed-on-failure", test_closes_on_failure);
  g_test_add_func("/hold-options/cgroup/refuses/a-megabyte", test_long_cgroup);
  g_test_add_func("/hold-options/cgroup/events-say-empty", test_events);
  add_tree("/hold-options/cgroup/populated-then-empty-then-gone", test_cgroup_life);
  add_tree("/hold-options/cgroup/below-the-user-manager", test_cgroup_of_an_app);
  add_tree("/hold-options/cgroup/root-names-any-but-the-root", test_cgroup_of_root);
  add_tree("/hold-options/cgroup/refuses-files-and-long-names", test_cgroup_files);
  add_tree("/hold-options/cgroup/refuses-links-and-mounts", test_cgroup_links);
  return g_test_run();
}
