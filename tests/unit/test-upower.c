/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/upower.h"

#include "policy/action-settings.h"
#include "private-bus.h"
#include "warning-count.h"

#define UPOWER_NAME  "org.freedesktop.UPower"
#define MANAGER_PATH "/org/freedesktop/UPower"
#define MANAGER      "org.freedesktop.UPower"
#define DEVICE_PATH  "/org/freedesktop/UPower/devices/DisplayDevice"
#define DEVICE       "org.freedesktop.UPower.Device"
#define PROPERTIES   "org.freedesktop.DBus.Properties"

/* ---- UPower ---- */

typedef enum {
  MANNERS_GOOD,
  MANNERS_ERROR,
  MANNERS_CANCELLED, /* an error with the name that GLib has for its own cancelling */
  MANNERS_GARBAGE,   /* an answer of another type */
  MANNERS_HOLD,      /* none until mock_answer() */
} Manners;

/* Text of GVariants, e.g. "{'OnBattery': <true>}". */
typedef struct {
  const char *manager;
  const char *device;
} Values;

typedef struct {
  GDBusConnection *connection;
  guint object_ids[2];
  Manners manners;
  Values values;
  guint n_questions[2]; /* manager, device */
  GPtrArray *held;      /* GDBusMethodInvocation */
} Mock;

static const char introspection[] =
    "<node><interface name='" PROPERTIES "'><method name='GetAll'>"
    "<arg type='s' direction='in'/><arg type='a{sv}' direction='out'/>"
    "</method></interface></node>";

static const Values on_ac = {"{'OnBattery': <false>}",
                             "{'IsPresent': <true>, 'Percentage': <80.0>}"};
static const Values on_battery = {"{'OnBattery': <true>}",
                                  "{'IsPresent': <true>, 'Percentage': <25.0>}"};

static bool
is_for_device(GDBusMethodInvocation *invocation)
{
  return g_str_equal(g_dbus_method_invocation_get_object_path(invocation), DEVICE_PATH);
}

static void
return_values(Mock *mock, GDBusMethodInvocation *invocation)
{
  g_autoptr(GError) error = NULL;
  const char *text = is_for_device(invocation) ? mock->values.device : mock->values.manager;
  GVariant *properties = g_variant_parse(G_VARIANT_TYPE_VARDICT, text, NULL, NULL, &error);

  g_assert_no_error(error);
  g_dbus_method_invocation_return_value(invocation, g_variant_new("(@a{sv})", properties));
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
  const char *asked_for;

  g_variant_get(parameters, "(&s)", &asked_for);
  g_assert_cmpstr(asked_for, ==, is_for_device(invocation) ? DEVICE : MANAGER);
  mock->n_questions[is_for_device(invocation)]++;

  switch (mock->manners) {
  case MANNERS_GOOD:
    return_values(mock, invocation);
    break;
  case MANNERS_ERROR:
    g_dbus_method_invocation_return_dbus_error(
        invocation, "org.freedesktop.DBus.Error.UnknownObject", "No such object");
    break;
  case MANNERS_CANCELLED:
    g_dbus_method_invocation_return_error(invocation, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                                          "Operation was cancelled");
    break;
  case MANNERS_GARBAGE:
    private_bus_answer(invocation, g_variant_new("(s)", "no properties here"));
    break;
  case MANNERS_HOLD:
    g_ptr_array_add(mock->held, invocation);
    break;
  }
}

/* Takes the name over from whoever has it. */
static Mock *
mock_new(PrivateBus *bus, Values values)
{
  static const GDBusInterfaceVTable vtable = {.method_call = mock_called};
  static const char *const paths[] = {MANAGER_PATH, DEVICE_PATH};
  g_autoptr(GError) error = NULL;
  g_autoptr(GDBusNodeInfo) info = g_dbus_node_info_new_for_xml(introspection, &error);
  Mock *mock = g_new0(Mock, 1);

  g_assert_no_error(error);
  mock->values = values;
  mock->held = g_ptr_array_new();
  mock->connection = private_bus_connect(bus);
  for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
    mock->object_ids[i] = g_dbus_connection_register_object(
        mock->connection, paths[i], info->interfaces[0], &vtable, mock, NULL, &error);
    g_assert_no_error(error);
  }
  private_bus_own_name(mock->connection, UPOWER_NAME);
  return mock;
}

/* It leaves the bus; held questions stay without an answer. */
static void
mock_free(Mock *mock)
{
  for (guint i = 0; i < G_N_ELEMENTS(mock->object_ids); i++)
    g_dbus_connection_unregister_object(mock->connection, mock->object_ids[i]);
  private_bus_disconnect(mock->connection);
  g_ptr_array_set_free_func(mock->held, g_object_unref);
  g_ptr_array_unref(mock->held);
  g_free(mock);
}

