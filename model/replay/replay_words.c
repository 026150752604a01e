/* SPDX-License-Identifier: MIT */
/* The values of calls as words: those that differ from run to run, by where they came from. */
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "recorded.h"
#include "replay_parts.h"

#define LOWEST (1 << 16) /* a smaller address is an offset in a region that begins at 0 */

/* The value of that kind beside v: of the same group, "wr.rdma.rkey" beside
 * "wr.rdma.remote_addr". 0: none. */
static uint64_t words_beside(const struct call_sink *k, const struct call_value *v,
			     enum call_kind kind)
{
	const char *dot = strrchr(v->name, '.');
	const size_t group = dot ? (size_t)(dot - v->name) : 0;

	for (const struct call_value *o = k->values; o && o->name; o++)
		if (o->kind == kind && strncmp(o->name, v->name, group) == 0)
			return call_load(
				o, k->base + (k->is_arg ? 8 * (size_t)(o - k->values) : o->offset));
	return 0;
}

static const char *not_told(struct replay *p, const char *what, uint64_t v)
{
	replay_note(p,
		    "%s 0x%llx: the peer has not told it where this could be seen, it stands as it "
		    "was",
		    what, (unsigned long long)v);
	return NULL;
}

static const char *key_word(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    uint32_t key)
{
	const struct own_value *o = v->is_local
					    ? replay_own_region(p, words_beside(k, v, CALL_IOVA), 1)
					    : NULL;
	const char *told = v->is_local || !key
				   ? NULL
				   : replay_told_number(p, "rkey", key, 4,
							words_beside(k, v, CALL_REMOTE));

	if (told)
		return told;
	for (unsigned i = p->nown; v->is_local && i-- > 0 && !o;)
		if (p->own[i].kind == OWN_KEY && !p->own[i].gone && p->own[i].of->lkey == key)
			o = &p->own[i];
	if (!o && !v->is_local && !p->role)
		o = replay_own_number(p, OWN_KEY, key);
	if (o)
		return p->back->words->key(p, o, v->is_local);
	return key && !v->is_local ? not_told(p, "the key", key) : NULL;
}

static const char *remote_word(struct replay *p, const struct call_sink *k,
			       const struct call_value *v, uint64_t at)
{
	const char *told = at ? replay_told_address(p, at, (uint32_t)words_beside(k, v, CALL_KEY))
			      : NULL;
	const struct own_value *o = told || p->role ? NULL : replay_own_region(p, at, 1);

	if (told || !at)
		return told;
	if (o)
		return p->back->words->own(p, o, at - o->value);
	return at < LOWEST ? NULL : not_told(p, "the address", at);
}

/* The address of the AH in the arguments, or in a request of a list; NULL: not known. */
static const struct ibv_ah_attr *address_of_ah(struct replay *p, const struct call_sink *k)
{
	const struct replay_object *ah = NULL;

	for (const struct call_value *v = k->values; v && v->name; v++)
		if (v->kind == CALL_OBJECT && v->object == OBJECT_AH)
			ah = replay_objects_of(
				p, &replay_now(p)->r,
				call_load(v,
					  k->base + (k->is_arg ? 8 * (v - k->values) : v->offset)),
				OBJECT_AH);
	return ah && ah->made && ah->made->fn == &call_table[ROW_ibv_create_ah]
		       ? (const struct ibv_ah_attr *)(uintptr_t)ah->made->args[1]
		       : NULL;
}

const struct ibv_ah_attr *replay_words_destination(struct replay *p, const struct call_sink *k)
{
	const struct ibv_qp_attr *attr = (const void *)k->base;

	if (k->values != call_table[ROW_ibv_modify_qp].args[1].of->fields)
		return address_of_ah(p, k);
	return replay_now(p)->r.args[2] & IBV_QP_AV ? &attr->ah_attr : NULL;
}

/* Numbers do not tell whose QP it is: that of another host may be the same. */
static const char *qpn_word(struct replay *p, const struct call_sink *k, uint32_t qpn)
{
	const char *told = qpn ? replay_told_number(p, "qpn", qpn, 4, 0) : NULL;
	const struct own_value *o = !told && replay_own_leads_here(p,
								   replay_words_destination(p, k))
					    ? replay_own_number(p, OWN_QPN, qpn)
					    : NULL;

	if (told || qpn <= 1)
		return told;
	if (o && (!p->role || !o->of->end || o->of->end == p->role))
		return p->back->words->own(p, o, 0);
	return not_told(p, "the QP number", qpn);
}

static const char *gid_word(struct replay *p, const unsigned char *gid, bool pointer)
{
	static const unsigned char none[16];
	const char *told = memcmp(gid, none, 16) ? replay_told_gid(p, gid, pointer) : NULL;
	const struct own_value *o = told ? NULL : replay_own_gid(p, gid);

	if (told || memcmp(gid, none, 16) == 0)
		return told;
	if (o)
		return p->back->words->gid(p, o, pointer);
	replay_note(p, "the GID of the peer stands as it was");
	return NULL;
}

