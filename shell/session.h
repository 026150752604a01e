/* SPDX-License-Identifier: MIT */
/*
 * The session, which every command receives. The shell's part is here; the verbs' part is the live
 * context, which only cmds/ uses.
 */
#ifndef SHELL_SESSION_H
#define SHELL_SESSION_H

#include <obstack.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

#include "loop.h"
#include "output/print.h"
#include "out.h"

struct text;
struct out;
struct session;

/*
 * The error object: why a command failed.
 *
 * Commands never print errors. They fill this object and return -1; the shell adds the position and
 * prints it once, or a script catches it with try ... trap {RDMASH ...}.
 */

struct fail_row {
	char *label;
	char *text;
};

struct fail {
	char *call;   /* the library call or command that failed */
	char *code;   /* errno name (EINVAL) or status word; the last word of -errorcode */
	char *text;   /* the whole first line, without "error: " */
	char *where;  /* "file:line in proc < file:line", set by the interpreter */
	char *file;   /* of the first of these places; NULL: not known */
	char *check;  /* the name of the expectation within which it happened, or NULL */
	bool at_peer; /* it happened there */
	unsigned line;
	int64_t when;	       /* loop_now() */
	unsigned long command; /* s->commands at that time */
	struct fail_row *rows;
	unsigned nrows;
	unsigned explain;  /* 1 + the row of fail_explain(); 0: none */
	bool is_made;	   /* fail_on_purpose() */
	bool is_returned;  /* a library has returned the errno: fail_call() */
	bool is_explained; /* a row names the cause: fail_mark_explained() */
};

/* A library call has failed with errno err (sign ignored; 0: unknown). The text is
 * "call: <fmt>: <errno's text> (<ERRNO>)". Replaces an earlier failure. Returns -1. */
