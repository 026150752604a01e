/* SPDX-License-Identifier: MIT */
/* Lines of the source: from addresses in the code of a process, with its map of memory, which is
 * read while it lives. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checking.h"
#include "check_source.h"
#include "heap.h"
#include "text.h"
#include "visible.h"

struct module {
	uint64_t begin, end, offset;
	char *path;
};

struct places {
	int pid;
	struct module *v;
	unsigned n;
	char *maps; /* as it was read */
	size_t size;
	struct source_reader source; /* of these modules */
};

/* ---------------------------------------------------------------------- the modules -- */

static void forget_modules(struct places *p)
{
	check_source_end(&p->source);
	for (unsigned i = 0; i < p->n; i++)
		free(p->v[i].path);
	free(p->v);
	free(p->maps);
	p->v = NULL;
	p->maps = NULL;
	p->n = 0;
}

static void add_module(struct places *p, const char *line)
{
	struct module m;
	char rights[5], path[4096] = "";

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %*s %*s %4095[^\n]", &m.begin,
		   &m.end, rights, &m.offset, path) < 4 ||
	    rights[2] != 'x' || *path != '/')
		return;
	m.path = xstrdup(path);
	p->v = xgrow(p->v, p->n, sizeof *p->v);
	p->v[p->n++] = m;
}

/* Reads the map anew. The last one stays if the process has ended. */
static void read_modules(struct places *p)
{
	char path[64], *maps = NULL, line[4352];
	size_t size;
	FILE *from, *to;

	snprintf(path, sizeof path, "/proc/%d/maps", p->pid);
	from = fopen(path, "re");
	if (!from)
		return;
	to = xmemstream(&maps, &size);
	while (fgets(line, sizeof line, from))
		fputs(line, to);
	fclose(from);
	fclose(to);
	if (!size) { /* it is ending */
		free(maps);
		return;
	}
	forget_modules(p);
	p->maps = maps;
	p->size = size;
	for (const char *at = maps; *at; at += strcspn(at, "\n") + 1)
		add_module(p, at);
}

struct places *check_places_new(int pid)
{
	struct places *p = xcalloc(1, sizeof *p);

	p->pid = pid;
	read_modules(p);
	return p;
}

void check_places_free(struct places *p)
{
	if (!p)
		return;
	forget_modules(p);
	free(p);
}

static const struct module *find_module(const struct places *p, uint64_t address)
{
	for (unsigned i = 0; i < p->n; i++)
		if (address >= p->v[i].begin && address < p->v[i].end)
			return &p->v[i];
	return NULL;
}

bool check_places_are_of_one(const struct places *p, uint64_t made, uint64_t used)
{
	const struct module *a = find_module(p, made), *b = find_module(p, used);

	if (!a || !b)
		return false;
	return strcmp(a->path, p->v[0].path) == 0 || strcmp(a->path, b->path) == 0;
}

void check_places_learn(struct places *p, struct record_from from)
{
	if (from.at && !find_module(p, from.at))
		read_modules(p);
}

/* The traced program has chosen the names in it. */
static const char *visible_place(const char *place)
{
	SCOPED_TEXT(text);

	visible_append(&text, place, strlen(place), VISIBLE_ONE_LINE);
	return temp_text("%s", text_str(&text));
}

const char *check_places_text(struct places *p, struct record_from from)
{
	const struct module *m;
	const char *source, *name;

	if (!from.at)
		return "";
	check_places_learn(p, from);
	source = check_source_find(&p->source, p->maps, p->size, from);
	m = find_module(p, from.at);
	if (source || !m)
		return source ? visible_place(source) : temp_text("0x%" PRIx64, from.at);
	name = strrchr(m->path, '/') + 1;
	return visible_place(temp_text("%s+0x%" PRIx64, name, from.at - 1 - m->begin + m->offset));
}
