/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/clients.h"
#include "private-bus.h"

typedef struct {
  PrivateBus *bus;
  GDBusConnection *daemon;
  GDBusConnection *user;
  char *name; /* the user's */
  EppdClients *clients;
  GPtrArray *vanished; /* char* */
  bool unref_when_vanished;
} Fixture;

static void
vanished(const char *name, gpointer data)
{
  Fixture *fixture = data;

  g_assert_false(eppd_clients_is_alive(fixture->clients, name));
  if (fixture->unref_when_vanished)
    eppd_clients_unref(fixture->clients, name);
  g_ptr_array_add(fixture->vanished, g_strdup(name));
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  fixture->bus = private_bus_new();
  fixture->daemon = private_bus_connect(fixture->bus);
  fixture->user = private_bus_connect_as(fixture->bus, private_bus_plain_uid());
  fixture->name = g_strdup(g_dbus_connection_get_unique_name(fixture->user));
  fixture->clients = eppd_clients_new(fixture->daemon, vanished, fixture);
  fixture->vanished = g_ptr_array_new_with_free_func(g_free);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->clients, eppd_clients_free);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  g_clear_pointer(&fixture->daemon, private_bus_disconnect);
  private_bus_free(fixture->bus);
  g_ptr_array_unref(fixture->vanished);
  g_free(fixture->name);
}

static void
wait_for_vanished(Fixture *fixture, guint n)
{
  while (fixture->vanished->len < n)
    g_main_context_iteration(NULL, TRUE);
}

/* A second client comes and goes: what the bus had to say about the first is then said. */
static void
see_another_vanish(Fixture *fixture)
{
  GDBusConnection *other = private_bus_connect(fixture->bus);
  g_autofree char *name = g_strdup(g_dbus_connection_get_unique_name(other));
  guint before = fixture->vanished->len;

  eppd_clients_ref(fixture->clients, name);
  private_bus_disconnect(other);
  while (eppd_clients_is_alive(fixture->clients, name))
    g_main_context_iteration(NULL, TRUE);
  if (!fixture->unref_when_vanished)
    eppd_clients_unref(fixture->clients, name);
  g_assert_cmpuint(fixture->vanished->len, ==, before + 1);
  g_assert_cmpstr(fixture->vanished->pdata[before], ==, name);
  g_ptr_array_set_size(fixture->vanished, (int)before);
}

static void
test_alive(Fixture *fixture, gconstpointer data)
{
  g_assert_false(eppd_clients_is_alive(fixture->clients, fixture->name));
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);

  eppd_clients_ref(fixture->clients, fixture->name);
  g_assert_true(eppd_clients_is_alive(fixture->clients, fixture->name));
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);

  see_another_vanish(fixture);
  g_assert_true(eppd_clients_is_alive(fixture->clients, fixture->name));
  g_assert_cmpuint(fixture->vanished->len, ==, 0);
}

static void
test_vanishes(Fixture *fixture, gconstpointer data)
{
  eppd_clients_ref(fixture->clients, fixture->name);
  /* Twice: it is still one name. */
  eppd_clients_ref(fixture->clients, fixture->name);
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);

  g_clear_pointer(&fixture->user, private_bus_disconnect);
  wait_for_vanished(fixture, 1);
  g_assert_cmpstr(fixture->vanished->pdata[0], ==, fixture->name);
  g_assert_false(eppd_clients_is_alive(fixture->clients, fixture->name));
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);

  /* One more reference to the dead one changes nothing. */
  eppd_clients_ref(fixture->clients, fixture->name);
  see_another_vanish(fixture);
  g_assert_false(eppd_clients_is_alive(fixture->clients, fixture->name));
  g_assert_cmpuint(fixture->vanished->len, ==, 1);

  for (guint i = 0; i < 3; i++) {
    g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 1);
    eppd_clients_unref(fixture->clients, fixture->name);
  }
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
}

