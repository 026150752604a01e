// SPDX-License-Identifier: MIT
#include "local.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define BASE_BYTES 80 /* of the name of a file, with a \0; the way to it has room for 24 more */

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

/* 0: somebody has bound it; else an errno. ECONNREFUSED: its process has ended. */
static int look_for_owner(const struct local_name *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0), err = 0;

	if (fd < 0 || connect(fd, (const struct sockaddr *)&name->un, name->len) != 0)
		err = errno;
	if (fd >= 0)
		close(fd);
	return err;
}

bool local_taken(const struct local_name *name)
{
	return look_for_owner(name) == 0;
}

bool local_trusted(const struct local_name *name)
{
	struct stat st;

	return lstat(name->un.sun_path, &st) == 0 && S_ISSOCK(st.st_mode) &&
	       (st.st_uid == geteuid() || st.st_uid == 0);
}

/* What can be connected to is never removed. Between bind() and that moment is a short time:
 * hence the lock. */
static bool remove_stale(const struct socket_dir *dir, const struct local_name *name)
{
	return look_for_owner(name) == ECONNREFUSED && unlinkat(dir->fd, local_base(name), 0) == 0;
}

static int bind_to(int fd, const struct local_name *name)
{
	return bind(fd, (const struct sockaddr *)&name->un, name->len);
}

int local_bind(const struct socket_dir *dir, const struct local_name *name)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), one = 1, err;

	if (fd < 0)
		return -1;
	if (setsockopt(fd, SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) == 0 &&
	    (bind_to(fd, name) == 0 ||
	     (errno == EADDRINUSE && remove_stale(dir, name) && bind_to(fd, name) == 0)))
		return fd;
	err = errno;
	close(fd);
	errno = err == ECONNREFUSED ? EADDRINUSE : err;
	return -1;
}

void local_close(const struct socket_dir *dir, const struct local_name *name, int fd)
{
	unlinkat(dir->fd, local_base(name), 0); /* first: it is ours as long as it is bound */
	close(fd);
}

void local_sweep(const struct socket_dir *dir)
{
	struct socket_dir_entries entries;
	const char *base;

	socket_dir_begin(dir, &entries);
	while ((base = socket_dir_next(&entries))) {
		struct local_name name;

		if (strlen(base) >= BASE_BYTES)
			continue;
		name = local_in(dir, base);
		remove_stale(dir, &name);
	}
	socket_dir_end(&entries);
}

int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}
