/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/lap-mode.h"

#include "base/error.h"
#include "base/text-file.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define DIRECTORY "/sys/devices/platform/thinkpad_acpi"

int
eppd_lap_mode_open(EppdSysRoot *root, bool *on_lap)
{
  g_autofree char *path = eppd_sys_root_path(root, DIRECTORY "/dytc_lapmode");
  g_autofree char *text = NULL;
  g_autoptr(GError) error = NULL;
  int fd = TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));

  if (fd < 0) {
    *on_lap = false;
    return -1;
  }
  text = eppd_text_file_pread(fd, path, &error);
  if (text)
    *on_lap = strcmp(text, "1") == 0;
  else if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_EMPTY))
    *on_lap = false;
  return fd;
}

char *
eppd_lap_mode_directory(EppdSysRoot *root)
{
  return eppd_sys_root_path(root, DIRECTORY);
}
