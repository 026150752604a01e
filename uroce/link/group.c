// SPDX-License-Identifier: MIT
#include "abstract.h"
#include "group.h"

#include <errno.h>
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
#include "holder.h"
#include "sockets.h"

#define PATIENCE_MS 5000 /* with one who is joining at the same time */
#define GATHER_MS   2000 /* to get the sockets from somebody */
#define LEAVING_MS  300	 /* for a process that ends to be gone */
#define ANSWER_MS   20	 /* before the next process is asked */
#define GOING_MS    10	 /* before a look whether a process that goes has gone */

struct group group = {
	.rx = { [0 ... SLOTS - 1] = -1 },
	.control = -1,
	.epoll = -1,
	.alive = -1,
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

static int claim_slot(struct reason *r)
{
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		struct abstract name = control_name(slot);

		group.control = abstract_bind(&name);
		if (group.control >= 0) {
			group.slot = slot;
			return 0;
		}
		if (errno != EADDRINUSE)
			return fail_errno(r, "no socket to speak to other processes with");
	}
	return fail(r, EUSERS,
		    "%u processes of this user use uroce0 on this host, and there is no room for "
		    "more (see 'uroce status')",
		    SLOTS - 1);
}

/* -------------------------------------------------- the sockets, from somebody -- */

enum gathered { GOT, NOBODY, SILENT, FOREIGN, FAILED };

static enum gathered fail_alone(struct reason *r, pid_t pid)
{
	char who[160];

	holder_print(pid, who, sizeof(who));
	fail(r, EADDRINUSE,
	     "UDP port 4791 is in use: by %s, and this kernel cannot share it. End it, or start this "
	     "in a network of its own (unshare -rn)",
	     who);
	return FAILED;
}

/* Is this the answer with the sockets? */
static enum gathered take_answer(struct reason *r)
{
	static struct control_message m; /* joining is done by one thread at a time */
	char who[160];

	while (control_receive(group.control, &m) == 0) {
		bool answer = m.header.type == CONTROL_SOCKETS;

		if (answer && m.nfds == SLOTS && sockets_valid(m.fds)) {
			memcpy(group.rx, m.fds, sizeof(group.rx));
			return GOT;
		}
		if (answer && m.nfds == 0 && !m.cut)
			return fail_alone(r, m.pid);
		control_drop(&m);
		if (m.cut) {
			errno = EMFILE;
			fail_errno(r, "");
			return FAILED;
		}
	}
	if (errno != EPROTO)
		return SILENT;
	holder_print(m.pid, who, sizeof(who));
	fail(r, EPROTO,
	     "%s uses another version of uroce: end it, or use the same version (%u, not %u)", who,
	     m.header.version, CONTROL_VERSION);
	return FAILED;
}

static enum gathered wait_for_answer(struct reason *r)
{
	struct pollfd p = { .fd = group.control, .events = POLLIN };
	int64_t until = now_ms() + ANSWER_MS, left;
	enum gathered got = SILENT;

	while (got == SILENT && (left = until - now_ms()) > 0)
		if (poll(&p, 1, (int)left) > 0)
			got = take_answer(r);
	return got;
}

/* Asks one process after the other; an answer that is late counts as well. */
static enum gathered ask_others(struct reason *r)
{
	enum gathered got = NOBODY;

	for (unsigned slot = 1; slot < SLOTS && (got == NOBODY || got == SILENT); slot++) {
		struct abstract name = control_name(slot);

		if (slot == group.slot)
			continue;
		if (control_send(group.control, &name, CONTROL_ASK_SOCKETS, group.slot, NULL, 0,
				 NULL, 0) == 0)
			got = wait_for_answer(r);
		else if (errno == EAGAIN)
			got = SILENT;
	}
	return got;
}

/* Nobody gives them: the port may be free. */
static enum gathered make(struct reason *r)
{
	if (sockets_make(group.rx) == 0)
		return GOT;
	if (errno == ENOSYS && sockets_make_alone(group.rx, group.slot) == 0) {
		group.alone = true;
		snprintf(
			r->text, r->size,
			"this kernel cannot share a UDP port by what is in the packets "
			"(SO_ATTACH_REUSEPORT_CBPF): only one process of this host can use uroce0 at "
			"a time");
		return GOT;
	}
	if (errno == EADDRINUSE)
		return SILENT;
	fail_errno(r, "no UDP socket at port 4791");
	return FAILED;
}

