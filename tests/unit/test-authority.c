/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/authority.h"
#include "mock-polkit.h"
#include "private-bus.h"
#include "skip.h"

#include <string.h>
#include <unistd.h>

#define ACTION "org.eppd.hold-boost"

typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  GDBusConnection *user; /* not root's */
  MockPolkit *polkit;
  EppdAuthority *authority;
} Fixture;

typedef struct {
  bool is_done;
  EppdCaller *caller;
  GError *error;
} Outcome;

static void
outcome_clear(Outcome *outcome)
{
  g_clear_pointer(&outcome->caller, eppd_caller_free);
  g_clear_error(&outcome->error);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Outcome, outcome_clear)

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->bus = private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  fixture->user = private_bus_connect_as(fixture->bus, private_bus_plain_uid());
  fixture->polkit = mock_polkit_new(fixture->bus);
  fixture->authority = eppd_authority_new(fixture->daemon);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->authority, eppd_authority_free);
  g_clear_pointer(&fixture->polkit, mock_polkit_free);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  private_bus_disconnect(fixture->daemon);
  private_bus_free(fixture->bus);
}

static void
checked(GObject *source, GAsyncResult *result, gpointer data)
{
  Outcome *outcome = data;

  g_assert_false(outcome->is_done);
  outcome->caller = eppd_authority_check_finish(result, &outcome->error);
  outcome->is_done = true;
}

static void
begin_check(Fixture *fixture, const char *sender, const char *action_id, Outcome *outcome)
{
  eppd_authority_check_async(fixture->authority, sender, action_id, checked, outcome);
  g_assert_false(outcome->is_done);
}

static void
check(Fixture *fixture, GDBusConnection *sender, const char *action_id, Outcome *outcome)
{
  begin_check(fixture, g_dbus_connection_get_unique_name(sender), action_id, outcome);
  private_bus_wait(&outcome->is_done);
}

static void
assert_allowed(const Outcome *outcome, GDBusConnection *sender, uid_t uid)
{
  g_assert_no_error(outcome->error);
  g_assert_cmpstr(outcome->caller->name, ==, g_dbus_connection_get_unique_name(sender));
  g_assert_cmpuint(outcome->caller->uid, ==, uid);
}

static void
assert_denied(const Outcome *outcome, const char *message)
{
  g_assert_error(outcome->error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
  g_assert_cmpstr(outcome->error->message, ==, message);
  g_assert_null(outcome->caller);
}

static void
test_allowed(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};
  g_autofree char *question = g_strdup_printf("system-bus-name %s " ACTION " 0",
                                              g_dbus_connection_get_unique_name(fixture->user));

  check(fixture, fixture->user, ACTION, &outcome);
  assert_allowed(&outcome, fixture->user, private_bus_plain_uid());
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 1);
  g_assert_cmpstr(mock_polkit_question(fixture->polkit, 0), ==, question);
}

static const struct {
  const char *path;
  MockPolkitMode mode;
  const char *message;
} refusals[] = {
    {"/authority/denied-without-authorisation", MOCK_POLKIT_DENY, "Not Authorized: " ACTION},
    {"/authority/denied-when-it-needs-a-password", MOCK_POLKIT_CHALLENGE,
     "Not Authorized: " ACTION},
    {"/authority/denied-when-polkit-fails", MOCK_POLKIT_ERROR,
     "Not Authorized: " ACTION " (polkit failed: Action is not registered)"},
};

static void
test_refused(Fixture *fixture, gconstpointer data)
{
  guint i = GPOINTER_TO_UINT(data);
  g_auto(Outcome) outcome = {0};

  mock_polkit_set_mode(fixture->polkit, refusals[i].mode);
  check(fixture, fixture->user, ACTION, &outcome);
  assert_denied(&outcome, refusals[i].message);
}

static void
test_garbage(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};

  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_GARBAGE);
  check(fixture, fixture->user, ACTION, &outcome);
  g_assert_error(outcome.error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
  g_assert_true(
      g_str_has_prefix(outcome.error->message, "Not Authorized: " ACTION " (polkit failed: "));
}

static void
test_silent(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) known = {0};
  g_auto(Outcome) outcome = {0};

  /* The bus has told who asks, so that polkit's silence alone is timed. */
  check(fixture, fixture->user, NULL, &known);
  eppd_authority_set_timeout_usec(fixture->authority, 2 * G_USEC_PER_SEC);
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  check(fixture, fixture->user, ACTION, &outcome);
  assert_denied(&outcome, "Not Authorized: " ACTION " (polkit did not answer within 2000 ms)");
  mock_polkit_wait_for(fixture->polkit, 1);
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 1);
}

static void
test_missing(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};

  g_clear_pointer(&fixture->polkit, mock_polkit_free);
  check(fixture, fixture->user, ACTION, &outcome);
  assert_denied(&outcome,
                "Not Authorized: " ACTION " (polkit is not running, and only root may without it)");
}

static void
test_polkit_dies(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};

  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  begin_check(fixture, g_dbus_connection_get_unique_name(fixture->user), ACTION, &outcome);
  mock_polkit_wait_for(fixture->polkit, 1);
  g_clear_pointer(&fixture->polkit, mock_polkit_free);
  private_bus_wait(&outcome.is_done);
  assert_denied(&outcome, "Not Authorized: " ACTION " (polkit ended without an answer)");
}

