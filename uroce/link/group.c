// SPDX-License-Identifier: MIT
#include "group.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "group_own.h"
#include "lock.h"
#include "own_fd.h"
#include "pair.h"

#define PATIENCE_MS 5000 /* for a process that is joining at the same time */
#define GATHER_MS   2000 /* to get the sockets from another process */
#define LEAVING_MS  300	 /* for a process that ends to release the port */
#define CLOSING_MS  3000 /* for the kernel to close sockets that no process has any more */
#define ANSWER_MS   50	 /* before the next process is asked */
#define GOING_MS    10	 /* between two attempts */

#define NO_DESCRIPTORS                                                                        \
	.dir = SOCKET_DIR_NONE, .rx = { [0 ... SLOTS - 1] = -1 }, .control = -1, .epoll = -1, \
	.sender = { -1, -1 }

struct group group = { NO_DESCRIPTORS };

void group_check(void)
{
	if (group.epoll < 0 || fd_is_marked(group.epoll))
		return;
	group = (struct group){ .slot = group.slot, NO_DESCRIPTORS };
	pair_lose_descriptors();
}

/* Why joining failed: text for the user. */
struct reason {
	char *text;
	size_t size;
};

/* Returns -1 and sets errno to err. */
__attribute__((format(printf, 3, 4))) static int set_reason(struct reason *r, int err,
							    const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->text, r->size, format, args);
	va_end(args);
	errno = err;
	return -1;
}

static int set_reason_of_errno(struct reason *r, const char *what)
{
	int err = errno;

	if (err == EMFILE || err == ENFILE)
		return set_reason(
			r, err,
			"too many open files: uroce0 needs %u descriptors (raise the limit: "
			"ulimit -n %u)",
			SLOTS + 16, 4096);
	return set_reason(r, err, "%s: %s", what, strerror(err));
}

/* ------------------------------------------------------------- a slot of our own -- */

/* A process owns a slot by a lock on a byte of the first socket, which all processes share. No
 * other process can take the lock, and it is released when its owner is gone. fcntl(2) has such
 * locks for any kind of file. */
static struct flock lock_for_slot(unsigned slot)
{
	return (struct flock){
		.l_type = F_WRLCK,
		.l_whence = SEEK_SET,
		.l_start = (off_t)slot,
		.l_len = 1,
	};
}

static int lock_slot(unsigned slot)
{
	struct flock l = lock_for_slot(slot);

	return fcntl(group.rx[0], F_SETLK, &l);
}

pid_t group_slot_pid(unsigned slot)
{
	struct flock l = lock_for_slot(slot);

	if (slot && slot == group.slot)
		return getpid(); /* no lock is in one's own way */
	group_check();
	if (fcntl(group.rx[0], F_GETLK, &l) != 0)
		return -1;
	if (l.l_type == F_UNLCK)
		return 0;
	return l.l_pid > 0 ? l.l_pid : -1;
}

static int set_reason_of_sockets(struct reason *r)
{
	char where[200];

	if (errno == EMFILE || errno == ENFILE)
		return set_reason_of_errno(r, "");
	socket_dir_print(&group.dir, where, sizeof(where));
	return set_reason(r, errno, "no sockets in %s to speak to other processes with: %s", where,
			  strerror(errno));
}

/* Files of the slot may be left from a process that was killed, or be bound by a child of one. */
static int bind_name_of_slot(struct reason *r, unsigned slot)
{
	struct local_name name = control_name(&group.dir, slot);

	if (socket_dir_lock(&group.dir, DIR_NAMES, PATIENCE_MS, NULL) != 0)
		return set_reason_of_sockets(r);
	names_remove(slot);
	unlinkat(group.dir.fd, local_base(&name), 0);
	group.control = local_bind(&name);
	socket_dir_unlock(&group.dir, DIR_NAMES);
	if (group.control < 0)
		return set_reason_of_sockets(r);
	local_sweep(&group.dir);
	return 0;
}

/* The number of the slot, or -1. */
static int claim_slot(struct reason *r)
{
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		if (lock_slot(slot) == 0)
			return bind_name_of_slot(r, slot) == 0 ? (int)slot : -1;
		if (errno != EAGAIN && errno != EACCES)
			return set_reason_of_errno(r, "no lock on a socket");
	}
	return set_reason(
		r, EUSERS,
		"%u processes of this user use uroce0 on this host, and there is no room for "
		"more (see 'uroce status')",
		SLOTS - 1);
}

/* -------------------------------------------------- the sockets, from somebody -- */

/* The result of asking for the sockets of the group. PORT_OF_STRANGER: a process that is not in
 * this directory has the port. */
