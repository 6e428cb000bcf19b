/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/game-identity.h"

#include <string.h>

static void
test_what_can_be_no_id_is_none(void)
{
  const char *const bad[] = {NULL, "", "a\nb", "\x7f", "\xff", "caf\xe9", "\xc2\x85"};
  const char *const good[] = {"a", "org.example.Game", "Spa\xc3\x9f", "a b/c"};

  for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
    g_assert_null(eppd_game_identity_new(EPPD_IDENTITY_PROGRAM, bad[i]));
  for (guint i = 0; i < G_N_ELEMENTS(good); i++) {
    g_autoptr(EppdGameIdentity) identity = eppd_game_identity_new(EPPD_IDENTITY_PROGRAM, good[i]);

    g_assert_nonnull(identity);
    g_assert_cmpstr(identity->id, ==, good[i]);
  }
}

static void
test_longest_id(void)
{
  g_autofree char *text = g_strnfill(EPPD_GAME_IDENTITY_MAX + 1, 'x');
  g_autoptr(EppdGameIdentity) identity = NULL;

  g_assert_null(eppd_game_identity_new(EPPD_IDENTITY_HEROIC, text));
  text[EPPD_GAME_IDENTITY_MAX] = '\0';
  identity = eppd_game_identity_new(EPPD_IDENTITY_HEROIC, text);
  g_assert_nonnull(identity);
}

static const struct {
  const char *text;
  const char *id; /* NULL: none */
} steam_ids[] = {
    {"570", "570"},
    {"4294967295", "4294967295"},
    {"4294967296", "1"},                    /* the lowest with an upper half */
    {"13557605336952602624", "3156625977"}, /* a non-Steam game: id << 32 | 0x02000000 */
    {"18446744073709551615", "4294967295"},
    {"18446744073709551616", NULL},
    {"007", "7"},
    {"0", NULL},
    {"-1", NULL},
    {"+1", NULL},
    {" 1", NULL},
    {"1 ", NULL},
    {"0x10", NULL},
    {"", NULL},
    {"default", NULL},
    {"umu-0", NULL},
    {NULL, NULL},
};

static void
test_steam_ids(void)
{
  for (guint i = 0; i < G_N_ELEMENTS(steam_ids); i++) {
    g_autoptr(EppdGameIdentity) identity = eppd_game_identity_new_steam(steam_ids[i].text);

    g_test_message("%s", steam_ids[i].text);
    g_assert_cmpstr(identity ? identity->id : NULL, ==, steam_ids[i].id);
    if (identity)
      g_assert_cmpint((int)identity->kind, ==, (int)EPPD_IDENTITY_STEAM);
  }
}

static void
test_equal_needs_kind_and_id(void)
{
  g_autoptr(EppdGameIdentity) steam = eppd_game_identity_new(EPPD_IDENTITY_STEAM, "570");
  g_autoptr(EppdGameIdentity) same = eppd_game_identity_new(EPPD_IDENTITY_STEAM, "570");
  g_autoptr(EppdGameIdentity) other = eppd_game_identity_new(EPPD_IDENTITY_STEAM, "571");
  g_autoptr(EppdGameIdentity) heroic = eppd_game_identity_new(EPPD_IDENTITY_HEROIC, "570");

  g_assert_true(eppd_game_identity_equal(steam, same));
  g_assert_cmpuint(eppd_game_identity_hash(steam), ==, eppd_game_identity_hash(same));
  g_assert_false(eppd_game_identity_equal(steam, other));
  g_assert_false(eppd_game_identity_equal(steam, heroic));
}

static void
test_a_list_holds_each_once(void)
{
  g_autoptr(GPtrArray) list = eppd_game_identities_new();

  eppd_game_identities_take(list, eppd_game_identity_new(EPPD_IDENTITY_STEAM, "570"));
  eppd_game_identities_take(list, NULL);
  eppd_game_identities_take(list, eppd_game_identity_new(EPPD_IDENTITY_STEAM, "570"));
  eppd_game_identities_take(list, eppd_game_identity_new(EPPD_IDENTITY_HEROIC, "570"));
  g_assert_cmpuint(list->len, ==, 2);
}

static void
test_kinds_have_texts_of_their_own(void)
{
  g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

  for (int kind = 0; kind <= (int)EPPD_IDENTITY_PROGRAM; kind++) {
    const char *text = eppd_identity_kind_text((EppdIdentityKind)kind);

    g_assert_cmpstr(text, !=, "unknown");
    g_assert_true(g_hash_table_add(seen, (gpointer)text));
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  g_test_add_func("/game-identity/what-can-be-no-id-is-none", test_what_can_be_no_id_is_none);
  g_test_add_func("/game-identity/longest-id", test_longest_id);
  g_test_add_func("/game-identity/steam-ids", test_steam_ids);
  g_test_add_func("/game-identity/equal-needs-kind-and-id", test_equal_needs_kind_and_id);
  g_test_add_func("/game-identity/a-list-holds-each-once", test_a_list_holds_each_once);
  g_test_add_func("/game-identity/kinds-have-texts-of-their-own",
                  test_kinds_have_texts_of_their_own);
  return g_test_run();
}
