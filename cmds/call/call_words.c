/* SPDX-License-Identifier: MIT */
/*
 * Converts words to values, as the table describes them: objects, numbers, flags, addresses. Every
 * word is checked: an address must be in the memory of a live object.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "call_format.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "device/device.h"
#include "live_context.h"
#include "object_args.h"
#include "recorded.h"
#include "session.h"

int call_bad(struct calling *c, const struct call_value *v, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	fail(c->s, "args", "BADVALUE", "%s: %s: %s", c->fn->name, v->name, text);
	return fail_row(c->s, "in C", "%s", c->fn->prototype);
}

/* ----------------------------------------------------------------------- objects -- */

static void use_object(struct calling *c, struct obj *o)
{
	obj_hold_arg(c->s, o);
	o->named = true;
	for (unsigned i = 0; i < c->nused; i++)
		if (c->used[i] == o)
			return;
	if (c->nused < OBJ_USES)
		c->used[c->nused] = o;
	c->nused++; /* beyond OBJ_USES call_words() fails */
}

static int fail_no_object(struct calling *c, const struct call_value *v, const char *name)
{
	struct obj *other = obj_find(c->s, NULL, name), *o;
	SCOPED_TEXT(names);

	if (other)
		call_bad(c, v, "%s is a %s, not a struct %s%s", name, other->class->title,
			 call_objects[v->object].name,
			 v->object == OBJECT_QP_EX && other->class == &qp_class
				 ? ": it was not made with send_ops_flags"
				 : "");
	else
		call_bad(c, v, "there is no object named '%.64s'", name);
	obj_foreach(o, c->s)
		if (handle_pointer(o, v->object))
			xappendf(&names, "%s%s", text_len(&names) ? " " : "", o->name);
	fail_row(c->s, "there are", "%s", text_len(&names) ? text_str(&names) : "none");
	return -1;
}

/* Finds the object of that name. Opens a device that is not open yet, as other commands do. */
static struct obj *find_handle(struct calling *c, const struct call_value *v, Tcl_Obj *word)
{
	struct obj *o = obj_find(c->s, NULL, Tcl_GetString(word));
	struct dev *dev;

	if (o || (v->object != OBJECT_CONTEXT && v->object != OBJECT_DEVICE))
		return o;
	if (kind_dev.parse(c->s, &(struct arg){ .name = v->name }, word, &dev))
		return NULL;
	return &dev->o;
}

static int check_one_device(struct calling *c, const struct call_value *v, const struct obj *o)
{
	const struct ibv_context *context = handle_context(o);

	for (unsigned i = 0; i < c->nused; i++) {
		const struct ibv_context *other = handle_context(c->used[i]);

		if (context && other && context != other)
			return call_bad(c, v, "%s and %s are not of the same open device", o->name,
					c->used[i]->name);
	}
	return 0;
}

static int set_object(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct obj *o;
	void *pointer;

	if (c->ahead || (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0))
		return 0;
	o = find_handle(c, v, word);
	pointer = o ? handle_pointer(o, v->object) : NULL;
	if (!pointer)
		return c->s->fail.text ? -1 : fail_no_object(c, v, Tcl_GetString(word));
	if (check_one_device(c, v, o))
		return -1;
	if (v->role == CALL_GONE && v->object == OBJECT_QP && handle_pointer(o, OBJECT_CM_ID))
		return call_bad(c, v, "%s is an id: 'call rdma_destroy_qp %s' ends its QP", o->name,
				o->name);
	use_object(c, o);
	if (!c->qp_type && (v->object == OBJECT_QP || v->object == OBJECT_QP_EX))
		c->qp_type = ((struct ibv_qp *)pointer)->qp_type;
	if (!c->qp_type && v->object == OBJECT_CM_ID)
		c->qp_type = ((struct rdma_cm_id *)pointer)->qp_type;
	memcpy(p, &pointer, sizeof pointer);
	return 0;
}

/* ----------------------------------------------------------------------- numbers -- */

static int parse_call_number(struct calling *c, const struct call_value *v, Tcl_Obj *word,
			     uint64_t *n)
{
	Tcl_WideInt wide;
	bool fits;

	if (args_number(Tcl_GetString(word), n, &fits) && fits)
		return 0;
	if (*Tcl_GetString(word) == '-' && Tcl_GetWideIntFromObj(NULL, word, &wide) == TCL_OK) {
		*n = (uint64_t)wide;
		return 0;
	}
	return call_bad(c, v, "'%.64s' is not a number", Tcl_GetString(word));
}

