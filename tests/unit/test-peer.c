/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "bus/peer.h"

#include "private-bus.h"
#include "warning-count.h"

#include <gio/gunixfdlist.h>
#include <unistd.h>

#define NAME  "org.example.Service"
#define PATH  "/org/example/Service"
#define OTHER "/org/example/Other"

static const EppdPeerObject object = {PATH, NAME};

/* ---- the service ---- */

typedef struct {
  GDBusConnection *connection;
  guint object_id;
  guint n_questions;
  GDBusMethodInvocation *held; /* the last Hold() */
} Mock;

static const char introspection[] =
    "<node><interface name='" NAME "'>"
    "<method name='Echo'><arg type='s' direction='in'/><arg type='s' direction='out'/></method>"
    "<method name='GetFd'><arg type='h' direction='out'/></method>"
    "<method name='Refuse'/>"
    "<method name='RefuseAsIfCancelled'/>"
    "<method name='Hold'/>"
    "</interface></node>";

static void
return_fd(GDBusMethodInvocation *invocation)
{
  g_autoptr(GUnixFDList) fds = NULL;
  int ends[2];

  g_assert_cmpint(pipe(ends), ==, 0);
  close(ends[1]);
  fds = g_unix_fd_list_new_from_array(ends, 1);
  g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new("(h)", 0), fds);
}

static void
mock_called(GDBusConnection *connection,
            const char *sender,
            const char *path,
            const char *interface,
            const char *method,
            GVariant *parameters,
            GDBusMethodInvocation *invocation,
            gpointer data)
{
  Mock *mock = data;

  mock->n_questions++;
  if (g_str_equal(method, "Echo")) {
    g_dbus_method_invocation_return_value(invocation, parameters);
  } else if (g_str_equal(method, "GetFd")) {
    return_fd(invocation);
  } else if (g_str_equal(method, "Refuse")) {
    g_dbus_method_invocation_return_dbus_error(invocation, NAME ".Error", "No");
  } else if (g_str_equal(method, "RefuseAsIfCancelled")) {
    g_dbus_method_invocation_return_error(invocation, G_IO_ERROR, G_IO_ERROR_CANCELLED, "No");
  } else {
    g_assert_null(mock->held);
    mock->held = invocation;
  }
}

/* Takes the name over from whoever has it. */
static Mock *
mock_new(PrivateBus *bus)
{
  static const GDBusInterfaceVTable vtable = {.method_call = mock_called};
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(introspection, &error);
  Mock *mock = g_new0(Mock, 1);

  g_assert_no_error(error);
  mock->connection = private_bus_connect(bus);
  mock->object_id = g_dbus_connection_register_object(mock->connection, PATH, info->interfaces[0],
                                                      &vtable, mock, NULL, &error);
  g_assert_no_error(error);
  private_bus_own_name(mock->connection, NAME);
  return mock;
}

/* It leaves the bus; a held question stays without an answer. */
static void
mock_free(Mock *mock)
{
  g_dbus_connection_unregister_object(mock->connection, mock->object_id);
  private_bus_disconnect(mock->connection);
  g_clear_object(&mock->held);
  g_free(mock);
}

static void
mock_wait_for_questions(Mock *mock, guint n)
{
  while (mock->n_questions < n)
    g_main_context_iteration(NULL, TRUE);
}

static void
mock_answer(Mock *mock)
{
  g_assert_nonnull(mock->held);
  g_dbus_method_invocation_return_value(g_steal_pointer(&mock->held), NULL);
}

static void
emit(GDBusConnection *connection,
     const char *path,
     const char *interface,
     const char *signal,
     const char *parameters)
{
  g_autoptr(GError) error = NULL;

  g_dbus_connection_emit_signal(connection, NULL, path, interface, signal,
                                g_variant_new_parsed(parameters), &error);
  g_assert_no_error(error);
}

static void
emit_changed(GDBusConnection *connection, const char *path, const char *interface)
{
  g_autofree char *parameters = g_strdup_printf("('%s', {'A': <1>}, @as [])", interface);

  emit(connection, path, "org.freedesktop.DBus.Properties", "PropertiesChanged", parameters);
}

