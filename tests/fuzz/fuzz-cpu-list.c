/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's CPU lists: what is read is a set, and says so when it is written. */
#include "fuzz.h"

#include "base/cpu-list.h"

static void
check_list(const EppdCpuList *list)
{
  g_auto(EppdCpuList) again = {0};
  g_autofree char *text = eppd_cpu_list_format(list);

  for (guint i = 0; i < list->n_cpus; i++) {
    g_assert_cmpuint(list->cpus[i], <, EPPD_CPU_MAX);
    g_assert_true(i == 0 || list->cpus[i] > list->cpus[i - 1]);
    g_assert_true(eppd_cpu_list_contains(list, list->cpus[i]));
  }
  g_assert_true(eppd_cpu_list_parse(text, &again));
  g_assert_cmpmem(again.cpus, again.n_cpus * sizeof *again.cpus, list->cpus,
                  list->n_cpus * sizeof *list->cpus);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *text = fuzz_text(data, size);
  g_auto(EppdCpuList) list = {0};
  g_auto(EppdCpuList) copy = {0};
  guint cpu = size > 1 ? data[0] * 256u + data[size - 1] : 0;

  if (!eppd_cpu_list_parse(text, &list)) {
    g_assert_null(list.cpus);
    g_assert_cmpuint(list.n_cpus, ==, 0);
  }
  check_list(&list);
  eppd_cpu_list_copy(&list, &copy);
  eppd_cpu_list_add(&copy, cpu);
  g_assert_cmpint(eppd_cpu_list_contains(&copy, cpu), ==, cpu < EPPD_CPU_MAX);
  check_list(&copy);
  return 0;
}
