/* SPDX-License-Identifier: MIT */
/* qp-info: what the other end must be told of a QP, to be handed over by any means. */
#include <errno.h>

#include "cmd.h"
#include "gids.h"
#include "objects.h"
#include "out.h"
#include "qp_class.h"
#include "qp_peer.h"
#include "session.h"
#include "words.h"

static int set_region(struct session *s, const struct qp *qp, const struct mr *mr,
		      struct qp_peer *mine)
{
	if (mr->pd != qp->pd) {
		fail(s, "qp-info", "EINVAL", "%s is in %s, but %s is in %s", mr->o.name,
		     mr->pd->o.name, qp->o.name, qp->pd->o.name);
		return fail_row(s, "note", "the peer could not use its rkey through %s",
				qp->o.name);
	}
	mine->addr = (uintptr_t)mr->buf;
	mine->len = mr->len;
	mine->rkey = mr->v->rkey;
	return 0;
}

static int set_gid(struct session *s, const struct dev *dev, uint8_t port, int gid_index,
		   struct qp_peer *mine)
{
	struct gid_row rows[GID_ROWS];
	int n = gid_table(dev, port, rows, GID_ROWS);
	const struct gid_row *r = gid_index < 0 ? gid_best(rows, n) : NULL;

	for (int i = 0; i < n; i++)
		if (gid_index >= 0 && rows[i].e.gid_index == (unsigned)gid_index)
			r = &rows[i];
	if (!r && gid_index < 0)
		return 0; /* InfiniBand does with the LID */
	if (!r) {
		fail(s, "qp-info", "ENOENT", "%s port %u has no GID %d", dev->o.name, port,
		     gid_index);
		return fail_next(s, "gids");
	}
	mine->gid = r->e.gid;
	mine->gid_index = r->e.gid_index;
	return 0;
}

int qp_peer_of(struct session *s, const struct qp *qp, const struct mr *mr, int gid_index,
	       struct qp_peer *mine)
{
	const struct dev *dev = qp->pd->dev;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	struct ibv_port_attr port;
	uint8_t number;
	int err = qp_query(qp, &a, &init);

	number = !err && a.port_num ? a.port_num : 1;
	*mine = (struct qp_peer){ .known = true,
				  .type = qp->type,
				  .qpn = qp->v->qp_num,
				  .psn = qp->psn,
				  .qkey = qp->type == IBV_QPT_UD ? a.qkey : 0 };
	err = ibv_query_port(dev->v, number, &port);
	if (err)
		return fail_call(s, err, "ibv_query_port", "%s port %u", dev->o.name, number);
	mine->lid = port.lid;
	mine->mtu = port.active_mtu;
	if (mr && set_region(s, qp, mr, mine))
		return -1;
	return set_gid(s, dev, number, gid_index, mine);
}

struct qp_info_args {
	struct qp *qp;
	struct mr *mr;
	struct num gid_index, psn;
};

static const struct arg qp_info_args[] = {
	POS_OPT("qp", qp_info_args, qp, kind_qp, "QP; else the current one"),
	OPT("mr", qp_info_args, mr, kind_mr_opt, "region the peer may use: addr, rkey, len"),
	OPT("gid-index", qp_info_args, gid_index, kind_u8, "our GID; else the one gids marks"),
	OPT("psn", qp_info_args, psn, kind_u32, "first packet number; else a random one",
	    .max = 0xffffff),
	ARGS_END
};

static int qp_info_exec(struct session *s, const void *args, struct out *o)
{
	const struct qp_info_args *a = args;
	struct qp_peer mine;

	if (a->psn.set)
		a->qp->psn = (uint32_t)a->psn.v;
	if (qp_peer_of(s, a->qp, a->mr, a->gid_index.set ? (int)a->gid_index.v : -1, &mine))
		return -1;
	out_text(o, "%s  ", a->qp->o.name);
	qp_peer_out(o, &mine);
	return 0;
}

static const struct cmd_eg qp_info_egs[] = { { "qp-info", "qp0  RC  qpn" },
					     { "qp-info -mr mr0 -psn 4711", "psn 4711" },
					     { "dict get [qp-info] psn", "4711" },
					     { NULL, NULL } };

const struct cmd cmd_qp_info = {
	.name = "qp-info",
	.family = "by hand",
	.summary = "what the other end must know of a QP",
	.text = "A dict with qpn, psn, lid, gid, mtu, qkey, and with -mr the addr, rkey and len\n"
		"of a region. Hand it to the other end by any means: oob does it over TCP, and\n"
		"modify-qp RTR -peer DICT -fill takes it. The psn is the number of the first\n"
		"packet sent; it is what modify-qp RTS -fill uses.",
	.setup = "qp create; reg 4096 -access local-write,remote-write",
	.examples = qp_info_egs,
	.args = qp_info_args,
	.size = sizeof(struct qp_info_args),
	.exec = qp_info_exec,
};