/* ---- what is told ---- */

typedef struct {
  PrivateBus *bus;
  GDBusConnection *connection;
  Mock *mock;
  EppdPeer *peer;
  GString
      *told; /* "+" came, "-" left, "?" an answer, "!" an error, and the texts that were heard */
  gint64 number; /* of the last answer: a process or a descriptor */
  bool frees;    /* what is told frees the peer */
} Fixture;

static void
tell(Fixture *fixture, const char *text)
{
  g_string_append(fixture->told, text);
  if (fixture->frees)
    g_clear_pointer(&fixture->peer, eppd_peer_free);
}

static void
came(gpointer data)
{
  const Fixture *fixture = data;

  g_assert_nonnull(eppd_peer_owner(fixture->peer));
  tell(data, "+");
}

static void
left(gpointer data)
{
  const Fixture *fixture = data;

  g_assert_null(eppd_peer_owner(fixture->peer));
  tell(data, "-");
}

static void
heard(GVariant *parameters, gpointer data)
{
  g_autofree char *text = NULL;

  g_variant_get(parameters, "(s)", &text);
  tell(data, text);
}

static void
heard_of_properties(GVariant *parameters, gpointer data)
{
  g_assert_true(g_variant_is_of_type(parameters, G_VARIANT_TYPE("(sa{sv}as)")));
  tell(data, "p");
}

static void
answered(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  Fixture *fixture = data;
  guint32 process;

  g_assert_true((reply == NULL) != (error == NULL));
  if (reply && g_variant_is_of_type(reply, G_VARIANT_TYPE("(u)"))) {
    g_variant_get(reply, "(u)", &process);
    fixture->number = process;
  }
  if (fds) {
    g_assert_cmpint(g_unix_fd_list_get_length(fds), ==, 1);
    fixture->number = g_unix_fd_list_peek_fds(fds, NULL)[0];
    g_assert_cmpint(fixture->number, >=, 0);
  }
  tell(fixture, reply ? "?" : "!");
}

/* Another data than the fixture. */
static void
answered_of_tag(GVariant *reply, GUnixFDList *fds, const GError *error, gpointer data)
{
  bool *is_answered = data;

  *is_answered = true;
}

static void
set_up_alone(Fixture *fixture, gconstpointer data)
{
  n_warnings = 0;
  fixture->bus = private_bus_new();
  fixture->connection = private_bus_connect(fixture->bus);
  fixture->told = g_string_new(NULL);
  fixture->peer = eppd_peer_new(fixture->connection, "peer", NAME, came, left, fixture);
}

static void
wait_for(Fixture *fixture, const char *told)
{
  while (fixture->told->len < strlen(told))
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpstr(fixture->told->str, ==, told);
  g_string_truncate(fixture->told, 0);
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  set_up_alone(fixture, data);
  wait_for(fixture, "-");
  fixture->mock = mock_new(fixture->bus);
  wait_for(fixture, "+");
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->peer, eppd_peer_free);
  g_clear_pointer(&fixture->mock, mock_free);
  g_clear_pointer(&fixture->connection, private_bus_disconnect);
  private_bus_free(fixture->bus);
  g_string_free(fixture->told, TRUE);
}

/* Until what @other has sent, and what follows from it, has been seen. */
static void
settle(Fixture *fixture, GDBusConnection *other)
{
  for (guint i = 0; i < 4; i++) {
    private_bus_settle(other);
    private_bus_settle(fixture->connection);
  }
}

static void
assert_told(Fixture *fixture, const char *told)
{
  settle(fixture, fixture->mock ? fixture->mock->connection : fixture->connection);
  g_assert_cmpstr(fixture->told->str, ==, told);
  g_string_truncate(fixture->told, 0);
}

/* From when it returns: a bus does not wait with what another connection sends. */
static void
listen_to_said(Fixture *fixture)
{
  eppd_peer_listen(fixture->peer, &object, "Said", "(s)", heard, fixture);
  private_bus_settle(fixture->connection);
}

