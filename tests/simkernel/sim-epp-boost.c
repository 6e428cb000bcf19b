/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-epp-boost.h"

#include "sim-parse.h"

#define MODULE_DIR "/sys/module/amd_pstate"

struct SimEppBoost {
  SimTree *tree;
  bool is_there;
  bool is_on;
};

static int
show(gpointer data, GString *text)
{
  const SimEppBoost *boost = data;

  g_string_append(text, boost->is_on ? "Y\n" : "N\n");
  return 0;
}

static int
store(gpointer data, const char *text)
{
  SimEppBoost *boost = data;

  return sim_parse_bool(text, &boost->is_on);
}

static const SimFileOps ops = {show, store};

SimEppBoost *
sim_epp_boost_new(SimTree *tree)
{
  SimEppBoost *boost = g_new0(SimEppBoost, 1);

  boost->tree = tree;
  return boost;
}

void
sim_epp_boost_free(SimEppBoost *boost)
{
  g_free(boost);
}

bool
sim_epp_boost_add(SimEppBoost *boost)
{
  if (boost->is_there)
    return false;
  boost->is_there = true;
  boost->is_on = false;
  sim_tree_add_file(boost->tree, MODULE_DIR "/parameters/epp_boost", &ops, boost);
  return true;
}

bool
sim_epp_boost_remove(SimEppBoost *boost)
{
  if (!boost->is_there)
    return false;
  boost->is_there = false;
  sim_tree_remove(boost->tree, MODULE_DIR);
  return true;
}
