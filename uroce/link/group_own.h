/* SPDX-License-Identifier: MIT */
/*
 * What the files of link/group.h share.
 *
 * Messages between the processes of a group: datagrams over AF_UNIX, each with a header.
 * Only those of the same user (and root) are looked at, and sent to. A question brings the
 * socket for its answer along.
 */
#ifndef UROCE_GROUP_OWN_H
#define UROCE_GROUP_OWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/un.h>

#include "group.h"
#include "inventory.h"
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
/* Removes the files of sockets that no process has bound any more. With DIR_NAMES locked; those of
 * another network only if nobody has its DIR_NAMES. */
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
	CONTROL_INVENTORY,     /* empty; with a file: inventory_read() */
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
/* The same, but waits for one until now_ms() is until: ETIMEDOUT instead of EAGAIN. */
int control_await(int fd, struct control_message *m, int64_t until);
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

/* ------------------------------------------------------- group_sockets.c -- */

/* The sockets of the group, those to send from, and which process has them. */

/* Makes the SLOTS sockets of a new group, nobody having the port. 0, or -1 with errno:
 * EADDRINUSE: somebody has it; ENOSYS: the kernel does not steer packets by a program, as
 * gVisor's. */
int sockets_make(int rx[SLOTS]);
/* For such a kernel: one socket, which takes all packets, in the place of that slot; and in
 * place 0 one that takes none. */
int sockets_make_alone(int rx[SLOTS], unsigned slot);
/* Are these the sockets of a group, in their order? They may come from another process. */
bool sockets_valid(const int rx[SLOTS]);
/* The place of a socket in its group, -1: it is none of a group. */
int sockets_index(int fd);
void sockets_close(int rx[SLOTS]);

/* A slot changes hands: takes away what waits in its socket, and gives it room. */
void sockets_claimed(int fd);
void sockets_released(int fd);

/* Opens a socket to send from, at a source port as hosts choose them: 0xc000 and up. -1 with
 * errno: EAFNOSUPPORT. */
int sockets_sender(int family, uint16_t *port);

/* ------------------------------------------------ which process has them -- */

/* proc(5) tells which process has a port or a name, as far as this user may know. */

/* Copies the sockets of the group out of a process of this user that holds them but does not
 * hand them out, since it is stopped: pidfd_getfd(2). 0, or -1 with errno: EADDRINUSE: the
 * port is another program's. */
int port_take_sockets(int rx[SLOTS]);

/* Does another user have the UDP port? */
bool port_is_of_another_user(void);
/* Writes who has the UDP port: "process 12 (rping), which is stopped", "the kernel" and what
 * to do then. */
enum port_owner { PORT_OF_THIS_USER, PORT_OF_ANOTHER, PORT_OF_KERNEL };
enum port_owner port_owner_print(char *buf, size_t n);
/* The process that has bound the name, or 0. */
pid_t name_owner(const struct local_name *name);
bool name_is_of(pid_t pid, const struct local_name *name);
/* "process 12 (rping), which is stopped" */
void process_print(pid_t pid, char *buf, size_t n);

/* ------------------------------------------------------ inventory_file.c -- */

/*
 * How a process hands over what it has (inventory.h): a memfd with a head and then the rows of
 * each kind, one kind after the other. Whoever asked copies it before looking at it.
 */

#define INVENTORY_MAGIC UINT64_C(0x32746e65766e69) /* "invent2" */
#define INVENTORY_ROWS	65536u			   /* of a kind, at most */

struct inventory_head {
	uint64_t magic;
	struct {
		uint32_t row_size; /* bytes: another one is of another version */
		uint32_t n, total;
	} kind[UROCE_KINDS];
	uint32_t reserved;
	char device[IBV_SYSFS_NAME_MAX]; /* as device_name() */
};

extern const uint32_t inventory_row_size[UROCE_KINDS];

/* The inventory in that file of so many bytes, of the process pid; to be freed. NULL with errno:
 * EPROTO: it is not as it should be. */
struct uroce_inventory *inventory_read(int fd, pid_t pid);

/* ---------------------------------------------------------- this process -- */

/* Of this process; descriptors are -1 where there is none. */
struct group {
	unsigned slot; /* 0: not joined */
	struct socket_dir dir;
	int rx[SLOTS];
	bool alone;    /* rx has no more than our own: others cannot join */
	int watch;     /* of the file of control */
	int control;   /* bound to control_name() of the slot */
	int epoll;     /* of control, and of the names that we hold */
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
int control_epoll_add(int fd);
void control_epoll_remove(int fd);

/* Binds all that are held once more, in group.dir, with DIR_NAMES locked. */
void names_move(void);
/* Is it the descriptor of a name that is held? */
bool names_have(int fd);
/* Gives all back; after fork() they are the parent's, and stay. */
void names_close(void);
void names_forget(void);

#endif
