/* SPDX-License-Identifier: MIT */
/*
 * QPs as objects: their attributes for show and get, and their destruction.
 *
 * The attributes come from ibv_query_qp(3) each time, because the device may move a QP to ERR.
 */
#include <stdio.h>
#include <string.h>

#include "call/calling.h"
#include "call_record.h"
#include "object_args.h"
#include "recorded.h"
#include "spec_tables.h"
#include "command/cmd.h"
#include "data/post.h"
#include "own_model.h"
#include "device/device.h"
#include "language/interp.h"
#include "objects.h"
#include "out.h"
#include "output/print.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"
#include "why.h"

#define EVERYTHING                                                                                 \
	(IBV_QP_STATE | IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
	 IBV_QP_QKEY | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |           \
	 IBV_QP_RNR_RETRY | IBV_QP_RQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER |       \
	 IBV_QP_SQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_CAP | IBV_QP_DEST_QPN)

int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init)
{
	int err;

	record_aside(1);
	err = ibv_query_qp(qp->v, a, EVERYTHING, init);
	record_aside(-1);
	return err;
}

/* Is it connected with a QP of that number on that device? */
static bool is_connected(const struct qp *qp, uint32_t qpn, const struct dev *dev)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };

	return qp_query(qp, &a, &init) == 0 && a.dest_qp_num == qpn &&
	       dev_has_address(dev, &a.ah_attr);
}

struct qp *qp_peer_here(struct session *s, const struct qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	struct qp *peer = NULL;

	if (qp_query(qp, &a, &init) == 0)
		peer = obj_by_number(s, &qp_class, a.dest_qp_num);
	while (peer && !(dev_has_address(peer->pd->dev, &a.ah_attr) &&
			 is_connected(peer, qp->v->qp_num, qp->pd->dev)))
		peer = obj_next_number(peer);
	return peer;
}

void qp_dump(struct session *s, const struct qp *qp)
{
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr a = { 0 };

	if (!s->opt.raw || qp_query(qp, &a, &init))
		return;
	trace(s, VOICE_INFO,
	      "QP dump: qpn=%u state=%s mtu=%s sq_psn=%u rq_psn=%u max_rd_atomic=%u "
	      "max_dest_rd_atomic=%u retry=%u rnr_retry=%u timeout=%u",
	      qp->v->qp_num, word_name(qp_state_words, a.qp_state),
	      a.qp_state < IBV_QPS_RTR ? "-" : word_name(mtu_words, a.path_mtu), a.sq_psn, a.rq_psn,
	      a.max_rd_atomic, a.max_dest_rd_atomic, a.retry_cnt, a.rnr_retry, a.timeout);
	if (a.qp_state >= IBV_QPS_RTR)
		return; /* shown when the QP was created */
	trace(s, VOICE_INFO, "QP caps: max_send_wr=%u max_recv_wr=%u max_sge={s=%u,r=%u} inline=%u",
	      a.cap.max_send_wr, a.cap.max_recv_wr, a.cap.max_send_sge, a.cap.max_recv_sge,
	      a.cap.max_inline_data);
}

static void detach_from_id(struct qp *qp)
{
	if (qp->id && qp->id->qp == qp)
		qp->id->qp = NULL;
	post_text_over(qp);
}

static int qp_destroy(struct session *s, struct obj *o)
{
	struct qp *qp = (struct qp *)o;

	if (qp->id) /* rdma_destroy_qp() clears the id's pointer to the QP */
		rdma_destroy_qp(qp->id->v);
	else if (ibv_destroy_qp(qp->v))
		return call_fail(s, "%s", o->name);
	detach_from_id(qp);
	return 0;
}

static void describe_made_of(const struct qp *qp, struct out *out)
{
	out_str(out, "pd", qp->pd->o.name, NULL);
	out_str(out, "send_cq", qp->send_cq->o.name, "  %s", qp->send_cq->o.name);
	out_str(out, "recv_cq", qp->recv_cq->o.name, "%s%s", qp->recv_cq == qp->send_cq ? "" : "/",
		qp->recv_cq == qp->send_cq ? "" : qp->recv_cq->o.name);
	if (qp->srq)
		out_str(out, "srq", qp->srq->o.name, "  %s", qp->srq->o.name);
	if (qp->id)
		out_str(out, "id", qp->id->o.name, "  of %s", qp->id->o.name);
}

