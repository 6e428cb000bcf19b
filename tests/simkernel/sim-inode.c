/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-inode.h"

struct SimInodes {
  GHashTable *by_node; /* SimNode → SimInode */
  GDestroyNotify free_poll;
};

static void
file_free(SimInodes *inodes, SimFile *file)
{
  if (file->poll)
    inodes->free_poll(file->poll);
  if (file->text)
    g_string_free(file->text, TRUE);
  g_clear_pointer(&file->names, g_ptr_array_unref);
  g_free(file);
}

static void
inode_free(SimInode *inode)
{
  g_ptr_array_unref(inode->files);
  sim_node_unref(inode->node);
  g_free(inode);
}

SimInodes *
sim_inodes_new(GDestroyNotify free_poll)
{
  SimInodes *inodes = g_new0(SimInodes, 1);

  inodes->by_node = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)inode_free);
  inodes->free_poll = free_poll;
  return inodes;
}

void
sim_inodes_free(SimInodes *inodes)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init(&iter, inodes->by_node);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    SimInode *inode = value;

    for (guint i = 0; i < inode->files->len; i++)
      file_free(inodes, g_ptr_array_index(inode->files, i));
  }
  g_hash_table_unref(inodes->by_node);
  g_free(inodes);
}

SimInode *
sim_inodes_find(const SimInodes *inodes, const SimNode *node)
{
  return g_hash_table_lookup(inodes->by_node, node);
}

SimInode *
sim_inodes_look_up(SimInodes *inodes, SimNode *node)
{
  SimInode *inode = sim_inodes_find(inodes, node);

  if (!inode) {
    inode = g_new0(SimInode, 1);
    inode->node = sim_node_ref(node);
    inode->files = g_ptr_array_new();
    g_hash_table_insert(inodes->by_node, node, inode);
  }
  inode->n_lookups++;
  return inode;
}

void
sim_inodes_forget(SimInodes *inodes, SimInode *inode, guint64 n_lookups)
{
  inode->n_lookups -= MIN(n_lookups, inode->n_lookups);
  /* One that may be looked up again keeps the time of its last write. */
  if (inode->n_lookups == 0 && inode->files->len == 0 && sim_node_is_dead(inode->node))
    g_hash_table_remove(inodes->by_node, inode->node);
}

SimFile *
sim_inodes_open(SimInodes *inodes, SimInode *inode)
{
  SimFile *file = g_new0(SimFile, 1);

  file->inode = inode;
  file->has_news = true;
  g_ptr_array_add(inode->files, file);
  return file;
}

void
sim_inodes_close(SimInodes *inodes, SimFile *file)
{
  SimInode *inode = file->inode;

  g_ptr_array_remove_fast(inode->files, file);
  file_free(inodes, file);
  sim_inodes_forget(inodes, inode, 0);
}

void
sim_inodes_foreach(SimInodes *inodes, void (*call)(SimInode *inode, gpointer data), gpointer data)
{
  GHashTableIter iter;
  gpointer inode;

  g_hash_table_iter_init(&iter, inodes->by_node);
  while (g_hash_table_iter_next(&iter, NULL, &inode))
    call(inode, data);
}
