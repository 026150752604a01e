/* SPDX-License-Identifier: MIT */
/*
 * The object store. Lists are in order of creation. An object can use only older ones, so the
 * newest is destroyed first. There is a list per class, a list of users per object, and a hash
 * table of names.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "call/calling.h"
#include "live_context.h"
#include "objects.h"
#include "session.h"

#define USERS_NAMED 16 /* users that are named when an object cannot be destroyed */

static bool name_ok(const char *name)
{
	size_t len = strlen(name);

	if (!isalpha((unsigned char)*name) || len >= sizeof((struct obj *)NULL)->name)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && !strchr("_-.", name[i]))
			return false;
	return true;
}

struct obj_group *obj_group(struct obj_store *store, const struct obj_class *class)
{
	struct obj_group *g = store->groups;

	while (g < store->groups + store->n_groups && g->class != class)
		g++;
	if (g < store->groups + store->n_groups)
		return g;
	if (store->n_groups == OBJ_CLASSES)
		Tcl_Panic("more than %d classes of objects", OBJ_CLASSES);
	store->n_groups++;
	g->class = class;
	TAILQ_INIT(&g->objs);
	return g;
}

void obj_store_init(struct obj_store *store)
{
	*store = (struct obj_store){ 0 };
	TAILQ_INIT(&store->all);
	Tcl_InitHashTable(&store->names, TCL_STRING_KEYS);
}

void obj_store_free(struct obj_store *store)
{
	Tcl_DeleteHashTable(&store->names);
}

/* ------------------------------------------------------------------- names -- */

/* Enters the name of an object; false: it is taken. */
static bool claim_name(struct obj_store *store, struct obj *o)
{
	int created;

	o->entry = Tcl_CreateHashEntry(&store->names, o->name, &created);
	if (created)
		Tcl_SetHashValue(o->entry, o);
	return created;
}

static void assign_number(struct obj_store *store, struct obj *o)
{
	do
		snprintf(o->name, sizeof o->name, "%s%u", o->class->prefix, o->group->least++);
	while (!claim_name(store, o));
}

static int set_name(struct session *s, struct obj *o, const char *name)
{
	if (!name) {
		assign_number(&s->ctx->store, o);
		return 0;
	}
	if (!name_ok(name)) {
		fail(s, "name", "EINVAL", "'%s' cannot be a name", name);
		return fail_row(s, "names",
				"start with a letter and use letters, digits, '_', '-', "
				"'.', at most %zu",
				sizeof o->name - 1);
	}
	snprintf(o->name, sizeof o->name, "%s", name);
	if (claim_name(&s->ctx->store, o))
		return 0;
	fail(s, "name", "EEXIST", "there is already an object named %s", name);
	return fail_next(s, "%s", obj_destroy_command(Tcl_GetHashValue(o->entry)));
}

static void *find_name(struct session *s, const char *name)
{
	Tcl_HashEntry *e = Tcl_FindHashEntry(&s->ctx->store.names, name);

	return e ? Tcl_GetHashValue(e) : NULL;
}

void *obj_find(struct session *s, const struct obj_class *class, const char *name)
{
	struct obj *o = find_name(s, name);

	if (!o || o->life == OBJ_NEW || (class && o->class != class))
		return NULL;
	return o;
}

void *obj_first(struct session *s, const struct obj_class *class)
{
	return TAILQ_FIRST(&obj_group(&s->ctx->store, class)->objs);
}

void *obj_next_alike(const void *o)
{
	return TAILQ_NEXT((const struct obj *)o, alike);
}

void *obj_only(struct session *s, const struct obj_class *class, unsigned *n)
{
	const struct obj_group *g = obj_group(&s->ctx->store, class);

	*n = g->n;
	return *n == 1 ? TAILQ_FIRST(&g->objs) : NULL;
}

/* ------------------------------------------------------------------ making -- */

void *obj_new(struct session *s, const struct obj_class *class, const char *name)
{
	struct obj *o = xcalloc(1, class->size);

	o->class = class;
	o->group = obj_group(&s->ctx->store, class);
	TAILQ_INIT(&o->users[0]);
	TAILQ_INIT(&o->users[1]);
	if (set_name(s, o, name) == 0)
		return o;
	free(o);
	return NULL;
}

void obj_add(struct session *s, void *object)
{
	struct obj_store *store = &s->ctx->store;
	struct obj *o = object;

	o->life = OBJ_LIVES;
	o->serial = ++store->serial;
	o->group->n++;
	TAILQ_INSERT_TAIL(&o->group->objs, o, alike);
	TAILQ_INSERT_TAIL(&store->all, o, link);
	handle_name(o);
	call_trace_flush(s);
}

/* Releases the object's uses and its name: its number may be that of any class. */
static void release_obj(struct session *s, struct obj *o)
{
	struct obj_store *store = &s->ctx->store;

	for (unsigned i = 0; i < OBJ_USES; i++)
		obj_unuse(o, o->uses[i].used);
	Tcl_DeleteHashEntry(o->entry);
	for (unsigned i = 0; i < store->n_groups; i++)
		store->groups[i].least = 0;
}

