/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "engine.h"
#include "gid.h"
#include "group_own.h"
#include "link.h"
#include "netns.h"
#include "rig.h"
#include "worker.h"

/* ------------------------------------------------------------------ the process -- */

static unsigned own_packets, other_packets;
static struct group_name *names[64];
static unsigned nnames;
static char answer[600];

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(answer, sizeof(answer), format, args);
	va_end(args);
}

static void join(void)
{
	char why[400] = "";

	if (group_join(why, sizeof(why)) == 0)
		say("slot %u %s", group_slot(), why);
	else
		say("errno %d %s", errno, why);
}

static void claim(unsigned space, unsigned port, const char *addr)
{
	union ibv_gid gid = rig_gid_of(addr);
	uint16_t got = (uint16_t)port;
	struct group_name *name = group_claim((uint16_t)space, &got, &gid);

	if (name) {
		names[nnames++] = name;
		say("port %u", got);
	} else {
		say("errno %d", errno);
	}
}

static void forward(unsigned slot, unsigned n)
{
	uint8_t mad[MAD_BYTES] = { 0 };
	struct mad_from from = { .src_qpn = 1 };
	int ret = 0;

	for (unsigned i = 0; i < n && ret == 0; i++) {
		from.psn = i;
		mad[0] = (uint8_t)i;
		ret = group_forward(slot, &from, mad, sizeof(mad));
	}
	say("%d", ret == 0 ? 0 : errno);
}

static void forward_name(unsigned space, unsigned port, const char *addr)
{
	uint8_t mad[MAD_BYTES] = { 7 };
	struct mad_from from = { .src_qpn = 1 };
	union ibv_gid gid = rig_gid_of(addr);

	say("%d",
	    group_forward_name((uint16_t)space, (uint16_t)port, &gid, &from, mad, sizeof(mad)) == 0
		    ? 0
		    : errno);
}

static void fork_and_join(void)
{
	int status;
	pid_t pid;
	int fds[2];

	if (pipe(fds) != 0 || (pid = fork()) < 0) {
		say("errno %d", errno);
		return;
	}
	if (pid == 0) {
		group_forget();
		join();
		_exit(write(fds[1], answer, sizeof(answer)) != sizeof(answer));
	}
	if (read(fds[0], answer, sizeof(answer)) != sizeof(answer))
		say("no answer");
	waitpid(pid, &status, 0);
	close(fds[0]);
	close(fds[1]);
}

/* Acts like a program that forks past libc: nothing is told of it. */
static void fork_raw(void)
{
	long pid = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);

	if (pid == 0)
		for (;;)
			pause();
	say("pid %ld", pid);
}

static void limit(unsigned n)
{
	struct rlimit r = { n, n };

	say("%d", setrlimit(RLIMIT_NOFILE, &r));
}

static void filter(struct sock_filter *code, unsigned short n)
{
	struct sock_fprog program = { n, code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0)
		say("errno %d", errno);
}

/* Acts as on a host without it. */
static void lose_ipv6(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AF_INET6, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EAFNOSUPPORT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	filter(code, sizeof(code) / sizeof(code[0]));
}

/* Acts as on a kernel that cannot steer packets to sockets. */
static void lose_steering(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_setsockopt, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SO_ATTACH_REUSEPORT_CBPF, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOPROTOOPT),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	filter(code, sizeof(code) / sizeof(code[0]));
}

static void enter_network(void)
{
	if (unshare(CLONE_NEWNET) == 0)
		netns_lo(true);
	else
		say("errno %d", errno);
}

