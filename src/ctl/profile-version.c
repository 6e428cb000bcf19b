/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/output.h"
#include "ctl/profile-args.h"
#include "ctl/profile-client.h"
#include "ctl/profile-verbs.h"

#include "base/printable.h"

#include "build-config.h"

/* Longer than any version. */
#define VERSION_MAX_BYTES 256

int
eppd_verb_profile_version(int argc, char **argv)
{
  const EppdProfileUsage usage = {.description = "Prints the versions of both sides."};
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) value = NULL;
  g_autofree char *version = NULL;
  EppdProfileWords words;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  value = eppd_profile_client_get(&client, "Version", "s", NULL);
  version =
      eppd_printable(value ? g_variant_get_string(value, NULL) : "unknown", VERSION_MAX_BYTES);
  printf("client: %s\ndaemon: %s\n", EPPD_VERSION, version);
  return EPPD_EXIT_OK;
}
