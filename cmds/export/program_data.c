/* SPDX-License-Identifier: MIT */
/* The data path: work posted, completions, the memory of regions. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "post.h"
#include "program.h"
#include "words.h"
#include "xmem.h"

/* ------------------------------------------------------------------- posts -- */

/* Every SGE is in a region that there is: else there is no program for it. */
static bool sges_known(struct program *p, const struct post_note *post)
{
	for (unsigned i = 0; i < post->n; i++)
		for (int k = 0; k < post->item[i].wr.num_sge; k++) {
			const struct ibv_sge *sge = &post->item[i].sge[k];

			if (sge->length && !own_addr(p, sge->addr))
				return false;
		}
	return true;
}

static void write_sges(struct program *p, const struct post_item *it, unsigned i)
{
	if (!it->wr.num_sge)
		return;
	put(p, "\tstruct ibv_sge sge%u[] = {", i);
	for (int k = 0; k < it->wr.num_sge; k++) {
		const struct ibv_sge *sge = &it->sge[k];
		const char *addr = own_addr(p, sge->addr);

		put(p, "\t\t{ .addr = %s, .length = %u, .lkey = %s },",
		    addr ? addr : number(sge->addr), sge->length, lkey_expr(p, sge->lkey));
	}
	put(p, "\t};");
}

static bool has(enum ibv_wr_opcode op, const enum ibv_wr_opcode *of, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (of[i] == op)
			return true;
	return false;
}
#define OP_IN(op, ...)                                         \
	has((op), (const enum ibv_wr_opcode[]){ __VA_ARGS__ }, \
	    sizeof((const enum ibv_wr_opcode[]){ __VA_ARGS__ }) / sizeof(enum ibv_wr_opcode))

static void write_bind(struct program *p, const struct post_item *it)
{
	const struct ibv_mw_bind_info *b = &it->wr.bind_mw.bind_info;
	struct var *mw = var_of(p, it->mw);
	const char *addr = own_addr(p, b->addr);

	if (!mw)
		return;
	put(p, "\t\t.bind_mw = {");
	put(p, "\t\t\t.mw = %s,", ref(p, it->mw));
	put(p, "\t\t\t.rkey = %s,",
	    it->wr.bind_mw.rkey == ibv_inc_rkey(mw->rkey)
		    ? text("ibv_inc_rkey(s.%s->rkey)", mw->name)
		    : number(it->wr.bind_mw.rkey));
	put(p, "\t\t\t.bind_info = {");
	if (it->bound)
		put(p, "\t\t\t\t.mr = %s,", ref(p, it->bound));
	if (addr)
		put(p, "\t\t\t\t.addr = %s,", addr);
	put(p, "\t\t\t\t.length = %llu,", (unsigned long long)b->length);
	put(p, "\t\t\t\t.mw_access_flags = %s,",
	    flags_expr(qp_access_words, "IBV_ACCESS_", b->mw_access_flags));
	put(p, "\t\t\t},\n\t\t\t},");
}

/* The address handle knows to whom, or it was given by number. */
static void write_ud(struct program *p, const struct post_item *it)
{
	const struct ibv_send_wr *wr = &it->wr;
	struct var *ah = var_of(p, it->ah);
	const struct event_note *e = ah && ah->by ? ah->by->data : NULL;
	struct var *id = ah && ah->by ? var_of(p, ah->by->obj) : NULL;

	if (!ah)
		return;
	put(p, "\t\t.wr.ud = {");
	put(p, "\t\t\t.ah = %s,", ref(p, it->ah));
	put(p, "\t\t\t.remote_qpn = %s,",
	    e && e->ev.ud.qp_num == wr->wr.ud.remote_qpn ? text("s.event_of_%s.ud.qp_num", id->name)
							 : qpn_expr(p, wr->wr.ud.remote_qpn));
	put(p, "\t\t\t.remote_qkey = %s,",
	    e && e->ev.ud.qkey == wr->wr.ud.remote_qkey ? text("s.event_of_%s.ud.qkey", id->name)
							: number(wr->wr.ud.remote_qkey));
	put(p, "\t\t},");
}

