/* SPDX-License-Identifier: MIT */
/*
 * Peers: other rdmash that this one has started, to drive both ends from one prompt.
 *
 * A peer is an object like others (show, get, destroy). What it runs are calls, in order;
 * the answer of a call is kept until somebody takes it. Everything that comes from a peer is
 * read in the event loop and believed only as far as it was checked.
 */
#ifndef CMDS_PEER_H
#define CMDS_PEER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "objects.h"

#define PEER_SAID 6 /* last lines kept for when it dies */

struct frames;
struct loop_timer;

enum peer_state {
	PEER_STARTING, /* has not said hello */
	PEER_READY,
	PEER_ENDED, /* the process, and all that it had to say is read */
};

/* What a peer was told to run. */
struct call {
	STAILQ_ENTRY(call) link;
	uint64_t id;
	char *what;	  /* the beginning of the script */
	size_t size;	  /* of what was sent */
	int64_t since;	  /* loop_now() */
	bool background;  /* its answer is for 'NAME -result' or barrier */
	bool unwanted;	  /* nobody waits for its answer any more */
	bool done;	  /* answered, or never will be */
	unsigned awaited; /* by so many commands: it stays until they have looked */
	unsigned passed;  /* expectations told to it */
	unsigned failed;
	struct json_object *answer; /* NULL until then; and if the peer has ended */
};

struct peer {
	struct obj o;
	struct session *s;
	enum peer_state state;
	char *command; /* what was executed */
	bool remote;   /* by ssh */
	pid_t pid;
	int pidfd, in, out, err; /* -1: closed */
	struct frames *frames, *errors;
	Tcl_DString unsent;
	char *version, *host; /* as it says */
	int64_t its_pid;
	char *why;	       /* it was given up: what it did wrong; or NULL */
	char *how;	       /* PEER_ENDED: "exit status 3" */
	char *said[PEER_SAID]; /* a ring of lines that were no messages, or errors */
	unsigned nsaid;
	bool stubborn;		     /* it was told to stop what it does, and did not */
	bool leaving;		     /* it was told to end, or quits by itself */
	struct loop_timer *kill;     /* its channel is closed: the process must follow */
	struct json_object *objects; /* it had after its last command, as it says; or NULL */
	uint64_t last_id;
	STAILQ_HEAD(, call) calls; /* not yet taken */
};

extern const struct obj_class peer_class;
extern const struct arg_kind kind_peer; /* struct peer *; "@NAME" is NAME too */

/* Appends the names of what that peer ("@NAME") had after its last command, of a class or
 * (NULL) all. */
void peer_names(struct session *s, const char *at, const struct obj_class *class, Tcl_Obj *names);
/* Ends all, the last made first. */
void peer_end_all(struct session *s);

/* -------------------------------------------------------------- peer_process.c -- */

struct peer_how {
	const char *host;    /* [USER@]HOST, or NULL */
	const char *command; /* a Tcl list to put in front, or NULL */
	const char *program; /* rdmash there, or NULL: as this one */
	const char *device;  /* or NULL: as here */
};

/* Starts the process; it has said nothing yet. -1 with s->fail filled. */
int peer_spawn(struct session *s, struct peer *p, const struct peer_how *how);
/* The process is done for: reads what is left, and says so to all that wait. */
void peer_ended(struct peer *p);
/* It breaks the rules: it is killed, and why is told instead of its exit status. */
void peer_give_up(struct peer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Ends it in order, or by force when it takes too long; frees what it has. */
void peer_stop(struct peer *p);

/* ----------------------------------------------------------------- peer_read.c -- */

/* Begins to read what the process prints. */
void peer_listen(struct peer *p);
/* Reads all that is there now, and no more after it: what it has started may still write. */
void peer_drain(struct peer *p);

/* ----------------------------------------------------------------- peer_call.c -- */

/* A script for the peer, sent at once; takes values. NULL with s->fail filled. */
struct call *peer_call(struct peer *p, Tcl_Obj *script, bool is_block, struct json_object *values,
		       bool background);
/* Waits until it is done. -1 with s->fail filled; stop: then the peer's command is to end
 * too. The call may be gone after that. */
int peer_await(struct peer *p, struct call *c, int64_t within_ms, bool stop);
/* Ctrl-C for all that it has to do; nobody wants the answers. */
void peer_interrupt(struct peer *p);
/* The first of those in the background that nobody has taken, or NULL. */
struct call *peer_first(struct peer *p);
void peer_call_free(struct peer *p, struct call *c);
/* What it runs now, or NULL. */
const struct call *peer_busy(const struct peer *p);

/* --------------------------------------------------------------- peer_answer.c -- */

/* The answer of a call that is done: the value (new, count 0), or NULL with s->fail and the
 * interpreter's result filled. The call is gone after that. */
Tcl_Obj *peer_take(struct peer *p, struct call *c);
/* A message done has come. */
void peer_answer(struct peer *p, struct json_object *body);
/* Fails: the peer has ended, how, and its last lines. */
int peer_dead(struct session *s, const struct peer *p);

#endif
