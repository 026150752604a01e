/* SPDX-License-Identifier: MIT */
/*
 * Scatter/gather entries: "region", "region:off", "region:off:len", or "addr:len:lkey".
 *
 * The raw form is for breaking things on purpose: nothing of it is checked.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "data/post.h"
#include "memory/mem.h"
#include "object_args.h"
#include "object_make.h"
#include "own_model.h"
#include "objects.h"
#include "own_rows.h"
#include "session.h"

#define TEXT_REGION 4096 /* bytes of a region for texts */

static int parse_raw(struct session *s, const struct arg *a, char *const part[], unsigned n,
		     struct sge_arg *sge)
{
	uint64_t v[3];

	if (n != 3)
		return args_bad(s, a, "a raw SGE is addr:len:lkey");
	for (unsigned i = 0; i < 3; i++)
		if (args_size(s, a, part[i], strlen(part[i]), &v[i]))
			return -1;
	if (v[1] > UINT32_MAX || v[2] > UINT32_MAX)
		return args_bad(s, a, "length and lkey have 32 bits");
	sge->raw = (struct ibv_sge){ v[0], (uint32_t)v[1], (uint32_t)v[2] };
	return 0;
}

static int parse_sge(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	char *text = arena_copy0(&s->arena, Tcl_GetString(word), strlen(Tcl_GetString(word)));
	struct sge_arg *sge = dst;
	char *part[3] = { text };
	unsigned n = 0;
	Tcl_Obj *name;
	int rc;

	while (text && n < 3)
		part[n++] = strsep(&text, ":");
	if (text)
		return args_bad(s, a, "'%s' has more than three parts", Tcl_GetString(word));
	if (!isalpha((unsigned char)*part[0]))
		return parse_raw(s, a, part, n, sge);
	name = Tcl_NewStringObj(part[0], -1);
	Tcl_IncrRefCount(name);
	rc = obj_arg_parse(s, a, name, &sge->mr);
	Tcl_DecrRefCount(name);
	if (rc)
		return rc;
	sge->whole = n < 3;
	if (n > 1 && args_size(s, a, part[1], strlen(part[1]), &sge->off))
		return -1;
	return n > 2 ? args_size(s, a, part[2], strlen(part[2]), &sge->len) : 0;
}

const struct arg_kind kind_sge = { .word = "mr:off:len",
				   .size = sizeof(struct sge_arg),
				   .parse = parse_sge,
				   .complete = obj_arg_complete,
				   .of = &mr_class };

static int parse_sent(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	SCOPED_TEXT(text);

	if (!obj_arg_parse(s, a, word, dst))
		return 0;
	if (obj_find(s, NULL, Tcl_GetString(word)))
		return -1;
	args_append_quoted(&text, Tcl_GetString(word));
	fail_row(s, "or", "to send these letters: -text%s", text_str(&text));
	if (strpbrk(Tcl_GetString(word), "./"))
		fail_row(s, "or", "to send a file: 'mem load REGION%s' first", text_str(&text));
	return -1;
}

static bool is_no_option(struct session *s, const struct arg *a, Tcl_Obj *word)
{
	(void)s, (void)a;
	return *Tcl_GetString(word) != '-';
}

const struct arg_kind kind_mr_sent = { .word = "mr",
				       .size = sizeof(struct mr *),
				       .parse = parse_sent,
				       .matches = is_no_option,
				       .complete = obj_arg_complete,
				       .of = &mr_class };

/* A piece of a region; whole: up to its end, or min bytes when min is not 0. */
static int add_piece(struct session *s, struct post_req *r, const struct mr *mr, uint64_t off,
		     uint64_t len, bool whole, uint64_t min)
{
	if (whole)
		len = min ? min : off < mr->len ? mr->len - off : 0;
	if (!r->force && mem_check(s, "post", mr, off, len))
		return fail_row(s, "note",
				"-force posts it all the same: the completion will tell");
	if (len > UINT32_MAX) {
		fail(s, "post", "ERANGE", "%llu bytes: one SGE has at most 4294967295",
		     (unsigned long long)len);
		return fail_row(s, "note", "a message has at most 2 GiB: -len 2G, and again");
	}
	r->sge[r->wr.num_sge++] = (struct ibv_sge){ own_region(mr)->begin + off, (uint32_t)len,
						    mr->v->lkey };
	return 0;
}

/* ------------------------------------------------------------------- texts -- */

/* Bytes that are posted belong to the device until their request is done. */
static bool texts_are_out(struct pd *pd)
{
	struct qp *qp;

	if (post_chain_open())
		return true;
	while ((qp = LIST_FIRST(&pd->texting))) {
		if (own_outstanding(qp, false).n)
			return true;
		post_text_over(qp);
	}
	return false;
}