/* Numbers that the peer tells, though the table does not say so. */
static const char *number_word(struct replay *p, const struct call_value *v, uint64_t n)
{
	static const struct {
		const char *member, *name;
	} theirs[] = { { "rq_psn", "psn" }, { "wr.ud.remote_qkey", "qkey" }, { "dlid", "lid" } };

	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		if (strcmp(v->name, theirs[i].member) == 0 && n > 1)
			return replay_told_number(p, theirs[i].name, n, 4, 0);
	return NULL;
}

/* Memory that is registered here is a block; else it is in a region. */
static const char *place_word(struct replay *p, const struct call_sink *k,
			      const struct call_value *v, uint64_t at)
{
	const bool registers = k->is_arg &&
			       record_made(&replay_now(p)->r, &(enum call_object){ 0 });
	const struct own_value *mr = registers ? NULL : replay_own_region(p, at, 0);
	const struct memory_block *b = replay_memory_find(&p->memory, at, 0);

	if (!at)
		return NULL;
	if (mr)
		return p->back->words->place(p, mr, b, at - mr->value, v->kind == CALL_IOVA);
	if (b && *b->name)
		return p->back->words->place(p, NULL, b, at - b->at, v->kind == CALL_IOVA);
	replay_note(p, "%s 0x%llx is in no memory that is known", v->name, (unsigned long long)at);
	return "0";
}

static const char *word_of(struct replay *p, const struct call_sink *k, const struct call_value *v,
			   const void *at)
{
	const char *special = p->back->words->special(p, k, v, at);
	uint64_t n = 0;

	if (special)
		return special;
	switch (v->kind) {
	case CALL_OBJECT:
	case CALL_SOCKADDR:
	case CALL_DATA:
		memcpy(&n, at, sizeof n);
		break;
	case CALL_GID:
		if (v->pointer) {
			memcpy(&n, at, sizeof n);
			at = (const void *)(uintptr_t)n;
		}
		return at ? gid_word(p, at, v->pointer) : NULL;
	case CALL_ADDRESS:
	case CALL_IOVA:
	case CALL_REMOTE:
	case CALL_KEY:
	case CALL_QPN:
	case CALL_UINT:
		n = call_load(v, at);
		break;
	default:
		return NULL;
	}
	switch (v->kind) {
	case CALL_OBJECT:
		return n ? p->back->words->object(
				   p, replay_objects_of(p, &replay_now(p)->r, n, v->object),
				   v->object)
			 : NULL;
	case CALL_SOCKADDR:
		return n ? p->back->words->host(p, (const void *)(uintptr_t)n, v->name) : NULL;
	case CALL_DATA:
		return n && replay_words_have_own(p, (const void *)(uintptr_t)n, k->count)
			       ? p->back->words->data(p, (const void *)(uintptr_t)n, k->count)
			       : NULL;
	case CALL_ADDRESS:
		return place_word(p, k, v, n);
	case CALL_IOVA:
		return call_chooses_iova(k, replay_now(p)->r.fn) ? NULL : place_word(p, k, v, n);
	case CALL_REMOTE:
		return remote_word(p, k, v, n);
	case CALL_KEY:
		return key_word(p, k, v, (uint32_t)n);
	case CALL_QPN:
		return qpn_word(p, k, (uint32_t)n);
	default:
		return number_word(p, v, n);
	}
}

bool replay_words_own(struct call_sink *k, const struct call_value *v, const void *at)
{
	const char *word = word_of(k->arg, k, v, at);

	if (!word)
		return false;
	call_begin_text(k);
	fputs(word, k->to);
	return true;
}

char *replay_words_of_args(struct replay *p, const struct record *r, const uint64_t *args)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);
	struct call_sink k = p->back->words->sink(f);

	k.own = replay_words_own;
	k.arg = p;
	k.qp_type = live_program_qp_type(p->live, r);
	call_tell_args(&k, r->fn, args ? args : r->args);
	fclose(f);
	return text;
}

bool replay_words_next_piece(struct replay *p, const unsigned char *data, size_t n,
			     struct data_piece *piece)
{
	size_t at = piece->at + piece->len;
	struct data_piece found = { .at = at };

	if (at >= n)
		return false;
	for (; at < n; at++) {
		found.own = replay_value_own_at(p->own, p->nown, data, n, at, &found.place,
						&found.offset);
		if (found.own)
			break;
	}
	if (!found.own || at > found.at) {
		*piece = (struct data_piece){ .at = found.at, .len = at - found.at };
		return true;
	}
	found.len = found.place.len;
	*piece = found;
	return true;
}

bool replay_words_have_own(struct replay *p, const unsigned char *data, size_t n)
{
	struct data_piece piece = { 0 };

	while (replay_words_next_piece(p, data, n, &piece))
		if (piece.own)
			return true;
	return false;
}
