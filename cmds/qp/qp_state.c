/* SPDX-License-Identifier: MIT */
/* qp-state: the state of a QP, with diagram, history, limits and times. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "object_args.h"
#include "spec_tables.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "inventory.h"
#include "objects.h"
#include "out.h"
#include "output/print.h"
#include "qp/qp.h"
#include "qp/qp_figure.h"
#include "session.h"
#include "words.h"

/*
 * The state machine as a picture, and for each of its characters the state or edge it belongs to.
 *
 * Past transitions have double arrows and the current state a double frame, so that both are
 * visible without colour. Without UTF-8 it is drawn in ASCII.
 */

#define WIDTH 70 /* of a terminal that has room for the picture */

/* In the picture these stand for corners and lines; all else is text. */
static const char marks[] = "()[]-|><^v";
#define MARKS (sizeof marks - 1)

/* clang-format off */
static const char *const picture[] = {
	"   (-------)     (------)     (-----)     (-----) --> (-----)",
	"   | RESET | --> | INIT | --> | RTR | --> | RTS |     | SQD |",
	"   [-------]     [------]     [-----]     [-----] <-- [-----]",
	"       ^                                    ^ |",
	"       | any                                | v  a send failed",
	"       |         (-----)                  (-----)",
	"       [-------- | ERR | <-- any          | SQE |",
	"                 [-----]     but RESET    [-----]",
};

/* The part to which each character belongs: a state, by its number; an edge, by its letter; a text
 * ('s': about SQE). */
static const char *const owners[] = {
	"   000000000     11111111     2222222     3333333 ddd 4444444",
	"   0 00000 0 aaa 1 1111 1 bbb 2 222 2 ccc 3 333 3     4 444 4",
	"   000000000     11111111     2222222     3333333 eee 4444444",
	"       f                                    h i",
	"       f ...                                h i  s ssss ssssss",
	"       f         6666666                  5555555",
	"       fffffffff 6 666 6 ggg ...          5 555 5",
	"                 6666666     ... .....    5555555",
};

static const char *const utf8_single[MARKS] = { "┌", "┐", "└", "┘", "─", "│", "▶", "◀", "▲", "▼" };
static const char *const utf8_double[MARKS] = { "╔", "╗", "╚", "╝", "═", "║", "▶", "◀", "▲", "▼" };
static const char *const ascii_single[MARKS] = { "+", "+", "+", "+", "-", "|", ">", "<", "^", "v" };
static const char *const ascii_double[MARKS] = { "#", "#", "#", "#", "=", "#", ">", "<", "^", "v" };
/* clang-format on */

static const struct {
	enum ibv_qp_state from, to;
} edges[] = {
	['a' - 'a'] = { IBV_QPS_RESET, IBV_QPS_INIT }, ['b' - 'a'] = { IBV_QPS_INIT, IBV_QPS_RTR },
	['c' - 'a'] = { IBV_QPS_RTR, IBV_QPS_RTS },    ['d' - 'a'] = { IBV_QPS_RTS, IBV_QPS_SQD },
	['e' - 'a'] = { IBV_QPS_SQD, IBV_QPS_RTS },    ['f' - 'a'] = { IBV_QPS_ERR, IBV_QPS_RESET },
	['g' - 'a'] = { IBV_QPS_ERR, IBV_QPS_ERR }, /* from any state */
	['h' - 'a'] = { IBV_QPS_SQE, IBV_QPS_RTS },    ['i' - 'a'] = { IBV_QPS_RTS, IBV_QPS_SQE },
};

struct diagram {
	const char *const *single, *const *twice; /* the two pens */
	uint64_t steps;				  /* that were taken: uroce_step() */
	enum ibv_qp_state now;
	bool has_sqe;
};

static bool was_taken(const struct diagram *d, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return d->steps & uroce_step(from, to);
}

static bool has_been(const struct diagram *d, enum ibv_qp_state state)
{
	for (enum ibv_qp_state other = 0; other <= IBV_QPS_ERR; other++)
		if (was_taken(d, state, other) || was_taken(d, other, state))
			return true;
	return state == d->now;
}

static enum paint state_paint(const struct diagram *d, enum ibv_qp_state state)
{
	if (state == d->now)
		return state == IBV_QPS_ERR || state == IBV_QPS_SQE ? PAINT_BAD : PAINT_STRONG;
	return has_been(d, state) ? PAINT_GOOD : PAINT_DIM;
}

