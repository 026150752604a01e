// SPDX-License-Identifier: MIT
/*
 * MADs to structures and back, by a table of fields. InfiniBand specification volume 1,
 * 12.6: the figures there give bytes and bits from the end of the MAD header.
 */
#include <string.h>

#include "bytes.h"
#include "gid.h"
#include "mad.h"

#define HEADER_BYTES 24
#define BODY_BYTES   (MAD_BYTES - HEADER_BYTES)

/* 13.4.3: base version, class (communication management), class version, method Send() */
static const uint8_t head[] = { 1, 7, 2, 3 };

struct mad_field {
	uint16_t bit;	   /* from the end of the header, the most significant first */
	uint16_t width;	   /* bits; more than 64: whole bytes that are copied */
	uint16_t at, size; /* in struct mad */
};

/* BITS(byte, bit in it, width, member) */
#define BITS(byte, first, w, member)                                     \
	{                                                                \
		(byte) * 8 + (first), (w), offsetof(struct mad, member), \
			sizeof(((struct mad *)0)->member)                \
	}
#define BYTES(byte, n, member) BITS(byte, 0, (n)*8, member)

static const struct mad_field req_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(8, 8, req.service),
	BYTES(16, 8, req.guid),
	BYTES(28, 4, req.qkey),
	BYTES(32, 3, req.qpn),
	BYTES(35, 1, req.responder_resources),
	BYTES(39, 1, req.initiator_depth),
	BITS(43, 0, 5, req.remote_timeout),
	BITS(43, 5, 2, req.transport),
	BITS(43, 7, 1, req.flow_control),
	BYTES(44, 3, req.psn),
	BITS(47, 0, 5, req.local_timeout),
	BITS(47, 5, 3, req.retry_count),
	BYTES(48, 2, req.pkey),
	BITS(50, 0, 4, req.mtu),
	BITS(50, 4, 1, req.rdc),
	BITS(50, 5, 3, req.rnr_retry_count),
	BITS(51, 0, 4, req.max_retries),
	BITS(51, 4, 1, req.srq),
	BITS(51, 5, 3, req.extended),
	BYTES(52, 2, req.slid),
	BYTES(54, 2, req.dlid),
	BYTES(56, 16, req.sgid),
	BYTES(72, 16, req.dgid),
	BITS(88, 0, 20, req.flow_label),
	BITS(91, 2, 6, req.rate),
	BYTES(92, 1, req.tclass),
	BYTES(93, 1, req.hops),
	BITS(94, 0, 4, req.sl),
	BITS(94, 4, 1, req.subnet_local),
	BITS(95, 0, 5, req.ack_timeout),
};

static const struct mad_field mra_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(4, 4, remote_id),
	BITS(8, 0, 2, mra.about),
	BITS(9, 0, 5, mra.timeout),
};

static const struct mad_field rej_fields[] = {
	BYTES(0, 4, local_id),	     BYTES(4, 4, remote_id),   BITS(8, 0, 2, rej.about),
	BITS(9, 0, 7, rej.info_len), BYTES(10, 2, rej.reason), BYTES(12, MAD_ARI_BYTES, rej.info),
};

static const struct mad_field rep_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(4, 4, remote_id),
	BYTES(8, 4, rep.qkey),
	BYTES(12, 3, rep.qpn),
	BYTES(20, 3, rep.psn),
	BYTES(24, 1, rep.responder_resources),
	BYTES(25, 1, rep.initiator_depth),
	BITS(26, 0, 5, rep.ack_delay),
	BITS(26, 5, 2, rep.failover),
	BITS(26, 7, 1, rep.flow_control),
	BITS(27, 0, 3, rep.rnr_retry_count),
	BITS(27, 3, 1, rep.srq),
	BYTES(28, 8, rep.guid),
};

/* RTU, DREP */
static const struct mad_field ids_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(4, 4, remote_id),
};

static const struct mad_field dreq_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(4, 4, remote_id),
	BYTES(8, 3, dreq.remote_qpn),
};

static const struct mad_field sidr_req_fields[] = {
	BYTES(0, 4, local_id),
	BYTES(4, 2, sidr_req.pkey),
	BYTES(8, 8, sidr_req.service),
};

static const struct mad_field sidr_rep_fields[] = {
	BYTES(0, 4, remote_id),
	BYTES(4, 1, sidr_rep.status),
	BYTES(5, 1, sidr_rep.info_len),
	BYTES(8, 3, sidr_rep.qpn),
	BYTES(12, 8, sidr_rep.service),
	BYTES(20, 4, sidr_rep.qkey),
	BYTES(24, MAD_ARI_BYTES, sidr_rep.info),
};

struct format {
	const char *name;
	const struct mad_field *fields;
	unsigned nfields;
	unsigned private_at, private_len;
};

#define FORMAT(attr, fields, at, len)                                                         \
	[(attr)-MAD_REQ] = { &#attr[4], (fields), sizeof(fields) / sizeof((fields)[0]), (at), \
			     (len) }

static const struct format formats[] = {
	FORMAT(MAD_REQ, req_fields, 140, 92),
	FORMAT(MAD_MRA, mra_fields, 10, 222),
	FORMAT(MAD_REJ, rej_fields, 84, 148),
	FORMAT(MAD_REP, rep_fields, 36, 196),
	FORMAT(MAD_RTU, ids_fields, 8, 224),
	FORMAT(MAD_DREQ, dreq_fields, 12, 220),
	FORMAT(MAD_DREP, ids_fields, 8, 224),
	FORMAT(MAD_SIDR_REQ, sidr_req_fields, 16, 216),
	FORMAT(MAD_SIDR_REP, sidr_rep_fields, 96, 136),
};