static void
listen_to_properties(Fixture *fixture)
{
  eppd_peer_listen_for_properties(fixture->peer, &object, heard_of_properties, fixture);
  private_bus_settle(fixture->connection);
}

static void
ask(Fixture *fixture, const char *method, const char *reply_type)
{
  GVariant *parameters = g_str_equal(method, "Echo") ? g_variant_new("(s)", "text") : NULL;

  eppd_peer_ask(fixture->peer, &object, method, parameters, reply_type, answered, fixture);
}

/* ---- coming and going ---- */

static void
test_comes_and_goes(Fixture *fixture, gconstpointer data)
{
  g_assert_null(eppd_peer_owner(fixture->peer));
  wait_for(fixture, "-");
  for (guint i = 0; i < 2; i++) {
    fixture->mock = mock_new(fixture->bus);
    wait_for(fixture, "+");
    g_assert_cmpstr(eppd_peer_owner(fixture->peer), ==,
                    g_dbus_connection_get_unique_name(fixture->mock->connection));
    g_clear_pointer(&fixture->mock, mock_free);
    wait_for(fixture, "-");
  }
}

static void
test_is_taken_over(Fixture *fixture, gconstpointer data)
{
  Mock *before = fixture->mock;

  listen_to_said(fixture);
  fixture->mock = mock_new(fixture->bus);
  wait_for(fixture, "-+");
  emit(before->connection, PATH, NAME, "Said", "('before',)");
  settle(fixture, before->connection);
  /* Nor is the new one heard before it is listened to. */
  emit(fixture->mock->connection, PATH, NAME, "Said", "('unasked',)");
  assert_told(fixture, "");

  listen_to_said(fixture);
  emit(fixture->mock->connection, PATH, NAME, "Said", "('now',)");
  assert_told(fixture, "now");
  mock_free(before);
}

static void
test_bus_gone(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  listen_to_said(fixture);
  ask(fixture, "Hold", NULL);
  mock_wait_for_questions(fixture->mock, 1);
  g_dbus_connection_close_sync(fixture->connection, NULL, &error);
  g_assert_no_error(error);
  while (!strchr(fixture->told->str, '-'))
    g_main_context_iteration(NULL, TRUE);
  g_assert_null(eppd_peer_owner(fixture->peer));
  g_clear_pointer(&fixture->peer, eppd_peer_free);
  g_clear_object(&fixture->connection);
}

static void
test_freed_at_once(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->peer, eppd_peer_free);
  assert_told(fixture, "");
}

/* ---- listening ---- */

static void
test_hears_of_its_object_alone(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *mock = fixture->mock->connection;
  GDBusConnection *stranger = private_bus_connect(fixture->bus);

  listen_to_said(fixture);
  emit(stranger, PATH, NAME, "Said", "('stranger',)");
  settle(fixture, stranger);
  emit(mock, OTHER, NAME, "Said", "('path',)");
  emit(mock, PATH, NAME ".Other", "Said", "('interface',)");
  emit(mock, PATH, NAME, "Other", "('signal',)");
  assert_told(fixture, "");
  emit(mock, PATH, NAME, "Said", "('a',)");
  emit(mock, PATH, NAME, "Said", "('b',)");
  assert_told(fixture, "ab");
  g_assert_cmpuint(n_warnings, ==, 0);
  private_bus_disconnect(stranger);
}

static void
test_another_type_is_a_warning(Fixture *fixture, gconstpointer data)
{
  listen_to_said(fixture);
  emit(fixture->mock->connection, PATH, NAME, "Said", "(1,)");
  emit(fixture->mock->connection, PATH, NAME, "Said", "('a', 'b')");
  emit(fixture->mock->connection, PATH, NAME, "Said", "()");
  assert_told(fixture, "");
  g_assert_cmpuint(n_warnings, ==, 3);
}

