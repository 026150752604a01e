/* SPDX-License-Identifier: MIT */
/* Decoded packets: live, with their work requests (wire on, wire off), and from a capture file
 * (wire read). */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bytes.h"
#include "command/cmd.h"
#include "data/post.h"
#include "own_model.h"
#include "decode.h"
#include "device/device.h"
#include "file/file.h"
#include "live_context.h"
#include "object_args.h"
#include "objects.h"
#include "out.h"
#include "session.h"
#include "wire/wire.h"
#include "wire/wire_again.h"

#define BYTES_SHOWN 32

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
		decode_gid((const union ibv_gid *)(const void *)f->bytes, text);
		out_str(w->o, f->name, text, NULL);
		if (w->text)
			out_text(w->o, "       %-30s %s\n", f->name, text);
		break;
	case DECODE_BYTES:
		bytes_out(w, f);
		break;
	}
}

/* Writes addresses and fields as values; text: also each field as a line. */
static void packet_out(struct out *o, const struct decoded *d, bool text)
{
	struct writer w = { o, text };
	char src[INET6_ADDRSTRLEN], dst[INET6_ADDRSTRLEN];

	decode_gid(&d->p.src, src);
	decode_gid(&d->p.dst, dst);
	out_str(o, "src", src, NULL);
	out_str(o, "dst", dst, NULL);
	if (d->malformed) {
		out_str(o, "malformed", d->malformed, NULL);
		return;
	}
	out_str(o, "name", d->is_cm ? mad_name(d->mad.attr) : d->p.op->name, NULL);
	decode_fields(d, field_out, &w);
}

/*
 * The work request of a packet: the embedded device reports it with each request packet, and
 * responses are matched to requests by PSN.
 */

#define JOIN_REQUESTS 4096 /* requests that are kept, to match responses */

struct packet_join {
	struct join_request {
		union ibv_gid src, dst;
		uint32_t qpn, dest_qpn, psn;
		uint64_t wr_id;
	} requests[JOIN_REQUESTS]; /* ring */
	unsigned n;
};

/* Records that a QP of this process sent a request packet of a work request. */
static void join_note(struct packet_join *j, const struct decoded *d, uint32_t qpn, uint64_t wr_id)
{
	j->requests[j->n++ % JOIN_REQUESTS] = (struct join_request){
		.src = d->p.src,
		.dst = d->p.dst,
		.qpn = qpn,
		.dest_qpn = d->p.qpn,
		.psn = d->p.psn,
		.wr_id = wr_id,
	};
}

static bool gids_are_equal(const union ibv_gid *a, const union ibv_gid *b)
{
	return memcmp(a, b, sizeof *a) == 0;
}

/* The offset of the packet's PSN from that of request r; negative: it does not belong to r. An ACK
 * also acknowledges earlier requests; a READ uses a PSN for each of its responses. */
static int32_t psn_offset(const struct join_request *r, const struct packet *p)
{
	bool request = p->op->flags & WIRE_REQUEST;
	int32_t by = psn_diff(p->psn, r->psn);

	if (!gids_are_equal(&r->src, request ? &p->src : &p->dst) ||
	    !gids_are_equal(&r->dst, request ? &p->dst : &p->src) ||
	    p->qpn != (request ? r->dest_qpn : r->qpn))
		return -1;
	if (request && p->op->flags & WIRE_FIRST && by)
		return -1; /* another request */
	return by;
}

/* The request to which a packet belongs: as its first packet (received in the same process), as a
 * further one, or as an answer. NULL: unknown. Valid until the next join_note(). */
static const struct join_request *join_find(const struct packet_join *j, const struct decoded *d)
{
	unsigned n = j->n < JOIN_REQUESTS ? j->n : JOIN_REQUESTS;
	const struct join_request *best = NULL;
	int32_t nearest = 0;

	if (!d->p.op || d->is_cm)
		return NULL;
	for (unsigned i = 1; i <= n; i++) {
		const struct join_request *r = &j->requests[(j->n - i) % JOIN_REQUESTS];
		int32_t by = psn_offset(r, &d->p);

		if (by < 0 || (best && by >= nearest))
			continue;
		best = r;
		nearest = by;
		if (!by)
			break;
	}
	return best;
}

#define FAMILY "understanding"

#define SENT 256 /* packets that may be in flight to this process */

struct wire {
	struct session *s;
	struct packet_source *source;
	uint64_t shown, arrived;
	struct wire_again again;
	uint32_t sent[SENT]; /* ring: ICRCs of packets that were shown when sent; 0: free */
	unsigned next_sent;
	struct packet_join join;
};

