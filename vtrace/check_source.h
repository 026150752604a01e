/* SPDX-License-Identifier: MIT */
/* Lines of the source by debug information. */
#ifndef VTRACE_CHECK_SOURCE_H
#define VTRACE_CHECK_SOURCE_H

#include <stddef.h>
#include <sys/types.h>

#include "call_record.h"

struct source_reader {
	pid_t pid;
	int fd; /* -1: there is none, or it has failed */
};

/* Starts it for the modules of a text as in /proc/PID/maps. */
void check_source_begin(struct source_reader *s, char *maps, size_t size);
void check_source_end(struct source_reader *s);
/* "file.c:12 in function()", as temp_text(); NULL: it is not known. */
const char *check_source_find(struct source_reader *s, struct record_from from);

#endif