/* Was the edge taken, or any to ERR? */
static bool edge_taken(const struct diagram *d, char edge)
{
	const enum ibv_qp_state to = edges[edge - 'a'].to;
	bool taken = edge != 'g' && was_taken(d, edges[edge - 'a'].from, to);

	for (enum ibv_qp_state from = 0; edge == 'g' && from < IBV_QPS_ERR; from++)
		taken |= was_taken(d, from, to);
	return taken;
}

/* A character of the picture, and its colour; NULL: a blank. */
static const char *glyph_at(const struct diagram *d, unsigned y, unsigned x, enum paint *p)
{
	const char owner = owners[y][x], *mark = strchr(marks, picture[y][x]);
	const bool is_state = owner >= '0' && owner <= '6', is_edge = owner >= 'a' && owner <= 'i';
	bool twice;

	if (owner == ' ' || (!d->has_sqe && strchr("5his", owner)))
		return NULL;
	twice = is_state ? owner - '0' == (int)d->now : is_edge && edge_taken(d, owner);
	if (is_state)
		*p = state_paint(d, (enum ibv_qp_state)(owner - '0'));
	else
		*p = twice ? PAINT_GOOD : PAINT_DIM;
	if (!mark || (!is_state && !is_edge))
		return temp_text("%c", picture[y][x]);
	return (twice ? d->twice : d->single)[mark - marks];
}

static void print_row(const struct diagram *d, unsigned y, struct out *o)
{
	enum paint p = PAINT_NONE, next = PAINT_NONE;
	unsigned blanks = 0;

	for (unsigned x = 0; picture[y][x]; x++) {
		const char *glyph = glyph_at(d, y, x, &next);

		if (!glyph) {
			blanks++;
			continue;
		}
		out_text(o, "%*s", (int)blanks, "");
		blanks = 0;
		if (next != p) {
			out_paint(o, PAINT_NONE);
			out_paint(o, next);
		}
		p = next;
		out_text(o, "%s", glyph);
	}
	out_paint(o, PAINT_NONE);
	out_text(o, "\n");
}

void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps)
{
	bool utf8 = print_is_utf8();
	struct diagram d = { .single = utf8 ? utf8_single : ascii_single,
			     .twice = utf8 ? utf8_double : ascii_double,
			     .steps = steps,
			     .now = now,
			     .has_sqe = type != IBV_QPT_RC };

	if (print_columns() && print_columns() < WIDTH)
		return;
	for (unsigned y = 0; y < sizeof picture / sizeof *picture; y++)
		print_row(&d, y, o);
}

/* Writes the diagram as text: the current state, and the transitions so far. */
static void qp_diagram(struct out *o, const struct qp *qp)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);

	qp_draw(o, qp->type, qp_history_state(qp), qp_steps_taken(steps, n));
}

/*
 * How long a QP tries: volume 1, 9.7.6.1.3 (transport timer) and 9.7.5.2.8 (RNR NAK). A device may
 * take up to four times the timeout to detect a loss.
 */

#define SLACK 4

static void tell_no_answer(const struct ibv_qp_attr *a, struct out *o)
{
	double once = (double)spec_ack_timeout_ns(a->timeout) / 1e9, tries = a->retry_cnt + 1.0;

	out_dict(o, "RETRY_EXC_ERR");
	if (!a->timeout) {
		out_str(o, "least", "never", "   no answer: waits for ever (timeout 0)\n");
	} else {
		out_double(o, "least", tries * once,
			   "   no answer: RETRY_EXC_ERR after %.3g s at least", tries * once);
		out_double(o, "most", tries * once * SLACK, ", %.3g s at most",
			   tries * once * SLACK);
		out_text(o, " (%.0f x 4.096 us x 2^%u, devices may take %d times that)\n", tries,
			 a->timeout, SLACK);
	}
	out_end(o);
}

/* The wait is the peer's min_rnr_timer, which its NAK contains. */
static void tell_no_receive(const struct ibv_qp_attr *a, struct out *o)
{
	double longest = spec_rnr_timer_us(0) / 1e6;

	out_dict(o, "RNR_RETRY_EXC_ERR");
	if (a->rnr_retry == 7) {
		out_str(o, "least", "never", "   no RECV there: tries for ever (rnr_retry 7)\n");
	} else {
		out_double(o, "least", 0, NULL);
		out_double(o, "most", a->rnr_retry * longest,
			   "   no RECV there: RNR_RETRY_EXC_ERR after some %.3g s at most",
			   a->rnr_retry * longest);
		out_text(o, " (%u x the peer's min_rnr_timer, %.3g s the longest)\n", a->rnr_retry,
			 longest);
	}
	out_end(o);
	out_double(o, "rnr_timer", spec_rnr_timer_us(a->min_rnr_timer) / 1e6,
		   "   no RECV here: the peer is asked to wait %.3g s each time\n",
		   spec_rnr_timer_us(a->min_rnr_timer) / 1e6);
}

