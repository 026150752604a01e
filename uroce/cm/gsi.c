// SPDX-License-Identifier: MIT
/* QP 1, the general services interface: 3.9.3, 13.5. */
#include <string.h>

#include "cm.h"

void gsi_send(const struct flow *flow, const uint8_t *mad)
{
	static uint32_t psn;
	struct packet p = {
		.op = opcode_find(OPCODE_UD + OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = GSI_QPN,
		.psn = psn,
		.qkey = GSI_QKEY,
		.src_qpn = GSI_QPN,
		.len = MAD_BYTES,
	};

	psn = psn_add(psn, 1);
	memcpy(tx_begin(flow, &p), mad, MAD_BYTES);
	tx_commit();
}
