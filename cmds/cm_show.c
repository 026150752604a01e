/* SPDX-License-Identifier: MIT */
/* What a connection is now: on the trace, and as the result of the commands that made it.
 */
#include <string.h>

#include "cm_id.h"
#include "cm_step.h"
#include "out.h"
#include "qp_history.h"
#include "session.h"
#include "trace.h"
#include "words.h"

void trace_qp(struct session *s, const struct qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;
	int mask = IBV_QP_STATE | IBV_QP_PATH_MTU | IBV_QP_SQ_PSN | IBV_QP_RQ_PSN |
		   IBV_QP_CAP | IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC |
		   IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_TIMEOUT | IBV_QP_DEST_QPN;

	if (!s->opt.trace || ibv_query_qp(qp->v, &a, mask, &init))
		return;
	trace(s, INFO,
	      "%s: qpn %u state %s mtu %s dest_qpn %u sq_psn %u rq_psn %u max_rd_atomic "
	      "%u "
	      "max_dest_rd_atomic %u retry %u rnr_retry %u timeout %u",
	      qp->o.name, qp->v->qp_num, word_name(qp_state_words, a.qp_state),
	      a.path_mtu ? word_name(mtu_words, a.path_mtu) : "-", a.dest_qp_num,
	      a.sq_psn, a.rq_psn, a.max_rd_atomic, a.max_dest_rd_atomic, a.retry_cnt,
	      a.rnr_retry, a.timeout);
	trace(s, INFO,
	      "%s: max_send_wr %u max_recv_wr %u max_send_sge %u max_recv_sge %u "
	      "max_inline %u",
	      qp->o.name, a.cap.max_send_wr, a.cap.max_recv_wr, a.cap.max_send_sge,
	      a.cap.max_recv_sge, a.cap.max_inline_data);
}

static bool blank(const struct id *id)
{
	for (size_t i = 0; i < id->data_len; i++)
		if (id->data[i])
			return false;
	return true;
}

static void out_data(const struct id *id, struct out *o)
{
	Tcl_DString dump;

	out_bytes(o, "private_data", id->data ? id->data : (const unsigned char *)"",
		  id->data_len);
	if (!id->data_len) {
		out_text(o, "\n");
	} else if (blank(id)) {
		out_text(o, ", no private data (%zu zero bytes)\n", id->data_len);
	} else {
		Tcl_DStringInit(&dump);
		id_hexdump(id->data, id->data_len, &dump);
		out_text(o, ", private data %zu bytes:\n%s", id->data_len,
			 Tcl_DStringValue(&dump));
		Tcl_DStringFree(&dump);
	}
}

void out_id(struct session *s, struct id *id, struct out *o)
{
	const char *state = word_name(id_state_words, id->state);

	(void)s;
	out_str(o, "id", id->o.name, "%s ", id->o.name);
	out_str(o, "state", state, "%s", state);
	out_str(o, "peer", id_peer(id), " with %s", id_peer(id));
	if (id->qp) {
		const char *qps = word_name(qp_state_words, qp_history_state(id->qp));

		out_str(o, "qp", id->qp->o.name, ", %s", id->qp->o.name);
		out_str(o, "qp_state", qps, " %s", qps);
		out_str(o, "pd", id->qp->pd->o.name, NULL);
		out_str(o, "cq", id->qp->send_cq->o.name, NULL);
	}
	if (id->ah) {
		out_str(o, "ah", id->ah->o.name, ", %s", id->ah->o.name);
		out_u64(o, "qpn", id->ah->qpn, " to qpn 0x%x", id->ah->qpn);
		out_u64(o, "qkey", id->ah->qkey, " qkey 0x%x", id->ah->qkey);
	}
	out_data(id, o);
}
