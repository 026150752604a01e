/* SPDX-License-Identifier: MIT */
/*
 * rsockets, rsocket(7): librdmacm makes them of ids whose inside only it knows, so they cannot
 * be made of ours. All begin with rsocket(), which says so; librspreload goes on with TCP.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>

#include <rdma/rsocket.h>

#include "export.h"

EXPORT int rsocket(int domain, int type, int protocol)
{
	static atomic_flag said;

	(void)domain;
	(void)type;
	(void)protocol;
	if (!atomic_flag_test_and_set(&said))
		fputs("uroce: rsockets are not supported: use TCP, or a program of rdma_cm(7)\n",
		      stderr);
	errno = EOPNOTSUPP;
	return -1;
}
