/* SPDX-License-Identifier: MIT */
/*
 * The chronicle: what happened in this session, in order, for people to read: calls, events,
 * packets, completions, states. A ring of bounded size; nothing is noted while it is off.
 */
#ifndef SHELL_CHRONICLE_H
#define SHELL_CHRONICLE_H

#include <stdbool.h>
#include <stdint.h>

enum chronicle_kind {
	CHRONICLE_CALL,	  /* of a library */
	CHRONICLE_EVENT,  /* of the connection manager, of a device, of a channel */
	CHRONICLE_PACKET, /* sent or received */
	CHRONICLE_WC,	  /* a completion was taken */
	CHRONICLE_STATE,  /* of a QP */
	CHRONICLE_NOTICE, /* of another end */
	CHRONICLE_KINDS
};
/* "call" "event" "packet" "completion" "state" "notice" */
extern const char *const chronicle_words[CHRONICLE_KINDS];

#define CHRONICLE_MAX  4096 /* entries; the oldest go first */
#define CHRONICLE_TEXT 400  /* bytes of text, and of a result, at most */

/* Which end of a connection: 0 where neither, or it is not known. */
enum chronicle_side { SIDE_NONE = 0, SIDE_ACTIVE = 'a', SIDE_PASSIVE = 'b' };

struct chronicle_entry {
	uint64_t seq;
	int64_t when, until; /* CLOCK_REALTIME, ns; until 0: takes no time */
	enum chronicle_kind kind;
	enum chronicle_side side; /* of a packet: who has sent it */
	bool bad;		  /* failed, or tells of a failure */
	bool out;		  /* of a packet: sent, else received */
	uint64_t key;		  /* of a packet: the same where it is sent and received */
	char name[32];		  /* the object that it is about, or "" */
	char *text;		  /* the call and its arguments, the packet in short ... */
	char *result;		  /* of a call; all headers of a packet; or NULL */
	char *fate;		  /* what a fault did to a packet, or NULL */
};

/* Whether things are noted: to be asked first where noting costs anything. */
extern bool chronicle_is_on;

int64_t chronicle_now(void);
/* The entry is copied, with its texts; seq is set, and when if it is 0. Does nothing while the
 * chronicle is off. */
void chronicle_note(const struct chronicle_entry *e);
/* The i-th of those kept, oldest first; NULL: there are not so many. Valid until the next is
 * noted. */
struct chronicle_entry *chronicle_at(unsigned i);
void chronicle_clear(void);

#endif
