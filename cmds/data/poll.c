/* SPDX-License-Identifier: MIT */
/*
 * poll: ibv_poll_cq(3) until there is something to take.
 *
 * A completion with an error is a result, not a failure of the command: scripts look at
 * its status, or ask for the strict form, -ok.
 */
#include "alloc.h"
#include "command/cmd.h"
#include "data/post.h"
#include "data/wc.h"
#include "session.h"

#define POLL_MAX 65536

struct poll_args {
	struct cq *cq;
	struct qp *qp;
	struct num n, within;
	bool all, ok;
};

static const struct arg poll_args[] = {
	OPT("n", poll_args, n, kind_u32, "so many completions", .min = 1, .max = POLL_MAX),
	OPT("within", poll_args, within, kind_ms, "how long to wait for them", .dflt = "5000"),
	SWITCH("all", poll_args, all, "what is there now; do not wait"),
	SWITCH("ok", poll_args, ok, WC_OK_HELP),
	OPT("cq", poll_args, cq, kind_cq_opt, "completion queue; left out: those of the QP"),
	OPT("qp", poll_args, qp, kind_qp_opt, "queue pair; left out: the current one"),
	ARGS_END
};

static int drain(struct session *s, const struct cq_set *set, bool ok, struct out *o)
{
	struct wc wc[64];
	int n, rc = 0;

	out_list(o, NULL);
	do {
		n = wc_take(s, set, wc, 64);
		if (n < 0)
			return -1;
		wc_out_all(s, wc, n, true, o);
		if (ok && rc == 0) /* all are taken, the first that has failed is told */
			rc = wc_all_ok(s, "poll", wc, n);
	} while (n);
	out_end(o);
	return rc;
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct poll_args *a = args;
	int want = a->n.set ? (int)a->n.v : 1, got, end;
	struct cq_set set;
	struct wc *wc;

	if (cq_set_pick(s, a->cq, a->qp, &set))
		return -1;
	if (a->all)
		return drain(s, &set, a->ok, o);
	wc = arena_alloc(&s->arena, (size_t)want * sizeof *wc);
	got = wc_wait(s, &set, wc, want, (int64_t)a->within.v, &end);
	if (got < 0)
		return -1;
	if (end)
		return wc_missing(s, "poll", &set, wc, got, want, (int64_t)a->within.v, end);
	if (a->ok && wc_all_ok(s, "poll", wc, got))
		return -1;
	if (want > 1)
		out_list(o, NULL);
	wc_out_all(s, wc, got, want > 1, o);
	return 0;
}

static const struct cmd_eg poll_egs[] = {
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey]", NULL },
	{ "poll", "SUCCESS  RDMA_WRITE" },
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey] -repeat 3",
	  NULL },
	{ "poll -n 3", "SUCCESS" },
	{ "poll -all", NULL },
	{ "post write buf -len 8 -remote [get window addr] -rkey 1", NULL },
	{ "poll", "REM_ACCESS_ERR" },
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey]", NULL },
	{ "poll -ok", "poll: wr_id" },
	{ NULL, NULL }
};

const struct cmd cmd_poll = {
	.name = "poll",
	.family = "data path",
	.summary = "take completions from a completion queue",
	.text = "Waits for one completion, or for -n of them, and says what became of the work\n"
		"request: a dict; a list of dicts with -n 2 and more, or -all. Only fields that\n"
		"are valid are there. A status other than SUCCESS is no error of this command,\n"
		"unless -ok is given: then a script ends there (RDMASH poll REM_ACCESS_ERR). When\n"
		"nothing comes in time, that is an error (RDMASH poll ETIMEDOUT), and it says what\n"
		"is outstanding. While it waits, the rest of the session goes on.",
	.calls = "ibv_poll_cq(3)",
	.setup = POST_SETUP,
	.examples = poll_egs,
	.args = poll_args,
	.size = sizeof(struct poll_args),
	.exec = exec,
};
