/* SPDX-License-Identifier: MIT */
/*
 * oob: two ends tell each other of their QPs over TCP, out of band.
 *
 * The event loop serves the sockets, so that one session can be both ends: one listens in
 * the background while the other connects.
 */
#include <string.h>

#include "cmd.h"
#include "gids.h"
#include "oob_class.h"
#include "out.h"
#include "qp_peer.h"
#include "session.h"

struct oob_args {
	struct num port, within, gid_index;
	const char *host; /* listen: the address to listen on, or NULL */
	struct qp *qp;
	struct mr *mr;
	bool background;
};

static bool is_over(void *arg)
{
	const struct oob *b = arg;

	return b->over;
}

static int no_peer(struct session *s, const struct oob *b, enum loop_end end)
{
	if (end == LOOP_INTERRUPTED)
		return fail(s, "oob", "EINTR", "interrupted: no peer on %s", b->where);
	fail(s, "oob", "ETIMEDOUT", "the peer has said nothing in time (%s)", b->where);
	return fail_row(s, "state", "%s",
			b->listen_fd >= 0 ? "nobody has connected yet" : "connected or connecting");
}

static int failed(struct session *s, const struct oob *b)
{
	fail(s, "oob", b->code, "%s", b->why);
	if (strcmp(b->code, "ECONNREFUSED") == 0)
		fail_row(s, "likely", "nobody listens there yet: oob listen %u at the other end",
			 b->port);
	return -1;
}

static void tell(struct out *o, const struct oob *b)
{
	out_text(o, "%s <- ", b->qp->o.name);
	qp_peer_out(o, &b->peer);
}

/* Waits for the end, tells what came, and lets go of the object. */
static int collect(struct session *s, struct oob *b, const struct num *within, struct out *o)
{
	enum loop_end end = LOOP_DONE;
	int rc = 0;

	obj_hold_arg(s, b);
	if (!b->over)
		end = loop_wait(s->loop, is_over, b,
				within->set ? (int64_t)within->v : LOOP_FOREVER);
	if (end != LOOP_DONE && b->background) /* it goes on */
		return no_peer(s, b, end);
	if (end != LOOP_DONE)
		rc = no_peer(s, b, end);
	else if (b->why)
		rc = failed(s, b);
	else
		tell(o, b);
	if (rc) { /* what failed is told even if destroying fails too, which it does not
		   */
		struct fail why = s->fail;

		s->fail = (struct fail){ 0 };
		obj_destroy(s, b, true);
		fail_clear(&s->fail);
		s->fail = why;
		return -1;
	}
	return obj_destroy(s, b, true);
}

static int mine_of(struct session *s, const struct oob_args *a, struct qp_peer *mine)
{
	return qp_peer_of(s, a->qp, a->mr, a->gid_index.set ? (int)a->gid_index.v : -1, mine);
}

#define COMMON                                                                   \
	OPT("qp", oob_args, qp, kind_qp, "QP to tell of; else the current one"), \
		OPT("mr", oob_args, mr, kind_mr_opt, "region the peer may use"), \
		OPT("gid-index", oob_args, gid_index, kind_u8, "our GID; else the one gids marks")

/* ----------------------------------------------------------------- listen -- */

static const struct arg oob_listen_args[] = {
	POS("port", oob_args, port, kind_port, "TCP port; 0: any free one"),
	COMMON,
	OPT("addr", oob_args, host, kind_str, "address to listen on; else all"),
	SWITCH("background", oob_args, background, "go on; oob accept waits for the peer"),
	OPT("within", oob_args, within, kind_ms, "time to wait for a peer; else for ever"),
	ARGS_END
};

static int oob_listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_args *a = args;
	struct qp_peer mine;
	struct oob *b;

	if (mine_of(s, a, &mine))
		return -1;
	b = oob_listen(s, a->qp, &mine, a->host, (uint16_t)a->port.v);
	if (!b)
		return -1;
	b->background = a->background;
	if (!a->background)
		return collect(s, b, &a->within, o);
	oob_class.describe(s, &b->o, o);
	return 0;
}

