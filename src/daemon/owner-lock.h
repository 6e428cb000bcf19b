/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <gio/gio.h>

/* The one daemon that controls holds an flock on RUNTIME_DIR/lock. It ends with the process,
 * however that ends. */
typedef struct _EppdOwnerLock EppdOwnerLock;

/* Does not wait: EPPD_ERROR_BUSY «held by process N» where another has it. Creates @runtime_dir
 * (0755). */
EppdOwnerLock *eppd_owner_lock_try(const char *runtime_dir, GError **error);
void eppd_owner_lock_free(EppdOwnerLock *lock);

/* Waits for it in a thread; @callback in the caller's main context. Fails with EPPD_ERROR_BUSY
 * after @timeout_usec. */
void eppd_owner_lock_wait_async(const char *runtime_dir,
                                gint64 timeout_usec,
                                GAsyncReadyCallback callback,
                                gpointer data);
EppdOwnerLock *eppd_owner_lock_wait_finish(GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(EppdOwnerLock, eppd_owner_lock_free)
