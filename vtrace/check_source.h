/* SPDX-License-Identifier: MIT */
/* Lines of the source by debug information. */
#ifndef VTRACE_CHECK_SOURCE_H
#define VTRACE_CHECK_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "call_record.h"

/* All zero at first. */
struct source_reader {
	pid_t pid;
	int fd; /* -1: it has failed */
	bool is_begun;
};

void check_source_end(struct source_reader *s);
/* "file.c:12 in function()", as temp_text(); NULL: it is not known. maps: a text as in
 * /proc/PID/maps, for whose modules it was begun since its end, or is now. */
const char *check_source_find(struct source_reader *s, char *maps, size_t size,
			      struct record_from from);

#endif
