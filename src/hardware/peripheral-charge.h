/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"

/* How fast the batteries of peripherals charge: charge_type of power supplies of scope Device. */

/* The paths of their charge_type files, there now; a GPtrArray of char*, owned by the caller. */
GPtrArray *eppd_peripheral_charge_files(EppdSysRoot *root);
