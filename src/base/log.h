/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>

/* Log lines carry a topic, the noun of the layer that speaks: "policy3: …", "config: …". */

#define eppd_debug(topic, ...)   eppd_log(G_LOG_LEVEL_DEBUG, topic, __VA_ARGS__)
#define eppd_info(topic, ...)    eppd_log(G_LOG_LEVEL_INFO, topic, __VA_ARGS__)
#define eppd_notice(topic, ...)  eppd_log(G_LOG_LEVEL_MESSAGE, topic, __VA_ARGS__)
#define eppd_warning(topic, ...) eppd_log(G_LOG_LEVEL_WARNING, topic, __VA_ARGS__)

void eppd_log(GLogLevelFlags level, const char *topic, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Installs the writer: to the journal where standard output is connected to it, else lines on
 * standard output. @verbosity 0: notices and warnings; 1: info too; 2: debug too. */
void eppd_log_init(guint verbosity);
