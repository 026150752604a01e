/* SPDX-License-Identifier: MIT */
/*
 * Records that are not written as their call: those that wait, those whose memory is the program's
 * own, and those that are no call of a library.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "connection/cm.h"
#include "export/program.h"
#include "recorded.h"
#include "words.h"
#include "alloc.h"

/* ------------------------------------------------------- regions and their memory -- */

/* A region in the memory of another one shares it; any other gets memory of its own. */
static void write_reg(struct program *p)
{
	struct var *v = made_by(p), *mr = NULL;
	uint64_t addr = p->r->args[1], len = p->r->args[2];
	char *flags;
	size_t size;
	FILE *f;

	for (unsigned i = 0; i < p->nvars && !mr; i++)
		if (p->vars[i] != v && p->vars[i]->live && p->vars[i]->kind == OBJECT_MR &&
		    addr >= p->vars[i]->memory && addr - p->vars[i]->memory < p->vars[i]->len)
			mr = p->vars[i];
	if (mr && addr - mr->memory + len <= mr->len) {
		v->is_shared = true;
		write_call(p);
		return;
	}
	if (mr)
		add_warning(p, "%s has memory of its own, which it shared with %s", v->called,
			    mr->called);
	v->written = true;
	f = xmemstream(&flags, &size);
	call_write_c_flags(f, p->r->fn->args[3].words, p->r->args[3]);
	fclose(f);
	put_code(p, "s.%s = reg(%s, %llu,\v%s);", v->name,
		 var_expr(p, var_of(p, p->r->args[0]), OBJECT_PD), (unsigned long long)len, flags);
	put_line(p, "if (!s.%s)", v->name);
	put_line(p, "\treturn failed(\"reg\");");
	free(flags);
}

static void write_dereg(struct program *p)
{
	struct var *v = var_of(p, p->r->args[0]);

	if (v->is_shared) {
		write_call(p);
		return;
	}
	put_line(p, "if (check(dereg(s.%s), \"dereg\"))", v->name);
	put_line(p, "\treturn -1;");
	put_line(p, "s.%s = NULL;", v->name);
}

static void write_put(struct program *p)
{
	const struct var *v = var_of(p, p->r->args[0]);
	unsigned long long off = p->r->args[1], len = p->r->args[2];
	const unsigned char *data = (const void *)(uintptr_t)p->r->args[3];
	size_t n = p->r->args[4];
	const char *at = temp_text("at(s.%s, %llu)", v->name, off);
	unsigned char rest[RECORD_DATA_MAX];
	SCOPED_TEXT(d);

	if (n == RECORD_DATA_MAX && len > n)
		add_warning(
			p,
			"the record has only the first %zu of the bytes put into %s: they are repeated",
			n, v->called);
	if (!data || !n || !len)
		return;
	memcpy(rest, data, n);
	if (len > n && n == 1) {
		put_line(p, "memset(%s, %u, %llu);", at, data[0], len);
	} else if (len > n) {
		c_string(&d, rest, n, "\t       ");
		put_line(p, "for (size_t i = 0; i < %llu; i++)", len);
		put_line(p, "\t((char *)%s)[i] = %s[i %% %zu];", at, text_str(&d), n);
	} else if (without_own(p, rest, n)) {
		c_string(&d, rest, n, "\t       ");
		put_line(p, "memcpy(%s, %s, %llu);", at, text_str(&d), len);
	}
	if (len <= n)
		own_bytes(p, &p->body, "\t", temp_text("(unsigned char *)%s", at), data, len);
}

/* The bytes read from a region may have come from the peer, and be used later. */
static void write_get(struct program *p)
{
	const struct var *v = var_of(p, p->r->args[0]);
	unsigned long long off = p->r->args[1];
	const char *at = temp_text("at(s.%s, %llu)", v->name, off);
	const char *got = temp_text("s.bytes_%u", p->at);

	put_line(p, "show(\"%s+%llu\", %s, %llu);", v->called, off, at,
		 (unsigned long long)p->r->args[2]);
	if (p->got[p->at])
		put_line(p, "memcpy(%s, %s, sizeof %s);", got, at, got);
	source_add(p, got, (const void *)(uintptr_t)p->r->args[3], p->r->args[4], NULL,
		   &p->got[p->at]);
}