static bool obey(char *line)
{
	char addr[64], text[128];
	unsigned a, b;

	if (strcmp(line, "end") == 0)
		return false;
	say("ok");
	if (strcmp(line, "join") == 0)
		join();
	else if (strcmp(line, "leave") == 0)
		group_leave();
	else if (strcmp(line, "packets") == 0)
		say("%u %u", own_packets, other_packets);
	else if (strcmp(line, "mads") == 0)
		say("%u", rig_mads.input);
	else if (strcmp(line, "fork") == 0)
		fork_and_join();
	else if (strcmp(line, "lose-ipv6") == 0)
		lose_ipv6();
	else if (strcmp(line, "lose-steering") == 0)
		lose_steering();
	else if (strcmp(line, "clone") == 0)
		fork_raw();
	else if (sscanf(line, "claim %x %u %63s", &a, &b, addr) == 3)
		claim(a, b, addr);
	else if (sscanf(line, "release %u", &a) == 1)
		group_release(names[a]);
	else if (sscanf(line, "forward %u %u", &a, &b) == 2)
		forward(a, b);
	else if (sscanf(line, "forward-name %x %u %63s", &a, &b, addr) == 3)
		forward_name(a, b, addr);
	else if (sscanf(line, "become %u", &a) == 1)
		say("%d", setresuid(a, a, a));
	else if (sscanf(line, "env %63s %127s", addr, text) == 2)
		say("%d", setenv(addr, text, 1));
	else if (strcmp(line, "network") == 0)
		enter_network();
	else if (strcmp(line, "lock-names") == 0)
		say("%d", socket_dir_lock(&group.dir, DIR_NAMES, 0, NULL));
	else if (sscanf(line, "limit %u", &a) == 1)
		limit(a);
	else
		say("what?");
	return true;
}

static void take_packets(int fd)
{
	uint8_t data[64];

	while (recv(fd, data, sizeof(data), MSG_DONTWAIT) >= 8)
		if (data[5] >> (8 - SLOT_BITS) == (int)group_slot())
			own_packets++;
		else
			other_packets++;
}

static void run(int fd)
{
	char line[200];

	for (;;) {
		struct pollfd p[3] = {
			{ .fd = fd, .events = POLLIN },
			{ .fd = group_control_fd(), .events = POLLIN },
			{ .fd = group_fd(), .events = POLLIN },
		};
		ssize_t n;

		poll(p, 3, timer_next() == UINT64_MAX ? -1 : 1);
		timer_run(engine_now());
		if (p[1].revents)
			group_serve();
		if (p[2].revents)
			take_packets(group_fd());
		if (!p[0].revents)
			continue;
		n = recv(fd, line, sizeof(line) - 1, 0);
		if (n <= 0)
			break;
		line[n] = '\0';
		if (!obey(line) || send(fd, answer, strlen(answer), MSG_NOSIGNAL) < 0)
			break;
	}
}

/* --------------------------------------------------------------------- the test -- */

bool worker_can_be(uid_t uid)
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0)
		_exit(setresuid(uid, uid, uid) != 0);
	CHECK(waitpid(pid, &status, 0) == pid);
	return status == 0;
}

void worker_start(struct worker *w, uid_t uid)
{
	int fds[2];

	rig_real_time = true;
	CHECK_INT(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	w->pid = fork();
	CHECK(w->pid >= 0);
	if (w->pid == 0) {
		close(fds[0]);
		if (uid && setresuid(uid, uid, uid) != 0)
			_exit(1);
		run(fds[1]);
		_exit(0);
	}
	close(fds[1]);
	w->fd = fds[0];
	w->answer[0] = '\0';
}

void worker_tell(struct worker *w, const char *command)
{
	CHECK(send(w->fd, command, strlen(command), MSG_NOSIGNAL) >= 0);
}

const char *worker_answer(struct worker *w)
{
	ssize_t n = recv(w->fd, w->answer, sizeof(w->answer) - 1, 0);

	CHECK(n > 0);
	w->answer[n] = '\0';
	return w->answer;
}

const char *worker_ask(struct worker *w, const char *format, ...)
{
	char line[200];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	worker_tell(w, line);
	return worker_answer(w);
}

int worker_number(const struct worker *w, const char *word)
{
	size_t n = strlen(word);

	return strncmp(w->answer, word, n) == 0 && w->answer[n] == ' ' ? atoi(w->answer + n + 1)
								       : -1;
}

void worker_end(struct worker *w)
{
	int status;

	send(w->fd, "end", 3, MSG_NOSIGNAL);
	close(w->fd);
	CHECK(waitpid(w->pid, &status, 0) == w->pid);
	CHECK_INT(status, 0);
}

void worker_kill(struct worker *w, int sig)
{
	int status;

	kill(w->pid, sig);
	CHECK(waitpid(w->pid, &status, 0) == w->pid);
	close(w->fd);
}

void worker_stop(struct worker *w)
{
	int status;

	kill(w->pid, SIGSTOP);
	CHECK(waitpid(w->pid, &status, WUNTRACED) == w->pid && WIFSTOPPED(status));
}
