/* SPDX-License-Identifier: MIT */
/* The objects that commands take when none is named, and objects made from C. */
#ifndef CMDS_OBJECT_MAKE_H
#define CMDS_OBJECT_MAKE_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct cc;
struct cq;
struct dev;
struct id;
struct mr;
struct pd;
struct qp;
struct session;
struct srq;

/* The open device to use when none is named: the one of --device, else the first with an
 * active port; opened if need be. NULL with s->fail filled ("no RDMA device ..."). */
struct dev *dev_default(struct session *s);
/* The device object of a context that librdmacm opened; created if necessary. */
struct dev *dev_of(struct session *s, struct ibv_context *v);
/* The first PD of the device; created (and traced) if there is none. */
struct pd *pd_of(struct session *s, struct dev *dev);
/* The PD to use when none is named: that of the current QP, else the first of the default
 * device. NULL with s->fail filled. */
struct pd *pd_default(struct session *s);

/*
 * Creating objects from C, for commands that combine several steps (connect, accept, oob). Each
 * function traces its calls, adds the object to the store and returns it; or NULL with s->fail
 * filled and everything undone.
 */

/* name NULL: the next number. cq.c, mr.c, ah.c, qp_create.c */
struct cc *cc_make(struct session *s, struct dev *dev, const char *name);
/* depth: entries; cc may be NULL. */
struct cq *cq_make(struct session *s, struct dev *dev, const char *name, uint32_t depth,
		   struct cc *cc, int vector);
/* A zeroed, page-aligned buffer of len bytes, registered. access: IBV_ACCESS_... */
struct mr *mr_make(struct session *s, struct pd *pd, const char *name, uint64_t len,
		   unsigned access);
struct qp_spec {
	const char *name;
	enum ibv_qp_type type;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	struct id *id;	 /* rdma_create_qp(id, ...), else NULL: ibv_create_qp */
	struct ibv_qp_cap cap;
	bool sq_sig_all;
	bool flush; /* with IBV_QP_EX_WITH_FLUSH */
};
/* Adds a QP that another call created; qp has its name and v. It becomes the current QP. */
void qp_adopt(struct session *s, struct qp *qp, const struct qp_spec *spec);
/* Creates a QP, which becomes the current one. A PD or CQ that is NULL is found or created. */
struct qp *qp_make(struct session *s, const struct qp_spec *spec);

#endif
