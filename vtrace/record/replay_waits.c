/* SPDX-License-Identifier: MIT */
/* What the program has waited for: completions, events, connections and bytes over TCP. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "record_rings.h"
#include "recorded.h"
#include "replay_script.h"
#include "words.h"
#include "spec_tables.h"

/* -------------------------------------------------------------------------- completions -- */

/* Tells what has arrived in the memory of a request, len bytes in all. */
static void write_received(struct replay *p, const char *name, const struct posted_wr *posted,
			   size_t len)
{
	unsigned char *data = xcalloc(len + 1, 1);
	size_t n = 0;
	SCOPED_TEXT(expr);
	bool known = true;

	for (unsigned i = 0; i < posted->nsge && n < len; i++) {
		const struct ibv_sge *s = &posted->sge[i];
		const size_t piece = s->length < len - n ? s->length : len - n;
		const struct own_value *mr = own_region(p, s->addr, piece);
		const struct memory_block *b = replay_memory_find(&p->memory, s->addr, piece);

		if (!mr || !b) {
			known = false;
			break;
		}
		if (b->bytes)
			memcpy(data + n, b->bytes + (s->addr - b->at), piece);
		replay_memory_clean(&p->memory, s->addr, piece);
		xappendf(&expr, "%s[mem get %s %" PRIu64 " %zu]", n ? " " : "", mr->name,
			 s->addr - mr->value, piece);
		n += piece;
	}
	if (known && n && posted->nsge > 1)
		told_add(p, name, data, n, temp_text("[join [list %s] \"\"]", text_str(&expr)));
	else if (known && n)
		told_add(p, name, data, n, text_str(&expr));
	free(data);
}

static void write_completion(struct replay *p, const char *cq, const struct seen_wc *c)
{
	const struct ibv_wc *wc = &c->wc;
	const char *status = word_name(wc_status_words, wc->status);
	const char *opcode = word_name(wc_opcode_words, wc->opcode);

	if (wc->status == IBV_WC_WR_FLUSH_ERR) {
		replay_line(p, "# wr_id %" PRIu64 " was flushed", wc->wr_id);
		return;
	}
	if (p->event_of)
		replay_line(p, "cq_event %s %s", p->event_channel, cq);
	p->event_of = 0;
	if (wc->status != IBV_WC_SUCCESS) {
		replay_line(p, "completion %s * %" PRIu64 " %s", cq, wc->wr_id, status);
		return;
	}
	replay_line(p, "completion %s %s %" PRIu64, cq, opcode ? opcode : "*", wc->wr_id);
	if (!c->known)
		return;
	if (wc->opcode & IBV_WC_RECV)
		write_received(p, "got", &c->posted, wc->byte_len);
	else if (wc->opcode == IBV_WC_RDMA_READ)
		write_received(p, "read", &c->posted, c->posted.len);
}

static bool is_of_extended_cq(const struct call_fn *fn)
{
	return fn->path == CALL_DATAPATH && fn->args[0].kind == CALL_OBJECT &&
	       fn->args[0].object == OBJECT_CQ_EX;
}

static void write_poll(struct replay *p, const struct record *r)
{
	unsigned n;
	const struct seen_wc *c = live_program_completions(p->live, &n);
	char cq[40];

	snprintf(cq, sizeof cq, "%s", objects_name(p, r, r->args[0], OBJECT_CQ));
	for (unsigned i = 0; i < n; i++)
		write_completion(p, cq, &c[i]);
}

/* r is ibv_start_poll() or ibv_next_poll(). The calls that ask for values of the completion come
 * later, perhaps after others: the program may post its next request first. */
static void write_extended_poll(struct replay *p, const struct record *r)
{
	unsigned n;

	live_program_completions(p->live, &n);
	for (unsigned i = p->at + 1; !n && i < p->ncalls; i++) {
		const struct record *next = &p->calls[i].r;

		if (p->calls[i].row != REPLAY_ROWS || !is_of_extended_cq(next->fn) ||
		    next->args[0] != r->args[0])
			continue;
		if (next->fn->step != CALL_ALONE)
			break;
		live_program_take(p->live, next, p->process->objects);
	}
	if (!n)
		live_program_end_poll(p->live, r);
	write_poll(p, r);
}

