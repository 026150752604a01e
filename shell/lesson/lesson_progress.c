// SPDX-License-Identifier: MIT
/*
 * What a user has done of the lessons, kept in $XDG_STATE_HOME/rdmash/lessons, a line for each time
 * that one was left or finished:
 *
 *	NAME			it is done
 *	NAME STEP [skipped]	it was left at this step, from 1, with steps skipped
 *
 * The last line of a name says where it begins. The name is that of its file, without the number,
 * which changes when lessons are added.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "file/file.h"
#include "lesson/lesson.h"
#include "output/print.h"

/* The name in a path: "protection-domain" of .../01-protection-domain.rdma. The caller frees it. */
static char *lesson_name(const struct lesson_file *file)
{
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;
	char *name = xstrdup(base + strspn(base, "0123456789-"));
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = 0;
	return name;
}

static void read_line(const char *line, const char *name, struct lesson_progress *p)
{
	size_t len = strlen(name);
	char word[10] = "";
	unsigned step = 0;

	if (strncmp(line, name, len) != 0 || !strchr(" \n", line[len]))
		return;
	sscanf(line + len, " %5u %9s", &step, word);
	p->done |= !step;
	p->at = step ? step - 1 : 0;
	p->skipped = strcmp(word, "skipped") == 0;
}

struct lesson_progress lesson_progress(const struct lesson_file *file)
{
	char *path = xdg_state("lessons"), *name = lesson_name(file), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	struct lesson_progress p = { 0 };
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		read_line(line, name, &p);
	if (f)
		fclose(f);
	free(line);
	free(name);
	free(path);
	return p;
}

static void append(const struct lesson_file *file, const char *rest)
{
	char *path = xdg_state("lessons"), *name = lesson_name(file);
	bool written;
	FILE *f;

	if (path) {
		make_parent_folders(path);
		f = fopen(path, "ae");
		written = f && fprintf(f, "%s%s\n", name, rest) > 0;
		if ((f && fclose(f)) || !written)
			print_error("rdmash: %s: %s: how far the lesson was done is not kept\n",
				    path, strerror(errno));
	}
	free(name);
	free(path);
}

void lesson_note_done(const struct lesson_file *file)
{
	struct lesson_progress p = lesson_progress(file);

	if (!p.done || p.at)
		append(file, "");
}

void lesson_note_left(const struct lesson_file *file, unsigned at, bool skipped)
{
	char *rest = xasprintf(" %u%s", at + 1, skipped ? " skipped" : "");

	append(file, rest);
	free(rest);
}
