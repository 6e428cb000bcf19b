/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "residency/bpf/bpf-object.h"

#include "base/error.h"
#include "base/log.h"
#include "base/text-file.h"
#include "residency/bpf/app-watch.h"
#include "residency/bpf/bpf-error.h"
#include "residency/msr-event.h"

#include "eppd-residency.skel.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Room for some events a CPU: while user space lags, each busy CPU sends one or two a sample. An
 * event takes 40 bytes. */
#define RING_BYTES_A_CPU 256

G_STATIC_ASSERT(sizeof(struct eppd_cpu_line) == 64);

/* Two descriptors a CPU. */
typedef struct {
  guint cpu;
  int mperf_fd;
  int tsc_fd;
} Counters;

/* What is taken from the ring buffer in one go. */
typedef struct {
  struct eppd_busy_event *events;
  guint n;
  guint max;
} Batch;

struct _EppdBpfObject {
  struct eppd_residency *skeleton;
  struct bpf_program *programs[3]; /* that are loaded, NULL-terminated */
  struct bpf_link *links[2];
  EppdAppWatch *apps; /* NULL: could not be loaded */
  char *apps_problem; /* why */
  struct eppd_cpu_line *lines;
  gsize lines_bytes;
  guint n_cpus;
  struct ring_buffer *ring;
  Batch batch;
  GArray *counters; /* of Counters */
};

/* Maps are indexed by CPU number, and the possible numbers may have holes. */
static gboolean
count_cpus(guint *n_cpus, GError **error)
{
  static const char path[] = "/sys/devices/system/cpu/possible";
  g_autofree char *text = eppd_text_file_read(path, error);
  g_auto(EppdCpuList) possible = {0};

  if (!text)
    return FALSE;
  if (!eppd_cpu_list_parse(text, &possible) || possible.n_cpus == 0) {
    g_set_error(error, EPPD_ERROR, EPPD_ERROR_INVALID, "%s holds '%s', no list of CPUs", path,
                text);
    return FALSE;
  }
  *n_cpus = possible.cpus[possible.n_cpus - 1] + 1;
  return TRUE;
}

static guint
ring_bytes(guint n_cpus)
{
  guint bytes = (guint)sysconf(_SC_PAGESIZE);

  while (bytes < n_cpus * RING_BYTES_A_CPU)
    bytes *= 2;
  return bytes;
}

static gboolean
open_and_load(EppdBpfObject *object, bool mperf, bool apps, GError **error)
{
  struct eppd_residency *skeleton = eppd_residency__open();
  int result;

  if (!skeleton) {
    eppd_bpf_error_set(error, -errno, "Could not open the BPF program");
    return FALSE;
  }
  bpf_program__set_autoload(skeleton->progs.on_tick_mperf, mperf);
  bpf_program__set_autoload(skeleton->progs.on_tick_idle, !mperf);
  bpf_program__set_autoload(skeleton->progs.on_cpu_idle, !mperf);
  bpf_program__set_autoload(skeleton->progs.on_switch_app, apps);
  bpf_program__set_autoload(skeleton->progs.on_tick_app, apps);
  bpf_map__set_max_entries(skeleton->maps.cpu_lines, object->n_cpus);
  bpf_map__set_max_entries(skeleton->maps.mperf_events, object->n_cpus);
  bpf_map__set_max_entries(skeleton->maps.tsc_events, object->n_cpus);
  bpf_map__set_max_entries(skeleton->maps.app_lines, apps ? object->n_cpus : 1);
  bpf_map__set_max_entries(skeleton->maps.busy_events, ring_bytes(object->n_cpus));

  result = eppd_residency__load(skeleton);
  if (result < 0) {
    eppd_bpf_error_set(error, result, "Could not load the BPF program");
    eppd_residency__destroy(skeleton);
    return FALSE;
  }
  object->skeleton = skeleton;
  return TRUE;
}

