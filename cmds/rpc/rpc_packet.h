/* SPDX-License-Identifier: MIT */
/*
 * The wire form of a packet of an rpc session: 40 bytes of head, highest byte first, and data.
 *
 *   0 magic "RPC1"   4 kind   5 flags   6 length of the data   8 session
 *  16 seq   20 ack   24 sack   28 stamp   32 echo
 *  36 CRC-32C of head and data, with this field zero
 */
#ifndef CMDS_RPC_PACKET_H
#define CMDS_RPC_PACKET_H

#include <stddef.h>
#include <stdint.h>

#define RPC_HEAD 40u

enum rpc_kind {
	RPC_DATA = 1, /* a piece of a message */
	RPC_ACK = 2,  /* nothing but ack and sack, which every packet has */
};

#define RPC_FIRST 0x1 /* begins a message */
#define RPC_LAST  0x2 /* ends it */

struct rpc_packet {
	enum rpc_kind kind;
	unsigned flags;	  /* RPC_FIRST | RPC_LAST */
	uint64_t session; /* chosen by the client */
	uint32_t seq;	  /* of this packet (DATA) */
	uint32_t ack;	  /* all before this one have come */
	uint32_t sack;	  /* bit n: so has ack + 1 + n */
	uint32_t stamp;	  /* when it was sent, us of the sender's clock; never 0 */
	uint32_t echo;	  /* stamp of the packet that this answers first; 0: none */
	const uint8_t *data;
	uint16_t len;
};

enum rpc_judgement {
	RPC_GOOD,
	RPC_ALIEN,     /* too short, or of another protocol */
	RPC_CORRUPT,   /* the checksum is wrong */
	RPC_MALFORMED, /* the checksum is right, and yet it cannot be */
};

/* Writes RPC_HEAD + p->len bytes; returns how many. */
size_t rpc_packet_write(uint8_t *to, const struct rpc_packet *p);
/* Reads n bytes that anyone may have sent; p->data points into them. */
enum rpc_judgement rpc_packet_read(const uint8_t *from, size_t n, struct rpc_packet *p);
/* CRC-32C (RFC 3720, B.4) of the packet with its own field taken as zero. */
uint32_t rpc_packet_crc(const uint8_t *packet, size_t n);

#endif
