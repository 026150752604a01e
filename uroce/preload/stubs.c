/* SPDX-License-Identifier: MIT */
/*
 * Calls that the device does not support. They must not reach the original library, which would
 * take our structures for its own. Each reports EOPNOTSUPP the way its manual page says. The real
 * prototypes are not here, because some are newer than the installed headers; they are not needed,
 * as no argument is looked at.
 */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>

#include "export.h"

/* X(way to say it, name) */
#define STUBS(X)                              \
	X(ERRNO, ibv_query_ece)               \
	X(ERRNO, ibv_set_ece)                 \
	X(ERRNO, ibv_resolve_eth_l2_from_gid) \
	X(POINTER, ibv_import_device)         \
	X(POINTER, ibv_import_pd)             \
	X(POINTER, ibv_import_mr)             \
	X(POINTER, ibv_import_dm)             \
	X(VOID, ibv_unimport_pd)              \
	X(VOID, ibv_unimport_mr)              \
	X(VOID, ibv_unimport_dm)              \
	X(POINTER, ibv_reg_dmabuf_mr)         \
	X(POINTER, ibv_reg_mr_ex)             \
	X(POINTER, ibv_alloc_dmah)            \
	X(ERRNO, ibv_dealloc_dmah)            \
	X(MINUS_1, ibv_dm_export_dmabuf_fd)   \
	X(POINTER, ibv_alloc_buf)             \
	X(VOID, ibv_free_buf)                 \
	X(MINUS_1, ibv_export_buf_dmabuf_fd)  \
	X(ERRNO, _ibv_query_comp_cntr_caps)   \
	X(POINTER, ibv_create_comp_cntr)      \
	X(ERRNO, ibv_destroy_comp_cntr)       \
	X(ERRNO, ibv_set_comp_cntr)           \
	X(ERRNO, ibv_set_err_comp_cntr)       \
	X(ERRNO, ibv_inc_comp_cntr)           \
	X(ERRNO, ibv_inc_err_comp_cntr)       \
	X(ERRNO, ibv_read_comp_cntr)          \
	X(ERRNO, ibv_read_err_comp_cntr)      \
	X(ERRNO, ibv_qp_attach_comp_cntr)     \
	X(POINTER, ibv_reg_buf_mr)            \
	X(MINUS_1, rdma_get_remote_ece)       \
	X(MINUS_1, rdma_set_local_ece)

#define SAYS_ERRNO(name)                   \
	int name(void);                    \
	EXPORT int name(void)              \
	{                                  \
		return errno = EOPNOTSUPP; \
	}
#define SAYS_MINUS_1(name)          \
	int name(void);             \
	EXPORT int name(void)       \
	{                           \
		errno = EOPNOTSUPP; \
		return -1;          \
	}
#define SAYS_POINTER(name)          \
	void *name(void);           \
	EXPORT void *name(void)     \
	{                           \
		errno = EOPNOTSUPP; \
		return NULL;        \
	}
#define SAYS_VOID(name)        \
	void name(void);       \
	EXPORT void name(void) \
	{                      \
	}
#define STUB(way, name) SAYS_##way(name)

STUBS(STUB)

/* ------------------------------------------------------------ rsocket(7) -- */

/*
 * rsockets: librdmacm builds them on the internals of its own ids, so they cannot be built on ours.
 * All programs call rsocket() first, which reports that; librspreload then continues with TCP.
 */

int rsocket(int domain, int type, int protocol);
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
