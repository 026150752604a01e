/* SPDX-License-Identifier: MIT */
/*
 * Words become values, as the table describes them. Objects are named, flags are words, structs
 * are dicts, counts come from lists. Nothing of it is believed: an address is one of memory that
 * a live object has, a member of a union is one that its struct's opcode or mask chooses.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "arena.h"
#include "args.h"
#include "calling.h"
#include "cm_addr.h"
#include "session.h"
#include "suggest.h"

static int set_value(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p);

bool call_is_counted(const struct call_value *values, const struct call_value *v)
{
	const struct call_value *of = v->counts ? &values[v->counts - 1] : NULL;

	return of && of->role == CALL_IN && of->kind != CALL_ADDRESS && of->kind != CALL_IOVA;
}

static int bad(struct calling *c, const struct call_value *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int bad(struct calling *c, const struct call_value *v, const char *fmt, ...)
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

static void hold(struct calling *c, struct obj *o)
{
	obj_hold_arg(c->s, o);
	o->named = true;
	for (unsigned i = 0; i < c->nused; i++)
		if (c->used[i] == o)
			return;
	if (c->nused < OBJ_USES)
		c->used[c->nused] = o;
	c->nused++; /* too many: call_words() says so */
}

static int no_such(struct calling *c, const struct call_value *v, const char *name)
{
	struct obj *other = obj_find(c->s, NULL, name), *o;
	Tcl_DString names;

	if (other)
		bad(c, v, "%s is a %s, not a struct %s%s", name, other->class->title,
		    call_objects[v->object].name,
		    v->object == OBJECT_QP_EX && other->class == &qp_class
			    ? ": it was not made with send_ops_flags"
			    : "");
	else
		bad(c, v, "there is no object named '%.64s'", name);
	Tcl_DStringInit(&names);
	obj_foreach(o, c->s)
		if (handle_pointer(o, v->object))
			Tcl_DStringAppendElement(&names, o->name);
	fail_row(c->s, "there are", "%s",
		 Tcl_DStringLength(&names) ? Tcl_DStringValue(&names) : "none");
	Tcl_DStringFree(&names);
	return -1;
}

/* A device that is not open yet is opened by its name, as other commands do. */
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

static int one_device(struct calling *c, const struct call_value *v, const struct obj *o)
{
	const struct ibv_context *context = handle_context(o);

	for (unsigned i = 0; i < c->nused; i++) {
		const struct ibv_context *other = handle_context(c->used[i]);

		if (context && other && context != other)
			return bad(c, v, "%s and %s are not of the same open device", o->name,
				   c->used[i]->name);
	}
	return 0;
}

static int set_object(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct obj *o;
	void *pointer;

	if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
		return 0;
	o = find_handle(c, v, word);
	pointer = o ? handle_pointer(o, v->object) : NULL;
	if (!pointer)
		return c->s->fail.text ? -1 : no_such(c, v, Tcl_GetString(word));
	if (one_device(c, v, o))
		return -1;
	hold(c, o);
	if (!c->qp_type && (v->object == OBJECT_QP || v->object == OBJECT_QP_EX))
		c->qp_type = ((struct ibv_qp *)pointer)->qp_type;
	if (!c->qp_type && v->object == OBJECT_CM_ID)
		c->qp_type = ((struct rdma_cm_id *)pointer)->qp_type;
	memcpy(p, &pointer, sizeof pointer);
	return 0;
}

/* ----------------------------------------------------------------------- numbers -- */

static int number(struct calling *c, const struct call_value *v, Tcl_Obj *word, uint64_t *n)
{
	Tcl_WideInt wide;
	bool fits;

	if (args_number(word, n, &fits) && fits)
		return 0;
	if (*Tcl_GetString(word) == '-' && Tcl_GetWideIntFromObj(NULL, word, &wide) == TCL_OK) {
		*n = (uint64_t)wide;
		return 0;
	}
	return bad(c, v, "'%.64s' is not a number", Tcl_GetString(word));
}

static int store(struct calling *c, const struct call_value *v, uint64_t n, void *p)
{
	if (call_store(v, p, n))
		return 0;
	return bad(c, v, "%lld does not fit in %u bits", (long long)n, 8u * v->size);
}

