/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "daemon/clients.h"
#include "daemon/request-queue.h"

/* An object of ours on the bus, with one interface beside org.freedesktop.DBus.Properties. It is
 * registered before the daemon controls anything, so that nobody who finds the name finds no
 * object; calls wait until it is opened. */
typedef struct _EppdBusObject EppdBusObject;

typedef struct {
  /* The value of a property of the interface; floating, or a reference of the caller's. */
  GVariant *(*get_property)(const char *name, gpointer data);
  /* A method of the interface; takes @invocation. GDBus has checked the parameters' types. */
  void (*call)(const char *method, GDBusMethodInvocation *invocation, gpointer data);
  /* A write of a writable property, @value of its type; takes @invocation. NULL: there is none. */
  void (*set_property)(const char *name,
                       GVariant *value,
                       GDBusMethodInvocation *invocation,
                       gpointer data);
} EppdBusObjectClass;

/* The interface is the first of data/INTERFACE.xml, compiled in. Borrows @clients, @queue, @class
 * and @data. */
EppdBusObject *eppd_bus_object_new(GDBusConnection *bus,
                                   const char *object_path,
                                   const char *interface,
                                   EppdClients *clients,
                                   EppdRequestQueue *queue,
                                   const EppdBusObjectClass *class,
                                   gpointer data,
                                   GError **error);
/* Calls that still wait are answered with an error. */
void eppd_bus_object_free(EppdBusObject *object);

/* From here on calls are answered, those that waited first. */
void eppd_bus_object_open(EppdBusObject *object);
/* Back to waiting: what get_property() asks is about to go. */
void eppd_bus_object_close(EppdBusObject *object);

/* Something may have changed: PropertiesChanged with what differs from what was told last, but for
 * properties that are annotated to emit no signal. Nothing while closed. */
void eppd_bus_object_changed(EppdBusObject *object);

/* A signal of the interface to @destination alone; NULL: to all. @parameters: a tuple (sunk). */
void eppd_bus_object_emit(EppdBusObject *object,
                          const char *destination,
                          const char *signal,
                          GVariant *parameters);

/* Queues @invocation for @action_id (NULL: only the order and the caller's identity matter); @func
 * gets the object's data. A method's caller is watched from before the check, so that one who dies
 * meanwhile leaves nothing. Whose property write came to nothing is told the true value. */
void eppd_bus_object_push(EppdBusObject *object,
                          GDBusMethodInvocation *invocation,
                          const char *action_id,
                          EppdRequestFunc func);

/* Answers with @error, which it takes; EPPD_ERROR's codes as what they mean on the bus. */
void eppd_bus_object_return_error(GDBusMethodInvocation *invocation, GError *error);
