/* SPDX-License-Identifier: MIT */
/* Why a change of a QP is refused: by the table of transitions, or by what the device and its port
 * allow. */
#ifndef MODEL_QP_RULES_H
#define MODEL_QP_RULES_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

#include "spec_tables.h"

struct causes;
struct text;

/* The limits of a device. */
struct qp_limits {
	const char *name; /* of the device */
	const struct ibv_device_attr *device;
	const struct ibv_port_attr *port; /* of the QP; NULL: it is not known */
	const union ibv_gid *source;	  /* what a path begins with; NULL: it is not known */
	/* NULL, or gets right values in place of wrong ones; attributes of which none is known
	 * leave the mask. */
	struct ibv_qp_attr *right;
	unsigned *right_mask;
};

/* Adds what is wrong with a path; of the QP or of an AH. */
void why_qp_check_path(const struct qp_limits *l, const struct ibv_ah_attr *av,
		       struct causes *problems);

/* Adds the attributes of mask that are beyond the limits. */
void why_qp_check_limits(const struct qp_limits *l, const struct ibv_qp_attr *a, unsigned mask,
			 struct causes *problems);
/* The same for one value, which need not fit into its attribute. */
void why_qp_check_max(const struct qp_limits *l, unsigned bit, uint64_t value,
		      struct causes *problems);

/* Adds why a change with this verdict is refused; none if the verdict is good. */
void why_qp_change_reasons(const struct qp_verdict *v, enum ibv_qp_type type,
			   enum ibv_qp_state from, enum ibv_qp_state to, struct causes *c);
/* Appends the states that a QP may move to: "INIT (or RESET)". */
void why_qp_reachable(enum ibv_qp_type type, enum ibv_qp_state from, struct text *d);
/* 4 or 6; does a path lead from an address of one family to one of the other? */
int why_gid_family(const union ibv_gid *gid);
bool why_gid_families_differ(const union ibv_gid *to, const union ibv_gid *from);

#endif