void qp_tell_timing(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *o)
{
	if (type != IBV_QPT_RC) {
		out_text(o, "   only RC tries again\n");
		return;
	}
	if (a->qp_state != IBV_QPS_RTS && a->qp_state != IBV_QPS_SQD &&
	    a->qp_state != IBV_QPS_ERR) {
		out_text(o, "   tries are set on the way to RTS\n");
		return;
	}
	out_dict(o, "timing");
	tell_no_answer(a, o);
	tell_no_receive(a, o);
	out_end(o);
}

static void qp_timing(const struct qp *qp, struct out *o)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	if (ibv_query_qp(qp->v, &a,
			 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
				 IBV_QP_MIN_RNR_TIMER,
			 &init) == 0)
		qp_tell_timing(qp->type, &a, o);
}

/* qp-state: the current state, what it permits, the possible next states, and the history. */

#define MARGIN (18 + 8) /* before the names of attributes */

/* The operations that a state permits. Only reliable types acknowledge what comes in. */
static const struct permits {
	const char *post_recv, *post_send, *packets_in, *packets_out;
} permits_reliable[] = {
	[IBV_QPS_RESET] = { "refused", "refused", "dropped", "none" },
	[IBV_QPS_INIT] = { "yes, they wait", "refused", "dropped", "none" },
	[IBV_QPS_RTR] = { "yes", "refused", "answered", "answers only" },
	[IBV_QPS_RTS] = { "yes", "yes", "answered", "yes" },
	[IBV_QPS_SQD] = { "yes", "yes, they wait", "answered", "what was begun" },
	[IBV_QPS_SQE] = { "yes", "flushed", "answered", "none" }, /* never entered */
	[IBV_QPS_ERR] = { "flushed", "flushed", "dropped", "none" },
}, permits_unreliable[] = {
	[IBV_QPS_RESET] = { "refused", "refused", "dropped", "none" },
	[IBV_QPS_INIT] = { "yes, they wait", "refused", "dropped", "none" },
	[IBV_QPS_RTR] = { "yes", "refused", "taken", "none" },
	[IBV_QPS_RTS] = { "yes", "yes", "taken", "yes" },
	[IBV_QPS_SQD] = { "yes", "yes, they wait", "taken", "what was begun" },
	[IBV_QPS_SQE] = { "yes", "flushed", "taken", "none" },
	[IBV_QPS_ERR] = { "flushed", "flushed", "dropped", "none" },
};

static const struct permits *permits_of(enum ibv_qp_type type, enum ibv_qp_state state)
{
	const bool unreliable = type == IBV_QPT_UC || type == IBV_QPT_UD;

	return &(unreliable ? permits_unreliable : permits_reliable)[state];
}

/* With rdma_rxe, a receive is posted by writing to memory shared with the kernel. In ERR the kernel
 * does not read it until the state is set again. */
static bool keeps_receives(const struct qp *qp, enum ibv_qp_state state)
{
	return state == IBV_QPS_ERR && qp->pd->dev->attr.orig_attr.vendor_id == RXE_VENDOR;
}

enum state_drain qp_drain(const struct qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a;

	if (ibv_query_qp(qp->v, &a, IBV_QP_STATE, &init) != 0 || a.qp_state != IBV_QPS_SQD)
		return DRAIN_UNKNOWN;
	return a.sq_draining ? DRAIN_RUNNING : DRAIN_DONE;
}

