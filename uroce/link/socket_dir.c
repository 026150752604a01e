// SPDX-License-Identifier: MIT
#include "socket_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group_own.h"

#define LOCK_FILE "lock"
#define AGAIN_MS  1

/* ------------------------------------------------------------------ where it can be -- */

/* A directory that others can write to must be sticky: else they could take ours away. */
static bool is_safe_root(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	return st.st_mode & S_ISVTX ||
	       ((st.st_uid == geteuid() || st.st_uid == 0) && !(st.st_mode & 022));
}

static int open_root(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || is_safe_root(fd))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

/* Opens a directory that belongs to this user and is closed to others. Links are not followed,
 * since another user may have put them there. */
static int open_private(int root, const char *name)
{
	int fd = openat(root, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid() && !(st.st_mode & 077))
		return fd;
	close(fd);
	errno = EACCES;
	return -1;
}

static void print_dir_name(char *buf, size_t n)
{
	snprintf(buf, n, "uroce-%u", (unsigned)geteuid());
}

static DIR *open_entries(int dir)
{
	int copy = openat(dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d && copy >= 0)
		close(copy);
	return d;
}

/* Opens the directory of that name. in_use: only if a process of this network is using it. */
static bool try_name(struct socket_dir *dir, int root, const char *name, bool in_use)
{
	dir->fd = open_private(root, name);
	if (dir->fd < 0)
		return false;
	if (!in_use || control_has_process(dir))
		return true;
	close(dir->fd);
	dir->fd = -1;
	return false;
}

/* Tries all names in a root; the plain name comes first. */
static bool search_root(struct socket_dir *dir, int root, bool in_use)
{
	DIR *d = open_entries(root);
	bool found;
	char name[32];
	struct dirent *e;
	size_t n;
	int err;

	if (!d)
		return false;
	print_dir_name(name, sizeof(name));
	n = strlen(name);
	found = try_name(dir, root, name, in_use);
	while (!found && (e = readdir(d)))
		found = strncmp(e->d_name, name, n) == 0 && e->d_name[n] == '.' &&
			try_name(dir, root, e->d_name, in_use);
	err = errno;
	closedir(d);
	errno = err;
	return found;
}

static bool is_out_of_descriptors(void)
{
	return errno == EMFILE || errno == ENFILE;
}

/* Another user may have the plain name, but nobody has a random one. */
static bool make_dir(struct socket_dir *dir, int root)
{
	char name[32], fresh[64];

	print_dir_name(name, sizeof(name));
	mkdirat(root, name, 0700);
	if (search_root(dir, root, false))
		return true;
	if (is_out_of_descriptors())
		return false;
	snprintf(fresh, sizeof(fresh), "/proc/self/fd/%d/%s.XXXXXX", root, name);
	return mkdtemp(fresh) && try_name(dir, root, strrchr(fresh, '/') + 1, false);
}

/* Takes the first suitable root. in_use: searches for a directory that a process is using; else
 * takes any, or makes one. */
static bool find_dir(struct socket_dir *dir, bool in_use)
{
	static const char *const roots[] = { "/tmp", "/dev/shm" };
	bool found = false;
	int err = 0;

	for (unsigned i = 0;
	     i < sizeof(roots) / sizeof(*roots) && !found && err != EMFILE && err != ENFILE; i++) {
		int root = open_root(roots[i]);

		found = root >= 0 && (in_use ? search_root(dir, root, true) : make_dir(dir, root));
		err = errno;
		if (root >= 0)
			close(root);
	}
	errno = err;
	return found;
}

/* --------------------------------------------------------------------- to open it -- */

static int find_network(struct socket_dir *dir)
{
	struct stat st;

	*dir = (struct socket_dir)SOCKET_DIR_NONE;
	if (stat("/proc/self/ns/net", &st) != 0)
		return -1;
	dir->network = st.st_ino;
	return 0;
}

int socket_dir_look(struct socket_dir *dir)
{
	if (find_network(dir) != 0)
		return -1;
	if (find_dir(dir, true))
		return 0;
	if (!is_out_of_descriptors())
		errno = ENOENT;
	return -1;
}

int socket_dir_join(struct socket_dir *dir)
{
	if (find_network(dir) != 0)
		return -1;
	if (!find_dir(dir, true) && !find_dir(dir, false)) {
		if (!is_out_of_descriptors())
			errno = EACCES;
		return -1;
	}
	flock(dir->fd,
	      LOCK_SH | LOCK_NB); /* so systemd-tmpfiles(8) does not remove it, however old it is */
	dir->lock = openat(dir->fd, LOCK_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (dir->lock >= 0)
		return 0;
	socket_dir_close(dir);
	return -1;
}

void socket_dir_close(struct socket_dir *dir)
{
	int err = errno;

	if (dir->lock >= 0)
		close(dir->lock);
	if (dir->fd >= 0)
		close(dir->fd);
	dir->fd = dir->lock = -1;
	errno = err;
}

void socket_dir_print(const struct socket_dir *dir, char *buf, size_t n)
{
	char link[32];
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", dir->fd);
	len = readlink(link, buf, n - 1);
	buf[len < 0 ? 0 : len] = '\0';
}

/* -------------------------------------------------------------------------- locks -- */

static struct flock lock_record(const struct socket_dir *dir, enum dir_lock which, short type)
{
	return (struct flock){
		.l_type = type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)(dir->network * DIR_LOCKS + which),
		.l_len = 1,
	};
}

static pid_t find_holder(const struct socket_dir *dir, enum dir_lock which)
{
	struct flock l = lock_record(dir, which, F_WRLCK);

	return fcntl(dir->lock, F_GETLK, &l) == 0 && l.l_type != F_UNLCK && l.l_pid > 0 ? l.l_pid
											: 0;
}

int socket_dir_lock(const struct socket_dir *dir, enum dir_lock which, int patience_ms,
		    pid_t *holder)
{
	int64_t until = now_ms() + patience_ms;
	struct flock l = lock_record(dir, which, F_WRLCK);

	while (fcntl(dir->lock, F_SETLK, &l) != 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (now_ms() >= until) {
			if (holder)
				*holder = find_holder(dir, which);
			errno = ETIMEDOUT;
			return -1;
		}
		poll(NULL, 0, AGAIN_MS);
	}
	return 0;
}

void socket_dir_unlock(const struct socket_dir *dir, enum dir_lock which)
{
	struct flock l = lock_record(dir, which, F_UNLCK);
	int err = errno;

	fcntl(dir->lock, F_SETLK, &l);
	errno = err;
}

/* ------------------------------------------------------------------------ entries -- */

DIR *socket_dir_list(const struct socket_dir *dir)
{
	return open_entries(dir->fd);
}

const char *socket_dir_next(DIR *entries)
{
	struct dirent *e;

	while (entries && (e = readdir(entries)))
		if (e->d_type == DT_SOCK)
			return e->d_name;
	return NULL;
}
