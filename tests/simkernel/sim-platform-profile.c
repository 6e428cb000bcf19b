/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sim-platform-profile.h"

#include "sim-device.h"
#include "sim-parse.h"

#include <errno.h>

#define LEGACY  "/sys/firmware/acpi/platform_profile"
#define CHOICES LEGACY "_choices"

static const char *const names[] = {
    [SIM_PLATFORM_LOW_POWER] = "low-power",
    [SIM_PLATFORM_COOL] = "cool",
    [SIM_PLATFORM_QUIET] = "quiet",
    [SIM_PLATFORM_BALANCED] = "balanced",
    [SIM_PLATFORM_BALANCED_PERFORMANCE] = "balanced-performance",
    [SIM_PLATFORM_PERFORMANCE] = "performance",
    [SIM_PLATFORM_MAX_POWER] = "max-power",
    [SIM_PLATFORM_CUSTOM] = "custom",
};

struct SimPlatform {
  SimTree *tree;
  GPtrArray *handlers; /* by number, NULL where one went */
  guint first_free;    /* no lower number is */
  guint n_handlers;
  GPtrArray *firmware; /* those of the firmware, borrowed */
};

struct SimPlatformHandler {
  SimPlatform *platform;
  guint number;
  char *name;
  guint choices;
  SimPlatformProfile profile;
  SimDevice *device; /* NULL: none */
  int (*set)(SimPlatformProfile profile, gpointer data);
  gpointer data;
};

static int
append_choices(guint choices, GString *text)
{
  const char *separator = "";

  /* No handler, or none that all of them have. */
  if (choices == 0)
    return EINVAL;
  for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
    if (choices & SIM_PLATFORM_BIT(i)) {
      g_string_append_printf(text, "%s%s", separator, names[i]);
      separator = " ";
    }
  }
  g_string_append_c(text, '\n');
  return 0;
}

static int
append_profile(SimPlatformProfile profile, GString *text)
{
  g_string_append_printf(text, "%s\n", names[profile]);
  return 0;
}

static guint
common_choices(const SimPlatform *platform)
{
  guint choices = platform->n_handlers > 0 ? G_MAXUINT : 0;

  for (guint i = 0; i < platform->handlers->len; i++) {
    const SimPlatformHandler *handler = platform->handlers->pdata[i];

    if (handler)
      choices &= handler->choices;
  }
  return choices;
}

static int
set_profile(SimPlatformHandler *handler, SimPlatformProfile profile)
{
  int error = 0;

  if (!(handler->choices & SIM_PLATFORM_BIT(profile)))
    return EOPNOTSUPP;
  if (handler->set)
    error = handler->set(profile, handler->data);
  if (error == 0)
    handler->profile = profile;
  return error;
}

static void
tell_device(const SimPlatformHandler *handler)
{
  g_autofree char *path = NULL;

  if (!handler->device)
    return;
  path = sim_device_file(handler->device, "profile");
  sim_tree_notify(handler->platform->tree, path);
  sim_device_uevent(handler->device, "change");
}

static int
show_legacy_choices(gpointer data, GString *text)
{
  return append_choices(common_choices(data), text);
}

static int
show_legacy(gpointer data, GString *text)
{
  const SimPlatform *platform = data;
  const SimPlatformHandler *first = NULL;

  for (guint i = 0; i < platform->handlers->len; i++) {
    const SimPlatformHandler *handler = platform->handlers->pdata[i];

    if (!first)
      first = handler;
    else if (handler && handler->profile != first->profile)
      return append_profile(SIM_PLATFORM_CUSTOM, text);
  }
  return first ? append_profile(first->profile, text) : EINVAL;
}

