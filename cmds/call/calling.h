/* SPDX-License-Identifier: MIT */
/*
 * One call of a function of the table, from the words of a command to its result: the words become
 * values (call_words.c, call_structs.c), preconditions are checked (call_rules.c), the function is
 * called (call.c), what it created becomes an object (handles.c), and its results become the value
 * of the command (call_result.c).
 */
#ifndef CMDS_CALLING_H
#define CMDS_CALLING_H

#include <tcl.h>

#include "calls.h"
#include "objects.h"

struct text;

#define CALL_ARGS 10

struct calling {
	struct session *s;
	const struct call_fn *fn;
	uint64_t arg[CALL_ARGS];    /* what the function is given; structs are in the arena */
	struct obj *used[OBJ_USES]; /* live objects among the values, in order */
	unsigned nused;
	bool ahead;	  /* only a check before the command runs: objects may not exist yet */
	bool has_inline;  /* SEND_INLINE is among the flags: data is read while posting */
	unsigned qp_type; /* of the first QP among the values, 0: none yet */
};

/* An object of a class that only call creates, or one that does not fit a command's struct. */
struct lib_obj {
	struct obj o;
	void *v;		     /* NULL: memory alone */
	struct ibv_context *context; /* NULL: of no device */
	const struct call_fn *ends;  /* destroys it */
	char *mem;		     /* of a buf: its memory; of an MR: that of the region */
	size_t len;
};

/* ------------------------------------------------------------------- handles.c -- */

/* The library's pointer of the object, if the object is of that kind; else NULL. */
void *handle_pointer(const struct obj *o, enum call_object want);
/* Passes the name of the object to the record. */
void handle_name(const struct obj *o);
/* The object whose pointer is v, or NULL. */
struct obj *handle_find(struct session *s, enum call_object kind, const void *v);
/* The device context of the object, or NULL. */
struct ibv_context *handle_context(const struct obj *o);
/* Did call create the object, so that the event loop does not take its events? */
bool handle_is_own(const struct obj *o);
/* The memory of the object, *len bytes; NULL: it has none. */
char *handle_memory(const struct obj *o, size_t *len);
/* Makes v, which the call has just created, an object, which then owns v. name NULL: the next
 * number. The name must be free. */
struct obj *handle_adopt(struct calling *c, enum call_object kind, void *v, const char *name);
/* The object as a struct lib_obj; NULL: it is of a command's class. */
struct lib_obj *handle_as_lib(const struct obj *o);
/* Creates an object with len bytes of memory, which is not registered. NULL with s->fail filled. */
struct lib_obj *handle_make_buf(struct session *s, const char *name, size_t len);

/* Fails if the call would join a group in which the QP is already. */
int handle_check_membership(struct calling *c);
/* After a call that succeeded: if it made a QP a member of a group, creates the object for that. */
void handle_add_membership(struct calling *c);
/* The membership that the call is to end, or NULL. */
struct obj *handle_of_membership(struct calling *c);

/* --------------------------------------------------------------- call_words.c -- */

/* Converts a word to the value v, and stores that at p; not for structs and lists. -1 with s->fail
 * filled. */
int call_word(struct calling *c, const struct call_value *v, Tcl_Obj *word, void *p);
/* Stores a number at p. -1 with s->fail filled: it does not fit. */
int call_put(struct calling *c, const struct call_value *v, uint64_t n, void *p);
/* Fails unless len bytes from addr are in the memory of one live object. */
int call_check_place(struct calling *c, const struct call_value *v, uint64_t addr, uint64_t len);
/* Fails because of the value of v. Returns -1. */
int call_bad(struct calling *c, const struct call_value *v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* The bytes of a value, one for each character. NULL with s->fail filled: there is a character
 * above U+00FF. */
const unsigned char *call_bytes(struct calling *c, const struct call_value *v, Tcl_Obj *word,
				Tcl_Size *n);

/* ------------------------------------------------------------- call_structs.c -- */

/* Fills c->arg from the words after the name of the function. With c->ahead a word may be NULL: not
 * known yet. -1 with s->fail filled. */
int call_words(struct calling *c, int objc, Tcl_Obj *const objv[]);
/* Sets the members of the struct at p that a dict names. mask: that of an argument beside the
 * struct, or 0. -1 with s->fail filled. */
int call_set(struct calling *c, const struct call_struct *of, Tcl_Obj *dict, void *p,
	     uint64_t mask);

/* Finds a member by its full name, "cap.max_send_wr". *of becomes the struct that has it, and *base
 * (unless base is NULL) moves there. NULL: there is no such member. */
const struct call_value *call_find_field(const struct call_struct **of, const char *key,
					 char **base);

/* ---------------------------------------------------------------- call_help.c -- */

extern const struct arg_kind kind_function; /* a row of the table */
void call_complete(struct session *s, int objc, Tcl_Obj *const objv[], Tcl_Obj *words);
void call_complete_dict(struct session *s, int objc, Tcl_Obj *const objv[], int depth,
			Tcl_Obj *const inner[], Tcl_Obj *words);
void call_hint(int objc, Tcl_Obj *const objv[], struct text *d);
bool call_help(const char *name, struct out *o);

/* --------------------------------------------------------------- call_rules.c -- */

/* Before the call: checks preconditions that the libraries do not check. -1 with s->fail filled. */
int call_rules(struct calling *c);
/* Does the function leave a completion in an extended CQ? */
bool call_polls(const struct call_fn *fn);
/* After a call that succeeded: notes what call_rules() needs. */
void call_rules_after(struct calling *c, uint64_t result);

/* -------------------------------------------------------------- call_result.c -- */

/* Writes the result of the call and its out-parameters. name: that of the object which it created
 * or found, or NULL. */
void call_result(struct calling *c, uint64_t result, const char *name, struct out *o);
/* Writes all valid fields of a struct. */
void call_out_struct(struct session *s, const struct call_struct *of, const void *p, struct out *o);

/* call_trace.c: the trace and step mode. The record calls them for each library call, so commands
 * need no code for them. */

struct causes;
struct record;

/* To be called before and after each command: watches calls while trace or step mode is on, and
 * prints the call that was not printed yet. */
void call_trace_watch(struct session *s);
void call_trace_end(void);
/* The object that the last call created has its name now: prints that call. */
void call_trace_flush(struct session *s);

/* Fails as fail_call() does, with the name and the errno of the last library call that failed.
 * Returns -1. */
int call_fail(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* The errno of the last library call that failed. */
int call_errno(void);
/* Adds a row to s->fail for each cause that is certain, or for each that may be if none is. Returns
 * -1. */
int call_fail_causes(struct session *s, const struct causes *c);
/* The same for the last library call that failed: model/why knows why it was refused. */
int call_fail_why(struct session *s);

/* The arguments of a call as the command call takes them, "qp0 {qp_state INIT port_num 1}". The
 * caller frees the text. */
char *call_args_text(struct session *s, const struct record *r);
/* The fields of ladder_call_fields(). The caller frees them. */
char *call_fields(struct session *s, const struct record *r);
/* The result of a call: "qp0, qpn 17", "ENOMEM", "id1 ESTABLISHED". The caller frees the text. */
char *call_result_text(struct session *s, const struct record *r);

#endif
