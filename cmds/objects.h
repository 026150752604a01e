/* SPDX-License-Identifier: MIT */
/* The verbs objects of the session. Connection ids: connection/cm_id.h. */
#ifndef CMDS_OBJECTS_H
#define CMDS_OBJECTS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "object_store.h"
#include "qp_peer.h"

struct id;
struct session;

#define RXE_VENDOR 0xffffff /* RXE_VENDOR_ID of the kernel */

struct dev {
	struct obj o;	       /* named as the device: rxe0 */
	struct ibv_context *v; /* librdmacm's context, so that ids can use its resources */
	struct ibv_device_attr_ex attr;
	bool iwarp;	   /* node type RNIC */
	struct session *s; /* whose loop serves its asynchronous events */
};

LIST_HEAD(mr_list, mr);
LIST_HEAD(qp_list, qp);

struct pd {
	struct obj o;
	struct dev *dev;
	struct ibv_pd *v;
	struct mr_list for_texts; /* regions created by post -text */
	struct qp_list texting;	  /* QPs that have posted a text, and may not have sent it yet */
};

/* Completion channel. */
struct cc {
	struct obj o;
	struct dev *dev;
	struct ibv_comp_channel *v;
	struct session *s; /* whose loop serves its events, or NULL */
};

struct cq {
	struct obj o;
	struct dev *dev;
	struct cc *cc; /* or NULL */
	struct ibv_cq *v;
	bool armed;
	bool broken;		     /* CQ_ERR: overrun */
	unsigned events;	     /* completion events not yet taken by wait */
	void (*on_event)(void *arg); /* handler that takes its events; or NULL */
	void *on_event_arg;
	struct id *id;	     /* whose cq it is, or NULL */
	struct ibv_wc *kept; /* completions polled by a command that failed, for the next poll */
	unsigned nkept;
};

struct srq {
	struct obj o;
	struct pd *pd;
	struct ibv_srq *v;
	uint32_t max_wr, max_sge, limit;
	unsigned limit_events;
};

struct qp {
	struct obj o;
	struct pd *pd;
	struct cq *send_cq, *recv_cq;
	struct srq *srq; /* or NULL */
	struct id *id;	 /* made by rdma_create_qp() for it, or NULL */
	struct ibv_qp *v;
	enum ibv_qp_type type;
	struct ibv_qp_cap cap;
	bool sq_sig_all;
	uint32_t psn;		 /* its initial PSN, shown by qp-info and used by modify-qp -fill */
	struct qp_peer peer;	 /* peer data for modify-qp -fill and post */
	enum ibv_qp_state state; /* the last known one: qp.h */
	bool texts_out;		 /* in the list of its PD */
	LIST_ENTRY(qp) texting;
};

struct mr {
	struct obj o;
	struct pd *pd;
	struct ibv_mr *v;
	void *buf; /* page-aligned mapping, or part of memory */
	size_t len;
	bool for_texts; /* made by post -text, in the list of its PD */
	LIST_ENTRY(mr) text_region;
	size_t texts;	    /* bytes that the device may still read */
	struct obj *memory; /* whose memory it is; NULL: its own */
};

/* Memory window. */
struct mw {
	struct obj o;
	struct pd *pd;
	struct mr *mr; /* bound to, or NULL */
	struct qp *qp; /* of type 2: by which QP */
	struct ibv_mw *v;
};

/* Address handle. */
struct ah {
	struct obj o;
	struct pd *pd;
	struct ibv_ah *v;
	struct ibv_ah_attr attr;
	uint32_t qpn, qkey; /* of the peer, if known; else 0 */
	struct id *id;	    /* whose ah it is, or NULL */
};

extern const struct obj_class dev_class, pd_class, cc_class, cq_class, srq_class, qp_class,
	mr_class, mw_class, ah_class, ec_class, id_class, oob_class, tcp_class, tcpl_class;

#endif
