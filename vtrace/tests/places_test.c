/* SPDX-License-Identifier: MIT */
/* places_test LIBRARY: the place of a function in a library with debug information is found; and
 * whatever becomes of the library's file, and of who reads it, vtrace goes on. */
#include "checking.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void demand(bool is, const char *what, const char *got)
{
	if (is)
		return;
	fprintf(stderr, "places_test: %s: '%s'\n", what, got);
	exit(1);
}

/* An address in the code of the function. */
static struct record_from within(void *library, const char *function)
{
	char *code = dlsym(library, function);

	demand(code, "there is no such function", function);
	return (struct record_from){ .at = (uintptr_t)code + 4 };
}

/* The process that reads debug information is stopped: the place stays an address, and no process
 * is left behind. */
static void stop_reader(struct record_from known, struct record_from asked)
{
	struct places *p = check_places_new(getpid());
	char command[80];
	const char *text = check_places_text(p, known);

	demand(strstr(text, "place_first.c"), "no place in the source", text);
	snprintf(command, sizeof command, "pkill -STOP -x places_test -P %d", (int)getpid());
	demand(system(command) == 0, "nothing to stop", command);
	text = check_places_text(p, asked);
	demand(strstr(text, "places_test.") && !strstr(text, "place_second.c"),
	       "a place that nobody has read", text);
	snprintf(command, sizeof command, "pgrep -x places_test -P %d", (int)getpid());
	demand(system(command) != 0, "the process is there still", "");
	check_places_free(p);
}

int main(int argc, char **argv)
{
	char copy[] = "/tmp/places_test.XXXXXX";
	const int fd = mkstemp(copy);
	struct record_from first, second;
	struct places *p;
	void *library;
	char command[4200];
	const char *text;

	demand(argc == 2 && fd >= 0, "no library", "");
	close(fd);
	snprintf(command, sizeof command, "cp '%s' %s", argv[1], copy);
	demand(system(command) == 0, "no copy", copy);
	library = dlopen(copy, RTLD_NOW);
	demand(library, "not loaded", copy);
	first = within(library, "place_first");
	second = within(library, "place_second");
	stop_reader(first, second);
	p = check_places_new(getpid());
	text = check_places_text(p, first);
	demand(strstr(text, "place_first.c\\x1b[2J:"), "no place in the source, or not visible",
	       text);
	demand(truncate(copy, 0) == 0, "not truncated", copy);
	text = check_places_text(p, second);
	demand(strstr(text, "places_test."), "no place in the library", text);
	check_places_free(p);
	unlink(copy);
	_exit(0); /* the library ends with code that is gone */
}
