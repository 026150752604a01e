/* SPDX-License-Identifier: MIT */
/* The waits of the program: for completions, events, connections and bytes over TCP. */
#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
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
	unsigned char *data = NULL;
	struct memory_piece pieces[LIVE_SGES];
	const struct told_bytes *t;
	unsigned npieces = 0;
	size_t n = 0;
	bool known = true;

	for (unsigned i = 0; i < posted->nsge && n < len && known; i++) {
		const struct ibv_sge *s = &posted->sge[i];
		const size_t piece = s->length < len - n ? s->length : len - n;
		const struct own_value *mr = replay_own_region(p, s->addr, piece);
		const struct memory_block *b = replay_memory_find(&p->memory, s->addr, piece);

		known = mr && b && b->bytes;
		if (!known)
			break;
		data = xrealloc(data, n + piece + 1, 1);
		memcpy(data + n, b->bytes + (s->addr - b->at), piece);
		replay_memory_clean(&p->memory, s->addr, piece);
		pieces[npieces++] = (struct memory_piece){ mr, s->addr - mr->value, piece };
		n += piece;
	}
	t = known && n ? replay_told_add(p, name, data, n) : NULL;
	if (t)
		p->back->steps->keep(p, t, pieces, npieces);
	free(data);
}

static void write_poll(struct replay *p, const struct record *r)
{
	unsigned n;
	const struct live_wc *c = live_program_completions(p->live, &n);
	struct replay_object *cq = replay_objects_of(p, r, r->args[0], OBJECT_CQ);

	for (unsigned i = 0; i < n; i++) {
		p->back->steps->completion(p, cq, &c[i]);
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
	const uint64_t *cq = (const void *)(uintptr_t)r->after[1];

	if (cq)
		p->back->steps->cq_event(
			p, replay_objects_of(p, r, r->args[0], OBJECT_COMP_CHANNEL), *cq);
}

static void write_cm_event(struct replay *p, const struct record *r)
{
	const struct rdma_cm_event *ev = record_cm_event(r);
	const uint64_t *place = (const void *)(uintptr_t)r->after[1];
	const struct rdma_conn_param *param = ev ? &ev->param.conn : NULL;
	const struct rdma_cm_id *id = ev ? record_bytes(r, (uintptr_t)ev->id, NULL) : NULL;
	struct replay_object *device;
	const struct told_bytes *t;

	if (!ev)
		return;
	if (ev->event == RDMA_CM_EVENT_TIMEWAIT_EXIT) { /* the device decides when it comes */
		replay_objects_skip(p, *place);
		return;
	}
	replay_objects_are_skipped(p, *place); /* it is another event */
	device = id ? replay_objects_of(p, r, (uintptr_t)id->verbs, OBJECT_CONTEXT) : NULL;
	if (device && !device->made && !device->from)
		device->from = replay_objects_of(p, r, (uintptr_t)ev->id, OBJECT_CM_ID);
	t = param->private_data
		    ? replay_told_add(p, "private", param->private_data, param->private_data_len)
		    : NULL;
	p->back->steps->cm_event(p, ev, t);
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
	*e = (struct tcp_end){ .number = number,
			       .listens = listens,
			       .live = true,
			       .is_server = replay_now(p)->row != REPLAY_CONNECT };
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

/* The bytes of r that were kept. */
static size_t bytes_of(const struct record *r, const unsigned char **bytes)
{
	*bytes = (const void *)(uintptr_t)r->args[1];
	return *bytes ? r->args[2] : 0;
}

static void write_send(struct replay *p, const struct tcp_end *e, const struct record *r)
{
	unsigned char *nothing;
	const unsigned char *bytes;
	const size_t n = bytes_of(r, &bytes);

	if (!r->args[3]) {
		p->back->steps->send(p, e, bytes, n);
		return;
	}
	replay_note(p, "%" PRIu64 " more bytes were sent, which were not kept: they are zero",
		    r->args[3]);
	if (r->args[3] > REPLAY_BLOCK_MAX)
		return;
	nothing = xcalloc(r->args[3], 1);
	p->back->steps->send(p, e, nothing, r->args[3]);
	free(nothing);
}

/* Pieces that were received one after another are received as one. */
static void write_recv(struct replay *p, const struct tcp_end *e, const struct record *r)
{
	const unsigned char *bytes;
	size_t n = bytes_of(r, &bytes), nmore;
	unsigned char *all = xcalloc(n + 1, 1);

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
	p->back->steps->recv(p, e, r->args[3] ? r->args[3] : n,
			     replay_told_add(p, "heard", all, n));
	free(all);
}

void replay_waits_write_tcp(struct replay *p, enum replay_row row, const struct record *r)
{
	struct tcp_end *e = tcp_end_of(p, r->args[0]);
	struct tcp_end listener = e ? *e : (struct tcp_end){ .name = "?" };
	char host[INET6_ADDRSTRLEN];
	unsigned port;

	switch (row) {
	case REPLAY_LISTEN:
		port = address_of(r, host);
		if (strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
			*host = '\0';
		p->back->steps->listen(p, add_tcp_end(p, r->args[0], true), host, port);
		break;
	case REPLAY_ACCEPT:
		p->back->steps->accept(p, &listener, add_tcp_end(p, r->args[1], false));
		break;
	case REPLAY_CONNECT:
		port = address_of(r, host);
		p->back->steps->connect(p, add_tcp_end(p, r->args[0], false), host, port);
		break;
	case REPLAY_SEND:
		if (e)
			write_send(p, e, r);
		break;
	case REPLAY_RECV:
		if (e)
			write_recv(p, e, r);
		break;
	case REPLAY_CLOSE:
		if (e)
			p->back->steps->close(p, e);
		if (e)
			e->live = false;
		break;
	default:
		break;
	}
}
