/* SPDX-License-Identifier: MIT */
/*
 * The session: what every command is handed. The shell's part is here; the verbs' part
 * is the live context, which only cmds/ looks into.
 */
#ifndef SHELL_SESSION_H
#define SHELL_SESSION_H

#include <obstack.h>
#include <stdbool.h>
#include <stdint.h>
#include <tcl.h>

#include "fail.h"
#include "loop.h"
#include "output/notice.h"
#include "output/out.h"

struct border;
struct context; /* the live context: cmds/objects.h */
struct domain;
struct domains;
struct edit;
struct held; /* cmds/objects.h */
struct options;
struct recorder;
struct topic;

/* Where two ends in this process can meet. */
struct meeting {
	char address[64]; /* of the device */
	uint16_t port;	  /* on which nobody listens */
};

/* What the commands add to the shell: cmds/app.c. All may look at the live objects. */
struct app {
	/* Before anything is opened, and only when something is to be run: chooses the device's
	 * library. A line for the user, or NULL, goes to *note. 1: there is no device, and it goes
	 * on without; -1: the one that was asked for cannot be had, and the message is printed.
	 * NULL: nothing to do. */
	int (*start)(const struct options *opt, const char **note);
	int (*open)(struct session *s);	     /* makes s->ctx */
	void (*prompted)(struct session *s); /* somebody types from now on; NULL: nothing */
	/* Destroys the objects in order, frees s->ctx. */
	void (*close)(struct session *s);
	/* A command is about to run. NULL: nothing. */
	void (*before)(struct session *s);
	/* A command has returned: what it worked with since s->held was before may go. */
	void (*release)(struct session *s, struct held *before);
	/* A command has run: what happened meanwhile is told before its result. NULL: nothing. */
	void (*after)(struct session *s);
	void (*prompt)(struct session *s, Tcl_DString *prompt);
	void (*version)(Tcl_DString *text); /* "libibverbs 1.14.44.0 ..." */
	/* One short line about a status or event called word, or NULL. */
	const char *(*explain)(const char *word);
	/* Adds rows to s->fail: what else has happened that may be why. NULL: nothing. */
	void (*circumstances)(struct session *s);
	/* Opens the device if need be. -1 with s->fail filled: there is none. */
	int (*meet)(struct session *s, struct meeting *m);
	/* Appends name and kind of each live object, to be told to who drives this end. */
	void (*names)(struct session *s, Tcl_Obj *list);
	/* All live objects with their attributes, as a dict of dicts; NULL: none are kept. */
	Tcl_Obj *(*objects)(struct session *s);
	/* Is told each notice, also those that are not shown. NULL: nobody wants to know. */
	void (*noticed)(enum notice_kind kind, const char *text);
	const struct topic *topics; /* pages of help, ends with a NULL name; or NULL */
};
extern const struct app app;

#define PROMPT "%p> "

struct options {
	bool quiet;	 /* -q: results of commands are not printed */
	bool echo;	 /* -x: each command is shown before it runs */
	bool keep_going; /* -k: an error does not end a script */
	bool check;	 /* -n: check only */
	bool unsafe;	 /* --unsafe: scripts may use exec, open, socket ... */
	bool color;	 /* print_color() has been told of it */
	bool interactive;
	bool peer;   /* --peer: another rdmash says what to do */
	bool trace;  /* voices are shown */
	bool step;   /* each call waits for Enter */
	bool raw;    /* so is what the structs of the calls hold */
	bool hints;  /* ghost hints while typing */
	bool timing; /* how long each line at the prompt has taken */
	enum out_format format;
	char *prompt;		 /* a format of the user, see option; NULL: PROMPT */
	const char *device;	 /* --device, or NULL */
	const char *junit;	 /* --junit: a file, or NULL */
	const char **allow_dirs; /* --allow-dir, ends with NULL */
	const char *note;	 /* of app.start: about the device, for the user */
	bool no_device;		 /* app.start has found none */
};

struct session {
	Tcl_Interp *tcl;	 /* of the domain */
	struct domain *domain;	 /* whose code has called the command that runs */
	struct domain *own;	 /* the user's: what is typed, and -c */
	struct domains *domains; /* all */
	struct border *border;	 /* the last that was crossed; NULL: none */
	unsigned long turns;	 /* of the own domain's code: see domain_turn() */
	struct loop *loop;
	struct notices *notices;
	struct edit *edit; /* NULL when not interactive */
	struct recorder *recorder;
	struct context *ctx;
	struct options opt;
	struct fail fail;
	struct fail before;	 /* the last one that a command at top level left */
	struct obstack arena;	 /* what arguments need until their command returns */
	struct held *held;	 /* what commands under way work with */
	unsigned aside;		 /* commands that wait while another runs on behalf of the loop */
	bool printing;		 /* the result of the command at top level is to be shown */
	struct out *last;	 /* of the outermost command that ran last */
	const char *typed;	 /* the word being completed, while completing */
	const char *at;		 /* "@NAME", if its command is to run there, while completing */
	struct script *script;	 /* being run: its file and line; NULL at the prompt */
	unsigned long commands;	 /* at top level that have begun, this one included */
	unsigned traced;	 /* number of the last trace line */
	unsigned passed, failed; /* expectations */
	bool handler_failed;	 /* one of 'on', while nobody typed */
	bool skipped;		 /* a require was not met */
	bool quit;		 /* quit was called */
	int quit_code;		 /* -1: as the run went */
};

#endif
