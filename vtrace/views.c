// SPDX-License-Identifier: MIT
#include "views.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "asked_peer.h"
#include "checking.h"
#include "door.h"
#include "causes_out.h"
#include "host_gid.h"
#include "injections.h"
#include "live_program.h"
#include "out.h"
#include "call_record.h"
#include "reader.h"
#include "stuck.h"
#include "waits.h"
#include "why.h"
#include "recorded.h"
#include "processes.h"
#include "packets.h"
#include "page.h"
#include "heap.h"
#include "text.h"

#define EXPLAINED_MAX 8

_Static_assert(SHARED_PORTS <= LIVE_PORTS, "libvtrace.so asks for more ports than are kept");

/* Explanations of a function. The same is not given again, and no more than these are. */
struct explained {
	char *texts[EXPLAINED_MAX];
	unsigned n;
};

static struct {
	struct views v;
	struct traced *newest;
	struct explained *explained; /* per row of call_table */
	struct summary *summary;
	uint64_t progress; /* ticks, when there was some; 0: none yet */
	bool told_stuck;
	bool has_ladder;
	struct ladder ladder;
	unsigned news;	 /* that were taken */
	struct text why; /* for the report: what was explained */
} the;

/* -------------------------------------------------------------------- which calls -- */

/* Does the word mean the function? */
static bool word_names_function(const char *word, const struct call_fn *fn)
{
	if (strcmp(word, "set-up") == 0)
		return fn->path != CALL_DATAPATH;
	if (strcmp(word, "data") == 0)
		return fn->path == CALL_DATAPATH;
	return fnmatch(word, fn->name, 0) == 0;
}

bool *views_choose(const char *only)
{
	bool *wanted = xcalloc(call_count, sizeof *wanted);
	char *list = xstrdup(only), *rest = list, *word;

	while (wanted && (word = strsep(&rest, ","))) {
		bool any = false;

		for (unsigned i = 0; i < call_count; i++)
			if (word_names_function(word, &call_table[i]))
				any = wanted[i] = true;
		if (any)
			continue;
		door_say("-e: no function is called '%s'; NAME, 'ibv_post_*', set-up and "
			 "data can be given, with commas between",
			 word);
		free(wanted);
		wanted = NULL;
	}
	free(list);
	return wanted;
}

static bool is_wanted(const struct record *r)
{
	return !the.v.wanted || the.v.wanted[r->fn - call_table];
}

/* ---------------------------------------------------------------------- programs -- */

void views_begin(const struct views *v)
{
	memset(&the, 0, sizeof the);
	the.v = *v;
	the.explained = xcalloc(call_count, sizeof *the.explained);
	if (v->counts)
		the.summary = summary_new();
	the.has_ladder = v->timeline || v->report;
	the.ladder.has_fields = v->timeline && v->json;
	the.why = (struct text){ 0 };
}

static void begin_process(struct traced *p)
{
	struct rlimit lock;

	p->live = live_program_new();
	p->live->parent = p->forked_by ? p->forked_by->live : NULL;
	p->live->forked_at = p->forked_at;
	if (prlimit(p->pid, RLIMIT_MEMLOCK, NULL, &lock) == 0 && lock.rlim_cur != RLIM_INFINITY)
		p->live->lock_limit = lock.rlim_cur;
	p->next = the.newest;
	the.newest = p;
	if (the.has_ladder)
		p->place = traced_ladder_add(&the.ladder, p);
}

/* --------------------------- a peer on uroce0 that is not traced: its process is asked -- */

/* Where no call has told whom the QP of process pid is connected with (librdmacm can connect it
 * without any), the process is asked, and *qp knows it then. */
static void learn_connection(pid_t pid, struct live_qp *qp)
{
	struct uroce_inventory *inv;
	const struct uroce_qp_row *row;

	if (qp->known & IBV_QP_DEST_QPN)
		return;
	inv = process_inventory(pid);
	row = inv ? process_qp(inv, qp->number) : NULL;
	if (row && row->attr.path_mtu) { /* of a QP that is connected, if only with number 0 */
		qp->attr = row->attr;
		qp->cap = row->attr.cap;
		qp->known |= IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS |
			     IBV_QP_RNR_RETRY | IBV_QP_RETRY_CNT | IBV_QP_TIMEOUT |
			     IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC;
	}
	free(inv);
}

