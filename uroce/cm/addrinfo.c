// SPDX-License-Identifier: MIT
/* rdma_getaddrinfo(3): getaddrinfo(3) in the terms of RDMA. */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "export.h"
#include "id.h"

static const struct rdma_addrinfo no_hints = {
	.ai_qp_type = IBV_QPT_RC,
	.ai_port_space = RDMA_PS_TCP,
};

static struct sockaddr *copy_addr(const struct sockaddr *sa, socklen_t len)
{
	struct sockaddr *copy = malloc(len);

	if (copy)
		memcpy(copy, sa, len);
	return copy;
}

/* A QP type and a port space, where the hints leave one open; EAI_SOCKTYPE: they do not go
 * together (the manual calls it EAI_QPTYPE). */
static int set_types(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	r->ai_qp_type = hints->ai_qp_type;
	r->ai_port_space = hints->ai_port_space;
	if (!r->ai_qp_type)
		r->ai_qp_type = r->ai_port_space == RDMA_PS_UDP || r->ai_port_space == RDMA_PS_IPOIB
					? IBV_QPT_UD
					: IBV_QPT_RC;
	if (!r->ai_port_space)
		r->ai_port_space = r->ai_qp_type == IBV_QPT_UD ? RDMA_PS_UDP : RDMA_PS_TCP;
	if ((r->ai_port_space == RDMA_PS_TCP && r->ai_qp_type == IBV_QPT_UD) ||
	    (r->ai_port_space == RDMA_PS_UDP && r->ai_qp_type != IBV_QPT_UD))
		return EAI_SOCKTYPE;
	return 0;
}

static int look_up(struct rdma_addrinfo *r, const char *node, const char *service,
		   const struct rdma_addrinfo *hints)
{
	struct addrinfo ask = { .ai_family = AF_UNSPEC }, *found;
	bool passive = hints->ai_flags & RAI_PASSIVE;
	struct sockaddr **addr = passive ? &r->ai_src_addr : &r->ai_dst_addr;
	int error;

	ask.ai_socktype = r->ai_qp_type == IBV_QPT_UD ? SOCK_DGRAM : SOCK_STREAM;
	ask.ai_flags = (passive ? AI_PASSIVE : 0) |
		       (hints->ai_flags & RAI_NUMERICHOST ? AI_NUMERICHOST : 0);
	if (hints->ai_flags & RAI_FAMILY)
		ask.ai_family = hints->ai_family;
	error = getaddrinfo(node, service, &ask, &found);
	if (error)
		return error;
	r->ai_family = found->ai_family;
	*addr = copy_addr(found->ai_addr, found->ai_addrlen);
	*(passive ? &r->ai_src_len : &r->ai_dst_len) = found->ai_addrlen;
	freeaddrinfo(found);
	return *addr ? 0 : EAI_MEMORY;
}

/* Without names: the addresses that the hints have. */
static int take_dst(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	r->ai_family = hints->ai_family;
	if (!hints->ai_dst_len)
		return 0;
	r->ai_family = hints->ai_dst_addr->sa_family;
	r->ai_dst_addr = copy_addr(hints->ai_dst_addr, hints->ai_dst_len);
	r->ai_dst_len = hints->ai_dst_len;
	return r->ai_dst_addr ? 0 : EAI_MEMORY;
}

static int take_src(struct rdma_addrinfo *r, const struct rdma_addrinfo *hints)
{
	if (r->ai_src_len || !hints->ai_src_len)
		return 0;
	r->ai_src_addr = copy_addr(hints->ai_src_addr, hints->ai_src_len);
	r->ai_src_len = hints->ai_src_len;
	if (!r->ai_family)
		r->ai_family = hints->ai_src_addr->sa_family;
	return r->ai_src_addr ? 0 : EAI_MEMORY;
}

EXPORT int rdma_getaddrinfo(const char *node, const char *service,
			    const struct rdma_addrinfo *hints, struct rdma_addrinfo **res)
{
	struct rdma_addrinfo *r;
	int error;

	if (!node && !service && !hints)
		return fail(EINVAL);
	if (!hints)
		hints = &no_hints;
	r = calloc(1, sizeof(*r));
	if (!r)
		return EAI_MEMORY;
	r->ai_flags = hints->ai_flags;
	error = set_types(r, hints);
	if (!error)
		error = node || service ? look_up(r, node, service, hints) : take_dst(r, hints);
	if (!error)
		error = take_src(r, hints);
	if (error) {
		rdma_freeaddrinfo(r);
		return error;
	}
	*res = r;
	return 0;
}

EXPORT void rdma_freeaddrinfo(struct rdma_addrinfo *res)
{
	while (res) {
		struct rdma_addrinfo *next = res->ai_next;

		free(res->ai_src_addr);
		free(res->ai_dst_addr);
		free(res->ai_src_canonname);
		free(res->ai_dst_canonname);
		free(res->ai_route);
		free(res->ai_connect);
		free(res);
		res = next;
	}
}
