/* SPDX-License-Identifier: MIT */
/* ibv_modify_qp(): every row of the table through the call, and the values. */
#include <errno.h>

#include "checks.h"
#include "verbs_app.h"
#include "spec_tables.h"

#define STATES 7

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

/* Right for every attribute, so that the mask decides. */
static struct ibv_qp_attr good(enum ibv_qp_state from, enum ibv_qp_state to)
{
	return (struct ibv_qp_attr){
		.qp_state = to,
		.cur_qp_state = from,
		.path_mtu = IBV_MTU_1024,
		.qkey = 0x11111111,
		.rq_psn = 0x123456,
		.sq_psn = 0x654321,
		.dest_qp_num = 0x777,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.ah_attr = app_av(0),
		.en_sqd_async_notify = 1,
		.max_rd_atomic = 4,
		.max_dest_rd_atomic = 8,
		.min_rnr_timer = 12,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 7,
		.rnr_retry = 6,
	};
}

static int go(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, unsigned mask)
{
	struct ibv_qp_attr a = good(from, to);

	app_state(qp, from);
	return ibv_modify_qp(&qp->v, &a, (int)mask);
}

/* The call fails and nothing has changed. */
static void refused(struct qp *qp, enum ibv_qp_state from, struct ibv_qp_attr *a, unsigned mask,
		    int err)
{
	struct qp before;
	unsigned entered = rig_transport.entered;

	app_state(qp, from);
	before = *qp;
	errno = 0;
	CHECK_INT(ibv_modify_qp(&qp->v, a, (int)mask), err);
	CHECK_INT(errno, err);
	CHECK(memcmp(&before, qp, sizeof before) == 0);
	CHECK_INT(rig_transport.entered, entered);
}

static void refused_mask(struct qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, unsigned mask,
			 int err)
{
	struct ibv_qp_attr a = good(from, to);

	refused(qp, from, &a, mask, err);
}

static bool takes_cur(enum ibv_qp_state from)
{
	return from >= IBV_QPS_RTR && from <= IBV_QPS_SQE;
}

static void try_row(struct qp *qp, const struct qp_row *r)
{
	unsigned takes = r->required | r->optional;

	qp->attr.path_mtu = IBV_MTU_1024; /* of a QP that got there step by step */
	CHECK_INT(go(qp, r->from, r->to, r->required | IBV_QP_STATE), 0);
	CHECK_INT(qp_state(qp), r->to);
	CHECK_INT(qp->v.state, r->to);
	for (unsigned bit = 1; bit <= IBV_QP_DEST_QPN; bit <<= 1) {
		unsigned with = IBV_QP_STATE | r->required | bit;

		if (bit == IBV_QP_STATE)
			continue;
		if (r->required & bit)
			refused_mask(qp, r->from, r->to, with & ~bit, EINVAL);
		else if (!(takes & bit) || bit == IBV_QP_ALT_PATH ||
			 (bit == IBV_QP_CUR_STATE && !takes_cur(r->from)))
			refused_mask(qp, r->from, r->to, with, EINVAL);
		else
			CHECK_INT(go(qp, r->from, r->to, with), 0);
	}
	refused_mask(qp, r->from, r->to, IBV_QP_STATE | r->required | IBV_QP_RATE_LIMIT,
		     EOPNOTSUPP);
	refused_mask(qp, r->from, r->to, IBV_QP_STATE | r->required | 1 << 21, EOPNOTSUPP);
}

static void test_table(void)
{
	for (unsigned t = 0; t < 3; t++)
		for (enum ibv_qp_state from = 0; from < STATES; from++)
			for (enum ibv_qp_state to = 0; to < STATES; to++) {
				struct qp *qp = app_qp(types[t], NULL, 0);
				const struct qp_row *r = qp_row(types[t], from, to);

				if (r)
					try_row(qp, r);
				else
					refused_mask(qp, from, to, IBV_QP_STATE, EINVAL);
				CHECK_INT(ibv_destroy_qp(&qp->v), 0);
			}
}

/* Attributes of a state, without IBV_QP_STATE. */
static void test_same_state(void)
{
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	unsigned entered = rig_transport.entered;

	CHECK_INT(go(qp, IBV_QPS_RTS, IBV_QPS_RESET, IBV_QP_ACCESS_FLAGS), 0);
	CHECK_INT(qp_state(qp), IBV_QPS_RTS);
	CHECK_INT(qp->attr.qp_access_flags, IBV_ACCESS_REMOTE_WRITE);
	CHECK_INT(rig_transport.entered, entered);
	CHECK_INT(go(qp, IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_TIMEOUT), 0); /* is taken over */
	CHECK_INT(rig_transport.entered, entered + 1);
	refused_mask(qp, IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_TIMEOUT, EINVAL);
	refused_mask(qp, IBV_QPS_RTS, 99, IBV_QP_STATE, EINVAL);
	refused_mask(qp, IBV_QPS_RTS, (enum ibv_qp_state) - 1, IBV_QP_STATE, EINVAL);
	ibv_destroy_qp(&qp->v);
}

