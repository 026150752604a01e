// SPDX-License-Identifier: MIT
/* Cases of abuse: registered memory that the program takes away. */
#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"

/* The other side's memory is gone; then our own. */
static void gone(void (*take_away)(void *at, size_t n), int fd)
{
	for (unsigned own = 0; own < 2; own++) {
		struct side *victim;
		struct ibv_mr *mr;
		enum ibv_wc_status status;
		struct pair p;
		uint8_t *at;

		if (fd >= 0)
			CHECK_INT(ftruncate(fd, PAIR_BYTES), 0);
		at = mmap(NULL, PAIR_BYTES, PROT_READ | PROT_WRITE,
			  fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
		CHECK(at != MAP_FAILED);
		pair_make(&p, 0);
		victim = own ? &p.a : &p.b;
		mr = victim->mr;
		victim->mr = ibv_reg_mr(victim->pd, at, PAIR_BYTES, PAIR_ACCESS);
		CHECK(victim->mr != NULL);
		free(victim->buf);
		victim->buf = at;
		pair_works(&p);
		take_away(at, PAIR_BYTES);
		CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, PAIR_BYTES, 0), 0);
		status = pair_wait(p.a.cq, NULL);
		CHECK(own ? status == IBV_WC_LOC_PROT_ERR
			  : status == IBV_WC_REM_OP_ERR || status == IBV_WC_REM_ACCESS_ERR);
		CHECK_INT(ibv_dereg_mr(mr), 0);
		victim->buf = NULL;
		pair_close(&p);
		munmap(at, PAIR_BYTES);
	}
}

static void unmap(void *at, size_t n)
{
	CHECK_INT(munmap(at, n), 0);
}

static void protect(void *at, size_t n)
{
	CHECK_INT(mprotect(at, n, PROT_NONE), 0);
}

int memory_unmapped(void)
{
	gone(unmap, -1);
	return 0;
}

int memory_protected(void)
{
	gone(protect, -1);
	return 0;
}

static int file_behind;

static void shorten(void *at, size_t n)
{
	(void)at;
	(void)n;
	CHECK_INT(ftruncate(file_behind, 0), 0);
}

/* Huge pages, of which the host may have none: they are missing even before the file is shortened.
 * A region of them is refused, or is one that may come and go. */
int huge_pages(void)
{
	const size_t size = 2 << 20;
	uint8_t *at;

	file_behind = memfd_create("abuse", MFD_HUGETLB);
	if (file_behind < 0 || ftruncate(file_behind, (off_t)size) != 0)
		return 0; /* a kernel without them */
	at = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_behind, 0);
	CHECK(at != MAP_FAILED);
	for (unsigned own = 0; own < 2; own++) {
		enum ibv_wc_status status;
		struct side *victim;
		struct ibv_mr *mr;
		struct pair p;

		pair_make(&p, 0);
		victim = own ? &p.a : &p.b;
		mr = victim->mr;
		victim->mr = ibv_reg_mr(victim->pd, at, size, PAIR_ACCESS | IBV_ACCESS_ON_DEMAND);
		CHECK(victim->mr != NULL);
		free(victim->buf);
		victim->buf = at;
		CHECK_INT(ftruncate(file_behind, 0), 0);
		CHECK(!ibv_reg_mr(victim->pd, at, size, PAIR_ACCESS) && errno == EFAULT);
		CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, PAIR_BYTES, 0), 0);
		status = pair_wait(p.a.cq, NULL);
		CHECK_INT(status, own ? IBV_WC_LOC_PROT_ERR : IBV_WC_REM_OP_ERR);
		CHECK_INT(ibv_dereg_mr(mr), 0);
		victim->buf = NULL;
		pair_close(&p);
	}
	munmap(at, size);
	return 0;
}

int file_truncated(void)
{
	file_behind = memfd_create("abuse", 0);
	CHECK(file_behind >= 0);
	gone(shorten, file_behind);
	return 0;
}
