// SPDX-License-Identifier: MIT
/* Packets: every one of the captures is parsed and built again; malformed ones are refused. */
#include "packet.h"

#include "bytes.h"
#include "read_capture.h"
#include "checks.h"

static bool seen[256];

/* Bytes of the BTH that say nothing: FECN, BECN and reserved bits. */
static void check_capture(const char *dir, const char *name)
{
	struct captured c;

	capture_open(dir, name);
	while (capture_next(&c)) {
		struct packet p = { .sport = c.sport };
		uint8_t built[HEADERS_MAX];
		size_t header;

		CHECK_INT(packet_parse(&p, c.data, c.len), 0);
		seen[p.op->code] = true;
		CHECK_INT(p.sport, c.sport);
		CHECK_INT(p.op->code, c.data[0]);
		header = packet_build(&p, built);
		CHECK_INT(header, p.op->header);
		CHECK(memcmp(built, c.data, header) == 0);
		CHECK(p.payload == c.data + header);
		CHECK_INT(header + p.len + packet_pad(p.len) + ICRC_BYTES, c.len);
	}
}

static void check_opcodes(void)
{
	/* the bytes up to the payload, of the opcodes that there are */
	static const uint8_t header[256] = {
		[0x00] = 12, [0x01] = 12, [0x02] = 12, [0x03] = 16, [0x04] = 12, [0x05] = 16,
		[0x06] = 28, [0x07] = 12, [0x08] = 12, [0x09] = 16, [0x0a] = 28, [0x0b] = 32,
		[0x0c] = 28, [0x0d] = 16, [0x0e] = 12, [0x0f] = 16, [0x10] = 16, [0x11] = 16,
		[0x12] = 24, [0x13] = 40, [0x14] = 40, [0x16] = 16, [0x17] = 16, [0x1c] = 32,
		[0x1d] = 28, [0x20] = 12, [0x21] = 12, [0x22] = 12, [0x23] = 16, [0x24] = 12,
		[0x25] = 16, [0x26] = 28, [0x27] = 12, [0x28] = 12, [0x29] = 16, [0x2a] = 28,
		[0x2b] = 32, [0x64] = 20, [0x65] = 24, [0x81] = 12, [0xa0] = 16, [0xa1] = 16,
		[0xa2] = 16, [0xa3] = 20, [0xa4] = 16, [0xa5] = 20, [0xa6] = 32, [0xa7] = 16,
		[0xa8] = 16, [0xa9] = 20, [0xaa] = 32, [0xab] = 36, [0xac] = 32, [0xad] = 16,
		[0xae] = 12, [0xaf] = 16, [0xb0] = 16, [0xb1] = 16, [0xb2] = 24, [0xb3] = 44,
		[0xb4] = 44, [0xb6] = 20, [0xb7] = 20,
	};

	for (unsigned i = 0; i < 256; i++) {
		const struct opcode *op = opcode_find((uint8_t)i);

		CHECK_INT(op ? op->header : 0, header[i]);
		if (!op)
			continue;
		CHECK_INT(op->code, i);
		CHECK(opcode_named(op->name) == op);
		CHECK(op->header <= HEADERS_MAX);
		CHECK(!!strstr(op->name, "FIRST") + !!strstr(op->name, "LAST") +
			      !!strstr(op->name, "MIDDLE") <=
		      1);
		CHECK(!strstr(op->name, "MIDDLE") == !!(op->flags & (WIRE_FIRST | WIRE_LAST)));
	}
	CHECK_INT(opcode_named("ack")->code, OP_ACK);
	CHECK_INT(opcode_named("UC_SEND_ONLY")->code, OPCODE_UC + OP_SEND_ONLY);
	CHECK_INT(opcode_named("UD_SEND_ONLY_IMM")->code, 0x65);
	CHECK(!opcode_named("UD_ACK"));
	CHECK(!opcode_named("P"));
	CHECK(!opcode_named(""));
}

