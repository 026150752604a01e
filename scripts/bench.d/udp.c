// SPDX-License-Identifier: MIT
/*
 * Measures plain UDP sockets on loopback: the baselines of "scripts/bench uroce". It uses two
 * processes, as the device does; prints one number.
 *
 *   udp ping busy|block BYTES N      microseconds a round trip
 *   udp stream BYTES PACKETS MiB     MiB/s; windows of PACKETS, as a sender with
 *                                    acknowledgements has them
 */
#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define BATCH 32

static void need(int ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

/* Seconds. */
static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Pins the two ends to two processors, if there are two. Otherwise the scheduler moves them between
 * one and two processors, which changes the time of a round trip by a factor of two. */
static void own_processor(int end)
{
	static cpu_set_t all; /* of the program: a thread or child inherits the one of its maker */
	cpu_set_t one;

	if (CPU_COUNT(&all) == 0)
		need(sched_getaffinity(0, sizeof all, &all) == 0, "sched_getaffinity");
	if (CPU_COUNT(&all) < 2)
		return;
	CPU_ZERO(&one);
	for (int cpu = 0, seen = 0; cpu < CPU_SETSIZE; cpu++)
		if (CPU_ISSET(cpu, &all) && seen++ == end)
			CPU_SET(cpu, &one);
	need(sched_setaffinity(0, sizeof one, &one) == 0, "sched_setaffinity");
}

/* Forks the other end, and gives each end its own processor; the child ends with its parent. */
static pid_t start_end(void)
{
	pid_t pid = fork();

	need(pid >= 0, "fork");
	own_processor(pid == 0);
	if (pid == 0)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	return pid;
}

/* Two sockets on loopback, each connected to the other. */
static void make_pair(int fd[2])
{
	struct sockaddr_in addr[2];
	socklen_t len = sizeof addr[0];
	int size = 4 << 20;

	for (int i = 0; i < 2; i++) {
		fd[i] = socket(AF_INET, SOCK_DGRAM, 0);
		need(fd[i] >= 0, "socket");
		addr[i] = (struct sockaddr_in){ .sin_family = AF_INET,
						.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
		need(bind(fd[i], (struct sockaddr *)&addr[i], len) == 0, "bind");
		need(getsockname(fd[i], (struct sockaddr *)&addr[i], &len) == 0, "getsockname");
		setsockopt(fd[i], SOL_SOCKET, SO_RCVBUF, &size, sizeof size);
	}
	for (int i = 0; i < 2; i++)
		need(connect(fd[i], (struct sockaddr *)&addr[!i], len) == 0, "connect");
}

static void receive(int fd, char *buf, size_t size, int flags)
{
	unsigned empty = 0;

	for (;;) {
		ssize_t n = recv(fd, buf, size, flags);

		if (n > 0)
			return;
		need(errno == EAGAIN, "recv");
		if (++empty % 20 == 0)
			sched_yield();
	}
}

static int ping(const char *how, size_t size, unsigned n)
{
	int fd[2], flags = strcmp(how, "busy") == 0 ? MSG_DONTWAIT : 0;
	char *buf = calloc(1, size);
	double from = 0;
	pid_t child;

	make_pair(fd);
	child = start_end();
	if (child == 0) {
		for (;;) {
			receive(fd[1], buf, size, flags);
			need(send(fd[1], buf, size, 0) > 0, "send");
		}
	}
	for (unsigned i = 0; i < n + n / 10; i++) {
		if (i == n / 10)
			from = now();
		need(send(fd[0], buf, size, 0) > 0, "send");
		receive(fd[0], buf, size, flags);
	}
	printf("%.3f\n", (now() - from) * 1e6 / n);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

struct udp_batch {
	struct mmsghdr msg[BATCH];
	struct iovec iov[BATCH];
	char *room;
};

static void batch_init(struct udp_batch *b, size_t size)
{
	memset(b, 0, sizeof *b);
	b->room = calloc(BATCH, size);
	for (unsigned i = 0; i < BATCH; i++) {
		b->iov[i] = (struct iovec){ b->room + i * size, size };
		b->msg[i].msg_hdr.msg_iov = &b->iov[i];
		b->msg[i].msg_hdr.msg_iovlen = 1;
	}
}

/* Receives bytes until a window is full, then tells the sender. */
static void drain(int fd, size_t window, size_t max)
{
	struct udp_batch b;
	size_t got = 0;

	batch_init(&b, max);
	for (;;) {
		int n = recvmmsg(fd, b.msg, BATCH, MSG_WAITFORONE, NULL);

		need(n > 0, "recvmmsg");
		for (int i = 0; i < n; i++)
			got += b.msg[i].msg_len;
		for (; got >= window; got -= window)
			need(send(fd, "a", 1, 0) == 1, "send");
	}
}

static void put_window(int fd, struct udp_batch *b, unsigned packets)
{
	for (unsigned left = packets; left;) {
		int n = sendmmsg(fd, b->msg, left < BATCH ? left : BATCH, 0);

		need(n > 0, "sendmmsg");
		left -= (unsigned)n;
	}
}

static int stream(size_t size, unsigned packets, unsigned mib)
{
	size_t window = size * packets, total = (size_t)mib << 20;
	int fd[2];
	char ack;
	struct udp_batch b;
	pid_t child;
	double from;

	make_pair(fd);
	child = start_end();
	if (child == 0)
		drain(fd[1], window, size);
	batch_init(&b, size);
	from = now();
	/* two windows in flight, so that neither side waits for the other */
	put_window(fd[0], &b, packets);
	for (size_t sent = window; sent < total; sent += window) {
		put_window(fd[0], &b, packets);
		need(recv(fd[0], &ack, 1, 0) == 1, "recv");
	}
	need(recv(fd[0], &ack, 1, 0) == 1, "recv");
	printf("%.4f\n", (double)total / (now() - from) / (1 << 20));
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "ping") == 0)
		return ping(argv[2], strtoul(argv[3], NULL, 10), (unsigned)atoi(argv[4]));
	if (argc == 5 && strcmp(argv[1], "stream") == 0)
		return stream(strtoul(argv[2], NULL, 10), (unsigned)atoi(argv[3]),
			      (unsigned)atoi(argv[4]));
	fprintf(stderr, "usage: udp ping busy|block BYTES N | udp stream BYTES PACKETS MiB\n");
	return 2;
}
