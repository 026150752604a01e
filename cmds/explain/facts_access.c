// SPDX-License-Identifier: MIT
/* Rights of memory. ibv_reg_mr(3); volume 1, 10.6. Region and QP must both allow an access. */
#include <infiniband/verbs.h>

#include "explain/fact.h"

static const char page[] = "ibv_reg_mr(3)";
static const char without[] = "without it: REM_ACCESS_ERR at the peer, QP_ACCESS_ERR here";

const struct fact access_facts[] = {
	{ IBV_ACCESS_LOCAL_WRITE,
	  "without it: LOC_PROT_ERR for a RECV, a READ or an atomic into it", NULL,
	  "always needed with REMOTE_WRITE and REMOTE_ATOMIC, else ibv_reg_mr says EINVAL", NULL,
	  page, "explain/rights" },
	{ IBV_ACCESS_REMOTE_WRITE, "the peer may RDMA WRITE", without,
	  "the QP needs it too: qp_access_flags", "reg -access local-write,remote-write", page,
	  "explain/rights" },
	{ IBV_ACCESS_REMOTE_READ, "the peer may RDMA READ", without,
	  "the QP needs it too: qp_access_flags", "reg -access remote-read", page,
	  "explain/rights" },
	{ IBV_ACCESS_REMOTE_ATOMIC, "the peer may use atomics", without,
	  "the QP needs it too: qp_access_flags", "reg -access local-write,remote-atomic", page,
	  "explain/rights" },
	{ IBV_ACCESS_MW_BIND, "without it: MW_BIND_ERR, or bind refused", NULL,
	  "memory windows are bound to the region", NULL, page, "explain/rights" },
	{ IBV_ACCESS_ZERO_BASED, "addresses of SGEs and of the peer begin with 0", NULL,
	  "rxe of Linux 6.1 ignores it: addresses stay what they are", NULL, page,
	  "explain/rights" },
	{ IBV_ACCESS_ON_DEMAND, "no memlock limit, but page faults", NULL,
	  "EOPNOTSUPP, on older kernels EINVAL: the device has no on-demand paging",
	  "device shows odp", page, "explain/rights" },
	{ IBV_ACCESS_HUGETLB, "a promise: the memory is made of huge pages", NULL,
	  "only with ON_DEMAND; alone it is refused or ignored", NULL, page, "explain/rights" },
	{ 1 << 8, /* IBV_ACCESS_FLUSH_GLOBAL */ "the peer may FLUSH: its data is visible to all",
	  without, "EOPNOTSUPP, on older kernels EINVAL: the device does not do it", NULL, page,
	  "explain/rights" },
	{ 1 << 9, /* IBV_ACCESS_FLUSH_PERSISTENT */ "the peer may FLUSH into persistent memory",
	  without, "EOPNOTSUPP, on older kernels EINVAL: the device or the memory does not do it",
	  NULL, page, "explain/rights" },
	{ IBV_ACCESS_RELAXED_ORDERING, "faster on some PCI hosts; poll memory no more", NULL,
	  "a device that does not know it ignores it", NULL, page, "explain/rights" },
	{ 0 }
};
