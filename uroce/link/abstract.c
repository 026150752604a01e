// SPDX-License-Identifier: MIT
#include "abstract.h"

#include <errno.h>
#include <poll.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct abstract abstract_name(const char *format, ...)
{
	struct abstract a = { .un.sun_family = AF_UNIX };
	char *path = a.un.sun_path + 1;
	size_t room = sizeof(a.un.sun_path) - 1;
	va_list args;
	int n;

	n = snprintf(path, room, "uroce/%u/", (unsigned)geteuid());
	va_start(args, format);
	n += vsnprintf(path + n, room - (size_t)n, format, args);
	va_end(args);
	a.len = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)n);
	return a;
}

void abstract_print(const struct abstract *name, char *buf, size_t n)
{
	size_t len = name->len - offsetof(struct sockaddr_un, sun_path) - 1;

	snprintf(buf, n, "@%.*s", (int)len, name->un.sun_path + 1);
}

int abstract_bind(const struct abstract *name)
{
	static const struct abstract any = { .un.sun_family = AF_UNIX, .len = sizeof(sa_family_t) };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, err;

	if (fd < 0)
		return -1;
	if (!name)
		name = &any;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) == 0 &&
	    bind(fd, (const struct sockaddr *)&name->un, name->len) == 0)
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

bool abstract_taken(const struct abstract *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool taken = fd >= 0 && connect(fd, (const struct sockaddr *)&name->un, name->len) == 0;

	if (fd >= 0)
		close(fd);
	return taken;
}

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static int stream(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

/* Who holds the lock is connected to: the connection breaks when it lets go. */
static int wait_for_holder(const struct abstract *name, int64_t until, pid_t *holder)
{
	struct pollfd p = { .fd = stream(), .events = POLLIN };
	struct ucred cred;
	socklen_t len = sizeof(cred);
	int64_t left = until - now_ms();

	if (p.fd < 0)
		return -1;
	if (connect(p.fd, (const struct sockaddr *)&name->un, name->len) == 0) {
		if (getsockopt(p.fd, SOL_SOCKET, SO_PEERCRED, &cred, &len) == 0)
			*holder = cred.pid;
		poll(&p, 1, left < 0 ? 0 : (int)left);
	} else {
		/* it is about to listen, or has just gone */
		poll(NULL, 0, 1);
	}
	close(p.fd);
	return 0;
}

int abstract_lock(const struct abstract *name, int patience_ms, pid_t *holder)
{
	int64_t until = now_ms() + patience_ms;
	int fd = stream(), err;

	*holder = 0;
	if (fd < 0)
		return -1;
	while (bind(fd, (const struct sockaddr *)&name->un, name->len) != 0) {
		if (errno != EADDRINUSE)
			goto undo;
		if (now_ms() >= until) {
			errno = ETIMEDOUT;
			goto undo;
		}
		if (wait_for_holder(name, until, holder) != 0)
			goto undo;
	}
	if (listen(fd, SOMAXCONN) == 0)
		return fd;
undo:
	err = errno;
	close(fd);
	errno = err;
	return -1;
}
