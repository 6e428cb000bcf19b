/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/authority.h"

/* polkit is called over the given connection and not through libpolkit: the library's asynchronous
 * constructor runs synchronous bus calls in a thread (25 seconds of them where polkit can't be
 * started), and it knows the process-wide system bus alone. It is one method. */
#define POLKIT_NAME      "org.freedesktop.PolicyKit1"
#define POLKIT_PATH      "/org/freedesktop/PolicyKit1/Authority"
#define POLKIT_INTERFACE "org.freedesktop.PolicyKit1.Authority"

/* Without interaction polkit has nobody to wait for. */
#define DEFAULT_TIMEOUT_USEC (10 * G_USEC_PER_SEC)

/* More callers than this are forgotten at once, and asked for again. */
#define KNOWN_MAX 256

struct _EppdAuthority {
  GDBusConnection *bus;
  /* Unique name → its uid. A bus gives a unique name once, so that this stays true. */
  GHashTable *known;
  GCancellable *cancellable; /* of all the checks that run */
  gint64 timeout_usec;
};

typedef struct {
  GDBusConnection *bus;
  GHashTable *known;
  char *sender;
  char *action_id;
  uid_t uid;
  int timeout_msec;
} Check;

static void
check_free(Check *check)
{
  g_object_unref(check->bus);
  g_hash_table_unref(check->known);
  g_free(check->sender);
  g_free(check->action_id);
  g_free(check);
}

static void
return_caller(GTask *task)
{
  Check *check = g_task_get_task_data(task);
  EppdCaller *caller = g_new0(EppdCaller, 1);

  caller->name = g_strdup(check->sender);
  caller->uid = check->uid;
  g_task_return_pointer(task, caller, (GDestroyNotify)eppd_caller_free);
}

/* Why polkit gave no verdict. Its absence, its silence and its own errors all refuse: only their
 * words differ. */
static char *
describe_polkit_failure(const Check *check, const GError *error)
{
  if (g_error_matches(error, G_IO_ERROR, G_IO_ERROR_TIMED_OUT) ||
      g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_TIMEOUT))
    return g_strdup_printf("polkit did not answer within %d ms", check->timeout_msec);
  if (g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NO_REPLY))
    return g_strdup("polkit ended without an answer");
  if (g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_SERVICE_UNKNOWN) ||
      g_error_matches(error, G_DBUS_ERROR, G_DBUS_ERROR_NAME_HAS_NO_OWNER))
    return g_strdup("polkit is not running, and only root may without it");
  return g_strdup_printf("polkit failed: %s", error->message);
}

static void
got_verdict(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  const Check *check = g_task_get_task_data(task);
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  gboolean is_authorized = FALSE;

  if (!reply) {
    g_autofree char *why = NULL;

    g_dbus_error_strip_remote_error(error);
    why = describe_polkit_failure(check, error);
    g_task_return_new_error(task, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED,
                            "Not Authorized: %s (%s)", check->action_id, why);
    return;
  }

  /* is_challenge, the second one, would need an interaction: it is a no. */
  g_variant_get(reply, "((bba{ss}))", &is_authorized, NULL, NULL);
  if (is_authorized)
    return_caller(task);
  else
    g_task_return_new_error(task, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED, "Not Authorized: %s",
                            check->action_id);
}

static void
ask_polkit(GTask *task)
{
  const Check *check = g_task_get_task_data(task);
  GVariantBuilder subject;
  GVariantBuilder details;

  g_variant_builder_init(&subject, G_VARIANT_TYPE_VARDICT);
  g_variant_builder_add(&subject, "{sv}", "name", g_variant_new_string(check->sender));
  g_variant_builder_init(&details, G_VARIANT_TYPE("a{ss}"));

  /* No flags: no interaction. No cancellation id: there is nothing to take back from the user. */
  g_dbus_connection_call(check->bus, POLKIT_NAME, POLKIT_PATH, POLKIT_INTERFACE,
                         "CheckAuthorization",
                         g_variant_new("((sa{sv})sa{ss}us)", "system-bus-name", &subject,
                                       check->action_id, &details, (guint32)0, ""),
                         G_VARIANT_TYPE("((bba{ss}))"), G_DBUS_CALL_FLAGS_NONE, check->timeout_msec,
                         g_task_get_cancellable(task), got_verdict, g_object_ref(task));
}

