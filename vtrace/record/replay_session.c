/* SPDX-License-Identifier: MIT */
/* Collects what the program does, and writes it as a script at the end. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "alloc.h"
#include "call_record.h"
#include "export/template.h"
#include "record_rings.h"
#include "door.h"
#include "recorded.h"
#include "replay.h"
#include "replay_script.h"

#define PASSES	2
#define IDLE_NS 500000000 /* a pause of this length was meant by the program */

static struct {
	struct replay_options o;
	FILE *to;
	struct replay_call *calls;
	unsigned ncalls;
	struct traced *process;
	uint64_t lost, last_end;
} the;

/* ------------------------------------------------------------------------------ collected -- */

int replay_begin(const struct replay_options *o)
{
	the.o = *o;
	the.to = fopen(o->path, "we");
	if (!the.to) {
		door_say("%s: %s", o->path, strerror(errno));
		return -1;
	}
	replay_rows_begin();
	setenv(REPLAY_VARIABLE, "1", 1);
	return 0;
}

bool replay_is_row(const struct reader_news *news)
{
	enum replay_row row;

	return news->what == READER_CALL && replay_row_of(news->r->fn, &row);
}

/* A call that waits takes its place when it ends, and so does one that destroys an object, which
 * may wait for events. Any other call takes its place when it begins, because the peer may act on
 * it before it ends. */
static uint64_t when_of(const struct record *r, enum replay_row row)
{
	enum call_object kind;
	const bool ends = r->nargs && r->fn->args[0].role == CALL_GONE && !r->fn->fetches;

	if (row != REPLAY_ROWS || ends || r->fn->waits || r->fn == &call_table[ROW_ibv_poll_cq] ||
	    record_takes_completion(r->fn) || record_made(r, &kind))
		return r->end;
	return r->begin;
}

void replay_take(struct reader *reader, const struct reader_news *news)
{
	struct replay_call *c;
	enum replay_row row = REPLAY_ROWS;
	int64_t idle;

	if (news->what == READER_LOST)
		the.lost += news->n;
	if (news->what != READER_CALL)
		return;
	idle = record_span(the.last_end, news->r->begin);
	the.last_end = news->r->end;
	if (record_is_empty_poll(news->r))
		return;
	if (!replay_row_of(news->r->fn, &row) && news->r->depth)
		return;
	if (the.process != news->process) { /* exec() begins a new program */
		the.process = news->process;
		the.ncalls = 0;
	}
	reader_keep(reader);
	the.calls = xgrow(the.calls, the.ncalls, sizeof *the.calls);
	c = &the.calls[the.ncalls++];
	*c = (struct replay_call){ .r = *news->r, .row = row };
	c->when = when_of(&c->r, row);
	c->idle = the.ncalls > 1 ? idle : 0;
}

static int by_time(const void *a, const void *b)
{
	const struct replay_call *x = a, *y = b;

	return (x->when > y->when) - (x->when < y->when);
}

/* --------------------------------------------------------------------------------- memory -- */

static void add_piece_memory(struct replay *p, const struct ibv_sge *s)
{
	replay_memory_add(&p->memory, s->addr, s->length);
}

/* Finds the memory that it registers, and that from which it sends inline. */
static void find_memory(struct replay *p)
{
	for (unsigned i = 0; i < p->ncalls; i++) {
		const struct record *r = &p->calls[i].r;
		enum call_object kind = OBJECT_NONE;
		const uint64_t made = p->calls[i].row == REPLAY_ROWS ? record_made(r, &kind) : 0;
		const struct ibv_mr *mr = made && kind == OBJECT_MR ? record_bytes(r, made, NULL)
								    : NULL;

		if (mr)
			replay_memory_add(&p->memory, (uintptr_t)mr->addr, mr->length);
		calls_each_inline(p, r, add_piece_memory);
	}
}

/* What has arrived belongs to the poll that follows: a receive or a READ takes it as its own. */
static void write_memory(struct replay *p, const struct record *r)
{
	const unsigned char *data = (const void *)(uintptr_t)r->args[1];

	if (!data)
		return;
	replay_memory_put(&p->memory, r->args[0], data, r->args[2], !r->args[3]);
	if (!r->args[3])
		return;
	p->arrived = xgrow(p->arrived, p->narrived, sizeof *p->arrived);
	p->arrived[p->narrived++] = r;
}

/* ---------------------------------------------------------------------------------- script -- */

static void write_row(struct replay *p, const struct replay_call *c)
{
	if (c->row == REPLAY_MEMORY)
		write_memory(p, &c->r);
	else if (c->row == REPLAY_UNSEEN)
		replay_note(p, "%llu bytes of a region are more than was looked at",
			    (unsigned long long)c->r.args[1]);
	else
		waits_write_tcp(p, c->row, &c->r);
}

