/* SPDX-License-Identifier: MIT */
/* The inventory of a process: when and why its QPs changed their states, which requests are
 * repeated, which packets were refused and dropped, which QPs are gone. */
#include <string.h>

#include "counters.h"
#include "history.h"
#include "transport_pair.h"

static struct uroce_qp_row told(const struct qp *qp)
{
	struct uroce_qp_row row = { .number = qp->number };

	history_tell_qp(qp, &row);
	return row;
}

static struct uroce_change last_change(const struct qp *qp)
{
	const struct uroce_qp_row row = told(qp);

	CHECK(row.nchanges > 0);
	return row.changes[row.nchanges - 1];
}

static struct uroce_drop_row drop;
static unsigned drop_rows;

static void keep_drop(const struct uroce_drop_row *row, void *dropped)
{
	drop_rows++;
	if (row->dropped == *(enum uroce_dropped *)dropped)
		drop = *row;
}

/* The row of that kind; the last one, if there are several. */
static struct uroce_drop_row drop_of(enum uroce_dropped dropped)
{
	drop = (struct uroce_drop_row){ 0 };
	drop_rows = 0;
	history_each_drop(keep_drop, &dropped);
	return drop;
}

static void check_changes(void)
{
	struct uroce_qp_row row;

	open_pair();
	row = told(a);
	CHECK_INT(row.nchanges, 2);
	CHECK_INT(row.changes[0].from, IBV_QPS_INIT);
	CHECK_INT(row.changes[0].to, IBV_QPS_RTR);
	CHECK_INT(row.changes[1].to, IBV_QPS_RTS);
	CHECK_INT(row.changes[1].cause, UROCE_BY_PROGRAM);
	CHECK(row.changes[0].when && row.changes[1].when >= row.changes[0].when);
	/* the newest ones stay, the oldest of them first */
	for (unsigned i = 0; i < UROCE_CHANGES; i++) {
		rig_state(a, IBV_QPS_SQD);
		rig_state(a, IBV_QPS_RTS);
	}
	row = told(a);
	CHECK_INT(row.nchanges, UROCE_CHANGES);
	CHECK_INT(row.changes[0].to, IBV_QPS_SQD);
	CHECK_INT(row.changes[UROCE_CHANGES - 1].to, IBV_QPS_RTS);
	close_pair();
}

/* Each end says why it is in ERR: one as its request failed, the other as it refused that. */
static void check_refusal(void)
{
	struct rig_wr wr;
	struct uroce_change c;
	struct uroce_refusal r;

	open_pair();
	wr = data(IBV_WR_RDMA_WRITE, 33, 3 * MTU);
	wr.rkey++;
	rig_post(a, &wr);
	rig_run(0);
	c = last_change(a);
	CHECK_INT(c.to, IBV_QPS_ERR);
	CHECK_INT(c.cause, UROCE_BY_SEND);
	CHECK_INT(c.value, IBV_WC_REM_ACCESS_ERR);
	CHECK_INT(c.wr_id, 33);
	c = last_change(b);
	CHECK_INT(c.from, IBV_QPS_RTS);
	CHECK_INT(c.cause, UROCE_BY_REFUSAL);
	CHECK_INT(c.value, UROCE_REFUSED_ACCESS);
	CHECK_INT(c.opcode, OP_WRITE_FIRST);
	CHECK_INT(c.psn, o.psn);
	r = told(b).refusal;
	CHECK_INT(r.refused, UROCE_REFUSED_ACCESS);
	CHECK_INT(r.rkey, there_key + 1);
	CHECK(r.va == (uintptr_t)there);
	CHECK_INT(r.len, 3 * MTU);
	CHECK(r.when != 0);
	close_pair();

	/* a SEND that is longer than the receive, which counts */
	open_pair();
	rig_recv(b, 9, there, 8, there_key);
	post(IBV_WR_SEND, 1, 9);
	rig_run(0);
	r = told(b).refusal;
	CHECK_INT(r.refused, UROCE_REFUSED_TOO_LONG);
	CHECK_INT(r.len, 9);
	CHECK_INT(r.recv_len, 8);
	CHECK_INT(r.rkey, 0);
	close_pair();

	/* a READ of memory that is not there any more when the response is made */
	open_pair();
	rig_hole = there + MTU;
	rig_hole_bytes = MTU;
	post(IBV_WR_RDMA_READ, 1, 2 * MTU);
	rig_run(0);
	rig_hole = NULL;
	r = told(b).refusal;
	CHECK_INT(r.refused, UROCE_REFUSED_MEMORY);
	CHECK_INT(r.opcode, OP_READ_REQUEST);
	CHECK_INT(r.len, 2 * MTU);
	CHECK_INT(last_change(b).value, UROCE_REFUSED_MEMORY);
	close_pair();
}

