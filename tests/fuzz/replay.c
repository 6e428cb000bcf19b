/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs a target on every file of the directories given, and on the files given, in an ordinary
 * build: fuzz-corpus-X DIRECTORY…; a case a file, which fails by ending the process. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static guint n_cases;

static void
run_file(const char *path)
{
  g_autofree char *name = g_path_get_basename(path);
  g_autofree char *text = NULL;
  g_autofree uint8_t *exact = NULL;
  g_autoptr(GError) error = NULL;
  gsize length;

  if (!g_file_get_contents(path, &text, &length, &error)) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
  }
  /* No NUL byte behind it, as there is none in libFuzzer's. */
  exact = g_memdup2(text, length);
  printf("# %s\n", name);
  fflush(stdout);
  LLVMFuzzerTestOneInput(exact ? exact : (const uint8_t *)"", length);
  printf("ok %u %s\n", ++n_cases, name);
}

static int
compare_paths(gconstpointer a, gconstpointer b)
{
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void
run_directory(const char *path)
{
  g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
  g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
  const char *name;

  while (dir && (name = g_dir_read_name(dir)))
    g_ptr_array_add(paths, g_build_filename(path, name, NULL));
  g_ptr_array_sort(paths, compare_paths);
  for (guint i = 0; i < paths->len; i++)
    run_file(paths->pdata[i]);
}

int
main(int argc, char **argv)
{
  LLVMFuzzerInitialize(&argc, &argv);
  for (int i = 1; i < argc; i++) {
    if (g_file_test(argv[i], G_FILE_TEST_IS_DIR))
      run_directory(argv[i]);
    else
      run_file(argv[i]);
  }
  printf("1..%u\n", n_cases);
  return n_cases > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
