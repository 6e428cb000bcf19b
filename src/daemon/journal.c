/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/journal.h"

#include "base/error.h"
#include "base/key-file.h"
#include "base/log.h"
#include "base/printable.h"
#include "base/text-file.h"
#include "hardware/amd-pstate.h"
#include "hardware/cpufreq-policy.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOPIC       "journal"
#define FILE_PREFIX "File "
#define BOOT_ID_MAX 128

typedef struct {
  char *policy;
  guint number;
  char *driver;
  EppdEpp base;
  EppdEppTwin boost;
  EppdEppTwin next_boost; /* taken when the flag is next set */
  bool boosted;
  bool taken_over;
  goffset new_offset;  /* of the digit of Boosted= in the text that is made */
  goffset flag_offset; /* …and in the file; 0: it is not there */
} Policy;

typedef struct {
  char *path;
  const char *found; /* from known_files, as is ours */
  const char *ours;
} File;

struct _EppdJournal {
  char *path;
  char *new_path;
  char *boot_id;
  GHashTable *policies; /* its name → Policy */
  GHashTable *files;    /* its path → File */
  EppdEppTwin learned;  /* the read-back that was learned last */
  bool dirty;           /* the file does not say what the tables say */
  int fd;               /* -1: no file yet */
};

/* All that we ever change besides the policies' files, and what they may hold: a journal is no
 * licence to write anything anywhere. */
static const struct {
  const char *path;
  const char *values[2];
} known_files[] = {
    {EPPD_AMD_PSTATE_KERNEL_BOOST_FILE,
     {EPPD_AMD_PSTATE_KERNEL_BOOST_ON, EPPD_AMD_PSTATE_KERNEL_BOOST_OFF}},
    {EPPD_AMD_PSTATE_DYNAMIC_EPP_FILE,
     {EPPD_AMD_PSTATE_DYNAMIC_EPP_ON, EPPD_AMD_PSTATE_DYNAMIC_EPP_OFF}},
};

static void
policy_free(Policy *policy)
{
  g_free(policy->policy);
  g_free(policy->driver);
  g_free(policy);
}

static void
file_free(File *file)
{
  g_free(file->path);
  g_free(file);
}

/* The constant text of @value if @path is a file that may hold it; else NULL. */
static const char *
known_value(const char *path, const char *value)
{
  for (gsize i = 0; i < G_N_ELEMENTS(known_files); i++) {
    if (strcmp(known_files[i].path, path) != 0)
      continue;
    for (gsize j = 0; j < G_N_ELEMENTS(known_files[i].values); j++) {
      if (g_strcmp0(known_files[i].values[j], value) == 0)
        return known_files[i].values[j];
    }
  }
  return NULL;
}

/* Two unknown values are the same entry, though not equal EPPs. */
static bool
is_same_epp(const EppdEpp *a, const EppdEpp *b)
{
  return eppd_epp_equal(a, b) || (a->kind == EPPD_EPP_UNKNOWN && b->kind == EPPD_EPP_UNKNOWN);
}

static bool
is_same_twin(const EppdEppTwin *a, const EppdEppTwin *b)
{
  return is_same_epp(&a->written, &b->written) && is_same_epp(&a->readback, &b->readback);
}

static void
add_file(EppdJournal *journal, const char *path, const char *found, const char *ours)
{
  File *file = g_new0(File, 1);

  file->path = g_strdup(path);
  file->found = found;
  file->ours = ours;
  g_hash_table_replace(journal->files, file->path, file);
}

/* ---- Reading ---- */

static EppdEpp
read_epp(GKeyFile *keys, const char *group, const char *key)
{
  g_autofree char *text = g_key_file_get_value(keys, group, key, NULL);

  return eppd_epp_parse(text);
}

static bool
flag_is_set(const char *text)
{
  return g_strcmp0(text, "1") == 0;
}

static bool
is_flag(const char *text)
{
  return flag_is_set(text) || g_strcmp0(text, "0") == 0;
}

/* One of them is no value to write. */
static char *
describe_epps(const EppdEpp *base, const EppdEpp *boost)
{
  char base_buffer[EPPD_EPP_TEXT_SIZE];
  char boost_buffer[EPPD_EPP_TEXT_SIZE];

  return g_strdup_printf("Base %s, Boost %s", eppd_epp_text(base, base_buffer),
                         eppd_epp_text(boost, boost_buffer));
}

