// SPDX-License-Identifier: MIT
/* The opcodes of the BTH and the headers that follow it: volume 1, 9.2.1, tables 38 and 39. */
#include <strings.h>

#include "packet.h"

/* Volume 1, 9.3: the sizes of the extended headers, in the order in which they follow. */
#define HEADER(f)                                                                              \
	(BTH_BYTES + ((f)&WIRE_DETH ? 8 : 0) + ((f)&WIRE_RETH ? 16 : 0) +                      \
	 ((f)&WIRE_ATOMIC ? 28 : 0) + ((f)&WIRE_AETH ? 4 : 0) + ((f)&WIRE_ATOMICACK ? 8 : 0) + \
	 ((f)&WIRE_IMM ? 4 : 0) + ((f)&WIRE_IETH ? 4 : 0))

#define OP(transport, op, flags)    \
	[OPCODE_##transport + OP_## \
		op] = { OPCODE_##transport + OP_##op, #transport "_" #op, (flags), HEADER(flags) }

#define ONLY   (WIRE_FIRST | WIRE_LAST)
#define SEND   (WIRE_REQUEST | WIRE_SEND | WIRE_PAYLOAD)
#define WRITE  (WIRE_REQUEST | WIRE_WRITE | WIRE_PAYLOAD)
#define ATOMIC (WIRE_REQUEST | ONLY | WIRE_ATOMIC)
#define RESP   (WIRE_READ | WIRE_PAYLOAD)

/* What RC and UC have in common. */
#define CONNECTED(transport)                                                                      \
	OP(transport, SEND_FIRST, SEND | WIRE_FIRST), OP(transport, SEND_MIDDLE, SEND),           \
		OP(transport, SEND_LAST, SEND | WIRE_LAST),                                       \
		OP(transport, SEND_LAST_IMM, SEND | WIRE_LAST | WIRE_IMM),                        \
		OP(transport, SEND_ONLY, SEND | ONLY),                                            \
		OP(transport, SEND_ONLY_IMM, SEND | ONLY | WIRE_IMM),                             \
		OP(transport, WRITE_FIRST, WRITE | WIRE_FIRST | WIRE_RETH),                       \
		OP(transport, WRITE_MIDDLE, WRITE), OP(transport, WRITE_LAST, WRITE | WIRE_LAST), \
		OP(transport, WRITE_LAST_IMM, WRITE | WIRE_LAST | WIRE_IMM),                      \
		OP(transport, WRITE_ONLY, WRITE | ONLY | WIRE_RETH),                              \
		OP(transport, WRITE_ONLY_IMM, WRITE | ONLY | WIRE_RETH | WIRE_IMM)

static const struct opcode opcodes[256] = {
	CONNECTED(RC),
	OP(RC, READ_REQUEST, WIRE_REQUEST | WIRE_READ | ONLY | WIRE_RETH),
	OP(RC, READ_RESP_FIRST, RESP | WIRE_FIRST | WIRE_AETH),
	OP(RC, READ_RESP_MIDDLE, RESP),
	OP(RC, READ_RESP_LAST, RESP | WIRE_LAST | WIRE_AETH),
	OP(RC, READ_RESP_ONLY, RESP | ONLY | WIRE_AETH),
	OP(RC, ACK, ONLY | WIRE_AETH),
	OP(RC, ATOMIC_ACK, ONLY | WIRE_AETH | WIRE_ATOMICACK),
	OP(RC, CMP_SWAP, ATOMIC),
	OP(RC, FETCH_ADD, ATOMIC),
	OP(RC, SEND_LAST_INV, SEND | WIRE_LAST | WIRE_IETH),
	OP(RC, SEND_ONLY_INV, SEND | ONLY | WIRE_IETH),
	CONNECTED(UC),
	OP(UD, SEND_ONLY, SEND | ONLY | WIRE_DETH),
	OP(UD, SEND_ONLY_IMM, SEND | ONLY | WIRE_DETH | WIRE_IMM),
	/* 16 reserved bytes follow its BTH */
	[OP_CNP] = { OP_CNP, "CNP", ONLY | WIRE_PAYLOAD, BTH_BYTES },
};

const struct opcode *opcode_find(uint8_t code)
{
	return opcodes[code].name ? &opcodes[code] : NULL;
}

const struct opcode *opcode_named(const char *name)
{
	for (unsigned i = 0; i < 256; i++) {
		const char *n = opcodes[i].name;

		if (n && (strcasecmp(n, name) == 0 || (i < OPCODE_UC && !strcasecmp(n + 3, name))))
			return &opcodes[i];
	}
	return NULL;
}
