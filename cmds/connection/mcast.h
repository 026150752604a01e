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
	struct sockaddr_storage addr; /* of the group, with an id */
	union ibv_gid gid;	      /* without */
	uint16_t lid;
};

struct mcast *mcast_add(struct session *s, struct id *id, struct qp *qp, const char *group);
/* The one of the id, or (NULL) of the QP that was attached by hand. */
struct mcast *mcast_find(struct session *s, const struct id *id, const struct qp *qp,
			 const char *group);
/* Ends it, keeping the failure at hand. Returns -1. */
int mcast_drop(struct session *s, struct mcast *m);

#endif