/* What is wrong with the entry (owned by the caller); NULL: nothing. */
static char *
read_policy(EppdJournal *journal, GKeyFile *keys, const char *group)
{
  g_autofree char *boosted = g_key_file_get_value(keys, group, "Boosted", NULL);
  g_autofree char *taken_over = g_key_file_get_value(keys, group, "TakenOver", NULL);
  EppdEpp base = read_epp(keys, group, "Base");
  EppdEpp boost = read_epp(keys, group, "Boost");
  guint number;
  Policy *policy;

  if (!eppd_cpufreq_policy_parse_name(group, &number))
    return g_strdup("no policy is called so");
  if (!is_flag(boosted) || (taken_over && !is_flag(taken_over)))
    return g_strdup("Boosted or TakenOver is neither 0 nor 1");
  if (!flag_is_set(boosted) && !flag_is_set(taken_over))
    return NULL;
  if (!eppd_epp_is_writable(&base) || !eppd_epp_is_writable(&boost))
    return describe_epps(&base, &boost);

  policy = g_new0(Policy, 1);
  policy->policy = g_strdup(group);
  policy->number = number;
  policy->driver = g_key_file_get_value(keys, group, "Driver", NULL);
  if (!policy->driver)
    policy->driver = g_strdup("");
  policy->base = base;
  policy->boost = (EppdEppTwin){boost, read_epp(keys, group, "BoostReadback")};
  policy->next_boost = policy->boost;
  policy->boosted = flag_is_set(boosted);
  policy->taken_over = flag_is_set(taken_over);
  g_hash_table_replace(journal->policies, policy->policy, policy);
  return NULL;
}

static char *
read_file(EppdJournal *journal, GKeyFile *keys, const char *group)
{
  const char *path = group + strlen(FILE_PREFIX);
  g_autofree char *found_text = g_key_file_get_value(keys, group, "Found", NULL);
  g_autofree char *ours_text = g_key_file_get_value(keys, group, "Ours", NULL);
  const char *found = known_value(path, found_text);
  const char *ours = known_value(path, ours_text);

  if (!found || !ours)
    return g_strdup("no file or value that eppd writes");
  add_file(journal, path, found, ours);
  return NULL;
}

static char *
read_group(EppdJournal *journal, GKeyFile *keys, const char *group)
{
  if (strcmp(group, "Journal") == 0)
    return NULL;
  return g_str_has_prefix(group, FILE_PREFIX) ? read_file(journal, keys, group)
                                              : read_policy(journal, keys, group);
}

static void
read_groups(EppdJournal *journal, EppdKeyFile *file)
{
  GKeyFile *keys = eppd_key_file_get(file);
  g_auto(GStrv) groups = g_key_file_get_groups(keys, NULL);

  for (guint i = 0; groups[i]; i++) {
    g_autofree char *problem = read_group(journal, keys, groups[i]);

    if (problem)
      eppd_warning(TOPIC, "%s:%u: the entry [%s] makes no sense: %s; ignoring", journal->path,
                   eppd_key_file_line(file, groups[i], NULL), groups[i], problem);
  }
}

typedef struct {
  guint count;
  guint first_line;
} BadLines;

static void
on_bad_line(const char *path, guint line, const char *text, const char *why, gpointer data)
{
  BadLines *bad = data;

  if (bad->count++ == 0)
    bad->first_line = line;
}

static bool
is_of_this_boot(EppdJournal *journal, GKeyFile *keys)
{
  g_autofree char *boot_id = g_key_file_get_value(keys, "Journal", "BootId", NULL);

  return strcmp(boot_id ? boot_id : "", journal->boot_id) == 0;
}

static void
read_journal(EppdJournal *journal)
{
  BadLines bad = {0};
  g_autoptr(GError) error = NULL;
  g_autoptr(EppdKeyFile) file = eppd_key_file_load(journal->path, on_bad_line, &bad, &error);

  if (!file) {
    if (!g_error_matches(error, EPPD_ERROR, EPPD_ERROR_GONE))
      eppd_warning(TOPIC, "%s; ignoring", error->message);
    return;
  }
  if (bad.count > 0)
    eppd_warning(TOPIC, "%s:%u: %u lines make no sense, this the first; ignoring", journal->path,
                 bad.first_line, bad.count);
  if (is_of_this_boot(journal, eppd_key_file_get(file)))
    read_groups(journal, file);
  else
    eppd_info(TOPIC, "%s is of another boot; ignoring", journal->path);
}

static char *
read_boot_id(EppdSysRoot *root)
{
  g_autofree char *path = eppd_sys_root_path(root, "/proc/sys/kernel/random/boot_id");
  g_autofree char *text = eppd_text_file_read_line(path, NULL);

  return eppd_printable(text, BOOT_ID_MAX);
}

