/* SPDX-License-Identifier: MIT */
/*
 * The record as a C program. A call is written as the table describes it; values that differ from
 * run to run (objects, addresses, keys, QP numbers) become expressions. The program is written in
 * several passes: a pass notes what its expressions need (an event or bytes to be kept, an object
 * of the role), and the next one writes that, too.
 */
#ifndef CMDS_PROGRAM_H
#define CMDS_PROGRAM_H

#include "call_format.h"
#include "call_record.h"
#include "own_rows.h"
#include "text.h"

enum end { END_BOTH, END_CLIENT, END_SERVER };

/* An object as a member of the program's struct s. */
struct var {
	uint64_t serial, address;
	enum call_object kind;	   /* when it was created */
	const struct record *made; /* created it; NULL: the id's call did, or it is a device */
	struct var *whole;	   /* QP, SRQ: the id that has it */
	struct var *from;	   /* id: its event channel, or its listener */
	char called[32];	   /* its name in the session */
	char name[48];		   /* its name in the program */
	enum end end;		   /* id, QP: the end that has it */
	bool live;		   /* it exists at the record being written */
	bool written;		   /* the program has created it by then */
	bool used;		   /* an expression uses it */
	bool keeps;		   /* the program keeps its last event, or its peer_info */
	bool is_left_out;	   /* QP: its data path is not in the program (bench) */
	bool is_ud;		   /* id */
	bool is_connected;	   /* id: by then, and neither end has disconnected */
	bool is_left;		   /* id of a client: the server has disconnected it */
	struct var *client;	   /* id of a server: the id of this session that it accepts */
	bool is_shared;		   /* MR: its memory is that of another one */
	unsigned qp_type;
	uint64_t memory, len;	  /* MR: its address and length */
	uint32_t lkey, rkey, qpn; /* their values by then; qpn of a server's id: the client's */
	const struct record *by;  /* id: the event with its peer's data; QP: the exchange with it */
	const struct record *joined; /* id: the call that connected it */
};

/* Bytes that came from the peer: their values are those of the peer's objects. */
struct source {
	char expr[80]; /* their place in the program */
	const unsigned char *data;
	size_t len;
	const struct var *owner; /* whose next event replaces them; NULL: none */
	bool *used;		 /* set if an expression uses them */
};

#define ADDRESSES 8

#define PATIENCE 30 /* seconds that such a program waits for its peer */

/* How such a program begins. */
#define PROGRAM_MARK "/* Exported by rdmash"

struct program {
	struct session *s;
	enum end role;
	struct record_list *list;
	const struct record *r; /* being written */
	unsigned at;		/* its number */
	struct var **vars;	/* in order of creation */
	unsigned nvars;
	Tcl_HashTable by_serial, names; /* of vars */
	struct source *sources;
	unsigned nsources;
	bool *got; /* for each record: it read bytes from a region that are needed later */
	const struct record *init; /* rdma_init_qp_attr() for the next ibv_modify_qp(), or NULL */
	char address[ADDRESSES][64];
	unsigned naddresses;
	struct text body, phases; /* the functions; their names, a blank between them */
	struct text before;	  /* statements that the call being written needs first */
	struct text warnings;	  /* lines */
	Tcl_HashTable warned;	  /* those lines */
	unsigned nphases, lines, nlocals;
	const char *phase;
};

/* program.c: makes a C identifier of any text, which is not a keyword, in to. */
void program_name(const char *name, char *to, size_t size);
/* Writes the program for the record into p, in which only s and role are set. To be freed with
 * program_free(). */
void program_write(struct program *p);
/* Only reads the record and names the variables. To be freed as well. */
void program_read(struct program *p);
void program_free(struct program *p);

/* Appends a line of the function, indented once; code of call_c_sink(), which is wrapped; a
 * sentence for the user, which becomes a comment in the program, too. */