/* What the peer has written with a WRITE may contain values, too. */
static void write_arrived(struct replay *p)
{
	for (unsigned i = 0; i < p->narrived; i++) {
		const struct record *r = p->arrived[i];
		const struct own_value *mr = own_region(p, r->args[0], r->args[2]);

		if (mr)
			told_add(p, "wrote", (const void *)(uintptr_t)r->args[1], r->args[2],
				 temp_text("[mem get %s %llu %llu]", mr->name,
					   (unsigned long long)(r->args[0] - mr->value),
					   (unsigned long long)r->args[2]));
	}
	p->narrived = 0;
}

/* The program has slept, or a person has typed. */
static void write_pause(struct replay *p, const struct replay_call *c)
{
	if (c->idle >= IDLE_NS && !c->r.fn->waits && !c->r.fn->fetches)
		replay_line(p, "sleep %lldms", (long long)(c->idle / 1000000));
}

static void write_calls(struct replay *p)
{
	for (p->at = 0; p->at < p->ncalls; p->at++) {
		const struct replay_call *c = &p->calls[p->at];

		if (c->row != REPLAY_ROWS) {
			write_row(p, c);
			continue;
		}
		write_pause(p, c);
		live_program_take(p->live, &c->r, p->process->objects);
		calls_write(p, &c->r);
		write_arrived(p);
	}
	replay_flush(p);
}

static void begin_pass(struct replay *p)
{
	const struct replay kept = *p;

	*p = (struct replay){ .process = kept.process,
			      .calls = kept.calls,
			      .ncalls = kept.ncalls,
			      .no_data = kept.no_data,
			      .memory = kept.memory,
			      .wanted = kept.wanted,
			      .nwanted = kept.nwanted,
			      .live = live_program_new() };
	p->body = (struct text){ 0 };
	p->before = (struct text){ 0 };
	replay_memory_clear(&p->memory);
}

static void end_pass(struct replay *p)
{
	for (unsigned i = 0; i < p->ntold; i++)
		free(p->told[i].data);
	free(p->told);
	free(p->own);
	free(p->values);
	free(p->named);
	free(p->tcp);
	free(p->skipped);
	free(p->arrived);
	free(p->built);
	live_program_free(p->live);
	text_free(&p->body);
	text_free(&p->before);
}

/* A newline would end the comment. */
static void add_comment(struct text *to, const char *word)
{
	text_add(to, " ");
	for (; *word; word++)
		xappendf(to, iscntrl((unsigned char)*word) ? "\\x%02x" : "%c",
			 (unsigned char)*word);
}

static void add_heading(const struct replay *p, struct text *to)
{
	text_add(to, "# Recorded by 'vtrace --record' from:");
	for (char **a = the.o.argv; *a; a++)
		add_comment(to, *a);
	text_add(to, "\n# It plays the part of that program:\n#\trdmash");
	add_comment(to, the.o.path);
	xappendf(to, "%s\nset within 60s ;# how long to wait for the other end\n",
		 *p->host ? " [HOST]" : "");
	if (*p->host)
		xappendf(to, "set host [expr {$argc ? [lindex $argv 0] : \"%s\"}]\n", p->host);
	if (p->notes)
		xappendf(
			to,
			"# %u lines that begin with NOT FOLLOWED say what may be wrong in another run.\n",
			p->notes);
	if (the.lost)
		xappendf(to, "# NOT FOLLOWED: %llu calls were lost\n",
			 (unsigned long long)the.lost);
}

static void write_script(const struct replay *p)
{
	SCOPED_TEXT(heading);
	SCOPED_TEXT(folded);
	SCOPED_TEXT(script);

	add_heading(p, &heading);
	replay_fold(text_str(&p->body), &folded);
	template_fill(replayed_rdma,
		      (const struct template_part[]){ { "@heading@\n", text_str(&heading) },
						      { "@session@\n", text_str(&folded) },
						      { 0 } },
		      &script);
	fputs(text_str(&script), the.to);
}

int replay_end(void)
{
	struct replay p = { .process = the.process,
			    .calls = the.calls,
			    .ncalls = the.ncalls,
			    .no_data = the.o.no_data };
	int rc = 0;

	if (the.ncalls)
		qsort(the.calls, the.ncalls, sizeof *the.calls, by_time);
	find_memory(&p);
	for (unsigned pass = 0; the.process && pass < PASSES; pass++) {
		begin_pass(&p);
		write_calls(&p);
		if (pass == PASSES - 1)
			write_script(&p);
		end_pass(&p);
	}
	if (!the.process)
		door_say("%s is empty: the program has called nothing", the.o.path);
	if (ferror(the.to) | fclose(the.to)) {
		door_say("%s: %s", the.o.path, strerror(errno));
		rc = -1;
	}
	if (p.notes)
		door_say("%s: %u values or calls could not be followed, see the lines with NOT "
			 "FOLLOWED",
			 the.o.path, p.notes);
	replay_memory_free(&p.memory);
	free(p.wanted);
	free(the.calls);
	return rc;
}
