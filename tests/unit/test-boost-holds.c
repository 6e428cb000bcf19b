/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/boost-holds.h"

#include "base/error.h"

#include <string.h>

static EppdBoostHold
make_hold(guint32 cookie, const char *owner, uid_t uid)
{
  return (EppdBoostHold){
      .cookie = cookie,
      .owner = (char *)owner,
      .uid = uid,
      .app_id = (char *)"org.example.Game",
      .reason = (char *)"test",
  };
}

static void
add(EppdBoostHolds *holds, EppdBoostHold hold)
{
  g_autoptr(GError) error = NULL;

  g_assert_nonnull(eppd_boost_holds_add(holds, &hold, &error));
  g_assert_no_error(error);
}

static void
test_a_hold_is_copied_whole(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  g_autoptr(GError) error = NULL;
  g_autofree char *owner = g_strdup(":1.5");
  EppdBoostHold hold = make_hold(7, owner, 1000);
  const EppdBoostHold *stored;

  hold.trigger = EPPD_TRIGGER_APP;
  hold.threshold_percent = 12;
  hold.pid = 99;
  hold.cgroup = (char *)"/user.slice/x.scope";
  hold.cgroup_id = 4711;
  hold.since_usec = 1234;
  stored = eppd_boost_holds_add(holds, &hold, &error);
  g_assert_no_error(error);
  owner[0] = 'x';

  g_assert_true(stored == eppd_boost_holds_lookup(holds, 7));
  g_assert_cmpstr(stored->owner, ==, ":1.5");
  g_assert_cmpstr(stored->app_id, ==, "org.example.Game");
  g_assert_cmpstr(stored->reason, ==, "test");
  g_assert_cmpstr(stored->cgroup, ==, "/user.slice/x.scope");
  g_assert_cmpuint(stored->cgroup_id, ==, 4711);
  g_assert_cmpint((int)stored->trigger, ==, EPPD_TRIGGER_APP);
  g_assert_cmpuint(stored->threshold_percent, ==, 12);
  g_assert_cmpint(stored->pid, ==, 99);
  g_assert_cmpint(stored->since_usec, ==, 1234);
  g_assert_null(eppd_boost_holds_lookup(holds, 8));
}

static void
test_a_cookie_is_neither_zero_nor_used_twice(void)
{
  static const guint32 bad[] = {0, 7};
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();

  add(holds, make_hold(7, ":1.5", 1000));
  for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
    g_autoptr(GError) error = NULL;
    EppdBoostHold hold = make_hold(bad[i], ":1.6", 1001);

    g_assert_null(eppd_boost_holds_add(holds, &hold, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_BUSY);
  }
  g_assert_cmpuint(eppd_boost_holds_count(holds), ==, 1);
}

