/* SPDX-License-Identifier: MIT */
/*
 * Connection parameters. The limits of private data are those of the CM messages, less
 * what rdma_cm itself puts in a request; librdmacm would only say EINVAL.
 */
#include <string.h>

#include "cm_id.h"
#include "cm_step.h"
#include "session.h"
#include "words.h"

#define DEPTH 16 /* READs at a time, unless asked otherwise */

unsigned data_limit(const struct id *id, enum data_for what)
{
	bool ud = id_is_ud(id);
	bool iwarp = id->v->verbs && id->v->verbs->device->node_type == IBV_NODE_RNIC;

	if (iwarp)
		return 255; /* 512 on the wire, but the field of rdma_conn_param has 8
			       bits */
	switch (what) {
	case DATA_CONNECT:
		if (id->ps == RDMA_PS_IB)
			return ud ? 216 : 92;
		return ud ? 180 : 56;
	case DATA_ACCEPT:
		return ud ? 136 : 196;
	case DATA_REJECT:
		break;
	}
	return ud ? 136 : 148;
}

int data_fits(struct session *s, const struct id *id, enum data_for what, size_t len)
{
	static const char *const calls[] = { "rdma_connect", "rdma_accept", "rdma_reject" };
	unsigned limit = data_limit(id, what);

	if (len <= limit)
		return 0;
	fail(s, calls[what], "EINVAL",
	     "%s not called: %zu bytes of private data, and at most %u fit (PS_%s)", calls[what],
	     len, limit, word_name(ps_words, id->ps));
	fail_row(s, "limits",
		 "connect 56, accept 196, reject 148 bytes; datagrams: connect 180, "
		 "accept and reject 136");
	return fail_row(s, "remedy", "send the rest in a message once connected");
}

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static uint8_t depth(const struct num *asked, int device, bool limited, unsigned peer)
{
	unsigned n = DEPTH;

	if (asked->set)
		return (uint8_t)asked->v;
	if (device >= 0)
		n = least(n, (unsigned)device);
	return (uint8_t)(limited ? least(n, peer) : n);
}

/* More than the device can do is refused by librdmacm with a bare EINVAL. */
static int check_depth(struct session *s, const struct dev *dev, const char *name, uint8_t n,
		       int max)
{
	if (max < 0 || n <= max)
		return 0;
	fail(s, "args", "EINVAL", "-%s: %u is more than %s can do: %d", name, n, dev->o.name, max);
	return fail_row(s, "limit", "%d: from ibv_query_device, see 'device'", max);
}

int conn_param(struct session *s, struct id *id, enum data_for what, const struct conn_args *a,
	       struct rdma_conn_param *p)
{
	bool limited = what == DATA_ACCEPT && !id_is_ud(id);
	struct dev *dev = id_dev(s, id, what == DATA_ACCEPT ? "rdma_accept" : "rdma_connect");
	const struct ibv_device_attr *attr;

	if (!dev || data_fits(s, id, what, a->data.len))
		return -1;
	attr = &dev->attr.orig_attr;
	memset(p, 0, sizeof *p);
	p->private_data = a->data.len ? a->data.data : NULL;
	p->private_data_len = (uint8_t)a->data.len;
	p->responder_resources = depth(&a->responder, attr->max_qp_rd_atom, limited,
				       id->last.conn.responder_resources);
	p->initiator_depth = depth(&a->initiator, attr->max_qp_init_rd_atom, limited,
				   id->last.conn.initiator_depth);
	p->flow_control = a->flow.set ? (uint8_t)a->flow.v : 0;
	p->retry_count = a->retry.set ? (uint8_t)a->retry.v : 7;
	p->rnr_retry_count = a->rnr.set ? (uint8_t)a->rnr.v : 7;
	p->srq = (uint8_t)a->srq.v;
	p->qp_num = id->qp ? id->qp->v->qp_num : (uint32_t)a->qpn.v;
	if (check_depth(s, dev, "responder-resources", p->responder_resources,
			attr->max_qp_rd_atom) ||
	    check_depth(s, dev, "initiator-depth", p->initiator_depth, attr->max_qp_init_rd_atom))
		return -1;
	return 0;
}
