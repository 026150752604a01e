/* SPDX-License-Identifier: MIT */
/*
 * The journal as a C program. It is written several times over: what an expression turns out
 * to need (an event kept, bytes remembered, an object of the role) is noted, and there the
 * next time.
 */
#ifndef CMDS_PROGRAM_H
#define CMDS_PROGRAM_H

#include "journal.h"

enum end { END_BOTH, END_CLIENT, END_SERVER };

/* An object as a member of the program's struct s. */
struct var {
	uint64_t serial;
	const struct made_note *made;
	char name[48];
	enum end end;	     /* of ids and QPs: whose it is */
	bool live;	     /* at the note being written */
	bool used, keeps;    /* by an expression; its last event is */
	uint32_t lkey, rkey; /* as they are at the note */
	const struct note
		*by; /* AH: the event it came of; QP: the exchange that told of its peer */
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

/* How such a program begins. */
#define PROGRAM_MARK "/* Exported by rdmash"
#define PYTHON_MARK  "#!/usr/bin/python3\n\"\"\"Exported by rdmash"

struct program {
	struct session *s;
	enum end role;
	const struct note **notes;
	unsigned n, at; /* the note being written */
	struct var *vars;
	unsigned nvars;
	struct source *sources;
	unsigned nsources;
	bool *got; /* by number of the note: bytes read from a region that are needed later */
	char address[ADDRESSES][64];
	unsigned naddresses;
	Tcl_DString body, phases; /* the functions; their names, a blank between them */
	Tcl_DString warnings;	  /* lines */
	unsigned nwarnings;
	unsigned nphases, lines;
	const char *phase;
};

/* program.c: name of a variable from any text: a C identifier that is no word of C. */
void program_name(const char *name, char *to, size_t size);
/* Writes the program for the notes into p, which is zero but for s and role. */
void program_write(struct program *p);
/* Only reads the journal and names the variables; lost: as journal_all(). */
void program_read(struct program *p, uint64_t lost[2]);
void program_free(struct program *p);

/* A line of the function, indented once; a sentence for the user, once in the program as a
 * comment too. */
void put(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void warn(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
struct var *var_of(const struct program *p, uint64_t serial);
/* "s.pd0", and marks it as used; serial 0: "NULL". NULL when the journal does not have it. */
const char *ref(struct program *p, uint64_t serial);

/* What the note does to an object: live or not, with which keys. */
void keep_track(const struct note *n, struct var *v);
const struct var *qp_numbered(const struct program *p, uint32_t qpn);

/* program_values.c: numbers and bytes as expressions, kept until the 16th call after. */
const char *text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
const char *flags_expr(const struct word *words, const char *prefix, uint64_t bits);
const char *number(uint64_t v);
/* An address and a key of our own; NULL when it is in no region. */
const char *own_addr(struct program *p, uint64_t addr);
const char *lkey_expr(struct program *p, uint32_t lkey);
const char *remote_addr_expr(struct program *p, uint64_t addr);
const char *remote_key_expr(struct program *p, uint32_t key, uint64_t addr);
const char *qpn_expr(struct program *p, uint32_t qpn);
/* A C string of these bytes, in pieces of a line each, indented by tabs. */
void c_string(Tcl_DString *d, const unsigned char *data, size_t n, const char *indent);
/* Statements that overwrite what is an address or a key of ours among the bytes at expr. */
void put_own(struct program *p, const char *indent, const char *expr, const unsigned char *data,
	     size_t n);
/* Zeroes these among the bytes; false: nothing else is there but zeroes. */
bool without_own(struct program *p, unsigned char *data, size_t n);
/* The region that an address lies in; the region or window with that key, that of the address
 * before others. NULL: none. */
struct var *region_of(struct program *p, uint64_t addr);
struct var *keyed(struct program *p, uint32_t key, uint64_t addr);
void source_add(struct program *p, const char *expr, const void *data, size_t len,
		const struct var *owner, bool *used);

/* program_cm.c, program_calls.c: one note each. */
void write_cm(struct program *p, const struct note *n, struct var *v);
void write_event(struct program *p, const struct note *n, struct var *v);
void write_made(struct program *p, const struct note *n, struct var *v);
/* Destroys v; in the clean-up at the end it may be there or not. */
void write_destroy(struct program *p, const struct var *v, Tcl_DString *clean_up);
void write_modify(struct program *p, const struct note *n, struct var *v);
void write_data(struct program *p, const struct note *n, struct var *v);

const char *type_of(const struct var *v); /* "struct ibv_pd", or NULL */

/* program_oob.c: what an exchange over TCP has told. */
void write_oob(struct program *p, const struct note *n, struct var *v);
/* The live QP whose peer was told of so, and has that number; NULL: none. */
struct var *peer_told(struct program *p, uint32_t qpn);
/* "s.peer_of_right.addr + 16", "s.peer_of_right.rkey"; NULL: not told so. */
const char *told_addr(struct program *p, uint64_t addr);
const char *told_rkey(struct program *p, uint32_t rkey);

/* program_frame.c: everything around the functions, as one text. */
void program_text(struct program *p, const char *file, Tcl_DString *text);
void program_cmake(const char *file, Tcl_DString *text);

/* python.c: the whole text, for pyverbs; -1 with s->fail filled when it cannot be done. p is
 * as for program_write(). */
int python_write(struct program *p, const char *file, Tcl_DString *text);

#endif