/* "  [wr_id 3 of qp0]", or nothing. */
static void format_owner(struct wire *w, const struct uroce_packet *p, const struct decoded *d,
			 char *text, size_t size)
{
	const struct join_request *r;
	const struct qp *qp;

	*text = 0;
	if (p->has_wr_id && d->p.op)
		join_note(&w->join, d, p->qpn, p->wr_id);
	r = join_find(&w->join, d);
	qp = r ? obj_by_number(w->s, &qp_class, r->qpn) : NULL;
	if (r)
		snprintf(text, size, "  [wr_id %" PRIu64 " of %s]", r->wr_id,
			 qp ? qp->o.name : "a destroyed QP");
}

/* Was this received packet shown when it was sent? Packets are compared by their last four bytes,
 * the ICRC, which covers everything that does not change on the way. */
static bool was_shown(struct wire *w, const struct uroce_packet *p, const struct decoded *d)
{
	uint32_t icrc;

	if (d->n < sizeof icrc)
		return false;
	memcpy(&icrc, d->data + d->n - sizeof icrc, sizeof icrc);
	if (p->out) {
		w->sent[w->next_sent++ % SENT] = icrc;
		return false;
	}
	for (unsigned i = 1; icrc && !p->fate && i <= SENT; i++) {
		uint32_t *sent = &w->sent[(w->next_sent - i) % SENT];

		if (*sent != icrc)
			continue;
		*sent = 0;
		w->arrived++;
		return true;
	}
	return false;
}

static void show_packet(void *arg, const struct uroce_packet *p)
{
	struct wire *w = arg;
	char text[512], request[96], *line;
	struct decoded d;

	if (decode_ip(&d, p->ip, p->len) || was_shown(w, p, &d))
		return;
	decode_text(&d, text, sizeof text);
	format_owner(w, p, &d, request, sizeof request);
	line = xasprintf("%s %s  %s%s%s%s", p->out ? "->" : "<-",
			 decode_ends(&d, (char[DECODE_ENDS]){ 0 }), text, request,
			 p->fate ? "  fault: " : "", p->fate ? p->fate : "");
	if (!wire_again(&w->again, w->s->notices, line))
		notice_post(w->s->notices, NOTICE_WIRE, "%s %s", text_clock((int64_t)p->time, 6),
			    line);
	free(line);
	w->shown++;
}

void wire_drain(struct session *s)
{
	unsigned lost = s->ctx->wire ? packet_source_drain(s->ctx->wire->source) : 0;

	if (lost)
		notice_post(s->notices, NOTICE_WIRE,
			    "%u packets were not shown because they came too fast", lost);
}

void wire_end(struct session *s)
{
	struct wire *w = s->ctx->wire;

	if (!w)
		return;
	wire_drain(s);
	packet_source_close(w->source);
	wire_again_tell(&w->again, s->notices);
	wire_again_free(&w->again);
	free(w);
	s->ctx->wire = NULL;
}

/* ----------------------------------------------------------------- wire on -- */

struct wire_args {
	struct dev *dev;
};

static const struct arg wire_on_args[] = {
	POS_OPT("device", wire_args, dev, kind_dev, "name as devices lists it"), ARGS_END
};

static int on_exec(struct session *s, const void *args, struct out *o)
{
	const struct wire_args *a = args;
	struct wire *w;

	(void)o;
	wire_end(s);
	w = xcalloc(1, sizeof *w);
	w->s = s;
	w->source = packet_source_open(s, "wire on", a->dev, show_packet, w);
	if (!w->source) {
		free(w);
		return -1;
	}
	s->ctx->wire = w;
	return 0;
}

/** Shows one line per packet, as a notice of the kind wire: the time, -> for sent or <- for
 * received, the addresses and headers, on the embedded device the work request, and the
 * effect of 'fault wire'. A packet that comes again and again is shown twice, and then counted.
 *
 * On the embedded device these are the packets of this process; if both ends are in it, a
 * packet is shown once, when it is sent. On other devices the packets are captured on the
 * network interface, which needs root, and where packets that a device sends to itself may
 * not appear. 'wire read' shows all fields.
 * > wire on
 * > post write buf -len 8 -remote [get window addr] -rkey [get window rkey]; poll
 * > wire off */
const struct cmd cmd_wire_on = {
	.name = "wire on",
	.family = FAMILY,
	.summary = "show each packet as it passes",
	.setup = POST_SETUP,
	.args = wire_on_args,
	.flags = CMD_LOOKS,
	.exec = on_exec,
};

/* ---------------------------------------------------------------- wire off -- */

static int off_exec(struct session *s, const void *args, struct out *o)
{
	(void)args;
	if (!s->ctx->wire)
		return 0;
	wire_drain(s);
	out_u64(o, "packets", s->ctx->wire->shown, "%" PRIu64 " packets\n", s->ctx->wire->shown);
	out_u64(o, "arrived", s->ctx->wire->arrived, NULL);
	wire_end(s);
	return 0;
}

