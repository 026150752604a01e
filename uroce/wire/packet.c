/* SPDX-License-Identifier: MIT */
/* From bytes to struct packet and back: volume 1, 9.2 (BTH) and 9.3 (extended headers); the opcodes
 * of the BTH: 9.2.1. */
#include <strings.h>

#include "bytes.h"
#include "packet.h"

/* The three words of the BTH, behind whose flags are the P_Key, the QP and the PSN. */
#define BTH_OPCODE_SHIFT 24
#define BTH_SE		 (1u << 23)
#define BTH_M		 (1u << 22)
#define BTH_PAD_SHIFT	 20
#define BTH_TVER	 0x000f0000u
#define BTH_BECN	 (1u << 30)
#define BTH_ACKREQ	 (1u << 31)

/* The last three bytes of a word: a number of 24 bits. */
static uint32_t get_low24(const uint8_t *word)
{
	return get_be32(word) & PSN_MASK;
}

static const uint8_t *parse_bth(struct packet *p, const uint8_t *b)
{
	uint32_t flags = get_be32(b), last = get_be32(b + 8);

	p->solicited = flags & BTH_SE;
	p->migreq = flags & BTH_M;
	p->pkey = (uint16_t)flags;
	p->qpn = get_low24(b + 4);
	p->ackreq = last & BTH_ACKREQ;
	p->psn = last & PSN_MASK;
	return b + BTH_BYTES;
}

/* The extended headers in the order of the wire: 9.3, figure 77 and those that follow. */
static const uint8_t *parse_extended(struct packet *p, const uint8_t *b)
{
	unsigned flags = p->op->flags;

	if (flags & WIRE_DETH) {
		p->qkey = get_be32(b);
		p->src_qpn = get_low24(b + 4);
		b += 8;
	}
	if (flags & WIRE_XRCETH) {
		p->srqn = get_low24(b);
		b += 4;
	}
	if (flags & WIRE_FETH) {
		p->feth = get_be32(b);
		b += 4;
	}
	if (flags & (WIRE_RETH | WIRE_ATOMIC)) {
		p->va = get_be64(b);
		p->rkey = get_be32(b + 8);
		b += 12;
	}
	if (flags & WIRE_RETH) {
		p->dma_len = get_be32(b);
		b += 4;
	}
	if (flags & WIRE_ATOMIC) {
		p->swap_add = get_be64(b);
		p->compare = get_be64(b + 8);
		b += 16;
	}
	if (flags & WIRE_AETH) {
		p->syndrome = b[0];
		p->msn = get_low24(b);
		b += 4;
	}
	if (flags & WIRE_ATOMICACK) {
		p->original = get_be64(b);
		b += 8;
	}
	if (flags & WIRE_IMM) {
		memcpy(&p->imm, b, 4);
		b += 4;
	}
	if (flags & WIRE_IETH) {
		p->rkey = get_be32(b);
		b += 4;
	}
	return b;
}

int packet_parse(struct packet *p, const uint8_t *data, size_t n)
{
	size_t room, pad;

	if (n < BTH_BYTES + ICRC_BYTES || n % 4 != 0 || get_be32(data) & BTH_TVER)
		return -1;
	p->op = opcode_find(data[0]);
	if (!p->op || n < p->op->header + ICRC_BYTES)
		return -1;
	room = n - p->op->header - ICRC_BYTES;
	pad = get_be32(data) >> BTH_PAD_SHIFT & 3;
	if (pad > room || room - pad > (p->op->flags & WIRE_PAYLOAD ? MTU_MAX : 0) ||
	    (pad && !(p->op->flags & WIRE_PAYLOAD)))
		return -1;
	p->len = (uint32_t)(room - pad);
	p->payload = parse_extended(p, parse_bth(p, data));
	return 0;
}

