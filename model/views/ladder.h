/* SPDX-License-Identifier: MIT */
/*
 * The ladder: the records of all ends as rows in order of time, with a lane for each end. A packet
 * is one row, from the lane of its sender to that of its receiver.
 */
#ifndef MODEL_LADDER_H
#define MODEL_LADDER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call_record.h"

struct call_names;
struct text;
struct decoded;
struct out;

#define LANES_MAX   11	 /* the last one is for an end that is none of the places */
#define LADDER_MAX  4096 /* most rows of an end; older ones are left out */
#define LADDER_TEXT 400	 /* most bytes of a text */

enum ladder_kind {
	LADDER_CALL,   /* of a library */
	LADDER_EVENT,  /* of the connection manager, of a device, of a channel */
	LADDER_PACKET, /* sent or received */
	LADDER_WC,     /* a completion was taken */
	LADDER_STATE,  /* of a QP */
	LADDER_NOTICE, /* about another end */
	LADDER_KINDS
};
/* "call" "event" "packet" "completion" "state" "notice" */
extern const char *const ladder_words[LADDER_KINDS];

/* Is a row about objects that exist now? See ladder_how.all. */
enum ladder_age {
	AGE_CURRENT, /* since the oldest connection that still exists, or else the last one, began
		      */
	AGE_EARLIER, /* before that: a call about objects that still exist */
	AGE_GONE,    /* before that: anything else */
	LADDER_AGES
};

/* The end of a connection; SIDE_NONE: neither, or unknown. */
enum ladder_side { SIDE_NONE = 0, SIDE_ACTIVE = 'a', SIDE_PASSIVE = 'b' };

struct ladder_lane {
	unsigned place; /* 0: this program; then its peers; then an end that is none of them */
	enum ladder_side side; /* SIDE_NONE: the only lane of its place */
	const char *end;       /* the end that has the lane: "@b", "client" */
	char *label;	       /* end, and the names of its objects */
};

struct ladder_row {
	unsigned seq;
	int64_t when, until; /* CLOCK_REALTIME, ns; until 0: it took no time */
	uint64_t mark; /* of a row of a record: when it began, in ticks, which are never measured
			  anew; 0: it has none */
	enum ladder_kind kind;
	enum ladder_age age;
	enum ladder_side side; /* of a packet: its sender */
	bool bad;	       /* failed, or reports a failure */
	bool by_cm;	       /* a call of librdmacm */
	bool heads;	       /* name belongs in the label of the lane */
	bool out;	       /* of a packet: sent, else received */
	bool lost;	       /* of a packet: a fault has dropped it */
	uint64_t key;	       /* of a packet: the same in the rows of sender and receiver */
	/* Of a packet: hashes of its ends, by QP number and by ID of the connection manager; 0: not
	 * known. An end has the same ones in all rows. */
	uint64_t sender[2], receiver;
	bool within;   /* of a packet: sender and receiver are QPs of the row's place */
	int state;     /* LADDER_STATE: the new state; else -1 */
	char name[32]; /* the object that it is about, or "" */
	char *names;   /* of a call: all objects it is about, a blank before and after each; or NULL
			*/
	char *text;    /* the call and its arguments, the packet in brief ... */
	char *result;  /* of a call; all headers of a packet; status and opcode of a completion; or
			  NULL */
	char *fate;    /* what a fault did to a packet, or NULL */
	char *fields;  /* JSON: what the text says, a member for each fact; or NULL */
	const char *why; /* it has failed: borrowed; or NULL */
	unsigned place;
	char also[32];	       /* of a packet: the object at its receiver */
	int from, to;	       /* lanes; to -1: not a packet */
	bool matched, arrived; /* of a packet: sender and receiver have it; it was received */
	uint64_t more; /* the row stands for that many further ones, the last of them at more_until
			*/
	int64_t more_until;
	/* The again_rows rows that end with this one come again times more, the last time at
	 * again_until. Those repetitions were never rows, or are folded: the text leaves them out.
	 */
	unsigned again, again_rows;
	int64_t again_until;
	bool folded;
};

struct ladder {
	struct ladder_lane lanes[LANES_MAX];
	unsigned nlanes;
	char **places; /* names of the places; NULL: this program */
	unsigned nplaces;
	struct ladder_row *rows;
	unsigned n;
	int64_t start;	   /* of the first current row, CLOCK_REALTIME, ns */
	unsigned left_out; /* number of rows that were dropped: AGE_GONE, and beyond ladder_how.last
			    */
	/* Rows that are no longer in the record, or were too many: posts and polls, all other
	 * calls. */
	uint64_t lost[RECORD_PATHS], lost_packets;
	bool has_fields; /* rows of calls have fields, too */
	char *remarks;	 /* lines about peers that could not be asked, or NULL */
};

