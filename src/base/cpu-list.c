/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/cpu-list.h"

#include <stdlib.h>
#include <string.h>

/* One number, in digits alone: strtoul would take " 1", "+1" and "-1" too. */
static bool
parse_cpu(const char **cursor, guint *cpu)
{
  const char *p = *cursor;
  guint value = 0;

  if (!g_ascii_isdigit(*p))
    return false;
  while (g_ascii_isdigit(*p)) {
    value = value * 10 + (guint)(*p - '0');
    if (value >= EPPD_CPU_MAX)
      return false;
    p++;
  }
  *cursor = p;
  *cpu = value;
  return true;
}

static bool
mark_range(const char **cursor, guint8 *marks)
{
  guint first;
  guint last;

  if (!parse_cpu(cursor, &first))
    return false;
  last = first;
  if (**cursor == '-') {
    (*cursor)++;
    if (!parse_cpu(cursor, &last) || last < first)
      return false;
  }
  for (guint cpu = first; cpu <= last; cpu++)
    marks[cpu] = 1;
  return true;
}

static void
skip_white(const char **cursor)
{
  while (g_ascii_isspace(**cursor))
    (*cursor)++;
}

bool
eppd_cpu_list_parse(const char *text, EppdCpuList *list)
{
  g_autofree guint8 *marks = g_new0(guint8, EPPD_CPU_MAX);
  g_autoptr(GArray) cpus = g_array_new(FALSE, FALSE, sizeof(guint));
  const char *cursor = text ? text : "";

  skip_white(&cursor);
  while (*cursor) {
    if (!mark_range(&cursor, marks))
      return false;
    if (*cursor == ',') {
      cursor++;
      if (!g_ascii_isdigit(*cursor))
        return false;
    } else if (*cursor && !g_ascii_isspace(*cursor)) {
      return false;
    }
    skip_white(&cursor);
  }

  for (guint cpu = 0; cpu < EPPD_CPU_MAX; cpu++) {
    if (marks[cpu])
      g_array_append_val(cpus, cpu);
  }
  list->n_cpus = cpus->len;
  list->cpus = (guint *)g_array_free(g_steal_pointer(&cpus), FALSE);
  return true;
}

char *
eppd_cpu_list_format(const EppdCpuList *list)
{
  GString *out = g_string_new(NULL);

  for (guint i = 0; i < list->n_cpus;) {
    guint end = i;

    while (end + 1 < list->n_cpus && list->cpus[end + 1] == list->cpus[end] + 1)
      end++;
    g_string_append_printf(out, "%s%u", out->len ? "," : "", list->cpus[i]);
    if (end > i)
      g_string_append_printf(out, "-%u", list->cpus[end]);
    i = end + 1;
  }
  return g_string_free(out, FALSE);
}

static int
compare_cpus(const void *a, const void *b)
{
  guint x = *(const guint *)a;
  guint y = *(const guint *)b;

  return (x > y) - (x < y);
}

bool
eppd_cpu_list_contains(const EppdCpuList *list, guint cpu)
{
  return list->n_cpus > 0 &&
         bsearch(&cpu, list->cpus, list->n_cpus, sizeof *list->cpus, compare_cpus) != NULL;
}

void
eppd_cpu_list_add(EppdCpuList *list, guint cpu)
{
  guint at = list->n_cpus;

  if (cpu >= EPPD_CPU_MAX)
    return;
  while (at > 0 && list->cpus[at - 1] > cpu)
    at--;
  if (at > 0 && list->cpus[at - 1] == cpu)
    return;
  list->cpus = g_renew(guint, list->cpus, list->n_cpus + 1);
  memmove(&list->cpus[at + 1], &list->cpus[at], (list->n_cpus - at) * sizeof *list->cpus);
  list->cpus[at] = cpu;
  list->n_cpus++;
}

void
eppd_cpu_list_copy(const EppdCpuList *list, EppdCpuList *copy)
{
  guint *cpus = g_memdup2(list->cpus, list->n_cpus * sizeof *list->cpus);

  eppd_cpu_list_clear(copy);
  copy->cpus = cpus;
  copy->n_cpus = list->n_cpus;
}

void
eppd_cpu_list_clear(EppdCpuList *list)
{
  g_clear_pointer(&list->cpus, g_free);
  list->n_cpus = 0;
}
