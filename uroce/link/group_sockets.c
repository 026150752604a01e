/* SPDX-License-Identifier: MIT */
/*
 * The sockets of the group, and which process has a socket.
 *
 * The kernel numbers the sockets of a SO_REUSEPORT group in the order in which they were bound, and
 * moves the last one into the place of one that leaves. So one process binds all of them, and none
 * ever leaves. The number of a socket is stored in it as its TTL, which has no other use because
 * nothing is sent from it: a process that receives the sockets checks it.
 */
#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "group_own.h"
#include "line_reader.h"
#include "packet.h"
#include "random.h"
#include "shown.h"

#define ROOM	    (8 << 20) /* bytes of the socket buffers, if the host allows them */
#define STALE	    100000    /* packets: more than fit into a buffer */
#define SPORT_FIRST 0xc000
#define ATTEMPTS    100

/* Sets the size of a socket buffer. Those of free slots are made small, so that they do not hold
 * packets that nobody reads. */
static void set_room(int fd, int option, int bytes)
{
	int force = option == SO_RCVBUF ? SO_RCVBUFFORCE : SO_SNDBUFFORCE;

	if (setsockopt(fd, SOL_SOCKET, force, &bytes, sizeof(bytes)) != 0)
		setsockopt(fd, SOL_SOCKET, option, &bytes, sizeof(bytes));
}

/* The destination QPN is in the second word of the BTH. QP 1 belongs to all processes: slot 0. */
static int attach_steering(int fd)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 4),
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xffffff),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 1, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, 0),
		BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, SLOT_SHIFT),
		BPF_STMT(BPF_RET | BPF_A, 0),
	};
	struct sock_fprog program = { sizeof(code) / sizeof(code[0]), code };

	return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof(program));
}

struct option {
	int level, name, value;
	bool needed;
};

/* Options for what rx.c has to know about a packet, and for receiving only multicast groups that a
 * socket has joined. */
static const struct option options_v6[] = {
	{ IPPROTO_IPV6, IPV6_V6ONLY, 0, true },
	{ IPPROTO_IPV6, IPV6_RECVPKTINFO, 1, true },
	{ IPPROTO_IPV6, IPV6_RECVHOPLIMIT, 1, false },
	{ IPPROTO_IPV6, IPV6_RECVTCLASS, 1, false },
	{ IPPROTO_IPV6, IPV6_MULTICAST_ALL, 0, false },
	{ IPPROTO_UDP, UDP_NO_CHECK6_RX, 1, false }, /* rdma_rxe sends no UDP checksum */
};
static const struct option options_v4[] = {
	{ IPPROTO_IP, IP_RECVTTL, 1, false },
	{ IPPROTO_IP, IP_RECVTOS, 1, false },
	{ IPPROTO_IP, IP_MULTICAST_ALL, 0, false },
};
static const struct option options_v4_only[] = { { IPPROTO_IP, IP_PKTINFO, 1, true } };

static int set_options(int fd, const struct option *o, size_t n)
{
	for (; n--; o++)
		if (setsockopt(fd, o->level, o->name, &o->value, sizeof(o->value)) != 0 &&
		    o->needed)
			return -1;
	return 0;
}

#define SET(fd, table) set_options(fd, table, sizeof(table) / sizeof(table[0]))

static int bind_any(int fd, int family, uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_port = htons(port) };

	return family == AF_INET ? bind(fd, (struct sockaddr *)&in, sizeof(in))
				 : bind(fd, (struct sockaddr *)&in6, sizeof(in6));
}

static int close_keep_errno(int fd)
{
	close_fd(&fd);
	return -1;
}

static int open_udp_socket(int family)
{
	return socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP);
}

/* The family of the sockets of the group: IPv6 sockets receive IPv4, too. */
static int choose_family(void)
{
	int fd = open_udp_socket(AF_INET6);

	if (fd < 0)
		return errno == EAFNOSUPPORT ? AF_INET : AF_INET6;
	close(fd);
	return AF_INET6;
}

