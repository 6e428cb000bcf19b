/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>

/* The kernel's own ENOTSUPP has no name in user space; shared-memory CPPC returns it. */
#define KERNEL_ENOTSUPP 524

GQuark
eppd_error_quark(void)
{
  return g_quark_from_static_string("eppd-error-quark");
}

EppdError
eppd_error_from_errno(int errnum)
{
  switch (errnum) {
  case EINVAL:
    return EPPD_ERROR_INVALID;
  case EBUSY:
    return EPPD_ERROR_BUSY;
  case ENOENT:
  case ENODEV:
  case ENXIO:
  case ENOTDIR:
    return EPPD_ERROR_GONE;
  case EACCES:
  case EPERM:
  case EROFS:
    return EPPD_ERROR_DENIED;
  case EOPNOTSUPP:
  case ENOSYS:
  case KERNEL_ENOTSUPP:
    return EPPD_ERROR_UNSUPPORTED;
  case EMFILE:
  case ENFILE:
  case ENOMEM:
  case EFBIG:
  case E2BIG:
  case ENAMETOOLONG:
    return EPPD_ERROR_LIMIT;
  default:
    return EPPD_ERROR_FAILED;
  }
}

gboolean
eppd_error_set_errno(GError **error, int errnum, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start(args, format);
  what = g_strdup_vprintf(format, args);
  va_end(args);

  g_set_error(error, EPPD_ERROR, eppd_error_from_errno(errnum), "%s: %s", what,
              errnum == KERNEL_ENOTSUPP ? "Operation not supported" : g_strerror(errnum));
  return FALSE;
}
