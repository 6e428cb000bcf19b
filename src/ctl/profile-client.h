/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "ctl/client.h"

/* The power profiles service, org.freedesktop.UPower.PowerProfiles, of whichever daemon owns that
 * name. Calls block. Errors are GDBus's own, word for word: scripts know them from
 * powerprofilesctl. */

/* The value of @property, of the D-Bus type @type; owned by the caller. */
GVariant *eppd_profile_client_get(EppdClient *client,
                                  const char *property,
                                  const char *type,
                                  GError **error);

/* All properties, an a{sv} owned by the caller. */
GVariant *eppd_profile_client_properties(EppdClient *client, GError **error);

/* @value is sunk. */
gboolean eppd_profile_client_set(EppdClient *client,
                                 const char *property,
                                 GVariant *value,
                                 GError **error);

/* Calls @method. @parameters: a tuple (sunk). The reply, of type @reply_type, is owned by the
 * caller. */
GVariant *eppd_profile_client_call(EppdClient *client,
                                   const char *method,
                                   GVariant *parameters,
                                   const char *reply_type,
                                   GError **error);

/* Says that a call failed, as powerprofilesctl does; returns EPPD_EXIT_FAILURE. */
int eppd_profile_client_fail(const GError *error);

/* Says that an argument makes no sense, likewise; returns EPPD_EXIT_FAILURE. */
int eppd_profile_client_refuse(const char *message);
