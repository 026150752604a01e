/* SPDX-License-Identifier: MIT */
/* Requests of NETLINK_RDMA, with a socket for each and without libnl. */
#include "wire/nldev.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

uint64_t nldev_number(const struct rtattr *a)
{
	uint64_t n = 0;

	if (RTA_PAYLOAD(a) <= sizeof n) /* the host's byte order */
		memcpy(&n, RTA_DATA(a), RTA_PAYLOAD(a));
	return n;
}

/* Reads the messages in buf. 1: the answer is complete; 0: more messages follow; -1 with errno. */
static int read_messages(const struct nldev_query *q, char *buf, unsigned n)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;

	for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		int left = (int)NLMSG_PAYLOAD(h, 0);

		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = NLMSG_DATA(h);

			errno = left < (int)sizeof *e ? EPROTO : -e->error;
			return errno ? -1 : 1;
		}
		for (struct rtattr *a = NLMSG_DATA(h); RTA_OK(a, left); a = RTA_NEXT(a, left))
			if ((a->rta_type & NLA_TYPE_MASK) == q->list)
				q->read(q->arg, a);
	}
	return 0;
}

static int ask_kernel(int fd, const struct nldev_query *q)
{
	struct {
		struct nlmsghdr h;
		struct rtattr index_attr;
		uint32_t index;
		struct rtattr port_attr;
		uint32_t port;
	} ask = {
		.h = { .nlmsg_len = sizeof ask,
		       .nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, q->command),
		       .nlmsg_flags = NLM_F_REQUEST | (q->port ? NLM_F_ACK : NLM_F_DUMP) },
		.index_attr = { RTA_LENGTH(sizeof ask.index), RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = (uint32_t)ibv_get_device_index(q->device),
		.port_attr = { RTA_LENGTH(sizeof ask.port), RDMA_NLDEV_ATTR_PORT_INDEX },
		.port = q->port,
	};
	_Alignas(struct nlmsghdr) char buf[32768]; /* the kernel's largest message of a dump */
	int done = 0;

	if (!q->port)
		ask.h.nlmsg_len = offsetof(typeof(ask), port_attr);
	if (send(fd, &ask, ask.h.nlmsg_len, 0) < 0)
		return -1;
	while (!done) {
		ssize_t n = recv(fd, buf, sizeof buf, 0);

		if (n < 0)
			return -1;
		done = read_messages(q, buf, (unsigned)n);
	}
	return done < 0 ? -1 : 0;
}

int nldev_ask(const struct nldev_query *q)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), rc, err;

	if (fd < 0)
		return -1;
	rc = ask_kernel(fd, q);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}
