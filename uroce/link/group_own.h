/* SPDX-License-Identifier: MIT */
/*
 * Shared by the files of link/group.h.
 *
 * Processes of a group send each other datagrams over AF_UNIX, each with a header. They accept
 * messages only from processes of the same user or of root, and send only to those. A question
 * carries the socket for its answer.
 */
#ifndef UROCE_GROUP_OWN_H
#define UROCE_GROUP_OWN_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>
#include <unistd.h>

#include "group.h"
#include "inventory.h"
#include "socket_dir.h"

/* ------------------------------------------------------- sockets by name -- */

/*
 * A process has an AF_UNIX socket with a name, that of its slot, in the directory of its user
 * (socket_dir.h), and the names of services that it listens for are links to that. A name is for
 * processes of one network. If a process is killed, its files stay: such names count as free, and
 * who wants one removes the file.
 */

struct local_name {
	struct sockaddr_un un;
	socklen_t len;
};

#define BASE_BYTES \
	80 /* of the name of a file and its \0; the path before it has room for 24 more */

/* The name "<network>." followed by what the format says, 56 bytes at most. The address goes
 * through the descriptor of the directory, so that long paths fit and a renamed directory stays the
 * same. */
__attribute__((format(printf, 2, 3))) struct local_name local_name(const struct socket_dir *dir,
								   const char *format, ...);
/* The name of a file in the directory, which must fit, too. */
struct local_name local_in(const struct socket_dir *dir, const char *base);
/* The name of the file, without the directory. */
const char *local_base(const struct local_name *name);

/* Opens a datagram socket that is bound to name, does not block, and receives the credentials of
 * senders (SO_PASSCRED). With DIR_NAMES locked. -1 with errno. */
int local_bind(const struct local_name *name);
/* Makes name a link to that of a process. With DIR_NAMES locked. 0, or -1 with errno: EADDRINUSE: a
 * process has the name. */
int local_link(const struct socket_dir *dir, const struct local_name *name,
	       const struct local_name *to);
/* Is the file a link to that name? */
bool local_links_to(const struct socket_dir *dir, const char *base, const struct local_name *to);
/* Has a process the name? True with errno EADDRINUSE, or with another one: that cannot be told. */
bool local_taken(const struct local_name *name);
/* May we send to it: does it belong to this user or to root? */
bool local_trusted(const struct local_name *name);
/* Removes the files of processes that are gone. Without DIR_NAMES: the lock is taken for each file,
 * and files of a network stay while a process has locked its names. */
void local_sweep(const struct socket_dir *dir);

/* -------------------------------------------------------------- messages -- */

#define CONTROL_MAGIC	0x75726f63u /* "uroc" */
#define CONTROL_VERSION 3	    /* of the messages: those of other versions are not found */
#define CONTROL_BYTES	16384	    /* of the longest message, without its header */

enum control_type {
	CONTROL_ASK_SOCKETS = 1, /* empty; with the socket for the answer */
	CONTROL_SOCKETS,	 /* empty; with the sockets of the group */
	CONTROL_MAD,		 /* struct mad_from and the MAD */
	CONTROL_ASK_STATUS,	 /* as CONTROL_ASK_SOCKETS; an answer follows its question here */
	CONTROL_STATUS,		 /* text */
	CONTROL_OFFER_PAIR,	 /* pair.c: with descriptors */
	CONTROL_ANSWER_PAIR,
	CONTROL_ASK_INVENTORY, /* as CONTROL_ASK_SOCKETS */
	CONTROL_INVENTORY,     /* empty; with a file: inventory_read() */
	CONTROL_TYPES
};

struct control_header {
	uint32_t magic, type;
	uint32_t length; /* bytes that follow */
	uint32_t slot;	 /* of the sender; 0: it has none */
};

/* A message that was received. */
struct control_message {
	struct control_header header;
	pid_t pid;	/* of the sender; 0: it is in another PID namespace */
	int fds[SLOTS]; /* for the receiver to close, except those that are -1: control_drop() */
	unsigned nfds;
	bool cut; /* not all descriptors could be received: EMFILE */
	_Alignas(8) char data[CONTROL_BYTES];
};

struct local_name control_name(const struct socket_dir *dir, unsigned slot);

/* Sends a message of n bytes from the socket fd, to the peer it is connected to if to is NULL.
 * 0, or -1 with errno: ECONNREFUSED: there is no such process, or it belongs to another user;
 * EAGAIN. */
int control_send(int fd, const struct local_name *to, enum control_type type, unsigned slot,
		 const void *data, size_t n, const int *fds, unsigned nfds);
/* Receives the next message that is well-formed and comes from this user. 0, or -1 with errno:
 * EAGAIN: none. */
