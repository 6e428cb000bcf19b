/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/user-scope.h"

#include "ctl/session-bus.h"

#include "base/process-cgroup.h"

#include <gio/gio.h>
#include <glib/gi18n.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#define SYSTEMD_NAME    "org.freedesktop.systemd1"
#define SYSTEMD_PATH    "/org/freedesktop/systemd1"
#define SYSTEMD_MANAGER "org.freedesktop.systemd1.Manager"

/* A unit's name has 255 bytes at most; prefix, pid and suffix take less than the rest. */
#define ESCAPED_ID_MAX 200

/* The job that starts the scope: the process is in it when that is done. */
typedef struct {
  const char *unit;
  char *result; /* "done", "failed", …; NULL: not known yet */
  bool timed_out;
} Job;

static void
append_escaped(GString *out, const char *text)
{
  gsize limit = out->len + ESCAPED_ID_MAX;

  for (const guchar *p = (const guchar *)text; *p; p++) {
    bool is_plain = g_ascii_isalnum(*p) || strchr(":_.", *p);

    if (out->len + (is_plain ? 1 : strlen("\\x00")) > limit)
      return;
    if (is_plain)
      g_string_append_c(out, (char)*p);
    else
      g_string_append_printf(out, "\\x%02x", *p);
  }
}

char *
eppd_user_scope_name(const char *app_id, pid_t pid)
{
  GString *name = g_string_new("app-eppd-");
  g_autofree char *last = g_path_get_basename(app_id);

  append_escaped(name, last);
  g_string_append_printf(name, "-%d.scope", (int)pid);
  return g_string_free(name, FALSE);
}

static void
job_removed(GDBusConnection *bus,
            const char *sender,
            const char *path,
            const char *interface,
            const char *signal,
            GVariant *parameters,
            gpointer data)
{
  Job *job = data;
  const char *unit;
  const char *result;

  if (job->result || !g_variant_is_of_type(parameters, G_VARIANT_TYPE("(uoss)")))
    return;
  g_variant_get(parameters, "(u&o&s&s)", NULL, NULL, &unit, &result);
  if (strcmp(unit, job->unit) == 0)
    job->result = g_strdup(result);
}

static gboolean
on_timeout(gpointer data)
{
  ((Job *)data)->timed_out = true;
  return G_SOURCE_CONTINUE;
}

static GVariant *
unit_properties(void)
{
  const guint32 own_pid = (guint32)getpid();
  GVariantBuilder builder;

  g_variant_builder_init(&builder, G_VARIANT_TYPE("a(sv)"));
  g_variant_builder_add(
      &builder, "(sv)", "PIDs",
      g_variant_new_fixed_array(G_VARIANT_TYPE_UINT32, &own_pid, 1, sizeof own_pid));
  g_variant_builder_add(&builder, "(sv)", "Slice", g_variant_new_string("app.slice"));
  /* One that failed is not to stay. */
  g_variant_builder_add(&builder, "(sv)", "CollectMode",
                        g_variant_new_string("inactive-or-failed"));
  return g_variant_builder_end(&builder);
}

static gboolean
start_unit(GDBusConnection *bus, const char *unit, int timeout_ms, GError **error)
{
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GError) local_error = NULL;

  reply = g_dbus_connection_call_sync(
      bus, SYSTEMD_NAME, SYSTEMD_PATH, SYSTEMD_MANAGER, "StartTransientUnit",
      g_variant_new("(ss@a(sv)@a(sa(sv)))", unit, "fail", unit_properties(),
                    g_variant_new_array(G_VARIANT_TYPE("(sa(sv))"), NULL, 0)),
      G_VARIANT_TYPE("(o)"), G_DBUS_CALL_FLAGS_NO_AUTO_START, timeout_ms, NULL, &local_error);
  if (reply)
    return TRUE;
  g_dbus_error_strip_remote_error(local_error);
  g_set_error(error, local_error->domain, local_error->code,
              _("no scope by the user's systemd: %s"), local_error->message);
  return FALSE;
}

static gboolean
wait_for_job(Job *job, guint timeout_ms, GError **error)
{
  guint timeout_id = g_timeout_add(timeout_ms, on_timeout, job);

  while (!job->result && !job->timed_out)
    g_main_context_iteration(NULL, TRUE);
  g_source_remove(timeout_id);
  if (g_strcmp0(job->result, "done") == 0)
    return TRUE;
  g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
              _("no scope by the user's systemd: the job for %s: %s"), job->unit,
              job->result ? job->result : _("no answer"));
  return FALSE;
}

static gboolean
run_job(GDBusConnection *bus, Job *job, gint64 deadline_usec, GError **error)
{
  guint subscription = g_dbus_connection_signal_subscribe(
      bus, SYSTEMD_NAME, SYSTEMD_MANAGER, "JobRemoved", SYSTEMD_PATH, NULL,
      G_DBUS_SIGNAL_FLAGS_NONE, job_removed, job, NULL);
  int timeout_ms = (int)MAX((deadline_usec - g_get_monotonic_time()) / 1000, 1);
  gboolean done = start_unit(bus, job->unit, timeout_ms, error);

  if (done) {
    timeout_ms = (int)MAX((deadline_usec - g_get_monotonic_time()) / 1000, 1);
    done = wait_for_job(job, (guint)timeout_ms, error);
  }
  g_dbus_connection_signal_unsubscribe(bus, subscription);
  return done;
}

/* What systemd says is one thing, where we are is another. */
static char *
own_cgroup(const char *unit, GError **error)
{
  g_autofree char *cgroup = eppd_process_cgroup(0, error);
  g_autofree char *last = cgroup ? g_path_get_basename(cgroup) : NULL;

  if (!cgroup)
    return NULL;
  if (strcmp(last, unit) != 0) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED,
                _("the user's systemd made %s, but no cgroup v2 of that name"), unit);
    return NULL;
  }
  return g_steal_pointer(&cgroup);
}

char *
eppd_user_scope_enter(const char *app_id, int timeout_ms, GError **error)
{
  gint64 deadline_usec = g_get_monotonic_time() + (gint64)timeout_ms * 1000;
  g_autofree char *unit = eppd_user_scope_name(app_id, getpid());
  g_autoptr(GDBusConnection) bus = eppd_session_bus_open(timeout_ms, error);
  Job job = {.unit = unit};
  gboolean done;

  if (!bus)
    return NULL;
  done = run_job(bus, &job, deadline_usec, error);
  g_free(job.result);
  return done ? own_cgroup(unit, error) : NULL;
}
