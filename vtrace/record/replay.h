/* SPDX-License-Identifier: MIT */
/* vtrace --record: the session of a program as an rdmash script that plays its part. */
#ifndef VTRACE_REPLAY_H
#define VTRACE_REPLAY_H

#include <stdbool.h>

struct reader;
struct reader_news;

/* --no-data keeps messages and pieces of memory of up to this many bytes: those of a protocol. */
#define REPLAY_SHORT 64

struct replay_options {
	const char *path; /* of the script */
	bool no_data;	  /* leave out longer data, unless it contains the program's own values */
	char **argv;	  /* the program, for the heading */
};

/* Before the program is started. 0; or -1, and a line says why the file cannot be written. */
int replay_begin(const struct replay_options *o);
/* Collects the news of reader_next(). */
void replay_take(struct reader *r, const struct reader_news *news);
/* Is it a row that only the script needs? */
bool replay_is_row(const struct reader_news *news);
/* Writes the script, before reader_close(). 0; or -1, and a line says why not. */
int replay_end(void);

/*
 * What a program does besides calling the libraries is noted in rows of the record that are
 * described like functions: libvtrace.so writes them, and vtrace reads them.
 */

struct call_fn;

/* Set in the environment of a program whose session is recorded. */
#define REPLAY_VARIABLE "VTRACE_RECORD"

/* Bytes of memory that are looked at, and of one send or receive over TCP that are kept. */
#define REPLAY_WATCHED_MAX (16u << 20)
#define REPLAY_STREAM_MAX  (1u << 20)

/* The arguments stand behind each. Bytes: pointer and number, at most RECORD_DATA_MAX of them. */
enum replay_row {
	REPLAY_LISTEN,	/* number of the socket, address, its length */
	REPLAY_ACCEPT,	/* that of the listener, number of the connection, peer's address, length */
	REPLAY_CONNECT, /* number of the connection, address, its length */
	REPLAY_SEND,	/* that, bytes, how many, how many in all: 0, or more than those kept */
	REPLAY_RECV,	/* the same; no bytes: the peer has closed */
	REPLAY_CLOSE,	/* number of the connection or the socket */
	REPLAY_MEMORY,	/* address, bytes, number, has it arrived (1) or did the program write it */
	REPLAY_UNSEEN,	/* address, number of bytes that are not looked at */
	REPLAY_ROWS
};

/* Makes them rows of the record: once, before any is written or read. */
void replay_rows_begin(void);
/* Is it one of them, and which? */
bool replay_row_of(const struct call_fn *fn, enum replay_row *row);

#endif
