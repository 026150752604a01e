/* SPDX-License-Identifier: MIT */
/* Possible causes of a failure, and what helps. */
#include <stdarg.h>
#include <stdlib.h>

#include "alloc.h"
#include "explain/explain.h"
#include "output/out.h"

static const struct {
	const char *word;
	enum paint paint;
} verdicts[VERDICTS] = {
	[IS_SO] = { "cause", PAINT_BAD },
	[MAY_BE] = { "possible cause", PAINT_NONE },
	[IS_NOT] = { "not the cause", PAINT_DIM },
};

void cause_add(struct causes *c, enum verdict verdict, const char *next, const char *fmt, ...)
{
	va_list ap;

	c->v = xgrow(c->v, c->n, sizeof *c->v);
	va_start(ap, fmt);
	c->v[c->n++] = (struct cause){ verdict, xvasprintf(fmt, ap),
				       next && !c->no_commands ? xstrdup(next) : NULL };
	va_end(ap);
}

static void out_cause(const struct cause *c, struct out *o)
{
	const char *word = verdicts[c->verdict].word;

	out_dict(o, NULL);
	out_paint(o, verdicts[c->verdict].paint);
	out_str(o, "verdict", word, "  %-16s", word);
	out_paint(o, PAINT_NONE);
	out_str(o, "text", c->text, "%s\n", c->text);
	if (c->next)
		out_str(o, "next", c->next, "                  next: %s\n", c->next);
	out_end(o);
}

void causes_out(struct causes *c, struct out *o)
{
	out_list(o, "causes");
	for (unsigned verdict = 0; verdict < VERDICTS; verdict++)
		for (unsigned i = 0; i < c->n; i++)
			if (c->v[i].verdict == verdict)
				out_cause(&c->v[i], o);
	out_end(o);
	causes_free(c);
}

void causes_free(struct causes *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		free(c->v[i].text);
		free(c->v[i].next);
	}
	free(c->v);
	*c = (struct causes){ 0 };
}
