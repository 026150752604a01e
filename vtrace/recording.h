/* SPDX-License-Identifier: MIT */
/* vtrace --record: the session of a program as an rdmash script that plays its part. */
#ifndef VTRACE_RECORDING_H
#define VTRACE_RECORDING_H

#include <stdbool.h>

struct reader;
struct reader_news;

struct recording_options {
	const char *path; /* of the script */
	bool no_data;	  /* leave out longer data, unless it contains the program's own values */
	char **argv;	  /* the program, for the heading */
};

/* Before the program is started. 0; or -1, and a line says why the file cannot be written. */
int recording_begin(const struct recording_options *o);
/* Collects the news of reader_next(). */
void recording_take(struct reader *r, const struct reader_news *news);
/* Is it a row that only the script needs? */
bool recording_is_row(const struct reader_news *news);
/* Writes the script if it is wanted, before reader_close(). 0; or -1, and a line says why not. */
int recording_end(bool writes);

#endif
