/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-fault.h"

#include <errno.h>
#include <string.h>

/* The greatest that FUSE passes on: 512 and more are the kernel's own. */
#define MAX_ERRNO    511
#define MAX_DELAY_MS (10 * 60 * 1000)
#define FOREVER      G_MAXUINT

typedef struct {
  char *glob;
  GPatternSpec *pattern;
  SimFaultOps ops;
  SimFaultEffect effect;
  bool vanish;
  guint n_left; /* or FOREVER */
  double probability;
} Fault;

struct SimFaults {
  GPtrArray *rows;
  guint n_vanish; /* of the rows */
  guint64 n_met;
  GRand *random;
};

static void
fault_free(Fault *fault)
{
  g_free(fault->glob);
  g_pattern_spec_free(fault->pattern);
  g_free(fault);
}

SimFaults *
sim_faults_new(guint32 seed)
{
  SimFaults *faults = g_new0(SimFaults, 1);

  faults->rows = g_ptr_array_new_with_free_func((GDestroyNotify)fault_free);
  faults->random = g_rand_new_with_seed(seed);
  return faults;
}

void
sim_faults_free(SimFaults *faults)
{
  g_ptr_array_unref(faults->rows);
  g_rand_free(faults->random);
  g_free(faults);
}

static bool
parse_number(const char *text, guint64 max, guint *value)
{
  guint64 number;

  if (!g_ascii_string_to_unsigned(text, 10, 0, max, &number, NULL))
    return false;
  *value = number;
  return true;
}

/* A name ("EBUSY") or a number. */
static bool
parse_errno(const char *text, int *error)
{
  guint number;

  if (parse_number(text, MAX_ERRNO, &number) && number > 0) {
    *error = number;
    return true;
  }
  for (int candidate = 1; candidate <= MAX_ERRNO; candidate++) {
    if (g_strcmp0(strerrorname_np(candidate), text) == 0) {
      *error = candidate;
      return true;
    }
  }
  return false;
}

static bool
parse_probability(const char *text, double *probability)
{
  char *end;
  double value = g_ascii_strtod(text, &end);

  if (end == text || *end != '\0' || !(value >= 0 && value <= 1))
    return false;
  *probability = value;
  return true;
}

/* What is behind the = of @word where that is @key. */
static const char *
value_of(const char *word, const char *key)
{
  return g_str_has_prefix(word, key) ? word + strlen(key) : NULL;
}

static bool
parse_op(Fault *fault, const char *word)
{
  static const char *const names[] = {"read", "write", "open"};

  for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
    if (g_str_equal(word, names[i])) {
      fault->ops |= 1u << i;
      return true;
    }
  }
  return false;
}

static bool
parse_limit(Fault *fault, const char *text)
{
  guint limit;

  if (!parse_number(text, G_MAXINT, &limit))
    return false;
  fault->effect.limit = limit;
  return true;
}

static bool
parse_word(Fault *fault, const char *word)
{
  const char *value;

  if (g_str_equal(word, "vanish"))
    return fault->vanish = true;
  if (g_str_equal(word, "empty"))
    return parse_op(fault, "read") && parse_limit(fault, "0");
  if ((value = value_of(word, "errno=")))
    return parse_errno(value, &fault->effect.error);
  if ((value = value_of(word, "delay-ms=")))
    return parse_number(value, MAX_DELAY_MS, &fault->effect.delay_ms);
  if ((value = value_of(word, "short=")))
    return parse_limit(fault, value);
  if ((value = value_of(word, "count=")))
    return parse_number(value, FOREVER - 1, &fault->n_left) && fault->n_left > 0;
  if ((value = value_of(word, "probability=")))
    return parse_probability(value, &fault->probability);
  return parse_op(fault, word);
}

static bool
has_effect(const Fault *fault)
{
  return fault->effect.error != 0 || fault->effect.delay_ms > 0 || fault->effect.limit >= 0;
}

static bool
is_sensible(const Fault *fault)
{
  if (!fault->vanish)
    return has_effect(fault);
  return !has_effect(fault) && fault->ops == 0 && fault->n_left == FOREVER &&
         fault->probability == 1;
}

static Fault *
parse_fault(const char *const *words, char **error)
{
  Fault *fault = g_new0(Fault, 1);

  fault->glob = g_strdup(words[0]);
  fault->pattern = g_pattern_spec_new(words[0]);
  fault->effect.limit = -1;
  fault->n_left = FOREVER;
  fault->probability = 1;
  for (guint i = 1; words[i]; i++) {
    if (!parse_word(fault, words[i])) {
      *error = g_strdup_printf("“%s” is nothing that a fault has", words[i]);
      fault_free(fault);
      return NULL;
    }
  }
  if (!is_sensible(fault)) {
    *error = g_strdup("a fault has an effect, or is vanish alone");
    fault_free(fault);
    return NULL;
  }
  if (fault->ops == 0)
    fault->ops = SIM_FAULT_READ | SIM_FAULT_WRITE | SIM_FAULT_OPEN;
  return fault;
}

static void
drop(SimFaults *faults, guint i)
{
  const Fault *fault = g_ptr_array_index(faults->rows, i);

  faults->n_vanish -= fault->vanish;
  g_ptr_array_remove_index(faults->rows, i);
}

static void
clear(SimFaults *faults, const char *glob)
{
  for (guint i = faults->rows->len; i-- > 0;) {
    const Fault *fault = g_ptr_array_index(faults->rows, i);

    if (!glob || g_str_equal(fault->glob, glob))
      drop(faults, i);
  }
}

bool
sim_faults_command(SimFaults *faults, const char *command, char **error)
{
  g_auto(GStrv) words = g_strsplit(command, " ", -1);
  Fault *fault;

  if (g_strcmp0(words[0], "clear") == 0 && g_strv_length(words) <= 2) {
    clear(faults, words[1]);
    return true;
  }
  if (!words[0] || words[0][0] != '/') {
    *error = g_strdup("a fault begins with the pattern of an absolute path");
    return false;
  }
  fault = parse_fault((const char *const *)words, error);
  if (!fault)
    return false;
  faults->n_vanish += fault->vanish;
  g_ptr_array_add(faults->rows, fault);
  return true;
}

bool
sim_faults_are_any(const SimFaults *faults)
{
  return faults->rows->len > 0;
}

static bool
matches(const Fault *fault, const char *path)
{
  return g_pattern_spec_match_string(fault->pattern, path);
}

bool
sim_faults_apply(SimFaults *faults, SimFaultOps op, const char *path, SimFaultEffect *effect)
{
  for (guint i = 0; i < faults->rows->len; i++) {
    Fault *fault = g_ptr_array_index(faults->rows, i);

    if (fault->vanish || !(fault->ops & op) || !matches(fault, path) ||
        g_rand_double(faults->random) >= fault->probability)
      continue;
    *effect = fault->effect;
    faults->n_met++;
    if (fault->n_left != FOREVER && --fault->n_left == 0)
      drop(faults, i);
    return true;
  }
  return false;
}

guint64
sim_faults_n_met(const SimFaults *faults)
{
  return faults->n_met;
}

bool
sim_faults_is_vanished(const SimFaults *faults, const char *path)
{
  g_autofree char *prefix = NULL;

  if (faults->n_vanish == 0)
    return false;
  prefix = g_strdup(path);
  while (prefix[0] != '\0') {
    for (guint i = 0; i < faults->rows->len; i++) {
      const Fault *fault = g_ptr_array_index(faults->rows, i);

      if (fault->vanish && matches(fault, prefix))
        return true;
    }
    *strrchr(prefix, '/') = '\0';
  }
  return false;
}
