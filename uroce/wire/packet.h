/* SPDX-License-Identifier: MIT */
/*
 * RoCEv2 packets: the base transport header and the extended headers after it. InfiniBand
 * specification volume 1, chapter 9.2-9.3; annex A17 (RoCEv2).
 *
 * This is about bytes only: there are no QPs or sockets here. Everything is in host byte order,
 * except what verbs pass in network order (immediate data, GIDs).
 */
#ifndef UROCE_PACKET_H
#define UROCE_PACKET_H

#include <infiniband/verbs.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define ROCE_PORT     4791	/* UDP destination port, annex A17.3.1 */
#define PSN_MASK      0xffffffu /* PSNs, QPNs and MSNs have 24 bits */
#define QPN_MULTICAST 0xffffffu
/* The general services interface: 3.9.3, 13.4 */
#define GSI_QPN	     1
#define GSI_QKEY     0x80010000u
#define MAD_BYTES    256
#define PKEY_DEFAULT 0xffffu
#define BTH_BYTES    12
#define ICRC_BYTES   4
#define GRH_BYTES    40
#define HEADERS_MAX  44	  /* BTH and the longest set of extended headers */
#define MTU_MAX	     4096 /* bytes of payload */
#define MTU_MIN	     256
#define PACKET_MAX   (HEADERS_MAX + MTU_MAX + 3 + ICRC_BYTES) /* what UDP carries at most */

/* Opcodes of the BTH: three bits of transport, five of operation. Table 38. */
#define OPCODE_RC	       0x00
#define OPCODE_UC	       0x20
#define OPCODE_UD	       0x60
#define OPCODE_XRC	       0xa0 /* annex A14 */
#define OPCODE_TRANSPORT(code) ((code)&0xe0)
#define OPCODE_OPERATION(code) ((code)&0x1f)

enum wire_op {
	OP_SEND_FIRST = 0x00,
	OP_SEND_MIDDLE = 0x01,
	OP_SEND_LAST = 0x02,
	OP_SEND_LAST_IMM = 0x03,
	OP_SEND_ONLY = 0x04,
	OP_SEND_ONLY_IMM = 0x05,
	OP_WRITE_FIRST = 0x06,
	OP_WRITE_MIDDLE = 0x07,
	OP_WRITE_LAST = 0x08,
	OP_WRITE_LAST_IMM = 0x09,
	OP_WRITE_ONLY = 0x0a,
	OP_WRITE_ONLY_IMM = 0x0b,
	OP_READ_REQUEST = 0x0c,
	OP_READ_RESP_FIRST = 0x0d,
	OP_READ_RESP_MIDDLE = 0x0e,
	OP_READ_RESP_LAST = 0x0f,
	OP_READ_RESP_ONLY = 0x10,
	OP_ACK = 0x11,
	OP_ATOMIC_ACK = 0x12,
	OP_CMP_SWAP = 0x13,
	OP_FETCH_ADD = 0x14,
	OP_SEND_LAST_INV = 0x16,
	OP_SEND_ONLY_INV = 0x17,
	OP_FLUSH = 0x1c, /* of RC, and the next one: annex A19 */
	OP_ATOMIC_WRITE = 0x1d,
	OP_CNP = 0x81, /* congestion notification, annex A17.9.3 */
};

/* Flags of struct opcode: the headers and the kind of operation. */
#define WIRE_RETH	  0x0001
#define WIRE_ATOMIC	  0x0002 /* AtomicETH */
#define WIRE_AETH	  0x0004
#define WIRE_ATOMICACK	  0x0008 /* AtomicAckETH */
#define WIRE_IMM	  0x0010
#define WIRE_IETH	  0x0020
#define WIRE_DETH	  0x0040
#define WIRE_PAYLOAD	  0x0080 /* may carry payload */
#define WIRE_FIRST	  0x0100 /* begins a message: FIRST and ONLY */
#define WIRE_LAST	  0x0200 /* ends one: LAST and ONLY; neither: MIDDLE */
#define WIRE_REQUEST	  0x0400 /* goes from the requester to the responder */
#define WIRE_SEND	  0x0800 /* part of a SEND: uses a RECV */
#define WIRE_WRITE	  0x1000
#define WIRE_READ	  0x2000  /* READ request or its responses */
#define WIRE_XRCETH	  0x4000  /* annex A14.3.1: requests of XRC */
#define WIRE_ATOMIC_WRITE 0x8000  /* annex A19 */
#define WIRE_FETH	  0x10000 /* annex A19: a FLUSH */

/* FETH: the bits of ibv_placement_type, and above them the two of ibv_selectivity_level, as in
 * rdma_rxe; Wireshark 4.4 reads the level one bit lower. */
#define FETH(type, level) ((uint32_t)((type)&15) | (uint32_t)((level)&3) << 4)
#define FETH_TYPE(feth)	  ((feth)&15)
#define FETH_LEVEL(feth)  ((feth) >> 4 & 3)

struct opcode {
	uint8_t code; /* as in the BTH, with the transport */
	const char *name;
	unsigned flags;
	unsigned header; /* bytes up to the payload, the BTH included */
};