static void write_remote(struct program *p, const struct post_item *it)
{
	const struct ibv_send_wr *wr = &it->wr;
	enum ibv_wr_opcode op = wr->opcode;

	if (OP_IN(op, IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ)) {
		put(p, "\t\t.wr.rdma = {");
		put(p, "\t\t\t.remote_addr = %s,", remote_addr_expr(p, wr->wr.rdma.remote_addr));
		put(p, "\t\t\t.rkey = %s,",
		    remote_key_expr(p, wr->wr.rdma.rkey, wr->wr.rdma.remote_addr));
		put(p, "\t\t},");
	} else if (OP_IN(op, IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD)) {
		put(p, "\t\t.wr.atomic = {");
		put(p, "\t\t\t.remote_addr = %s,", remote_addr_expr(p, wr->wr.atomic.remote_addr));
		put(p, "\t\t\t.rkey = %s,",
		    remote_key_expr(p, wr->wr.atomic.rkey, wr->wr.atomic.remote_addr));
		put(p, "\t\t\t.compare_add = %s,", number(wr->wr.atomic.compare_add));
		if (op == IBV_WR_ATOMIC_CMP_AND_SWP)
			put(p, "\t\t\t.swap = %s,", number(wr->wr.atomic.swap));
		put(p, "\t\t},");
	} else if (op == IBV_WR_BIND_MW) {
		write_bind(p, it);
	}
	if (OP_IN(op, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE_WITH_IMM))
		put(p, "\t\t.imm_data = htonl(%s),", number(ntohl(wr->imm_data)));
	if (OP_IN(op, IBV_WR_SEND_WITH_INV, IBV_WR_LOCAL_INV))
		put(p, "\t\t.invalidate_rkey = %s,", remote_key_expr(p, wr->invalidate_rkey, 0));
	if (it->ah)
		write_ud(p, it);
}

static void write_wr(struct program *p, const struct post_note *post, unsigned i)
{
	const struct post_item *it = &post->item[i];

	write_sges(p, it, i);
	put(p, "\tstruct ibv_%s_wr wr%u = {", post->recv ? "recv" : "send", i);
	put(p, "\t\t.wr_id = %s,", number(it->wr.wr_id));
	if (it->wr.num_sge)
		put(p, "\t\t.sg_list = sge%u,\n\t\t\t.num_sge = %d,", i, it->wr.num_sge);
	if (i + 1 < post->n)
		put(p, "\t\t.next = &wr%u,", i + 1);
	if (!post->recv) {
		put(p, "\t\t.opcode = IBV_WR_%s,", word_name(wr_opcode_words, it->wr.opcode));
		if (it->wr.send_flags)
			put(p, "\t\t.send_flags = %s,",
			    flags_expr(send_flag_words, "IBV_SEND_", it->wr.send_flags));
		write_remote(p, it);
	}
	put(p, "\t};");
}

static void write_post(struct program *p, const struct note *n, struct var *v)
{
	const struct post_note *post = n->data;
	bool srq = v->made->class == &srq_class;
	const char *call = !post->recv ? "ibv_post_send"
			   : srq       ? "ibv_post_srq_recv"
				       : "ibv_post_recv";

	if (!sges_known(p, post)) {
		warn(p, "a post to %s names memory outside all regions: not in the program",
		     v->made->name);
		return;
	}
	if (post->left_out)
		warn(p, "of a list posted to %s the first %u are in the program, %u are not",
		     v->made->name, post->n, post->left_out);
	put(p, "{");
	for (unsigned i = post->n; i-- > 0;)
		write_wr(p, post, i);
	put(p, "\tstruct ibv_%s_wr *bad;\n", post->recv ? "recv" : "send");
	put(p, "\tif (check(%s(%s, &wr0, &bad), \"%s\"))", call, ref(p, v->serial), call);
	put(p, "\t\treturn -1;");
	for (unsigned i = 0; i < post->n; i++) {
		struct var *mw = var_of(p, post->item[i].mw);

		if (!mw || post->recv || post->item[i].wr.opcode != IBV_WR_BIND_MW)
			continue;
		put(p, "\ts.%s->rkey = wr%u.bind_mw.rkey;", mw->name, i);
		mw->rkey = post->item[i].wr.bind_mw.rkey;
	}
	put(p, "}");
}