#define REFUSE(from_, to_, field, value, err)                                                      \
	do {                                                                                       \
		struct ibv_qp_attr a_ = good(IBV_QPS_##from_, IBV_QPS_##to_);                      \
		a_.field = value;                                                                  \
		refused(qp, IBV_QPS_##from_, &a_,                                                  \
			IBV_QP_STATE | qp_row(qp->type, IBV_QPS_##from_, IBV_QPS_##to_)->required, \
			err);                                                                      \
	} while (0)

static void test_values(void)
{
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	struct ibv_qp_attr a = good(IBV_QPS_RTS, IBV_QPS_RTS);

	REFUSE(RESET, INIT, port_num, 0, EINVAL);
	REFUSE(RESET, INIT, port_num, 2, EINVAL);
	REFUSE(RESET, INIT, pkey_index, 1, EINVAL);
	REFUSE(INIT, RTR, path_mtu, 0, EINVAL);
	REFUSE(INIT, RTR, path_mtu, 6, EINVAL);
	REFUSE(INIT, RTR, path_mtu, IBV_MTU_2048, EINVAL); /* eth0 takes 1500 bytes */
	REFUSE(INIT, RTR, dest_qp_num, 0x1000000, EINVAL);
	REFUSE(INIT, RTR, max_dest_rd_atomic, MAX_RD_ATOM + 1, EINVAL);
	REFUSE(INIT, RTR, min_rnr_timer, 32, EINVAL);
	REFUSE(INIT, RTR, ah_attr.is_global, 0, EINVAL);
	REFUSE(INIT, RTR, ah_attr.port_num, 2, EINVAL);
	REFUSE(INIT, RTR, ah_attr.grh.sgid_index, 2, ENODATA);
	REFUSE(INIT, RTR, ah_attr.grh.sgid_index, GID_ENTRIES, EINVAL);
	REFUSE(INIT, RTR, ah_attr.grh.sgid_index, 3, EINVAL); /* IPv6 to IPv4 */
	REFUSE(RTR, RTS, timeout, 32, EINVAL);
	REFUSE(RTR, RTS, retry_cnt, 8, EINVAL);
	REFUSE(RTR, RTS, rnr_retry, 8, EINVAL);
	REFUSE(RTR, RTS, max_rd_atomic, MAX_RD_ATOM + 1, EINVAL);
	a.cur_qp_state = IBV_QPS_SQE;
	refused(qp, IBV_QPS_RTS, &a, IBV_QP_STATE | IBV_QP_CUR_STATE, EINVAL);
	a = good(IBV_QPS_RTS, IBV_QPS_RTS);
	a.path_mig_state = 3;
	refused(qp, IBV_QPS_RTS, &a, IBV_QP_PATH_MIG_STATE, EINVAL);
	rig_transport.resize_error = ENOMEM;
	REFUSE(INIT, RTR, max_dest_rd_atomic, 16, ENOMEM);
	rig_transport.resize_error = 0;
	rig_route_errno = ENETUNREACH;
	REFUSE(INIT, RTR, max_dest_rd_atomic, 16, ENETUNREACH);
	rig_route_errno = 0;
	ibv_destroy_qp(&qp->v);
}

static void test_what_is_set(void)
{
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	struct ibv_qp_attr a = good(IBV_QPS_RESET, IBV_QPS_INIT), got;
	struct ibv_qp_init_attr init;
	unsigned flushes = rig_flushes, entered = rig_transport.entered;

	a.ah_attr = app_av(1);
	a.path_mtu = IBV_MTU_4096;
	a.rq_psn = 0xff000001;
	CHECK_INT(
		ibv_modify_qp(&qp->v, &a,
			      IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS),
		0);
	CHECK_INT(rig_transport.from, IBV_QPS_RESET);
	a.qp_state = IBV_QPS_RTR;
	CHECK_INT(ibv_modify_qp(&qp->v, &a,
				(int)(IBV_QP_STATE |
				      qp_row(IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR)->required)),
		  0);
	CHECK_INT(rig_transport.from, IBV_QPS_INIT);
	CHECK_INT(rig_transport.to, IBV_QPS_RTR);
	CHECK_INT(rig_transport.responses, 8);
	CHECK_INT(qp->mtu, 4096);
	CHECK(memcmp(&qp->flow.sgid, &rig_entry(1)->gid, 16) == 0);
	CHECK_INT(qp->flow.hops, 64);
	CHECK_INT(qp->attr.rq_psn, 1);
	CHECK_INT(rig_flushes - flushes, rig_transport.entered - entered);

	qp->resp.psn = 0x42; /* as the transport goes on */
	CHECK_INT(ibv_query_qp(&qp->v, &got, IBV_QP_STATE, &init), 0);
	CHECK_INT(got.qp_state, IBV_QPS_RTR);
	CHECK_INT(got.cur_qp_state, IBV_QPS_RTR);
	CHECK_INT(got.rq_psn, 0x42);
	CHECK_INT(got.path_mtu, IBV_MTU_4096);
	CHECK_INT(got.dest_qp_num, 0x777);
	CHECK_INT(got.ah_attr.grh.hop_limit, 64);
	CHECK_INT(init.cap.max_send_wr, got.cap.max_send_wr);
	CHECK(init.send_cq == app_send_cq && init.recv_cq == app_recv_cq);

	/* RESET forgets them, all but what it was made with, when the peer has what it is owed */
	a.qp_state = IBV_QPS_RESET;
	CHECK_INT(ibv_modify_qp(&qp->v, &a, IBV_QP_STATE), 0);
	CHECK_INT(rig_transport.forgotten_peer, 0x777);
	CHECK_INT(ibv_query_qp(&qp->v, &got, IBV_QP_STATE, &init), 0);
	CHECK_INT(got.dest_qp_num, 0);
	CHECK_INT(got.path_mtu, 0);
	CHECK_INT(got.cap.max_send_wr, 4);
	CHECK_INT(ibv_query_qp(&qp->v, &got, IBV_QP_RATE_LIMIT, &init), EOPNOTSUPP);
	ibv_destroy_qp(&qp->v);
}

static void test_sqd(void)
{
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	struct ibv_qp_attr got;
	struct ibv_qp_init_attr init;

	CHECK_INT(go(qp, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QP_STATE | IBV_QP_EN_SQD_ASYNC_NOTIFY), 0);
	CHECK_INT(qp->attr.en_sqd_async_notify, 1);
	qp->draining = true;
	ibv_query_qp(&qp->v, &got, IBV_QP_STATE, &init);
	CHECK_INT(got.sq_draining, 1);
	refused_mask(qp, IBV_QPS_SQD, IBV_QPS_RTS, IBV_QP_STATE, EINVAL);
	refused_mask(qp, IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_TIMEOUT, EINVAL);
	qp->draining = false;
	CHECK_INT(go(qp, IBV_QPS_SQD, IBV_QPS_RTS, IBV_QP_STATE), 0);
	CHECK_INT(go(qp, IBV_QPS_RTS, IBV_QPS_SQD, IBV_QP_STATE), 0);
	CHECK_INT(qp->attr.en_sqd_async_notify, 0); /* not asked for again */
	qp->draining = true;
	CHECK_INT(go(qp, IBV_QPS_SQD, IBV_QPS_ERR, IBV_QP_STATE), 0);
	CHECK_INT(go(qp, IBV_QPS_SQD, IBV_QPS_RESET, IBV_QP_STATE), 0);
	ibv_destroy_qp(&qp->v);
}

/* Another path in SQD: its interface may be one that the MTU does not fit. */
static void test_path_change(void)
{
	struct qp *qp = app_qp(IBV_QPT_RC, NULL, 0);
	struct ibv_qp_attr a = good(IBV_QPS_INIT, IBV_QPS_RTR);

	app_state(qp, IBV_QPS_INIT);
	a.ah_attr = app_av(1);
	a.path_mtu = IBV_MTU_4096;
	CHECK_INT(ibv_modify_qp(&qp->v, &a,
				(int)(IBV_QP_STATE |
				      qp_row(IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR)->required)),
		  0);
	a.ah_attr = app_av(0);
	refused(qp, IBV_QPS_SQD, &a, IBV_QP_AV, EINVAL);
	a.ah_attr = app_av(1);
	app_state(qp, IBV_QPS_SQD);
	CHECK_INT(ibv_modify_qp(&qp->v, &a, IBV_QP_AV | IBV_QP_PORT), 0);
	ibv_destroy_qp(&qp->v);
}

static void test_datagrams(void)
{
	struct qp *qp = app_qp(IBV_QPT_UD, NULL, 0);

	CHECK_INT(go(qp, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE), 0);
	CHECK_INT(qp->mtu, 1024);  /* of the port: that of its first address */
	rig_entry(0)->ifindex = 0; /* that has gone: lo is the next */
	CHECK_INT(go(qp, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QP_STATE), 0);
	CHECK_INT(qp->mtu, 4096);
	rig_entry(0)->ifindex = 2;
	ibv_destroy_qp(&qp->v);
}

int main(void)
{
	app_open();
	test_table();
	test_same_state();
	test_values();
	test_what_is_set();
	test_sqd();
	test_path_change();
	test_datagrams();
	app_close();
	return checks_end();
}
