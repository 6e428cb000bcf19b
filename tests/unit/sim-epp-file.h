/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/error.h"
#include "policy/epp.h"

/* An EPP file in memory, with the kernel's rules: what reads back how, and what is refused when. */

typedef enum {
  SIM_READS_AS_WRITTEN, /* amd-pstate: names as names, numbers as numbers */
  SIM_READS_NUMBERS,    /* everything as a number */
  SIM_READS_NAMES,      /* intel_pstate: a number that matches a name as that name */
} SimReading;

#define SIM_N_READINGS 3

typedef struct {
  SimReading reading;
  EppdEpp value; /* a name or a number */
  bool governor_performance;
  bool unreadable; /* read() gives EINVAL */
  bool refuses;    /* write() gives @refusal */
  EppdError refusal;
  guint n_writes; /* accepted */
} SimEppFile;

/* The number that the hardware holds. */
guint8 sim_epp_number(const EppdEpp *epp);

/* UNKNOWN where it can't be read. */
EppdEpp sim_epp_file_read(const SimEppFile *file);

gboolean sim_epp_file_write(SimEppFile *file, const EppdEpp *epp, EppdError *refusal);

/* The kernel sets EPP to 0 with the governor performance, and leaves it there. */
void sim_epp_file_set_governor(SimEppFile *file, bool performance);
