/* SPDX-License-Identifier: MIT */
/*
 * The ladder: what all ends have in their records, in order, each end with a lane of its own. A
 * packet is one row, from the lane that sent it to the one that it came to.
 */
#ifndef CMDS_TIMELINE_LADDER_H
#define CMDS_TIMELINE_LADDER_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct decoded;
struct out;
struct record;
struct session;

#define LANES_MAX   10
#define LADDER_MAX  4096 /* rows of an end; the oldest are left out */
#define LADDER_TEXT 400	 /* bytes of a text */

enum ladder_kind {
	LADDER_CALL,   /* of a library */
	LADDER_EVENT,  /* of the connection manager, of a device, of a channel */
	LADDER_PACKET, /* sent or received */
	LADDER_WC,     /* a completion was taken */
	LADDER_STATE,  /* of a QP */
	LADDER_NOTICE, /* of another end */
	LADDER_KINDS
};
/* "call" "event" "packet" "completion" "state" "notice" */
extern const char *const ladder_words[LADDER_KINDS];

/* Is a row about what is there now? See ladder_how.all. */
enum ladder_age {
	AGE_CURRENT, /* since the oldest connection that still exists, or else the last one, began
		      */
	AGE_EARLIER, /* before that: a call about objects that still exist */
	AGE_GONE,    /* before that: anything else */
	LADDER_AGES
};

/* Which end of a connection: SIDE_NONE where neither, or it is not known. */
enum ladder_side { SIDE_NONE = 0, SIDE_ACTIVE = 'a', SIDE_PASSIVE = 'b' };

struct ladder_lane {
	unsigned place; /* 0: this program; then its peers; last, an end that is none of them */
	enum ladder_side side; /* SIDE_NONE: the only one of its place */
	const char *end;       /* whose lane it is: "@b", "client" */
	char *label;	       /* that, and the names of its objects */
};

struct ladder_row {
	unsigned seq;
	int64_t when, until; /* CLOCK_REALTIME, ns; until 0: takes no time */
	enum ladder_kind kind;
	enum ladder_age age;
	enum ladder_side side; /* of a packet: its sender */
	bool bad;	       /* failed, or tells of a failure */
	bool by_cm;	       /* a call of librdmacm */
	bool heads;	       /* name belongs above the lane */
	bool out, lost;	       /* of a packet: sent, else received; a fault has taken it */
	uint64_t key;	       /* of a packet: the same where it is sent and received */
	int state;	       /* of a QP: the one it is in now; -1: none is told */
	char name[32];	       /* the object that it is about, or "" */
	char *names;  /* of a call: all objects it is about, a blank before and after each; or NULL
		       */
	char *text;   /* the call and its arguments, the packet in short ... */
	char *result; /* of a call; all headers of a packet; or NULL */
	char *fate;   /* what a fault did to a packet, or NULL */
	unsigned place;
	char also[32]; /* of a packet: the object at its receiver */
	int from, to;  /* lanes; to -1: no packet */
	bool matched, arrived;
	/* The again_rows rows that end with this one come again times more, the last time at
	 * again_until. Those repetitions are folded: the text leaves them out. */
	unsigned again, again_rows;
	int64_t again_until;
	bool folded;
};

struct ladder {
	struct ladder_lane lanes[LANES_MAX];
	unsigned nlanes;
	char **places; /* their names; NULL: this program, whose ends have names of their own */
	unsigned nplaces;
	struct ladder_row *rows;
	unsigned n;
	int64_t start;	   /* of the first current row, CLOCK_REALTIME, ns */
	unsigned left_out; /* rows of AGE_GONE, and rows before ladder_how.last of them */
	char *remarks;	   /* lines about ends that could not be asked, or NULL */
};

struct ladder_how {
	unsigned last;	/* rows at most, folded ones not counted; 0: all */
	const char *qp; /* only what is about it, of any age; or NULL */
	bool all;	/* rows of any age; else those of AGE_GONE are left out */
};

/* Asks the peers for their rows. To be freed with ladder_free(). */
void ladder_make(struct session *s, const struct ladder_how *how, struct ladder *l);
/* Adds a place with that name (NULL: this program); returns its number. */
unsigned ladder_add_place(struct ladder *l, const char *name);
/* Puts the rows in order, and each on its lane. */
void ladder_arrange(struct ladder *l);
/* Keeps the last rows only, last of them not folded. 0: keeps all. */
void ladder_keep_last(struct ladder *l, unsigned last);
void ladder_free(struct ladder *l);
/* Whose lane it is: "@b"; empty if lane is negative. */
const char *ladder_end(const struct ladder *l, int lane);
/* ms since the first current row; negative for an earlier row */
double ladder_ms(const struct ladder *l, const struct ladder_row *r);

/* ladder_record.c: adds the rows of this end, from its record. */
void ladder_add_own(struct session *s, struct ladder *l);
/* Does the call become a row? A call within another one does not, nor one that asks for something
 * and gets it, acknowledges an event, or has waited in vain. */
bool ladder_is_row(const struct record *r);
/* ladder_row.c. "ibv_alloc_pd rxe0 = pd0": what a person reads; to be freed. */
char *ladder_says(const struct ladder_row *r);
/* Writes what a packet says into a row that has its time, direction and name; fate may be
 * NULL. The key is the same where it is sent and received. */
void ladder_tell_packet(struct ladder_row *row, const struct decoded *d, const char *fate);
uint64_t ladder_packet_key(const struct decoded *d);
/* The same of a QP's state: from -1: it was created; why: a call or a reason, or NULL. */
void ladder_tell_state(struct ladder_row *row, int from, enum ibv_qp_state to, const char *why);
/* The same of a completion, in a row that has the time of the poll; what: its opcode, or NULL. */
void ladder_tell_completion(struct ladder_row *row, const struct ibv_wc *wc, const char *what);
/* Adds a row; its texts are the ladder's from then on. */
struct ladder_row *ladder_add(struct ladder *l, const struct ladder_row *r);
void ladder_free_row(struct ladder_row *r);
/* The first LADDER_TEXT bytes in one line, of which all can be seen; to be freed. */
char *ladder_line(const char *text);

/* As values, for a peer, and from a peer's values, which are not trusted. */
void ladder_rows_out(const struct ladder *l, struct out *o);
int ladder_row_read(Tcl_Obj *value, struct ladder_row *r);

/* ladder_text.c: width 0: that of the terminal. */
void ladder_print(const struct ladder *l, unsigned width, struct out *o);
/* How many bytes of text fit into that many columns: up to a blank or behind a comma where there is
 * one. */
size_t ladder_fitting(const char *text, unsigned columns);
/* ladder_svg.c: appends an svg element, with its style where it stands alone. */
void ladder_svg(const struct ladder *l, bool alone, Tcl_DString *d);

#endif
