/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Random sequences of everything that can happen to a profile keeper, restarts among it, against a
 * model that knows nothing but the rules. After each step what is in effect, who holds what, what
 * the listener was told and what is saved must be the model's. GLib prints the seed; --seed=…
 * repeats a run. */

#include "daemon/state.h"
#include "profile-keeper-fixture.h"

#define N_RUNS     20
#define N_STEPS    200
#define HOLDS_MAX  40
#define N_PROFILES EPPD_N_PROFILES

typedef struct {
  guint32 cookie;
  guint user;
  EppdProfile profile;
  guint number; /* its application's */
} ModelHold;

typedef struct {
  /* What the file says. */
  bool has_file;
  int saved; /* -1: no profile */
  const EppdProfileDrivers *saved_with;
  bool battery_aware;
  int action; /* -1: never switched */

  const EppdProfileDrivers *drivers;
  EppdProfile default_profile;
  bool uses_saved;
  bool firmware_leads;
  GArray *holds; /* ModelHold, oldest first */

  guint n_holds_made;
  GString *calls; /* what the listener should have been told in this step */
} Model;

/* ---- The rules ---- */

static bool
model_can(const Model *model, EppdProfile profile)
{
  return profile != FASTEST || model->drivers != &placeholder;
}

static EppdProfile
model_selected(const Model *model)
{
  EppdProfile wanted = model->uses_saved ? (EppdProfile)model->saved : model->default_profile;

  return model_can(model, wanted) ? wanted : MIDDLE;
}

static EppdProfile
model_active(const Model *model)
{
  bool held[N_PROFILES] = {false};

  if (model->firmware_leads)
    return model_selected(model);
  for (guint i = 0; i < model->holds->len; i++)
    held[g_array_index(model->holds, ModelHold, i).profile] = true;
  return held[SAVER] ? SAVER : held[FASTEST] ? FASTEST : model_selected(model);
}

static void
expect_apply(Model *model, EppdProfile profile, bool strict)
{
  note(model->calls,
       g_strdup_printf("apply %s%s", eppd_profile_text(profile), strict ? " strict" : ""));
}

static void
expect_changed(Model *model)
{
  note(model->calls,
       g_strdup_printf("changed %s %u", eppd_profile_text(model_active(model)), model->holds->len));
}

/* Which holds end: those of a user, of a cookie, of what no driver does, or all. */
typedef bool (*Ends)(const Model *model, const ModelHold *hold, guint32 which);

static bool
ends_always(const Model *model, const ModelHold *hold, guint32 which)
{
  return true;
}

static bool
ends_with_user(const Model *model, const ModelHold *hold, guint32 user)
{
  return hold->user == user;
}

static bool
ends_by_cookie(const Model *model, const ModelHold *hold, guint32 cookie)
{
  return hold->cookie == cookie;
}

static bool
ends_for_want_of_a_driver(const Model *model, const ModelHold *hold, guint32 which)
{
  return !model_can(model, hold->profile);
}

/* The numbers of the applications whose holds ended. */
static GArray *
model_end_holds(Model *model, Ends ends, guint32 which)
{
  GArray *ended = g_array_new(FALSE, FALSE, sizeof(guint));
  guint n_before = model->holds->len;

  for (guint i = 0; i < model->holds->len;) {
    ModelHold one = g_array_index(model->holds, ModelHold, i);

    if (ends(model, &one, which)) {
      g_array_append_val(ended, one.number);
      g_array_remove_index(model->holds, i);
    } else {
      i++;
    }
  }
  model->firmware_leads &= model->holds->len == n_before;
  return ended;
}

static void
expect_told(Model *model, const GArray *ended, EppdProfile before)
{
  for (guint i = 0; i < ended->len; i++)
    note(model->calls, g_strdup_printf("released app%u", g_array_index(ended, guint, i)));
  if (ended->len > 0 || model_active(model) != before)
    expect_changed(model);
}

/* Some holds end, and nothing else happens. */
static void
model_holds_end(Model *model, Ends ends, guint32 which)
{
  EppdProfile before = model_active(model);
  g_autoptr(GArray) ended = model_end_holds(model, ends, which);

  if (model_active(model) != before)
    expect_apply(model, model_active(model), false);
  expect_told(model, ended, before);
}

static void
model_save(Model *model, EppdProfile profile)
{
  model->saved = (int)profile;
  model->saved_with = model->drivers;
  model->uses_saved = true;
  model->has_file = true;
}

static void
model_choose(Model *model, EppdProfile profile)
{
  EppdProfile before = model_active(model);
  g_autoptr(GArray) ended = model_end_holds(model, ends_always, 0);

  model_save(model, profile);
  expect_told(model, ended, before);
}

static void
model_follow(Model *model, EppdProfile profile)
{
  EppdProfile before = model_active(model);

  model_save(model, profile);
  model->firmware_leads = model->holds->len > 0;
  if (profile != before)
    expect_changed(model);
}