/* Is the address to which the QP sends one of this host? The numbers of QPs do not tell: those of
 * another host may be the same. Without a GID in the address (InfiniBand) nothing more is known. */
static bool may_be_here(const struct live_qp *qp)
{
	const struct ibv_ah_attr *to = &qp->attr.ah_attr;

	return !(qp->known & IBV_QP_AV) || !to->is_global || host_gid_is_own(&to->grh.dgid);
}

/* ------------------------------------------------------------------- what failed -- */

/* The other end, where it is traced, too; its .qp is NULL where it is not. */
static struct live_end find_peer(const struct traced *process, const struct live_tracked_qp *qp)
{
	const uint32_t number = qp->v.attr.dest_qp_num;
	struct live_end end = { .qp = NULL };
	struct live_tracked_qp *peer = NULL;

	if (!may_be_here(&qp->v))
		return end;
	for (const struct traced *p = the.newest; p && !peer; p = p->next) {
		const char *gone = live_program_gone_qp(p->live, number, qp->v.number);

		peer = live_program_numbered(p->live, number, qp->v.number);
		if (peer) {
			learn_connection(p->pid, &peer->v);
			end = live_program_end(p->live, peer);
			end.ended = p->ended;
		} else if (gone)
			snprintf(end.gone, sizeof end.gone, "%s, the peer's QP, was destroyed",
				 gone);
		if ((peer || gone) && p != process)
			asked_peer_name(&end, p->pid);
	}
	return end;
}

static void write_explained(const struct reader_news *news, const struct out *o)
{
	SCOPED_TEXT(text);
	const char *at;

	line_write_repeated(the.v.to);
	out_print(o, the.v.json ? OUT_JSON : OUT_TEXT, &text);
	at = text_str(&text);
	if (the.v.report)
		xappendf(&the.why, "[%d] %s", (int)news->process->pid, at);
	if (the.v.json)
		fprintf(the.v.to, "{\"pid\":%d,\"thread\":%u,\"explain\":%.*s}\n",
			(int)news->process->pid, news->r->thread, (int)strcspn(at, "\n"), at);
	while (!the.v.json && *at) {
		size_t len = strcspn(at, "\n");

		fprintf(the.v.to, "    %.*s\n", (int)len, at);
		at += len + (at[len] != '\0');
	}
}

/* The device of the traced process tells of answers that were dropped, its own CQ. */
static void learn_own(pid_t pid, struct live_qp *qp)
{
	struct uroce_inventory *own = process_inventory(pid);

	if (own)
		live_qp_take_device(qp, own);
	free(own);
}

static void explain_completion(const struct reader_news *news, const struct live_wc *wc)
{
	struct live_end traced = { .qp = NULL }, asked = traced, *there = &traced;
	struct out *o = out_new(true);

	if (wc->qp) {
		learn_connection(news->process->pid, &wc->qp->v);
		if (wc->wc.status == IBV_WC_RETRY_EXC_ERR || wc->wc.status == IBV_WC_WR_FLUSH_ERR)
			learn_own(news->process->pid, &wc->qp->v);
		traced = find_peer(news->process, wc->qp);
		asked = asked_peer(&wc->qp->v);
	}
	if (traced.qp)
		asked_peer_learn(&asked, &traced);
	else if (!*traced.gone)
		there = &asked;
	explain_traced_completion(news->process->live, wc, there, o);
	write_explained(news, o);
	asked_peer_free(&asked);
	out_free(o);
}

/* Keeps the text of o. false: it was explained before, or enough was. */
static bool is_new_explanation(struct explained *e, const struct out *o)
{
	SCOPED_TEXT(text);

	out_print(o, OUT_TEXT, &text);
	for (unsigned i = 0; i < e->n; i++)
		if (strcmp(e->texts[i], text_str(&text)) == 0)
			return false;
	if (e->n == EXPLAINED_MAX)
		return false;
	e->texts[e->n++] = xstrdup(text_str(&text));
	return true;
}