/* ----------------------------------------------------------------------- modify_qp -- */

static bool is_as_given(const struct call_value *f, const void *a, const void *b)
{
	return memcmp((const char *)a + f->offset, (const char *)b + f->offset, f->size) == 0;
}

/* Attributes that rdma_init_qp_attr() has filled in just before are left to it. */
static void write_modify(struct program *p)
{
	const struct call_value *arg = &p->r->fn->args[1];
	const struct ibv_qp_attr *attr = (const void *)(uintptr_t)p->r->args[1];
	const struct ibv_qp_attr *given = p->init ? (const void *)(uintptr_t)p->init->after[1]
						  : NULL;
	uint64_t mask = p->r->args[2], rest = mask;
	struct call_sink k;
	char *c;
	size_t size;
	FILE *f;

	if (!given || given->qp_state != attr->qp_state) {
		write_call(p);
		return;
	}
	rest &= ~(uint64_t) * (const int *)(uintptr_t)p->init->after[2];
	put_line(p, "{");
	put_line(p, "\tstruct ibv_qp_attr attr = { .qp_state = IBV_QPS_%s };",
		 word_name(qp_state_words, attr->qp_state));
	put_line(p, "\tint mask;\n");
	put_line(p, "\tif (check(rdma_init_qp_attr(%s, &attr, &mask), \"rdma_init_qp_attr\"))",
		 var_expr(p, var_at(p, p->init->args[0], p->init->begin), OBJECT_CM_ID));
	put_line(p, "\t\treturn -1;");
	for (const struct call_value *v = arg->of->fields; v->name; v++) {
		if (!(v->bit & mask) || (!(v->bit & rest) && is_as_given(v, attr, given)))
			continue;
		f = xmemstream(&c, &size);
		k = call_c_sink(f);
		k.own = write_own;
		k.arg = p;
		k.values = arg->of->fields;
		k.base = (const char *)attr;
		call_tell(&k, v, (const char *)attr + v->offset, 0);
		fclose(f);
		put_code(p, "\tattr.%s = %s%s%s%s;", v->name,
			 v->of && v->kind == CALL_STRUCT ? "(struct " : "",
			 v->kind == CALL_STRUCT ? v->of->name : "",
			 v->kind == CALL_STRUCT ? ")" : "", c);
		free(c);
	}
	f = xmemstream(&c, &size);
	if (rest)
		call_write_c_flags(f, p->r->fn->args[2].words, rest);
	fclose(f);
	put_code(p, "\tif (check(ibv_modify_qp(%s, &attr, mask%s%s), \"ibv_modify_qp\"))",
		 var_expr(p, var_of(p, p->r->args[0]), OBJECT_QP), rest ? " | " : "", c);
	put_line(p, "\t\treturn -1;");
	put_line(p, "}");
	free(c);
	text_resize(&p->before, 0);
	p->init = NULL;
}

/* -------------------------------------------------------- completions and events -- */

static void write_completions(struct program *p)
{
	const struct ibv_wc *wc = (const void *)(uintptr_t)p->r->after[2];
	struct var *cq = var_of(p, p->r->args[0]);

	for (uint64_t i = 0; wc && i < p->r->result; i++) {
		const struct var *qp = qp_numbered(p, wc[i].qp_num);

		if (qp && ((p->role && qp->end && qp->end != p->role) || qp->is_left_out))
			continue;
		put_line(p, "if (complete(%s, %s, IBV_WC_%s))", var_expr(p, cq, OBJECT_CQ),
			 program_number(wc[i].wr_id), word_name(wc_status_words, wc[i].status));
		put_line(p, "\treturn -1;");
	}
}

/* The program polls an extended CQ until it has a completion. */
static void write_start_poll(struct program *p)
{
	put_line(p, "if (check(await_poll(%s), \"ibv_start_poll\"))",
		 var_expr(p, var_of(p, p->r->args[0]), OBJECT_CQ_EX));
	put_line(p, "\treturn -1;");
}

static void write_cq_event(struct program *p)
{
	put_line(p, "if (await_cq_event(%s))",
		 var_expr(p, var_of(p, p->r->args[0]), OBJECT_COMP_CHANNEL));
	put_line(p, "\treturn -1;");
}