static const struct format *format_of(unsigned attr)
{
	if (attr < MAD_REQ || attr >= MAD_END)
		return NULL;
	return &formats[attr - MAD_REQ];
}

unsigned mad_private_len(enum mad_attr attr)
{
	const struct format *f = format_of(attr);

	return f ? f->private_len : 0;
}

const char *mad_name(enum mad_attr attr)
{
	const struct format *f = format_of(attr);

	return f ? f->name : "?";
}

/* Where the bits of a field lie in the word of the bytes that it touches. */
static unsigned field_shift(const struct mad_field *f, unsigned *first, unsigned *bytes)
{
	*first = f->bit / 8;
	*bytes = (f->bit % 8 + f->width + 7) / 8;
	return *bytes * 8 - f->bit % 8 - f->width;
}

static uint64_t field_mask(const struct mad_field *f)
{
	return f->width == 64 ? UINT64_MAX : (1ull << f->width) - 1;
}

static uint64_t bits_get(const uint8_t *body, const struct mad_field *f)
{
	unsigned first, bytes, shift = field_shift(f, &first, &bytes);
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v = v << 8 | body[first + i];
	return v >> shift & field_mask(f);
}

static void bits_put(uint8_t *body, const struct mad_field *f, uint64_t v)
{
	unsigned first, bytes, shift = field_shift(f, &first, &bytes);

	v = (v & field_mask(f)) << shift;
	for (unsigned i = bytes; i-- > 0; v >>= 8)
		body[first + i] |= (uint8_t)v;
}

static void member_set(uint8_t *p, unsigned size, uint64_t v)
{
	uint8_t v8 = (uint8_t)v;
	uint16_t v16 = (uint16_t)v;
	uint32_t v32 = (uint32_t)v;
	const void *from[] = { [1] = &v8, [2] = &v16, [4] = &v32, [8] = &v };

	memcpy(p, from[size], size);
}

int mad_parse(struct mad *m, const uint8_t *buf, size_t n)
{
	const uint8_t *body = buf + HEADER_BYTES;
	const struct format *f;

	if (n != MAD_BYTES || memcmp(buf, head, sizeof(head)) != 0)
		return -1;
	f = format_of(get_be16(buf + 16));
	if (!f)
		return -1;
	memset(m, 0, sizeof(*m));
	m->attr = get_be16(buf + 16);
	m->tid = get_be64(buf + 8);
	for (unsigned i = 0; i < f->nfields; i++) {
		const struct mad_field *e = &f->fields[i];
		uint8_t *member = (uint8_t *)m + e->at;

		if (e->width > 64)
			memcpy(member, body + e->bit / 8, e->width / 8);
		else
			member_set(member, e->size, bits_get(body, e));
	}
	memcpy(m->data, body + f->private_at, f->private_len);
	return 0;
}

void mad_build(uint8_t *buf, const struct mad *m)
{
	const struct format *f = format_of(m->attr);
	uint8_t *body = buf + HEADER_BYTES;

	memset(buf, 0, MAD_BYTES);
	memcpy(buf, head, sizeof(head));
	put_be64(buf + 8, m->tid);
	put_be16(buf + 16, (uint16_t)m->attr);
	for (unsigned i = 0; i < f->nfields; i++) {
		const struct mad_field *e = &f->fields[i];
		const uint8_t *member = (const uint8_t *)m + e->at;

		if (e->width > 64)
			memcpy(body + e->bit / 8, member, e->width / 8);
		else
			bits_put(body, e, native_get(member, e->size));
	}
	memcpy(body + f->private_at, m->data, f->private_len);
}

/* An IPv4 address is the last four bytes of the field. */
static void address_parse(union ibv_gid *gid, const uint8_t *b, bool ipv4)
{
	if (ipv4)
		gid_of_ipv4(gid, b + 12);
	else
		memcpy(gid->raw, b, 16);
}

int mad_ip_parse(struct mad_ip *ip, const uint8_t *buf)
{
	unsigned version = buf[1] >> 4;

	if (buf[0] != 0 || (version != 4 && version != 6))
		return -1;
	ip->sport = get_be16(buf + 2);
	address_parse(&ip->src, buf + 4, version == 4);
	address_parse(&ip->dst, buf + 20, version == 4);
	if (version == 6 && (gid_is_ipv4(&ip->src) || gid_is_ipv4(&ip->dst)))
		return -1;
	return 0;
}

void mad_ip_build(uint8_t *buf, const struct mad_ip *ip)
{
	bool ipv4 = gid_is_ipv4(&ip->src);

	memset(buf, 0, MAD_IP_BYTES);
	buf[1] = ipv4 ? 0x40 : 0x60;
	put_be16(buf + 2, ip->sport);
	if (ipv4) {
		memcpy(buf + 4 + 12, ip->src.raw + 12, 4);
		memcpy(buf + 20 + 12, ip->dst.raw + 12, 4);
	} else {
		memcpy(buf + 4, ip->src.raw, 16);
		memcpy(buf + 20, ip->dst.raw, 16);
	}
}
