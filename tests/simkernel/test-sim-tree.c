/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-tree.h"

#include <errno.h>

#define FILE_PATH "/sys/devices/system/cpu/online"

/* A file that keeps what is written, and what the hooks said. */
typedef struct {
  SimTree *tree;
  char *value;
  GString *heard;
} Fixture;

static int
value_show(gpointer data, GString *text)
{
  const Fixture *fixture = data;

  g_string_append(text, fixture->value);
  return 0;
}

static int
value_store(gpointer data, const char *text)
{
  Fixture *fixture = data;

  if (g_str_equal(text, "busy"))
    return EBUSY;
  g_free(fixture->value);
  fixture->value = g_strdup(text);
  return 0;
}

static const SimFileOps both_ops = {.show = value_show, .store = value_store};
static const SimFileOps read_ops = {.show = value_show};
static const SimFileOps write_ops = {.store = value_store};

static void
on_notify(SimNode *node, gpointer data)
{
  Fixture *fixture = data;
  g_autofree char *path = sim_node_path(node);

  g_string_append_printf(fixture->heard, "notify %s;", path);
}

static void
on_uevent(const char *action,
          const char *subsystem,
          const char *devpath,
          const char *const *properties,
          gpointer data)
{
  Fixture *fixture = data;

  g_string_append_printf(fixture->heard, "uevent %s %s %s %s;", action, subsystem, devpath,
                         properties ? properties[0] : "");
}

static void
on_removed(SimNode *directory, const char *name, gpointer data)
{
  Fixture *fixture = data;
  g_autofree char *path = sim_node_path(directory);

  g_string_append_printf(fixture->heard, "removed %s of %s;", name, path);
}

static void
set_up(Fixture *fixture, gconstpointer data)
{
  const SimTreeHooks hooks = {.notify = on_notify, .uevent = on_uevent, .removed = on_removed};

  fixture->tree = sim_tree_new(&hooks, fixture);
  fixture->value = g_strdup("first\n");
  fixture->heard = g_string_new(NULL);
}

static void
tear_down(Fixture *fixture, gconstpointer data)
{
  g_clear_pointer(&fixture->tree, sim_tree_free);
  g_free(fixture->value);
  g_string_free(fixture->heard, TRUE);
}

static void
assert_reads(SimNode *node, int error, const char *expected)
{
  g_autoptr(GString) text = g_string_new(NULL);

  g_assert_cmpint(sim_node_read(node, text), ==, error);
  g_assert_cmpstr(text->str, ==, expected);
}

static void
test_parents_are_made(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_tree_add_file(fixture->tree, FILE_PATH, &both_ops, fixture);
  g_autofree char *path = sim_node_path(node);
  SimNode *directory = sim_tree_find(fixture->tree, "/sys/devices");

  g_assert_cmpstr(path, ==, FILE_PATH);
  g_assert_true(sim_tree_find(fixture->tree, FILE_PATH) == node);
  g_assert_cmpint(sim_node_kind(directory), ==, SIM_NODE_DIRECTORY);
  g_assert_true(sim_node_parent(sim_node_parent(directory)) == sim_tree_root(fixture->tree));
  g_assert_true(sim_tree_add_directory(fixture->tree, "/sys/devices") == directory);
  g_assert_null(sim_tree_find(fixture->tree, "/sys/none"));
  g_assert_null(sim_tree_find(fixture->tree, FILE_PATH "/below"));
  g_assert_cmpstr(fixture->heard->str, ==, "");
}

static void
test_a_file_is_shown_and_stored(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_tree_add_file(fixture->tree, FILE_PATH, &both_ops, fixture);

  assert_reads(node, 0, "first\n");
  g_assert_cmpint(sim_node_write(node, "second\n"), ==, 0);
  assert_reads(node, 0, "second\n");
  g_assert_cmpint(sim_node_write(node, "busy"), ==, EBUSY);
  assert_reads(node, 0, "second\n");
}

static void
test_a_file_without_a_way_is_an_io_error(Fixture *fixture, gconstpointer data)
{
  SimNode *readable = sim_tree_add_file(fixture->tree, "/r", &read_ops, fixture);
  SimNode *writable = sim_tree_add_file(fixture->tree, "/w", &write_ops, fixture);
  SimNode *directory = sim_tree_add_directory(fixture->tree, "/d");

  g_assert_true(sim_node_is_readable(readable) && !sim_node_is_writable(readable));
  g_assert_true(!sim_node_is_readable(writable) && sim_node_is_writable(writable));
  g_assert_cmpint(sim_node_write(readable, "x"), ==, EIO);
  assert_reads(writable, EIO, "");
  assert_reads(directory, EIO, "");
}

static void
test_a_text_can_be_set(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_tree_add_text(fixture->tree, "/t", "one");

  sim_tree_add_file(fixture->tree, "/f", &both_ops, fixture);
  assert_reads(node, 0, "one\n");
  g_assert_true(sim_tree_set_text(fixture->tree, "/t", "two"));
  assert_reads(node, 0, "two\n");
  g_assert_false(sim_tree_set_text(fixture->tree, "/f", "two"));
  g_assert_false(sim_tree_set_text(fixture->tree, "/none", "two"));
}

static void
test_a_link_has_its_target(Fixture *fixture, gconstpointer data)
{
  const SimNode *link = sim_tree_add_link(fixture->tree, "/sys/class/x", "../devices");

  g_assert_cmpint(sim_node_kind(link), ==, SIM_NODE_LINK);
  g_assert_cmpstr(sim_node_link_target(link), ==, "../devices");
  g_assert_null(sim_node_link_target(sim_tree_root(fixture->tree)));
}

