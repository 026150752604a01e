/* SPDX-License-Identifier: MIT */
/*
 * The object store: every object of the session by its name, with the objects it uses and its
 * users. Objects are destroyed in reverse order of dependence.
 */
#ifndef CMDS_OBJECT_STORE_H
#define CMDS_OBJECT_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <tcl.h>

#include "call_objects.h"

struct obj;
struct out;
struct session;

/* A class of objects; one const struct each, in the file of the command that creates them. */
struct obj_class {
	const char *prefix; /* of names: "mr" gives mr0, mr1 ... */
	const char *title;  /* "memory region" */
	/* A more precise title of o, such as "listener" for a connection id; or NULL. */
	const char *(*title_of)(const struct obj *o);
	const char *remedy;    /* a command that creates one: "reg 4096" */
	size_t size;	       /* of the struct that begins with struct obj */
	enum call_object kind; /* what the library calls it; OBJECT_NONE: it does not know it */
	/* For obj_by_pointer(), obj_by_number() and obj_by_address(). Each is optional. */
	size_t pointer; /* offset of the library's pointer to it, of that kind */
	uint64_t (*number)(const struct obj *o);	   /* QP number, lkey, rkey */
	void *(*memory)(const struct obj *o, size_t *len); /* its bytes */
	/* Its objects may depend on each other in ways that only the device knows, so they are
	 * destroyed before other users of an object, and first at the end. */
	bool destroyed_first;
	/* May be destroyed while a command waits for it; that command checks obj_gone(). */
	bool may_go;
	/* Destroys the verbs object, which has no users any more. 0, or -1 with s->fail filled;
	 * then the object stays. */
	int (*destroy)(struct session *s, struct obj *o);
	/* Writes all attributes, for show and get: keys and values, and one line of text. */
	void (*describe)(struct session *s, struct obj *o, struct out *out);
};

#define OBJ_USES 8

/* user depends on used; an entry in the list of used's users. */
struct obj_use {
	TAILQ_ENTRY(obj_use) link;
	struct obj *user, *used; /* used NULL: a free entry */
};
TAILQ_HEAD(obj_users, obj_use);

enum obj_life {
	OBJ_NEW,   /* has a name, but is not in the store yet */
	OBJ_LIVES, /* in the store */
	OBJ_GOING, /* being destroyed */
	OBJ_GONE,  /* destroyed; its memory stays while there are references */
};

#define OBJ_NAME 32 /* bytes of a name, with the zero at its end */

/* The state that call_rules.c keeps of a QP or a CQ that the command call works with. */
struct obj_calls {
	bool building;	   /* between ibv_wr_start() and its end */
	bool polling;	   /* between ibv_start_poll() and ibv_end_poll() */
	bool is_extended;  /* a CQ of ibv_create_cq_ex() */
	uint64_t send_ops; /* send_ops_flags of a QP of ibv_create_qp_ex() */
	unsigned events;   /* of ibv_get_cq_event(), not acknowledged */
};

struct obj {
	TAILQ_ENTRY(obj) link;	/* of all, in order of creation */
	TAILQ_ENTRY(obj) alike; /* of its class, in order of creation */
	const struct obj_class *class;
	struct obj_group *group;
	Tcl_HashEntry *entry; /* of its name */
	char name[OBJ_NAME];
	bool named; /* a command has named it: it is not destroyed automatically */
	enum obj_life life;
	unsigned refs;		       /* its memory stays: obj_ref() */
	uint64_t serial;	       /* unique, unlike addresses */
	struct obj_use uses[OBJ_USES]; /* what must outlive this one */
	struct obj_users
		users[2]; /* oldest first; [1]: those of classes that are destroyed first */
	unsigned nusers;
	struct obj_calls calls;
};
TAILQ_HEAD(obj_list, obj);

/* The objects of one class, and the numbers in their names. */
struct obj_group {
	const struct obj_class *class;
	struct obj_list objs;
	unsigned n;
	unsigned least; /* all names with a smaller number are taken */
};

#define OBJ_CLASSES 64

struct obj_store {
	struct obj_list all;
	struct obj_group groups[OBJ_CLASSES];
	unsigned n_groups;
	Tcl_HashTable names;
	uint64_t serial; /* of the last object made */
};

void obj_store_init(struct obj_store *store);
/* To be called when all objects are destroyed. */
void obj_store_free(struct obj_store *store);

/* Creates an object called name or (NULL) its prefix and the lowest free number. It is not in the
 * store until obj_add(); a command that fails before calls obj_discard(). NULL with s->fail filled
 * if the name is taken or invalid. */
