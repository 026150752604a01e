/* SPDX-License-Identifier: MIT */
/* The values of calls as words: those that differ from run to run, by where they came from. */
#include <netdb.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "recorded.h"
#include "replay_parts.h"

#define ARGUMENTS 5
#define LOWEST	  (1 << 16) /* a smaller address is an offset in a region that begins at 0 */

/* -------------------------------------------------------------------------- languages -- */

/* Appends the form with the strings of ap, which end with NULL, for $1 and so on. */
static void fill_in(struct text *to, const char *form, va_list ap)
{
	const char *args[ARGUMENTS] = { "", "", "", "", "" }, *arg;

	for (unsigned n = 0; n < ARGUMENTS && (arg = va_arg(ap, const char *)); n++)
		args[n] = arg;
	for (; *form; form++)
		if (*form == '$' && form[1] >= '1' && form[1] <= '0' + ARGUMENTS)
			text_add(to, args[*++form - '1']);
		else
			text_add_bytes(to, form, 1);
}

void replay_step(struct replay *p, const char *script, const char *c, ...)
{
	SCOPED_TEXT(line);
	va_list ap;

	if (p->back->is_c && !c)
		return;
	va_start(ap, c);
	fill_in(&line, p->back->is_c ? c : script, ap);
	va_end(ap);
	p->back->line(p, text_str(&line));
}

const char *replay_word(struct replay *p, const char *script, const char *c, ...)
{
	SCOPED_TEXT(word);
	va_list ap;

	va_start(ap, c);
	fill_in(&word, p->back->is_c ? c : script, ap);
	va_end(ap);
	return temp_text("%s", text_str(&word));
}

const char *replay_digits(uint64_t n)
{
	return temp_text("%llu", (unsigned long long)n);
}

/* ----------------------------------------------------------------------------- values -- */

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

const char *replay_words_of_own(struct replay *p, const struct own_value *o, uint64_t offset)
{
	const char *object;

	if (o->kind == OWN_GID)
		return replay_word(p, "[call ibv_query_gid $1 $2 $3]",
				   "*own_gid($1, $2, $3, &(union ibv_gid){ { 0 } })",
				   p->back->object(p, o->of, OBJECT_CONTEXT),
				   replay_digits(o->port), replay_digits((uint64_t)o->index), NULL);
	object = p->back->object(p, o->of, o->of->kind);
	if (o->kind == OWN_KEY)
		return replay_word(p, "[get $1 rkey]", "$1->rkey", object, NULL);
	if (o->kind == OWN_QPN)
		return replay_word(p, "[get $1 qpn]", "$1->qp_num", object, NULL);
	return replay_word(p, offset ? "[expr {[get $1 addr] + $2}]" : "[get $1 addr]",
			   "(uintptr_t)at($1, $2)", object, replay_digits(offset), NULL);
}

static const char *number_told(struct replay *p, const char *name, uint64_t v)
{
	return replay_told_value(p, (struct told_search){ .name = name, .v = v, .size = 4 });
}

static const char *local_key_word(struct replay *p, const struct call_sink *k,
				  const struct call_value *v, uint32_t key)
{
	const struct own_value *o = replay_own_region(p, words_beside(k, v, CALL_IOVA), 1);

	for (unsigned i = p->nown; i-- > 0 && !o;)
		if (p->own[i].kind == OWN_KEY && !p->own[i].gone && p->own[i].of->lkey == key)
			o = &p->own[i];
	return o ? replay_word(p, "$1", "$1->lkey", p->back->object(p, o->of, o->of->kind), NULL)
		 : NULL;
}

static const char *key_word(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    uint32_t key)
{
	const struct told_search what = {
		.name = "rkey", .v = key, .size = 4, .other = words_beside(k, v, CALL_REMOTE)
	};
	const char *told = key ? replay_told_value(p, what) : NULL;
	const struct own_value *o = replay_own_number(p, OWN_KEY, key);

	if (told || (!o && !key))
		return told;
	if (o)
		return replay_word(p, "$1", "$1->rkey", p->back->object(p, o->of, o->of->kind),
				   NULL);
	return not_told(p, "the key", key);
}

