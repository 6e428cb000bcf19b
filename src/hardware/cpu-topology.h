/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/cpu-list.h"
#include "base/sys-root.h"

/* cpuN/topology/thread_siblings_list; the CPU alone where that can't be read. */
void eppd_cpu_topology_siblings(EppdSysRoot *root, guint cpu, EppdCpuList *siblings);
