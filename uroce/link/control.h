/* SPDX-License-Identifier: MIT */
/*
 * Messages between the processes of a group: datagrams over AF_UNIX, each with a header.
 * Only those of the same user (and root) are looked at, and sent to. A question brings the
 * socket for its answer along.
 */
#ifndef UROCE_CONTROL_H
#define UROCE_CONTROL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "group.h"
#include "socket_dir.h"

/* ------------------------------------------------------- sockets by name -- */

/*
 * AF_UNIX sockets by name, in the directory of a user (socket_dir.h): bound by one process at
 * most, and for those who are in the same network. The file of a socket stays when its process
 * is killed: it is as if it were not there, and whoever wants the name removes it.
 */

struct local_name {
	struct sockaddr_un un;
	socklen_t len;
};

/* "<network>." and what the format says, which must fit into 56 bytes. It goes through the
 * descriptor of the directory: a long path fits, and a directory that was renamed is the same. */
__attribute__((format(printf, 2, 3))) struct local_name local_name(const struct socket_dir *dir,
								   const char *format, ...);
/* That of a file in it, which must fit too. */
struct local_name local_in(const struct socket_dir *dir, const char *base);
/* The name of the file. */
const char *local_base(const struct local_name *name);

/* A datagram socket that is told who sends (SO_PASSCRED), not blocking, bound to name. With
 * DIR_NAMES locked. -1 with errno: EADDRINUSE: somebody has it. */
int local_bind(const struct socket_dir *dir, const struct local_name *name);
/* Closes it and removes its file. */
void local_close(const struct socket_dir *dir, const struct local_name *name, int fd);
/* Is it bound? */
bool local_taken(const struct local_name *name);
/* May it be sent to: is it this user's, or root's? */
bool local_trusted(const struct local_name *name);
/* Removes the files of sockets that nobody has any more, of all networks. With DIR_NAMES
 * locked. */
void local_sweep(const struct socket_dir *dir);

/* Milliseconds, monotonic: how long to have patience with another process. */
int64_t now_ms(void);

/* -------------------------------------------------------------- messages -- */

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
