/* SPDX-License-Identifier: MIT */
/*
 * Events of a session that are not library calls, as rows of the record (calls/call_record.h). They
 * are described like functions, so that the same readers handle them.
 */
#ifndef CMDS_OWN_ROWS_H
#define CMDS_OWN_ROWS_H

#include "objects.h"

struct posted_wr;
struct record;

#define OWN_FIRST 512 /* above all numbers of call_table's rows */

enum own_row {
	OWN_MEM_PUT = OWN_FIRST, /* bytes were written to a region by hand */
	OWN_MEM_GET,		 /* bytes were read from one */
	OWN_OOB,		 /* both ends have exchanged the data of their QPs */
	OWN_LEFT_OUT,		 /* something that is not visible in calls */
	OWN_TCP_LISTEN,		 /* in the order of enum replay_row, with the same arguments */
	OWN_TCP_ACCEPT,
	OWN_TCP_CONNECT,
	OWN_TCP_SEND,
	OWN_TCP_RECV,
	OWN_TCP_CLOSE,
	OWN_STATE,  /* a QP has changed its state */
	OWN_BAD_WC, /* a completion with an error; kept longer than in the data path's ring */
	OWN_NOTICE, /* a notice of a peer or of the event loop */
	OWN_END
};

/* Registers these rows. To be called once, before the first event. */
void own_rows_begin(void);
/* The row of a record: an enum call_row, or an enum own_row. */
unsigned own_row_of(const struct record *r);

/* OWN_MEM_PUT, OWN_MEM_GET: len bytes at off; the n bytes at data are repeated over them. Of data
 * the first 4096 bytes are kept. */
void own_memory(enum own_row row, const struct mr *mr, uint64_t off, uint64_t len, const void *data,
		size_t n);
/* OWN_OOB: host "": the peer connected to this end. */
void own_oob(const struct qp *qp, const char *host, uint16_t port, const struct qp_peer *mine,
	     const struct qp_peer *peer);
/* OWN_TCP_LISTEN, OWN_TCP_ACCEPT (listener: its number, else 0), OWN_TCP_CONNECT: number is that of
 * the socket's object. */
void own_tcp(enum own_row row, uint64_t listener, uint64_t number, int fd);
/* OWN_TCP_SEND, OWN_TCP_RECV (n 0: the peer has closed). */
void own_tcp_bytes(enum own_row row, uint64_t number, const void *data, size_t n);
void own_tcp_close(uint64_t number);
/* OWN_LEFT_OUT: what is a function or a command; object: of its library, or NULL. */
void own_left_out(const char *what, const void *object);
/* Why a QP is in an error state: a flushed completion tells that it is, and no more. */
enum own_state_cause { STATE_ASKED, STATE_FAILED, STATE_FLUSHED };
/* OWN_STATE: from -1: the QP was created. */
void own_state(const struct qp *qp, int from, enum ibv_qp_state to, const char *why,
	       enum own_state_cause cause);
/* OWN_BAD_WC: of what was posted, or NULL; is_either: of struct live_wc. The record of the poll is
 * pushed out by later ones of the data path; this one explain finds as long as the calls of the
 * control path. */
void own_bad_wc(const struct qp *qp, const struct ibv_wc *wc, unsigned long command,
		const struct posted_wr *of, bool is_either);
void own_notice(const char *text, bool bad);

#endif
