// SPDX-License-Identifier: MIT
#include "direct_table.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* ----------------------------------------------------------------------- opening -- */

static const struct direct_table *map_table(int fd)
{
	const size_t size = sizeof(struct direct_table);
	struct stat st;
	int seals = fcntl(fd, F_GET_SEALS);
	void *p;

	if (seals < 0 || !(seals & F_SEAL_SHRINK) || fstat(fd, &st) != 0 ||
	    (size_t)st.st_size != size) {
		errno = EPROTO;
		return NULL;
	}
	p = mmap(NULL, size, PROT_READ, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return NULL;
	madvise(p, size, MADV_DONTFORK);
	return p;
}

/* Is it the memory of the process that has this table? Not of a program that has its pid now. */
static int check_memory(const struct reach *r, int pidfd)
{
	uint8_t found[sizeof r->table->nonce];
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	if (poll(&ended, 1, 0) != 0) {
		errno = ESRCH;
		return -1;
	}
	if (r->table->magic != DIRECT_MAGIC ||
	    pread(r->memory, found, sizeof found, (off_t)r->table->address) != sizeof found ||
	    memcmp(found, r->table->nonce, sizeof found) != 0) {
		errno = EPROTO;
		return -1;
	}
	return 0;
}

static int open_memory(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof path, "/proc/%d/mem", (int)pid);
	return open(path, O_RDWR | O_CLOEXEC);
}

int reach_open(struct reach *r, pid_t pid, int pidfd, int its_table,
	       const struct direct_cell *theirs, struct direct_cell *ours, unsigned own_slot)
{
	int err;

	*r = (struct reach){
		.pid = pid, .memory = -1, .cell = ours, .theirs = theirs, .own_slot = own_slot
	};
	r->welcome = atomic_load(&theirs->welcome);
	if (!r->welcome) {
		errno = EAGAIN;
		return -1;
	}
	r->table = map_table(its_table);
	r->memory = r->table ? open_memory(pid) : -1;
	if (r->memory >= 0 && check_memory(r, pidfd) == 0) {
		r->guard = r->table->guard;
		return 0;
	}
	err = errno;
	reach_close(r);
	errno = err;
	return -1;
}

void reach_close(struct reach *r)
{
	if (r->table)
		munmap((void *)(uintptr_t)r->table, sizeof *r->table);
	if (r->memory >= 0)
		close(r->memory);
	r->table = NULL;
	r->memory = -1;
}

void reach_forget(struct reach *r)
{
	r->table = NULL;
	reach_close(r);
}

/* ----------------------------------------------------------- what the table allows -- */

#define GET(word) atomic_load_explicit(&(word), memory_order_relaxed)

/* The generation of an entry that is shown, else 0; what is read between is of that one only if it
 * is the same afterwards. */
static uint32_t begin_read(const generation *g)
{
	uint32_t now = atomic_load_explicit(g, memory_order_acquire);

	return now & 1 ? now : 0;
}

static bool unchanged(const generation *g, uint32_t since)
{
	atomic_thread_fence(memory_order_acquire);
	return GET(*g) == since;
}

static bool same_gid(const _Atomic uint64_t words[2], const union ibv_gid *gid)
{
	uint64_t w[2];

	memcpy(w, gid, sizeof w);
	return GET(words[0]) == w[0] && GET(words[1]) == w[1];
}

/* Where the key would be: to be looked at again when it has been announced. */
static bool find_region(const struct reach *r, uint32_t rkey, uint32_t *place)
{
	for (uint32_t i = 0; i < DIRECT_NEAR; i++) {
		*place = shown_region_place(rkey, i);
		if (GET(r->table->regions[*place].key) == rkey &&
		    begin_read(&r->table->regions[*place].generation))
			return true;
	}
	return false;
}

static bool qp_allows(const struct shown_qp *e, const struct reach_request *q, unsigned need,
		      uint64_t *pd)
{
	uint32_t since = begin_read(&e->generation);

	*pd = GET(e->pd);
	return since && GET(e->qpn) == q->qpn && GET(e->peer_qpn) == q->own_qpn &&
	       (GET(e->access) & need) && GET(e->psn) == q->psn && same_gid(e->local_gid, q->gid) &&
	       same_gid(e->remote_gid, q->own_gid) && unchanged(&e->generation, since);
}

/* host: where it is in the target. No distance overflows: as in verbs/region.c. */
static bool region_allows(const struct shown_region *e, const struct reach_request *q,
			  unsigned need, uint64_t pd, uint64_t *host)
{
	uint32_t since = begin_read(&e->generation);
	uint64_t iova = GET(e->iova), len = GET(e->len);

	*host = GET(e->host) + (q->va - iova);
	return since && GET(e->key) == q->rkey && GET(e->pd) == pd && (GET(e->access) & need) &&
	       q->va >= iova && q->va - iova <= len && q->len <= len - (q->va - iova) &&
	       unchanged(&e->generation, since);
}

/* --------------------------------------------------------------------- the copy -- */

