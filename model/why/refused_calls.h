/* SPDX-License-Identifier: MIT */
/* The rules for calls that are refused: before a call of the shell with its values, and after one
 * with its record. */
#ifndef MODEL_REFUSED_CALLS_H
#define MODEL_REFUSED_CALLS_H

#include "live_program.h"

struct causes;

/* A call that has failed, of a program whose objects are in p. */
struct refused_call {
	const struct live_program *p;
	const struct record *r;
	struct causes *c;
};

/* Adds what the arguments and the objects show. */
void why_call_refused(const struct refused_call *f);

/* Adds the capacities that the device does not have. */
void why_capacities(const struct ibv_qp_cap *cap, const struct ibv_device_attr *d,
		    struct causes *c);
/* "EAI_NONAME": a result of rdma_getaddrinfo(3); NULL: it is none that getaddrinfo(3) has. */
const char *why_lookup_name(int result);
/* "EAI_NONAME  Name or service not known": a result of rdma_getaddrinfo(3); as temp_text(). */
const char *why_lookup_error(int result);
/* Adds what ibv_reg_mr(3) refuses with EINVAL. */
void why_region(uint64_t addr, uint64_t len, unsigned access, struct causes *c);

#endif
