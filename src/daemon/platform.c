/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "daemon/platform.h"

#include "base/log.h"
#include "daemon/event-source.h"
#include "hardware/file-watch.h"
#include "hardware/lap-mode.h"
#include "hardware/platform-profile.h"
#include "policy/profile-drivers.h"

#include <unistd.h>

/* After a look at what poll() told that found nothing new, until the next such look: doubled from
 * the first to the last. */
#define REST_FIRST_USEC (10 * 1000)
#define REST_LAST_USEC  (1 * G_USEC_PER_SEC)

struct _EppdPlatform {
  EppdSysRoot *root;
  EppdPlatformListener listener;
  gpointer data;
  EppdPlatformProfile *hardware; /* NULL: blocked, and nothing below happens */

  /* What the listener knows: it was told, or did it. */
  bool has_driver;
  bool on_lap;
  bool has_profile;
  EppdProfile profile;
  /* What the file read at the last look, or was written since: anything else is news. */
  bool has_seen;
  EppdPlatformChoice seen;

  EppdFileWatch *files;    /* NULL: none could be made */
  GSource *files_source;   /* …what was written to plain files, or by other programs */
  GSource *profile_source; /* POLLPRI of the profile's file: all else */
  GSource *lap_source;     /* …and of the lap's */
  int lap_fd;              /* -1: no such file */
  GSource *look_source;    /* ready when there is news: one change may come by several ways */
  gint64 looked_usec;      /* when that was last */
  gint64 rest_usec;        /* …and what poll() tells then waits so long; 0: not at all */
};

static void
look_soon(EppdPlatform *platform)
{
  g_source_set_ready_time(platform->look_source, 0);
}

static gboolean
on_files(int fd, GIOCondition condition, gpointer data)
{
  EppdPlatform *platform = data;
  bool vanished;

  g_array_unref(eppd_file_watch_drain(platform->files, &vanished));
  look_soon(platform);
  return G_SOURCE_CONTINUE;
}

/* The look polls anew; until then this would go on and on. So would the looks, and keep the bus
 * waiting, where a file can't be read: what was never read stays news. */
static gboolean
on_poll_news(int fd, GIOCondition condition, gpointer data)
{
  EppdPlatform *platform = data;

  if (g_get_monotonic_time() - platform->looked_usec > REST_LAST_USEC)
    platform->rest_usec = 0;
  if (g_source_get_ready_time(platform->look_source) < 0)
    g_source_set_ready_time(platform->look_source, platform->looked_usec + platform->rest_usec);
  return G_SOURCE_REMOVE;
}

static GSource *
poll_news(EppdPlatform *platform, int fd)
{
  if (fd < 0)
    return NULL;
  return eppd_event_source_fd(fd, G_IO_PRI | G_IO_ERR, EPPD_PRIORITY_MACHINE,
                              G_SOURCE_FUNC(on_poll_news), platform);
}

static void
close_polled(EppdPlatform *platform)
{
  eppd_event_source_clear(&platform->profile_source);
  eppd_event_source_clear(&platform->lap_source);
  if (platform->lap_fd >= 0)
    close(platform->lap_fd);
  platform->lap_fd = -1;
}

/* What is not there (yet) can't be watched; that it came is told by uevents. */
static void
watch_files(EppdPlatform *platform)
{
  g_autofree char *lap_directory = eppd_lap_mode_directory(platform->root);

  if (!platform->files)
    return;
  eppd_file_watch_add_directory(platform->files,
                                eppd_platform_profile_directory(platform->hardware), 0, NULL);
  eppd_file_watch_add(platform->files, eppd_platform_profile_path(platform->hardware), 0, NULL);
  eppd_file_watch_add_directory(platform->files, lap_directory, 0, NULL);
}

static bool
is_at(const EppdPlatform *platform, EppdPlatformChoice choice, EppdProfile profile)
{
  guint choices = eppd_platform_profile_choices(platform->hardware);

  return eppd_platform_choice_is_at(choices, choice, profile);
}

/* Whether it came, or went. */
static bool
look_at_driver(EppdPlatform *platform)
{
  guint choices = eppd_platform_profile_choices(platform->hardware);
  bool has_driver = eppd_platform_choices_are_usable(choices);

  if (has_driver == platform->has_driver)
    return false;
  platform->has_driver = has_driver;
  /* What a driver comes with was chosen by nobody. */
  platform->has_seen = false;
  eppd_info("platform", "%s %s balanced and performance",
            eppd_platform_profile_path(platform->hardware),
            has_driver ? "offers" : "no longer offers");
  return true;
}

/* Whether somebody else chose another profile. */
static bool
look_at_profile(EppdPlatform *platform)
{
  g_autoptr(GError) error = NULL;
  EppdPlatformChoice choice;
  EppdProfile profile;
  bool is_news;

  /* Without a driver too: what was never read stays news to poll(). */
  if (!eppd_platform_profile_read(platform->hardware, &choice, &error)) {
    /* A plain file is empty while it is written; then it is news again. */
    eppd_debug("platform", "%s; ignoring", error->message);
    return false;
  }
  if (!platform->has_driver)
    return false;
  is_news = platform->has_seen && choice != platform->seen;
  platform->seen = choice;
  platform->has_seen = true;
  if (!is_news || (platform->has_profile && is_at(platform, choice, platform->profile)) ||
      !eppd_platform_choice_profile(choice, &profile))
    return false;

  eppd_info("platform", "the firmware is at %s now", eppd_platform_choice_text(choice));
  platform->profile = profile;
  platform->has_profile = true;
  return true;
}

