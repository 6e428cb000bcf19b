/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/sleep-watch.h"

#include "private-bus.h"
#include "warning-count.h"

#include <fcntl.h>
#include <gio/gunixfdlist.h>
#include <glib-unix.h>
#include <poll.h>
#include <unistd.h>

#define LOGIND_NAME "org.freedesktop.login1"
#define LOGIND_PATH "/org/freedesktop/login1"
#define MANAGER     "org.freedesktop.login1.Manager"

/* ---- logind ---- */

typedef enum {
  MANNERS_GOOD,
  MANNERS_ERROR,
  MANNERS_CANCELLED, /* an error with the name that GLib has for its own cancelling */
  MANNERS_GARBAGE,   /* an answer of another type */
  MANNERS_NO_FD,     /* a handle, and no descriptor with it */
  MANNERS_BAD_INDEX, /* a handle past the descriptors */
  MANNERS_HOLD,      /* none until mock_answer() */
} Manners;

typedef struct {
  GDBusConnection *connection;
  guint object_id;
  Manners manners;
  guint n_questions;
  GDBusMethodInvocation *held;
  int inhibitor_fd; /* the end of ours of the last one given; -1 before */
} Mock;

static const char introspection[] = "<node><interface name='" MANAGER "'><method name='Inhibit'>"
                                    "<arg type='s' direction='in'/><arg type='s' direction='in'/>"
                                    "<arg type='s' direction='in'/><arg type='s' direction='in'/>"
                                    "<arg type='h' direction='out'/>"
                                    "</method></interface></node>";

static void
close_fd(int *fd)
{
  if (*fd >= 0)
    g_assert_cmpint(close(*fd), ==, 0);
  *fd = -1;
}

static void
return_inhibitor(Mock *mock, GDBusMethodInvocation *invocation, gint32 handle)
{
  g_autoptr(GUnixFDList) fds = NULL;
  int ends[2];

  g_assert_cmpint(pipe2(ends, O_CLOEXEC), ==, 0);
  close_fd(&mock->inhibitor_fd);
  mock->inhibitor_fd = ends[0];
  fds = g_unix_fd_list_new_from_array(&ends[1], 1);
  g_dbus_method_invocation_return_value_with_unix_fd_list(invocation, g_variant_new("(h)", handle),
                                                          fds);
}

static void
answer(Mock *mock, GDBusMethodInvocation *invocation)
{
  switch (mock->manners) {
  case MANNERS_GOOD:
    return_inhibitor(mock, invocation, 0);
    break;
  case MANNERS_ERROR:
    g_dbus_method_invocation_return_dbus_error(
        invocation, "org.freedesktop.login1.OperationInProgress", "Already running");
    break;
  case MANNERS_CANCELLED:
    g_dbus_method_invocation_return_error(invocation, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                                          "Operation was cancelled");
    break;
  case MANNERS_GARBAGE:
    private_bus_answer(invocation, g_variant_new("(i)", 0));
    break;
  case MANNERS_NO_FD:
    g_dbus_method_invocation_return_value(invocation, g_variant_new("(h)", 0));
    break;
  case MANNERS_BAD_INDEX:
    return_inhibitor(mock, invocation, 1);
    break;
  case MANNERS_HOLD:
    g_assert_null(mock->held);
    mock->held = invocation;
    break;
  }
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
  const char *what;
  const char *who;
  const char *why;
  const char *mode;

  g_variant_get(parameters, "(&s&s&s&s)", &what, &who, &why, &mode);
  g_assert_cmpstr(what, ==, "sleep");
  g_assert_cmpstr(who, ==, "eppd");
  g_assert_cmpstr(why, !=, "");
  g_assert_cmpstr(mode, ==, "delay");
  mock->n_questions++;
  answer(mock, invocation);
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
  mock->inhibitor_fd = -1;
  mock->connection = private_bus_connect(bus);
  mock->object_id = g_dbus_connection_register_object(
      mock->connection, LOGIND_PATH, info->interfaces[0], &vtable, mock, NULL, &error);
  g_assert_no_error(error);
  private_bus_own_name(mock->connection, LOGIND_NAME);
  return mock;
}

