/* SPDX-License-Identifier: MIT */
/* A call as a line, as strace writes them. */
#ifndef VTRACE_LINE_H
#define VTRACE_LINE_H

#include <stdio.h>

#include "reader.h"

/* "12:00:01.123456 ibv_alloc_pd uroce0 = pd0"; pids: with the number of the process in front. */
void line_write(FILE *to, const struct reader_news *call, bool pids);
/* The same as an object of JSON. */
void line_write_json(FILE *to, const struct reader_news *call);
/* Did a poll find nothing? They are not told one by one. */
bool line_is_empty_poll(const struct record *r);

#endif