/* The caller is known: what is left is polkit. */
static void
check_uid(GTask *task, uid_t uid)
{
  Check *check = g_task_get_task_data(task);

  check->uid = uid;
  if (uid == 0 || !check->action_id)
    return_caller(task);
  else
    ask_polkit(task);
}

static void
remember(GHashTable *known, const char *sender, uid_t uid)
{
  if (g_hash_table_size(known) >= KNOWN_MAX)
    g_hash_table_remove_all(known);
  g_hash_table_insert(known, g_strdup(sender), GUINT_TO_POINTER(uid));
}

static void
got_uid(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(GTask) task = data;
  const Check *check = g_task_get_task_data(task);
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  guint32 uid;

  if (!reply) {
    g_dbus_error_strip_remote_error(error);
    g_task_return_new_error(task, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED,
                            "Could not tell who %s is: %s", check->sender, error->message);
    return;
  }

  g_variant_get(reply, "(u)", &uid);
  remember(check->known, check->sender, uid);
  check_uid(task, uid);
}

static void
ask_uid(GTask *task)
{
  const Check *check = g_task_get_task_data(task);

  g_dbus_connection_call(check->bus, "org.freedesktop.DBus", "/org/freedesktop/DBus",
                         "org.freedesktop.DBus", "GetConnectionUnixUser",
                         g_variant_new("(s)", check->sender), G_VARIANT_TYPE("(u)"),
                         G_DBUS_CALL_FLAGS_NONE, check->timeout_msec, g_task_get_cancellable(task),
                         got_uid, g_object_ref(task));
}

void
eppd_authority_check_async(EppdAuthority *authority,
                           const char *sender,
                           const char *action_id,
                           GAsyncReadyCallback callback,
                           gpointer data)
{
  g_autoptr(GTask) task = g_task_new(NULL, authority->cancellable, callback, data);
  Check *check = g_new0(Check, 1);
  gpointer uid;

  check->bus = g_object_ref(authority->bus);
  check->known = g_hash_table_ref(authority->known);
  check->sender = g_strdup(sender);
  check->action_id = g_strdup(action_id);
  check->timeout_msec = (int)CLAMP(authority->timeout_usec / 1000, 1, G_MAXINT);
  g_task_set_source_tag(task, eppd_authority_check_async);
  g_task_set_task_data(task, check, (GDestroyNotify)check_free);

  /* A well-known name would be resolved anew by each of the two questions. */
  if (!sender || !g_dbus_is_unique_name(sender)) {
    g_task_return_new_error(task, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED,
                            "The caller has no unique bus name");
    return;
  }

  if (g_hash_table_lookup_extended(authority->known, sender, NULL, &uid))
    check_uid(task, GPOINTER_TO_UINT(uid));
  else
    ask_uid(task);
}

EppdCaller *
eppd_authority_check_finish(GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer(G_TASK(result), error);
}

void
eppd_caller_free(EppdCaller *caller)
{
  g_free(caller->name);
  g_free(caller);
}

EppdAuthority *
eppd_authority_new(GDBusConnection *bus)
{
  EppdAuthority *authority = g_new0(EppdAuthority, 1);

  authority->bus = g_object_ref(bus);
  authority->known = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  authority->cancellable = g_cancellable_new();
  authority->timeout_usec = DEFAULT_TIMEOUT_USEC;
  return authority;
}

void
eppd_authority_free(EppdAuthority *authority)
{
  g_cancellable_cancel(authority->cancellable);
  g_object_unref(authority->cancellable);
  g_hash_table_unref(authority->known);
  g_object_unref(authority->bus);
  g_free(authority);
}

void
eppd_authority_set_timeout_usec(EppdAuthority *authority, gint64 timeout_usec)
{
  authority->timeout_usec = timeout_usec;
}
