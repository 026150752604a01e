// SPDX-License-Identifier: MIT
/*
 * How long a QP tries: volume 1, 9.7.6.1.3 (transport timer) and 9.7.5.2.8 (RNR NAK). A device
 * may take up to four times the timeout to notice; that is the worst case.
 */
#include "codes.h"
#include "objects.h"
#include "out.h"
#include "qp_timing.h"

#define SLACK 4

static void tell_no_answer(const struct ibv_qp_attr *a, struct out *o)
{
	double once = (double)ack_timeout_ns(a->timeout) / 1e9, tries = a->retry_cnt + 1.0;

	out_dict(o, "RETRY_EXC_ERR");
	if (!a->timeout) {
		out_str(o, "least", "never", "   no answer: waits for ever (timeout 0)\n");
	} else {
		out_double(o, "least", tries * once,
			   "   no answer: RETRY_EXC_ERR after %.3g s at least", tries * once);
		out_double(o, "most", tries * once * SLACK, ", %.3g s at most",
			   tries * once * SLACK);
		out_text(o, " (%.0f x 4.096 us x 2^%u, devices may take %d times that)\n", tries,
			 a->timeout, SLACK);
	}
	out_end(o);
}

/* The peer names the wait in its NAK: its min_rnr_timer, which only it knows. */
static void tell_no_receive(const struct ibv_qp_attr *a, struct out *o)
{
	double longest = rnr_timer_us(0) / 1e6;

	out_dict(o, "RNR_RETRY_EXC_ERR");
	if (a->rnr_retry == 7) {
		out_str(o, "least", "never", "   no RECV there: tries for ever (rnr_retry 7)\n");
	} else {
		out_double(o, "least", 0, NULL);
		out_double(o, "most", a->rnr_retry * longest,
			   "   no RECV there: RNR_RETRY_EXC_ERR after some %.3g s at most",
			   a->rnr_retry * longest);
		out_text(o, " (%u x the peer's min_rnr_timer, %.3g s the longest)\n", a->rnr_retry,
			 longest);
	}
	out_end(o);
	out_double(o, "rnr_timer", rnr_timer_us(a->min_rnr_timer) / 1e6,
		   "   no RECV here: the peer is asked to wait %.3g s each time\n",
		   rnr_timer_us(a->min_rnr_timer) / 1e6);
}

void qp_timing(const struct qp *qp, struct out *o)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	if (qp->type != IBV_QPT_RC ||
	    ibv_query_qp(qp->v, &a,
			 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				 IBV_QP_MIN_RNR_TIMER,
			 &init)) {
		out_text(o, "   only RC tries again\n");
		return;
	}
	if (a.qp_state != IBV_QPS_RTS && a.qp_state != IBV_QPS_SQD && a.qp_state != IBV_QPS_ERR) {
		out_text(o, "   tries are set on the way to RTS\n");
		return;
	}
	out_dict(o, "timing");
	tell_no_answer(&a, o);
	tell_no_receive(&a, o);
	out_end(o);
}
