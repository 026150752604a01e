// SPDX-License-Identifier: MIT
/* The opcodes of the BTH and the headers that follow it: volume 1, 9.2.1, tables 38 and 39. */
#include <strings.h>

#include "packet.h"

/* Volume 1, 9.3: the sizes of the extended headers, in the order in which they follow. */
#define HEADER(f)                                                                          \
	(BTH_BYTES + ((f)&WIRE_DETH ? 8 : 0) + ((f)&WIRE_XRCETH ? 4 : 0) +                 \
	 ((f)&WIRE_RETH ? 16 : 0) + ((f)&WIRE_ATOMIC ? 28 : 0) + ((f)&WIRE_AETH ? 4 : 0) + \
	 ((f)&WIRE_ATOMICACK ? 8 : 0) + ((f)&WIRE_IMM ? 4 : 0) + ((f)&WIRE_IETH ? 4 : 0))

#define OP(transport, op, flags)    \
	[OPCODE_##transport + OP_## \
		op] = { OPCODE_##transport + OP_##op, #transport "_" #op, (flags), HEADER(flags) }

#define ONLY   (WIRE_FIRST | WIRE_LAST)
#define SEND   (WIRE_REQUEST | WIRE_SEND | WIRE_PAYLOAD)
#define WRITE  (WIRE_REQUEST | WIRE_WRITE | WIRE_PAYLOAD)
#define ATOMIC (WIRE_REQUEST | ONLY | WIRE_ATOMIC)
#define RESP   (WIRE_READ | WIRE_PAYLOAD)

/* What all connected transports have; x: the header that their requests have besides. */
#define CONNECTED(t, x)                                                                       \
	OP(t, SEND_FIRST, (x) | SEND | WIRE_FIRST), OP(t, SEND_MIDDLE, (x) | SEND),           \
		OP(t, SEND_LAST, (x) | SEND | WIRE_LAST),                                     \
		OP(t, SEND_LAST_IMM, (x) | SEND | WIRE_LAST | WIRE_IMM),                      \
		OP(t, SEND_ONLY, (x) | SEND | ONLY),                                          \
		OP(t, SEND_ONLY_IMM, (x) | SEND | ONLY | WIRE_IMM),                           \
		OP(t, WRITE_FIRST, (x) | WRITE | WIRE_FIRST | WIRE_RETH),                     \
		OP(t, WRITE_MIDDLE, (x) | WRITE), OP(t, WRITE_LAST, (x) | WRITE | WIRE_LAST), \
		OP(t, WRITE_LAST_IMM, (x) | WRITE | WIRE_LAST | WIRE_IMM),                    \
		OP(t, WRITE_ONLY, (x) | WRITE | ONLY | WIRE_RETH),                            \
		OP(t, WRITE_ONLY_IMM, (x) | WRITE | ONLY | WIRE_RETH | WIRE_IMM)

/* What the reliable ones have as well. */
#define RELIABLE(t, x)                                                                        \
	OP(t, READ_REQUEST, (x) | WIRE_REQUEST | WIRE_READ | ONLY | WIRE_RETH),               \
		OP(t, READ_RESP_FIRST, RESP | WIRE_FIRST | WIRE_AETH),                        \
		OP(t, READ_RESP_MIDDLE, RESP),                                                \
		OP(t, READ_RESP_LAST, RESP | WIRE_LAST | WIRE_AETH),                          \
		OP(t, READ_RESP_ONLY, RESP | ONLY | WIRE_AETH), OP(t, ACK, ONLY | WIRE_AETH), \
		OP(t, ATOMIC_ACK, ONLY | WIRE_AETH | WIRE_ATOMICACK),                         \
		OP(t, CMP_SWAP, (x) | ATOMIC), OP(t, FETCH_ADD, (x) | ATOMIC),                \
		OP(t, SEND_LAST_INV, (x) | SEND | WIRE_LAST | WIRE_IETH),                     \
		OP(t, SEND_ONLY_INV, (x) | SEND | ONLY | WIRE_IETH)

static const struct opcode opcodes[256] = {
	CONNECTED(RC, 0),
	RELIABLE(RC, 0),
	OP(RC, ATOMIC_WRITE, WIRE_REQUEST | WIRE_PAYLOAD | ONLY | WIRE_RETH | WIRE_ATOMIC_WRITE),
	CONNECTED(UC, 0),
	OP(UD, SEND_ONLY, SEND | ONLY | WIRE_DETH),
	OP(UD, SEND_ONLY_IMM, SEND | ONLY | WIRE_DETH | WIRE_IMM),
	CONNECTED(XRC, WIRE_XRCETH),
	RELIABLE(XRC, WIRE_XRCETH),
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
