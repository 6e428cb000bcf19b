/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/command.h"
#include "ctl/output.h"
#include "ctl/profile-args.h"
#include "ctl/profile-client.h"
#include "ctl/profile-verbs.h"

static GVariant *
hold_parameters(const char *profile, const char *reason, const char *app_id, const char *command)
{
  g_autofree char *app = g_utf8_make_valid(app_id ? app_id : command, -1);
  g_autofree char *why =
      reason ? g_utf8_make_valid(reason, -1) : g_strdup_printf("Running %s", app);
  g_autofree char *name = g_utf8_make_valid(profile, -1);

  return g_variant_new("(sss)", name, why, app);
}

/* Somebody may have released it meanwhile (a user who chose a profile, a daemon that ended): the
 * command's result is what counts. */
static void
release(EppdClient *client, guint32 cookie)
{
  g_autoptr(GVariant) reply = NULL;

  reply =
      eppd_profile_client_call(client, "ReleaseProfile", g_variant_new("(u)", cookie), "()", NULL);
}

static int
run_command(EppdClient *client, guint32 cookie, char **argv)
{
  g_autoptr(GError) error = NULL;
  int wait_status = 0;
  gboolean ran = eppd_command_run(argv, &wait_status, &error);

  release(client, cookie);
  if (ran)
    return eppd_command_exit_code(wait_status);
  eppd_profile_client_refuse(error->message);
  return eppd_command_error_code(error);
}

int
eppd_verb_profile_launch(int argc, char **argv)
{
  const char *profile = "performance";
  const char *reason = NULL;
  const char *app_id = NULL;
  const EppdProfileOption options[] = {
      {"profile", 'p', "PROFILE", "The profile to hold: performance (the default) or power-saver",
       .text = &profile},
      {"reason", 'r', "REASON", "Why it is held (else: Running APPID)", .text = &reason},
      {"appid", 'i', "APPID", "Which application holds it (else: COMMAND)", .text = &app_id},
      {NULL},
  };
  const EppdProfileUsage usage = {
      .description = "Runs COMMAND with a profile held until it ends, and ends as it did.",
      .options = options,
      .takes_command = true,
  };
  g_auto(EppdClient) client = {0};
  g_autoptr(GVariant) reply = NULL;
  g_autoptr(GError) error = NULL;
  EppdProfileWords words;
  guint32 cookie;
  int code;

  if (!eppd_profile_args_take(&usage, argc, argv, &words, &code))
    return code;
  if (words.n_words == 0)
    return eppd_profile_client_refuse("No command to launch");

  reply = eppd_profile_client_call(&client, "HoldProfile",
                                   hold_parameters(profile, reason, app_id, words.words[0]), "(u)",
                                   &error);
  if (!reply)
    return eppd_profile_client_fail(error);
  g_variant_get(reply, "(u)", &cookie);
  return run_command(&client, cookie, words.words);
}
