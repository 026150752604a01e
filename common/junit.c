/* SPDX-License-Identifier: MIT */
#include "junit.h"

#include <stdio.h>

#include "text.h"
#include "visible.h"

static void add_attribute(struct text *to, const char *name, const char *value)
{
	xappendf(to, " %s=\"", name);
	visible_markup(to, value);
	text_add(to, "\"");
}

void junit_add(struct text *cases, const struct junit_case *c)
{
	text_add(cases, "    <testcase");
	add_attribute(cases, "classname", c->class);
	add_attribute(cases, "name", c->name);
	if (c->ns)
		xappendf(cases, " time=\"%.6f\"", (double)c->ns / 1e9);
	if (!c->tag) {
		text_add(cases, "/>\n");
		return;
	}
	xappendf(cases, ">\n      <%s", c->tag);
	if (c->message)
		add_attribute(cases, "message", c->message);
	text_add(cases, ">");
	if (c->text)
		visible_markup(cases, c->text);
	xappendf(cases, "</%s>\n    </testcase>\n", c->tag);
}

int junit_write(const char *path, const char *suite, const char *attributes,
		const struct text *cases)
{
	FILE *f = fopen(path, "we");
	bool written;

	if (!f)
		return -1;
	fprintf(f,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
		"  <testsuite name=\"%s\"%s>\n%s  </testsuite>\n</testsuites>\n",
		suite, attributes, text_str(cases));
	written = !ferror(f);
	return fclose(f) == 0 && written ? 0 : -1;
}
