/* SPDX-License-Identifier: MIT */
/*
 * Converts dicts to structs, lists to arrays and chains, and the words of a command to the
 * arguments of a function. A count comes from the length of its list. The opcode, type or mask of a
 * struct chooses which member of a union may be set.
 */
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "call_format.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "session.h"

static int set_value(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p);

/* ------------------------------------------------------------------------- lists -- */

/* The place of v, one of values: these are the fields of the struct at base, or (base NULL) the
 * arguments of the function. */
static void *place_of(struct calling *c, const struct call_value *values,
		      const struct call_value *v, void *base)
{
	return base ? (char *)base + v->offset : (void *)&c->arg[v - values];
}

/* Sets the sibling that has the length or count of v. */
static int set_count(struct calling *c, const struct call_value *values, const struct call_value *v,
		     uint64_t n, void *base)
{
	const struct call_value *count = &values[v->with - 1];
	void *p = place_of(c, values, count, base);
	uint64_t log = 0;

	if (!count->is_log)
		return call_put(c, count, n, p);
	while (UINT64_C(1) << log < n)
		log++;
	if (!n || UINT64_C(1) << log != n)
		return call_bad(c, v, "%llu is not a power of two", (unsigned long long)n);
	return call_put(c, count, log, p);
}

static int set_data(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p,
		    uint64_t *n)
{
	Tcl_Size len;
	const unsigned char *data = call_bytes(c, v, word, &len);
	void *copy;

	if (!data)
		return -1;
	copy = len ? arena_copy(&c->s->arena, data, (size_t)len) : NULL;
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
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK)
		return call_bad(c, v, "not a list");
	all = arena_alloc(&c->s->arena, (size_t)n * size + 1);
	memset(all, 0, (size_t)n * size + 1);
	for (int i = 0; i < n; i++) {
		if (objects) {
			one.object = v->object;
			if (call_word(c, &one, item[i], all + (size_t)i * size))
				return -1;
		} else if (call_set(c, v->of, item[i], all + (size_t)i * size, 0)) {
			return -1;
		}
	}
	*count = (uint64_t)n;
	memcpy(p, &all, sizeof all);
	return 0;
}

/* Is it a dict, and not a list of dicts? The first element of a dict is a single word. */
static bool is_one_dict(Tcl_Obj *word)
{
	Tcl_Obj *first;
	Tcl_Size n = 0;

	return Tcl_ListObjIndex(NULL, word, 0, &first) == TCL_OK && first &&
	       Tcl_ListObjLength(NULL, first, &n) == TCL_OK && n == 1;
}

static int set_chain(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p)
{
	Tcl_Obj **item = &word;
	void *before = p;
	Tcl_Size n = 1;

	if (!is_one_dict(word) &&
	    (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK || n == 0))
		return call_bad(c, v, "a dict, or a list of dicts");
	for (int i = 0; i < n; i++) {
		char *wr = arena_alloc(&c->s->arena, v->of->size);

		memset(wr, 0, v->of->size);
		c->has_inline = false;
		if (call_set(c, v->of, item[i], wr, 0))
			return -1;
		memcpy(before, &wr, sizeof wr);
		before = wr + v->of->next;
	}
	return 0;
}

/* Sets the specs that follow a flow's struct. Each has the size of the member that its type
 * chooses.
 */
