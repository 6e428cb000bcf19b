/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/policy-rows.h"
#include "ctl/snapshot.h"
#include "ctl/verb.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_USEC (G_USEC_PER_SEC / 4)

/* A terminal that does not tell its size. */
#define DEFAULT_LINES 24

typedef enum {
  VIEW_SCREEN, /* redrawn in place */
  VIEW_LINES,  /* one line a redraw, for a file or a pipe */
  VIEW_JSON,   /* one JSON object a redraw */
} View;

static guint
terminal_lines(void)
{
  struct winsize size;

  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0)
    return DEFAULT_LINES;
  return size.ws_row;
}

static guint64
counter(const EppdSnapshot *snapshot, const char *key)
{
  guint64 value = 0;

  eppd_field_number(snapshot->statistics, key, &value);
  return value;
}

static char *
counters_text(const EppdSnapshot *snapshot)
{
  return g_strdup_printf("busy edges %" G_GUINT64_FORMAT ", idle edges %" G_GUINT64_FORMAT
                         ", boost writes %" G_GUINT64_FORMAT ", base writes %" G_GUINT64_FORMAT,
                         counter(snapshot, "busy-edges"), counter(snapshot, "idle-edges"),
                         counter(snapshot, "boost-writes"), counter(snapshot, "base-writes"));
}

/* Each line ends by clearing what an earlier, longer one left; what does not fit is not shown,
 * since scrolling would spoil the next redraw. */
static void
draw_lines(const char *text, guint max_lines)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

  fputs("\033[H", stdout);
  for (guint i = 0; lines[i] && i < max_lines; i++)
    printf("%s%s\033[K", i > 0 ? "\n" : "", lines[i]);
  fputs("\033[J", stdout);
}

static void
draw_screen(const EppdSnapshot *snapshot, const GPtrArray *rows, double seconds)
{
  guint max_lines = terminal_lines();
  guint head_lines = 4;
  bool condense = rows->len > EPPD_POLICY_ROWS_CONDENSE || rows->len + head_lines + 1 > max_lines;
  g_autoptr(EppdTable) table = eppd_policy_rows_table(rows, condense);
  g_autofree char *table_text = eppd_table_format(table, eppd_output_has_colour());
  g_autofree char *profile = eppd_field_text(snapshot->properties, "ActiveProfile", "unknown");
  g_autofree char *power = eppd_field_text(snapshot->properties, "PowerSource", "unknown");
  g_autofree char *source = eppd_field_text(snapshot->properties, "ResidencySource", "unknown");
  g_autofree char *state = eppd_field_text(snapshot->properties, "BoostState", "unknown");
  g_autofree char *reason = eppd_field_text(snapshot->properties, "BoostReason", "");
  g_autofree char *counters = counters_text(snapshot);
  g_autofree char *text = NULL;

  text = g_strdup_printf("%.1f s   profile %s, power %s, residency %s\nboost %s%s%s\n%s\n\n%s",
                         seconds, profile, power, source, state, *reason ? ": " : "", reason,
                         counters, table_text);
  draw_lines(g_strchomp(text), max_lines);
}

/* Only what is not idle: the line is to be read as it passes. */
static void
print_line(const EppdSnapshot *snapshot, const GPtrArray *rows, double seconds)
{
  g_autofree char *state = eppd_field_text(snapshot->properties, "BoostState", "unknown");
  g_autofree char *counters = counters_text(snapshot);
  guint n_shown = 0;

  printf("%6.2f s  %-7s  %s", seconds, state, counters);
  for (guint i = 0; i < rows->len; i++) {
    const EppdPolicyRow *row = g_ptr_array_index(rows, i);
    g_autofree char *busy = NULL;

    if (!row->boosted && !row->restore_pending &&
        !(row->has_sample && row->busy_permille >= EPPD_POLICY_ROWS_IDLE_PERMILLE))
      continue;
    busy = row->has_sample ? eppd_percent_text(row->busy_permille) : g_strdup("-");
    printf("%s%s %s busy %s%s", n_shown++ > 0 ? ", " : "  |  ", row->policy, row->current, busy,
           row->boosted ? " BOOSTED" : "");
  }
  puts(n_shown > 0 ? "" : "  |  all idle");
}

static void
show(const EppdSnapshot *snapshot, View view, double seconds)
{
  g_autoptr(GPtrArray) rows = NULL;

  if (view == VIEW_JSON) {
    g_autoptr(GVariant) packed = eppd_snapshot_pack(snapshot);

    eppd_print_json(packed);
    return;
  }
  rows = eppd_policy_rows_new(snapshot->policies);
  if (view == VIEW_SCREEN)
    draw_screen(snapshot, rows, seconds);
  else
    print_line(snapshot, rows, seconds);
}

static int
watch(View view, int seconds)
{
  g_auto(EppdClient) client = {0};
  g_autoptr(GError) error = NULL;
  gint64 start_usec = g_get_monotonic_time();
  gint64 next_usec = start_usec;
  gint64 now_usec = start_usec;

  do {
    g_auto(EppdSnapshot) snapshot = {0};

    if (!eppd_snapshot_take(&snapshot, &client, true, &error)) {
      if (view == VIEW_SCREEN && now_usec > start_usec)
        putchar('\n');
      fflush(stdout);
      return eppd_fail(error);
    }
    if (view == VIEW_SCREEN && now_usec == start_usec)
      fputs("\033[2J", stdout);
    now_usec = g_get_monotonic_time();
    show(&snapshot, view, (double)(now_usec - start_usec) / G_USEC_PER_SEC);
    if (fflush(stdout) != 0)
      return EPPD_EXIT_FAILURE;

    next_usec = MAX(next_usec + REDRAW_USEC, now_usec);
    g_usleep((gulong)(next_usec - now_usec));
  } while (seconds == 0 || next_usec - start_usec <= (gint64)seconds * G_USEC_PER_SEC);

  if (view == VIEW_SCREEN)
    putchar('\n');
  return EPPD_EXIT_OK;
}

int
eppd_verb_top(int argc, char **argv)
{
  int seconds = 0;
  gboolean json = FALSE;
  const GOptionEntry entries[] = {
      {"seconds", 's', 0, G_OPTION_ARG_INT, &seconds, "Stop after N seconds (0: never)", "N"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, "Print one JSON object a line", NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      NULL,
      "Shows the policies live, four times a second; plain lines where the output is no terminal.",
      0,
      0,
  };

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (seconds < 0) {
    eppd_complain("top: --seconds %d is negative", seconds);
    return EPPD_EXIT_USAGE;
  }
  if (json)
    return watch(VIEW_JSON, seconds);
  return watch(isatty(STDOUT_FILENO) ? VIEW_SCREEN : VIEW_LINES, seconds);
}
