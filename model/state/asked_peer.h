/* SPDX-License-Identifier: MIT */
/* The other end of a QP on uroce0 that is not traced: its process is asked. */
#ifndef MODEL_ASKED_PEER_H
#define MODEL_ASKED_PEER_H

#include <sys/types.h>

#include "live.h"

struct uroce_inventory;

/* "the peer (PROGRAM, process 17): ", before what is said of its objects. */
void asked_peer_name(struct live_end *end, pid_t pid);
/* All that the process has of which qp is the peer. If no process has QPs of such numbers, it is
 * one with a QP that is connected with qp. Its .is_asked is false where no process can be asked. To
 * be freed by asked_peer_free(). */
struct live_end asked_peer(const struct live_qp *qp);
/* Adds to a traced end what no call shows and its device does: the state of its QP, windows,
 * receives that are used although their completions were not polled, that a CQ has overrun. The
 * regions are those of asked then. */
void asked_peer_learn(struct live_end *asked, struct live_end *traced);
void asked_peer_free(struct live_end *end);

#endif
