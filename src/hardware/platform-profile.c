/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/platform-profile.h"

#include "base/error.h"
#include "base/text-file.h"
#include "hardware/directory.h"

#include <fcntl.h>
#include <unistd.h>

#define LEGACY_DIR "/sys/firmware/acpi"
#define CLASS_DIR  "/sys/class/platform-profile"

struct _EppdPlatformProfile {
  EppdSysRoot *root;
  char *directory; /* the legacy file's */
  char *path;
  bool is_legacy;
  guint choices;
  int fd; /* -1: not open */
};

static guint
read_choices(EppdSysRoot *root, const char *file)
{
  g_autofree char *path = eppd_sys_root_path(root, "%s", file);
  g_autofree char *text = eppd_text_file_read_line(path, NULL);

  return eppd_platform_choices_parse(text);
}

/* The directories of the class's devices. */
static GPtrArray *
list_devices(EppdSysRoot *root)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GPtrArray) names = eppd_directory_names(root, CLASS_DIR);

  for (guint i = 0; i < names->len; i++) {
    const char *name = names->pdata[i];

    if (eppd_directory_name_is_numbered(name, "platform-profile-"))
      g_ptr_array_add(devices, g_strconcat(CLASS_DIR "/", name, NULL));
  }
  return devices;
}

static void
close_file(EppdPlatformProfile *platform)
{
  if (platform->fd >= 0)
    close(platform->fd);
  platform->fd = -1;
}

/* A file that is there and can't be opened has nothing to tell, and that is what reading says. */
static void
open_file(EppdPlatformProfile *platform, const char *file, const char *choices_file)
{
  g_free(platform->path);
  platform->path = eppd_sys_root_path(platform->root, "%s", file);
  platform->choices = 0;
  platform->fd =
      TEMP_FAILURE_RETRY(open(platform->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (platform->fd >= 0)
    platform->choices = read_choices(platform->root, choices_file);
}

void
eppd_platform_profile_refresh(EppdPlatformProfile *platform)
{
  close_file(platform);
  open_file(platform, LEGACY_DIR "/platform_profile", LEGACY_DIR "/platform_profile_choices");
  platform->is_legacy = platform->fd >= 0 || access(platform->path, F_OK) == 0;
  if (!platform->is_legacy) {
    g_autoptr(GPtrArray) devices = list_devices(platform->root);

    if (devices->len == 1) {
      g_autofree char *file = g_strconcat(devices->pdata[0], "/profile", NULL);
      g_autofree char *choices_file = g_strconcat(devices->pdata[0], "/choices", NULL);

      open_file(platform, file, choices_file);
    }
  }
}

guint
eppd_platform_profile_choices(const EppdPlatformProfile *platform)
{
  return platform->choices;
}

static bool
parse_profile(const char *text, EppdPlatformChoice *choice, EppdProfile *profile)
{
  return eppd_platform_choice_parse(text, choice) && eppd_platform_choice_profile(*choice, profile);
}

/* What the handlers are at that the legacy file calls custom, if it is one profile. */
static bool
read_handlers(EppdSysRoot *root, EppdPlatformChoice *choice)
{
  g_autoptr(GPtrArray) devices = list_devices(root);
  EppdPlatformChoice first = EPPD_PLATFORM_CUSTOM;
  EppdProfile first_profile = EPPD_PROFILE_BALANCED;

  for (guint i = 0; i < devices->len; i++) {
    g_autofree char *path = eppd_sys_root_path(root, "%s/profile", (char *)devices->pdata[i]);
    g_autofree char *text = eppd_text_file_read_line(path, NULL);
    EppdPlatformChoice one;
    EppdProfile profile;

    if (!parse_profile(text, &one, &profile) || (i > 0 && profile != first_profile))
      return false;
    if (i == 0) {
      first = one;
      first_profile = profile;
    }
  }
  if (devices->len == 0)
    return false;
  *choice = first;
  return true;
}

gboolean
eppd_platform_profile_read(EppdPlatformProfile *platform,
                           EppdPlatformChoice *choice,
                           GError **error)
{
  g_autofree char *text = NULL;
  EppdPlatformChoice found;

  if (platform->fd < 0) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_GONE, "%s can't be opened", platform->path);
    return FALSE;
  }
  text = eppd_text_file_pread(platform->fd, platform->path, error);
  if (!text)
    return FALSE;
  if (!eppd_platform_choice_parse(text, &found)) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID,
                "%s reads '%s', which is no platform profile", platform->path, text);
    return FALSE;
  }
  if (platform->is_legacy && found == EPPD_PLATFORM_CUSTOM)
    read_handlers(platform->root, &found);
  *choice = found;
  return TRUE;
}

gboolean
eppd_platform_profile_write(EppdPlatformProfile *platform,
                            EppdPlatformChoice choice,
                            GError **error)
{
  return eppd_text_file_write(platform->path, eppd_platform_choice_text(choice), error);
}

int
eppd_platform_profile_fd(const EppdPlatformProfile *platform)
{
  return platform->fd;
}

const char *
eppd_platform_profile_path(const EppdPlatformProfile *platform)
{
  return platform->path;
}

const char *
eppd_platform_profile_directory(const EppdPlatformProfile *platform)
{
  return platform->directory;
}

EppdPlatformProfile *
eppd_platform_profile_new(EppdSysRoot *root)
{
  EppdPlatformProfile *platform = g_new0(EppdPlatformProfile, 1);

  platform->root = eppd_sys_root_ref(root);
  platform->directory = eppd_sys_root_path(root, LEGACY_DIR);
  platform->fd = -1;
  eppd_platform_profile_refresh(platform);
  return platform;
}

void
eppd_platform_profile_free(EppdPlatformProfile *platform)
{
  close_file(platform);
  g_free(platform->path);
  g_free(platform->directory);
  eppd_sys_root_unref(platform->root);
  g_free(platform);
}
