/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "file.h"
#include "script.h"
#include "session.h"

static int beneath(const char *root, const char *path, int flags, unsigned mode)
{
	struct open_how how = { .flags = (uint64_t)flags,
				.mode = flags & O_CREAT ? mode : 0,
				.resolve = RESOLVE_BENEATH };
	size_t len = root[1] ? strlen(root) : 0; /* "/" ends with its slash */
	int dir, fd;

	if (*path == '/') {
		if (strncmp(path, root, len) != 0 || path[len] != '/')
			return -EXDEV;
		path += len + strspn(path + len, "/");
	}
	dir = open(root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	fd = (int)syscall(SYS_openat2, dir, path, &how, sizeof how);
	if (fd < 0)
		fd = -errno;
	close(dir);
	return fd;
}

static int open_gated(struct session *s, const char *path, int flags, unsigned mode)
{
	int fd = beneath(s->script->dir, path, flags, mode);

	for (const char **d = s->opt.allow_dirs; fd == -EXDEV && d && *d; d++)
		fd = beneath(*d, path, flags, mode);
	if (fd == -EXDEV) {
		fail(s, "open", "EXDEV", "%s is outside the script's directory %s", path,
		     s->script->dir);
		return fail_next(s, "rdmash --allow-dir DIR ... lets scripts use files below DIR");
	}
	if (fd < 0)
		return fail_call(s, -fd, "open", "%s", path);
	return fd;
}

const char *file_gate(const struct session *s)
{
	return s->script && !s->opt.unsafe ? s->script->dir : NULL;
}

int file_open(struct session *s, const char *path, int flags, unsigned mode)
{
	bool gated = file_gate(s);
	int fd;

	flags |= O_CLOEXEC | O_NONBLOCK; /* else opening a pipe waits for its other end */
	fd = gated ? open_gated(s, path, flags, mode) : open(path, flags, mode);
	if (fd < 0)
		return gated ? -1 : fail_call(s, errno, "open", "%s", path);
	if (flags & O_WRONLY)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

static void is_ready(void *arg, int fd, short revents)
{
	(void)fd, (void)revents;
	*(bool *)arg = true;
}

static bool is_true(void *arg)
{
	return *(bool *)arg;
}

/* A pipe or a terminal: Ctrl-C must end the wait for its other end. */
static int await(struct session *s, int fd, short events, const char *call)
{
	bool ready = false;
	enum loop_end end;
	struct stat st;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return 0;
	loop_watch(s->loop, fd, events, is_ready, &ready);
	end = loop_wait(s->loop, is_true, &ready, LOOP_FOREVER);
	loop_unwatch(s->loop, fd);
	return end == LOOP_INTERRUPTED ? fail(s, call, "EINTR", "interrupted") : 0;
}

ssize_t file_take(struct session *s, int fd, const char *path, void *data, size_t room)
{
	ssize_t n;

	do {
		if (await(s, fd, POLLIN, "read"))
			return -1;
		n = read(fd, data, room);
	} while (n < 0 && errno == EAGAIN);
	return n < 0 ? fail_call(s, errno, "read", "%s", path) : n;
}

int file_put(struct session *s, int fd, const char *path, const void *data, size_t len)
{
	const char *from = data;

	fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EAGAIN && await(s, fd, POLLOUT, "write"))
			return -1;
		if (n < 0 && errno != EAGAIN && errno != EINTR)
			return fail_call(s, errno, "write", "%s", path);
		if (n > 0) {
			from += n;
			len -= (size_t)n;
		}
	}
	return 0;
}