void put_line(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void put_code(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void add_warning(struct program *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The next lines go into a function whose name is this and a number. */
void enter_phase(struct program *p, const char *phase);

/* The variable of the object that was at address at that time, or NULL. */
struct var *var_at(const struct program *p, uint64_t address, uint64_t when);
/* The variable of an argument of the record being written, or NULL. */
struct var *var_of(const struct program *p, uint64_t address);
/* "s.pd0" as a temp_text(), and marks v as used. want: the kind of object that is needed, for
 * instance an extended CQ. "NULL" for a NULL v. */
const char *var_expr(struct program *p, struct var *v, enum call_object want);
/* Has the program created it by now? */
bool is_written(const struct var *v);
/* Updates the variables that the record creates, destroys or changes. */
void keep_track(struct program *p, const struct record *r);
/* The live QP with that number, or NULL. */
struct var *qp_numbered(const struct program *p, uint32_t qpn);
/* Does the program repeat what the record has? */
bool is_in_program(const struct record *r);
/* "ibv_post_send of qp0 failed with EINVAL: it is not in the program" as a temp_text(), if the
 * record being written is such a failure; else NULL. */
const char *refusal_of(const struct program *p);

/* program_values.c: numbers and bytes as expressions, which are temp_text()s. */
const char *program_number(uint64_t v);
/* An address in a region of this end (NULL: it is in none), and the key of one. */
const char *own_addr(struct program *p, uint64_t addr);
const char *lkey_expr(struct program *p, uint32_t lkey);
const char *remote_addr_expr(struct program *p, uint64_t addr);
const char *remote_key_expr(struct program *p, uint32_t key, uint64_t addr);
/* to: the address that the call gives with the number; NULL: it is not known. */
const char *qpn_expr(struct program *p, uint32_t qpn, const struct ibv_ah_attr *to);
/* Appends these bytes as a C string, one piece on each line. indent: before the further lines. */
void c_string(struct text *d, const unsigned char *data, size_t n, const char *indent);
/* Appends statements that store the program's own addresses and keys where data, n bytes at expr in
 * the program, has those of the session. */
void own_bytes(struct program *p, struct text *d, const char *indent, const char *expr,
	       const unsigned char *data, size_t n);
/* Zeroes these addresses and keys in data. False: nothing else is left. */
bool without_own(struct program *p, unsigned char *data, size_t n);
/* The live region that has the address, or NULL. */
struct var *region_of(struct program *p, uint64_t addr);
/* The live region or window with that rkey, preferably one that has the address; or NULL. */
struct var *key_holder(struct program *p, uint32_t key, uint64_t addr);
/* Adds a struct source. */
void source_add(struct program *p, const char *expr, const void *data, size_t len,
		const struct var *owner, bool *used);
/* The live QP whose peer, known from an exchange over TCP, has that number and that address (NULL:
 * any); or NULL. */
struct var *qp_of_oob_peer(struct program *p, uint32_t qpn, const struct ibv_ah_attr *to);

/* The peer of a QP, as an exchange over TCP brought it; or NULL. */
const struct qp_peer *oob_peer(const struct var *v);

/* program_calls.c: writes the call of the record. */
void write_call(struct program *p);
/* The object that the call has created, or NULL. */
struct var *made_by(const struct program *p);
/* For call_sink.own: values that differ from run to run. */
bool write_own(struct call_sink *k, const struct call_value *v, const void *at);
/* "address[0]": a host that is an argument of the program. */
const char *host_expr(struct program *p, const char *host);
/* Is a QP at that address one of this session? The numbers of QPs do not tell: those of another
 * host may be the same. true for NULL: nothing more is known. */
bool leads_here(const struct program *p, const struct ibv_ah_attr *to);
/* The index of one of our own GIDs, and in *v its device; -1: it is not ours. */
int own_gid(struct program *p, const union ibv_gid *gid, struct var **v);

/* program_rows.c: writes a record of any kind. */
void write_record(struct program *p);
/* Writes the waits for peers that disconnect first, before the clean-up. */
void write_last_waits(struct program *p);
/* Appends code that destroys v if it exists. */
void write_clean_up(struct program *p, struct var *v, struct text *text);

/* exported.c.in */
extern const char exported_c[];

/* program_frame.c: everything around the functions, as one text. */
void program_text(struct program *p, const char *file, struct text *text);
void program_cmake(const char *file, struct text *text);

#endif
