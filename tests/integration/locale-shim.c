/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Preloaded into eppctl, which looks for translations where it is going to be installed: here they
 * are in the build directory, $EPPD_TEST_LOCALE_DIR. */
#include <dlfcn.h>
#include <libintl.h>
#include <stdlib.h>
#include <string.h>

typedef char *(*BindTextDomain)(const char *domain, const char *directory);

char *
bindtextdomain(const char *domain, const char *directory)
{
  BindTextDomain next = (BindTextDomain)dlsym(RTLD_NEXT, "bindtextdomain");
  const char *here = getenv("EPPD_TEST_LOCALE_DIR");

  return next(domain, here && strcmp(domain, "eppd") == 0 ? here : directory);
}
