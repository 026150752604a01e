/* SPDX-License-Identifier: MIT */
/* listen: an id, bound and listening, in one go. */
#include <string.h>

#include "command/cmd.h"
#include "connection/cm_addr.h"
#include "connection/cm_id.h"
#include "connection/cm_listen.h"
#include "session.h"
#include "words.h"
#include "alloc.h"

struct listen_args {
	struct num port, backlog, ps;
	const char *address, *name;
	bool v6, accept, share_len, keep;
	struct mr *share;
	struct ends_args ends;
	struct conn_args conn;
};

static const struct arg listen_args[] = {
	POS("port", listen_args, port, kind_port, "port; 0: any that is free"),
	OPT("address", listen_args, address, kind_str, "address of this machine; else all"),
	SWITCH("ipv6", listen_args, v6, "without -address: all of IPv6"),
	OPT("share", listen_args, share, kind_mr_opt,
	    "region whose address and key accepted peers are told"),
	SWITCH("share-len", listen_args, share_len,
	       "with -share: tell programs that are no rdmash how long it is, too"),
	SWITCH("accept", listen_args, accept, "accept by itself while other commands wait"),
	SWITCH("keep", listen_args, keep,
	       "with -accept: keep the id and QP of a peer that has left"),
	OPT("backlog", listen_args, backlog, kind_u32, "requests that may wait", .dflt = "16",
	    .min = 1, .max = 1024),
	OPT("ps", listen_args, ps, kind_enum, "port space", .data = ps_words, .dflt = "TCP"),
	OPT("name", listen_args, name, kind_str, "name of the object"),
	CONN_ARGS(listen_args, conn),
	ENDS_ARGS(listen_args, ends),
	ARGS_END
};

static struct listening *new_listening(const struct listen_args *a)
{
	struct listening *l = xcalloc(1, sizeof *l);

	l->accept = a->accept;
	l->share = a->share;
	l->share_len = a->share_len;
	l->keep = a->keep;
	l->ends = a->ends;
	l->ends.qp_name = NULL; /* one name for many QPs would not do */
	l->conn = a->conn;
	if (a->conn.data.len)
		memcpy(l->data, a->conn.data.data, a->conn.data.len);
	l->conn.data.data = l->data;
	return l;
}

static int check(struct session *s, const struct listen_args *a)
{
	if (a->keep && !a->accept)
		return fail(s, "args", "MISSING", "-keep goes with -accept");
	if (a->share_len && !a->share)
		return fail(s, "args", "MISSING", "-share-len goes with -share");
	if (a->share && a->conn.data.len)
		return fail(s, "args", "TWICE", "-share and -private-data both say what peers get");
	if (a->share && !(a->share->access & (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
					      IBV_ACCESS_REMOTE_ATOMIC))) {
		fail(s, "listen", "EACCES", "-share: %s gives peers no right to anything",
		     a->share->o.name);
		return fail_next(s, "reg 4096 -access local-write,remote-write,remote-read");
	}
	return a->share ? share_fits(s, "listen", a->share, &a->ends) : 0;
}

/* An id that is bound to one address is on a device, and so will be all that it accepts. */
static int on_its_device(struct session *s, const struct listen_args *a, const struct id *id)
{
	const struct ends_args *e = &a->ends;
	const struct dev *dev = id->v->verbs ? dev_of(s, id->v->verbs) : NULL;

	if (!dev)
		return 0;
	if (obj_same_dev(s, "rdma_listen", id, dev, a->share,
			 a->share ? a->share->pd->dev : NULL) ||
	    obj_same_dev(s, "rdma_listen", id, dev, e->pd, e->pd ? e->pd->dev : NULL) ||
	    obj_same_dev(s, "rdma_listen", id, dev, e->cq, e->cq ? e->cq->dev : NULL) ||
	    obj_same_dev(s, "rdma_listen", id, dev, e->srq, e->srq ? e->srq->pd->dev : NULL))
		return fail_row(s, "remedy", "make them with -device %s (or -pd of it)",
				dev->o.name);
	return 0;
}

static int start(struct session *s, const struct listen_args *a, struct id *id)
{
	struct sockaddr_storage sa;
	int family = a->address ? AF_UNSPEC : a->v6 ? AF_INET6 : AF_INET;

	if (data_fits(s, id, DATA_ACCEPT, a->conn.data.len) ||
	    cm_addr_parse(s, a->address, (uint16_t)a->port.v, family, &sa) ||
	    step_bind(s, id, (struct sockaddr *)&sa) || on_its_device(s, a, id))
		return -1;
	return step_listen(s, id, (int)a->backlog.v);
}

static void say(const struct listen_args *a, const struct id *id, struct out *o)
{
	out_str(o, "id", id->o.name, "%s", id->o.name);
	out_str(o, "local", id_local(id), " listening on %s", id_local(id));
	out_int(o, "port", ntohs(rdma_get_src_port(id->v)), NULL);
	out_text(o, a->accept ? "; clients are accepted" : "; a client waits until you accept");
	if (a->share)
		out_text(o, "%s told where %s is", a->accept ? ", and" : ", and is then",
			 a->share->o.name);
	out_text(o, "\n");
}

static int listen_exec(struct session *s, const void *args, struct out *o)
{
	const struct listen_args *a = args;
	uint64_t mark = made_mark(s);
	struct made made = { 0 };
	struct id *id;

	if (check(s, a))
		return -1;
	id = id_make(s, a->name, NULL, (enum rdma_port_space)a->ps.v);
	made_since(s, &made, mark);
	if (!id || start(s, a, id))
		return made_undo(s, &made);
	id->listening = new_listening(a);
	obj_use(id, a->share);
	obj_use(id, a->ends.pd);
	obj_use(id, a->ends.cq);
	obj_use(id, a->ends.srq);
	s->ctx->id = id;
	say(a, id, o);
	return 0;
}

static const struct cmd_eg listen_egs[] = {
	{ "reg 4096 -name window", "window" },
	{ "listen 7471 -share window -accept", "id0 listening on 0.0.0.0:7471" },
	{ "listen 7471", "port 7471 is in use: id0 has it" },
	{ "listen 7472 -address 10.0.0.1", "a client waits until you accept" },
	{ NULL, NULL }
};

const struct cmd cmd_listen = {
	.name = "listen",
	.family = "connection, in one go",
	.summary = "wait for peers on a port",
	.text = "Makes an id, binds it and lets it listen. A request is told as a notice, and waits\n"
		"for accept or reject; with -accept it is accepted as soon as it comes, also while\n"
		"other commands wait, so that both ends can live in one process. -share tells each\n"
		"peer of a region, in the private data of the answer: address (8 bytes), rkey (4\n"
		"bytes), and length (8 bytes; zero without -share-len, which programs may want that\n"
		"read 20 bytes), all big-endian. Behind them stands what rdmash alone reads, so that\n"
		"post write there needs no address. The other options are for the connections that are accepted. In steps: cm create, cm\n"
		"bind, cm listen. What -accept made for a peer is destroyed when the peer leaves,\n"
		"unless a command has named it or -keep is given: a server may run for ever. Peers\n"
		"that send datagrams never leave.",
	.calls = "rdma_create_id(3) rdma_bind_addr(3) rdma_listen(3)",
	.examples = listen_egs,
	.args = listen_args,
	.size = sizeof(struct listen_args),
	.exec = listen_exec,
};