/* A kernel that does not take the programs for applications may take the others. */
static gboolean
load_programs(EppdBpfObject *object, bool mperf, GError **error)
{
  g_autoptr(GError) apps_error = NULL;
  bool apps = open_and_load(object, mperf, true, &apps_error);

  if (!apps) {
    eppd_bpf_error_listen();
    if (!open_and_load(object, mperf, false, error))
      return FALSE;
    object->apps_problem = g_strdup(apps_error->message);
  } else {
    object->apps = eppd_app_watch_new(object->skeleton);
  }
  object->programs[0] =
      mperf ? object->skeleton->progs.on_tick_mperf : object->skeleton->progs.on_tick_idle;
  object->programs[1] = mperf ? NULL : object->skeleton->progs.on_cpu_idle;
  return TRUE;
}

static gboolean
map_lines(EppdBpfObject *object, GError **error)
{
  void *lines;

  object->lines_bytes = object->n_cpus * sizeof(struct eppd_cpu_line);
  lines = mmap(NULL, object->lines_bytes, PROT_READ | PROT_WRITE, MAP_SHARED,
               bpf_map__fd(object->skeleton->maps.cpu_lines), 0);
  if (lines == MAP_FAILED)
    return eppd_error_set_errno(error, errno, "Could not map the CPUs' lines");
  object->lines = lines;
  return TRUE;
}

/* Takes one event; a negative result stops the ring buffer after it. */
static int
take_event(void *data, void *record, size_t size)
{
  EppdBpfObject *object = data;
  Batch *batch = &object->batch;

  if (size >= sizeof *batch->events)
    memcpy(&batch->events[batch->n++], record, sizeof *batch->events);
  return batch->n < batch->max ? 0 : -ECANCELED;
}

static gboolean
open_ring(EppdBpfObject *object, GError **error)
{
  object->ring =
      ring_buffer__new(bpf_map__fd(object->skeleton->maps.busy_events), take_event, object, NULL);
  if (!object->ring) {
    eppd_bpf_error_set(error, -errno, "Could not open the ring buffer");
    return FALSE;
  }
  return TRUE;
}

static gboolean
open_cpu(const EppdMsrEvent *mperf, const EppdMsrEvent *tsc, Counters *counters, GError **error)
{
  int mperf_fd = eppd_msr_event_open(mperf, counters->cpu, -1, error);
  int tsc_fd;

  if (mperf_fd < 0)
    return FALSE;
  tsc_fd = eppd_msr_event_open(tsc, counters->cpu, mperf_fd, error);
  if (tsc_fd < 0) {
    close(mperf_fd);
    return FALSE;
  }
  counters->mperf_fd = mperf_fd;
  counters->tsc_fd = tsc_fd;
  return TRUE;
}

/* Opens the counters of @cpu and puts them where the program finds them. */
static gboolean
add_cpu(EppdBpfObject *object,
        const EppdMsrEvent *mperf,
        const EppdMsrEvent *tsc,
        guint cpu,
        GError **error)
{
  Counters counters = {.cpu = cpu};
  int result;

  if (!open_cpu(mperf, tsc, &counters, error))
    return FALSE;
  g_array_append_val(object->counters, counters);

  result = bpf_map_update_elem(bpf_map__fd(object->skeleton->maps.mperf_events), &cpu,
                               &counters.mperf_fd, BPF_ANY);
  if (result == 0)
    result = bpf_map_update_elem(bpf_map__fd(object->skeleton->maps.tsc_events), &cpu,
                                 &counters.tsc_fd, BPF_ANY);
  if (result < 0)
    return eppd_error_set_errno(error, -result, "Could not hand over the counters of CPU %u", cpu);
  return TRUE;
}

static void
detach(EppdBpfObject *object)
{
  for (guint i = 0; i < G_N_ELEMENTS(object->links); i++)
    bpf_link__destroy(g_steal_pointer(&object->links[i]));
}

EppdBpfObject *
eppd_bpf_object_load(bool mperf, GError **error)
{
  g_autoptr(EppdBpfObject) object = g_new0(EppdBpfObject, 1);

  eppd_bpf_error_listen();
  object->counters = g_array_new(FALSE, FALSE, sizeof(Counters));
  if (!count_cpus(&object->n_cpus, error) || !load_programs(object, mperf, error) ||
      !map_lines(object, error) || !open_ring(object, error))
    return NULL;
  return g_steal_pointer(&object);
}

