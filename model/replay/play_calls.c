/* SPDX-License-Identifier: MIT */
/* Calls of the program as calls of the script: the same words, but for values of both ends. */
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "play_parts.h"
#include "recorded.h"

/* ------------------------------------------------------------ what librdmacm makes itself -- */

/* The id whose QP was made as r says. After *r, a listener's rdma_create_ep(), it is that of the
 * next rdma_get_request(), which *r is set to. NULL: there is none. */
static const struct rdma_cm_id *next_id_with_qp(const struct replay *p, const struct record **r,
						unsigned *at)
{
	const struct record *made_by = &replay_now(p)->r;
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(made_by, &kind);
	const uint64_t address = kind == OBJECT_CM_ID ? made : made_by->args[0];
	const struct rdma_cm_id *id = NULL;

	for (; *at < p->from->ncalls; ++*at) {
		*r = &p->from->calls[*at].r;
		if (*at == p->at)
			id = record_bytes(*r, address, NULL);
		else if (kind != OBJECT_CM_ID)
			return NULL;
		else if ((*r)->fn == &call_table[ROW_rdma_get_request] && !(*r)->err &&
			 (*r)->args[0] == made)
			id = record_bytes(*r, record_made(*r, &(enum call_object){ 0 }), NULL);
		else
			continue;
		if (id && id->qp) {
			++*at;
			return id;
		}
	}
	return NULL;
}

/* Where the program gives no PD or no CQs, librdmacm takes its own, which later calls may need: the
 * script makes them, so that they have names. NULL: the call makes no QP. */
static const char *default_pd(struct replay *p, const struct record *r)
{
	unsigned at = p->at;
	const struct rdma_cm_id *id = next_id_with_qp(p, &r, &at);
	const struct ibv_qp *qp = id ? record_bytes(r, (uintptr_t)id->qp, NULL) : NULL;
	struct replay_object *pd = qp ? replay_objects_of(p, r, (uintptr_t)qp->pd, OBJECT_PD)
				      : NULL;
	struct replay_object *device;

	if (!pd)
		return NULL;
	if (!pd->written) {
		device = replay_objects_of(p, r, (uintptr_t)id->verbs, OBJECT_CONTEXT);
		play_line(p, "call -name %s ibv_alloc_pd %s ;# instead of librdmacm's own",
			  pd->name, play_object(p, device, OBJECT_CONTEXT));
		pd->written = true;
	}
	return play_object(p, pd, OBJECT_PD);
}

static void make_cq(struct replay *p, const struct record *r, const struct rdma_cm_id *id,
		    const struct ibv_cq *cq, const struct ibv_comp_channel *channel,
		    uint32_t entries)
{
	struct replay_object *device = replay_objects_of(p, r, (uintptr_t)id->verbs,
							 OBJECT_CONTEXT);
	struct replay_object *o = replay_objects_of(p, r, (uintptr_t)cq, OBJECT_CQ);
	struct replay_object *of = replay_objects_of(p, r, (uintptr_t)channel, OBJECT_COMP_CHANNEL);
	const char *on = play_object(p, device, OBJECT_CONTEXT);

	if (!of)
		return;
	play_line(p, "call -name %s ibv_create_comp_channel %s", of->name, on);
	play_line(p, "call -name %s ibv_create_cq %s %u %s 0 ;# instead of librdmacm's own",
		  o->name, on, entries, of->name);
	of->written = o->written = true;
}

/* The CQs of all ids that a listener takes are those of the first. */
static void share_cq(struct replay *p, const struct record *r, const void *cq, const void *channel,
		     struct replay_object *first, struct replay_object *first_channel)
{
	struct replay_object *o = cq ? replay_objects_of(p, r, (uintptr_t)cq, OBJECT_CQ) : NULL;

	if (!o || o->written || !first || !first->written)
		return;
	replay_objects_stand_for(first, o);
	o->written = true;
	o = replay_objects_of(p, r, (uintptr_t)channel, OBJECT_COMP_CHANNEL);
	if (!o)
		return;
	replay_objects_stand_for(first_channel, o);
	o->written = true;
}

static bool is_written_cq(struct replay *p, const struct record *r, const void *cq)
{
	const struct replay_object *o = replay_objects_of(p, r, (uintptr_t)cq, OBJECT_CQ);

	return !o || o->written;
}

struct args_with_cqs {
	uint64_t args[4];
	struct ibv_qp_init_attr_ex attr;
};

static unsigned count_ids_with_qp(const struct replay *p)
{
	const struct record *r;
	unsigned n = 0;

	for (unsigned at = p->at; next_id_with_qp(p, &r, &at);)
		n++;
	return n;
}

