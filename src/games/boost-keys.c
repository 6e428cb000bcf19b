/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/boost-keys.h"

#include "base/enum-text.h"

static const char *const names[EPPD_N_BOOST_KEYS] = {
    [EPPD_BOOST_KEY_BOOST] = EPPD_BOOST_KEY_PREFIX "Boost",
    [EPPD_BOOST_KEY_TRIGGER] = EPPD_BOOST_KEY_PREFIX "Trigger",
    [EPPD_BOOST_KEY_THRESHOLD] = EPPD_BOOST_KEY_PREFIX "Threshold",
    [EPPD_BOOST_KEY_PROFILE] = EPPD_BOOST_KEY_PREFIX "Profile",
};

static const char *const expected[EPPD_N_BOOST_KEYS] = {
    [EPPD_BOOST_KEY_BOOST] = "true or false",
    [EPPD_BOOST_KEY_TRIGGER] = "core or app",
    [EPPD_BOOST_KEY_THRESHOLD] = "1 to 100 (percent)",
    [EPPD_BOOST_KEY_PROFILE] = "performance or power-saver",
};

const char *
eppd_boost_key_name(EppdBoostKey key)
{
  return eppd_enum_text(names, EPPD_N_BOOST_KEYS, (int)key);
}

const char *
eppd_boost_key_expected(EppdBoostKey key)
{
  return eppd_enum_text(expected, EPPD_N_BOOST_KEYS, (int)key);
}

static bool
parse_boost(EppdBoostKeys *keys, const char *value)
{
  bool boost = g_str_equal(value, "true");

  if (!boost && !g_str_equal(value, "false"))
    return false;
  keys->has_boost = true;
  keys->boost = boost;
  return true;
}

static bool
parse_threshold(EppdBoostKeys *keys, const char *value)
{
  guint64 percent = 0;

  if (!g_ascii_string_to_unsigned(value, 10, 1, 100, &percent, NULL))
    return false;
  keys->threshold_percent = (guint)percent;
  return true;
}

/* The profiles service holds these two alone. */
static bool
parse_profile(EppdBoostKeys *keys, const char *value)
{
  EppdProfile profile = EPPD_PROFILE_BALANCED;

  if (!eppd_profile_parse(value, &profile) || profile == EPPD_PROFILE_BALANCED)
    return false;
  keys->has_profile = true;
  keys->profile = profile;
  return true;
}

bool
eppd_boost_keys_parse(EppdBoostKeys *keys, EppdBoostKey key, const char *value)
{
  switch (key) {
  case EPPD_BOOST_KEY_BOOST:
    return parse_boost(keys, value);
  case EPPD_BOOST_KEY_TRIGGER:
    if (!eppd_trigger_parse(value, &keys->trigger))
      return false;
    keys->has_trigger = true;
    return true;
  case EPPD_BOOST_KEY_THRESHOLD:
    return parse_threshold(keys, value);
  case EPPD_BOOST_KEY_PROFILE:
    return parse_profile(keys, value);
  }
  return false;
}

char *
eppd_boost_keys_value(const EppdBoostKeys *keys, EppdBoostKey key)
{
  switch (key) {
  case EPPD_BOOST_KEY_BOOST:
    return keys->has_boost ? g_strdup(keys->boost ? "true" : "false") : NULL;
  case EPPD_BOOST_KEY_TRIGGER:
    return keys->has_trigger ? g_strdup(eppd_trigger_text(keys->trigger)) : NULL;
  case EPPD_BOOST_KEY_THRESHOLD:
    return keys->threshold_percent ? g_strdup_printf("%u", keys->threshold_percent) : NULL;
  case EPPD_BOOST_KEY_PROFILE:
    return keys->has_profile ? g_strdup(eppd_profile_text(keys->profile)) : NULL;
  }
  return NULL;
}
