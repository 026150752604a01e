/* SPDX-License-Identifier: MIT */
/* The ledger: what a completion retires, what is left, and what the ring forgets. */
#include "check.h"
#include "objects.h"
#include "posted.h"

static struct qp qp;

static void post(uint64_t wr_id, bool recv, bool signaled)
{
	struct posted p = { .wr_id = wr_id, .recv = recv, .signaled = signaled };

	posted_note(&qp, &p);
}

static void completion_retires_what_is_before(void)
{
	unsigned silent;

	post(1, false, false);
	post(2, true, true);
	post(3, false, false);
	post(4, false, true);
	CHECK(posted_left(&qp, false, &silent) == 3);
	CHECK(silent == 2);
	CHECK(posted_oldest(&qp, false)->wr_id == 1);
	CHECK(posted_done(&qp, 3, false)->wr_id == 3);
	CHECK(posted_left(&qp, false, NULL) == 1);
	CHECK(posted_left(&qp, true, NULL) == 1);
	CHECK(posted_oldest(&qp, true)->wr_id == 2);
}

static void ids_may_be_used_again(void)
{
	const struct posted *first;

	posted_clear(&qp);
	post(7, false, true);
	post(7, false, true);
	first = posted_done(&qp, 7, false);
	CHECK(first && posted_left(&qp, false, NULL) == 1);
	CHECK(posted_done(&qp, 7, false) != first);
	CHECK(!posted_done(&qp, 7, false));
	CHECK(!posted_done(&qp, 99, true));
}

static void the_ring_forgets(void)
{
	for (unsigned i = 0; i < 3 * QP_POSTED; i++)
		post(1000 + i, false, true);
	CHECK(posted_left(&qp, false, NULL) == QP_POSTED);
	CHECK(!posted_done(&qp, 1000, false));
	CHECK(posted_oldest(&qp, false)->wr_id == 1000 + 2 * QP_POSTED);
	posted_clear(&qp);
	CHECK(!posted_oldest(&qp, false));
}

int main(void)
{
	completion_retires_what_is_before();
	ids_may_be_used_again();
	the_ring_forgets();
	return checks_end();
}
