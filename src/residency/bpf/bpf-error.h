/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* What libbpf says when it fails. It says the cause first, and general words last. */

/* From here on, in this thread, what libbpf complains of is kept; it never reaches the terminal
 * once this was called. */
void eppd_bpf_error_listen(void);

/* An error of libbpf's, @result a negative errno: with what it complained of since listen(), if it
 * did, for its errno alone often misleads (ESRCH for a missing tracepoint). */
void eppd_bpf_error_set(GError **error, int result, const char *what);
