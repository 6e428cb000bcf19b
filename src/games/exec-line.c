/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "games/exec-line.h"

#include "base/error.h"
#include "games/launch-uri.h"

#include <string.h>

#define SNAP_BIN "/snap/bin/"

/* ---- words ---- */

typedef struct {
  GPtrArray *words;
  GString *word;
  bool in_word; /* also with nothing in it: "" */
} Splitter;

static void
end_word(Splitter *self)
{
  if (self->in_word)
    g_ptr_array_add(self->words, g_strdup(self->word->str));
  g_string_truncate(self->word, 0);
  self->in_word = false;
}

static void
add(Splitter *self, char c)
{
  g_string_append_c(self->word, c);
  self->in_word = true;
}

/* Takes the field code that @p points at; returns where its last character is. */
static const char *
take_field_code(Splitter *self, const char *p)
{
  if (p[1] == '%')
    add(self, '%');
  return p[1] ? p + 1 : p;
}

/* Takes a quoted part of a word, @p at its opening quote; returns its closing one, NULL if there is
 * none. */
static const char *
take_quoted(Splitter *self, const char *p)
{
  char quote = *p;

  self->in_word = true;
  for (p++; *p && *p != quote; p++) {
    if (*p == '%')
      p = take_field_code(self, p);
    else if (quote == '"' && *p == '\\' && p[1] && strchr("\"`$\\", p[1]))
      add(self, *++p);
    else
      add(self, *p);
  }
  return *p ? p : NULL;
}

/* Takes what @p points at; returns its last character, NULL for a quote without an end. */
static const char *
take_next(Splitter *self, const char *p)
{
  switch (*p) {
  case ' ':
  case '\t':
  case '\n':
  case '\r':
    end_word(self);
    return p;
  case '"':
  case '\'':
    return take_quoted(self, p);
  case '%':
    return take_field_code(self, p);
  case '\\':
    add(self, p[1] ? *++p : *p);
    return p;
  default:
    add(self, *p);
    return p;
  }
}

char **
eppd_exec_line_split(const char *exec, GError **error)
{
  g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GString) word = g_string_new(NULL);
  Splitter splitter = {.words = words, .word = word};

  for (const char *p = exec; *p; p++) {
    p = take_next(&splitter, p);
    if (!p) {
      g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "Exec= has a quote without an end");
      return NULL;
    }
  }
  end_word(&splitter);
  if (words->len == 0) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "Exec= names no program");
    return NULL;
  }
  g_ptr_array_add(words, NULL);
  return (char **)g_ptr_array_steal(words, NULL);
}

/* ---- programs that start another ---- */

typedef enum {
  WRAPPER_OPTIONS, /* options that stand alone, then the program */
  WRAPPER_DASHES,  /* options that take words, then `--` and the program */
} WrapperKind;

static const struct {
  const char *name;
  WrapperKind kind;
} wrappers[] = {
    {"gamemoderun", WRAPPER_OPTIONS},      {"mangohud", WRAPPER_OPTIONS},
    {"obs-gamecapture", WRAPPER_OPTIONS},  {"prime-run", WRAPPER_OPTIONS},
    {"game-performance", WRAPPER_OPTIONS}, {"gamescope", WRAPPER_DASHES},
    {"powerprofilesctl", WRAPPER_DASHES},  {"eppctl", WRAPPER_DASHES},
};

static const char *
base_name(const char *program)
{
  const char *slash = strrchr(program, '/');

  return slash ? slash + 1 : program;
}

static bool
is_program(const char *word, const char *name)
{
  return g_str_equal(base_name(word), name);
}

static char **
skip_options(char **words)
{
  while (*words && **words == '-')
    words++;
  return words;
}

/* Behind `env`: its options, of which -u and -C take a word, and the variables. */
static char **
skip_env(char **words)
{
  while (*words) {
    if (g_str_equal(*words, "-u") || g_str_equal(*words, "-C"))
      words += words[1] ? 2 : 1;
    else if (**words == '-' || strchr(*words, '='))
      words++;
    else
      break;
  }
  return words;
}

static char **
behind_dashes(char **words)
{
  while (*words && !g_str_equal(*words, "--"))
    words++;
  return *words ? words + 1 : words;
}

/* What the program at @words starts: the words behind it and its own; @words itself if it is none
 * that starts another. */
static char **
skip_wrapper(char **words)
{
  if (is_program(*words, "env"))
    return skip_env(words + 1);
  for (guint i = 0; i < G_N_ELEMENTS(wrappers); i++) {
    char **rest;

    if (!is_program(*words, wrappers[i].name))
      continue;
    rest = wrappers[i].kind == WRAPPER_DASHES ? behind_dashes(words + 1) : skip_options(words + 1);
    /* Started by itself it is what is launched. */
    return *rest ? rest : words;
  }
  return words;
}

static char **
skip_wrappers(char **words)
{
  char **inner = words;

  do {
    words = inner;
    inner = *words ? skip_wrapper(words) : words;
  } while (inner != words);
  return words;
}

/* ---- what is launched ---- */

/* The game whose address, or Steam's -applaunch, is among @words. */
static EppdGameIdentity *
launcher_game(char **words)
{
  for (guint i = 0; words[i]; i++) {
    EppdGameIdentity *game = eppd_launch_uri_identity(words[i]);

    if (!game && words[i + 1] && g_str_equal(words[i], "-applaunch"))
      game = eppd_game_identity_new_steam(words[i + 1]);
    if (game)
      return game;
  }
  return NULL;
}

/* `flatpak [options] run [options] APPLICATION [words]`; an option of run that takes a word has it
 * behind a `=` in all that writes entries. The id may have /ARCH/BRANCH behind it. */
static EppdGameIdentity *
flatpak_app(char **words)
{
  g_auto(GStrv) parts = NULL;

  words = skip_options(words + 1);
  if (!*words || !g_str_equal(*words, "run"))
    return NULL;
  words = skip_options(words + 1);
  if (!*words)
    return NULL;
  parts = g_strsplit(*words, "/", 2);
  return eppd_game_identity_new(EPPD_IDENTITY_FLATPAK, parts[0]);
}

/* @name is SNAP, for the application of the same name, or SNAP.APPLICATION. */
static EppdGameIdentity *
snap_app(const char *name)
{
  g_autofree char *doubled = *name ? g_strconcat(name, ".", name, NULL) : NULL;

  return eppd_game_identity_new(EPPD_IDENTITY_SNAP, strchr(name, '.') ? name : doubled);
}

static EppdGameIdentity *
snap_run(char **words)
{
  if (!words[1] || !g_str_equal(words[1], "run"))
    return NULL;
  words = skip_options(words + 2);
  return *words ? snap_app(*words) : NULL;
}

EppdGameIdentity *
eppd_exec_line_identity(const char *exec)
{
  g_auto(GStrv) all = eppd_exec_line_split(exec, NULL);
  EppdGameIdentity *identity = NULL;
  char **words;

  if (!all)
    return NULL;
  words = skip_wrappers(all);
  if (!*words)
    return NULL;

  identity = launcher_game(words);
  if (!identity && is_program(*words, "flatpak"))
    identity = flatpak_app(words);
  if (!identity && is_program(*words, "snap"))
    identity = snap_run(words);
  if (!identity && g_str_has_prefix(*words, SNAP_BIN))
    identity = snap_app(*words + strlen(SNAP_BIN));
  return identity ? identity : eppd_game_identity_new(EPPD_IDENTITY_PROGRAM, *words);
}