int call_put(struct calling *c, const struct call_value *v, uint64_t n, void *p)
{
	if (call_store(v, p, n))
		return 0;
	return call_bad(c, v, "%lld does not fit in %u bits", (long long)n, 8u * v->size);
}

static int fail_no_word(struct calling *c, const struct call_value *v, const char *typed)
{
	SCOPED_LIST(words);

	for (const struct call_word *w = v->words->words; w->name; w++)
		value_append(words, call_word_name(v->words, w->value));
	call_bad(c, v, "'%.64s' is not a word of %s%s", typed, v->words->name,
		 mistake_did_you_mean(cmd_suggest(typed, words)));
	fail_row(c->s, "one of", "%s", Tcl_GetString(words));
	return -1;
}

static int parse_enumerator(struct calling *c, const struct call_value *v, Tcl_Obj *word,
			    uint64_t *n)
{
	const struct call_word *w = call_word_find(v->words, Tcl_GetString(word));
	bool fits;

	if (!w && args_number(Tcl_GetString(word), n, &fits) && fits)
		return 0;
	if (!w)
		return fail_no_word(c, v, Tcl_GetString(word));
	*n = (uint64_t)w->value;
	return 0;
}

static const struct call_enum *send_flags(void)
{
	const struct call_value *v = call_table[ROW_ibv_post_send].args[1].of->fields;

	while (v->offset != offsetof(struct ibv_send_wr, send_flags))
		v++;
	return v->words;
}

/* "LOCAL_WRITE,REMOTE_READ", a list of them, or 0. */
static int set_flags(struct calling *c, const struct call_value *v, Tcl_Obj *words, void *p)
{
	char *text = arena_copy0(&c->s->arena, Tcl_GetString(words), strlen(Tcl_GetString(words)));
	uint64_t all = 0, one;
	char *rest = text;

	for (char *w; (w = strtok_r(rest, ", |\t\n", &rest));) {
		Tcl_Obj *word = Tcl_NewStringObj(w, -1);
		int rc;

		Tcl_IncrRefCount(word);
		rc = parse_enumerator(c, v, word, &one);
		Tcl_DecrRefCount(word);
		if (rc)
			return -1;
		all |= one;
	}
	if (v->words == send_flags() && all & IBV_SEND_INLINE)
		c->has_inline = true;
	return call_put(c, v, all, p);
}

/* A number, or the region (or window) whose key it is. */
static int set_key(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct obj *o = obj_find(c->s, NULL, Tcl_GetString(word));
	struct ibv_mr *mr = o ? handle_pointer(o, OBJECT_MR) : NULL;
	struct ibv_mw *mw = o ? handle_pointer(o, OBJECT_MW) : NULL;
	uint64_t n;

	if (c->ahead)
		return 0;
	if (mr || mw) {
		n = mw ? mw->rkey : v->is_local ? mr->lkey : mr->rkey;
	} else if (parse_call_number(c, v, word, &n)) {
		return -1;
	}
	return call_put(c, v, n, p);
}

/* ---------------------------------------------------------------------- addresses -- */

/* Parses "mr0+64", a place in the memory of an object. 1: it is one; 0: there is no such object; -1
 * with s->fail filled. */
static int parse_place(struct calling *c, const struct call_value *v, Tcl_Obj *word, uint64_t *addr)
{
	const char *text = Tcl_GetString(word), *plus = strchr(text, '+');
	char name[sizeof((struct obj *)NULL)->name];
	struct obj *o;
	uint64_t off = 0;
	char *base, *end;
	size_t len;

	snprintf(name, sizeof name, "%.*s", (int)(plus ? plus - text : (long)strlen(text)), text);
	o = obj_find(c->s, NULL, name);
	base = o ? handle_memory(o, &len) : NULL;
	if (!base)
		return 0;
	if (plus) {
		off = strtoull(plus + 1, &end, 0);
		if (!plus[1] || *end || plus[1] == '-' || off > len)
			return call_bad(c, v, "'%.64s': %s has %zu bytes", text, name, len);
	}
	use_object(c, o);
	*addr = (uintptr_t)base + off;
	return 1;
}

static int set_address(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	uint64_t addr;
	bool fits;
	int rc;

	if (c->ahead || (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0))
		return 0;
	rc = parse_place(c, v, word, &addr);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		if (!args_number(Tcl_GetString(word), &addr, &fits) || !fits)
			return call_bad(c, v, "'%.64s' is not a place in memory: mr0, buf0+64",
					Tcl_GetString(word));
		if (v->kind == CALL_ADDRESS && !c->s->opt.unsafe)
			return call_bad(
				c, v,
				"a plain address needs --unsafe: name the object whose memory it "
				"is (mr0+64)");
	}
	memcpy(p, &addr, sizeof addr);
	return 0;
}

