/* SPDX-License-Identifier: MIT */
/*
 * The error object: why a command failed.
 *
 * Commands never print errors. They fill this object and return -1; the shell adds the position and
 * prints it once, or a script catches it with try ... trap {RDMASH ...}.
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
	char *call;	       /* the library call or command that failed */
	char *code;	       /* errno name (EINVAL) or status word; the last word of -errorcode */
	char *text;	       /* the whole first line, without "error: " */
	char *where;	       /* "file:line in proc < file:line", set by the interpreter */
	int64_t when;	       /* loop_now() */
	unsigned long command; /* s->commands at that time */
	struct fail_row *rows;
	unsigned nrows;
};

/* A library call has failed with errno err (sign ignored; 0: unknown). The text is
 * "call: <fmt>: <errno's text> (<ERRNO>)". Replaces an earlier failure. Returns -1. */
int fail_call(struct session *s, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* A command failed before any library call; -errorcode is RDMASH call code. Returns -1. */
int fail(struct session *s, const char *call, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a line "  label  text": an attribute that was passed, the state before, a likely cause. To
 * be called after fail() or fail_call(). Returns -1. */
int fail_row(struct session *s, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the row "next": what to type next. Returns -1. */
int fail_next(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Move s->fail aside while another command runs, and put it back afterwards. */
struct fail fail_aside(struct session *s);
void fail_back(struct session *s, struct fail before);

/* Empties f and frees its texts. */
void fail_clear(struct fail *f);
/* Clears s->fail for the next command; a failure that was there moves to s->before. */
void fail_keep(struct session *s);
/* Writes error, call, code and rows into the open dict of o. */
void fail_out(const struct fail *f, struct out *o);
/* Appends the rows as indented lines. */
void fail_rows(const struct fail *f, Tcl_DString *text);
/* Appends text; lines after the first are indented by that many blanks, so that text from a peer
 * cannot look like a line of the shell. */
void fail_append(Tcl_DString *to, const char *text, unsigned indent);

#endif
