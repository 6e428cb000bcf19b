/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* One sysfs attribute that is read and written often: its file stays open, so that an access costs
 * one pread or pwrite. A descriptor whose file is gone (ENODEV: the driver was replaced) is opened
 * again, once a call. Errors are those of base/text-file.h. */
typedef struct {
  char *path;
  int fd;           /* -1: not open */
  bool is_writable; /* whether fd can be written by */
  bool is_there;    /* as of the last open: the file exists, whether or not it can be opened */
} EppdAttribute;

/* Takes @path; opens nothing yet. */
void eppd_attribute_init(EppdAttribute *attribute, char *path);
void eppd_attribute_clear(EppdAttribute *attribute);

/* Opens the file anew, for reading alone where writing is denied. */
gboolean eppd_attribute_open(EppdAttribute *attribute, GError **error);
/* The next access opens it anew. */
void eppd_attribute_close(EppdAttribute *attribute);

/* The first line; owned by the caller. */
char *eppd_attribute_read(EppdAttribute *attribute, GError **error);
gboolean eppd_attribute_write(EppdAttribute *attribute, const char *text, GError **error);
/* Writes @text unless it reads so already. */
gboolean eppd_attribute_update(EppdAttribute *attribute, const char *text, GError **error);
