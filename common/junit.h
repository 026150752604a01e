/* SPDX-License-Identifier: MIT */
/* JUnit reports, which servers of continuous integration show. */
#ifndef COMMON_JUNIT_H
#define COMMON_JUNIT_H

#include <stdint.h>

struct text;

struct junit_case {
	const char *class, *name;
	int64_t ns;		    /* that it took; 0: not known */
	const char *tag;	    /* "failure", "error", "skipped"; NULL: it has passed */
	const char *message, *text; /* of the tag; NULL: none */
};

/* Appends a test case. */
void junit_add(struct text *cases, const struct junit_case *c);
/* Writes the report of a suite. attributes: of the suite besides its name: " tests=\"2\"". 0, or -1
 * with errno. */
int junit_write(const char *path, const char *suite, const char *attributes,
		const struct text *cases);

#endif