EppdJournal *
eppd_journal_load(EppdSysRoot *root, const char *runtime_dir)
{
  EppdJournal *journal = g_new0(EppdJournal, 1);

  journal->path = g_build_filename(runtime_dir, "restore.ini", NULL);
  journal->new_path = g_strconcat(journal->path, ".new", NULL);
  journal->boot_id = read_boot_id(root);
  journal->policies =
      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)policy_free);
  journal->files = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, (GDestroyNotify)file_free);
  journal->dirty = true;
  journal->fd = -1;
  read_journal(journal);
  return journal;
}

/* ---- Writing ---- */

static int
compare_policies(gconstpointer a, gconstpointer b)
{
  const Policy *x = a;
  const Policy *y = b;

  return (x->number > y->number) - (x->number < y->number);
}

static int
compare_files(gconstpointer a, gconstpointer b)
{
  const File *x = a;
  const File *y = b;

  return strcmp(x->path, y->path);
}

static void
append_epp(GString *text, const char *key, const EppdEpp *epp)
{
  char buffer[EPPD_EPP_TEXT_SIZE];

  g_string_append_printf(text, "%s=%s\n", key, eppd_epp_text(epp, buffer));
}

static void
append_policy(GString *text, Policy *policy)
{
  g_string_append_printf(text, "\n[%s]\nDriver=%s\n", policy->policy, policy->driver);
  append_epp(text, "Base", &policy->base);
  append_epp(text, "Boost", &policy->boost.written);
  if (policy->boost.readback.kind != EPPD_EPP_UNKNOWN)
    append_epp(text, "BoostReadback", &policy->boost.readback);
  if (policy->taken_over)
    g_string_append(text, "TakenOver=1\n");
  g_string_append(text, "Boosted=");
  policy->new_offset = (goffset)text->len;
  g_string_append(text, policy->boosted ? "1\n" : "0\n");
}

static GString *
make_text(EppdJournal *journal)
{
  GString *text = g_string_new(NULL);
  g_autoptr(GList) policies =
      g_list_sort(g_hash_table_get_values(journal->policies), compare_policies);
  g_autoptr(GList) files = g_list_sort(g_hash_table_get_values(journal->files), compare_files);

  g_string_append_printf(text, "# What eppd would have to put back.\n[Journal]\nBootId=%s\n",
                         journal->boot_id);
  for (GList *l = files; l; l = l->next) {
    const File *file = l->data;

    g_string_append_printf(text, "\n[" FILE_PREFIX "%s]\nFound=%s\nOurs=%s\n", file->path,
                           file->found, file->ours);
  }
  for (GList *l = policies; l; l = l->next)
    append_policy(text, l->data);
  return text;
}

static gboolean
write_all(int fd, const GString *text)
{
  for (gsize done = 0; done < text->len;) {
    ssize_t n = TEMP_FAILURE_RETRY(write(fd, text->str + done, text->len - done));

    if (n < 0)
      return FALSE;
    done += (gsize)n;
  }
  return TRUE;
}

/* Writes a new file and puts it in the place of the old one. Its descriptor; -1 with @error. */
static int
replace_file(EppdJournal *journal, const GString *text, GError **error)
{
  int fd;

  /* What a killed daemon left half written. */
  unlink(journal->new_path);
  fd = TEMP_FAILURE_RETRY(
      open(journal->new_path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644));
  if (fd < 0) {
    eppd_error_set_errno(error, errno, "Could not make %s", journal->new_path);
    return -1;
  }
  if (!write_all(fd, text) || rename(journal->new_path, journal->path) < 0) {
    eppd_error_set_errno(error, errno, "Could not write %s", journal->path);
    unlink(journal->new_path);
    close(fd);
    return -1;
  }
  return fd;
}

static void
close_file(EppdJournal *journal)
{
  if (journal->fd >= 0)
    close(journal->fd);
  journal->fd = -1;
}

/* What was made is the file now. */
static void
take_file(EppdJournal *journal, int fd)
{
  GHashTableIter iter;
  gpointer value;

  close_file(journal);
  journal->fd = fd;
  journal->dirty = false;
  g_hash_table_iter_init(&iter, journal->policies);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    Policy *policy = value;

    policy->flag_offset = policy->new_offset;
  }
}

/* Another may have tidied up; a start would find nothing. */
static bool
is_removed(const EppdJournal *journal)
{
  struct stat status;

  return journal->fd >= 0 && fstat(journal->fd, &status) == 0 && status.st_nlink == 0;
}