/** Ends 'wire on', and shows how many packets were shown. In the value, 'arrived' is the
 * number of those that were received in this process, too.
 * > wire on; wire off */
const struct cmd cmd_wire_off = {
	.name = "wire off",
	.family = FAMILY,
	.summary = "stop showing packets",
	.setup = POST_SETUP,
	.flags = CMD_LOOKS,
	.exec = off_exec,
};

/* --------------------------------------------------------------- wire read -- */

struct read_args {
	const char *path;
	struct num n;
	bool fields;
};

static const struct arg read_arg_table[] = {
	POS("file", read_args, path, kind_path, "pcap or pcapng"),
	OPT("n", read_args, n, kind_u32, "at most this many packets; 0: all", .dflt = "1000"),
	SWITCH("fields", read_args, fields, "print every field"), ARGS_END
};

/* Opens the file with file_open(), which checks whether a script may. NULL with s->fail filled. */
static pcap_t *open_capture(struct session *s, const char *path)
{
	char why[PCAP_ERRBUF_SIZE];
	int fd = file_open(s, path, O_RDONLY, 0);
	FILE *file;
	pcap_t *p;

	if (fd < 0)
		return NULL;
	if (libpcap_load(s, "wire read")) {
		close(fd);
		return NULL;
	}
	file = fdopen(fd, "rb");
	if (!file) {
		close(fd);
		fail_call(s, errno, "fdopen", "%s", path);
		return NULL;
	}
	p = libpcap.fopen_offline_with_tstamp_precision(file, PCAP_TSTAMP_PRECISION_NANO, why);
	if (p)
		return p;
	fclose(file);
	fail(s, "wire read", "EINVAL", "%s is not a capture file: %s", path, why);
	return NULL;
}

static void out_packet(struct out *o, uint64_t number, uint64_t ns, const struct decoded *d,
		       bool fields)
{
	char text[512];

	decode_text(d, text, sizeof text);
	out_dict(o, NULL);
	out_u64(o, "number", number, "%6" PRIu64, number);
	out_u64(o, "time", ns, "  %" PRIu64 ".%06u", ns / 1000000000,
		(unsigned)(ns % 1000000000 / 1000));
	out_text(o, "  %s  %s\n", decode_ends(d, (char[DECODE_ENDS]){ 0 }), text);
	packet_out(o, d, fields);
	out_end(o);
}

/* Packets are numbered as in the file; times are relative to its first packet. */
static int read_all(struct session *s, const struct read_args *a, pcap_t *p, struct out *o)
{
	uint64_t number = 0, shown = 0, others = 0, first = 0;
	struct pcap_pkthdr *h;
	const uint8_t *frame;
	int rc = 0;

	out_list(o, NULL);
	while ((!a->n.v || shown < a->n.v) && (rc = libpcap.next_ex(p, &h, &frame)) == 1) {
		uint64_t ns = (uint64_t)h->ts.tv_sec * 1000000000 + (uint64_t)h->ts.tv_usec;
		size_t n = h->caplen;
		const uint8_t *ip = packet_ip(libpcap.datalink(p), frame, &n);
		struct decoded d;

		if (!number++)
			first = ns;
		if (!ip || decode_ip(&d, ip, n)) {
			others++;
			continue;
		}
		out_packet(o, number, ns - first, &d, a->fields);
		shown++;
	}
	out_end(o);
	if (rc == PCAP_ERROR)
		return fail(s, "wire read", "EIO", "%s: after packet %" PRIu64 ": %s", a->path,
			    number, libpcap.geterr(p));
	if (rc == 1)
		out_text(o, "there may be more: -n 0 reads all\n");
	if (others)
		out_text(o, "%" PRIu64 " packets are not RoCEv2\n", others);
	return 0;
}

static int wire_read_exec(struct session *s, const void *args, struct out *o)
{
	const struct read_args *a = args;
	pcap_t *p = open_capture(s, a->path);
	int rc;

	if (!p)
		return -1;
	rc = read_all(s, a, p, o);
	libpcap.close(p);
	return rc;
}

/** Reads a file of tcpdump, Wireshark, 'capture' or UROCE_PCAP and shows one line per
 * packet, or (-fields) every field. The value is a list of dicts. Fields are named as in
 * Wireshark, but without "infiniband.": bth.psn is infiniband.bth.psn there. A script may
 * read files below its own directory (or --allow-dir).
 * > catch {wire read no-such.pcapng} why
 * > echo $why => No such file */
const struct cmd cmd_wire_read = {
	.name = "wire read",
	.family = "understanding",
	.summary = "decode the RoCEv2 packets of a capture file",
	.args = read_arg_table,
	.flags = CMD_LOOKS,
	.exec = wire_read_exec,
};
