/* SPDX-License-Identifier: GPL-2.0-or-later */
#define FUSE_USE_VERSION 312

#include "sim-fuse.h"

#include "sim-files.h"
#include "sim-inode.h"
#include "sim-poke.h"

#include <errno.h>
#include <fcntl.h>
#include <fuse_lowlevel.h>
#include <gio/gio.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

/* What is removed is told to the kernel, and it may ask for a dead node at any time: it need not
 * look a name up again and again. */
#define CACHE_SECONDS 3600.0
/* A request that takes its time (delay-ms) has a thread until it ends. */
#define MAX_THREADS      4096
#define MAX_IDLE_THREADS 16

#define ALWAYS_POLL (POLLIN | POLLRDNORM | POLLOUT | POLLWRNORM)

struct SimFuse {
  SimFiles files;
  SimInode *root;
  SimPoker *poker;
  char *mountpoint;
  struct fuse_session *session;
};

static SimInode *
inode_of(const SimFuse *fuse, fuse_ino_t ino)
{
  return ino == FUSE_ROOT_ID ? fuse->root : (SimInode *)ino;
}

static fuse_ino_t
ino_of(const SimFuse *fuse, const SimInode *inode)
{
  return inode == fuse->root ? FUSE_ROOT_ID : (fuse_ino_t)inode;
}

static SimFuse *
lock(fuse_req_t req)
{
  SimFuse *fuse = fuse_req_userdata(req);

  g_mutex_lock(&fuse->files.lock);
  return fuse;
}

/* The kernel is told without the lock: it takes one of its own, of the directory, which somebody
 * may hold who waits for ours. An inode that it has forgotten meanwhile is no more than a number to
 * it. */
static void
unlock(SimFuse *fuse)
{
  g_autoptr(GPtrArray) gone = sim_files_take_gone(&fuse->files);

  g_mutex_unlock(&fuse->files.lock);
  for (guint i = 0; gone && i < gone->len; i++) {
    const SimGone *entry = g_ptr_array_index(gone, i);

    fuse_lowlevel_notify_inval_entry(fuse->session, ino_of(fuse, entry->directory), entry->name,
                                     strlen(entry->name));
  }
}

static SimFile *
file_of(const struct fuse_file_info *info)
{
  return (SimFile *)(uintptr_t)info->fh;
}

static struct stat
stat_of(const SimFuse *fuse, const SimInode *inode)
{
  struct stat attr = sim_files_stat(inode);

  attr.st_ino = ino_of(fuse, inode);
  return attr;
}

/* How long the kernel need not ask: a file's time changes with each write. */
static double
attr_seconds(const SimNode *node)
{
  return sim_node_kind(node) == SIM_NODE_FILE ? 0 : CACHE_SECONDS;
}

static void
op_init(void *userdata, struct fuse_conn_info *conn)
{
  /* O_TRUNC is then a flag of open(), which says nothing here. */
  conn->want |= conn->capable & FUSE_CAP_ATOMIC_O_TRUNC;
}

static void
op_lookup(fuse_req_t req, fuse_ino_t parent, const char *name)
{
  SimFuse *fuse = lock(req);
  SimNode *directory = inode_of(fuse, parent)->node;
  SimNode *node = sim_node_child(directory, name);

  if (sim_node_is_dead(directory)) {
    fuse_reply_err(req, ESTALE);
  } else if (!node || sim_files_is_vanished(&fuse->files, node)) {
    fuse_reply_err(req, ENOENT);
  } else {
    SimInode *inode = sim_inodes_look_up(fuse->files.inodes, node);
    struct fuse_entry_param entry = {
        .ino = ino_of(fuse, inode),
        .attr = stat_of(fuse, inode),
        .attr_timeout = attr_seconds(node),
        .entry_timeout = CACHE_SECONDS,
    };

    if (fuse_reply_entry(req, &entry) != 0)
      sim_inodes_forget(fuse->files.inodes, inode, 1);
  }
  unlock(fuse);
}

static void
forget(SimFuse *fuse, fuse_ino_t ino, guint64 n_lookups)
{
  if (ino != FUSE_ROOT_ID)
    sim_inodes_forget(fuse->files.inodes, inode_of(fuse, ino), n_lookups);
}

static void
op_forget(fuse_req_t req, fuse_ino_t ino, uint64_t n_lookups)
{
  SimFuse *fuse = lock(req);

  forget(fuse, ino, n_lookups);
  fuse_reply_none(req);
  unlock(fuse);
}