void obj_discard(struct session *s, void *object)
{
	struct obj *o = object;

	release_obj(s, o);
	free(o);
}

int obj_same_dev(struct session *s, const char *call, const void *a, const void *b)
{
	const struct obj *x = a, *y = b;
	const struct ibv_context *of_x = handle_context(x), *of_y = y ? handle_context(y) : NULL;

	if (!of_x || !of_y || of_x == of_y)
		return 0;
	return fail(s, call, "EINVAL", "%s not called: %s is on %s, and %s on %s", call, x->name,
		    ibv_get_device_name(of_x->device), y->name, ibv_get_device_name(of_y->device));
}

/* ------------------------------------------------------------------- users -- */

static struct obj_use *find_use(const struct obj *o, const void *used)
{
	for (unsigned i = 0; i < OBJ_USES; i++)
		if (o->uses[i].used == used)
			return (struct obj_use *)&o->uses[i];
	return NULL;
}

/* Inserts by age; an object that is not in the store yet is the newest. */
static void insert_use(struct obj_users *users, struct obj_use *use)
{
	struct obj_use *at = TAILQ_LAST(users, obj_users);

	while (at && use->user->life != OBJ_NEW &&
	       (at->user->life == OBJ_NEW || at->user->serial > use->user->serial))
		at = TAILQ_PREV(at, obj_users, link);
	if (at)
		TAILQ_INSERT_AFTER(users, at, use, link);
	else
		TAILQ_INSERT_HEAD(users, use, link);
}

void obj_use(void *user, void *used)
{
	struct obj *o = user, *of = used;
	struct obj_use *use;

	if (!used || find_use(o, used))
		return;
	use = find_use(o, NULL);
	if (!use)
		Tcl_Panic("%s uses more than %d objects", o->name, OBJ_USES);
	use->user = o;
	use->used = of;
	of->nusers++;
	insert_use(&of->users[o->class->destroyed_first], use);
}

void obj_unuse(void *user, void *used)
{
	struct obj *o = user;
	struct obj_use *use = used ? find_use(o, used) : NULL;

	if (!use)
		return;
	use->used->nusers--;
	TAILQ_REMOVE(&use->used->users[o->class->destroyed_first], use, link);
	use->used = NULL;
}

bool obj_used(const void *used)
{
	return ((const struct obj *)used)->nusers;
}

const char *obj_destroy_command(const void *object)
{
	const struct obj *o = object;

	return temp_text("destroy %s%s", o->name, obj_used(o) ? " -cascade" : "");
}

const char *obj_title(const struct obj *o)
{
	return o->class->title_of ? o->class->title_of(o) : o->class->title;
}

int obj_out(struct session *s, void *object, struct out *out)
{
	struct obj *o = object;

	if (!o)
		return -1;
	o->class->describe(s, o, out);
	return 0;
}

static int refuse_in_use(struct session *s, const struct obj *o)
{
	struct obj_use *u;
	SCOPED_TEXT(users);
	unsigned named = 0;

	obj_foreach_user(u, o) {
		if (named++ == USERS_NAMED)
			break;
		xappendf(&users, "%s%s (%s)", named > 1 ? ", " : "", u->user->name,
			 obj_title(u->user));
	}
	if (named > USERS_NAMED)
		xappendf(&users, " and %u more", o->nusers - USERS_NAMED);
	fail(s, "destroy", "EBUSY", "%s is in use by %s", o->name, text_str(&users));
	return fail_next(s, "destroy %s -cascade", o->name);
}

/* The user of o to destroy first: the newest of a class that is destroyed first, else the newest.
 */
static struct obj *first_user(const struct obj *o)
{
	const struct obj_use *u = TAILQ_LAST(&o->users[1], obj_users);

	if (!u)
		u = TAILQ_LAST(&o->users[0], obj_users);
	return u ? u->user : NULL;
}

/* The same among all objects. */
static struct obj *first_of_all(struct session *s)
{
	struct obj_store *store = &s->ctx->store;
	struct obj *first = NULL;

	for (unsigned i = 0; i < store->n_groups; i++) {
		struct obj *o = TAILQ_LAST(&store->groups[i].objs, obj_list);

		if (o && o->class->destroyed_first && (!first || o->serial > first->serial))
			first = o;
	}
	return first ? first : TAILQ_LAST(&store->all, obj_list);
}

/* ---------------------------------------------------------------- lifetime -- */

void obj_ref(void *o)
{
	((struct obj *)o)->refs++;
}

void obj_unref(void *object)
{
	struct obj *o = object;

	if (--o->refs == 0 && o->life == OBJ_GONE)
		free(o);
}

bool obj_gone(const void *o)
{
	return ((const struct obj *)o)->life == OBJ_GONE;
}

struct qp *qp_current_aside(struct session *s)
{
	if (s->ctx->qp)
		obj_ref(s->ctx->qp);
	return s->ctx->qp;
}

void qp_current_back(struct session *s, struct qp *qp)
{
	s->ctx->qp = qp && !obj_gone(qp) ? qp : NULL;
	if (qp)
		obj_unref(qp);
}

