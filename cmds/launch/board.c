/* SPDX-License-Identifier: MIT */
#include "board.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "launcher.h"
#include "session.h"
#include "write_all.h"

#define DIR_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define SHARED	  "RDMASH_RENDEZVOUS"

bool board_is_key(const char *key)
{
	size_t n = strlen(key);

	for (const char *c = key; *c; c++)
		if (!isalnum((unsigned char)*c) && !strchr("._-", *c))
			return false;
	return n > 0 && n <= BOARD_KEY_MAX && *key != '.' && *key != '-';
}

/* A directory of this user's, made when it is missing. -1 with errno. */
static int own_dir(int at, const char *path)
{
	struct stat st;
	int fd;

	if (mkdirat(at, path, 0700) && errno != EEXIST)
		return -1;
	fd = openat(at, path, DIR_FLAGS);
	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && st.st_uid == geteuid())
		return fd;
	close(fd);
	errno = EPERM; /* somebody else has made it */
	return -1;
}

/* One that the user has named: anybody's. */
static int named_dir(const char *path)
{
	if (mkdir(path, 0700) && errno != EEXIST)
		return -1;
	return open(path, DIR_FLAGS & ~O_NOFOLLOW);
}

/* Where the job's directory is; NULL with s->fail filled. */
static const char *base_path(struct session *s, const struct launcher *l, char path[PATH_MAX])
{
	const char *shared = getenv(SHARED), *session = getenv("PMIX_SERVER_TMPDIR");
	const char *tmp = getenv("TMPDIR");

	if (shared && *shared)
		return shared;
	if (!l->name) {
		fail(s, "rendezvous", "ENOENT", "no launcher has started this process");
		fail_next(s, "mpirun -n 2 rdmash -f SCRIPT, or srun, or set RDMASH_RANK, "
			     "RDMASH_SIZE and " SHARED);
		return NULL;
	}
	if (l->local_size != l->size) {
		fail(s, "rendezvous", "ENOENT",
		     "the %u ranks may be on several hosts: where shall they meet?", l->size);
		fail_next(s, "set " SHARED " to a directory that all hosts share; mpirun passes it "
			     "on with -x " SHARED);
		return NULL;
	}
	if (session && *session)
		return session; /* goes with the job */
	snprintf(path, PATH_MAX, "%s/rdmash-%u", tmp && *tmp ? tmp : "/tmp", (unsigned)geteuid());
	return path;
}

int board_open(struct session *s, const struct launcher *l)
{
	char path[PATH_MAX], name[sizeof l->job + 16];
	const char *base = base_path(s, l, path);
	int dir, board;

	if (!base)
		return -1;
	snprintf(name, sizeof name, "rdmash.%s", *l->job ? l->job : "job");
	dir = base == getenv(SHARED) ? named_dir(base) : own_dir(AT_FDCWD, base);
	if (dir < 0)
		return fail_call(s, errno, "rendezvous", "%s", base);
	board = own_dir(dir, name);
	if (board < 0)
		fail_call(s, errno, "rendezvous", "%s/%s", base, name);
	close(dir);
	return board;
}

/* Under another name first: who looks finds all of it, or nothing. */
int board_put(int board, const char *key, const void *value, size_t n)
{
	char name[BOARD_KEY_MAX + 32];
	int fd, err;

	snprintf(name, sizeof name, ".%ld.%s", (long)getpid(), key);
	fd = openat(board, name, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	err = write_all(fd, value, n) ? errno : 0;
	if (close(fd) && !err)
		err = errno;
	if (!err && renameat(board, name, board, key) == 0)
		return 0;
	if (!err)
		err = errno;
	unlinkat(board, name, 0);
	errno = err;
	return -1;
}

long board_get(int board, const char *key, void *value)
{
	int fd = openat(board, key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return -1;
	if (fstat(fd, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size > BOARD_VALUE_MAX))
		errno = EFBIG;
	else
		n = read(fd, value, BOARD_VALUE_MAX);
	close(fd);
	return n;
}

void board_clear(int board)
{
	char link[64], path[PATH_MAX];
	int fd = openat(board, ".", DIR_FLAGS);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	ssize_t n;

	if (!d)
		return;
	for (struct dirent *e; (e = readdir(d));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			unlinkat(board, e->d_name, 0);
	closedir(d);
	snprintf(link, sizeof link, "/proc/self/fd/%d", board);
	n = readlink(link, path, sizeof path - 1);
	if (n < 0)
		return;
	path[n] = 0;
	rmdir(path);
}
