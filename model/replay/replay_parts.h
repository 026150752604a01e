/* SPDX-License-Identifier: MIT */
/* The replay while it is being written, and its two languages. It is written several times, because
 * only an earlier pass shows what is needed later: bytes of the peer, objects. */
#ifndef MODEL_REPLAY_PARTS_H
#define MODEL_REPLAY_PARTS_H

#include "call_format.h"
#include "heap.h"
#include "live_program.h"
#include "qp_peer.h"
#include "replay.h"
#include "replay_values.h"
#include "text.h"

/* An object; it stays what it is in all passes, but for what is marked as by now. */
struct replay_object {
	uint64_t serial, address;
	enum call_object kind;	     /* when it was created */
	const struct record *made;   /* created it; NULL: the id's call did, or it is a device */
	struct replay_object *whole; /* a QP, an SRQ: the id that has it; stands for this object */
	struct replay_object *from;  /* an id: its event channel, or its listener */
	char called[32];	     /* its name in the record */
	char name[48];		     /* its name in what is written */
	bool live, written;	     /* by now: it exists, also in what is written */
	uint32_t lkey, rkey, qpn;    /* by now; qpn of a server's id: the client's */
	bool is_server;		     /* an id: it listens, or was accepted */
	/* Of the program in C: */
	bool is_left_out;  /* a QP, by now: its data path is not in the program */
	bool is_ud;	   /* an id */
	bool is_connected; /* an id, by now: and neither end has disconnected */
	bool keeps;	   /* an id: the program keeps its last event; a QP: the data of its peer */
	UT_hash_handle hh;
};

/* Bytes that came from the peer, or (n 0) the members of a struct. */
struct told_bytes {
	unsigned char *data;
	size_t n;
	struct qp_peer peer;
	char variable[64];
};

/* A value that was looked for in what the peer has told, from the newest on. When it is looked for
 * again, only what was told since is looked at: a program may write to one address for ever. */
struct told_search {
	const char *name;
	uint64_t v, other; /* other: the address at which v is the key; of a base: the key, or 0 */
	const struct ibv_ah_attr *to; /* of the number of a QP: where it is; NULL: anywhere */
	unsigned size;		      /* bytes of v; 0: the base of v */
	unsigned end;		      /* the first ones, which were looked at */
	unsigned found;		      /* one more than its index; 0: nowhere */
	struct value_place place;
	uint64_t base;
};
#define ADDRESSES 8

#define TOLD_SEARCHES 256 /* that are kept, by a hash */

/* A piece of memory in a region. */
struct memory_piece {
	const struct own_value *mr;
	const char *bytes;
	uint64_t off;
	size_t len;
};

struct tcp_end {
	uint64_t number;
	bool listens, live;
	char name[16];
};

struct replay {
	const struct replay_source *from;
	const struct replay_back *back;
	void *its;   /* of the back end */
	unsigned at; /* the call that is written */
	struct live_program *live;
	struct replay_memory memory;
	struct replay_object *objects; /* uthash, in the order in which they were first met */
	struct own_value *own;
	unsigned nown;
	struct told_bytes *told;
	unsigned ntold;
	struct told_search searches[TOLD_SEARCHES];
	bool *wanted; /* of each of the told, in every pass alike: was it needed? */
	unsigned nwanted;
	struct tcp_end *tcp;
	unsigned ntcp;
	const struct record **arrived; /* memory that has arrived with the last wait */
	unsigned narrived;
	uint64_t *skipped; /* events and QPs whose end is not written */
	unsigned nskipped;
	unsigned buffers, inlines; /* names given so far */
	struct ibv_sge *built;	   /* what the requests since ibv_wr_start() send from */
	unsigned nbuilt;
	char address[ADDRESSES][64]; /* that the user may replace */
	unsigned naddresses;
	struct replay_object *event_of; /* a channel whose event a script has not waited for yet */

	struct text body; /* lines */
	unsigned notes;	  /* that say what could not be followed */
};