/* One event may stand for several completions, and a late one for none. So the script waits for the
 * event when it waits for the next completion. */
static void write_cq_event(struct replay *p, const struct record *r)
{
	const uint64_t *cq = (const void *)(uintptr_t)r->after[1];

	if (!cq)
		return;
	p->event_of = *cq;
	snprintf(p->event_channel, sizeof p->event_channel, "%s",
		 objects_name(p, r, r->args[0], OBJECT_COMP_CHANNEL));
}

/* -------------------------------------------------------------------------------- events -- */

static void name_client_id(struct replay *p, const struct rdma_cm_event *ev, const char *event)
{
	const struct named_object *o = objects_name_word(p, (uintptr_t)ev->id,
							 temp_text("$client%u", p->clients++));

	replay_line(p, "set %s [dict get [show %s] id]", o->word + 1, event);
}

static void write_cm_event(struct replay *p, const struct record *r)
{
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	const struct rdma_cm_event *ev = place ? record_bytes(r, *place, NULL) : NULL;
	char channel[40], event[40];
	const struct rdma_cm_id *id;
	const char *word;

	if (!ev)
		return;
	if (ev->event == RDMA_CM_EVENT_TIMEWAIT_EXIT) { /* the device decides when it comes */
		objects_skip(p, *place);
		return;
	}
	objects_are_skipped(p, *place); /* it is another event */
	snprintf(channel, sizeof channel, "%s",
		 objects_name(p, r, r->args[0], OBJECT_EVENT_CHANNEL));
	snprintf(event, sizeof event, "%s", objects_name(p, r, *place, OBJECT_CM_EVENT));
	replay_line(p, "cm_event %s %s %s", channel, word_name(cm_event_words, ev->event), event);
	if (ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		name_client_id(p, ev, event);
	id = ev->id ? record_bytes(r, (uintptr_t)ev->id, NULL) : NULL;
	if (id && id->verbs) {
		word = objects_name(p, r, (uintptr_t)ev->id, OBJECT_CM_ID);
		objects_meet_device(p, (uintptr_t)id->verbs, temp_text("[get %s device]", word));
	}
	if (ev->param.conn.private_data && ev->param.conn.private_data_len)
		told_add(p, "private", ev->param.conn.private_data, ev->param.conn.private_data_len,
			 temp_text("[dict get [show %s] param.conn private_data]", event));
}

bool waits_write(struct replay *p, const struct record *r)
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

/* Host and port of REPLAY_LISTEN and REPLAY_CONNECT; an IPv4 address that is mapped to an IPv6 one
 * is written as IPv4. */
static unsigned address_of(const struct record *r, char host[INET6_ADDRSTRLEN])
{
	union {
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} a = { 0 };

	if (r->args[1])
		memcpy(&a, (const void *)(uintptr_t)r->args[1],
		       r->args[2] < sizeof a ? r->args[2] : sizeof a);
	if (a.four.sin_family == AF_INET)
		inet_ntop(AF_INET, &a.four.sin_addr, host, INET6_ADDRSTRLEN);
	else if (IN6_IS_ADDR_V4MAPPED(&a.six.sin6_addr))
		inet_ntop(AF_INET, &a.six.sin6_addr.s6_addr[12], host, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, &a.six.sin6_addr, host, INET6_ADDRSTRLEN);
	return ntohs(a.six.sin6_port); /* at the same place */
}

/* e: the end that the first argument of the row names, if there is one. */
static void write_listen(struct replay *p, struct tcp_end *e, const struct record *r)
{
	char host[INET6_ADDRSTRLEN];
	const unsigned port = address_of(r, host);
	const bool any = strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0;

	e = add_tcp_end(p, r->args[0], true);
	if (any)
		replay_line(p, "tcp listen %u -name %s", port, e->name);
	else
		replay_line(p, "tcp listen %u -addr %s -name %s", port, host, e->name);
}

static void write_accept(struct replay *p, struct tcp_end *listener, const struct record *r)
{
	const char *name = temp_text("%s", listener ? listener->name : "?");

	replay_line(p, "tcp accept %s -name %s -within $within", name,
		    add_tcp_end(p, r->args[1], false)->name);
}

static void write_connect(struct replay *p, struct tcp_end *e, const struct record *r)
{
	char host[INET6_ADDRSTRLEN];
	const unsigned port = address_of(r, host);

	if (!*p->host)
		snprintf(p->host, sizeof p->host, "%s", host);
	e = add_tcp_end(p, r->args[0], false);
	replay_line(p, "tcp connect %s %u -name %s -within $within",
		    strcmp(p->host, host) ? host : "$host", port, e->name);
}

static void write_send(struct replay *p, struct tcp_end *e, const struct record *r)
{
	const unsigned char *data = (const void *)(uintptr_t)r->args[1];
	const size_t n = r->args[2];
	SCOPED_TEXT(word);

	if (r->args[3]) {
		replay_note(p,
			    "%" PRIu64 " more bytes were sent, which were not kept: they are zero",
			    r->args[3]);
		replay_line(p, "tcp send %s [string repeat \\0 %" PRIu64 "]", e->name, r->args[3]);
		return;
	}
	bytes_argument(p, &word, data, n);
	bytes_put_told(p);
	replay_line(p, "tcp send %s %s", e->name, text_str(&word));
}

/* Pieces that were received one after another are received as one. */
static void write_recv(struct replay *p, struct tcp_end *e, const struct record *r)
{
	size_t n = r->args[2];
	unsigned char *all = xcalloc(n + 1, 1);
	enum replay_row row;

	if (!n && !r->args[3]) {
		replay_line(p,
			    "expect -name \"the peer closes\" -value \"\" "
			    "{tcp recv %s 1 -any -within $within}",
			    e->name);
		free(all);
		return;
	}
	if (n)
		memcpy(all, (const void *)(uintptr_t)r->args[1], n);
	while (p->at + 1 < p->ncalls && p->calls[p->at + 1].row == REPLAY_RECV) {
		const struct record *more = &p->calls[p->at + 1].r;

		if (!replay_row_of(more->fn, &row) || more->args[0] != r->args[0] || !more->args[2])
			break;
		all = xrealloc(all, n + more->args[2], 1);
		memcpy(all + n, (const void *)(uintptr_t)more->args[1], more->args[2]);
		n += more->args[2];
		p->at++;
	}
	if (r->args[3]) {
		replay_note(p, "of %" PRIu64 " more bytes received no values are known",
			    r->args[3]);
		replay_line(p, "tcp recv %s %" PRIu64 " -within $within", e->name, r->args[3]);
	} else {
		const char *hear = temp_text("tcp recv %s %zu -within $within", e->name, n);

		if (!told_add(p, "heard", all, n, temp_text("[%s]", hear)))
			replay_line(p, "%s", hear);
	}
	free(all);
}

static void write_close(struct replay *p, struct tcp_end *e, const struct record *r)
{
	(void)r;
	replay_line(p, "destroy %s", e->name);
	e->live = false;
}

static const struct {
	void (*write)(struct replay *p, struct tcp_end *e, const struct record *r);
	bool needs_end;
} tcp_writers[REPLAY_ROWS] = {
	[REPLAY_LISTEN] = { write_listen, false },   [REPLAY_ACCEPT] = { write_accept, false },
	[REPLAY_CONNECT] = { write_connect, false }, [REPLAY_SEND] = { write_send, true },
	[REPLAY_RECV] = { write_recv, true },	     [REPLAY_CLOSE] = { write_close, true },
};

void waits_write_tcp(struct replay *p, enum replay_row row, const struct record *r)
{
	struct tcp_end *e = tcp_end_of(p, r->args[0]);

	if (e || !tcp_writers[row].needs_end)
		tcp_writers[row].write(p, e, r);
}