static void tell_now(struct out *o, const struct qp *qp, enum ibv_qp_state state)
{
	const char *name = word_name(qp_state_words, state);
	const struct permits *permits = permits_of(qp->type, state);
	bool keeps = keeps_receives(qp, state);
	const char *post_recv = keeps ? "waits" : permits->post_recv;
	enum state_drain drain = qp_drain(qp);

	out_text(o, "   now      %-5s  %s\n", name, word_help(qp_state_words, state));
	out_dict(o, "permits");
	out_str(o, "post_recv", post_recv, "   post     recv: %s", post_recv);
	out_str(o, "post_send", permits->post_send, "   send: %s\n", permits->post_send);
	out_str(o, "packets_in", permits->packets_in, "   packets  in: %s", permits->packets_in);
	out_str(o, "packets_out", permits->packets_out, "   out: %s\n", permits->packets_out);
	if (keeps)
		out_str(o, "note", "the next modify-qp ERR flushes it",
			"            (rxe overlooks a receive that is posted now; %s)\n",
			"the next modify-qp ERR flushes it");
	if (drain != DRAIN_UNKNOWN)
		out_bool(o, "draining", drain == DRAIN_RUNNING, "   queue    %s\n",
			 drain == DRAIN_RUNNING ? "still draining: what was begun is not finished"
						: "drained");
	out_end(o);
}

/* Writes the names in a mask as a list, and as wrapped text. */
static void tell_mask(struct out *o, const char *key, const char *label, unsigned mask)
{
	int column = MARGIN;

	out_list(o, key);
	if (mask)
		out_text(o, "%-8s", label);
	for (const struct qp_attr_def *d = qp_attr_defs; d->bit; d++) {
		int len;

		if (!(mask & d->bit))
			continue;
		len = 1 + (int)strlen(qp_attr_name(d));
		if (column + len > 79) {
			column = MARGIN;
			out_text(o, "\n%*s", column, "");
		}
		out_str(o, NULL, qp_attr_name(d), " %s", qp_attr_name(d));
		column += len;
	}
	out_end(o);
	if (mask)
		out_text(o, "\n");
}

static void tell_row(struct out *o, const struct qp_row *r, const char *label)
{
	const char *name = word_name(qp_state_words, r->to);

	out_dict(o, name);
	out_text(o, "   %-8s %-5s ", label, name);
	tell_mask(o, "required", "needs", r->required);
	if (r->required && r->optional)
		out_text(o, "%18s", "");
	tell_mask(o, "optional", "may have", r->optional);
	if (!r->required && !r->optional)
		out_text(o, "needs nothing\n");
	if (r->note)
		out_str(o, "note", r->note, "%18s (%s)\n", "", r->note);
	out_end(o);
}

static void out_transitions(struct out *o, enum ibv_qp_type type, enum ibv_qp_state state)
{
	const char *label = "next";

	out_dict(o, "next");
	for (const struct qp_row *r = qp_rows; r->type; r++) {
		if (r->type != type || r->from != state || r->to == state ||
		    r->to == IBV_QPS_RESET || r->to == IBV_QPS_ERR)
			continue;
		tell_row(o, r, label);
		label = "";
	}
	for (enum ibv_qp_state to = 0; to <= IBV_QPS_ERR; to++) {
		if ((to != IBV_QPS_RESET && to != IBV_QPS_ERR) || to == state ||
		    !qp_row(type, state, to))
			continue;
		tell_row(o, qp_row(type, state, to), label);
		label = "";
	}
	out_end(o);
}

/* Writes the attributes that can be changed in the current state. */
static void tell_stay(struct out *o, enum ibv_qp_type type, enum ibv_qp_state state)
{
	const struct qp_row *r = qp_row(type, state, state);

	if (!r || !r->optional)
		return;
	out_dict(o, "stay");
	tell_row(o, r, "stay");
	out_end(o);
}

/* Writes the command for the most likely next step. */
static void out_next_command(struct session *s, struct qp *qp, enum ibv_qp_state state,
			     struct out *o)
{
	struct qp_change c = { .qp = qp, .actual = state, .from = state, .to = state };
	struct ibv_qp_init_attr init;
	SCOPED_TEXT(text);

	if (state == IBV_QPS_ERR)
		c.to = IBV_QPS_RESET;
	else if (state < IBV_QPS_RTS)
		c.to = state + 1;
	else if (state != IBV_QPS_RTS)
		c.to = IBV_QPS_RTS;
	if (state == IBV_QPS_ERR && qp->id)
		out_text(o, "   to type  %s\n", id_again(s, qp->id));
	if (c.to == state || qp->id)
		return;
	if (qp->pd->dev->iwarp) {
		out_text(o, "   note     on iWARP the connection manager brings a QP to RTS\n");
		return;
	}
	qp_query(qp, &c.now, &init);
	qp_change_command(s, &c, c.to, &text);
	out_str(o, "type_next", text_str(&text), "   to type  %s\n", text_str(&text));
}

