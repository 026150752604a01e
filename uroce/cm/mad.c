// SPDX-License-Identifier: MIT
/*
 * MADs to structures and back, by a table of fields, which has Wireshark's names of them, too.
 * InfiniBand specification volume 1, 12.6: the figures there give bytes and bits from the end of
 * the MAD header.
 */
#include <string.h>

#include "bytes.h"
#include "gid.h"
#include "mad.h"

#define HEADER_BYTES 24
#define BODY_BYTES   (MAD_BYTES - HEADER_BYTES)

/* 13.4.3: base version, class (communication management), class version, method Send() */
static const uint8_t head[] = { 1, 7, 2, 3 };

/* BITS(byte, bit in it, width, member, kind, Wireshark's name) */
#define BITS(byte, first, w, member, kind_, name_)                                                \
	{                                                                                         \
		.name = (name_), .kind = DECODE_##kind_, .bit = (byte)*8 + (first), .width = (w), \
		.at = offsetof(struct mad, member), .size = sizeof(((struct mad *)0)->member)     \
	}
#define BYTES(byte, n, member, kind, name) BITS(byte, 0, (n)*8, member, kind, name)

static const struct mad_field req_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.req"),
	BYTES(8, 8, req.service, HEX, "cm.req.serviceid"),
	BYTES(16, 8, req.guid, HEX, "cm.req.localcaguid"),
	BYTES(28, 4, req.qkey, HEX, "cm.req.localqkey"),
	BYTES(32, 3, req.qpn, HEX, "cm.req.localqpn"),
	BYTES(35, 1, req.responder_resources, NUMBER, "cm.req.responderres"),
	BYTES(39, 1, req.initiator_depth, NUMBER, "cm.req.initdepth"),
	BITS(43, 0, 5, req.remote_timeout, NUMBER, "cm.req.remoteresptout"),
	BITS(43, 5, 2, req.transport, NUMBER, "cm.req.transpsvctype"),
	BITS(43, 7, 1, req.flow_control, NUMBER, "cm.req.e2eflowctrl"),
	BYTES(44, 3, req.psn, NUMBER, "cm.req.startpsn"),
	BITS(47, 0, 5, req.local_timeout, NUMBER, "cm.req.localresptout"),
	BITS(47, 5, 3, req.retry_count, NUMBER, "cm.req.retrcount"),
	BYTES(48, 2, req.pkey, HEX, "cm.req.pkey"),
	BITS(50, 0, 4, req.mtu, NUMBER, "cm.req.pppmtu"),
	BITS(50, 4, 1, req.rdc, NUMBER, "cm.req.rdcexist"),
	BITS(50, 5, 3, req.rnr_retry_count, NUMBER, "cm.req.rnrretrcount"),
	BITS(51, 0, 4, req.max_retries, NUMBER, "cm.req.maxcmretr"),
	BITS(51, 4, 1, req.srq, NUMBER, "cm.req.srq"),
	BITS(51, 5, 3, req.extended, NUMBER, "cm.req.ext_transport"),
	BYTES(52, 2, req.slid, NUMBER, "cm.req.prim_locallid"),
	BYTES(54, 2, req.dlid, NUMBER, "cm.req.prim_remotelid"),
	BYTES(56, 16, req.sgid, GID, "cm.req.prim_localgid"),
	BYTES(72, 16, req.dgid, GID, "cm.req.prim_remotegid"),
	BITS(88, 0, 20, req.flow_label, HEX, "cm.req.prim_flowlabel"),
	BITS(91, 2, 6, req.rate, NUMBER, "cm.req.prim_pktrate"),
	BYTES(92, 1, req.tclass, NUMBER, "cm.req.prim_tfcclass"),
	BYTES(93, 1, req.hops, NUMBER, "cm.req.prim_hoplim"),
	BITS(94, 0, 4, req.sl, NUMBER, "cm.req.prim_sl"),
	BITS(94, 4, 1, req.subnet_local, NUMBER, "cm.req.prim_subnetlocal"),
	BITS(95, 0, 5, req.ack_timeout, NUMBER, "cm.req.prim_localacktout"),
};

static const struct mad_field mra_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.mra.localcommid"),
	BYTES(4, 4, remote_id, HEX, "cm.mra.remotecommid"),
	BITS(8, 0, 2, mra.about, NUMBER, "cm.mra.msgmraed"),
	BITS(9, 0, 5, mra.timeout, NUMBER, "cm.mra.servicetout"),
};

static const struct mad_field rej_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.rej.localcommid"),
	BYTES(4, 4, remote_id, HEX, "cm.rej.remotecommid"),
	BITS(8, 0, 2, rej.about, NUMBER, "cm.rej.msgrej"),
	BITS(9, 0, 7, rej.info_len, NUMBER, "cm.rej.rejinfolen"),
	BYTES(10, 2, rej.reason, NUMBER, "cm.rej.reason"),
	BYTES(12, MAD_ARI_BYTES, rej.info, BYTES, "cm.rej.ari"),
};

