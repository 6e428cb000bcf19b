/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/priority.h"

#include "base/log.h"
#include "base/text-file.h"

#include <errno.h>
#include <sys/resource.h>

void
eppd_priority_extend_to_group(void)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *text = NULL;
  int nice_value;

  errno = 0;
  nice_value = getpriority(PRIO_PROCESS, 0);
  if (errno != 0 || nice_value >= 0)
    return;
  text = g_strdup_printf("%d", nice_value);
  if (!eppd_text_file_write("/proc/self/autogroup", text, &error))
    eppd_debug("eppd", "priority within the session alone: %s", error->message);
}
