// SPDX-License-Identifier: MIT
#include "decode.h"

#include <string.h>

#include "bytes.h"

#define UDP_BYTES  8
#define IP6_BYTES  40
#define IPPROTO	   17 /* UDP */
#define FRAGMENTED 0x3fff

static void map_ipv4(union ibv_gid *gid, const uint8_t *b)
{
	memset(gid->raw, 0, 10);
	memset(gid->raw + 10, 0xff, 2);
	memcpy(gid->raw + 12, b, 4);
}

/* The IP header: its length, or 0. */
static size_t read_ip(struct packet *p, const uint8_t *ip, size_t n)
{
	size_t head;

	if (n >= 20 && ip[0] >> 4 == 4) {
		head = (size_t)(ip[0] & 15) * 4;
		if (head < 20 || ip[9] != IPPROTO || get_be16(ip + 6) & FRAGMENTED)
			return 0;
		map_ipv4(&p->src, ip + 12);
		map_ipv4(&p->dst, ip + 16);
		p->tclass = ip[1];
		p->hops = ip[8];
		return head;
	}
	if (n < IP6_BYTES || ip[0] >> 4 != 6 || ip[6] != IPPROTO)
		return 0;
	memcpy(p->src.raw, ip + 8, 16);
	memcpy(p->dst.raw, ip + 24, 16);
	p->tclass = (uint8_t)(get_be16(ip) >> 4);
	p->hops = ip[7];
	return IP6_BYTES;
}

static const char *why_malformed(const uint8_t *data, size_t n)
{
	if (n < BTH_BYTES + ICRC_BYTES)
		return "too short for a BTH and an ICRC";
	if (data[1] & 15)
		return "unknown transport version";
	if (!opcode_find(data[0]))
		return "unknown opcode";
	return "its length does not fit its opcode";
}

static void read_mad(struct decoded *d)
{
	const struct packet *p = &d->p;

	if (!(p->op->flags & WIRE_DETH) || p->qpn != GSI_QPN ||
	    mad_parse(&d->mad, p->payload, p->len))
		return;
	d->is_cm = true;
	if (d->mad.attr == MAD_REQ || d->mad.attr == MAD_SIDR_REQ)
		d->has_ip = mad_ip_parse(&d->ip, d->mad.data) == 0;
}

int decode_ip(struct decoded *d, const uint8_t *ip, size_t n)
{
	const uint8_t *udp;
	size_t head, len;

	memset(d, 0, sizeof(*d));
	head = read_ip(&d->p, ip, n);
	if (!head || n < head + UDP_BYTES)
		return -1;
	udp = ip + head;
	d->p.sport = get_be16(udp);
	d->dport = get_be16(udp + 2);
	len = get_be16(udp + 4);
	if (d->dport != ROCE_PORT)
		return -1;
	d->data = udp + UDP_BYTES;
	d->n = n - head - UDP_BYTES;
	if (len < UDP_BYTES || len - UDP_BYTES > d->n) {
		d->malformed = "cut off";
		return 0;
	}
	d->n = len - UDP_BYTES;
	if (packet_parse(&d->p, d->data, d->n) != 0) {
		d->malformed = why_malformed(d->data, d->n);
		d->p.op = NULL;
		return 0;
	}
	read_mad(d);
	return 0;
}
