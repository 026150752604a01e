// SPDX-License-Identifier: MIT
#include "holder.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "packet.h"
#include "sockets.h"

#define INODES 256 /* sockets at a port that are looked at */

/* Sockets of interest, and whose they are. */
struct inodes {
	uint64_t inode[INODES];
	unsigned n;
	unsigned uid; /* of the last one */
	bool alien;   /* one is of another user than ours */
};

/* --------------------------------------------------------------- from sockets -- */

/* The sockets bound to our port, of /proc/net/udp or udp6. */
static void read_udp(const char *file, struct inodes *set)
{
	FILE *f = fopen(file, "re");
	char line[512];

	while (f && fgets(line, sizeof(line), f)) {
		unsigned port, uid;
		uint64_t inode;

		if (sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*s %*s %*s %*s %*s %u %*u %" SCNu64,
			   &port, &uid, &inode) != 3 ||
		    port != ROCE_PORT || set->n == INODES)
			continue;
		set->inode[set->n++] = inode;
		set->uid = uid;
		set->alien |= uid != geteuid();
	}
	if (f)
		fclose(f);
}

static struct inodes port_inodes(void)
{
	struct inodes set = { 0 };

	read_udp("/proc/net/udp", &set);
	read_udp("/proc/net/udp6", &set);
	return set;
}

bool holder_is_another_user(void)
{
	struct inodes set = port_inodes();

	return set.alien;
}

/* /proc/net/unix is of this network, and so is the name of the file; the path to it is what the
 * one who bound it has said. */
static struct inodes name_inodes(const struct local_name *name)
{
	FILE *f = fopen("/proc/net/unix", "re");
	char line[512], path[200];
	struct inodes set = { 0 };

	while (f && set.n == 0 && fgets(line, sizeof(line), f)) {
		const char *base;
		uint64_t inode;

		if (sscanf(line, "%*s %*s %*s %*s %*s %*s %" SCNu64 " %199s", &inode, path) != 2)
			continue;
		base = strrchr(path, '/');
		if (base && strcmp(base + 1, local_base(name)) == 0)
			set.inode[set.n++] = inode;
	}
	if (f)
		fclose(f);
	return set;
}

/* --------------------------------------------------------------- to processes -- */

static bool is_in(const struct inodes *set, uint64_t inode)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->inode[i] == inode)
			return true;
	return false;
}

/* Calls fn for each descriptor of a process that is one of the sockets, until it returns
 * true; then returns true. */
static bool each_fd(pid_t pid, const struct inodes *set, bool (*fn)(void *arg, pid_t pid, int fd),
		    void *arg)
{
	char path[300], to[64];
	struct dirent *e;
	bool done = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
	dir = opendir(path);
	while (dir && !done && (e = readdir(dir))) {
		uint64_t inode;
		ssize_t n;

		n = readlinkat(dirfd(dir), e->d_name, to, sizeof(to) - 1);
		if (n <= 0)
			continue;
		to[n] = '\0';
		if (sscanf(to, "socket:[%" SCNu64 "]", &inode) == 1 && is_in(set, inode))
			done = fn(arg, pid, atoi(e->d_name));
	}
	if (dir)
		closedir(dir);
	return done;
}

static bool each_process(const struct inodes *set, bool (*fn)(void *arg, pid_t pid, int fd),
			 void *arg)
{
	DIR *proc = set->n ? opendir("/proc") : NULL;
	struct dirent *e;
	bool done = false;

	while (proc && !done && (e = readdir(proc))) {
		pid_t pid = atoi(e->d_name);

		if (pid > 0 && pid != getpid())
			done = each_fd(pid, set, fn, arg);
	}
	if (proc)
		closedir(proc);
	return done;
}

static bool first_pid(void *arg, pid_t pid, int fd)
{
	(void)fd;
	*(pid_t *)arg = pid;
	return true;
}

static pid_t process_of(const struct inodes *set)
{
	pid_t pid = 0;

	each_process(set, first_pid, &pid);
	return pid;
}

