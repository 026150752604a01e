/* SPDX-License-Identifier: MIT */
/* view: a page in the browser that shows both ends live. */
#include "view/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <uthash.h>

#include "alloc.h"
#include "call_record.h"
#include "command/cmd.h"
#include "ladder.h"
#include "live_context.h"
#include "loop.h"
#include "objects.h"
#include "out.h"
#include "page.h"
#include "qp/qp.h"
#include "session.h"
#include "text.h"
#include "timeline/timeline.h"
#include "view/view_ends.h"
#include "view/view_server.h"
#include "view/view_whys.h"

#define ROWS  250 /* of the ladder are shown, the newest */
#define SHARE 10  /* at most one part of so many of the time is spent on the page */

#define ASK_MS 250		   /* between questions to peers */
#define LOOKED INT64_C(2000000000) /* ns for which a browser counts as looking */

/* An answer that is given until something has changed. */
struct kept {
	uint64_t version;  /* 0: none */
	char row[PAGE_ID]; /* the one that is chosen; "": the newest */
	struct text json;
};

struct view {
	struct session *s;
	struct view_server *server;
	struct view_peers peers;
	struct view_whys whys;
	uint64_t version;
	uint64_t control, data;	  /* places in the record, at the last look */
	unsigned bytes;		  /* a sum of those of the regions, then */
	int64_t next;		  /* loop_now() before which nothing is looked at again */
	struct loop_timer *timer; /* to ask peers for their rows */
	int64_t looked;		  /* loop_now() when a browser has asked last */
	bool has_news;		  /* peers have given rows since the last look */
	struct kept now, past;
};

/* ------------------------------------------------------------------------- state -- */

/* No call tells what peers write. */
static unsigned sum_bytes(struct session *s)
{
	unsigned sum = 0, one;
	struct mr *mr;

	obj_foreach_of(mr, s, &mr_class) {
		HASH_VALUE(mr->buf, view_bytes_shown(mr), one);
		sum = sum * 31 + one;
	}
	return sum;
}

/* Looks at what no call tells; a new version if something has changed. */
static void look(struct view *v)
{
	struct session *s = v->s;
	const unsigned bytes = sum_bytes(s);
	bool any = view_peers_look(s, &v->peers);
	struct qp *qp;

	any |= v->has_news || bytes != v->bytes;
	v->bytes = bytes;
	v->has_news = false;
	obj_foreach_of(qp, s, &qp_class)
		qp_history_sync(qp, NULL);
	timeline_drain(s);
	if (!any && v->control == record_place(RECORD_CONTROL) &&
	    v->data == record_place(RECORD_DATA) && v->version)
		return;
	v->control = record_place(RECORD_CONTROL);
	v->data = record_place(RECORD_DATA);
	v->version++;
}

static void build(struct view *v, const char *row, struct text *json)
{
	struct out *o = out_new(false);
	struct view_moment *m;
	struct ladder l;
	int chosen;

	ladder_make(v->s,
		    &(struct ladder_how){
			    .last = ROWS, .all = true, .most = 2 * ROWS, .is_alone = true },
		    &l);
	chosen = page_row_of(&l, row);
	m = view_moment_new(v->s, chosen < 0);
	view_whys_lend(&v->whys, &l);
	out_dict(o, NULL);
	out_u64(o, "version", v->version, NULL);
	out_str(o, "at", row, NULL);
	page_rows_out(o, &l, view_whys_last(&v->whys));
	out_list(o, "ends");
	view_moment_out(m, chosen < 0 ? 0 : page_row_time(&l.rows[chosen]), &v->peers, o);
	out_end(o);
	out_end(o);
	text_resize(json, 0);
	out_print(o, OUT_JSON, json);
	ladder_free(&l);
	out_free(o);
	view_moment_free(m);
}