enum gathered { HAS_SOCKETS, NO_PROCESS, NO_ANSWER, PORT_OF_STRANGER, HAS_FAILED };

static enum gathered fail_of_errno(struct reason *r, const char *what)
{
	set_reason_of_errno(r, what);
	return HAS_FAILED;
}

/* Takes the sockets out of an answer. */
static enum gathered take_sockets(struct reason *r, struct control_message *m)
{
	if (m->nfds == SLOTS && sockets_valid(m->fds)) {
		memcpy(group.rx, m->fds, sizeof(group.rx));
		return HAS_SOCKETS;
	}
	control_drop(m);
	errno = EMFILE;
	return m->cut ? fail_of_errno(r, "") : NO_ANSWER;
}

/* Asks one process after the other. */
static enum gathered ask_others_for_sockets(struct reason *r)
{
	enum gathered got = NO_PROCESS;
	struct control_message m;

	for (unsigned slot = 1; slot < SLOTS && (got == NO_PROCESS || got == NO_ANSWER); slot++)
		if (control_ask(&group.dir, slot, CONTROL_ASK_SOCKETS, ANSWER_MS, &m) == 0)
			got = take_sockets(r, &m);
		else if (errno == ETIMEDOUT)
			got = NO_ANSWER;
		else if (errno != ENOENT)
			got = fail_of_errno(r, "no socket to ask other processes with");
	return got;
}

/* No process has sockets to give: the port may be free. */
static enum gathered make_sockets(struct reason *r)
{
	if (sockets_make(group.rx) == 0)
		return HAS_SOCKETS;
	if (errno == ENOSYS) {
		set_reason(
			r, errno,
			"this kernel cannot share a UDP port by what is in the packets "
			"(SO_ATTACH_REUSEPORT_CBPF): uroce0 needs one that can, as Linux has since 4.5");
		return HAS_FAILED;
	}
	return errno == EADDRINUSE ? PORT_OF_STRANGER
				   : fail_of_errno(r, "no UDP socket at port 4791");
}

static int set_reason_in_use(struct reason *r)
{
	char who[300], where[200];

	switch (sockets_port_owner_print(who, sizeof(who))) {
	case PORT_OF_KERNEL:
		return set_reason(r, EADDRINUSE, "UDP port 4791 is in use: by %s", who);
	case PORT_OF_ANOTHER:
		return set_reason(
			r, EADDRINUSE,
			"UDP port 4791 is in use: by %s. It is one user's at a time: wait until "
			"that ends, or start this in a network of its own (unshare -rn)",
			who);
	default:
		socket_dir_print(&group.dir, where, sizeof(where));
		return set_reason(
			r, EADDRINUSE,
			"UDP port 4791 is in use: by %s, which is not in %s, where processes of "
			"this version of uroce find each other. End it, or start this in a network "
			"of its own (unshare -rn)",
			who, where);
	}
}

/* The processes of the group are stopped, or about to end. */
static enum gathered copy_sockets_of_stopped(struct reason *r)
{
	if (sockets_take_port(group.rx) == 0)
		return HAS_SOCKETS;
	if (errno == EADDRINUSE)
		return PORT_OF_STRANGER;
	return errno == EMFILE || errno == ENFILE ? fail_of_errno(r, "") : NO_ANSWER;
}

static enum gathered gather_sockets_once(struct reason *r)
{
	enum gathered got = ask_others_for_sockets(r);

	if (got == NO_PROCESS)
		got = make_sockets(r);
	return got == NO_ANSWER ? copy_sockets_of_stopped(r) : got;
}

/* Names one of the processes that have a slot and do not answer. */
static int set_reason_silent(struct reason *r)
{
	char who[200] = "";
	bool silent = false;
	pid_t pids[SLOTS];

	sockets_slot_pids(pids);
	for (unsigned slot = 1; slot < SLOTS && !silent; slot++) {
		struct local_name name = control_name(&group.dir, slot);

		silent = local_taken(&name);
		if (silent && pids[slot])
			sockets_process_print(pids[slot], who, sizeof(who));
	}
	if (!silent)
		return set_reason_in_use(r);
	return set_reason(
		r, EBUSY,
		"UDP port 4791 is shared with processes that do not answer: %s. Continue it "
		"(kill -CONT), or end it",
		who[0] ? who : "one that cannot be seen from here");
}

