/* SPDX-License-Identifier: GPL-2.0-or-later */

/* Random sequences of everything that can happen, against boost-set and policy-state together and
 * an EPP file with the kernel's rules. After each step the invariants must hold. GLib prints the
 * seed; --seed=… repeats a run. */

#include "policy/boost-set.h"
#include "policy/policy-state.h"
#include "sim-epp-file.h"

#define MS 1000

#define N_CPUS     6
#define N_POLICIES 4
#define N_RUNS     150
#define N_STEPS    1500

typedef struct {
  SimEppFile file;
  EppdPolicyState state;
  bool busy;    /* by the edges */
  guint8 base;  /* the number that the file must get back */
  bool foreign; /* the file's last writer is another than us */
  EppdEpp owed; /* while a restore is pending: what it is to replace, if known */
} Policy;

typedef struct {
  gint64 now_usec;
  EppdBoostParams params;
  EppdBoostSet *set;
  Policy policies[N_POLICIES];
  gint64 quiet_usec[N_CPUS]; /* time that went forward since the last busy sample */
  bool clock_went_back[N_CPUS];
  guint busy_edges;
  guint foreign_found;
  guint refusals;
} World;

static EppdEpp
random_epp(void)
{
  static const EppdEppKind kinds[] = {EPPD_EPP_PERFORMANCE, EPPD_EPP_BALANCE_PERFORMANCE,
                                      EPPD_EPP_BALANCE_POWER, EPPD_EPP_POWER};
  guint i = (guint)g_test_rand_int_range(0, G_N_ELEMENTS(kinds) + 1);

  if (i < G_N_ELEMENTS(kinds))
    return eppd_epp_named(kinds[i]);
  return eppd_epp_raw((guint8)g_test_rand_int_range(0, 256));
}

/* CPUs 0 and 1 share a policy, 2 and 3 are siblings with a policy each, 4 and 5 share one. */
static EppdTopology *
make_topology(void)
{
  guint first[] = {0, 1};
  guint second[] = {2};
  guint third[] = {3};
  guint fourth[] = {4, 5};
  guint threads[] = {2, 3};
  EppdCpuList cpus[] = {{first, 2}, {second, 1}, {third, 1}, {fourth, 2}};
  EppdCpuList siblings[] = {{NULL, 0}, {threads, 2}, {threads, 2}, {NULL, 0}};

  return eppd_topology_new(cpus, siblings, N_POLICIES);
}

/* ---- What the daemon does with a step ---- */

static bool
carry_out(World *world, Policy *policy, const EppdStep *step)
{
  EppdEpp before = sim_epp_file_read(&policy->file);
  EppdEpp readback = eppd_epp_named(EPPD_EPP_UNKNOWN);
  EppdError refusal = EPPD_ERROR_FAILED;

  if (!sim_epp_file_write(&policy->file, &step->value, &refusal)) {
    world->refusals++;
    if (step->kind == EPPD_STEP_BASE)
      policy->owed = before;
    eppd_policy_state_refused(&policy->state, step->kind);
    return false;
  }
  if (!eppd_policy_state_knows_readback(&policy->state, step->kind))
    readback = sim_epp_file_read(&policy->file);
  eppd_policy_state_written(&policy->state, step->kind, &readback);
  policy->foreign = false;
  return true;
}

static EppdEpp
boost_as_left(const EppdPolicyState *state)
{
  return eppd_policy_state_knows_readback(state, EPPD_STEP_BOOST) ? state->boost.readback
                                                                  : state->boost.written;
}

/* What the file holds is another program's, as far as anyone can tell: it differs from what we left
 * there. */
static bool
is_another_programs(const Policy *policy, const EppdEpp *found)
{
  const EppdPolicyState *state = &policy->state;
  guint8 number = found->kind == EPPD_EPP_UNKNOWN ? 0 : sim_epp_number(found);

  if (found->kind == EPPD_EPP_UNKNOWN || !policy->foreign)
    return false;
  if (state->restore_pending &&
      (policy->owed.kind == EPPD_EPP_UNKNOWN || eppd_epp_equal(found, &policy->owed)))
    return false;
  if (!state->boosted)
    return true;
  if (eppd_policy_state_knows_readback(state, EPPD_STEP_BOOST))
    return !eppd_epp_equal(found, &state->boost.readback);
  /* The boost was unreadable when it was written: a number may be its name, a name its number. */
  if ((found->kind == EPPD_EPP_RAW) != (state->boost.written.kind == EPPD_EPP_RAW))
    return false;
  return number != sim_epp_number(&state->boost.written);
}

