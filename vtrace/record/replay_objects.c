/* SPDX-License-Identifier: MIT */
/* What the program has, as the script calls it; and the values of it that its peer may be told. */
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "replay_script.h"

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

	return o ? replay_text("%s", o->word) : NULL;
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

/* The id of that device which a call from now on is about, as a word; NULL: none. */
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

/* A device is that of an id, or it was opened by its name. */
static const char *device_word(struct replay *p, uint64_t context)
{
	struct named_object *o = named_at(p, context);
	const char *id = o ? NULL : id_of_device(p, context);

	if (!o) {
		o = objects_name_word(p, context, replay_text("$device%u", p->devices++));
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
	o = objects_name_word(p, context, replay_text("$device%u", p->devices++));
	snprintf(o->set_by, sizeof o->set_by, "%s", expr);
}

const char *objects_own_name(const struct replay *p, const struct record *r, uint64_t address,
			     enum call_object kind)
{
	const struct record_object *o = record_objects_at(p->process->objects, address, r->end);

	if (!o)
		o = record_objects_at(p->process->objects, address, r->begin);
	if (!o)
		o = record_objects_meet(p->process->objects, address, kind, r->end);
	return o->name;
}

const char *objects_name(struct replay *p, const struct record *r, uint64_t address,
			 enum call_object kind)
{
	const char *word = objects_word(p, address);

	if (kind == OBJECT_CONTEXT || kind == OBJECT_DEVICE)
		return device_word(p, address);
	return word ? word : objects_own_name(p, r, address, kind);
}

/* -------------------------------------------------------------------------------- values of calls
 * -- */

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

/* An id gets its device and its QP with calls about it. */
static void learn_id(struct replay *p, const struct record *r, uint64_t address)
{
	const struct rdma_cm_id *id = address ? record_bytes(r, address, NULL) : NULL;
	char word[40];

	if (!id)
		return;
	snprintf(word, sizeof word, "%s", objects_name(p, r, address, OBJECT_CM_ID));
	objects_meet_device(p, (uintptr_t)id->verbs, replay_text("[get %s device]", word));
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
	snprintf(v.name, sizeof v.name, "own_gid%u", p->counted[OWN_GID]++);
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
		if (r->fn->args[i].role != CALL_GONE || r->fn->args[i].kind != CALL_OBJECT)
			continue;
		snprintf(word, sizeof word, "%s",
			 objects_name(p, r, r->args[i], r->fn->args[i].object));
		own_end(p, word);
		for (unsigned j = 0; j < p->nnamed; j++)
			if (p->named[j].address == r->args[i])
				p->named[j].address = 0;
	}
}