static int no_word(struct calling *c, const struct call_value *v, const char *typed)
{
	Tcl_Obj *words = Tcl_NewListObj(0, NULL);
	const char *near;

	Tcl_IncrRefCount(words);
	for (const struct call_word *w = v->words->words; w->name; w++)
		Tcl_ListObjAppendElement(NULL, words,
					 Tcl_NewStringObj(call_word_name(v->words, w->value), -1));
	near = suggest(typed, words);
	bad(c, v, "'%.64s' is not a word of %s%s%s%s", typed, v->words->name,
	    near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	fail_row(c->s, "one of", "%s", Tcl_GetString(words));
	Tcl_DecrRefCount(words);
	return -1;
}

static int one_word(struct calling *c, const struct call_value *v, Tcl_Obj *word, uint64_t *n)
{
	const struct call_word *w = call_word_find(v->words, Tcl_GetString(word));
	bool fits;

	if (!w && args_number(word, n, &fits) && fits)
		return 0;
	if (!w)
		return no_word(c, v, Tcl_GetString(word));
	*n = (uint64_t)w->value;
	return 0;
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
		rc = one_word(c, v, word, &one);
		Tcl_DecrRefCount(word);
		if (rc)
			return -1;
		all |= one;
	}
	if (strcmp(v->words->name, "ibv_send_flags") == 0 && all & IBV_SEND_INLINE)
		c->has_inline = true;
	return store(c, v, all, p);
}

/* A number, or the region (or window) whose key it is. */
static int set_key(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct obj *o = obj_find(c->s, NULL, Tcl_GetString(word));
	struct ibv_mr *mr = o ? handle_pointer(o, OBJECT_MR) : NULL;
	struct ibv_mw *mw = o ? handle_pointer(o, OBJECT_MW) : NULL;
	uint64_t n;

	if (mr || mw) {
		n = mw ? mw->rkey : strstr(v->name, "lkey") ? mr->lkey : mr->rkey;
	} else if (number(c, v, word, &n)) {
		return -1;
	}
	return store(c, v, n, p);
}

/* ---------------------------------------------------------------------- addresses -- */

/* "mr0+64": a place in the memory of an object. 0: it is none; 1: it is. */
static int place(struct calling *c, const struct call_value *v, Tcl_Obj *word, uint64_t *addr)
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
			return bad(c, v, "'%.64s': %s has %zu bytes", text, name, len);
	}
	hold(c, o);
	*addr = (uintptr_t)base + off;
	return 1;
}

static int set_address(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	uint64_t addr;
	bool fits;
	int rc;

	if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
		return 0;
	rc = place(c, v, word, &addr);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		if (!args_number(word, &addr, &fits) || !fits)
			return bad(c, v, "'%.64s' is not a place in memory: mr0, buf0+64",
				   Tcl_GetString(word));
		if (v->kind == CALL_ADDRESS && !c->s->opt.unsafe)
			return bad(c, v,
				   "a plain address is taken with --unsafe only: name the object "
				   "whose memory it is (mr0+64)");
	}
	memcpy(p, &addr, sizeof addr);
	return 0;
}

static int check_place(struct calling *c, const struct call_value *v, uint64_t addr, uint64_t len)
{
	if (!addr || c->s->opt.unsafe || handle_has(c->s, addr, len))
		return 0;
	return bad(c, v, "%llu bytes from there are not within the memory of one object",
		   (unsigned long long)len);
}

/* Addresses of the process have their bytes; those that only the device looks at may be any, but
 * for data that is copied while posting. */
static int check_places(struct calling *c, const struct call_value *values, const void *base)
{
	for (const struct call_value *v = values; v->name; v++) {
		const struct call_value *n = v->with ? &values[v->with - 1] : NULL;
		uint64_t addr, len = v->fixed;

		if (v->kind != CALL_ADDRESS && (v->kind != CALL_IOVA || !c->has_inline))
			continue;
		memcpy(&addr, (const char *)base + v->offset, sizeof addr);
		if (n)
			len = call_load(n, (const char *)base + n->offset);
		if (check_place(c, v, addr, len))
			return -1;
	}
	return 0;
}

