/* SPDX-License-Identifier: MIT */
/* The other end of a connection on uroce0 where it is not traced: its process is asked. */
#ifndef VTRACE_ASKED_PEER_H
#define VTRACE_ASKED_PEER_H

#include "live_program.h"

/* Where the calls have not told whom the QP of process pid is connected with (librdmacm has done it
 * without any), the process is asked, and *qp knows it then. */
void asked_peer_learn(pid_t pid, struct live_qp *qp);
/* The other end of that QP; its .qp is NULL where it cannot be had, and .gone says why if it is no
 * more. To be freed by live_end_free(). */
struct live_end asked_peer_find(const struct live_qp *qp);

#endif
