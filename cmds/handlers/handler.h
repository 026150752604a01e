/* SPDX-License-Identifier: MIT */
/*
 * Handlers: scripts that run when something happens, while a command waits or somebody types.
 *
 * A handler is an object. Its body keeps the rights of the code that made it (interp.h), and runs
 * from a timer of the loop, never inside the callback that reports the event. So it may wait, and
 * it may destroy any object, itself included, but not one that a waiting command works with. It
 * does not run again before it has ended.
 */
#ifndef CMDS_HANDLER_H
#define CMDS_HANDLER_H

#include "objects.h"

struct handler;

/* The functions of one kind of handlers: on.c. */
struct handler_kind {
	const char *word;     /* "timer" */
	const char *variable; /* what the body finds in it; NULL: nothing */
	/* Runs the body for what has happened, by handler_call(). May be called when nothing has.
	 * True: there is more to do at once. */
	bool (*run)(struct handler *h);
	/* Makes sure that handler_wake() is called when there is something; after each run. */
	int (*watch)(struct handler *h);
	/* Undoes watch. May be NULL. */
	void (*unwatch)(struct handler *h);
	/* States what it waits for. May be NULL. */
	void (*describe)(const struct handler *h, struct out *out);
};

struct handler {
	struct obj o;
	struct session *s;
	const struct handler_kind *kind;
	struct domain *domain;
	Tcl_Obj *lambda;
	char *made_at; /* "file:line in proc < file:line" */
	char *file;    /* of the first of these places; NULL: typed */
	unsigned line;
	struct loop_timer *next;
	bool running;
	bool woken; /* meanwhile */
	bool once;
	uint64_t runs;

	int64_t every, due; /* a timer: ns */
	struct cq *cq[2];   /* completions */
	struct obj *socket; /* readable */
	int fd;
};

extern const struct obj_class handler_class;

/* Creates a handler that is not in the store yet: the caller fills in what its kind needs and calls
 * handler_add(). name NULL: the next number. NULL with s->fail filled. */
struct handler *handler_new(struct session *s, const struct handler_kind *kind, const char *name,
			    Tcl_Obj *body);
/* -1 with s->fail filled, and h is gone. */
int handler_add(struct handler *h);
/* Runs the body in ms milliseconds: there is something to do. */
void handler_wake(struct handler *h, int64_t ms);
/* Runs the body once; value (or NULL) is what its variable holds. False: the handler is over, since
 * the body has destroyed or failed it, or everything stops. */
bool handler_call(struct handler *h, Tcl_Obj *value);
/* Destroys a handler that cannot go on; a notice says why. error: the run has an error, too. */
void handler_cancel(struct handler *h, const char *why, bool error);

#endif
