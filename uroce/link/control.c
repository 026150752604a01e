/* SPDX-License-Identifier: MIT */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group_own.h"
#include "lock.h"

#define LOOK_MS 20 /* between two looks whether the process that is asked still lives */

struct local_name control_name(const struct socket_dir *dir, unsigned slot)
{
	return local_name(dir, "slot%u.%u", CONTROL_VERSION, slot);
}

int control_send(int fd, const struct local_name *to, enum control_type type, unsigned slot,
		 const void *data, size_t n, const int *fds, unsigned nfds)
{
	struct control_header header = {
		.magic = CONTROL_MAGIC,
		.type = type,
		.length = (uint32_t)n,
		.slot = slot,
	};
	struct iovec iov[2] = { { &header, sizeof(header) }, { (void *)data, n } };
	_Alignas(struct cmsghdr) char rights[CMSG_SPACE(SLOTS * sizeof(int))] = { 0 };
	struct msghdr m = {
		.msg_name = to ? (void *)&to->un : NULL,
		.msg_namelen = to ? to->len : 0,
		.msg_iov = iov,
		.msg_iovlen = n ? 2 : 1,
	};

	if (to && !local_trusted(to)) {
		errno = ECONNREFUSED;
		return -1;
	}
	if (nfds) {
		struct cmsghdr *c;

		m.msg_control = rights;
		m.msg_controllen = CMSG_SPACE(nfds * sizeof(int));
		c = CMSG_FIRSTHDR(&m);
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(nfds * sizeof(int));
		memcpy(CMSG_DATA(c), fds, nfds * sizeof(int));
	}
	if (sendmsg(fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0)
		return 0;
	if (errno == ENOENT) /* its name went meanwhile */
		errno = ECONNREFUSED;
	return -1;
}

static bool is_trusted(const struct ucred *cred)
{
	return cred->uid == geteuid() || cred->uid == getuid() || cred->uid == 0;
}

/* Reads the credentials and the descriptors of a message. False: it does not come from this
 * user. */
static bool read_ancillary(struct control_message *m, struct msghdr *h)
{
	struct ucred cred = { .uid = (uid_t)-1 };

	for (struct cmsghdr *c = CMSG_FIRSTHDR(h); c; c = CMSG_NXTHDR(h, c)) {
		size_t n = c->cmsg_len - CMSG_LEN(0);

		if (c->cmsg_level != SOL_SOCKET)
			continue;
		if (c->cmsg_type == SCM_CREDENTIALS && n >= sizeof(cred)) {
			memcpy(&cred, CMSG_DATA(c), sizeof(cred));
		} else if (c->cmsg_type == SCM_RIGHTS && n <= sizeof(m->fds)) {
			memcpy(m->fds, CMSG_DATA(c), n);
			m->nfds = (unsigned)(n / sizeof(int));
		}
	}
	m->pid = cred.pid;
	return is_trusted(&cred);
}

void control_drop(struct control_message *m)
{
	while (m->nfds)
		close_fd(&m->fds[--m->nfds]);
}

static bool well_formed(const struct control_message *m, size_t n)
{
	return n >= sizeof(m->header) && m->header.magic == CONTROL_MAGIC &&
	       m->header.length == n - sizeof(m->header) && m->header.slot < SLOTS;
}

/* 1: received; 0: a message that is ignored; -1 with errno. */
static int receive_one(int fd, struct control_message *m)
{
	struct iovec iov[2] = { { &m->header, sizeof(m->header) }, { m->data, sizeof(m->data) } };
	_Alignas(struct cmsghdr) char
		beside[CMSG_SPACE(SLOTS * sizeof(int)) + CMSG_SPACE(sizeof(struct ucred))];
	struct msghdr h = {
		.msg_iov = iov,
		.msg_iovlen = 2,
		.msg_control = beside,
		.msg_controllen = sizeof(beside),
	};
	ssize_t n;

	m->nfds = 0;
	do {
		n = recvmsg(fd, &h, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return -1;
	m->cut = h.msg_flags & MSG_CTRUNC;
	return read_ancillary(m, &h) && !(h.msg_flags & MSG_TRUNC) && well_formed(m, (size_t)n);
}

int control_receive(int fd, struct control_message *m)
{
	int ret;

	while ((ret = receive_one(fd, m)) == 0)
		control_drop(m);
	return ret < 0 ? -1 : 0;
}

/* Waits for the answer, which comes to fd. */
static int await_answer(int fd, const struct local_name *asked, const struct control_header *want,
			int patience_ms, struct control_message *answer)
{
	const uint64_t until = engine_clock() + patience_ms * MS;
	struct pollfd p = { .fd = fd, .events = POLLIN };

	for (;;) {
		if (control_receive(fd, answer) == 0) {
			if (answer->header.type == want->type && answer->header.slot == want->slot)
				return 0;
			control_drop(answer);
		} else if (errno != EAGAIN) {
			return -1;
		} else if (engine_clock() >= until) {
			errno = ETIMEDOUT;
			return -1;
		} else if (poll(&p, 1, LOOK_MS) == 0 && !local_taken(asked)) {
			errno = ENOENT;
			return -1;
		}
	}
}

int control_ask(const struct socket_dir *dir, unsigned slot, enum control_type type,
		int patience_ms, struct control_message *answer)
{
	const struct control_header want = { .type = type + 1u, .slot = slot };
	const struct local_name to = control_name(dir, slot);
	int fds[2], one = 1, ret = -1;

	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds) != 0)
		return -1;
	if (setsockopt(fds[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) == 0) {
		if (control_send(fds[1], &to, type, 0, NULL, 0, &fds[1], 1) == 0)
			ret = await_answer(fds[0], &to, &want, patience_ms, answer);
		else if (errno == EAGAIN)
			errno = ETIMEDOUT; /* it has not read earlier messages yet */
		else if (errno == ECONNREFUSED)
			errno = ENOENT;
	}
	close_fd(&fds[0]);
	close_fd(&fds[1]);
	return ret;
}

/* ------------------------------------------------------- sockets by name -- */

struct local_name local_in(const struct socket_dir *dir, const char *base)
{
	struct local_name name = { .un.sun_family = AF_UNIX };
	int n = snprintf(name.un.sun_path, sizeof(name.un.sun_path), "/proc/self/fd/%d/%s", dir->fd,
			 base);

	name.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + (size_t)n + 1);
	return name;
}

struct local_name local_name(const struct socket_dir *dir, const char *format, ...)
{
	char base[BASE_BYTES];
	va_list args;
	int n;

	n = snprintf(base, sizeof(base), "%" PRIu64 ".", dir->network);
	va_start(args, format);
	vsnprintf(base + n, sizeof(base) - (size_t)n, format, args);
	va_end(args);
	return local_in(dir, base);
}

const char *local_base(const struct local_name *name)
{
	return strrchr(name->un.sun_path, '/') + 1;
}

bool local_taken(const struct local_name *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const bool there = fd >= 0 &&
			   connect(fd, (const struct sockaddr *)&name->un, name->len) == 0;

	if (there)
		errno = EADDRINUSE;
	close_fd(&fd);
	return errno != ECONNREFUSED && errno != ENOENT;
}

bool local_trusted(const struct local_name *name)
{
	struct stat st;

	return stat(name->un.sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

int local_bind(const struct local_name *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1;

	if (fd >= 0 && (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) != 0 ||
			bind(fd, (const struct sockaddr *)&name->un, name->len) != 0))
		close_fd(&fd);
	return fd;
}

int local_link(const struct socket_dir *dir, const struct local_name *name,
	       const struct local_name *to)
{
	if (symlinkat(local_base(to), dir->fd, local_base(name)) == 0)
		return 0;
	if (errno != EEXIST || local_taken(name))
		return -1;
	unlinkat(dir->fd, local_base(name), 0);
	return symlinkat(local_base(to), dir->fd, local_base(name));
}

bool local_links_to(const struct socket_dir *dir, const char *base, const struct local_name *to)
{
	char target[BASE_BYTES];
	ssize_t n = readlinkat(dir->fd, base, target, sizeof(target) - 1);

	target[n < 0 ? 0 : n] = '\0';
	return strcmp(target, local_base(to)) == 0;
}

/* Between bind() and the moment when a name can be connected to is a short time, in which DIR_NAMES
 * protects it. */
void local_sweep(const struct socket_dir *dir)
{
	DIR *entries = socket_dir_list(dir);
	struct socket_dir there = *dir;
	const char *base;

	while ((base = socket_dir_next(entries))) {
		struct local_name name;

		if (strlen(base) >= BASE_BYTES ||
		    sscanf(base, "%" SCNu64 ".", &there.network) != 1 ||
		    socket_dir_lock(&there, DIR_NAMES, 0, NULL) != 0)
			continue;
		name = local_in(dir, base);
		if (!local_taken(&name))
			unlinkat(dir->fd, base, 0);
		socket_dir_unlock(&there, DIR_NAMES);
	}
	if (entries)
		closedir(entries);
}
