/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the targets share. A target is a file fuzz-X.c with LLVMFuzzerTestOneInput(): libFuzzer runs
 * it on what it makes up, replay.c on the files that it is given. A critical warning, of GLib or of
 * ours, ends the process like any crash; notices and warnings are formatted and dropped. */

/* libFuzzer's names. */
int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A directory of the process's own below TMPDIR, removed at exit; see unit/scratch.h. */
const char *fuzz_scratch(void);

/* Empties the scratch directory. */
void fuzz_clear(void);

/* The input as text: up to its first NUL byte. Owned by the caller. */
char *fuzz_text(const uint8_t *data, size_t size);

/* An input may hold several files: a line «=== NAME» starts one, whose @bytes are all up to the
 * next such line. What comes before the first is the file "". */
typedef void (*FuzzFileFunc)(const char *name, const char *bytes, gsize length, gpointer data);
void fuzz_split(const uint8_t *data, size_t size, FuzzFileFunc func, gpointer user_data);

/* One of the files that an input may bring, and where it goes. */
typedef struct {
  const char *name; /* in the input */
  const char *path; /* below the scratch directory */
} FuzzPlace;

/* Writes the files of the input that have a place; the others are dropped, so that no input can
 * write anywhere else. */
void fuzz_write_files(const uint8_t *data, size_t size, const FuzzPlace *places, gsize n_places);