/* Answers the oldest held question with the present values. */
static void
mock_answer(Mock *mock)
{
  g_assert_cmpuint(mock->held->len, >, 0);
  return_values(mock, g_ptr_array_steal_index(mock->held, 0));
}

static void
mock_wait_for_held(Mock *mock, guint n)
{
  while (mock->held->len < n)
    g_main_context_iteration(NULL, TRUE);
}

/* Its content is empty: what counts is what a question is answered. */
static void
emit_changed(GDBusConnection *connection, const char *path, const char *interface)
{
  g_autoptr(GError) error = NULL;

  g_dbus_connection_emit_signal(connection, NULL, path, PROPERTIES, "PropertiesChanged",
                                g_variant_new("(sa{sv}as)", interface, NULL, NULL), &error);
  g_assert_no_error(error);
}

static void
mock_change(Mock *mock, Values values)
{
  mock->values = values;
  emit_changed(mock->connection, MANAGER_PATH, MANAGER);
  emit_changed(mock->connection, DEVICE_PATH, DEVICE);
}

/* ---- The tests ---- */

typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  Mock *mock;
  EppdUPower *upower;
  guint n_changed;
} Fixture;

static void
changed(gpointer data)
{
  ((Fixture *)data)->n_changed++;
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  n_warnings = 0;
  fixture->bus = private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  fixture->mock = mock_new(fixture->bus, on_ac);
  fixture->upower = eppd_upower_new(fixture->daemon, changed, fixture);
  g_assert_cmpuint(fixture->n_changed, ==, 0);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->upower, eppd_upower_free);
  g_clear_pointer(&fixture->mock, mock_free);
  g_clear_pointer(&fixture->daemon, private_bus_disconnect);
  private_bus_free(fixture->bus);
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

static bool
tells(const EppdUPower *upower, EppdPowerSource expected, double percent)
{
  EppdPowerSource source;

  return eppd_upower_source(upower, &source) && source == expected &&
         eppd_upower_battery_percent(upower) == percent;
}

static bool
tells_nothing(const EppdUPower *upower)
{
  EppdPowerSource source = EPPD_POWER_SOURCE_BATTERY;

  if (eppd_upower_source(upower, &source))
    return false;
  g_assert_cmpuint(source, ==, EPPD_POWER_SOURCE_BATTERY);
  return eppd_upower_battery_percent(upower) == EPPD_BATTERY_UNKNOWN;
}

static void
wait_until_tells(Fixture *fixture, EppdPowerSource source, double percent)
{
  while (!tells(fixture->upower, source, percent))
    g_main_context_iteration(NULL, TRUE);
}

static void
wait_until_tells_nothing(Fixture *fixture)
{
  while (!tells_nothing(fixture->upower))
    g_main_context_iteration(NULL, TRUE);
}

static void
test_values(Fixture *fixture, gconstpointer data)
{
  static const struct {
    const char *what;
    Values values;
    int source; /* -1: unknown */
    double percent;
  } cases[] = {
      {"on AC",
       {"{'OnBattery': <false>}", "{'IsPresent': <true>, 'Percentage': <80.5>}"},
       EPPD_POWER_SOURCE_AC,
       80.5},
      {"on battery, among other properties",
       {"{'LidIsClosed': <true>, 'OnBattery': <true>, 'DaemonVersion': <'1.90'>}",
        "{'Percentage': <7.0>, 'State': <uint32 2>, 'IsPresent': <true>}"},
       EPPD_POWER_SOURCE_BATTERY,
       7},
      {"no battery",
       {"{'OnBattery': <false>}", "{'IsPresent': <false>, 'Percentage': <0.0>}"},
       EPPD_POWER_SOURCE_AC,
       EPPD_BATTERY_UNKNOWN},
      {"an empty battery",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <0.0>}"},
       EPPD_POWER_SOURCE_BATTERY,
       0},
      {"more than full",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <104.0>}"},
       EPPD_POWER_SOURCE_BATTERY,
       100},
      {"a negative level",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <-3.0>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"a level that is no number",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <nan>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"an infinite level",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <inf>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"a level of another type",
       {"{'OnBattery': <true>}", "{'IsPresent': <true>, 'Percentage': <uint32 40>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"a presence of another type",
       {"{'OnBattery': <true>}", "{'IsPresent': <'yes'>, 'Percentage': <40.0>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"a level without a presence",
       {"{'OnBattery': <true>}", "{'Percentage': <40.0>}"},
       EPPD_POWER_SOURCE_BATTERY,
       EPPD_BATTERY_UNKNOWN},
      {"a source of another type",
       {"{'OnBattery': <'true'>}", "{'IsPresent': <true>, 'Percentage': <40.0>}"},
       -1,
       40},
      {"a source in a box too many",
       {"{'OnBattery': <<true>>}", "{'IsPresent': <true>, 'Percentage': <40.0>}"},
       -1,
       40},
      {"nothing", {"{}", "{}"}, -1, EPPD_BATTERY_UNKNOWN},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    EppdPowerSource source = EPPD_POWER_SOURCE_AC;

    g_test_message("%s", cases[i].what);
    g_clear_pointer(&fixture->upower, eppd_upower_free);
    fixture->mock->values = cases[i].values;
    fixture->upower = eppd_upower_new(fixture->daemon, changed, fixture);
    fixture->mock->n_questions[1] = 0;
    while (fixture->mock->n_questions[1] == 0)
      g_main_context_iteration(NULL, TRUE);
    settle(fixture, fixture->mock->connection);

    g_assert_cmpint(eppd_upower_source(fixture->upower, &source) ? (int)source : -1, ==,
                    cases[i].source);
    g_assert_cmpfloat(eppd_upower_battery_percent(fixture->upower), ==, cases[i].percent);
  }
}

