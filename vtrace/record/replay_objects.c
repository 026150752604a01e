/* SPDX-License-Identifier: MIT */
/*
 * Values and objects as words of the script: values that the peer has told, values of the program's
 * own that its peer may be told, names of objects.
 */
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "recorded.h"
#include "replay_script.h"

/* A name that is not used yet: "rkey0". */
static void numbered_name(const struct replay *p, const char *name, char to[24])
{
	unsigned n = 0;
	const size_t len = strlen(name);

	for (unsigned i = 0; i < p->nvalues; i++)
		n += strncmp(p->values[i].variable, name, len) == 0;
	for (unsigned i = 0; i < p->ntold; i++)
		n += strncmp(p->told[i].variable, name, len) == 0;
	snprintf(to, 24, "%.16s%u", name, n);
}

/* ---------------------------------------------------------------------------- the peer's -- */

bool told_add(struct replay *p, const char *name, const void *data, size_t n, const char *expr)
{
	struct told_bytes *t;

	if (!n)
		return false;
	p->told = xgrow(p->told, p->ntold, sizeof *p->told);
	t = &p->told[p->ntold];
	*t = (struct told_bytes){ .data = xcalloc(n, 1), .n = n };
	memcpy(t->data, data, n);
	numbered_name(p, name, t->variable);
	p->ntold++;
	if (p->ntold > p->nwanted || !p->wanted[p->ntold - 1])
		return false;
	replay_line(p, "set %s %s", t->variable, expr);
	return true;
}

static void want_bytes(struct replay *p, unsigned i)
{
	while (p->nwanted < p->ntold) {
		p->wanted = xgrow(p->wanted, p->nwanted, sizeof *p->wanted);
		p->wanted[p->nwanted++] = false;
	}
	p->wanted[i] = true;
}

/* "binary scan $got0 @8Iu rkey0" */
static void write_scan(struct replay *p, const struct told_bytes *t, const struct told_value *v)
{
	const size_t last = v->place.at + v->place.len - 1;
	const char *code = v->place.len == 8 ? "Wu" : v->place.len == 4 ? "Iu" : "H32";

	if (v->place.form == VALUE_OCTETS)
		replay_first(p, "set %s [string map {: {}} [string range $%s %zu %zu]]",
			     v->variable, t->variable, v->place.at, last);
	else if (v->place.form == VALUE_HEX && v->place.len == 32)
		replay_first(p, "set %s [string range $%s %zu %zu]", v->variable, t->variable,
			     v->place.at, last);
	else if (v->place.form == VALUE_HEX || v->place.form == VALUE_DECIMAL)
		replay_first(p, "scan [string range $%s %zu %zu] %s %s", t->variable, v->place.at,
			     last, v->place.form == VALUE_HEX ? "%llx" : "%lld", v->variable);
	else if (v->place.form == VALUE_LE)
		replay_first(p, "binary scan $%s @%zu%s %s", t->variable, v->place.at,
			     v->place.len == 8 ? "wu" : "iu", v->variable);
	else
		replay_first(p, "binary scan $%s @%zu%s %s", t->variable, v->place.at, code,
			     v->variable);
	if (v->place.len >= 32 || (v->place.len == 16 && v->place.form == VALUE_BE))
		replay_first(p, "set %s [join [regexp -all -inline {....} $%s] :]", v->variable,
			     v->variable);
}

/* The variable with the value at that place. It is set when it is first needed. */
static const char *variable_of(struct replay *p, unsigned in, const struct value_place *place,
			       const char *name)
{
	struct told_value *v;

	for (unsigned i = 0; i < p->nvalues; i++) {
		v = &p->values[i];
		if (v->in == in && v->place.at == place->at && v->place.len == place->len)
			return v->variable;
	}
	want_bytes(p, in);
	p->values = xgrow(p->values, p->nvalues, sizeof *p->values);
	v = &p->values[p->nvalues];
	*v = (struct told_value){ .in = in, .place = *place };
	numbered_name(p, name, v->variable);
	p->nvalues++;
	write_scan(p, &p->told[in], v);
	return v->variable;
}

