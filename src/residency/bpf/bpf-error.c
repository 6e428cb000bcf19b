/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/bpf/bpf-error.h"

#include "base/error.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <string.h>

static _Thread_local char first_complaint[256];

G_GNUC_PRINTF(2, 0)
static int
keep_complaint(enum libbpf_print_level level, const char *format, va_list args)
{
  char text[sizeof first_complaint];

  if (level != LIBBPF_WARN || first_complaint[0])
    return 0;
  g_vsnprintf(text, sizeof text, format, args);
  g_strstrip(text);
  g_strlcpy(first_complaint, g_str_has_prefix(text, "libbpf: ") ? text + strlen("libbpf: ") : text,
            sizeof first_complaint);
  return 0;
}

void
eppd_bpf_error_listen(void)
{
  static gsize once;

  if (g_once_init_enter(&once)) {
    libbpf_set_print(keep_complaint);
    g_once_init_leave(&once, 1);
  }
  first_complaint[0] = '\0';
}

void
eppd_bpf_error_set(GError **error, int result, const char *what)
{
  g_strdelimit(first_complaint, "\n", ' ');
  if (result == -EPERM)
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_DENIED,
                "%s: not permitted (it takes CAP_BPF and CAP_PERFMON, and no lockdown)", what);
  else if (first_complaint[0])
    g_set_error(error, EPPD_ERROR, eppd_error_from_errno(-result), "%s: %s", what, first_complaint);
  else
    eppd_error_set_errno(error, -result, "%s", what);
}