static const struct mad_field rep_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.rep"),
	BYTES(4, 4, remote_id, HEX, "cm.rep.remotecommid"),
	BYTES(8, 4, rep.qkey, HEX, "cm.rep.localqkey"),
	BYTES(12, 3, rep.qpn, HEX, "cm.rep.localqpn"),
	BYTES(20, 3, rep.psn, NUMBER, "cm.rep.startpsn"),
	BYTES(24, 1, rep.responder_resources, NUMBER, "cm.rep.respres"),
	BYTES(25, 1, rep.initiator_depth, NUMBER, "cm.rep.initdepth"),
	BITS(26, 0, 5, rep.ack_delay, NUMBER, "cm.rep.tgtackdelay"),
	BITS(26, 5, 2, rep.failover, NUMBER, "cm.rep.failoveracc"),
	BITS(26, 7, 1, rep.flow_control, NUMBER, "cm.rep.e2eflowctrl"),
	BITS(27, 0, 3, rep.rnr_retry_count, NUMBER, "cm.rep.rnrretrcount"),
	BITS(27, 3, 1, rep.srq, NUMBER, "cm.rep.srq"),
	BYTES(28, 8, rep.guid, HEX, "cm.rep.localcaguid"),
};

static const struct mad_field rtu_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.rtu.localcommid"),
	BYTES(4, 4, remote_id, HEX, "cm.rtu.remotecommid"),
};

static const struct mad_field drep_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.drsp.localcommid"),
	BYTES(4, 4, remote_id, HEX, "cm.drsp.remotecommid"),
};

static const struct mad_field dreq_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.dreq.localcommid"),
	BYTES(4, 4, remote_id, HEX, "cm.dreq.remotecommid"),
	BYTES(8, 3, dreq.remote_qpn, HEX, "cm.req.remoteqpneecn"), /* Wireshark names it so */
};

static const struct mad_field sidr_req_fields[] = {
	BYTES(0, 4, local_id, HEX, "cm.sidrreq.requestid"),
	BYTES(4, 2, sidr_req.pkey, HEX, "cm.sidrreq.pkey"),
	BYTES(8, 8, sidr_req.service, HEX, "cm.sidrreq.serviceid"),
};

static const struct mad_field sidr_rep_fields[] = {
	BYTES(0, 4, remote_id, HEX, "cm.sidrrsp.requestid"),
	BYTES(4, 1, sidr_rep.status, NUMBER, "cm.sidrrsp.status"),
	BYTES(5, 1, sidr_rep.info_len, NUMBER, NULL),
	BYTES(8, 3, sidr_rep.qpn, HEX, "cm.sidrrsp.qpn"),
	BYTES(12, 8, sidr_rep.service, HEX, "cm.sidrrsp.serviceid"),
	BYTES(20, 4, sidr_rep.qkey, HEX, "cm.sidrrsp.q_key"),
	BYTES(24, MAD_ARI_BYTES, sidr_rep.info, NUMBER, NULL),
};

#define FORMAT(attr, fields, at, len, name)                                                     \
	[(attr)-MAD_REQ] = { &#attr[4], (name), (fields), sizeof(fields) / sizeof((fields)[0]), \
			     (at),	(len) }

static const struct mad_format formats[] = {
	FORMAT(MAD_REQ, req_fields, 140, 92, "cm.req.private"),
	FORMAT(MAD_MRA, mra_fields, 10, 222, "cm.mra.private"),
	FORMAT(MAD_REJ, rej_fields, 84, 148, "cm.rej.private"),
	FORMAT(MAD_REP, rep_fields, 36, 196, "cm.rep.private"),
	FORMAT(MAD_RTU, rtu_fields, 8, 224, "cm.rtu.private"),
	FORMAT(MAD_DREQ, dreq_fields, 12, 220, "cm.dreq.private"),
	FORMAT(MAD_DREP, drep_fields, 8, 224, "cm.drsp.private"),
	FORMAT(MAD_SIDR_REQ, sidr_req_fields, 16, 216, "cm.sidrreq.private"),
	FORMAT(MAD_SIDR_REP, sidr_rep_fields, 96, 136, "cm.sidrrsp.private"),
};

const struct mad_format *mad_format(unsigned attr)
{
	if (attr < MAD_REQ || attr >= MAD_END)
		return NULL;
	return &formats[attr - MAD_REQ];
}

unsigned mad_private_len(enum mad_attr attr)
{
	const struct mad_format *f = mad_format(attr);

	return f ? f->private_len : 0;
}

const char *mad_name(enum mad_attr attr)
{
	const struct mad_format *f = mad_format(attr);

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
	const struct mad_format *f;

	if (n != MAD_BYTES || memcmp(buf, head, sizeof(head)) != 0)
		return -1;
	f = mad_format(get_be16(buf + 16));
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
	const struct mad_format *f = mad_format(m->attr);
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
