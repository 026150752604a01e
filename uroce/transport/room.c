/* SPDX-License-Identifier: MIT */
/*
 * How much may be on its way by UDP from all QPs of this process together, and which QPs wait for
 * room: in the socket, or in the ring of a pair.
 *
 * The specification has no such limit, because a link has credits; a UDP socket has a buffer that
 * overflows. The windows of single QPs (completer.c) do not know of each other.
 *
 * In a socket buffer a packet takes the kernel's size of it: a power of two and a header.
 * READ responses are counted when they are asked for: they fill our own buffer.
 */
#include "transport_own.h"

/* Bytes: 212992, the usual net.core.rmem_max, which the kernel doubles. A QP that has nothing
 * in flight may go beyond by what the others leave: short messages do not queue behind long
 * ones. */
#define SOCKET_ROOM	 (320u * 1024)
#define SOCKET_ROOM_MOST (400u * 1024)
/* After that long, what was sent has left the buffer, or did not get into it. */
#define SOCKET_WAIT_NS 5000000u

static struct {
	uint32_t bytes; /* taken by QPs whose socket_epoch is this */
	uint32_t epoch;
	struct qp_list waiting; /* in the order in which they came */
	bool waking;		/* the first of them has its turn */
} socket_room = { .waiting = TAILQ_HEAD_INITIALIZER(socket_room.waiting) };

static struct qp_list ring_waiting = TAILQ_HEAD_INITIALIZER(ring_waiting);

/* Of a packet in the socket buffer. */
static uint32_t buffer_bytes(uint32_t len)
{
	return 256 + ring_slots(len + 512);
}

static uint32_t *bytes_taken(struct qp *qp)
{
	if (qp->req.socket_epoch != socket_room.epoch) {
		qp->req.socket_epoch = socket_room.epoch;
		qp->req.socket_bytes = 0;
	}
	return &qp->req.socket_bytes;
}

static bool socket_fits(uint32_t bytes)
{
	return (socket_room.waking || TAILQ_EMPTY(&socket_room.waiting)) &&
	       socket_room.bytes + bytes <= SOCKET_ROOM;
}

bool room_socket_has(uint32_t len)
{
	return socket_fits(buffer_bytes(len));
}

/* Starts the timer of a QP that waits. A timer that runs already keeps its time, however often the
 * QP asks. */
static void limit_socket_wait(struct timer *t)
{
	uint64_t when = engine_now() + SOCKET_WAIT_NS;

	if (!timer_running(t) || t->when > when)
		timer_set(t, when);
}

bool room_socket_take(struct qp *qp, uint32_t n, uint32_t len)
{
	bool idle = qp->req.next_psn == qp->req.una_psn;
	uint32_t bytes = n * buffer_bytes(len);

	if (socket_room.bytes && !socket_fits(bytes) &&
	    !(idle && socket_room.bytes + bytes <= SOCKET_ROOM_MOST)) {
		if (!qp->req.socket_wait) {
			TAILQ_INSERT_TAIL(&socket_room.waiting, qp, req.socket_next);
			qp->req.socket_wait = true;
		}
		if (idle) /* else the timer of the packets in flight runs */
			limit_socket_wait(&qp->req.timer);
		return false;
	}
	socket_room.bytes += bytes;
	*bytes_taken(qp) += bytes;
	return true;
}

void room_socket_return(struct qp *qp, uint32_t n, uint32_t in_flight)
{
	uint32_t *t = bytes_taken(qp), bytes;

	if (n >= in_flight)
		bytes = *t;
	else
		bytes = (uint32_t)((uint64_t)*t * n / in_flight);
	*t -= bytes;
	socket_room.bytes -= bytes;
}

void room_socket_return_all(struct qp *qp)
{
	room_socket_return(qp, 1, 1);
}

void room_socket_reset(void)
{
	socket_room.epoch++;
	socket_room.bytes = 0;
}

static void stop_waiting_for_socket(struct qp *qp)
{
	if (qp->req.socket_wait)
		TAILQ_REMOVE(&socket_room.waiting, qp, req.socket_next);
	qp->req.socket_wait = false;
}

static void stop_waiting_for_ring(struct qp *qp)
{
	if (qp->req.ring_wait)
		TAILQ_REMOVE(&ring_waiting, qp, req.ring_next);
	qp->req.ring_wait = false;
}

/* Lets those continue that wait, as long as there is room. */
static void wake_socket_waiters(void)
{
	struct qp *last = TAILQ_LAST(&socket_room.waiting, qp_list), *qp = NULL;

	socket_room.waking = true;
	while (qp != last && (qp = TAILQ_FIRST(&socket_room.waiting)) && room_socket_has(qp->mtu)) {
		stop_waiting_for_socket(qp);
		requester_run(qp);
	}
	socket_room.waking = false;
}

void room_wait_for_ring(struct qp *qp)
{
	if (qp->req.ring_wait)
		return;
	TAILQ_INSERT_TAIL(&ring_waiting, qp, req.ring_next);
	qp->req.ring_wait = true;
}

static void wake_ring_waiters(void)
{
	struct qp *last = TAILQ_LAST(&ring_waiting, qp_list), *qp = NULL;

	while (qp != last && (qp = TAILQ_FIRST(&ring_waiting))) {
		stop_waiting_for_ring(qp);
		transport_due(qp, DUE_NOW);
		requester_run(qp);
	}
}

void room_stop_waiting(struct qp *qp)
{
	stop_waiting_for_socket(qp);
	stop_waiting_for_ring(qp);
}

void room_wake_waiters(void)
{
	wake_socket_waiters();
	wake_ring_waiters();
}
