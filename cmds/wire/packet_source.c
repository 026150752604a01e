/* SPDX-License-Identifier: MIT */
#include "wire/packet_source.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "alloc.h"
#include "device/embedded.h"
#include "loop.h"
#include "objects.h"
#include "session.h"
#include "wire/libpcap.h"

#define WAITING_MAX 16384 /* queued packets; further ones are dropped */

struct waiting {
	STAILQ_ENTRY(waiting) link;
	struct uroce_packet p; /* p.ip is data */
	uint8_t data[];
};

struct packet_source {
	LIST_ENTRY(packet_source) link; /* in the list of sources of the tap */
	struct session *s;
	packet_source_fn *fn;
	void *arg;
	struct live *live; /* NULL: uses the tap */
	int event;
	pthread_mutex_t lock; /* the tap is called from any thread */
	STAILQ_HEAD(waiting_list, waiting) list;
	unsigned n, lost;
};

/* The device has only one tap, which all sources share. */
static LIST_HEAD(, packet_source) tapped = LIST_HEAD_INITIALIZER(tapped);
static pthread_mutex_t tapped_lock = PTHREAD_MUTEX_INITIALIZER;

static void queue_packet(struct packet_source *src, const struct uroce_packet *p)
{
	struct waiting *w;
	uint64_t one = 1;

	pthread_mutex_lock(&src->lock);
	w = src->n < WAITING_MAX ? malloc(sizeof *w + p->len) : NULL;
	if (w) {
		w->p = *p;
		memcpy(w->data, p->ip, p->len);
		w->p.ip = w->data;
		STAILQ_INSERT_TAIL(&src->list, w, link);
		src->n++;
	} else {
		src->lost++;
	}
	pthread_mutex_unlock(&src->lock);
	if (write(src->event, &one, sizeof one) < 0)
		return; /* the eventfd is at its maximum: the loop wakes up in any case */
}

/* Called in a thread of the device, with its lock held: must be quick. */
static void on_tap(void *arg, const struct uroce_packet *p)
{
	struct packet_source *src;

	(void)arg;
	pthread_mutex_lock(&tapped_lock);
	LIST_FOREACH(src, &tapped, link)
		queue_packet(src, p);
	pthread_mutex_unlock(&tapped_lock);
}

static void tap_add(struct packet_source *src)
{
	pthread_mutex_lock(&tapped_lock);
	LIST_INSERT_HEAD(&tapped, src, link);
	pthread_mutex_unlock(&tapped_lock);
}

/* Does not call the device with the lock held, because the device holds its own lock when it calls
 * on_tap(). */
static void tap_remove(struct packet_source *src)
{
	bool last;

	pthread_mutex_lock(&tapped_lock);
	LIST_REMOVE(src, link);
	last = LIST_EMPTY(&tapped);
	pthread_mutex_unlock(&tapped_lock);
	if (last)
		embedded_api()->tap(NULL, NULL);
}

static int tap_begin(struct packet_source *src, const struct embedded_api *api)
{
	tap_add(src);
	if (api->tap(on_tap, NULL) == 0)
		return 0;
	tap_remove(src);
	return -1;
}

static void drain_tap(struct packet_source *src)
{
	struct waiting_list list = STAILQ_HEAD_INITIALIZER(list);
	struct waiting *w;

	pthread_mutex_lock(&src->lock);
	STAILQ_CONCAT(&list, &src->list);
	src->n = 0;
	pthread_mutex_unlock(&src->lock);
	while ((w = STAILQ_FIRST(&list))) {
		STAILQ_REMOVE_HEAD(&list, link);
		src->fn(src->arg, &w->p);
		free(w);
	}
}

unsigned packet_source_drain(struct packet_source *src)
{
	unsigned lost;

	if (src->live)
		return live_drain(src->live, src->fn, src->arg);
	drain_tap(src);
	pthread_mutex_lock(&src->lock);
	lost = src->lost;
	src->lost = 0;
	pthread_mutex_unlock(&src->lock);
	return lost;
}

static void on_packets_ready(void *arg, int fd, short revents)
{
	struct packet_source *src = arg;
	uint64_t n;

	(void)revents;
	if (src->live)
		live_drain(src->live, src->fn, src->arg);
	else if (read(fd, &n, sizeof n) == sizeof n)
		drain_tap(src);
}

static int begin_tap(struct packet_source *src, const char *call, const struct embedded_api *api)
{
	src->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (src->event < 0)
		return fail_call(src->s, errno, call, "eventfd");
	if (tap_begin(src, api) == 0)
		return 0;
	fail_call(src->s, errno, call, "uroce_tap");
	close(src->event);
	return -1;
}

struct packet_source *packet_source_open(struct session *s, const char *call, const struct dev *dev,
					 packet_source_fn *fn, void *arg)
{
	const struct embedded_api *api = embedded_api();
	struct packet_source *src = xcalloc(1, sizeof *src);

	src->s = s;
	src->fn = fn;
	src->arg = arg;
	STAILQ_INIT(&src->list);
	pthread_mutex_init(&src->lock, NULL);
	if (api && begin_tap(src, call, api))
		goto undo;
	if (!api) {
		src->live = live_open(s, call, dev);
		if (!src->live)
			goto undo;
		src->event = live_fd(src->live);
	}
	loop_watch(s->loop, src->event, POLLIN, on_packets_ready, src);
	return src;
undo:
	pthread_mutex_destroy(&src->lock);
	free(src);
	return NULL;
}

void packet_source_pause(struct packet_source *src, bool on)
{
	if (src->live)
		return;
	if (on)
		tap_remove(src);
	else
		tap_begin(src, embedded_api());
}

void packet_source_close(struct packet_source *src)
{
	struct waiting *w;

	loop_unwatch(src->s->loop, src->event);
	if (src->live) {
		live_close(src->live);
	} else {
		tap_remove(src);
		close(src->event);
	}
	while ((w = STAILQ_FIRST(&src->list))) {
		STAILQ_REMOVE_HEAD(&src->list, link);
		free(w);
	}
	pthread_mutex_destroy(&src->lock);
	free(src);
}