static void
test_what_is_removed_is_dead_with_all_below(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_node_ref(sim_tree_add_file(fixture->tree, "/a/b/c", &both_ops, fixture));
  SimNode *directory = sim_node_ref(sim_tree_find(fixture->tree, "/a/b"));
  g_autoptr(GPtrArray) children = NULL;
  g_autofree char *path = NULL;

  sim_tree_remove(fixture->tree, "/a/b");
  g_assert_null(sim_tree_find(fixture->tree, "/a/b"));
  g_assert_nonnull(sim_tree_find(fixture->tree, "/a"));
  g_assert_true(sim_node_is_dead(node) && sim_node_is_dead(directory));
  assert_reads(node, ENODEV, "");
  g_assert_cmpint(sim_node_write(node, "x"), ==, ENODEV);
  path = sim_node_path(node);
  g_assert_cmpstr(path, ==, "/a/b/c");
  g_assert_null(sim_node_parent(node));
  children = sim_node_children(directory);
  g_assert_cmpuint(children->len, ==, 0);
  g_assert_cmpstr(fixture->heard->str, ==, "removed b of /a;");
  sim_node_unref(node);
  sim_node_unref(directory);
}

static void
test_removing_what_is_not_there_does_nothing(Fixture *fixture, gconstpointer data)
{
  sim_tree_remove(fixture->tree, "/none");
  sim_tree_remove(fixture->tree, "/");
  g_assert_cmpstr(fixture->heard->str, ==, "");
  g_assert_nonnull(sim_tree_root(fixture->tree));
}

static void
test_one_that_comes_back_is_another(Fixture *fixture, gconstpointer data)
{
  SimNode *old = sim_node_ref(sim_tree_add_file(fixture->tree, "/a/b", &both_ops, fixture));
  SimNode *new = sim_tree_add_text(fixture->tree, "/a/b", "new");

  g_assert_true(sim_node_is_dead(old));
  g_assert_false(sim_node_is_dead(new));
  g_assert_true(sim_tree_find(fixture->tree, "/a/b") == new);
  assert_reads(new, 0, "new\n");
  g_assert_cmpstr(fixture->heard->str, ==, "removed b of /a;");
  sim_node_unref(old);
}

static void
test_a_node_outlives_the_tree(Fixture *fixture, gconstpointer data)
{
  SimNode *node = sim_node_ref(sim_tree_add_file(fixture->tree, "/a/b", &both_ops, fixture));

  g_clear_pointer(&fixture->tree, sim_tree_free);
  assert_reads(node, ENODEV, "");
  sim_node_unref(node);
  fixture->tree = sim_tree_new(NULL, NULL);
}

static void
test_children_are_listed(Fixture *fixture, gconstpointer data)
{
  g_autoptr(GPtrArray) names = NULL;

  for (guint i = 0; i < 100; i++) {
    g_autofree char *path = g_strdup_printf("/d/%u", i);

    sim_tree_add_text(fixture->tree, path, "");
  }
  names = sim_node_children(sim_tree_find(fixture->tree, "/d"));
  g_assert_cmpuint(names->len, ==, 100);
  for (guint i = 0; i < names->len; i++)
    g_assert_nonnull(
        sim_node_child(sim_tree_find(fixture->tree, "/d"), g_ptr_array_index(names, i)));
}

static void
test_news_goes_to_the_hooks(Fixture *fixture, gconstpointer data)
{
  const char *const properties[] = {"A=b", NULL};

  sim_tree_add_text(fixture->tree, "/t", "");
  sim_tree_notify(fixture->tree, "/t");
  sim_tree_notify(fixture->tree, "/none");
  sim_tree_uevent(fixture->tree, "online", "cpu", "/devices/system/cpu/cpu1", properties);
  g_assert_cmpstr(fixture->heard->str, ==,
                  "notify /t;uevent online cpu /devices/system/cpu/cpu1 A=b;");
}

static void
test_without_hooks_nobody_is_told(void)
{
  SimTree *tree = sim_tree_new(NULL, NULL);

  sim_tree_add_text(tree, "/t", "");
  sim_tree_notify(tree, "/t");
  sim_tree_uevent(tree, "online", "cpu", "/x", NULL);
  sim_tree_remove(tree, "/t");
  g_assert_null(sim_tree_find(tree, "/t"));
  sim_tree_free(tree);
}

int
main(int argc, char **argv)
{
  static const struct {
    const char *name;
    void (*test)(Fixture *fixture, gconstpointer data);
  } tests[] = {
      {"parents-are-made", test_parents_are_made},
      {"a-file-is-shown-and-stored", test_a_file_is_shown_and_stored},
      {"a-file-without-a-way-is-an-io-error", test_a_file_without_a_way_is_an_io_error},
      {"a-text-can-be-set", test_a_text_can_be_set},
      {"a-link-has-its-target", test_a_link_has_its_target},
      {"what-is-removed-is-dead-with-all-below", test_what_is_removed_is_dead_with_all_below},
      {"removing-what-is-not-there-does-nothing", test_removing_what_is_not_there_does_nothing},
      {"one-that-comes-back-is-another", test_one_that_comes_back_is_another},
      {"a-node-outlives-the-tree", test_a_node_outlives_the_tree},
      {"children-are-listed", test_children_are_listed},
      {"news-goes-to-the-hooks", test_news_goes_to_the_hooks},
  };

  g_test_init(&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS(tests); i++) {
    g_autofree char *path = g_strconcat("/sim-tree/", tests[i].name, NULL);

    g_test_add(path, Fixture, NULL, set_up, tests[i].test, tear_down);
  }
  g_test_add_func("/sim-tree/without-hooks-nobody-is-told", test_without_hooks_nobody_is_told);
  return g_test_run();
}
