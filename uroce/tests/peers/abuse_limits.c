// SPDX-License-Identifier: MIT
/* Cases of abuse: more than there is of objects, room, descriptors and memory. */
#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

int many_mrs(void)
{
	enum { MRS = 100000 };
	struct ibv_mr **mrs = calloc(MRS, sizeof(*mrs));
	struct pair p;

	pair_make(&p, 0);
	CHECK(mrs != NULL);
	for (unsigned i = 0; i < MRS; i++) {
		mrs[i] = ibv_reg_mr(p.b.pd, p.b.buf + i % 4096, 64, PAIR_ACCESS);
		CHECK(mrs[i] != NULL);
	}
	pair_works(&p);
	ibv_dereg_mr(p.b.mr); /* the last one takes its place */
	p.b.mr = mrs[MRS - 1];
	for (unsigned i = 0; i < MRS - 1; i++)
		CHECK_INT(ibv_dereg_mr(mrs[i]), 0);
	CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, 64, 0), 0);
	CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_REM_ACCESS_ERR); /* it begins elsewhere */
	pair_close(&p);
	free(mrs);
	return 0;
}

int cq_overrun(void)
{
	enum { ROOM = 4 };
	struct ibv_async_event ev;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned cq_err = 0, fatal = 0;
	struct pair p;

	pair_make(&p, ROOM);
	for (unsigned i = 0; i < 3 * ROOM; i++)
		CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, 8, i), 0);
	while (!cq_err || !fatal) {
		CHECK_INT(ibv_get_async_event(p.ctx, &ev), 0);
		cq_err += ev.event_type == IBV_EVENT_CQ_ERR && ev.element.cq == p.a.cq;
		fatal += ev.event_type == IBV_EVENT_QP_FATAL && ev.element.qp == p.a.qp;
		ibv_ack_async_event(&ev);
	}
	CHECK_INT(ibv_query_qp(p.a.qp, &attr, IBV_QP_STATE, &init), 0);
	CHECK_INT(attr.qp_state, IBV_QPS_ERR);
	for (unsigned i = 0; i < ROOM; i++)
		CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_SUCCESS);
	pair_close(&p);
	return 0;
}

static unsigned descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void limit(int what, rlim_t n)
{
	struct rlimit r;

	CHECK_INT(getrlimit(what, &r), 0);
	r.rlim_cur = n;
	CHECK_INT(setrlimit(what, &r), 0);
}

/* Opens and makes what it can; undoes it. Returns whether all could be made. */
static bool all_or_emfile(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_comp_channel *channels[4] = { 0 };
	struct ibv_context *ctx;
	unsigned n = 0;

	CHECK(list && list[0]);
	errno = 0;
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	if (!ctx) {
		CHECK_INT(errno, EMFILE);
		return false;
	}
	while (n < 4 && (channels[n] = ibv_create_comp_channel(ctx)))
		n++;
	if (n < 4)
		CHECK_INT(errno, EMFILE);
	for (unsigned i = 0; i < n; i++)
		CHECK_INT(ibv_destroy_comp_channel(channels[i]), 0);
	CHECK_INT(ibv_close_device(ctx), 0);
	return n == 4;
}

/* Descriptors run out at every place where one is made. */
int few_files(void)
{
	unsigned had = descriptors(), most = 0;
	struct rlimit r;
	struct pair p;

	CHECK_INT(getrlimit(RLIMIT_NOFILE, &r), 0);
	for (unsigned n = had; !most; n++) {
		CHECK(n < had + 200);
		limit(RLIMIT_NOFILE, n);
		if (all_or_emfile())
			most = n;
		limit(RLIMIT_NOFILE, r.rlim_cur);
		CHECK_INT(descriptors(), had);
	}
	CHECK(most > had + 64);
	pair_make(&p, 0);
	pair_works(&p);
	pair_close(&p);
	CHECK_INT(descriptors(), had);
	return 0;
}

#ifdef SANITIZED
int little_memory(void)
{
	puts("a sanitizer needs its memory: skipped");
	return SKIPPED;
}
#else
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

int little_memory(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4096, 4096, 8, 8, 0 } };
	struct ibv_qp *qps[4096];
	struct rlimit r;
	unsigned n = 0;
	struct pair p;

	pair_make(&p, 0);
	init.send_cq = init.recv_cq = p.a.cq;
	CHECK_INT(getrlimit(RLIMIT_AS, &r), 0);
	limit(RLIMIT_AS, address_space() + (64 << 20));
	while (n < 4096 && (qps[n] = ibv_create_qp(p.a.pd, &init)))
		n++;
	CHECK(n > 0 && n < 4096);
	CHECK_INT(errno, ENOMEM);
	CHECK(ibv_create_cq(p.ctx, 4000000, NULL, NULL, 0) == NULL);
	CHECK_INT(errno, ENOMEM);
	pair_works(&p); /* nothing that runs needs more */
	while (n)
		CHECK_INT(ibv_destroy_qp(qps[--n]), 0);
	limit(RLIMIT_AS, r.rlim_cur);
	pair_works(&p);
	pair_close(&p);
	return 0;
}
#endif
