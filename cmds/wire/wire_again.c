/* SPDX-License-Identifier: MIT */
/* Packets that come again and again, such as a request whose peer has no receive: from the third
 * time on they are counted. */
#include "wire/wire_again.h"

#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "session.h"
#include "output/print.h"

#define SHOWN	2	     /* times */
#define TELL_NS 1000000000LL /* no more often it is told that a packet still comes */

bool wire_again(struct wire_again *w, struct notices *to, const char *line)
{
	struct again_line *l = w->lines;

	while (l < w->lines + AGAIN_LINES && !(l->text && strcmp(l->text, line) == 0))
		l++;
	if (l < w->lines + AGAIN_LINES && l->shown == SHOWN) {
		l->more++;
		if (loop_now() - w->told > TELL_NS)
			wire_again_tell(w, to);
		return true;
	}
	wire_again_tell(w, to);
	if (l == w->lines + AGAIN_LINES) {
		l = &w->lines[w->next++ % AGAIN_LINES];
		free(l->text);
		*l = (struct again_line){ .text = xstrdup(line) };
	}
	l->shown++;
	return false;
}

void wire_again_tell(struct wire_again *w, struct notices *to)
{
	for (struct again_line *l = w->lines; l < w->lines + AGAIN_LINES; l++) {
		if (l->more)
			notice_post(to, NOTICE_WIRE, "... %llu time%s more: %s",
				    (unsigned long long)l->more, l->more == 1 ? "" : "s", l->text);
		l->more = 0;
	}
	w->told = loop_now();
}

void wire_again_free(struct wire_again *w)
{
	for (struct again_line *l = w->lines; l < w->lines + AGAIN_LINES; l++)
		free(l->text);
}
