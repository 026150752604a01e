/* SPDX-License-Identifier: MIT */
/*
 * Scatter and gather: volume 1, 10.6.6. Every access to memory of the application goes
 * through its key, for the bytes that are touched and no others: what a receive has beyond
 * the message is not looked at.
 */
#include "engine.h"
#include "guard.h"
#include "parts.h"
#include "region.h"

enum ibv_wc_status gather(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			  void *buf, uint32_t len)
{
	uint8_t *to = buf;

	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t part = min_u32(sge->length - offset, len);
		const void *from = region_local(qp, sge->lkey, sge->addr + offset, part, 0);

		if (!from || guard_copy(to, from, part) != 0)
			return IBV_WC_LOC_PROT_ERR;
		to += part;
		len -= part;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}

enum ibv_wc_status scatter(struct qp *qp, const struct ibv_sge *sge, int n, uint32_t offset,
			   const void *buf, uint32_t len)
{
	const uint8_t *from = buf;

	for (; n > 0 && len; n--, sge++) {
		if (offset >= sge->length) {
			offset -= sge->length;
			continue;
		}
		uint32_t part = min_u32(sge->length - offset, len);
		void *to = region_local(qp, sge->lkey, sge->addr + offset, part,
					IBV_ACCESS_LOCAL_WRITE);

		if (!to || guard_copy(to, from, part) != 0)
			return IBV_WC_LOC_PROT_ERR;
		from += part;
		len -= part;
		offset = 0;
	}
	return len ? IBV_WC_LOC_LEN_ERR : IBV_WC_SUCCESS;
}
