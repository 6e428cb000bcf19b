/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* A text file that is replaced as a whole by an atomic rename, and single bytes of which are set in
 * place: a reader finds either text, never half of one. It survives a kill, not a power cut: no
 * fsync. Nobody else is to write it. */
typedef struct _EppdFlagFile EppdFlagFile;

/* Touches nothing. */
EppdFlagFile *eppd_flag_file_new(const char *path);
void eppd_flag_file_free(EppdFlagFile *file);

const char *eppd_flag_file_path(const EppdFlagFile *file);

/* Links in the place of the file, and of the one that it is written to first (PATH.new), are
 * replaced, not followed. The old text stays where this fails. */
gboolean eppd_flag_file_replace(EppdFlagFile *file, const GString *text, GError **error);
/* One pwrite of @byte at @offset of the text that was written last; only after a replace(). */
gboolean eppd_flag_file_set(EppdFlagFile *file, goffset offset, char byte, GError **error);

/* Whether another has removed or replaced what was written last: a new reader would not find it. */
bool eppd_flag_file_is_removed(const EppdFlagFile *file);
/* A file that is not there is removed already. */
gboolean eppd_flag_file_remove(EppdFlagFile *file, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdFlagFile, eppd_flag_file_free)