/* Is the port free? A socket with SO_REUSEPORT would be added to an existing group, which must not
 * happen. */
static int check_port_is_free(int family)
{
	int fd = open_udp_socket(family), ret, zero = 0;

	if (fd < 0)
		return -1;
	if (family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &zero, sizeof(zero));
	ret = bind_any(fd, family, ROCE_PORT);
	close_keep_errno(fd);
	return ret;
}

static int bind_port(int fd, int family)
{
	if ((family == AF_INET ? SET(fd, options_v4_only) : SET(fd, options_v6)) != 0 ||
	    SET(fd, options_v4) != 0)
		return -1;
	return bind_any(fd, family, ROCE_PORT);
}

static int make_group_socket(int family, int index)
{
	int fd = open_udp_socket(family), one = 1, ttl = index + 1;

	if (fd < 0)
		return -1;
	set_room(fd, SO_RCVBUF, 0);
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEPORT, &one, sizeof(one)) != 0 ||
	    setsockopt(fd, IPPROTO_IP, IP_TTL, &ttl, sizeof(ttl)) != 0 ||
	    bind_port(fd, family) != 0)
		return close_keep_errno(fd);
	if (index > 0 || attach_steering(fd) == 0)
		return fd;
	if (errno != ENOMEM && errno != ENOBUFS)
		errno = ENOSYS;
	return close_keep_errno(fd);
}

int sockets_make(int rx[SLOTS])
{
	int family = choose_family();

	memset(rx, -1, SLOTS * sizeof(*rx));
	if (check_port_is_free(family) != 0)
		return -1;
	for (unsigned i = 0; i < SLOTS; i++) {
		rx[i] = make_group_socket(family, (int)i);
		if (rx[i] < 0) {
			sockets_close(rx);
			return -1;
		}
	}
	set_room(rx[0], SO_RCVBUF, ROOM);
	return 0;
}

static int get_option(int fd, int level, int name)
{
	int value = -1;
	socklen_t len = sizeof(value);

	return getsockopt(fd, level, name, &value, &len) == 0 ? value : -1;
}

/* The place of a socket in its group; -1: it is in none. */
static int sockets_index(int fd)
{
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} at;
	socklen_t len = sizeof(at);
	int index;

	memset(&at, 0, sizeof(at));
	if (getsockname(fd, &at.sa, &len) != 0 ||
	    (at.sa.sa_family != AF_INET && at.sa.sa_family != AF_INET6))
		return -1;
	if ((at.sa.sa_family == AF_INET ? at.in.sin_port : at.in6.sin6_port) != htons(ROCE_PORT) ||
	    get_option(fd, SOL_SOCKET, SO_TYPE) != SOCK_DGRAM ||
	    get_option(fd, SOL_SOCKET, SO_REUSEPORT) != 1)
		return -1;
	index = get_option(fd, IPPROTO_IP, IP_TTL) - 1;
	return index >= 0 && index < (int)SLOTS ? index : -1;
}

bool sockets_valid(const int rx[SLOTS])
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (rx[i] < 0 || sockets_index(rx[i]) != (int)i)
			return false;
	return true;
}

void sockets_close(int rx[SLOTS])
{
	for (unsigned i = 0; i < SLOTS; i++)
		close_fd(&rx[i]);
}

void sockets_claimed(int fd)
{
	char byte;

	for (unsigned i = 0; i < STALE && recv(fd, &byte, 1, MSG_DONTWAIT) >= 0; i++)
		;
	set_room(fd, SO_RCVBUF, ROOM);
}

void sockets_released(int fd)
{
	set_room(fd, SO_RCVBUF, 0);
}

/* The IPv4 identification must be 0, because the ICRC covers it. The kernel writes 0 if DF is set
 * and the socket is not connected. A packet that is too long for the interface fails instead of
 * being cut. */
