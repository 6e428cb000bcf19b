/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* A game in another session competes with our group of processes, not with us, where the scheduler
 * groups by session (autogroup): a nice value counts for nothing then (measured: the 99th
 * percentile of an edge was a tick late with every CPU taken; with this, 0.2 ms). Gives our
 * group the nice value that we were started with, if that is a negative one. Best effort. */
void eppd_priority_extend_to_group(void);