/* One handler after the other: who fails leaves those before it changed. */
static int
store_legacy(gpointer data, const char *text)
{
  SimPlatform *platform = data;
  int profile = sim_match(names, G_N_ELEMENTS(names), text);

  if (profile < 0 || profile == SIM_PLATFORM_CUSTOM)
    return EINVAL;
  if (!(common_choices(platform) & SIM_PLATFORM_BIT(profile)))
    return EOPNOTSUPP;
  for (guint i = 0; i < platform->handlers->len; i++) {
    SimPlatformHandler *handler = platform->handlers->pdata[i];
    int error = handler ? set_profile(handler, (SimPlatformProfile)profile) : 0;

    if (error)
      return error;
    if (handler)
      tell_device(handler);
  }
  sim_tree_notify(platform->tree, LEGACY);
  return 0;
}

static const SimFileOps legacy_choices_ops = {show_legacy_choices, NULL};
static const SimFileOps legacy_ops = {show_legacy, store_legacy};

static int
show_name(gpointer data, GString *text)
{
  const SimPlatformHandler *handler = data;

  g_string_append_printf(text, "%s\n", handler->name);
  return 0;
}

static int
show_choices(gpointer data, GString *text)
{
  const SimPlatformHandler *handler = data;

  return append_choices(handler->choices, text);
}

static int
show_profile(gpointer data, GString *text)
{
  const SimPlatformHandler *handler = data;

  return append_profile(handler->profile, text);
}

/* It tells only those who wait for the legacy file: no uevent, and nothing of its own file. */
static int
store_profile(gpointer data, const char *text)
{
  SimPlatformHandler *handler = data;
  int profile = sim_match(names, G_N_ELEMENTS(names), text);
  int error = profile < 0 ? EINVAL : set_profile(handler, (SimPlatformProfile)profile);

  if (error == 0)
    sim_tree_notify(handler->platform->tree, LEGACY);
  return error;
}

static const struct {
  const char *name;
  SimFileOps ops;
} device_files[] = {
    {"name", {show_name, NULL}},
    {"choices", {show_choices, NULL}},
    {"profile", {show_profile, store_profile}},
};

static void
add_device(SimPlatformHandler *handler, const char *parent)
{
  g_autofree char *devpath =
      g_strdup_printf("%s/platform-profile/platform-profile-%u", parent, handler->number);
  SimTree *tree = handler->platform->tree;
  g_autofree char *link = NULL;

  handler->device = sim_device_add(tree, devpath, "platform-profile", SIM_SUBSYSTEM_CLASS);
  link = sim_device_file(handler->device, "device");
  sim_tree_add_link(tree, link, "../..");
  for (gsize i = 0; i < G_N_ELEMENTS(device_files); i++) {
    g_autofree char *path = sim_device_file(handler->device, device_files[i].name);

    sim_tree_add_file(tree, path, &device_files[i].ops, handler);
  }
  sim_device_uevent(handler->device, "add");
}

static guint
take_number(SimPlatform *platform, SimPlatformHandler *handler)
{
  guint number = platform->first_free;

  while (number < platform->handlers->len && platform->handlers->pdata[number])
    number++;
  if (number == platform->handlers->len)
    g_ptr_array_add(platform->handlers, NULL);
  platform->handlers->pdata[number] = handler;
  platform->first_free = number + 1;
  platform->n_handlers++;
  return number;
}

/* The kernel with the class makes the legacy files anew each time that a handler comes or goes:
 * what is open of them is dead then, and the news of it came before. */
static void
renew_legacy(SimPlatform *platform)
{
  sim_tree_remove(platform->tree, LEGACY);
  sim_tree_remove(platform->tree, CHOICES);
  if (platform->n_handlers == 0)
    return;
  sim_tree_add_file(platform->tree, LEGACY, &legacy_ops, platform);
  sim_tree_add_file(platform->tree, CHOICES, &legacy_choices_ops, platform);
}

static void
handler_free(SimPlatformHandler *handler)
{
  if (handler->device)
    sim_device_free(handler->device);
  g_free(handler->name);
  g_free(handler);
}

SimPlatform *
sim_platform_new(SimTree *tree)
{
  SimPlatform *platform = g_new0(SimPlatform, 1);

  platform->tree = tree;
  platform->handlers = g_ptr_array_new();
  platform->firmware = g_ptr_array_new();
  sim_tree_add_directory(tree, "/sys/firmware/acpi");
  return platform;
}

