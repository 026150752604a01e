/* SPDX-License-Identifier: MIT */
/* What the files of link/group.h share. */
#ifndef UROCE_LINK_GROUP_OWN_H
#define UROCE_LINK_GROUP_OWN_H

#include <stdint.h>

#include "control.h"

/* Of this process; descriptors are -1 where there is none. */
struct group {
	unsigned slot; /* 0: not joined */
	struct socket_dir dir;
	int rx[SLOTS];
	bool alone;  /* rx has no more than our own: others cannot join */
	int watch;   /* of the file of control */
	int control; /* bound to control_name() of the slot */
	int epoll;   /* of control, and of the names that we hold */
	int guid_fd; /* bound to the GUID of this process */
	uint64_t guid;
	int sender[2]; /* IPv4, IPv6 */
	uint16_t port[2];
};

extern struct group group;

/* group.c: whose a slot is, as the kernel says; 0: nobody's; -1: it does not say. */
pid_t group_slot_pid(unsigned slot);

/* group_messages.c: before the first message goes out, and after the last. 0, or -1 with errno. */
int messages_start(void);
void messages_stop(void);
/* Sends a MAD, or keeps it until there is room for it. As group_forward(). */
int messages_forward(const struct local_name *to, const struct mad_from *from, const void *mad,
		     size_t n);

/* group_names.c: looks whether the directory is removed, as long as we are in it: move_if_gone()
 * when group.watch is readable. 0, also without a watch when the system has none left, or -1 with
 * errno. */
int move_watch(void);
void move_if_gone(void);
/* The socket fd is bound to the name instead, with DIR_NAMES locked. */
int move_socket(const struct local_name *name, int fd);
/* group_serve() is to serve it, too. */
int group_listen_to(int fd);
void group_listen_no_more(int fd);

/* Binds all that are held once more, in group.dir, with DIR_NAMES locked. */
void names_move(void);
/* Is it the descriptor of a name that is held? */
bool names_have(int fd);
/* Gives all back; after fork() they are the parent's, and stay. */
void names_close(void);
void names_forget(void);

#endif
