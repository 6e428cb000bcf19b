/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "policy/epp.h"

#include "base/enum-text.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
    [EPPD_EPP_UNKNOWN] = NULL,
    [EPPD_EPP_PERFORMANCE] = "performance",
    [EPPD_EPP_BALANCE_PERFORMANCE] = "balance_performance",
    [EPPD_EPP_BALANCE_POWER] = "balance_power",
    [EPPD_EPP_POWER] = "power",
    [EPPD_EPP_DEFAULT] = "default",
    [EPPD_EPP_CUSTOM] = "custom",
    [EPPD_EPP_DYNAMIC] = "dynamic",
    [EPPD_EPP_RAW] = NULL,
    [EPPD_EPP_OTHER] = NULL,
};

#define BALANCE_PERFORMANCE_RAW 0x80

/* From the most performant on, so that the first of two equally near ones is the one to take. */
static const struct {
  EppdEppKind kind;
  guint8 raw;
} usual_raws[] = {
    {EPPD_EPP_PERFORMANCE, 0x00},
    {EPPD_EPP_BALANCE_PERFORMANCE, BALANCE_PERFORMANCE_RAW},
    {EPPD_EPP_BALANCE_POWER, 0xbf},
    {EPPD_EPP_POWER, 0xff},
};

#define KIND_BIT(kind) (1u << (kind))

/* Where RAW ones have no say, and the names without a usual raw value neither. */
#define ORDERED_KINDS                                                                              \
  (KIND_BIT(EPPD_EPP_PERFORMANCE) | KIND_BIT(EPPD_EPP_BALANCE_PERFORMANCE) |                       \
   KIND_BIT(EPPD_EPP_BALANCE_POWER) | KIND_BIT(EPPD_EPP_POWER))

static bool
parse_raw(const char *text, guint8 *raw)
{
  bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  const char *p = is_hex ? text + 2 : text;
  int value = 0;

  if (!*p)
    return false;
  for (; *p; p++) {
    int digit = is_hex ? g_ascii_xdigit_value(*p) : g_ascii_digit_value(*p);

    if (digit < 0)
      return false;
    value = value * (is_hex ? 16 : 10) + digit;
    if (value > G_MAXUINT8)
      return false;
  }
  *raw = (guint8)value;
  return true;
}

/* What is kept goes to logs and terminals: anything but printable ASCII becomes '?'. */
static void
keep_text(EppdEpp *epp, const char *text, gsize length)
{
  gsize n = MIN(length, sizeof epp->text - 1);

  for (gsize i = 0; i < n; i++)
    epp->text[i] = g_ascii_isprint(text[i]) ? text[i] : '?';
  epp->text[n] = '\0';
}

EppdEpp
eppd_epp_named(EppdEppKind kind)
{
  return (EppdEpp){.kind = kind};
}

EppdEpp
eppd_epp_raw(guint8 raw)
{
  return (EppdEpp){.kind = EPPD_EPP_RAW, .raw = raw};
}

EppdEpp
eppd_epp_parse(const char *text)
{
  EppdEpp epp = {.kind = EPPD_EPP_OTHER};
  char stripped[EPPD_EPP_TEXT_SIZE];
  gsize length;
  int kind = 0;
  guint8 raw = 0;

  if (!text)
    return eppd_epp_named(EPPD_EPP_UNKNOWN);
  while (g_ascii_isspace(*text))
    text++;
  length = strlen(text);
  while (length > 0 && g_ascii_isspace(text[length - 1]))
    length--;
  if (length == 0)
    return eppd_epp_named(EPPD_EPP_UNKNOWN);

  keep_text(&epp, text, length);
  if (length >= sizeof stripped)
    return epp;

  memcpy(stripped, text, length);
  stripped[length] = '\0';
  if (eppd_enum_text_parse(names, G_N_ELEMENTS(names), stripped, &kind))
    return eppd_epp_named((EppdEppKind)kind);
  if (parse_raw(stripped, &raw))
    return eppd_epp_raw(raw);
  if (g_str_has_prefix(stripped, "dynamic("))
    epp.kind = EPPD_EPP_DYNAMIC;
  return epp;
}

const char *
eppd_epp_text(const EppdEpp *epp, char *buffer)
{
  if (epp->kind == EPPD_EPP_RAW) {
    g_snprintf(buffer, EPPD_EPP_TEXT_SIZE, "%u", epp->raw);
    return buffer;
  }
  if (epp->text[0])
    return epp->text;
  return eppd_enum_text(names, G_N_ELEMENTS(names), (int)epp->kind);
}

bool
eppd_epp_equal(const EppdEpp *a, const EppdEpp *b)
{
  if (a->kind != b->kind)
    return false;

  switch (a->kind) {
  case EPPD_EPP_UNKNOWN:
    return false;
  case EPPD_EPP_RAW:
    return a->raw == b->raw;
  case EPPD_EPP_DYNAMIC:
  case EPPD_EPP_OTHER:
    return strcmp(a->text, b->text) == 0;
  default:
    return true;
  }
}