static void
op_forget_multi(fuse_req_t req, size_t count, struct fuse_forget_data *forgets)
{
  SimFuse *fuse = lock(req);

  for (size_t i = 0; i < count; i++)
    forget(fuse, forgets[i].ino, forgets[i].nlookup);
  fuse_reply_none(req);
  unlock(fuse);
}

static void
reply_attr(fuse_req_t req, fuse_ino_t ino)
{
  SimFuse *fuse = lock(req);
  SimInode *inode = inode_of(fuse, ino);
  struct stat attr = stat_of(fuse, inode);

  if (sim_node_is_dead(inode->node))
    fuse_reply_err(req, ESTALE);
  else if (sim_files_is_vanished(&fuse->files, inode->node))
    fuse_reply_err(req, ENOENT);
  else
    fuse_reply_attr(req, &attr, attr_seconds(inode->node));
  unlock(fuse);
}

static void
op_getattr(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
  reply_attr(req, ino);
}

/* A truncate, a touch: without effect, as in sysfs. */
static void
op_setattr(
    fuse_req_t req, fuse_ino_t ino, struct stat *attr, int to_set, struct fuse_file_info *info)
{
  if (to_set & (FUSE_SET_ATTR_MODE | FUSE_SET_ATTR_UID | FUSE_SET_ATTR_GID))
    fuse_reply_err(req, EPERM);
  else
    reply_attr(req, ino);
}

static void
op_readlink(fuse_req_t req, fuse_ino_t ino)
{
  SimFuse *fuse = lock(req);
  const SimNode *node = inode_of(fuse, ino)->node;

  if (sim_node_is_dead(node))
    fuse_reply_err(req, ESTALE);
  else
    fuse_reply_readlink(req, sim_node_link_target(node));
  unlock(fuse);
}

/* The poker's requests come from one thread, and have no effect. */
static bool
is_poker(const SimFuse *fuse, fuse_req_t req)
{
  return fuse_req_ctx(req)->pid == sim_poker_pid(fuse->poker);
}

static void
reply_open(SimFuse *fuse, fuse_req_t req, SimInode *inode, struct fuse_file_info *info)
{
  SimFile *file = sim_inodes_open(fuse->files.inodes, inode);

  if (sim_node_kind(inode->node) == SIM_NODE_DIRECTORY)
    file->names = sim_node_children(inode->node);
  else
    info->direct_io = info->noflush = 1;
  info->fh = (uintptr_t)file;
  if (fuse_reply_open(req, info) != 0)
    sim_inodes_close(fuse->files.inodes, file);
}

static void
op_open(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
  SimFuse *fuse = lock(req);
  SimInode *inode = inode_of(fuse, ino);
  int error = is_poker(fuse, req) ? 0 : sim_files_may_open(&fuse->files, inode, info->flags);

  if (error != 0)
    fuse_reply_err(req, error);
  else
    reply_open(fuse, req, inode, info);
  unlock(fuse);
}

static void
op_release(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
  SimFuse *fuse = lock(req);

  sim_inodes_close(fuse->files.inodes, file_of(info));
  fuse_reply_err(req, 0);
  unlock(fuse);
}

static void
op_read(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
  SimFuse *fuse = lock(req);
  SimFile *file = file_of(info);
  int error = sim_node_is_dead(file->inode->node) ? ENODEV : 0;

  if (error == 0 && (offset == 0 || !file->text))
    error = sim_files_read(&fuse->files, file);
  if (error != 0) {
    fuse_reply_err(req, error);
  } else {
    size_t start = MIN((size_t)offset, file->text->len);

    fuse_reply_buf(req, file->text->str + start, MIN(size, file->text->len - start));
  }
  unlock(fuse);
}

/* The process of a thread; the thread where it is gone already. */
static pid_t
process_of(pid_t thread)
{
  g_autofree char *path = NULL;
  g_autofree char *status = NULL;
  const char *line;

  /* Most are a process's first thread, and this tells at less cost. */
  if (tgkill(thread, thread, 0) == 0)
    return thread;
  path = g_strdup_printf("/proc/%d/status", (int)thread);
  if (!g_file_get_contents(path, &status, NULL, NULL))
    return thread;
  line = strstr(status, "\nTgid:");
  return line ? (pid_t)g_ascii_strtoll(line + strlen("\nTgid:"), NULL, 10) : thread;
}

