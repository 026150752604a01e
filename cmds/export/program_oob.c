/* SPDX-License-Identifier: MIT */
/*
 * By hand, one end alone: what the two ends tell each other over TCP (oob). With both ends in
 * the session there is nothing to tell.
 */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "program.h"
#include "words.h"

static const struct oob_note *told_to(const struct var *v)
{
	return v->live && v->made->class == &qp_class && v->by ? v->by->data : NULL;
}

struct var *peer_told(struct program *p, uint32_t qpn)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		const struct oob_note *o = told_to(&p->vars[i]);

		if (o && o->peer.qpn == qpn)
			return &p->vars[i];
	}
	return NULL;
}

const char *told_addr(struct program *p, uint64_t addr)
{
	for (unsigned i = p->nvars; i-- > 0;) {
		const struct oob_note *o = told_to(&p->vars[i]);

		if (o && addr >= o->peer.addr && addr - o->peer.addr < o->peer.len)
			return text("s.peer_of_%s.addr + %llu", p->vars[i].name,
				    (unsigned long long)(addr - o->peer.addr));
	}
	return NULL;
}

const char *told_rkey(struct program *p, uint32_t rkey)
{
	for (unsigned i = p->nvars; rkey && i-- > 0;) {
		const struct oob_note *o = told_to(&p->vars[i]);

		if (o && o->peer.rkey == rkey)
			return text("s.peer_of_%s.rkey", p->vars[i].name);
	}
	return NULL;
}

static const char *host_of(struct program *p, const struct oob_note *o)
{
	unsigned i;

	for (i = 0; i < p->naddresses && strcmp(p->address[i], o->host); i++)
		;
	if (i == ADDRESSES)
		return text("\"%s\"", o->host);
	if (i == p->naddresses)
		snprintf(p->address[p->naddresses++], sizeof p->address[0], "%s", o->host);
	return text("address[%u]", i);
}

/* What is the same each time is written out; the rest is filled in. */
static void tell_mine(struct program *p, const struct var *v, const struct qp_peer *m)
{
	const char *addr = m->addr ? own_addr(p, m->addr) : NULL;
	const struct var *mr = m->addr ? region_of(p, m->addr) : NULL;

	put(p, "\tsnprintf(mine, sizeof mine,");
	put(p, "\t\t \"{\\\"qpn\\\":%%u,\\\"psn\\\":%u,\\\"lid\\\":%u,\\\"gid\\\":\\\"%%s\\\",\"",
	    m->psn, m->lid);
	put(p,
	    "\t\t \"\\\"rkey\\\":%%u,\\\"addr\\\":%%llu,\\\"len\\\":%llu,\\\"gid_index\\\":%u,\"",
	    (unsigned long long)m->len, m->gid_index);
	put(p, "\t\t \"\\\"qkey\\\":%u,\\\"mtu\\\":%u,\\\"type\\\":\\\"%s\\\"}\",", m->qkey,
	    m->mtu ? 128u << m->mtu : 0, word_name(qp_type_words, m->type));
	put(p, "\t\t s.%s->qp_num, inet_ntop(AF_INET6, &own, gid, sizeof gid),", v->name);
	put(p, "\t\t %s, (unsigned long long)%s);", mr ? text("s.%s->rkey", mr->name) : "0u",
	    addr ? addr : "0");
}

void write_oob(struct program *p, const struct note *n, struct var *v)
{
	const struct oob_note *o = n->data;
	const struct var *pd = var_of(p, v->made->of[0]);

	if (qp_numbered(p, o->peer.qpn) || !pd)
		return; /* both ends are here */
	if (!*o->host) {
		warn(p,
		     "oob listen of %s is not in the program: what the peer has told stands as "
		     "it was",
		     v->made->name);
		return;
	}
	v->by = n;
	v->keeps = v->used = true;
	put(p, "{");
	put(p, "\tchar gid[INET6_ADDRSTRLEN], mine[512];");
	put(p, "\tunion ibv_gid own;\n");
	put(p, "\tif (check(ibv_query_gid(%s, 1, %u, &own), \"ibv_query_gid\"))",
	    ref(p, pd->made->of[0]), o->mine.gid_index);
	put(p, "\t\treturn -1;");
	tell_mine(p, v, &o->mine);
	put(p, "\tif (exchange(%s, \"%u\", mine, &s.peer_of_%s))", host_of(p, o), o->port, v->name);
	put(p, "\t\treturn -1;");
	put(p, "}");
}