/* Sets to to the arguments of r with these CQs; false: it needs none. */
static bool default_cqs(struct replay *p, const struct record *r, struct args_with_cqs *to)
{
	const bool is_ex = r->fn == &call_table[ROW_rdma_create_qp_ex];
	const uint64_t attr = r->nargs && r->fn->args[0].object == OBJECT_CM_ID
				      ? record_arg(r, "qp_init_attr")
				      : 0;
	const unsigned n = attr ? count_ids_with_qp(p) : 0;
	const struct rdma_cm_id *id, *other;
	struct replay_object *cq[2], *channel[2];
	unsigned at = p->at;

	if (!n || r->nargs > sizeof to->args / sizeof *to->args)
		return false;
	to->attr = (struct ibv_qp_init_attr_ex){ 0 }; /* the other struct is its beginning */
	memcpy(&to->attr, (const void *)(uintptr_t)attr,
	       is_ex ? sizeof to->attr : sizeof(struct ibv_qp_init_attr));
	memcpy(to->args, r->args, r->nargs * sizeof *to->args);
	for (unsigned i = 0; i < r->nargs; i++)
		if (to->args[i] == attr)
			to->args[i] = (uintptr_t)&to->attr;
	id = next_id_with_qp(p, &r, &at);
	if (!to->attr.send_cq && !is_written_cq(p, r, id->send_cq))
		make_cq(p, r, id, id->send_cq, id->send_cq_channel, n * to->attr.cap.max_send_wr);
	if (!to->attr.recv_cq && !is_written_cq(p, r, id->recv_cq))
		make_cq(p, r, id, id->recv_cq, id->recv_cq_channel, n * to->attr.cap.max_recv_wr);
	to->attr.send_cq = to->attr.send_cq ? to->attr.send_cq : id->send_cq;
	to->attr.recv_cq = to->attr.recv_cq ? to->attr.recv_cq : id->recv_cq;
	cq[0] = replay_objects_of(p, r, (uintptr_t)id->send_cq, OBJECT_CQ);
	cq[1] = replay_objects_of(p, r, (uintptr_t)id->recv_cq, OBJECT_CQ);
	channel[0] = replay_objects_of(p, r, (uintptr_t)id->send_cq_channel, OBJECT_COMP_CHANNEL);
	channel[1] = replay_objects_of(p, r, (uintptr_t)id->recv_cq_channel, OBJECT_COMP_CHANNEL);
	while ((other = next_id_with_qp(p, &r, &at))) {
		share_cq(p, r, other->send_cq, other->send_cq_channel, cq[0], channel[0]);
		share_cq(p, r, other->recv_cq, other->recv_cq_channel, cq[1], channel[1]);
	}
	return true;
}

const char *play_special(struct replay *p, const struct call_sink *k, const struct call_value *v,
			 const void *at)
{
	const struct record *r = &replay_now(p)->r;
	uint64_t n;

	if (v->kind != CALL_OBJECT || !k->is_arg || v->object != OBJECT_PD ||
	    r->fn->args[0].object != OBJECT_CM_ID)
		return NULL;
	memcpy(&n, at, sizeof n);
	return n ? NULL : default_pd(p, r);
}

/* ---------------------------------------------------------------------------- lines -- */

/* A word in braces that contains a substitution needs quotes instead. */
static void put_word(struct text *to, const char *word, int len)
{
	const bool braced = *word == '{' && memchr(word, '$', (size_t)len);
	const bool called = *word == '{' && memchr(word, '[', (size_t)len);

	if (braced || called)
		xappendf(to, " \"%.*s\"", len - 2, word + 1);
	else
		xappendf(to, " %.*s", len, word);
}

static void put_words(struct text *to, const char *text)
{
	int depth = 0, len = 0;

	for (; *text; text += len + (text[len] == ' ')) {
		for (len = 0; text[len] && (depth || text[len] != ' '); len++)
			depth += (text[len] == '{' || text[len] == '[') -
				 (text[len] == '}' || text[len] == ']');
		put_word(to, text, len);
	}
}

/* Does the peer get something with this call? */
static bool is_departure(const struct call_fn *fn)
{
	return fn == &call_table[ROW_ibv_post_send] || fn == &call_table[ROW_ibv_wr_complete] ||
	       fn == &call_table[ROW_rdma_connect] || fn == &call_table[ROW_rdma_accept];
}

/* wr_id and flags, which a request of an extended QP takes from the QP. */
static void add_request(struct text *line, const struct record *r)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);

	call_text_request(f, r);
	fclose(f);
	if (*text)
		xappendf(line, " -with %s", text);
	free(text);
}

void play_call(struct replay *p, const struct record *r, struct replay_object *made)
{
	struct args_with_cqs own;
	char *args;
	SCOPED_TEXT(line);

	if (r->fn->why) {
		replay_note(p, "%s is left out: %s", r->fn->name, r->fn->why);
		return;
	}
	args = replay_words_of_args(p, r, default_cqs(p, r, &own) ? own.args : NULL);
	if (is_departure(r->fn))
		replay_put_told(p);
	xappendf(&line, "call%s%s", made ? " -name " : "", made ? made->name : "");
	add_request(&line, r);
	xappendf(&line, " %s", r->fn->name);
	put_words(&line, args);
	play_line(p, "%s", text_str(&line));
	free(args);
}

/* Inline data need not be registered: the script registers the memory from which it is sent. */
static void write_inline_region(struct replay *p, const struct ibv_sge *s)
{
	const struct memory_block *b = replay_memory_find(&p->memory, s->addr, s->length);
	struct own_value v = { .kind = OWN_MEMORY, .is_extra = true };

	if (!b || replay_own_region(p, s->addr, s->length))
		return;
	v.value = b->at;
	v.len = b->len;
	v.of = replay_objects_extra(p, temp_text("inline%u", p->inlines++));
	replay_own_add(p, &v);
	play_line(p, "reg %llu -name %s ;# sent inline, not registered there",
		  (unsigned long long)b->len, v.of->name);
}

/* They may belong to the PD that is deallocated now. */
static void destroy_extra_regions(struct replay *p)
{
	for (unsigned i = 0; i < p->nown; i++) {
		if (!p->own[i].is_extra || p->own[i].gone)
			continue;
		play_line(p, "destroy %s", p->own[i].of->name);
		p->own[i].gone = true;
	}
}

void play_prepare(struct replay *p, const struct record *r)
{
	replay_each_inline(p, r, write_inline_region);
	if (r->fn == &call_table[ROW_ibv_dealloc_pd])
		destroy_extra_regions(p);
}
