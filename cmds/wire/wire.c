/* SPDX-License-Identifier: MIT */
/* Decoded packets: live, with their work requests (wire on, wire off), and from a capture file
 * (wire read). */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alloc.h"
#include "command/args.h"
#include "command/cmd.h"
#include "device/embedded.h"
#include "file/file.h"
#include "objects.h"
#include "output/out.h"
#include "session.h"
#include "wire/libpcap.h"
#include "wire/packet_source.h"
#include "wire/packets.h"
#include "wire/wire.h"

#define FAMILY "understanding"

struct wire {
	struct session *s;
	struct packet_source *source;
	uint64_t shown;
	bool embedded; /* request packets carry their wr_id */
	struct packet_join join;
};

/* The name of a QP. Finds it by serial, since two devices may use the same QP number. */
static const char *qp_name(struct session *s, const struct join_request *r)
{
	const struct qp *qp = obj_by_number(s, &qp_class, r->qpn);

	while (qp && r->qp && qp->o.serial != r->qp)
		qp = obj_next_number(qp);
	return qp ? qp->o.name : "a QP that is gone";
}

/* "  [wr_id 3 of qp0]", or nothing. */
static void format_owner(struct wire *w, const struct uroce_packet *p, const struct decoded *d,
			 char *text, size_t size)
{
	const struct join_request *r;

	*text = 0;
	if (p->has_wr_id && d->p.op)
		join_note(&w->join, d, p->qpn, p->wr_id);
	r = join_find(&w->join, d);
	if (!r && !w->embedded)
		r = join_posted(w->s, &w->join, d);
	if (r && r->known)
		snprintf(text, size, "  [wr_id %" PRIu64 " of %s]", r->wr_id, qp_name(w->s, r));
}

static void show_packet(void *arg, const struct uroce_packet *p)
{
	struct wire *w = arg;
	time_t second = (time_t)(p->time / 1000000000);
	char text[512], request[96];
	struct decoded d;
	struct tm tm;

	if (decode_ip(&d, p->ip, p->len))
		return;
	decode_text(&d, text, sizeof text);
	format_owner(w, p, &d, request, sizeof request);
	localtime_r(&second, &tm);
	notice_post(w->s->notices, NOTICE_WIRE, "%02d:%02d:%02d.%06u %s %s  %s%s%s%s", tm.tm_hour,
		    tm.tm_min, tm.tm_sec, (unsigned)(p->time % 1000000000 / 1000),
		    p->out ? "->" : "<-", packet_ends(&d), text, request,
		    p->fate ? "  fault: " : "", p->fate ? p->fate : "");
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
	w->embedded = embedded_api();
	w->join.begun = posted_place();
	w->source = packet_source_open(s, "wire on", a->dev, show_packet, w);
	if (!w->source) {
		free(w);
		return -1;
	}
	s->ctx->wire = w;
	return 0;
}

static const struct cmd_eg on_egs[] = {
	{ "wire on", NULL },
	{ "post write buf -len 8 -remote [get window addr] -rkey [get window rkey]; poll", NULL },
	{ "wire off", NULL },
	{ NULL, NULL }
};

#define SETUP                                                      \
	"reg 4096 -name window -access local-write,remote-write\n" \
	"listen 7471 -address 10.0.0.1 -accept\nconnect 10.0.0.1 7471\nreg 4096 -name buf\n"

const struct cmd cmd_wire_on = {
	.name = "wire on",
	.family = FAMILY,
	.summary = "show each packet as it passes",
	.text = "Shows one line per packet, as a notice of the kind wire: the time, -> sent or <-\n"
		"received, addresses and headers, then the work request, if it is known, and the effect\n"
		"of 'fault wire'. On the embedded device these are the packets of this process; with\n"
		"both ends in it, each packet is shown twice. On other devices they are captured on the\n"
		"network interface, which needs root and may not see packets that a device sends to\n"
		"itself. 'wire read' shows all fields.",
	.setup = SETUP,
	.examples = on_egs,
	.args = wire_on_args,
	.size = sizeof(struct wire_args),
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
	wire_end(s);
	return 0;
}

static const struct cmd_eg off_egs[] = { { "wire on; wire off", NULL }, { NULL, NULL } };

const struct cmd cmd_wire_off = {
	.name = "wire off",
	.family = FAMILY,
	.summary = "stop showing packets",
	.text = "Ends 'wire on', and shows how many packets there were.",
	.setup = SETUP,
	.examples = off_egs,
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

/* Opens the file by file_open(), which checks the rights of scripts; NULL with s->fail filled. */
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
	out_text(o, "  %s  %s\n", packet_ends(d), text);
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

static const struct cmd_eg read_egs[] = { { "catch {wire read no-such.pcapng} why", NULL },
					  { "echo $why", "No such file" },
					  { NULL, NULL } };

const struct cmd cmd_wire_read = {
	.name = "wire read",
	.family = "understanding",
	.summary = "decode the RoCEv2 packets of a capture file",
	.text = "Reads a file of tcpdump, Wireshark, 'capture' or UROCE_PCAP and shows one line per\n"
		"packet, with -fields every field. The value is a list of dicts. Fields are named as in\n"
		"Wireshark, without its \"infiniband.\": bth.psn is infiniband.bth.psn there.\n"
		"A script may read files below its own directory (or --allow-dir).",
	.examples = read_egs,
	.args = read_arg_table,
	.size = sizeof(struct read_args),
	.exec = wire_read_exec,
};
