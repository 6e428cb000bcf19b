/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdbool.h>

/* The smallest bus: a pair of connected GDBusConnections in this process, of which one, the
 * daemon's, takes the other for a message bus. It answers what the daemon asks of a bus, of polkit,
 * logind and UPower, at once and as it was told to; and it sends what clients of that bus would. */
typedef struct _BusPeer BusPeer;

#define BUS_PEER_LOGIND ":1.901"
#define BUS_PEER_UPOWER ":1.902"

BusPeer *bus_peer_new(void);

/* The daemon's end; owned by @peer. */
GDBusConnection *bus_peer_daemon(BusPeer *peer);

/* Who clients are: the answer to GetConnectionUnixUser; 0 at first. */
void bus_peer_set_uid(BusPeer *peer, guint32 uid);
/* The body of polkit's answers, and of logind's and UPower's; NULL: an error is the answer, as at
 * first. */
void bus_peer_set_polkit(BusPeer *peer, GVariant *body);
void bus_peer_set_service(BusPeer *peer, GVariant *body);

/* Sends a call as the client ":1.SENDER", unless it is no valid message: @done is not called then.
 * @body is a tuple or NULL, @fds may be NULL; both stay the caller's. @done gets the reply, errors
 * too. */
typedef void (*BusPeerDone)(GDBusMessage *reply, guint sender, gpointer data);
bool bus_peer_call(BusPeer *peer,
                   guint sender,
                   const char *path,
                   const char *interface,
                   const char *method,
                   GVariant *body,
                   GUnixFDList *fds,
                   BusPeerDone done,
                   gpointer data);
/* Sends a signal as @sender, if it is a valid message. */
void bus_peer_signal(BusPeer *peer,
                     const char *sender,
                     const char *path,
                     const char *interface,
                     const char *signal,
                     GVariant *body);
/* Client ":1.SENDER" leaves the bus. */
void bus_peer_leave(BusPeer *peer, guint sender);

/* Runs the main loop until no call is without a reply. */
void bus_peer_wait(BusPeer *peer);
/* …and until the daemon has had the answers to all that it has asked, and has dealt with them. */
void bus_peer_settle(BusPeer *peer);