static void explain_injected(const struct reader_news *news)
{
	line_write_repeated(the.v.to);
	injections_explain(the.v.to, news, the.v.json);
	if (the.v.report)
		xappendf(&the.why, "[%d] %s: made on purpose: --inject %s\n",
			 (int)news->process->pid, news->r->fn->name,
			 injections_text(injections_rule(news)));
}

static void explain_call(const struct reader_news *news)
{
	struct explained *before = &the.explained[news->r->fn - call_table];
	const struct live_program *p = news->process->live;
	const struct ibv_async_event *event = record_async_event(news->r);
	struct live_tracked_qp *qp = event && event->event_type == IBV_EVENT_QP_FATAL
					     ? live_program_qp(p, (uintptr_t)event->element.qp)
				     : record_call_row(news->r) == ROW_ibv_modify_qp
					     ? live_program_qp(p, news->r->args[0])
					     : NULL;
	struct out *o = out_new(true);

	if (qp && (event || news->r->err))
		learn_own(news->process->pid, &qp->v);
	if ((explain_traced_call(p, news->r, o) || explain_traced_event(p, news->r, o)) &&
	    is_new_explanation(before, o)) {
		write_explained(news, o);
		if (before->n == EXPLAINED_MAX && !the.v.json)
			fprintf(the.v.to, "    later failures of %s are not explained\n",
				news->r->fn->name);
	}
	out_free(o);
}

/* Explains mistakes without an error, of a process that is about to end, or to destroy a CQ, which
 * may have overrun. */
static void explain_end(const struct reader_news *news, bool is_end)
{
	struct causes c = { .no_commands = true };
	struct uroce_inventory *own;
	struct out *o;

	if (news->process->was_asked)
		return;
	news->process->was_asked = is_end;
	own = the.v.explain ? process_inventory(news->process->pid) : NULL;
	if (own && is_end)
		why_unsaid(news->process->live, own, &c);
	else if (own)
		why_overrun(own, &c);
	o = out_new(true);
	if (is_end)
		out_str(o, "at", "end", "At the end of the program:\n");
	else
		out_str(o, "at", "destroy", "Before a CQ is destroyed:\n");
	if (c.n) {
		causes_out(&c, o);
		if (is_end || is_new_explanation(&the.explained[ROW_ibv_destroy_cq], o))
			write_explained(news, o);
	}
	out_free(o);
	free(own);
}

/* ---------------------------------------------------------------------------- stuck -- */

/* The waits of the process: it makes no progress, is about to be ended, or was ended. */
static void write_stuck(struct traced *p, bool has_to_end)
{
	struct uroce_inventory *inv = p->ended ? NULL : process_inventory(p->pid);
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	out_int(o, "pid", p->pid,
		p->ended     ? "vtrace: process %d was ended while this waited:\n"
		: has_to_end ? "vtrace: process %d is being ended while this waits:\n"
			     : "vtrace: process %d makes no progress:\n",
		(int)p->pid);
	for (struct live_tracked_qp *qp = p->live->newest; qp && !p->ended; qp = qp->older)
		learn_connection(p->pid, &qp->v);
	stuck_out(the.v.reader, p, inv, the.progress, o);
	line_write_repeated(the.v.to);
	out_print(o, the.v.json ? OUT_JSON : OUT_TEXT, &text);
	if (the.v.json)
		fprintf(the.v.to, "{\"stuck\":%.*s}\n", (int)strcspn(text_str(&text), "\n"),
			text_str(&text));
	else if (!has_to_end || strchr(text_str(&text), '\n')[1])
		fputs(text_str(&text), the.v.to);
	door_flush(the.v.to);
	out_free(o);
	free(inv);
}

/* Is it more than a look that has found nothing? */
static bool is_progress(const struct record *r)
{
	return !record_is_empty_poll(r) && !record_found_nothing(r) && !r->fn->asks &&
	       !(r->fn->waits && (r->err == EAGAIN || r->err == EINTR));
}

