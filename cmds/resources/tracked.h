/* SPDX-License-Identifier: MIT */
/* The objects that devices have of this process, for show -kernel; netlink requests to the kernel.
 */
#ifndef CMDS_TRACKED_H
#define CMDS_TRACKED_H

#include <linux/rtnetlink.h> /* struct rtattr and its macros */
#include <rdma/rdma_netlink.h>
#include <stddef.h>
#include <stdint.h>

#include "objects.h"

enum tracked_kind {
	TRACKED_PD,
	TRACKED_CQ,
	TRACKED_SRQ,
	TRACKED_MR,
	TRACKED_QP,
	TRACKED_ID,
	TRACKED_KINDS
};

enum tracked_field {
	FIELD_NUMBER, /* the number that the device assigned: pdn, cqn ... */
	FIELD_PD,     /* the number of its PD */
	FIELD_CQE,
	FIELD_USERS,
	FIELD_LEN,
	FIELD_LKEY,
	FIELD_RKEY,
	FIELD_QPN,
	FIELD_TYPE,
	FIELD_STATE,
	FIELD_PORT, /* of the local address */
	FIELD_PEER_PORT,
	FIELDS,
};

/* What one side, the session or the device, knows of an object. */
struct facts {
	enum tracked_kind kind;
	unsigned known; /* a bit for each field */
	uint64_t v[FIELDS];
};

/* An object that a device has of this process. */
struct tracked {
	struct facts facts;
	struct obj *o; /* the session's object that matches it, or NULL */
};

struct tracked_list {
	struct tracked *all;
	size_t n;
};

/* The bit of a field in struct facts. */
#define BIT(field) (1u << (field))

struct tracked_class {
	const char *number; /* FIELD_NUMBER as rdma-resource(8) calls it; NULL: it is not shown */
	const struct obj_class *class;
	unsigned identity; /* bits of the fields that identify an object; 0: none do */
	bool in_order;	   /* objects that cannot be identified are in the order of creation */
};

extern const struct tracked_class tracked_classes[TRACKED_KINDS];

/* Sets the value of a field, which is then known. */
void facts_add(struct facts *f, enum tracked_field field, uint64_t value);

/* Append the objects that the kernel has of this process on a device, and those that uroce0 has. -1
 * with errno. The caller frees l->all, also after an error. */
int tracked_by_kernel(const struct dev *dev, struct tracked_list *l);
int tracked_by_uroce(struct tracked_list *l);

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
