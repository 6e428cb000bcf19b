/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

static void
gone_free(SimGone *gone)
{
  g_free(gone->name);
  g_free(gone);
}

/* The top-level directory that @node is in. */
static bool
is_below(const SimNode *node, const char *top)
{
  const SimNode *parent;

  while ((parent = sim_node_parent(node)) && sim_node_parent(parent))
    node = parent;
  return g_str_equal(sim_node_name(node), top);
}

/* The simulation's own files. */
static bool
is_control(const SimNode *node)
{
  return is_below(node, "simkernel");
}

bool
sim_files_is_vanished(const SimFiles *files, const SimNode *node)
{
  g_autofree char *path = NULL;

  if (!sim_faults_are_any(files->faults) || is_control(node))
    return false;
  path = sim_node_path(node);
  return sim_faults_is_vanished(files->faults, path);
}

/* What goes wrong with an access, now. Waits a delay, the lock not held. */
static SimFaultEffect
meet_fault(SimFiles *files, SimFaultOps op, const SimNode *node)
{
  SimFaultEffect effect = {.limit = -1};
  g_autofree char *path = NULL;
  gint64 end_usec;

  if (!sim_faults_are_any(files->faults) || is_control(node))
    return effect;
  path = sim_node_path(node);
  if (sim_faults_is_vanished(files->faults, path)) {
    effect.error = op == SIM_FAULT_OPEN ? ENOENT : ENODEV;
    return effect;
  }
  sim_faults_apply(files->faults, op, path, &effect);
  end_usec = g_get_monotonic_time() + effect.delay_ms * (gint64)1000;
  while (effect.delay_ms > 0 && !files->is_stopping &&
         g_cond_wait_until(&files->stopping, &files->lock, end_usec))
    continue;
  return effect;
}

mode_t
sim_files_mode(const SimNode *node)
{
  switch (sim_node_kind(node)) {
  case SIM_NODE_DIRECTORY:
    return S_IFDIR | 0755;
  case SIM_NODE_LINK:
    return S_IFLNK | 0777;
  case SIM_NODE_FILE:
    break;
  }
  return S_IFREG | (sim_node_is_readable(node) ? 0444 : 0) |
         (sim_node_is_writable(node) ? 0200 : 0);
}

/* procfs says 0 of its files, and has larger ones. */
static off_t
size_of(const SimNode *node)
{
  return sim_node_kind(node) == SIM_NODE_FILE && !is_below(node, "proc") ? SIM_FILE_SIZE : 0;
}

/* sysfs refuses root too what the mode has not. */
static int
mode_error(const SimNode *node, int flags)
{
  int access = flags & O_ACCMODE;

  if (access != O_WRONLY && !sim_node_is_readable(node))
    return EACCES;
  return access != O_RDONLY && !sim_node_is_writable(node) ? EACCES : 0;
}

static void
log_write(SimFiles *files, pid_t pid, const SimNode *node, int error, const char *text)
{
  g_autofree char *path = NULL;

  if (!files->log)
    return;
  path = sim_node_path(node);
  sim_log_add(files->log, &(SimLogEntry){
                              .now_usec = g_get_monotonic_time(),
                              .pid = pid,
                              .op = is_control(node) ? "event" : "write",
                              .path = path,
                              .error = error,
                              .text = text,
                          });
}

static void
forget_vanished(SimInode *inode, gpointer data)
{
  SimFiles *files = data;
  SimNode *parent = sim_node_parent(inode->node);

  if (parent && sim_files_is_vanished(files, inode->node))
    sim_files_forget_name(files, parent, sim_node_name(inode->node));
}

static GPtrArray *
new_gone(void)
{
  return g_ptr_array_new_with_free_func((GDestroyNotify)gone_free);
}

void
sim_files_init(SimFiles *files, SimFaults *faults, SimLog *log, GDestroyNotify free_poll)
{
  g_mutex_init(&files->lock);
  g_cond_init(&files->stopping);
  files->faults = faults;
  files->log = log;
  files->inodes = sim_inodes_new(free_poll);
  files->gone = new_gone();
}

void
sim_files_clear(SimFiles *files)
{
  g_ptr_array_unref(files->gone);
  sim_inodes_free(files->inodes);
  g_cond_clear(&files->stopping);
  g_mutex_clear(&files->lock);
}

void
sim_files_stop(SimFiles *files)
{
  g_mutex_lock(&files->lock);
  files->is_stopping = true;
  g_cond_broadcast(&files->stopping);
  g_mutex_unlock(&files->lock);
}

struct stat
sim_files_stat(const SimInode *inode)
{
  return (struct stat){
      .st_mode = sim_files_mode(inode->node),
      .st_nlink = sim_node_kind(inode->node) == SIM_NODE_DIRECTORY ? 2 : 1,
      .st_size = size_of(inode->node),
      .st_blksize = SIM_FILE_SIZE,
      .st_mtim = inode->written,
      .st_ctim = inode->written,
  };
}

int
sim_files_may_open(SimFiles *files, const SimInode *inode, int flags)
{
  int error = meet_fault(files, SIM_FAULT_OPEN, inode->node).error;

  /* Behind the delay: it may have died meanwhile. */
  if (sim_node_is_dead(inode->node))
    return ESTALE;
  return error != 0 ? error : mode_error(inode->node, flags);
}

int
sim_files_read(SimFiles *files, SimFile *file)
{
  SimNode *node = file->inode->node;
  SimFaultEffect effect = meet_fault(files, SIM_FAULT_READ, node);
  g_autoptr(GString) text = NULL;
  int error = effect.error;

  if (sim_node_is_dead(node))
    return ENODEV;
  if (error != 0)
    return error;
  text = g_string_new(NULL);
  error = sim_node_read(node, text);
  if (error != 0)
    return error;
  if (effect.limit >= 0 && effect.limit < (gint64)text->len)
    g_string_truncate(text, effect.limit);
  if (file->text)
    g_string_free(file->text, TRUE);
  file->text = g_steal_pointer(&text);
  file->has_news = false;
  return 0;
}

int
sim_files_write(SimFiles *files, SimInode *inode, pid_t pid, const char *bytes, size_t *length)
{
  SimNode *node = inode->node;
  SimFaultEffect effect = meet_fault(files, SIM_FAULT_WRITE, node);
  size_t taken = effect.limit >= 0 ? MIN(*length, (size_t)effect.limit) : *length;
  g_autofree char *text = g_strndup(bytes, taken);
  int error = sim_node_is_dead(node) ? ENODEV : effect.error;

  if (error == 0 && taken > 0)
    error = sim_node_write(node, text);
  log_write(files, pid, node, error, text);
  if (error != 0)
    return error;
  *length = taken;
  clock_gettime(CLOCK_REALTIME, &inode->written);
  if (is_control(node) && sim_faults_are_any(files->faults))
    sim_inodes_foreach(files->inodes, forget_vanished, files);
  return 0;
}

void
sim_files_forget_name(SimFiles *files, SimNode *directory, const char *name)
{
  SimInode *inode = sim_inodes_find(files->inodes, directory);
  SimGone *gone;

  if (!inode)
    return;
  gone = g_new(SimGone, 1);
  gone->directory = inode;
  gone->name = g_strdup(name);
  g_ptr_array_add(files->gone, gone);
}

GPtrArray *
sim_files_take_gone(SimFiles *files)
{
  GPtrArray *gone;

  if (files->gone->len == 0)
    return NULL;
  gone = files->gone;
  files->gone = new_gone();
  return gone;
}
