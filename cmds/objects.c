/* SPDX-License-Identifier: MIT */
/*
 * The object store. The list is in order of creation, and an object can only use what
 * was there before it: walking it backwards destroys users before what they use.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "journal.h"
#include "objects.h"
#include "session.h"
#include "xmem.h"

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

static int take_name(struct session *s, struct obj *o, const char *name)
{
	if (name && !name_ok(name)) {
		fail(s, "name", "EINVAL", "'%s' cannot be a name", name);
		return fail_row(s, "names",
				"begin with a letter and have letters, digits, '_', '-', "
				"'.', at most %zu",
				sizeof o->name - 1);
	}
	if (name && obj_find(s, NULL, name)) {
		fail(s, "name", "EEXIST", "there is already an object named %s", name);
		return fail_next(s, "destroy %s", name);
	}
	if (name) {
		snprintf(o->name, sizeof o->name, "%s", name);
		return 0;
	}
	for (unsigned n = 0;; n++) {
		snprintf(o->name, sizeof o->name, "%s%u", o->class->prefix, n);
		if (!obj_find(s, NULL, o->name))
			return 0;
	}
}

void *obj_new(struct session *s, const struct obj_class *class, const char *name)
{
	struct obj *o = xcalloc(1, class->size);

	o->class = class;
	if (take_name(s, o, name) == 0)
		return o;
	free(o);
	return NULL;
}

void obj_use(void *user, void *used)
{
	struct obj *o = user;

	if (!used)
		return;
	for (unsigned i = 0; i < OBJ_USES; i++) {
		if (o->uses[i] == used)
			return;
		if (!o->uses[i]) {
			o->uses[i] = used;
			return;
		}
	}
	Tcl_Panic("%s uses more than %d objects", o->name, OBJ_USES);
}

void obj_unuse(void *user, void *used)
{
	struct obj *o = user;

	for (unsigned i = 0; i < OBJ_USES && used; i++)
		if (o->uses[i] == used) {
			memmove(&o->uses[i], &o->uses[i + 1],
				(OBJ_USES - 1 - i) * sizeof o->uses[0]);
			o->uses[OBJ_USES - 1] = NULL;
			return;
		}
}

void obj_add(struct session *s, void *o)
{
	((struct obj *)o)->serial = ++s->ctx->serial;
	TAILQ_INSERT_TAIL(&s->ctx->objs, (struct obj *)o, link);
	journal_made(s, o);
}

void obj_discard(void *o)
{
	free(o);
}

bool obj_lives(struct session *s, const void *object, uint64_t serial)
{
	struct obj *o;

	obj_foreach(o, s)
		if (o == object)
			return o->serial == serial;
	return false;
}

int obj_same_dev(struct session *s, const char *call, const void *a, const struct dev *dev_a,
		 const void *b, const struct dev *dev_b)
{
	const struct obj *x = a, *y = b;

	if (!y || dev_a == dev_b)
		return 0;
	return fail(s, call, "EINVAL", "%s not called: %s is on %s, and %s on %s", call, x->name,
		    dev_a->o.name, y->name, dev_b->o.name);
}

void *obj_find(struct session *s, const struct obj_class *class, const char *name)
{
	struct obj *o;

	obj_foreach(o, s)
		if ((!class || o->class == class) && strcmp(o->name, name) == 0)
			return o;
	return NULL;
}

void *obj_only(struct session *s, const struct obj_class *class, unsigned *n)
{
	struct obj *o, *found = NULL;

	*n = 0;
	obj_foreach(o, s)
		if (o->class == class) {
			found = o;
			++*n;
		}
	return *n == 1 ? found : NULL;
}

bool obj_uses(const void *user, const void *used)
{
	const struct obj *o = user;

	for (unsigned i = 0; i < OBJ_USES && o->uses[i]; i++)
		if (o->uses[i] == used)
			return true;
	return false;
}

static int in_use(struct session *s, struct obj *o)
{
	Tcl_DString users;
	struct obj *u;

	Tcl_DStringInit(&users);
	obj_foreach(u, s)
		if (obj_uses(u, o)) {
			Tcl_DStringAppend(&users, Tcl_DStringLength(&users) ? " " : "", -1);
			Tcl_DStringAppend(&users, u->name, -1);
		}
	fail(s, "destroy", "EBUSY", "%s is in use by %s", o->name, Tcl_DStringValue(&users));
	Tcl_DStringFree(&users);
	return fail_next(s, "destroy %s -cascade", o->name);
}

/* Who goes first, of the users of o or (NULL) of all: the newest that clings to others,
 * else the newest. */
static struct obj *first_to_go(struct session *s, const struct obj *o)
{
	struct obj *u, *last = NULL;

	TAILQ_FOREACH_REVERSE(u, &s->ctx->objs, obj_list, link)
	{
		if (o && !obj_uses(u, o))
			continue;
		if (u->class->clings)
			return u;
		last = last ? last : u;
	}
	return last;
}

static void drop(struct session *s, struct obj *o)
{
	TAILQ_REMOVE(&s->ctx->objs, o, link);
	if (s->ctx->qp == (void *)o)
		s->ctx->qp = NULL;
	if (s->ctx->id == (void *)o)
		s->ctx->id = NULL;
	free(o);
}

void obj_hold(struct session *s, struct held *h, const void *o)
{
	*h = (struct held){ .next = s->held, .o = o, .aside = s->aside };
	s->held = h;
}

static bool is_held(const struct session *s, const struct obj *o)
{
	for (const struct held *h = s->held; h; h = h->next)
		if (h->o == o && h->aside < s->aside)
			return !o->class->may_go;
	return false;
}

int obj_destroy(struct session *s, void *object, bool cascade)
{
	struct obj *o = object, *user;

	if (is_held(s, o)) {
		fail(s, "destroy", "EBUSY", "%s is what a command works with that waits now",
		     o->name);
		return fail_row(s, "remedy", "destroy it when that command has returned");
	}
	while ((user = first_to_go(s, o))) {
		if (!cascade)
			return in_use(s, o);
		if (obj_destroy(s, user, true))
			return -1;
	}
	if (o->class->destroy(s, o))
		return -1;
	journal_gone(s, o);
	drop(s, o);
	return 0;
}

int obj_destroy_each(struct session *s)
{
	struct obj *o;

	while ((o = first_to_go(s, NULL)))
		if (obj_destroy(s, o, true))
			return -1;
	return 0;
}

void obj_destroy_all(struct session *s)
{
	struct obj *o;

	while ((o = first_to_go(s, NULL))) {
		struct obj *user;

		while ((user = first_to_go(s, o))) /* made before it: rereg, cm migrate */
			o = user;
		if (o->class->destroy(s, o)) {
			print_error("rdmash: %s is left behind: %s\n", o->name, s->fail.text);
			fail_clear(&s->fail);
		}
		drop(s, o);
	}
}