/* Programs wait for the last byte of a message: the aligned word that holds it is written last
 * (guard.c), which is one page more for the kernel to look up. */
static size_t last_word(const struct reach_request *q, uint64_t host)
{
	return ((host + q->len - 1) & 7) + 1;
}

static void split_last_word(struct reach_request *q, uint64_t host)
{
	struct iovec *last = &q->iov[q->niov - 1];
	size_t n = last_word(q, host);

	if (n >= last->iov_len) /* it is alone already */
		return;
	last->iov_len -= n;
	last[1] = (struct iovec){ (char *)last->iov_base + last->iov_len, n };
	q->niov++;
}

/* From here on process_vm_readv(2) and process_vm_writev(2) are faster than /proc/PID/mem, by up to
 * three times. */
#define LONG_COPY 8192u

/* The random number comes along in the same call, of which all is of one address space. False: it
 * was another one, or could not be done so; what q->iov has got then is nothing. */
static bool read_long(const struct reach *r, const struct reach_request *q, uint64_t host)
{
	uint8_t found[sizeof r->table->nonce];
	struct iovec to[1 + REACH_IOVS] = { { found, sizeof found } };
	const struct iovec from[2] = { { (void *)(uintptr_t)r->table->address, sizeof found },
				       { (void *)(uintptr_t)host, q->len } };

	memcpy(to + 1, q->iov, (size_t)q->niov * sizeof *to);
	return process_vm_readv(r->pid, to, (unsigned long)q->niov + 1, from, 2, 0) ==
		       (ssize_t)(sizeof found + q->len) &&
	       memcmp(found, r->table->nonce, sizeof found) == 0;
}

/* The guard comes first, and the word that programs wait for is the last part. False: it is another
 * address space, to which nothing was written, or not all could be written so. */
static bool write_long(struct reach *r, const struct reach_request *q, uint64_t host)
{
	uint8_t mark = 0;
	size_t n = last_word(q, host);
	struct iovec from[1 + REACH_IOVS] = { { &mark, sizeof mark } };
	const struct iovec to[3] = { { (void *)(uintptr_t)r->guard, sizeof mark },
				     { (void *)(uintptr_t)host, q->len - n },
				     { (void *)(uintptr_t)(host + q->len - n), n } };
	ssize_t done;

	memcpy(from + 1, q->iov, (size_t)q->niov * sizeof *from);
	done = process_vm_writev(r->pid, from, (unsigned long)q->niov + 1, to, 3, 0);
	if (done < 0 && errno != EFAULT) /* ENOSYS, EPERM: seccomp(2) */
		r->guard = 0;
	return done == (ssize_t)(sizeof mark + q->len);
}

/* Through /proc/PID/mem. Each buffer is a copy of its own: this file knows no vectors. */
static ssize_t copy_by_file(const struct reach *r, struct reach_request *q, uint64_t host)
{
	if (!q->write)
		return preadv(r->memory, q->iov, q->niov, (off_t)host);
	split_last_word(q, host);
	return pwritev(r->memory, q->iov, q->niov, (off_t)host);
}

static bool copy_long(struct reach *r, const struct reach_request *q, uint64_t host)
{
	if (q->len < LONG_COPY)
		return false;
	return q->write ? r->guard && write_long(r, q, host) : read_long(r, q, host);
}

static enum reach_result copy(struct reach *r, struct reach_request *q, uint64_t host)
{
	ssize_t n;

	if (copy_long(r, q, host))
		return REACH_DONE;
	n = copy_by_file(r, q, host);
	if (n == (ssize_t)q->len)
		return REACH_DONE;
	return n == 0 ? REACH_GONE : REACH_REFUSED;
}

static enum reach_result copy_if_allowed(struct reach *r, struct reach_request *q,
					 const struct shown_qp *qp,
					 const struct shown_region *region)
{
	const unsigned need = q->write ? IBV_ACCESS_REMOTE_WRITE : IBV_ACCESS_REMOTE_READ;
	uint64_t pd, host;

	if (atomic_load(&r->table->welcome[r->own_slot]) != r->welcome)
		return REACH_GONE;
	if (!qp_allows(qp, q, need, &pd) || !region_allows(region, q, need, pd, &host))
		return REACH_REFUSED;
	return copy(r, q, host);
}

bool reach_is_open(const struct reach *r)
{
	return !GET(r->table->off);
}

enum reach_result reach_copy(struct reach *r, struct reach_request *q)
{
	uint32_t qp = shown_qp_place(q->qpn), region;
	enum reach_result result;

	if (GET(r->table->off) || !find_region(r, q->rkey, &region))
		return REACH_REFUSED;
	atomic_store_explicit(&r->cell->use, cell_use(region, qp, ++r->count),
			      memory_order_relaxed);
	atomic_thread_fence(memory_order_seq_cst);
	result = copy_if_allowed(r, q, &r->table->qps[qp], &r->table->regions[region]);
	atomic_store_explicit(&r->cell->use, 0, memory_order_release);
	return result;
}
