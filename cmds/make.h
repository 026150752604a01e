/* SPDX-License-Identifier: MIT */
/*
 * Making objects from C: what the commands of the same names do, for the commands that
 * are compositions (connect, accept, oob). Each traces its calls, adds the object to the
 * store and returns it, or NULL with s->fail filled and nothing left behind.
 */
#ifndef CMDS_MAKE_H
#define CMDS_MAKE_H

#include "objects.h"

/* name NULL: the next number. pd.c, cq.c, mr.c, ah.c, qp_create.c */
struct pd *pd_make(struct session *s, struct dev *dev, const char *name);
struct cc *cc_make(struct session *s, struct dev *dev, const char *name);
/* depth: entries; cc may be NULL. */
struct cq *cq_make(struct session *s, struct dev *dev, const char *name, uint32_t depth,
		   struct cc *cc, int vector);
/* A zeroed, page-aligned buffer of len bytes, registered. access: IBV_ACCESS_... */
struct mr *mr_make(struct session *s, struct pd *pd, const char *name, uint64_t len,
		   unsigned access);

struct ah *ah_make(struct session *s, struct pd *pd, const struct ibv_ah_attr *attr, uint32_t qpn,
		   uint32_t qkey);

struct qp_spec {
	const char *name;
	enum ibv_qp_type type;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	struct id *id;	 /* rdma_create_qp(id, ...), else NULL: ibv_create_qp */
	struct ibv_qp_cap cap;
	bool sq_sig_all;
};
/* What qp create has as defaults: 32 + 32 work requests, 4 + 4 SGEs, 64 bytes inline. */
extern const struct ibv_qp_cap qp_default_cap;
/* A QP that another call has made: qp has its name and v. It becomes the current one. */
void qp_adopt(struct session *s, struct qp *qp, const struct qp_spec *spec);
/* The new QP becomes the current one. A pd or CQs left NULL are found or made. */
struct qp *qp_make(struct session *s, const struct qp_spec *spec);

#endif
