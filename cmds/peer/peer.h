/* SPDX-License-Identifier: MIT */
/*
 * Peers: other rdmash processes that this one starts, to control both ends from one prompt.
 *
 * A peer is an object like others (show, get, destroy). It runs its calls in order. The answer of a
 * call is kept until a command takes it. Everything that a peer sends is read in the event loop and
 * is checked before it is used.
 */
#ifndef CMDS_PEER_H
#define CMDS_PEER_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "objects.h"
#include "text.h"

#define PEER_SAID 6 /* last lines, shown when it dies */

struct frames;
struct loop_timer;

enum peer_state {
	PEER_STARTING, /* hello not received yet */
	PEER_READY,
	PEER_ENDED, /* the process has ended and its output is read */
};

/* A command that was sent to a peer. */
struct call {
	STAILQ_ENTRY(call) link;
	uint64_t id;
	char *what;	  /* start of the script */
	size_t size;	  /* bytes that were sent */
	int64_t since;	  /* loop_now() */
	bool background;  /* its answer is for '@NAME -result' or barrier */
	bool unwanted;	  /* its answer will be dropped */
	bool done;	  /* answered, or the peer has ended */
	unsigned awaited; /* number of commands that wait for it: it is not freed meanwhile */
	struct json_object *answer; /* NULL until done, and if the peer has ended */
};

struct peer {
	struct obj o;
	struct session *s;
	enum peer_state state;
	char *command; /* the command line of the process */
	bool remote;   /* by ssh */
	pid_t pid;
	int pidfd, in, out, err; /* -1: closed */
	struct frames *frames, *errors;
	struct text unsent;
	char *version, *host; /* from its hello */
	int64_t its_pid;
	char *why;	       /* why it was killed: peer_give_up(); or NULL */
	char *how;	       /* PEER_ENDED: "exit status 3" */
	char *said[PEER_SAID]; /* ring of its last lines of text or errors */
	unsigned nsaid;
	bool stubborn; /* it did not end an interrupted command in time */
	bool leaving;  /* it was asked to end, or quit itself */
	struct loop_timer
		*kill; /* kills the process if it does not end after its channel was closed */
	struct json_object *objects; /* its objects after the last command; or NULL */
	Tcl_Obj *rows;		     /* of its record, when it was asked last; or NULL */
	int64_t rows_next;	     /* loop_now() before which it need not be asked again */
	uint64_t last_id;	     /* of the last call */
	STAILQ_HEAD(, call) calls;   /* calls whose answers are not taken yet */
};

extern const struct obj_class peer_class;
extern const struct arg_kind kind_peer; /* struct peer *; NAME or "@NAME" */

/* Appends the names of the objects of the peer at ("@NAME" or "NAME"): those of a class, or of all
 * classes (NULL). They are as of its last command. */
void peer_names(struct session *s, const char *at, const struct obj_class *class, Tcl_Obj *names);
/* Ends all peers, the newest first. */
void peer_end_all(struct session *s);

/* -------------------------------------------------------------- peer_process.c -- */

struct peer_how {
	const char *host;    /* [USER@]HOST, or NULL */
	const char *command; /* a Tcl list of words to put before rdmash, or NULL */
	const char *program; /* path of rdmash there, or NULL: the same as here */
	const char *device;  /* --device, or NULL: the same as here */
};

/* Starts the process, without waiting for its hello. -1 with s->fail filled. */
int peer_spawn(struct session *s, struct peer *p, const struct peer_how *how);
/* The process has ended: reads the rest of its output, and ends all waits. */
void peer_ended(struct peer *p);
/* Kills a peer that violates the protocol; the reason is shown instead of its exit status. */
void peer_give_up(struct peer *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Ends the peer, by force if it takes too long, and frees its resources. */
void peer_stop(struct peer *p);

/* ----------------------------------------------------------------- peer_read.c -- */

/* Starts to read the output of the process. */
void peer_listen(struct peer *p);
/* Reads the remaining output and stops: children of the peer may still write. */
void peer_drain(struct peer *p);

/* ----------------------------------------------------------------- peer_call.c -- */

/* Sends a script to the peer; takes ownership of values. NULL with s->fail filled. */
struct call *peer_call(struct peer *p, Tcl_Obj *script, bool is_block, struct json_object *values,
		       bool background);
/* Waits until the call is done, for up to within_ms (LOOP_FOREVER: no limit). -1 with s->fail
 * filled: time-out or Ctrl-C. The peer's command is interrupted after Ctrl-C, and (stop) after a
 * time-out; then the call may be freed. */
int peer_await(struct peer *p, struct call *c, int64_t within_ms, bool stop);
/* Interrupts all calls of the peer and drops their answers. */
void peer_interrupt(struct peer *p);
/* The first call in the background for which no command waits, or NULL. */
struct call *peer_first(struct peer *p);
void peer_call_free(struct peer *p, struct call *c);
/* The call that runs now, or NULL. */
const struct call *peer_busy(const struct peer *p);

/* Takes the answer of a call that is done, and frees the call. Returns its value (new, reference
 * count 0), or NULL with s->fail and the interpreter's result filled. */
Tcl_Obj *peer_take(struct peer *p, struct call *c);
/* Runs a command at a peer that is not busy and returns its value (reference count 0). Nothing is
 * printed. NULL: it failed, or there was no answer within within_ms. */
Tcl_Obj *peer_ask(struct peer *p, const char *script, int64_t within_ms);
/* Handles a message "done". */
void peer_answer(struct peer *p, struct json_object *body);
/* Fills s->fail: the peer has ended, and its last lines. Returns -1. */
int peer_dead(struct session *s, const struct peer *p);

#endif