static int fail_in_use(struct reason *r)
{
	char who[300];
	bool process = holder_of_port(who, sizeof(who));

	return fail(r, EADDRINUSE, "UDP port 4791 is in use: by %s%s", who,
		    process ? ". End it, or start this in a network of its own (unshare -rn)" : "");
}

/* They are stopped, or about to go, or another program. */
static enum gathered take(struct reason *r)
{
	if (holder_take_sockets(group.rx) == 0)
		return GOT;
	if (errno == EADDRINUSE)
		return FOREIGN;
	if (holder_is_another_user())
		fail_in_use(r);
	else if (errno == EMFILE || errno == ENFILE)
		fail_errno(r, "");
	else
		return SILENT;
	return FAILED;
}

static enum gathered gather_once(struct reason *r)
{
	enum gathered got = ask_others(r);

	if (got == NOBODY)
		got = make(r);
	return got == SILENT ? take(r) : got;
}

/* One of those who have a slot and say nothing. */
static int fail_silent(struct reason *r)
{
	char who[200] = "";
	bool silent = false;

	for (unsigned slot = 1; slot < SLOTS && !silent; slot++) {
		struct abstract name = control_name(slot);
		pid_t pid;

		silent = slot != group.slot && abstract_taken(&name);
		pid = silent ? holder_of_name(&name) : 0;
		if (pid)
			holder_print(pid, who, sizeof(who));
	}
	if (!silent)
		return fail_in_use(r);
	return fail(r, EBUSY,
		    "UDP port 4791 is shared with processes that do not answer: %s. Continue it "
		    "(kill -CONT), or end it",
		    who[0] ? who : "one that cannot be seen from here");
}

static int gather(struct reason *r)
{
	int64_t since = now_ms();

	for (;;) {
		enum gathered got = gather_once(r);

		if (got == GOT)
			return 0;
		if (got == FAILED)
			return -1;
		/* A process that ends closes its sockets one by one: its name may be gone, and
		 * the port not; or it looks like another program. */
		if (got == FOREIGN && now_ms() >= since + LEAVING_MS)
			return fail_in_use(r);
		if (now_ms() >= since + GATHER_MS)
			return fail_silent(r);
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
	struct epoll_event event = { .events = EPOLLIN, .data.fd = group.control };

	group.epoll = epoll_create1(EPOLL_CLOEXEC);
	if (group.epoll < 0 || epoll_ctl(group.epoll, EPOLL_CTL_ADD, group.control, &event) != 0)
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
	names_close();
	close_fd(&group.alive);
	close_fd(&group.epoll);
	close_fd(&group.control); /* nobody asks us any more */
	sockets_close(group.rx);
	close_fd(&group.sender[0]);
	close_fd(&group.sender[1]);
	group.alone = false;
	group.slot = 0;
}

static int join_locked(struct reason *r)
{
	if (claim_slot(r) != 0 || gather(r) != 0 || open_senders(r) != 0 || open_epoll(r) != 0)
		return -1;
	sockets_claimed(group.rx[group.slot]);
	return 0;
}

static int lock_joining(struct reason *r)
{
	struct abstract name = abstract_name("join");
	char who[160] = "";
	pid_t holder;
	int lock = abstract_lock(&name, PATIENCE_MS, &holder);

	if (lock >= 0 || errno != ETIMEDOUT)
		return lock >= 0 ? lock
				 : fail_errno(r, "no socket to speak to other processes with");
	if (holder)
		holder_print(holder, who, sizeof(who));
	return fail(r, EBUSY,
		    "another process is just starting with uroce0 and does not get on: %s", who);
}

int group_join(char *text, size_t size)
{
	struct reason r = { text, size };
	int lock = lock_joining(&r), ret, err;

	if (lock < 0)
		return -1;
	ret = messages_start();
	ret = ret != 0 ? fail_errno(&r, "no memory") : join_locked(&r);
	err = errno;
	if (ret != 0)
		close_all();
	close(lock);
	errno = err;
	return ret;
}

void group_leave(void)
{
	messages_stop();
	if (group.slot)
		sockets_released(group.rx[group.slot]);
	close_all();
}

void group_forget(void)
{
	messages_stop();
	close_all();
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