/* An address at the peer stands where it was told, or has an offset from such a place. */
static const char *remote_word(struct replay *p, const struct call_sink *k,
			       const struct call_value *v, uint64_t at)
{
	struct told_search what = { .name = "addr", .v = at, .size = 8 };
	const struct own_value *o = replay_own_region(p, at, 1);
	const char *told = at ? replay_told_value(p, what) : NULL;

	what.size = 0;
	what.other = words_beside(k, v, CALL_KEY);
	if (!told && at)
		told = replay_told_value(p, what);
	if (told || !at)
		return told;
	if (o)
		return replay_words_of_own(p, o, at - o->value);
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

/* The address that the call gives with the number of a QP, or NULL. */
static const struct ibv_ah_attr *destination_of(struct replay *p, const struct call_sink *k)
{
	const struct ibv_qp_attr *attr = (const void *)k->base;

	if (k->values != call_table[ROW_ibv_modify_qp].args[1].of->fields)
		return address_of_ah(p, k);
	return replay_now(p)->r.args[2] & IBV_QP_AV ? &attr->ah_attr : NULL;
}

/* Numbers do not tell whose QP it is: that of another host may be the same. */
static const char *qpn_word(struct replay *p, const struct call_sink *k, uint32_t qpn)
{
	const struct told_search what = {
		.name = "qpn", .v = qpn, .size = 4, .to = destination_of(p, k)
	};
	const char *told = qpn ? replay_told_value(p, what) : NULL;
	const struct own_value *o = !told && replay_own_leads_here(p, what.to)
					    ? replay_own_number(p, OWN_QPN, qpn)
					    : NULL;

	if (told || qpn <= 1)
		return told;
	if (o)
		return replay_words_of_own(p, o, 0);
	return not_told(p, "the QP number", qpn);
}

static const char *gid_word(struct replay *p, const unsigned char *gid)
{
	static const unsigned char none[16];
	const char *told = memcmp(gid, none, 16) ? replay_told_gid(p, gid) : NULL;
	const struct own_value *o = told ? NULL : replay_own_gid(p, gid);

	if (told || memcmp(gid, none, 16) == 0)
		return told;
	if (o)
		return replay_words_of_own(p, o, 0);
	replay_note(p, "the GID of the peer stands as it was");
	return NULL;
}

/* Of a pointer, "*own_gid(...)" loses its star. */
static const char *pointed_word(const char *word)
{
	return !word || *word == '[' ? word : *word == '*' ? word + 1 : temp_text("&%s", word);
}

/* Numbers that the peer tells, though the table does not say so. */
static const char *number_word(struct replay *p, const struct call_value *v, uint64_t n)
{
	static const struct {
		const char *member, *name;
	} theirs[] = { { "rq_psn", "psn" },
		       { "wr.ud.remote_qkey", "qkey" },
		       { "remote_qkey", "qkey" },
		       { "dlid", "lid" } };

	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		if (strcmp(v->name, theirs[i].member) == 0 && n > 1)
			return number_told(p, theirs[i].name, n);
	return NULL;
}

const char *replay_words_of_host(struct replay *p, const char *host)
{
	unsigned i = 0;

	while (i < p->naddresses && strcmp(p->address[i], host) != 0)
		i++;
	if (i == ADDRESSES || strcmp(host, "0.0.0.0") == 0 || strcmp(host, "::") == 0)
		return replay_word(p, "$1", "\"$1\"", host, NULL);
	if (i == p->naddresses)
		snprintf(p->address[p->naddresses++], sizeof p->address[0], "%s", host);
	return replay_word(p, "[lindex $address $1]", "address[$1]", replay_digits(i), NULL);
}

bool replay_words_address(const void *address, size_t len, char host[64], char port[8])
{
	union {
		struct sockaddr any;
		struct sockaddr_in four;
		struct sockaddr_in6 six;
	} a = { .any.sa_family = AF_UNSPEC };

	if (address)
		memcpy(&a, address, len < sizeof a ? len : sizeof a);
	if (a.any.sa_family == AF_INET6 && IN6_IS_ADDR_V4MAPPED(&a.six.sin6_addr)) {
		memcpy(&a.four.sin_addr, &a.six.sin6_addr.s6_addr[12], 4);
		a.any.sa_family = AF_INET;
	}
	return getnameinfo(&a.any, a.any.sa_family == AF_INET ? sizeof a.four : sizeof a.six, host,
			   64, port, 8, NI_NUMERICHOST | NI_NUMERICSERV) == 0;
}

static const char *sockaddr_word(struct replay *p, const struct sockaddr *sa)
{
	const size_t len = sa->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6)
						     : sizeof(struct sockaddr_in);
	char host[64], port[8];

	if (!replay_words_address(sa, len, host, port))
		return NULL;
	return replay_word(p, "[list $1 $2]", "lookup($1, \"$2\", &(struct sockaddr_storage){ 0 })",
			   replay_words_of_host(p, host), port, NULL);
}

