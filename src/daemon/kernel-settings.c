/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel-settings.h"

#include "base/log.h"

/* One switch: whether we hold it, what was found, what we wrote. */
typedef struct {
  const char *path; /* below the root, for the journal */
  const char *on_text;
  const char *off_text;
  gboolean (*write)(EppdSysRoot *root, bool on, GError **error);
  bool held;
  bool found;
  bool ours;
} Switch;

struct _EppdKernelSettings {
  EppdSysRoot *root;
  EppdJournal *journal;
  Switch boost;
  Switch dynamic_epp;
};

static const char *
text_of(const Switch *self, bool on)
{
  return on ? self->on_text : self->off_text;
}

static bool
hold(EppdKernelSettings *settings, Switch *self, bool current, bool want)
{
  g_autoptr(GError) error = NULL;

  if (current == want)
    return true;
  if (!self->held)
    self->found = current;
  if (!eppd_journal_set_file(settings->journal, self->path, text_of(self, self->found),
                             text_of(self, want), &error) ||
      !self->write(settings->root, want, &error)) {
    eppd_warning("kernel", "%s not set to %s: %s; ignoring", self->path, text_of(self, want),
                 error->message);
    return false;
  }
  self->held = true;
  self->ours = want;
  eppd_info("kernel", "%s set to %s", self->path, text_of(self, want));
  return true;
}

static void
release(EppdKernelSettings *settings, Switch *self, bool is_there, bool current)
{
  g_autoptr(GError) error = NULL;

  if (!self->held)
    return;
  self->held = false;
  /* Another value was set by another: it stays. */
  if (is_there && current == self->ours && self->found != current &&
      !self->write(settings->root, self->found, &error)) {
    eppd_warning("kernel", "%s not put back to %s: %s; it stays in the journal", self->path,
                 text_of(self, self->found), error->message);
    return;
  }
  eppd_journal_set_file(settings->journal, self->path, NULL, NULL, NULL);
}

bool
eppd_kernel_settings_want_boost(EppdKernelSettings *settings, const EppdAmdPstate *pstate, bool on)
{
  return !pstate->has_kernel_boost || hold(settings, &settings->boost, pstate->kernel_boost_on, on);
}

void
eppd_kernel_settings_release_boost(EppdKernelSettings *settings)
{
  EppdAmdPstate pstate;

  if (!settings->boost.held)
    return;
  eppd_amd_pstate_read(settings->root, &pstate);
  release(settings, &settings->boost, pstate.has_kernel_boost, pstate.kernel_boost_on);
}

bool
eppd_kernel_settings_take_over_dynamic_epp(EppdKernelSettings *settings,
                                           const EppdAmdPstate *pstate)
{
  return !pstate->has_dynamic_epp ||
         hold(settings, &settings->dynamic_epp, pstate->dynamic_epp_on, false);
}

void
eppd_kernel_settings_release_dynamic_epp(EppdKernelSettings *settings)
{
  EppdAmdPstate pstate;

  if (!settings->dynamic_epp.held)
    return;
  eppd_amd_pstate_read(settings->root, &pstate);
  release(settings, &settings->dynamic_epp, pstate.has_dynamic_epp, pstate.dynamic_epp_on);
}

EppdKernelSettings *
eppd_kernel_settings_new(EppdSysRoot *root, EppdJournal *journal)
{
  EppdKernelSettings *settings = g_new0(EppdKernelSettings, 1);

  settings->root = root;
  settings->journal = journal;
  settings->boost = (Switch){.path = EPPD_AMD_PSTATE_KERNEL_BOOST_FILE,
                             .on_text = EPPD_AMD_PSTATE_KERNEL_BOOST_ON,
                             .off_text = EPPD_AMD_PSTATE_KERNEL_BOOST_OFF,
                             .write = eppd_amd_pstate_write_kernel_boost};
  settings->dynamic_epp = (Switch){.path = EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE,
                                   .on_text = EPPD_AMD_PSTATE_DYNAMIC_EPP_ON,
                                   .off_text = EPPD_AMD_PSTATE_DYNAMIC_EPP_OFF,
                                   .write = eppd_amd_pstate_write_dynamic_epp};
  return settings;
}

void
eppd_kernel_settings_free(EppdKernelSettings *settings)
{
  g_free(settings);
}