static int set_trail(struct calling *c, const struct call_value *v, Tcl_Obj *word, char *base)
{
	struct ibv_flow_attr *attr = (struct ibv_flow_attr *)(void *)base;
	char *at = base + sizeof *attr;
	Tcl_Obj **item;
	Tcl_Size n;

	if (Tcl_ListObjGetElements(NULL, word, &n, &item) != TCL_OK || n > 16)
		return call_bad(c, v, "a list of at most 16 dicts");
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

/* The size of a struct, with room for the specs that follow a flow's. */
static size_t room_of(const struct call_struct *of)
{
	size_t room = of->size;

	for (const struct call_value *v = of->fields; v->name; v++)
		if (v->kind == CALL_TRAIL)
			room += 16 * sizeof(struct ibv_flow_spec);
	return room;
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
	return v->kind == CALL_STRUCT  ? set_struct(c, v, word, p)
	       : v->kind == CALL_CHAIN ? set_chain(c, v, word, p)
				       : call_word(c, v, word, p);
}

/* Sets a field or an argument, and its count. */
static int set_field(struct calling *c, const struct call_value *values, const struct call_value *f,
		     Tcl_Obj *word, void *base)
{
	void *p = place_of(c, values, f, base);
	uint64_t n = 0;
	int rc;

	if (call_is_counted(values, f))
		return call_bad(c, f, "it comes from the length of %s", values[f->counts - 1].name);
	switch (f->kind) {
	case CALL_TRAIL:
		return set_trail(c, f, word, base);
	case CALL_LIST:
	case CALL_OBJECTS:
		rc = set_list(c, f, word, p, &n);
		break;
	case CALL_DATA:
		rc = set_data(c, f, word, p, &n);
		break;
	default:
		return set_value(c, f, word, p);
	}
	return rc ? -1 : set_count(c, values, f, n, base);
}

static int fail_no_field(struct calling *c, const struct call_struct *of, const char *key)
{
	SCOPED_LIST(names);

	for (const struct call_value *f = of->fields; f->name; f++)
		if (f->kind != CALL_COOKIE && f->kind != CALL_CALLBACK &&
		    !call_is_counted(of->fields, f))
			value_append(names, f->name);
	fail(c->s, "args", "BADVALUE", "%s: struct %s has no member '%.64s'%s", c->fn->name,
	     of->name, key, mistake_did_you_mean(cmd_suggest(key, names)));
	fail_row(c->s, "members", "%s", Tcl_GetString(names));
	return -1;
}

const struct call_value *call_find_field(const struct call_struct **of, const char *key,
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
		if (base)
			*base += f->offset;
		return call_find_field(of, dot, base);
	}
	return NULL;
}

/* Sets the member's flag in the flags (comp_mask) that choose it, unless the dict has them. */
static void set_chooser(const struct call_struct *of, const struct call_value *f, Tcl_Obj *dict,
			char *base)
{
	const struct call_value *by = f->when ? &of->fields[f->when - 1] : NULL;

	if (by && by->kind == CALL_FLAGS && !dict_get(dict, by->name))
		call_store(by, base + by->offset, call_load(by, base + by->offset) | f->when_any);
}

static int fail_not_chosen(struct calling *c, const struct call_struct *of,
			   const struct call_value *f, const char *base)
{
	const struct call_value *by = f->when ? &of->fields[f->when - 1] : NULL;
	const char *is;

	if (by && by->kind == CALL_ENUM && !call_field_is_set(of, f, base, 0, 0)) {
		is = call_word_name(by->words, (int64_t)call_load(by, base + by->offset));
		return call_bad(c, f, "struct %s has no such member when %s is %s", of->name,
				by->name, is ? is : "that");
	}
	if (f->qp_types)
		return call_bad(c, f, "it is not for a QP of this type");
	return call_bad(c, f, "%s does not name it", by ? by->name : "the mask");
}

/* Sets the fields that a dict names; or, when all are set (set false), checks that they are chosen.
 */
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
	const struct call_value *f = call_find_field(&its, path, &at);

	if (!f) /* wr {rdma {rkey 7}} is wr.rdma.rkey 7 */
		return is_group(of, path) ? each_field(c, of, path, value, base, mask, set)
					  : fail_no_field(c, of, path);
	if (set) {
		if (set_field(c, its->fields, f, value, at))
			return -1;
		set_chooser(its, f, dict, at);
		return 0;
	}
	if (call_field_is_set(its, f, at, its == of ? mask : 0, c->qp_type))
		return 0;
	return fail_not_chosen(c, its, f, at);
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

/* Fails if an object that the struct needs is NULL. */
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
			return call_bad(c, f, "struct %s needs it", of->name);
	}
	return 0;
}

/* Checks that each address among values has its bytes in the memory of one live object. An address
 * that only the device uses may be any, unless the data is copied while posting (SEND_INLINE).
 * Lists are checked here, because send flags may come after them. */
