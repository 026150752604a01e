/* SPDX-License-Identifier: MIT */
/* What the devices hold for this process, for show -kernel; questions to the kernel over netlink.
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
	FIELD_NUMBER, /* which the device gave it: pdn, cqn ... */
	FIELD_PD,     /* the number of its PD */
	FIELD_CQE,
	FIELD_USERS,
	FIELD_LEN,
	FIELD_LKEY,
	FIELD_RKEY,
	FIELD_QPN,
	FIELD_TYPE,
	FIELD_STATE,
	FIELD_PORT, /* of the addresses: here, and of the peer */
	FIELD_PEER_PORT,
	FIELDS,
};

/* An object, as one side knows it. */
struct facts {
	enum tracked_kind kind;
	unsigned known; /* a bit for each field */
	uint64_t v[FIELDS];
};

/* What the device holds, and whose it is. */
struct tracked {
	struct facts facts;
	struct obj *o;
};

struct tracked_list {
	struct tracked *all;
	size_t n;
};

/* The bit of a field in struct facts. */
#define BIT(field) (1u << (field))

struct tracked_class {
	const char *number; /* as rdma-resource(8) calls it; NULL: it has another one */
	const struct obj_class *class;
	unsigned identity; /* the fields that tell an object from others of its kind */
	bool in_order;	   /* those that nothing tells apart are in the order of their making */
};

extern const struct tracked_class tracked_classes[TRACKED_KINDS];

/* Notes the value of a field. */
void facts_add(struct facts *f, enum tracked_field field, uint64_t value);

/* Appends what the kernel holds for this process on that device, and what uroce0 does. l->all is to
 * be freed with free(3), also after an error: -1 with errno. */
int tracked_by_kernel(const struct dev *dev, struct tracked_list *l);
int tracked_by_uroce(struct tracked_list *l);

/* A question to the kernel (NETLINK_RDMA) about a device. */
struct nldev_query {
	struct ibv_device *device;
	enum rdma_nldev_command command;
	uint32_t port;	     /* 0: a dump, which is not of one port */
	unsigned short list; /* the attribute of the answer that read() gets */
	void (*read)(void *arg, const struct rtattr *list);
	void *arg;
};

/* Asks, and reads all of the answer. -1 with errno, after an error of the kernel, too. */
int nldev_ask(const struct nldev_query *q);
/* The value of an attribute that is a number. */
uint64_t nldev_number(const struct rtattr *a);

#endif
