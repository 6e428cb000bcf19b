/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "spinner.h"

#include <sched.h>

#define CPU_MAX      8192
#define CPU_SET_SIZE CPU_ALLOC_SIZE(CPU_MAX)

struct _Spinner {
  guint cpu;
  int stop; /* atomic */
  GThread *thread;
};

static gpointer
spin(gpointer data)
{
  Spinner *spinner = data;
  g_autofree cpu_set_t *set = g_malloc0(CPU_SET_SIZE);

  CPU_SET_S(spinner->cpu, CPU_SET_SIZE, set);
  g_assert_cmpint(sched_setaffinity(0, CPU_SET_SIZE, set), ==, 0);
  while (!g_atomic_int_get(&spinner->stop))
    ;
  return NULL;
}

Spinner *
spinner_new(guint cpu)
{
  Spinner *spinner = g_new0(Spinner, 1);

  spinner->cpu = cpu;
  spinner->thread = g_thread_new("spinner", spin, spinner);
  return spinner;
}

void
spinner_free(Spinner *spinner)
{
  g_atomic_int_set(&spinner->stop, 1);
  g_thread_join(spinner->thread);
  g_free(spinner);
}

guint
spinner_choose_cpu(void)
{
  g_autofree cpu_set_t *set = g_malloc0(CPU_SET_SIZE);
  guint cpu = CPU_MAX;

  g_assert_cmpint(sched_getaffinity(0, CPU_SET_SIZE, set), ==, 0);
  while (!CPU_ISSET_S(--cpu, CPU_SET_SIZE, set))
    g_assert_cmpuint(cpu, >, 0);
  return cpu;
}
