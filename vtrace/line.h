/* SPDX-License-Identifier: MIT */
/* A call as a line, as strace writes them. */
#ifndef VTRACE_LINE_H
#define VTRACE_LINE_H

#include <stdio.h>

#include "reader.h"

/* "12:00:01.123456 ibv_alloc_pd uroce0 = pd0", with the time at which it ended; pids: with the
 * number of the process in front. */
void line_write(FILE *to, const struct reader_news *call, bool pids);
/* The parts of that: "qp0 {qp_state INIT port_num 1}", and "qp0, qpn 17" or "ENOMEM". */
void line_write_args(FILE *to, const struct reader_news *call);
void line_write_result(FILE *to, const struct reader_news *call);
/* "12:00:01.123456 rdma_get_cm_event qp0 <unfinished ...>" */
void line_write_unfinished(FILE *to, const struct reader_news *call, bool pids);
/* A call as an object of JSON. */
void line_write_json(FILE *to, const struct reader_news *call);

#endif