/* Tries until there are sockets or time is up. 0 or -1. */
static int gather_sockets(struct reason *r)
{
	const uint64_t since = engine_clock();

	for (;;) {
		enum gathered got = gather_sockets_once(r);
		uint64_t waited;

		if (got == HAS_SOCKETS || got == HAS_FAILED)
			return got == HAS_SOCKETS ? 0 : -1;
		if (got == PORT_OF_STRANGER && sockets_port_is_of_another_user())
			return set_reason_in_use(r);
		/* A process that ends closes its sockets one by one: its name may be gone while it
		 * still has the port; or it looks like another program. */
		waited = engine_clock() - since;
		if (got == PORT_OF_STRANGER && waited >= LEAVING_MS * MS &&
		    (sockets_port_has_owner() || waited >= CLOSING_MS * MS))
			return set_reason_in_use(r);
		if (got == NO_ANSWER && waited >= GATHER_MS * MS)
			return set_reason_silent(r);
		poll(NULL, 0, GOING_MS);
	}
}

/* ---------------------------------------------------------------- all together -- */

static int open_send_sockets(struct reason *r)
{
	static const int families[2] = { AF_INET, AF_INET6 };

	for (unsigned i = 0; i < 2; i++) {
		group.sender[i] = sockets_open_send(families[i], &group.port[i]);
		if (group.sender[i] < 0 && (i == 0 || errno != EAFNOSUPPORT))
			return set_reason_of_errno(r, "no UDP socket to send from");
	}
	return 0;
}

static int open_epoll(struct reason *r)
{
	group.epoll = fd_mark(epoll_create1(EPOLL_CLOEXEC));
	if (group.epoll < 0 || control_epoll_add(group.control) != 0)
		return set_reason_of_errno(r, "no epoll descriptor");
	return 0;
}

static void close_all(void)
{
	group_check();
	pair_forget();
	close_fd(&group.epoll);
	close_fd(&group.control); /* no process can ask us from now on */
	sockets_close(group.rx);
	close_fd(&group.sender[0]);
	close_fd(&group.sender[1]);
	socket_dir_close(&group.dir);
	group.slot = 0;
}

static int set_up_slot(struct reason *r)
{
	int slot = claim_slot(r);

	if (slot < 0 || open_send_sockets(r) != 0 || open_epoll(r) != 0)
		return -1;
	sockets_claimed(group.rx[slot]);
	group.slot = (unsigned)slot;
	pair_start();
	return 0;
}

static int lock_join(struct reason *r)
{
	char who[160] = "";
	pid_t holder = 0;

	if (socket_dir_lock(&group.dir, DIR_JOIN, PATIENCE_MS, &holder) == 0)
		return 0;
	if (errno != ETIMEDOUT)
		return set_reason_of_sockets(r);
	if (holder)
		sockets_process_print(holder, who, sizeof(who));
	return set_reason(r, EBUSY,
			  "another process is just starting with uroce0 and does not get on: %s",
			  who);
}

static int open_dir(struct reason *r)
{
	if (socket_dir_join(&group.dir) == 0)
		return 0;
	if (errno == EACCES)
		return set_reason(r, EACCES,
				  "no directory for sockets that is this user's alone: neither "
				  "/tmp nor /dev/shm will do, nor is there /run/user/%u",
				  (unsigned)geteuid());
	if (access("/proc/self/fd", X_OK) != 0)
		return set_reason(r, errno, "/proc is not mounted here: mount -t proc proc /proc");
	return set_reason_of_errno(r, "no directory for sockets");
}

int group_join(char *text, size_t size)
{
	struct reason r = { text, size };
	int ret = -1;

	if (open_dir(&r) == 0 && lock_join(&r) == 0) {
		ret = gather_sockets(&r) == 0 ? set_up_slot(&r) : -1;
		socket_dir_unlock(&group.dir, DIR_JOIN);
	}
	if (ret != 0)
		close_all();
	return ret;
}

void group_leave(void)
{
	group_check();
	pair_stop();
	if (group.slot && group.epoll >= 0) {
		struct local_name name = control_name(&group.dir, group.slot);

		sockets_released(group.rx[group.slot]);
		names_remove(group.slot);
		/* before it is closed: the name is ours as long as it is bound */
		unlinkat(group.dir.fd, local_base(&name), 0);
	}
	close_all();
}

void group_forget(void)
{
	close_all();
}

void group_unlock(void)
{
	group_check();
	close_fd(&group.dir.lock);
}

unsigned group_slot(void)
{
	return group.slot;
}

int group_fd(void)
{
	group_check();
	return group.slot ? group.rx[group.slot] : -1;
}

int group_gsi_fd(void)
{
	group_check();
	return group.slot ? group.rx[0] : -1;
}

int group_control_fd(void)
{
	group_check();
	return group.epoll;
}

int group_send_fd(int family)
{
	group_check();
	return group.sender[family == AF_INET6];
}

uint16_t group_send_port(int family)
{
	return group.port[family == AF_INET6];
}
