/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/error.h"
#include "games/desktop-text.h"
#include "scratch.h"

#include <sys/stat.h>

/* Each line as a word: "G" a group, "E" the header of [Desktop Entry], "key=value" (in parentheses
 * where it is not below that), "-" any other. */
static char *
outline(const char *bytes, gsize length)
{
  EppdDesktopText text;
  EppdDesktopLine line;
  GString *out = g_string_new(NULL);
  gsize offset = 0;
  guint number = 0;

  eppd_desktop_text_init(&text, bytes, length);
  while (eppd_desktop_text_next(&text, &line)) {
    g_assert_cmpuint(line.number, ==, ++number);
    g_assert_cmpuint(line.start, ==, offset);
    g_assert_cmpuint(line.end, >, line.start);
    offset = line.end;
    if (out->len > 0)
      g_string_append_c(out, ' ');
    if (line.kind == EPPD_DESKTOP_LINE_GROUP)
      g_string_append(out, line.in_entry ? "E" : "G");
    else if (line.kind == EPPD_DESKTOP_LINE_OTHER)
      g_string_append(out, "-");
    else
      g_string_append_printf(out, "%s%.*s=%.*s%s", line.in_entry ? "" : "(", (int)line.key_length,
                             line.key, (int)line.value_length, line.value,
                             line.in_entry ? "" : ")");
  }
  g_assert_cmpuint(offset, ==, length);
  return g_string_free(out, FALSE);
}

typedef struct {
  const char *name;
  const char *bytes;
  gsize length; /* 0: by strlen */
  const char *outline;
} Case;

static const Case cases[] = {
    {"empty", "", 0, ""},
    {"plain", "[Desktop Entry]\nA=1\n", 0, "E A=1"},
    {"no-newline-at-the-end", "[Desktop Entry]\nA=1", 0, "E A=1"},
    {"crlf", "[Desktop Entry]\r\nA=1\r\n\r\n", 0, "E A=1 -"},
    {"byte-order-mark", "\xef\xbb\xbf[Desktop Entry]\nA=1\n", 0, "E A=1"},
    {"byte-order-mark-later", "[Desktop Entry]\n\xef\xbb\xbf[X]\nA=1\n", 0, "E - A=1"},
    {"byte-order-mark-alone", "\xef\xbb\xbf", 0, "-"},
    {"white-space", " [Desktop Entry] \n\tA \t=  1 2 \n", 0, "E A=1 2"},
    {"comments", "# [Desktop Entry]\n[Desktop Entry]\n #A=1\nA=#1\n", 0, "- E - A=#1"},
    {"before-any-group", "A=1\n[Desktop Entry]\n", 0, "(A=1) E"},
    {"other-groups", "[X]\nA=1\n[Desktop Entry]\nA=2\n[Desktop Action y]\nA=3\n", 0,
     "G (A=1) E A=2 G (A=3)"},
    {"group-twice", "[Desktop Entry]\nA=1\n[X]\n[Desktop Entry]\nA=2\n", 0, "E A=1 G E A=2"},
    {"bad-headers-open-nothing", "[Desktop Entry\nA=1\n[Desktop Entry] x\nA=2\n[]\nA=3\n", 0,
     "- (A=1) - (A=2) - (A=3)"},
    {"bad-header-ends-a-group", "[Desktop Entry]\n[Desktop Action\nA=1\n", 0, "E - (A=1)"},
    {"other-names", "[desktop entry]\nA=1\n[Desktop Entry ]\nA=2\n", 0, "G (A=1) G (A=2)"},
    {"no-key", "[Desktop Entry]\n=1\nA\n = 2\n", 0, "E - - -"},
    {"empty-value", "[Desktop Entry]\nA=\nB= \n", 0, "E A= B="},
    {"equals-in-a-value", "[Desktop Entry]\nA=b=c\n", 0, "E A=b=c"},
    {"locales", "[Desktop Entry]\nName[de]=x\n", 0, "E Name[de]=x"},
    {"iso-8859", "[Desktop Entry]\nName[de]=Sp\xe4\xdf\nA=1\n", 0, "E Name[de]=Sp\xe4\xdf A=1"},
    {"nul-in-a-key-line", "[Desktop Entry]\nA=\0001\nB=2\n", 25, "E - B=2"},
    {"nul-in-a-header", "[Desktop Entry]\n[X\0]\nA=1\n", 25, "E - (A=1)"},
    {"utf-16", "[\0D\0e\0s\0k\0]\0\n\0", 14, "- -"},
    {"lone-cr-is-no-line-end", "[Desktop Entry]\rA=1\n", 0, "-"},
};