static void
op_write(fuse_req_t req,
         fuse_ino_t ino,
         const char *buffer,
         size_t size,
         off_t offset,
         struct fuse_file_info *info)
{
  SimFuse *fuse = fuse_req_userdata(req);
  size_t length = MIN(size, SIM_FILE_SIZE);
  pid_t pid;
  int error;

  if (is_poker(fuse, req)) {
    fuse_reply_write(req, size);
    return;
  }
  pid = process_of(fuse_req_ctx(req)->pid);
  lock(req);
  error = sim_files_write(&fuse->files, inode_of(fuse, ino), pid, buffer, &length);
  unlock(fuse);
  if (error != 0)
    fuse_reply_err(req, error);
  else
    fuse_reply_write(req, length);
}

static void
op_opendir(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info)
{
  SimFuse *fuse = lock(req);
  SimInode *inode = inode_of(fuse, ino);

  if (sim_node_is_dead(inode->node))
    fuse_reply_err(req, ESTALE);
  else if (sim_files_is_vanished(&fuse->files, inode->node))
    fuse_reply_err(req, ENOENT);
  else
    reply_open(fuse, req, inode, info);
  unlock(fuse);
}

/* Entry @i of the directory as it was when it was opened: "." and ".." first. False for one that is
 * gone. */
static bool
describe_entry(
    const SimFuse *fuse, const SimFile *file, guint i, const char **name, struct stat *attr)
{
  const SimNode *node = file->inode->node;

  *name = i == 0 ? "." : i == 1 ? ".." : g_ptr_array_index(file->names, i - 2);
  if (i >= 2)
    node = sim_node_child(node, *name);
  if (!node || (i >= 2 && sim_files_is_vanished(&fuse->files, node)))
    return false;
  /* No more than the kind of it is taken. */
  *attr = (struct stat){.st_ino = 1, .st_mode = sim_files_mode(node)};
  return true;
}

static void
op_readdir(fuse_req_t req, fuse_ino_t ino, size_t size, off_t offset, struct fuse_file_info *info)
{
  SimFuse *fuse = lock(req);
  const SimFile *file = file_of(info);
  g_autofree char *buffer = g_malloc(size);
  size_t used = 0;

  for (guint i = offset; i < file->names->len + 2; i++) {
    const char *name;
    struct stat attr;
    size_t length;

    if (!describe_entry(fuse, file, i, &name, &attr))
      continue;
    length = fuse_add_direntry(req, buffer + used, size - used, name, &attr, i + 1);
    if (length > size - used)
      break;
    used += length;
  }
  fuse_reply_buf(req, buffer, used);
  unlock(fuse);
}

static void
op_poll(fuse_req_t req, fuse_ino_t ino, struct fuse_file_info *info, struct fuse_pollhandle *handle)
{
  SimFuse *fuse = lock(req);
  SimFile *file = file_of(info);

  if (handle) {
    if (file->poll)
      fuse_pollhandle_destroy(file->poll);
    file->poll = handle;
  }
  fuse_reply_poll(
      req, ALWAYS_POLL |
               (file->has_news || sim_node_is_dead(file->inode->node) ? POLLPRI | POLLERR : 0));
  unlock(fuse);
}

static void
op_mknod(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode, dev_t device)
{
  fuse_reply_err(req, EPERM);
}

static void
op_mkdir(fuse_req_t req, fuse_ino_t parent, const char *name, mode_t mode)
{
  fuse_reply_err(req, EPERM);
}

static void
op_remove(fuse_req_t req, fuse_ino_t parent, const char *name)
{
  fuse_reply_err(req, EPERM);
}

static void
op_symlink(fuse_req_t req, const char *target, fuse_ino_t parent, const char *name)
{
  fuse_reply_err(req, EPERM);
}

static void
op_rename(fuse_req_t req,
          fuse_ino_t parent,
          const char *name,
          fuse_ino_t new_parent,
          const char *new_name,
          unsigned int flags)
{
  fuse_reply_err(req, EPERM);
}

static void
op_link(fuse_req_t req, fuse_ino_t ino, fuse_ino_t parent, const char *name)
{
  fuse_reply_err(req, EPERM);
}