static void
test_not_there(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->upower, eppd_upower_free);
  g_clear_pointer(&fixture->mock, mock_free);
  fixture->upower = eppd_upower_new(fixture->daemon, changed, fixture);
  settle(fixture, fixture->daemon);
  g_assert_true(tells_nothing(fixture->upower));
  g_assert_cmpuint(fixture->n_changed, ==, 0);
}

static void
test_not_answered(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_held(fixture->mock, 2);
  g_assert_true(tells_nothing(fixture->upower));
  g_assert_cmpuint(fixture->n_changed, ==, 0);
}

static void
test_follows(Fixture *fixture, gconstpointer data)
{
  wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);
  /* Once for each of the two. */
  g_assert_cmpuint(fixture->n_changed, ==, 2);

  mock_change(fixture->mock, on_battery);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);
  g_assert_cmpuint(fixture->n_changed, ==, 4);

  /* News that are none. */
  mock_change(fixture->mock, on_battery);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->mock->n_questions[0], ==, 3);
  g_assert_cmpuint(fixture->n_changed, ==, 4);
}

static void
test_comes_and_goes(Fixture *fixture, gconstpointer data)
{
  guint n_changed;

  for (guint i = 0; i < 3; i++) {
    wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);
    n_changed = fixture->n_changed;
    g_clear_pointer(&fixture->mock, mock_free);
    wait_until_tells_nothing(fixture);
    g_assert_cmpuint(fixture->n_changed, ==, n_changed + 1);

    fixture->mock = mock_new(fixture->bus, on_battery);
    wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);
    g_assert_cmpuint(fixture->n_changed, ==, n_changed + 3);
    mock_change(fixture->mock, on_ac);
  }
}

static void
test_a_change_while_asked(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_held(fixture->mock, 2);

  /* The first answer was made before the change, and comes after the news of it. */
  mock_change(fixture->mock, on_battery);
  mock_change(fixture->mock, on_battery);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->mock->held->len, ==, 2);
  fixture->mock->values = on_ac;
  mock_answer(fixture->mock);
  mock_answer(fixture->mock);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);

  fixture->mock->values = on_battery;
  mock_wait_for_held(fixture->mock, 2);
  mock_answer(fixture->mock);
  mock_answer(fixture->mock);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);

  /* Once more for all the changes meanwhile. */
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->mock->n_questions[0], ==, 2);
  g_assert_cmpuint(fixture->mock->n_questions[1], ==, 2);
}

static void
test_a_predecessors_answer(Fixture *fixture, gconstpointer data)
{
  Mock *before = fixture->mock;

  before->manners = MANNERS_HOLD;
  mock_wait_for_held(before, 2);
  fixture->mock = mock_new(fixture->bus, on_battery);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);

  mock_answer(before);
  mock_answer(before);
  mock_change(before, on_ac);
  settle(fixture, before->connection);
  g_assert_true(tells(fixture->upower, EPPD_POWER_SOURCE_BATTERY, 25));
  g_assert_cmpuint(before->n_questions[0], ==, 1);
  g_assert_cmpuint(fixture->mock->n_questions[0], ==, 1);
  mock_free(before);
}

