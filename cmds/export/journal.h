/* SPDX-License-Identifier: MIT */
/*
 * The journal: the library calls of the session, in order, for export to play again.
 *
 * A note stands right after a call that went well. It keeps values, not text, so that a post
 * costs one small allocation. Objects are named by their serial: a name may come again. There
 * are two rings, for the control path and for the data path, so that many posts do not push
 * out what they were posted with.
 */
#ifndef CMDS_JOURNAL_H
#define CMDS_JOURNAL_H

#include <sys/socket.h>

#include "objects.h"

struct post_req;

enum note_kind {
	NOTE_MADE,
	NOTE_GONE,
	NOTE_BIND,
	NOTE_LISTEN,
	NOTE_RESOLVE_ADDR,
	NOTE_RESOLVE_ROUTE,
	NOTE_CONNECT,
	NOTE_ACCEPT,
	NOTE_REJECT,
	NOTE_DISCONNECT,
	NOTE_EVENT,
	NOTE_MODIFY_QP,
	NOTE_OOB,
	NOTE_OTHER, /* any other: data is its arguments, or NULL */
	NOTE_DATA,  /* from here on: the data path */
	NOTE_POST = NOTE_DATA,
	NOTE_WC,
	NOTE_ARM,
	NOTE_CQ_EVENT,
	NOTE_PUT,
	NOTE_GET,
};

#define MADE_OF 5

/* NOTE_MADE */
struct made_note {
	const struct obj_class *class;
	char name[32];
	/* serials. cc, pd: dev. cq: dev cc. mr, mw, srq, ah: pd. id: ec listener. qp: pd send_cq
	 * recv_cq srq id */
	uint64_t of[MADE_OF];
	union {
		struct {
			uint64_t addr, len;
			unsigned access;
			uint32_t lkey, rkey;
		} mr;
		struct {
			enum ibv_qp_type type;
			struct ibv_qp_cap cap;
			bool sq_sig_all;
			uint32_t qpn;
		} qp;
		struct {
			struct ibv_ah_attr attr;
			uint32_t qpn, qkey;
		} ah;
		struct {
			enum ibv_mw_type type;
			uint32_t rkey;
		} mw;
		struct {
			uint32_t max_wr, max_sge;
		} srq;
		struct {
			enum rdma_port_space ps;
			bool passive;
		} id;
		int cqe;
	};
};

/* NOTE_BIND (dst), NOTE_RESOLVE_ADDR */
struct addr_note {
	struct sockaddr_storage src, dst;
	bool from; /* src is given */
};

/* NOTE_CONNECT, NOTE_ACCEPT; NOTE_REJECT has the private data alone */
struct conn_note {
	struct rdma_conn_param p;
	unsigned char data[256];
};

/* NOTE_EVENT: the id it is of is the note's; a request's own id came before */
struct event_note {
	struct cm_event ev;
	uint64_t listener; /* of a request, or 0 */
};

/* NOTE_OOB: the two ends have told each other of their QPs */
struct oob_note {
	char host[64]; /* "": the peer has come to us */
	uint16_t port;
	struct qp_peer mine, peer;
};

struct modify_note {
	struct ibv_qp_attr a;
	unsigned mask;
	uint64_t id; /* rdma_init_qp_attr() of it gave the rest, or 0 */
};

struct post_item {
	struct ibv_send_wr wr;
	uint64_t mw, bound, ah;
	struct ibv_sge *sge;
};

/* NOTE_POST: of a QP, or of an SRQ */
struct post_note {
	bool recv;
	unsigned n, left_out; /* items; how many more the list had */
	struct post_item item[];
};

struct note {
	enum note_kind kind;
	uint64_t seq;
	uint64_t obj; /* serial of what it is about */
	union {
		struct ibv_wc wc;
		int num; /* backlog, milliseconds, solicited */
		struct {
			uint64_t off, len;
			uint32_t kept; /* bytes at data: all of it, or a pattern, or what fits */
		} mem;
		const char *call; /* NOTE_OTHER */
	};
	void *data; /* one of the structs above, or bytes */
};

#define NOTE_BYTES 4096 /* of a region that are kept at a time */

/* Each notes one call that has succeeded. */
void journal_made(struct session *s, const struct obj *o);
void journal_gone(struct session *s, const struct obj *o);
/* src: NULL or where from; num: milliseconds, backlog. */
void journal_addr(struct session *s, enum note_kind kind, const struct id *id,
		  const struct sockaddr *src, const struct sockaddr *dst, int num);
void journal_call(struct session *s, enum note_kind kind, const struct obj *o, int num);
void journal_conn(struct session *s, enum note_kind kind, const struct id *id,
		  const struct rdma_conn_param *p);
void journal_event(struct session *s, const struct id *id, const struct cm_event *ev);
/* mask: what was not taken from id (NULL: all). */
void journal_modify(struct session *s, const struct qp *qp, const struct ibv_qp_attr *a,
		    unsigned mask, const struct id *id);
void journal_oob(struct session *s, const struct qp *qp, const char *host, uint16_t port,
		 const struct qp_peer *mine, const struct qp_peer *peer);
void journal_post(struct session *s, struct post_req *const reqs[], unsigned n);
void journal_wc(struct session *s, const struct cq *cq, const struct ibv_wc *wc);
/* Bytes written to (NOTE_PUT) or read from (NOTE_GET) a region by hand; of a pattern that is
 * repeated over len, n bytes at data. */
void journal_mem(struct session *s, enum note_kind kind, const struct mr *mr, uint64_t off,
		 uint64_t len, const void *data, size_t n);
/* A call with these arguments in C, '@' for the object; args NULL: it is not exported, and the
 * program says so. call is kept. */
void journal_other(struct session *s, const char *call, const struct obj *o, const char *args, ...)
	__attribute__((format(printf, 4, 5)));

/* All notes in order, in a new array to be freed; they stay the journal's. *lost: notes of the
 * control path and of the data path that there was no room for. */
const struct note **journal_all(struct session *s, unsigned *n, uint64_t lost[2]);
void journal_free(struct session *s);

#endif
