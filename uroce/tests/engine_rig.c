/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "checks.h"
#include "counters.h"
#include "engine.h"
#include "engine_rig.h"
#include "gid.h"
#include "group.h"
#include "link.h"
#include "conn.h"
#include "mad.h"
#include "preload/preload.h"
#include "queue_pair.h"
#include "rig.h"
#include "transport.h"

struct cq cq;
uint64_t counters[COUNTERS];

/* Of the engine: on a busy machine it would take longer than the tick for which an application that
 * polls keeps the reading, and no test would ever see it kept. */
int sched_yield(void)
{
	return 0;
}

uint64_t clock_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

void nap(int ms)
{
	poll(NULL, 0, ms);
}

void reaches(_Atomic unsigned *counter, unsigned value)
{
	for (int i = 0; i < PATIENCE && *counter < value; i++)
		nap(1);
	CHECK(*counter >= value);
}

void spin(unsigned ms)
{
	uint64_t until = clock_ns() + ms * UINT64_C(1000000);

	while (clock_ns() < until)
		engine_poll_empty(&cq);
}

bool parked(void)
{
	return atomic_load(&engine_parked);
}

void wait_unparked(void)
{
	for (int i = 0; i < PATIENCE && parked(); i++)
		nap(1);
	CHECK(!parked());
}

void park(void)
{
	uint64_t until = clock_ns() + PATIENCE * UINT64_C(1000000);
	bool done;

	do {
		engine_poll_empty(&cq);
		done = parked();
	} while (!done && clock_ns() < until);
	CHECK(done);
}

void flush(void)
{
	engine_lock();
	engine_flush();
	engine_unlock();
}

unsigned packets(void)
{
	return fake_engine.packets + fake_others.packets;
}

void arrive(unsigned n)
{
	for (int i = 0; i < PATIENCE && packets() < n; i++)
		nap(1);
	CHECK_INT(packets(), n);
}

/* On a busy machine it may still be at what came before. */
void stays_idle(void)
{
	unsigned before, tries = 0;

	do {
		before = fake_engine.passes;
		nap(300);
	} while (fake_engine.passes != before && tries++ < 10);
	CHECK_INT(fake_engine.passes, before);
}

struct fake_counts fake_engine, fake_others;
_Atomic pthread_t fake_reader, fake_asked;
_Atomic unsigned fake_mads, fake_messages, fake_refreshes, fake_flushes;
_Atomic unsigned fake_urgent, fake_deferred, fake_forgets;
_Atomic int fake_more;
_Atomic bool fake_ack_due, fake_frame_late, fake_hand_over;
int fake_join_errno;
struct cq *_Atomic fake_cq;
_Atomic int fake_event = -1;

/* What is sent to [1] comes out of [0]. */
static int own[2] = { -1, -1 }, gsi[2] = { -1, -1 }, control[2] = { -1, -1 };
static int addresses[2] = { -1, -1 };
static bool ack_due;

static void pair(int fd[2])
{
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0)
		perror("socketpair");
}

static void close_pair(int fd[2])
{
	for (unsigned i = 0; i < 2; i++) {
		close(fd[i]);
		fd[i] = -1;
	}
}

int group_join(char *reason, size_t size)
{
	if (fake_join_errno) {
		snprintf(reason, size, "the port is the cat's");
		errno = fake_join_errno;
		return -1;
	}
	pair(own);
	pair(gsi);
	pair(control);
	return 0;
}

void group_leave(void)
{
	close_pair(own);
	close_pair(gsi);
	close_pair(control);
}

void group_forget(void)
{
	group_leave();
	fake_forgets++;
}

void group_unlock(void)
{
}

int group_fd(void)
{
	fake_asked = pthread_self();
	return own[0];
}

int group_gsi_fd(void)
{
	return gsi[0];
}

int group_control_fd(void)
{
	return control[0];
}

static unsigned drain(int fd, unsigned max)
{
	unsigned n = 0;
	char byte;

	while (n < max && recv(fd, &byte, 1, MSG_DONTWAIT) >= 0)
		n++;
	return n;
}

static bool in_engine(void)
{
	char name[16] = "";

	pthread_getname_np(pthread_self(), name, sizeof(name));
	return strcmp(name, "uroce") == 0;
}

static struct fake_counts *counts_here(void)
{
	return in_engine() ? &fake_engine : &fake_others;
}

unsigned rx_packets(unsigned max, enum rx_socket socket)
{
	struct fake_counts *counts = counts_here();
	unsigned n = drain(own[0], max) + atomic_exchange(&rig_frames, 0);

	(void)socket;
	counts->passes++;
	if (n)
		fake_reader = pthread_self();
	counts->packets += n;
	if (n && fake_ack_due)
		ack_due = true;
	if (n && fake_cq)
		atomic_fetch_add(&fake_cq->tail, n);
	if (n && fake_event >= 0 && !(fake_hand_over && engine_hand_over(fake_event))) {
		uint64_t one = 1;

		if (write(fake_event, &one, sizeof(one)) < 0)
			perror("event");
	}
	return n;
}

unsigned rx_mads(void)
{
	fake_mads += drain(gsi[0], 100);
	return 0;
}

void group_serve(void)
{
	fake_messages += drain(control[0], 100);
}

void gid_refresh(void)
{
	fake_refreshes++;
}

int addrs_watch(void)
{
	if (addresses[0] < 0)
		pair(addresses);
	return dup(addresses[0]);
}

void addrs_seen(int fd)
{
	drain(fd, 100);
}

int link_setup(char *reason, size_t size)
{
	(void)reason;
	(void)size;
	return 0;
}

bool transport_finish(bool urgent)
{
	if (fake_frame_late)
		rig_frames = 1;
	counts_here()->turns++;
	if (urgent) {
		fake_urgent++;
		ack_due = false;
	} else {
		fake_deferred++;
	}
	if (fake_more <= 0)
		return false;
	fake_more--;
	return true;
}

void transport_take_back(void)
{
}

void transport_release_acks(void)
{
}

bool transport_deferred(void)
{
	return ack_due;
}

uint64_t transport_held_until(void)
{
	return UINT64_MAX;
}

void tx_flush(void)
{
	fake_flushes++;
}

static void send_to(int fd)
{
	if (send(fd, "x", 1, 0) < 0)
		perror("send");
}

void fake_send(void)
{
	send_to(own[1]);
}

void fake_send_mad(void)
{
	send_to(gsi[1]);
}

void fake_send_message(void)
{
	send_to(control[1]);
}

void fake_change_address(void)
{
	send_to(addresses[1]);
}

unsigned group_slot(void)
{
	return 0;
}

void conn_farewell(void)
{
}

void cm_forget(void)
{
	fake_forgets++;
}

void mcast_forget(void)
{
	fake_forgets++;
}

void qp_forget_all(void)
{
	fake_forgets++;
}

void device_forget(void)
{
	fake_forgets++;
}

void link_forget(void)
{
	fake_forgets++;
}

void cq_forget_all(void)
{
	fake_forgets++;
}

void tree_before_fork(void)
{
}

void tree_after_fork(void)
{
}

void tree_forget(void)
{
	fake_forgets++;
}