static void
test_the_limit_is_a_users(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  g_autoptr(GError) error = NULL;
  EppdBoostHold hold;

  for (guint32 i = 1; i <= EPPD_BOOST_HOLDS_PER_USER; i++)
    add(holds, make_hold(i, i % 2 ? ":1.5" : ":1.6", 1000));
  hold = make_hold(1000, ":1.7", 1000);
  g_assert_null(eppd_boost_holds_add(holds, &hold, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT);

  add(holds, make_hold(1001, ":1.8", 1001));
  g_assert_true(eppd_boost_holds_drop(holds, 1));
  add(holds, make_hold(1000, ":1.7", 1000));
}

static void
test_only_the_owner_releases(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  g_autoptr(GError) denied = NULL;
  g_autoptr(GError) missing = NULL;
  g_autoptr(GError) error = NULL;

  add(holds, make_hold(7, ":1.5", 1000));
  g_assert_false(eppd_boost_holds_release(holds, 7, ":1.6", &denied));
  g_assert_error(denied, EPPD_ERROR, EPPD_ERROR_DENIED);
  g_assert_false(eppd_boost_holds_release(holds, 4242, ":1.5", &missing));
  g_assert_error(missing, EPPD_ERROR, EPPD_ERROR_INVALID);
  g_assert_cmpstr(missing->message, ==, "No boost hold with cookie 4242");
  g_assert_cmpuint(eppd_boost_holds_count(holds), ==, 1);

  g_assert_true(eppd_boost_holds_release(holds, 7, ":1.5", &error));
  g_assert_no_error(error);
  g_assert_cmpuint(eppd_boost_holds_count(holds), ==, 0);
  g_assert_false(eppd_boost_holds_release(holds, 7, ":1.5", NULL));
}

static void
test_dropping(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();

  add(holds, make_hold(2, ":1.6", 1000));
  add(holds, make_hold(4, ":1.50", 1000));

  g_assert_true(eppd_boost_holds_drop(holds, 2));
  g_assert_false(eppd_boost_holds_drop(holds, 2));
  g_assert_cmpuint(eppd_boost_holds_count(holds), ==, 1);
  g_assert_nonnull(eppd_boost_holds_lookup(holds, 4));
}

static void
test_the_list_is_oldest_first(void)
{
  static const guint32 cookies[] = {50, 7, 4000000000u};
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  const GPtrArray *list;

  for (guint i = 0; i < G_N_ELEMENTS(cookies); i++)
    add(holds, make_hold(cookies[i], ":1.5", 1000));
  list = eppd_boost_holds_list(holds);
  g_assert_cmpuint(list->len, ==, G_N_ELEMENTS(cookies));
  for (guint i = 0; i < list->len; i++)
    g_assert_cmpuint(((const EppdBoostHold *)list->pdata[i])->cookie, ==, cookies[i]);
}

static void
test_the_lowest_core_threshold_wins(void)
{
  /* Of each hold: trigger, threshold, whether it has a cgroup. */
  static const struct {
    const char *what;
    struct {
      EppdTrigger trigger;
      guint threshold;
      bool cgroup;
    } holds[3];
    guint n_holds;
    bool app_as_core;
    guint expected;
  } cases[] = {
      {"none", {{0}}, 0, false, 0},
      {"one without", {{EPPD_TRIGGER_CORE, 0, false}}, 1, false, 50},
      {"one higher", {{EPPD_TRIGGER_CORE, 80, false}}, 1, false, 80},
      {"the lowest",
       {{EPPD_TRIGGER_CORE, 80, false},
        {EPPD_TRIGGER_CORE, 20, true},
        {EPPD_TRIGGER_CORE, 0, true}},
       3,
       false,
       20},
      {"the default among them",
       {{EPPD_TRIGGER_CORE, 80, false}, {EPPD_TRIGGER_CORE, 0, false}},
       2,
       false,
       50},
      {"app holds are another matter",
       {{EPPD_TRIGGER_CORE, 80, false}, {EPPD_TRIGGER_APP, 5, true}},
       2,
       false,
       80},
      {"app holds as core, with the default",
       {{EPPD_TRIGGER_CORE, 80, false}, {EPPD_TRIGGER_APP, 5, true}},
       2,
       true,
       50},
      {"an app hold without a cgroup is core anyway",
       {{EPPD_TRIGGER_CORE, 80, false}, {EPPD_TRIGGER_APP, 5, false}},
       2,
       false,
       50},
      {"app holds alone", {{EPPD_TRIGGER_APP, 5, true}}, 1, false, 0},
      {"app holds alone, as core", {{EPPD_TRIGGER_APP, 5, true}}, 1, true, 50},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();

    g_test_message("%s", cases[i].what);
    for (guint h = 0; h < cases[i].n_holds; h++) {
      EppdBoostHold hold = make_hold(h + 1, ":1.5", 1000);

      hold.trigger = cases[i].holds[h].trigger;
      hold.threshold_percent = cases[i].holds[h].threshold;
      hold.cgroup_id = cases[i].holds[h].cgroup ? 4711 + h : 0;
      add(holds, hold);
    }
    g_assert_cmpuint(eppd_boost_holds_core_threshold_percent(holds, 50, cases[i].app_as_core), ==,
                     cases[i].expected);
  }
}

static void
test_the_trigger_app_needs_a_cgroup_and_a_source(void)
{
  static const struct {
    EppdTrigger asked;
    bool cgroup;
    bool source_knows_apps;
    EppdTrigger effective;
  } cases[] = {
      {EPPD_TRIGGER_CORE, false, false, EPPD_TRIGGER_CORE},
      {EPPD_TRIGGER_CORE, true, true, EPPD_TRIGGER_CORE},
      {EPPD_TRIGGER_APP, true, true, EPPD_TRIGGER_APP},
      {EPPD_TRIGGER_APP, false, true, EPPD_TRIGGER_CORE},
      {EPPD_TRIGGER_APP, true, false, EPPD_TRIGGER_CORE},
  };

  for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
    EppdBoostHold hold = make_hold(1, ":1.5", 1000);
    const char *why = "not set";

    hold.trigger = cases[i].asked;
    hold.cgroup_id = cases[i].cgroup ? 4711 : 0;
    add(holds, hold);
    g_assert_cmpint((int)eppd_boost_hold_effective_trigger(eppd_boost_holds_lookup(holds, 1),
                                                           cases[i].source_knows_apps, &why),
                    ==, (int)cases[i].effective);
    g_assert_cmpint(why == NULL, ==, cases[i].asked == cases[i].effective);
    if (why)
      g_assert_nonnull(strstr(why, cases[i].cgroup ? "source" : "cgroup"));
  }
}

static EppdBoostHold
make_app_hold(guint32 cookie, guint64 cgroup_id, guint threshold_percent)
{
  EppdBoostHold hold = make_hold(cookie, ":1.5", 1000 + cookie / EPPD_BOOST_HOLDS_PER_USER);

  hold.trigger = EPPD_TRIGGER_APP;
  hold.cgroup_id = cgroup_id;
  hold.threshold_percent = threshold_percent;
  return hold;
}