static bool
flip_flag(EppdJournal *journal, const Policy *policy)
{
  return TEMP_FAILURE_RETRY(
             pwrite(journal->fd, policy->boosted ? "1" : "0", 1, policy->flag_offset)) == 1;
}

gboolean
eppd_journal_commit(EppdJournal *journal, GError **error)
{
  g_autoptr(GString) text = NULL;
  int fd;

  if (!journal->dirty)
    return TRUE;
  text = make_text(journal);
  fd = replace_file(journal, text, error);
  if (fd < 0)
    return FALSE;
  take_file(journal, fd);
  return TRUE;
}

EppdJournal *
eppd_journal_new(EppdSysRoot *root, const char *runtime_dir, GError **error)
{
  g_autoptr(EppdJournal) journal = eppd_journal_load(root, runtime_dir);

  return eppd_journal_commit(journal, error) ? g_steal_pointer(&journal) : NULL;
}

void
eppd_journal_free(EppdJournal *journal)
{
  close_file(journal);
  g_hash_table_unref(journal->policies);
  g_hash_table_unref(journal->files);
  g_free(journal->boot_id);
  g_free(journal->new_path);
  g_free(journal->path);
  g_free(journal);
}

/* ---- Entries ---- */

static void
set_boost(EppdJournal *journal, Policy *policy, const EppdEppTwin *boost)
{
  if (is_same_twin(&policy->boost, boost))
    return;
  policy->boost = *boost;
  journal->dirty = true;
}

/* What @boost will read back as, where it is not known: as in the policy that learned it last. One
 * whose driver does it otherwise learns that with its first boost, as all do; but to learn what the
 * journal says already costs no new file, which all first boosts at once would make a file a
 * policy. Only of a name, which is told by itself too: a number may read as a name that differs
 * between the kinds of cores. */
static EppdEppTwin
expected_twin(const EppdJournal *journal, const EppdEppTwin *boost)
{
  return boost->readback.kind == EPPD_EPP_UNKNOWN && boost->written.kind != EPPD_EPP_RAW &&
                 is_same_epp(&boost->written, &journal->learned.written)
             ? journal->learned
             : *boost;
}

static void
learn(EppdJournal *journal, const EppdEppTwin *boost)
{
  GHashTableIter iter;
  gpointer value;

  if (boost->readback.kind == EPPD_EPP_UNKNOWN)
    return;
  journal->learned = *boost;
  g_hash_table_iter_init(&iter, journal->policies);
  while (g_hash_table_iter_next(&iter, NULL, &value)) {
    Policy *policy = value;

    policy->next_boost = expected_twin(journal, &policy->next_boost);
    if (!policy->boosted)
      set_boost(journal, policy, &policy->next_boost);
  }
}

static void
set_driver(EppdJournal *journal, Policy *policy, const char *driver)
{
  char *printable;

  /* The usual case, a call for each policy and profile: a driver's name is plain text. */
  if (g_strcmp0(policy->driver, driver) == 0)
    return;
  printable = eppd_printable(driver, EPPD_JOURNAL_DRIVER_MAX);
  journal->dirty |= g_strcmp0(policy->driver, printable) != 0;
  journal->learned = (EppdEppTwin){0};
  g_free(policy->driver);
  policy->driver = printable;
}

void
eppd_journal_set_policy(EppdJournal *journal,
                        const char *policy,
                        const char *driver,
                        const EppdEpp *base,
                        const EppdEppTwin *boost)
{
  Policy *entry = g_hash_table_lookup(journal->policies, policy);
  EppdEppTwin twin;
  guint number;

  if (!entry && !eppd_cpufreq_policy_parse_name(policy, &number))
    return;
  if (!entry) {
    entry = g_new0(Policy, 1);
    entry->policy = g_strdup(policy);
    entry->number = number;
    g_hash_table_replace(journal->policies, entry->policy, entry);
    journal->dirty = true;
  }
  set_driver(journal, entry, driver);
  if (!is_same_epp(&entry->base, base)) {
    entry->base = *base;
    journal->dirty = true;
  }
  if (!is_same_twin(&entry->next_boost, boost))
    learn(journal, boost);
  twin = expected_twin(journal, boost);
  entry->next_boost = twin;
  if (!entry->boosted || is_same_epp(&entry->boost.written, &twin.written))
    set_boost(journal, entry, &twin);
}

void
eppd_journal_set_taken_over(EppdJournal *journal, const char *policy, bool taken_over)
{
  Policy *entry = g_hash_table_lookup(journal->policies, policy);

  if (!entry || entry->taken_over == taken_over)
    return;
  entry->taken_over = taken_over;
  journal->dirty = true;
}