int control_receive(int fd, struct control_message *m);
/* Closes the descriptors of the message. */
void control_drop(struct control_message *m);

/* Asks the process in a slot, and waits for its answer, which the caller drops. 0, or -1 with
 * errno: ENOENT: there is no such process, or it has ended meanwhile; ETIMEDOUT: it does not
 * answer. */
int control_ask(const struct socket_dir *dir, unsigned slot, enum control_type question,
		int patience_ms, struct control_message *answer);

/* ------------------------------------------------------- group_sockets.c -- */

/* The sockets of the group, the sockets to send from, and which process has them. */

/* Makes the SLOTS sockets of a new group. 0, or -1 with errno: EADDRINUSE: another process has the
 * port; ENOSYS: the kernel cannot steer packets by a program, as that of gVisor. */
int sockets_make(int rx[SLOTS]);
/* Are these the sockets of a group, in their order? They may come from another process. */
bool sockets_valid(const int rx[SLOTS]);
void sockets_close(int rx[SLOTS]);

/* A slot changes its owner. sockets_claimed() discards what waits in its socket, and enlarges the
 * buffer. */
void sockets_claimed(int fd);
void sockets_released(int fd);

/* Opens a socket to send from, with a source port of the range that hosts use for RoCE: 0xc000 and
 * up. -1 with errno: EAFNOSUPPORT. */
int sockets_open_send(int family, uint16_t *port);

/* ------------------------------------------------ which process has them -- */

/* proc(5) shows which process has a port or a name, as far as this user may know. */

/* Copies the sockets of the group from a process of this user that is stopped, and so cannot hand
 * them out: pidfd_getfd(2). 0, or -1 with errno: EADDRINUSE: another program has the port. */
int sockets_take_port(int rx[SLOTS]);

/* Does another user have the UDP port? */
bool sockets_port_is_of_another_user(void);
/* Writes who has the UDP port: "process 12 (rping), which is stopped", or "the kernel's rdma_rxe"
 * and what to do about it. */
enum port_owner { PORT_OF_THIS_USER, PORT_OF_ANOTHER, PORT_OF_KERNEL };
enum port_owner sockets_port_owner_print(char *buf, size_t n);
/* Is there a process, or rdma_rxe, that has the port? Not if its sockets are only being closed. */
bool sockets_port_has_owner(void);
/* The processes that have the slots, as the kernel lists their locks; 0: none, or one that cannot
 * be seen from here. */
void sockets_slot_pids(pid_t pids[SLOTS]);
/* "process 12 (rping), which is stopped" */
void sockets_process_print(pid_t pid, char *buf, size_t n);

/* ------------------------------------------------------ inventory_file.c -- */

/*
 * How a process shows its objects (inventory.h): in a memfd that has a head, and then the rows of
 * each kind, one kind after the other. The process that asks copies the file before it looks at it.
 */

#define INVENTORY_MAGIC UINT64_C(0x34746e65766e69) /* "invent4" */
#define INVENTORY_ROWS	65536u			   /* of a kind, at most */

struct inventory_head {
	uint64_t magic;
	struct {
		uint32_t row_size; /* bytes; another version may have other rows */
		uint32_t n, total;
	} kind[UROCE_KINDS];
	uint32_t reserved;
};

extern const uint32_t inventory_row_size[UROCE_KINDS];

/* Reads the inventory of the process pid from a file. The caller frees it. NULL with errno: EPROTO:
 * the file is malformed. */
struct uroce_inventory *inventory_read(int fd, pid_t pid);

/* ---------------------------------------------------------- this process -- */

/* The state of this process. Descriptors are -1 while they are not open. */
struct group {
	unsigned slot; /* 0: not joined */
	struct socket_dir dir;
	int rx[SLOTS];
	int control;   /* bound to control_name() of the slot */
	int epoll;     /* for control, and for the processes that we share memory with; marked */
	int sender[2]; /* IPv4, IPv6 */
	uint16_t port[2];
};

extern struct group group;

/* If the program has closed our descriptors (base/own_fd.h), forgets them: what they were is not
 * reached any more, but for memory that is shared already. Looked at before they are used. */
void group_check(void);

/* Closes *fd unless it is -1, and sets it to -1. Keeps errno. */
static inline void close_fd(int *fd)
{
	const int err = errno;

	if (*fd >= 0)
		close(*fd);
	*fd = -1;
	errno = err;
}

/* group_messages.c: sends a MAD. Returns what group_forward() does. */
int messages_forward(const struct local_name *to, const struct mad_from *from, const void *mad,
		     size_t n);

/* group_serve() handles the messages of fd, too; no longer. */
int control_epoll_add(int fd);
void control_epoll_remove(int fd);

/* group_names.c: removes the names of services that the process in a slot has, or had. */
void names_remove(unsigned slot);

#endif