static void write_event(struct program *p)
{
	const struct rdma_cm_event *ev = record_cm_event(p->r);
	bool request = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST;
	struct var *id = var_of(p, (uintptr_t)ev->id);
	struct var *channel = var_of(p, p->r->args[0]);
	struct var *awaited = request ? var_of(p, (uintptr_t)ev->listen_id) : id;
	const char *name = word_name(cm_event_words, ev->event);
	size_t len = ev->param.conn.private_data ? ev->param.conn.private_data_len : 0;
	bool has_data = len || (id->is_ud && ev->param.ud.qp_num);

	if (!awaited || !awaited->written || !channel) {
		add_warning(p, "the event %s of %s is not in the program", name, id->called);
		return;
	}
	if (request)
		id->keeps = id->written = true;
	put_code(p, "if (await_event(%s,\v%s,\vRDMA_CM_EVENT_%s,\v%s))",
		 var_expr(p, channel, OBJECT_EVENT_CHANNEL), var_expr(p, awaited, OBJECT_CM_ID),
		 name,
		 id->keeps && (has_data || request) ? temp_text("&s.event_of_%s", id->name)
						    : "NULL");
	put_line(p, "\treturn -1;");
	if (request)
		put_line(p, "%s = s.event_of_%s.id;", var_expr(p, id, OBJECT_CM_ID), id->name);
	if (!has_data)
		return;
	id->by = p->r;
	source_add(p, temp_text("s.event_of_%s.data", id->name), ev->param.conn.private_data, len,
		   id, &id->keeps);
}

/* ------------------------------------------------------------- the end of connections -- */

/* Does this server's id, which the record accepts, have the client's address? */
static bool is_address_of(const struct program *p, const struct var *server,
			  const struct var *client)
{
	const struct rdma_cm_id *here = record_bytes(p->r, server->address, NULL);
	const struct rdma_cm_id *there = record_bytes(client->joined, client->address, NULL);

	return here && there &&
	       cm_addr_same_host(&here->route.addr.dst_addr, &there->route.addr.src_addr);
}

/* The client in this session that the record accepts, or NULL. */
static struct var *client_of(const struct program *p, const struct var *server)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		struct var *qp = p->vars[i], *id = qp->kind == OBJECT_QP ? qp->whole : NULL;

		if (id && qp->qpn == server->qpn && id->end == END_CLIENT && id->is_connected &&
		    is_address_of(p, server, id))
			return id;
	}
	return NULL;
}

static void follow_event(struct program *p, const struct rdma_cm_event *ev)
{
	struct var *id = var_of(p, (uintptr_t)ev->id);

	if (id && ev->event == RDMA_CM_EVENT_CONNECT_REQUEST)
		id->qpn = ev->param.conn.qp_num;
	else if (id && (ev->event == RDMA_CM_EVENT_DISCONNECTED || ev->status))
		id->is_connected = false;
}

/* Tracks which ids are connected after the record. */
static void follow_connection(struct program *p)
{
	const struct rdma_cm_event *ev = record_cm_event(p->r);
	struct var *id = p->r->nargs ? var_of(p, p->r->args[0]) : NULL;

	if (ev)
		follow_event(p, ev);
	if (!id || id->kind != OBJECT_CM_ID || id->is_ud)
		return;
	switch (row_of(p->r)) {
	case ROW_rdma_accept:
	case ROW_rdma_connect:
		id->client = id->end == END_SERVER ? client_of(p, id) : NULL;
		id->is_connected = true;
		id->joined = p->r;
		return;
	case ROW_rdma_migrate_id:
		id->from = var_of(p, p->r->args[1]);
		return;
	case ROW_rdma_disconnect:
	case ROW_rdma_destroy_id:
	case ROW_rdma_destroy_ep:
		if (id->is_connected && id->client)
			id->client->is_left = true;
		if (id->is_connected && id->end == END_SERVER && p->role == END_SERVER)
			add_warning(p, "%s ends %s without waiting for what the client does",
				    p->r->fn->name, id->called);
		id->is_connected = false;
		return;
	}
}

/* Does this end wait for the peer to disconnect? A server does, and a client that the server has
 * disconnected in the session. */
