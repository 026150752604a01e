/* SPDX-License-Identifier: MIT */
#ifndef CMDS_WIRE_AGAIN_H
#define CMDS_WIRE_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

struct notices;

#define AGAIN_LINES 8

/* The last different lines of 'wire on'. All zero: none. */
struct wire_again {
	struct again_line {
		char *text;	    /* without the time; NULL: free */
		unsigned shown;	    /* times */
		unsigned long more; /* times, that were not told yet */
	} lines[AGAIN_LINES];
	unsigned next;
	int64_t told; /* loop_now() of the last time */
};

/* Is it a line that is not to be shown, because it was often enough? Before another one, those that
 * were not shown are told. */
bool wire_again(struct wire_again *w, struct notices *to, const char *line);
/* Tells how often which lines were not shown. */
void wire_again_tell(struct wire_again *w, struct notices *to);
void wire_again_free(struct wire_again *w);

#endif