pid_t holder_of_name(const struct local_name *name)
{
	struct inodes set = name_inodes(name);

	return process_of(&set);
}

bool holder_has_name(pid_t pid, const struct local_name *name)
{
	struct inodes set = name_inodes(name);
	pid_t found;

	return set.n && each_fd(pid, &set, first_pid, &found);
}

/* ----------------------------------------------------------- taking the sockets -- */

struct taking {
	int *rx;
	unsigned n;
	pid_t pid;
	int pidfd;
	int err;
	bool foreign; /* a socket at the port is none of a group */
};

static void start_over(struct taking *t, pid_t pid)
{
	if (t->pidfd >= 0)
		close(t->pidfd);
	sockets_close(t->rx);
	t->n = 0;
	t->pid = pid;
	t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
}

/* All have to come from one process, which has had all from the beginning. */
static bool take(void *arg, pid_t pid, int fd)
{
	struct taking *t = arg;
	int copy, index;

	if (pid != t->pid)
		start_over(t, pid);
	copy = (int)syscall(SYS_pidfd_getfd, t->pidfd, fd, 0);
	if (copy < 0) {
		t->err = errno;
		return false;
	}
	index = sockets_index(copy);
	t->foreign |= index < 0;
	if (index < 0 || t->rx[index] >= 0) {
		close(copy);
		return false;
	}
	t->rx[index] = copy;
	return ++t->n == SLOTS;
}

int holder_take_sockets(int rx[SLOTS])
{
	struct taking t = { .rx = rx, .pidfd = -1, .err = ESRCH };
	struct inodes set = port_inodes();
	bool done;

	memset(rx, -1, SLOTS * sizeof(*rx));
	done = !set.alien && each_process(&set, take, &t);
	if (t.pidfd >= 0)
		close(t.pidfd);
	if (done)
		return 0;
	sockets_close(rx);
	errno = t.foreign ? EADDRINUSE : t.err;
	return -1;
}

/* ------------------------------------------------------------------- in words -- */

static void read_line(const char *file, char *buf, size_t n)
{
	FILE *f = fopen(file, "re");

	buf[0] = '\0';
	if (f) {
		if (!fgets(buf, (int)n, f))
			buf[0] = '\0';
		fclose(f);
	}
	buf[strcspn(buf, "\n")] = '\0';
}

void holder_print(pid_t pid, char *buf, size_t n)
{
	char path[64], comm[64], stat[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	read_line(path, comm, sizeof(comm));
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	read_line(path, stat, sizeof(stat));
	state = strrchr(stat, ')');
	snprintf(buf, n, "process %d (%s)%s", (int)pid, comm,
		 state && (state[2] == 'T' || state[2] == 't') ? ", which is stopped" : "");
}

static void print_user(unsigned uid, char *buf, size_t n)
{
	struct passwd pw, *found = NULL;
	char text[1024];

	if (getpwuid_r(uid, &pw, text, sizeof(text), &found) == 0 && found)
		snprintf(buf, n, "%s (uid %u)", found->pw_name, uid);
	else
		snprintf(buf, n, "with uid %u", uid);
}

enum held holder_of_port(char *buf, size_t n)
{
	struct inodes set = port_inodes();
	pid_t pid = process_of(&set);
	char user[80], process[160];

	print_user(set.uid, user, sizeof(user));
	if (set.n == 0) {
		snprintf(buf, n, "a process that cannot be seen from here");
	} else if (pid) {
		holder_print(pid, process, sizeof(process));
		snprintf(buf, n, "%s of user %s", process, user);
	} else if (set.uid == 0 && access("/sys/module/rdma_rxe", F_OK) == 0) {
		snprintf(buf, n,
			 "the kernel's rdma_rxe (use its device, which 'rdma link' shows, or "
			 "remove it with 'rdma link delete')");
		return HELD_BY_KERNEL;
	} else {
		snprintf(buf, n, "a process of user %s", user);
	}
	return set.alien ? HELD_BY_OTHERS : HELD_HERE;
}
