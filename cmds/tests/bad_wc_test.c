/* SPDX-License-Identifier: MIT */
/* Failed completions of the session: the one that counts, and how long it is known. */
#include "call_record.h"
#include "checks.h"
#include "data/bad_wc.h"
#include "objects.h"
#include "own_rows.h"
#include "recorded.h"

static struct ibv_context context; /* of a device that does nothing */
static struct ibv_qp number_17 = { .context = &context, .qp_num = 17 };
static struct qp qp = { .o.serial = 5, .v = &number_17 };

static int fake_send(struct ibv_qp *to, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)to, (void)wr, (void)bad;
	return 0;
}

/* The data path does not push it out. */
static void post_many(void)
{
	struct ibv_send_wr wr = { .wr_id = 100 }, *bad;

	for (unsigned i = 0; i < 50000; i++)
		ibv_post_send(&number_17, &wr, &bad);
}

int main(void)
{
	const struct ibv_wc failed = { .status = IBV_WC_RETRY_EXC_ERR, .vendor_err = 0xfa170002 };
	const struct ibv_wc flushed = { .status = IBV_WC_WR_FLUSH_ERR };
	const struct posted_wr posted = { .wr_id = 31, .nsge = 1, .sge = { { 0x1000, 8, 1 } } };
	struct bad_wc bad;

	own_rows_begin();
	context.ops.post_send = fake_send;
	CHECK(!bad_wc_last(&bad));
	bad_wc_add(&qp, &failed, &posted, false, 3);
	bad_wc_add(&qp, &flushed, NULL, false, 4); /* a consequence */
	post_many();
	CHECK(bad_wc_last(&bad));
	CHECK_INT(bad.status, IBV_WC_RETRY_EXC_ERR);
	CHECK_INT(bad.rule, 2);
	CHECK_INT(bad.serial, 5);
	CHECK_INT(bad.command, 3);
	CHECK(bad.known && bad.posted.wr_id == 31 && bad.posted.sge[0].addr == 0x1000);
	qp.o.serial = 6;
	bad_wc_add(&qp, &flushed, NULL, false, 4);
	CHECK(bad_wc_last(&bad) && bad.status == IBV_WC_WR_FLUSH_ERR && !bad.known);
	return checks_end();
}
