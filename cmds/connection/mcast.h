/* SPDX-License-Identifier: MIT */
/* Multicast memberships: an object each, so that they end before their QP and id do. */
#ifndef CMDS_MCAST_H
#define CMDS_MCAST_H

#include "objects.h"

struct mcast {
	struct obj o;
	struct id *id;		      /* joined through it (cm join), or NULL: attached by hand */
	struct qp *qp;		      /* may be NULL with an id */
	char group[64];		      /* as it was typed */
	union ibv_gid gid;	      /* of the group */
	struct sockaddr_storage addr; /* the same, with an id */
	uint16_t lid;		      /* without */
};

/* The GID of a group that has this address. */
union ibv_gid mcast_gid(const struct sockaddr *group);
/* The QP is attached by hand. */
struct mcast *mcast_attached(struct session *s, struct qp *qp, const union ibv_gid *gid,
			     uint16_t lid, const char *group);
/* The id has joined; qp is the one that it receives with, or NULL. */
struct mcast *mcast_joined(struct session *s, struct id *id, struct qp *qp,
			   const struct sockaddr *addr, const char *group);
/* What makes o, an id or a QP, a member of the group, or NULL. */
struct mcast *mcast_find(const struct obj *o, const union ibv_gid *gid);
/* A QP is in a group once, however often it is attached, and the first detach ends that: fails
 * naming call if it is in already. qp may be NULL. */
int mcast_check_once(struct session *s, const char *call, const struct qp *qp,
		     const union ibv_gid *gid);

#endif
