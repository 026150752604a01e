/* SPDX-License-Identifier: MIT */
/* The rules for calls that are refused: before a call of the shell with its values, and after one
 * with its record. */
#ifndef MODEL_REFUSED_CALLS_H
#define MODEL_REFUSED_CALLS_H

#include <rdma/rdma_cma.h>

#include "live_program.h"
#include "recorded.h"

struct causes;

/* A call that has failed, of a program whose objects are in p. */
struct refused_call {
	const struct live_program *p;
	const struct record *r;
	struct causes *c;
};

/* Adds what the arguments and the objects show. */
void why_call_refused(const struct refused_call *f);

/* Adds that rdma_connect(), rdma_accept() or rdma_reject() has no room for len bytes of private
 * data. (iWARP has room for as many as can be given.) */
void why_message_refused(const struct rdma_cm_id *id, enum call_row row, size_t len,
			 struct causes *c);
/* Adds the READs and atomics at a time that the device does not have. */
void why_depths_refused(const struct rdma_cm_id *id, const struct rdma_conn_param *param,
			const struct ibv_device_attr *device, struct causes *c);
/* "EAI_NONAME": a result of rdma_getaddrinfo(3); NULL: it is none that getaddrinfo(3) has. */
const char *why_lookup_name(int result);
/* "EAI_NONAME  Name or service not known": a result of rdma_getaddrinfo(3); as temp_text(). */
const char *why_lookup_error(int result);
/* "10.0.0.1", "fd00::1": an IPv4 or IPv6 address without its port; as temp_text(). */
const char *why_host(const struct sockaddr *sa);
/* Adds why there is no way to an address, which the errno tells. false: it tells no reason. */
bool why_no_way(const struct sockaddr *to, int err, struct causes *c);

/* Within the files of this header. */

/* Adds a cause if the value called name is more than the limit, which is 0 where it is not known.
 */
void why_limit_passed(struct causes *c, const char *name, uint32_t value, int limit,
		      const char *limit_name);
/* A rule for one call. */
struct refused_rule {
	enum call_row row;
	int err; /* that tells of the arguments; 0: any */
	void (*find)(const struct refused_call *f);
};
/* Applies those of the n rules that are for the call. */
void why_apply_rules(const struct refused_rule *rule, size_t n, const struct refused_call *f);
/* f is a call of librdmacm; else nothing is added. */
void why_id_call_refused(const struct refused_call *f);

/* The first argument of these calls is a queue that is known: */
void why_change_refused(const struct refused_call *f);
void why_sends_refused(const struct refused_call *f);
void why_receives_refused(const struct refused_call *f);
/* Of ibv_create_ah(). */
void why_path_refused(const struct refused_call *f);

#endif
