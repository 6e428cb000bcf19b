/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/request-queue.h"
#include "mock-polkit.h"
#include "private-bus.h"

#include <string.h>
#include <unistd.h>

#define ACTION "org.eppd.hold-boost"

/* A system bus's: how many answers a connection may wait for. */
#define MAX_REPLIES 128

/* Requests are named by a letter or number of the test's; a name that starts with "free" needs no
 * action. */
typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  GDBusConnection *user;
  MockPolkit *polkit;
  EppdAuthority *authority;
  EppdRequestQueue *queue;
  guint object_id;
  guint n_pushed;
  guint n_destroyed;
  guint n_answered;
  GString *ran;      /* "a b c" */
  GString *answered; /* "a:ok b:AccessDenied" */
  uid_t last_uid;
} Fixture;

typedef struct {
  Fixture *fixture;
  char *name;
} Call;

static Call *
call_new(Fixture *fixture, const char *name)
{
  Call *call = g_new0(Call, 1);

  call->fixture = fixture;
  call->name = g_strdup(name);
  return call;
}

static void
call_free(Call *call)
{
  g_free(call->name);
  g_free(call);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Call, call_free)

static void
append(GString *list, const char *word)
{
  if (list->len)
    g_string_append_c(list, ' ');
  g_string_append(list, word);
}

static void
run(const EppdCaller *caller, GDBusMethodInvocation *invocation, gpointer data)
{
  Call *call = data;

  g_assert_cmpstr(caller->name, ==, g_dbus_method_invocation_get_sender(invocation));
  call->fixture->last_uid = caller->uid;
  append(call->fixture->ran, call->name);
  g_dbus_method_invocation_return_value(invocation, NULL);
}

static void
destroy(gpointer data)
{
  Call *call = data;

  call->fixture->n_destroyed++;
  call_free(call);
}

static void
called(GDBusConnection *connection,
       const char *sender,
       const char *path,
       const char *interface,
       const char *method,
       GVariant *parameters,
       GDBusMethodInvocation *invocation,
       gpointer data)
{
  Fixture *fixture = data;
  const char *name;

  g_variant_get(parameters, "(&s)", &name);
  fixture->n_pushed++;
  eppd_request_queue_push(fixture->queue, invocation,
                          g_str_has_prefix(name, "free") ? NULL : ACTION, run,
                          call_new(fixture, name), destroy);
}

static void
answered(GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr(Call) call = data;
  Fixture *fixture = call->fixture;
  g_autoptr(GError) error = NULL;
  g_autoptr(GVariant) reply =
      g_dbus_connection_call_finish(G_DBUS_CONNECTION(source), result, &error);
  g_autofree char *remote = error ? g_dbus_error_get_remote_error(error) : NULL;
  const char *dot = remote ? strrchr(remote, '.') : NULL;
  g_autofree char *word = g_strconcat(call->name, ":", dot ? dot + 1 : reply ? "ok" : "gone", NULL);

  append(fixture->answered, word);
  fixture->n_answered++;
}

static void
make_call(Fixture *fixture, GDBusConnection *from, const char *name)
{
  g_dbus_connection_call(from, g_dbus_connection_get_unique_name(fixture->daemon), "/test",
                         "org.eppd.Test", "Do", g_variant_new("(s)", name), NULL,
                         G_DBUS_CALL_FLAGS_NONE, G_MAXINT, NULL, answered, call_new(fixture, name));
}

static void
wait_for(const guint *counter, guint n)
{
  while (*counter < n)
    g_main_context_iteration(NULL, TRUE);
}

/* Waits until the daemon has seen all that polkit said by now. */
static void
settle(Fixture *fixture)
{
  mock_polkit_settle(fixture->polkit);
  private_bus_settle(fixture->daemon);
}

/* Calls, and waits until it is in the queue: the order of several callers' calls is then known. */
static void
push(Fixture *fixture, GDBusConnection *from, const char *name)
{
  guint n = fixture->n_pushed;

  make_call(fixture, from, name);
  wait_for(&fixture->n_pushed, n + 1);
}

static void
register_object(Fixture *fixture)
{
  static const GDBusInterfaceVTable vtable = {.method_call = called};
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusNodeInfo) info =
      g_dbus_node_info_new_for_xml("<node><interface name='org.eppd.Test'><method name='Do'>"
                                   "<arg name='name' type='s' direction='in'/>"
                                   "</method></interface></node>",
                                   &error);

  g_assert_no_error(error);
  fixture->object_id = g_dbus_connection_register_object(
      fixture->daemon, "/test", info->interfaces[0], &vtable, fixture, NULL, &error);
  g_assert_no_error(error);
}