static int forbid_fragments(int fd, int family)
{
	static const struct option v4[] = {
		{ IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_PROBE, true },
	};
	static const struct option v6[] = {
		{ IPPROTO_IPV6, IPV6_V6ONLY, 1, true },
		{ IPPROTO_IPV6, IPV6_MTU_DISCOVER, IPV6_PMTUDISC_PROBE, true },
		{ IPPROTO_IPV6, IPV6_DONTFRAG, 1, true },
	};

	return family == AF_INET ? SET(fd, v4) : SET(fd, v6);
}

int sockets_open_send(int family, uint16_t *port)
{
	int fd = open_udp_socket(family);
	uint16_t random;

	if (fd < 0)
		return -1;
	if (forbid_fragments(fd, family) != 0)
		return close_keep_errno(fd);
	set_room(fd, SO_RCVBUF, 0); /* nothing is read from it */
	set_room(fd, SO_SNDBUF, ROOM);
	for (unsigned i = 0; i < ATTEMPTS; i++) {
		random_bytes(&random, sizeof(random));
		*port = SPORT_FIRST | random;
		if (bind_any(fd, family, *port) == 0)
			return fd;
		if (errno != EADDRINUSE)
			break;
	}
	return close_keep_errno(fd);
}

/* -------------------------------------------- which process has a socket -- */

#define INODES 256 /* sockets of a port that are considered */

/* The inodes of some sockets, and who owns them. */
struct inodes {
	uint64_t inode[INODES];
	unsigned n;
	unsigned uid; /* the owner of the last one */
	bool alien;   /* one belongs to another user */
};

/* --------------------------------------------------------------- from sockets -- */

/* Adds the sockets at our port that a file lists: /proc/net/udp or udp6. */
static void read_udp_sockets(const char *file, struct inodes *set)
{
	struct line_reader sockets;
	const char *line;

	if (!line_reader_open(&sockets, file))
		return;
	while ((line = line_reader_next(&sockets))) {
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
	line_reader_close(&sockets);
}

static struct inodes find_port_inodes(void)
{
	struct inodes set = { 0 };

	read_udp_sockets("/proc/net/udp", &set);
	read_udp_sockets("/proc/net/udp6", &set);
	return set;
}

bool sockets_port_is_of_another_user(void)
{
	return find_port_inodes().alien;
}

/* --------------------------------------------------------------- to processes -- */

static bool has_inode(const struct inodes *set, uint64_t inode)
{
	for (unsigned i = 0; i < set->n; i++)
		if (set->inode[i] == inode)
			return true;
	return false;
}

/* Calls fn for each descriptor of a process that is one of the sockets, until fn returns true.
 * Returns whether it did. */
static bool for_each_fd(pid_t pid, const struct inodes *set,
			bool (*fn)(void *arg, pid_t pid, int fd), void *arg)
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
		if (sscanf(to, "socket:[%" SCNu64 "]", &inode) == 1 && has_inode(set, inode))
			done = fn(arg, pid, atoi(e->d_name));
	}
	if (dir)
		closedir(dir);
	return done;
}

static bool for_each_process(const struct inodes *set, bool (*fn)(void *arg, pid_t pid, int fd),
			     void *arg)
{
	DIR *proc = set->n ? opendir("/proc") : NULL;
	struct dirent *e;
	bool done = false;

	while (proc && !done && (e = readdir(proc))) {
		pid_t pid = atoi(e->d_name);

		if (pid > 0 && pid != getpid())
			done = for_each_fd(pid, set, fn, arg);
	}
	if (proc)
		closedir(proc);
	return done;
}

static bool store_pid(void *arg, pid_t pid, int fd)
{
	(void)fd;
	*(pid_t *)arg = pid;
	return true;
}

static pid_t find_process(const struct inodes *set)
{
	pid_t pid = 0;

	for_each_process(set, store_pid, &pid);
	return pid;
}

/* The device that the inodes of sockets are on; 0: that cannot be told, for want of a descriptor.
 */
static dev_t device_of_sockets(void)
{
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct stat st = { 0 };

	if (fd >= 0 && fstat(fd, &st) != 0)
		st.st_dev = 0;
	close_fd(&fd);
	return st.st_dev;
}

