/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's objects on a bus, with the real controller on a small tree and a recorded load:
 * calls of any content are answered, and leave no core boosted. A line of an input is one of
 *
 *   [&]SENDER OBJECT METHOD BODY   a call; with & its reply is not waited for before the next line
 *   gone SENDER                    the client leaves the bus
 *   uid NUMBER                     who clients are that were not heard of before
 *   polkit BODY, service BODY      what polkit answers; what logind and UPower answer
 *   login1 SIGNAL BODY, upower SIGNAL BODY
 *   write FILE TEXT                a file of the tree changes
 *
 * OBJECT: eppd1, modern, legacy. METHOD: one of its interface, of Properties (Get, GetAll, Set), or
 * INTERFACE.METHOD. BODY: see variant-text.h; COOKIE in it is the latest that was given. */
#include "fuzz.h"

#include "bus-peer.h"
#include "daemon/eppd1.h"
#include "daemon/power-profiles.h"
#include "scratch.h"
#include "variant-text.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>

/* More lines are no more kinds of trouble. */
#define LINES_MAX 40

#define PROPERTIES "org.freedesktop.DBus.Properties"
#define CPUFREQ    "root/sys/devices/system/cpu/cpufreq/"
#define EPP        "/energy_performance_preference"
#define EPPS       "/energy_performance_available_preferences"

static const FuzzPlace places[] = {
    {"epp0", CPUFREQ "policy0" EPP},
    {"epp1", CPUFREQ "policy1" EPP},
    {"governor0", CPUFREQ "policy0/scaling_governor"},
    {"driver0", CPUFREQ "policy0/scaling_driver"},
    {"cpus1", CPUFREQ "policy1/affected_cpus"},
    {"status", "root/sys/devices/system/cpu/amd_pstate/status"},
    {"dynamic_epp", "root/sys/devices/system/cpu/amd_pstate/dynamic_epp"},
    {"platform", "root/sys/firmware/acpi/platform_profile"},
    {"choices", "root/sys/firmware/acpi/platform_profile_choices"},
    {"config", "eppd.conf"},
};

static const char *const tree[][2] = {
    {CPUFREQ "policy0/affected_cpus", "0\n"},
    {CPUFREQ "policy0/scaling_driver", "amd-pstate-epp\n"},
    {CPUFREQ "policy0/scaling_governor", "powersave\n"},
    {CPUFREQ "policy0" EPP, "balance_performance\n"},
    {CPUFREQ "policy0" EPPS, "default performance balance_performance balance_power power\n"},
    {CPUFREQ "policy1/affected_cpus", "1\n"},
    {CPUFREQ "policy1/scaling_driver", "amd-pstate-epp\n"},
    {CPUFREQ "policy1/scaling_governor", "powersave\n"},
    {CPUFREQ "policy1" EPP, "balance_performance\n"},
    {CPUFREQ "policy1" EPPS, "default performance balance_performance balance_power power\n"},
    {"root/sys/devices/system/cpu/amd_pstate/status", "active\n"},
    {"root/sys/firmware/acpi/platform_profile", "balanced\n"},
    {"root/sys/firmware/acpi/platform_profile_choices", "low-power balanced performance\n"},
    {"root/sys/class/power_supply/hidpp_battery_0/scope", "Device\n"},
    {"root/sys/class/power_supply/hidpp_battery_0/charge_type", "Standard\n"},
    {"root/proc/cpuinfo", "vendor_id\t: AuthenticAMD\nflags\t: aperfmperf cppc\n\n"},
    {"root/proc/sys/kernel/random/boot_id", "boot-1\n"},
    {"eppd.conf", "[Policy]\nPowerSourceDebounceMs=0\n"},
    /* CPU 0 goes busy, CPU 1 goes busy and idle again. */
    {"trace", "0 0 0 0\n0 1 0 0\n10000 0 9 10\n10000 1 9 10\n20000 0 18 20\n20000 1 9 20\n"
              "30000 0 27 30\n30000 1 9 30\n"},
};

/* As daemon/service.c has them. */
typedef struct {
  EppdAuthority *authority;
  EppdClients *clients;
  EppdRequestQueue *queue;
  EppdEppd1 *eppd1;
  EppdPowerProfiles *power_profiles;
  EppdController *controller;

  guint32 cookie;  /* the latest that was given */
  bool is_touched; /* the tree is no more as the daemon alone would have it */
} Service;

/* One for all inputs: it has no memory but of what it is told. */
static BusPeer *peer;

/* ---- the service ---- */

static void
on_changed(gpointer data)
{
  Service *service = data;

  eppd_eppd1_changed(service->eppd1);
  eppd_power_profiles_changed(service->power_profiles);
}

static void
on_edges(gpointer data)
{
  eppd_eppd1_edges(((Service *)data)->eppd1);
}

static void
on_released(const EppdProfileHold *hold, gpointer data)
{
  eppd_power_profiles_released(((Service *)data)->power_profiles, hold);
}

