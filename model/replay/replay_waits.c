/* SPDX-License-Identifier: MIT */
/* The waits of the program: for completions, events, connections and bytes over TCP. */
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record_rings.h"
#include "recorded.h"
#include "replay_parts.h"

/* -------------------------------------------------------------------------- completions -- */

/* The data that have arrived in the memory of a request, len bytes in all. */
static void take_received(struct replay *p, const char *name, const struct posted_wr *posted,
			  size_t len)
{
	struct memory_piece pieces[LIVE_SGES];
	unsigned n = 0;

	for (; n < posted->nsge && len; n++) {
		const struct ibv_sge *s = &posted->sge[n];
		const size_t piece = s->length < len ? s->length : len;
		const struct own_value *mr = replay_own_region(p, s->addr, piece);
		const struct memory_block *b = replay_memory_find(&p->memory, s->addr, piece);

		if (!mr || !b || !b->bytes)
			return;
		replay_memory_clean(&p->memory, s->addr, piece);
		pieces[n] = (struct memory_piece){ mr, (char *)b->bytes + (s->addr - b->at),
						   s->addr - mr->value, piece };
		len -= piece;
	}
	replay_keep(p, name, pieces, n);
}

/* One event may stand for several completions, and a late one for none. So a script waits for the
 * event when it waits for the next completion. */
static void write_completion(struct replay *p, struct replay_object *o, const struct ibv_wc *wc)
{
	const bool is_flushed = wc->status == IBV_WC_WR_FLUSH_ERR;
	const char *cq = p->back->object(p, o, OBJECT_CQ);

	if (p->event_of && !is_flushed) {
		replay_step(p, "cq_event $1 $2", "await_cq_event($1)",
			    p->back->object(p, p->event_of, OBJECT_COMP_CHANNEL), cq, NULL);
		p->event_of = NULL;
	}
	replay_step(p,
		    is_flushed	 ? "# wr_id $2 was flushed"
		    : wc->status ? "completion $1 * $2 $3"
				 : "completion $1 $4 $2",
		    "complete($1, $2$5, IBV_WC_$3)", cq, replay_digits(wc->wr_id),
		    live_status(wc->status),
		    wc->status ? ""
			       : live_word(call_table[ROW_ibv_poll_cq].args[2].of, "opcode",
					   wc->opcode),
		    wc->wr_id >> 31 ? "ull" : "", NULL);
}

static void write_poll(struct replay *p, const struct record *r)
{
	unsigned n;
	const struct live_wc *c = live_program_completions(p->live, &n);
	struct replay_object *cq = replay_objects_of(p, r, r->args[0], OBJECT_CQ);

	for (unsigned i = 0; i < n; i++) {
		const struct replay_object *qp = replay_objects_qp(p, c[i].wc.qp_num);

		if (qp && qp->is_left_out)
			continue;
		write_completion(p, cq, &c[i].wc);
		if (c[i].wc.status != IBV_WC_SUCCESS || !c[i].known)
			continue;
		if (c[i].wc.opcode & IBV_WC_RECV)
			take_received(p, "got", &c[i].posted, c[i].wc.byte_len);
		else if (c[i].wc.opcode == IBV_WC_RDMA_READ)
			take_received(p, "read", &c[i].posted, c[i].posted.len);
	}
}

static bool is_of_extended_cq(const struct call_fn *fn)
{
	return fn->path == CALL_DATAPATH && fn->args[0].kind == CALL_OBJECT &&
	       fn->args[0].object == OBJECT_CQ_EX;
}

/* r is ibv_start_poll() or ibv_next_poll(). The calls that ask for values of the completion come
 * later, perhaps after others: the program may post its next request first. */
static void write_extended_poll(struct replay *p, const struct record *r)
{
	unsigned n;

	live_program_completions(p->live, &n);
	for (unsigned i = p->at + 1; !n && i < p->from->ncalls; i++) {
		const struct record *next = &p->from->calls[i].r;

		if (p->from->calls[i].row != REPLAY_CALL || !is_of_extended_cq(next->fn) ||
		    next->args[0] != r->args[0])
			continue;
		if (next->fn->step != CALL_ALONE)
			break;
		live_program_take(p->live, next, p->from->objects);
	}
	if (!n)
		live_program_end_poll(p->live, r);
	write_poll(p, r);
}

/* -------------------------------------------------------------------------------- events -- */

static void write_cq_event(struct replay *p, const struct record *r)
{
	struct replay_object *channel = replay_objects_of(p, r, r->args[0], OBJECT_COMP_CHANNEL);

	if (p->back->is_c)
		replay_step(p, "cq_event $1 $2", "await_cq_event($1)",
			    p->back->object(p, channel, OBJECT_COMP_CHANNEL), NULL);
	else
		p->event_of = channel;
}