/* A line: its number, POSIX, ADVISORY, WRITE, process, device and inode, first and last byte. A
 * file of another device may have the inode of a socket; it is mistaken for that where the device
 * of sockets cannot be told. */
void sockets_slot_pids(pid_t pids[SLOTS])
{
	const dev_t device = device_of_sockets();
	struct inodes set = find_port_inodes();
	struct line_reader locks;
	const char *line;

	memset(pids, 0, SLOTS * sizeof(*pids));
	if (set.alien || !line_reader_open(&locks, "/proc/locks"))
		return;
	while ((line = line_reader_next(&locks))) {
		unsigned slot, major, minor;
		uint64_t inode;
		int pid;

		if (sscanf(line, "%*u: POSIX %*s WRITE %d %x:%x:%" SCNu64 " %u", &pid, &major,
			   &minor, &inode, &slot) == 5 &&
		    (!device || makedev(major, minor) == device) && slot < SLOTS &&
		    has_inode(&set, inode))
			pids[slot] = pid;
	}
	line_reader_close(&locks);
}

/* ----------------------------------------------------------- taking the sockets -- */

struct taking {
	int *rx;
	unsigned n;
	pid_t pid;
	int pidfd;
	int err;
	bool foreign; /* a socket of the port belongs to no group */
};

static void begin_with_process(struct taking *t, pid_t pid)
{
	close_fd(&t->pidfd);
	sockets_close(t->rx);
	t->n = 0;
	t->pid = pid;
	t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
}

/* Copies a socket of the group. All must come from the same process, because every process has all
 * of them. */
static bool copy_socket(void *arg, pid_t pid, int fd)
{
	struct taking *t = arg;
	int copy, index;

	if (pid != t->pid)
		begin_with_process(t, pid);
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

int sockets_take_port(int rx[SLOTS])
{
	struct taking t = { .rx = rx, .pidfd = -1, .err = ESRCH };
	struct inodes set = find_port_inodes();
	bool done;

	memset(rx, -1, SLOTS * sizeof(*rx));
	done = !set.alien && for_each_process(&set, copy_socket, &t);
	close_fd(&t.pidfd);
	if (done)
		return 0;
	sockets_close(rx);
	errno = t.foreign ? EADDRINUSE : t.err;
	return -1;
}

/* ------------------------------------------------------------------- in words -- */

void sockets_process_print(pid_t pid, char *buf, size_t n)
{
	char path[64], comm[64], name[4 * sizeof(comm)], stat[256], *state;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	read_first_line(path, comm, sizeof(comm));
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	read_first_line(path, stat, sizeof(stat));
	state = strrchr(stat, ')');
	snprintf(buf, n, "process %d (%s)%s", (int)pid, shown(name, sizeof(name), comm, false),
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

static bool is_of_kernel(const struct inodes *set)
{
	return set->uid == 0 && access("/sys/module/rdma_rxe", F_OK) == 0;
}

bool sockets_port_has_owner(void)
{
	struct inodes set = find_port_inodes();

	return set.n && (is_of_kernel(&set) || find_process(&set));
}

enum port_owner sockets_port_owner_print(char *buf, size_t n)
{
	struct inodes set = find_port_inodes();
	pid_t pid = find_process(&set);
	char user[80], process[160];

	print_user(set.uid, user, sizeof(user));
	if (set.n == 0) {
		snprintf(buf, n, "a process that cannot be seen from here");
	} else if (pid) {
		sockets_process_print(pid, process, sizeof(process));
		snprintf(buf, n, "%s of user %s", process, user);
	} else if (is_of_kernel(&set)) {
		snprintf(buf, n,
			 "the kernel's rdma_rxe (use its device, which 'rdma link' shows, or "
			 "remove it with 'rdma link delete')");
		return PORT_OF_KERNEL;
	} else {
		snprintf(buf, n, "a process of user %s", user);
	}
	return set.alien ? PORT_OF_ANOTHER : PORT_OF_THIS_USER;
}
