/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A value of any type from an input: a GVariant's text, or else «TYPE BYTES», whatever the bytes
 * are, brought to normal form as GDBus does. NULL for neither. Owned by the caller. */
GVariant *variant_text_parse(const char *text);
