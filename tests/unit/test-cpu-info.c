/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hardware/cpu-info.h"
#include "scratch.h"

typedef struct {
  const char *name;
  const char *cpuinfo; /* NULL: no such file */
  const char *key;
  const char *value;
} Case;

static const Case cases[] = {
    {"value", "processor\t: 0\nvendor_id\t: AuthenticAMD\n", "vendor_id", "AuthenticAMD"},
    {"value-of-several-words", "flags\t\t: fpu  cppc \n", "flags", "fpu  cppc"},
    {"value-with-a-colon", "address\t: a: b\n", "address", "a: b"},
    {"first-of-several", "flags: one\n\nflags: two\n", "flags", "one"},
    {"key-without-white-space", "flags:x", "flags", "x"},
    {"key-with-a-space", "model name\t: X\n", "model name", "X"},
    {"empty-value", "flags\t:\nflags\t: x\n", "flags", ""},
    {"part-of-a-key-is-none", "vmx flags\t: ept\nflag: 1\nflagss: 2\n", "flags", NULL},
    {"key-in-a-value-is-none", "bugs\t: flags : x\n", "flags", NULL},
    {"line-without-a-colon", "flags\nflags\n", "flags", NULL},
    {"other-keys-alone", "processor\t: 0\n", "flags", NULL},
    {"empty-file", "", "flags", NULL},
    {"blank-file", "\n \n", "flags", NULL},
    {"colons-alone", ":\n::\n:::", "flags", NULL},
    {"no-utf8", "bugs\t: \xff\xfe\nflags\t: \xff cppc\n", "flags", "\xff cppc"},
    {"no-file", NULL, "flags", NULL},
};

static void
test_value(gconstpointer data)
{
  const Case *c = data;
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autofree char *value = NULL;

  if (c->cpuinfo)
    scratch_write(dir, "proc/cpuinfo", c->cpuinfo);
  value = eppd_cpu_info_value(root, c->key);
  g_assert_cmpstr(value, ==, c->value);
}

static void
test_binary(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);

  scratch_write_bytes(dir, "proc/cpuinfo", "flags: x\n\0", 10);
  g_assert_null(eppd_cpu_info_value(root, "flags"));
}

/* The file of a machine with hundreds of CPUs is longer than what is read. */
static void
test_long_file(void)
{
  g_autoptr(Scratch) dir = scratch_new();
  g_autoptr(EppdSysRoot) root = eppd_sys_root_new(dir);
  g_autoptr(GString) text = g_string_new(NULL);
  g_autofree char *value = NULL;

  for (guint cpu = 0; text->len < 2 * 1024 * 1024; cpu++)
    g_string_append_printf(text, "processor\t: %u\nflags\t\t: fpu cppc\n\n", cpu);
  scratch_write(dir, "proc/cpuinfo", text->str);
  value = eppd_cpu_info_value(root, "flags");
  g_assert_cmpstr(value, ==, "fpu cppc");
}

int
main(int argc, char **argv)
{
  g_test_init(&argc, &argv, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
    g_autofree char *path = g_strconcat("/cpu-info/", cases[i].name, NULL);

    g_test_add_data_func(path, &cases[i], test_value);
  }
  g_test_add_func("/cpu-info/binary", test_binary);
  g_test_add_func("/cpu-info/long-file", test_long_file);
  return g_test_run();
}
