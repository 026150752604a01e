/* SPDX-License-Identifier: MIT */
/*
 * Visits the values of a call one by one, as the table describes them, and writes them in three
 * formats: as words of the command call, as a C expression, as JSON. The values may be those of a
 * running call or of a record, as long as pointers to structs, lists and bytes are readable.
 */
#ifndef CALLS_CALL_FORMAT_H
#define CALLS_CALL_FORMAT_H

#include <stdio.h>
#include <sys/socket.h>

#include "call_record.h"
#include "calls.h"

union ibv_gid;

/* Groups of values that are opened and closed. */
enum call_group {
	CALL_A_STRUCT,	/* .of of the value: a member, an element of a list */
	CALL_A_POINTER, /* the same behind a pointer */
	CALL_A_LIST,	/* its elements follow */
};

/* A visitor of values. own, nothing, begin, end and start may be NULL. */
struct call_sink {
	void (*number)(struct call_sink *k, uint64_t n);
	void (*words)(struct call_sink *k, uint64_t n); /* ENUM, FLAGS */
	void (*object)(struct call_sink *k, const void *object);
	void (*bytes)(struct call_sink *k, const void *data, size_t n);
	void (*gid)(struct call_sink *k, const union ibv_gid *gid);
	void (*address)(struct call_sink *k, const struct sockaddr *sa);
	void (*nothing)(struct call_sink *k); /* NULL, or not ours */
	void (*begin)(struct call_sink *k, enum call_group group);
	void (*end)(struct call_sink *k, enum call_group group);
	/* Handles a value in place of the other callbacks; false: they handle it. Text begins with
	 * call_begin_text(). p is the address of the value, in its struct or among the arguments.
	 */
	bool (*own)(struct call_sink *k, const struct call_value *v, const void *p);
	void *arg; /* the user's */
	/* Only for sinks that write text: */
	FILE *to;
	void (*start)(struct call_sink *k); /* writes what precedes a value */
	const char *quote, *null;	    /* around words and names; in place of nothing */
	unsigned nesting;		    /* number of open braces */

	bool all;	/* include members that are zero */
	bool is_linked; /* a chain's next is the last member of each; else the chain is a list */
	/* The current value; not valid where a group ends: */
	const struct call_value *v;
	const struct call_value *values; /* its siblings, ends with a NULL name */
	const char *base;		 /* their struct, or the arguments */
	bool is_arg;			 /* it is one of the arguments */
	uint64_t count;			 /* of what it points to */
	const char *key;		 /* name of the member or argument; NULL: of a list */
	unsigned index;			 /* in its struct or list, of those told */
	unsigned told;			 /* of a struct or list that ends: how many */
	uint64_t mask;			 /* that the call was given for its struct */
	unsigned qp_type;
};

/* Passes one value to the sink (count: how many it points to), the members of a struct, or the
 * arguments of a call: all of them (is_linked: as in C), or those that the command call takes. */
void call_tell(struct call_sink *k, const struct call_value *v, const void *p, uint64_t count);
void call_tell_struct(struct call_sink *k, const struct call_struct *of, const void *p);
void call_tell_args(struct call_sink *k, const struct call_fn *fn, const uint64_t *args);
/* Visits the i-th argument, an out-parameter, after the call; result is its return value. */
void call_tell_out(struct call_sink *k, const struct call_fn *fn, const uint64_t *args, unsigned i,
		   uint64_t result);

/* Sinks that write to a stream: "qp0 {qp_state INIT port_num 1}"; "qp0, &(struct ibv_qp_attr){
 * .qp_state = IBV_QPS_INIT }, IBV_QP_STATE"; "qp":"qp0","attr":{"qp_state":"INIT"}. A sink
 * whose .own is set writes in the same syntax, after call_begin_text(). */
struct call_sink call_words_sink(FILE *to);
struct call_sink call_c_sink(FILE *to);
struct call_sink call_json_sink(FILE *to);
/* Writes what precedes a value: a comma or blank, and its name. For own(). */
void call_begin_text(struct call_sink *k);

/* Does the user type this argument? The others are derived. */
bool call_is_typed(const struct call_fn *fn, const struct call_value *v);
/* Is it the length of another value (a list, bytes), and so derived from it? */
bool call_is_counted(const struct call_value *values, const struct call_value *v);
/* "LOCAL_WRITE,REMOTE_READ"; bits without a name in hexadecimal; "0". */
void call_write_flags(FILE *to, const struct call_enum *e, uint64_t bits);
/* The same in C, with the whole names: "IBV_ACCESS_LOCAL_WRITE | ...". */
void call_write_c_flags(FILE *to, const struct call_enum *e, uint64_t bits);
/* Bytes as a string of C. */
void call_write_c_string(FILE *to, const void *data, size_t n);
/* C in lines of at most width columns (a tab is 8): the contents of braces that do not fit are
 * indented by one more tab. */
void call_lay_out(FILE *to, const char *text, unsigned tabs, unsigned width);

/* A record as a line of text: "qp0 {qp_state INIT port_num 1}" and "0", "qp0, qpn 17". */

/* Names of objects and memory, provided by the caller. */
struct call_names {
	/* The name of an object of r (v: the value that refers to it; NULL: r created it). NULL:
	 * the address is written. */
	const char *(*object)(const struct call_names *n, const struct record *r,
			      const struct call_value *v, uint64_t address);
	/* Writes a place in memory ("buf+8"), after call_begin_text(); false: the address is
	 * written. May be NULL. */
	bool (*place)(const struct call_names *n, struct call_sink *k, uint64_t address);
	void *arg; /* theirs */
	/* Type of the QP of the call, whose requests have no members of other types; 0: any. */
	unsigned qp_type;
};

/* A sink of JSON for the values of r, with the names of its objects. */
struct call_of {
	const struct call_names *names;
	const struct record *r;
	bool has_word; /* of call_text_subject() */
};
struct call_sink call_json_named_sink(struct call_of *of, FILE *to);
/* The arguments as members of a dict: "qp":"qp0","attr":{"qp_state":"INIT"}. */
void call_json_args(FILE *to, const struct call_names *n, const struct record *r);

/* The arguments, as the command call takes them. */
void call_text_args(FILE *to, const struct call_names *n, const struct record *r);
/* "qp0 INIT": the first object, and the first state, opcode or type in a struct. */
void call_text_subject(FILE *to, const struct call_names *n, const struct record *r);
/* "{wr_id 9 wr_flags SIGNALED}": what the program set in the QP before ibv_wr_send() and similar
 * calls; nothing for other calls. */
void call_text_request(FILE *to, const struct record *r);
/* Is the CALL_IOVA that is being told the caller's choice, as that of ibv_reg_mr_iova() is, and no
 * address of memory that is registered already? */
bool call_chooses_iova(const struct call_sink *k, const struct call_fn *fn);
/* The result, without the name of call_text_named(): "qpn 17", "ENOMEM", "0". */
void call_text_result(FILE *to, const struct call_names *n, const struct record *r);
/* The object whose name precedes the result: the one that was created, or the id of an event. 0:
 * none. */
uint64_t call_text_named(const struct record *r);
/* The text between that name and the result: ", ", " ", or "" if the name is all. */
const char *call_text_joint(const struct record *r);

#endif
