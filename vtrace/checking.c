/* SPDX-License-Identifier: MIT */
#include "checking.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "door.h"
#include "heap.h"
#include "junit.h"
#include "live_program.h"
#include "out.h"
#include "processes.h"
#include "reader.h"
#include "recorded.h"
#include "text.h"

/* A process that is checked. */
struct check_process {
	const struct traced *of;
	struct checks *checks;
	struct places *places;
	struct check_process *next;
	uint64_t calls, requests; /* requests: posts, polls and the like */
	bool has_connected;	  /* a QP of it can send or receive */
	bool is_on_uroce;	  /* whose requests go through libibverbs */
	bool has_end;		  /* it has ended by exit(), and with success */
	bool has_lost;		  /* calls of it were lost */
	bool is_to_stop;	  /* a finding of this call is one to stop on */
};

static struct {
	struct check_options o;
	FILE *to;
	bool json;
	struct check_process *processes; /* the newest first */
	struct suppression {
		char *id, *pattern;
	} * suppressed;
	unsigned nsuppressed;
	struct told {
		char *places;
		size_t last; /* where the last of them begins */
		enum check_id id;
		uint64_t count;
	} * told;
	unsigned ntold;
	unsigned found[CHECK_ADVICE + 1], silenced;
	struct text cases; /* for JUnit */
	unsigned failed[CHECK_RULES];
} the;

/* --------------------------------------------------------------------- suppressions -- */

/* "ID PATTERN", or a comment after '#'. */
static bool read_suppression(char *line)
{
	char *id = strtok(line, " \t\n"), *pattern = id ? strtok(NULL, "\n") : NULL;
	bool wanted[CHECK_RULES];
	char *wrong;

	if (!id || *id == '#')
		return true;
	wrong = checks_choose(id, wanted);
	if (wrong || !pattern) {
		door_say("%s: '%s' is no rule and a pattern: write 'ID PATTERN', such as 'leak "
			 "*libucs*'",
			 the.o.suppressions, wrong ? wrong : id);
		free(wrong);
		return false;
	}
	the.suppressed = xgrow(the.suppressed, the.nsuppressed, sizeof *the.suppressed);
	the.suppressed[the.nsuppressed++] =
		(struct suppression){ xstrdup(id), xstrdup(pattern + strspn(pattern, " \t")) };
	return true;
}

/* Of the call with which it became clear, and of the steps. */
static const char *place_of(struct check_process *p, const struct check_finding *f, unsigned i)
{
	return check_places_text(p->places, i ? f->steps[i - 1].at.from : f->at.from);
}

/* A pattern is for the place of the call, of a step, or for the name of the object. */
static bool is_suppressed(struct check_process *p, const struct check_finding *f)
{
	for (unsigned i = 0; i < the.nsuppressed; i++) {
		const struct suppression *s = &the.suppressed[i];

		if (strcmp(s->id, "all") != 0 && strcmp(s->id, check_rules[f->id].id) != 0)
			continue;
		if (fnmatch(s->pattern, f->object, 0) == 0)
			return true;
		for (unsigned k = 0; k <= f->nsteps; k++)
			if (fnmatch(s->pattern, place_of(p, f, k), 0) == 0)
				return true;
	}
	return false;
}

/* ------------------------------------------------------------------------- writing -- */

static const char *place_text(void *arg, struct record_from from)
{
	struct check_process *p = arg;

	return check_places_text(p->places, from);
}

/* ------------------------------------------------------------------------- JUnit -- */

/* A finding is a test that has failed. */
static void add_failure(const struct check_finding *f, const struct out *o)
{
	SCOPED_TEXT(text);

	out_print(o, OUT_TEXT, &text);
	junit_add(&the.cases, &(struct junit_case){ .class = "vtrace.check",
						    .name = check_rules[f->id].id,
						    .tag = "failure",
						    .message = check_rules[f->id].title,
						    .text = text_str(&text) });
	the.failed[f->id]++;
}

/* Rules that have found nothing are tests that have passed. */
static void write_junit(void)
{
	unsigned tests = 0, failures = 0;

	for (unsigned i = 0; i < CHECK_RULES; i++) {
		failures += the.failed[i];
		tests += the.failed[i] ? the.failed[i] : the.o.wanted[i];
		if (the.o.wanted[i] && !the.failed[i])
			junit_add(&the.cases, &(struct junit_case){ .class = "vtrace.check",
								    .name = check_rules[i].id });
	}
	if (junit_write(the.o.junit, "vtrace.check",
			temp_text(" tests=\"%u\" failures=\"%u\"", tests, failures), &the.cases))
		door_say_incomplete("%s: %s", the.o.junit, strerror(errno));
	text_free(&the.cases);
}

/* The finding of the same lines of the source; the model goes by addresses in the code, of which a
 * line may have several. */
static struct told *meet_told(struct check_process *p, const struct check_finding *f, bool *is_new)
{
	SCOPED_TEXT(places);
	size_t last = 0;

