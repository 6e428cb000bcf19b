/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"

#include <errno.h>

#define KERNEL_ENOTSUPP 524

static const struct {
  int errnum;
  EppdError code;
} cases[] = {
    {EINVAL, EPPD_ERROR_INVALID},     {EBUSY, EPPD_ERROR_BUSY},
    {ENOENT, EPPD_ERROR_GONE},        {ENODEV, EPPD_ERROR_GONE},
    {ENXIO, EPPD_ERROR_GONE},         {ENOTDIR, EPPD_ERROR_GONE},
    {EACCES, EPPD_ERROR_DENIED},      {EPERM, EPPD_ERROR_DENIED},
    {EROFS, EPPD_ERROR_DENIED},       {EOPNOTSUPP, EPPD_ERROR_UNSUPPORTED},
    {ENOSYS, EPPD_ERROR_UNSUPPORTED}, {KERNEL_ENOTSUPP, EPPD_ERROR_UNSUPPORTED},
    {EMFILE, EPPD_ERROR_LIMIT},       {ENAMETOOLONG, EPPD_ERROR_LIMIT},
    {EIO, EPPD_ERROR_FAILED},         {ELOOP, EPPD_ERROR_FAILED},
    {0, EPPD_ERROR_FAILED},           {-1, EPPD_ERROR_FAILED},
    {100000, EPPD_ERROR_FAILED},
};

static void
test_code_by_errno(void)
{
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_cmpint(eppd_error_from_errno(cases[i].errnum), ==, cases[i].code);
    g_assert_false(eppd_error_set_errno(&error, cases[i].errnum, "Could not %s", "try"));
    g_assert_error(error, EPPD_ERROR, (int)cases[i].code);
    g_assert_true(g_str_has_prefix(error->message, "Could not try: "));
  }
}

static void
test_message_names_the_cause(void)
{
  g_autoptr(GError) busy = NULL;
  g_autoptr(GError) unsupported = NULL;

  eppd_error_set_errno(&busy, EBUSY, "Could not write '%s' to %s", "power", "/sys/x");
  g_assert_cmpstr(busy->message, ==, "Could not write 'power' to /sys/x: Device or resource busy");
  /* strerror() would say "Unknown error 524". */
  eppd_error_set_errno(&unsupported, KERNEL_ENOTSUPP, "Could not write");
  g_assert_cmpstr(unsupported->message, ==, "Could not write: Operation not supported");
}

static void
test_null_error_is_allowed(void)
{
  g_assert_false(eppd_error_set_errno(NULL, EIO, "Could not try"));
}

int
main(int argc, char **argv)
{
  g_setenv("LC_ALL", "C", TRUE);
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/error/code-by-errno", test_code_by_errno);
  g_test_add_func("/error/message-names-the-cause", test_message_names_the_cause);
  g_test_add_func("/error/null-error-is-allowed", test_null_error_is_allowed);
  return g_test_run();
}
