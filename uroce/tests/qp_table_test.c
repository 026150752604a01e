/* SPDX-License-Identifier: MIT */
/* The table of transitions without a device: every pair of the list is there, none else.
 */
#include "checks.h"
#include "spec_tables.h"

#define STATES 7

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD, IBV_QPT_XRC_SEND,
					  IBV_QPT_XRC_RECV };

/* The order of states, independent of the table: rows are from, columns are to. */
static const char *const pairs[STATES] = {
	/*		   RESET INIT RTR RTS SQD SQE ERR */
	[IBV_QPS_RESET] = "xx.....", [IBV_QPS_INIT] = "xxx...x", [IBV_QPS_RTR] = "x..x..x",
	[IBV_QPS_RTS] = "x..xx.x",   [IBV_QPS_SQD] = "x..xx.x",	 [IBV_QPS_SQE] = "x..x..x",
	[IBV_QPS_ERR] = "x.....x",
};

static void test_pairs(void)
{
	unsigned rows = 0;

	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (int from = 0; from < STATES; from++)
			for (int to = 0; to < STATES; to++) {
				bool there = qp_row(types[t], from, to);

				CHECK_INT(there, pairs[from][to] == 'x');
				rows += there;
			}
	CHECK_INT(rows, 110);
	for (const struct qp_row *r = qp_rows; r->type; r++) { /* no row stands twice */
		CHECK(qp_row(r->type, r->from, r->to) == r);
		rows--;
	}
	CHECK_INT(rows, 0);
}

static void test_masks(void)
{
	const struct qp_row *r;

	for (r = qp_rows; r->type; r++) {
		CHECK((r->required & r->optional) == 0);
		CHECK((r->refused & ~r->optional) == 0);
		CHECK(((r->required | r->optional) & (IBV_QP_STATE | IBV_QP_CAP)) == 0);
		if (r->type == IBV_QPT_UD)
			CHECK(((r->required | r->optional) &
			       (IBV_QP_AV | IBV_QP_ACCESS_FLAGS | IBV_QP_DEST_QPN)) == 0);
		else
			CHECK(((r->required | r->optional) & IBV_QP_QKEY) == 0);
		if (r->to == IBV_QPS_RESET || r->to == IBV_QPS_ERR)
			CHECK_INT(r->required | r->optional, 0);
	}
	r = qp_row(IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_RTR);
	CHECK_INT(r->required, IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				       IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER);
}

static void test_judge(void)
{
	struct qp_verdict v;

	v = qp_judge(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_RTS, IBV_QP_STATE);
	CHECK_INT(v.answer, QP_NO_TRANSITION);
	v = qp_judge(IBV_QPT_RC, IBV_QPS_RESET, IBV_QPS_INIT, IBV_QP_STATE | IBV_QP_PORT);
	CHECK_INT(v.answer, QP_MISSING);
	CHECK_INT(v.missing, IBV_QP_PKEY_INDEX | IBV_QP_ACCESS_FLAGS);
	v = qp_judge(IBV_QPT_UD, IBV_QPS_RESET, IBV_QPS_INIT,
		     IBV_QP_STATE | IBV_QP_PORT | IBV_QP_PKEY_INDEX | IBV_QP_QKEY);
	CHECK_INT(v.answer, QP_OK);
	v = qp_judge(IBV_QPT_UD, IBV_QPS_RTR, IBV_QPS_RTS,
		     IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT);
	CHECK_INT(v.answer, QP_EXTRA);
	CHECK_INT(v.extra, IBV_QP_TIMEOUT);
	v = qp_judge(IBV_QPT_RC, IBV_QPS_INIT, IBV_QPS_INIT, IBV_QP_CUR_STATE);
	CHECK_INT(v.answer, QP_NO_CUR_STATE);
	v = qp_judge(IBV_QPT_UC, IBV_QPS_SQD, IBV_QPS_SQD, IBV_QP_AV | IBV_QP_ACCESS_FLAGS);
	CHECK_INT(v.answer, QP_OK);
	CHECK_INT(v.refused, IBV_QP_AV);
	v = qp_judge(IBV_QPT_RC, IBV_QPS_RTS, IBV_QPS_RTS, IBV_QP_CUR_STATE | IBV_QP_STATE);
	CHECK_INT(v.answer, QP_OK);
}

int main(void)
{
	test_pairs();
	test_masks();
	test_judge();
	return checks_end();
}