static void
on_vanished(const char *name, gpointer data)
{
  Service *service = data;

  if (service->controller) {
    eppd_hold_keeper_drop_owner(eppd_controller_holds(service->controller), name);
    eppd_profile_keeper_drop_owner(
        eppd_profile_control_keeper(eppd_controller_profiles(service->controller)), name);
  }
  eppd_eppd1_client_vanished(service->eppd1, name);
}

static void
make_tree(void)
{
  fuzz_clear();
  for (gsize i = 0; i < G_N_ELEMENTS(tree); i++)
    scratch_write(fuzz_scratch(), tree[i][0], tree[i][1]);
  scratch_mkdir(fuzz_scratch(), "run");
}

static void
start_controller(Service *service)
{
  static const EppdControllerListener listener = {
      .changed = on_changed, .edges = on_edges, .released = on_released};
  g_autofree char *root_path = scratch_path(fuzz_scratch(), "root");
  g_autofree char *config = scratch_path(fuzz_scratch(), "eppd.conf");
  g_autofree char *state = scratch_path(fuzz_scratch(), "state");
  g_autofree char *run = scratch_path(fuzz_scratch(), "run");
  g_autofree char *trace = scratch_path(fuzz_scratch(), "trace");
  g_autofree char *residency = g_strconcat("trace:virtual:", trace, NULL);
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(root_path);
  const EppdControllerOptions options = {.root = root,
                                         .config_file = config,
                                         .state_dir = state,
                                         .runtime_dir = run,
                                         .residency_source = residency};

  service->controller =
      eppd_controller_start(&options, bus_peer_daemon(peer), service->clients, &listener, service);
  eppd_eppd1_set_controller(service->eppd1, service->controller);
  eppd_power_profiles_set_controller(service->power_profiles, service->controller);
  eppd_request_queue_open(service->queue);
}

/* The residency source is looked for in a thread. */
static void
wait_for_residency(Service *service)
{
  EppdBoostControl *boost = eppd_controller_boost(service->controller);

  while (g_str_equal(eppd_residency_keeper_name(eppd_boost_control_residency(boost)), "probing"))
    g_main_context_iteration(NULL, TRUE);
}

static void
start(Service *service)
{
  GDBusConnection *bus = bus_peer_daemon(peer);
  g_autoptr(GError) error = NULL;

  make_tree();
  service->authority = eppd_authority_new(bus);
  service->clients = eppd_clients_new(bus, on_vanished, service);
  service->queue = eppd_request_queue_new(service->authority);
  service->eppd1 = eppd_eppd1_new(bus, service->clients, service->queue, &error);
  g_assert_no_error(error);
  service->power_profiles = eppd_power_profiles_new(bus, service->clients, service->queue, &error);
  g_assert_no_error(error);
  start_controller(service);
  wait_for_residency(service);
}

static void
stop(Service *service)
{
  g_clear_pointer(&service->controller, eppd_controller_stop);
  eppd_power_profiles_set_controller(service->power_profiles, NULL);
  eppd_eppd1_set_controller(service->eppd1, NULL);
  g_clear_pointer(&service->queue, eppd_request_queue_free);
  g_clear_pointer(&service->power_profiles, eppd_power_profiles_free);
  g_clear_pointer(&service->eppd1, eppd_eppd1_free);
  g_clear_pointer(&service->clients, eppd_clients_free);
  g_clear_pointer(&service->authority, eppd_authority_free);
  bus_peer_settle(peer);
}

/* ---- an input's lines ---- */

/* The next word of @line, which goes on behind it; "" at its end. Owned by the caller. */
static char *
take_word(const char **line)
{
  const char *start = *line + strspn(*line, " ");
  const char *end = start + strcspn(start, " ");

  *line = end + strspn(end, " ");
  return g_strndup(start, (gsize)(end - start));
}

/* A tuple, owned by the caller; NULL: none. */
static GVariant *
parse_body(const Service *service, const char *text)
{
  g_auto(GStrv) parts = g_strsplit(text, "COOKIE", -1);
  g_autofree char *number = g_strdup_printf("uint32 %u", service->cookie);
  g_autofree char *complete = g_strjoinv(number, parts);
  g_autoptr(GVariant) value = variant_text_parse(complete);

  if (!value || g_variant_is_of_type(value, G_VARIANT_TYPE_TUPLE))
    return g_steal_pointer(&value);
  return g_variant_ref_sink(g_variant_new_tuple(&value, 1));
}

static void
on_reply(GDBusMessage *reply, guint sender, gpointer data)
{
  Service *service = data;
  GVariant *body = g_dbus_message_get_body(reply);

  if (body && g_variant_is_of_type(body, G_VARIANT_TYPE("(u)")))
    g_variant_get(body, "(u)", &service->cookie);
}

static const char *
interface_of(const char *method, const char *own)
{
  static const char *const of_properties[] = {"Get", "GetAll", "Set", NULL};

  return g_strv_contains(of_properties, method) ? PROPERTIES : own;
}

