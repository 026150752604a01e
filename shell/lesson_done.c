// SPDX-License-Identifier: MIT
/* Which lessons were finished: a file with a number a line. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lesson.h"
#include "print.h"
#include "xdg.h"

unsigned long lesson_done(void)
{
	char *path = xdg_state("lessons");
	FILE *f = path ? fopen(path, "re") : NULL;
	unsigned long done = 0;
	unsigned number;

	while (f && fscanf(f, "%u", &number) == 1)
		if (number < 8 * sizeof done)
			done |= 1ul << number;
	if (f)
		fclose(f);
	free(path);
	return done;
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

void lesson_note_done(unsigned number)
{
	char *path = xdg_state("lessons");
	bool noted;
	FILE *f;

	if (!path || lesson_done() & 1ul << number) {
		free(path);
		return;
	}
	make_folders(path);
	f = fopen(path, "ae");
	noted = f && fprintf(f, "%u\n", number) > 0;
	if (f && fclose(f))
		noted = false;
	if (!noted) {
		print_error("rdmash: %s: %s: the lesson is not noted as done\n", path,
			    strerror(errno));
	}
	free(path);
}
