/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* A hold's cookie: random, so that nobody can guess another's, and never 0, which
 * gnome-settings-daemon takes for none. */
guint32 eppd_cookie_draw(void);
