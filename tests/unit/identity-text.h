/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "games/game-identity.h"

/* "KIND=ID" of an identity, for tables; "" for none. Owned by the caller. */
static inline char *
identity_text(const EppdGameIdentity *identity)
{
  if (!identity)
    return g_strdup("");
  return g_strdup_printf("%s=%s", eppd_identity_kind_text(identity->kind), identity->id);
}

/* Those of an array, with a space in between. */
static inline char *
identities_text(const GPtrArray *identities)
{
  GString *text = g_string_new(NULL);

  for (guint i = 0; i < identities->len; i++) {
    g_autofree char *one = identity_text(identities->pdata[i]);

    g_string_append_printf(text, "%s%s", i > 0 ? " " : "", one);
  }
  return g_string_free(text, FALSE);
}