/* Does the program in C need the peer for datagrams that the event tells of? */
static bool needs_peer(struct replay *p, const struct replay_object *id,
		       const struct rdma_ud_param *ud)
{
	const struct qp_peer peer = { .qpn = ud->qp_num,
				      .qkey = ud->qkey,
				      .gid = ud->ah_attr.grh.dgid };

	return p->back->is_c && id->is_ud && ud->qp_num &&
	       replay_told_add_peer(p, temp_text("event_of_%s.peer", id->name), &peer, false);
}

static void write_awaited(struct replay *p, const struct record *r, const struct rdma_cm_event *ev,
			  struct replay_object *id)
{
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	const struct rdma_conn_param *param = &ev->param.conn;
	const bool is_request = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	const char *type = live_word(call_objects[OBJECT_CM_EVENT].of, "event", ev->event);
	struct replay_object *channel = replay_objects_of(p, r, r->args[0], OBJECT_EVENT_CHANNEL);
	struct replay_object *event = replay_objects_of(p, r, *place, OBJECT_CM_EVENT);
	struct replay_object *awaited =
		is_request ? replay_objects_of(p, r, (uintptr_t)ev->listen_id, OBJECT_CM_ID) : id;
	const struct told_bytes *t = param->private_data
					     ? replay_told_add(p, "private", param->private_data,
							       param->private_data_len)
					     : NULL;
	const bool keeps = needs_peer(p, id, &ev->param.ud) || is_request || t;

	if (!awaited || !awaited->written || !channel) {
		replay_note(p, "the event %s of %s is not waited for", type, id->called);
		return;
	}
	id->keeps |= keeps;
	replay_step(p, "cm_event $1 $3 $4",
		    keeps ? "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\v&s.event_of_$5)"
			  : "await_event($1,\v$2,\vRDMA_CM_EVENT_$3,\vNULL)",
		    p->back->object(p, channel, OBJECT_EVENT_CHANNEL),
		    p->back->object(p, awaited, OBJECT_CM_ID), type, event->name, id->name, NULL);
	if (is_request)
		replay_step(p, "set $1 [dict get [show $2] id]", "s.$1 = s.event_of_$1.id;",
			    id->name + (*id->name == '$'), event->name, NULL);
	id->written |= is_request;
	if (t)
		replay_step(p, "set $1 [dict get [show $2] param.conn private_data]",
			    "memcpy(s.$1, s.event_of_$3.data, sizeof s.$1);", t->variable,
			    event->name, id->name, NULL);
}

static void write_cm_event(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	const struct rdma_cm_id *copy = ev ? record_bytes(r, (uintptr_t)ev->id, NULL) : NULL;
	struct replay_object *id = ev ? replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID)
				      : NULL;
	struct replay_object *device;

	if (!id)
		return;
	if (ev->event == RDMA_CM_EVENT_TIMEWAIT_EXIT) { /* the device decides when it comes */
		replay_objects_skip(p, *place);
		return;
	}
	replay_objects_are_skipped(p, *place); /* it is another event */
	device = copy ? replay_objects_of(p, r, (uintptr_t)copy->verbs, OBJECT_CONTEXT) : NULL;
	if (device && !device->made && !device->from)
		device->from = id;
	write_awaited(p, r, ev, id);
}

bool replay_waits_write(struct replay *p, const struct record *r)
{
	if (r->fn == &call_table[ROW_ibv_poll_cq])
		write_poll(p, r);
	else if (record_takes_completion(r->fn))
		write_extended_poll(p, r);
	else if (is_of_extended_cq(r->fn))
		return true; /* see write_extended_poll() */
	else if (r->fn == &call_table[ROW_ibv_get_cq_event])
		write_cq_event(p, r);
	else if (r->fn == &call_table[ROW_rdma_get_cm_event])
		write_cm_event(p, r);
	else if (r->fn == &call_table[ROW_ibv_get_async_event])
		replay_note(p, "an asynchronous event, which is not waited for");
	else if (r->fn != &call_table[ROW_ibv_ack_cq_events] &&
		 r->fn != &call_table[ROW_ibv_ack_async_event])
		return false;
	return true;
}

/* ----------------------------------------------------------------------------------- TCP -- */

static struct tcp_end *tcp_end_of(struct replay *p, uint64_t number)
{
	for (unsigned i = p->ntcp; i-- > 0;)
		if (p->tcp[i].live && p->tcp[i].number == number)
			return &p->tcp[i];
	return NULL;
}

static struct tcp_end *add_tcp_end(struct replay *p, uint64_t number, bool listens)
{
	struct tcp_end *e;
	unsigned n = 0;

	for (unsigned i = 0; i < p->ntcp; i++)
		n += p->tcp[i].listens == listens;
	p->tcp = xgrow(p->tcp, p->ntcp, sizeof *p->tcp);
	e = &p->tcp[p->ntcp++];
	*e = (struct tcp_end){ .number = number, .listens = listens, .live = true };
	snprintf(e->name, sizeof e->name, "%s%u", listens ? "listener" : "tcp", n);
	return e;
}

