/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ctl/fields.h"
#include "ctl/output.h"
#include "ctl/policy-rows.h"
#include "ctl/snapshot.h"
#include "ctl/verb.h"

#include "base/printable.h"

#include <glib/gi18n.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define REDRAW_USEC (G_USEC_PER_SEC / 4)

/* A terminal that does not tell its size. */
#define DEFAULT_LINES   24
#define DEFAULT_COLUMNS 80

/* Above the table's: time, boost, counters, an empty one; and the table's heading. */
#define HEAD_LINES 5

/* A title is one line; no terminal is as wide. */
#define TITLE_MAX 1024

typedef enum {
  VIEW_SCREEN, /* redrawn in place */
  VIEW_LINES,  /* one line a redraw, for a file or a pipe */
  VIEW_JSON,   /* one JSON object a redraw */
} View;

typedef struct {
  View view;
  int seconds;       /* 0: for ever */
  const char *title; /* printable; NULL: none */
} Options;

typedef struct {
  guint lines;
  guint columns;
} TerminalSize;

static TerminalSize
terminal_size(void)
{
  struct winsize size = {0};

  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0)
    size = (struct winsize){0};
  return (TerminalSize){size.ws_row > 0 ? size.ws_row : DEFAULT_LINES,
                        size.ws_col > 0 ? size.ws_col : DEFAULT_COLUMNS};
}

static unsigned long long
counter(const EppdSnapshot *snapshot, const char *key)
{
  guint64 value = 0;

  eppd_field_number(snapshot->statistics, key, &value);
  return value;
}

static char *
counters_text(const EppdSnapshot *snapshot)
{
  return g_strdup_printf(_("busy edges %llu, idle edges %llu, boost writes %llu, base writes %llu"),
                         counter(snapshot, "busy-edges"), counter(snapshot, "idle-edges"),
                         counter(snapshot, "boost-writes"), counter(snapshot, "base-writes"));
}

/* A line that wrapped, or one too many, would scroll and spoil the next redraw: lines are cut, and
 * the last one tells how many there is no room for. Each is cleared before it is drawn: behind one
 * that fills the terminal's width, clearing would take its last character. */
static void
draw_lines(const char *text, TerminalSize size)
{
  g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
  guint n_lines = g_strv_length(lines);
  guint n_shown = n_lines <= size.lines ? n_lines : size.lines - 1;

  fputs("\033[H", stdout);
  for (guint i = 0; i < n_shown; i++) {
    g_autofree char *line = eppd_line_cut(lines[i], size.columns);

    printf("%s\033[K%s", i > 0 ? "\n" : "", line);
  }
  if (n_shown < n_lines) {
    g_autofree char *more = g_strdup_printf(_("… %u more"), n_lines - n_shown);
    g_autofree char *line = eppd_line_cut(more, size.columns);

    printf("%s\033[K%s", n_shown > 0 ? "\n" : "", line);
  }
  fputs("\033[J", stdout);
}

static void
draw_screen(const EppdSnapshot *snapshot,
            const GPtrArray *rows,
            const Options *options,
            double seconds)
{
  TerminalSize size = terminal_size();
  const char *title = options->title ? options->title : "";
  guint head_lines = HEAD_LINES + (*title ? 1 : 0);
  bool condense = rows->len > EPPD_POLICY_ROWS_CONDENSE || rows->len + head_lines > size.lines;
  bool colour = eppd_output_has_colour();
  g_autoptr(EppdTable) table = eppd_policy_rows_table(rows, condense);
  g_autofree char *table_text = eppd_table_format(table, colour);
  g_autofree char *title_text = eppd_styled(title, EPPD_STYLE_WARNING, colour);
  g_autofree char *profile = eppd_field_text(snapshot->properties, "ActiveProfile", _("unknown"));
  g_autofree char *power = eppd_field_text(snapshot->properties, "PowerSource", _("unknown"));
  g_autofree char *source = eppd_field_text(snapshot->properties, "ResidencySource", _("unknown"));
  g_autofree char *state = eppd_field_text(snapshot->properties, "BoostState", _("unknown"));
  g_autofree char *reason = eppd_field_text(snapshot->properties, "BoostReason", "");
  g_autofree char *counters = counters_text(snapshot);
  g_autofree char *head = NULL;
  g_autofree char *boost = NULL;
  g_autofree char *text = NULL;

  head = g_strdup_printf(_("%.1f s   profile %s, power %s, residency %s"), seconds, profile, power,
                         source);
  boost = g_strdup_printf(_("boost %s"), state);
  text = g_strdup_printf("%s%s%s\n%s%s%s\n%s\n\n%s", title_text, *title ? "\n" : "", head, boost,
                         *reason ? ": " : "", reason, counters, table_text);
  draw_lines(g_strchomp(text), size);
}

