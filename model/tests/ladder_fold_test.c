/* SPDX-License-Identifier: MIT */
/* Rows that come again: told together where they stand together. */
#include "checks.h"
#include "heap.h"
#include "ladder.h"

static void add(struct ladder *l, enum ladder_kind kind, const char *text, int64_t when,
		uint64_t more, int64_t more_until)
{
	struct ladder_row row = { .kind = kind,
				  .to = -1,
				  .state = -1,
				  .when = when,
				  .text = xstrdup(text),
				  .more = more,
				  .more_until = more_until };

	ladder_add(l, &row);
}

/* A request that was refused eight times: its first two, with what is counted in the second. */
static void add_refused(struct ladder *l, bool event)
{
	add(l, LADDER_PACKET, "SEND", 10, 0, 0);
	add(l, LADDER_PACKET, "RNR NAK", 20, 0, 0);
	add(l, LADDER_PACKET, "SEND", 30, 6, 150);
	if (event)
		add(l, LADDER_EVENT, "ESTABLISHED", 35, 0, 0);
	add(l, LADDER_PACKET, "RNR NAK", 40, 6, 160);
}

static void test_pair(void)
{
	struct ladder l = { .n = 0 };

	add_refused(&l, false);
	ladder_fold(&l);
	CHECK_INT(l.rows[1].again_rows, 2);
	CHECK_INT(l.rows[1].again, 7);
	CHECK_INT(l.rows[1].again_until, 160);
	CHECK(l.rows[2].folded && l.rows[3].folded);
	ladder_free(&l);
}

static void test_with_a_row_between(void)
{
	struct ladder l = { .n = 0 };

	add_refused(&l, true);
	ladder_fold(&l);
	CHECK_INT(l.rows[2].again_rows, 1);
	CHECK_INT(l.rows[2].again, 6);
	CHECK_INT(l.rows[2].again_until, 150);
	CHECK_INT(l.rows[4].again_until, 160);
	CHECK(!l.rows[2].folded && !l.rows[3].folded && !l.rows[4].folded);
	ladder_free(&l);
}

int main(void)
{
	test_pair();
	test_with_a_row_between();
	return checks_end();
}