int call_check_place(struct calling *c, const struct call_value *v, uint64_t addr, uint64_t len)
{
	if (!addr || c->s->opt.unsafe || obj_by_address(c->s, NULL, addr, len))
		return 0;
	return call_bad(c, v, "%llu bytes from there are not within the memory of one object",
			(unsigned long long)len);
}

static int set_sockaddr(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct sockaddr_storage *ss = arena_alloc(&c->s->arena, sizeof *ss);
	uint64_t port = 0;
	Tcl_Obj **part;
	bool fits;
	Tcl_Size n;

	if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
		return 0;
	if (Tcl_ListObjGetElements(NULL, word, &n, &part) != TCL_OK || n < 1 || n > 2)
		return call_bad(c, v,
				"an address is a host, or a host and a port: {127.0.0.1 7471}");
	if (n == 2 &&
	    (!args_number(Tcl_GetString(part[1]), &port, &fits) || !fits || port > UINT16_MAX))
		return call_bad(c, v, "'%.64s' is not a port", Tcl_GetString(part[1]));
	if (!c->ahead && cm_addr_parse(c->s, Tcl_GetString(part[0]), (uint16_t)port, AF_UNSPEC, ss))
		return -1;
	memcpy(p, &ss, sizeof ss);
	return 0;
}

static int set_gid(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	union ibv_gid *gid = v->pointer ? arena_alloc(&c->s->arena, sizeof *gid) : p;

	if (!gid_parse(Tcl_GetString(word), gid->raw))
		return call_bad(c, v, "'%.64s' is neither a GID nor an IPv4 address",
				Tcl_GetString(word));
	if (v->pointer)
		memcpy(p, &gid, sizeof gid);
	return 0;
}

const unsigned char *call_bytes(struct calling *c, const struct call_value *v, Tcl_Obj *word,
				Tcl_Size *n)
{
	/* of U+0100 and above the first byte of UTF-8 is more than C3 */
	for (const unsigned char *p = (const unsigned char *)Tcl_GetString(word); *p; p++)
		if (*p > 0xc3) {
			call_bad(c, v,
				 "'%s' has a character that is no byte; pack makes bytes of text",
				 Tcl_GetString(word));
			return NULL;
		}
	return Tcl_GetByteArrayFromObj(word, n);
}

static int set_bytes(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	Tcl_Size n;
	const unsigned char *data = call_bytes(c, v, word, &n);

	if (!data)
		return -1;
	if ((size_t)n > v->size)
		return call_bad(c, v, "%zu bytes are more than %u", (size_t)n, v->size);
	memcpy(p, data, (size_t)n);
	return 0;
}

/* ----------------------------------------------------------------------- a value -- */

int call_word(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	char *copy;
	uint64_t n;

	switch (v->kind) {
	case CALL_UINT:
	case CALL_INT:
	case CALL_BE:
	case CALL_QPN:
		return parse_call_number(c, v, word, &n) ? -1 : call_put(c, v, n, p);
	case CALL_ENUM:
		return parse_enumerator(c, v, word, &n) ? -1 : call_put(c, v, n, p);
	case CALL_FLAGS:
		return set_flags(c, v, word, p);
	case CALL_KEY:
		return set_key(c, v, word, p);
	case CALL_OBJECT:
		return set_object(c, v, word, p);
	case CALL_ADDRESS:
	case CALL_IOVA:
	case CALL_REMOTE:
		return set_address(c, v, word, p);
	case CALL_SOCKADDR:
		return set_sockaddr(c, v, word, p);
	case CALL_GID:
		return set_gid(c, v, word, p);
	case CALL_CHARS:
	case CALL_BYTES:
		return set_bytes(c, v, word, p);
	case CALL_STRING:
		if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
			return 0;
		copy = Tcl_GetString(word);
		memcpy(p, &copy, sizeof copy);
		return 0;
	case CALL_FD:
		if (strcmp(Tcl_GetString(word), "-1") == 0)
			return call_put(c,
					&(struct call_value){ .kind = CALL_INT, .size = v->size },
					(uint64_t)-1, p);
		return call_bad(c, v, "a descriptor of this process cannot be given; -1: none");
	case CALL_CALLBACK:
		return call_bad(c, v, "a function of the program cannot be given");
	default:
		return call_bad(c, v, "it cannot be given");
	}
}