static bool is_left_last(const struct program *p, const struct var *id)
{
	if (!id->is_connected || !id->live || !id->written || (p->role && id->end != p->role))
		return false;
	if (id->end == END_CLIENT)
		return p->role && id->is_left;
	for (unsigned i = 0; i < p->nvars && !p->role; i++)
		if (p->vars[i]->kind == OBJECT_CM_ID && p->vars[i]->end == END_CLIENT)
			return false; /* both ends are in the program, which ends them in order */
	return true;
}

/* The peer may still use the memory and the receives of this end, so the program waits until the
 * peer has disconnected before it destroys them. */
void write_last_waits(struct program *p)
{
	for (unsigned i = 0; i < p->nvars; i++)
		p->vars[i]->is_connected = p->vars[i]->is_left = false;
	for (p->at = 0; p->at < p->list->n; p->at++) {
		p->r = &p->list->v[p->at];
		if (is_in_program(p->r))
			follow_connection(p);
	}
	for (unsigned i = 0; i < p->nvars; i++) {
		struct var *id = p->vars[i], *channel = id->from;

		while (channel && channel->kind == OBJECT_CM_ID)
			channel = channel->from;
		if (!channel || !is_left_last(p, id))
			continue;
		enter_phase(p, "leave");
		add_warning(p, "at its end it waits up to %d s for the peer of %s to disconnect",
			    PATIENCE, id->called);
		put_code(p, "if (await_event(%s,\v%s,\vRDMA_CM_EVENT_DISCONNECTED,\vNULL))",
			 var_expr(p, channel, OBJECT_EVENT_CHANNEL), var_expr(p, id, OBJECT_CM_ID));
		put_line(p, "\treturn -1;");
	}
}

/* --------------------------------------------------------- by hand, one end alone -- */

/* Writes the message to the peer: values that are the same in each run as text, others as
 * arguments of snprintf(). */
static void write_mine(struct program *p, struct var *v, const struct qp_peer *m)
{
	const char *addr = m->addr ? own_addr(p, m->addr) : NULL;
	struct var *mr = m->addr ? region_of(p, m->addr) : NULL;

	put_line(p, "\tsnprintf(mine, sizeof mine,");
	put_line(p,
		 "\t\t \"{\\\"qpn\\\":%%u,\\\"psn\\\":%u,\\\"lid\\\":%u,\\\"gid\\\":\\\"%%s\\\",\"",
		 m->psn, m->lid);
	put_line(
		p,
		"\t\t \"\\\"rkey\\\":%%u,\\\"addr\\\":%%llu,\\\"len\\\":%llu,\\\"gid_index\\\":%u,\"",
		(unsigned long long)m->len, m->gid_index);
	put_line(p, "\t\t \"\\\"qkey\\\":%u,\\\"mtu\\\":%u,\\\"type\\\":\\\"%s\\\"}\",", m->qkey,
		 m->mtu ? 128u << m->mtu : 0, word_name(qp_type_words, m->type));
	put_line(p, "\t\t s.%s->qp_num, inet_ntop(AF_INET6, &own, gid, sizeof gid),", v->name);
	put_line(p, "\t\t %s, (unsigned long long)%s);",
		 mr ? temp_text("s.%s->rkey", mr->name) : "0u", addr ? addr : "0");
}

static struct ibv_ah_attr address_of_peer(const struct qp_peer *peer)
{
	static const union ibv_gid none;

	return (struct ibv_ah_attr){
		.is_global = memcmp(&peer->gid, &none, sizeof none) != 0,
		.grh.dgid = peer->gid,
		.dlid = peer->lid,
	};
}

