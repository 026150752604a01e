/* SPDX-License-Identifier: MIT */
#include <endian.h>
#include <isa-l/crc.h>
#include <string.h>

#include "rpc_packet.h"

#define MAGIC 0x52504331u /* "RPC1" */

enum offset { AT_MAGIC = 0, AT_KIND = 4, AT_FLAGS = 5, AT_LEN = 6, AT_SESSION = 8 };
enum offset_more {
	AT_SEQ = 16,
	AT_ACK = 20,
	AT_SACK = 24,
	AT_STAMP = 28,
	AT_ECHO = 32,
	AT_CRC = 36
};

static void put32(uint8_t *to, uint32_t v)
{
	v = htobe32(v);
	memcpy(to, &v, sizeof v);
}

static uint32_t get32(const uint8_t *from)
{
	uint32_t v;

	memcpy(&v, from, sizeof v);
	return be32toh(v);
}

/* crc32_iscsi() does not change what it reads, though its prototype does not say so. */
uint32_t rpc_packet_crc(const uint8_t *packet, size_t n)
{
	uint8_t head[RPC_HEAD];
	uint32_t crc;

	memcpy(head, packet, RPC_HEAD);
	put32(head + AT_CRC, 0);
	crc = crc32_iscsi(head, RPC_HEAD, UINT32_MAX);
	return ~crc32_iscsi((unsigned char *)(uintptr_t)(packet + RPC_HEAD), (int)(n - RPC_HEAD),
			    crc);
}

size_t rpc_packet_write(uint8_t *to, const struct rpc_packet *p)
{
	uint64_t session = htobe64(p->session);
	uint16_t len = htobe16(p->len);
	size_t n = RPC_HEAD + p->len;

	put32(to + AT_MAGIC, MAGIC);
	to[AT_KIND] = (uint8_t)p->kind;
	to[AT_FLAGS] = (uint8_t)p->flags;
	memcpy(to + AT_LEN, &len, sizeof len);
	memcpy(to + AT_SESSION, &session, sizeof session);
	put32(to + AT_SEQ, p->seq);
	put32(to + AT_ACK, p->ack);
	put32(to + AT_SACK, p->sack);
	put32(to + AT_STAMP, p->stamp);
	put32(to + AT_ECHO, p->echo);
	if (p->len)
		memcpy(to + RPC_HEAD, p->data, p->len);
	put32(to + AT_CRC, rpc_packet_crc(to, n));
	return n;
}

enum rpc_judgement rpc_packet_read(const uint8_t *from, size_t n, struct rpc_packet *p)
{
	uint64_t session;
	uint16_t len;

	if (n < RPC_HEAD || n > RPC_HEAD + UINT16_MAX || get32(from + AT_MAGIC) != MAGIC)
		return RPC_ALIEN;
	if (get32(from + AT_CRC) != rpc_packet_crc(from, n))
		return RPC_CORRUPT;
	memcpy(&len, from + AT_LEN, sizeof len);
	memcpy(&session, from + AT_SESSION, sizeof session);
	*p = (struct rpc_packet){ .kind = from[AT_KIND],
				  .flags = from[AT_FLAGS],
				  .session = be64toh(session),
				  .seq = get32(from + AT_SEQ),
				  .ack = get32(from + AT_ACK),
				  .sack = get32(from + AT_SACK),
				  .stamp = get32(from + AT_STAMP),
				  .echo = get32(from + AT_ECHO),
				  .data = from + RPC_HEAD,
				  .len = be16toh(len) };
	if (RPC_HEAD + p->len != n || p->flags & ~(unsigned)(RPC_FIRST | RPC_LAST))
		return RPC_MALFORMED;
	if (p->kind == RPC_ACK)
		return p->len || p->flags ? RPC_MALFORMED : RPC_GOOD;
	return p->kind == RPC_DATA && p->len ? RPC_GOOD : RPC_MALFORMED;
}
