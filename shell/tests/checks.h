/* SPDX-License-Identifier: MIT */
/* Checks of the unit tests: the first that fails tells where, and ends the test. */
#ifndef SHELL_TESTS_CHECK_H
#define SHELL_TESTS_CHECK_H

#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Atomic unsigned checks_passed; /* threads check, too */

static inline void check_that(bool ok, const char *what, const char *file, int line)
{
	if (!ok) {
		fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
		exit(1);
	}
	checks_passed++;
}

static inline void check_int(int64_t got, int64_t want, const char *what, const char *file,
			     int line)
{
	if (got != want) {
		fprintf(stderr, "%s:%d: %s is %" PRId64 ", not %" PRId64 "\n", file, line, what,
			got, want);
		exit(1);
	}
	checks_passed++;
}

static inline void check_str(const char *got, const char *want, const char *what, const char *file,
			     int line)
{
	if (!got || strcmp(got, want) != 0) {
		fprintf(stderr, "%s:%d: %s is \"%s\", not \"%s\"\n", file, line, what,
			got ? got : "(null)", want);
		exit(1);
	}
	checks_passed++;
}

#define CHECK(cond)	     check_that((cond), #cond, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int((got), (want), #got, __FILE__, __LINE__)
#define CHECK_STR(got, want) check_str((got), (want), #got, __FILE__, __LINE__)

/* The last line of a test: return checks_end(); */
static inline int checks_end(void)
{
	printf("%u checks passed\n", checks_passed);
	return 0;
}

#endif