/* The entry of an opcode; NULL: this device does not implement it. */
const struct opcode *opcode_find(uint8_t code);
/* Finds an opcode by its name, in upper or lower case: "RC_SEND_ONLY", "UD_SEND_ONLY". A name
 * without a transport is that of RC: "ACK". NULL: there is none. */
const struct opcode *opcode_named(const char *name);

/* AETH syndromes: table 44. */
#define AETH_ACK	   0x1f /* ACK, no limit of credits */
#define AETH_RNR	   0x20 /* | timer code of table 46 */
#define AETH_NAK_SEQUENCE  0x60
#define AETH_NAK_INVALID   0x61	      /* invalid request */
#define AETH_NAK_ACCESS	   0x62	      /* remote access error */
#define AETH_NAK_OPERATION 0x63	      /* remote operational error */
#define AETH_CLASS(s)	   ((s)&0x60) /* 0x00 ACK, 0x20 RNR NAK, 0x60 NAK */

struct packet {
	/* IPv4 addresses are mapped into IPv6 (::ffff:a.b.c.d), as GIDs are. */
	union ibv_gid src, dst;
	uint32_t scope;	      /* interface index of link-local addresses and groups, else 0 */
	uint16_t sport;	      /* UDP source port */
	uint8_t tclass, hops; /* DSCP and ECN; TTL or hop limit: of what was received */

	const struct opcode *op;
	bool solicited, migreq, ackreq;
	uint16_t pkey;
	uint32_t qpn, psn;

	uint64_t va;		/* RETH, AtomicETH */
	uint32_t rkey;		/* RETH, AtomicETH, IETH */
	uint32_t dma_len;	/* RETH */
	uint64_t swap_add;	/* AtomicETH */
	uint64_t compare;	/* AtomicETH */
	uint64_t original;	/* AtomicAckETH */
	uint8_t syndrome;	/* AETH */
	uint32_t msn;		/* AETH */
	__be32 imm;		/* ImmDt */
	uint32_t qkey, src_qpn; /* DETH */
	uint32_t srqn;		/* XRCETH */
	uint32_t feth;		/* FETH */

	/* only of packets that are sent, and not on the wire: the sending QP, or 0, and the work
	 * request, for the tap */
	uint32_t own_qpn;
	bool has_wr_id;
	uint64_t wr_id;

	const uint8_t *payload; /* in the buffer that was parsed; not used for building */
	uint32_t len;		/* bytes of payload, without the pad */
};

/* Reads the headers of a UDP payload of n bytes into p. n includes the ICRC, which is not checked
 * here. The addresses, and the fields of headers that the opcode does not have, stay as they are.
 * 0, or -1: too short, too long, no multiple of four bytes, an unknown opcode or transport version,
 * payload or pad where none is allowed, or a pad longer than the payload. */
int packet_parse(struct packet *p, const uint8_t *data, size_t n);

/* Writes the headers of p to buf (HEADERS_MAX bytes) and returns their length. The payload of
 * p->len bytes, packet_pad() zeros and the ICRC follow. */
size_t packet_build(const struct packet *p, uint8_t *buf);

/* IPv4 addresses are GIDs as ::ffff:a.b.c.d. */
static inline bool gid_is_ipv4(const union ibv_gid *gid)
{
	return IN6_IS_ADDR_V4MAPPED((const struct in6_addr *)gid);
}

/* addr: four bytes in network order, at any alignment. */
static inline void gid_of_ipv4(union ibv_gid *gid, const void *addr)
{
	memset(gid, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	memcpy(gid->raw + 12, addr, 4);
}

static inline bool gid_equal(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

static inline unsigned packet_pad(uint32_t len)
{
	return -len & 3;
}

/* a - b of PSNs: negative if a comes before b. 9.7.1: half of the 2^24 PSNs are ahead. */
static inline int32_t psn_diff(uint32_t a, uint32_t b)
{
	return (int32_t)((a - b) << 8) >> 8;
}

static inline uint32_t psn_add(uint32_t psn, uint32_t n)
{
	return (psn + n) & PSN_MASK;
}

/*
 * The invariant CRC of RoCEv2 packets: annex A17.3.3.
 *
 * It also covers the IP and UDP headers, in which fields that routers change are replaced by ones.
 * The identification of an IPv4 header is not among these, and a UDP socket does not show it. So
 * the check is made modulo that field, which is possible because the CRC is linear.
 */

/* The ICRC of the UDP payload data[0..n) (headers, payload and pad; at least a BTH) as a number:
 * its least significant byte is the first on the wire. ip_id: the identification that the sender's
 * kernel will write to an IPv4 header (0 for a packet of an unconnected socket with DF set). */
uint32_t icrc_of(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		 const uint8_t *data, size_t n, uint16_t ip_id);

/* Is the ICRC at the end of data[0..n) right for any identification, with or without DF? *ip_id:
 * the identification to try first; if the ICRC is right, the one that was found (0 for IPv6). */
bool icrc_valid(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		const uint8_t *data, size_t n, uint16_t *ip_id);

/* Writes the IP header (20 or 40 bytes) and the UDP header of a payload of n bytes to buf (48
 * bytes), as a capture would have them. Returns their length. */
size_t icrc_ip_udp(uint8_t *buf, const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		   size_t n, uint16_t ip_id, uint8_t tclass, uint8_t hops);

#endif
