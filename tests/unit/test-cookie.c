/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/cookie.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What the kernel's pool gives next; NULL: what it truly has. */
static const guint32 *script;
static guint n_script;
static gssize refused_with; /* what getrandom() returns when the script is at its end */

/* Stands before the C library's. */
ssize_t
getrandom(void *buffer, size_t length, unsigned int flags)
{
  if (!script)
    return syscall(SYS_getrandom, buffer, length, flags);
  if (n_script == 0) {
    errno = EAGAIN;
    return refused_with;
  }
  g_assert_cmpuint(length, ==, sizeof *script);
  memcpy(buffer, script++, sizeof *script);
  n_script--;
  return sizeof *script;
}

static void
test_never_zero(void)
{
  static const guint32 values[] = {0, 0, 0, 4242, 7};

  script = values;
  n_script = G_N_ELEMENTS(values);
  g_assert_cmpuint(eppd_cookie_draw(), ==, 4242);
  g_assert_cmpuint(eppd_cookie_draw(), ==, 7);
  script = NULL;
}

static void
test_pool_refuses(void)
{
  static const guint32 none[] = {0};
  static const gssize returned[] = {-1, 2};

  script = none;
  n_script = 0;
  for (guint i = 0; i < G_N_ELEMENTS(returned); i++) {
    guint32 bits = 0;

    refused_with = returned[i];
    for (guint draw = 0; draw < 100; draw++) {
      guint32 cookie = eppd_cookie_draw();

      g_assert_cmpuint(cookie, !=, 0);
      bits |= cookie;
    }
    g_assert_cmphex(bits, ==, G_MAXUINT32);
  }
  script = NULL;
}

static void
test_unpredictable(void)
{
  guint32 ones = 0;
  guint32 zeros = 0;
  guint repeated = 0;
  g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);

  for (guint draw = 0; draw < 1000; draw++) {
    guint32 cookie = eppd_cookie_draw();

    ones |= cookie;
    zeros |= ~cookie;
    if (!g_hash_table_add(seen, GUINT_TO_POINTER(cookie)))
      repeated++;
  }
  /* Each bit is used; one repetition by chance comes once in 8,000 runs, a third never. */
  g_assert_cmphex(ones, ==, G_MAXUINT32);
  g_assert_cmphex(zeros, ==, G_MAXUINT32);
  g_assert_cmpuint(repeated, <, 3);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/cookie/zero-is-drawn-again", test_never_zero);
  g_test_add_func("/cookie/drawn-also-where-the-pool-refuses", test_pool_refuses);
  g_test_add_func("/cookie/random-in-each-bit", test_unpredictable);
  return g_test_run();
}