/* It leaves the bus; a held question stays without an answer. */
static void
mock_free(Mock *mock)
{
  g_dbus_connection_unregister_object(mock->connection, mock->object_id);
  private_bus_disconnect(mock->connection);
  g_clear_object(&mock->held);
  close_fd(&mock->inhibitor_fd);
  g_free(mock);
}

/* Answers the held question. */
static void
mock_answer(Mock *mock)
{
  g_assert_nonnull(mock->held);
  return_inhibitor(mock, g_steal_pointer(&mock->held), 0);
}

static void
mock_wait_for_questions(Mock *mock, guint n)
{
  while (mock->n_questions < n)
    g_main_context_iteration(NULL, TRUE);
}

static gboolean
released(int fd, GIOCondition condition, gpointer data)
{
  *(bool *)data = true;
  return G_SOURCE_REMOVE;
}

/* Until nobody has the inhibitor any more. */
static void
wait_for_release(int fd)
{
  bool is_released = false;

  g_assert_cmpint(fd, >=, 0);
  g_unix_fd_add(fd, G_IO_HUP, released, &is_released);
  private_bus_wait(&is_released);
}

static bool
is_held(const Mock *mock)
{
  struct pollfd end = {.fd = mock->inhibitor_fd};

  g_assert_cmpint(poll(&end, 1, 0), >=, 0);
  return mock->inhibitor_fd >= 0 && !(end.revents & POLLHUP);
}

static void
emit(GDBusConnection *connection, GVariant *parameters)
{
  g_autoptr(GError) error = NULL;

  g_dbus_connection_emit_signal(connection, NULL, LOGIND_PATH, MANAGER, "PrepareForSleep",
                                parameters, &error);
  g_assert_no_error(error);
}

static void
mock_sleeps(Mock *mock, bool sleeps)
{
  emit(mock->connection, g_variant_new("(b)", sleeps));
}

/* ---- The tests ---- */

typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  Mock *mock;
  EppdSleepWatch *watch;
  GString *told;           /* S for sleep, W for wake-up */
  bool was_held_when_told; /* of the last one */
} Fixture;

static void
changed(bool sleeps, gpointer data)
{
  Fixture *fixture = data;

  g_string_append_c(fixture->told, sleeps ? 'S' : 'W');
  fixture->was_held_when_told = fixture->mock && is_held(fixture->mock);
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  n_warnings = 0;
  fixture->bus = private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  fixture->told = g_string_new(NULL);
  fixture->mock = mock_new(fixture->bus);
  fixture->watch = eppd_sleep_watch_new(fixture->daemon, changed, fixture);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  g_clear_pointer(&fixture->mock, mock_free);
  g_clear_pointer(&fixture->daemon, private_bus_disconnect);
  private_bus_free(fixture->bus);
  g_string_free(fixture->told, TRUE);
}

/* Until a signal of @other's, the question that follows and its answer have all been seen. */
static void
settle(Fixture *fixture, GDBusConnection *other)
{
  for (guint i = 0; i < 4; i++) {
    private_bus_settle(other);
    private_bus_settle(fixture->daemon);
  }
}

static void
settle_mock(Fixture *fixture)
{
  settle(fixture, fixture->mock->connection);
}

static void
wait_for_inhibitor(Fixture *fixture, guint n_questions)
{
  mock_wait_for_questions(fixture->mock, n_questions);
  settle_mock(fixture);
  g_assert_true(is_held(fixture->mock));
}

static void
test_sleep(Fixture *fixture, gconstpointer data)
{
  wait_for_inhibitor(fixture, 1);
  for (guint i = 1; i <= 3; i++) {
    g_string_truncate(fixture->told, 0);
    mock_sleeps(fixture->mock, true);
    wait_for_release(fixture->mock->inhibitor_fd);
    g_assert_cmpstr(fixture->told->str, ==, "S");
    g_assert_true(fixture->was_held_when_told);
    settle_mock(fixture);
    g_assert_cmpuint(fixture->mock->n_questions, ==, i);

    mock_sleeps(fixture->mock, false);
    wait_for_inhibitor(fixture, i + 1);
    g_assert_cmpstr(fixture->told->str, ==, "SW");
  }
  g_assert_cmpuint(n_warnings, ==, 0);
}