void qp_tell_cap(const struct ibv_qp_cap *cap, bool sig_all, struct out *out)
{
	out_u64(out, "max_send_wr", cap->max_send_wr, NULL);
	out_u64(out, "max_recv_wr", cap->max_recv_wr, NULL);
	out_u64(out, "max_send_sge", cap->max_send_sge, NULL);
	out_u64(out, "max_recv_sge", cap->max_recv_sge, NULL);
	out_u64(out, "max_inline_data", cap->max_inline_data, NULL);
	out_bool(out, "sig_all", sig_all, NULL);
}

void qp_tell_peer(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *out)
{
	bool connected = type != IBV_QPT_UD && a->qp_state >= IBV_QPS_RTR && a->dest_qp_num;

	if (type == IBV_QPT_UD) {
		out_u64(out, "qkey", a->qkey, NULL);
		return;
	}
	out_u64(out, "dest_qpn", a->dest_qp_num, NULL);
	if (connected)
		out_text(out, "  -> qpn %u", a->dest_qp_num);
	if (connected && a->ah_attr.is_global)
		out_str(out, "dgid", why_gid(&a->ah_attr.grh.dgid), " at %s",
			why_gid(&a->ah_attr.grh.dgid));
	else if (connected)
		out_u64(out, "dlid", a->ah_attr.dlid, " at lid %u", a->ah_attr.dlid);
}

bool qp_told_device(Tcl_Obj *object, const struct dev *dev)
{
	Tcl_Obj *dgid = dict_get(object, "dgid"), *dlid = dict_get(object, "dlid");
	struct ibv_ah_attr to = { .is_global = dgid != NULL };
	int lid = 0;

	if (dgid && !gid_parse(Tcl_GetString(dgid), to.grh.dgid.raw))
		return false;
	if (dlid)
		Tcl_GetIntFromObj(NULL, dlid, &lid);
	to.dlid = (uint16_t)lid;
	return dev_has_address(dev, &to);
}

void qp_tell_attrs(const struct ibv_qp_attr *a, struct out *out)
{
	out_int(out, "port", a->port_num, NULL);
	out_int(out, "pkey_index", a->pkey_index, NULL);
	out_flags(out, "access", qp_access_words, a->qp_access_flags);
	out_int(out, "mtu",
		a->qp_state >= IBV_QPS_RTR && a->path_mtu ? spec_mtu_bytes(a->path_mtu) : 0, NULL);
	out_u64(out, "sq_psn", a->sq_psn, NULL);
	out_u64(out, "rq_psn", a->rq_psn, NULL);
	out_int(out, "sgid_index", a->ah_attr.grh.sgid_index, NULL);
	out_int(out, "max_rd_atomic", a->max_rd_atomic, NULL);
	out_int(out, "max_dest_rd_atomic", a->max_dest_rd_atomic, NULL);
	out_int(out, "min_rnr_timer", a->min_rnr_timer, NULL);
	out_int(out, "timeout", a->timeout, NULL);
	out_int(out, "retry_cnt", a->retry_cnt, NULL);
	out_int(out, "rnr_retry", a->rnr_retry, NULL);
	if (a->qp_state == IBV_QPS_SQD)
		out_bool(out, "sq_draining", a->sq_draining, NULL);
}

static void describe_known(struct qp *qp, struct out *out)
{
	out_bool(out, "peer_known", qp->peer.known, NULL);
	out_int(out, "recvs", (int)own_outstanding(qp, true).n, NULL);
}

static void qp_describe(struct session *s, struct obj *o, struct out *out)
{
	struct qp *qp = (struct qp *)o;
	struct ibv_qp_init_attr init = { 0 };
	struct ibv_qp_attr a = { 0 };
	enum ibv_qp_state state = qp_history_sync(qp, NULL);
	const char *type = word_name(qp_type_words, qp->type);
	bool known = qp_query(qp, &a, &init) == 0;

	(void)s;
	out_str(out, "name", o->name, "qp %s", o->name);
	out_str(out, "type", type, "  %s", type);
	out_str(out, "state", word_name(qp_state_words, state), " %s",
		word_name(qp_state_words, state));
	out_u64(out, "qpn", qp->v->qp_num, "  qpn %u", qp->v->qp_num);
	describe_made_of(qp, out);
	if (known)
		qp_tell_peer(qp->type, &a, out);
	qp_tell_cap(&qp->cap, qp->sq_sig_all, out);
	if (known) {
		qp_tell_attrs(&a, out);
		describe_known(qp, out);
	}
	out_text(out, "\n");
}