	xappendf(&places, "%d", (int)f->id);
	for (unsigned i = 0; i <= f->nsteps; i++) {
		last = text_len(&places) + 1;
		xappendf(&places, " %s", place_of(p, f, i));
	}
	*is_new = false;
	for (unsigned i = 0; i < the.ntold; i++)
		if (strcmp(the.told[i].places, text_str(&places)) == 0)
			return &the.told[i];
	*is_new = true;
	the.told = xgrow(the.told, the.ntold, sizeof *the.told);
	the.told[the.ntold] = (struct told){ xstrdup(text_str(&places)), last, f->id, 0 };
	return &the.told[the.ntold++];
}

/* JSON has the rule in front, and text a heading. */
static void write_finding(struct check_process *p, const struct check_finding *f)
{
	const struct check_rule *rule = &check_rules[f->id];
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	out_str(o, "check", rule->id, "vtrace: %s [%s]: %s\n", check_grades[f->grade], rule->id,
		rule->title);
	out_int(o, "pid", p->of->pid, NULL);
	check_out(o, f, place_text, p);
	out_print(o, the.json ? OUT_JSON : OUT_TEXT, &text);
	fputs(text_str(&text), the.to);
	if (the.o.junit)
		add_failure(f, o);
	out_free(o);
}

static void tell_finding(void *arg, const struct check_finding *f)
{
	struct check_process *p = arg;
	bool is_new;

	if (is_suppressed(p, f)) {
		the.silenced++;
		return;
	}
	meet_told(p, f, &is_new);
	if (!is_new)
		return;
	the.found[f->grade]++;
	p->is_to_stop |= the.o.stops && f->id == the.o.stop_on;
	write_finding(p, f);
}

/* --------------------------------------------------------------------------- calls -- */

int checking_begin(const struct check_options *o, FILE *to, bool json)
{
	the.o = *o;
	the.to = to;
	the.json = json;
	return o->suppressions && !door_read(o->suppressions, read_suppression) ? -1 : 0;
}

static bool connects(const struct record *r)
{
	const struct ibv_qp_attr *attr;

	switch (record_call_row(r)) {
	case ROW_ibv_modify_qp:
		attr = (const void *)(uintptr_t)r->args[1];
		return attr && r->args[2] & IBV_QP_STATE && attr->qp_state == IBV_QPS_RTR;
	case ROW_rdma_connect:
	case ROW_rdma_accept:
		return true;
	default:
		return false;
	}
}

void checking_call_before(const struct reader_news *news)
{
	struct check_process *p = news->process->check;

	if (!p)
		return;
	p->calls++;
	p->requests += news->r->fn->path == CALL_DATAPATH;
	p->has_connected |= connects(news->r);
	if (news->r->fn->path != CALL_DATAPATH)
		check_places_learn(p->places, news->r->from);
	checks_before(p->checks, news->process->live, news->r);
}

static bool stop_once(struct check_process *p)
{
	const bool is_to_stop = p->is_to_stop;

	p->is_to_stop = false;
	return is_to_stop;
}

bool checking_call_after(const struct reader_news *news)
{
	struct check_process *p = news->process->check;

	if (!p)
		return false;
	checks_after(p->checks, news->process->live, news->r);
	return stop_once(p);
}

static void ask_device(struct check_process *p, const struct reader_news *news)
{
	struct uroce_inventory *inv = process_inventory(news->process->pid);

	p->is_on_uroce |= inv != NULL;
	if (inv)
		checks_device(p->checks, news->process->live, inv);
	free(inv);
}

static bool is_of_owner(void *arg, struct record_from made, struct record_from freed)
{
	struct check_process *p = arg;

	check_places_learn(p->places, freed);
	return check_places_are_of_one(p->places, made.at, freed.at);
}

/* Data from the process may be anything. */
static void take_freed(struct check_process *p, const struct reader_news *news)
{
	static const char *const functions[] = { [SHARED_BY_FREE] = "free",
						 [SHARED_BY_REALLOC] = "realloc",
						 [SHARED_BY_MUNMAP] = "munmap",
						 [SHARED_BY_MMAP] = "mmap",
						 [SHARED_BY_MREMAP] = "mremap" };
	const uint64_t by = news->r->args[1];

	if (by < SHARED_NO_IMM)
		checks_freed(p->checks, news->process->live, news->r, functions[by],
			     by >= SHARED_BY_MUNMAP, is_of_owner);
}

bool checking_own_call(const struct reader_news *news)
{
	struct check_process *p = news->process->check;
	const struct record *r = news->r;

	if (!p)
		return false;
	if (record_call_row(r) == SHARED_CHANGED_ROW && r->args[1] == SHARED_NO_IMM)
		checks_no_immediate(p->checks, news->process->live, r, r->args[2]);
	else if (record_call_row(r) == SHARED_CHANGED_ROW && !r->args[0])
		take_freed(p, news);
	else if (record_call_row(r) == SHARED_CHANGED_ROW)
		checks_changed(p->checks, news->process->live, r, r->args[0], r->args[2]);
	if (record_call_row(r) == SHARED_LOOK_ROW) {
		p->has_end |= r->args[0] == SHARED_END;
		ask_device(p, news);
	}
	return stop_once(p);
}