static void
busy_edge(World *world, Policy *policy)
{
  EppdEpp found = sim_epp_file_read(&policy->file);
  bool another = is_another_programs(policy, &found);
  bool was_resting = eppd_policy_state_is_resting(&policy->state, world->now_usec);
  bool was_pending = policy->state.restore_pending;
  EppdStep step;

  /* The contract: not under the governor performance, where the file tells nothing. */
  if (policy->file.governor_performance)
    return;

  step = eppd_policy_state_busy_edge(&policy->state, &found, world->now_usec);
  if (another && !was_resting) {
    policy->base = sim_epp_number(&found);
    policy->foreign = false; /* it is the base, and there to be boosted over */
    world->foreign_found++;
  }
  g_assert_cmpint((int)step.kind, !=, EPPD_STEP_BASE);
  if (was_resting)
    g_assert_cmpint((int)step.kind, ==, EPPD_STEP_RESTING);
  if (step.kind != EPPD_STEP_BOOST)
    return;

  /* Another program's value is covered only where it comes back. */
  g_assert_cmpuint(sim_epp_number(&policy->state.base.written), ==, policy->base);
  /* Never a write that changes nothing. */
  if (!was_pending && policy->file.reading == SIM_READS_AS_WRITTEN)
    g_assert_false(eppd_epp_equal(&found, &step.value));
  carry_out(world, policy, &step);
}

static void
idle_edge(World *world, Policy *policy)
{
  EppdEpp found = sim_epp_file_read(&policy->file);
  bool was_due = policy->state.boosted || policy->state.restore_pending;
  bool another = was_due && is_another_programs(policy, &found);
  EppdEpp owed = policy->state.restore_pending ? policy->owed : boost_as_left(&policy->state);
  guint8 number_before = sim_epp_number(&policy->file.value);
  EppdStep step = eppd_policy_state_idle_edge(&policy->state, &found,
                                              policy->file.governor_performance, world->now_usec);

  g_assert_cmpint((int)step.kind, !=, EPPD_STEP_BOOST);
  if (!was_due)
    g_assert_cmpint((int)step.kind, ==, EPPD_STEP_NOTHING);

  if (another && !policy->file.governor_performance) {
    g_assert_cmpint((int)step.kind, !=, EPPD_STEP_BASE);
    policy->base = number_before;
    world->foreign_found++;
  }
  if (step.kind != EPPD_STEP_BASE)
    return;

  if (policy->file.reading == SIM_READS_AS_WRITTEN && !policy->file.governor_performance)
    g_assert_false(eppd_epp_equal(&found, &step.value));
  g_assert_cmpuint(sim_epp_number(&step.value), ==, policy->base);
  /* Of a file that can't be read it is known all the same what was left there. */
  if (!carry_out(world, policy, &step) && found.kind == EPPD_EPP_UNKNOWN &&
      !policy->file.governor_performance)
    policy->owed = owed;
}

static void
set_wanted(World *world, Policy *policy, const EppdEpp *wanted, bool force)
{
  EppdEpp found = sim_epp_file_read(&policy->file);
  EppdStep step = eppd_policy_state_set_wanted(&policy->state, wanted, &found, force);

  policy->base = sim_epp_number(wanted);
  if (step.kind == EPPD_STEP_BASE)
    carry_out(world, policy, &step);
  else if (!policy->state.boosted)
    policy->foreign = false;
}

/* At most one write an edge, and none without: edges of a policy alternate, so that an episode
 * costs two at most. */
static void
carry_out_edges(World *world, const EppdBoostChange *change)
{
  for (guint i = 0; i < change->n_edges; i++) {
    Policy *policy = &world->policies[change->edges[i].policy];
    guint n_writes = policy->file.n_writes;
    bool is_busy = change->edges[i].edge == EPPD_EDGE_BUSY;

    g_assert_cmpint(is_busy, !=, policy->busy);
    policy->busy = is_busy;
    if (is_busy) {
      world->busy_edges++;
      busy_edge(world, policy);
    } else {
      idle_edge(world, policy);
    }
    g_assert_cmpuint(policy->file.n_writes - n_writes, <=, 1);
  }
}

static void
expire(World *world)
{
  guint cpu;
  guint n_due = 0;

  while (eppd_boost_set_next_due(world->set, world->now_usec, &cpu)) {
    EppdBoostChange change = eppd_boost_set_expire_cpu(world->set, cpu, world->now_usec);

    carry_out_edges(world, &change);
    g_assert_cmpuint(++n_due, <=, N_CPUS);
  }
}

static void
retry_pending(World *world, Policy *policy)
{
  if (policy->state.restore_pending)
    idle_edge(world, policy);
}

/* ---- What can happen ---- */