void
sim_platform_free(SimPlatform *platform)
{
  for (guint i = 0; i < platform->handlers->len; i++) {
    if (platform->handlers->pdata[i])
      handler_free(platform->handlers->pdata[i]);
  }
  g_ptr_array_unref(platform->handlers);
  g_ptr_array_unref(platform->firmware);
  g_free(platform);
}

SimPlatformHandler *
sim_platform_register(SimPlatform *platform, const SimPlatformOptions *options)
{
  SimPlatformHandler *handler = g_new0(SimPlatformHandler, 1);

  handler->platform = platform;
  handler->number = take_number(platform, handler);
  handler->name = g_strdup(options->name);
  handler->choices = options->choices;
  handler->profile = options->profile;
  handler->set = options->set;
  handler->data = options->data;
  if (options->has_device)
    add_device(handler, options->parent);
  sim_tree_notify(platform->tree, LEGACY);
  if (platform->n_handlers == 1 || options->has_device)
    renew_legacy(platform);
  return handler;
}

void
sim_platform_unregister(SimPlatformHandler *handler)
{
  SimPlatform *platform = handler->platform;
  bool had_device = handler->device != NULL;

  platform->handlers->pdata[handler->number] = NULL;
  platform->first_free = MIN(platform->first_free, handler->number);
  platform->n_handlers--;
  if (handler->device) {
    sim_device_uevent(handler->device, "remove");
    sim_device_remove(g_steal_pointer(&handler->device));
  }
  sim_tree_notify(platform->tree, LEGACY);
  if (platform->n_handlers == 0 || had_device)
    renew_legacy(platform);
  handler_free(handler);
}

SimPlatformProfile
sim_platform_handler_profile(const SimPlatformHandler *handler)
{
  return handler->profile;
}

static bool
parse_choices(const char *text, guint *choices)
{
  g_auto(GStrv) words = g_strsplit(text, " ", -1);
  guint found = 0;

  for (guint i = 0; words[i]; i++) {
    int profile = sim_match(names, G_N_ELEMENTS(names), words[i]);

    if (profile < 0)
      return false;
    found |= SIM_PLATFORM_BIT(profile);
  }
  if (found == 0)
    return false;
  *choices = found;
  return true;
}

bool
sim_platform_add_firmware(SimPlatform *platform, const char *choices, bool has_device)
{
  g_autofree char *parent =
      g_strdup_printf("/devices/platform/firmware.%u", platform->firmware->len);
  g_autofree char *name = g_strdup_printf("simulated-%u", platform->firmware->len);
  SimPlatformOptions options = {.name = name, .parent = parent, .has_device = has_device};

  if (!parse_choices(choices, &options.choices))
    return false;
  options.profile = SIM_PLATFORM_BALANCED;
  if (!(options.choices & SIM_PLATFORM_BIT(SIM_PLATFORM_BALANCED)))
    options.profile = (SimPlatformProfile)g_bit_nth_lsf(options.choices, -1);
  g_ptr_array_add(platform->firmware, sim_platform_register(platform, &options));
  return true;
}

bool
sim_platform_remove_firmware(SimPlatform *platform)
{
  if (platform->firmware->len == 0)
    return false;
  sim_platform_unregister(g_ptr_array_steal_index(platform->firmware, platform->firmware->len - 1));
  return true;
}

bool
sim_platform_press_key(SimPlatform *platform, const char *profile)
{
  int number = sim_match(names, G_N_ELEMENTS(names), profile);
  SimPlatformHandler *handler = platform->firmware->len > 0 ? platform->firmware->pdata[0] : NULL;

  if (!handler || number < 0 || set_profile(handler, (SimPlatformProfile)number) != 0)
    return false;
  tell_device(handler);
  sim_tree_notify(platform->tree, LEGACY);
  return true;
}
