// SPDX-License-Identifier: MIT
#include "direct.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "engine.h"
#include "pair.h"
#include "queue_pair.h"
#include "region.h"

#define PAGE	    4096u
#define PAGES	    (sizeof(struct direct_table) / PAGE)
#define SPINS	    1000u
#define NAP_NS	    200000L
#define SHOWING_OUT 5000 /* naps */

/* Where guards are: far from what Linux maps by itself, and from the shadow of ASan. */
#define GUARDS_FROM UINT64_C(0x200000000000)
#define GUARDS	    (UINT64_C(1) << 33)

static struct direct_table *table; /* NULL: there is none */
static int table_fd = -1;
static uint8_t nonce[32];
static void *guard; /* NULL: there is none */
static uint64_t pages_there[(PAGES + 63) / 64];
static uint64_t welcomes;
static unsigned guests;

static struct guest {
	struct direct_cell *cell; /* NULL: nobody */
	int its_table;
} guest[SLOTS];

_Static_assert(sizeof(struct direct_table) % PAGE == 0, "it is made of pages");

/* -------------------------------------------------------------------- the table -- */

/* A page that the kernel cannot give would be a SIGBUS when it is touched. */
static bool page_is_there(const void *entry)
{
	size_t page = (size_t)((const char *)entry - (const char *)table) / PAGE;

	if (pages_there[page / 64] & UINT64_C(1) << page % 64)
		return true;
	if (fallocate(table_fd, FALLOC_FL_KEEP_SIZE, (off_t)(page * PAGE), PAGE) != 0)
		return false;
	pages_there[page / 64] |= UINT64_C(1) << page % 64;
	return true;
}

/* That this process has it, and until when: direct_table.h. */
static int lock_table(void)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(table_fd, F_SETLK, &lock);
}

static int make_table(void)
{
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL;
	void *p;

	table_fd = shared_file("uroce-table", sizeof *table);
	if (table_fd < 0 || lock_table() != 0)
		return -1;
	p = mmap(NULL, sizeof *table, PROT_READ | PROT_WRITE, MAP_SHARED, table_fd, 0);
	if (p == MAP_FAILED)
		return -1;
	table = p;
	if (madvise(p, sizeof *table, MADV_DONTFORK) != 0 ||
	    fcntl(table_fd, F_ADD_SEALS, seals) != 0)
		return -1;
	return page_is_there(table) ? 0 : -1;
}

/* fork() leaves pinned pages to the parent, huge ones too: Linux 5.13. */
static bool pins_outlast_fork(void)
{
	unsigned version, patch;
	struct utsname u;

	return uname(&u) == 0 && sscanf(u.release, "%u.%u", &version, &patch) == 2 &&
	       (version > 5 || (version == 5 && patch >= 13));
}

/* direct_table.h. Linux maps at the address that is asked for, if it is free. Where it is not, or
 * no address (TSan has its shadow there), there is no guard, and long WRITEs are slower. */
