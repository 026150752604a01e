/* SPDX-License-Identifier: MIT */
/*
 * The record as a C program. A call is written as the table describes it; the values that are
 * others each time the program runs (objects, addresses, keys, QP numbers) become expressions.
 * It is written several times over: what an expression turns out to need (an event kept, bytes
 * remembered, an object of the role) is noted, and there the next time.
 */
#ifndef CMDS_PROGRAM_H
#define CMDS_PROGRAM_H

#include "call_format.h"
#include "call_record.h"
#include "own_rows.h"

enum end { END_BOTH, END_CLIENT, END_SERVER };

/* An object as a member of the program's struct s. */
struct var {
	uint64_t serial, address;
	enum call_object kind;	   /* as it was made */
	const struct record *made; /* NULL: it comes with its whole, or (a device) from a list */
	struct var *whole;	   /* QP, SRQ: the id that has it */
	struct var *from;	   /* id: its event channel, or its listener */
	char called[32];	   /* in the session */
	char name[48];		   /* in the program */
	enum end end;		   /* of ids and QPs: whose it is */
	bool live;		   /* at the record being written */
	bool written;		   /* the program has it */
	bool used, keeps;	   /* by an expression; its last event is */
	bool is_left_out;	   /* what it carries is not told call by call */
	bool is_ud;		   /* id */
	bool is_connected;	   /* id: by now, and neither end has left */
	bool is_left;		   /* id of a client: the server's end has disconnected it */
	struct var *client;	   /* id of a server: the id of this session that it accepts */
	bool is_shared;		   /* MR: of memory that another one has */
	unsigned qp_type;
	uint64_t memory, len;	  /* MR: where, as long as it lives */
	uint32_t lkey, rkey, qpn; /* as they are at the record */
	const struct record *by;  /* the event that told of its peer; QP: the exchange that did */
};

/* Bytes that came from the peer, as the program has them. */
struct source {
	char expr[80];
	const unsigned char *data;
	size_t len;
	const struct var *owner; /* of an event: a later one takes its place */
	bool *used;
};

#define ADDRESSES 8

#define PATIENCE 30 /* seconds that such a program waits for its peer */

/* How such a program begins. */
#define PROGRAM_MARK "/* Exported by rdmash"
#define PYTHON_MARK  "#!/usr/bin/python3\n\"\"\"Exported by rdmash"

struct program {
	struct session *s;
	enum end role;
	struct record_list *list;
	const struct record *r; /* being written */
	unsigned at;		/* its number */
	struct var **vars;	/* in the order in which they were made */
	unsigned nvars;
	Tcl_HashTable by_serial, names; /* of them */
	struct source *sources;
	unsigned nsources;
	bool *got; /* by number of the record: bytes read from a region that are needed later */
	const struct record *init; /* rdma_init_qp_attr() that the next modify goes on from */
	char address[ADDRESSES][64];
	unsigned naddresses;
	Tcl_DString body, phases; /* the functions; their names, a blank between them */
	Tcl_DString before;	  /* statements that the call being written needs first */
	Tcl_DString warnings;	  /* lines */
	Tcl_HashTable warned;	  /* by those */
	unsigned nphases, lines, nlocals;
	const char *phase;
};

/* program.c: name of a variable from any text: a C identifier that is no word of C. */
void program_name(const char *name, char *to, size_t size);
/* Writes the program for the record into p, which is zero but for s and role. */
void program_write(struct program *p);
/* Only reads the record and names the variables. */
void program_read(struct program *p);
void program_free(struct program *p);

/* A line of the function, indented once; C as of call_c_sink(), in lines; a sentence for the
 * user, once in the program as a comment too. */
void put_line(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void put_code(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void add_warning(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* What is written next stands in a function of this name and a number. */
void enter_phase(struct program *p, const char *phase);

/* The object that was there at that time, or before its call began; NULL: not known. */
struct var *var_at(const struct program *p, uint64_t address, uint64_t when);
/* That of an argument of the record being written. */
struct var *var_of(const struct program *p, uint64_t address);
/* "s.pd0", and marks it as used; want: as what (a CQ as an extended one); NULL: "NULL". */
const char *var_expr(struct program *p, struct var *v, enum call_object want);
/* Has the program made it by now? */
bool is_written(const struct var *v);
/* What the record does to objects: live or not, with which keys. */
void keep_track(struct program *p, const struct record *r);
struct var *qp_numbered(const struct program *p, uint32_t qpn);
/* Does the program do again what the record tells? */
bool is_told(const struct record *r);
/* "ibv_post_send of qp0 failed with EINVAL: it is not in the program", if the record being written
 * tells that, as a temp_text(); else NULL. */
const char *refusal_of(const struct program *p);

/* program_values.c: numbers and bytes as expressions, which are temp_text()s. */
const char *number(uint64_t v);
/* An address and a key of our own; NULL when it is in no region. */
const char *own_addr(struct program *p, uint64_t addr);
const char *lkey_expr(struct program *p, uint32_t lkey);
const char *remote_addr_expr(struct program *p, uint64_t addr);
const char *remote_key_expr(struct program *p, uint32_t key, uint64_t addr);
const char *qpn_expr(struct program *p, uint32_t qpn);
/* A C string of these bytes, in pieces of a line each, indented by tabs. */
void c_string(Tcl_DString *d, const unsigned char *data, size_t n, const char *indent);
/* Appends statements that overwrite what is an address or a key of ours among the bytes at
 * expr. */
void own_bytes(struct program *p, Tcl_DString *d, const char *indent, const char *expr,
	       const unsigned char *data, size_t n);
/* Zeroes these among the bytes; false: nothing else is there but zeroes. */
bool without_own(struct program *p, unsigned char *data, size_t n);
/* The region that an address lies in; the region or window with that key, that of the address
 * before others. NULL: none. */
struct var *region_of(struct program *p, uint64_t addr);
struct var *keyed(struct program *p, uint32_t key, uint64_t addr);
void source_add(struct program *p, const char *expr, const void *data, size_t len,
		const struct var *owner, bool *used);
/* The live QP whose peer was told of over TCP, and has that number; NULL: none. */
struct var *peer_told(struct program *p, uint32_t qpn);

/* What a QP was told of its peer over TCP, or NULL. */
const struct qp_peer *told_to(const struct var *v);

/* program_calls.c: the call of the record. */
void write_call(struct program *p);
/* The object that it has made, or NULL. */
struct var *made_by(const struct program *p);
/* For call_sink.own: values that are others each time the program runs. */
bool write_own(struct call_sink *k, const struct call_value *v, const void *at);
/* "address[0]": one that the user may give as an argument. */
const char *host_expr(struct program *p, const char *host);
/* The index at which a GID is one of our own, of the device *v; -1: it is not. */
int own_gid(struct program *p, const union ibv_gid *gid, struct var **v);

/* program_rows.c: one record, whatever it is. */
void write_record(struct program *p);
/* Waits for the peers that leave first, before the clean-up. */
void write_last_waits(struct program *p);
/* Ends v; in the clean-up at the end it may be there or not. */
void write_clean_up(struct program *p, struct var *v, Tcl_DString *text);

/* exported.c.in and exported.py.in. */
extern const char exported_c[], exported_py[];

/* program_frame.c: everything around the functions, as one text. */
void program_text(struct program *p, const char *file, Tcl_DString *text);
void program_cmake(const char *file, Tcl_DString *text);

/* python.c: the whole text, for pyverbs; -1 with s->fail filled when it cannot be done. p is
 * as for program_write(). */
int python_write(struct program *p, const char *file, Tcl_DString *text);

#endif