/* Memory that is registered here is a block; else it is in a region. */
static const char *place_word(struct replay *p, const struct call_sink *k,
			      const struct call_value *v, uint64_t at)
{
	const bool registers = k->is_arg &&
			       record_made(&replay_now(p)->r, &(enum call_object){ 0 });
	const struct own_value *mr = registers ? NULL : replay_own_region(p, at, 0);
	const struct memory_block *b = replay_memory_find(&p->memory, at, 0);
	const char *number;

	if (!at)
		return NULL;
	number = p->back->is_c && v->kind == CALL_IOVA ? "(uintptr_t)" : "";
	if (mr)
		return temp_text("%s%s", number,
				 replay_word(p, at > mr->value ? "$1+$2" : "$1", "at($1, $2)",
					     p->back->object(p, mr->of, OBJECT_MR),
					     replay_digits(at - mr->value), NULL));
	if (b && *b->name)
		return temp_text("%s%s", number,
				 replay_word(p, at > b->at ? "$1+$2" : "$1", "s.$1 + $2", b->name,
					     replay_digits(at - b->at), NULL));
	replay_note(p, "%s 0x%llx is in no memory that is known", v->name, (unsigned long long)at);
	return "0";
}

static const char *word_of(struct replay *p, const struct call_sink *k, const struct call_value *v,
			   const void *at)
{
	const char *special = p->back->special(p, k, v, at);
	const void *bytes;

	if (special)
		return special;
	switch (v->kind) {
	case CALL_OBJECT:
		return call_load(v, at)
			       ? p->back->object(p,
						 replay_objects_of(p, &replay_now(p)->r,
								   call_load(v, at), v->object),
						 v->object)
			       : NULL;
	case CALL_SOCKADDR:
		bytes = (const void *)(uintptr_t)call_load(v, at);
		return bytes ? sockaddr_word(p, bytes) : NULL;
	case CALL_DATA:
		bytes = (const void *)(uintptr_t)call_load(v, at);
		return bytes && replay_words_have_own(p, bytes, k->count)
			       ? p->back->data(p, bytes, k->count, false)
			       : NULL;
	case CALL_GID:
		if (!v->pointer)
			return gid_word(p, at);
		bytes = (const void *)(uintptr_t)call_load(v, at);
		return bytes ? pointed_word(gid_word(p, bytes)) : NULL;
	case CALL_ADDRESS:
		return place_word(p, k, v, call_load(v, at));
	case CALL_IOVA:
		return call_chooses_iova(k, replay_now(p)->r.fn)
			       ? NULL
			       : place_word(p, k, v, call_load(v, at));
	case CALL_REMOTE:
		return remote_word(p, k, v, call_load(v, at));
	case CALL_KEY:
		return v->is_local ? local_key_word(p, k, v, (uint32_t)call_load(v, at))
				   : key_word(p, k, v, (uint32_t)call_load(v, at));
	case CALL_QPN:
		return qpn_word(p, k, (uint32_t)call_load(v, at));
	case CALL_UINT:
		return number_word(p, v, call_load(v, at));
	default:
		return NULL;
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
	struct call_sink k = p->back->sink(f);

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