void obj_hold(struct session *s, struct held *h, void *o)
{
	if (!o)
		return;
	*h = (struct held){ .next = s->held, .o = o, .aside = s->aside };
	s->held = h;
	obj_ref(o);
}

void obj_hold_arg(struct session *s, void *o)
{
	obj_hold(s, arena_alloc(&s->arena, sizeof(struct held)), o);
}

void obj_release(struct session *s, struct held *before)
{
	while (s->held != before) {
		struct obj *o = s->held->o;

		s->held = s->held->next;
		obj_unref(o);
	}
}

/* Is o in use by a command that waits while another one runs? */
static bool is_held(const struct session *s, const struct obj *o)
{
	for (const struct held *h = s->held; o->refs && h; h = h->next)
		if (h->o == o && h->aside < s->aside)
			return !o->class->may_go;
	return false;
}

static void remove_from_store(struct session *s, struct obj *o)
{
	o->life = OBJ_GONE;
	o->group->n--;
	TAILQ_REMOVE(&o->group->objs, o, alike);
	TAILQ_REMOVE(&s->ctx->store.all, o, link);
	release_obj(s, o);
	if (s->ctx->qp == (void *)o)
		s->ctx->qp = NULL;
	if (s->ctx->id == (void *)o)
		s->ctx->id = NULL;
}

static int may_destroy(struct session *s, struct obj *o)
{
	if (is_held(s, o)) {
		fail(s, "destroy", "EBUSY", "%s is in use by a command that is waiting", o->name);
		return fail_row(s, "remedy", "destroy it when that command has returned");
	}
	if (o->life == OBJ_NEW)
		return fail(s, "destroy", "EBUSY", "%s is being made now", o->name);
	if (o->life == OBJ_GOING)
		return fail(s, "destroy", "EBUSY", "%s is being destroyed now", o->name);
	return 0;
}

static int destroy_alone(struct session *s, struct obj *o)
{
	int rc;

	o->life = OBJ_GOING;
	rc = o->class->destroy(s, o);
	o->life = OBJ_LIVES;
	return rc;
}

/* Destroys o and (cascade) its users. It is not an error if o is destroyed together with its users.
 */
static int destroy_referenced(struct session *s, struct obj *o, bool cascade)
{
	struct obj *user;

	while (!obj_gone(o) && (user = first_user(o))) {
		if (!cascade)
			return refuse_in_use(s, o);
		if (obj_destroy(s, user, true))
			return -1;
	}
	if (obj_gone(o))
		return 0;
	if (destroy_alone(s, o))
		return -1;
	remove_from_store(s, o);
	return 0;
}

int obj_destroy(struct session *s, void *object, bool cascade)
{
	struct obj *o = object;
	int rc;

	if (may_destroy(s, o))
		return -1;
	obj_ref(o);
	rc = destroy_referenced(s, o, cascade);
	obj_unref(o);
	return rc;
}

int obj_destroy_quietly(struct session *s, void *o)
{
	struct fail why = fail_aside(s);

	obj_destroy(s, o, true);
	fail_back(s, why);
	return -1;
}

int obj_destroy_each(struct session *s)
{
	struct obj *o;

	while ((o = first_of_all(s)))
		if (obj_destroy(s, o, true))
			return -1;
	return 0;
}

void obj_destroy_all(struct session *s)
{
	struct obj *o, *user;

	while ((o = first_of_all(s))) {
		while ((user = first_user(o))) /* made before it: rereg */
			o = user;
		obj_ref(o);
		if (destroy_alone(s, o)) {
			print_error("rdmash: %s was not destroyed: %s\n", o->name, s->fail.text);
			fail_clear(&s->fail);
			obj_ref(o); /* there may be other references */
		}
		remove_from_store(s, o);
		obj_unref(o);
	}
}

uint64_t obj_made_mark(struct session *s)
{
	return s->ctx->store.serial;
}

void obj_made_since(struct session *s, struct made *m, uint64_t mark)
{
	struct obj *o = TAILQ_LAST(&s->ctx->store.all, obj_list), *first = NULL;

	for (; o && o->serial > mark; o = TAILQ_PREV(o, obj_list, link))
		first = o;
	for (o = first; o && m->n < sizeof m->v / sizeof *m->v; o = TAILQ_NEXT(o, link))
		if (o->class != &dev_class) /* a device that was opened stays open */
			m->v[m->n++] = o;
}

void obj_made_hold(struct session *s, const struct made *m)
{
	for (unsigned i = 0; i < m->n; i++)
		obj_hold_arg(s, m->v[i]);
}

int obj_made_undo(struct session *s, struct made *m)
{
	struct fail why = fail_aside(s);

	while (m->n)
		if (!obj_gone(m->v[--m->n]))
			obj_destroy(s, m->v[m->n], false);
	fail_back(s, why);
	return -1;
}

int obj_made_undo_since(struct session *s, uint64_t mark)
{
	struct made made = { 0 };

	obj_made_since(s, &made, mark);
	return obj_made_undo(s, &made);
}
