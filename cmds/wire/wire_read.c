/* SPDX-License-Identifier: MIT */
/* Captures of any program, read by the device's own parsers: wire read. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command/args.h"
#include "command/cmd.h"
#include "file/file.h"
#include "output/out.h"
#include "session.h"
#include "wire/libpcap.h"
#include "wire/packets.h"

struct read_args {
	const char *path;
	struct num n;
	bool fields;
};

static const struct arg read_arg_table[] = {
	POS("file", read_args, path, kind_path, "pcap or pcapng"),
	OPT("n", read_args, n, kind_u32, "so many packets at most; 0: all", .dflt = "1000"),
	SWITCH("fields", read_args, fields, "print every field"), ARGS_END
};

/* The file through the gate that all files of scripts go through; NULL with s->fail filled. */
static pcap_t *open_file(struct session *s, const char *path)
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
	fail(s, "wire read", "EINVAL", "%s is no capture: %s", path, why);
	return NULL;
}

static void packet(struct out *o, uint64_t number, uint64_t ns, const struct decoded *d,
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

/* Numbers are those of the file, times count from its first packet. */
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
		packet(o, number, ns - first, &d, a->fields);
		shown++;
	}
	out_end(o);
	if (rc == PCAP_ERROR)
		return fail(s, "wire read", "EIO", "%s: after packet %" PRIu64 ": %s", a->path,
			    number, libpcap.geterr(p));
	if (rc == 1)
		out_text(o, "and maybe more: -n 0 reads all\n");
	if (others)
		out_text(o, "%" PRIu64 " packets are no RoCEv2\n", others);
	return 0;
}

static int exec(struct session *s, const void *args, struct out *o)
{
	const struct read_args *a = args;
	pcap_t *p = open_file(s, a->path);
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
	.text = "Of a file of tcpdump, Wireshark, 'capture' or UROCE_PCAP: one line a packet, with\n"
		"-fields every field. The value is a list of dicts. The fields are called as in\n"
		"Wireshark, without its \"infiniband.\": bth.psn is infiniband.bth.psn there.\n"
		"A script may read files below its own directory (or --allow-dir).",
	.examples = read_egs,
	.args = read_arg_table,
	.size = sizeof(struct read_args),
	.exec = exec,
};
