/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <glib/gstdio.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A directory of a test's own, and files in it that stand for the kernel's. */

typedef char Scratch;

static inline Scratch *
scratch_new(void)
{
  g_autoptr(GError) error = NULL;
  char *dir = g_dir_make_tmp("eppd-test-XXXXXX", &error);

  g_assert_no_error(error);
  g_assert_cmpint(g_chmod(dir, 0755), ==, 0);
  return dir;
}

/* A directory that a test closed is opened first: only root could remove what is in it. */
static inline void
scratch_remove_path(const char *path)
{
  if (g_file_test(path, G_FILE_TEST_IS_DIR) && !g_file_test(path, G_FILE_TEST_IS_SYMLINK)) {
    g_autoptr(GDir) dir = NULL;
    const char *name;

    g_chmod(path, 0700);
    dir = g_dir_open(path, 0, NULL);
    while (dir && (name = g_dir_read_name(dir))) {
      g_autofree char *inner = g_build_filename(path, name, NULL);

      scratch_remove_path(inner);
    }
  }
  remove(path);
}

/* Removes a file, or a directory with all that is in it. */
static inline void
scratch_remove(const Scratch *dir, const char *file)
{
  g_autofree char *path = g_build_filename(dir, file, NULL);

  scratch_remove_path(path);
}

static inline void
scratch_free(Scratch *dir)
{
  scratch_remove(dir, "");
  g_free(dir);
}

static inline char *
scratch_path(const Scratch *dir, const char *file)
{
  return g_build_filename(dir, file, NULL);
}

static inline void
scratch_mkdir(const Scratch *dir, const char *file)
{
  g_autofree char *path = scratch_path(dir, file);

  g_assert_cmpint(g_mkdir_with_parents(path, 0755), ==, 0);
}

static inline void
scratch_write_bytes(const Scratch *dir, const char *file, const char *bytes, gsize length)
{
  g_autofree char *path = scratch_path(dir, file);
  g_autofree char *parent = g_path_get_dirname(path);
  FILE *stream;

  g_assert_cmpint(g_mkdir_with_parents(parent, 0755), ==, 0);
  /* In place: a descriptor or a watch on the file must see it, as on a kernel file. */
  stream = g_fopen(path, "w");
  g_assert_nonnull(stream);
  g_assert_cmpuint(fwrite(bytes, 1, length, stream), ==, length);
  g_assert_cmpint(fclose(stream), ==, 0);
}

static inline void
scratch_write(const Scratch *dir, const char *file, const char *text)
{
  scratch_write_bytes(dir, file, text, strlen(text));
}

/* The whole file; NULL if there is none. */
static inline char *
scratch_read(const Scratch *dir, const char *file)
{
  g_autofree char *path = scratch_path(dir, file);
  char *text = NULL;

  g_file_get_contents(path, &text, NULL, NULL);
  return text;
}

/* Its first line, as the kernel's files have one. */
static inline char *
scratch_read_line(const Scratch *dir, const char *file)
{
  char *text = scratch_read(dir, file);

  if (text)
    text[strcspn(text, "\n")] = '\0';
  return text;
}

static inline void
scratch_symlink(const Scratch *dir, const char *target, const char *file)
{
  g_autofree char *path = scratch_path(dir, file);
  g_autofree char *parent = g_path_get_dirname(path);

  g_assert_cmpint(g_mkdir_with_parents(parent, 0755), ==, 0);
  g_assert_cmpint(symlink(target, path), ==, 0);
}

static inline void
scratch_chmod(const Scratch *dir, const char *file, guint mode)
{
  g_autofree char *path = scratch_path(dir, file);

  g_assert_cmpint(g_chmod(path, (int)mode), ==, 0);
}

/* "file=text", "file->target" for a link, or "directory/": one entry of a test's table. */
static inline void
scratch_make(const Scratch *dir, const char *entry)
{
  g_auto(GStrv) link = g_strsplit(entry, "->", 2);
  g_auto(GStrv) file = g_strsplit(entry, "=", 2);

  if (link[1])
    scratch_symlink(dir, link[1], link[0]);
  else if (file[1])
    scratch_write(dir, file[0], file[1]);
  else
    scratch_mkdir(dir, entry);
}

/* File modes mean nothing to root: root plays nobody while they are to be felt. */
static inline void
scratch_be_nobody(bool nobody)
{
  if (getuid() == 0)
    g_assert_cmpint(seteuid(nobody ? 65534 : 0), ==, 0);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(Scratch, scratch_free)
