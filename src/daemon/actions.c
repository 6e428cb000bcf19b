/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/actions.h"

#include "base/error.h"
#include "base/log.h"
#include "base/text-file.h"
#include "hardware/amdgpu.h"
#include "hardware/peripheral-charge.h"

typedef struct {
  EppdActionInfo start;
  bool is_amd_only;
  const char *subsystem; /* whose uevents may bring new files */
  GPtrArray *(*files)(EppdSysRoot *root);
  /* What to write into a file that reads @current (NULL: unreadable); NULL: nothing. */
  char *(*decide)(const EppdActionInput *input, const char *current);
} Kind;

typedef struct {
  const Kind *kind;
  EppdActionInfo info;
  bool is_blocked;
  bool has_hardware; /* else there are no files to look for */
} Action;

struct _EppdActions {
  EppdSysRoot *root;
  GArray *actions; /* of Action */
  bool has_input;
  EppdActionInput input;
  /* Paths of files that refused the last write, or did not keep it: that is said once, and no
   * uevent makes it tried again, for it may be our write's own. */
  GHashTable *refused;
};

static char *
decide_charge_type(const EppdActionInput *input, const char *current)
{
  return g_strdup(eppd_decide_charge_type(input->profile, current));
}

static char *
decide_panel_power(const EppdActionInput *input, const char *current)
{
  g_autofree char *text = g_strdup_printf(
      "%u", eppd_decide_panel_power_savings(input->profile, input->source, input->battery_percent));

  return g_strcmp0(text, current) == 0 ? NULL : g_steal_pointer(&text);
}

static char *
decide_dpm_level(const EppdActionInput *input, const char *current)
{
  return g_strdup(eppd_decide_dpm_level(input->profile, current));
}

/* In the order in which they are told. */
static const Kind kinds[] = {
    {
        .start = {"trickle_charge", "Charge mice, keyboards and the like slowly while saving power",
                  true},
        .subsystem = "power_supply",
        .files = eppd_peripheral_charge_files,
        .decide = decide_charge_type,
    },
    {
        .start = {"amdgpu_panel_power",
                  "Let the GPU trade colour accuracy of the built-in panel for battery time",
                  false},
        .is_amd_only = true,
        .subsystem = "drm",
        .files = eppd_amdgpu_panel_files,
        .decide = decide_panel_power,
    },
    {
        .start = {"amdgpu_dpm", "Keep the GPU at its lowest clocks while saving power", false},
        .is_amd_only = true,
        .subsystem = "drm",
        .files = eppd_amdgpu_dpm_files,
        .decide = decide_dpm_level,
    },
};

static void
note_refusal(EppdActions *actions, const Action *action, const char *path, const char *message)
{
  if (g_hash_table_add(actions->refused, g_strdup(path)))
    eppd_warning(action->info.name, "%s; ignoring", message);
  else
    eppd_debug(action->info.name, "%s; ignoring", message);
}

static void
write_file(EppdActions *actions, const Action *action, const char *path, const char *text)
{
  g_autoptr(GError) error = NULL;
  g_autofree char *kept = NULL;
  g_autofree char *message = NULL;

  if (!eppd_text_file_write(path, text, &error)) {
    /* A device that was taken away meanwhile refuses nothing. */
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      note_refusal(actions, action, path, error->message);
    return;
  }
  kept = eppd_text_file_read_line(path, NULL);
  if (kept && !g_str_equal(kept, text)) {
    message = g_strdup_printf("%s took '%s' and reads '%s'", path, text, kept);
    note_refusal(actions, action, path, message);
    return;
  }
  g_hash_table_remove(actions->refused, path);
  eppd_debug(action->info.name, "%s: %s", path, text);
}

static void
apply_one(EppdActions *actions,
          const Action *action,
          const EppdActionInput *input,
          bool even_if_refused)
{
  g_autoptr(GPtrArray) files =
      action->has_hardware ? action->kind->files(actions->root) : g_ptr_array_new();

  for (guint i = 0; i < files->len; i++) {
    const char *path = files->pdata[i];
    g_autofree char *current = eppd_text_file_read_line(path, NULL);
    g_autofree char *text = action->kind->decide(input, current);

    if (text && (even_if_refused || !g_hash_table_contains(actions->refused, path)))
      write_file(actions, action, path, text);
  }
}

static Action *
get_action(const EppdActions *actions, guint index)
{
  return &g_array_index(actions->actions, Action, index);
}

static Action *
find_action(EppdActions *actions, const char *name)
{
  for (guint i = 0; i < actions->actions->len; i++) {
    if (g_str_equal(get_action(actions, i)->info.name, name))
      return get_action(actions, i);
  }
  return NULL;
}

guint
eppd_actions_count(const EppdActions *actions)
{
  return actions->actions->len;
}

const EppdActionInfo *
eppd_actions_info(const EppdActions *actions, guint index)
{
  return &get_action(actions, index)->info;
}

gboolean
eppd_actions_set_enabled(
    EppdActions *actions, const char *name, bool enabled, bool *changed, GError **error)
{
  static const EppdActionInput off = {EPPD_PROFILE_BALANCED, EPPD_POWER_SOURCE_AC,
                                      EPPD_BATTERY_UNKNOWN};
  Action *action = find_action(actions, name);

  if (!action) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "No such action '%s'", name);
    return FALSE;
  }
  if (action->is_blocked && enabled) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_FAILED, "Action '%s' is blocked (--block-action)",
                name);
    return FALSE;
  }
  *changed = action->info.enabled != enabled;
  action->info.enabled = enabled;
  /* Before the first input nothing was set that could be put back. */
  if (*changed && actions->has_input)
    apply_one(actions, action, enabled ? &actions->input : &off, true);
  return TRUE;
}

void
eppd_actions_apply(EppdActions *actions, const EppdActionInput *input)
{
  actions->input = *input;
  actions->has_input = true;
  for (guint i = 0; i < actions->actions->len; i++) {
    const Action *action = get_action(actions, i);

    if (action->info.enabled)
      apply_one(actions, action, input, true);
  }
}

void
eppd_actions_device_changed(EppdActions *actions, const char *subsystem)
{
  for (guint i = 0; actions->has_input && i < actions->actions->len; i++) {
    const Action *action = get_action(actions, i);

    if (action->info.enabled && g_str_equal(action->kind->subsystem, subsystem))
      apply_one(actions, action, &actions->input, false);
  }
}

EppdActions *
eppd_actions_new(EppdSysRoot *root, const char *const *blocked)
{
  EppdActions *actions = g_new0(EppdActions, 1);
  bool is_amd = eppd_amdgpu_is_amd_machine(root);

  actions->root = eppd_sys_root_ref(root);
  actions->actions = g_array_new(FALSE, FALSE, sizeof(Action));
  actions->refused = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
  for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
    Action action = {
        .kind = &kinds[i],
        .info = kinds[i].start,
        .is_blocked = blocked && g_strv_contains(blocked, kinds[i].start.name),
        .has_hardware = is_amd || !kinds[i].is_amd_only,
    };

    action.info.enabled &= !action.is_blocked;
    g_array_append_val(actions->actions, action);
  }
  return actions;
}

void
eppd_actions_free(EppdActions *actions)
{
  g_array_unref(actions->actions);
  g_hash_table_unref(actions->refused);
  eppd_sys_root_unref(actions->root);
  g_free(actions);
}
