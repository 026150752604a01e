/* SPDX-License-Identifier: MIT */
#include "wire/packets.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdio.h>

#include "bytes.h"
#include "output/out.h"

#define ETHERNET_BYTES 14
#define VLAN_BYTES     4
#define TYPE_VLAN      0x8100
#define BYTES_SHOWN    32

static const uint8_t *skip(const uint8_t *frame, size_t *n, size_t head)
{
	if (*n < head)
		return NULL;
	*n -= head;
	return frame + head;
}

static const uint8_t *of_ethernet(const uint8_t *frame, size_t *n)
{
	size_t head = ETHERNET_BYTES;

	while (*n >= head + VLAN_BYTES && get_be16(frame + head - 2) == TYPE_VLAN)
		head += VLAN_BYTES;
	return skip(frame, n, head);
}

const uint8_t *packet_ip(int datalink, const uint8_t *frame, size_t *n)
{
	switch (datalink) {
	case DLT_EN10MB:
		return of_ethernet(frame, n);
	case DLT_RAW:
	case DLT_IPV4:
	case DLT_IPV6:
		return frame;
	case DLT_NULL:
	case DLT_LOOP:
		return skip(frame, n, 4);
	case DLT_LINUX_SLL:
		return skip(frame, n, 16);
	case DLT_LINUX_SLL2:
		return skip(frame, n, 20);
	default:
		return NULL;
	}
}

static void address(const union ibv_gid *gid, char text[INET6_ADDRSTRLEN])
{
	if (gid_is_ipv4(gid))
		inet_ntop(AF_INET, gid->raw + 12, text, INET6_ADDRSTRLEN);
	else
		inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
}

const char *packet_ends(const struct decoded *d)
{
	static char ends[2 * INET6_ADDRSTRLEN + 4];
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	address(&d->p.src, src);
	address(&d->p.dst, dst);
	snprintf(ends, sizeof ends, "%s > %s", src, dst);
	return ends;
}

struct writer {
	struct out *o;
	bool text;
};

static void bytes_out(const struct writer *w, const struct decode_field *f)
{
	out_bytes(w->o, f->name, f->bytes, f->len);
	if (!w->text)
		return;
	out_text(w->o, "       %-30s ", f->name);
	for (size_t i = 0; i < f->len && i < BYTES_SHOWN; i++)
		out_text(w->o, "%02x", f->bytes[i]);
	out_text(w->o, f->len > BYTES_SHOWN ? "... %zu bytes\n" : "\n", f->len);
}

static void field_out(void *arg, const struct decode_field *f)
{
	const struct writer *w = arg;
	char text[INET6_ADDRSTRLEN];

	switch (f->kind) {
	case DECODE_NUMBER:
	case DECODE_HEX:
		out_u64(w->o, f->name, f->value, NULL);
		if (w->text)
			out_text(w->o,
				 f->kind == DECODE_HEX ? "       %-30s 0x%" PRIx64 "\n"
						       : "       %-30s %" PRIu64 "\n",
				 f->name, f->value);
		break;
	case DECODE_GID:
		address((const union ibv_gid *)(const void *)f->bytes, text);
		out_str(w->o, f->name, text, NULL);
		if (w->text)
			out_text(w->o, "       %-30s %s\n", f->name, text);
		break;
	case DECODE_BYTES:
		bytes_out(w, f);
		break;
	}
}

void packet_out(struct out *o, const struct decoded *d, bool text)
{
	struct writer w = { o, text };
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	address(&d->p.src, src);
	address(&d->p.dst, dst);
	out_str(o, "src", src, NULL);
	out_str(o, "dst", dst, NULL);
	if (d->malformed) {
		out_str(o, "malformed", d->malformed, NULL);
		return;
	}
	out_str(o, "name", d->is_cm ? mad_name(d->mad.attr) : d->p.op->name, NULL);
	decode_fields(d, field_out, &w);
}
