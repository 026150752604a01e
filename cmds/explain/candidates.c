// SPDX-License-Identifier: MIT
#include <stdarg.h>
#include <stdlib.h>

#include "explain/candidates.h"
#include "output/out.h"
#include "alloc.h"

static const struct {
	const char *word, *mark;
	enum paint paint;
} verdicts[VERDICTS] = {
	[IS_SO] = { "cause", "  cause           ", PAINT_BAD },
	[MAY_BE] = { "possible cause", "  possible cause  ", PAINT_NONE },
	[IS_NOT] = { "not the cause", "  not the cause   ", PAINT_DIM },
};

void candidate_add(struct candidates *c, enum verdict verdict, const char *next, const char *fmt,
		   ...)
{
	va_list ap;

	c->v = xgrow(c->v, c->n, sizeof *c->v);
	va_start(ap, fmt);
	c->v[c->n++] = (struct candidate){ verdict, xvasprintf(fmt, ap),
					   next && !c->no_commands ? xstrdup(next) : NULL };
	va_end(ap);
}

unsigned candidates_sure(const struct candidates *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += c->v[i].verdict == IS_SO;
	return n;
}

static void tell(const struct candidate *c, struct out *o)
{
	out_dict(o, NULL);
	out_paint(o, verdicts[c->verdict].paint);
	out_str(o, "verdict", verdicts[c->verdict].word, "%s", verdicts[c->verdict].mark);
	out_paint(o, PAINT_NONE);
	out_str(o, "text", c->text, "%s\n", c->text);
	if (c->next)
		out_str(o, "next", c->next, "                  next: %s\n", c->next);
	out_end(o);
}

void candidates_out(struct candidates *c, struct out *o)
{
	out_list(o, "candidates");
	for (unsigned verdict = 0; verdict < VERDICTS; verdict++)
		for (unsigned i = 0; i < c->n; i++)
			if (c->v[i].verdict == verdict)
				tell(&c->v[i], o);
	out_end(o);
	candidates_free(c);
}

void candidates_free(struct candidates *c)
{
	for (unsigned i = 0; i < c->n; i++) {
		free(c->v[i].text);
		free(c->v[i].next);
	}
	free(c->v);
	*c = (struct candidates){ 0 };
}
