/* SPDX-License-Identifier: MIT */
/* Requests to the kernel about an RDMA device, over netlink, like those of rdma(8). */
#ifndef CMDS_NLDEV_H
#define CMDS_NLDEV_H

#include <infiniband/verbs.h>
#include <linux/rtnetlink.h> /* struct rtattr and its macros */
#include <rdma/rdma_netlink.h>
#include <stdint.h>

/* A request to the kernel (NETLINK_RDMA) about a device. */
struct nldev_query {
	struct ibv_device *device;
	enum rdma_nldev_command command;
	uint32_t port;	     /* 0: a dump of the whole device */
	unsigned short list; /* the attribute of the answer that is passed to read() */
	void (*read)(void *arg, const struct rtattr *list);
	void *arg;
};

/* Sends the request, and reads the whole answer. -1 with errno: that of a system call, or that
 * which the kernel answered. */
int nldev_ask(const struct nldev_query *q);
/* The value of an attribute that is a number. */
uint64_t nldev_number(const struct rtattr *a);

#endif
