/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/profile-holds.h"

#include "base/error.h"

#define SAVER       EPPD_PROFILE_POWER_SAVER
#define BALANCED    EPPD_PROFILE_BALANCED
#define PERFORMANCE EPPD_PROFILE_PERFORMANCE

static EppdProfileHold
make_hold(guint32 cookie, const char *owner, uid_t uid, EppdProfile profile)
{
  return (EppdProfileHold){
      .cookie = cookie,
      .owner = (char *)owner,
      .uid = uid,
      .profile = profile,
      .reason = (char *)"test",
      .app_id = (char *)"org.example.Game",
  };
}

static void
add(EppdProfileHolds *holds, EppdProfileHold hold)
{
  g_autoptr(GError) error = NULL;

  g_assert_true(eppd_profile_holds_add(holds, &hold, &error));
  g_assert_no_error(error);
}

static void
assert_taken(EppdProfileHold *taken, guint32 cookie)
{
  g_autoptr(EppdProfileHold) hold = taken;

  g_assert_nonnull(hold);
  g_assert_cmpuint(hold->cookie, ==, cookie);
}

static void
assert_same(const EppdProfileHold *a, const EppdProfileHold *b)
{
  g_assert_cmpuint(a->cookie, ==, b->cookie);
  g_assert_cmpstr(a->owner, ==, b->owner);
  g_assert_cmpuint(a->uid, ==, b->uid);
  g_assert_cmpuint(a->profile, ==, b->profile);
  g_assert_cmpstr(a->reason, ==, b->reason);
  g_assert_cmpstr(a->app_id, ==, b->app_id);
  g_assert_cmpuint(a->via, ==, b->via);
}

static void
test_a_hold_is_copied_whole_and_outlives_the_table(void)
{
  EppdProfileHolds *holds = eppd_profile_holds_new();
  g_autofree char *owner = g_strdup(":1.5");
  g_autofree char *reason = g_strdup("low battery");
  g_autofree char *app_id = g_strdup("org.example.Power");
  EppdProfileHold hold = {7, owner, 1000, SAVER, reason, app_id, 3};
  g_autoptr(EppdProfileHold) before = eppd_profile_hold_copy(&hold);
  g_autoptr(EppdProfileHold) taken = NULL;
  g_autoptr(GError) error = NULL;

  add(holds, hold);
  owner[0] = reason[0] = app_id[0] = 'x';
  assert_same(eppd_profile_holds_list(holds)->pdata[0], before);

  taken = eppd_profile_holds_take(holds, 7, ":1.5", &error);
  g_assert_no_error(error);
  eppd_profile_holds_free(holds);
  assert_same(taken, before);
}

static void
test_what_is_refused(void)
{
  static const struct {
    const char *what;
    guint32 cookie;
    EppdProfile profile;
    EppdError code;
    const char *message; /* NULL: any */
  } cases[] = {
      {"balanced", 8, BALANCED, EPPD_ERROR_INVALID,
       "Only profiles 'performance' and 'power-saver' can be a hold profile"},
      {"no profile at all", 8, (EppdProfile)17, EPPD_ERROR_INVALID,
       "Only profiles 'performance' and 'power-saver' can be a hold profile"},
      {"the cookie 0", 0, PERFORMANCE, EPPD_ERROR_BUSY, NULL},
      {"a cookie taken", 7, PERFORMANCE, EPPD_ERROR_BUSY, NULL},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();
    g_autoptr(GError) error = NULL;
    EppdProfileHold hold = make_hold(cases[i].cookie, ":1.6", 1001, cases[i].profile);

    g_test_message("%s", cases[i].what);
    add(holds, make_hold(7, ":1.5", 1000, SAVER));
    g_assert_false(eppd_profile_holds_add(holds, &hold, &error));
    g_assert_error(error, EPPD_ERROR, (int)cases[i].code);
    if (cases[i].message)
      g_assert_cmpstr(error->message, ==, cases[i].message);
    g_assert_cmpuint(eppd_profile_holds_list(holds)->len, ==, 1);
  }
}

