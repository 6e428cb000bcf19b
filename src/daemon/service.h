/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/controller.h"

/* The daemon's life: bus, name, lock, controller, and back again. */
typedef struct {
  EppdControllerOptions controller;
  bool replace; /* -r */
} EppdServiceOptions;

/* Runs until it is told to stop, or loses its name. Returns the exit status: 0 after SIGTERM,
 * SIGINT or a successor; 1 where it could not start, or the bus went away. */
int eppd_service_run(const EppdServiceOptions *options);
