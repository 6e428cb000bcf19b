/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "base/key-file.h"
#include "scratch.h"

#include <string.h>

/* The numbers of the bad lines, joined by commas; those below no valid group in parentheses. */
static void
note_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  GString *bad = data;

  g_assert_nonnull(strstr(path, "file.conf"));
  g_assert_nonnull(text);
  if (bad->len > 0)
    g_string_append_c(bad, ',');
  if (g_str_equal(why, "is below no valid group")) {
    g_string_append_printf(bad, "(%u)", line);
  } else {
    g_assert_cmpstr(why, ==, "is no group, key=value or comment");
    g_string_append_printf(bad, "%u", line);
  }
}

typedef struct {
  const char *name;
  const char *bytes;
  gsize length;      /* 0: by strlen */
  const char *value; /* of Mode in [Boost]; NULL: none */
  guint line;        /* where it stands */
  const char *bad;   /* lines */
} Case;

static const Case cases[] = {
    {"plain", "[Boost]\nMode=always\n", 0, "always", 2, ""},
    {"no-newline-at-the-end", "[Boost]\nMode=always", 0, "always", 2, ""},
    {"comments-and-blanks", "# one\n\n[Boost]\n  # two\nMode=always\n", 0, "always", 5, ""},
    {"white-space", "  [Boost]  \n\tMode = always \n", 0, "always", 2, ""},
    {"crlf", "[Boost]\r\nMode=always\r\n", 0, "always", 2, ""},
    {"byte-order-mark", "\xef\xbb\xbf[Boost]\nMode=always\n", 0, "always", 2, ""},
    {"later-value-wins", "[Boost]\nMode=off\nMode=always\n", 0, "always", 3, ""},
    {"later-group-wins", "[Boost]\nMode=off\n[X]\n[Boost]\nMode=always\n", 0, "always", 5, ""},
    {"equals-in-the-value", "[Boost]\nMode=a=b\n", 0, "a=b", 2, ""},
    {"junk-lines", "junk\n[Boost]\njunk\nMode=always\n=x\n", 0, "always", 4, "1,3,5"},
    {"key-before-a-group", "Mode=off\n[Boost]\n", 0, NULL, 0, "(1)"},
    {"bad-group-takes-its-keys", "[Boost\nMode=off\n[Policy]\nA=1\n", 0, NULL, 0, "1,(2)"},
    {"junk-below-a-bad-group", "[Boost\njunk\nMode=off\n", 0, NULL, 0, "1,2,(3)"},
    {"empty-group-name", "[]\nMode=off\n[Boost]\nMode=always\n", 0, "always", 4, "1,(2)"},
    {"junk-behind-a-group", "[Boost] junk\nMode=off\n", 0, NULL, 0, "1,(2)"},
    {"invalid-utf-8-value", "[Boost]\nMode=\xff\nA=1\n", 0, NULL, 0, "2"},
    {"invalid-utf-8-group", "[\xff]\nA=1\n[Boost]\nMode=always\n", 0, "always", 4, "1,(2)"},
    {"invalid-utf-8-comment", "# \xff\n[Boost]\nMode=always\n", 0, "always", 3, ""},
    {"nul-in-a-value", "[Boost]\nMode=o\0ff\nA=1\n", 22, NULL, 0, "2"},
    {"nul-does-not-hide-the-rest", "\0\n[Boost]\nMode=always\n", 22, "always", 3, "1"},
    {"odd-key", "[Boost]\nMo[de=off\nMode=always\n", 0, "always", 3, "2"},
    {"other-encoding", "[Boost]\nEncoding=latin1\nMode=always\n", 0, "always", 3, "2"},
    {"locale-keys", "[Boost]\nName[de]=Spiel\nMode=always\n", 0, "always", 3, ""},
    {"group-with-a-path", "[File /sys/x]\nA=1\n[Boost]\nMode=always\n", 0, "always", 4, ""},
    {"empty-value", "[Boost]\nMode=\n", 0, "", 2, ""},
    {"empty-file", "", 0, NULL, 0, ""},
};

