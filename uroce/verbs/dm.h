/* SPDX-License-Identifier: MIT */
/* Device memory: ibv_alloc_dm(3). */
#ifndef UROCE_VERBS_DM_H
#define UROCE_VERBS_DM_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct dm {
	struct ibv_dm v;
	uint8_t *bytes;
	size_t length;
	unsigned users; /* regions */
};

/* Are these bytes in it? */
static inline bool dm_has(const struct dm *dm, uint64_t offset, uint64_t length)
{
	return offset <= dm->length && length <= dm->length - offset;
}

#endif
