// SPDX-License-Identifier: MIT
/*
 * memory ADDRESS CASE
 *
 * Programs that give memory back while it is registered, or later.
 */
#include <stdbool.h>
#include <sys/mman.h>

#include "pair.h"

#define LEN 8192

static char *memory; /* LEN bytes, of which mr has all but the first and last 64 */
static struct ibv_mr *mr;

static void make_memory(void)
{
	const int rights = is("free_open") ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
					   : IBV_ACCESS_LOCAL_WRITE;

	if (strstr(the_case, "unmap"))
		memory = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
			      0);
	else
		memory = malloc(LEN);
	check("malloc", memory && memory != MAP_FAILED ? 0 : errno);
	memset(memory, 'x', LEN);
	mr = ibv_reg_mr(r.pd, memory + 64, LEN - 128, rights);
	check("ibv_reg_mr", mr ? 0 : errno);
}

static void post_own(bool is_send)
{
	struct ibv_sge sge = { (uintptr_t)memory + 64, 64, mr->lkey };
	struct ibv_recv_wr recv = { .wr_id = 2, .sg_list = &sge, .num_sge = 1 }, *bad_recv;
	struct ibv_send_wr send = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_RDMA_WRITE,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.rdma = { .remote_addr = (uintptr_t)r.memory + MEMORY / 2, .rkey = r.mr->rkey },
	}, *bad;

	if (is_send)
		check("ibv_post_send", ibv_post_send(a, &send, &bad));
	else
		check("ibv_post_recv", ibv_post_recv(b, &recv, &bad_recv));
}

/* The QP is gone before the region is. */
static void end_region(void)
{
	check("ibv_destroy_qp", ibv_destroy_qp(b));
	b = NULL;
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
}

static void give_back_posted(void)
{
	struct ibv_wc wc;

	join(&r, a, b);
	make_memory();
	post_own(is("unmap_send_posted"));
	if (is("free_after_err"))
		move_to(b, IBV_QPS_ERR);
	if (is("realloc_recv_posted"))
		memory = realloc(memory, 64 * LEN);
	else if (strstr(the_case, "unmap"))
		munmap(memory, LEN);
	else
		free(memory);
	if (is("unmap_send_posted"))
		await_within(r.cq, &wc, 2000);
	end_region();
	if (is("realloc_recv_posted"))
		free(memory);
}

/* A region that has no memory any more is used. */
static void use_later(void)
{
	join(&r, a, b);
	make_memory();
	if (is("post_unmapped"))
		munmap(memory, LEN);
	else
		free(memory);
	post_own(false);
	end_region();
}

static void give_back_unused(void)
{
	join(&r, a, b);
	make_memory();
	if (is("free_done")) {
		post_own(false);
		post(IBV_WR_SEND, 0, 8, IBV_SEND_SIGNALED);
		await_success(r.cq);
		await_success(other_cq);
	}
	if (is("free_after_dereg"))
		check("ibv_dereg_mr", ibv_dereg_mr(mr));
	free(memory);
	if (is("free_again")) { /* another region, of the same memory if malloc() gives it again */
		struct ibv_mr *former = mr;

		make_memory();
		post_own(false);
		check("ibv_dereg_mr", ibv_dereg_mr(former));
		end_region();
		free(memory);
	} else if (!is("free_after_dereg")) {
		check("ibv_dereg_mr", ibv_dereg_mr(mr));
	}
}

/* What is given back is not what is posted. */
static void give_back_other(void)
{
	char *other = malloc(LEN), *more;
	void *pages = mmap(NULL, LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t begin;
	struct ibv_mr *wide;

	join(&r, a, b);
	make_memory();
	more = malloc(LEN);
	/* the pages of two blocks, as some libraries register them */
	begin = (uintptr_t)memory & ~UINT64_C(4095);
	wide = ibv_reg_mr(r.pd, (void *)(uintptr_t)begin, is("unmap_other") ? LEN : 2 * LEN,
			  ALL_RIGHTS);
	check("ibv_reg_mr", wide ? 0 : errno);
	post_own(false);
	if (is("free_neighbour"))
		free(other);
	if (is("free_piece"))
		free(more);
	if (is("realloc_kept"))
		memory = realloc(memory, LEN);
	munmap(pages, LEN);
	check("ibv_dereg_mr", ibv_dereg_mr(wide));
	end_region();
	if (strstr(the_case, "unmap"))
		munmap(memory, LEN);
	else
		free(memory);
	if (!is("free_neighbour"))
		free(other);
	if (!is("free_piece"))
		free(more);
}

static const struct check_case cases[] = {
	{ "free_recv_posted", give_back_posted },
	{ "unmap_recv_posted", give_back_posted },
	{ "unmap_send_posted", give_back_posted },
	{ "realloc_recv_posted", give_back_posted },
	{ "free_after_err", give_back_posted },
	{ "post_unmapped", use_later },
	{ "post_freed", use_later },
	{ "free_open", give_back_unused },
	{ "free_after_dereg", give_back_unused },
	{ "free_done", give_back_unused },
	{ "free_again", give_back_unused },
	{ "free_neighbour", give_back_other },
	{ "free_piece", give_back_other },
	{ "realloc_kept", give_back_other },
	{ "unmap_other", give_back_other },
};

MAIN(cases)