static void
test_load(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file.conf");
  g_autoptr(GString) bad = g_string_new(NULL);
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = NULL;
  g_autofree char *value = NULL;

  scratch_write_bytes(dir, "file.conf", c->bytes, c->length ? c->length : strlen(c->bytes));
  file = eppd_key_file_load(path, note_bad_line, bad, &error);
  g_assert_no_error(error);
  g_assert_cmpstr(eppd_key_file_path(file), ==, path);
  value = g_key_file_get_string(eppd_key_file_get(file), "Boost", "Mode", NULL);
  g_assert_cmpstr(value, ==, c->value);
  g_assert_cmpuint(eppd_key_file_line(file, "Boost", "Mode"), ==, c->line);
  g_assert_cmpstr(bad->str, ==, c->bad);
}

static void
test_group_lines(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file.conf");
  g_autoptr(EppdKeyFile) file = NULL;

  scratch_write(dir, "file.conf", "# comment\n[Boost]\nA=1\n[Policy]\nA=2\n");
  file = eppd_key_file_load(path, NULL, NULL, NULL);
  g_assert_nonnull(file);
  g_assert_cmpuint(eppd_key_file_line(file, "Boost", NULL), ==, 2);
  g_assert_cmpuint(eppd_key_file_line(file, "Policy", NULL), ==, 4);
  g_assert_cmpuint(eppd_key_file_line(file, "Policy", "A"), ==, 5);
  g_assert_cmpuint(eppd_key_file_line(file, "Policy", "B"), ==, 0);
  g_assert_cmpuint(eppd_key_file_line(file, "Nothing", NULL), ==, 0);
}

static void
check_refused(const char *path, EppdError code)
{
  g_autoptr(GError) error = NULL;

  g_assert_null(eppd_key_file_load(path, NULL, NULL, &error));
  g_assert_error(error, EPPD_ERROR, (int)code);
  g_assert_nonnull(strstr(error->message, path));
}

static void
test_odd_paths(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autofree char *loop = scratch_path(dir, "loop");
  g_autofree char *fifo = scratch_path(dir, "fifo");
  g_autofree char *secret = scratch_path(dir, "secret");

  scratch_symlink(dir, "loop", "loop");
  scratch_write(dir, "secret", "[A]\n");
  scratch_chmod(dir, "secret", 0);
  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);

  check_refused(missing, EPPD_ERROR_GONE);
  check_refused(loop, EPPD_ERROR_FAILED);
  check_refused(dir, EPPD_ERROR_INVALID);
  check_refused(fifo, EPPD_ERROR_INVALID);
  check_refused("/dev/zero", EPPD_ERROR_INVALID);
  scratch_be_nobody(true);
  check_refused(secret, EPPD_ERROR_DENIED);
  scratch_be_nobody(false);
}

static void
test_size_limit(void)
{
  const char head[] = "[Boost]\nMode=always\n#";
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file.conf");
  g_autofree char *text = g_strnfill(EPPD_KEY_FILE_MAX + 1, 'x');
  g_autoptr(EppdKeyFile) file = NULL;
  g_autoptr(GError) error = NULL;

  memcpy(text, head, strlen(head));
  scratch_write_bytes(dir, "file.conf", text, EPPD_KEY_FILE_MAX);
  file = eppd_key_file_load(path, NULL, NULL, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(eppd_key_file_line(file, "Boost", "Mode"), ==, 2);

  scratch_write_bytes(dir, "file.conf", text, EPPD_KEY_FILE_MAX + 1);
  check_refused(path, EPPD_ERROR_LIMIT);
}

static void
count_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  (*(guint *)data)++;
}

/* A megabyte of lines of each kind that is judged in its own way: all are read and told apart. */
static void
test_many_lines(void)
{
  const struct {
    const char *line;
    gboolean bad;
  } lines[] = {{"k=\n", FALSE}, {"x\n", TRUE}, {"=\n", TRUE}, {"[g]\n", FALSE}, {"[\n", TRUE}};

  for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
    g_autoptr(Scratch) dir = scratch_new();
    g_autofree char *path = scratch_path(dir, "file.conf");
    g_autoptr(GString) text = g_string_new("[g]\n");
    g_autoptr(EppdKeyFile) file = NULL;
    guint n_lines = 0;
    guint n_bad = 0;

    while (text->len + strlen(lines[i].line) <= EPPD_KEY_FILE_MAX) {
      g_string_append(text, lines[i].line);
      n_lines++;
    }
    scratch_write(dir, "file.conf", text->str);
    file = eppd_key_file_load(path, count_bad_line, &n_bad, NULL);
    g_assert_nonnull(file);
    g_assert_cmpuint(n_bad, ==, lines[i].bad ? n_lines : 0);
  }
}

