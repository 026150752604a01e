// SPDX-License-Identifier: MIT
/*
 * memory ADDRESS CASE
 *
 * Programs that give memory back while it is registered, or later.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "pair.h"

#define LEN 8192

static char *memory; /* LEN bytes, of which mr has all but the first and last 64 */
static struct ibv_mr *mr;

static void make_memory(void)
{
	const int rights = is("free_open") ? IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE
					   : IBV_ACCESS_LOCAL_WRITE;

	if (strstr(the_case, "map"))
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
	void *moved = NULL;

	join(&r, a, b);
	make_memory();
	if (is("post_unmapped"))
		munmap(memory, LEN);
	else if (is("post_remapped")) { /* a table grows, and moves */
		moved = mmap(NULL, 2 * LEN, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		moved = mremap(memory, LEN, 2 * LEN, MREMAP_MAYMOVE | MREMAP_FIXED, moved);
	} else
		free(memory);
	for (int i = 0; i < 3 && is("post_freed_often"); i++) {
		memory = malloc(LEN); /* the same block again */
		free(memory);
	}
	if (is("post_reregistered")) {
		memory = malloc(LEN);
		check("ibv_rereg_mr", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
						   memory + 64, LEN - 128, 0));
	}
	if (is("post_freed_moved_pd"))
		check("ibv_rereg_mr", ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, r.pd, NULL, 0, 0));
	post_own(false);
	end_region();
	if (is("post_reregistered"))
		free(memory);
	if (moved)
		munmap(moved, 2 * LEN);
}

/* The region gets other memory, and one of the two is given back while a receive with it is
 * outstanding. */
static void give_back_moved(void)
{
	char *former, *now = malloc(LEN);

	join(&r, a, b);
	make_memory();
	former = memory;
	memory = now;
	check("ibv_rereg_mr",
	      ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, now + 64, LEN - 128, 0));
	post_own(false);
	free(is("free_moved") ? now : former);
	end_region();
	free(is("free_moved") ? former : now);
}

static void give_back_unused(void)
{
	join(&r, a, b);
	make_memory();
	if (strstr(the_case, "free_done")) {
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

/* Other memory is given back than is posted. */
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

/* Two regions have addresses of their own. Those of the other one, whose memory stays, are by
 * chance where the memory is that is given back. */
static void give_back_iova(void)
{
	char *other = aligned_alloc(4096, LEN);
	struct ibv_mr *of_other;

	join(&r, a, b);
	memory = aligned_alloc(4096, LEN);
	mr = ibv_reg_mr_iova(r.pd, memory, LEN, (uintptr_t)memory + (1 << 30), 0);
	check("ibv_reg_mr_iova", mr ? 0 : errno);
	of_other = ibv_reg_mr_iova(r.pd, other, LEN, (uintptr_t)memory, ALL_RIGHTS);
	check("ibv_reg_mr_iova", of_other ? 0 : errno);
	free(memory);
	check("ibv_dereg_mr", ibv_dereg_mr(of_other));
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	free(other);
}

#define REGIONS 2000

static _Atomic bool is_enough;

static void allocate(void)
{
	void *volatile block = malloc(LEN); /* else the compiler leaves both calls out */

	free(block);
}

static void *allocate_on(void *arg)
{
	while (!is_enough)
		allocate();
	return arg;
}

/* While a thread gives back memory, of which is asked whether one of many regions has it. */
static void fork_meanwhile(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *many[REGIONS];
	char address[INET_ADDRSTRLEN];
	struct rig own; /* of a child, which registers something, too */
	pthread_t other;
	pid_t child;
	int status;

	for (int i = 0; i < REGIONS; i++) {
		many[i] = ibv_reg_mr(r.pd, page, 4096, IBV_ACCESS_LOCAL_WRITE);
		check("ibv_reg_mr", many[i] ? 0 : errno);
	}
	pthread_create(&other, NULL, allocate_on, NULL);
	for (int i = 0; i < 5; i++) {
		child = fork();
		if (child == 0) {
			open_rig(&own, inet_ntop(AF_INET, r.gid.raw + 12, address, sizeof address),
				 8);
			allocate();
			_exit(0);
		}
		check("waitpid", waitpid(child, &status, 0) == child && status == 0 ? 0 : ECHILD);
	}
	is_enough = true;
	pthread_join(other, NULL);
	for (int i = 0; i < REGIONS; i++)
		check("ibv_dereg_mr", ibv_dereg_mr(many[i]));
	munmap(page, 4096);
}

static const struct named_case cases[] = {
	{ "free_recv_posted", give_back_posted },
	{ "unmap_recv_posted", give_back_posted },
	{ "unmap_send_posted", give_back_posted },
	{ "realloc_recv_posted", give_back_posted },
	{ "free_after_err", give_back_posted },
	{ "wrapped_free_posted", give_back_posted },
	{ "wrapped_free_done", give_back_unused },
	{ "post_unmapped", use_later },
	{ "post_remapped", use_later },
	{ "post_freed", use_later },
	{ "post_freed_often", use_later },
	{ "post_reregistered", use_later },
	{ "post_freed_moved_pd", use_later },
	{ "free_moved", give_back_moved },
	{ "free_former", give_back_moved },
	{ "free_open", give_back_unused },
	{ "free_after_dereg", give_back_unused },
	{ "free_done", give_back_unused },
	{ "free_again", give_back_unused },
	{ "free_neighbour", give_back_other },
	{ "free_piece", give_back_other },
	{ "realloc_kept", give_back_other },
	{ "unmap_other", give_back_other },
	{ "free_iova", give_back_iova },
	{ "fork_meanwhile", fork_meanwhile },
};

MAIN(cases)
