// SPDX-License-Identifier: MIT
/*
 * The invariant CRC: annex A17.3.3. Its polynomial is that of Ethernet: volume 1, 7.8.1.
 *
 * The CRC covers eight bytes of ones (where InfiniBand has its local route header), the IP header,
 * the UDP header and the payload, with ones in place of fields that may change on the way.
 */
#include "packet.h"

#include <libdeflate.h>

#include "bytes.h"

#define LRH_BYTES  8
#define IPV4_BYTES 20
#define IPV6_BYTES 40
#define UDP_BYTES  8
#define PROTO_UDP  17
#define IPV4_DF	   0x4000

static uint8_t *put_ipv4(uint8_t *b, const union ibv_gid *src, const union ibv_gid *dst, size_t n,
			 uint16_t id, uint8_t tos, uint8_t ttl, uint16_t sum)
{
	b[0] = 0x45;
	b[1] = tos;
	put_be16(b + 2, (uint16_t)(IPV4_BYTES + UDP_BYTES + n));
	put_be16(b + 4, id);
	put_be16(b + 6, IPV4_DF);
	b[8] = ttl;
	b[9] = PROTO_UDP;
	put_be16(b + 10, sum);
	memcpy(b + 12, src->raw + 12, 4);
	memcpy(b + 16, dst->raw + 12, 4);
	return b + IPV4_BYTES;
}

static uint8_t *put_ipv6(uint8_t *b, const union ibv_gid *src, const union ibv_gid *dst, size_t n,
			 uint32_t flow, uint8_t hops)
{
	put_be32(b, 0x60000000u | flow);
	put_be16(b + 4, (uint16_t)(UDP_BYTES + n));
	b[6] = PROTO_UDP;
	b[7] = hops;
	memcpy(b + 8, src, 16);
	memcpy(b + 24, dst, 16);
	return b + IPV6_BYTES;
}

static uint8_t *put_udp(uint8_t *b, uint16_t sport, size_t n, uint16_t sum)
{
	put_be16(b, sport);
	put_be16(b + 2, ROCE_PORT);
	put_be16(b + 4, (uint16_t)(UDP_BYTES + n));
	put_be16(b + 6, sum);
	return b + UDP_BYTES;
}

/* n: the length of the UDP payload on the wire, with the ICRC; data is 4 bytes shorter. */
static uint32_t crc_of(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		       const uint8_t *data, size_t n, uint16_t id)
{
	uint8_t head[LRH_BYTES + IPV6_BYTES + UDP_BYTES + BTH_BYTES];
	uint8_t *b = head + LRH_BYTES;
	uint32_t crc;

	memset(head, 0xff, LRH_BYTES);
	if (gid_is_ipv4(dst))
		b = put_ipv4(b, src, dst, n, id, 0xff, 0xff, 0xffff);
	else
		b = put_ipv6(b, src, dst, n, 0x0fffffff, 0xff);
	b = put_udp(b, sport, n, 0xffff);
	memcpy(b, data, BTH_BYTES);
	b[4] = 0xff; /* FECN, BECN and reserved bits */
	b += BTH_BYTES;
	crc = libdeflate_crc32(0, head, (size_t)(b - head));
	return libdeflate_crc32(crc, data + BTH_BYTES, n - BTH_BYTES - ICRC_BYTES);
}

uint32_t icrc_of(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		 const uint8_t *data, size_t n, uint16_t ip_id)
{
	return crc_of(src, dst, sport, data, n + ICRC_BYTES, ip_id);
}

/*
 * The CRC register is an element of GF(2)[x] modulo the polynomial: each zero bit multiplies it by
 * x. Bits are reflected, as in the CRC itself: bit 31 is the constant term.
 */
#define POLYNOMIAL 0xedb88320u
#define ONE	   0x80000000u

static uint32_t times_x(uint32_t a)
{
	return a >> 1 ^ (POLYNOMIAL & -(a & 1));
}

static uint32_t over_x(uint32_t a)
{
	return a & ONE ? (a ^ POLYNOMIAL) << 1 | 1 : a << 1;
}

static uint32_t times(uint32_t a, uint32_t b)
{
	uint32_t r = 0;

	for (; b; b <<= 1, a = times_x(a))
		r ^= a & -(b >> 31);
	return r;
}

/* x to the power of -8 n, which undoes n zero bytes. */
static uint32_t undo_bytes(size_t n)
{
	uint32_t r = ONE, power = ONE;

	for (int i = 0; i < 8; i++)
		power = over_x(power);
	for (; n; n >>= 1, power = times(power, power))
		if (n & 1)
			r = times(r, power);
	return r;
}

/* Returns what must be xored into the 32-bit word that has the identification and the flags to
 * change the CRC by diff; n bytes of payload follow the headers. */
static uint32_t id_word(uint32_t diff, size_t n)
{
	return times(diff, undo_bytes(4 + IPV4_BYTES - 8 + UDP_BYTES + n)); /* 4: the word itself */
}

bool icrc_valid(const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		const uint8_t *data, size_t n, uint16_t *ip_id)
{
	uint32_t diff, word = 0, wire;

	if (n < BTH_BYTES + ICRC_BYTES)
		return false;
	memcpy(&wire, data + n - ICRC_BYTES, sizeof(wire));
	if (!gid_is_ipv4(dst))
		*ip_id = 0;
	diff = crc_of(src, dst, sport, data, n, *ip_id) ^ le32toh(wire);
	if (diff) {
		if (!gid_is_ipv4(dst))
			return false;
		/* the first byte on the wire is the lowest: identification, then flags */
		word = id_word(diff, n - ICRC_BYTES);
		if (word >> 16 != 0 && word >> 16 != IPV4_DF >> 8)
			return false;
	}
	*ip_id ^= (uint16_t)(word << 8 | (word >> 8 & 0xff));
	return true;
}

/* The checksum of a header whose own field is zero: RFC 1071. */
static uint16_t header_sum(const uint8_t *b, size_t n)
{
	uint32_t sum = 0;

	for (size_t i = 0; i < n; i += 2)
		sum += get_be16(b + i);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t) ~(sum + (sum >> 16));
}

size_t icrc_ip_udp(uint8_t *buf, const union ibv_gid *src, const union ibv_gid *dst, uint16_t sport,
		   size_t n, uint16_t ip_id, uint8_t tclass, uint8_t hops)
{
	uint8_t *b;

	if (gid_is_ipv4(dst)) {
		b = put_ipv4(buf, src, dst, n, ip_id, tclass, hops, 0);
		put_be16(buf + 10, header_sum(buf, IPV4_BYTES));
	} else {
		b = put_ipv6(buf, src, dst, n, (uint32_t)tclass << 20, hops);
	}
	return (size_t)(put_udp(b, sport, n, 0) - buf);
}