static void answer_state(void *arg, const char *row, uint64_t seen, struct text *to)
{
	struct view *v = arg;
	struct kept *kept = *row ? &v->past : &v->now;
	const int64_t begin = loop_now();

	v->looked = begin;
	if (begin >= v->next) {
		look(v);
		v->next = begin + (loop_now() - begin) * SHARE;
	}
	if (kept->version != v->version || strcmp(kept->row, row) != 0) {
		build(v, row, &kept->json);
		kept->version = v->version;
		snprintf(kept->row, sizeof kept->row, "%s", row);
		v->next = begin + (loop_now() - begin) * SHARE;
	}
	if (seen == kept->version)
		xappendf(to, "{\"version\": %" PRIu64 "}", seen);
	else
		text_add_bytes(to, text_str(&kept->json), text_len(&kept->json));
}

/* ----------------------------------------------------------------------- command -- */

/* Asks peers for their rows, while a browser is looking. */
static void ask_peers(void *arg)
{
	struct view *v = arg;
	struct session *s = v->s;
	struct fail before = fail_aside(s);
	Tcl_InterpState state = Tcl_SaveInterpState(s->tcl, TCL_OK);
	bool any;

	v->timer = NULL;
	any = loop_now() - v->looked < LOOKED && ladder_ask_peers(s);

	Tcl_RestoreInterpState(s->tcl, state);
	fail_back(s, before);
	if (s->ctx->view != v) /* a handler has ended it meanwhile */
		return;
	v->has_news |= any;
	v->timer = loop_after(s->loop, ASK_MS, ask_peers, v);
}

void view_after(struct session *s)
{
	if (s->ctx->view)
		view_whys_learn(s, &s->ctx->view->whys);
}

void view_end(struct session *s)
{
	struct view *v = s->ctx->view;

	if (!v)
		return;
	s->ctx->view = NULL;
	if (v->timer)
		loop_cancel(s->loop, v->timer);
	view_server_free(v->server);
	view_peers_free(&v->peers);
	view_whys_free(&v->whys);
	text_free(&v->now.json);
	text_free(&v->past.json);
	free(v);
}

enum { VIEW_OFF };
static const struct word hows[] = { { "off", VIEW_OFF, "end it" }, { 0 } };

struct view_args {
	struct num how, port;
};

static const struct arg view_args[] = {
	POS_OPT("how", view_args, how, kind_enum, "off ends it", .data = hows),
	OPT("port", view_args, port, kind_u32, "TCP port (default: a free one)", .min = 1,
	    .max = 65535),
	ARGS_END,
};

static int begin_view(struct session *s, const struct view_args *a)
{
	struct view *v = xcalloc(1, sizeof *v);

	v->s = s;
	v->server = view_server_new(s, (uint16_t)a->port.v, answer_state, v);
	if (!v->server) {
		free(v);
		return -1;
	}
	s->ctx->view = v;
	v->timer = loop_after(s->loop, ASK_MS, ask_peers, v);
	timeline_begin(s);
	view_whys_learn(s, &v->whys);
	return 0;
}

static int view_exec(struct session *s, const void *args, struct out *o)
{
	const struct view_args *a = args;

	if (a->how.set || (s->ctx->view && a->port.set))
		view_end(s);
	if (a->how.set)
		return 0;
	if (!s->ctx->view && begin_view(s, a))
		return -1;
	out_str(o, "address", view_server_address(s->ctx->view->server), "%s\n",
		view_server_address(s->ctx->view->server));
	out_text(o, "  open it in a browser of this host; 'view off' ends it\n");
	return 0;
}

/** Prints an address of this host. A browser shows there, as long as the session lives: all QPs
 * with their states and the way they have taken, their queues, the requests that become
 * completions, the regions with the bytes that have just changed, all calls and packets as a
 * ladder, and why something has failed. Peers have lanes of their own (see 'peer'); on uroce0 the
 * objects of the processes at the other ends are shown, too. Press ? there for the keys: one pane
 * alone, an earlier row with everything as it was then, the next failure.
 *
 * Nothing can be changed from there. A browser that does not know the address, which has a secret
 * word, is refused, and so are other hosts; from another host use ssh -L PORT:127.0.0.1:PORT.
 * 'report' writes the same page as a file.
 * > view => http://127.0.0.1:
 * > view off */
const struct cmd cmd_view = {
	.name = "view",
	.family = "understanding",
	.summary = "show both ends live in a browser",
	.args = view_args,
	.flags = CMD_NO_RECORD,
	.exec = view_exec,
};
