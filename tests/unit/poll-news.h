/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include "scratch.h"

#include <poll.h>

/* A file that raises POLLPRI as the kernel's attributes do, at a test's own word: cgroup.events of
 * a cgroup that is frozen and thawed. A link to it stands for an attribute, one without sense. */
typedef struct {
  char *dir;
  bool is_frozen;
} PollNews;

static inline void
poll_news_free(PollNews *news)
{
  rmdir(news->dir);
  g_free(news->dir);
  g_free(news);
}

/* NULL where the machine lets no such cgroup be made. */
static inline PollNews *
poll_news_new(void)
{
  static const char *const places[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};

  for (gsize i = 0; i < G_N_ELEMENTS(places); i++) {
    g_autofree char *dir = g_strdup_printf("%s/eppd-test-%d", places[i], (int)getpid());
    g_autofree char *file = g_build_filename(dir, "cgroup.freeze", NULL);
    PollNews *news;

    if (g_mkdir(dir, 0755) != 0)
      continue;
    news = g_new0(PollNews, 1);
    news->dir = g_steal_pointer(&dir);
    if (g_access(file, W_OK) == 0)
      return news;
    poll_news_free(news);
  }
  return NULL;
}

static inline void
poll_news_link(const PollNews *news, const Scratch *dir, const char *file)
{
  g_autofree char *events = g_build_filename(news->dir, "cgroup.events", NULL);

  scratch_symlink(dir, events, file);
}

static inline void
poll_news_raise(PollNews *news)
{
  g_autofree char *file = g_build_filename(news->dir, "cgroup.freeze", NULL);
  FILE *stream = g_fopen(file, "w");

  news->is_frozen = !news->is_frozen;
  g_assert_nonnull(stream);
  g_assert_cmpint(fputs(news->is_frozen ? "1" : "0", stream), >=, 0);
  g_assert_cmpint(fclose(stream), ==, 0);
}

/* Whether @fd has such news within @wait_ms. */
static inline bool
poll_news_is_raised(int fd, int wait_ms)
{
  struct pollfd pollfd = {.fd = fd, .events = POLLPRI};

  return poll(&pollfd, 1, wait_ms) == 1 && (pollfd.revents & POLLPRI);
}

G_DEFINE_AUTOPTR_CLEANUP_FUNC(PollNews, poll_news_free)
