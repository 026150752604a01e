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
#include <time.h>
#include <unistd.h>

#include "group_own.h"
#include "pair.h"

#define PATIENCE_MS 5000 /* with one who is joining at the same time */
#define GATHER_MS   2000 /* to get the sockets from somebody */
#define LEAVING_MS  300	 /* for a process that ends to be gone */
#define ANSWER_MS   20	 /* before the next process is asked */
#define GOING_MS    10	 /* before a look whether a process that goes has gone */
#define MOVES	    10	 /* from one directory to another, in which somebody is */
#define ALONE_SLOT  1	 /* where no other process can join */

struct group group = {
	.dir = SOCKET_DIR_NONE,
	.rx = { [0 ... SLOTS - 1] = -1 },
	.watch = -1,
	.control = -1,
	.epoll = -1,
	.sender = { -1, -1 },
};

/* Why it failed. */
struct reason {
	char *text;
	size_t size;
};

/* Always -1, with this errno. */
__attribute__((format(printf, 3, 4))) static int fail(struct reason *r, int err, const char *format,
						      ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(r->text, r->size, format, args);
	va_end(args);
	errno = err;
	return -1;
}

static int fail_errno(struct reason *r, const char *what)
{
	int err = errno;

	if (err == EMFILE || err == ENFILE)
		return fail(r, err,
			    "too many open files: uroce0 needs %u descriptors (raise the limit: "
			    "ulimit -n %u)",
			    SLOTS + 16, 4096);
	return fail(r, err, "%s: %s", what, strerror(err));
}

/* ------------------------------------------------------------- a slot of our own -- */

/* Whose a slot is, is a lock on a byte of what all have in common, the first socket: nobody else
 * can take it, and it is free when its process is gone. fcntl(2) has such locks for any file. */
static struct flock lock_of(unsigned slot)
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
	struct flock l = lock_of(slot);

	return fcntl(group.rx[0], F_SETLK, &l);
}

pid_t group_slot_pid(unsigned slot)
{
	struct flock l = lock_of(slot);

	if (fcntl(group.rx[0], F_GETLK, &l) != 0)
		return -1;
	return l.l_type == F_UNLCK ? 0 : l.l_pid;
}

/* Its name may be left of a process that was killed, or bound by a child of it. */
static int bind_control(unsigned slot)
{
	struct local_name name = control_name(&group.dir, slot);

	unlinkat(group.dir.fd, local_base(&name), 0);
	group.control = local_bind(&group.dir, &name);
	return group.control < 0 ? -1 : 0;
}

static int fail_sockets(struct reason *r)
{
	char where[200];

	if (errno == EMFILE || errno == ENFILE)
		return fail_errno(r, "");
	socket_dir_print(&group.dir, where, sizeof(where));
	return fail(r, errno, "no sockets in %s to speak to other processes with: %s", where,
		    strerror(errno));
}

static int name_slot(struct reason *r, unsigned slot)
{
	int ret;

	if (socket_dir_lock(&group.dir, DIR_NAMES, PATIENCE_MS, NULL) != 0)
		return fail_sockets(r);
	local_sweep(&group.dir);
	ret = bind_control(slot);
	socket_dir_unlock(&group.dir, DIR_NAMES);
	return ret == 0 ? 0 : fail_sockets(r);
}

/* The number of it, or -1. */
static int claim_slot(struct reason *r)
{
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		if (lock_slot(slot) == 0)
			return name_slot(r, slot) == 0 ? (int)slot : -1;
		if (errno != EAGAIN && errno != EACCES)
			return fail_errno(r, "no lock on a socket");
	}
	return fail(r, EUSERS,
		    "%u processes of this user use uroce0 on this host, and there is no room for "
		    "more (see 'uroce status')",
		    SLOTS - 1);
}

/* -------------------------------------------------- the sockets, from somebody -- */

/* FOREIGN: somebody has the port, and nobody of this directory; ELSEWHERE: those who have it are
 * in another one. */
enum gathered { GOT, NOBODY, SILENT, FOREIGN, ELSEWHERE, FAILED };

static enum gathered fail_alone(struct reason *r, pid_t pid)
{
	char who[160];

	process_print(pid, who, sizeof(who));
	fail(r, EADDRINUSE,
	     "UDP port 4791 is in use: by %s, and this kernel cannot share it. End it, or start this "
	     "in a network of its own (unshare -rn)",
	     who);
	return FAILED;
}

static enum gathered fail_version(struct reason *r, const struct control_message *m)
{
	char who[160];

	process_print(m->pid, who, sizeof(who));
	fail(r, EPROTO,
	     "%s uses another version of uroce: end it, or use the same version (%u, not %u)", who,
	     m->header.version, CONTROL_VERSION);
	return FAILED;
}

/* Takes the sockets out of a message; SILENT: it is not the answer. */
static enum gathered take_answer(struct reason *r, struct control_message *m)
{
	bool answer = m->header.type == CONTROL_SOCKETS;

