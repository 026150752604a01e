/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <string.h>
#include <sys/random.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm_id.h"
#include "device/device.h"
#include "explain/explain.h"
#include "language/interp.h"
#include "live_context.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "own_rows.h"
#include "qp/qp.h"
#include "recorded.h"
#include "session.h"
#include "spec_tables.h"
#include "words.h"

/*
 * qp create: a queue pair, with the PD and the CQs it needs.
 *
 * The device may allocate more than requested (soft-RoCE rounds 32 work requests up to 63); the
 * capabilities shown are those of ibv_query_qp(3).
 */

/* The CQ that the user probably made for it: the only one of the device, if nothing uses it yet. */
static struct cq *waiting_cq(struct session *s, const struct dev *dev)
{
	struct cq *found = NULL, *cq;

	obj_foreach_of(cq, s, &cq_class)
		if (cq->dev == dev) {
			if (found)
				return NULL;
			found = cq;
		}
	return found && !obj_used(found) ? found : NULL;
}

static struct dev *device_of(struct session *s, const struct qp_spec *spec)
{
	void *const given[] = { spec->pd, spec->id, spec->send_cq, spec->recv_cq, spec->srq };

	for (size_t i = 0; i < sizeof given / sizeof *given; i++)
		if (given[i] && handle_context(given[i]))
			return dev_of(s, handle_context(given[i]));
	return dev_default(s);
}

static struct cq *need_cq(struct session *s, struct dev *dev, const struct qp_spec *spec)
{
	struct cq *cq = waiting_cq(s, dev);
	uint32_t depth = spec->cap.max_send_wr + spec->cap.max_recv_wr;

	if (cq)
		return cq;
	if (depth >
	    (uint32_t)dev->attr.orig_attr.max_cqe) /* not here: creating the QP will report it */
		depth = (uint32_t)dev->attr.orig_attr.max_cqe;
	return cq_make(s, dev, NULL, depth ? depth : 1, NULL, 0);
}

static int check_one_device(struct session *s, const struct qp_spec *spec)
{
	const char *call = spec->id ? "rdma_create_qp" : "ibv_create_qp";

	if (obj_same_dev(s, call, spec->pd, spec->send_cq) ||
	    obj_same_dev(s, call, spec->pd, spec->recv_cq) ||
	    obj_same_dev(s, call, spec->pd, spec->srq))
		return -1;
	if (obj_same_dev(s, call, spec->pd, spec->id))
		return fail_next(s, "pd -device %s",
				 ibv_get_device_name(spec->id->v->verbs->device));
	return 0;
}

/* Fills in the PD and the CQs that are missing. */
static int complete_spec(struct session *s, struct qp_spec *spec)
{
	struct dev *dev = device_of(s, spec);

	if (!dev)
		return -1;
	if (!spec->pd)
		spec->pd = spec->srq ? spec->srq->pd : pd_of(s, dev);
	if (!spec->pd)
		return -1;
	if (!spec->send_cq)
		spec->send_cq = spec->recv_cq ? spec->recv_cq : need_cq(s, dev, spec);
	if (!spec->recv_cq)
		spec->recv_cq = spec->send_cq;
	return spec->send_cq ? check_one_device(s, spec) : -1;
}

/* Other requests of a QP made here are posted by ibv_post_send(). */
static struct ibv_qp *create_for_flush(const struct qp_spec *spec,
				       const struct ibv_qp_init_attr *init)
{
	struct ibv_qp_init_attr_ex ex = { 0 };

	memcpy(&ex, init, offsetof(struct ibv_qp_init_attr_ex, comp_mask)); /* begins alike */
	ex.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS;
	ex.pd = spec->pd->v;
	ex.send_ops_flags = FLUSH_SEND_OP;
	if (!spec->id)
		return ibv_create_qp_ex(spec->pd->v->context, &ex);
	return rdma_create_qp_ex(spec->id->v, &ex) ? NULL : spec->id->v->qp;
}

static int create_qp(struct session *s, struct qp *qp, const struct qp_spec *spec)
{
	struct ibv_qp_init_attr init = {
		.qp_context = qp,
		.send_cq = spec->send_cq->v,
		.recv_cq = spec->recv_cq->v,
		.srq = spec->srq ? spec->srq->v : NULL,
		.cap = spec->cap,
		.qp_type = spec->type,
		.sq_sig_all = spec->sq_sig_all,
	};
	struct ibv_qp_attr given = { 0 };

	if (spec->flush)
		qp->v = create_for_flush(spec, &init);
	else if (!spec->id)
		qp->v = ibv_create_qp(spec->pd->v, &init);
	else if (!rdma_create_qp(spec->id->v, spec->pd->v, &init))
		qp->v = spec->id->v->qp;
	if (!qp->v) {
		call_fail(s, "%s", word_name(qp_type_words, spec->type));
		return call_fail_why(s);
	}
	qp->cap = init.cap;
	if (qp_query(qp, &given, &init) == 0) /* not every provider fills in init */
		qp->cap = given.cap;
	return 0;
}

static uint32_t random_psn(void)
{
	uint32_t psn = 0;

	/* not security-relevant: do not wait for entropy of a kernel that has just booted */
	if (getrandom(&psn, sizeof psn, GRND_NONBLOCK) != sizeof psn)
		psn = (uint32_t)loop_now();
	return psn & 0xffffff;
}