/* The same for the structs of a list, which came before what they are used for was known. */
static int check_list(struct calling *c, const struct call_value *values,
		      const struct call_value *list, const char *base)
{
	const struct call_value *count = &values[list->with - 1];
	uint64_t n = call_load(count, base + count->offset);
	const char *all;

	memcpy(&all, base + list->offset, sizeof all);
	for (uint64_t i = 0; i < n; i++)
		if (check_places(c, list->of->fields, all + i * list->of->size))
			return -1;
	return 0;
}

static int set_sockaddr(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	struct sockaddr_storage *ss = arena_alloc(&c->s->arena, sizeof *ss);
	uint64_t port = 0;
	Tcl_Obj **part;
	bool fits;
	int n;

	if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
		return 0;
	if (Tcl_ListObjGetElements(NULL, word, &n, &part) != TCL_OK || n < 1 || n > 2)
		return bad(c, v, "an address is a host, or a host and a port: {127.0.0.1 7471}");
	if (n == 2 && (!args_number(part[1], &port, &fits) || !fits || port > UINT16_MAX))
		return bad(c, v, "'%.64s' is not a port", Tcl_GetString(part[1]));
	if (cm_addr_parse(c->s, Tcl_GetString(part[0]), (uint16_t)port, AF_UNSPEC, ss))
		return -1;
	memcpy(p, &ss, sizeof ss);
	return 0;
}

static int set_gid(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	union ibv_gid *gid = v->pointer ? arena_alloc(&c->s->arena, sizeof *gid) : p;
	struct in_addr v4;

	memset(gid, 0, sizeof *gid);
	if (inet_pton(AF_INET6, Tcl_GetString(word), gid) != 1) {
		if (inet_pton(AF_INET, Tcl_GetString(word), &v4) != 1)
			return bad(c, v, "'%.64s' is neither a GID nor an IPv4 address",
				   Tcl_GetString(word));
		memset(gid->raw + 10, 0xff, 2);
		memcpy(gid->raw + 12, &v4, sizeof v4);
	}
	if (v->pointer)
		memcpy(p, &gid, sizeof gid);
	return 0;
}

static int set_bytes(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	int n;
	const unsigned char *data = Tcl_GetByteArrayFromObj(word, &n);

	if (n > v->size)
		return bad(c, v, "%d bytes are more than %u", n, v->size);
	memcpy(p, data, (size_t)n);
	return 0;
}

/* ------------------------------------------------------------------------- lists -- */

/* Sets the length or count of v, which is among values; base: of its struct, or of the args. */
static int set_count(struct calling *c, const struct call_value *values, const struct call_value *v,
		     uint64_t n, void *base)
{
	const struct call_value *count = &values[v->with - 1];
	uint64_t log = 0;

	if (strncmp(count->name, "log_", 4) != 0)
		return store(c, count, n, (char *)base + count->offset);
	while (UINT64_C(1) << log < n)
		log++;
	if (!n || UINT64_C(1) << log != n)
		return bad(c, v, "%llu is not a power of two", (unsigned long long)n);
	return store(c, count, log, (char *)base + count->offset);
}

static int set_data(struct calling *c, Tcl_Obj *word, void *p, uint64_t *n)
{
	int len;
	const unsigned char *data = Tcl_GetByteArrayFromObj(word, &len);
	void *copy = len ? arena_copy(&c->s->arena, data, (size_t)len) : NULL;

	*n = (uint64_t)len;
	memcpy(p, &copy, sizeof copy);
	return 0;
}

static int set_list(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p,
		    uint64_t *count)
{
	bool objects = v->kind == CALL_OBJECTS;
	size_t size = objects ? sizeof(void *) : v->of->size;
	struct call_value one = { .name = v->name, .kind = CALL_OBJECT };
	Tcl_Obj **item;
	char *all;
	int n;

	if (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK)
		return bad(c, v, "not a list");
	all = arena_alloc(&c->s->arena, (size_t)n * size + 1);
	memset(all, 0, (size_t)n * size + 1);
	for (int i = 0; i < n; i++) {
		if (objects) {
			one.object = v->object;
			if (set_object(c, &one, item[i], all + (size_t)i * size))
				return -1;
		} else if (call_set(c, v->of, item[i], all + (size_t)i * size, 0)) {
			return -1;
		}
	}
	*count = (uint64_t)n;
	memcpy(p, &all, sizeof all);
	return 0;
}