/* Writes an exchange over TCP, unless both ends are in this session. */
static void write_oob(struct program *p)
{
	const struct qp_peer *mine = (const void *)(uintptr_t)p->r->args[3];
	const struct qp_peer *peer = (const void *)(uintptr_t)p->r->args[4];
	const struct ibv_ah_attr to = address_of_peer(peer);
	const char *host = (const char *)(uintptr_t)p->r->args[1];
	struct var *v = var_of(p, p->r->args[0]), *dev = NULL;
	union ibv_gid gid = mine->gid;

	if (!v || (qp_numbered(p, peer->qpn) && leads_here(p, &to)))
		return; /* both ends are here */
	own_gid(p, &gid, &dev);
	if (!*host || !dev) {
		add_warning(
			p,
			"oob listen of %s is not in the program: the values from the peer are those "
			"of the session",
			v->called);
		return;
	}
	v->by = p->r;
	v->keeps = v->used = true;
	put_line(p, "{");
	put_line(p, "\tchar gid[INET6_ADDRSTRLEN], mine[512];");
	put_line(p, "\tunion ibv_gid own;\n");
	put_line(p, "\tif (check(ibv_query_gid(%s, 1, %u, &own), \"ibv_query_gid\"))",
		 var_expr(p, dev, OBJECT_CONTEXT), mine->gid_index);
	put_line(p, "\t\treturn -1;");
	write_mine(p, v, mine);
	put_line(p, "\tif (exchange(%s, \"%llu\", mine, &s.peer_of_%s))", host_expr(p, host),
		 (unsigned long long)p->r->args[2], v->name);
	put_line(p, "\t\treturn -1;");
	put_line(p, "}");
}

static void write_left_out(struct program *p)
{
	struct var *v = var_of(p, p->r->args[1]);

	if (v)
		v->is_left_out = true;
	add_warning(p, "%s%s%s is not in the program", (const char *)(uintptr_t)p->r->args[0],
		    v ? " of " : "", v ? v->called : "");
}

/* --------------------------------------------------------------------------- all -- */

static void write_rereg(struct program *p)
{
	add_warning(p, "%s of %s is not in the program", p->r->fn->name,
		    var_of(p, p->r->args[0])->called);
}

static void remember_init(struct program *p)
{
	p->init = p->r;
}

static const struct {
	unsigned row;
	void (*write)(struct program *p);
} otherwise[] = {
	{ ROW_ibv_reg_mr, write_reg },
	{ ROW_ibv_dereg_mr, write_dereg },
	{ ROW_ibv_rereg_mr, write_rereg },
	{ ROW_ibv_modify_qp, write_modify },
	{ ROW_rdma_init_qp_attr, remember_init },
	{ ROW_ibv_poll_cq, write_completions },
	{ ROW_ibv_start_poll, write_start_poll },
	{ ROW_ibv_get_cq_event, write_cq_event },
	{ ROW_rdma_get_cm_event, write_event },
	{ OWN_MEM_PUT, write_put },
	{ OWN_MEM_GET, write_get },
	{ OWN_OOB, write_oob },
	{ OWN_LEFT_OUT, write_left_out },
};

void write_record(struct program *p)
{
	unsigned row = row_of(p->r);

	for (size_t i = 0; i < sizeof otherwise / sizeof *otherwise; i++)
		if (otherwise[i].row == row) {
			otherwise[i].write(p);
			return;
		}
	write_call(p);
}

void write_clean_up(struct program *p, struct var *v, struct text *d)
{
	const char *by = v->made && v->made->fn->ended_by ? v->made->fn->ended_by
							  : call_objects[v->kind].ended_by;
	const struct call_fn *fn = by ? call_find(by) : NULL;

	if (v->kind == OBJECT_CONTEXT)
		return; /* librdmacm's */
	if (v->whole && !v->made) {
		xappendf(d, "\tif (s.%s && s.%s->%s)\n\t\trdma_destroy_%s(s.%s);\n", v->whole->name,
			 v->whole->name, v->kind == OBJECT_SRQ ? "srq" : "qp",
			 v->kind == OBJECT_SRQ ? "srq" : "qp", v->whole->name);
	} else if (v->kind == OBJECT_MR) {
		xappendf(d, "\tif (s.%s && check(%s(s.%s), \"%s\"))\n\t\trc = -1;\n", v->name,
			 v->is_shared ? by : "dereg", v->name, by);
	} else if (fn && fn->says == RESULT_STATUS) {
		xappendf(d, "\tif (s.%s && check(%s(%s), \"%s\"))\n\t\trc = -1;\n", v->name, by,
			 var_expr(p, v, fn->args[0].object), by);
	} else if (fn) {
		xappendf(d, "\tif (s.%s)\n\t\t%s(s.%s);\n", v->name, by, v->name);
	}
}