static uint8_t *build_bth(const struct packet *p, uint8_t *b)
{
	put_be32(b, (uint32_t)p->op->code << BTH_OPCODE_SHIFT | (p->solicited ? BTH_SE : 0) |
			    (p->migreq ? BTH_M : 0) | packet_pad(p->len) << BTH_PAD_SHIFT |
			    p->pkey);
	put_be32(b + 4, (p->op->code == OP_CNP ? BTH_BECN : 0) | (p->qpn & PSN_MASK));
	put_be32(b + 8, (p->ackreq ? BTH_ACKREQ : 0) | (p->psn & PSN_MASK));
	return b + BTH_BYTES;
}

static uint8_t *build_extended(const struct packet *p, uint8_t *b)
{
	unsigned flags = p->op->flags;

	if (flags & WIRE_DETH) {
		put_be32(b, p->qkey);
		put_be32(b + 4, p->src_qpn & PSN_MASK);
		b += 8;
	}
	if (flags & WIRE_XRCETH) {
		put_be32(b, p->srqn & PSN_MASK);
		b += 4;
	}
	if (flags & WIRE_FETH) {
		put_be32(b, p->feth);
		b += 4;
	}
	if (flags & (WIRE_RETH | WIRE_ATOMIC)) {
		put_be64(b, p->va);
		put_be32(b + 8, p->rkey);
		b += 12;
	}
	if (flags & WIRE_RETH) {
		put_be32(b, p->dma_len);
		b += 4;
	}
	if (flags & WIRE_ATOMIC) {
		put_be64(b, p->swap_add);
		put_be64(b + 8, p->compare);
		b += 16;
	}
	if (flags & WIRE_AETH) {
		put_be32(b, (uint32_t)p->syndrome << 24 | (p->msn & PSN_MASK));
		b += 4;
	}
	if (flags & WIRE_ATOMICACK) {
		put_be64(b, p->original);
		b += 8;
	}
	if (flags & WIRE_IMM) {
		memcpy(b, &p->imm, 4);
		b += 4;
	}
	if (flags & WIRE_IETH) {
		put_be32(b, p->rkey);
		b += 4;
	}
	return b;
}

size_t packet_build(const struct packet *p, uint8_t *buf)
{
	return (size_t)(build_extended(p, build_bth(p, buf)) - buf);
}

/* -------------------------------------- opcodes: 9.2.1, tables 38 and 39 -- */

/* Volume 1, 9.3: the sizes of the extended headers, in the order in which they follow. */
#define HEADER(f)                                                                          \
	(BTH_BYTES + ((f)&WIRE_DETH ? 8 : 0) + ((f)&WIRE_XRCETH ? 4 : 0) +                 \
	 ((f)&WIRE_FETH ? 4 : 0) + ((f)&WIRE_RETH ? 16 : 0) + ((f)&WIRE_ATOMIC ? 28 : 0) + \
	 ((f)&WIRE_AETH ? 4 : 0) + ((f)&WIRE_ATOMICACK ? 8 : 0) + ((f)&WIRE_IMM ? 4 : 0) + \
	 ((f)&WIRE_IETH ? 4 : 0))

#define OP(transport, op, flags)    \
	[OPCODE_##transport + OP_## \
		op] = { OPCODE_##transport + OP_##op, #transport "_" #op, (flags), HEADER(flags) }

#define ONLY   (WIRE_FIRST | WIRE_LAST)
#define SEND   (WIRE_REQUEST | WIRE_SEND | WIRE_PAYLOAD)
#define WRITE  (WIRE_REQUEST | WIRE_WRITE | WIRE_PAYLOAD)
#define ATOMIC (WIRE_REQUEST | ONLY | WIRE_ATOMIC)
#define RESP   (WIRE_READ | WIRE_PAYLOAD)

/* The operations that all connected transports have; x: the header that their requests have
 * besides. */
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

/* The operations that reliable transports have in addition. */
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
	OP(RC, FLUSH, WIRE_REQUEST | ONLY | WIRE_FETH | WIRE_RETH),
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