static void
test_random_bytes(void)
{
  const char alphabet[] = "[]=\n\n# aB\0\xc3\xbc\\;";
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file.conf");

  for (guint round = 0; round < 500; round++) {
    char bytes[64];
    g_autoptr(EppdKeyFile) file = NULL;
    g_auto(GStrv) groups = NULL;

    for (gsize i = 0; i < sizeof bytes; i++)
      bytes[i] = alphabet[g_test_rand_int_range(0, sizeof alphabet - 1)];
    scratch_write_bytes(dir, "file.conf", bytes, sizeof bytes);
    file = eppd_key_file_load(path, NULL, NULL, NULL);
    g_assert_nonnull(file);
    /* What was accepted line by line was accepted as a whole. */
    groups = g_key_file_get_groups(eppd_key_file_get(file), NULL);
    for (guint i = 0; groups[i]; i++)
      g_assert_cmpuint(eppd_key_file_line(file, groups[i], NULL), >, 0);
  }
}

static void
test_values(void)
{
  static const struct {
    const char *key;
    const char *expected;
  } values[] = {
      {"plain", "300"},       {"commented", "300"}, {"tab", "300"},    {"inside", "a#b"},
      {"only-a-comment", ""}, {"empty", ""},        {"missing", NULL},
  };
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "file.conf");
  g_autoptr(EppdKeyFile) file = NULL;

  scratch_write(dir, "file.conf",
                "[G]\nplain=300\ncommented=300  # 0..60000 # more\ntab=300\t#x\ninside=a#b\n"
                "only-a-comment= # text\nempty=\n");
  file = eppd_key_file_load(path, NULL, NULL, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(values); i++) {
    g_autofree char *value = eppd_key_file_value(file, "G", values[i].key);

    g_assert_cmpstr(value, ==, values[i].expected);
  }
  g_assert_null(eppd_key_file_value(file, "H", "plain"));
}

static void
test_paths_are_in_order_of_names(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autoptr(GPtrArray) none = eppd_key_file_paths(missing);
  g_autoptr(GPtrArray) paths = NULL;
  g_autoptr(GString) names = g_string_new(NULL);

  for (const char *const *name =
           (const char *const[]){"b.conf", "a.conf", ".hidden.conf", "c.conf~", "10.conf", NULL};
       *name; name++)
    scratch_write(dir, *name, "");
  paths = eppd_key_file_paths(dir);
  for (guint i = 0; i < paths->len; i++) {
    g_autofree char *name = g_path_get_basename(paths->pdata[i]);
    g_autofree char *expected = scratch_path(dir, name);

    g_assert_cmpstr(paths->pdata[i], ==, expected);
    g_string_append_printf(names, "%s ", name);
  }
  g_assert_cmpstr(names->str, ==, "10.conf a.conf b.conf ");
  g_assert_cmpuint(none->len, ==, 0);
}

static void
test_booleans(void)
{
  static const struct {
    const char *text;
    int expected; /* -1: none */
  } texts[] = {
      {"true", 1}, {"YES", 1}, {"on", 1},     {"1", 1}, {"false", 0}, {"No", 0},
      {"off", 0},  {"0", 0},   {"maybe", -1}, {"", -1}, {"2", -1},    {"true ", -1},
  };

  for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
    bool untouched = i % 2;
    bool value = untouched;

    g_assert_cmpint(eppd_boolean_parse(texts[i].text, &value), ==, texts[i].expected >= 0);
    g_assert_cmpint(value, ==, texts[i].expected >= 0 ? texts[i].expected : untouched);
  }
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/key-file/load/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_load);
  }
  g_test_add_func("/key-file/group-lines", test_group_lines);
  g_test_add_func("/key-file/odd-paths", test_odd_paths);
  g_test_add_func("/key-file/size-limit", test_size_limit);
  g_test_add_func("/key-file/many-lines", test_many_lines);
  g_test_add_func("/key-file/random-bytes", test_random_bytes);
  g_test_add_func("/key-file/values", test_values);
  g_test_add_func("/key-file/paths-are-in-order-of-names", test_paths_are_in_order_of_names);
  g_test_add_func("/key-file/booleans", test_booleans);
  return g_test_run();
}