/* A dict, or a list of dicts: the first word of a dict is one word. */
static bool is_one_dict(Tcl_Obj *word)
{
	Tcl_Obj *first;
	int n = 0;

	return Tcl_ListObjIndex(NULL, word, 0, &first) == TCL_OK && first &&
	       Tcl_ListObjLength(NULL, first, &n) == TCL_OK && n == 1;
}

/* "next" stands in all that are linked at the same place of a struct of that size. */
static size_t next_of(const struct call_struct *of)
{
	return strcmp(of->name, "ibv_send_wr") == 0   ? offsetof(struct ibv_send_wr, next)
	       : strcmp(of->name, "ibv_recv_wr") == 0 ? offsetof(struct ibv_recv_wr, next)
						      : offsetof(struct ibv_ops_wr, next);
}

static int set_chain(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	Tcl_Obj **item = &word;
	void *before = p;
	int n = 1;

	if (!is_one_dict(word) &&
	    (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK || n == 0))
		return bad(c, v, "a dict, or a list of dicts");
	for (int i = 0; i < n; i++) {
		char *wr = arena_alloc(&c->s->arena, v->of->size);

		memset(wr, 0, v->of->size);
		c->has_inline = false;
		if (call_set(c, v->of, item[i], wr, 0))
			return -1;
		memcpy(before, &wr, sizeof wr);
		before = wr + next_of(v->of);
	}
	return 0;
}

/* Each as long as the member that its type chooses; size says so. */
static int set_trail(struct calling *c, const struct call_value *v, Tcl_Obj *word, char *base)
{
	struct ibv_flow_attr *attr = (struct ibv_flow_attr *)(void *)base;
	char *at = base + sizeof *attr;
	Tcl_Obj **item;
	int n;

	if (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK || n > 16)
		return bad(c, v, "a list of at most 16 dicts");
	for (int i = 0; i < n; i++) {
		struct ibv_flow_spec spec = { 0 };
		const struct call_value *f = v->of->fields;

		if (call_set(c, v->of, item[i], &spec, 0))
			return -1;
		spec.hdr.size = sizeof spec.hdr;
		for (; f->name; f++)
			if (f->kind == CALL_STRUCT &&
			    call_field_is_set(v->of, f, &spec, 0, c->qp_type))
				spec.hdr.size = f->size;
		memcpy(at, &spec, spec.hdr.size);
		at += spec.hdr.size;
	}
	attr->num_of_specs = (uint8_t)n;
	attr->size = (uint16_t)(at - base);
	return 0;
}

/* ------------------------------------------------------------------------ structs -- */

static size_t room_of(const struct call_struct *of)
{
	return strcmp(of->name, "ibv_flow_attr") == 0 ? of->size + 16 * sizeof(struct ibv_flow_spec)
						      : of->size;
}

static int set_struct(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	char *to = p;

	if (v->optional && strcmp(Tcl_GetString(word), "NULL") == 0)
		return 0;
	if (v->pointer) {
		to = arena_alloc(&c->s->arena, room_of(v->of));
		memset(to, 0, room_of(v->of));
		memcpy(p, &to, sizeof to);
	}
	return call_set(c, v->of, word, to, 0);
}

static int set_value(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	char *copy;
	uint64_t n;

	switch (v->kind) {
	case CALL_UINT:
	case CALL_INT:
	case CALL_BE:
		return number(c, v, word, &n) ? -1 : store(c, v, n, p);
	case CALL_ENUM:
		return one_word(c, v, word, &n) ? -1 : store(c, v, n, p);
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
	case CALL_STRUCT:
		return set_struct(c, v, word, p);
	case CALL_CHAIN:
		return set_chain(c, v, word, p);
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
			return store(c, &(struct call_value){ .kind = CALL_INT, .size = v->size },
				     (uint64_t)-1, p);
		return bad(c, v, "a descriptor of this process is not for scripts; -1 is none");
	case CALL_CALLBACK:
		return bad(c, v, "a function of the program cannot be given");
	default:
		return bad(c, v, "it is not given by hand");
	}
}

