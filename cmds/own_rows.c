/* SPDX-License-Identifier: MIT */
#include "own_rows.h"

#include <sys/socket.h>

#include "replay.h"
#include "call_record.h"
#include "live_program.h"

/* Readers use the members of these structs unchanged. */
static const struct call_value peer_fields[] = { { "qpn", CALL_QPN, .size = 4,
						   .offset = offsetof(struct qp_peer, qpn) },
						 { 0 } };
static const struct call_struct peer_struct = { "qp_peer", sizeof(struct qp_peer), peer_fields, 0 };

#define QP(name_)                                                  \
	{                                                          \
		name_, CALL_OBJECT, .object = OBJECT_QP, .size = 8 \
	}
#define MR(name_)                                                  \
	{                                                          \
		name_, CALL_OBJECT, .object = OBJECT_MR, .size = 8 \
	}
#define NUMBER(name_)                       \
	{                                   \
		name_, CALL_UINT, .size = 8 \
	}
#define TEXT(name_)                           \
	{                                     \
		name_, CALL_STRING, .size = 8 \
	}

static const struct call_value memory_args[] = { MR("mr"),
						 NUMBER("offset"),
						 NUMBER("len"),
						 { "data", CALL_DATA, .with = 5, .size = 8 },
						 { "n", CALL_UINT, .counts = 4, .size = 8 },
						 { 0 } };
static const struct call_value oob_args[] = {
	QP("qp"),
	TEXT("host"),
	NUMBER("port"),
	{ "mine", CALL_STRUCT, .of = &peer_struct, .pointer = true, .size = 8 },
	{ "peer", CALL_STRUCT, .of = &peer_struct, .pointer = true, .size = 8 },
	{ 0 }
};
static const struct call_value state_args[] = { QP("qp"),    NUMBER("from"),  NUMBER("to"),
						TEXT("why"), NUMBER("cause"), { 0 } };
static const struct call_value bad_wc_args[] = { QP("qp"),
						 NUMBER("serial"),
						 NUMBER("status"),
						 NUMBER("command"),
						 { "of", CALL_DATA, .with = 6, .size = 8 },
						 { "n", CALL_UINT, .counts = 5, .size = 8 },
						 NUMBER("either"),
						 NUMBER("vendor_err"),
						 { 0 } };
static const struct call_value notice_args[] = { TEXT("text"), NUMBER("bad"), { 0 } };
static const struct call_value left_out_args[] = { TEXT("what"), NUMBER("object"), { 0 } };

#define ROW(i, name_, path_, args_)                                           \
	[(i)-OWN_FIRST] = { .name = (name_),                                  \
			    .header = "",                                     \
			    .path = (path_),                                  \
			    .says = RESULT_NOTHING,                           \
			    .args = (args_),                                  \
			    .result = { .name = (name_), .kind = CALL_VOID }, \
			    .prototype = "" }

static const struct call_fn rows[OWN_END - OWN_FIRST] = {
	ROW(OWN_MEM_PUT, "mem put", CALL_DATAPATH, memory_args),
	ROW(OWN_MEM_GET, "mem get", CALL_DATAPATH, memory_args),
	ROW(OWN_OOB, "oob", CALL_SETUP, oob_args),
	ROW(OWN_LEFT_OUT, "left out", CALL_SETUP, left_out_args),
	ROW(OWN_TCP_LISTEN, "tcp listen", CALL_SETUP, replay_socket_args),
	ROW(OWN_TCP_ACCEPT, "tcp accept", CALL_SETUP, replay_accept_args),
	ROW(OWN_TCP_CONNECT, "tcp connect", CALL_SETUP, replay_socket_args),
	ROW(OWN_TCP_SEND, "tcp send", CALL_SETUP, replay_stream_args),
	ROW(OWN_TCP_RECV, "tcp recv", CALL_SETUP, replay_stream_args),
	ROW(OWN_TCP_CLOSE, "tcp close", CALL_SETUP, replay_close_args),
	ROW(OWN_STATE, "state", CALL_SETUP, state_args),
	ROW(OWN_BAD_WC, "bad completion", CALL_SETUP, bad_wc_args),
	ROW(OWN_NOTICE, "notice", CALL_SETUP, notice_args),
};

void own_rows_begin(void)
{
	static bool begun;

	if (begun)
		return;
	begun = true;
	record_own_rows(rows, OWN_END - OWN_FIRST);
}

unsigned own_row_of(const struct record *r)
{
	return r->fn >= rows && r->fn < rows + (OWN_END - OWN_FIRST)
		       ? OWN_FIRST + (unsigned)(r->fn - rows)
		       : (unsigned)(r->fn - call_table);
}

#define P(p) (uint64_t)(uintptr_t)(p)

static void record_own(enum own_row row, const uint64_t *args)
{
	record_event(row - OWN_FIRST, args, 0);
}

void own_memory(enum own_row row, const struct mr *mr, uint64_t off, uint64_t len, const void *data,
		size_t n)
{
	record_own(row, (uint64_t[]){ P(mr->v), off, len, P(data), n < 4096 ? n : 4096 });
}

void own_oob(const struct qp *qp, const char *host, uint16_t port, const struct qp_peer *mine,
	     const struct qp_peer *peer)
{
	record_own(OWN_OOB, (uint64_t[]){ P(qp->v), P(host), port, P(mine), P(peer) });
}

void own_tcp(enum own_row row, uint64_t listener, uint64_t number, int fd)
{
	struct sockaddr_storage at = { 0 };
	socklen_t n = sizeof at;

	if ((row == OWN_TCP_LISTEN ? getsockname : getpeername)(fd, (struct sockaddr *)&at, &n))
		return;
	if (row == OWN_TCP_ACCEPT)
		record_own(row, (uint64_t[]){ listener, number, P(&at), n });
	else
		record_own(row, (uint64_t[]){ number, P(&at), n });
}

void own_tcp_bytes(enum own_row row, uint64_t number, const void *data, size_t n)
{
	const char *at = data;
	size_t piece, left = n;

	do {
		piece = left < RECORD_DATA_MAX ? left : RECORD_DATA_MAX;
		if (n - left >= REPLAY_STREAM_MAX)
			record_own(row, (uint64_t[]){ number, 0, 0, left });
		else
			record_own(row, (uint64_t[]){ number, P(at), piece, 0 });
		at += piece;
		left -= n - left >= REPLAY_STREAM_MAX ? left : piece;
	} while (left);
}

void own_tcp_close(uint64_t number)
{
	record_own(OWN_TCP_CLOSE, (uint64_t[]){ number });
}

void own_left_out(const char *what, const void *object)
{
	record_own(OWN_LEFT_OUT, (uint64_t[]){ P(what), P(object) });
}

void own_state(const struct qp *qp, int from, enum ibv_qp_state to, const char *why,
	       enum own_state_cause cause)
{
	record_own(OWN_STATE, (uint64_t[]){ P(qp->v), (uint64_t)(int64_t)from, to, P(why), cause });
}

void own_bad_wc(const struct qp *qp, const struct ibv_wc *wc, unsigned long command,
		const struct posted_wr *of, bool is_either)
{
	record_own(OWN_BAD_WC, (uint64_t[]){ P(qp->v), qp->o.serial, wc->status, command, P(of),
					     of ? sizeof *of : 0, is_either, wc->vendor_err });
}

void own_notice(const char *text, bool bad)
{
	record_own(OWN_NOTICE, (uint64_t[]){ P(text), bad });
}
