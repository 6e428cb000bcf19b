/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The energy performance preference as sysfs speaks it: names, raw numbers, and what else an EPP
 * file may hold. A value type: copy it freely, nothing to free. */

typedef enum {
  EPPD_EPP_UNKNOWN, /* could not be read, or not read yet; also a zeroed EppdEpp */
  EPPD_EPP_PERFORMANCE,
  EPPD_EPP_BALANCE_PERFORMANCE,
  EPPD_EPP_BALANCE_POWER,
  EPPD_EPP_POWER,
  EPPD_EPP_DEFAULT, /* the driver's default; what it means differs by kernel */
  EPPD_EPP_CUSTOM,  /* listed by the kernel, never writable */
  EPPD_EPP_DYNAMIC, /* "dynamic", or "dynamic(profile:name)" when read: the kernel manages it */
  EPPD_EPP_RAW,     /* 0..255 */
  EPPD_EPP_OTHER,   /* text that this version does not know; kept as it was, never written */
} EppdEppKind;

/* Longer text is no EPP of any kernel; it is kept cut, as OTHER. */
#define EPPD_EPP_TEXT_SIZE 64

typedef struct {
  EppdEppKind kind;
  guint8 raw;                    /* RAW only */
  char text[EPPD_EPP_TEXT_SIZE]; /* OTHER, and DYNAMIC with a detail: as read, printable ASCII (else
                                    '?'); else "" */
} EppdEpp;

/* Reads what a file or a configuration holds; surrounding white space is ignored. Numbers are
 * decimal or 0x-hex, 0..255; another number is OTHER. NULL and "" are UNKNOWN. Never fails. */
EppdEpp eppd_epp_parse(const char *text);

/* One of the names. @kind RAW, UNKNOWN, OTHER and DYNAMIC give that kind with no more detail. */
EppdEpp eppd_epp_named(EppdEppKind kind);
EppdEpp eppd_epp_raw(guint8 raw);

/* The text to write to the file, or to show ("unknown" for UNKNOWN). RAW is decimal, which both
 * drivers take. Points into @buffer (EPPD_EPP_TEXT_SIZE bytes), into @epp, or to a constant. */
const char *eppd_epp_text(const EppdEpp *epp, char *buffer);

/* Same kind and same detail. UNKNOWN equals nothing, not even UNKNOWN: two unreadable files need
 * not hold the same. */
bool eppd_epp_equal(const EppdEpp *a, const EppdEpp *b);

/* Whether a kernel could accept it: the five names that are not custom, RAW, DYNAMIC without
 * detail.
 */
bool eppd_epp_is_writable(const EppdEpp *epp);

/* Whether it is the first part of a name: a read that was cut short. */
bool eppd_epp_is_cut(const EppdEpp *epp);

/* Whether it may be what the performance governor left behind: the kernel keeps EPP at 0 then, by
 * whatever name. UNKNOWN may be. */
bool eppd_epp_may_be_left_over(const EppdEpp *epp);

/* Whether a file that was written @written may read @readback: a name may read back as a number and
 * a number as a name, but no kernel makes "power" of "performance", or 7 of 9. UNKNOWN, DYNAMIC
 * and the first part of a name, or of what was written, are no read-back of anything. */
bool eppd_epp_may_read_back_as(const EppdEpp *written, const EppdEpp *readback);

/* What a policy's energy_performance_available_preferences lists. */
typedef struct {
  guint kinds;      /* bit (1 << EppdEppKind) for each name listed */
  bool accepts_raw; /* set by the adapter: by driver and list */
} EppdEppChoices;

/* Only the names; accepts_raw is true if "custom" is listed (amd-pstate's sign of it). */
EppdEppChoices eppd_epp_choices_parse(const char *text);

/* What to write on a driver with @choices when @wanted is wanted: @wanted itself, or for RAW the
 * nearest name where numbers are not taken, then the nearest listed name ("default" and "dynamic"
 * are taken to be near balance_performance). An empty list (unknown) changes nothing, and neither
 * does a list of performance alone: it tells of the governor. @adapted (may be NULL) says whether
 * the result differs from @wanted. */
EppdEpp eppd_epp_fit(const EppdEpp *wanted, const EppdEppChoices *choices, bool *adapted);