static uint64_t qp_number(const struct obj *o)
{
	return ((const struct qp *)o)->v->qp_num;
}

const struct obj_class qp_class = {
	.prefix = "qp",
	.title = "queue pair",
	.remedy = "connect HOST PORT; or by hand: qp create",
	.size = sizeof(struct qp),
	.kind = OBJECT_QP,
	.pointer = offsetof(struct qp, v),
	.number = qp_number,
	.destroy = qp_destroy,
	.describe = qp_describe,
};

/* qp-info: the data of a QP that the other end needs. */

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

static int set_local_gid(struct session *s, const struct dev *dev, uint8_t port, int gid_index,
			 struct qp_peer *mine)
{
	SCOPED_GIDS(rows);
	int n = gid_table(dev, port, &rows);
	const struct gid_row *r = gid_index < 0 ? gid_best(rows, n) : NULL;

	for (int i = 0; i < n; i++)
		if (gid_index >= 0 && rows[i].e.gid_index == (unsigned)gid_index)
			r = &rows[i];
	if (!r && gid_index < 0)
		return 0; /* InfiniBand needs only the LID */
	if (!r) {
		fail(s, "qp-info", "ENOENT", "%s port %u has no GID %d", dev->o.name, port,
		     gid_index);
		return fail_next(s, "gids");
	}
	mine->gid = r->e.gid;
	mine->gid_index = r->e.gid_index;
	return 0;
}

/* The path MTU that the QP has since RTR, else the largest that the port can do now. */
static enum ibv_mtu mtu_for_peer(const struct ibv_qp_attr *a, enum ibv_qp_type type,
				 const struct ibv_port_attr *port)
{
	const bool is_set = type != IBV_QPT_UD && a->path_mtu && a->qp_state >= IBV_QPS_RTR;

	return is_set ? a->path_mtu : port->active_mtu;
}

int qp_peer_of(struct session *s, const struct qp *qp, const struct mr *mr, int gid_index,
	       struct qp_peer *mine)
{
	const struct dev *dev = qp->pd->dev;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };
	struct ibv_port_attr port;
	uint32_t psn = qp->psn;
	uint8_t number;
	int err = qp_query(qp, &a, &init);

	if (err)
		a = (struct ibv_qp_attr){ 0 };
	number = a.port_num ? a.port_num : 1;
	qp_history_first_psn(qp, IBV_QP_SQ_PSN, &psn); /* -sq-psn may have said another */
	*mine = (struct qp_peer){ .known = true,
				  .type = qp->type,
				  .qpn = qp->v->qp_num,
				  .psn = psn,
				  .qkey = qp->type == IBV_QPT_UD ? a.qkey : 0 };
	err = ibv_query_port(dev->v, number, &port);
	if (err)
		return fail_call(s, err, "ibv_query_port", "%s port %u", dev->o.name, number);
	mine->lid = port.lid;
	mine->mtu = mtu_for_peer(&a, qp->type, &port);
	if (mr && set_region(s, qp, mr, mine))
		return -1;
	return set_local_gid(s, dev, number, gid_index, mine);
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

/** A dict with qpn, psn, lid, gid, mtu, qkey, and with -mr the addr, rkey and len
 * of a region. mtu is the path MTU from RTR on, and before that the port's. Send the
 * dict to the other end by any means: oob does so over TCP, and modify-qp RTR -peer
 * DICT -fill uses it. psn is the initial PSN of this end, which modify-qp RTS -fill
 * uses.
 * > qp-info => qp0  RC  qpn
 * > qp-info -mr mr0 -psn 4711 => psn 4711
 * > dict get [qp-info] psn => 4711 */
const struct cmd cmd_qp_info = {
	.name = "qp-info",
	.family = "by hand",
	.summary = "show the data of a QP that the other end needs",
	.setup = "qp create; reg 4096 -access local-write,remote-write",
	.args = qp_info_args,
	.flags = CMD_LOOKS,
	.exec = qp_info_exec,
};

/* The history of a QP: the record has its states. */

/* from -1: it is new. */
static void record_state(struct qp *qp, int from, enum ibv_qp_state state, const char *why,
			 enum own_state_cause cause)
{
	own_state(qp, from, state, why,
		  state == IBV_QPS_ERR || state == IBV_QPS_SQE ? cause : STATE_ASKED);
	qp->state = state;
}