static const struct fuse_lowlevel_ops operations = {
    .init = op_init,
    .lookup = op_lookup,
    .forget = op_forget,
    .forget_multi = op_forget_multi,
    .getattr = op_getattr,
    .setattr = op_setattr,
    .readlink = op_readlink,
    .open = op_open,
    .release = op_release,
    .read = op_read,
    .write = op_write,
    .opendir = op_opendir,
    .readdir = op_readdir,
    .releasedir = op_release,
    .poll = op_poll,
    .mknod = op_mknod,
    .mkdir = op_mkdir,
    .unlink = op_remove,
    .rmdir = op_remove,
    .symlink = op_symlink,
    .rename = op_rename,
    .link = op_link,
};

SimFuse *
sim_fuse_new(SimFaults *faults, SimLog *log, const char *mountpoint, GError **error)
{
  SimPoker *poker = sim_poker_new(mountpoint, error);
  SimFuse *fuse;

  if (!poker)
    return NULL;
  fuse = g_new0(SimFuse, 1);
  sim_files_init(&fuse->files, faults, log, (GDestroyNotify)fuse_pollhandle_destroy);
  fuse->poker = poker;
  fuse->mountpoint = g_strdup(mountpoint);
  return fuse;
}

void
sim_fuse_free(SimFuse *fuse)
{
  sim_poker_free(fuse->poker);
  sim_files_clear(&fuse->files);
  g_free(fuse->mountpoint);
  g_free(fuse);
}

static void
stop(SimFuse *fuse)
{
  sim_files_stop(&fuse->files);
  /* Forced: who waits for an answer gets an error, also through a bind mount elsewhere. */
  umount2(fuse->mountpoint, MNT_FORCE);
  umount2(fuse->mountpoint, MNT_DETACH);
}

/* Takes the signals that end it. */
static gpointer
watch_signals(gpointer data)
{
  sigset_t signals;
  int number;

  sigemptyset(&signals);
  sigaddset(&signals, SIGTERM);
  sigaddset(&signals, SIGINT);
  sigwait(&signals, &number);
  stop(data);
  return NULL;
}

static void
serve(SimFuse *fuse)
{
  struct fuse_loop_config *config = fuse_loop_cfg_create();

  fuse_loop_cfg_set_max_threads(config, MAX_THREADS);
  fuse_loop_cfg_set_idle_threads(config, MAX_IDLE_THREADS);
  fuse_session_loop_mt(fuse->session, config);
  fuse_loop_cfg_destroy(config);
}

bool
sim_fuse_run(SimFuse *fuse, SimTree *tree, void (*mounted)(void), GError **error)
{
  char name[] = "eppd-simkernel";
  char flag[] = "-o";
  char options[] = "allow_other,default_permissions,fsname=eppd-simkernel";
  char *argv[] = {name, flag, options};
  struct fuse_args args = FUSE_ARGS_INIT(G_N_ELEMENTS(argv), argv);
  GThread *signals;

  fuse->root = sim_inodes_look_up(fuse->files.inodes, sim_tree_root(tree));
  fuse->session = fuse_session_new(&args, &operations, sizeof operations, fuse);
  fuse_opt_free_args(&args);
  if (!fuse->session || fuse_session_mount(fuse->session, fuse->mountpoint) != 0) {
    g_set_error(error, G_IO_ERROR, G_IO_ERROR_FAILED, "can't mount on %s", fuse->mountpoint);
    g_clear_pointer(&fuse->session, fuse_session_destroy);
    return false;
  }
  signals = g_thread_new("signals", watch_signals, fuse);
  mounted();
  serve(fuse);
  /* It may have ended by an unmount. */
  kill(getpid(), SIGTERM);
  g_thread_join(signals);
  fuse_session_unmount(fuse->session);
  g_clear_pointer(&fuse->session, fuse_session_destroy);
  return true;
}

void
sim_fuse_notify(SimFuse *fuse, SimNode *node)
{
  const SimInode *inode = sim_inodes_find(fuse->files.inodes, node);
  g_autofree char *path = NULL;

  if (!inode)
    return;
  for (guint i = 0; i < inode->files->len; i++) {
    SimFile *file = g_ptr_array_index(inode->files, i);

    file->has_news = true;
    if (file->poll) {
      fuse_lowlevel_notify_poll(file->poll);
      fuse_pollhandle_destroy(file->poll);
      file->poll = NULL;
    }
  }
  path = sim_node_path(node);
  sim_poker_poke(fuse->poker, path);
}

void
sim_fuse_removed(SimFuse *fuse, SimNode *directory, const char *name)
{
  if (!sim_node_is_dead(directory))
    sim_files_forget_name(&fuse->files, directory, name);
}