static void
test_hears_of_the_properties_of_its_interface(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *mock = fixture->mock->connection;

  listen_to_properties(fixture);
  emit_changed(mock, OTHER, NAME);
  emit_changed(mock, PATH, NAME ".Other");
  assert_told(fixture, "");
  emit_changed(mock, PATH, NAME);
  assert_told(fixture, "p");
}

/* ---- asking ---- */

static const struct {
  const char *path;
  const char *method;
  const char *reply_type;
  const char *told;
} questions[] = {
    {"/peer/an-answer", "Echo", "(s)", "?"},
    {"/peer/an-answer-of-any-type", "Echo", NULL, "?"},
    {"/peer/an-answer-of-another-type", "Echo", "(u)", "!"},
    {"/peer/refused", "Refuse", NULL, "!"},
    {"/peer/refused-as-if-we-had-cancelled-it", "RefuseAsIfCancelled", NULL, "!"},
    {"/peer/no-such-method", "NoSuchMethod", NULL, "!"},
};

static void
test_question(Fixture *fixture, gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);

  ask(fixture, questions[i].method, questions[i].reply_type);
  assert_told(fixture, questions[i].told);
}

static void
test_descriptor(Fixture *fixture, gconstpointer data)
{
  fixture->number = -1;
  ask(fixture, "GetFd", "(h)");
  assert_told(fixture, "?");
  g_assert_cmpint(fixture->number, >=, 0);
}

static void
test_process(Fixture *fixture, gconstpointer data)
{
  eppd_peer_ask_process(fixture->peer, answered, fixture);
  assert_told(fixture, "?");
  g_assert_cmpint(fixture->number, ==, getpid());
}

static void
test_no_answer_once_it_has_left(Fixture *fixture, gconstpointer data)
{
  ask(fixture, "Hold", NULL);
  mock_wait_for_questions(fixture->mock, 1);
  g_clear_pointer(&fixture->mock, mock_free);
  wait_for(fixture, "-");
  assert_told(fixture, "");
}

static void
test_no_answer_of_a_predecessor(Fixture *fixture, gconstpointer data)
{
  Mock *before = fixture->mock;

  ask(fixture, "Hold", NULL);
  mock_wait_for_questions(before, 1);
  fixture->mock = mock_new(fixture->bus);
  wait_for(fixture, "-+");
  mock_answer(before);
  settle(fixture, before->connection);
  g_assert_cmpstr(fixture->told->str, ==, "");
  mock_free(before);
}

static void
test_freed_while_asked(Fixture *fixture, gconstpointer data)
{
  listen_to_said(fixture);
  ask(fixture, "Hold", NULL);
  mock_wait_for_questions(fixture->mock, 1);
  g_clear_pointer(&fixture->peer, eppd_peer_free);
  mock_answer(fixture->mock);
  emit(fixture->mock->connection, PATH, NAME, "Said", "('a',)");
  assert_told(fixture, "");
}

/* ---- forgetting ---- */

static void
test_forgets_one_data(Fixture *fixture, gconstpointer data)
{
  bool is_answered = false;

  listen_to_said(fixture);
  listen_to_properties(fixture);
  ask(fixture, "Hold", NULL);
  eppd_peer_ask(fixture->peer, &object, "Echo", g_variant_new("(s)", "text"), NULL, answered_of_tag,
                &is_answered);
  mock_wait_for_questions(fixture->mock, 2);
  eppd_peer_forget(fixture->peer, fixture);
  mock_answer(fixture->mock);
  emit(fixture->mock->connection, PATH, NAME, "Said", "('a',)");
  emit_changed(fixture->mock->connection, PATH, NAME);
  assert_told(fixture, "");
  g_assert_true(is_answered);

  /* It may begin anew. */
  listen_to_said(fixture);
  ask(fixture, "Echo", "(s)");
  emit(fixture->mock->connection, PATH, NAME, "Said", "('b',)");
  settle(fixture, fixture->mock->connection);
  g_assert_nonnull(strchr(fixture->told->str, '?'));
  g_assert_nonnull(strchr(fixture->told->str, 'b'));
}