static void
model_set_drivers(Model *model, const EppdProfileDrivers *drivers, EppdProfile default_profile)
{
  EppdProfile before = model->drivers ? model_active(model) : MIDDLE;
  bool are_new = drivers != model->drivers;
  g_autoptr(GArray) ended = NULL;

  model->drivers = drivers;
  model->default_profile = default_profile;
  if (model->saved >= 0 && model->saved_with == drivers)
    model->uses_saved = true;
  ended = model_end_holds(model, ends_for_want_of_a_driver, 0);
  if (are_new || model_active(model) != before)
    expect_apply(model, model_active(model), false);
  expect_told(model, ended, before);
}

/* ---- The steps ---- */

static guint
below(guint n)
{
  return (guint)g_test_rand_int_range(0, (gint32)n);
}

static EppdProfile
random_profile(void)
{
  return (EppdProfile)below(N_PROFILES);
}

static void
step_select(Fixture *fixture, Model *model)
{
  static const char *const names[] = {"power-saver", "balanced", "performance", "turbo"};
  guint choice = below(G_N_ELEMENTS(names));
  EppdProfile profile = (EppdProfile)choice;
  bool is_tried = choice < N_PROFILES && model_can(model, profile);
  g_autoptr(GError) error = NULL;
  gboolean selected = eppd_profile_keeper_select(fixture->keeper, names[choice], &error);

  g_assert_cmpint(selected, ==, is_tried && !fixture->refuses);
  g_assert_true(selected || error);
  if (is_tried)
    expect_apply(model, profile, true);
  if (selected)
    model_choose(model, profile);
}

static void
step_follow(Fixture *fixture, Model *model)
{
  EppdProfile profile = random_profile();

  eppd_profile_keeper_follow(fixture->keeper, profile);
  if (!model_can(model, profile))
    return;
  expect_apply(model, profile, false);
  model_follow(model, profile);
}

static void
step_hold(Fixture *fixture, Model *model)
{
  ModelHold one = {.user = below(N_USERS), .profile = random_profile()};
  g_autofree char *app_id = g_strdup_printf("app%u", model->n_holds_made);
  EppdProfile before = model_active(model);
  EppdProfile after = before;
  bool firmware_led = model->firmware_leads;
  g_autoptr(GError) error = NULL;
  bool is_tried = one.profile != MIDDLE && model_can(model, one.profile);
  gboolean held = eppd_profile_keeper_hold(fixture->keeper, fixture->names[one.user],
                                           1000 + one.user, eppd_profile_text(one.profile),
                                           "because", app_id, 0, &one.cookie, &error);

  one.number = model->n_holds_made++;
  if (is_tried) {
    g_array_append_val(model->holds, one);
    model->firmware_leads = false;
    after = model_active(model);
  }
  if (after != before)
    expect_apply(model, after, true);
  g_assert_cmpint(held, ==, is_tried && !(fixture->refuses && after != before));
  g_assert_true(held || error);
  if (held) {
    expect_changed(model);
  } else if (is_tried) {
    g_array_remove_index(model->holds, model->holds->len - 1);
    model->firmware_leads = firmware_led;
  }
}

static void
step_release(Fixture *fixture, Model *model)
{
  ModelHold one = {.cookie = below(3)};
  guint user = below(N_USERS);
  bool exists = model->holds->len > 0 && below(10) > 0;
  g_autoptr(GError) error = NULL;

  if (exists)
    one = g_array_index(model->holds, ModelHold, below(model->holds->len));
  if (exists && below(5) > 0)
    user = one.user;
  if (eppd_profile_keeper_release(fixture->keeper, one.cookie, fixture->names[user], &error)) {
    g_assert_true(exists && user == one.user);
    model_holds_end(model, ends_by_cookie, one.cookie);
  } else {
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
    g_assert_false(exists && user == one.user);
  }
}

/* The client truly leaves the bus, and another takes its place. */
static void
step_vanish(Fixture *fixture, Model *model)
{
  guint user = below(N_USERS);
  guint before = fixture->n_vanished;

  eppd_clients_ref(fixture->clients, fixture->names[user]);
  private_bus_disconnect(fixture->users[user]);
  while (fixture->n_vanished == before)
    g_main_context_iteration(NULL, TRUE);
  eppd_clients_unref(fixture->clients, fixture->names[user]);
  model_holds_end(model, ends_with_user, user);

  g_free(fixture->names[user]);
  fixture->users[user] = private_bus_connect(fixture->bus);
  fixture->names[user] = g_strdup(g_dbus_connection_get_unique_name(fixture->users[user]));
}

static void
step_set_drivers(Fixture *fixture, Model *model)
{
  static const EppdProfileDrivers *const all[] = {&amd_and_platform, &amd_alone, &intel_alone,
                                                  &placeholder};
  const EppdProfileDrivers *drivers = all[below(G_N_ELEMENTS(all))];
  EppdProfile default_profile = random_profile();

  eppd_profile_keeper_set_drivers(fixture->keeper, drivers, default_profile);
  model_set_drivers(model, drivers, default_profile);
}

