/* SPDX-License-Identifier: MIT */
#include "painted.h"

#include <stdlib.h>

#include "heap.h"

void painted_free(struct painted *p)
{
	text_free(&p->text);
	free(p->marks);
	*p = (struct painted){ 0 };
}

void painted_paint(struct painted *p, enum paint paint)
{
	p->marks = xgrow(p->marks, p->n, sizeof *p->marks);
	p->marks[p->n++] = (struct paint_mark){ text_len(&p->text), paint };
}

void painted_add(struct painted *p, const char *text, size_t len)
{
	text_add_bytes(&p->text, text, len);
}

void painted_addf(struct painted *p, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	xvappendf(&p->text, fmt, ap);
	va_end(ap);
}
