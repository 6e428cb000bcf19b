/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/hold-options.h"

#include "base/cgroup2.h"
#include "base/error.h"
#include "base/printable.h"
#include "base/text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CGROUP_EVENTS "cgroup.events"

typedef struct {
  EppdHoldOptions *options;
  GUnixFDList *fds; /* may be NULL */
  uid_t uid;
} Parse;

static const EppdHoldOptions no_options = EPPD_HOLD_OPTIONS_INIT;

/* The number after "KEY" at the start of a line; false if there is no such line or no number within
 * @min..@max there. */
static bool
find_number(const char *text, const char *key, gint64 min, gint64 max, gint64 *value)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  for (guint i = 0; lines[i]; i++) {
    g_auto(GStrv) words = NULL;

    if (!g_str_has_prefix(lines[i], key))
      continue;
    words = g_strsplit_set(g_strstrip(lines[i] + strlen(key)), " \t", 2);
    return words[0] && g_ascii_string_to_signed(words[0], 10, min, max, value, NULL);
  }
  return false;
}

static bool
has_ended(int pidfd)
{
  struct pollfd poll_fd = {.fd = pidfd, .events = POLLIN};

  return TEMP_FAILURE_RETRY(poll(&poll_fd, 1, 0)) != 0;
}

static gboolean
set_invalid(GError **error, const char *message)
{
  g_set_error_literal(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS, message);
  return FALSE;
}

/* A copy of the descriptor that @handle stands for; -1 with @error. */
static int
take_descriptor(GUnixFDList *fds, gint32 handle, GError **error)
{
  g_autoptr(GError) get_error = NULL;
  int fd;

  /* g_unix_fd_list_get() takes a bad index for a programming error: it sets no GError. */
  if (!fds || handle < 0 || handle >= g_unix_fd_list_get_length(fds)) {
    set_invalid(error, "Option 'pidfd': no descriptor came with the message for it");
    return -1;
  }
  fd = g_unix_fd_list_get(fds, handle, &get_error);
  if (fd < 0)
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_LIMITS_EXCEEDED, "Option 'pidfd': %s",
                get_error->message);
  return fd;
}

/* The process that @pidfd stands for: 0 where it is no pidfd, or of a process that is gone or out
 * of sight (another pid namespace). */
static pid_t
pid_of(int pidfd)
{
  g_autofree char *path = g_strdup_printf("/proc/self/fdinfo/%d", pidfd);
  g_autofree char *text = eppd_text_file_read_start(path, NULL);
  gint64 pid;

  return text && find_number(text, "Pid:", 1, G_MAXINT32, &pid) ? (pid_t)pid : 0;
}

/* Whether the process runs for @uid: by its real uid, which a set-uid program keeps. */
static bool
is_process_of(pid_t pid, uid_t uid)
{
  g_autofree char *path = g_strdup_printf("/proc/%d/status", (int)pid);
  /* Below Uid it lists the groups: any number of them. */
  g_autofree char *text = eppd_text_file_read_start(path, NULL);
  gint64 owner;

  return text && find_number(text, "Uid:", 0, G_MAXUINT32, &owner) && (uid_t)owner == uid;
}

static gboolean
parse_pidfd(Parse *parse, GVariant *value, GError **error)
{
  EppdHoldOptions *options = parse->options;
  bool is_own;

  options->pidfd = take_descriptor(parse->fds, g_variant_get_handle(value), error);
  if (options->pidfd < 0)
    return FALSE;
  options->pid = pid_of(options->pidfd);
  if (options->pid == 0)
    return set_invalid(error, "Option 'pidfd': the descriptor is not that of a living process");

  /* Alive after its owner was read: until then the pid was not another process's. */
  is_own = parse->uid == 0 || is_process_of(options->pid, parse->uid);
  if (has_ended(options->pidfd))
    return set_invalid(error, "Option 'pidfd': the process has ended");
  if (!is_own) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED,
                "Option 'pidfd': process %d is not one of user %u", (int)options->pid,
                (guint)parse->uid);
    return FALSE;
  }
  return TRUE;
}

