/* SPDX-License-Identifier: MIT */
/*
 * The data of a QP for the other end, as a dict and as JSON: {"qpn": ..., "psn": ...,
 * "lid": ..., "gid": "...", "rkey": ..., "addr": ...} and a few more.
 */
#ifndef CMDS_QP_PEER_H
#define CMDS_QP_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <tcl.h>

#include "objects.h"

struct mr;
struct out;
struct qp;
struct qp_peer;
struct session;

/* Fills the data of qp. gid_index < 0: the recommended GID. mr may be NULL. */
int qp_peer_of(struct session *s, const struct qp *qp, const struct mr *mr, int gid_index,
	       struct qp_peer *mine);

/* Parse untrusted data and check every field. -1 with s->fail filled and *p unchanged. */
int qp_peer_from_dict(struct session *s, Tcl_Obj *dict, struct qp_peer *p);
int qp_peer_from_json(struct session *s, const char *text, size_t len, struct qp_peer *p);
/* Stores p as the peer of qp; fails if the types of the QPs differ. */
int qp_peer_adopt(struct session *s, struct qp *qp, const struct qp_peer *p);
/* To be freed. */
char *qp_peer_to_json(const struct qp_peer *p);
/* The fields as values and a few lines of text. */
void qp_peer_out(struct out *o, const struct qp_peer *p);

#endif
