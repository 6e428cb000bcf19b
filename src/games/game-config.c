/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-config.h"

#include "base/key-file.h"

#include "build-config.h"

#define GROUP "Games"

static void
take_boolean(EppdKeyFile *file, const char *key, bool *value)
{
  g_autofree char *text = eppd_key_file_value(file, GROUP, key);

  if (text)
    eppd_boolean_parse(text, value);
}

static void
take_categories(EppdKeyFile *file, EppdGameConfig *config)
{
  g_autofree char *text = eppd_key_file_value(file, GROUP, "Categories");
  g_auto(GStrv) words = text ? g_strsplit(text, ";", -1) : NULL;
  GPtrArray *categories;

  if (!words)
    return;
  categories = g_ptr_array_new();
  for (guint i = 0; words[i]; i++) {
    if (*g_strstrip(words[i]))
      g_ptr_array_add(categories, g_strdup(words[i]));
  }
  g_ptr_array_add(categories, NULL);
  g_strfreev(config->categories);
  config->categories = (char **)g_ptr_array_free(categories, FALSE);
}

static void
take_file(EppdGameConfig *config, const char *path)
{
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(path, NULL, NULL, NULL);

  if (!file)
    return;
  take_boolean(file, "DesktopKey", &config->settings.desktop_key);
  take_boolean(file, "GameMode", &config->settings.game_mode);
  take_categories(file, config);
}

static void
take_places(EppdGameConfig *config)
{
  g_autoptr(GPtrArray) paths = eppd_key_file_paths(EPPD_SYSTEM_CONFIG_DIR);

  take_file(config, EPPD_VENDOR_CONFIG);
  take_file(config, EPPD_SYSTEM_CONFIG);
  for (guint i = 0; i < paths->len; i++)
    take_file(config, paths->pdata[i]);
}

EppdGameConfig *
eppd_game_config_load(const char *only_file)
{
  EppdGameConfig *config = g_new0(EppdGameConfig, 1);

  config->settings.desktop_key = true;
  config->settings.game_mode = true;
  config->categories = g_new0(char *, 1);
  if (only_file)
    take_file(config, only_file);
  else
    take_places(config);
  config->settings.categories = (const char *const *)config->categories;
  return config;
}

void
eppd_game_config_free(EppdGameConfig *config)
{
  g_strfreev(config->categories);
  g_free(config);
}
