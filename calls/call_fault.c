/* SPDX-License-Identifier: MIT */
#include "call_fault.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "calls.h"
#include "recorded.h"

const uint64_t *_Atomic call_fault_rows;
static struct {
	struct fault_rule *rules;
	uint64_t *rows; /* changed in place: a call may be reading */
	void (*_Atomic note)(unsigned row, const void *from);
} the;
#define NOTED (UINT64_C(1) << FAULT_RULES_MAX) /* in each row */

/* Of each rule an address that is not its place: a loop calls from there again and again. */
static const void *_Atomic elsewhere[FAULT_RULES_MAX];

static bool is_named(const struct call_fn *fn, const char *name)
{
	if (strcmp(fn->name, name) == 0)
		return true;
	for (unsigned i = 0; i < 2; i++)
		if (fn->stands_for[i] && strcmp(fn->stands_for[i], name) == 0)
			return true;
	return false;
}

/* Empty rows that no call reads. */
static void begin_rows(void)
{
	if (!the.rows)
		the.rows = calloc(call_count, sizeof *the.rows);
	if (!the.rows)
		abort();
	atomic_store(&call_fault_rows, NULL);
}

void call_faults_set(struct fault_rule *rules, unsigned n)
{
	begin_rows();
	the.rules = rules;
	memset((void *)elsewhere, 0, sizeof elsewhere);
	for (unsigned row = 0; row < call_count; row++)
		the.rows[row] &= NOTED;
	for (unsigned i = 0; i < n; i++)
		for (unsigned row = 0; row < call_count && rules[i].what == FAULT_CALL; row++)
			if (is_named(&call_table[row], rules[i].name))
				the.rows[row] |= UINT64_C(1) << i;
	if (n || atomic_load(&the.note))
		atomic_store(&call_fault_rows, the.rows);
}

void call_faults_note(void (*note)(unsigned row, const void *from))
{
	begin_rows();
	for (unsigned row = 0; row < call_count; row++)
		the.rows[row] = (the.rows[row] & ~NOTED) | (note ? NOTED : 0);
	atomic_store(&the.note, note);
	atomic_store(&call_fault_rows, the.rows);
}

/* The headers make ibv_reg_mr_iova2() of ibv_reg_mr() with flags that are no constant, which has
 * the address itself as its iova, and of ibv_reg_mr_iova(). */
static bool is_meant(const struct fault_rule *r, const struct call_fn *fn, const uint64_t *args)
{
	if (fn != &call_table[ROW_ibv_reg_mr_iova2] || strcmp(r->name, fn->name) == 0)
		return true;
	return (strcmp(r->name, "ibv_reg_mr") == 0) == (args[1] == args[3]);
}

void call_site(const void *at, char *text, size_t size)
{
	struct dl_find_object found;
	const char *name, *slash;

	if (_dl_find_object((void *)(uintptr_t)at, &found)) {
		snprintf(text, size, "%p", at);
		return;
	}
	name = *found.dlfo_link_map->l_name ? found.dlfo_link_map->l_name
					    : program_invocation_short_name;
	slash = strrchr(name, '/');
	snprintf(text, size, "%s+0x%zx", slash ? slash + 1 : name,
		 (size_t)((uintptr_t)at - found.dlfo_link_map->l_addr));
}

static bool is_at(unsigned rule, const void *from)
{
	char text[sizeof((struct fault_rule *)0)->site];

	if (atomic_load_explicit(&elsewhere[rule], memory_order_relaxed) == from)
		return false;
	call_site(from, text, sizeof text);
	if (strcmp(text, the.rules[rule].site) == 0)
		return true;
	atomic_store_explicit(&elsewhere[rule], from, memory_order_relaxed);
	return false;
}

static void wait_ns(uint64_t ns)
{
	struct timespec t = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };
	const int err = errno;

	while (nanosleep(&t, &t) && errno == EINTR)
		;
	errno = err;
}

/* The values that the function would leave behind. */
static uint64_t failure(const struct call_fn *fn, int err, const uint64_t *args)
{
	for (unsigned i = 0; fn->args[i].name; i++)
		if (fn->args[i].kind == CALL_BAD && args[i])
			*(uint64_t *)(uintptr_t)args[i] = args[1]; /* none was accepted */
	if ((fn == &call_table[ROW_ibv_get_device_list] ||
	     fn == &call_table[ROW_rdma_get_devices]) &&
	    args[0])
		*(int *)(uintptr_t)args[0] = 0;	    /* their number */
	if (fn == &call_table[ROW_ibv_wr_complete]) /* the QP is locked since ibv_wr_start() */
		(ibv_wr_abort)((struct ibv_qp_ex *)(uintptr_t)args[0]);
	if (fn->fails == FAILS_MINUS_ONE || fn->fails == FAILS_NULL)
		errno = err;
	switch (fn->fails) {
	case FAILS_NEGATIVE:
		return (uint64_t) - (int64_t)err;
	case FAILS_MINUS_ONE:
		return (uint64_t)-1;
	case FAILS_NULL:
		return 0;
	default:
		return (uint64_t)err;
	}
}

bool call_fault_decide(struct record_call *c, unsigned row)
{
	const void *const from = (const void *)(uintptr_t)c->from.at;
	const uint64_t *rows = atomic_load(&call_fault_rows);
	const struct call_fn *fn = &call_table[row];
	void (*note)(unsigned, const void *) = atomic_load(&the.note);
	bool fails = false;

	if (!rows || !c->is_outermost)
		return false;
	if (note)
		note(row, from);
	for (uint64_t left = rows[row] & ~NOTED; left; left &= left - 1) {
		const unsigned i = (unsigned)__builtin_ctzll(left);
		struct fault_rule *r = &the.rules[i];

		if (!is_meant(r, fn, c->args) || (*r->site && !is_at(i, from)) ||
		    !fault_rule_hits(r))
			continue;
		if (r->delay_ns)
			wait_ns(r->delay_ns);
		if (fails || !r->error) {
			c->rule = c->rule ? c->rule : (uint16_t)(i + 1);
			continue;
		}
		fails = true;
		c->rule = (uint16_t)(i + 1);
		c->result = failure(fn, r->error, c->args);
	}
	return fails;
}
