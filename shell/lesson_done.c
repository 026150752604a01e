// SPDX-License-Identifier: MIT
/* Which lessons were finished: a file with the name of one a line. Names stay when lessons are
 * numbered anew. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lesson.h"
#include "print.h"
#include "xdg.h"
#include "xmem.h"

/* "protection-domain" of .../01-protection-domain.rdma; the caller frees it. */
static char *name_of(const struct lesson_file *file)
{
	const char *slash = strrchr(file->path, '/');
	const char *base = slash ? slash + 1 : file->path;
	char *name = xstrdup(base + strspn(base, "0123456789-"));
	char *dot = strrchr(name, '.');

	if (dot)
		*dot = 0;
	return name;
}

bool lesson_is_done(const struct lesson_file *file)
{
	char *path = xdg_state("lessons"), *name = name_of(file), *line = NULL;
	FILE *f = path ? fopen(path, "re") : NULL;
	bool found = false;
	size_t size = 0;

	while (f && !found && getline(&line, &size, f) > 0) {
		line[strcspn(line, "\n")] = 0;
		found = strcmp(line, name) == 0;
	}
	if (f)
		fclose(f);
	free(line);
	free(name);
	free(path);
	return found;
}

/* The folders of path, for this user alone; those that are there stay as they are. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

static bool append_line(const char *path, const char *line)
{
	FILE *f = fopen(path, "ae");
	bool written = f && fprintf(f, "%s\n", line) > 0;

	return f && fclose(f) == 0 && written;
}

void lesson_note_done(const struct lesson_file *file)
{
	char *path = xdg_state("lessons"), *name = name_of(file);

	if (path && !lesson_is_done(file)) {
		make_folders(path);
		if (!append_line(path, name))
			print_error("rdmash: %s: %s: the lesson is not noted as done\n", path,
				    strerror(errno));
	}
	free(name);
	free(path);
}
