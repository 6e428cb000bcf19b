/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* A service of another program on a bus, which comes and goes with its well-known name. All that is
 * heard from it and asked of it goes by the unique name of who has the name now: so nobody else's
 * signal is taken for its, and no call can start it. Everything is asynchronous, in the thread's
 * default main context; nothing happens there while the service says nothing. */
typedef struct _EppdPeer EppdPeer;

/* One of its objects, and one of that one's interfaces. */
typedef struct {
  const char *path;
  const char *interface;
} EppdPeerObject;

/* @came: from here on it can be listened to and asked. @left: it can't any more, and all of that
 * has ended; also once at first where nobody has the name, and where the bus goes. Between two
 * owners of the name the first one leaves. Neither is called from within new(); both may be NULL,
 * and may free the peer. @topic, of log lines, must outlive the peer. */
EppdPeer *eppd_peer_new(GDBusConnection *bus,
                        const char *topic,
                        const char *name,
                        void (*came)(gpointer data),
                        void (*left)(gpointer data),
                        gpointer data);
/* Nothing is called from here on. */
void eppd_peer_free(EppdPeer *peer);

/* The unique name of who has the name; NULL while nobody has. Owned by the peer. */
const char *eppd_peer_owner(const EppdPeer *peer);

/* The functions below are for between @came and @left. What they are told to call is called until
 * the peer leaves, or eppd_peer_forget() with the same @data; it may call that, and free the peer.
 */

/* @parameters are of @type, of which others are ignored with a warning. @signal and @type must
 * outlive the peer. */
typedef void (*EppdPeerHeard)(GVariant *parameters, gpointer data);
void eppd_peer_listen(EppdPeer *peer,
                      const EppdPeerObject *object,
                      const char *signal,
                      const char *type,
                      EppdPeerHeard heard,
                      gpointer data);

/* For PropertiesChanged (sa{sv}as) of the object's interface. */
void eppd_peer_listen_for_properties(EppdPeer *peer,
                                     const EppdPeerObject *object,
                                     EppdPeerHeard heard,
                                     gpointer data);

/* @reply: of the type that was asked for; NULL: @error says why. @fds: the descriptors that came
 * with it, NULL where there are none. All are the caller's. */
typedef void (*EppdPeerAnswered)(GVariant *reply,
                                 GUnixFDList *fds,
                                 const GError *error,
                                 gpointer data);
/* @parameters: a tuple, sunk; may be NULL. @reply_type: NULL for any. */
void eppd_peer_ask(EppdPeer *peer,
                   const EppdPeerObject *object,
                   const char *method,
                   GVariant *parameters,
                   const char *reply_type,
                   EppdPeerAnswered answered,
                   gpointer data);

/* Asks the bus which process it is; the reply is (u), where 0 is none. */
void eppd_peer_ask_process(EppdPeer *peer, EppdPeerAnswered answered, gpointer data);

/* Ends all that was begun with @data, which may be nothing. Also while nobody is there. */
void eppd_peer_forget(EppdPeer *peer, gpointer data);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdPeer, eppd_peer_free)