static void
test_not_there(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  g_clear_pointer(&fixture->mock, mock_free);
  fixture->watch = eppd_sleep_watch_new(fixture->daemon, changed, fixture);
  settle(fixture, fixture->daemon);
  g_assert_cmpstr(fixture->told->str, ==, "");
  g_assert_cmpuint(n_warnings, ==, 0);

  fixture->mock = mock_new(fixture->bus);
  wait_for_inhibitor(fixture, 1);
}

static const struct {
  const char *path;
  Manners manners;
} failures[] = {
    {"/sleep-watch/refused-and-asked-again-after-sleep", MANNERS_ERROR},
    {"/sleep-watch/refused-as-if-cancelled-and-asked-again", MANNERS_CANCELLED},
    {"/sleep-watch/an-answer-of-another-type", MANNERS_GARBAGE},
    {"/sleep-watch/an-answer-without-a-descriptor", MANNERS_NO_FD},
    {"/sleep-watch/an-answer-with-a-bad-handle", MANNERS_BAD_INDEX},
};

static void
test_failure(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = failures[GPOINTER_TO_UINT(data)].manners;
  mock_wait_for_questions(fixture->mock, 1);
  settle_mock(fixture);
  g_assert_cmpuint(n_warnings, ==, 1);
  if (fixture->mock->inhibitor_fd >= 0)
    wait_for_release(fixture->mock->inhibitor_fd);

  /* Its news are followed all the same. */
  mock_sleeps(fixture->mock, true);
  settle_mock(fixture);
  g_assert_cmpstr(fixture->told->str, ==, "S");

  fixture->mock->manners = MANNERS_GOOD;
  mock_sleeps(fixture->mock, false);
  wait_for_inhibitor(fixture, 2);
  g_assert_cmpstr(fixture->told->str, ==, "SW");
}

static void
test_answered_while_asleep(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_questions(fixture->mock, 1);
  mock_sleeps(fixture->mock, true);
  settle_mock(fixture);
  g_assert_cmpstr(fixture->told->str, ==, "S");
  mock_answer(fixture->mock);
  wait_for_release(fixture->mock->inhibitor_fd);

  fixture->mock->manners = MANNERS_GOOD;
  mock_sleeps(fixture->mock, false);
  wait_for_inhibitor(fixture, 2);
}

static void
test_started_while_asleep(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_ERROR;
  mock_wait_for_questions(fixture->mock, 1);
  fixture->mock->manners = MANNERS_GOOD;
  mock_sleeps(fixture->mock, false);
  wait_for_inhibitor(fixture, 2);
  g_assert_cmpstr(fixture->told->str, ==, "W");
}

static void
test_woken_twice(Fixture *fixture, gconstpointer data)
{
  int first_fd;

  wait_for_inhibitor(fixture, 1);
  first_fd = dup(fixture->mock->inhibitor_fd);
  mock_sleeps(fixture->mock, false);
  wait_for_inhibitor(fixture, 2);
  wait_for_release(first_fd);
  close_fd(&first_fd);
}

static void
test_dies_awake(Fixture *fixture, gconstpointer data)
{
  int fd;

  wait_for_inhibitor(fixture, 1);
  fd = dup(fixture->mock->inhibitor_fd);
  g_clear_pointer(&fixture->mock, mock_free);
  wait_for_release(fd);
  close_fd(&fd);
  g_assert_cmpstr(fixture->told->str, ==, "");

  fixture->mock = mock_new(fixture->bus);
  wait_for_inhibitor(fixture, 1);
  g_assert_cmpuint(n_warnings, ==, 0);
}

static void
test_dies_asleep(Fixture *fixture, gconstpointer data)
{
  wait_for_inhibitor(fixture, 1);
  mock_sleeps(fixture->mock, true);
  wait_for_release(fixture->mock->inhibitor_fd);
  g_clear_pointer(&fixture->mock, mock_free);
  while (fixture->told->len < 2)
    g_main_context_iteration(NULL, TRUE);
  g_assert_cmpstr(fixture->told->str, ==, "SW");

  fixture->mock = mock_new(fixture->bus);
  wait_for_inhibitor(fixture, 1);
  g_assert_cmpstr(fixture->told->str, ==, "SW");
}