#define BOTH_ENDS                                                                       \
	"qp create -name a; qp create -name b; set port [dict get [oob listen 0 -qp a " \
	"-background] port]"

static const struct cmd_eg oob_listen_egs[] = { { "oob listen 0 -background", "listening on [::]" },
						{ "show oob0", "listening" },
						{ "oob listen 0 -within 10",
						  "said nothing in time" },
						{ NULL, NULL } };

const struct cmd cmd_oob_listen = {
	.name = "oob listen",
	.family = "by hand",
	.summary = "wait for the other end on a TCP port and exchange qp-info",
	.text = "Without a connection manager the two ends must tell each other their QP number,\n"
		"first packet number and address by other means: here over one TCP connection,\n"
		"as JSON after four bytes of length (highest first), the listening end first.\n"
		"What the peer told is remembered: modify-qp RTR -fill knows it. With -background\n"
		"the session goes on and oob accept fetches the result.",
	.setup = "qp create",
	.examples = oob_listen_egs,
	.args = oob_listen_args,
	.size = sizeof(struct oob_args),
	.exec = oob_listen_exec,
};

/* ---------------------------------------------------------------- connect -- */

static const struct arg oob_connect_args[] = {
	POS("host", oob_args, host, kind_str, "name or address of the other end"),
	POS("port", oob_args, port, kind_port, "TCP port it listens on"), COMMON,
	OPT("within", oob_args, within, kind_ms, "time to wait", .dflt = "10s"), ARGS_END
};

static int oob_connect_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_args *a = args;
	struct qp_peer mine;
	struct oob *b;

	if (mine_of(s, a, &mine))
		return -1;
	b = oob_connect(s, a->qp, &mine, a->host, (uint16_t)a->port.v);
	return b ? collect(s, b, &a->within, o) : -1;
}

static const struct cmd_eg oob_connect_egs[] = { { "oob connect localhost $port -qp b",
						   "b <- RC  qpn" },
						 { "oob accept", "a <- RC  qpn" },
						 { NULL, NULL } };

const struct cmd cmd_oob_connect = {
	.name = "oob connect",
	.family = "by hand",
	.summary = "exchange qp-info with an end that listens on a TCP port",
	.text = "The other side of oob listen. Returns what the peer told as a dict: qpn, psn,\n"
		"lid, gid and, if it gave a region, addr, rkey and len.",
	.setup = BOTH_ENDS,
	.examples = oob_connect_egs,
	.args = oob_connect_args,
	.size = sizeof(struct oob_args),
	.exec = oob_connect_exec,
};

/* ----------------------------------------------------------------- accept -- */

struct oob_accept_args {
	struct oob *oob;
	struct num within;
};

static const struct arg oob_accept_args[] = {
	POS_OPT("oob", oob_accept_args, oob, kind_oob, "which, if there are several"),
	OPT("within", oob_accept_args, within, kind_ms, "time to wait; else for ever"), ARGS_END
};

static int oob_accept_exec(struct session *s, const void *args, struct out *o)
{
	const struct oob_accept_args *a = args;

	return collect(s, a->oob, &a->within, o);
}

static const struct cmd_eg oob_accept_egs[] = { { "oob accept -within 10", "said nothing in time" },
						{ "oob connect localhost $port -qp b", "b <-" },
						{ "dict get [oob accept] qpn", NULL },
						{ NULL, NULL } };

const struct cmd cmd_oob_accept = {
	.name = "oob accept",
	.family = "by hand",
	.summary = "what the peer of oob listen -background told",
	.text = "Waits until the exchange is done, if it is not yet. When the time is up the\n"
		"listener stays and can be asked again.",
	.setup = BOTH_ENDS,
	.examples = oob_accept_egs,
	.args = oob_accept_args,
	.size = sizeof(struct oob_accept_args),
	.exec = oob_accept_exec,
};
