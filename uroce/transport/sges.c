/* SPDX-License-Identifier: MIT */
/* Scatter and gather: 10.6.6. */
#include "engine.h"
#include "region.h"
#include "transport_own.h"

static void tell_access(struct qp *qp, enum placing placing, const void *at, uint32_t n, bool write)
{
	if (placing == PLACING_NEAR)
		lent_access(qp_recv_queue(qp), true, at, n, write);
	else
		lent_access(&qp->sq, false, at, n, write);
}

/* Copies between buf and the list, from offset bytes into it on; access as of region_local(). Each
 * SGE's key is looked up for the bytes that are touched and no others. */
static enum ibv_wc_status copy_sges(struct qp *qp, enum placing placing, const struct pd *pd,
				    const struct ibv_sge *sge, int n, uint32_t offset, uint8_t *buf,
				    uint32_t len, unsigned access)
{
	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t bytes = min_u32(sge->length - offset, len);
		void *at = region_local(pd, sge->lkey, sge->addr + offset, bytes, access);

		if (!at || (access ? place_bytes(qp, placing, at, buf, bytes)
				   : guard_copy(buf, at, bytes)) != 0)
			return IBV_WC_LOC_PROT_ERR;
		if (lent_seen)
			tell_access(qp, placing, at, bytes, access);
		buf += bytes;
		len -= bytes;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

enum ibv_wc_status sges_gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			       void *buf, uint32_t len)
{
	return copy_sges(qp, PLACING_OWN, qp->pd, sge, n, offset, buf, len, 0);
}

enum ibv_wc_status sges_scatter(struct qp *qp, enum placing placing, const struct pd *pd,
				const struct ibv_sge *sge, int n, uint32_t offset, const void *buf,
				uint32_t len)
{
	return copy_sges(qp, placing, pd, sge, n, offset, (void *)buf, len, IBV_ACCESS_LOCAL_WRITE);
}