/* @data: how many answers a connection may wait for; NULL: any number. */
static void
set_up(Fixture *fixture, gconstpointer data)
{
  guint max_replies = GPOINTER_TO_UINT(data);

  fixture->bus = max_replies ? private_bus_new_with_replies(max_replies) : private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  fixture->user = private_bus_connect_as(fixture->bus, private_bus_plain_uid());
  fixture->polkit = mock_polkit_new(fixture->bus);
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  fixture->authority = eppd_authority_new(fixture->daemon);
  /* What the test does not answer is not to be answered by the clock. */
  eppd_authority_set_timeout_usec(fixture->authority, G_MAXINT64);
  fixture->queue = eppd_request_queue_new(fixture->authority);
  fixture->ran = g_string_new(NULL);
  fixture->answered = g_string_new(NULL);
  register_object(fixture);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->queue, eppd_request_queue_free);
  g_clear_pointer(&fixture->authority, eppd_authority_free);
  g_assert_cmpuint(fixture->n_destroyed, ==, fixture->n_pushed);
  /* The last checks end, cancelled, in the main loop. */
  private_bus_settle(fixture->daemon);
  mock_polkit_free(fixture->polkit);
  g_dbus_connection_unregister_object(fixture->daemon, fixture->object_id);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  private_bus_disconnect(fixture->daemon);
  private_bus_free(fixture->bus);
  g_string_free(fixture->ran, TRUE);
  g_string_free(fixture->answered, TRUE);
}

static void
test_in_order(Fixture *fixture, gconstpointer data)
{
  eppd_request_queue_open(fixture->queue);
  push(fixture, fixture->user, "a");
  push(fixture, fixture->user, "b");
  push(fixture, fixture->user, "c");
  mock_polkit_wait_for(fixture->polkit, 3);

  /* The last check first: its request must wait for the others. */
  for (guint i = 3; i-- > 0;) {
    g_assert_cmpstr(fixture->ran->str, ==, "");
    mock_polkit_answer(fixture->polkit, i, MOCK_POLKIT_ALLOW);
    if (i > 0)
      settle(fixture);
  }
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->ran->str, ==, "a b c");
  g_assert_cmpstr(fixture->answered->str, ==, "a:ok b:ok c:ok");
  g_assert_cmpuint(fixture->last_uid, ==, private_bus_plain_uid());
  g_assert_cmpuint(fixture->n_destroyed, ==, 3);
}

static void
test_unauthorised_waits_too(Fixture *fixture, gconstpointer data)
{
  eppd_request_queue_open(fixture->queue);
  push(fixture, fixture->user, "a");
  /* Known at once: no action, and (where the test is root's) a caller whom polkit is not asked of.
   */
  push(fixture, fixture->user, "free1");
  if (geteuid() == 0)
    push(fixture, fixture->daemon, "root");
  mock_polkit_wait_for(fixture->polkit, 1);
  settle(fixture);
  g_assert_cmpstr(fixture->ran->str, ==, "");

  mock_polkit_answer(fixture->polkit, 0, MOCK_POLKIT_ALLOW);
  wait_for(&fixture->n_answered, fixture->n_pushed);
  g_assert_cmpstr(fixture->ran->str, ==, geteuid() == 0 ? "a free1 root" : "a free1");
}

static void
test_refusal_between(Fixture *fixture, gconstpointer data)
{
  eppd_request_queue_open(fixture->queue);
  /* Questions that are asked at once may come in any order. */
  push(fixture, fixture->user, "a");
  mock_polkit_wait_for(fixture->polkit, 1);
  push(fixture, fixture->user, "b");
  mock_polkit_wait_for(fixture->polkit, 2);
  push(fixture, fixture->user, "c");
  mock_polkit_wait_for(fixture->polkit, 3);
  mock_polkit_answer(fixture->polkit, 1, MOCK_POLKIT_DENY);
  mock_polkit_answer(fixture->polkit, 2, MOCK_POLKIT_ALLOW);
  settle(fixture);
  /* The refusal waits its turn as well. */
  g_assert_cmpstr(fixture->answered->str, ==, "");

  mock_polkit_answer(fixture->polkit, 0, MOCK_POLKIT_ALLOW);
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->ran->str, ==, "a c");
  g_assert_cmpstr(fixture->answered->str, ==, "a:ok b:AccessDenied c:ok");
  g_assert_cmpuint(fixture->n_destroyed, ==, 3);
}

