/* SPDX-License-Identifier: MIT */
/*
 * The error object: what a command that failed has to say.
 *
 * Handlers never print errors. They fill this and return -1; the shell adds where it
 * happened and prints it once, or a script catches it with try ... trap {RDMASH ...}.
 */
#ifndef SHELL_FAIL_H
#define SHELL_FAIL_H

#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

struct out;
struct session;

struct fail_row {
	char *label;
	char *text;
};

struct fail {
	char *call;	       /* what failed: a library call or a command */
	char *code;	       /* errno name (EINVAL) or status word; the last word of -errorcode */
	char *text;	       /* the whole first line, without "error: " */
	char *where;	       /* "file:line in proc < file:line", set by the interpreter */
	int64_t when;	       /* loop_now() */
	unsigned long command; /* s->commands then */
	struct fail_row *rows;
	unsigned nrows;
};

/* A library call has failed with errno err (sign ignored; 0: unknown). The text is
 * "call: <fmt>: <errno's text> (<ERRNO>)". Replaces what was there. Returns -1. */
int fail_call(struct session *s, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Refused before any library call; -errorcode is RDMASH call code. Returns -1. */
int fail(struct session *s, const char *call, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* An attribute that was passed, the state before, a likely cause: a line "  label  text".
 * To be called after fail() or fail_call(). Returns -1. */
int fail_row(struct session *s, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* What to type next: the row "next". Returns -1. */
int fail_next(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Between the words of another command: what has failed there is set aside, and put back. */
struct fail fail_aside(struct session *s);
void fail_back(struct session *s, struct fail before);

/* Forgets everything; frees. */
void fail_clear(struct fail *f);
/* Clears s->fail for the next command; what was there, if anything, is s->before from now on. */
void fail_keep(struct session *s);
/* States error, call, code and rows in the dict that is open. */
void fail_out(const struct fail *f, struct out *o);
/* Appends the rows, a line each, indented. */
void fail_rows(const struct fail *f, Tcl_DString *text);
/* Appends text; its lines after the first are indented by so many blanks: no text that comes
 * from elsewhere looks like a line of the shell's own. */
void fail_append(Tcl_DString *to, const char *text, unsigned indent);

#endif