/* Only what is not idle: the line is to be read as it passes. */
static void
print_line(const EppdSnapshot *snapshot, const GPtrArray *rows, double seconds)
{
  g_autofree char *state = eppd_field_text(snapshot->properties, "BoostState", _("unknown"));
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
    fputs(n_shown++ > 0 ? ", " : "  |  ", stdout);
    printf(row->boosted ? _("%s %s busy %s BOOSTED") : _("%s %s busy %s"), row->policy,
           row->current, busy);
  }
  if (n_shown == 0)
    printf("  |  %s", _("all idle"));
  putchar('\n');
}

static void
show(const EppdSnapshot *snapshot, const Options *options, double seconds)
{
  g_autoptr(GPtrArray) rows = NULL;

  if (options->view == VIEW_JSON) {
    g_autoptr(GVariant) packed = eppd_snapshot_pack(snapshot);

    eppd_print_json(packed);
    return;
  }
  rows = eppd_policy_rows_new(snapshot->policies);
  if (options->view == VIEW_SCREEN)
    draw_screen(snapshot, rows, options, seconds);
  else
    print_line(snapshot, rows, seconds);
}

static void
begin(const Options *options)
{
  if (options->view == VIEW_SCREEN)
    fputs("\033[2J", stdout);
  else if (options->view == VIEW_LINES && options->title)
    puts(options->title);
}

static int
watch(const Options *options)
{
  g_auto(EppdClient) client = {0};
  g_autoptr(GError) error = NULL;
  gint64 start_usec = g_get_monotonic_time();
  gint64 next_usec = start_usec;
  gint64 now_usec = start_usec;

  do {
    g_auto(EppdSnapshot) snapshot = {0};

    if (!eppd_snapshot_take(&snapshot, &client, true, &error)) {
      if (options->view == VIEW_SCREEN && now_usec > start_usec)
        putchar('\n');
      fflush(stdout);
      return eppd_fail(error);
    }
    if (now_usec == start_usec)
      begin(options);
    now_usec = g_get_monotonic_time();
    show(&snapshot, options, (double)(now_usec - start_usec) / G_USEC_PER_SEC);
    if (fflush(stdout) != 0)
      return EPPD_EXIT_FAILURE;

    next_usec = MAX(next_usec + REDRAW_USEC, now_usec);
    g_usleep((gulong)(next_usec - now_usec));
  } while (options->seconds == 0 ||
           next_usec - start_usec <= (gint64)options->seconds * G_USEC_PER_SEC);

  if (options->view == VIEW_SCREEN)
    putchar('\n');
  return EPPD_EXIT_OK;
}

int
eppd_verb_top(int argc, char **argv)
{
  int seconds = 0;
  gboolean json = FALSE;
  g_autofree char *title = NULL;
  g_autofree char *printable = NULL;
  const GOptionEntry entries[] = {
      {"seconds", 's', 0, G_OPTION_ARG_INT, &seconds, _("Stop after N seconds (0: never)"), "N"},
      {"title", 0, 0, G_OPTION_ARG_STRING, &title, _("Show TEXT above all (not with --json)"),
       "TEXT"},
      {"json", 0, 0, G_OPTION_ARG_NONE, &json, _("Print one JSON object a line"), NULL},
      {NULL},
  };
  const EppdVerbUsage usage = {
      entries,
      NULL,
      _("Shows the policies live, four times a second; plain lines where the output is no "
        "terminal."),
      0,
      0,
  };

  Options options = {VIEW_LINES, 0, NULL};

  if (!eppd_verb_parse(&usage, &argc, &argv))
    return EPPD_EXIT_USAGE;
  if (seconds < 0) {
    eppd_complain(_("top: --seconds %d is negative"), seconds);
    return EPPD_EXIT_USAGE;
  }
  if (json)
    options.view = VIEW_JSON;
  else if (isatty(STDOUT_FILENO))
    options.view = VIEW_SCREEN;
  if (title && *title)
    options.title = printable = eppd_printable(title, TITLE_MAX);
  options.seconds = seconds;
  return watch(&options);
}