static void
pass_time(World *world, gint64 usec)
{
  gint64 until_usec = world->now_usec + usec;
  gint64 deadline_usec;

  /* The daemon's timer wakes it at each deadline. */
  while ((deadline_usec = eppd_boost_set_deadline_usec(world->set)) >= 0 &&
         deadline_usec <= until_usec) {
    world->now_usec = MAX(world->now_usec, deadline_usec);
    expire(world);
  }
  world->now_usec = until_usec;
  for (guint cpu = 0; cpu < N_CPUS; cpu++)
    world->quiet_usec[cpu] += usec;
}

static void
step_sample(World *world)
{
  guint cpu = (guint)g_test_rand_int_range(0, N_CPUS + 1); /* the last one is unknown */
  guint busy_permille = (guint)g_test_rand_int_range(0, 1001);
  EppdBoostChange change = eppd_boost_set_sample(world->set, cpu, busy_permille, world->now_usec);

  if (cpu < N_CPUS && busy_permille >= world->params.threshold_permille) {
    world->quiet_usec[cpu] = 0;
    /* The next samples of a boosted CPU may still be older than what it remembers. */
    if (change.cpu_edge == EPPD_EDGE_BUSY)
      world->clock_went_back[cpu] = false;
  }
  carry_out_edges(world, &change);
}

static void
step_clock_back(World *world)
{
  world->now_usec -= g_test_rand_int_range(0, 5000) * MS;
  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    world->quiet_usec[cpu] = 0;
    world->clock_went_back[cpu] = true;
  }
}

static void
step_foreign_write(World *world)
{
  Policy *policy = &world->policies[g_test_rand_int_range(0, N_POLICIES)];
  EppdEpp epp = random_epp();
  EppdError refusal;

  if (sim_epp_file_write(&policy->file, &epp, &refusal))
    policy->foreign = true;
}

static void
step_profile(World *world)
{
  EppdEpp wanted = random_epp();
  bool force = g_test_rand_bit();

  for (guint i = 0; i < N_POLICIES; i++)
    set_wanted(world, &world->policies[i], &wanted, force);
}

static void
step_hotplug(World *world)
{
  EppdBoostChange change =
      eppd_boost_set_reset_cpu(world->set, (guint)g_test_rand_int_range(0, N_CPUS + 1));

  carry_out_edges(world, &change);
}

static void
step_governor(World *world)
{
  Policy *policy = &world->policies[g_test_rand_int_range(0, N_POLICIES)];

  if (!policy->file.governor_performance && g_test_rand_int_range(0, 6) != 0)
    return;
  sim_epp_file_set_governor(&policy->file, !policy->file.governor_performance);
  if (policy->file.governor_performance)
    policy->foreign = true;
  else
    retry_pending(world, policy);
}

static void
step_fault(World *world)
{
  static const EppdError refusals[] = {EPPD_ERROR_BUSY, EPPD_ERROR_INVALID, EPPD_ERROR_FAILED};
  Policy *policy = &world->policies[g_test_rand_int_range(0, N_POLICIES)];
  SimEppFile *file = &policy->file;

  if (file->refuses || file->unreadable) {
    file->refuses = false;
    file->unreadable = false;
    retry_pending(world, policy);
    return;
  }
  /* Mostly without, or nothing else would be tested. */
  file->refuses = g_test_rand_int_range(0, 6) == 0;
  file->unreadable = g_test_rand_int_range(0, 6) == 0;
  file->refusal = refusals[g_test_rand_int_range(0, G_N_ELEMENTS(refusals))];
}

/* The driver is replaced: the policy's boost is gone with it, and its files are new. */
static void
step_new_driver(World *world)
{
  Policy *policy = &world->policies[g_test_rand_int_range(0, N_POLICIES)];
  EppdEpp wanted = policy->state.wanted;

  policy->file.value = random_epp();
  policy->file.reading = (SimReading)g_test_rand_int_range(0, SIM_N_READINGS);
  policy->file.governor_performance = false;
  eppd_policy_state_remade(&policy->state);
  set_wanted(world, policy, &wanted, true);
}

static void
take_random_step(World *world)
{
  int dice = g_test_rand_int_range(0, 100);

  if (dice < 45)
    step_sample(world);
  else if (dice < 65)
    pass_time(world, g_test_rand_int_range(0, 30 * MS));
  else if (dice < 75)
    pass_time(world, g_test_rand_int_range(0, 700 * MS));
  else if (dice < 76)
    pass_time(world, (gint64)g_test_rand_int_range(0, 3600) * 1000 * MS);
  else if (dice < 78)
    step_clock_back(world);
  else if (dice < 84)
    step_foreign_write(world);
  else if (dice < 88)
    step_profile(world);
  else if (dice < 91)
    step_hotplug(world);
  else if (dice < 94)
    step_governor(world);
  else if (dice < 99)
    step_fault(world);
  else
    step_new_driver(world);
  expire(world);
}

/* ---- What must hold after each step ---- */