/* Whether it was put onto a lap, or taken off. */
static bool
look_at_lap(EppdPlatform *platform)
{
  bool on_lap = platform->on_lap;

  platform->lap_fd = eppd_lap_mode_open(platform->root, &on_lap);
  on_lap = on_lap && platform->has_driver;
  if (on_lap == platform->on_lap)
    return false;
  platform->on_lap = on_lap;
  return true;
}

typedef struct {
  bool driver;
  bool profile;
  bool lap;
} News;

/* Watches first and reads then: a change in between is looked at once more. */
static News
look(EppdPlatform *platform)
{
  News news;

  close_polled(platform);
  eppd_platform_profile_refresh(platform->hardware);
  watch_files(platform);
  news.driver = look_at_driver(platform);
  news.profile = look_at_profile(platform);
  news.lap = look_at_lap(platform);
  platform->profile_source = poll_news(platform, eppd_platform_profile_fd(platform->hardware));
  platform->lap_source = poll_news(platform, platform->lap_fd);
  return news;
}

static gboolean
on_look(gpointer data)
{
  EppdPlatform *platform = data;
  News news = look(platform);
  EppdProfile chosen = platform->profile;
  bool any = news.driver || news.profile || news.lap;

  platform->looked_usec = g_get_monotonic_time();
  platform->rest_usec = any ? 0 : CLAMP(2 * platform->rest_usec, REST_FIRST_USEC, REST_LAST_USEC);

  if (news.driver)
    platform->listener.driver_changed(platform->data);
  if (news.lap)
    platform->listener.lap_changed(platform->data);
  if (news.profile)
    platform->listener.firmware_chose(chosen, platform->data);
  return G_SOURCE_CONTINUE;
}

const char *
eppd_platform_driver(const EppdPlatform *platform)
{
  return platform->has_driver ? EPPD_DRIVER_PLATFORM_PROFILE : EPPD_DRIVER_PLACEHOLDER;
}

/* Puts the file to @profile, unless it is there. */
static gboolean
write_profile(EppdPlatform *platform, EppdProfile profile, GError **error)
{
  guint choices = eppd_platform_profile_choices(platform->hardware);
  EppdPlatformChoice choice;

  if (!eppd_platform_profile_read(platform->hardware, &choice, NULL) ||
      !is_at(platform, choice, profile)) {
    choice = eppd_platform_choice_for(choices, profile);
    if (!eppd_platform_profile_write(platform->hardware, choice, error))
      return FALSE;
  }
  platform->seen = choice;
  platform->has_seen = true;
  return TRUE;
}

gboolean
eppd_platform_apply(EppdPlatform *platform, EppdProfile profile, GError **error)
{
  if (platform->has_driver && !write_profile(platform, profile, error)) {
    /* The driver may be gone, and reading took what POLLPRI told. */
    look_soon(platform);
    return FALSE;
  }
  platform->profile = profile;
  platform->has_profile = true;
  return TRUE;
}

void
eppd_platform_look_again(EppdPlatform *platform)
{
  if (platform->hardware)
    look_soon(platform);
}

bool
eppd_platform_is_on_lap(const EppdPlatform *platform)
{
  return platform->on_lap;
}

static void
start(EppdPlatform *platform)
{
  g_autoptr(GError) error = NULL;

  platform->hardware = eppd_platform_profile_new(platform->root);
  platform->look_source = eppd_event_source_timer(EPPD_PRIORITY_MACHINE, on_look, platform);
  platform->files = eppd_file_watch_new(&error);
  if (platform->files)
    platform->files_source =
        eppd_event_source_fd(eppd_file_watch_fd(platform->files), G_IO_IN, EPPD_PRIORITY_MACHINE,
                             G_SOURCE_FUNC(on_files), platform);
  else
    eppd_warning("platform", "files are not watched: %s; ignoring", error->message);
  look(platform);
}

EppdPlatform *
eppd_platform_new(EppdSysRoot *root,
                  bool blocked,
                  const EppdPlatformListener *listener,
                  gpointer data)
{
  EppdPlatform *platform = g_new0(EppdPlatform, 1);

  platform->root = eppd_sys_root_ref(root);
  platform->listener = *listener;
  platform->data = data;
  platform->lap_fd = -1;
  if (!blocked)
    start(platform);
  return platform;
}

void
eppd_platform_free(EppdPlatform *platform)
{
  close_polled(platform);
  eppd_event_source_clear(&platform->look_source);
  eppd_event_source_clear(&platform->files_source);
  g_clear_pointer(&platform->files, eppd_file_watch_free);
  g_clear_pointer(&platform->hardware, eppd_platform_profile_free);
  eppd_sys_root_unref(platform->root);
  g_free(platform);
}
