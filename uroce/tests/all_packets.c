// SPDX-License-Identifier: MIT
/* Writes a capture of every opcode and every message of the connection manager to a file, with
 * all fields drawn at random, over IPv4 and IPv6: for what reads captures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "packet.h"
#include "mad.h"
#include "tap.h"

#define EACH 12

static uint64_t state;
static int file;

static uint64_t draw(void)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return state >> 32 ^ state << 32;
}

static void draw_bytes(void *to, size_t n)
{
	uint8_t *b = to;

	while (n--)
		*b++ = (uint8_t)draw();
}

static void draw_addresses(struct packet *p, bool v6)
{
	if (v6) {
		draw_bytes(&p->src, 16);
		draw_bytes(&p->dst, 16);
		p->src.raw[0] = p->dst.raw[0] = 0xfd;
		return;
	}
	memset(p->src.raw, 0, 10);
	memset(p->src.raw + 10, 0xff, 2);
	p->dst = p->src;
	for (unsigned i = 12; i < 16; i++) {
		p->src.raw[i] = (uint8_t)(draw() % 250 + 1);
		p->dst.raw[i] = (uint8_t)(draw() % 250 + 1);
	}
}

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

/* data: headers, payload and pad; n bytes, with room for the ICRC. */
static void write_packet(const struct packet *p, uint8_t *data, size_t n)
{
	uint8_t whole[48 + PACKET_MAX];
	struct uroce_packet u = { .time = 1000000000ull * 1700000000 + draw() % 1000000,
				  .out = draw() & 1,
				  .ip = whole };
	uint32_t icrc = htole32(icrc_of(&p->src, &p->dst, p->sport, data, n, 0));
	size_t head;

	memcpy(data + n, &icrc, ICRC_BYTES);
	n += ICRC_BYTES;
	head = icrc_ip_udp(whole, &p->src, &p->dst, p->sport, n, 0, p->tclass, p->hops);
	memcpy(whole + head, data, n);
	u.len = head + n;
	if (pcapng_write(file, &u) != 0)
		fail("pcapng_write");
}

static void draw_packet(struct packet *p, const struct opcode *op, bool v6)
{
	memset(p, 0, sizeof(*p));
	draw_addresses(p, v6);
	p->op = op;
	p->sport = (uint16_t)(0xc000 | draw());
	p->tclass = (uint8_t)(draw() & 0xfc);
	p->hops = (uint8_t)(draw() | 1);
	p->solicited = draw() & 1;
	p->migreq = draw() & 1;
	p->ackreq = draw() & 1;
	p->pkey = (uint16_t)draw();
	p->qpn = (uint32_t)(draw() & PSN_MASK) | 2; /* neither QP 0 nor 1 */
	p->psn = (uint32_t)(draw() & PSN_MASK);
	p->va = draw();
	p->rkey = (uint32_t)draw();
	p->dma_len = (uint32_t)draw();
	p->swap_add = draw();
	p->compare = draw();
	p->original = draw();
	p->syndrome = (uint8_t)draw() & 0x7f;
	p->msn = (uint32_t)(draw() & PSN_MASK);
	p->imm = (__be32)draw();
	p->qkey = (uint32_t)draw();
	p->src_qpn = (uint32_t)(draw() & PSN_MASK);
	p->srqn = (uint32_t)(draw() & PSN_MASK);
	p->feth = (uint32_t)draw();
	if (op->flags & WIRE_PAYLOAD)
		p->len = op->code == OP_CNP ? 16 : (uint32_t)(draw() % 100);
}

static void write_opcode(const struct opcode *op, bool v6)
{
	uint8_t data[PACKET_MAX] = { 0 };
	struct packet p;
	size_t n;

	draw_packet(&p, op, v6);
	n = packet_build(&p, data);
	draw_bytes(data + n, p.len);
	data[n] &= 0x7f; /* 0xc.: tshark takes a datagram for EoIB */
	write_packet(&p, data, n + p.len + packet_pad(p.len));
}

static void write_mad(enum mad_attr attr, bool v6)
{
	uint8_t data[PACKET_MAX] = { 0 };
	struct packet p;
	struct mad m;
	struct mad_ip ip = { .sport = (uint16_t)draw() };
	size_t n;

	draw_packet(&p, opcode_find(OPCODE_UD + OP_SEND_ONLY), v6);
	p.qpn = p.src_qpn = GSI_QPN;
	p.qkey = GSI_QKEY;
	p.len = MAD_BYTES;
	draw_bytes(&m, sizeof(m));
	m.attr = attr;
	ip.src = p.src;
	ip.dst = p.dst;
	if (attr == MAD_REQ) {
		m.req.sgid = p.src;
		m.req.dgid = p.dst;
		m.req.service = service_id(0x0106, (uint16_t)draw()); /* TCP */
	}
	if (attr == MAD_REQ || attr == MAD_SIDR_REQ)
		mad_ip_build(m.data, &ip);
	n = packet_build(&p, data);
	mad_build(data + n, &m);
	write_packet(&p, data, n + MAD_BYTES);
}

int main(int argc, char **argv)
{
	unsigned opcodes = 0, messages = 0;

	if (argc != 3) {
		fprintf(stderr, "usage: all_packets FILE SEED\n");
		return 2;
	}
	state = strtoull(argv[2], NULL, 0);
	file = pcapng_open(argv[1], UROCE_DEVICE, false);
	if (file < 0)
		fail(argv[1]);
	for (unsigned code = 0; code < 256; code++) {
		if (!opcode_find((uint8_t)code))
			continue;
		for (unsigned i = 0; i < EACH; i++)
			write_opcode(opcode_find((uint8_t)code), i & 1);
		opcodes++;
	}
	for (enum mad_attr attr = MAD_REQ; attr < MAD_END; attr++, messages++)
		for (unsigned i = 0; i < EACH; i++)
			write_mad(attr, i & 1);
	close(file);
	printf("%u opcodes, %u messages, %u of each\n", opcodes, messages, EACH);
	return 0;
}