	if (answer && m->nfds == SLOTS && sockets_valid(m->fds)) {
		memcpy(group.rx, m->fds, sizeof(group.rx));
		return GOT;
	}
	if (answer && m->nfds == 0 && !m->cut)
		return fail_alone(r, m->pid);
	control_drop(m);
	if (!m->cut)
		return SILENT;
	errno = EMFILE;
	fail_errno(r, "");
	return FAILED;
}

static enum gathered wait_for_answer(struct reason *r, int fd)
{
	static struct control_message m; /* one thread at a time joins */
	int64_t until = now_ms() + ANSWER_MS;

	while (control_await(fd, &m, until) == 0) {
		enum gathered got = take_answer(r, &m);

		if (got != SILENT)
			return got;
	}
	if (errno != EPROTO)
		return SILENT;
	control_drop(&m);
	return fail_version(r, &m);
}

/* Asks one process after the other. The late answer of one that was asked before counts, too. */
static enum gathered ask_others(struct reason *r)
{
	enum gathered got = NOBODY;
	struct control_ask ask;

	if (control_ask_open(&ask) != 0) {
		fail_errno(r, "no socket to ask other processes with");
		return FAILED;
	}
	for (unsigned slot = 1; slot < SLOTS && (got == NOBODY || got == SILENT); slot++) {
		struct local_name name = control_name(&group.dir, slot);

		if (control_ask(&ask, &name, CONTROL_ASK_SOCKETS) == 0)
			got = wait_for_answer(r, ask.answers);
		else if (errno == EAGAIN)
			got = SILENT;
	}
	control_ask_close(&ask);
	return got;
}

/* Nobody gives them: the port may be free. */
static enum gathered make(struct reason *r)
{
	if (sockets_make(group.rx) == 0)
		return GOT;
	if (errno == ENOSYS && sockets_make_alone(group.rx, ALONE_SLOT) == 0) {
		group.alone = true;
		snprintf(
			r->text, r->size,
			"this kernel cannot share a UDP port by what is in the packets "
			"(SO_ATTACH_REUSEPORT_CBPF): only one process of this host can use uroce0 at "
			"a time");
		return GOT;
	}
	if (errno == EADDRINUSE)
		return FOREIGN;
	fail_errno(r, "no UDP socket at port 4791");
	return FAILED;
}

static int fail_in_use(struct reason *r)
{
	char who[300], where[200];

	switch (port_owner_print(who, sizeof(who))) {
	case PORT_OF_KERNEL:
		return fail(r, EADDRINUSE, "UDP port 4791 is in use: by %s", who);
	case PORT_OF_ANOTHER:
		return fail(
			r, EADDRINUSE,
			"UDP port 4791 is in use: by %s. It is one user's at a time: wait until "
			"that ends, or start this in a network of its own (unshare -rn)",
			who);
	default:
		socket_dir_print(&group.dir, where, sizeof(where));
		return fail(
			r, EADDRINUSE,
			"UDP port 4791 is in use: by %s, which is not in %s, where processes on "
			"uroce0 find each other. End it, or start this in a network of its own "
			"(unshare -rn)",
			who, where);
	}
}

static bool is_lively_elsewhere(void)
{
	struct socket_dir other;

	if (socket_dir_look(&other, control_lively) != 0)
		return false;
	socket_dir_close(&other);
	return true;
}

/* Somebody has the port: another user, another program, one of ours that is about to go, or
 * that has joined at the same moment in another directory. */
static enum gathered take_sockets_of_stopped(struct reason *r)
{
	if (port_is_of_another_user()) {
		fail_in_use(r);
		return FAILED;
	}
	return is_lively_elsewhere() ? ELSEWHERE : FOREIGN;
}

/* They are stopped, or about to go. */
static enum gathered take(struct reason *r)
{
	if (port_take_sockets(group.rx) == 0)
		return GOT;
	if (errno == EADDRINUSE)
		return FOREIGN;
	if (errno != EMFILE && errno != ENFILE)
		return SILENT;
	fail_errno(r, "");
	return FAILED;
}

static enum gathered gather_once(struct reason *r)
{
	enum gathered got = ask_others(r);

	if (got == NOBODY)
		got = make(r);
	if (got == FOREIGN)
		got = take_sockets_of_stopped(r);
	return got == SILENT ? take(r) : got;
}

/* One of those who have a slot and say nothing. */
static int fail_silent(struct reason *r)
{
	char who[200] = "";
	bool silent = false;

	for (unsigned slot = 1; slot < SLOTS && !silent; slot++) {
		struct local_name name = control_name(&group.dir, slot);
		pid_t pid;

		silent = local_taken(&name);
		pid = silent ? name_owner(&name) : 0;
		if (pid)
			process_print(pid, who, sizeof(who));
	}
	if (!silent)
		return fail_in_use(r);
	return fail(r, EBUSY,
		    "UDP port 4791 is shared with processes that do not answer: %s. Continue it "
		    "(kill -CONT), or end it",
		    who[0] ? who : "one that cannot be seen from here");
}

