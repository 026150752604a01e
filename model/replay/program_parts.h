/* SPDX-License-Identifier: MIT */
/* The language C. */
#ifndef MODEL_PROGRAM_PARTS_H
#define MODEL_PROGRAM_PARTS_H

#include "replay_parts.h"

#define PATIENCE 30 /* seconds that such a program waits for its peer */

struct program {
	bool is_open;		   /* a function is being written */
	unsigned nparts, lines;	   /* functions; lines of that one */
	size_t data;		   /* bytes of the longest data that an argument points to */
	unsigned unknown;	   /* calls about objects whose creation the record has lost */
	const struct record *init; /* rdma_init_qp_attr() for the next ibv_modify_qp(), or NULL */
	struct text *differences;  /* lines */
};

/* exported.c.in: what is around the functions. */
extern const char exported_c[];
extern const struct replay_back program_back;

/* Makes a C identifier of any text, which is not a keyword, in to. */
void program_name(const char *name, char *to, size_t size);
/* Appends a line of the function, indented once; code of call_c_sink(), which is wrapped. */
void program_line(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void program_code(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A step follows: begins a function where none is, or where the last one has become long. */
void program_next(struct replay *p);

/* ------------------------------------------------------------------- program_words.c -- */

/* "s.pd0". want: the kind of object that is needed, for instance an extended CQ. "NULL" for a NULL
 * o. */
const char *program_object(struct replay *p, struct replay_object *o, enum call_object want);
const char *program_special(struct replay *p, const struct call_sink *k, const struct call_value *v,
			    const void *at);
void program_put(struct replay *p, struct replay_object *mr, uint64_t off,
		 const unsigned char *data, size_t n);
const char *program_data(struct replay *p, const unsigned char *data, size_t n, bool is_last);
/* Is the object in the program by now? */
bool program_has(const struct replay_object *o);

/* ------------------------------------------------------------------- program_steps.c -- */

void program_failed(struct replay *p, const struct record *r, const char *text);
void program_prepare(struct replay *p, const struct record *r);
void program_call(struct replay *p, const struct record *r, struct replay_object *made);
void program_row(struct replay *p, enum replay_row row, const struct record *r);
/* Appends code that destroys o if it exists. */
void program_clean_up(struct replay *p, struct replay_object *o, struct text *to);

bool program_leaves_out(struct replay *p);
/* Writes the waits for peers that disconnect first, before the clean-up. */
void program_last_waits(struct replay *p);

#endif