/* The components of an absolute cgroup path, without empty ones; NULL for what can't be one. */
static GStrv
split_cgroup(const char *path)
{
  g_autoptr(GPtrArray) parts = g_ptr_array_new_with_free_func(g_free);
  g_auto(GStrv) all = NULL;

  if (path[0] != '/' || strlen(path) >= PATH_MAX)
    return NULL;
  for (const char *p = path; *p; p++) {
    if (g_ascii_iscntrl(*p))
      return NULL;
  }

  all = g_strsplit(path, "/", -1);
  for (guint i = 0; all[i]; i++) {
    if (strcmp(all[i], ".") == 0 || strcmp(all[i], "..") == 0)
      return NULL;
    if (*all[i])
      g_ptr_array_add(parts, g_strdup(all[i]));
  }
  g_ptr_array_add(parts, NULL);
  return (GStrv)g_ptr_array_free(g_steal_pointer(&parts), FALSE);
}

/* A user's own: below the slice of his uid, but not all that he runs. */
static bool
may_name(char *const *parts, uid_t uid)
{
  g_autofree char *slice = g_strdup_printf("user-%u.slice", (guint)uid);
  g_autofree char *manager = g_strdup_printf("user@%u.service", (guint)uid);

  if (uid == 0)
    return parts[0] != NULL;
  if (!parts[0] || strcmp(parts[0], "user.slice") != 0)
    return false;
  if (!parts[1] || strcmp(parts[1], slice) != 0 || !parts[2])
    return false;
  return parts[3] || strcmp(parts[2], manager) != 0;
}

/* @name in @dir_fd, which is closed, on @device itself: no link, no other mount. -1 with errno. */
static int
step_into(int dir_fd, const char *name, int flags, dev_t device)
{
  int fd = (int)TEMP_FAILURE_RETRY(openat(dir_fd, name, flags | O_NOFOLLOW | O_CLOEXEC));
  int saved_errno = errno;
  struct stat st;

  close(dir_fd);
  if (fd >= 0 && fstat(fd, &st) == 0 && st.st_dev != device) {
    close(fd);
    fd = -1;
    saved_errno = EXDEV;
  }
  errno = saved_errno;
  return fd;
}

/* The cgroup.events of the cgroup at @parts below the v2 root, which is closed, and the inode
 * number of its directory; -1 with errno. Step by step: openat2(2), which could do it at once, is
 * taken away by the unit's RestrictSUIDSGID=. */
static int
open_cgroup_events(int root_fd, char *const *parts, guint64 *cgroup_id)
{
  struct stat root;
  struct stat directory;
  int fd = root_fd;

  if (fstat(root_fd, &root) < 0) {
    close(root_fd);
    return -1;
  }
  for (guint i = 0; parts[i] && fd >= 0; i++)
    fd = step_into(fd, parts[i], O_PATH | O_DIRECTORY, root.st_dev);
  if (fd < 0)
    return -1;
  if (fstat(fd, &directory) < 0) {
    close(fd);
    return -1;
  }
  *cgroup_id = directory.st_ino;
  return step_into(fd, CGROUP_EVENTS, O_RDONLY, root.st_dev);
}

static gboolean
parse_cgroup(Parse *parse, GVariant *value, GError **error)
{
  EppdHoldOptions *options = parse->options;
  const char *path = g_variant_get_string(value, NULL);
  g_autofree char *shown = eppd_printable(path, 256);
  g_autofree char *joined = NULL;
  g_autofree char *root = NULL;
  g_auto(GStrv) parts = split_cgroup(path);
  int root_fd;
  int saved_errno;

  if (!parts) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                "Option 'cgroup': '%s' is not an absolute cgroup path", shown);
    return FALSE;
  }
  if (!may_name(parts, parse->uid)) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED,
                "Option 'cgroup': user %u may not name '%s'", (guint)parse->uid, shown);
    return FALSE;
  }

  root = eppd_cgroup2_root(NULL);
  root_fd = root ? TEMP_FAILURE_RETRY(open(root, O_PATH | O_DIRECTORY | O_CLOEXEC)) : -1;
  if (root_fd < 0)
    return set_invalid(error, "Option 'cgroup': there is no cgroup v2 hierarchy");
  joined = g_strjoinv("/", parts);
  options->cgroup = g_strconcat("/", joined, NULL);
  options->cgroup_events_fd = open_cgroup_events(root_fd, parts, &options->cgroup_id);
  saved_errno = errno;

  if (options->cgroup_events_fd < 0) {
    bool is_ours = saved_errno == EMFILE || saved_errno == ENFILE;

    g_set_error(error, G_DBUS_ERROR,
                is_ours ? G_DBUS_ERROR_LIMITS_EXCEEDED : G_DBUS_ERROR_INVALID_ARGS,
                "Option 'cgroup': could not open '%s': %s", shown, g_strerror(saved_errno));
    return FALSE;
  }
  if (eppd_cgroup_is_empty(options->cgroup_events_fd)) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                "Option 'cgroup': no process is in '%s'", shown);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_trigger(Parse *parse, GVariant *value, GError **error)
{
  const char *text = g_variant_get_string(value, NULL);

  if (!eppd_trigger_parse(text, &parse->options->trigger)) {
    g_autofree char *shown = eppd_printable(text, 64);

    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                "Option 'trigger': '%s' is neither 'core' nor 'app'", shown);
    return FALSE;
  }
  return TRUE;
}

