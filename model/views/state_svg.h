/* SPDX-License-Identifier: MIT */
/* The states of a QP as an SVG drawing: the way that it has taken, or what each transition needs.
 */
#ifndef MODEL_VIEWS_STATE_SVG_H
#define MODEL_VIEWS_STATE_SVG_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct text;

/* Is the send queue of a QP in SQD empty yet? */
enum state_drain {
	DRAIN_UNKNOWN, /* the device does not say, or the QP is in another state */
	DRAIN_RUNNING,
	DRAIN_DONE
};

struct state_svg {
	const char *title;
	enum ibv_qp_type type;
	bool is_table; /* no QP, and no now: each transition has a number, and a row with attributes
			*/
	bool is_alone; /* a file of its own, with an XML declaration and its colours */
	uint64_t steps; /* of states, that it has made: uroce_step() */
	enum ibv_qp_state now;
	enum state_drain drain;
	/* Lines below the drawing, each with a newline; NULL: none. Not for a table. */
	const char *lines;
};

/* Appends an svg element. */
void state_svg(struct text *to, const struct state_svg *d);
/* state_svg.css, the style sheet of the drawings, for a page that has several: class "qs". */
extern const char state_svg_css[];

/* The steps that lead from one state to another; the connection manager makes several at once. */
uint64_t state_path(enum ibv_qp_state from, enum ibv_qp_state to);

#endif
