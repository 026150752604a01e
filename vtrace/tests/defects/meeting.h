/* SPDX-License-Identifier: MIT */
/* The common parts of the programs of defects.list: how their ends meet, and the device. */
#ifndef DEFECTS_MEETING_H
#define DEFECTS_MEETING_H

#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* The value in the program called name, which is wrong there, or in all others. */
#define FAULT(name, bad, good) (CASE == (name) ? (bad) : (good))

#define PATIENCE 20 /* s */

/* The data that the ends tell each other, in network byte order. */
struct hello {
	union ibv_gid gid;
	uint64_t address;
	uint32_t rkey, qpn, psn;
};

/* Ends the program if err is an errno, or less than 0: then errno says why. */
static inline void check(const char *what, int err)
{
	if (!err)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(err < 0 ? errno : err));
	exit(1);
}

/* ----------------------------------------------------------------------------- TCP -- */

/* It may have been started at the same time. */
static inline int meet_server(const struct sockaddr_in *a)
{
	const unsigned moment = 10000; /* us */
	int fd = -1, rc = -1;

	for (unsigned i = 0; rc && i < PATIENCE * 1000000 / moment; i++) {
		if (fd >= 0) {
			usleep(moment);
			close(fd);
		}
		fd = socket(AF_INET, SOCK_STREAM, 0);
		rc = connect(fd, (const struct sockaddr *)a, sizeof *a);
		if (rc && errno != ECONNREFUSED)
			break;
	}
	check("connect", rc);
	return fd;
}

static inline int meet(int is_server, const char *address, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };
	int fd, one = 1;

	check("inet_pton", inet_pton(AF_INET, address, &a.sin_addr) == 1 ? 0 : EINVAL);
	if (!is_server)
		return meet_server(&a);
	fd = socket(AF_INET, SOCK_STREAM, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
	check("bind", bind(fd, (struct sockaddr *)&a, sizeof a));
	check("listen", listen(fd, 1));
	puts("listening");
	fflush(stdout);
	return accept(fd, NULL, NULL);
}

static inline void tell(int fd, const void *data, size_t n)
{
	check("write", write(fd, data, n) == (ssize_t)n ? 0 : EPIPE);
}

static inline void hear(int fd, void *data, size_t n)
{
	check("the peer has gone", recv(fd, data, n, MSG_WAITALL) == (ssize_t)n ? 0 : EPIPE);
}

/* Both have come as far as this. */
static inline void meet_again(int tcp)
{
	char c = 'k';

	tell(tcp, &c, 1);
	hear(tcp, &c, 1);
}

/* Has it taken too long since begin, or has the client gone? */
static inline int is_over(int is_server, int tcp, time_t begin)
{
	char c;

	return time(NULL) - begin > PATIENCE ||
	       (is_server && recv(tcp, &c, 1, MSG_PEEK | MSG_DONTWAIT) == 0);
}

/* ---------------------------------------------------------------------- the device -- */

/* Opens the first device; returns the index of its GID that belongs to an IPv4 address. */
static inline int open_device(const char *address, struct ibv_context **context, union ibv_gid *gid)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	union ibv_gid want = { .raw = { [10] = 0xff, [11] = 0xff } };

	*context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	check("ibv_open_device", *context ? 0 : ENODEV);
	ibv_free_device_list(list);
	inet_pton(AF_INET, address, want.raw + 12);
	for (int i = 0; i < 16; i++)
		if (!ibv_query_gid(*context, 1, i, gid) && !memcmp(gid, &want, sizeof want))
			return i;
	fprintf(stderr, "the device has no GID of %s\n", address);
	exit(1);
}

#endif