bool
eppd_epp_is_writable(const EppdEpp *epp)
{
  switch (epp->kind) {
  case EPPD_EPP_PERFORMANCE:
  case EPPD_EPP_BALANCE_PERFORMANCE:
  case EPPD_EPP_BALANCE_POWER:
  case EPPD_EPP_POWER:
  case EPPD_EPP_DEFAULT:
  case EPPD_EPP_RAW:
    return true;
  case EPPD_EPP_DYNAMIC:
    return epp->text[0] == '\0';
  default:
    return false;
  }
}

/* The nearest of the names in @kinds, which holds one of ORDERED_KINDS at least. */
static EppdEpp
nearest_of(guint kinds, guint8 raw)
{
  EppdEppKind nearest = EPPD_EPP_UNKNOWN;
  int shortest = G_MAXINT;

  for (guint i = 0; i < G_N_ELEMENTS(usual_raws); i++) {
    int distance = abs((int)usual_raws[i].raw - (int)raw);

    if ((kinds & KIND_BIT(usual_raws[i].kind)) && distance < shortest) {
      shortest = distance;
      nearest = usual_raws[i].kind;
    }
  }
  return eppd_epp_named(nearest);
}

EppdEppChoices
eppd_epp_choices_parse(const char *text)
{
  EppdEppChoices choices = {0};
  g_auto(GStrv) words = g_strsplit_set(text ? text : "", " \t\r\n", -1);

  for (guint i = 0; words[i]; i++) {
    int kind = 0;

    if (eppd_enum_text_parse(names, G_N_ELEMENTS(names), words[i], &kind))
      choices.kinds |= KIND_BIT(kind);
  }
  choices.accepts_raw = (choices.kinds & KIND_BIT(EPPD_EPP_CUSTOM)) != 0;
  return choices;
}

static guint8
usual_raw(const EppdEpp *epp)
{
  if (epp->kind == EPPD_EPP_RAW)
    return epp->raw;
  for (guint i = 0; i < G_N_ELEMENTS(usual_raws); i++) {
    if (usual_raws[i].kind == epp->kind)
      return usual_raws[i].raw;
  }
  /* "default" and "dynamic" leave the choice to the kernel; this is what it mostly makes of it. */
  return BALANCE_PERFORMANCE_RAW;
}

/* A list of performance alone tells of the governor performance, not of the driver: to fit to it
 * would make every profile performance, and stay so when the governor has left. */
static bool
tells_of_driver(const EppdEppChoices *choices)
{
  return choices->kinds != 0 && choices->kinds != KIND_BIT(EPPD_EPP_PERFORMANCE);
}

EppdEpp
eppd_epp_fit(const EppdEpp *wanted, const EppdEppChoices *choices, bool *adapted)
{
  guint ordered = choices->kinds & ORDERED_KINDS;
  bool is_taken = wanted->kind == EPPD_EPP_RAW ? choices->accepts_raw
                                               : (choices->kinds & KIND_BIT(wanted->kind)) != 0;
  bool adapts =
      !is_taken && ordered != 0 && tells_of_driver(choices) && eppd_epp_is_writable(wanted);

  if (adapted)
    *adapted = adapts;
  return adapts ? nearest_of(ordered, usual_raw(wanted)) : *wanted;
}

static bool
is_ordered_name(const EppdEpp *epp)
{
  return epp->kind >= EPPD_EPP_PERFORMANCE && epp->kind <= EPPD_EPP_POWER;
}

bool
eppd_epp_is_cut(const EppdEpp *epp)
{
  for (gsize i = 0; epp->kind == EPPD_EPP_OTHER && i < G_N_ELEMENTS(names); i++) {
    if (names[i] && g_str_has_prefix(names[i], epp->text))
      return true;
  }
  return false;
}

bool
eppd_epp_may_read_back_as(const EppdEpp *written, const EppdEpp *readback)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  if (eppd_epp_equal(written, readback))
    return true;
  if (readback->kind == EPPD_EPP_DYNAMIC || readback->kind == EPPD_EPP_UNKNOWN)
    return false;
  /* Learned once, it would make all that is ours foreign. */
  if (eppd_epp_is_cut(readback) ||
      (readback->kind == EPPD_EPP_OTHER &&
       g_str_has_prefix(eppd_epp_text(written, buffer), readback->text)))
    return false;
  return !(is_ordered_name(written) && is_ordered_name(readback)) &&
         !(written->kind == EPPD_EPP_RAW && readback->kind == EPPD_EPP_RAW);
}

bool
eppd_epp_may_be_left_over(const EppdEpp *epp)
{
  return epp->kind == EPPD_EPP_PERFORMANCE || epp->kind == EPPD_EPP_UNKNOWN ||
         (epp->kind == EPPD_EPP_RAW && epp->raw == 0);
}