/* The bytes of r that were kept. */
static size_t bytes_of(const struct record *r, const unsigned char **bytes)
{
	*bytes = (const void *)(uintptr_t)r->args[1];
	return *bytes ? r->args[2] : 0;
}

static void write_send(struct replay *p, const struct tcp_end *e, const struct record *r)
{
	unsigned char *nothing = NULL;
	const unsigned char *bytes;
	size_t n = bytes_of(r, &bytes);
	char *word;

	if (r->args[3]) {
		replay_note(p,
			    "%" PRIu64 " more bytes were sent, which were not kept: they are zero",
			    r->args[3]);
		if (r->args[3] > REPLAY_BLOCK_MAX)
			return;
		n = r->args[3];
		bytes = nothing = xcalloc(n, 1);
	}
	if (n) {
		word = xstrdup(p->back->data(p, bytes, n, true)); /* memory is put before it */
		replay_put_told(p);
		replay_step(p, "tcp send $1 $2", "transfer(s.$1, $2, $3, 1)", e->name, word,
			    replay_digits(n), NULL);
		free(word);
	}
	free(nothing);
}

/* Pieces that were received one after another are received as one. */
static void write_recv(struct replay *p, const struct tcp_end *e, const struct record *r)
{
	const unsigned char *bytes;
	size_t n = bytes_of(r, &bytes), nmore;
	unsigned char *all = xcalloc(n + 1, 1);
	const struct told_bytes *t;

	if (n)
		memcpy(all, bytes, n);
	while (n && p->at + 1 < p->from->ncalls && p->from->calls[p->at + 1].row == REPLAY_RECV) {
		const struct record *more = &p->from->calls[p->at + 1].r;

		nmore = bytes_of(more, &bytes);
		if (more->args[0] != r->args[0] || !nmore)
			break;
		all = xrealloc(all, n + nmore, 1);
		memcpy(all + n, bytes, nmore);
		n += nmore;
		p->at++;
	}
	if (r->args[3])
		replay_note(p, "of %" PRIu64 " more bytes received no values are known",
			    r->args[3]);
	t = replay_told_add(p, "heard", all, n);
	free(all);
	n = r->args[3] ? r->args[3] : n;
	if (!n)
		replay_step(p,
			    "expect -name \"the peer closes\" -value \"\" "
			    "{tcp recv $1 1 -any -within $within}",
			    "tcp_end(s.$1)", e->name, NULL);
	else if (t)
		replay_step(p, "set $3 [tcp recv $1 $2 -within $within]",
			    "transfer(s.$1, s.$3, $2, 0)", e->name, replay_digits(n), t->variable,
			    NULL);
	else
		replay_step(p, "tcp recv $1 $2 -within $within", "tcp_skip(s.$1, $2)", e->name,
			    replay_digits(n), NULL);
}

void replay_waits_write_tcp(struct replay *p, enum replay_row row, const struct record *r)
{
	const bool has_address = row == REPLAY_LISTEN || row == REPLAY_CONNECT;
	struct tcp_end *e = tcp_end_of(p, r->args[0]);
	const char *listener = row == REPLAY_ACCEPT && e ? temp_text("%s", e->name) : "?";
	char host[64] = "", port[8] = "";
	bool is_any;

	if (has_address)
		replay_words_address((const void *)(uintptr_t)r->args[1], r->args[2], host, port);
	is_any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;
	if (has_address || row == REPLAY_ACCEPT)
		e = add_tcp_end(p, r->args[row == REPLAY_ACCEPT], row == REPLAY_LISTEN);
	if (!e)
		return;
	e->live = row != REPLAY_CLOSE;
	switch (row) {
	case REPLAY_LISTEN:
		replay_step(
			p, is_any ? "tcp listen $2 -name $1" : "tcp listen $2 -address $3 -name $1",
			"tcp_open(&s.$1, $3, \"$2\", 1)", e->name, port,
			replay_words_of_host(p, host), NULL);
		break;
	case REPLAY_CONNECT:
		replay_step(p, "tcp connect $3 $2 -name $1 -within $within",
			    "tcp_open(&s.$1, $3, \"$2\", 0)", e->name, port,
			    replay_words_of_host(p, host), NULL);
		break;
	case REPLAY_ACCEPT:
		replay_step(p, "tcp accept $2 -name $1 -within $within", "tcp_accept(&s.$1, s.$2)",
			    e->name, listener, NULL);
		break;
	case REPLAY_SEND:
		write_send(p, e, r);
		break;
	case REPLAY_RECV:
		write_recv(p, e, r);
		break;
	case REPLAY_CLOSE:
		replay_step(p, "destroy $1", "close(s.$1);", e->name, NULL);
		break;
	default:
		break;
	}
}
