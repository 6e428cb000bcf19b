/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/desktop-entry.h"
#include "games/desktop-text.h"
#include "scratch.h"

#define HEADER "[Desktop Entry]\n"

/* What an entry says, in a few words: those of its fields that say something. */
static char *
summary(const EppdDesktopEntry *entry)
{
  GString *out = g_string_new(NULL);
  g_autofree char *categories = g_strjoinv(";", entry->categories);

  for (int key = 0; key < EPPD_N_BOOST_KEYS; key++) {
    g_autofree char *value = eppd_boost_keys_value(&entry->keys, (EppdBoostKey)key);

    if (value)
      g_string_append_printf(out, "%s|", value);
  }
  g_string_append_printf(out, "%s%s%s%s%s%s", entry->name ? entry->name : "",
                         *categories ? "|" : "", categories, entry->hidden ? "|hidden" : "",
                         entry->no_display ? "|no-display" : "",
                         entry->dbus_activatable ? "|dbus" : "");
  return g_string_free(out, FALSE);
}

typedef struct {
  const char *name;
  const char *bytes;
  gsize length; /* 0: by strlen */
  const char *summary;
  const char *problems[3];
} Case;

static const Case cases[] = {
    {"plain", HEADER "Name=Game\nX-Eppd-Boost=true\n", 0, "true|Game"},
    {"all-of-ours",
     HEADER "X-Eppd-Profile=performance\nX-Eppd-Threshold=12\nX-Eppd-Trigger=app\n"
            "X-Eppd-Boost=false\n",
     0, "false|app|12|performance|"},
    {"crlf", "[Desktop Entry]\r\nName=Game\r\nX-Eppd-Boost=true\r\n", 0, "true|Game"},
    {"byte-order-mark", "\xef\xbb\xbf" HEADER "X-Eppd-Boost=true", 0, "true|"},
    {"no-newline-at-the-end", HEADER "X-Eppd-Boost=true", 0, "true|"},
    {"spaces-around-the-equals", HEADER "X-Eppd-Boost = true \nName =  A b \n", 0, "true|A b"},
    {"other-groups-do-not-count",
     HEADER "Name=Game\n[Desktop Action x]\nName=X\nX-Eppd-Boost=true\nX-Eppd-Trigger=junk\n", 0,
     "Game"},
    {"translations-do-not-count", HEADER "Name[de]=Spiel\nName=Game\nName[fr]=Jeu\n", 0, "Game"},
    {"last-of-a-key-counts", HEADER "X-Eppd-Boost=false\nName=A\nX-Eppd-Boost=true\nName=B\n", 0,
     "true|B"},
    {"last-group-counts", HEADER "X-Eppd-Boost=false\n[X]\n" HEADER "X-Eppd-Boost=true\n", 0,
     "true|"},
    {"a-wrong-last-value-leaves-none",
     HEADER "X-Eppd-Boost=true\nX-Eppd-Boost=maybe\n",
     0,
     "",
     {"line 3: X-Eppd-Boost=maybe: expected true or false; ignoring it"}},
    {"a-wrong-value-leaves-the-others",
     HEADER "X-Eppd-Threshold=0\nX-Eppd-Boost=true\nX-Eppd-Profile=balanced\n",
     0,
     "true|",
     {"line 2: X-Eppd-Threshold=0: expected 1 to 100 (percent); ignoring it",
      "line 4: X-Eppd-Profile=balanced: expected performance or power-saver; ignoring it"}},
    {"a-mistyped-key",
     HEADER "X-Eppd-Treshold=5\n",
     0,
     "",
     {"line 2: X-Eppd-Treshold=5: expected a key of Boost, Trigger, Threshold, Profile; "
      "ignoring it"}},
    {"bad-bytes-in-our-value",
     HEADER "X-Eppd-Trigger=\xff\x1b[31m\n",
     0,
     "",
     {"line 2: X-Eppd-Trigger=\\xff\\x1b[31m: expected core or app; ignoring it"}},
    {"iso-8859-elsewhere", HEADER "Name[de]=Sp\xe4\xdf\nComment=\xe9\nX-Eppd-Boost=true\n", 0,
     "true|"},
    {"iso-8859-in-the-name", HEADER "Name=Sp\xe4\n", 0, "Sp\xef\xbf\xbd"},
    {"nul-elsewhere", HEADER "Comment=a\0b\nX-Eppd-Boost=true\n", 46, "true|"},
    {"junk-elsewhere", HEADER "junk\n=\n[\n" HEADER "X-Eppd-Boost=true\n", 0, "true|"},
    {"escapes", HEADER "Name=a\\sb\\\\sc\\q\\", 0, "a b\\sc\\q\\"},
    {"categories", HEADER "Categories=Game; ActionGame;;\n", 0, "|Game;ActionGame"},
    {"flags", HEADER "Hidden=true\nNoDisplay=1\nDBusActivatable=true\n", 0,
     "|hidden|no-display|dbus"},
    {"flags-that-are-none", HEADER "Hidden=false\nNoDisplay=0\nDBusActivatable=yes\n", 0, ""},
    {"empty-group", HEADER, 0, ""},
};

