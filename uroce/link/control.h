/* SPDX-License-Identifier: MIT */
/*
 * Messages between the processes of a group: datagrams over AF_UNIX, each with a header.
 * Only those of the same user (and root) are looked at.
 */
#ifndef UROCE_LINK_CONTROL_H
#define UROCE_LINK_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "abstract.h"
#include "group.h"

#define CONTROL_MAGIC	0x75726f63u /* "uroc" */
#define CONTROL_VERSION 1	    /* a process of another version cannot join */
#define CONTROL_BYTES	16384	    /* the longest message, without the header */

enum control_type {
	CONTROL_ASK_SOCKETS = 1, /* empty */
	CONTROL_SOCKETS,	 /* empty; with the sockets of the group */
	CONTROL_MAD,		 /* struct mad_from and the MAD */
	CONTROL_ASK_STATUS,	 /* empty */
	CONTROL_STATUS,		 /* text */
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
	pid_t pid; /* of the sender; 0: of another PID namespace */
	struct abstract from;
	int fds[SLOTS]; /* the receiver's to close: control_drop() */
	unsigned nfds;
	bool cut; /* there was no room for all descriptors: EMFILE */
	_Alignas(8) char data[CONTROL_BYTES];
};

struct abstract control_name(unsigned slot);

/* Sends one of n bytes from the socket fd. 0, or -1 with errno: ECONNREFUSED, EAGAIN. */
int control_send(int fd, const struct abstract *to, enum control_type type, unsigned slot,
		 const void *data, size_t n, const int *fds, unsigned nfds);
/* Takes the next one that is well-formed and of our user. 0, or -1 with errno: EAGAIN: none;
 * EPROTO: it is of another version. */
int control_receive(int fd, struct control_message *m);
void control_drop(struct control_message *m);

#endif
