// SPDX-License-Identifier: MIT
/* The inventory of another process is looked at before it is believed. */
#include "group_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "checks.h"

struct file {
	struct inventory_head head;
	struct uroce_context_row context;
	struct uroce_mr_row mr[2];
	struct uroce_qp_row qp;
};

static struct file good(void)
{
	struct file f = {
		.head = { .magic = INVENTORY_MAGIC },
		.context = { .device = "rxe_0" },
		.mr = { { .number = 7, .rkey = 70, .len = 700 }, { .number = 3, .rkey = 30 } },
		.qp = { .qpn = 17, .type = IBV_QPT_RC, .sends = 2, .begun = 1 },
	};

	for (unsigned i = 0; i < UROCE_KINDS; i++)
		f.head.kind[i].row_size = inventory_row_size[i];
	f.head.kind[UROCE_CONTEXT].n = f.head.kind[UROCE_CONTEXT].total = 1;
	f.head.kind[UROCE_MR].n = f.head.kind[UROCE_MR].total = 2;
	f.head.kind[UROCE_QP].n = 1;
	f.head.kind[UROCE_QP].total = 100;
	f.qp.attr.qp_state = IBV_QPS_RTS;
	return f;
}

static struct uroce_inventory *read_bytes(const void *data, size_t n)
{
	int fd = memfd_create("test", MFD_CLOEXEC);
	struct uroce_inventory *found;

	CHECK(fd >= 0 && write(fd, data, n) == (ssize_t)n);
	errno = 0;
	found = inventory_read(fd, 42);
	close(fd);
	return found;
}

static void test_good(void)
{
	struct file f = good();
	struct uroce_inventory *v = read_bytes(&f, sizeof f);
	const struct uroce_context_row *context;
	const struct uroce_mr_row *mr;
	const struct uroce_qp_row *qp;

	CHECK(v);
	CHECK_INT(v->pid, 42);
	context = v->kind[UROCE_CONTEXT].rows;
	CHECK_STR(context->device, "rxe_0");
	CHECK_INT(v->kind[UROCE_MR].n, 2);
	mr = v->kind[UROCE_MR].rows;
	CHECK_INT(mr[0].number, 3); /* in their order */
	CHECK_INT(mr[1].rkey, 70);
	CHECK_INT(v->kind[UROCE_QP].total, 100);
	qp = v->kind[UROCE_QP].rows;
	CHECK_INT(qp->qpn, 17);
	CHECK_INT(v->kind[UROCE_CQ].n, 0);
	free(v);
}

static void refused(const struct file *f, size_t n)
{
	CHECK(!read_bytes(f, n));
	CHECK_INT(errno, EPROTO);
}

static void test_head(void)
{
	struct file f = good();

	f.head.magic++;
	refused(&f, sizeof f);
	f = good();
	f.head.kind[UROCE_QP].row_size += 8; /* another version */
	refused(&f, sizeof f);
	f = good();
	f.head.kind[UROCE_PD].n = UINT32_MAX;
	f.head.kind[UROCE_PD].total = UINT32_MAX;
	refused(&f, sizeof f);
	f = good();
	f.head.kind[UROCE_MR].total = 1; /* fewer than there are */
	refused(&f, sizeof f);
	f = good();
	strcpy(f.context.device, "a\033[2J");
	refused(&f, sizeof f);
	memset(f.context.device, 'a', sizeof f.context.device); /* does not end */
	refused(&f, sizeof f);
}

static void test_length(void)
{
	struct file f = good();
	struct {
		struct file f;
		char more;
	} longer = { .f = good() };

	refused(&f, 0);
	refused(&f, sizeof f.head - 1);
	refused(&f, sizeof f.head);
	refused(&f, sizeof f - 1);
	refused(&longer.f, sizeof longer);
}

/* Which is looked up in tables, or subtracted from. */
static void test_values(void)
{
	struct file f = good();

	f.qp.attr.qp_state = IBV_QPS_UNKNOWN;
	refused(&f, sizeof f);
	f = good();
	f.qp.attr.path_mtu = IBV_MTU_4096 + 1;
	refused(&f, sizeof f);
	f = good();
	f.qp.type = 1000;
	refused(&f, sizeof f);
	f = good();
	f.qp.begun = 3;
	refused(&f, sizeof f);
	f = good();
	f.qp.nchanges = UROCE_CHANGES + 1;
	refused(&f, sizeof f);
	f = good();
	f.qp.nchanges = 2;
	f.qp.changes[1].to = 200;
	refused(&f, sizeof f);
	f.qp.changes[1].to = 0;
	f.qp.changes[1].cause = UROCE_CAUSES;
	refused(&f, sizeof f);
	f = good();
	f.qp.refusal.refused = UROCE_REFUSALS;
	refused(&f, sizeof f);
}

static void test_no_file(void)
{
	int fds[2];

	CHECK(pipe(fds) == 0);
	CHECK(!inventory_read(fds[0], 1));
	CHECK_INT(errno, EPROTO);
	close(fds[0]);
	close(fds[1]);
	CHECK(!inventory_read(-1, 1));
}

int main(void)
{
	test_good();
	test_head();
	test_length();
	test_values();
	test_no_file();
	return checks_end();
}