static void check_repeats(void)
{
	struct uroce_qp_row row;

	o.rnr_retry = 7;
	o.min_rnr_timer = 1;
	open_pair();
	post(IBV_WR_SEND, 1, 1);
	rig_run(2 * MS);
	row = told(a);
	CHECK(row.rnrs > 2);
	CHECK_INT(row.retries, 0);
	CHECK(row.retry_first && row.retry_last >= row.retry_first);
	row = told(b);
	CHECK(row.rnrs_sent > 2 && row.rnr_sent_last);
	CHECK(row.lacks_recv);
	/* it comes through: the next one begins anew */
	rig_recv(b, 9, there, MTU, there_key);
	rig_run(0);
	expect(a->send_cq, 1, IBV_WC_SUCCESS);
	CHECK(!told(b).lacks_recv);
	row = told(a);
	CHECK_INT(row.rnrs, 0);
	CHECK(!row.retry_first && !row.retry_last);
	rig_wire.lose = lose_all;
	post(IBV_WR_RDMA_WRITE, 2, 1);
	rig_run(0);
	expect(a->send_cq, 2, IBV_WC_RETRY_EXC_ERR);
	CHECK_INT(told(a).retries, a->attr.retry_cnt);
	CHECK_INT(last_change(a).value, IBV_WC_RETRY_EXC_ERR);
	close_pair();
}

static void send_datagram(uint32_t qpn, uint32_t qkey, uint32_t len)
{
	struct rig_wr wr = data(IBV_WR_SEND, 1, len);

	wr.dgid = rig_gid_b;
	wr.qpn = qpn;
	wr.qkey = qkey;
	rig_post(a, &wr);
	rig_run(0);
}

static void check_drops(void)
{
	struct uroce_drop_row row;

	history_forget();
	o.type = IBV_QPT_UD;
	open_pair();
	send_datagram(b->v.qp_num, b->attr.qkey, 8);
	row = drop_of(UROCE_DROP_NO_RECV);
	CHECK_INT(row.count, 1);
	CHECK_INT(row.qp, b->number);
	CHECK_INT(row.dest_qpn, b->v.qp_num);
	CHECK_INT(row.src_qpn, a->v.qp_num);
	CHECK(gid_equal(&row.src, &rig_gid_a));
	rig_recv(b, 9, there, GRH_BYTES, there_key); /* no room for more than a GRH */
	send_datagram(b->v.qp_num, b->attr.qkey, 8);
	send_datagram(b->v.qp_num, b->attr.qkey, 9);
	row = drop_of(UROCE_DROP_SHORT_RECV);
	CHECK_INT(row.count, 2);
	CHECK_INT(row.has, GRH_BYTES + 9);
	CHECK_INT(row.wants, GRH_BYTES);
	CHECK(row.last >= row.first && row.first);
	send_datagram(b->v.qp_num, 5, 8);
	row = drop_of(UROCE_DROP_QKEY);
	CHECK_INT(row.has, 5);
	CHECK_INT(row.wants, b->attr.qkey);
	b->mtu = 4;
	send_datagram(b->v.qp_num, b->attr.qkey, 8);
	row = drop_of(UROCE_DROP_MTU);
	CHECK_INT(row.has, 8);
	CHECK_INT(row.wants, 4);
	rig_state(b, IBV_QPS_ERR);
	send_datagram(b->v.qp_num, b->attr.qkey, 8);
	row = drop_of(UROCE_DROP_STATE);
	CHECK_INT(row.has, IBV_QPS_ERR);
	CHECK_INT(drop_rows, 5);
	CHECK_INT(counters[CNT_NO_RECV], 3);
	/* a flood of numbers that nobody has pushes nothing else out */
	for (uint32_t i = 0; i < 3 * UROCE_DROP_ROWS; i++)
		send_datagram(0x700000 + i, 1, 1);
	row = drop_of(UROCE_DROP_QPN);
	CHECK_INT(row.qp, UROCE_NO_OBJECT);
	CHECK_INT(row.src_qpn, a->v.qp_num);
	CHECK(drop_rows <= 5 + UROCE_DROP_ROWS / 4);
	CHECK_INT(drop_of(UROCE_DROP_QKEY).count, 1);
	close_pair();
}

static unsigned gone_rows;
static struct uroce_gone_row gone_last;

static void keep_gone(const struct uroce_gone_row *row, void *arg)
{
	(void)arg;
	gone_rows++;
	gone_last = *row;
}

static void check_gone(void)
{
	uint32_t number, qpn, peer;

	history_forget();
	open_pair();
	number = b->number;
	qpn = b->v.qp_num;
	peer = b->attr.dest_qp_num;
	close_pair();
	history_each_gone(keep_gone, NULL);
	CHECK_INT(gone_rows, 2);
	CHECK_INT(gone_last.number, number);
	CHECK_INT(gone_last.qpn, qpn);
	CHECK_INT(gone_last.dest_qpn, peer);
	CHECK_INT(gone_last.state, IBV_QPS_RTS);
	CHECK(gone_last.when != 0);
}

int main(void)
{
	open_memory();
	check_changes();
	check_refusal();
	check_repeats();
	check_drops();
	check_gone();
	return checks_end();
}
