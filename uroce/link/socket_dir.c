// SPDX-License-Identifier: MIT
#include "socket_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "group_own.h"
#include "line_reader.h"
#include "lock.h"

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

/* The user outside of a user namespace, in which several may be root: user_namespaces(7). */
static unsigned outer_uid(void)
{
	unsigned uid = (unsigned)geteuid(), inside, outside, count;
	struct line_reader map;
	const char *line;

	if (!line_reader_open(&map, "/proc/self/uid_map"))
		return uid;
	while ((line = line_reader_next(&map)))
		if (sscanf(line, "%u %u %u", &inside, &outside, &count) == 3 && uid >= inside &&
		    uid - inside < count) {
			uid = outside + (uid - inside);
			break;
		}
	line_reader_close(&map);
	return uid;
}

static bool is_out_of_descriptors(void)
{
	return errno == EMFILE || errno == ENFILE;
}

/* The first root in which the name is this user's. makes: or can be. */
static int open_dir(bool makes)
{
	const unsigned uid = outer_uid();
	char name[32], of_session[32];
	const char *const roots[] = { "/tmp", "/dev/shm", of_session };
	int fd = -1;

	snprintf(name, sizeof(name), "uroce-%u", uid);
	snprintf(of_session, sizeof(of_session), "/run/user/%u",
		 uid); /* ends with the last login */
	for (unsigned i = 0; i < 3 && fd < 0 && !(i && is_out_of_descriptors()); i++) {
		int root = open_root(roots[i]);

		if (root < 0)
			continue;
		if (makes)
			mkdirat(root, name, 0700);
		fd = open_private(root, name);
		close_fd(&root);
	}
	return fd;
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
	dir->fd = open_dir(false);
	if (dir->fd >= 0)
		return 0;
	if (!is_out_of_descriptors())
		errno = ENOENT;
	return -1;
}

int socket_dir_join(struct socket_dir *dir)
{
	if (find_network(dir) != 0)
		return -1;
	dir->fd = open_dir(true);
	if (dir->fd < 0) {
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
	close_fd(&dir->lock);
	close_fd(&dir->fd);
}

bool socket_dir_is_reached(const struct socket_dir *dir)
{
	char link[32];

	snprintf(link, sizeof(link), "/proc/self/fd/%d/.", dir->fd);
	return faccessat(AT_FDCWD, link, X_OK, AT_EACCESS) == 0;
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
	const uint64_t until = engine_clock() + patience_ms * MS;
	struct flock l = lock_record(dir, which, F_WRLCK);

	while (fcntl(dir->lock, F_SETLK, &l) != 0) {
		if (errno != EAGAIN && errno != EACCES && errno != EINTR)
			return -1;
		if (engine_clock() >= until) {
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
	int copy = openat(dir->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);

	if (!d)
		close_fd(&copy);
	return d;
}

const char *socket_dir_next(DIR *entries)
{
	const struct dirent *e = entries ? readdir(entries) : NULL;

	return e ? e->d_name : NULL;
}
