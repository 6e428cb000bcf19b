/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "policy/profile.h"
#include "policy/trigger.h"

#include <glib.h>
#include <stdbool.h>

/* eppd's own keys of a desktop entry. */

typedef enum {
  EPPD_BOOST_KEY_BOOST,     /* X-Eppd-Boost=true|false */
  EPPD_BOOST_KEY_TRIGGER,   /* X-Eppd-Trigger=core|app */
  EPPD_BOOST_KEY_THRESHOLD, /* X-Eppd-Threshold=1..100 */
  EPPD_BOOST_KEY_PROFILE,   /* X-Eppd-Profile=performance|power-saver */
} EppdBoostKey;

#define EPPD_N_BOOST_KEYS     4
#define EPPD_BOOST_KEY_PREFIX "X-Eppd-"

/* What they say. All zero: none is there. */
typedef struct {
  bool has_boost;
  bool boost;
  bool has_trigger;
  EppdTrigger trigger;
  guint threshold_percent; /* 1..100; 0: none */
  bool has_profile;
  EppdProfile profile;
} EppdBoostKeys;

/* The key's name: "X-Eppd-Boost". */
const char *eppd_boost_key_name(EppdBoostKey key);

/* What its value may be, for messages: "true or false". */
const char *eppd_boost_key_expected(EppdBoostKey key);

/* Takes @value for @key; false, and @keys untouched, if the key can't have it. */
bool eppd_boost_keys_parse(EppdBoostKeys *keys, EppdBoostKey key, const char *value);

/* The value of @key as it is written; NULL if there is none. Owned by the caller. */
char *eppd_boost_keys_value(const EppdBoostKeys *keys, EppdBoostKey key);