static void
test_a_predecessors_news(Fixture *fixture, gconstpointer data)
{
  Mock *before = fixture->mock;

  before->manners = MANNERS_HOLD;
  mock_wait_for_questions(before, 1);
  fixture->mock = mock_new(fixture->bus);
  wait_for_inhibitor(fixture, 1);

  mock_answer(before);
  wait_for_release(before->inhibitor_fd);
  mock_sleeps(before, true);
  settle(fixture, before->connection);
  g_assert_cmpstr(fixture->told->str, ==, "");
  g_assert_true(is_held(fixture->mock));
  mock_free(before);
}

static void
test_signals_that_are_none(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *stranger = private_bus_connect(fixture->bus);

  wait_for_inhibitor(fixture, 1);
  emit(stranger, g_variant_new("(b)", TRUE));
  settle(fixture, stranger);
  g_assert_cmpuint(n_warnings, ==, 0);

  emit(fixture->mock->connection, g_variant_new("(s)", "true"));
  emit(fixture->mock->connection, g_variant_new("(bb)", TRUE, TRUE));
  emit(fixture->mock->connection, NULL);
  settle_mock(fixture);
  g_assert_cmpuint(n_warnings, ==, 3);
  g_assert_cmpstr(fixture->told->str, ==, "");
  g_assert_true(is_held(fixture->mock));
  private_bus_disconnect(stranger);
}

static void
test_freed(Fixture *fixture, gconstpointer data)
{
  wait_for_inhibitor(fixture, 1);
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  wait_for_release(fixture->mock->inhibitor_fd);
  mock_sleeps(fixture->mock, true);
  settle_mock(fixture);
  g_assert_cmpstr(fixture->told->str, ==, "");
}

static void
test_freed_while_asked(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_questions(fixture->mock, 1);
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  mock_answer(fixture->mock);
  wait_for_release(fixture->mock->inhibitor_fd);
}

static void
test_freed_at_once(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  settle_mock(fixture);
  g_assert_cmpuint(fixture->mock->n_questions, ==, 0);
}

static void
test_bus_gone(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  wait_for_inhibitor(fixture, 1);
  g_dbus_connection_close_sync(fixture->daemon, NULL, &error);
  g_assert_no_error(error);
  wait_for_release(fixture->mock->inhibitor_fd);
  g_clear_pointer(&fixture->watch, eppd_sleep_watch_free);
  g_clear_object(&fixture->daemon);
}

static void
add(const char *path, void (*test)(Fixture *, gconstpointer))
{
  g_test_add(path, Fixture, NULL, set_up, test, tear_down);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(count_warnings, NULL, NULL);
  add("/sleep-watch/told-before-the-inhibitor-is-released-and-taken-again", test_sleep);
  add("/sleep-watch/nothing-happens-while-logind-is-not-there", test_not_there);
  for (guint i = 0; i < G_N_ELEMENTS(failures); i++)
    g_test_add(failures[i].path, Fixture, GUINT_TO_POINTER(i), set_up, test_failure, tear_down);
  add("/sleep-watch/an-inhibitor-given-during-sleep-is-released", test_answered_while_asleep);
  add("/sleep-watch/started-in-the-middle-of-sleep", test_started_while_asleep);
  add("/sleep-watch/woken-twice-holds-one-inhibitor", test_woken_twice);
  add("/sleep-watch/logind-dies-while-awake", test_dies_awake);
  add("/sleep-watch/logind-dies-asleep-is-a-wake-up", test_dies_asleep);
  add("/sleep-watch/a-predecessors-news-do-not-count", test_a_predecessors_news);
  add("/sleep-watch/signals-that-are-none", test_signals_that_are_none);
  add("/sleep-watch/freed-releases-the-inhibitor", test_freed);
  add("/sleep-watch/freed-while-asked", test_freed_while_asked);
  add("/sleep-watch/freed-at-once", test_freed_at_once);
  add("/sleep-watch/the-bus-is-gone", test_bus_gone);
  return g_test_run();
}