/* One field, with what counts it. */
static int set_field(struct calling *c, const struct call_struct *of, const struct call_value *f,
		     Tcl_Obj *word, char *base)
{
	uint64_t n;

	if (call_is_counted(of->fields, f))
		return bad(c, f, "it comes from the length of %s", of->fields[f->counts - 1].name);
	switch (f->kind) {
	case CALL_TRAIL:
		return set_trail(c, f, word, base);
	case CALL_LIST:
	case CALL_OBJECTS:
		return set_list(c, f, word, base + f->offset, &n) ||
				       set_count(c, of->fields, f, n, base)
			       ? -1
			       : 0;
	case CALL_DATA:
		return set_data(c, word, base + f->offset, &n) ||
				       set_count(c, of->fields, f, n, base)
			       ? -1
			       : 0;
	default:
		return set_value(c, f, word, base + f->offset);
	}
}

static int no_field(struct calling *c, const struct call_struct *of, const char *key)
{
	Tcl_Obj *names = Tcl_NewListObj(0, NULL);
	const char *near;

	Tcl_IncrRefCount(names);
	for (const struct call_value *f = of->fields; f->name; f++)
		if (f->kind != CALL_COOKIE && f->kind != CALL_CALLBACK &&
		    !call_is_counted(of->fields, f))
			Tcl_ListObjAppendElement(NULL, names, Tcl_NewStringObj(f->name, -1));
	near = suggest(key, names);
	fail(c->s, "args", "BADVALUE", "%s: struct %s has no member '%.64s'%s%s%s", c->fn->name,
	     of->name, key, near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	fail_row(c->s, "members", "%s", Tcl_GetString(names));
	Tcl_DecrRefCount(names);
	return -1;
}

/* "cap.max_send_wr": the struct that holds the member, and the rest of its name. */
static const struct call_value *find_field(const struct call_struct **of, const char *key,
					   char **base)
{
	const struct call_value *f = call_value_find((*of)->fields, key);
	const char *dot;

	if (f)
		return f;
	for (f = (*of)->fields; f->name; f++) {
		size_t n = strlen(f->name);

		if (f->kind != CALL_STRUCT || f->pointer || strncmp(f->name, key, n) != 0 ||
		    key[n] != '.')
			continue;
		dot = key + n + 1;
		*of = f->of;
		*base += f->offset;
		return find_field(of, dot, base);
	}
	return NULL;
}

/* What chooses the member says so where nobody else has said anything: comp_mask. */
static void choose(const struct call_struct *of, const struct call_value *f, Tcl_Obj *dict,
		   char *base)
{
	const struct call_value *by = f->when ? &of->fields[f->when - 1] : NULL;
	Tcl_Obj *key, *given = NULL;

	if (!by || by->kind != CALL_FLAGS)
		return;
	key = Tcl_NewStringObj(by->name, -1);
	Tcl_IncrRefCount(key);
	Tcl_DictObjGet(NULL, dict, key, &given);
	Tcl_DecrRefCount(key);
	if (!given)
		call_store(by, base + by->offset, call_load(by, base + by->offset) | f->when_any);
}

static int not_chosen(struct calling *c, const struct call_struct *of, const struct call_value *f,
		      const char *base)
{
	const struct call_value *by = f->when ? &of->fields[f->when - 1] : NULL;
	const char *is;

	if (by && by->kind == CALL_ENUM && !call_field_is_set(of, f, base, 0, 0)) {
		is = call_word_name(by->words, (int64_t)call_load(by, base + by->offset));
		return bad(c, f, "struct %s has no such member when %s is %s", of->name, by->name,
			   is ? is : "that");
	}
	if (f->qp_types)
		return bad(c, f, "it is not for a QP of this type");
	return bad(c, f, "%s does not name it", by ? by->name : "the mask");
}

/* Sets the fields that a dict names, or (all have been set) looks whether they are chosen. */
static int each_field(struct calling *c, const struct call_struct *of, const char *path,
		      Tcl_Obj *dict, char *base, uint64_t mask, bool set);

static bool is_group(const struct call_struct *of, const char *path)
{
	size_t n = strlen(path);

	for (const struct call_value *f = of->fields; f->name; f++)
		if (strncmp(f->name, path, n) == 0 && f->name[n] == '.')
			return true;
	return false;
}

static int one_field(struct calling *c, const struct call_struct *of, const char *path,
		     Tcl_Obj *dict, Tcl_Obj *value, char *base, uint64_t mask, bool set)
{
	const struct call_struct *its = of;
	char *at = base;
	const struct call_value *f = find_field(&its, path, &at);

	if (!f) /* wr {rdma {rkey 7}} is wr.rdma.rkey 7 */
		return is_group(of, path) ? each_field(c, of, path, value, base, mask, set)
					  : no_field(c, of, path);
	if (set) {
		if (set_field(c, its, f, value, at))
			return -1;
		choose(its, f, dict, at);
		return 0;
	}
	if (call_field_is_set(its, f, at, its == of ? mask : 0, c->qp_type))
		return 0;
	return not_chosen(c, its, f, at);
}

static int each_field(struct calling *c, const struct call_struct *of, const char *path,
		      Tcl_Obj *dict, char *base, uint64_t mask, bool set)
{
	Tcl_Obj *key, *value;
	Tcl_DictSearch search;
	char full[128];
	int done, rc = 0;

	if (Tcl_DictObjFirst(NULL, dict, &search, &key, &value, &done) != TCL_OK)
		return fail(c->s, "args", "BADVALUE", "%s: struct %s: not a dict: '%.64s'",
			    c->fn->name, of->name, Tcl_GetString(dict));
	for (; !done && rc == 0; Tcl_DictObjNext(&search, &key, &value, &done)) {
		snprintf(full, sizeof full, "%s%s%.64s", path, *path ? "." : "",
			 Tcl_GetString(key));
		rc = one_field(c, of, full, dict, value, base, mask, set);
	}
	Tcl_DictObjDone(&search);
	return rc;
}

/* An object that must be there and is not. */
static int check_missing(struct calling *c, const struct call_struct *of, const char *base,
			 uint64_t mask)
{
	for (const struct call_value *f = of->fields; f->name; f++) {
		void *p;

		if (f->kind != CALL_OBJECT || f->optional ||
		    !call_field_is_set(of, f, base, mask, c->qp_type))
			continue;
		memcpy(&p, base + f->offset, sizeof p);
		if (!p)
			return bad(c, f, "struct %s needs it", of->name);
	}
	return 0;
}

int call_set(struct calling *c, const struct call_struct *of, Tcl_Obj *dict, void *p, uint64_t mask)
{
	int rc = 0;

	if (each_field(c, of, "", dict, p, mask, true) ||
	    each_field(c, of, "", dict, p, mask, false) || check_missing(c, of, p, mask) ||
	    check_places(c, of->fields, p))
		return -1;
	for (const struct call_value *f = of->fields; f->name && rc == 0; f++)
		if (f->kind == CALL_LIST)
			rc = check_list(c, of->fields, f, p);
	return rc;
}

/* --------------------------------------------------------------------- arguments -- */

bool call_is_typed(const struct call_fn *fn, const struct call_value *v)
{
	if (v->kind == CALL_COOKIE || v->kind == CALL_BAD || call_is_counted(fn->args, v))
		return false;
	if (v->role == CALL_OUT)
		return v->optional; /* it says what is wanted */
	return v->role == CALL_IN || v->role == CALL_GONE;
}

static const struct call_value *struct_of_mask(const struct call_fn *fn, const struct call_value *v)
{
	for (const struct call_value *a = fn->args; a->name; a++)
		if (a->kind == CALL_STRUCT && a->with && &fn->args[a->with - 1] == v)
			return a;
	return NULL;
}

/* The bits of the attributes that a struct names. */
static uint64_t mask_of(const struct call_struct *of, Tcl_Obj *dict)
{
	Tcl_Obj *key, *value;
	Tcl_DictSearch search;
	uint64_t mask = 0;
	int done;

	if (Tcl_DictObjFirst(NULL, dict, &search, &key, &value, &done) != TCL_OK)
		return 0;
	for (; !done; Tcl_DictObjNext(&search, &key, &value, &done)) {
		size_t n = strcspn(Tcl_GetString(key), ".");

		for (const struct call_value *f = of->fields; f->name; f++)
			if (strncmp(f->name, Tcl_GetString(key), n) == 0 && !f->name[n])
				mask |= f->bit;
	}
	Tcl_DictObjDone(&search);
	return mask;
}

static int missing(struct calling *c, const struct call_value *v)
{
	fail(c->s, "args", "MISSING", "%s: %s is missing", c->fn->name, v->name);
	return fail_next(c->s, "help call %s", c->fn->name);
}

/* Room for what the function fills in. */
static int make_room(struct calling *c, unsigned i)
{
	const struct call_value *v = &c->fn->args[i];
	uint64_t n = 1;
	size_t size;

	if (v->kind == CALL_LIST && v->with)
		n = c->arg[v->with - 1];
	if (n > 65536)
		return bad(c, v, "%llu are too many", (unsigned long long)n);
	size = v->kind == CALL_STRUCT || v->kind == CALL_LIST ? (v->of ? v->of->size : v->size)
	       : v->kind == CALL_GID			      ? sizeof(union ibv_gid)
							      : 64;
	if (v->object == OBJECT_ASYNC_EVENT && v->kind == CALL_OBJECT)
		size = sizeof(struct ibv_async_event);
	c->arg[i] = (uintptr_t)arena_alloc(&c->s->arena, n * size);
	memset((void *)(uintptr_t)c->arg[i], 0, n * size);
	return 0;
}

static int set_arg(struct calling *c, unsigned i, Tcl_Obj *word)
{
	const struct call_value *v = &c->fn->args[i];
	uint64_t n, mask = 0;

	if (v->kind == CALL_LIST || v->kind == CALL_DATA) {
		if (v->kind == CALL_LIST ? set_list(c, v, word, &c->arg[i], &n)
					 : set_data(c, word, &c->arg[i], &n))
			return -1;
		return store(c, &c->fn->args[v->with - 1], n, &c->arg[v->with - 1]);
	}
	if (v->kind == CALL_STRUCT && v->with && v->role == CALL_IN) {
		mask = mask_of(v->of, word);
		if (set_value(c, v, word, &c->arg[i]))
			return -1;
		return store(c, &c->fn->args[v->with - 1], mask, &c->arg[v->with - 1]);
	}
	return set_value(c, v, word, &c->arg[i]);
}

/* Where no other argument has them, lengths are checked against what was typed. */
static int check_args(struct calling *c)
{
	for (unsigned i = 0; c->fn->args[i].name; i++) {
		const struct call_value *v = &c->fn->args[i];
		uint64_t len = v->with ? c->arg[v->with - 1] : v->fixed;

		if (v->kind == CALL_ADDRESS || (v->kind == CALL_IOVA && c->has_inline))
			if (check_place(c, v, c->arg[i], len))
				return -1;
		if (v->kind == CALL_LIST && v->role == CALL_IN && c->has_inline)
			for (uint64_t n = 0; n < c->arg[v->with - 1]; n++)
				if (check_places(c, v->of->fields,
						 (char *)(uintptr_t)c->arg[i] + n * v->of->size))
					return -1;
	}
	return 0;
}

int call_words(struct calling *c, int objc, Tcl_Obj *const objv[])
{
	const struct call_value *args = c->fn->args;
	unsigned i;
	int w = 0;

	for (i = 0; args[i].name; i++) {
		const struct call_value *v = &args[i];

		if (!call_is_typed(c->fn, v))
			continue;
		if (w < objc) {
			if (set_arg(c, i, objv[w++]))
				return -1;
		} else if (!v->optional && !(struct_of_mask(c->fn, v) && c->arg[i])) {
			return missing(c, v);
		}
	}
	if (w < objc) {
		fail(c->s, "args", "TOOMANY", "%s: '%.64s' is one argument too many", c->fn->name,
		     Tcl_GetString(objv[w]));
		return fail_next(c->s, "help call %s", c->fn->name);
	}
	for (i = 0; args[i].name; i++)
		if (!c->arg[i] &&
		    (args[i].kind == CALL_BAD || args[i].role == CALL_OUT ||
		     args[i].role == CALL_MADE || args[i].role == CALL_FOUND) &&
		    make_room(c, i))
			return -1;
	if (c->nused > OBJ_USES)
		return fail(c->s, "args", "TOOMANY", "%s: more than %d objects in one call",
			    c->fn->name, OBJ_USES);
	return check_args(c);
}
