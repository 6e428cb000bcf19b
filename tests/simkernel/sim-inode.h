/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-tree.h"

#include <time.h>

/* What the kernel knows of the tree's nodes: an inode for each that it has looked up, and what is
 * open of them. Under the caller's lock. */
typedef struct SimInodes SimInodes;
typedef struct SimInode SimInode;

struct SimInode {
  SimNode *node; /* the inode's reference */
  guint64 n_lookups;
  GPtrArray *files;        /* SimFile, borrowed: those open */
  struct timespec written; /* when a user's write last succeeded */
};

/* An open file. */
typedef struct {
  SimInode *inode;
  GString *text;    /* of the last read from the start; NULL before */
  GPtrArray *names; /* of a directory */
  bool has_news;    /* since the last read */
  gpointer poll;    /* who waits for news: a struct fuse_pollhandle, or NULL */
} SimFile;

/* @free_poll: frees a SimFile's poll. */
SimInodes *sim_inodes_new(GDestroyNotify free_poll);
/* What is open is closed. */
void sim_inodes_free(SimInodes *inodes);

/* Borrowed; NULL where the kernel has not looked it up. */
SimInode *sim_inodes_find(const SimInodes *inodes, const SimNode *node);
/* One lookup more; the inode is made where there is none. Borrowed. */
SimInode *sim_inodes_look_up(SimInodes *inodes, SimNode *node);
/* So many lookups less. */
void sim_inodes_forget(SimInodes *inodes, SimInode *inode, guint64 n_lookups);
/* Borrowed until it is closed. */
SimFile *sim_inodes_open(SimInodes *inodes, SimInode *inode);
void sim_inodes_close(SimInodes *inodes, SimFile *file);
/* Of all that the kernel knows; the order is none. */
void sim_inodes_foreach(SimInodes *inodes,
                        void (*call)(SimInode *inode, gpointer data),
                        gpointer data);
