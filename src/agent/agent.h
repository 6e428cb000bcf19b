/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* The agent of one user: sees which games that are opted in run, and holds the boost, and the
 * profile that they ask for, as long as they do. It wires its parts, which tell it. */

/* Runs until it is told to stop, or a bus goes. @config_file: the configuration in the place of the
 * usual places; NULL: those. The exit status. */
int eppd_agent_run(const char *config_file);