void qp_history_begin(struct qp *qp)
{
	record_state(qp, -1, IBV_QPS_RESET, "created", STATE_ASKED);
}

unsigned qp_history_at(uint64_t address, int64_t until, struct qp_step steps[QP_STEPS])
{
	struct record_walk w = { .path = RECORD_CONTROL };
	unsigned n = 0;
	bool made = false;

	while (n < QP_STEPS && !made && record_back(&w)) {
		struct qp_step *step = &steps[QP_STEPS - 1 - n];

		if (own_row_of(&w.r) != OWN_STATE || w.r.args[0] != address ||
		    record_realtime(w.r.begin) > until)
			continue;
		*step = (struct qp_step){ .when = record_realtime(w.r.begin),
					  .state = (enum ibv_qp_state)w.r.args[2],
					  .failed = w.r.args[4] != STATE_ASKED,
					  .by_flush = w.r.args[4] == STATE_FLUSHED };
		snprintf(step->why, sizeof step->why, "%s", (const char *)(uintptr_t)w.r.args[3]);
		made = (int)w.r.args[1] < 0;
		n++;
	}
	memmove(steps, steps + QP_STEPS - n, n * sizeof *steps);
	return n;
}

unsigned qp_history_steps(const struct qp *qp, struct qp_step steps[QP_STEPS])
{
	return qp_history_at((uintptr_t)qp->v, INT64_MAX, steps);
}

bool qp_history_err(const struct qp *qp, struct qp_step *step)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);

	while (n-- > 0)
		if (steps[n].state == IBV_QPS_ERR) {
			*step = steps[n];
			return true;
		}
	return false;
}

bool qp_history_first_psn(const struct qp *qp, unsigned bit, uint32_t *psn)
{
	struct record_walk w = { .path = RECORD_CONTROL };

	while (record_back(&w)) {
		const unsigned row = own_row_of(&w.r);
		const struct ibv_qp_attr *a;

		if ((row != OWN_STATE && row != ROW_ibv_modify_qp) ||
		    w.r.args[0] != (uintptr_t)qp->v)
			continue;
		if (row == OWN_STATE && w.r.args[2] == IBV_QPS_RESET)
			return false;
		a = (const void *)(uintptr_t)w.r.args[1];
		if (row == OWN_STATE || w.r.err || !a || !(w.r.args[2] & bit))
			continue;
		*psn = bit == IBV_QP_SQ_PSN ? a->sq_psn : a->rq_psn;
		return true;
	}
	return false;
}

enum ibv_qp_state qp_history_state(const struct qp *qp)
{
	return qp->state;
}

/* Some iWARP drivers (siw) do not report the state: RESET then only means that it was not filled
 * in, and the state set by the connection manager is used. */
static bool is_unreported_reset(const struct qp *qp, enum ibv_qp_state state)
{
	return state == IBV_QPS_RESET && qp->pd->dev->iwarp &&
	       qp_history_state(qp) != IBV_QPS_RESET;
}

static enum ibv_qp_state sync_state(struct qp *qp, const char *why, enum own_state_cause cause)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	int err;

	record_aside(1);
	err = ibv_query_qp(qp->v, &attr, IBV_QP_STATE, &init);
	record_aside(-1);
	if (err || is_unreported_reset(qp, attr.qp_state))
		return qp_history_state(qp);
	if (attr.qp_state != qp->state)
		record_state(qp, (int)qp->state, attr.qp_state, why, cause);
	return attr.qp_state;
}

enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why)
{
	enum ibv_qp_state state = sync_state(qp, why,
					     meant == IBV_QPS_ERR ? STATE_ASKED : STATE_FAILED);

	if (qp->pd->dev->iwarp && state != meant) {
		record_state(qp, (int)qp->state, meant, why, STATE_ASKED);
		state = meant;
	}
	return state;
}

enum ibv_qp_state qp_history_asked(struct qp *qp, const char *why)
{
	return sync_state(qp, why, STATE_ASKED);
}

enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why)
{
	return sync_state(qp, why ? why : "seen by a query", STATE_FAILED);
}

enum ibv_qp_state qp_history_completed(struct qp *qp, enum ibv_wc_status status)
{
	return sync_state(qp, word_name(wc_status_words, status),
			  status == IBV_WC_WR_FLUSH_ERR ? STATE_FLUSHED : STATE_FAILED);
}
