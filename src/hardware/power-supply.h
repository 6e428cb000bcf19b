/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "base/sys-root.h"
#include "policy/power-source.h"

/* The kernel's own rule (power_supply_is_system_supplied()): supplies of scope Device (a mouse, a
 * headset) do not count; AC if any that is no battery is online, or if there is none at all. On top
 * of it systemd's: a USB supply whose port is a power source ([source]) does not feed us. And a
 * battery that is a HID or Bluetooth device's is a peripheral's even where its driver gives no
 * scope: else a desktop would run on the battery of its mouse. Unreadable files are skipped. */
EppdPowerSource eppd_power_supply_read(EppdSysRoot *root);