static void
test_already_gone(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  /* The bus knows by now. */
  see_another_vanish(fixture);

  eppd_clients_ref(fixture->clients, fixture->name);
  g_assert_cmpuint(fixture->vanished->len, ==, 0);
  wait_for_vanished(fixture, 1);
  g_assert_cmpstr(fixture->vanished->pdata[0], ==, fixture->name);
}

static void
test_released(Fixture *fixture, gconstpointer data)
{
  eppd_clients_ref(fixture->clients, fixture->name);
  eppd_clients_ref(fixture->clients, fixture->name);
  eppd_clients_unref(fixture->clients, fixture->name);
  g_assert_true(eppd_clients_is_alive(fixture->clients, fixture->name));
  eppd_clients_unref(fixture->clients, fixture->name);
  g_assert_false(eppd_clients_is_alive(fixture->clients, fixture->name));

  g_clear_pointer(&fixture->user, private_bus_disconnect);
  see_another_vanish(fixture);
  g_assert_cmpuint(fixture->vanished->len, ==, 0);
}

static void
test_released_after_its_end(Fixture *fixture, gconstpointer data)
{
  eppd_clients_ref(fixture->clients, fixture->name);
  private_bus_settle(fixture->daemon);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  /* Whether or not the signal is on its way by now, nobody wants to hear of it. */
  eppd_clients_unref(fixture->clients, fixture->name);
  see_another_vanish(fixture);
  g_assert_cmpuint(fixture->vanished->len, ==, 0);
}

static void
test_unref_within(Fixture *fixture, gconstpointer data)
{
  fixture->unref_when_vanished = true;
  eppd_clients_ref(fixture->clients, fixture->name);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  wait_for_vanished(fixture, 1);
  g_assert_cmpstr(fixture->vanished->pdata[0], ==, fixture->name);
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, 0);
}

static void
test_many(Fixture *fixture, gconstpointer data)
{
  GDBusConnection *users[20];

  for (guint i = 0; i < G_N_ELEMENTS(users); i++) {
    users[i] = private_bus_connect(fixture->bus);
    eppd_clients_ref(fixture->clients, g_dbus_connection_get_unique_name(users[i]));
  }
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, G_N_ELEMENTS(users));
  for (guint i = 0; i < G_N_ELEMENTS(users); i++) {
    g_autofree char *name = g_strdup(g_dbus_connection_get_unique_name(users[i]));

    private_bus_disconnect(users[i]);
    wait_for_vanished(fixture, i + 1);
    g_assert_cmpstr(fixture->vanished->pdata[i], ==, name);
  }
}

static void
test_bus_gone(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GError) error = NULL;

  eppd_clients_ref(fixture->clients, fixture->name);
  private_bus_settle(fixture->daemon);
  g_dbus_connection_close_sync(fixture->daemon, NULL, &error);
  g_assert_no_error(error);
  wait_for_vanished(fixture, 1);
  g_clear_pointer(&fixture->clients, eppd_clients_free);
  g_clear_object(&fixture->daemon);
  g_assert_cmpuint(fixture->vanished->len, ==, 1);
}

static void
test_freed(Fixture *fixture, gconstpointer data)
{
  eppd_clients_ref(fixture->clients, fixture->name);
  g_clear_pointer(&fixture->clients, eppd_clients_free);
  g_clear_pointer(&fixture->user, private_bus_disconnect);
  private_bus_settle(fixture->daemon);
  g_assert_cmpuint(fixture->vanished->len, ==, 0);
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

  add("/clients/alive-while-on-the-bus", test_alive);
  add("/clients/vanishes-once", test_vanishes);
  add("/clients/notices-one-that-left-before", test_already_gone);
  add("/clients/not-watched-after-the-last-unref", test_released);
  add("/clients/quiet-when-released-after-its-end", test_released_after_its_end);
  add("/clients/unref-from-within-vanished", test_unref_within);
  add("/clients/many-names-vanish-each-by-itself", test_many);
  add("/clients/the-bus-ends", test_bus_gone);
  add("/clients/quiet-after-free", test_freed);
  return g_test_run();
}
