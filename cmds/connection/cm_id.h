/* SPDX-License-Identifier: MIT */
/* Connection ids: made, adopted from a request, and what they may be asked to do now. */
#ifndef CMDS_CM_ID_H
#define CMDS_CM_ID_H

#include "objects.h"

/* rdma_create_id() on ec (NULL: the default channel). NULL with s->fail filled. */
struct id *id_make(struct session *s, const char *name, struct ec *ec, enum rdma_port_space ps);
/* The id that librdmacm made for a request on listener. Takes v over; never fails. */
struct id *id_adopt(struct session *s, struct id *listener, struct rdma_cm_id *v);

#define ID_IN(state) (1u << (state))
/* Fails with the state of the id and the next legal step unless the state is one of
 * states; what: the command, "cm connect". */
int id_need(struct session *s, const struct id *id, const char *what, unsigned states);
/* Fails unless the id is on a device. */
struct dev *id_dev(struct session *s, const struct id *id, const char *what);
/* The id knows what was made for it until either of them is destroyed. Of cq and ah each may be
 * NULL. */
void id_own_cq(struct id *id, struct cq *cq);
void id_own_ah(struct id *id, struct ah *ah);
void id_state(struct session *s, struct id *id, enum id_state state);

/* UDP and IPOIB port spaces: datagrams instead of connections. */
bool id_is_ud(const struct id *id);
/* The side that was asked. */
bool id_is_passive(const struct id *id);
/* "10.0.0.2:7471"; kept until the fourth call after. */
const char *id_local(const struct id *id);
const char *id_peer(const struct id *id);
/* What to type for a connection in place of that of id, whose QP is of no more use: "disconnect
 * id1; connect 10.0.0.2 7471"; to be freed. */
char *id_again(const struct id *id);

/* A positional before a host or a group: taken only when the word names an id; left out
 * as kind_id. */
extern const struct arg_kind kind_id_first;

/* Hex and text of bytes, 16 a line, indented; zeros at the end are counted, not shown. */
void id_hexdump(const unsigned char *data, size_t len, Tcl_DString *d);

/* librdmacm returns -1 and sets errno; old versions returned -errno. */
int cm_errno(int rc);

#endif