/* Half of the address that is told with a key may be the same number. */
static bool find_told(const struct told_bytes *t, uint64_t v, unsigned size, uint64_t address,
		      struct value_place *place)
{
	struct value_place taken;
	uint64_t base;
	const bool is_there = address && value_find_base(t->data, t->n, address, &taken, &base);

	return value_find(t->data, t->n, v, size, is_there ? &taken : NULL, place);
}

const char *told_number(struct replay *p, const char *name, uint64_t v, unsigned size,
			uint64_t address)
{
	struct value_place place;

	for (unsigned i = p->ntold; i-- > 0;)
		if (find_told(&p->told[i], v, size, address, &place))
			return temp_text("$%s", variable_of(p, i, &place, name));
	return NULL;
}

const char *told_gid(struct replay *p, const unsigned char gid[16])
{
	struct value_place place;

	for (unsigned i = p->ntold; i-- > 0;)
		if (value_find_gid(p->told[i].data, p->told[i].n, gid, &place))
			return temp_text("$%s", variable_of(p, i, &place, "gid"));
	return NULL;
}

/* The bytes with the key also contain the address at which its region begins. */
const char *told_address(struct replay *p, uint64_t v, uint32_t rkey)
{
	const char *exact = told_number(p, "addr", v, 8, 0);
	struct value_place place;
	uint64_t base;

	if (exact)
		return exact;
	for (unsigned i = p->ntold; i-- > 0;) {
		const struct told_bytes *t = &p->told[i];

		if (rkey && !find_told(t, rkey, 4, v, &place))
			continue;
		if (value_find_base(t->data, t->n, v, &place, &base))
			return temp_text("[expr {$%s + %llu}]", variable_of(p, i, &place, "addr"),
					 (unsigned long long)(v - base));
	}
	return NULL;
}

/* ------------------------------------------------------------------------------ one's own -- */

void own_add(struct replay *p, const struct own_value *v)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == v->kind && strcmp(p->own[i].name, v->name) == 0 &&
		    p->own[i].value == v->value && !p->own[i].gone)
			return;
	p->own = xgrow(p->own, p->nown, sizeof *p->own);
	p->own[p->nown++] = *v;
}

void own_end(struct replay *p, const char *name)
{
	for (unsigned i = 0; i < p->nown; i++)
		if (strcmp(p->own[i].name, name) == 0)
			p->own[i].gone = true;
}

const char *own_expr(const struct own_value *v, uint64_t offset)
{
	switch (v->kind) {
	case OWN_MEMORY:
		return offset ? temp_text("[expr {[get %s addr] + %llu}]", v->name,
					  (unsigned long long)offset)
			      : temp_text("[get %s addr]", v->name);
	case OWN_KEY:
		return temp_text("[get %s rkey]", v->name);
	case OWN_QPN:
		return temp_text("[get %s qpn]", v->name);
	default:
		return temp_text("[gid_digits $%s]", v->name);
	}
}

const struct own_value *own_region(const struct replay *p, uint64_t at, uint64_t len)
{
	for (unsigned i = p->nown; i-- > 0;) {
		const struct own_value *o = &p->own[i];

		if (o->kind == OWN_MEMORY && !o->gone && at >= o->value && at - o->value < o->len &&
		    len <= o->len - (at - o->value))
			return o;
	}
	return NULL;
}

const struct own_value *own_number(const struct replay *p, enum own_kind kind, uint64_t v)
{
	for (unsigned i = p->nown; i-- > 0;)
		if (p->own[i].kind == kind && !p->own[i].gone && p->own[i].value == v)
			return &p->own[i];
	return NULL;
}

/* ------------------------------------------------------------------------------ names -- */

static struct named_object *named_at(const struct replay *p, uint64_t address)
{
	for (unsigned i = p->nnamed; i-- > 0;)
		if (p->named[i].address == address)
			return &p->named[i];
	return NULL;
}

const char *objects_word(const struct replay *p, uint64_t address)
{
	const struct named_object *o = named_at(p, address);

	return o ? temp_text("%s", o->word) : NULL;
}

