/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "counters.h"
#include "engine.h"
#include "fake_verbs.h"
#include "gid.h"
#include "link.h"
#include "queue_pair.h"
#include "timer.h"
#include "transport.h"

/* -- the environment -- */

const char *fake_name_refused;

const char *device_name(void)
{
	return "uroce0";
}

int device_name_check(char *reason, size_t size)
{
	if (!fake_name_refused)
		return 0;
	snprintf(reason, size, "%s", fake_name_refused);
	errno = EINVAL;
	return -1;
}

/* -- engine -- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t woken = PTHREAD_COND_INITIALIZER;

int fake_engine_error;
unsigned fake_engine_users, fake_sleeps;
_Atomic unsigned fake_polls;

void engine_lock(void)
{
	pthread_mutex_lock(&lock);
}

void engine_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void engine_sleep(void)
{
	fake_sleeps++;
	pthread_cond_wait(&woken, &lock);
}

void engine_wake_all(void)
{
	pthread_cond_broadcast(&woken);
}

int engine_get(void)
{
	if (fake_engine_error) {
		errno = fake_engine_error;
		return -1;
	}
	fake_engine_users++;
	return 0;
}

void engine_put(void)
{
	fake_engine_users--;
}

const char *engine_reason(void)
{
	return "the test wants it so";
}

void engine_flush(void)
{
}

void engine_flush_here(void)
{
	engine_flush();
}

void engine_poll_empty(struct cq *cq)
{
	(void)cq;
	fake_polls++;
}

_Atomic bool engine_parked, engine_parked_away;

void engine_unpark(void)
{
}

void engine_unpark_armed(void)
{
}

bool engine_hand_over(int fd)
{
	(void)fd;
	return false;
}

int engine_wait_fd(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, -1) < 0 ? -1 : 0;
}

uint64_t engine_now(void)
{
	return 1;
}

/* -- timers: those of queues that are overrun -- */

static struct timer *set[16];

void timer_set(struct timer *t, uint64_t when)
{
	t->when = when;
	for (unsigned i = 0; i < 16; i++)
		if (!set[i]) {
			set[i] = t;
			t->place = i + 1;
			return;
		}
}

void timer_stop(struct timer *t)
{
	if (t->place)
		set[t->place - 1] = NULL;
	t->place = 0;
}

int timer_reserve(int n)
{
	(void)n;
	return 0;
}

void fake_timers(void)
{
	engine_lock();
	for (unsigned i = 0; i < 16; i++) {
		struct timer *t = set[i];

		if (!t)
			continue;
		timer_stop(t);
		t->fn(t);
	}
	engine_unlock();
}

/* -- link -- */

uint64_t counters[COUNTERS];
void (*gid_changed)(void);
bool fake_no_gids;

unsigned gid_count(void)
{
	return fake_no_gids ? 0 : 3;
}

/* ::ffff:192.0.2.1, nothing, ::1 */
const struct gid_entry *gid_at(unsigned index)
{
	static struct gid_entry first = { .ifname = "eth0", .ifindex = 2, .mtu = 1500 };
	static struct gid_entry last = { .ifname = "lo", .ifindex = 1, .mtu = 65536 };

	inet_pton(AF_INET6, "::ffff:192.0.2.1", &first.gid);
	inet_pton(AF_INET6, "::1", &last.gid);
	if (fake_no_gids)
		return NULL;
	return index == 0 ? &first : index == 2 ? &last : NULL;
}

enum ibv_mtu gid_path_mtu(unsigned ifmtu)
{
	return ifmtu < 4096 ? IBV_MTU_1024 : IBV_MTU_4096;
}

void gid_refresh(void)
{
}

/* -- QPs -- */

static struct qp *qps[8];
unsigned fake_failures;
int fake_last_event;
struct ibv_mw_bind fake_posted;
uint32_t fake_posted_rkey;
int fake_post_error;

void fake_qp_add(struct qp *qp)
{
	for (unsigned i = 0; i < 8; i++)
		if (!qps[i]) {
			qps[i] = qp;
			return;
		}
}

void fake_qps_clear(void)
{
	memset(qps, 0, sizeof qps);
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	for (unsigned i = 0; i < 8; i++)
		if (qps[i])
			fn(qps[i], arg);
}

void transport_fail(struct qp *qp, int event)
{
	fake_failures++;
	fake_last_event = event;
	qp->attr.qp_state = IBV_QPS_ERR;
}

int post_bind(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind *b)
{
	(void)qp;
	(void)mw;
	fake_posted = *b;
	fake_posted_rkey = rkey;
	return fake_post_error;
}

void mcast_refresh(void)
{
}

void context_ops_qp(struct context *c)
{
	(void)c;
}

void context_ops_srq(struct context *c)
{
	(void)c;
}
