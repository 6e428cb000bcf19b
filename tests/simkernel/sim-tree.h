/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <glib.h>
#include <stdbool.h>

/* The files that the simulated kernel shows: directories, links, and attributes that are computed
 * when they are read and acted upon when they are written, as sysfs has them. It knows neither FUSE
 * nor faults. All of it under one lock, which is the caller's.
 *
 * Paths are absolute ("/sys/devices/system/cpu/online"), without a slash at the end. Parents are
 * made as needed. */
typedef struct SimTree SimTree;

/* A file, directory or link. It dies when it is removed from the tree; whoever has it open keeps a
 * reference, and gets ENODEV for what it reads or writes then, as of a kernel whose driver went. */
typedef struct SimNode SimNode;

typedef struct {
  /* Appends what a read gives, its newline too, to @text. Returns 0 or an errno. NULL: the file is
   * write-only. */
  int (*show)(gpointer data, GString *text);
  /* Acts on a write of @text (nul-terminated, its newline if there was one not cut off). Returns 0
   * or an errno. NULL: the file is read-only. */
  int (*store)(gpointer data, const char *text);
} SimFileOps;

/* What the kernel does unasked. */
typedef struct {
  /* sysfs_notify(): POLLPRI for who polls the file, and IN_MODIFY. */
  void (*notify)(SimNode *node, gpointer data);
  /* A uevent: e.g. "offline", "cpu", "/devices/system/cpu/cpu3", and NULL or more properties
   * ("KEY=value", NULL-terminated). */
  void (*uevent)(const char *action,
                 const char *subsystem,
                 const char *devpath,
                 const char *const *properties,
                 gpointer data);
  /* @name is no longer in @directory (once for a directory with all that was below it), or is
   * another node from now on. Called when that is done. */
  void (*removed)(SimNode *directory, const char *name, gpointer data);
} SimTreeHooks;

/* Any hook may be NULL; @hooks is copied. */
SimTree *sim_tree_new(const SimTreeHooks *hooks, gpointer data);
void sim_tree_free(SimTree *tree);

/* The nodes returned are borrowed. Where there is a file or link already, it dies and the new one
 * takes its place; a directory that is there already is returned. @ops must outlive the tree; @data
 * too. */
SimNode *sim_tree_add_file(SimTree *tree, const char *path, const SimFileOps *ops, gpointer data);
/* A read-only file with one line; sim_tree_set_text() changes it (the kernel's own doing: no
 * inotify). */
SimNode *sim_tree_add_text(SimTree *tree, const char *path, const char *line);
/* False where there is no such text file. */
bool sim_tree_set_text(SimTree *tree, const char *path, const char *line);
SimNode *sim_tree_add_directory(SimTree *tree, const char *path);
SimNode *sim_tree_add_link(SimTree *tree, const char *path, const char *target);
/* With all that is below it; nothing where there is no such path. */
void sim_tree_remove(SimTree *tree, const char *path);

/* Borrowed; NULL where there is none. Links are not followed. */
SimNode *sim_tree_find(const SimTree *tree, const char *path);
SimNode *sim_tree_root(const SimTree *tree);

/* By the models: nothing where there is no such path. */
void sim_tree_notify(SimTree *tree, const char *path);
void sim_tree_uevent(SimTree *tree,
                     const char *action,
                     const char *subsystem,
                     const char *devpath,
                     const char *const *properties);

typedef enum { SIM_NODE_DIRECTORY, SIM_NODE_FILE, SIM_NODE_LINK } SimNodeKind;

SimNode *sim_node_ref(SimNode *node);
void sim_node_unref(SimNode *node);
SimNodeKind sim_node_kind(const SimNode *node);
bool sim_node_is_dead(const SimNode *node);
bool sim_node_is_readable(const SimNode *node);
bool sim_node_is_writable(const SimNode *node);
/* Transfer full: the path; of a dead one, that which it had. */
char *sim_node_path(const SimNode *node);
const char *sim_node_name(const SimNode *node);
const char *sim_node_link_target(const SimNode *node);
SimNode *sim_node_parent(const SimNode *node);
SimNode *sim_node_child(const SimNode *directory, const char *name);
/* Transfer container: the children's names, in no order. */
GPtrArray *sim_node_children(const SimNode *directory);

/* As read() and write() of the whole text: 0 or an errno (ENODEV: dead; EIO: no such way). */
int sim_node_read(SimNode *node, GString *text);
int sim_node_write(SimNode *node, const char *text);