struct named_object *objects_name_word(struct replay *p, uint64_t address, const char *word)
{
	struct named_object *o = named_at(p, address);

	if (!o) {
		p->named = xgrow(p->named, p->nnamed, sizeof *p->named);
		o = &p->named[p->nnamed++];
	}
	*o = (struct named_object){ .address = address };
	snprintf(o->word, sizeof o->word, "%s", word);
	return o;
}

/* An id on that device that a later call uses, as a word; NULL: none. */
static const char *id_of_device(const struct replay *p, uint64_t context)
{
	for (unsigned i = p->at; i < p->ncalls; i++) {
		const struct record *r = &p->calls[i].r;

		for (unsigned j = 0; p->calls[i].row == REPLAY_ROWS && j < r->nargs; j++) {
			const struct call_value *v = &r->fn->args[j];
			const bool is_id = v->kind == CALL_OBJECT && v->object == OBJECT_CM_ID &&
					   v->role == CALL_IN;
			const struct rdma_cm_id *id = is_id ? record_bytes(r, r->args[j], NULL)
							    : NULL;

			if (id && (uintptr_t)id->verbs == context && objects_word(p, r->args[j]))
				return objects_word(p, r->args[j]);
		}
	}
	return NULL;
}

/* A device comes from an id, or was opened by its name. */
static const char *device_word(struct replay *p, uint64_t context)
{
	struct named_object *o = named_at(p, context);
	const char *id = o ? NULL : id_of_device(p, context);

	if (!o) {
		o = objects_name_word(p, context, temp_text("$device%u", p->devices++));
		snprintf(o->set_by, sizeof o->set_by, "[dict get [device] name]");
		if (id)
			snprintf(o->set_by, sizeof o->set_by, "[get %s device]", id);
		else
			replay_note(p, "which device it is: the default one is taken");
	}
	if (*o->set_by)
		replay_first(p, "set %s %s", o->word + 1, o->set_by);
	*o->set_by = 0;
	return o->word;
}

void objects_meet_device(struct replay *p, uint64_t context, const char *expr)
{
	struct named_object *o;

	if (!context || named_at(p, context))
		return;
	o = objects_name_word(p, context, temp_text("$device%u", p->devices++));
	snprintf(o->set_by, sizeof o->set_by, "%s", expr);
}

const char *objects_own_name(const struct replay *p, const struct record *r, uint64_t address,
			     enum call_object kind)
{
	return record_objects_name(p->process->objects, r, address, kind);
}

const char *objects_name(struct replay *p, const struct record *r, uint64_t address,
			 enum call_object kind)
{
	const char *word = objects_word(p, address);

	if (kind == OBJECT_CONTEXT || kind == OBJECT_DEVICE)
		return device_word(p, address);
	return word ? word : objects_own_name(p, r, address, kind);
}

/* ------------------------------------------------------------ what librdmacm makes itself -- */

/* The id whose QP was made as r says. After *r, a listener's rdma_create_ep(), it is that of the
 * next rdma_get_request(), which *r is set to. NULL: there is none. */
