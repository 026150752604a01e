/* SPDX-License-Identifier: MIT */
/*
 * reentry_test SCRATCH [SEED [SHARE]]: every command, from inside of every place where the event
 * loop calls back, while another command waits; or one in SHARE of these combinations, others
 * with another seed. For AddressSanitizer to look at; what the commands make of it is their own
 * affair.
 *
 * Handlers ('on') and bodies of remote methods run from a timer, so that is where most waits are
 * tried. Nothing runs a command from the other places: they are held to stand it all the same.
 */
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "command_lines.h"
#include "language/interp.h"
#include "objects.h"
#include "session_rig.h"

#define TRIES 3 /* a busy machine may let the time of a wait pass at once */

enum place { TIMER, CM_EVENT, CQ_EVENT, ASYNC_EVENT, WC_HANDLER, BODY, PLACES };
static const char *const place_names[PLACES] = { "timer",	"CM event",   "CQ event",
						 "async event", "WC handler", "body of on" };

struct outer {
	enum place place;
	const char *script;
	bool spends; /* what it does can be done once in a scenario */
};

#define COMPLETION "arm c; post send m -len 8 -ah h -qp u -dest-qpn [get u qpn] -qkey 1; sleep 5"

static const struct outer outers[] = {
	{ .place = TIMER, .script = "poll -within 8" },
	{ .place = TIMER, .script = "poll -n 2 -qp u -within 8" },
	{ .place = TIMER, .script = "poll -cq c -within 8" },
	{ .place = TIMER, .script = "wait wc -qp u -within 8" },
	{ .place = TIMER, .script = "wait wc -within 8" },
	{ .place = TIMER, .script = "wait cq c -within 8" },
	{ .place = TIMER, .script = "wait async CQ_ERR -on c -within 8" },
	{ .place = TIMER, .script = "wait state ERR -qp u -within 8" },
	{ .place = TIMER, .script = "wait event DISCONNECTED -id k -within 8" },
	{ .place = TIMER, .script = "cm event k -within 8" },
	{ .place = TIMER, .script = "cm event -within 8" },
	{ .place = TIMER, .script = "accept silent -within 8" },
	{ .place = TIMER, .script = "accept -within 8" },
	{ .place = TIMER, .script = "reject silent -within 8" },
	{ .place = TIMER, .script = "connect 10.0.0.1 7471 -name x -within 20" },
	{ .place = TIMER, .script = "connect 10.0.0.1 7472 -name x -within 8" },
	{ .place = TIMER, .script = "cm resolve-addr i 10.0.0.77 7471 -within 8" },
	{ .place = TIMER, .script = "disconnect k", .spends = true },
	{ .place = TIMER, .script = "disconnect k -destroy", .spends = true },
	{ .place = TIMER, .script = "oob listen 0 -qp u -within 8" },
	{ .place = TIMER, .script = "oob accept -within 8" },
	{ .place = TIMER, .script = "oob connect 10.0.0.1 [get oob0 port] -qp q -within 8" },
	{ .place = TIMER, .script = "tcp accept d -within 8" },
	{ .place = TIMER, .script = "tcp recv a 5 -within 8" },
	{ .place = TIMER, .script = "tcp recv a -mr m -within 8" },
	{ .place = TIMER, .script = "tcp connect 10.0.0.77 7000 -within 8" },
	{ .place = TIMER, .script = "rpc call z slow -within 8" },
	{ .place = TIMER, .script = "rpc call z slow -background; rpc result z -within 8" },
	{ .place = TIMER, .script = "rpc run v -within 8" },
	{ .place = TIMER, .script = "rpc connect 10.0.0.1 [get d port] -name y -within 8" },
	{ .place = TIMER, .script = "sleep 8" },
	{ .place = TIMER, .script = "mem watch m -within 8" },
	{ .place = TIMER, .script = "repeat 2 {sleep 2}" },
	{ .place = TIMER, .script = "post chain {post recv m -qp u; sleep 8}" },
	{ .place = TIMER, .script = "expect -true {[sleep 8] eq {}}" },
	{ .place = TIMER, .script = "counters around {sleep 8}" },
	{ .place = TIMER, .script = "rendezvous get -within 8 nothing" },
	{ .place = BODY, .script = "on timer 1 {::inner}; sleep 8" },
	{ .place = BODY, .script = "on timer 1 {::inner; sleep 1} -once; wait until 0 -within 8" },
	{ .place = BODY, .script = "on wc {::inner} -cq c; " COMPLETION },
	{ .place = BODY,
	  .script = "on readable b {::inner} -once; tcp send a x; tcp recv a 5 -within 8" },
	{ .place = BODY,
	  .script = "on readable d {::inner}; tcp connect 10.0.0.1 [get d port]; sleep 5" },
	{ .place = CM_EVENT, .script = "connect 10.0.0.1 7471 -name x -within 50" },
	{ .place = CM_EVENT, .script = "disconnect k; sleep 5" },
	{ .place = CM_EVENT, .script = "destroy k -cascade; sleep 5" },
	{ .place = CQ_EVENT, .script = COMPLETION },
	{ .place = WC_HANDLER, .script = COMPLETION },
	{ .place = ASYNC_EVENT,
	  .script = "modify-qp SQD [get k qp] -en-sqd-async-notify 1; sleep 8" },
};

