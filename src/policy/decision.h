/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

/* All that is known → what should be, and why. */
#include "policy/boost-decision.h"
#include "policy/epp-explain.h"
#include "policy/profile-settings.h"
