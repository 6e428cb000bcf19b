/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* The prefix of every /sys, /proc and cpuinfo file that is controlled or described: "/" on a real
 * machine, a directory in a test. It is handed to each adapter; nothing reads it from a global or
 * from the environment. */
typedef struct _EppdSysRoot EppdSysRoot;

/* @prefix: an existing directory, NULL or "/" for the machine itself. */
EppdSysRoot *eppd_sys_root_new(const char *prefix);
EppdSysRoot *eppd_sys_root_ref(EppdSysRoot *root);
void eppd_sys_root_unref(EppdSysRoot *root);

/* The path of an absolute @format, e.g. ("/sys/devices/system/cpu/cpufreq/policy%u", n), beneath
 * the prefix. Owned by the caller. */
char *eppd_sys_root_path(const EppdSysRoot *root, const char *format, ...) G_GNUC_PRINTF(2, 3);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdSysRoot, eppd_sys_root_unref)