static char *
format_rules(const EppdBoostHolds *holds)
{
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  guint n_rules = eppd_boost_holds_app_rules(holds, 10, rules);
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < n_rules; i++)
    g_string_append_printf(text, "%" G_GUINT64_FORMAT ":%u ", rules[i].cgroup_id,
                           rules[i].threshold_permille);
  return g_string_free(text, FALSE);
}

static void
assert_rules(const EppdBoostHolds *holds, const char *expected)
{
  g_autofree char *text = format_rules(holds);

  g_assert_cmpstr(text, ==, expected);
}

static void
test_a_rule_for_each_applications_cgroup(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  EppdBoostHold core = make_app_hold(1, 5, 3);

  assert_rules(holds, "");
  core.trigger = EPPD_TRIGGER_CORE;
  add(holds, core);
  add(holds, make_app_hold(2, 0, 3));
  assert_rules(holds, "");

  add(holds, make_app_hold(3, 7, 0));
  add(holds, make_app_hold(4, 6, 100));
  assert_rules(holds, "7:100 6:1000 ");
  /* The lowest threshold of a cgroup's holds. */
  add(holds, make_app_hold(5, 6, 20));
  add(holds, make_app_hold(6, 7, 30));
  assert_rules(holds, "7:100 6:200 ");

  g_assert_cmpuint(eppd_boost_holds_of_app(holds, 6)->cookie, ==, 4);
  g_assert_null(eppd_boost_holds_of_app(holds, 5));
  g_assert_true(eppd_boost_holds_drop(holds, 3));
  assert_rules(holds, "6:200 7:300 ");
}

static void
assert_has_place(const EppdBoostHolds *holds, guint32 cookie, bool expected)
{
  const EppdBoostHold *hold = eppd_boost_holds_lookup(holds, cookie);
  const char *why = NULL;

  g_assert_cmpint((int)eppd_boost_hold_effective_trigger(hold, true, &why), ==,
                  expected ? EPPD_TRIGGER_APP : EPPD_TRIGGER_CORE);
  g_assert_cmpint(why == NULL, ==, expected);
  if (why)
    g_assert_nonnull(strstr(why, "64 cgroups at a time"));
}

/* The first come, whoever's they are; and a hold of a cgroup that has a place takes none. */
static void
test_so_many_cgroups_have_a_place(void)
{
  g_autoptr(EppdBoostHolds) holds = eppd_boost_holds_new();
  EppdAppRule rules[EPPD_APP_RULES_MAX];
  const guint32 late = EPPD_APP_RULES_MAX + 1;

  for (guint32 cookie = 1; cookie <= EPPD_APP_RULES_MAX; cookie++)
    add(holds, make_app_hold(cookie, 100 + cookie, 10));
  add(holds, make_app_hold(late, 100 + late, 10));
  add(holds, make_app_hold(late + 1, 101, 1));
  g_assert_cmpuint(eppd_boost_holds_app_rules(holds, 10, rules), ==, EPPD_APP_RULES_MAX);
  assert_has_place(holds, EPPD_APP_RULES_MAX, true);
  assert_has_place(holds, late, false);
  assert_has_place(holds, late + 1, true);
  g_assert_null(eppd_boost_holds_of_app(holds, 100 + late));
  /* Which counts as core then. */
  g_assert_cmpuint(eppd_boost_holds_core_threshold_percent(holds, 50, false), ==, 50);

  /* One ends, but another holds its cgroup; then one ends for good. */
  g_assert_true(eppd_boost_holds_drop(holds, 1));
  assert_has_place(holds, late, true);
  assert_has_place(holds, late + 1, false);
  g_assert_true(eppd_boost_holds_drop(holds, 2));
  assert_has_place(holds, late, true);
  assert_has_place(holds, late + 1, true);
  g_assert_cmpuint(eppd_boost_holds_core_threshold_percent(holds, 50, false), ==, 0);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
#define ADD(name, function) g_test_add_func("/boost-holds/" name, function)
  ADD("a-hold-is-copied-whole", test_a_hold_is_copied_whole);
  ADD("a-cookie-is-neither-zero-nor-used-twice", test_a_cookie_is_neither_zero_nor_used_twice);
  ADD("the-limit-is-a-users", test_the_limit_is_a_users);
  ADD("only-the-owner-releases", test_only_the_owner_releases);
  ADD("dropping", test_dropping);
  ADD("the-list-is-oldest-first", test_the_list_is_oldest_first);
  ADD("the-lowest-core-threshold-wins", test_the_lowest_core_threshold_wins);
  ADD("the-trigger-app-needs-a-cgroup-and-a-source",
      test_the_trigger_app_needs_a_cgroup_and_a_source);
  ADD("a-rule-for-each-applications-cgroup", test_a_rule_for_each_applications_cgroup);
  ADD("so-many-cgroups-have-a-place", test_so_many_cgroups_have_a_place);
  return g_test_run();
}