static void note_progress(const struct reader_news *news)
{
	if (news->what == READER_BEGUN || news->what == READER_LOST)
		the.progress = record_time();
	else if (news->what == READER_CALL && is_progress(news->r))
		the.progress = news->r->end;
	else
		return;
	the.told_stuck = false;
}

/* Calls are read later than they were made: a standstill is one between them, or before those that
 * are not read yet. */
static void look_for_stuck(const struct reader_news *news)
{
	const uint64_t now = news->what == READER_CALL ? news->r->end
						       : reader_told_until(the.v.reader);

	if ((news->what != READER_CALL && news->what != READER_NOTHING) || the.told_stuck ||
	    now < the.progress || (double)record_span(the.progress, now) <= the.v.stuck * 1e9)
		return;
	the.told_stuck = true;
	for (struct traced *p = the.newest; p; p = p->next)
		if (!p->ended)
			write_stuck(p, false);
}

/* --------------------------------------------------------------------------- calls -- */

/* A call that libvtrace.so has made. */
static void take_own_call(const struct reader_news *news)
{
	if (checking_own_call(news))
		reader_hold(the.v.reader, news->process, news->r->thread);
	if (record_call_row(news->r) == SHARED_LOOK_ROW)
		explain_end(news, news->r->args[0] != SHARED_DESTROYS);
	else if (record_call_row(news->r) != SHARED_CHANGED_ROW)
		live_program_take_limits(news->process->live, news->r);
}

static void take_call(const struct reader_news *news)
{
	const struct traced *p = news->process;
	const struct live_wc *wc;
	unsigned n;

	if (news->r->depth >= SHARED_OWN_DEPTH) {
		take_own_call(news);
		return;
	}
	checking_call_before(news);
	live_program_take(p->live, news->r, p->objects);
	if (checking_call_after(news))
		reader_hold(the.v.reader, news->process, news->r->thread);
	wc = live_program_completions(p->live, &n);
	if (the.has_ladder)
		traced_ladder_take(&the.ladder, p->place, news, p->live);
	if (the.summary)
		summary_take_call(the.summary, news->r);
	if (the.v.lines && !record_is_empty_poll(news->r) && is_wanted(news->r)) {
		if (the.v.json)
			line_write_json(the.v.to, news);
		else
			line_write(the.v.to, news, the.v.pids);
	}
	for (unsigned i = 0; i < n; i++) {
		if (the.summary)
			summary_take_completion(the.summary, &wc[i]);
		if (the.v.explain && wc[i].wc.status != IBV_WC_SUCCESS && !wc[i].follows)
			explain_completion(news, &wc[i]);
	}
	if (the.v.explain && injections_rule(news) && (news->r->err || !news->r->rule))
		explain_injected(news);
	else if (the.v.explain &&
		 (news->r->err || record_call_row(news->r) == ROW_rdma_get_cm_event ||
		  record_call_row(news->r) == ROW_ibv_get_async_event))
		explain_call(news);
}

static void take_packet(void *arg, int pid, const struct uroce_packet *packet)
{
	struct traced *p = the.newest;

	(void)arg;
	while (p && p->own_pid != pid)
		p = p->next;
	if (!p)
		return;
	if (!p->packets)
		p->packets = packets_new();
	packets_add(p->packets, packet);
}

/* Reads packets now and then, so that few are waiting. */
static void take_packets(enum reader_what what)
{
	const unsigned often = 1024;

	if (the.v.captures && (what == READER_NOTHING || ++the.news % often == 0))
		captures_read(the.v.captures, take_packet, NULL);
}

static void take_held(const struct reader_news *news)
{
	const int pid = (int)news->process->pid;

	if (the.v.json)
		fprintf(the.v.to, "{\"pid\":%d,\"held\":%" PRIu64 "}\n", pid, news->n);
	else
		fprintf(the.v.to,
			"vtrace: thread %" PRIu64
			" of process %d is held: 'gdb -p %d' looks at it, on uroce0 "
			"'rdmash -c \"show -process %d\"', too; 'kill -CONT %d' lets it go on\n",
			news->n, pid, pid, pid, (int)getpid());
}