void *obj_new(struct session *s, const struct obj_class *class, const char *name);
/* Notes that o needs used (NULL: nothing). */
void obj_use(void *o, void *used);
void obj_unuse(void *o, void *used);
/* Does anything use o? */
bool obj_used(const void *o);
/* "destroy NAME", with -cascade if something uses it; as temp_text(). */
const char *obj_destroy_command(const void *o);
void obj_add(struct session *s, void *o);
void obj_discard(struct session *s, void *o);
/* Fails, naming call, if a and b are on different devices, which the library does not check. b may
 * be NULL. */
int obj_same_dev(struct session *s, const char *call, const void *a, const void *b);

/* The object called name, of that class (NULL: any), or NULL. */
void *obj_find(struct session *s, const struct obj_class *class, const char *name);
/* The library's pointer to the object, or NULL. */
void *obj_pointer(const struct obj *o);
/* The object of that class (NULL: any) that the library knows by this pointer, or NULL. */
void *obj_by_pointer(struct session *s, const struct obj_class *class, const void *v);
/* Another one, of any class, with the same pointer. */
void *obj_next_pointer(const void *o);
/* One of that class with this number, and the next one (another device may have given the same),
 * or NULL. */
void *obj_by_number(struct session *s, const struct obj_class *class, uint64_t number);
void *obj_next_number(const void *o);
/* An object of that class (NULL: any) whose memory has all of [addr, addr + len), or NULL. */
void *obj_by_address(struct session *s, const struct obj_class *class, uint64_t addr, uint64_t len);

/* The oldest of its class, or NULL. */
void *obj_first(struct session *s, const struct obj_class *class);
/* The next younger one of its class, or NULL. */
void *obj_next_alike(const void *o);
/* The only one of its class; NULL when there are none or several (*n: how many). */
void *obj_only(struct session *s, const struct obj_class *class, unsigned *n);

/*
 * Lifetime. Code that runs the event loop or a script between two uses of an object needs a
 * reference, because the object may be destroyed meanwhile. Its memory then stays valid, and
 * obj_gone() is true.
 *
 * A command also holds the objects that it works with: a command that runs on behalf of the loop,
 * such as a handler, cannot destroy them and fails with EBUSY, unless the class has may_go.
 */
void obj_ref(void *o);
/* Drops a reference; frees a destroyed object with the last one. */
void obj_unref(void *o);
/* Was it destroyed? The caller must have a reference. */
bool obj_gone(const void *o);

/* An object that a command works with; a list, the latest first. */
struct held {
	struct held *next;
	struct obj *o;
	unsigned aside; /* s->aside then */
};

/* Holds o (NULL: nothing) until obj_release(s, what s->held was before). */
void obj_hold(struct session *s, struct held *h, void *o);
/* Holds o until the running command returns, like its arguments. */
void obj_hold_arg(struct session *s, void *o);
void obj_release(struct session *s, struct held *before);

/* "memory region", "listener" */
const char *obj_title(const struct obj *o);

/* Writes an object as the result of the command that has made it. -1 if it is NULL. */
int obj_out(struct session *s, void *o, struct out *out);

/* Destroys o. With users: fails and names them, or destroys them first (cascade). Fails also
 * while a command waits that works with it, and while it is being destroyed. */
int obj_destroy(struct session *s, void *o, bool cascade);
/* Destroys o and its users after a failure, which stays the one that is reported. Returns -1. */
int obj_destroy_quietly(struct session *s, void *o);
/* Destroys everything, in reverse order; stops at an error. */
int obj_destroy_each(struct session *s);
/* Destroys everything, in reverse order, without stopping at errors: the end. */
void obj_destroy_all(struct session *s);

/* Iterates over the objects of one class; o is a pointer to its struct. */
#define obj_foreach_of(o, s, class) \
	for ((o) = obj_first((s), (class)); (o); (o) = obj_next_alike(o))
/* Iterates over the users of o, of any class; u is a struct obj_use. */
#define obj_foreach_user(u, o)                          \
	for (unsigned first_ = 0; first_ < 2; first_++) \
		TAILQ_FOREACH((u), &((struct obj *)(o))->users[first_], link)
struct obj_group *obj_group(struct obj_store *store, const struct obj_class *class);

/* The objects that a command has created so far, to be destroyed if it fails. Objects that others
 * use meanwhile are kept. */
struct made {
	struct obj *v[8];
	unsigned n;
};
/* The highest serial of all current objects. */
uint64_t obj_made_mark(struct session *s);
/* Records the objects created after mark. */
void obj_made_since(struct session *s, struct made *m, uint64_t mark);
/* To be called before a command waits: holds them until it returns. */
void obj_made_hold(struct session *s, const struct made *m);
/* Destroys them, newest first, and preserves s->fail. Returns -1. */
int obj_made_undo(struct session *s, struct made *m);
/* Both in one step. */
int obj_made_undo_since(struct session *s, uint64_t mark);

#endif