static struct {
	struct session *s;
	struct lines lines;
	enum place place;
	const struct cmd *command;
	unsigned passed; /* so often the place is passed by */
	bool ran;
} inner;

static void run_inner(void)
{
	if (inner.ran || inner.passed-- > 0)
		return;
	inner.ran = true;
	rig_run_aside(inner.s, lines_words(&inner.lines, inner.command, 2));
}

static void on_timer(void *arg)
{
	*(struct loop_timer **)arg = NULL;
	run_inner();
}

static void on_notice(void *arg, enum notice_kind kind, const char *text)
{
	static const enum notice_kind of[PLACES] = {
		[TIMER] = NOTICE_KINDS,	      [CM_EVENT] = NOTICE_CM,	   [CQ_EVENT] = NOTICE_CQ,
		[ASYNC_EVENT] = NOTICE_ASYNC, [WC_HANDLER] = NOTICE_KINDS, [BODY] = NOTICE_KINDS
	};

	(void)arg, (void)text;
	if (inner.place < PLACES && kind == of[inner.place])
		run_inner();
}

static void on_wc(void *arg)
{
	(void)arg;
	run_inner();
}

static int on_inner(ClientData data, Tcl_Interp *tcl, int objc, Tcl_Obj *const objv[])
{
	(void)data, (void)tcl, (void)objc, (void)objv;
	run_inner();
	return TCL_OK;
}

static void run_outer(const char *script)
{
	Tcl_Obj *words = Tcl_NewListObj(0, NULL);

	Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj("eval", -1));
	Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(script, -1));
	rig_run(inner.s, words);
}

static void combine(const struct outer *outer, const struct cmd *c, uint64_t seed)
{
	struct session *s = inner.s;
	struct cq *cq = obj_find(s, &cq_class, "c");
	struct loop_timer *timer = NULL;

	inner.lines = (struct lines){ .s = s, .random = seed };
	inner.place = outer->place;
	inner.command = c;
	inner.passed = outer->place == CM_EVENT ? lines_random(&inner.lines, 2) : 0;
	inner.ran = false;
	if (outer->place == TIMER)
		timer = loop_after(s->loop, 0, on_timer, &timer);
	if (outer->place == WC_HANDLER)
		cq->on_event = on_wc;
	run_outer(outer->script);
	inner.place = PLACES; /* nothing of it in the reset */
	if (timer)
		loop_cancel(s->loop, timer);
	cq = obj_find(s, &cq_class, "c"); /* if it is there still */
	if (cq)
		cq->on_event = NULL;
	if (outer->place != TIMER || outer->spends)
		rig_reset(s);
	else
		rig_mend(s);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : 1;
	unsigned share = argc > 3 ? (unsigned)strtoul(argv[3], NULL, 0) : 1;
	unsigned ran[PLACES] = { 0 }, commands = 0, all = 0, never = 0;

	if (argc < 2 || !share)
		return 2;
	inner.s = rig_new(argv[1]);
	Tcl_CreateObjCommand(inner.s->own->tcl, "inner", on_inner, NULL, NULL);
	notices_divert(inner.s->notices, on_notice, NULL);
	rig_say("seed %llu\n", (unsigned long long)seed);
	for (const struct cmd *const *c = cmd_table; *c; c++)
		commands += lines_may_run(*c);
	for (size_t i = 0; i < sizeof outers / sizeof *outers; i++) {
		unsigned before = ran[outers[i].place];

		for (const struct cmd *const *c = cmd_table; *c; c++) {
			if (!lines_may_run(*c))
				continue;
			if (seed++ % share)
				continue;
			for (unsigned k = 0; k < TRIES; k++) {
				combine(&outers[i], *c, seed);
				if (inner.ran)
					break;
			}
			ran[outers[i].place] += inner.ran;
		}
		if (ran[outers[i].place] - before < commands / share / 4) {
			rig_say("nothing is called back in '%s' (%u of %u)\n", outers[i].script,
				ran[outers[i].place] - before, commands);
			never++;
		}
	}
	for (unsigned i = 0; i < PLACES; i++) {
		rig_say("%5u inside of a %s\n", ran[i], place_names[i]);
		all += ran[i];
	}
	rig_say("%u combinations of %zu waits and %u commands\n", all,
		sizeof outers / sizeof *outers, commands);
	rig_free(inner.s);
	return never != 0;
}