static void
step_restart(Fixture *fixture, Model *model)
{
  make_keeper(fixture);
  g_array_set_size(model->holds, 0);
  model->drivers = NULL;
  model->uses_saved = false;
  model->firmware_leads = false;
  step_set_drivers(fixture, model);
}

static void
step_battery_aware(Fixture *fixture, Model *model)
{
  bool battery_aware = below(2);

  eppd_profile_keeper_set_battery_aware(fixture->keeper, battery_aware);
  model->has_file |= battery_aware != model->battery_aware;
  model->battery_aware = battery_aware;
}

static void
step_action(Fixture *fixture, Model *model)
{
  model->action = (int)below(2);
  model->has_file = true;
  eppd_profile_keeper_set_action(fixture->keeper, "trickle_charge", model->action == 1);
}

/* ---- After each step ---- */

static void
assert_holds(Fixture *fixture, const Model *model)
{
  const GPtrArray *holds = eppd_profile_keeper_holds(fixture->keeper);

  g_assert_cmpuint(holds->len, ==, model->holds->len);
  for (guint i = 0; i < holds->len; i++) {
    const EppdProfileHold *one = holds->pdata[i];
    const ModelHold *expected = &g_array_index(model->holds, ModelHold, i);

    g_assert_cmpuint(one->cookie, ==, expected->cookie);
    g_assert_cmpuint(one->cookie, !=, 0);
    g_assert_cmpstr(one->owner, ==, fixture->names[expected->user]);
    g_assert_cmpint(one->profile, ==, expected->profile);
  }
}

static void
assert_file(Fixture *fixture, const Model *model)
{
  g_autoptr(EppdState) state = eppd_state_load(fixture->state_dir, NULL);
  bool enabled = false;

  g_assert_cmpint(saved_inode(fixture) != 0, ==, model->has_file);
  g_assert_cmpint(state->has_profile ? (int)state->profile : -1, ==, model->saved);
  if (state->has_profile) {
    g_assert_cmpstr(state->cpu_driver, ==, model->saved_with->cpu ? model->saved_with->cpu : "");
    g_assert_cmpstr(state->platform_driver, ==, model->saved_with->platform);
  }
  g_assert_cmpint(state->battery_aware, ==, model->battery_aware);
  g_assert_cmpint(eppd_state_action(state, "trickle_charge", &enabled), ==, model->action >= 0);
  g_assert_cmpint(enabled, ==, model->action == 1);
}

/* A client is watched while it holds something, and no longer. */
static void
assert_watched(Fixture *fixture, const Model *model)
{
  guint n_holders = 0;

  for (guint user = 0; user < N_USERS; user++) {
    bool holds = false;

    for (guint i = 0; i < model->holds->len; i++)
      holds |= g_array_index(model->holds, ModelHold, i).user == user;
    n_holders += holds;
  }
  g_assert_cmpuint(eppd_clients_count(fixture->clients), ==, n_holders);
}

static void
check(Fixture *fixture, Model *model)
{
  g_assert_cmpint(eppd_profile_keeper_active(fixture->keeper), ==, model_active(model));
  assert_holds(fixture, model);
  assert_calls(fixture, model->calls->str);
  g_string_truncate(model->calls, 0);
  assert_file(fixture, model);
  assert_watched(fixture, model);
}

typedef struct {
  guint weight;
  void (*take)(Fixture *fixture, Model *model);
} Step;

static const Step steps[] = {
    {10, step_select},  {6, step_follow},        {30, step_hold},
    {20, step_release}, {2, step_vanish},        {6, step_set_drivers},
    {2, step_restart},  {3, step_battery_aware}, {2, step_action},
};

static void
take_random_step(Fixture *fixture, Model *model)
{
  guint total = 0;
  guint draw;

  for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
    total += steps[i].weight;
  draw = below(total);
  for (guint i = 0; i < G_N_ELEMENTS(steps); i++) {
    if (draw < steps[i].weight) {
      steps[i].take(fixture, model);
      return;
    }
    draw -= steps[i].weight;
  }
}

static void
test_random(Fixture *fixture, gconstpointer data)
{
  for (guint run = 0; run < N_RUNS; run++) {
    Model model = {
        .saved = -1,
        .battery_aware = true,
        .action = -1,
        .holds = g_array_new(FALSE, FALSE, sizeof(ModelHold)),
        .calls = g_string_new(NULL),
    };

    scratch_remove(fixture->dir, "state");
    step_restart(fixture, &model);
    check(fixture, &model);
    for (guint step = 0; step < N_STEPS; step++) {
      fixture->refuses = below(6) == 0;
      if (model.holds->len < HOLDS_MAX)
        take_random_step(fixture, &model);
      else
        step_restart(fixture, &model);
      check(fixture, &model);
      g_string_truncate(said, 0);
    }
    g_clear_pointer(&fixture->keeper, eppd_profile_keeper_free);
    g_array_unref(model.holds);
    g_string_free(model.calls, TRUE);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_log_set_writer_func(keep_said, NULL, NULL);
  g_test_add("/profile-keeper/random-sequences-follow-the-model", Fixture, NULL, set_up,
             test_random, tear_down);
  return g_test_run();
}