static void
test_lines(gconstpointer data)
{
  const Case *c = data;
  gsize length = c->length ? c->length : strlen(c->bytes);
  /* Of its own, so that a read behind it is seen. */
  g_autofree char *bytes = g_memdup2(c->bytes, length);
  g_autofree char *text = outline(bytes, length);

  g_assert_cmpstr(text, ==, c->outline);
}

static void
test_keys_are_compared_whole(void)
{
  EppdDesktopText text;
  EppdDesktopLine line;
  const char bytes[] = "Name=x\n";

  eppd_desktop_text_init(&text, bytes, strlen(bytes));
  g_assert_true(eppd_desktop_text_next(&text, &line));
  g_assert_true(eppd_desktop_line_is_key(&line, "Name"));
  g_assert_false(eppd_desktop_line_is_key(&line, "Nam"));
  g_assert_false(eppd_desktop_line_is_key(&line, "Name[de]"));
  g_assert_false(eppd_desktop_line_is_key(&line, "name"));
}

static void
check_refused(const char *path, EppdError code)
{
  g_autoptr(GError) error = NULL;
  gsize length = 7;

  g_assert_null(eppd_desktop_text_read(path, &length, &error));
  g_assert_error(error, EPPD_ERROR, (int)code);
  g_assert_nonnull(strstr(error->message, path));
  g_assert_cmpuint(length, ==, 7);
}

static void
test_odd_files_are_refused(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *missing = scratch_path(dir, "missing");
  g_autofree char *fifo = scratch_path(dir, "fifo");
  g_autofree char *loop = scratch_path(dir, "loop");

  g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
  scratch_symlink(dir, "loop", "loop");
  check_refused(missing, EPPD_ERROR_GONE);
  check_refused(fifo, EPPD_ERROR_INVALID);
  check_refused(loop, EPPD_ERROR_FAILED);
  check_refused(dir, EPPD_ERROR_INVALID);
  check_refused("/dev/zero", EPPD_ERROR_INVALID);
}

static void
test_size_limit(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *path = scratch_path(dir, "a.desktop");
  g_autofree char *big = g_strnfill(EPPD_DESKTOP_TEXT_MAX + 1, 'x');
  g_autofree char *bytes = NULL;
  g_autoptr(GError) error = NULL;
  gsize length = 0;

  scratch_write_bytes(dir, "a.desktop", big, EPPD_DESKTOP_TEXT_MAX);
  bytes = eppd_desktop_text_read(path, &length, &error);
  g_assert_no_error(error);
  g_assert_cmpuint(length, ==, EPPD_DESKTOP_TEXT_MAX);
  g_assert_cmpint(bytes[length], ==, '\0');
  scratch_write_bytes(dir, "a.desktop", big, EPPD_DESKTOP_TEXT_MAX + 1);
  check_refused(path, EPPD_ERROR_LIMIT);
}

static void
test_links_and_bytes_are_read(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autofree char *link = scratch_path(dir, "link.desktop");
  g_autofree char *bytes = NULL;
  gsize length = 0;

  scratch_write_bytes(dir, "export/a", "a\0\xff", 3);
  scratch_symlink(dir, "export/a", "link.desktop");
  bytes = eppd_desktop_text_read(link, &length, NULL);
  g_assert_cmpmem(bytes, length, "a\0\xff", 3);
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/desktop-text/lines/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_lines);
  }
  g_test_add_func("/desktop-text/keys-are-compared-whole", test_keys_are_compared_whole);
  g_test_add_func("/desktop-text/odd-files-are-refused", test_odd_files_are_refused);
  g_test_add_func("/desktop-text/size-limit", test_size_limit);
  g_test_add_func("/desktop-text/links-and-bytes-are-read", test_links_and_bytes_are_read);
  return g_test_run();
}