static const struct rdma_cm_id *next_id_with_qp(const struct replay *p, const struct record **r,
						unsigned *at)
{
	const struct record *made_by = &p->calls[p->at].r;
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(made_by, &kind);
	const uint64_t address = kind == OBJECT_CM_ID ? made : made_by->args[0];
	const struct rdma_cm_id *id = NULL;

	for (; *at < p->ncalls; ++*at) {
		*r = &p->calls[*at].r;
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

const char *objects_default_pd(struct replay *p, const struct record *r)
{
	unsigned at = p->at;
	const struct rdma_cm_id *id = next_id_with_qp(p, &r, &at);
	const struct ibv_qp *qp = id ? record_bytes(r, (uintptr_t)id->qp, NULL) : NULL;
	char device[40], name[40];

	if (!qp)
		return NULL;
	if (!objects_word(p, (uintptr_t)qp->pd)) {
		snprintf(device, sizeof device, "%s",
			 objects_name(p, r, (uintptr_t)id->verbs, OBJECT_CONTEXT));
		snprintf(name, sizeof name, "%s",
			 objects_own_name(p, r, (uintptr_t)qp->pd, OBJECT_PD));
		replay_first(p, "call -name %s ibv_alloc_pd %s ;# instead of librdmacm's own", name,
			     device);
		objects_name_word(p, (uintptr_t)qp->pd, name);
	}
	return objects_word(p, (uintptr_t)qp->pd);
}

static void make_cq(struct replay *p, const struct record *r, const struct rdma_cm_id *id,
		    const struct ibv_cq *cq, const struct ibv_comp_channel *channel,
		    uint32_t entries)
{
	char device[40], name[40], of[40];

	snprintf(device, sizeof device, "%s",
		 objects_name(p, r, (uintptr_t)id->verbs, OBJECT_CONTEXT));
	snprintf(name, sizeof name, "%s", objects_own_name(p, r, (uintptr_t)cq, OBJECT_CQ));
	snprintf(of, sizeof of, "%s",
		 objects_own_name(p, r, (uintptr_t)channel, OBJECT_COMP_CHANNEL));
	replay_first(p, "call -name %s ibv_create_comp_channel %s", of, device);
	replay_first(p, "call -name %s ibv_create_cq %s %u %s 0 ;# instead of librdmacm's own",
		     name, device, entries, of);
	objects_name_word(p, (uintptr_t)channel, of);
	objects_name_word(p, (uintptr_t)cq, name);
}

/* The CQs of all ids that a listener takes are those of the first. */
static void share_cq(struct replay *p, const void *cq, const void *channel, const void *first,
		     const void *first_channel)
{
	if (!cq || objects_word(p, (uintptr_t)cq) || !objects_word(p, (uintptr_t)first))
		return;
	objects_name_word(p, (uintptr_t)channel, objects_word(p, (uintptr_t)first_channel));
	objects_name_word(p, (uintptr_t)cq, objects_word(p, (uintptr_t)first));
}

static unsigned count_ids_with_qp(const struct replay *p)
{
	const struct record *r;
	unsigned n = 0;

	for (unsigned at = p->at; next_id_with_qp(p, &r, &at);)
		n++;
	return n;
}

bool objects_default_cqs(struct replay *p, const struct record *r, struct args_with_cqs *to)
{
	const bool is_ex = r->fn == &call_table[ROW_rdma_create_qp_ex];
	const uint64_t attr = r->nargs && r->fn->args[0].object == OBJECT_CM_ID
				      ? record_arg(r, "qp_init_attr")
				      : 0;
	const unsigned n = attr ? count_ids_with_qp(p) : 0;
	const struct rdma_cm_id *id, *other;
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
	if (!to->attr.send_cq && id->send_cq && !objects_word(p, (uintptr_t)id->send_cq))
		make_cq(p, r, id, id->send_cq, id->send_cq_channel, n * to->attr.cap.max_send_wr);
	if (!to->attr.recv_cq && id->recv_cq && !objects_word(p, (uintptr_t)id->recv_cq))
		make_cq(p, r, id, id->recv_cq, id->recv_cq_channel, n * to->attr.cap.max_recv_wr);
	to->attr.send_cq = to->attr.send_cq ? to->attr.send_cq : id->send_cq;
	to->attr.recv_cq = to->attr.recv_cq ? to->attr.recv_cq : id->recv_cq;
	while ((other = next_id_with_qp(p, &r, &at))) {
		share_cq(p, other->send_cq, other->send_cq_channel, id->send_cq,
			 id->send_cq_channel);
		share_cq(p, other->recv_cq, other->recv_cq_channel, id->recv_cq,
			 id->recv_cq_channel);
	}
	return true;
}

/* ------------------------------------------- what calls make, tell of and destroy -- */

static void learn_region(struct replay *p, const struct record *r, uint64_t address,
			 const char *name)
{
	const struct ibv_mr *mr = record_bytes(r, address, NULL);
	struct own_value v = { .kind = OWN_MEMORY };

	if (!mr)
		return;
	snprintf(v.name, sizeof v.name, "%s", name);
	v.value = (uintptr_t)mr->addr;
	v.len = mr->length;
	v.is_read = record_arg(r, "access") & (IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
	own_add(p, &v);
	v.kind = OWN_KEY;
	v.value = mr->rkey;
	own_add(p, &v);
}

static void learn_qp(struct replay *p, const struct record *r, uint64_t address, const char *word)
{
	const struct ibv_qp *qp = address ? record_bytes(r, address, NULL) : NULL;
	struct own_value v = { .kind = OWN_QPN };

	if (!qp)
		return;
	v.value = qp->qp_num;
	snprintf(v.name, sizeof v.name, "%s", word);
	own_add(p, &v);
}

/* Calls about an id show its device and its QP. */
static void learn_id(struct replay *p, const struct record *r, uint64_t address)
{
	const struct rdma_cm_id *id = address ? record_bytes(r, address, NULL) : NULL;
	char word[40];

	if (!id)
		return;
	snprintf(word, sizeof word, "%s", objects_name(p, r, address, OBJECT_CM_ID));
	objects_meet_device(p, (uintptr_t)id->verbs, temp_text("[get %s device]", word));
	if (!id->qp)
		return;
	objects_name_word(p, (uintptr_t)id->qp, word);
	learn_qp(p, r, (uintptr_t)id->qp, word);
}

void objects_learn_gid(struct replay *p, const struct record *r)
{
	struct own_value v = { .kind = OWN_GID };
	const void *gid = (const void *)(uintptr_t)r->after[3];

	if (!gid)
		return;
	memcpy(v.gid, gid, sizeof v.gid);
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == OWN_GID && memcmp(p->own[i].gid, gid, sizeof v.gid) == 0)
			return;
	snprintf(v.name, sizeof v.name, "own_gid%u", p->gids++);
	replay_line(p, "set %s [call ibv_query_gid %s %u %d]", v.name,
		    objects_name(p, r, r->args[0], OBJECT_CONTEXT), (unsigned)r->args[1],
		    (int)r->args[2]);
	own_add(p, &v);
}

void objects_learn_made(struct replay *p, const struct record *r, uint64_t made,
			enum call_object kind, const char *name)
{
	if (kind == OBJECT_MR)
		learn_region(p, r, made, name);
	else if (kind == OBJECT_QP || kind == OBJECT_QP_EX)
		learn_qp(p, r, made, name);
	else if (kind == OBJECT_PD || kind == OBJECT_CQ || kind == OBJECT_COMP_CHANNEL)
		objects_name_word(p, made, name);
	for (unsigned i = 0; i < r->nargs; i++)
		if (r->fn->args[i].kind == CALL_OBJECT && r->fn->args[i].object == OBJECT_CM_ID &&
		    r->fn->args[i].role == CALL_IN)
			learn_id(p, r, r->args[i]);
	if (made && kind == OBJECT_CM_ID)
		learn_id(p, r, made);
}

void objects_forget(struct replay *p, const struct record *r)
{
	char word[40];

	for (unsigned i = 0; i < r->nargs; i++) {
		if (r->fn->args[i].role != CALL_GONE || r->fn->args[i].kind != CALL_OBJECT ||
		    !r->args[i])
			continue;
		snprintf(word, sizeof word, "%s",
			 objects_name(p, r, r->args[i], r->fn->args[i].object));
		own_end(p, word);
		for (unsigned j = 0; j < p->nnamed; j++)
			if (p->named[j].address == r->args[i])
				p->named[j].address = 0;
	}
}

void objects_skip(struct replay *p, uint64_t address)
{
	p->skipped = xgrow(p->skipped, p->nskipped, sizeof *p->skipped);
	p->skipped[p->nskipped++] = address;
}

bool objects_are_skipped(struct replay *p, uint64_t address)
{
	for (unsigned i = 0; i < p->nskipped; i++)
		if (p->skipped[i] == address) {
			p->skipped[i] = 0;
			return true;
		}
	return false;
}
