/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "sim-fault.h"
#include "sim-inode.h"
#include "sim-log.h"
#include "sim-tree.h"

#include <sys/stat.h>

/* What sysfs passes on of a write, and what its files seem to hold. */
#define SIM_FILE_SIZE 4096

/* The tree's files as a process meets them: with faults, logged, and with the kernel's cache of
 * names to be kept true. What is below /simkernel meets no fault. All functions want the lock held,
 * which covers the tree too; those that say so release it for the time of a delay. */
typedef struct {
  GMutex lock;
  GCond stopping;
  bool is_stopping; /* delays end */
  SimFaults *faults;
  SimLog *log; /* or NULL */
  SimInodes *inodes;
  GPtrArray *gone; /* SimGone: of what the kernel is to be told when the lock is free */
} SimFiles;

/* A name in a directory that the kernel may still know, and that is another file's, or none's. */
typedef struct {
  SimInode *directory;
  char *name;
} SimGone;

/* Borrows @faults and @log. @free_poll: of a SimFile's poll. Without the lock. */
void sim_files_init(SimFiles *files, SimFaults *faults, SimLog *log, GDestroyNotify free_poll);
/* Without the lock. */
void sim_files_clear(SimFiles *files);
/* Ends all delays, those to come too. Takes the lock. */
void sim_files_stop(SimFiles *files);

/* By a fault. */
bool sim_files_is_vanished(const SimFiles *files, const SimNode *node);
/* Kind and permissions. */
mode_t sim_files_mode(const SimNode *node);
/* All but the inode's number. */
struct stat sim_files_stat(const SimInode *inode);
/* Whether it can be opened with open()'s @flags: 0 or an errno. Delays. */
int sim_files_may_open(SimFiles *files, const SimInode *inode, int flags);
/* Fills @file's text anew; 0 or an errno, and then it is as it was. Delays. */
int sim_files_read(SimFiles *files, SimFile *file);
/* A write of *@length bytes by the process @pid; 0 or an errno. *@length is then what was taken of
 * it. Delays. */
int sim_files_write(SimFiles *files, SimInode *inode, pid_t pid, const char *bytes, size_t *length);
/* Adds to gone, if the kernel knows the directory. */
void sim_files_forget_name(SimFiles *files, SimNode *directory, const char *name);
/* Transfer full: what there was in gone; NULL if nothing. */
GPtrArray *sim_files_take_gone(SimFiles *files);
