/* SPDX-License-Identifier: MIT */
/* What the devices hold for this process, for show -kernel. */
#ifndef CMDS_TRACKED_H
#define CMDS_TRACKED_H

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
/* The port of an address, in the byte order of the host. */
uint64_t facts_port(const struct sockaddr_storage *ss);

/* Appends what the kernel holds for this process on that device, and what uroce0 does. l->all is to
 * be freed with free(3), also after an error: -1 with errno. */
int tracked_by_kernel(const struct dev *dev, struct tracked_list *l);
int tracked_by_uroce(struct tracked_list *l);

#endif
