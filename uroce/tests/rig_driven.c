/* SPDX-License-Identifier: MIT */
/* The floors that the engine drives. Packets, MADs and messages are datagrams on socket pairs; the
 * rest of the device only counts. */
#include <errno.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "conn.h"
#include "group.h"
#include "preload/preload.h"
#include "rig.h"

struct rig_counts rig_thread, rig_others;
_Atomic pthread_t rig_reader;
_Atomic unsigned rig_mads_read, rig_messages, rig_tx_flushes;
_Atomic unsigned rig_forgets;
_Atomic int rig_more;
_Atomic bool rig_frame_late, rig_offers_event;
int rig_join_errno;
struct cq *_Atomic rig_filled_cq;
_Atomic int rig_event_fd = -1;

/* A datagram that is sent to [1] comes out of [0]. */
static int own[2] = { -1, -1 }, gsi[2] = { -1, -1 }, control[2] = { -1, -1 };
static int addresses[2] = { -1, -1 };

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
	if (rig_join_errno) {
		snprintf(reason, size, "the port is the cat's");
		errno = rig_join_errno;
		return -1;
	}
	pair(own);
	rig_group_fd = own[0];
	pair(gsi);
	pair(control);
	return 0;
}

void group_leave(void)
{
	close_pair(own);
	rig_group_fd = -1;
	close_pair(gsi);
	close_pair(control);
}

void group_forget(void)
{
	group_leave();
	rig_forgets++;
}

void group_unlock(void)
{
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

static struct rig_counts *counts_here(void)
{
	return in_engine() ? &rig_thread : &rig_others;
}

unsigned rx_packets(unsigned max, enum rx_socket socket)
{
	struct rig_counts *counts = counts_here();
	unsigned n = drain(own[0], max) + atomic_exchange(&rig_frames, 0);

	(void)socket;
	counts->passes++;
	if (n)
		rig_reader = pthread_self();
	counts->packets += n;
	if (n && rig_filled_cq)
		atomic_fetch_add(&rig_filled_cq->tail, n);
	if (n && rig_event_fd >= 0 && !(rig_offers_event && engine_hand_over(rig_event_fd))) {
		uint64_t one = 1;

		if (write(rig_event_fd, &one, sizeof(one)) < 0)
			perror("event");
	}
	return n;
}

unsigned rx_mads(void)
{
	rig_mads_read += drain(gsi[0], 100);
	return 0;
}

void group_serve(void)
{
	rig_messages += drain(control[0], 100);
}

int gid_addrs_watch(void)
{
	if (addresses[0] < 0)
		pair(addresses);
	return dup(addresses[0]);
}

void gid_addrs_seen(int fd)
{
	drain(fd, 100);
}

int link_setup(char *reason, size_t size)
{
	(void)reason;
	(void)size;
	return 0;
}

bool transport_finish(void)
{
	if (rig_frame_late)
		rig_frames = 1;
	counts_here()->turns++;
	if (rig_more <= 0)
		return false;
	rig_more--;
	return true;
}

void transport_release_acks(void)
{
}

uint64_t transport_held_until(void)
{
	return UINT64_MAX;
}

void tx_flush(void)
{
	rig_tx_flushes++;
}

static void send_to(int fd)
{
	if (send(fd, "x", 1, 0) < 0)
		perror("send");
}

void rig_send(void)
{
	send_to(own[1]);
}

void rig_send_mad(void)
{
	send_to(gsi[1]);
}

void rig_send_message(void)
{
	send_to(control[1]);
}

void rig_change_address(void)
{
	send_to(addresses[1]);
}

void conn_farewell(void)
{
}

void cm_forget(void)
{
	rig_forgets++;
}

void mcast_forget(void)
{
	rig_forgets++;
}

void qp_forget_all(void)
{
	rig_forgets++;
}

void device_forget(void)
{
	rig_forgets++;
}

void link_forget(void)
{
	rig_forgets++;
}

void cq_forget_all(void)
{
	rig_forgets++;
}

void lent_forget_all(void)
{
}

void tree_before_fork(void)
{
}

void tree_after_fork(void)
{
}

void tree_forget(void)
{
	rig_forgets++;
}
