/* SPDX-License-Identifier: MIT */
/*
 * The progress of a user in the lessons is kept in $XDG_STATE_HOME/rdmash/lessons. It has a line
 * for each step that is behind, and for each time that a lesson was left or finished:
 *
 *	NAME			it is done
 *	NAME STEP [skipped]	it goes on at this step, from 1, with steps skipped
 *	NAME STEP all|skipped N KIND DATE SECONDS WRONG HINTS SKIPPED POINTS OF
 *				the same, and what became of step N
 *
 * The last line of a name says where it begins. The name is that of its file, without the number,
 * which changes when lessons are added.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alloc.h"
#include "file/file.h"
#include "lesson/lesson.h"
#include "out.h"
#include "output/print.h"
#include "session.h"

/* The end of a path that has so many names. */
static const char *path_tail(const char *path, unsigned names)
{
	const char *at = path + strlen(path);

	while (at > path && (at[-1] != '/' || --names))
		at--;
	return at;
}

/* The name in a path: "protection-domain" of the program's 01-protection-domain.rdma; with its
 * folder where it is somebody's own: "week2/lab" of .../week2/lab.rdma. The caller frees it. */
static char *lesson_name(const struct lesson_file *file)
{
	char *real = file->is_shipped ? NULL : realpath(file->path, NULL);
	const char *path = real ? real : file->path, *base = path_tail(path, 1);
	char *name = xstrdup(file->is_shipped ? base + strspn(base, "0123456789-")
					      : path_tail(path, 2));
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = 0;
	for (char *p = name; *p; p++)
		if (strchr(" \t\n", *p))
			*p = '_';
	free(real);
	return name;
}

static FILE *open_kept(const char *mode)
{
	char *path = file_xdg_state("lessons");
	FILE *f = NULL;

	if (path && *mode == 'a')
		file_make_parents(path);
	if (path)
		f = fopen(path, mode);
	if (!f && path && *mode == 'a')
		print_error("rdmash: %s: %s: how far the lesson was done is not kept\n", path,
			    strerror(errno));
	free(path);
	return f;
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
	char *name = lesson_name(file), *line = NULL;
	struct lesson_progress p = { 0 };
	FILE *f = open_kept("re");
	size_t size = 0;

	while (f && getline(&line, &size, f) > 0)
		read_line(line, name, &p);
	if (f)
		fclose(f);
	free(line);
	free(name);
	return p;
}

static void append(const struct lesson_file *file, const char *rest)
{
	char *name = lesson_name(file);
	FILE *f = open_kept("ae");

	if (f) {
		fprintf(f, "%s%s\n", name, rest);
		if (fclose(f))
			print_error("rdmash: how far the lesson was done is not kept: %s\n",
				    strerror(errno));
	}
	free(name);
}

void lesson_note_done(const struct lesson_file *file)
{
	struct lesson_progress p = lesson_progress(file);

	if (!p.done || p.at)
		append(file, "");
}

void lesson_note_left(const struct lesson_file *file, unsigned at, bool skipped)
{
	struct lesson_progress p = lesson_progress(file);
	char *rest = xasprintf(" %u%s", at + 1, skipped ? " skipped" : "");

	if (p.at != at || p.skipped != skipped)
		append(file, rest);
	free(rest);
}

unsigned lesson_points(const struct lesson_step *step, const struct lesson_taken *t)
{
	unsigned lost = t->wrong + t->hints;

	return t->skipped || lost >= step->points ? 0 : step->points - lost;
}

void lesson_note_step(const struct lesson_file *file, unsigned at, bool skipped,
		      const struct lesson_taken *t)
{
	static const char *const kinds[] = { "say", "try", "ask" };
	const struct lesson_step *step = &file->step[at];
	time_t now = time(NULL);
	struct tm tm;
	char date[24], *rest;

	strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &tm));
	rest = xasprintf(" %u %s %u %s %s %.0f %u %u %d %u %u", at + 2, skipped ? "skipped" : "all",
			 at + 1, step->is_hidden ? "task" : kinds[step->kind], date,
			 difftime(now, t->begun), t->wrong, t->hints, t->skipped,
			 lesson_points(step, t), step->points);
	append(file, rest);
	free(rest);
}

/* A line about a step, which the user may have changed. */
static void write_step_line(const char *line, struct out *o)
{
	char name[64], kind[5], date[24] = "";
	unsigned step, wrong, hints, skipped, points, of;
	double seconds;

	if (sscanf(line, "%63s %*u %*s %u %4s %23s %lf %u %u %u %u %u", name, &step, kind, date,
		   &seconds, &wrong, &hints, &skipped, &points, &of) != 10 ||
	    strlen(date) < 16)
		return;
	out_dict(o, NULL);
	out_str(o, "lesson", name, "%-18s", name);
	out_u64(o, "step", step, " %2u", step);
	out_str(o, "kind", kind, " %-4s", kind);
	out_str(o, "done", date, " %.11s", date + 5); /* without the year */
	out_double(o, "seconds", seconds, " %4.0f s", seconds);
	out_u64(o, "wrong", wrong, "  wrong %u", wrong);
	out_u64(o, "hints", hints, "  hints %u", hints);
	out_bool(o, "skipped", skipped, "%s", skipped ? "  skipped" : "");
	out_u64(o, "points", points, NULL);
	out_u64(o, "of", of, of ? "  %u of %u\n" : "\n", points, of);
	out_end(o);
}

void lesson_write_progress(struct out *o)
{
	FILE *f = open_kept("re");
	char *line = NULL;
	size_t size = 0;

	out_list(o, NULL);
	while (f && getline(&line, &size, f) > 0)
		write_step_line(line, o);
	out_end(o);
	if (f)
		fclose(f);
	free(line);
}

/* ------------------------------------------------------------------------- list -- */

int lesson_list(struct session *s, unsigned current, struct out *o)
{
	unsigned n = lesson_count(s);

	if (!n)
		return -1;
	out_list(o, NULL);
	for (unsigned i = 1; i <= n; i++) {
		struct lesson_file file;
		const bool is_here = current == i;
		struct lesson_progress progress;

		if (lesson_read(s, temp_text("%u", i), NULL, &file)) { /* one of $RDMASH_LESSONS */
			out_dict(o, NULL);
			out_u64(o, "number", i, "  %2u ", i);
			out_str(o, "error", s->fail.text, "     not a lesson: %s\n", s->fail.text);
			out_end(o);
			fail_clear(&s->fail);
			continue;
		}
		progress = lesson_progress(&file);
		out_dict(o, NULL);
		out_bool(o, "on", is_here, "%s", is_here ? ">" : " ");
		out_u64(o, "number", i, "%2u ", i);
		out_bool(o, "done", progress.done, "%s ", progress.done ? "done" : "    ");
		out_str(o, "title", file.title, "%s", file.title);
		if (progress.at >= file.n && !is_here)
			out_text(o, "  (over, with steps skipped)");
		else if (progress.at && !is_here)
			out_text(o, "  (at step %u of %u)", progress.at + 1, file.n);
		out_text(o, "\n");
		out_end(o);
		lesson_free(&file);
	}
	out_end(o);
	return 0;
}