/* ------------------------------------------------------------------ memory -- */

static void repeat_bytes(struct program *p, const struct note *n, const char *at,
			 const char *literal)
{
	const unsigned char *data = n->data;
	unsigned long long len = n->mem.len;

	if (n->mem.kept == 1) {
		put(p, "memset(%s, %u, %llu);", at, data[0], len);
		return;
	}
	put(p, "for (size_t i = 0; i < %llu; i++)", len);
	put(p, "\t((char *)%s)[i] = %s[i %% %u];", at, literal, n->mem.kept);
}

static void write_put(struct program *p, const struct note *n, const struct var *v)
{
	const char *at = text("at(s.%s, %llu)", v->name, (unsigned long long)n->mem.off);
	unsigned char rest[NOTE_BYTES];
	Tcl_DString d;
	bool left;

	if (n->mem.kept == NOTE_BYTES && n->mem.len > NOTE_BYTES)
		warn(p,
		     "of the bytes put into %s the journal has kept the first %u, which are "
		     "repeated",
		     v->made->name, NOTE_BYTES);
	if (!n->mem.kept || !n->mem.len)
		return;
	Tcl_DStringInit(&d);
	memcpy(rest, n->data, n->mem.kept);
	left = n->mem.len > n->mem.kept || without_own(p, rest, n->mem.kept);
	c_string(&d, rest, n->mem.kept, "\t       ");
	if (n->mem.len > n->mem.kept)
		repeat_bytes(p, n, at, Tcl_DStringValue(&d));
	else if (left)
		put(p, "memcpy(%s, %s, %llu);", at, Tcl_DStringValue(&d),
		    (unsigned long long)n->mem.len);
	Tcl_DStringFree(&d);
	if (n->mem.len <= n->mem.kept)
		put_own(p, "", text("(unsigned char *)%s", at), n->data, n->mem.len);
}

/* What was read from a region may be from the peer, and be used later. */
static void write_get(struct program *p, const struct note *n, const struct var *v)
{
	const char *at = text("at(s.%s, %llu)", v->name, (unsigned long long)n->mem.off);
	const char *got = text("s.bytes_%u", p->at);

	put(p, "show(\"%s+%llu\", %s, %llu);", v->made->name, (unsigned long long)n->mem.off, at,
	    (unsigned long long)n->mem.len);
	if (p->got[p->at])
		put(p, "memcpy(%s, %s, sizeof %s);", got, at, got);
	source_add(p, got, n->data, n->mem.kept, NULL, &p->got[p->at]);
}

/* -------------------------------------------------------------------- notes -- */

void write_data(struct program *p, const struct note *n, struct var *v)
{
	switch (n->kind) {
	case NOTE_POST:
		write_post(p, n, v);
		break;
	case NOTE_WC:
		put(p, "if (complete(%s, %s, IBV_WC_%s))\n\t\treturn -1;", ref(p, v->serial),
		    number(n->wc.wr_id), word_name(wc_status_words, n->wc.status));
		break;
	case NOTE_ARM:
		put(p,
		    "if (check(ibv_req_notify_cq(%s, %d), \"ibv_req_notify_cq\"))\n\t\treturn -1;",
		    ref(p, v->serial), n->num);
		break;
	case NOTE_CQ_EVENT:
		put(p, "if (await_cq_event(%s))\n\t\treturn -1;", ref(p, v->made->of[1]));
		break;
	case NOTE_PUT:
		write_put(p, n, v);
		break;
	default:
		write_get(p, n, v);
		break;
	}
}