static void
test_silence_ends(Fixture *fixture, gconstpointer data)
{
  eppd_request_queue_open(fixture->queue);
  /* The bus has told who asks, so that polkit's silence alone is timed. */
  push(fixture, fixture->user, "free0");
  wait_for(&fixture->n_answered, 1);
  eppd_authority_set_timeout_usec(fixture->authority, 2 * G_USEC_PER_SEC);
  push(fixture, fixture->user, "a");
  push(fixture, fixture->user, "free1");
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->answered->str, ==, "free0:ok a:AccessDenied free1:ok");
}

static void
test_caller_dies(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *dying = private_bus_connect_as(fixture->bus, private_bus_plain_uid());

  eppd_request_queue_open(fixture->queue);
  push(fixture, dying, "dead1");
  push(fixture, dying, "dead2");
  push(fixture, fixture->user, "a");
  mock_polkit_wait_for(fixture->polkit, 3);
  private_bus_disconnect(dying);
  wait_for(&fixture->n_answered, 2);
  g_assert_cmpstr(fixture->answered->str, ==, "dead1:gone dead2:gone");

  mock_polkit_answer(fixture->polkit, 2, MOCK_POLKIT_ALLOW);
  mock_polkit_answer(fixture->polkit, 1, MOCK_POLKIT_DENY);
  /* polkit may say yes of one who just left: the queue leaves that to its func. */
  mock_polkit_answer(fixture->polkit, 0, MOCK_POLKIT_ALLOW);
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->ran->str, ==, "dead1 a");
  g_assert_cmpuint(fixture->n_destroyed, ==, 3);
}

static void
test_dies_before_its_check(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *dying = private_bus_connect_as(fixture->bus, private_bus_plain_uid());
  g_autoptr(GError) error = NULL;

  eppd_request_queue_open(fixture->queue);
  make_call(fixture, dying, "dead");
  g_assert_true(g_dbus_connection_flush_sync(dying, NULL, &error));
  private_bus_disconnect(dying);
  wait_for(&fixture->n_pushed, 1);
  push(fixture, fixture->user, "free1");
  wait_for(&fixture->n_answered, 2);
  g_assert_cmpstr(fixture->ran->str, ==, "free1");
  g_assert_cmpuint(fixture->n_destroyed, ==, 2);
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 0);
}

static void
test_not_open(Fixture *fixture, gconstpointer data)
{
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_ALLOW);
  push(fixture, fixture->user, "a");
  push(fixture, fixture->user, "b");
  mock_polkit_wait_for(fixture->polkit, 2);
  settle(fixture);
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_DENY);
  push(fixture, fixture->user, "c");
  mock_polkit_wait_for(fixture->polkit, 3);
  settle(fixture);
  g_assert_cmpuint(fixture->n_answered, ==, 0);
  g_assert_cmpstr(fixture->ran->str, ==, "");

  eppd_request_queue_open(fixture->queue);
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->ran->str, ==, "a b");
  g_assert_cmpstr(fixture->answered->str, ==, "a:ok b:ok c:AccessDenied");

  /* Opening again is nothing. */
  eppd_request_queue_open(fixture->queue);
  g_assert_cmpstr(fixture->ran->str, ==, "a b");
}

static void
test_limit(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *other = private_bus_connect_as(fixture->bus, private_bus_plain_uid());

  for (guint i = 0; i < 257; i++)
    make_call(fixture, fixture->user, i < 256 ? "free" : "free-too-many");
  wait_for(&fixture->n_pushed, 257);
  g_assert_cmpuint(fixture->n_destroyed, ==, 1);
  wait_for(&fixture->n_answered, 1);
  g_assert_cmpstr(fixture->answered->str, ==, "free-too-many:LimitsExceeded");
  push(fixture, other, "free-other");
  g_assert_cmpuint(fixture->n_destroyed, ==, 1);

  g_string_truncate(fixture->answered, 0);
  eppd_request_queue_open(fixture->queue);
  wait_for(&fixture->n_answered, 258);
  g_assert_null(strstr(fixture->answered->str, "LimitsExceeded"));
  g_assert_true(g_str_has_suffix(fixture->ran->str, " free free-other"));
  g_assert_cmpuint(fixture->n_destroyed, ==, 258);

  /* The waiting ones are gone: he may ask again. */
  push(fixture, fixture->user, "free-again");
  wait_for(&fixture->n_answered, 259);
  g_assert_true(g_str_has_suffix(fixture->answered->str, " free-again:ok"));
  private_bus_disconnect(other);
}

