/* SPDX-License-Identifier: MIT */
/*
 * A record as a script for rdmash or as a program in C that does the same again. Objects,
 * addresses, keys, QP numbers and GIDs differ from run to run: a value that is one of this end's
 * own, or stands in bytes that came from the peer, becomes an expression that is right in each run.
 */
#ifndef MODEL_REPLAY_H
#define MODEL_REPLAY_H

#include <stdbool.h>

#include "call_record.h"

struct text;

/* Set in the environment of a program whose session is recorded. */
#define REPLAY_VARIABLE "VTRACE_RECORD"

/* Messages and pieces of memory of up to this many bytes are those of a protocol: no_data keeps
 * them. */
#define REPLAY_SHORT 64

/* Bytes of memory that are looked at, and of one send or receive over TCP that are kept. */
#define REPLAY_WATCHED_MAX (16u << 20)
#define REPLAY_STREAM_MAX  (1u << 20)

/*
 * Anything that a program does besides calling the libraries is noted in rows of the record that
 * are described like functions. The arguments stand behind each. Bytes: pointer and number, at most
 * RECORD_DATA_MAX of them.
 */
enum replay_row {
	REPLAY_LISTEN,	/* number of the socket, address, its length */
	REPLAY_ACCEPT,	/* that of the listener, number of the connection, peer's address, length */
	REPLAY_CONNECT, /* number of the connection, address, its length */
	REPLAY_SEND,	/* that, bytes, how many, how many in all: 0, or more than those kept */
	REPLAY_RECV,	/* the same; no bytes: the peer has closed */
	REPLAY_CLOSE,	/* number of the connection or the socket */
	REPLAY_MEMORY,	/* address, bytes, number, has it arrived (1) or did the program write it */
	REPLAY_UNSEEN,	/* address, number of bytes that are not looked at */
	REPLAY_ROWS,
	/* Rows that only a session has, described by itself: */
	REPLAY_PUT = REPLAY_ROWS, /* MR, offset, length, bytes that are repeated over it, number */
	REPLAY_GET,		  /* the same of bytes that were read */
	REPLAY_EXCHANGE, /* QP, host or "", port, struct qp_peer of this end, of the peer */
	REPLAY_LEFT_OUT, /* the name of what is not in the record, an object or 0 */
	REPLAY_IGNORED,
	REPLAY_CALL /* a function of the libraries */
};

/* The arguments of the rows of TCP, for who describes rows of its own besides: of LISTEN and
 * CONNECT, ACCEPT, SEND and RECV, CLOSE. */
extern const struct call_value replay_socket_args[], replay_accept_args[], replay_stream_args[],
	replay_close_args[];
/* Makes them the only rows besides calls: once, before any is written or read. */
void replay_rows_begin(void);
/* Is it one of them, and which? */
bool replay_row_of(const struct call_fn *fn, enum replay_row *row);

/* One call, or another row. */
struct replay_call {
	struct record r;
	enum replay_row row;
	int64_t idle;  /* ns before it without a call */
	uint64_t when; /* replay's own */
};

/* A GID of this end. */
struct replay_gid {
	uint64_t context;
	uint8_t port;
	int index;
	union ibv_gid gid;
	uint16_t lid; /* of the port */
};

/* The record. All is the caller's and stays until it has been written; calls is sorted, and a list
 * of requests that was accepted in part is cut. */
struct replay_source {
	struct replay_call *calls;
	unsigned ncalls;
	struct record_objects *objects;
	uint64_t lost[RECORD_PATHS];   /* calls that are missing */
	const struct replay_gid *gids; /* that are known besides those that calls have asked for */
	unsigned ngids;
	bool no_data; /* leave out longer data, unless it contains the program's own values */
};

/* Appends the script. argv: the program that was recorded; path: of the script, for its heading.
 * Returns the number of values and calls that could not be followed: its lines say which. */
unsigned replay_script(const struct replay_source *from, const char *path, char **argv,
		       struct text *to);

/* Appends the program, called file. Appends to differences a line for each difference from the
 * session. Returns the number of its functions, 0: nothing was to be written. */
unsigned replay_program(const struct replay_source *from, const char *file, struct text *to,
			struct text *differences);

#endif
