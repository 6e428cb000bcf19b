/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/kernel-settings.h"

#include "base/log.h"

/* One switch. */
typedef struct {
  const char *path; /* below the root, for the journal */
  const char *on_text;
  const char *off_text;
  gboolean (*write)(EppdSysRoot *root, bool on, GError **error);
  bool held;   /* it was written: @found is to be put back */
  bool found;  /* before the first write */
  bool wanted; /* it was seen to be @ours, by our hand or not */
  bool ours;
  bool overruled[2]; /* for each value: we wanted that, and another program set the other */
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
put(EppdKernelSettings *settings, Switch *self, bool current, bool want)
{
  g_autoptr(GError) error = NULL;

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
  eppd_info("kernel", "%s set to %s", self->path, text_of(self, want));
  return true;
}

static bool
hold(EppdKernelSettings *settings, Switch *self, bool current, bool want)
{
  if (current != want && self->wanted && self->ours == want && !self->overruled[want]) {
    self->overruled[want] = true;
    eppd_notice("kernel", "another program set %s to %s: left to it", self->path,
                text_of(self, current));
  }
  if (current != want && (self->overruled[want] || !put(settings, self, current, want)))
    return false;
  self->wanted = true;
  self->ours = want;
  return true;
}

static void
forget(Switch *self)
{
  self->held = false;
  self->wanted = false;
  self->overruled[false] = false;
  self->overruled[true] = false;
}

/* True if it was written. */
static bool
release(EppdKernelSettings *settings, Switch *self, bool is_there, bool current)
{
  g_autoptr(GError) error = NULL;
  /* Another value than ours was set by another: it stays. */
  bool is_due = self->held && is_there && current == self->ours && self->found != current;

  forget(self);
  if (is_due && !self->write(settings->root, self->found, &error)) {
    eppd_warning("kernel", "%s not put back to %s: %s; it stays in the journal", self->path,
                 text_of(self, self->found), error->message);
    return false;
  }
  eppd_journal_set_file(settings->journal, self->path, NULL, NULL, NULL);
  return is_due;
}

bool
eppd_kernel_settings_want_boost(EppdKernelSettings *settings, bool on)
{
  bool current;

  return !eppd_amd_pstate_read_kernel_boost(settings->root, &current) ||
         hold(settings, &settings->boost, current, on);
}

bool
eppd_kernel_settings_boost_is_overruled(const EppdKernelSettings *settings, bool on)
{
  return settings->boost.overruled[on];
}

void
eppd_kernel_settings_release_boost(EppdKernelSettings *settings)
{
  bool current = false;
  bool is_there;

  if (!settings->boost.held && !settings->boost.wanted)
    return;
  is_there = eppd_amd_pstate_read_kernel_boost(settings->root, &current);
  release(settings, &settings->boost, is_there, current);
}

bool
eppd_kernel_settings_take_over_dynamic_epp(EppdKernelSettings *settings)
{
  return hold(settings, &settings->dynamic_epp, true, false);
}

bool
eppd_kernel_settings_dynamic_epp_is_overruled(const EppdKernelSettings *settings)
{
  return settings->dynamic_epp.overruled[false];
}

bool
eppd_kernel_settings_release_dynamic_epp(EppdKernelSettings *settings)
{
  EppdAmdPstate pstate = {0};

  if (!settings->dynamic_epp.held && !settings->dynamic_epp.wanted)
    return false;
  eppd_amd_pstate_refresh_mode(settings->root, &pstate);
  return release(settings, &settings->dynamic_epp, pstate.has_dynamic_epp, pstate.dynamic_epp_on);
}

void
eppd_kernel_settings_try_again(EppdKernelSettings *settings)
{
  Switch *switches[] = {&settings->boost, &settings->dynamic_epp};

  for (gsize i = 0; i < G_N_ELEMENTS(switches); i++) {
    switches[i]->wanted = false;
    switches[i]->overruled[false] = false;
    switches[i]->overruled[true] = false;
  }
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