static void
ignore_reply(Fixture *fixture, GDBusConnection *from, const char *name)
{
  g_dbus_connection_call(from, g_dbus_connection_get_unique_name(fixture->daemon), "/test",
                         "org.eppd.Test", "Do", g_variant_new("(s)", name), NULL,
                         G_DBUS_CALL_FLAGS_NONE, -1, NULL, NULL, NULL);
}

/* Calls that want no answer pass the bus's limit of waiting calls: the daemon's own calls to polkit
 * must stay within it, or the next caller would be refused. */
static void
test_flood(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *flooding = private_bus_connect_as(fixture->bus, private_bus_plain_uid());
  enum { N_FLOOD = 200 };

  eppd_request_queue_open(fixture->queue);
  for (guint i = 0; i < N_FLOOD; i++)
    ignore_reply(fixture, flooding, "flood");
  wait_for(&fixture->n_pushed, N_FLOOD);
  push(fixture, fixture->user, "a");
  settle(fixture);
  settle(fixture);
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), <, MAX_REPLIES);

  for (guint i = 0; i <= N_FLOOD; i++) {
    mock_polkit_wait_for(fixture->polkit, i + 1);
    mock_polkit_answer(fixture->polkit, i, i < N_FLOOD ? MOCK_POLKIT_DENY : MOCK_POLKIT_ALLOW);
  }
  wait_for(&fixture->n_answered, 1);
  g_assert_cmpstr(fixture->answered->str, ==, "a:ok");
  g_assert_cmpstr(fixture->ran->str, ==, "a");
  g_assert_cmpuint(fixture->n_destroyed, ==, N_FLOOD + 1);
  private_bus_disconnect(flooding);
}

static void
test_freed(Fixture *fixture, gconstpointer data)
{
  /* One in each state: refused but waiting, allowed but waiting, being checked. */
  push(fixture, fixture->user, "free1");
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_DENY);
  push(fixture, fixture->user, "a");
  mock_polkit_wait_for(fixture->polkit, 1);
  settle(fixture);
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  push(fixture, fixture->user, "b");
  mock_polkit_wait_for(fixture->polkit, 2);

  g_clear_pointer(&fixture->queue, eppd_request_queue_free);
  g_assert_cmpuint(fixture->n_destroyed, ==, 3);
  wait_for(&fixture->n_answered, 3);
  g_assert_cmpstr(fixture->answered->str, ==, "free1:Failed a:Failed b:Failed");
  g_assert_cmpstr(fixture->ran->str, ==, "");

  /* The verdict comes all the same. */
  mock_polkit_answer(fixture->polkit, 1, MOCK_POLKIT_ALLOW);
  settle(fixture);
  g_assert_cmpstr(fixture->ran->str, ==, "");
  g_assert_cmpuint(fixture->n_destroyed, ==, 3);
}

static void
add(const char *path, guint max_replies, void (*test)(Fixture *, gconstpointer))
{
  g_test_add(path, Fixture, GUINT_TO_POINTER(max_replies), set_up, test, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);

  add("/request-queue/runs-in-order-under-reversed-checks", 0, test_in_order);
  add("/request-queue/those-without-a-question-wait-too", 0, test_unauthorised_waits_too);
  add("/request-queue/a-refusal-between-two", 0, test_refusal_between);
  add("/request-queue/silence-of-polkit-does-not-stop-it", 0, test_silence_ends);
  add("/request-queue/a-caller-dies-during-its-check", 0, test_caller_dies);
  add("/request-queue/a-caller-dies-before-its-check", 0, test_dies_before_its_check);
  add("/request-queue/waits-until-it-is-open", 0, test_not_open);
  add("/request-queue/257th-of-one-caller-is-refused", 0, test_limit);
  add("/request-queue/a-flood-has-nobody-else-refused", MAX_REPLIES, test_flood);
  add("/request-queue/freed-with-requests-in-it", 0, test_freed);
  return g_test_run();
}
