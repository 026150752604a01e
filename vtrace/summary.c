// SPDX-License-Identifier: MIT
#include "views.h"

#include <stdlib.h>

#include "call_record.h"
#include "latencies.h"
#include "live_program.h"
#include "out.h"
#include "spec_tables.h"
#include "heap.h"

struct operation {
	uint64_t done, errors;
	struct latencies took;
};

struct function {
	const struct call_fn *fn;
	uint64_t calls, errors;
	int64_t ns;
};

struct summary {
	struct function *functions; /* as many as call_table has rows */
	struct operation operations[WR_OPS];
	uint64_t unknown; /* completions of requests whose post was not seen */
};

struct summary *summary_new(void)
{
	struct summary *s = xcalloc(1, sizeof *s);

	s->functions = xcalloc(call_count, sizeof *s->functions);
	return s;
}

void summary_free(struct summary *s)
{
	free(s->functions);
	free(s);
}

void summary_take_call(struct summary *s, const struct record *r)
{
	struct function *f = &s->functions[r->fn - call_table];

	if (r->depth || !r->ended)
		return;
	f->fn = r->fn;
	f->calls += r->count;
	f->errors += r->err && !record_found_nothing(r);
	f->ns += record_span(r->begin, r->end);
}

void summary_take_completion(struct summary *s, const struct live_wc *wc)
{
	struct operation *op = wc->known && wc->posted.op ? &s->operations[wc->posted.op - wr_ops]
							  : NULL;

	if (!op) {
		s->unknown++;
		return;
	}
	op->done++;
	op->errors += wc->wc.status != IBV_WC_SUCCESS;
	if (wc->wc.status != IBV_WC_SUCCESS || wc->after < 0)
		return;
	latencies_add(&op->took, (uint64_t)wc->after);
}

/* The longest first. */
static int by_time(const void *a, const void *b)
{
	const struct function *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void out_functions(const struct summary *s, struct out *o)
{
	struct function *sorted = xcalloc(call_count, sizeof *sorted);
	uint64_t calls = 0, errors = 0;
	int64_t ns = 0;

	for (unsigned i = 0; i < call_count; i++)
		sorted[i] = s->functions[i];
	qsort(sorted, call_count, sizeof *sorted, by_time);
	out_list(o, "calls");
	out_text(o, "%-32s %10s %8s %12s\n", "function", "calls", "errors", "time/us");
	for (unsigned i = 0; i < call_count; i++) {
		const struct function *f = &sorted[i];

		if (!f->calls)
			continue;
		calls += f->calls;
		errors += f->errors;
		ns += f->ns;
		out_dict(o, NULL);
		out_str(o, "name", f->fn->name, "%-32s", f->fn->name);
		out_u64(o, "calls", f->calls, " %10llu", (unsigned long long)f->calls);
		out_u64(o, "errors", f->errors, " %8llu", (unsigned long long)f->errors);
		out_int(o, "ns", f->ns, " %12.3f\n", (double)f->ns / 1e3);
		out_end(o);
	}
	out_end(o);
	out_text(o, "%-32s %10llu %8llu %12.3f\n", "all", (unsigned long long)calls,
		 (unsigned long long)errors, (double)ns / 1e3);
	free(sorted);
}

static void out_operation(const struct operation *op, const char *name, struct out *o)
{
	uint64_t median = latencies_quantile(&op->took, 500);
	uint64_t slow = latencies_quantile(&op->took, 999);

	out_dict(o, NULL);
	out_str(o, "name", name, "%-32s", name);
	out_u64(o, "completions", op->done, " %10llu", (unsigned long long)op->done);
	out_u64(o, "errors", op->errors, " %8llu", (unsigned long long)op->errors);
	if (op->took.n) {
		out_u64(o, "median_ns", median, " %12.3f", (double)median / 1e3);
		out_u64(o, "p999_ns", slow, " %12.3f", (double)slow / 1e3);
	}
	out_text(o, "\n");
	out_end(o);
}

static void out_operations(const struct summary *s, struct out *o)
{
	bool any = false;

	out_list(o, "operations");
	for (unsigned i = 0; i < WR_OPS; i++) {
		if (!s->operations[i].done)
			continue;
		if (!any)
			out_text(o, "\n%-32s %10s %8s %12s %12s\n", "from post to completion",
				 "completed", "errors", "median/us", "99.9 %/us");
		any = true;
		out_operation(&s->operations[i], wr_ops[i].name, o);
	}
	out_end(o);
	if (s->unknown)
		out_u64(o, "unknown", s->unknown,
			"%llu completions of requests whose post was not seen\n",
			(unsigned long long)s->unknown);
}

void summary_out(const struct summary *s, struct out *o)
{
	out_functions(s, o);
	out_operations(s, o);
}