void qp_adopt(struct session *s, struct qp *qp, const struct qp_spec *spec)
{
	qp->pd = spec->pd;
	qp->send_cq = spec->send_cq;
	qp->recv_cq = spec->recv_cq;
	qp->srq = spec->srq;
	qp->id = spec->id;
	qp->type = spec->type;
	qp->sq_sig_all = spec->sq_sig_all;
	qp->o.calls.send_ops = spec->flush ? FLUSH_SEND_OP : 0;
	qp->psn = random_psn();
	obj_use(qp, qp->pd);
	obj_use(qp, qp->send_cq);
	obj_use(qp, qp->recv_cq);
	obj_use(qp, qp->srq);
	obj_use(qp, qp->id);
	obj_add(s, qp);
	qp_history_begin(qp);
	if (qp->id) {
		qp->id->qp = qp;
		qp_history_cm(qp, IBV_QPS_INIT, "rdma_create_qp");
	}
	s->ctx->qp = qp;
	qp_dump(s, qp);
}

struct qp *qp_make(struct session *s, const struct qp_spec *given)
{
	struct qp_spec spec = *given;
	uint64_t mark = obj_made_mark(s);
	struct qp *qp = obj_new(s, &qp_class, spec.name);

	if (!qp)
		return NULL;
	if (complete_spec(s, &spec) || create_qp(s, qp, &spec)) {
		obj_made_undo_since(s, mark);
		obj_discard(s, qp);
		return NULL;
	}
	qp_adopt(s, qp, &spec);
	return qp;
}

void qp_set_sizes(struct qp_spec *spec, const struct qp_sizes *sizes)
{
	spec->cap = (struct ibv_qp_cap){
		.max_send_wr = (uint32_t)sizes->send_wr.v,
		.max_recv_wr = spec->srq ? 0 : (uint32_t)sizes->recv_wr.v,
		.max_send_sge = (uint32_t)sizes->send_sge.v,
		.max_recv_sge = spec->srq ? 0 : (uint32_t)sizes->recv_sge.v,
		.max_inline_data = (uint32_t)sizes->inline_data.v,
	};
	spec->sq_sig_all = sizes->sig_all;
	spec->flush = sizes->flush;
}

struct qp_create_args {
	struct num type;
	struct qp_sizes sizes;
	struct pd *pd;
	struct cq *cq, *send_cq, *recv_cq;
	struct srq *srq;
	struct id *id;
	bool aside;
	const char *name;
};

static const struct arg qp_create_args[] = {
	OPT("type", qp_create_args, type, kind_enum, "service", .data = qp_type_words,
	    .dflt = "RC"),
	OPT("pd", qp_create_args, pd, kind_pd_opt, "protection domain; else the first"),
	OPT("cq", qp_create_args, cq, kind_cq_opt, "CQ of both queues; else one is made"),
	OPT("send-cq", qp_create_args, send_cq, kind_cq_opt, "CQ of the send queue"),
	OPT("recv-cq", qp_create_args, recv_cq, kind_cq_opt, "CQ of the receive queue"),
	OPT("srq", qp_create_args, srq, kind_srq_opt, "take receives from this SRQ"),
	QP_SIZE_ARGS(qp_create_args, sizes),
	SWITCH("aside", qp_create_args, aside, "the current QP stays the current one"),
	OPT("id", qp_create_args, id, kind_id_opt, "connection id it is made for"),
	OPT("name", qp_create_args, name, kind_str, "name of the object"),
	ARGS_END
};

static int qp_create_exec(struct session *s, const void *args, struct out *o)
{
	const struct qp_create_args *a = args;
	struct qp_spec spec = {
		.name = a->name,
		.type = (enum ibv_qp_type)a->type.v,
		.pd = a->pd,
		.send_cq = a->send_cq ? a->send_cq : a->cq,
		.recv_cq = a->recv_cq ? a->recv_cq : a->cq,
		.srq = a->srq,
		.id = a->id,
	};
	struct qp *qp, *current = NULL;

	qp_set_sizes(&spec, &a->sizes);
	if (a->id && a->id->qp) {
		fail(s, "qp create", "EEXIST", "%s has a QP already: %s", a->id->o.name,
		     a->id->qp->o.name);
		return fail_next(s, "%s", obj_destroy_command(a->id->qp));
	}
	if (a->aside)
		current = qp_current_aside(s);
	qp = qp_make(s, &spec);
	if (a->aside)
		qp_current_back(s, current);
	if (!qp)
		return -1;
	if (s->domain->is_library)
		own_left_out("what a library does", qp->v);
	return obj_out(s, qp, o);
}

/** A queue pair is a send queue and a receive queue. RC delivers everything in
 * order or fails; UC loses messages silently; UD sends single packets to any peer.
 * Missing objects are found or created: the first PD of the device, and an unused CQ
 * or a new one. The QP starts in RESET and becomes the current one; with -id it is in
 * INIT, because the connection manager moves it. The device may allocate more than
 * requested; see get QP max_send_wr.
 * > qp create => qp0  RC RESET
 * > qp create -type UD -name hello => hello  UD RESET
 * > qp create -send-wr 32; expr {[get qp1 max_send_wr] >= 32} => 1
 * > qp create -send-sge 100000 => more than the device's limit */
const struct cmd cmd_qp_create = {
	.name = "qp create",
	.family = "resources",
	.summary = "create a queue pair",
	.calls = "ibv_create_qp(3), rdma_create_qp(3)",
	.args = qp_create_args,
	.exec = qp_create_exec,
};
