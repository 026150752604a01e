/* SPDX-License-Identifier: MIT */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "device/gids.h"
#include "dynamic.h"
#include "objects.h"
#include "session.h"
#include "wire/libpcap.h"
#include "wire/packets.h"

/* Debian's name of the library, and its upstream name. */
static const char *const names[] = { "libpcap.so.0.8", "libpcap.so.1", NULL };

static const struct dynamic_function functions[] = {
#define X(name_) { "pcap_" #name_, offsetof(struct libpcap, name_) },
	LIBPCAP_FUNCTIONS(X)
#undef X
};

struct libpcap libpcap;

int libpcap_load(struct session *s, const char *call)
{
	const char *why;

	if (libpcap.create)
		return 0;
	why = dynamic_load(names, functions, sizeof functions / sizeof *functions, &libpcap);
	if (!why)
		return 0;
	fail(s, call, "ENOENT", "%s: libpcap cannot be loaded: %s", call, why);
	return fail_row(s, "needs", "the package libpcap0.8 (Debian), or libpcap of your system");
}

#define SNAPLEN	    65536
#define BUFFER_SIZE (8 << 20)
#define AT_ONCE	    4096

struct live {
	pcap_t *pcap;
	struct gid_row gids[GID_ROWS]; /* packets from one of these are sent, not received */
	int ngids;
	unsigned lost;
};

static int fail_no_rights(struct session *s, const char *call, const char *netdev, const char *what,
			  const char *why)
{
	fail(s, call, "EPERM", "%s: %s: %s: %s", call, netdev, what, why);
	return fail_row(s, "note", "needs root, or CAP_NET_RAW: " LIVE_RIGHTS);
}

static int activate_live(struct session *s, const char *call, struct live *l, const char *netdev)
{
	char why[PCAP_ERRBUF_SIZE];
	struct bpf_program program;
	int rc;

	if (libpcap_load(s, call))
		return -1;
	l->pcap = libpcap.create(netdev, why);
	if (!l->pcap)
		return fail_no_rights(s, call, netdev, "pcap_create", why);
	libpcap.set_snaplen(l->pcap, SNAPLEN);
	libpcap.set_buffer_size(l->pcap, BUFFER_SIZE);
	libpcap.set_immediate_mode(l->pcap, 1);
	libpcap.set_tstamp_precision(l->pcap, PCAP_TSTAMP_PRECISION_NANO);
	rc = libpcap.activate(l->pcap);
	if (rc < 0)
		return fail_no_rights(s, call, netdev, libpcap.statustostr(rc),
				      libpcap.geterr(l->pcap));
	if (libpcap.compile(l->pcap, &program, "udp dst port 4791", 1, PCAP_NETMASK_UNKNOWN))
		return fail_no_rights(s, call, netdev, "pcap_compile", libpcap.geterr(l->pcap));
	rc = libpcap.setfilter(l->pcap, &program);
	libpcap.freecode(&program);
	if (rc || libpcap.setnonblock(l->pcap, 1, why))
		return fail_no_rights(s, call, netdev, "pcap_setfilter", libpcap.geterr(l->pcap));
	return 0;
}

struct live *live_open(struct session *s, const char *call, const struct dev *dev)
{
	struct live *l = xcalloc(1, sizeof *l);
	const struct gid_row *best = NULL;

	l->ngids = gid_table(dev, 1, l->gids, GID_ROWS);
	if (l->ngids > 0)
		best = gid_best(l->gids, l->ngids);
	if (!best || !*best->netdev)
		fail(s, call, "ENODEV", "%s: %s has no network interface", call, dev->o.name);
	else if (activate_live(s, call, l, best->netdev) == 0)
		return l;
	live_close(l);
	return NULL;
}

int live_fd(const struct live *l)
{
	return libpcap.get_selectable_fd(l->pcap);
}

static bool is_ours(const struct live *l, const uint8_t *ip, size_t n)
{
	struct decoded d;

	if (decode_ip(&d, ip, n))
		return false;
	for (int i = 0; i < l->ngids; i++)
		if (memcmp(&l->gids[i].e.gid, &d.p.src, sizeof d.p.src) == 0)
			return true;
	return false;
}

unsigned live_drain(struct live *l, packet_source_fn *fn, void *arg)
{
	struct pcap_stat stat = { 0 };
	struct pcap_pkthdr *h;
	const uint8_t *frame;
	unsigned lost;

	for (unsigned i = 0; i < AT_ONCE && libpcap.next_ex(l->pcap, &h, &frame) == 1; i++) {
		size_t n = h->caplen;
		const uint8_t *ip = packet_ip(libpcap.datalink(l->pcap), frame, &n);
		struct uroce_packet p = {
			.time = (uint64_t)h->ts.tv_sec * 1000000000 + (uint64_t)h->ts.tv_usec,
			.ip = ip,
			.len = n,
		};

		if (!ip)
			continue;
		p.out = is_ours(l, ip, n);
		fn(arg, &p);
	}
	libpcap.stats(l->pcap, &stat);
	lost = stat.ps_drop - l->lost;
	l->lost = stat.ps_drop;
	return lost;
}

void live_close(struct live *l)
{
	if (l->pcap)
		libpcap.close(l->pcap);
	free(l);
}