static void
test_comes_later(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) before = {0};
  g_auto(Outcome) after = {0};

  g_clear_pointer(&fixture->polkit, mock_polkit_free);
  check(fixture, fixture->user, ACTION, &before);
  g_assert_nonnull(before.error);

  fixture->polkit = mock_polkit_new(fixture->bus);
  check(fixture, fixture->user, ACTION, &after);
  assert_allowed(&after, fixture->user, private_bus_plain_uid());
}

static void
test_second_first(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) first = {0};
  g_auto(Outcome) second = {0};
  const char *name = g_dbus_connection_get_unique_name(fixture->user);

  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  begin_check(fixture, name, ACTION, &first);
  begin_check(fixture, name, "org.eppd.configure", &second);
  mock_polkit_wait_for(fixture->polkit, 2);
  g_assert_nonnull(strstr(mock_polkit_question(fixture->polkit, 1), "org.eppd.configure"));

  mock_polkit_answer(fixture->polkit, 1, MOCK_POLKIT_DENY);
  private_bus_wait(&second.is_done);
  g_assert_false(first.is_done);
  assert_denied(&second, "Not Authorized: org.eppd.configure");

  mock_polkit_answer(fixture->polkit, 0, MOCK_POLKIT_ALLOW);
  private_bus_wait(&first.is_done);
  assert_allowed(&first, fixture->user, private_bus_plain_uid());
}

static void
test_identity_only(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};

  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_DENY);
  check(fixture, fixture->user, NULL, &outcome);
  assert_allowed(&outcome, fixture->user, private_bus_plain_uid());
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 0);
}

static void
test_root(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};

  if (geteuid() != 0) {
    skip_lacking_root("no caller can be uid 0");
    return;
  }
  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_DENY);
  check(fixture, fixture->daemon, ACTION, &outcome);
  assert_allowed(&outcome, fixture->daemon, 0);
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 0);
}

static void
test_sender_gone(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};
  g_autofree char *name = g_strdup(g_dbus_connection_get_unique_name(fixture->user));

  g_clear_pointer(&fixture->user, private_bus_disconnect);
  begin_check(fixture, name, ACTION, &outcome);
  private_bus_wait(&outcome.is_done);
  g_assert_error(outcome.error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
  g_assert_nonnull(strstr(outcome.error->message, name));
  g_assert_cmpuint(mock_polkit_n_questions(fixture->polkit), ==, 0);
}

static void
test_no_unique_name(Fixture *fixture, gconstpointer data)
{
  /* The second is on the bus: it may change hands between the two questions. */
  static const char *const names[] = {NULL, "org.freedesktop.PolicyKit1", "", ":", ":1", ":1.2:3"};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    g_auto(Outcome) outcome = {0};

    begin_check(fixture, names[i], ACTION, &outcome);
    private_bus_wait(&outcome.is_done);
    assert_denied(&outcome, "The caller has no unique bus name");
  }
}

static void
test_freed_meanwhile(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) asking_bus = {0};
  g_auto(Outcome) asking_polkit = {0};
  const char *name = g_dbus_connection_get_unique_name(fixture->user);

  mock_polkit_set_mode(fixture->polkit, MOCK_POLKIT_HOLD);
  begin_check(fixture, name, ACTION, &asking_polkit);
  mock_polkit_wait_for(fixture->polkit, 1);
  begin_check(fixture, name, ACTION, &asking_bus);
  g_clear_pointer(&fixture->authority, eppd_authority_free);
  private_bus_wait(&asking_polkit.is_done);
  private_bus_wait(&asking_bus.is_done);
  g_assert_error(asking_polkit.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_error(asking_bus.error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_bus_gone(Fixture *fixture, gconstpointer data)
{
  g_auto(Outcome) outcome = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusConnection) lost = private_bus_connect(fixture->bus);
  g_autoptr(EppdAuthority) authority = eppd_authority_new(lost);

  g_dbus_connection_close_sync(lost, NULL, &error);
  g_assert_no_error(error);
  eppd_authority_check_async(authority, ":1.1", ACTION, checked, &outcome);
  private_bus_wait(&outcome.is_done);
  g_assert_error(outcome.error, G_DBUS_ERROR, G_DBUS_ERROR_ACCESS_DENIED);
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

  add("/authority/allowed-by-polkit-for-the-bus-name", test_allowed);
  for (guint i = 0; i < G_N_ELEMENTS(refusals); i++)
    g_test_add(refusals[i].path, Fixture, GUINT_TO_POINTER(i), set_up, test_refused, tear_down);
  add("/authority/denied-when-polkit-answers-nonsense", test_garbage);
  add("/authority/denied-when-polkit-is-silent", test_silent);
  add("/authority/denied-when-polkit-is-missing", test_missing);
  add("/authority/denied-when-polkit-dies", test_polkit_dies);
  add("/authority/finds-a-polkit-that-comes-later", test_comes_later);
  add("/authority/second-caller-is-answered-first", test_second_first);
  add("/authority/no-action-asks-for-the-identity-alone", test_identity_only);
  add("/authority/root-is-allowed-unasked", test_root);
  add("/authority/error-when-the-sender-left", test_sender_gone);
  add("/authority/error-without-a-unique-name", test_no_unique_name);
  add("/authority/cancelled-when-freed", test_freed_meanwhile);
  add("/authority/error-when-the-bus-is-gone", test_bus_gone);
  return g_test_run();
}