static void make_guard(void)
{
	uint64_t place;
	void *at;

	if (!pins_outlast_fork() || getrandom(&place, sizeof place, 0) != sizeof place)
		return;
	at = (void *)(uintptr_t)(GUARDS_FROM + place % GUARDS * PAGE);
	guard = mmap(at, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (guard == MAP_FAILED) {
		guard = NULL;
	} else if (guard != at || madvise(guard, PAGE, MADV_DONTFORK) != 0) {
		munmap(guard, PAGE);
		guard = NULL;
	}
}

int target_start(void)
{
	int err;

	if (table)
		return table_fd;
	if (make_table() != 0 || getrandom(nonce, sizeof nonce, 0) != sizeof nonce) {
		err = errno;
		target_stop();
		errno = err;
		return -1;
	}
	memcpy(table->nonce, nonce, sizeof nonce);
	table->address = (uintptr_t)nonce;
	make_guard();
	table->guard = (uintptr_t)guard;
	table->magic = DIRECT_MAGIC;
	return table_fd;
}

static void forget_mr(struct mr *mr, void *arg)
{
	(void)arg;
	mr->shown = 0;
}

static void forget_qp(struct qp *qp, void *arg)
{
	(void)arg;
	qp->shown = false;
}

void target_stop(void)
{
	for (unsigned slot = 0; slot < SLOTS; slot++)
		target_show_out(slot);
	if (table) {
		region_each(forget_mr, NULL);
		qp_each(forget_qp, NULL);
		munmap(table, sizeof *table);
	}
	if (guard)
		munmap(guard, PAGE);
	if (table_fd >= 0)
		close(table_fd);
	guard = NULL;
	table = NULL;
	table_fd = -1;
	memset(pages_there, 0, sizeof pages_there);
}

void target_forget(void)
{
	table = NULL; /* they were not mapped for us: MADV_DONTFORK */
	guard = NULL;
	guests = 0;
	memset(guest, 0, sizeof guest);
	memset(nonce, 0, sizeof nonce);
	target_stop();
}

/* ------------------------------------------------------------------------ guests -- */

static uint64_t use_of(const struct guest *g)
{
	return atomic_load_explicit(&g->cell->use, memory_order_acquire);
}

/* Has the process that we got that table from not ended, and not become another program? */
static bool still_runs(const struct guest *g)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(g->its_table, F_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

static void nap(void)
{
	nanosleep(&(struct timespec){ .tv_nsec = NAP_NS }, NULL);
}

unsigned target_guests(void)
{
	return guests;
}

static void show_mr(struct mr *mr, void *arg)
{
	(void)arg;
	target_show_region(mr);
}

static void show_qp(struct qp *qp, void *arg)
{
	(void)arg;
	target_show_qp(qp);
}

void target_let_in(unsigned slot, struct direct_cell *theirs, struct direct_cell *ours,
		   int its_table)
{
	if (!table)
		return;
	guest[slot] = (struct guest){ .cell = theirs, .its_table = its_table };
	welcomes++;
	atomic_store(&table->welcome[slot], welcomes);
	atomic_store(&ours->welcome, welcomes);
	if (guests++ == 0) { /* until now nothing was shown */
		region_each(show_mr, NULL);
		qp_each(show_qp, NULL);
	}
}

void target_show_out(unsigned slot)
{
	struct guest *g = &guest[slot];
	uint64_t use;

	if (!g->cell)
		return;
	atomic_store(&table->welcome[slot], 0);
	atomic_thread_fence(memory_order_seq_cst);
	use = use_of(g);
	for (unsigned i = 0; use && i < SHOWING_OUT && use_of(g) == use && still_runs(g); i++)
		nap();
	g->cell = NULL;
	guests--;
}

void target_set_off(bool off)
{
	if (table)
		atomic_store(&table->off, off);
}

/* -------------------------------------------------------------- what they are shown -- */

/* Only between these two is the rest of an entry written. */
static bool begin_change(generation *g)
{
	uint32_t now = atomic_load_explicit(g, memory_order_relaxed);

	if (now & 1)
		return false;
	atomic_thread_fence(memory_order_release);
	return true;
}

static void show(generation *g)
{
	atomic_fetch_add_explicit(g, 1, memory_order_release);
}

static bool hide(generation *g)
{
	if (!(atomic_load_explicit(g, memory_order_relaxed) & 1))
		return false;
	atomic_fetch_add(g, 1);
	atomic_thread_fence(memory_order_seq_cst);
	return true;
}

#define SET(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)

void target_show_region(struct mr *mr)
{
	const unsigned remote = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;

	if (!guests || !(mr->access & remote) || mr->shown)
		return;
	for (uint32_t i = 0; i < DIRECT_NEAR; i++) {
		uint32_t place = shown_region_place(mr->rkey, i);
		struct shown_region *e = &table->regions[place];

		if (!page_is_there(e) || !begin_change(&e->generation))
			continue;
		SET(e->key, mr->rkey);
		SET(e->access, mr->access & remote);
		SET(e->pd, (uintptr_t)mr->pd->domain);
		SET(e->iova, mr->iova);
		SET(e->len, mr->len);
		SET(e->host, (uintptr_t)mr->host);
		show(&e->generation);
		mr->shown = place + 1;
		return;
	}
}

/* RTR, until a packet has come: the event is yet to be raised. */
static bool may_be_shown(const struct qp *qp)
{
	enum ibv_qp_state s = qp_state(qp);

	return qp->type == IBV_QPT_RC && !qp->resp.last_op && !qp->resp.failing &&
	       (s == IBV_QPS_RTS || s == IBV_QPS_SQD || (s == IBV_QPS_RTR && qp->comm_est));
}

static void set_gid(_Atomic uint64_t words[2], const union ibv_gid *gid)
{
	uint64_t w[2];

	memcpy(w, gid, sizeof w);
	SET(words[0], w[0]);
	SET(words[1], w[1]);
}

static struct shown_qp *entry_of(const struct qp *qp)
{
	return &table->qps[shown_qp_place(qp->v.qp_num)];
}

void target_show_qp(struct qp *qp)
{
	struct shown_qp *e;

	if (!guests || !may_be_shown(qp))
		return;
	e = entry_of(qp);
	if (!page_is_there(e) || !begin_change(&e->generation))
		return;
	SET(e->qpn, qp->v.qp_num);
	SET(e->peer_qpn, qp->attr.dest_qp_num);
	SET(e->access, (uint32_t)qp->attr.qp_access_flags);
	SET(e->pd, (uintptr_t)qp->pd->domain);
	set_gid(e->local_gid, &qp->flow.sgid);
	set_gid(e->remote_gid, &qp->flow.dgid);
	SET(e->psn, qp->resp.psn);
	show(&e->generation);
	qp->shown = true;
}

void target_show_psn(const struct qp *qp)
{
	if (qp->shown && table)
		SET(entry_of(qp)->psn, qp->resp.psn);
}

/* -------------------------------------------------------------------------- hiding -- */

static void note_users(struct target_users *users, int (*uses)(uint64_t use, uint32_t place),
		       uint32_t place)
{
	for (unsigned slot = 0; slot < SLOTS; slot++) {
		uint64_t use = guest[slot].cell ? use_of(&guest[slot]) : 0;

		if (use && uses(use, place))
			users->user[users->n++] = (struct target_user){ slot, use };
	}
}

void target_hide_region(struct mr *mr, struct target_users *users)
{
	uint32_t place = mr->shown - 1;

	users->n = 0;
	if (!mr->shown)
		return;
	mr->shown = 0;
	if (table && hide(&table->regions[place].generation))
		note_users(users, cell_uses_region, place);
}

/* A QP that has failed by itself was hidden then, and nobody has waited for its users. */
void target_hide_qp(struct qp *qp, struct target_users *users)
{
	if (users)
		users->n = 0;
	if (!table)
		return;
	if (qp->shown)
		hide(&entry_of(qp)->generation);
	qp->shown = false;
	if (users)
		note_users(users, cell_uses_qp, shown_qp_place(qp->v.qp_num));
}

static bool still_uses(const struct target_user *u)
{
	const struct guest *g = &guest[u->slot];

	return g->cell && use_of(g) == u->use && still_runs(g);
}

static bool all_done(struct target_users *users)
{
	engine_lock();
	while (users->n && !still_uses(&users->user[users->n - 1]))
		users->n--;
	engine_unlock();
	return users->n == 0;
}

/* It is a copy of some microseconds, unless the other process is stopped. */
void target_await(struct target_users *users)
{
	for (unsigned i = 0; users->n && !all_done(users); i++)
		if (i < SPINS)
			sched_yield();
		else
			nap();
}