int fail_call(struct session *s, int err, const char *call, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* The cause of the failure is known, and a row of it has the cause. */
void fail_mark_explained(struct session *s);

/* A command failed before any library call; -errorcode is RDMASH call code. Returns -1. */
int fail(struct session *s, const char *call, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Adds a line "  label  text": an attribute that was passed, the state before, a likely cause. To
 * be called after fail() or fail_call(). Returns -1. */
int fail_row(struct session *s, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Adds the cause: it was made to fail. Later rows that say something else than what to type next
 * are left out, as they would be other causes. Returns -1. */
int fail_on_purpose(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the row "next": what to type next. Returns -1. */
int fail_next(struct session *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Adds the row "next" that says to explain the failure. Returns -1. */
int fail_explain(struct session *s);
/* Where nothing can be typed next: puts what explain finds out in place of that row. */
void fail_add_causes(struct session *s);

/* fail_aside() returns s->fail and empties it, so that another command can run. fail_back() frees
 * the failure of that command and restores the earlier one. */
struct fail fail_aside(struct session *s);
void fail_back(struct session *s, struct fail before);

/* The failure is about what was typed (no such command, its arguments, the script), not about what
 * the command did. */
bool fail_is_usage(const struct fail *f);

struct where; /* language/script.h */
/* Adds the place w to s->fail, and frees the text of w. */
void fail_place(struct session *s, struct where *w);
/* The same for a line of a script; name NULL: it was typed. */
void fail_at(struct session *s, const char *name, unsigned line);

/* Empties f and frees its texts. */
void fail_clear(struct fail *f);
/* Clears s->fail for the next command; a failure that was there moves to s->before. */
void fail_keep(struct session *s);
/* Writes error, call, code and rows into the open dict of o. */
void fail_out(const struct fail *f, struct out *o);
/* Appends the rows as indented lines. */
void fail_rows(const struct fail *f, struct text *text);
/* Appends text; lines after the first are indented by that many blanks, so that text from a peer
 * cannot look like a line of the shell. */
void fail_append(struct text *to, const char *text, unsigned indent);
/* Prints s->fail to standard error. After Ctrl-C or a signal that ends the program, it becomes
 * "interrupted" first. */
void fail_report(struct session *s);

struct border;
struct context; /* the live context: cmds/objects.h */
struct domain;
struct domains;
struct edit;
struct held; /* cmds/objects.h */
struct options;
struct recorder;

/* An address and port at which two ends in this process can connect. */
struct meeting {
	char address[64]; /* of the device */
	uint16_t port;	  /* a free port */
};

/* The functions that cmds/ provides to the shell (cmds/app.c). All may use the live objects. */
struct app {
	/* Chooses the library of the device, before anything is opened, and only if something will
	 * run. *note is set to a line for the user, or NULL. 0; 1: there is no device, continue
	 * without; -1: the requested device is not available, a message was printed. NULL: nothing
	 * to do. */
	int (*start)(const struct options *opt, const char **note);
	int (*open)(struct session *s); /* creates s->ctx */
	void (*prompted)(
		struct session *s); /* the first prompt is about to be shown; may be NULL */
	/* Destroys the objects in order, frees s->ctx. */
	void (*close)(struct session *s);
	/* Called before each command. May be NULL. */
	void (*before)(struct session *s);
	/* Called after each command: releases the objects that were added to s->held since; before
	 * is its value at the start.
	 */
	void (*release)(struct session *s, struct held *before);
	/* Called when a command has run: shows events that happened meanwhile, before its result.
	 * May be NULL. */
	void (*after)(struct session *s);
	void (*prompt)(struct session *s, struct text *prompt);
	/* Appends what is lost if the session ends now: sends, "2 sends of qp0", and connections,
	 * "id1 with 10.0.0.2:7471". May be NULL. */
	void (*unfinished)(struct session *s, struct text *sends, struct text *connections);
	void (*version)(struct text *text); /* "libibverbs 1.14.44.0 ..." */
	/* A short explanation of a status or event called word, or NULL. */
	const char *(*explain)(const char *word);
	/* Adds rows to s->fail: other events that may be the cause. May be NULL. */
	void (*circumstances)(struct session *s);
	/* Adds rows to s->fail: the causes that explain finds for it. May be NULL. */
	void (*causes)(struct session *s);
	/* Fills m; opens the device if necessary. -1 with s->fail filled: there is none. */
	int (*meet)(struct session *s, struct meeting *m);
	/* Appends name and kind of each live object, for the rdmash that drives this one. */
	void (*names)(struct session *s, Tcl_Obj *list);
	/* All live objects with their attributes, as a dict of dicts; NULL: there is no context. */
	Tcl_Obj *(*objects)(struct session *s);
	/* Is the device that of uroce? */
	bool (*is_embedded)(void);
	/* Receives each notice, also those that are not shown. May be NULL. */
	void (*noticed)(enum notice_kind kind, const char *text);
};
extern const struct app app;

#define PROMPT "%p> "

struct options {
	bool quiet;	 /* -q: results of commands are not printed */
	bool echo;	 /* -x: each command is shown before it runs */
	bool keep_going; /* -k: an error does not end a script */
	bool check;	 /* -n: check only */
	bool unsafe;	 /* --unsafe: scripts may use exec, open, socket ... */
	bool color;	 /* colours in the output */
	bool interactive;
	bool peer;   /* --peer: another rdmash drives this one */
	bool trace;  /* trace lines are shown */
	bool step;   /* each call waits for Enter */
	bool raw;    /* trace all: arguments, results and structs, too */
	bool hints;  /* ghost hints while typing */
	bool timing; /* show how long each line at the prompt took */
	enum out_format format;
	char *prompt;		 /* the user's format, see option; NULL: PROMPT */
	const char *device;	 /* --device, or NULL */
	const char *junit;	 /* --junit: a file, or NULL */
	const char **allow_dirs; /* --allow-dir, ends with NULL */
	const char *note;	 /* note of app.start about the device, for the user */
	bool no_device;		 /* app.start found none */
};

struct session {
	Tcl_Interp *tcl;	 /* of the domain */
	struct domain *domain;	 /* whose code called the running command */
	struct domain *own;	 /* the user's own: typed lines and -c */
	struct domains *domains; /* all */
	struct border *border;	 /* the innermost call into a domain; NULL: none */
	unsigned long turns;	 /* counts runs of the own domain's code: see domain_turn() */
	struct loop *loop;
	struct notices *notices;
	struct edit *edit; /* NULL when not interactive */
	struct recorder *recorder;
	struct context *ctx;
	struct options opt;
	struct fail fail;
	struct fail before;   /* the previous failure of a top-level command */
	struct obstack arena; /* memory of arguments until their command returns */
	struct held *held;    /* objects that running commands use */
	unsigned aside;	   /* depth of commands that run on behalf of the loop while others wait */
	bool printing;	   /* the result of the top-level command will be printed */
	bool at_prompt;	   /* the top-level command was typed */
	struct out *last;  /* output of the last outermost command */
	const char *typed; /* while completing: the word being completed */
	const char *at;	   /* while completing: "@NAME" if the command will run there */
	struct script *script;	 /* being run: its file and line; NULL at the prompt */
	unsigned long commands;	 /* number of top-level commands so far, including this one */
	unsigned traced;	 /* number of the last trace line */
	unsigned passed, failed; /* expectations */
	unsigned partly;	 /* how often the command that failed had done what it repeats */
	unsigned unreached;	 /* those that stand behind the command that ended the script */
	unsigned errors; /* without a prompt: errors other than expectations: verdict_error() */
	bool grades;	 /* expectations have points: --grade */
	unsigned points, points_of; /* that were reached, and that there are */
	bool plays;		    /* a lesson is being played: its errors are not counted */
	bool handler_failed;	    /* a handler of 'on' failed in a script */
	bool skipped;		    /* a require failed */
	bool quit;		    /* quit was called */
	int quit_code;		    /* -1: depends on how the run went */
};

#endif