void post_text_over(struct qp *qp)
{
	if (qp->texts_out)
		LIST_REMOVE(qp, texting);
	qp->texts_out = false;
}

/* A region of the PD with room for len bytes; made where there is none. */
static struct mr *text_region(struct session *s, struct pd *pd, size_t len)
{
	bool busy = texts_are_out(pd);
	struct mr *mr;

	LIST_FOREACH(mr, &pd->for_texts, text_region) {
		if (!busy)
			mr->texts = 0;
		if (mr->len - mr->texts >= len)
			return mr;
	}
	mr = mr_make(s, pd, NULL, len > TEXT_REGION ? len : TEXT_REGION, 0);
	if (!mr)
		return NULL;
	mr->for_texts = true;
	LIST_INSERT_HEAD(&pd->for_texts, mr, text_region);
	return mr;
}

static int add_text(struct session *s, struct post_req *r, const struct bytes *text)
{
	struct mr *mr = text_region(s, r->qp->pd, text->len);
	unsigned char *at;

	if (!mr)
		return -1;
	if (!r->qp->texts_out)
		LIST_INSERT_HEAD(&r->qp->pd->texting, r->qp, texting);
	r->qp->texts_out = true;
	at = (unsigned char *)mr->buf + mr->texts;
	memcpy(at, text->data, text->len);
	own_memory(OWN_MEM_PUT, mr, mr->texts, text->len, at, text->len);
	r->sge[r->wr.num_sge++] = (struct ibv_sge){ (uintptr_t)at, (uint32_t)text->len,
						    mr->v->lkey };
	mr->texts += text->len;
	return 0;
}

/* ------------------------------------------------------------- all of them -- */

/* -off and -len without a region: the only one that there is. */
static int only_region(struct session *s, const struct post_args *a, struct mr **mr)
{
	static const struct arg region = { .name = "mr", .kind = &kind_mr, .flags = ARG_POS };
	SCOPED_TEXT(line);
	unsigned n;

	*mr = obj_only(s, &mr_class, &n);
	if (*mr)
		return 0;
	obj_arg_default(s, &region, mr);
	if (!n)
		return -1;
	xappendf(&line, "post ... %s", ((struct obj *)obj_first(s, &mr_class))->name);
	if (a->off.v)
		xappendf(&line, " -off %llu", (unsigned long long)a->off.v);
	if (a->len.set)
		xappendf(&line, " -len %llu", (unsigned long long)a->len.v);
	return fail_next(s, "%s", text_str(&line));
}

int post_sges(struct session *s, const struct post_args *a, struct post_req *r)
{
	const struct sge_arg *sge = a->sge.v;
	uint64_t min = r->op->atomic ? 8 : 0;
	struct mr *mr = a->mr;

	r->wr.sg_list = r->sge;
	if (a->text.data && (mr || a->sge.n || a->len.set || a->off.v))
		return fail(s, "args", "TWICE",
			    "-text says what is sent: no region, -off or -len beside it");
	if (a->text.data)
		return a->text.len ? add_text(s, r, &a->text) : 0;
	if (!mr && (a->len.set || a->off.v) && !a->sge.n) {
		if (only_region(s, a, &mr))
			return -1;
		r->only = mr;
	}
	if (a->sge.n + !!mr > POST_SGES)
		return fail(s, "post", "EINVAL", "more than %d SGEs", POST_SGES);
	if (mr && add_piece(s, r, mr, a->off.v, a->len.v, !a->len.set, min))
		return -1;
	for (size_t i = 0; i < a->sge.n; i++) {
		if (!sge[i].mr) {
			r->raw |= 1u << r->wr.num_sge;
			r->sge[r->wr.num_sge++] = sge[i].raw;
		} else if (add_piece(s, r, sge[i].mr, sge[i].off, sge[i].len, sge[i].whole, min)) {
			return -1;
		}
	}
	return 0;
}

uint64_t post_bytes(const struct post_req *r)
{
	uint64_t n = 0;

	for (int i = 0; i < r->wr.num_sge; i++)
		n += r->sge[i].length;
	return n;
}

const struct mr *post_sge_mr(struct session *s, const struct ibv_sge *sge)
{
	return obj_by_address(s, &mr_class, sge->addr, sge->length);
}

const struct mr *post_sge_key(struct session *s, const struct ibv_sge *sge)
{
	const struct mr *mr = obj_by_number(s, &mr_class, sge->lkey);

	while (mr &&
	       (sge->addr < own_region(mr)->begin || sge->addr - own_region(mr)->begin > mr->len))
		mr = obj_next_number(mr);
	return mr;
}
