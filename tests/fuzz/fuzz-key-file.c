/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A key file of any content: each key that is there has a line that is there. */
#include "fuzz.h"

#include "base/key-file.h"
#include "scratch.h"

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  guint n_lines = *(const guint *)data;

  g_assert_nonnull(text);
  g_assert_nonnull(why);
  g_assert_cmpuint(line, >=, 1);
  g_assert_cmpuint(line, <=, n_lines);
}

static void
check_group(EppdKeyFile *file, const char *group, guint n_lines)
{
  g_auto(GStrv) keys = g_key_file_get_keys(eppd_key_file_get(file), group, NULL, NULL);

  g_assert_cmpuint(eppd_key_file_line(file, group, NULL), >=, 1);
  for (guint i = 0; keys && keys[i]; i++) {
    g_autofree char *value = g_key_file_get_value(eppd_key_file_get(file), group, keys[i], NULL);
    guint line = eppd_key_file_line(file, group, keys[i]);

    g_assert_nonnull(value);
    g_assert_true(g_utf8_validate(value, -1, NULL));
    g_assert_cmpuint(line, >=, 1);
    g_assert_cmpuint(line, <=, n_lines);
  }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
  g_autofree char *path = scratch_path(fuzz_scratch(), "key-file.ini");
  g_autoptr(EppdKeyFile) file = NULL;
  g_autoptr(GError) error = NULL;
  g_auto(GStrv) groups = NULL;
  guint n_lines = 1;

  for (size_t i = 0; i < size; i++)
    n_lines += data[i] == '\n';
  scratch_write_bytes(fuzz_scratch(), "key-file.ini", (const char *)data, size);
  file = eppd_key_file_load(path, on_bad_line, &n_lines, &error);
  g_assert_true(file || error);
  if (!file)
    return 0;
  groups = g_key_file_get_groups(eppd_key_file_get(file), NULL);
  for (guint i = 0; groups[i]; i++)
    check_group(file, groups[i], n_lines);
  return 0;
}