void
eppd_bpf_object_free(EppdBpfObject *object)
{
  if (!object)
    return;
  eppd_app_watch_free(object->apps);
  g_free(object->apps_problem);
  if (object->skeleton) {
    detach(object);
    eppd_bpf_object_close_counters(object);
  }
  g_array_unref(object->counters);
  ring_buffer__free(object->ring);
  if (object->lines)
    munmap(object->lines, object->lines_bytes);
  eppd_residency__destroy(object->skeleton);
  g_free(object);
}

struct eppd_cpu_line *
eppd_bpf_object_lines(EppdBpfObject *object, guint *n_cpus)
{
  *n_cpus = object->n_cpus;
  return object->lines;
}

volatile struct eppd_residency_config *
eppd_bpf_object_config(EppdBpfObject *object)
{
  return &object->skeleton->bss->config;
}

gboolean
eppd_bpf_object_open_counters(EppdBpfObject *object,
                              const EppdCpuList *cpus,
                              const char *mperf_event,
                              GError **error)
{
  g_autoptr(GError) first_error = NULL;
  EppdMsrEvent mperf, tsc;
  guint n_open = 0;

  if (!eppd_msr_event_find(mperf_event, &mperf, error) || !eppd_msr_event_find("tsc", &tsc, error))
    return FALSE;
  for (guint i = 0; i < cpus->n_cpus; i++) {
    if (cpus->cpus[i] < object->n_cpus &&
        add_cpu(object, &mperf, &tsc, cpus->cpus[i], first_error ? NULL : &first_error))
      n_open++;
  }

  if (n_open == 0 && first_error) {
    eppd_bpf_object_close_counters(object);
    g_propagate_error(error, g_steal_pointer(&first_error));
    return FALSE;
  }
  if (first_error)
    eppd_info("bpf", "%s: ignoring such CPUs", first_error->message);
  return TRUE;
}

void
eppd_bpf_object_close_counters(EppdBpfObject *object)
{
  for (guint i = 0; i < object->counters->len; i++) {
    const Counters *counters = &g_array_index(object->counters, Counters, i);

    /* The maps hold the events open as well. */
    bpf_map_delete_elem(bpf_map__fd(object->skeleton->maps.mperf_events), &counters->cpu);
    bpf_map_delete_elem(bpf_map__fd(object->skeleton->maps.tsc_events), &counters->cpu);
    close(counters->tsc_fd);
    close(counters->mperf_fd);
  }
  g_array_set_size(object->counters, 0);
}

gboolean
eppd_bpf_object_attach(EppdBpfObject *object, GError **error)
{
  eppd_bpf_error_listen();
  for (guint i = 0; object->programs[i]; i++) {
    struct bpf_link *link = bpf_program__attach(object->programs[i]);

    if (!link) {
      eppd_bpf_error_set(error, -errno, "Could not attach the BPF program");
      detach(object);
      return FALSE;
    }
    object->links[i] = link;
  }
  return TRUE;
}

void
eppd_bpf_object_detach(EppdBpfObject *object)
{
  detach(object);
}

const char *
eppd_bpf_object_apps_problem(const EppdBpfObject *object)
{
  return object->apps_problem;
}

gboolean
eppd_bpf_object_set_apps(EppdBpfObject *object,
                         const EppdAppRule *rules,
                         guint n_rules,
                         GError **error)
{
  /* Without the programs there is nobody to ask: the source does not know applications. */
  return !object->apps || eppd_app_watch_set(object->apps, rules, n_rules, error);
}

int
eppd_bpf_object_get_fd(EppdBpfObject *object)
{
  return ring_buffer__epoll_fd(object->ring);
}

guint
eppd_bpf_object_take_events(EppdBpfObject *object, struct eppd_busy_event *events, guint max)
{
  if (max == 0)
    return 0;
  object->batch = (Batch){.events = events, .max = max};
  ring_buffer__consume(object->ring);
  return object->batch.n;
}
