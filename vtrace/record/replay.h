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

#endif