static struct check_peer find_peer(void *arg, const struct live_tracked_qp *qp)
{
	const struct check_process *own = arg;
	const struct live_tracked_qp *to;

	for (struct check_process *p = the.processes; p; p = p->next) {
		to = p == own || p->has_lost
			     ? NULL
			     : live_program_numbered(p->of->live, qp->v.attr.dest_qp_num,
						     qp->v.number);
		if (to && check_sends_to(&qp->v, p->of->live, &to->v)) {
			struct check_peer peer = check_peer_of(p->of->live, to);

			snprintf(peer.whose, sizeof peer.whose, " of process %d", (int)p->of->pid);
			return peer;
		}
	}
	return (struct check_peer){ 0 };
}

static void begin_process(const struct reader_news *news)
{
	struct check_process *p = xcalloc(1, sizeof *p);

	p->of = news->process;
	news->process->live->keeps = 64; /* requests that are done, for what is found later */
	p->checks = checks_new(the.o.wanted, tell_finding, p);
	checks_ask_peers(p->checks, find_peer);
	p->places = check_places_new((int)news->process->pid);
	p->next = the.processes;
	the.processes = p;
	news->process->check = p;
}

void checking_take(const struct reader_news *news)
{
	struct check_process *p;

	if (!the.o.is_on)
		return;
	if (news->what == READER_BEGUN)
		begin_process(news);
	p = news->process ? news->process->check : NULL;
	if (news->what == READER_LOST && p) {
		p->has_lost = true;
		checks_lost(p->checks);
	}
	if (news->what == READER_UNFINISHED && p)
		checks_unfinished(p->checks, news->process->live, news->r);
}

/* ----------------------------------------------------------------------------- end -- */

static void count_findings(struct check_process *p)
{
	const struct check_finding *f;
	bool is_new;

	for (unsigned i = 0; (f = checks_found(p->checks, i)); i++)
		if (!is_suppressed(p, f))
			meet_told(p, f, &is_new)->count += f->count;
}

static void write_repeated(void)
{
	for (unsigned i = 0; i < the.ntold; i++) {
		const struct told *t = &the.told[i];

		if (t->count > 1 && !the.json)
			fprintf(the.to, "vtrace: [%s] %s: %" PRIu64 " times\n",
				check_rules[t->id].id, t->places + t->last, t->count);
		free(t->places);
	}
	free(the.told);
}

static void end_process(struct check_process *p, bool is_regular)
{
	checks_end(p->checks, p->of->live, is_regular);
	count_findings(p);
	check_places_free(p->places);
	checks_free(p->checks);
}

static void write_summary(uint64_t calls)
{
	if (the.json)
		fprintf(the.to,
			"{\"checked\":%" PRIu64 ",\"mistakes\":%u,\"may\":%u,\"advice\":%u,"
			"\"suppressed\":%u}\n",
			calls, the.found[CHECK_MISTAKE], the.found[CHECK_MAY],
			the.found[CHECK_ADVICE], the.silenced);
	else
		fprintf(the.to,
			"vtrace: %u mistake%s, %u that may be, %u of advice, %u suppressed, in %" PRIu64
			" calls\n",
			the.found[CHECK_MISTAKE], the.found[CHECK_MISTAKE] == 1 ? "" : "s",
			the.found[CHECK_MAY], the.found[CHECK_ADVICE], the.silenced, calls);
}

/* Nothing that was checked can be said of a program of which nothing was seen. */
static int write_unchecked(const char *why)
{
	if (the.json)
		fprintf(the.to, "{\"unchecked\":\"%s\"}\n", why);
	else
		fprintf(the.to, "vtrace: not checked: %s\n", why);
	return CHECK_EXIT_UNCHECKED;
}

int checking_end(void)
{
	uint64_t calls = 0, requests = 0;
	bool has_connected = false, is_on_uroce = false, has_found;

	if (!the.o.is_on)
		return -1;
	while (the.processes) {
		struct check_process *p = the.processes;

		the.processes = p->next;
		calls += p->calls;
		requests += p->requests;
		has_connected |= p->has_connected;
		is_on_uroce |= p->is_on_uroce;
		end_process(p, p->has_end);
		free(p);
	}
	write_repeated();
	if (the.o.junit)
		write_junit();
	if (!calls)
		return write_unchecked("none of its calls was seen");
	has_found = the.found[CHECK_MISTAKE] + the.found[CHECK_MAY];
	if (has_connected && !requests && !is_on_uroce && !has_found)
		return write_unchecked(
			"none of its posts and polls was seen; it may drive the device "
			"itself, or only be written to and read from");
	write_summary(calls);
	return the.o.sets_exit && has_found ? CHECK_EXIT_FOUND : -1;
}
