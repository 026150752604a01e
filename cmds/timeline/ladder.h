/* SPDX-License-Identifier: MIT */
/*
 * The ladder: what all ends have noted, in order, each end with a lane of its own. A packet is one
 * row, from the lane that sent it to the one that it came to.
 */
#ifndef CMDS_TIMELINE_LADDER_H
#define CMDS_TIMELINE_LADDER_H

#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

#include "chronicle.h"

struct out;
struct session;

#define LANES_MAX 10

struct ladder_lane {
	unsigned place;		  /* 0: this program; then its peers, and who is not one of them */
	enum chronicle_side side; /* SIDE_NONE: the only one of its place */
	char *label;
};

struct ladder_row {
	struct chronicle_entry e; /* with texts of its own, of ladder_text() */
	unsigned place;
	char also[32]; /* of a packet: the object at its receiver */
	int from, to;  /* lanes; to -1: no packet */
	bool matched, arrived;
};

struct ladder {
	struct ladder_lane lanes[LANES_MAX];
	unsigned nlanes;
	struct ladder_row *rows;
	unsigned n;
	int64_t start; /* of the first row, CLOCK_REALTIME, ns */
	char *remarks; /* lines about ends that could not be asked, or NULL */
};

struct ladder_how {
	unsigned last;	/* rows at most; 0: all */
	const char *qp; /* only what is about it; or NULL */
};

/* Asks the peers for what they have noted. To be freed with ladder_free(). */
void ladder_make(struct session *s, const struct ladder_how *how, struct ladder *l);
void ladder_free(struct ladder *l);
/* "@b": the label of a lane without the objects; to be freed. */
char *ladder_end(const struct ladder *l, int lane);
/* text in one line, of which all can be seen; NULL of NULL. To be freed. */
char *ladder_text(const char *text);
/* ms since the first row */
double ladder_ms(const struct ladder *l, const struct ladder_row *r);
/* "ibv_reg_mr(pd0, 4096) = mr0": what a person reads; to be freed. */
char *ladder_says(const struct ladder_row *r);

/* ladder_join.c: the ends of entries that do not tell, by the objects they name. */
void ladder_fill_in_sides(struct ladder *l);
/* What was sent and received becomes one row. */
void ladder_match_packets(struct ladder *l);
/* Did a fault take it? */
bool ladder_is_lost(const struct ladder_row *r);
/* Is it about the object? */
bool ladder_names(const struct ladder_row *r, const char *name);

/* ladder_row.c: as values, for a peer, and from a peer's values, which are not trusted. */
void ladder_rows_out(struct out *o);
int ladder_row_read(Tcl_Obj *value, struct ladder_row *r);

/* ladder_text.c: width 0: that of the terminal. */
void ladder_print(struct session *s, const struct ladder *l, unsigned width, struct out *o);
/* ladder_svg.c: appends an svg element, with its style where it stands alone. */
void ladder_svg(const struct ladder *l, bool alone, Tcl_DString *d);

#endif
