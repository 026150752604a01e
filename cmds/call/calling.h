/* SPDX-License-Identifier: MIT */
/*
 * One call of a function of the table, from the words of a command to its result. Values come
 * from the words (call_words.c, call_structs.c), the rules of the libraries are looked at
 * (call_rules.c), the function is called (call.c), what it made becomes an object (handles.c), what
 * it tells a value (call_result.c).
 */
#ifndef CMDS_CALLING_H
#define CMDS_CALLING_H

#include <tcl.h>

#include "calls.h"
#include "objects.h"

#define CALL_ARGS 10

struct calling {
	struct session *s;
	const struct call_fn *fn;
	uint64_t arg[CALL_ARGS];    /* what the function is given; structs are in the arena */
	struct obj *used[OBJ_USES]; /* live objects among the values, in order */
	unsigned nused;
	bool ahead;	  /* only checked: what needs an object, or the device, is not looked at */
	bool has_inline;  /* SEND_INLINE is among the flags: data is read while posting */
	unsigned qp_type; /* of the first QP among the values, 0: none yet */
};

/* An object that no command but call makes, or that a command's struct does not fit. */
struct lib_obj {
	struct obj o;
	void *v;		     /* NULL: memory alone */
	struct ibv_context *context; /* NULL: of no device */
	const struct call_fn *ends;  /* what destroys it */
	char *mem;		     /* memory it has been made over, or that it is */
	size_t len;
};

/* ------------------------------------------------------------------- handles.c -- */

/* What the library has for the object, if it is of that kind; else NULL. */
void *handle_pointer(const struct obj *o, enum call_object want);
/* Tells the record what the object is called. */
void handle_name(const struct obj *o);
/* The object that the library has at v, or NULL. */
struct obj *handle_find(struct session *s, enum call_object kind, const void *v);
struct ibv_context *handle_context(const struct obj *o);
/* Does call alone serve its events (and not the loop of the shell)? */
bool handle_is_own(const struct obj *o);
/* The memory behind the object, *len bytes; NULL: none. */
char *handle_memory(const struct obj *o, size_t *len);
/* Makes v, which the call has just given, an object; name NULL: the next number. */
struct obj *handle_adopt(struct calling *c, enum call_object kind, void *v, const char *name);
struct lib_obj *handle_as_lib(const struct obj *o); /* NULL: it is of a command */
/* Memory without a registration; NULL with s->fail filled. */
struct lib_obj *buf_make(struct session *s, const char *name, size_t len);

/* Fails when the call would join a group that the QP is in already. */
int handle_check_membership(struct calling *c);
/* The call has succeeded: if it has made a QP a member of a group, that is an object. */
void handle_add_membership(struct calling *c);
/* The membership that the call is to end, or NULL. */
struct obj *handle_of_membership(struct calling *c);

/* --------------------------------------------------------------- call_words.c -- */

/* Stores at p what the word says; not for structs and lists. -1 with s->fail filled. */
int call_word(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p);
int call_put(struct calling *c, const struct call_value *v, uint64_t n, void *p);
/* Are len bytes from there in the memory of one live object? */
int call_check_place(struct calling *c, const struct call_value *v, uint64_t addr, uint64_t len);
/* The value cannot be that: fills s->fail, returns -1. */
int call_bad(struct calling *c, const struct call_value *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* ------------------------------------------------------------- call_structs.c -- */

/* Fills c->arg from the words after the name, which may be NULL if c->ahead. -1 with s->fail
 * filled. */
int call_words(struct calling *c, int objc, Tcl_Obj *const objv[]);
/* Sets members of *p that a dict names. */
int call_set(struct calling *c, const struct call_struct *of, Tcl_Obj *dict, void *p,
	     uint64_t mask);

/* "cap.max_send_wr": the member, and the struct that holds it; *base (NULL: none) moves there.
 * NULL: there is none. */
const struct call_value *call_find_field(const struct call_struct **of, const char *key,
					 char **base);

/* ---------------------------------------------------------------- call_help.c -- */

extern const struct arg_kind kind_function; /* a row of the table */
void call_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);
void call_complete_dict(struct session *s, int objc, Tcl_Obj *const objv[], int depth,
			Tcl_Obj *const inner[], Tcl_Obj *words);
void call_hint(int objc, Tcl_Obj *const objv[], Tcl_DString *d);
bool call_help(const char *name, struct out *o);

/* --------------------------------------------------------------- call_rules.c -- */

/* What the libraries take for granted: looked at before the call. -1 with s->fail filled. */
int call_rules(struct calling *c);
/* Does it leave a completion in an extended CQ? */
bool call_polls(const struct call_fn *fn);
/* The call has succeeded: what is allowed next. */
void call_rules_after(struct calling *c, uint64_t result);

/* -------------------------------------------------------------- call_result.c -- */

/* States what the call has told: its result and its out-parameters. */
void call_result(struct calling *c, uint64_t result, const char *name, struct out *o);
/* All fields of a struct that are there. */
void call_out_struct(struct session *s, const struct call_struct *of, const void *p, struct out *o);

/* call_trace.c: calls as they are made. The record tells the trace and step mode of them; a command
 * just calls a function. */

struct record;

/* Before and after each command: watches calls if somebody wants to know of them now, and prints
 * what has not been printed. */
void call_trace_watch(struct session *s);
void call_trace_end(void);
/* What the last call has made has its name now: the line of that call can be printed. */
void call_trace_flush(struct session *s);

/* Fails as fail_call() with the name and the errno of the last library call that failed. Returns
 * -1. */
int call_fail(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* That errno. */
int call_errno(void);

/* "qp0 {qp_state INIT port_num 1}": the arguments of a call, as the command call takes them.
 * To be freed. */
char *call_args_text(struct session *s, const struct record *r);
/* "qp0, qpn 17", "ENOMEM", "id1 ESTABLISHED": what it has told. To be freed. */
char *call_result_text(struct session *s, const struct record *r);

#endif
