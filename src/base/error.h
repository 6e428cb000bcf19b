/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* What a failed access means for the caller, not which call failed: adapters map errno to these, so
 * that policy can tell "refused for now" from "gone" without knowing the kernel. */
typedef enum {
  EPPD_ERROR_FAILED,      /* anything else, EIO among it */
  EPPD_ERROR_INVALID,     /* EINVAL, or text that makes no sense */
  EPPD_ERROR_BUSY,        /* EBUSY: the kernel refuses now (governor performance, dynamic EPP) */
  EPPD_ERROR_GONE,        /* ENOENT, ENODEV, ENXIO: not there (any more) */
  EPPD_ERROR_DENIED,      /* EACCES, EPERM, EROFS */
  EPPD_ERROR_UNSUPPORTED, /* EOPNOTSUPP, ENOTSUPP (524), ENOSYS */
  EPPD_ERROR_EMPTY,       /* the file could be read and held nothing */
  EPPD_ERROR_LIMIT,       /* too many, too long, too large */
} EppdError;

#define EPPD_ERROR (eppd_error_quark())

GQuark eppd_error_quark(void);

/* The code of an errno value (positive). */
EppdError eppd_error_from_errno(int errnum);

/* Sets @error to «MESSAGE: strerror», with the code of @errnum. @format names the file and what was
 * being done to it. Always returns FALSE, so that a caller can return it. */
gboolean eppd_error_set_errno(GError **error, int errnum, const char *format, ...)
    G_GNUC_PRINTF(3, 4);
