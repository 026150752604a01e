/* SPDX-License-Identifier: MIT */
/*
 * Messages between the processes of a group: datagrams over AF_UNIX, each with a header.
 * Only those of the same user (and root) are looked at, and sent to. A question brings the
 * socket for its answer along.
 */
#ifndef UROCE_LINK_CONTROL_H
#define UROCE_LINK_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "group.h"
#include "local.h"

#define CONTROL_MAGIC	0x75726f63u /* "uroc" */
#define CONTROL_VERSION 2	    /* a process of another version cannot join */
#define CONTROL_BYTES	16384	    /* the longest message, without the header */

enum control_type {
	CONTROL_ASK_SOCKETS = 1, /* empty; with the descriptor to answer to */
	CONTROL_SOCKETS,	 /* empty; with the sockets of the group */
	CONTROL_MAD,		 /* struct mad_from and the MAD */
	CONTROL_ASK_STATUS,	 /* as CONTROL_ASK_SOCKETS */
	CONTROL_STATUS,		 /* text */
	CONTROL_OFFER_PAIR,	 /* pair.c: with descriptors */
	CONTROL_ANSWER_PAIR,
	CONTROL_ASK_INVENTORY, /* as CONTROL_ASK_SOCKETS */
	CONTROL_INVENTORY,     /* empty; with a file: inventory_file.h */
	CONTROL_TYPES
};

struct control_header {
	uint32_t magic;
	uint16_t version, type;
	uint32_t length; /* bytes that follow */
	uint32_t slot;	 /* of the sender; 0: it has none */
};

/* One that came in. */
struct control_message {
	struct control_header header;
	pid_t pid;	/* of the sender; 0: of another PID namespace */
	int fds[SLOTS]; /* the receiver's to close, but where it is -1: control_drop() */
	unsigned nfds;
	bool cut; /* there was no room for all descriptors: EMFILE */
	_Alignas(8) char data[CONTROL_BYTES];
};

struct local_name control_name(const struct socket_dir *dir, unsigned slot);
/* Has a process of this network a slot? */
bool control_lively(const struct socket_dir *dir);

/* Sends one of n bytes from the socket fd; to NULL: to whom it is connected. 0, or -1 with
 * errno: ECONNREFUSED: there is nobody, or it is not this user's; EAGAIN. */
int control_send(int fd, const struct local_name *to, enum control_type type, unsigned slot,
		 const void *data, size_t n, const int *fds, unsigned nfds);
/* Takes the next one that is well-formed and of our user. 0, or -1 with errno: EAGAIN: none;
 * EPROTO: it is of another version, of which only the header is to be believed. */
int control_receive(int fd, struct control_message *m);
/* Closes the descriptors that came with it. */
void control_drop(struct control_message *m);

/* To ask others: answers come to one end of a pair, the other one goes along with questions. */
struct control_ask {
	int answers, other;
};
int control_ask_open(struct control_ask *ask);
void control_ask_close(struct control_ask *ask);
/* As control_send(). */
int control_ask(const struct control_ask *ask, const struct local_name *to, enum control_type type);

#endif