static int check_memory(struct calling *c, const struct call_value *values, void *base)
{
	for (const struct call_value *v = values; v->name; v++) {
		const struct call_value *count = v->with ? &values[v->with - 1] : NULL;
		uint64_t addr, n = v->fixed;

		if (v->kind != CALL_ADDRESS && (v->kind != CALL_IOVA || !c->has_inline) &&
		    (v->kind != CALL_LIST || v->role != CALL_IN))
			continue;
		memcpy(&addr, place_of(c, values, v, base), sizeof addr);
		if (count)
			n = call_load(count, place_of(c, values, count, base));
		if (v->kind != CALL_LIST && call_check_place(c, v, addr, n))
			return -1;
		for (uint64_t i = 0; v->kind == CALL_LIST && i < n; i++)
			if (check_memory(c, v->of->fields,
					 (char *)(uintptr_t)addr + i * v->of->size))
				return -1;
	}
	return 0;
}

int call_set(struct calling *c, const struct call_struct *of, Tcl_Obj *dict, void *p, uint64_t mask)
{
	if (each_field(c, of, "", dict, p, mask, true))
		return -1;
	if (c->ahead)
		return 0;
	if (each_field(c, of, "", dict, p, mask, false) || check_missing(c, of, p, mask))
		return -1;
	return check_memory(c, of->fields, p);
}

/* --------------------------------------------------------------------- arguments -- */

static const struct call_value *struct_of_mask(const struct call_fn *fn, const struct call_value *v)
{
	for (const struct call_value *a = fn->args; a->name; a++)
		if (a->kind == CALL_STRUCT && a->with && &fn->args[a->with - 1] == v)
			return a;
	return NULL;
}

/* The mask bits of the attributes that the dict names. */
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

static int fail_missing_value(struct calling *c, const struct call_value *v)
{
	fail(c->s, "args", "MISSING", "%s: %s is missing", c->fn->name, v->name);
	return fail_next(c->s, "help call %s", c->fn->name);
}

/* Allocates the memory of an argument that the function fills in. */
static int make_room(struct calling *c, unsigned i)
{
	const struct call_value *v = &c->fn->args[i];
	uint64_t n = 1;
	size_t size;

	if (v->kind == CALL_LIST && v->with)
		n = c->arg[v->with - 1];
	if (n > 65536)
		return call_bad(c, v, "%llu are too many", (unsigned long long)n);
	size = v->kind == CALL_STRUCT || v->kind == CALL_LIST ? (v->of ? v->of->size : v->size)
	       : v->kind == CALL_GID			      ? sizeof(union ibv_gid)
							      : 64;
	if (v->object == OBJECT_ASYNC_EVENT && v->kind == CALL_OBJECT)
		size = sizeof(struct ibv_async_event);
	c->arg[i] = (uintptr_t)arena_alloc(&c->s->arena, n * size);
	memset((void *)(uintptr_t)c->arg[i], 0, n * size);
	return 0;
}

static int set_arg(struct calling *c, const struct call_value *v, Tcl_Obj *word)
{
	const struct call_value *args = c->fn->args;

	if (set_field(c, args, v, word, NULL))
		return -1;
	if (v->kind != CALL_STRUCT || !v->with || v->role != CALL_IN)
		return 0;
	return set_count(c, args, v, mask_of(v->of, word), NULL);
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
			if (objv[w] && set_arg(c, v, objv[w]))
				return -1;
			w++;
		} else if (!v->optional && !(struct_of_mask(c->fn, v) && (c->arg[i] || c->ahead))) {
			return fail_missing_value(c, v);
		}
	}
	if (w < objc) {
		fail(c->s, "args", "TOOMANY", "%s: '%.64s' is one argument too many", c->fn->name,
		     objv[w] ? Tcl_GetString(objv[w]) : "...");
		return fail_next(c->s, "help call %s", c->fn->name);
	}
	if (c->ahead)
		return 0;
	for (i = 0; args[i].name; i++)
		if (!c->arg[i] &&
		    (args[i].kind == CALL_BAD || args[i].role == CALL_OUT ||
		     args[i].role == CALL_MADE || args[i].role == CALL_FOUND) &&
		    make_room(c, i))
			return -1;
	if (c->nused > OBJ_USES)
		return fail(c->s, "args", "TOOMANY", "%s: more than %d objects in one call",
			    c->fn->name, OBJ_USES);
	return check_memory(c, args, NULL);
}
