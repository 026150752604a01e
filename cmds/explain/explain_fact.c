// SPDX-License-Identifier: MIT
#include <string.h>

#include "explain/explain.h"
#include "output/out.h"
#include "words.h"

#define MARGIN 10

static void say(struct out *o, const char *key, const char *text)
{
	if (text)
		out_str(o, key, text, "  %-*s%s\n", MARGIN - 2, key, text);
}

/* A list of lines. */
static void say_lines(struct out *o, const char *key, const char *lines)
{
	const char *label = key;

	if (!lines)
		return;
	out_list(o, key);
	while (*lines) {
		size_t len = strcspn(lines, "\n");
		char line[256];

		snprintf(line, sizeof line, "%.*s", (int)len, lines);
		out_str(o, NULL, line, "  %-*s- %s\n", MARGIN - 2, label, line);
		label = "";
		lines += len + (lines[len] != 0);
	}
	out_end(o);
}

void explain_fact(const struct found *f, struct out *o)
{
	const struct fact *fact = f->fact;
	const char *name = word_name(f->family->words, fact->value);
	const char *own = f->family->text ? f->family->text(fact->value) : NULL;

	out_str(o, "family", f->family->name, "%s ", f->family->title);
	out_u64(o, "value", fact->value, "%llu  ", (unsigned long long)fact->value);
	out_paint(o, PAINT_STRONG);
	out_str(o, "name", name, "%s%s", f->family->prefix, name);
	out_paint(o, PAINT_NONE);
	if (own)
		out_str(o, "text", own, "  \"%s\"", own);
	out_text(o, "\n");
	say(o, "means", word_help(f->family->words, fact->value));
	say(o, "here", fact->here);
	say(o, "peer", fact->there);
	say_lines(o, "causes", fact->causes);
	say_lines(o, "cures", fact->cures);
	say(o, "see", fact->source);
	if (fact->script)
		out_str(o, "script", fact->script, "  %-*sscripts/%s.rdma\n", MARGIN - 2, "try",
			fact->script);
}
