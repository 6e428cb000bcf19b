/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A thread that keeps one CPU busy. */
typedef struct _Spinner Spinner;

/* Spins on @cpu until it is freed. Aborts where it may not run there. */
Spinner *spinner_new(guint cpu);
void spinner_free(Spinner *spinner);

/* The last CPU that this process may run on: the first is everyone's favourite. */
guint spinner_choose_cpu(void);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Spinner, spinner_free)
