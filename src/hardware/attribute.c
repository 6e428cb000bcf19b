/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/attribute.h"

#include "base/error.h"
#include "base/text-file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void
eppd_attribute_init(EppdAttribute *attribute, char *path)
{
  *attribute = (EppdAttribute){.path = path, .fd = -1};
}

void
eppd_attribute_close(EppdAttribute *attribute)
{
  if (attribute->fd >= 0)
    close(attribute->fd);
  attribute->fd = -1;
}

void
eppd_attribute_clear(EppdAttribute *attribute)
{
  eppd_attribute_close(attribute);
  g_clear_pointer(&attribute->path, g_free);
}

gboolean
eppd_attribute_open(EppdAttribute *attribute, GError **error)
{
  const int flags = O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

  eppd_attribute_close(attribute);
  attribute->is_writable = true;
  attribute->fd = TEMP_FAILURE_RETRY(open(attribute->path, O_RDWR | flags));
  if (attribute->fd < 0 && eppd_error_from_errno(errno) == EPPD_ERROR_DENIED) {
    attribute->is_writable = false;
    attribute->fd = TEMP_FAILURE_RETRY(open(attribute->path, O_RDONLY | flags));
  }
  attribute->is_there = attribute->fd >= 0 || eppd_error_from_errno(errno) != EPPD_ERROR_GONE;
  if (attribute->fd < 0)
    return eppd_error_set_errno(error, errno, "Could not open %s", attribute->path);
  return TRUE;
}

/* Runs @access on the open file, and once more on a new descriptor where the old one's is gone. */
typedef gboolean (*Access)(const EppdAttribute *attribute, gpointer data, GError **error);

static gboolean
access_file(EppdAttribute *attribute, Access access_func, gpointer data, GError **error)
{
  g_autoptr(GError) first_error = NULL;

  if (attribute->fd >= 0) {
    if (access_func(attribute, data, &first_error))
      return TRUE;
    if (!g_error_matches(first_error, EPPD_ERROR, EPPD_ERROR_GONE)) {
      g_propagate_error(error, g_steal_pointer(&first_error));
      return FALSE;
    }
  }
  return eppd_attribute_open(attribute, error) && access_func(attribute, data, error);
}

static gboolean
pread_text(const EppdAttribute *attribute, gpointer data, GError **error)
{
  char **text = data;

  *text = eppd_text_file_pread(attribute->fd, attribute->path, error);
  return *text != NULL;
}

static gboolean
pwrite_text(const EppdAttribute *attribute, gpointer data, GError **error)
{
  if (!attribute->is_writable)
    return eppd_error_set_errno(error, EACCES, "Could not open %s for writing", attribute->path);
  return eppd_text_file_pwrite(attribute->fd, attribute->path, data, error);
}

char *
eppd_attribute_read(EppdAttribute *attribute, GError **error)
{
  char *text = NULL;

  return access_file(attribute, pread_text, &text, error) ? text : NULL;
}

gboolean
eppd_attribute_write(EppdAttribute *attribute, const char *text, GError **error)
{
  /* Who may write it can change, and the descriptor would not know. */
  if (attribute->fd >= 0 && !attribute->is_writable)
    eppd_attribute_close(attribute);
  return access_file(attribute, pwrite_text, (gpointer)text, error);
}

gboolean
eppd_attribute_update(EppdAttribute *attribute, const char *text, GError **error)
{
  g_autofree char *current = eppd_attribute_read(attribute, NULL);

  return g_strcmp0(current, text) == 0 || eppd_attribute_write(attribute, text, error);
}
