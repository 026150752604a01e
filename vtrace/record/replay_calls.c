/* SPDX-License-Identifier: MIT */
/* Calls of the program as calls of the script: the same words, but for values of both ends. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "own_rows.h"
#include "recorded.h"
#include "replay_script.h"
#include "words.h"

/* ------------------------------------------------------------------------------- values -- */

/* The value of that kind beside v: of the same group, "wr.rdma.rkey" beside
 * "wr.rdma.remote_addr". 0: none. */
static uint64_t value_beside(const struct call_sink *k, const struct call_value *v,
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

static const char *not_told(struct replay *p, const char *what, const char *literal)
{
	replay_note(p,
		    "%s %s: the peer has not told it where this could be seen, it stands as it "
		    "was",
		    what, literal);
	return literal;
}

static const char *key_word(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    uint32_t key)
{
	const struct own_value *o = v->is_local ? own_region(p, value_beside(k, v, CALL_IOVA), 1)
						: NULL;
	const char *told = v->is_local || !key ? NULL
					       : told_number(p, "rkey", key, 4,
							     value_beside(k, v, CALL_REMOTE));

	if (told)
		return told;
	if (!o)
		o = own_number(p, OWN_KEY, key);
	if (o)
		return o->name;
	if (!key || v->is_local)
		return NULL;
	return not_told(p, "key", temp_text("0x%x", key));
}

static const char *remote_word(struct replay *p, const struct call_sink *k,
			       const struct call_value *v, uint64_t at)
{
	const char *told = at ? told_address(p, at, (uint32_t)value_beside(k, v, CALL_KEY)) : NULL;
	const struct own_value *o = told ? NULL : own_region(p, at, 1);

	if (told || !at)
		return told;
	if (o)
		return own_expr(o, at - o->value);
	if (at < 1 << 16) /* an offset in a region that begins at 0 */
		return NULL;
	return not_told(p, "address", temp_text("0x%" PRIx64, at));
}

static const char *qpn_word(struct replay *p, uint32_t qpn)
{
	const char *told = qpn ? told_number(p, "qpn", qpn, 4, 0) : NULL;
	const struct own_value *o = told ? NULL : own_number(p, OWN_QPN, qpn);

	if (told || qpn <= 1)
		return told;
	return o ? own_expr(o, 0) : not_told(p, "QP number", temp_text("%u", qpn));
}

static const char *gid_word(struct replay *p, const unsigned char *gid)
{
	static const unsigned char none[16];
	const char *told = memcmp(gid, none, 16) ? told_gid(p, gid) : NULL;
	char text[INET6_ADDRSTRLEN];

	if (told || memcmp(gid, none, 16) == 0)
		return told;
	for (unsigned i = 0; i < p->nown; i++)
		if (p->own[i].kind == OWN_GID && memcmp(p->own[i].gid, gid, 16) == 0)
			return temp_text("$%s", p->own[i].name);
	return not_told(p, "GID", temp_text("%s", inet_ntop(AF_INET6, gid, text, sizeof text)));
}

/* Numbers that the peer tells, though the table does not say so. */
static const char *number_word(struct replay *p, const struct call_value *v, uint64_t n)
{
	static const struct {
		const char *member, *name;
	} theirs[] = { { "rq_psn", "psn" }, { "wr.ud.remote_qkey", "qkey" }, { "dlid", "lid" } };

	for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
		if (strcmp(v->name, theirs[i].member) == 0 && n > 1)
			return told_number(p, theirs[i].name, n, 4, 0);
	return NULL;
}

/* Memory that is registered here is a block; else it is in a region. */
static const char *place_word(struct replay *p, const struct call_sink *k,
			      const struct call_value *v, uint64_t at)
{
	const struct record *r = &p->calls[p->at].r;
	const bool registers = k->is_arg && record_made(r, &(enum call_object){ 0 });
	const struct own_value *mr = registers ? NULL : own_region(p, at, 0);
	const struct memory_block *b = replay_memory_find(&p->memory, at, 0);
	const char *name = mr ? mr->name : b ? objects_word(p, b->at) : NULL;
	const uint64_t off = at - (mr ? mr->value : b ? b->at : at);

	if (!at)
		return NULL;
	if (!name) {
		replay_note(p, "%s 0x%" PRIx64 " is in no memory that is known", v->name, at);
		return "0";
	}
	return off ? temp_text("%s+%" PRIu64, name, off) : name;
}

/* The first address that the program connects to may be given to the script. */
static const char *address_word(struct replay *p, const struct sockaddr *sa, const char *argument)
{
	const struct sockaddr_in6 *six = (const void *)sa;
	const struct sockaddr_in *four = (const void *)sa;
	const bool is_six = sa->sa_family == AF_INET6;
	const unsigned port = ntohs(is_six ? six->sin6_port : four->sin_port);
	char host[INET6_ADDRSTRLEN];

	if ((!is_six && sa->sa_family != AF_INET) || strcmp(argument, "dst_addr") != 0)
		return NULL;
	inet_ntop(sa->sa_family, is_six ? (const void *)&six->sin6_addr : &four->sin_addr, host,
		  sizeof host);
	if (!*p->host)
		snprintf(p->host, sizeof p->host, "%s", host);
	return strcmp(p->host, host) ? NULL : temp_text("[list $host %u]", port);
}

static const char *data_word(struct replay *p, const void *data, size_t n)
{
	SCOPED_TEXT(word);

	if (!bytes_have_own(p, data, n))
		return NULL;
	bytes_word(p, &word, data, n);
	replay_first(p, "set data %s", text_str(&word));
	return "[list $data]";
}

static const char *word_of(struct replay *p, const struct call_sink *k, const struct call_value *v,
			   const void *at)
{
	const struct record *r = &p->calls[p->at].r;
	uint64_t n = 0;

	switch (v->kind) {
	case CALL_OBJECT:
	case CALL_SOCKADDR:
	case CALL_DATA:
		memcpy(&n, at, sizeof n);
		break;
	case CALL_GID:
		return v->pointer ? NULL : gid_word(p, at);
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
		if (!n && k->is_arg && v->object == OBJECT_PD &&
		    r->fn->args[0].object == OBJECT_CM_ID)
			return objects_default_pd(p, r);
		return n ? objects_name(p, r, n, v->object) : NULL;
	case CALL_SOCKADDR:
		return n ? address_word(p, (const void *)(uintptr_t)n, v->name) : NULL;
	case CALL_DATA:
		return n ? data_word(p, (const void *)(uintptr_t)n, k->count) : NULL;
	case CALL_ADDRESS:
		return place_word(p, k, v, n);
	case CALL_IOVA:
		return call_chooses_iova(k, r->fn) ? NULL : place_word(p, k, v, n);
	case CALL_REMOTE:
		return remote_word(p, k, v, n);
	case CALL_KEY:
		return key_word(p, k, v, (uint32_t)n);
	case CALL_QPN:
		return qpn_word(p, (uint32_t)n);
	default:
		return number_word(p, v, n);
	}
}

static bool write_own(struct call_sink *k, const struct call_value *v, const void *at)
{
	const char *word = word_of(k->arg, k, v, at);

	if (!word)
		return false;
	call_begin_text(k);
	fputs(word, k->to);
	return true;
}

/* --------------------------------------------------------------------------------- lines -- */

/* A word in braces that contains a substitution needs quotes instead. */
static void put_word(struct text *to, const char *word, int len)
{
	const bool braced = *word == '{' && memchr(word, '$', (size_t)len);
	const bool called = *word == '{' && memchr(word, '[', (size_t)len);

	text_add(to, " ");
	if (braced || called)
		xappendf(to, "\"%.*s\"", len - 2, word + 1);
	else
		text_add_bytes(to, word, len);
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

static char *args_text(struct replay *p, const struct record *r)
{
	char *text;
	size_t size;
	FILE *f = xmemstream(&text, &size);
	struct call_sink k = call_words_sink(f);
	struct args_with_cqs own;

	k.own = write_own;
	k.arg = p;
	k.qp_type = live_program_qp_type(p->live, r);
	call_tell_args(&k, r->fn, objects_default_cqs(p, r, &own) ? own.args : r->args);
	fclose(f);
	return text;
}

/* A QP of an id is destroyed with rdma_destroy_qp(), even if the program used ibv_destroy_qp(). */
static const char *function_name(const struct replay *p, const struct record *r)
{
	return r->fn == &call_table[ROW_ibv_destroy_qp] && objects_word(p, r->args[0])
		       ? "rdma_destroy_qp"
		       : r->fn->name;
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

static void write_line(struct replay *p, const struct record *r, const char *name)
{
	char *args = args_text(p, r);
	SCOPED_TEXT(line);

	if (is_departure(r->fn))
		bytes_put_told(p);
	xappendf(&line, "call%s%s", name ? " -name " : "", name ? name : "");
	add_request(&line, r);
	xappendf(&line, " %s", function_name(p, r));
	put_words(&line, args);
	replay_line(p, "%s", text_str(&line));
	free(args);
}

/* ----------------------------------------------------------------------------- each call -- */

/* Writes the buffer in which the call registers memory. */
static void write_buffer(struct replay *p, const struct record *r)
{
	const struct memory_block *b;
	const struct call_value *v = r->fn->args;

	while (v->name && v->kind != CALL_ADDRESS)
		v++;
	b = v->name ? replay_memory_find(&p->memory, r->args[v - r->fn->args], 0) : NULL;
	if (!b || objects_word(p, b->at))
		return;
	objects_name_word(p, b->at, temp_text("buf%u", p->buffers++));
	replay_line(p, "buf %" PRIu64 " -name %s", b->len, objects_word(p, b->at));
}

static void each_piece(struct replay *p, const struct ibv_sge *sge, int n, piece_fn *fn)
{
	for (int i = 0; sge && i < n; i++)
		fn(p, &sge[i]);
}

void calls_each_inline(struct replay *p, const struct record *r, piece_fn *fn)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	const struct ibv_data_buf *buf = (const void *)(uintptr_t)r->args[2];
	struct ibv_sge piece;

	switch (row_of(r)) {
	case ROW_ibv_post_send:
		for (; wr; wr = wr->next)
			if (wr->send_flags & IBV_SEND_INLINE)
				each_piece(p, wr->sg_list, wr->num_sge, fn);
		break;
	case ROW_ibv_wr_set_inline_data:
		piece = (struct ibv_sge){ .addr = r->args[1], .length = (uint32_t)r->args[2] };
		fn(p, &piece);
		break;
	case ROW_ibv_wr_set_inline_data_list:
		for (uint64_t i = 0; buf && i < r->args[1]; i++) {
			piece = (struct ibv_sge){ .addr = (uintptr_t)buf[i].addr,
						  .length = (uint32_t)buf[i].length };
			fn(p, &piece);
		}
		break;
	}
}

/* Inline data need not be registered: the script registers the memory from which it is sent. */
static void write_inline_region(struct replay *p, const struct ibv_sge *s)
{
	const struct memory_block *b = replay_memory_find(&p->memory, s->addr, s->length);
	struct own_value v = { .kind = OWN_MEMORY, .is_extra = true };

	if (!b || own_region(p, s->addr, s->length))
		return;
	v.value = b->at;
	v.len = b->len;
	snprintf(v.name, sizeof v.name, "inline%u", p->inlines++);
	own_add(p, &v);
	replay_line(p, "reg %" PRIu64 " -name %s ;# sent inline, not registered there", b->len,
		    v.name);
}

/* They may belong to the PD that is deallocated now. */
static void destroy_extra_regions(struct replay *p)
{
	for (unsigned i = 0; i < p->nown; i++) {
		if (!p->own[i].is_extra || p->own[i].gone)
			continue;
		replay_line(p, "destroy %s", p->own[i].name);
		p->own[i].gone = true;
	}
}

static void put_piece(struct replay *p, const struct ibv_sge *s)
{
	bytes_put(p, s->addr, s->length);
}

static void add_built(struct replay *p, const struct ibv_sge *s)
{
	p->built = xgrow(p->built, p->nbuilt, sizeof *p->built);
	p->built[p->nbuilt++] = *s;
}

/* What a request sends is in memory before it is posted; requests of an extended QP are posted
 * together by ibv_wr_complete(). */
static void put_sent(struct replay *p, const struct record *r)
{
	const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];
	struct ibv_sge piece;

	switch (row_of(r)) {
	case ROW_ibv_post_send:
		for (; wr; wr = wr->next)
			if (wr->opcode != IBV_WR_RDMA_READ)
				each_piece(p, wr->sg_list, wr->num_sge, put_piece);
		break;
	case ROW_ibv_wr_set_inline_data:
	case ROW_ibv_wr_set_inline_data_list:
		calls_each_inline(p, r, put_piece);
		break;
	case ROW_ibv_wr_start:
		p->nbuilt = 0;
		break;
	case ROW_ibv_wr_set_sge:
		piece = (struct ibv_sge){ r->args[2], (uint32_t)r->args[3], (uint32_t)r->args[1] };
		add_built(p, &piece);
		break;
	case ROW_ibv_wr_set_sge_list:
		each_piece(p, (const void *)(uintptr_t)r->args[2], (int)r->args[1], add_built);
		break;
	case ROW_ibv_wr_complete:
		each_piece(p, p->built, (int)p->nbuilt, put_piece);
		break;
	}
}

static bool is_device_call(const struct call_fn *fn)
{
	if (fn->result.kind == CALL_OBJECT &&
	    (fn->result.object == OBJECT_CONTEXT || fn->result.object == OBJECT_DEVICE_LIST ||
	     fn->result.object == OBJECT_CONTEXT_LIST))
		return true;
	for (const struct call_value *v = fn->args; v->name; v++)
		if (v->kind == CALL_OBJECT &&
		    (v->object == OBJECT_DEVICE || v->object == OBJECT_DEVICE_LIST ||
		     v->object == OBJECT_CONTEXT_LIST ||
		     (v->object == OBJECT_CONTEXT && v->role == CALL_GONE)))
			return true;
	return false;
}

/* Devices are opened by their names. */
static void write_device(struct replay *p, const struct record *r)
{
	const struct ibv_device *device = r->nargs && r->fn->args[0].object == OBJECT_DEVICE
						  ? record_bytes(r, r->args[0], NULL)
						  : NULL;

	if (device && r->fn->result.object == OBJECT_CONTEXT && r->result && !r->err)
		objects_meet_device(p, r->result,
				    objects_own_name(p, r, r->args[0], OBJECT_DEVICE));
}

/* The QP of the id in the first argument no longer belongs to an id. Returns its address; 0: there
 * is none. */
static uint64_t drop_qp(struct replay *p, const struct record *r)
{
	const char *id = objects_name(p, r, r->args[0], OBJECT_CM_ID);
	uint64_t qp = 0;

	for (unsigned i = 0; i < p->nnamed; i++) {
		struct named_object *o = &p->named[i];

		if (!o->address || o->address == r->args[0] || strcmp(o->word, id) != 0)
			continue;
		qp = o->address;
		o->address = 0;
	}
	return qp;
}

/* A program may destroy the QP of an id after the id. The script knows it only by the id. */
static void end_qp_first(struct replay *p, const struct record *r)
{
	const char *id = objects_name(p, r, r->args[0], OBJECT_CM_ID);
	const uint64_t qp = drop_qp(p, r);

	if (!qp)
		return;
	replay_line(p, "call rdma_destroy_qp %s", id);
	objects_skip(p, qp);
}

/* Where the flags are not constant, the header makes ibv_reg_mr_iova2() of ibv_reg_mr(): the script
 * has the latter. */
static bool write_reg_mr(struct replay *p, const struct record *r, const char *name)
{
	const uint64_t args[] = { r->args[0], record_arg(r, "addr"), record_arg(r, "length"),
				  record_arg(r, "access") };
	struct record plain = *r;

	if (r->fn != &call_table[ROW_ibv_reg_mr_iova2] || record_arg(r, "iova") != args[1])
		return false;
	plain.fn = &call_table[ROW_ibv_reg_mr];
	plain.args = args;
	plain.nargs = sizeof args / sizeof *args;
	write_line(p, &plain, name);
	return true;
}

/* Is it the destruction of an object that the script does not have, or has destroyed already? */
static bool is_skipped(struct replay *p, const struct record *r)
{
	return r->nargs && r->fn->args[0].role == CALL_GONE && objects_are_skipped(p, r->args[0]);
}

static void write_failed(struct replay *p, const struct record *r)
{
	const char *name = strerrorname_np(r->err);

	if (r->err != EAGAIN && r->err != EINTR && r->err != ENOENT)
		replay_line(p, "# %s had failed: %s", r->fn->name, name ? name : "?");
	if (row_of(r) == ROW_ibv_wr_complete)
		replay_line(p, "call ibv_wr_abort %s",
			    objects_name(p, r, r->args[0], OBJECT_QP_EX));
}

void calls_write(struct replay *p, const struct record *r)
{
	enum call_object kind = OBJECT_NONE;
	const uint64_t made = record_made(r, &kind);
	char name[40] = "";

	if (is_device_call(r->fn)) {
		write_device(p, r);
		return;
	}
	if (r->err) {
		write_failed(p, r);
		return;
	}
	if (r->fn == &call_table[ROW_ibv_query_gid])
		objects_learn_gid(p, r);
	if (r->fn->asks || is_skipped(p, r) || waits_write(p, r))
		return;
	if (r->fn->why) {
		replay_note(p, "%s is left out: %s", r->fn->name, r->fn->why);
		return;
	}
	if (made && kind == OBJECT_MR)
		write_buffer(p, r);
	calls_each_inline(p, r, write_inline_region);
	put_sent(p, r);
	if (row_of(r) == ROW_ibv_dealloc_pd)
		destroy_extra_regions(p);
	if (r->left_out)
		replay_note(p, "of what %s was given not all was kept", r->fn->name);
	if (r->fn == &call_table[ROW_rdma_destroy_id])
		end_qp_first(p, r);
	if (made)
		snprintf(name, sizeof name, "%s", objects_own_name(p, r, made, kind));
	if (!write_reg_mr(p, r, name))
		write_line(p, r, *name ? name : NULL);
	objects_forget(p, r);
	objects_learn_made(p, r, made, kind, name);
	if (r->fn == &call_table[ROW_rdma_destroy_qp])
		drop_qp(p, r);
}
