/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <stdbool.h>

/* Holds that a service of the system bus keeps for us as long as we want: of the boost, or of a
 * profile. A service that starts (again) is asked for all of them. It is never started by us, and
 * nobody is asked for a password. */

typedef struct {
  const char *topic; /* of log lines */
  const char *name;
  const char *path;
  const char *interface;
  const char *hold_method; /* gives a cookie u */
  const char *release_method;
  /* A signal with a cookie u: the service gave up the hold; and a property by which one can see
   * that it is not its own end that made it do so. Both NULL where there is none. */
  const char *released_signal;
  const char *probe_property;
} EppdHoldService;

typedef struct _EppdHoldLink EppdHoldLink;
typedef struct _EppdLinkHold EppdLinkHold;

/* @service must outlive it. @refused: a hold was refused for want of authorisation (AccessDenied):
 * retry() when that may have changed. */
EppdHoldLink *eppd_hold_link_new(GDBusConnection *bus,
                                 const EppdHoldService *service,
                                 void (*refused)(gpointer data),
                                 gpointer data);
/* After all its holds were released. */
void eppd_hold_link_free(EppdHoldLink *link);

/* @label: the game, for log lines. @parameters, of the hold method, are sunk. @pidfd: a copy of
 * it goes with each call as the descriptor 0; -1: none. @is_dropped: as is_dropped() said of an
 * earlier hold for the same. Never fails: the hold is taken when it can be. */
EppdLinkHold *eppd_hold_link_take(
    EppdHoldLink *link, const char *label, GVariant *parameters, int pidfd, bool is_dropped);
void eppd_hold_link_release(EppdLinkHold *hold);

/* Whether the service gave it up, as it does when the user chooses otherwise: it is not taken
 * again. */
bool eppd_hold_link_is_dropped(const EppdLinkHold *hold);

/* Asks again for what was refused, or is refused to a question of before. */
void eppd_hold_link_retry(EppdHoldLink *link);
