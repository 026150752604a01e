// SPDX-License-Identifier: MIT
/* The ICRC, judged by captures of kernel rdma_rxe: what it sent, and what it accepted. */
#include "packet.h"

#include "bytes.h"
#include "read_capture.h"
#include "checks.h"

static uint32_t wire_icrc(const struct captured *c)
{
	const uint8_t *b = c->data + c->len - ICRC_BYTES;

	return b[0] | b[1] << 8 | b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool valid(const struct captured *c, const uint8_t *data, uint16_t *id)
{
	return icrc_valid(&c->src, &c->dst, c->sport, data, c->len, id);
}

/* Every bit of the payload: who flips one makes the ICRC wrong (but for the byte that it
 * does not cover). For IPv4 15 bits are left to tell: at some place in 1,000 bytes a flipped
 * bit looks like another identification. */
static unsigned count_passing_flips(const struct captured *c)
{
	uint8_t data[PACKET_MAX];
	unsigned passed = 0;

	memcpy(data, c->data, c->len);
	for (size_t bit = 0; bit < c->len * 8; bit++) {
		uint16_t id = 0;
		bool ok;

		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		ok = valid(c, data, &id);
		data[bit / 8] ^= (uint8_t)(1 << bit % 8);
		if (bit / 8 == 4)
			CHECK(ok);
		else
			passed += ok;
	}
	return passed;
}

static void check_capture(const char *dir, const char *name, unsigned want_v4, unsigned want_v6)
{
	unsigned n = 0, v4 = 0, passed = 0;
	uint64_t bits = 0;
	struct captured c;

	capture_open(dir, name);
	while (capture_next(&c)) {
		bool is_v4 = c.ip[0] >> 4 == 4;
		uint8_t head[48];
		uint16_t id = 0xdead;
		size_t hn;

		CHECK_INT(icrc_of(&c.src, &c.dst, c.sport, c.data, c.len - ICRC_BYTES, c.ip_id),
			  wire_icrc(&c));
		CHECK(valid(&c, c.data, &id));
		CHECK_INT(id, c.ip_id);
		hn = icrc_ip_udp(head, &c.src, &c.dst, c.sport, c.len, c.ip_id, c.tclass, c.hops);
		CHECK_INT(hn, (is_v4 ? 20 : 40) + 8);
		if (is_v4)
			CHECK(memcmp(head, c.ip, 26) == 0); /* up to the checksum of UDP */
		else
			CHECK(memcmp(head + 4, c.ip + 4, 42) == 0); /* but for the flow label */
		if (n % 16 == 0) {
			unsigned k = count_passing_flips(&c);

			CHECK(k <= is_v4);
			passed += k;
			bits += c.len * 8;
		}
		v4 += is_v4;
		n++;
	}
	CHECK_INT(v4, want_v4);
	CHECK_INT(n - v4, want_v6);
	printf("%s: %u packets; %u of %llu flipped bits passed\n", name, n, passed,
	       (unsigned long long)bits);
}

/* With any identification, with and without DF: what a kernel may write for other senders. */
static void check_ids(const char *dir)
{
	struct captured c;
	uint8_t data[PACKET_MAX];
	unsigned n = 0;

	capture_open(dir, "rxe-gold.pcap");
	while (capture_next(&c) && n < 40) {
		uint32_t at_zero, at_id;
		uint16_t want = (uint16_t)(n * 1709 + 1), got = (uint16_t)(n * 77);

		if (c.ip[0] >> 4 != 4)
			continue;
		memcpy(data, c.data, c.len);
		at_zero = icrc_of(&c.src, &c.dst, c.sport, data, c.len - 4, 0);
		at_id = icrc_of(&c.src, &c.dst, c.sport, data, c.len - 4, want);
		CHECK(at_zero != at_id);
		for (unsigned i = 0; i < 4; i++)
			data[c.len - 4 + i] = (uint8_t)(at_id >> 8 * i);
		CHECK(valid(&c, data, &got));
		CHECK_INT(got, want);
		n++;
	}
	CHECK_INT(n, 40);
}

/* Without DF: computed from the definition, bit by bit, apart from the code under test. */
static void check_without_df(const char *dir)
{
	struct captured c;
	uint8_t data[PACKET_MAX], whole[PACKET_MAX + 64];
	uint32_t crc = 0xffffffff;
	uint16_t id = 0;
	size_t n;

	capture_open(dir, "rxe-gold.pcap");
	CHECK(capture_next(&c));
	while (c.ip[0] >> 4 != 4)
		CHECK(capture_next(&c));
	memset(whole, 0xff, 8);
	n = 8 + c.ip_len - ICRC_BYTES;
	memcpy(whole + 8, c.ip, n - 8);
	whole[8 + 1] = whole[8 + 8] = whole[8 + 10] = whole[8 + 11] = 0xff; /* TOS, TTL, sum */
	put_be16(whole + 8 + 4, 0xbeef);				    /* identification */
	whole[8 + 6] = 0;						    /* DF */
	whole[8 + 26] = whole[8 + 27] = 0xff;				    /* UDP checksum */
	whole[8 + 28 + 4] = 0xff;					    /* BTH */
	for (size_t i = 0; i < n; i++) {
		crc ^= whole[i];
		for (int b = 0; b < 8; b++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	crc = ~crc;
	memcpy(data, c.data, c.len);
	for (unsigned i = 0; i < 4; i++)
		data[c.len - 4 + i] = (uint8_t)(crc >> 8 * i);
	CHECK(valid(&c, data, &id));
	CHECK_INT(id, 0xbeef);
	id = 0x1234;
	CHECK(valid(&c, data, &id));
	CHECK_INT(id, 0xbeef);
	data[c.len - 1] ^= 0x80;
	CHECK(!valid(&c, data, &id));
	c.len = BTH_BYTES + ICRC_BYTES - 1;
	CHECK(!valid(&c, data, &id));
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "data";

	check_capture(dir, "rxe-gold.pcap", 187, 2);
	check_capture(dir, "lab-v6.pcap", 0, 41);
	check_capture(dir, "uroce-rxe.pcap", 294, 106);
	check_ids(dir);
	check_without_df(dir);
	return checks_end();
}