static void
test_forgets_an_answer_that_has_come(Fixture *fixture, gconstpointer data)
{
  bool is_answered = false;

  ask(fixture, "Hold", NULL);
  mock_wait_for_questions(fixture->mock, 1);
  mock_answer(fixture->mock);
  eppd_peer_ask(fixture->peer, &object, "Echo", g_variant_new("(s)", "text"), NULL, answered_of_tag,
                &is_answered);
  eppd_peer_forget(fixture->peer, fixture);
  private_bus_wait(&is_answered);
  assert_told(fixture, "");
}

static void
test_forgets_nothing(Fixture *fixture, gconstpointer data)
{
  eppd_peer_forget(fixture->peer, fixture);
  wait_for(fixture, "-");
  eppd_peer_forget(fixture->peer, fixture);
  assert_told(fixture, "");
}

/* ---- a listener that frees the peer ---- */

static void
test_freed_by_signal(Fixture *fixture, gconstpointer data)
{
  listen_to_said(fixture);
  fixture->frees = true;
  emit(fixture->mock->connection, PATH, NAME, "Said", "('a',)");
  emit(fixture->mock->connection, PATH, NAME, "Said", "('b',)");
  assert_told(fixture, "a");
}

static void
test_freed_by_answer(Fixture *fixture, gconstpointer data)
{
  ask(fixture, "Echo", "(s)");
  ask(fixture, "Echo", "(s)");
  fixture->frees = true;
  assert_told(fixture, "?");
}

static void
test_freed_by_its_leaving(Fixture *fixture, gconstpointer data)
{
  fixture->frees = true;
  g_clear_pointer(&fixture->mock, mock_free);
  wait_for(fixture, "-");
  g_assert_null(fixture->peer);
}

static void
test_freed_by_its_coming(Fixture *fixture, gconstpointer data)
{
  wait_for(fixture, "-");
  fixture->frees = true;
  fixture->mock = mock_new(fixture->bus);
  wait_for(fixture, "+");
  g_assert_null(fixture->peer);
}

static void
add(const char *path, void (*test)(Fixture *, gconstpointer))
{
  g_test_add(path, Fixture, NULL, set_up, test, tear_down);
}

static void
add_alone(const char *path, void (*test)(Fixture *, gconstpointer))
{
  g_test_add(path, Fixture, NULL, set_up_alone, test, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(count_warnings, NULL, NULL);
  add_alone("/peer/comes-and-goes", test_comes_and_goes);
  add("/peer/a-successor-is-another", test_is_taken_over);
  add("/peer/the-bus-is-gone", test_bus_gone);
  add_alone("/peer/freed-at-once", test_freed_at_once);
  add("/peer/hears-of-its-object-alone", test_hears_of_its_object_alone);
  add("/peer/a-signal-of-another-type-is-a-warning", test_another_type_is_a_warning);
  add("/peer/hears-of-the-properties-of-its-interface",
      test_hears_of_the_properties_of_its_interface);
  for (guint i = 0; i < G_N_ELEMENTS(questions); i++)
    g_test_add(questions[i].path, Fixture, GUINT_TO_POINTER(i), set_up, test_question, tear_down);
  add("/peer/an-answer-with-a-descriptor", test_descriptor);
  add("/peer/which-process-it-is", test_process);
  add("/peer/no-answer-once-it-has-left", test_no_answer_once_it_has_left);
  add("/peer/no-answer-of-a-predecessor", test_no_answer_of_a_predecessor);
  add("/peer/freed-while-asked", test_freed_while_asked);
  add("/peer/forgets-one-data", test_forgets_one_data);
  add("/peer/forgets-an-answer-that-has-come", test_forgets_an_answer_that_has_come);
  add_alone("/peer/forgets-nothing", test_forgets_nothing);
  add("/peer/freed-by-a-signal", test_freed_by_signal);
  add("/peer/freed-by-an-answer", test_freed_by_answer);
  add("/peer/freed-by-its-leaving", test_freed_by_its_leaving);
  add_alone("/peer/freed-by-its-coming", test_freed_by_its_coming);
  return g_test_run();
}