/* GOT, ELSEWHERE or FAILED. */
static enum gathered gather(struct reason *r)
{
	int64_t since = now_ms();

	for (;;) {
		enum gathered got = gather_once(r);

		if (got == GOT || got == ELSEWHERE || got == FAILED)
			return got;
		/* A process that ends closes its sockets one by one: its name may be gone, and
		 * the port not; or it looks like another program. */
		if (got == FOREIGN && now_ms() >= since + LEAVING_MS) {
			fail_in_use(r);
			return FAILED;
		}
		if (now_ms() >= since + GATHER_MS) {
			fail_silent(r);
			return FAILED;
		}
		poll(NULL, 0, GOING_MS);
	}
}

/* ---------------------------------------------------------------- all together -- */

static int open_senders(struct reason *r)
{
	static const int families[2] = { AF_INET, AF_INET6 };

	for (unsigned i = 0; i < 2; i++) {
		group.sender[i] = sockets_sender(families[i], &group.port[i]);
		if (group.sender[i] < 0 && (i == 0 || errno != EAFNOSUPPORT))
			return fail_errno(r, "no UDP socket to send from");
	}
	return 0;
}

static int open_epoll(struct reason *r)
{
	group.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (group.epoll < 0 || control_epoll_add(group.control) != 0)
		return fail_errno(r, "no epoll descriptor");
	return 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_all(void)
{
	pair_forget();
	close_fd(&group.epoll);
	close_fd(&group.watch);
	close_fd(&group.control); /* nobody asks us any more */
	sockets_close(group.rx);
	close_fd(&group.sender[0]);
	close_fd(&group.sender[1]);
	socket_dir_close(&group.dir);
	group.alone = false;
	group.slot = 0;
}

static int set_up(struct reason *r)
{
	int slot = claim_slot(r);

	if (slot < 0 || open_senders(r) != 0 || open_epoll(r) != 0)
		return -1;
	sockets_claimed(group.rx[slot]);
	group.slot = (unsigned)slot;
	pair_start();
	return move_watch() == 0 ? 0 : fail_errno(r, "no look at the directory of the sockets");
}

static enum gathered join_locked(struct reason *r)
{
	enum gathered got = gather(r);

	return got == GOT && set_up(r) != 0 ? FAILED : got;
}

static int lock_joining(struct reason *r)
{
	char who[160] = "";
	pid_t holder = 0;

	if (socket_dir_lock(&group.dir, DIR_JOIN, PATIENCE_MS, &holder) == 0)
		return 0;
	if (errno != ETIMEDOUT)
		return fail_sockets(r);
	if (holder)
		process_print(holder, who, sizeof(who));
	return fail(r, EBUSY,
		    "another process is just starting with uroce0 and does not get on: %s", who);
}

static enum gathered join_in_dir(struct reason *r)
{
	enum gathered got = FAILED;
	int err;

	if (socket_dir_join(&group.dir, control_lively) != 0) {
		if (errno == EACCES)
			fail(r, EACCES,
			     "no directory for sockets that is this user's alone: neither "
			     "XDG_RUNTIME_DIR nor /tmp nor /dev/shm will do");
		else if (access("/proc/self/fd", X_OK) != 0)
			fail(r, errno, "/proc is not mounted here: mount -t proc proc /proc");
		else
			fail_errno(r, "no directory for sockets");
		return FAILED;
	}
	if (lock_joining(r) == 0) {
		got = join_locked(r);
		socket_dir_unlock(&group.dir, DIR_JOIN);
	}
	err = errno;
	if (got != GOT)
		close_all();
	errno = err;
	return got;
}

int group_join(char *text, size_t size)
{
	struct reason r = { text, size };
	enum gathered got = ELSEWHERE;

	if (messages_start() != 0)
		return fail_errno(&r, "no memory");
	for (unsigned i = 0; i < MOVES && got == ELSEWHERE; i++)
		got = join_in_dir(&r);
	if (got == ELSEWHERE)
		fail(&r, EBUSY, "processes of this user come and go in several directories");
	return got == GOT ? 0 : -1;
}

void group_leave(void)
{
	messages_stop();
	pair_stop();
	close_fd(&group.watch);
	if (group.slot) {
		struct local_name name = control_name(&group.dir, group.slot);

		sockets_released(group.rx[group.slot]);
		names_close();
		local_close(&group.dir, &name, group.control);
		group.control = -1;
	}
	close_all();
}

void group_forget(void)
{
	messages_stop();
	names_forget();
	close_all();
}

void group_unlock(void)
{
	close_fd(&group.dir.lock);
}

unsigned group_slot(void)
{
	return group.slot;
}

int group_fd(void)
{
	return group.slot ? group.rx[group.slot] : -1;
}

int group_gsi_fd(void)
{
	return group.slot ? group.rx[0] : -1;
}

int group_control_fd(void)
{
	return group.epoll;
}

int group_send_fd(int family)
{
	return group.sender[family == AF_INET6];
}

uint16_t group_send_port(int family)
{
	return group.port[family == AF_INET6];
}