/* Adds a place with that name (NULL: this program); returns its number. */
unsigned ladder_add_place(struct ladder *l, const char *name);
/* Sorts the rows by time, and assigns them to lanes. */
void ladder_arrange(struct ladder *l);
/* Marks rows that repeat the few rows before them, such as a request that is sent several times. */
void ladder_fold(struct ladder *l);
/* Keeps only the last rows, of which `last` are not folded (0: all). */
void ladder_keep_last(struct ladder *l, unsigned last);
void ladder_free(struct ladder *l);
/* The end that has a lane: "@b"; "" if lane is negative. */
const char *ladder_end(const struct ladder *l, int lane);
/* The time of a row in ms since the first current row; negative for an earlier row. */
double ladder_ms(const struct ladder *l, const struct ladder_row *r);

/* Appends that time, "12.345", or from 100 s on "100.12 s"; of an earlier row "earlier". True: in
 * ms, which it does not say. */
bool ladder_time(const struct ladder *l, const struct ladder_row *r, struct text *d);

/* Does the call become a row? A call within another one does not, nor a query that succeeded, an
 * acknowledgment, or a wait that found nothing. */
bool ladder_is_row(const struct record *r);
/* ladder_row.c. The text of a row for people, "ibv_alloc_pd rxe0 = pd0". The caller frees it. */
char *ladder_says(const struct ladder_row *r);
/* The fields of a call: "call", "args", and "errno" if it has failed. The caller frees them. */
char *ladder_call_fields(const struct call_names *n, const struct record *r);
/* Writes a packet into a row that has its time, direction and name. fate: what a fault did to it,
 * or NULL. */
void ladder_tell_packet(struct ladder_row *row, const struct decoded *d, const char *fate);
/* A hash of an end of a connection by the number of its QP there; number 0: 0. */
uint64_t ladder_end_key(const union ibv_gid *gid, uint32_t number);
/* A hash of a packet, which is the same at sender and receiver. */
uint64_t ladder_packet_key(const struct decoded *d);
/* A time for the row of a QP that has failed: a QP goes to ERR or SQE before a poll takes the
 * completion that tells of it. 0: the last poll has not taken one of this QP. */
int64_t ladder_seen_at_poll(const struct ladder *l, const char *qp, enum ibv_qp_state state);
/* Writes a new state of a QP into a row that has its time and name. from -1: the QP was created;
 * why: a call or a reason, or NULL. */
void ladder_tell_state(struct ladder_row *row, int from, enum ibv_qp_state to, const char *why);
/* Writes a completion into a row that has the times and the name of the poll. what: its opcode, or
 * NULL. */
void ladder_tell_completion(struct ladder_row *row, const struct ibv_wc *wc, const char *what);
/* Adds a copy of a row; the ladder then owns its texts. */
struct ladder_row *ladder_add(struct ladder *l, const struct ladder_row *r);
/* Frees the texts of a row. */
void ladder_free_row(struct ladder_row *r);
/* A row that has its time stands for that many of its kind, until the last one. */
void ladder_count(struct ladder_row *row, uint64_t times, int64_t last);
/* "this row 17 times more, until 3.141 ms": of a row with .again. The caller frees it. */
char *ladder_again(const struct ladder *l, const struct ladder_row *row);
/* The first LADDER_TEXT bytes of a text as one line, with control characters made visible. The
 * caller frees it. */
char *ladder_line(const char *text);

/* Writes the rows as a list of dicts, after a notice if some are no longer known, with its fields
 * "calls", "requests" and "packets": how many. */
void ladder_out(const struct ladder *l, struct out *o);
/* ladder_text.c: writes the ladder as text. width: columns (0: those of the terminal); is_utf8:
 * what shows it can show more than ASCII. */
void ladder_print(const struct ladder *l, unsigned width, bool is_utf8, struct out *o);
/* The number of bytes of text that fit into these columns. A long text is broken at a blank or
 * after a comma, if there is one. */
size_t ladder_fitting(const char *text, unsigned columns);
/* ladder_svg.c: appends an svg element. alone: it is a file of its own, with an XML declaration. */
void ladder_svg(const struct ladder *l, bool alone, struct text *d);

#endif