static void tell_step(struct out *o, const struct qp_step *step, const char *label)
{
	const char *state = word_name(qp_state_words, step->state);

	out_dict(o, NULL);
	out_int(o, "when", step->when, "   %-8s %s", label, text_clock(step->when, 3));
	out_str(o, "state", state, "  %-5s", state);
	out_str(o, "why", step->why, "  %s\n", step->why);
	out_end(o);
}

static void tell_history(struct out *o, const struct qp *qp)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);

	out_list(o, "history");
	for (unsigned i = 0; i < n; i++)
		tell_step(o, &steps[i], i ? "" : "history");
	out_end(o);
}

struct qp_state_args {
	struct qp *qp;
	struct num type;
	struct figure_file svg;
	bool timing;
};

static const struct arg qp_state_args[] = {
	POS_OPT("qp", qp_state_args, qp, kind_qp_opt, "QP; else the current one"),
	SWITCH("timing", qp_state_args, timing, "how long it tries before it gives up, instead"),
	OPT("svg", qp_state_args, svg.path, kind_path, "write a drawing to this file, instead"),
	OPT("type", qp_state_args, type, kind_enum,
	    "with -svg: draw all transitions of this type, with their attributes",
	    .data = qp_type_words),
	SWITCH("force", qp_state_args, svg.force, "with -svg: replace an existing file"),
	ARGS_END
};

static void tell_all(struct session *s, struct qp *qp, enum ibv_qp_state state, struct out *o)
{
	const char *type = word_name(qp_type_words, qp->type);

	qp_diagram(o, qp);
	out_str(o, "qp", qp->o.name, NULL);
	out_str(o, "type", type, NULL);
	out_str(o, "state", word_name(qp_state_words, state), NULL);
	out_text(o, "   %s, %s, qpn %u\n", qp->o.name, type, qp->v->qp_num);
	tell_now(o, qp, state);
	out_transitions(o, qp->type, state);
	tell_stay(o, qp->type, state);
	out_next_command(s, qp, state, o);
	tell_history(o, qp);
}

static int qp_state_exec(struct session *s, const void *args, struct out *o)
{
	const struct qp_state_args *a = args;
	struct qp *qp = a->qp;
	enum ibv_qp_state state;

	if (a->type.set && !a->svg.path)
		return fail(s, "qp-state", "MISSING", "-type without -svg: name the file to draw");
	if (a->type.set && !qp)
		return qp_figure_of_type(s, (enum ibv_qp_type)a->type.v, &a->svg, o);
	if (!qp && obj_arg_default(s, &qp_state_args[0], &qp))
		return -1;
	if (a->type.set)
		return fail(s, "qp-state", "EINVAL", "-type draws no QP: leave out %s", qp->o.name);
	state = qp_history_sync(qp, NULL);
	if (state > IBV_QPS_ERR)
		return fail(s, "qp-state", "EINVAL", "%s is in an unknown state, %d", qp->o.name,
			    (int)state);
	if (a->svg.path)
		return qp_figure(s, qp, &a->svg, o);
	if (a->timing) {
		out_str(o, "qp", qp->o.name, "   %s\n", qp->o.name);
		qp_timing(qp, o);
		return 0;
	}
	tell_all(s, qp, state, o);
	return 0;
}

/** The current state has a double frame, past transitions have double arrows. Below are
 * what the state permits, the possible next states with their required and optional
 * attributes, the command for the likely next step, and the history with the time and
 * reason of each change. With -timing: the seconds until RETRY_EXC_ERR and RNR_RETRY_EXC_ERR, from
 * the attributes of the QP. The value is a dict.
 *
 * -svg writes a drawing that needs no other file: the QP with the way it has taken and its
 * history, or with -type all transitions of QPs of a type, with what each of them needs.
 * > qp-state => needs    PORT PKEY_INDEX ACCESS_FLAGS
 * > dict get [qp-state] next INIT required => PKEY_INDEX
 * > modify-qp INIT -fill; qp-state => modify-qp RTR
 * > llength [dict get [qp-state] history] => 2
 * > qp-state -timing => on the way to RTS
 * > qp-state -svg qp.svg => qp.svg
 * > qp-state -svg rc.svg -type RC => rc.svg */
const struct cmd cmd_qp_state = {
	.name = "qp-state",
	.family = "understanding",
	.summary = "show the state diagram and the history of a QP",
	.calls = "ibv_query_qp(3)",
	.setup = "qp create",
	.args = qp_state_args,
	.flags = CMD_NO_RECORD,
	.exec = qp_state_exec,
};
