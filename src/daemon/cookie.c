/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/cookie.h"

#include <sys/random.h>

guint32
eppd_cookie_draw(void)
{
  guint32 cookie = 0;

  /* The pool is long filled when a bus is up: this neither blocks nor fails. */
  while (cookie == 0) {
    if (getrandom(&cookie, sizeof cookie, 0) != sizeof cookie)
      cookie = g_random_int();
  }
  return cookie;
}