bool
eppd_journal_is_taken_over(const EppdJournal *journal, const char *policy)
{
  const Policy *entry = g_hash_table_lookup(journal->policies, policy);

  return entry && entry->taken_over;
}

gboolean
eppd_journal_set_file(
    EppdJournal *journal, const char *path, const char *found, const char *ours, GError **error)
{
  const File *entry = g_hash_table_lookup(journal->files, path);
  const char *known_found = entry ? entry->found : known_value(path, found);
  const char *known_ours = known_value(path, ours);

  if (!found) {
    eppd_journal_forget_file(journal, path);
  } else if (!known_found || !known_ours) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s: '%s' or '%s' is not ours to write",
                path, found, ours ? ours : "");
    return FALSE;
  } else if (!entry || entry->ours != known_ours) {
    add_file(journal, path, known_found, known_ours);
    journal->dirty = true;
  }
  return eppd_journal_commit(journal, error);
}

gboolean
eppd_journal_set_boosted(EppdJournal *journal, const char *policy, bool boosted, GError **error)
{
  Policy *entry = g_hash_table_lookup(journal->policies, policy);

  if (!entry) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "The journal knows no %s", policy);
    return FALSE;
  }
  set_boost(journal, entry, &entry->next_boost);
  if (entry->boosted == boosted)
    return !boosted || eppd_journal_commit(journal, error);
  entry->boosted = boosted;
  journal->dirty |= boosted && is_removed(journal);
  if (journal->dirty) {
    if (eppd_journal_commit(journal, error))
      return TRUE;
    /* An older base is better than a core that stays boosted, or is restored over another's value.
     */
    if (entry->flag_offset != 0)
      flip_flag(journal, entry);
    return FALSE;
  }

  if (!flip_flag(journal, entry)) {
    journal->dirty = true;
    return eppd_error_set_errno(error, errno, "Could not write %s", journal->path);
  }
  return TRUE;
}

static gboolean
is_due(gpointer name, gpointer data, gpointer unused)
{
  const Policy *policy = data;

  return policy->boosted || policy->taken_over;
}

static gboolean
is_not_due(gpointer name, gpointer policy, gpointer unused)
{
  return !is_due(name, policy, unused);
}

gboolean
eppd_journal_clear(EppdJournal *journal, GError **error)
{
  g_hash_table_foreach_remove(journal->policies, is_not_due, NULL);
  journal->dirty = true;
  if (g_hash_table_size(journal->policies) > 0 || g_hash_table_size(journal->files) > 0)
    return eppd_journal_commit(journal, error);

  close_file(journal);
  if (unlink(journal->path) < 0 && errno != ENOENT)
    return eppd_error_set_errno(error, errno, "Could not remove %s", journal->path);
  return TRUE;
}

bool
eppd_journal_has_policies(const EppdJournal *journal)
{
  return g_hash_table_find(journal->policies, is_due, NULL) != NULL;
}

GArray *
eppd_journal_policies(EppdJournal *journal)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(EppdJournalPolicy));
  g_autoptr(GList) policies =
      g_list_sort(g_hash_table_get_values(journal->policies), compare_policies);

  for (GList *l = policies; l; l = l->next) {
    const Policy *policy = l->data;
    EppdJournalPolicy entry = {
        .policy = policy->policy,
        .number = policy->number,
        .driver = policy->driver,
        .base = policy->base,
        .boost = policy->boost,
        .boosted = policy->boosted,
        .taken_over = policy->taken_over,
    };

    if (policy->boosted || policy->taken_over)
      g_array_append_val(entries, entry);
  }
  return entries;
}

GArray *
eppd_journal_files(EppdJournal *journal)
{
  GArray *entries = g_array_new(FALSE, FALSE, sizeof(EppdJournalFile));
  g_autoptr(GList) files = g_list_sort(g_hash_table_get_values(journal->files), compare_files);

  for (GList *l = files; l; l = l->next) {
    const File *file = l->data;
    EppdJournalFile entry = {file->path, file->found, file->ours};

    g_array_append_val(entries, entry);
  }
  return entries;
}

void
eppd_journal_forget_policy(EppdJournal *journal, const char *policy)
{
  if (g_hash_table_remove(journal->policies, policy))
    journal->dirty = true;
}

void
eppd_journal_forget_file(EppdJournal *journal, const char *path)
{
  if (g_hash_table_remove(journal->files, path))
    journal->dirty = true;
}
