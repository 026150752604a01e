/* SPDX-License-Identifier: MIT */
/*
 * Printing: the one place where text goes to a terminal. Nothing else writes to standard
 * output or standard error, but for the line editor's own drawing.
 *
 * Colours are stored beside the text, not in it, so escape sequences from elsewhere are escaped
 * like all other control characters (visible.c). Only data that a user prints with echo or puts,
 * and CSV, are printed unchanged, and only if standard output is not a terminal. On a terminal
 * lines are folded at its width and symbols follow the locale; at the prompt a text that is longer
 * than the screen is shown in a pager.
 */
#ifndef SHELL_PRINT_H
#define SHELL_PRINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "out.h"
#include "painted.h"
#include "visible.h"

struct edit;

/* Adds the output of another rdmash: its colour codes become colours of p. */
void painted_add_printed(struct painted *p, const char *text, size_t len);

/* The value of an output in Tcl, and what is printed of it. */

/* Sets the whole value to a Tcl object, such as the result of a script; other values are ignored.
 * In JSON it is printed as a string if there is a text. */
void out_obj(struct out *o, Tcl_Obj *value);

/* The value as a Tcl object, an empty string if there is none. The caller does not own a reference;
 * the object may belong to o. */
Tcl_Obj *out_value(struct out *o);
/* The same, and o keeps a reference to it. */
Tcl_Obj *out_keep_value(struct out *o);
/* Is it the very object that out_keep_value() has returned? */
bool out_is_value(struct out *o, const Tcl_Obj *value);
/* Prints it to standard output. */
void out_show(struct out *o, enum out_format f);
/* Prints one line of text; as a JSON string or a CSV cell where that is the format. */
void out_line(enum out_format f, const char *text);
/* The same for a user's own data: see print_data(). newline: adds one in text format, too. */
void out_exact(enum out_format f, const char *text, bool newline);

enum print_to { PRINT_OUT, PRINT_ERR };

/* Prints p; above the prompt while an editor is set. */
void print_painted(enum print_to to, const struct painted *p);
void print_text(enum print_to to, const char *text);
/* Prints a line that begins with some text in a colour; newlines and tabs in it are escaped. */
void print_painted_line(enum print_to to, const char *before, enum paint paint, const char *painted,
			const char *after);
/* Like fprintf(stderr, ...), through the same path. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Prints a user's own data, unchanged unless standard output is a terminal, where folds says
 * whether long lines are folded. Tcl's two-byte NUL becomes one byte. */
void print_data(const char *text, size_t len, bool folds);
/* The same for bytes that a command writes to one of the streams. -1 with errno. */
int print_bytes(enum print_to to, const char *data, size_t len);
/* Prints a JSON value; invisible characters in its strings are escaped by JSON's rules. */
void print_json(const char *json);

/* Prints a line on the terminal (standard error) that replaces the previous one; last: it stays. */
void print_in_place(const char *line, bool last);

/* Columns of the terminal; 0: no terminal. */
unsigned print_columns(void);
/* Does the user's locale use UTF-8? (The line editor uses it in any case.) Must be called before
 * the editor is created. */
bool print_is_utf8(void);

/* While an editor is set, everything is printed above its prompt; NULL: none. */
void print_editor(struct edit *e);
/* Colours are shown while *on; NULL: never. */
void print_color(const bool *on);
/* Writes what stdio keeps back. The errno that writing to standard output has failed with, or 0. */
int print_failed(void);

/* The columns that len bytes of text take; colour codes take none. */
unsigned print_text_width(const char *text, size_t len);
/* Appends text to d. A line of more than columns is broken at a blank, and continues below the
 * start of its text; a longer word stays whole. Colour codes take no columns. Returns the number of
 * rows. */
unsigned print_fold(const char *text, unsigned columns, struct text *d);

/* Appends UTF-8 text as ASCII: this program's symbols are replaced by similar ones, all others by
 * '?'. */
void print_fold_to_ascii(const char *text, struct text *d);

/*
 * Notices report asynchronous events (a peer disconnects, an event of the device, a completion
 * event of an armed CQ) without disturbing the line being typed.
 */

struct notices;

enum notice_kind {
	NOTICE_CM,	/* connection management events */
	NOTICE_ASYNC,	/* asynchronous events of a device */
	NOTICE_CQ,	/* completion events */
	NOTICE_WIRE,	/* packets */
	NOTICE_PEER,	/* peers: other rdmash processes that this one started */
	NOTICE_HANDLER, /* handlers of 'on' */
	NOTICE_CHECK,	/* what 'check' finds */
	NOTICE_KINDS
};

/* Names of the kinds: "cm" "async" "cq" "wire" "peer" "handler" "check". */
extern const char *const notice_words[NOTICE_KINDS];

/* More than 50 of a kind within a second are counted, and the loop (may be NULL) tells how many. */
struct loop;
struct notices *notices_new(struct loop *loop);
void notices_free(struct notices *n);
/* While *quiet, those of the kinds cm, async and cq are not printed. */
void notices_quiet(struct notices *n, const bool *quiet);

/* Sets which kinds are shown: a mask of (1 << kind). Initially all are. */
void notices_show(struct notices *n, unsigned kinds);
unsigned notices_shown(const struct notices *n);
/* Passes all notices, also those of peers, to fn instead of printing them. */
typedef void notice_fn(void *arg, enum notice_kind kind, const char *text);
void notices_divert(struct notices *n, notice_fn *fn, void *arg);

/* Prints one line, "* cm    id0: DISCONNECTED by peer (answered)", to standard error. */
void notice_post(struct notices *n, enum notice_kind kind, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Trace lines: one for each library call, short or with its arguments and result. */

struct session;

enum voice {
	VOICE_SETUP,   /* objects, connections */
	VOICE_PREPARE, /* getting ready for data */
	VOICE_DATA,    /* work requests, completions */
	VOICE_INFO,    /* dumps and remarks */
};

/* A call that has returned. */
struct traced_call {
	enum voice voice;
	int64_t when;	     /* CLOCK_REALTIME, ns */
	const char *name;    /* of the function */
	const char *subject; /* "qp0 INIT": what it works with, or "" */
	const char *args;    /* or "" */
	const char *result;  /* "" of a function that returns nothing */
	const char *made;    /* name of the object that it created, or NULL */
	bool bad;	     /* it failed */
	bool asks;	     /* a query: left out of the short trace */
};
/* Prints the line of a call while the trace or step mode is on. */
void trace_call(struct session *s, const struct traced_call *c);

/* Prints a further line, such as a dump, for 'trace all'. */
void trace(struct session *s, enum voice v, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Step mode: stops before each library call, shows it, and waits for Enter; then shows what the
 * call changed.
 */

/* Called by trace.c before and after each library call; call is the C call as text. */
void step_before(struct session *s, const char *call);
void step_after(struct session *s);
/* To be called before each top-level command: ends the effect of `skip`. */
void step_command(struct session *s);
/* To be called after it: shows what its last call changed. */
void step_ended(struct session *s);

#endif