/* What comes with each call, for handles: no pidfd, and our own. */
static GUnixFDList *
make_descriptors(void)
{
  int fds[2] = {memfd_create("no-pidfd", MFD_CLOEXEC), (int)syscall(SYS_pidfd_open, getpid(), 0)};

  g_assert_cmpint(fds[0], >=, 0);
  g_assert_cmpint(fds[1], >=, 0);
  return g_unix_fd_list_new_from_array(fds, G_N_ELEMENTS(fds));
}

static void
send_call(Service *service, guint sender, const char *line)
{
  static const char *const objects[][3] = {
      {"eppd1", EPPD1_OBJECT_PATH, EPPD1_BUS_NAME},
      {"modern", "/org/freedesktop/UPower/PowerProfiles", EPPD_POWER_PROFILES_MODERN_NAME},
      {"legacy", "/net/hadess/PowerProfiles", EPPD_POWER_PROFILES_LEGACY_NAME},
  };
  static GUnixFDList *fds;
  g_autofree char *object = take_word(&line);
  g_autofree char *method = take_word(&line);
  g_autoptr(GVariant) body = parse_body(service, line);
  char *dot = strrchr(method, '.');

  if (!fds)
    fds = make_descriptors();
  if (dot)
    *dot = '\0';
  for (gsize i = 0; i < G_N_ELEMENTS(objects); i++) {
    if (g_str_equal(objects[i][0], object))
      bus_peer_call(peer, sender, objects[i][1], dot ? method : interface_of(method, objects[i][2]),
                    dot ? dot + 1 : method, body, strstr(line, "handle") ? fds : NULL, on_reply,
                    service);
  }
}

static void
send_signal(Service *service, const char *word, const char *line)
{
  g_autofree char *name = take_word(&line);
  g_autoptr(GVariant) body = parse_body(service, line);

  if (g_str_equal(word, "login1"))
    bus_peer_signal(peer, BUS_PEER_LOGIND, "/org/freedesktop/login1",
                    "org.freedesktop.login1.Manager", name, body);
  else
    bus_peer_signal(peer, BUS_PEER_UPOWER, "/org/freedesktop/UPower", PROPERTIES, name, body);
}

static void
write_file(Service *service, const char *line)
{
  g_autofree char *name = take_word(&line);
  g_autofree char *text = g_strcompress(line);

  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    if (g_str_equal(places[i].name, name))
      scratch_write(fuzz_scratch(), places[i].path, text);
  }
  service->is_touched = true;
}

static void
set_answer(const Service *service, void (*set)(BusPeer *, GVariant *), const char *line)
{
  g_autoptr(GVariant) body = parse_body(service, line);

  set(peer, body);
}

/* A sender: one digit. */
static bool
is_sender(const char *word)
{
  return g_ascii_isdigit(word[0]) && word[1] == '\0';
}

/* ":1.0" is the daemon. */
static guint
sender_number(const char *word)
{
  return is_sender(word) ? (guint)(*word - '0') + 1 : 1;
}

static void
take_line(Service *service, const char *line)
{
  bool waits = *line != '&';
  const char *rest = waits ? line : line + 1;
  g_autofree char *word = take_word(&rest);

  if (is_sender(word))
    send_call(service, sender_number(word), rest);
  else if (g_str_equal(word, "gone"))
    bus_peer_leave(peer, sender_number(rest));
  else if (g_str_equal(word, "uid"))
    bus_peer_set_uid(peer, (guint32)g_ascii_strtoull(rest, NULL, 10));
  else if (g_str_equal(word, "polkit"))
    set_answer(service, bus_peer_set_polkit, rest);
  else if (g_str_equal(word, "service"))
    set_answer(service, bus_peer_set_service, rest);
  else if (g_str_equal(word, "login1") || g_str_equal(word, "upower"))
    send_signal(service, word, rest);
  else if (g_str_equal(word, "write"))
    write_file(service, rest);
  if (waits)
    bus_peer_wait(peer);
}

/* ---- what must be so in the end ---- */

static void
check_end(const Service *service)
{
  g_autofree char *journal = scratch_read(fuzz_scratch(), "run/restore.ini");

  /* The tree refuses nothing: what is left boosted, another's hand left so. */
  if (!service->is_touched)
    g_assert_cmpstr(journal, ==, NULL);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_auto(GStrv) lines = g_strsplit(text, "\n", LINES_MAX + 1);
  Service service = {0};

  if (!peer)
    peer = bus_peer_new();
  bus_peer_set_uid(peer, 0);
  bus_peer_set_polkit(peer, NULL);
  bus_peer_set_service(peer, NULL);
  start(&service);
  for (guint i = 0; lines[i] && i < LINES_MAX; i++)
    take_line(&service, lines[i]);
  bus_peer_settle(peer);
  stop(&service);
  check_end(&service);
  return 0;
}