/* A language, as far as it differs from the other. begin, end, leaves_out and row may be NULL. */
struct replay_back {
	bool is_c;
	struct call_sink (*sink)(FILE *to);
	void (*begin)(struct replay *p); /* a pass */
	void (*end)(struct replay *p);
	/* Names an object that was met for the first time, or became the id of a request. */
	void (*name)(struct replay *p, struct replay_object *o);
	/* Is the call left out? */
	bool (*leaves_out)(struct replay *p);
	/* A step. */
	void (*line)(struct replay *p, const char *text);
	void (*note)(struct replay *p, const char *text);
	/* text: what has failed, and how. */
	void (*failed)(struct replay *p, const struct record *r, const char *text);
	/* Writes what a call needs before its data are put into memory. */
	void (*prepare)(struct replay *p, const struct record *r);
	/* o: the object that the call makes, or NULL. */
	void (*call)(struct replay *p, const struct record *r, struct replay_object *o);
	/* A row that only a session has. */
	void (*row)(struct replay *p, enum replay_row row, const struct record *r);
	/* Writes bytes with own values into a region. */
	void (*put)(struct replay *p, struct replay_object *mr, uint64_t off,
		    const unsigned char *data, size_t n);
	/* Bytes as a word, valid until the next put() or data(); is_last: it is the last argument
	 * of a step, else a member of a call's. */
	const char *(*data)(struct replay *p, const unsigned char *data, size_t n, bool is_last);
	/* A value that this language alone knows; NULL: it has none. */
	const char *(*special)(struct replay *p, const struct call_sink *k,
			       const struct call_value *v, const void *at);
	const char *(*object)(struct replay *p, struct replay_object *o, enum call_object want);
};

/* replay.c: writes it in passes; afterwards body has the last one. To be freed. */
void replay_write(struct replay *p, const struct replay_source *from,
		  const struct replay_back *back, void *its);