static void
test_a_strangers_signal(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *stranger = private_bus_connect(fixture->bus);

  wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);
  emit_changed(stranger, MANAGER_PATH, MANAGER);
  emit_changed(fixture->mock->connection, DEVICE_PATH, "org.freedesktop.UPower.Device.Other");
  settle(fixture, stranger);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->mock->n_questions[0], ==, 1);
  g_assert_cmpuint(fixture->mock->n_questions[1], ==, 1);
  private_bus_disconnect(stranger);
}

static const struct {
  const char *path;
  Manners manners;
} failures[] = {
    {"/upower/an-error-is-nothing-known", MANNERS_ERROR},
    {"/upower/an-error-that-looks-cancelled-is-nothing-known", MANNERS_CANCELLED},
    {"/upower/an-answer-of-another-type-is-nothing-known", MANNERS_GARBAGE},
};

static void
test_failure(Fixture *fixture, gconstpointer data)
{
  wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);
  fixture->mock->manners = failures[GPOINTER_TO_UINT(data)].manners;
  mock_change(fixture->mock, on_battery);
  wait_until_tells_nothing(fixture);
  mock_change(fixture->mock, on_battery);
  settle(fixture, fixture->mock->connection);
  g_assert_true(tells_nothing(fixture->upower));
  g_assert_cmpuint(n_warnings, ==, 4);

  fixture->mock->manners = MANNERS_GOOD;
  mock_change(fixture->mock, on_battery);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);
}

static void
test_dies_while_asked(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_held(fixture->mock, 2);
  g_clear_pointer(&fixture->mock, mock_free);
  settle(fixture, fixture->daemon);
  g_assert_true(tells_nothing(fixture->upower));
  g_assert_cmpuint(fixture->n_changed, ==, 0);

  fixture->mock = mock_new(fixture->bus, on_battery);
  wait_until_tells(fixture, EPPD_POWER_SOURCE_BATTERY, 25);
  g_assert_cmpuint(n_warnings, ==, 0);
}

static void
test_freed_while_asked(Fixture *fixture, gconstpointer data)
{
  fixture->mock->manners = MANNERS_HOLD;
  mock_wait_for_held(fixture->mock, 2);
  g_clear_pointer(&fixture->upower, eppd_upower_free);
  mock_answer(fixture->mock);
  mock_answer(fixture->mock);
  mock_change(fixture->mock, on_battery);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->n_changed, ==, 0);
}

static void
test_freed_at_once(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->upower, eppd_upower_free);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->n_changed, ==, 0);
  g_assert_cmpuint(fixture->mock->n_questions[0], ==, 0);
}

static void
free_when_changed(gpointer data)
{
  Fixture *fixture = data;

  fixture->n_changed++;
  g_clear_pointer(&fixture->upower, eppd_upower_free);
}

static void
test_freed_when_told(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->upower, eppd_upower_free);
  fixture->upower = eppd_upower_new(fixture->daemon, free_when_changed, fixture);
  while (fixture->upower)
    g_main_context_iteration(NULL, TRUE);
  settle(fixture, fixture->mock->connection);
  g_assert_cmpuint(fixture->n_changed, ==, 1);
}

static void
test_bus_gone(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;
  guint n_changed;

  wait_until_tells(fixture, EPPD_POWER_SOURCE_AC, 80);
  n_changed = fixture->n_changed;
  g_dbus_connection_close_sync(fixture->daemon, NULL, &error);
  g_assert_no_error(error);
  wait_until_tells_nothing(fixture);
  g_assert_cmpuint(fixture->n_changed, ==, n_changed + 1);
  g_clear_pointer(&fixture->upower, eppd_upower_free);
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
  add("/upower/each-value-is-checked", test_values);
  add("/upower/nothing-known-while-it-is-not-there", test_not_there);
  add("/upower/nothing-known-until-it-answers", test_not_answered);
  add("/upower/follows-changes", test_follows);
  add("/upower/comes-and-goes", test_comes_and_goes);
  add("/upower/a-change-while-asked-is-asked-for-again", test_a_change_while_asked);
  add("/upower/a-predecessors-answer-is-not-its-own", test_a_predecessors_answer);
  add("/upower/a-strangers-signal-is-not-its-own", test_a_strangers_signal);
  for (guint i = 0; i < G_N_ELEMENTS(failures); i++)
    g_test_add(failures[i].path, Fixture, GUINT_TO_POINTER(i), set_up, test_failure, tear_down);
  add("/upower/dies-while-asked", test_dies_while_asked);
  add("/upower/freed-while-asked", test_freed_while_asked);
  add("/upower/freed-at-once", test_freed_at_once);
  add("/upower/freed-when-told", test_freed_when_told);
  add("/upower/nothing-known-when-the-bus-is-gone", test_bus_gone);
  return g_test_run();
}
