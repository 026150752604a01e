/* SPDX-License-Identifier: MIT */
/* vtrace --record: the session of a program as an rdmash script that plays its part. */
#ifndef VTRACE_REPLAY_H
#define VTRACE_REPLAY_H

#include <stdbool.h>

struct reader;
struct reader_news;

/* Bytes of a message or of a piece of memory that --no-data still keeps: messages of a protocol. */
#define REPLAY_SHORT 64

struct replay_options {
	const char *path; /* of the script */
	bool no_data; /* without longer data that have none of the program's own values in them */
	char **argv;  /* the program, for the heading */
};

/* Before the program is started. 0; or -1, and a line says why the file cannot be written. */
int replay_begin(const struct replay_options *o);
/* Takes the news that reader_next() has told. */
void replay_take(struct reader *r, const struct reader_news *news);
/* Is it a row that only the replay reads? */
bool replay_is_row(const struct reader_news *news);
/* Writes the script, before reader_close(). 0; or -1, and a line says why not. */
int replay_end(void);

#endif
