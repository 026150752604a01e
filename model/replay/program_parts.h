/* SPDX-License-Identifier: MIT */
/* The back end that writes a program in C. */
#ifndef MODEL_PROGRAM_PARTS_H
#define MODEL_PROGRAM_PARTS_H

#include "replay_parts.h"

#define ADDRESSES 8

#define PATIENCE 30 /* seconds that such a program waits for its peer */

struct program {
	const char *phase; /* of the function that is being written; NULL: none is */
	unsigned nphases, lines, nlocals;
	unsigned unknown;	   /* calls about objects whose creation the record has lost */
	const struct record *init; /* rdma_init_qp_attr() for the next ibv_modify_qp(), or NULL */
	char address[ADDRESSES][64];
	unsigned naddresses;
	struct text phases;	  /* the functions; a blank between them */
	struct text *differences; /* lines */
};

/* exported.c.in: what is around the functions. */
extern const char exported_c[];

/* Makes a C identifier of any text, which is not a keyword, in to. */
void program_name(const char *name, char *to, size_t size);
/* Appends a line of the function, indented once; code of call_c_sink(), which is wrapped. */
void program_line(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void program_code(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a statement to the block before the call. */
void program_before(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A sentence for the user, which becomes a comment in the program, too. */
void program_note(struct replay *p, const char *text);
/* The next lines go into a function whose name is this and a number. */
void program_enter(struct replay *p, const char *phase);
/* Begins a block if the line that follows needs statements before it. Returns the additional
 * indentation. */
const char *program_begin_block(struct replay *p);
void program_end_block(struct replay *p);

/* ------------------------------------------------------------------- program_words.c -- */

/* "s.pd0", and marks o as used. want: the kind of object that is needed, for instance an extended
 * CQ. "NULL" for a NULL o. */
const char *program_object(struct replay *p, struct replay_object *o, enum call_object want);
/* "address[0]": a host that is an argument of the program. */
const char *program_host(struct replay *p, const char *host);
const char *program_own(struct replay *p, const struct own_value *o, uint64_t offset);
/* Appends statements that store these bytes at expr in the program, with its own values in place of
 * those of the session. */
void program_bytes(struct replay *p, struct text *to, const char *indent, const char *expr,
		   const unsigned char *data, size_t n);
/* Is the object in the program by now? */
bool program_has(const struct replay_object *o);
extern const struct replay_words program_words;

/* ------------------------------------------------------------------- program_steps.c -- */

extern const struct replay_steps program_steps;
/* Appends code that destroys o if it exists. */
void program_clean_up(struct replay *p, struct replay_object *o, struct text *to);

/* -------------------------------------------------------------------- program_ends.c -- */

bool program_leaves_out(struct replay *p);
bool program_is_of_other_end(const struct replay *p, const struct replay_object *o);
/* Writes the waits for peers that disconnect first, before the clean-up. */
void program_last_waits(struct replay *p);

#endif
