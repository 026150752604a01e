/* SPDX-License-Identifier: MIT */
/* traced_stuck ADDRESS CASE: a program that hangs, for stuck.sh, until somebody ends it. Two QPs of
 * it are connected with each other. */
#include "defects/case_rig.h"

/* rnr_retry 7 tries for ever. */
static void connect_pair(struct rig *r, struct ibv_qp *qp, struct ibv_qp *peer, int timeout)
{
	struct path there = usual_path(r, peer->qp_num), back = usual_path(r, qp->qp_num);

	there.timeout = timeout;
	there.rnr_retry = 7;
	check("to INIT", to_init(qp, 1) | to_init(peer, 1));
	check("to RTR", to_rtr(qp, &there) | to_rtr(peer, &back));
	check("to RTS", to_rts(qp, &there) | to_rts(peer, &back));
}

static void wait_for_event(struct ibv_comp_channel *channel)
{
	struct ibv_cq *cq;
	void *context;

	check("ibv_get_cq_event", ibv_get_cq_event(channel, &cq, &context));
}

int main(int argc, char **argv)
{
	struct ibv_comp_channel *channel;
	struct ibv_qp *qp, *peer;
	struct ibv_cq *events;
	struct ibv_wc wc;
	struct rig r;

	if (argc != 3)
		return 2;
	the_case = argv[2];
	open_rig(&r, argv[1], 64);
	channel = ibv_create_comp_channel(r.context);
	events = ibv_create_cq(r.context, 64, NULL, channel, 0);
	check("ibv_create_cq", events ? 0 : errno);
	qp = make_qp(&r, r.cq, r.cq, NULL, 16);
	peer = make_qp(&r, events, events, NULL, 16);
	connect_pair(&r, qp, peer, is("timeout_0") ? 0 : 14);
	if (is("solicited"))
		check("ibv_req_notify_cq", ibv_req_notify_cq(events, 1));
	if (is("armed_late") || is("solicited"))
		check("ibv_post_recv", post_receive(&r, peer, 5, 64));
	if (is("timeout_0"))
		check("ibv_destroy_qp", ibv_destroy_qp(peer));
	check("ibv_post_send", post_request(&r, qp, IBV_WR_SEND, 17, 64, 0, 0));
	while (is("no_receive") || is("timeout_0"))
		ibv_poll_cq(r.cq, 1, &wc);
	await_success(r.cq); /* then that of the receive has come, too */
	if (is("armed_late"))
		check("ibv_req_notify_cq", ibv_req_notify_cq(events, 0));
	wait_for_event(channel);
	return 0;
}