static void
test_the_limit_is_a_users(void)
{
  g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();
  g_autoptr(GError) error = NULL;
  EppdProfileHold hold = make_hold(1000, ":1.7", 1000, SAVER);

  for (guint32 i = 1; i <= EPPD_PROFILE_HOLDS_PER_USER; i++)
    add(holds, make_hold(i, i % 2 ? ":1.5" : ":1.6", 1000, PERFORMANCE));
  g_assert_false(eppd_profile_holds_add(holds, &hold, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT);

  add(holds, make_hold(1001, ":1.8", 1001, SAVER));
  assert_taken(eppd_profile_holds_take(holds, 1, ":1.5", NULL), 1);
  add(holds, hold);
}

static void
test_only_the_owner_takes(void)
{
  static const struct {
    guint32 cookie;
    const char *owner;
    const char *message;
  } refused[] = {
      {7, ":1.6", "No hold with cookie 7"},
      {7, ":1.50", "No hold with cookie 7"},
      {4242, ":1.5", "No hold with cookie 4242"},
      {0, ":1.5", "No hold with cookie 0"},
      {G_MAXUINT32, ":1.5", "No hold with cookie 4294967295"},
  };
  g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();

  add(holds, make_hold(7, ":1.5", 1000, SAVER));
  for (guint i = 0; i < G_N_ELEMENTS(refused); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_null(eppd_profile_holds_take(holds, refused[i].cookie, refused[i].owner, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
    g_assert_cmpstr(error->message, ==, refused[i].message);
  }
  assert_taken(eppd_profile_holds_take(holds, 7, ":1.5", NULL), 7);
  g_assert_null(eppd_profile_holds_take(holds, 7, ":1.5", NULL));
}

static void
test_an_owners_are_taken_oldest_first(void)
{
  g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();

  add(holds, make_hold(9, ":1.5", 1000, SAVER));
  add(holds, make_hold(2, ":1.6", 1000, SAVER));
  add(holds, make_hold(3, ":1.5", 1000, PERFORMANCE));
  add(holds, make_hold(4, ":1.50", 1000, SAVER));

  assert_taken(eppd_profile_holds_take_of_owner(holds, ":1.5"), 9);
  assert_taken(eppd_profile_holds_take_of_owner(holds, ":1.5"), 3);
  g_assert_null(eppd_profile_holds_take_of_owner(holds, ":1.5"));
  g_assert_cmpuint(eppd_profile_holds_list(holds)->len, ==, 2);
}

static void
test_all_are_taken_oldest_first(void)
{
  static const guint32 cookies[] = {50, 7, 4000000000u};
  g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();
  const GPtrArray *list = eppd_profile_holds_list(holds);

  for (guint i = 0; i < G_N_ELEMENTS(cookies); i++)
    add(holds, make_hold(cookies[i], ":1.5", 1000, SAVER));
  g_assert_cmpuint(list->len, ==, G_N_ELEMENTS(cookies));
  for (guint i = 0; i < list->len; i++)
    g_assert_cmpuint(((const EppdProfileHold *)list->pdata[i])->cookie, ==, cookies[i]);

  for (guint i = 0; i < G_N_ELEMENTS(cookies); i++)
    assert_taken(eppd_profile_holds_take_first(holds), cookies[i]);
  g_assert_null(eppd_profile_holds_take_first(holds));
}

static void
test_power_saver_beats_performance(void)
{
  static const struct {
    const char *what;
    EppdProfile holds[3];
    guint n_holds;
    EppdProfile selected;
    EppdProfile effective;
  } cases[] = {
      {"none, power-saver selected", {0}, 0, SAVER, SAVER},
      {"none, balanced selected", {0}, 0, BALANCED, BALANCED},
      {"none, performance selected", {0}, 0, PERFORMANCE, PERFORMANCE},
      {"performance over balanced", {PERFORMANCE}, 1, BALANCED, PERFORMANCE},
      {"performance over power-saver selected", {PERFORMANCE}, 1, SAVER, PERFORMANCE},
      {"power-saver over balanced", {SAVER}, 1, BALANCED, SAVER},
      {"power-saver over performance selected", {SAVER}, 1, PERFORMANCE, SAVER},
      {"power-saver first", {SAVER, PERFORMANCE}, 2, BALANCED, SAVER},
      {"power-saver last", {PERFORMANCE, PERFORMANCE, SAVER}, 3, PERFORMANCE, SAVER},
      {"several performance", {PERFORMANCE, PERFORMANCE}, 2, BALANCED, PERFORMANCE},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();

    g_test_message("%s", cases[i].what);
    for (guint h = 0; h < cases[i].n_holds; h++)
      add(holds, make_hold(h + 1, ":1.5", 1000, cases[i].holds[h]));
    g_assert_cmpuint(eppd_profile_holds_effective(holds, cases[i].selected), ==,
                     cases[i].effective);
    while (eppd_profile_holds_list(holds)->len > 0)
      eppd_profile_hold_free(eppd_profile_holds_take_first(holds));
    g_assert_cmpuint(eppd_profile_holds_effective(holds, cases[i].selected), ==, cases[i].selected);
  }
}

/* ---- Random operations, against a naive model. GLib prints the seed; --seed=… repeats a run ----
 */

#define N_RUNS    40
#define N_STEPS   1500
#define N_OWNERS  5
#define N_USERS   2
#define N_COOKIES 200

/* By cookie; age 0 is none. */
typedef struct {
  guint age[N_COOKIES];
  guint owner[N_COOKIES];
  EppdProfile profile[N_COOKIES];
  guint next_age;
} Model;

static const char *const owners[N_OWNERS] = {":1.1", ":1.2", ":1.3", ":1.11", ":1.20"};

static guint
random_below(guint n)
{
  return (guint)g_test_rand_int_range(0, (gint32)n);
}

static uid_t
user_of(guint owner)
{
  return 1000 + owner % N_USERS;
}

static guint
model_count_of_user(const Model *model, uid_t uid)
{
  guint n = 0;

  for (guint i = 0; i < N_COOKIES; i++)
    n += model->age[i] > 0 && user_of(model->owner[i]) == uid;
  return n;
}

/* Its cookie; 0 where there is none. @owner N_OWNERS: anybody's. */
static guint32
model_oldest(const Model *model, guint owner)
{
  guint32 oldest = 0;

  for (guint32 i = 1; i < N_COOKIES; i++) {
    bool counts = model->age[i] > 0 && (owner == N_OWNERS || model->owner[i] == owner);

    if (counts && (oldest == 0 || model->age[i] < model->age[oldest]))
      oldest = i;
  }
  return oldest;
}

static EppdProfile
model_effective(const Model *model, EppdProfile selected)
{
  bool holds[EPPD_N_PROFILES] = {false};

  for (guint i = 0; i < N_COOKIES; i++) {
    if (model->age[i] > 0)
      holds[model->profile[i]] = true;
  }
  return holds[SAVER] ? SAVER : holds[PERFORMANCE] ? PERFORMANCE : selected;
}

static void
step_add(EppdProfileHolds *holds, Model *model)
{
  g_autoptr(GError) error = NULL;
  guint owner = random_below(N_OWNERS);
  guint32 cookie = random_below(N_COOKIES);
  EppdProfile profile = (EppdProfile)random_below(EPPD_N_PROFILES);
  EppdProfileHold hold = make_hold(cookie, owners[owner], user_of(owner), profile);

  if (eppd_profile_holds_add(holds, &hold, &error)) {
    g_assert_cmpuint(cookie, !=, 0);
    g_assert_cmpuint(model->age[cookie], ==, 0);
    g_assert_cmpuint(profile, !=, BALANCED);
    g_assert_cmpuint(model_count_of_user(model, user_of(owner)), <, EPPD_PROFILE_HOLDS_PER_USER);
    model->age[cookie] = ++model->next_age;
    model->owner[cookie] = owner;
    model->profile[cookie] = profile;
  } else if (g_error_matches(error, EPPD_ERROR, EPPD_ERROR_INVALID)) {
    g_assert_cmpuint(profile, ==, BALANCED);
  } else if (g_error_matches(error, EPPD_ERROR, EPPD_ERROR_LIMIT)) {
    g_assert_cmpuint(model_count_of_user(model, user_of(owner)), ==, EPPD_PROFILE_HOLDS_PER_USER);
  } else {
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_BUSY);
    g_assert_true(cookie == 0 || model->age[cookie] > 0);
  }
}

static void
forget(Model *model, EppdProfileHold *taken, guint32 expected)
{
  g_autoptr(EppdProfileHold) hold = taken;

  g_assert_cmpuint(hold ? hold->cookie : 0, ==, expected);
  if (!hold)
    return;
  g_assert_cmpstr(hold->owner, ==, owners[model->owner[expected]]);
  g_assert_cmpuint(hold->profile, ==, model->profile[expected]);
  model->age[expected] = 0;
}

static void
step_take(EppdProfileHolds *holds, Model *model)
{
  guint owner = random_below(N_OWNERS);
  guint32 cookie = random_below(N_COOKIES);
  bool may = model->age[cookie] > 0 && model->owner[cookie] == owner;

  forget(model, eppd_profile_holds_take(holds, cookie, owners[owner], NULL), may ? cookie : 0);
}

static void
step_drop_owner(EppdProfileHolds *holds, Model *model)
{
  guint owner = random_below(N_OWNERS);
  guint32 oldest;

  do {
    oldest = model_oldest(model, owner);
    forget(model, eppd_profile_holds_take_of_owner(holds, owners[owner]), oldest);
  } while (oldest != 0);
}

static void
step_drop_all(EppdProfileHolds *holds, Model *model)
{
  guint32 oldest;

  do {
    oldest = model_oldest(model, N_OWNERS);
    forget(model, eppd_profile_holds_take_first(holds), oldest);
  } while (oldest != 0);
}

static void
assert_like_model(const EppdProfileHolds *holds, const Model *model)
{
  const GPtrArray *list = eppd_profile_holds_list(holds);
  guint n = 0;

  for (guint i = 0; i < N_COOKIES; i++)
    n += model->age[i] > 0;
  g_assert_cmpuint(list->len, ==, n);
  for (guint i = 0, age = 0; i < list->len; i++) {
    const EppdProfileHold *hold = list->pdata[i];

    g_assert_cmpuint(model->age[hold->cookie], >, age);
    age = model->age[hold->cookie];
  }
  for (int p = 0; p < EPPD_N_PROFILES; p++)
    g_assert_cmpuint(eppd_profile_holds_effective(holds, (EppdProfile)p), ==,
                     model_effective(model, (EppdProfile)p));
}

static void
test_random_operations_do_as_a_naive_model(void)
{
  guint most = 0;

  for (guint run = 0; run < N_RUNS; run++) {
    g_autoptr(EppdProfileHolds) holds = eppd_profile_holds_new();
    Model model = {0};

    for (guint i = 0; i < N_STEPS; i++) {
      guint dice = random_below(1000);

      if (dice < 700)
        step_add(holds, &model);
      else if (dice < 994)
        step_take(holds, &model);
      else if (dice < 998)
        step_drop_owner(holds, &model);
      else
        step_drop_all(holds, &model);
      assert_like_model(holds, &model);
      most = MAX(most, model_count_of_user(&model, 1000));
    }
  }
  /* Else the limit was never put to the test. */
  g_assert_cmpuint(most, ==, EPPD_PROFILE_HOLDS_PER_USER);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/profile-holds/" name, function)
  ADD("a-hold-is-copied-whole-and-outlives-the-table",
      test_a_hold_is_copied_whole_and_outlives_the_table);
  ADD("what-is-refused", test_what_is_refused);
  ADD("the-limit-is-a-users", test_the_limit_is_a_users);
  ADD("only-the-owner-takes", test_only_the_owner_takes);
  ADD("an-owners-are-taken-oldest-first", test_an_owners_are_taken_oldest_first);
  ADD("all-are-taken-oldest-first", test_all_are_taken_oldest_first);
  ADD("power-saver-beats-performance", test_power_saver_beats_performance);
  ADD("random-operations-do-as-a-naive-model", test_random_operations_do_as_a_naive_model);
  return g_test_run();
}