static void
test_parse(gconstpointer data)
{
  const Case *c = data;
  gsize length = c->length ? c->length : strlen(c->bytes);
  g_autofree char *bytes = g_memdup2(c->bytes, length);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(bytes, length, &error);
  g_autofree char *text = NULL;
  guint n_problems = 0;

  g_assert_no_error(error);
  text = summary(entry);
  g_assert_cmpstr(text, ==, c->summary);
  for (; n_problems < G_N_ELEMENTS(c->problems) && c->problems[n_problems]; n_problems++) {
    g_assert_cmpuint(n_problems, <, entry->problems->len);
    g_assert_cmpstr(entry->problems->pdata[n_problems], ==, c->problems[n_problems]);
  }
  g_assert_cmpuint(entry->problems->len, ==, n_problems);
}

static void
test_other_keys(void)
{
  const char text[] = HEADER "Type=Application\nExec=a\\\\b \"c\" %U\nStartupWMClass=W\n"
                             "X-Flatpak=org.example.F\nX-SnapInstanceName=s_1\nX-SnapAppName=a\n"
                             "PrefersNonDefaultGPU=true\n";
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(text, strlen(text), NULL);

  g_assert_nonnull(entry);
  g_assert_cmpstr(entry->type, ==, "Application");
  g_assert_cmpstr(entry->exec, ==, "a\\b \"c\" %U");
  g_assert_cmpstr(entry->startup_wm_class, ==, "W");
  g_assert_cmpstr(entry->flatpak, ==, "org.example.F");
  g_assert_cmpstr(entry->snap_instance, ==, "s_1");
  g_assert_cmpstr(entry->snap_app, ==, "a");
  g_assert_true(entry->prefers_non_default_gpu);
  g_assert_true(eppd_desktop_entry_is_application(entry));
}

static void
test_what_is_no_application(void)
{
  const char *const texts[] = {HEADER "Type=Link\n", HEADER "Type=Directory\n", HEADER,
                               HEADER "Type=Application\nHidden=true\n"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(texts[i], strlen(texts[i]), NULL);

    g_assert_nonnull(entry);
    g_assert_false(eppd_desktop_entry_is_application(entry));
  }
}

static void
test_what_is_no_entry(void)
{
  const char *const texts[] = {"",
                               "junk",
                               "Name=x\n",
                               "[Desktop Action x]\nName=x\n",
                               "[Desktop Entry\nName=x\n",
                               "[KDE Desktop Entry]\nName=x\n"};

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    g_autoptr(GError) error = NULL;

    g_assert_null(eppd_desktop_entry_parse(texts[i], strlen(texts[i]), &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  }
  g_assert_null(eppd_desktop_entry_parse(NULL, 0, NULL));
}

/* A megabyte is read, whatever it is made of, and no byte more. */
static void
test_size_limit(void)
{
  const char *const lines[] = {"X-Eppd-Boost=true\n", "X-Eppd-A=1\n", "[\n", HEADER, "x\n", "=\n"};

  for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autoptr(GString) text = g_string_new(HEADER);
    g_autoptr(EppdDesktopEntry) entry = NULL;
    g_autoptr(GError) error = NULL;

    while (text->len < EPPD_DESKTOP_TEXT_MAX)
      g_string_append(text, lines[i]);
    g_string_truncate(text, EPPD_DESKTOP_TEXT_MAX);
    entry = eppd_desktop_entry_parse(text->str, text->len, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(entry->problems->len, <=, 16);
    g_string_append_c(text, '\n');
    g_assert_null(eppd_desktop_entry_parse(text->str, text->len, &error));
    g_assert_error(error, EPPD_ERROR, EPPD_ERROR_LIMIT);
  }
}

static void
test_categories_are_compared_whole(void)
{
  const char text[] = HEADER "Categories=ActionGame;Game;\n";
  g_autoptr(EppdDesktopEntry) entry = eppd_desktop_entry_parse(text, strlen(text), NULL);

  g_assert_true(eppd_desktop_entry_has_category(entry, "Game"));
  g_assert_false(eppd_desktop_entry_has_category(entry, "game"));
  g_assert_false(eppd_desktop_entry_has_category(entry, "Action"));
}

static void
test_load_names_the_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "a.desktop");
  g_autoptr(EppdDesktopEntry) entry = NULL;
  g_autoptr(GError) error = NULL;

  scratch_write(dir, "a.desktop", HEADER "Name=A\n");
  entry = eppd_desktop_entry_load(path, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(entry->name, ==, "A");
  scratch_write(dir, "a.desktop", "junk\n");
  g_assert_null(eppd_desktop_entry_load(path, &error));
  g_assert_error(error, EPPD_ERROR, EPPD_ERROR_INVALID);
  g_assert_nonnull(strstr(error->message, path));
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/desktop-entry/parse/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_parse);
  }
  g_test_add_func("/desktop-entry/other-keys", test_other_keys);
  g_test_add_func("/desktop-entry/what-is-no-application", test_what_is_no_application);
  g_test_add_func("/desktop-entry/what-is-no-entry", test_what_is_no_entry);
  g_test_add_func("/desktop-entry/size-limit", test_size_limit);
  g_test_add_func("/desktop-entry/categories-are-compared-whole",
                  test_categories_are_compared_whole);
  g_test_add_func("/desktop-entry/load-names-the-file", test_load_names_the_file);
  return g_test_run();
}