/* A header with a value in every field that an opcode can have, for all opcodes. */
static void check_fields(void)
{
	for (unsigned i = 0; i < 256; i++) {
		struct packet p = {
			.op = opcode_find((uint8_t)i),
			.solicited = i & 1,
			.migreq = i & 2,
			.ackreq = i & 4,
			.pkey = 0x8123,
			.qpn = 0xabcdef,
			.psn = 0xfedcba,
			.va = 0x0123456789abcdef,
			.rkey = 0x89abcdef,
			.dma_len = 0x76543210,
			.swap_add = 0xfedcba9876543210,
			.compare = 0x1122334455667788,
			.original = 0x99aabbccddeeff00,
			.syndrome = 0x62,
			.msn = 0x345678,
			.imm = htobe32(0xcafebabe),
			.qkey = 0x80010000,
			.src_qpn = 0x654321,
			.srqn = 0x135790,
			.feth = 0x89abcd13,
		};
		struct packet q = p;
		uint8_t data[HEADERS_MAX + 4 + ICRC_BYTES] = { 0 };
		size_t n;

		if (!p.op)
			continue;
		p.len = p.op->flags & WIRE_PAYLOAD ? 1 + i % 4 : 0;
		n = packet_build(&p, data) + p.len + packet_pad(p.len) + ICRC_BYTES;
		CHECK_INT(packet_parse(&q, data, n), 0);
		CHECK_INT(q.len, p.len);
		CHECK(q.payload == data + p.op->header);
		q.payload = NULL;
		CHECK(memcmp(&p, &q, sizeof(p)) == 0);
	}
}

static void expect(bool ok, const uint8_t *data, size_t n, const char *what)
{
	struct packet p = { 0 };
	uint8_t *exact = malloc(n ? n : 1); /* so that a sanitizer sees reads beyond the end */

	memcpy(exact, data, n);
	if (packet_parse(&p, exact, n) != (ok ? 0 : -1)) {
		fprintf(stderr, "%s: %s\n", what, ok ? "was refused" : "was taken");
		exit(1);
	}
	if (ok)
		CHECK(p.payload + p.len <= exact + n - ICRC_BYTES);
	checks_passed++;
	free(exact);
}

static void check_malformed(void)
{
	static uint8_t data[PACKET_MAX + 64];

	memset(data, 0, sizeof(data));
	data[0] = OP_SEND_ONLY;
	for (size_t n = 0; n < 16; n++)
		expect(false, data, n, "shorter than BTH and ICRC");
	expect(true, data, 16, "an empty SEND");
	expect(false, data, 17, "a length that is no multiple of 4");
	expect(true, data, 20, "a SEND of 4 bytes");
	data[1] = 0x30;
	expect(false, data, 16, "a pad without payload");
	expect(true, data, 20, "a SEND of 1 byte");
	data[1] = 0x01;
	expect(false, data, 20, "another transport version");
	data[1] = 0;
	expect(true, data, 12 + MTU_MAX + 4, "the largest SEND");
	expect(false, data, 12 + MTU_MAX + 8, "more than the largest MTU");
	expect(false, data, sizeof(data), "far more than the largest MTU");

	for (unsigned i = 0; i < 256; i++) {
		const struct opcode *op = opcode_find((uint8_t)i);

		data[0] = (uint8_t)i;
		if (!op) {
			expect(false, data, 64, "an unknown opcode");
			continue;
		}
		for (size_t n = 0; n < op->header + ICRC_BYTES; n++)
			expect(false, data, n, "a truncated header");
		expect(true, data, op->header + ICRC_BYTES, op->name);
		expect(op->flags & WIRE_PAYLOAD, data, op->header + 4 + ICRC_BYTES, op->name);
	}
}

static void check_psns(void)
{
	CHECK_INT(psn_diff(5, 3), 2);
	CHECK_INT(psn_diff(0, PSN_MASK), 1);
	CHECK_INT(psn_diff(PSN_MASK, 0), -1);
	CHECK_INT(psn_diff(0x7fffff, 0), 0x7fffff);
	CHECK_INT(psn_diff(0x800000, 0), -0x800000);
	CHECK_INT(psn_add(0xfffffe, 3), 1);
	for (uint32_t n = 0; n < 5; n++)
		CHECK_INT((n + packet_pad(n)) % 4, 0);
}

int main(int argc, char **argv)
{
	const char *dir = argc > 1 ? argv[1] : "data";
	unsigned kinds = 0;

	check_capture(dir, "rxe-gold.pcap");
	check_capture(dir, "lab-v6.pcap");
	check_capture(dir, "uroce-rxe.pcap");
	for (unsigned i = 0; i < 256; i++)
		kinds += seen[i];
	printf("%u opcodes in the captures\n", kinds);
	CHECK(kinds >= 15);
	check_opcodes();
	check_fields();
	check_malformed();
	check_psns();
	return checks_end();
}