static gboolean
parse_threshold(Parse *parse, GVariant *value, GError **error)
{
  guint32 percent = g_variant_get_uint32(value);

  if (percent < 1 || percent > 100) {
    g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                "Option 'threshold-percent': %u is not within 1..100", percent);
    return FALSE;
  }
  parse->options->threshold_percent = percent;
  return TRUE;
}

static const struct {
  const char *name;
  const char *type;
  gboolean (*parse)(Parse *parse, GVariant *value, GError **error);
} known_options[] = {
    {"pidfd", "h", parse_pidfd},
    {"cgroup", "s", parse_cgroup},
    {"trigger", "s", parse_trigger},
    {"threshold-percent", "u", parse_threshold},
};

/* @seen: a bit for each known option. */
static gboolean
parse_option(Parse *parse, const char *name, GVariant *value, guint *seen, GError **error)
{
  g_autofree char *shown = NULL;

  for (guint i = 0; i < G_N_ELEMENTS(known_options); i++) {
    if (strcmp(known_options[i].name, name) != 0)
      continue;
    if (*seen & (1u << i)) {
      g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS, "Option '%s' is given twice",
                  name);
      return FALSE;
    }
    *seen |= 1u << i;
    if (!g_variant_is_of_type(value, G_VARIANT_TYPE(known_options[i].type))) {
      g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS,
                  "Option '%s' must be of type '%s'", name, known_options[i].type);
      return FALSE;
    }
    return known_options[i].parse(parse, value, error);
  }

  shown = eppd_printable(name, 64);
  g_set_error(error, G_DBUS_ERROR, G_DBUS_ERROR_INVALID_ARGS, "Unknown option '%s'", shown);
  return FALSE;
}

gboolean
eppd_hold_options_parse(EppdHoldOptions *options,
                        GVariant *dict,
                        GUnixFDList *fds,
                        uid_t uid,
                        EppdTrigger default_trigger,
                        GError **error)
{
  g_auto(EppdHoldOptions) parsed = no_options;
  Parse parse = {.options = &parsed, .fds = fds, .uid = uid};
  GVariantIter iter;
  guint seen = 0;

  if (!g_variant_is_of_type(dict, G_VARIANT_TYPE_VARDICT))
    return set_invalid(error, "The options must be of type 'a{sv}'");

  parsed.trigger = default_trigger;
  g_variant_iter_init(&iter, dict);
  for (;;) {
    g_autoptr(GVariant) entry = g_variant_iter_next_value(&iter);
    g_autoptr(GVariant) value = NULL;
    g_autofree char *name = NULL;

    if (!entry)
      break;
    g_variant_get(entry, "{sv}", &name, &value);
    if (!parse_option(&parse, name, value, &seen, error))
      return FALSE;
  }

  *options = parsed;
  parsed = no_options;
  return TRUE;
}

void
eppd_hold_options_clear(EppdHoldOptions *options)
{
  if (options->pidfd >= 0)
    close(options->pidfd);
  if (options->cgroup_events_fd >= 0)
    close(options->cgroup_events_fd);
  g_free(options->cgroup);
  *options = no_options;
}

bool
eppd_cgroup_is_empty(int cgroup_events_fd)
{
  /* Two short lines: kernels to come may add some. */
  char text[1024];
  ssize_t n = TEMP_FAILURE_RETRY(pread(cgroup_events_fd, text, sizeof text - 1, 0));
  gint64 populated;

  /* ENODEV of a cgroup that was removed while it was open. */
  if (n < 0)
    return eppd_error_from_errno(errno) == EPPD_ERROR_GONE;
  text[n] = '\0';
  return find_number(text, "populated ", 0, 1, &populated) && populated == 0;
}