static void take_unfinished(const struct reader_news *news)
{
	struct out *o = out_new(true);

	if (the.v.lines && is_wanted(news->r) && the.v.json)
		line_write_json(the.v.to, news);
	else if (the.v.lines && is_wanted(news->r))
		line_write_unfinished(the.v.to, news, the.v.pids);
	if (the.v.explain && !news->process->was_asked &&
	    explain_traced_unfinished(news->process->live, news->r, o))
		write_explained(news, o);
	out_free(o);
}

/* A process that ends by itself, or by a signal that it can catch, is asked before that. */
static void take_signaled(struct traced *p)
{
	if (!the.v.explain || p->was_asked || !p->live)
		return;
	p->was_asked = true;
	write_stuck(p, true);
}

static void take_end(struct traced *p)
{
	p->ended = record_time();
	if (the.v.explain && !p->was_asked && p->live)
		write_stuck(p, true);
}

void views_take(const struct reader_news *news)
{
	take_packets(news->what);
	if (news->what != READER_CALL)
		line_write_repeated(the.v.to);
	if (news->what == READER_BEGUN)
		begin_process(news->process);
	checking_take(news);
	note_progress(news);
	if (news->what == READER_CALL)
		take_call(news);
	else if (news->what == READER_UNFINISHED)
		take_unfinished(news);
	else if (news->what == READER_HELD)
		take_held(news);
	if (news->what == READER_LOST)
		the.ladder.lost[RECORD_CONTROL] += news->n;
	if (news->what == READER_LOST && the.v.json)
		fprintf(the.v.to, "{\"lost\":%" PRIu64 ",\"pid\":%d}\n", news->n,
			(int)news->process->pid);
	else if (news->what == READER_LOST)
		fprintf(the.v.to, "vtrace: %" PRIu64 " calls were lost\n", news->n);
	else if (news->what == READER_SIGNALED)
		take_signaled(news->process);
	else if (news->what == READER_ENDED)
		take_end(news->process);
	if (the.v.stuck)
		look_for_stuck(
			news); /* last: the calls in which threads are take the place of news->r */
}

static void write_summary(void)
{
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	summary_out(the.summary, o);
	out_print(o, the.v.json ? OUT_JSON : OUT_TEXT, &text);
	fputs(text_str(&text), the.v.to);
	out_free(o);
	summary_free(the.summary);
}

static void write_timeline(void)
{
	struct out *o = out_new(true);
	SCOPED_TEXT(text);

	if (the.v.json)
		ladder_out(&the.ladder, o);
	else
		ladder_print(&the.ladder, 0, strcmp(nl_langinfo(CODESET), "UTF-8") == 0, o);
	out_print(o, the.v.json ? OUT_JSON : OUT_TEXT, &text);
	fputs(text_str(&text), the.v.to);
	out_free(o);
}

static void write_report(void)
{
	FILE *f = the.ladder.n ? fopen(the.v.report, "we") : NULL;
	SCOPED_TEXT(page);

	if (!the.ladder.n) {
		door_say("%s is not written: there were no calls", the.v.report);
		return;
	}
	page_file(&page, "Traced program", &the.ladder, text_str(&the.why), "[]");
	if (!f || fputs(text_str(&page), f) < 0 || fclose(f) != 0)
		door_say_incomplete("%s: %s", the.v.report, strerror(errno));
}

static void write_ladder(void)
{
	for (const struct traced *p = the.newest; p; p = p->next)
		traced_ladder_packets(&the.ladder, p->place, p->packets);
	traced_ladder_end(&the.ladder);
	if (the.v.timeline)
		write_timeline();
	if (the.v.report)
		write_report();
	ladder_free(&the.ladder);
}

void views_end(void)
{
	take_packets(READER_NOTHING);
	if (the.has_ladder)
		write_ladder();
	if (the.summary)
		write_summary();
	for (const struct traced *p = the.newest; p; p = p->next) {
		live_program_free(p->live);
		packets_free(p->packets);
	}
	text_free(&the.why);
	free(the.v.wanted);
	for (unsigned i = 0; i < call_count; i++)
		for (unsigned k = 0; k < the.explained[i].n; k++)
			free(the.explained[i].texts[k]);
	free(the.explained);
}
