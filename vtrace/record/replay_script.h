/* SPDX-License-Identifier: MIT */
/* The script while it is being written. This happens twice, because only the first time shows which
 * bytes of the peer are needed later. */
#ifndef VTRACE_REPLAY_SCRIPT_H
#define VTRACE_REPLAY_SCRIPT_H

#include <tcl.h>

#include "call_format.h"
#include "live_program.h"
#include "reader.h"
#include "replay_values.h"
#include "replay.h"
#include "text.h"

/* A call of the program, or something else that it did. */
struct replay_call {
	struct record r;
	enum replay_row row; /* REPLAY_ROWS: a call */
	uint64_t when;	     /* ticks: the calls are ordered by it */
	int64_t idle;	     /* ns before it without a call */
};

/* Bytes that came from the peer, as a variable of the script. */
struct told_bytes {
	unsigned char *data;
	size_t n;
	char variable[24];
};

/* A value in them, as a variable. */
struct told_value {
	unsigned in; /* which bytes */
	struct value_place place;
	char variable[24];
};

/* An object that a word of the script means. */
struct named_object {
	uint64_t address;
	char word[40];	 /* "$id1", "$device0"; of a QP the id that has it */
	char set_by[56]; /* what the variable is set to when it is first needed; or "" */
};

struct tcp_end {
	uint64_t number;
	bool listens, live;
	char name[16];
};

struct replay {
	struct traced *process;
	struct replay_call *calls;
	unsigned ncalls, at; /* the one that is written */
	bool no_data;
	struct live_program *live;
	struct replay_memory memory;
	struct own_value *own;
	unsigned nown;
	struct told_bytes *told;
	unsigned ntold;
	bool *wanted; /* which of told the first pass has needed */
	unsigned nwanted;
	struct told_value *values;
	unsigned nvalues;
	struct named_object *named;
	unsigned nnamed;
	struct tcp_end *tcp;
	unsigned ntcp;
	const struct record **arrived; /* memory that has arrived with the last wait */
	unsigned narrived;
	uint64_t event_of; /* a CQ that has had an event, and no completion since; 0: none */
	char event_channel[40];
	uint64_t *skipped; /* events and QPs whose end the script does not write */
	unsigned nskipped;
	unsigned buffers, inlines, clients, gids, devices; /* names given so far */
	struct ibv_sge *built; /* what the requests since ibv_wr_start() send from */
	unsigned nbuilt;
	char host[64]; /* the first address that it connects to */

	struct text body, before; /* lines; those that the one being written needs first */
	unsigned notes;		  /* lines that say what could not be followed */
};

/* replayed.rdma.in: the script around the calls, with the procedures that they use. */
extern const char replayed_rdma[];

/* Adds a line, after the lines that it needs. */
void replay_line(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a line before the next one, which needs it. */
void replay_first(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Adds a comment that says what could not be followed. */
void replay_note(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Writes the lines of replay_first() and replay_note(), though no line follows. */
void replay_flush(struct replay *p);
/* Appends the lines of a script. Lines that are repeated, one by one or several together, become a
 * loop. A line that ends with a backslash continues on the next one. */
void replay_fold(const char *script, struct text *to);

/* ----------------------------------------------------------------- replay_objects.c -- */

/* The peer has sent these bytes; expr has them in the script at this point. false: nothing needs
 * them, and no line was written. */
bool told_add(struct replay *p, const char *name, const void *data, size_t n, const char *expr);
/* Values that the peer has sent, as words of the script; NULL: it has not sent them. Valid for the
 * next 15 calls of temp_text(). address: of a key, an address in its region; else 0. */
const char *told_number(struct replay *p, const char *name, uint64_t v, unsigned size,
			uint64_t address);
const char *told_gid(struct replay *p, const unsigned char gid[16]);
/* An address at the peer: rkey 0, or the key of its region. */
const char *told_address(struct replay *p, uint64_t v, uint32_t rkey);

/* Values of the program itself. */
void own_add(struct replay *p, const struct own_value *v);
void own_end(struct replay *p, const char *name);
/* "[get mr0 rkey]", "[expr {[get mr0 addr] + 64}]" */
const char *own_expr(const struct own_value *v, uint64_t offset);
/* The live region with all these bytes (key 0: any), or NULL. */
const struct own_value *own_region(const struct replay *p, uint64_t at, uint64_t len);
const struct own_value *own_number(const struct replay *p, enum own_kind kind, uint64_t v);

/* The name of an object as a word: "qp0", "$client0", "$device0". */
const char *objects_name(struct replay *p, const struct record *r, uint64_t address,
			 enum call_object kind);
/* The same for an object that the script makes: never a variable. */
const char *objects_own_name(const struct replay *p, const struct record *r, uint64_t address,
			     enum call_object kind);
/* The word for the object at that address, or NULL. */
const char *objects_word(const struct replay *p, uint64_t address);
struct named_object *objects_name_word(struct replay *p, uint64_t address, const char *word);
/* The script can get the device by this expression, if it has no word for it yet. */
void objects_meet_device(struct replay *p, uint64_t context, const char *expr);
/* Where the program gives no PD or no CQs, librdmacm takes its own, which later calls may need: the
 * script makes them, so that they have names. */
struct args_with_cqs {
	uint64_t args[4];
	struct ibv_qp_init_attr_ex attr;
};
/* NULL: the call makes no QP. */
const char *objects_default_pd(struct replay *p, const struct record *r);
/* Sets to to the arguments of r with these CQs; false: it needs none. */
bool objects_default_cqs(struct replay *p, const struct record *r, struct args_with_cqs *to);
/* Learn from a call that has returned a GID; created an object (0: none) or changed an id;
 * destroyed objects. */
void objects_learn_gid(struct replay *p, const struct record *r);
void objects_learn_made(struct replay *p, const struct record *r, uint64_t made,
			enum call_object kind, const char *name);
void objects_forget(struct replay *p, const struct record *r);
/* The script leaves out the acknowledgement of that event, or the end of that QP. */
void objects_skip(struct replay *p, uint64_t address);
/* Does it? Once: what is at that address later is another one. */
bool objects_are_skipped(struct replay *p, uint64_t address);

/* ---------------------------------------------------------------- replay_bytes.c -- */

/* Appends the bytes as one word of Tcl, in which the program's own values are replaced by those of
 * the script. */
void bytes_word(struct replay *p, struct text *to, const unsigned char *data, size_t n);
/* The same for the last argument of a command: the bytes may begin as an option does. */
void bytes_argument(struct replay *p, struct text *to, const unsigned char *data, size_t n);
/* Do the bytes contain own values of the program? */
bool bytes_have_own(const struct replay *p, const unsigned char *data, size_t n);
/* Writes lines that put what the program has written to these n bytes of its memory. */
void bytes_put(struct replay *p, uint64_t at, uint64_t n);
/* The same for all memory that the peer may read and has been told of. */
void bytes_put_told(struct replay *p);

/* ---------------------------------------------------------------- replay_calls.c -- */

/* Writes the call as lines. */
void calls_write(struct replay *p, const struct record *r);

typedef void piece_fn(struct replay *p, const struct ibv_sge *piece);
/* Calls fn for each piece of memory that the call sends inline. */
void calls_each_inline(struct replay *p, const struct record *r, piece_fn *fn);

/* ---------------------------------------------------------------- replay_waits.c -- */

/* Writes a call that waits for the other end. false: it does not wait. */
bool waits_write(struct replay *p, const struct record *r);
/* Writes a row of TCP. */
void waits_write_tcp(struct replay *p, enum replay_row row, const struct record *r);

#endif