void replay_free(struct replay *p);
/* The call that is written. */
const struct replay_call *replay_now(const struct replay *p);
/* Its subject: the object that it creates, or else its first object. */
struct replay_object *replay_subject(struct replay *p);
/* Says what could not be followed. */
void replay_note(struct replay *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -------------------------------------------------------------------- replay_data.c -- */

/* Finds the memory that it registers, and that from which it sends inline. */
void replay_find_memory(struct replay *p);
#define REPLAY_REPEATED 16 /* equal bytes from this number on are written as a repetition */
/* The number of bytes at the beginning that are equal. */
size_t replay_run_length(const unsigned char *data, size_t n);
/* Writes what the program has written to all memory that the peer may read and has been told of. */
void replay_put_told(struct replay *p);
/* Writes the data of a request before it is posted; requests of an extended QP are posted together
 * by ibv_wr_complete(). */
void replay_put_sent(struct replay *p, const struct record *r);
/* Takes data that have arrived. These belong to the poll that follows: a receive or a READ takes
 * them as its own. */
void replay_take_memory(struct replay *p, const struct record *r);
/* These pieces of memory have come from the peer: if they are needed, they become a variable. */
void replay_keep(struct replay *p, const char *name, const struct memory_piece *v, unsigned n);
/* Writes the rest of them: data that the peer has written with a WRITE may contain values, too. */
void replay_write_arrived(struct replay *p);
/* Writes the block in which the call registers memory. */
void replay_write_block(struct replay *p, const struct record *r);
typedef void piece_fn(struct replay *p, const struct ibv_sge *piece);
/* Calls fn for each piece of memory that the call sends inline. */
void replay_each_inline(struct replay *p, const struct record *r, piece_fn *fn);

/* ----------------------------------------------------------------- replay_objects.c -- */

/* The object that was at address during that record; NULL: address is 0. */
struct replay_object *replay_objects_of(struct replay *p, const struct record *r, uint64_t address,
					enum call_object kind);
/* An object of that name, which the record does not have. */
struct replay_object *replay_objects_extra(struct replay *p, const char *name);
/* Learns from a call that was written: what it has made, changed and destroyed. */
void replay_objects_learn(struct replay *p, const struct record *r, struct replay_object *made);
/* whole (or NULL) has o, and is named for it; not if o has whole, as no honest record says. */
void replay_objects_stand_for(struct replay_object *whole, struct replay_object *o);
/* Its QP belongs to no id any more. NULL: it has none. */
struct replay_object *replay_objects_drop_qp(struct replay *p, const struct replay_object *id);
/* The end of that object is not written. */
void replay_objects_skip(struct replay *p, uint64_t address);
/* Is it so? Once: what is at that address later is another one. */
bool replay_objects_are_skipped(struct replay *p, uint64_t address);
/* The live QP with that number, or NULL. */
struct replay_object *replay_objects_qp(const struct replay *p, uint32_t qpn);

/* Values of this end. */
struct own_value *replay_own_add(struct replay *p, const struct own_value *v);
void replay_own_end(struct replay *p, const struct replay_object *of);
/* The live region with all these bytes, or NULL. */
const struct own_value *replay_own_region(const struct replay *p, uint64_t at, uint64_t len);
const struct own_value *replay_own_number(const struct replay *p, enum own_kind kind, uint64_t v);
const struct own_value *replay_own_gid(const struct replay *p, const void *gid);
/* Does an address handle with this address (NULL: not known) lead to this end? */
bool replay_own_leads_here(const struct replay *p, const struct ibv_ah_attr *to);

/* The peer has sent these bytes. NULL: nothing needs them. */
const struct told_bytes *replay_told_add(struct replay *p, const char *name, const void *data,
					 size_t n);
/* The same of a struct with the members of a struct qp_peer. Is it needed? always: it is. */
bool replay_told_add_peer(struct replay *p, const char *variable, const struct qp_peer *peer,
			  bool always);
/* Values that the peer has sent, as words; NULL: it has not sent them. what: all but place, found
 * and base. */
const char *replay_told_value(struct replay *p, struct told_search what);
const char *replay_told_gid(struct replay *p, const void *gid);
bool replay_told_is_wanted(const struct replay *p, const struct told_bytes *t);

/* ------------------------------------------------------------------- replay_words.c -- */

/* Writes a step or makes a word (as temp_text()) of the form in the language that is written. The
 * texts that follow, up to 5 and NULL, are its $1, $2 and so on. A step in C is an expression that
 * is not 0 if it has failed, or, with a semicolon, a statement; NULL: it is not written. */
void replay_step(struct replay *p, const char *script, const char *c, ...)
	__attribute__((sentinel));
const char *replay_word(struct replay *p, const char *script, const char *c, ...)
	__attribute__((sentinel));
const char *replay_digits(uint64_t n);

/* For call_sink.own; the sink's arg is the replay. */
bool replay_words_own(struct call_sink *k, const struct call_value *v, const void *at);
/* The arguments of the call, with these in place of its own (NULL: its own). To be freed. */
char *replay_words_of_args(struct replay *p, const struct record *r, const uint64_t *args);
/* "[get mr0 rkey]", "s.mr0->rkey" */
const char *replay_words_of_own(struct replay *p, const struct own_value *o, uint64_t offset);
/* Host and port of an IP address as text; an IPv4 address that is mapped to an IPv6 one becomes
 * IPv4. false: it is none. */
bool replay_words_address(const void *address, size_t len, char host[64], char port[8]);
/* A host that the user may replace. */
const char *replay_words_of_host(struct replay *p, const char *host);

/* A piece is one of the own values, or the bytes up to the next of them. */
struct data_piece {
	size_t at, len;
	const struct own_value *own; /* NULL: bytes */
	struct value_place place;
	uint64_t offset;
};

/* The piece that follows; the first follows { 0 }. false: there is none. */
bool replay_words_next_piece(struct replay *p, const unsigned char *data, size_t n,
			     struct data_piece *piece);
/* Do the bytes contain own values? */
bool replay_words_have_own(struct replay *p, const unsigned char *data, size_t n);

/* ------------------------------------------------------------------- replay_waits.c -- */

/* Writes a call that waits for the other end. false: it does not wait. */
bool replay_waits_write(struct replay *p, const struct record *r);
/* Writes a row of TCP. */
void replay_waits_write_tcp(struct replay *p, enum replay_row row, const struct record *r);

#endif