static void
check_policy(const World *world, const Policy *policy, bool is_busy)
{
  const EppdPolicyState *state = &policy->state;
  guint8 number = sim_epp_number(&policy->file.value);

  g_assert_cmpint(policy->busy, ==, is_busy);
  if (!is_busy)
    g_assert_false(state->boosted && !state->restore_pending);
  if (policy->foreign || state->restore_pending || policy->file.governor_performance)
    return;
  if (state->boosted)
    g_assert_cmpuint(number, ==, sim_epp_number(&state->boost.written));
  else
    g_assert_cmpuint(number, ==, policy->base);
}

static void
check_world(const World *world)
{
  guint boosted[N_POLICIES] = {0};

  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    guint n_policies;
    const guint *policies =
        eppd_topology_policies_of(eppd_boost_set_topology(world->set), cpu, &n_policies);

    if (!eppd_boost_set_cpu(world->set, cpu)->boosted)
      continue;
    /* A CPU that is not busy for the hold is not boosted; the clock's jumps cost one hold more. */
    g_assert_cmpint(world->quiet_usec[cpu], <,
                    world->params.hold_usec * (world->clock_went_back[cpu] ? 2 : 1));
    for (guint i = 0; i < n_policies; i++)
      boosted[policies[i]]++;
  }
  for (guint i = 0; i < N_POLICIES; i++)
    check_policy(world, &world->policies[i], boosted[i] > 0);
}

/* The end: no fault, no boost, no governor; everything must be at its base then. */
static void
settle_world(World *world)
{
  for (guint cpu = 0; cpu < N_CPUS; cpu++) {
    EppdBoostChange change = eppd_boost_set_reset_cpu(world->set, cpu);

    carry_out_edges(world, &change);
  }
  for (guint i = 0; i < N_POLICIES; i++) {
    Policy *policy = &world->policies[i];

    policy->file.refuses = false;
    policy->file.unreadable = false;
    policy->file.governor_performance = false;
    retry_pending(world, policy);
    g_assert_false(policy->state.boosted);
    g_assert_false(policy->state.restore_pending);
    if (!policy->foreign)
      g_assert_cmpuint(sim_epp_number(&policy->file.value), ==, policy->base);
  }
}

static void
start_world(World *world, SimReading reading)
{
  EppdEpp wanted = eppd_epp_named(EPPD_EPP_BALANCE_PERFORMANCE);
  EppdEpp boost = g_test_rand_bit() ? eppd_epp_named(EPPD_EPP_PERFORMANCE) : random_epp();

  *world = (World){.now_usec = 1000 * G_USEC_PER_SEC};
  world->params.threshold_permille = (guint)g_test_rand_int_range(100, 900);
  world->params.hold_usec = g_test_rand_int_range(1, 400 * MS);
  world->set = eppd_boost_set_new(make_topology(), &world->params);
  for (guint i = 0; i < N_POLICIES; i++) {
    Policy *policy = &world->policies[i];

    policy->file.reading = reading;
    policy->file.value = random_epp();
    eppd_policy_state_init(&policy->state, &wanted, &boost);
    set_wanted(world, policy, &wanted, true);
  }
}

static void
test_invariants_hold_whatever_happens(gconstpointer data)
{
  guint busy_edges = 0;
  guint foreign_found = 0;
  guint refusals = 0;

  for (guint run = 0; run < N_RUNS; run++) {
    World world;

    start_world(&world, *(const SimReading *)data);
    for (guint step = 0; step < N_STEPS; step++) {
      take_random_step(&world);
      check_world(&world);
    }
    settle_world(&world);
    eppd_boost_set_free(world.set);
    busy_edges += world.busy_edges;
    foreign_found += world.foreign_found;
    refusals += world.refusals;
  }
  g_test_message("%u busy edges, %u foreign values found, %u refusals", busy_edges, foreign_found,
                 refusals);
  g_assert_cmpuint(busy_edges, >, N_RUNS);
  g_assert_cmpuint(foreign_found, >, N_RUNS);
  g_assert_cmpuint(refusals, >, N_RUNS);
}

int
main(int argc, char **argv)
{
  static const SimReading readings[] = {SIM_READS_AS_WRITTEN, SIM_READS_NUMBERS, SIM_READS_NAMES};

  g_test_init(&argc, &argv, NULL);
  g_test_add_data_func("/boost-properties/where-values-read-back-as-written", &readings[0],
                       test_invariants_hold_whatever_happens);
  g_test_add_data_func("/boost-properties/where-names-read-back-as-numbers", &readings[1],
                       test_invariants_hold_whatever_happens);
  g_test_add_data_func("/boost-properties/where-numbers-read-back-as-names", &readings[2],
                       test_invariants_hold_whatever_happens);
  return g_test_run();
}
