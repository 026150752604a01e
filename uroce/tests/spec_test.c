/* SPDX-License-Identifier: MIT */
/* The tables of operations and codes: against each other, and against what is known. */
#include "checks.h"
#include "spec_tables.h"

static void test_ops(void)
{
	unsigned known = 0;

	for (int code = -1; code < 64; code++) {
		const struct wr_op *op = wr_op_find((enum ibv_wr_opcode)code);

		if (!op)
			continue;
		known++;
		CHECK_INT(op->code, code);
		CHECK(op != &wr_ops[WR_RECV]);
		CHECK(op->types & 1u << IBV_QPT_RC);
		CHECK((op->no_wire & ~op->types) == 0);
		CHECK(!(op->inlines && op->sink));
		CHECK(!op->atomic || op->remote);
		CHECK(op->ex != 0);
	}
	CHECK_INT(known, WR_OPS - 1);
	CHECK_INT(wr_ops[WR_CMP_SWAP].ex, IBV_QP_EX_WITH_ATOMIC_CMP_AND_SWP);
	CHECK_INT(wr_ops[WR_SEND_INV].done, IBV_WC_SEND);
	CHECK_STR(wr_op_find(IBV_WR_RDMA_WRITE)->name, "RDMA_WRITE");
	CHECK(!wr_op_find(IBV_WR_TSO));
	CHECK(wr_op_find(FLUSH_WR) == &wr_ops[WR_FLUSH]);
	CHECK_INT(wr_op_find(IBV_WR_ATOMIC_WRITE)->done, IBV_WC_ATOMIC_WRITE);
	CHECK(!wr_op_find(IBV_WR_ATOMIC_WRITE + 1));
}

static void test_codes(void)
{
	/* each step but the first is at most double the last, as table 46 goes on */
	for (unsigned code = 2; code < 32; code++) {
		CHECK(spec_rnr_timer_us(code) > spec_rnr_timer_us(code - 1));
		CHECK(spec_rnr_timer_us(code) <= 2 * spec_rnr_timer_us(code - 1));
	}
	CHECK_INT(spec_rnr_timer_us(0), 655360);
	CHECK_INT(spec_rnr_timer_us(12), 640);
	CHECK_INT(spec_rnr_timer_us(31), 491520);
	CHECK_INT(spec_rnr_timer_us(32 + 1), 10);
	CHECK_INT(spec_ack_timeout_ns(0), 0);
	CHECK_INT(spec_ack_timeout_ns(14), 67108864);
	CHECK_INT(spec_ack_timeout_ns(31), INT64_C(4096) << 31);
}

static void test_mtu(void)
{
	for (enum ibv_mtu m = IBV_MTU_256; m <= IBV_MTU_4096; m++) {
		CHECK_INT(spec_mtu_of_bytes(spec_mtu_bytes(m)), m);
		CHECK_INT(spec_mtu_of_bytes(spec_mtu_bytes(m) - 1), m - 1);
	}
	CHECK_INT(spec_mtu_bytes(IBV_MTU_1024), 1024);
	CHECK_INT(spec_mtu_bytes(0), 0);
	CHECK_INT(spec_mtu_bytes(6), 0);
	CHECK_INT(spec_mtu_of_bytes(65536), IBV_MTU_4096);
	CHECK_INT(spec_mtu_of_bytes(0), 0);
}

int main(void)
{
	test_ops();
	test_codes();
	test_mtu();
	return checks_end();
}
