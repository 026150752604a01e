/* SPDX-License-Identifier: MIT */
/* Live packets from the tap of the embedded device or from libpcap. */
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <unistd.h>

#include "alloc.h"
#include "bytes.h"
#include "device/device.h"
#include "file/file.h"
#include "loop.h"
#include "objects.h"
#include "session.h"
#include "tap.h"
#include "wire/wire.h"

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
	why = file_load_library(names, functions, sizeof functions / sizeof *functions, &libpcap);
	if (!why)
		return 0;
	fail(s, call, "ENOENT", "%s: libpcap cannot be loaded: %s", call, why);
	return fail_row(s, "needs", "the package libpcap0.8 (Debian), or libpcap of your system");
}

#define ETHERNET_BYTES 14
#define VLAN_BYTES     4
#define TYPE_VLAN      0x8100

static const uint8_t *skip_header(const uint8_t *frame, size_t *n, size_t head)
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
	return skip_header(frame, n, head);
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
		return skip_header(frame, n, 4);
	case DLT_LINUX_SLL:
		return skip_header(frame, n, 16);
	case DLT_LINUX_SLL2:
		return skip_header(frame, n, 20);
	default:
		return NULL;
	}
}

#define SNAPLEN	    65536
#define BUFFER_SIZE (8 << 20)
#define AT_ONCE	    4096 /* packets of one pass: the loop has other work, too */

struct live {
	pcap_t *pcap;
	struct gid_row *gids; /* of this device: a packet from one of them was sent here */
	int ngids;
	unsigned lost; /* ps_drop at the last call of live_drain() */
};

/* Gives the capability to the process only. File capabilities would make the loader ignore
 * LD_PRELOAD. */
#define LIVE_RIGHTS                                                                   \
	"sudo setpriv --reuid $USER --regid $USER --init-groups --inh-caps +net_raw " \
	"--ambient-caps +net_raw rdmash"

static int fail_live(struct session *s, const char *call, const char *netdev, const char *what,
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
		return fail_live(s, call, netdev, "pcap_create", why);
	libpcap.set_snaplen(l->pcap, SNAPLEN);
	libpcap.set_buffer_size(l->pcap, BUFFER_SIZE);
	libpcap.set_immediate_mode(l->pcap, 1);
	libpcap.set_tstamp_precision(l->pcap, PCAP_TSTAMP_PRECISION_NANO);
	rc = libpcap.activate(l->pcap);
	if (rc < 0)
		return fail_live(s, call, netdev, libpcap.statustostr(rc), libpcap.geterr(l->pcap));
	if (libpcap.compile(l->pcap, &program, "udp dst port 4791", 1, PCAP_NETMASK_UNKNOWN))
		return fail_live(s, call, netdev, "pcap_compile", libpcap.geterr(l->pcap));
	rc = libpcap.setfilter(l->pcap, &program);
	libpcap.freecode(&program);
	if (rc || libpcap.setnonblock(l->pcap, 1, why))
		return fail_live(s, call, netdev, "pcap_setfilter", libpcap.geterr(l->pcap));
	return 0;
}

static void live_close(struct live *l)
{
	if (l->pcap)
		libpcap.close(l->pcap);
	free(l->gids);
	free(l);
}

/* Captures on the interface of the device's recommended GID. NULL with s->fail filled, which names
 * call. */
static struct live *live_open(struct session *s, const char *call, const struct dev *dev)
{
	struct live *l = xcalloc(1, sizeof *l);
	const struct gid_row *best;

	l->ngids = gid_table(dev, 1, &l->gids);
	best = gid_best(l->gids, l->ngids);
	if (!best || !*best->netdev)
		fail(s, call, "ENODEV", "%s: %s has no network interface", call, dev->o.name);
	else if (activate_live(s, call, l, best->netdev) == 0)
		return l;
	live_close(l);
	return NULL;
}

/* A descriptor that is readable when there are packets. */
static int live_fd(const struct live *l)
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

/* Passes the waiting packets to fn. Returns how many the kernel dropped since the last call. */
static unsigned live_drain(struct live *l, packet_source_fn *fn, void *arg)
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

#define WAITING_MAX 16384 /* queued packets; further ones are dropped */

struct queued_packet {
	STAILQ_ENTRY(queued_packet) link;
	struct uroce_packet p; /* p.ip is data */
	uint8_t data[];
};

struct packet_source {
	LIST_ENTRY(packet_source) link; /* in the list of sources of the tap */
	struct session *s;
	packet_source_fn *fn;
	void *arg;
	struct live *live;    /* NULL: uses the tap */
	bool is_tapped;	      /* it is in the list */
	int event;	      /* readable when there are packets */
	pthread_mutex_t lock; /* of list, n and lost: the tap is called from any thread */
	STAILQ_HEAD(waiting_list, queued_packet) list;
	unsigned n, lost;
};

/* The device has only one tap, which all sources share. */
static LIST_HEAD(, packet_source) tapped = LIST_HEAD_INITIALIZER(tapped);
static pthread_mutex_t tapped_lock = PTHREAD_MUTEX_INITIALIZER;

static void queue_packet(struct packet_source *src, const struct uroce_packet *p)
{
	struct queued_packet *w;
	uint64_t one = 1;

	pthread_mutex_lock(&src->lock);
	w = src->n < WAITING_MAX ? malloc(sizeof *w + p->len) : NULL;
	if (w) {
		w->p = *p;
		memcpy(w->data, p->ip, p->len);
		w->p.ip = w->data;
		STAILQ_INSERT_TAIL(&src->list, w, link);
		src->n++;
	} else {
		src->lost++;
	}
	pthread_mutex_unlock(&src->lock);
	if (write(src->event, &one, sizeof one) < 0)
		return; /* the eventfd is at its maximum: the loop wakes up in any case */
}

/* The device calls it in a thread of its own with its lock held, so it must be quick. */
static void on_tap(void *arg, const struct uroce_packet *p)
{
	struct packet_source *src;

	(void)arg;
	pthread_mutex_lock(&tapped_lock);
	LIST_FOREACH(src, &tapped, link)
		queue_packet(src, p);
	pthread_mutex_unlock(&tapped_lock);
}

static void tap_add(struct packet_source *src)
{
	pthread_mutex_lock(&tapped_lock);
	if (!src->is_tapped)
		LIST_INSERT_HEAD(&tapped, src, link);
	src->is_tapped = true;
	pthread_mutex_unlock(&tapped_lock);
}

/* Calls the device without tapped_lock: the device holds its own lock when it calls on_tap(), which
 * takes tapped_lock. */
static void tap_remove(struct packet_source *src)
{
	bool last;

	pthread_mutex_lock(&tapped_lock);
	last = src->is_tapped && !LIST_NEXT(src, link) && LIST_FIRST(&tapped) == src;
	if (src->is_tapped) /* else it is paused */
		LIST_REMOVE(src, link);
	src->is_tapped = false;
	pthread_mutex_unlock(&tapped_lock);
	if (last)
		embedded_api()->tap(NULL, NULL);
}

static int tap_begin(struct packet_source *src, const struct embedded_api *api)
{
	tap_add(src);
	if (api->tap(on_tap, NULL) == 0)
		return 0;
	tap_remove(src);
	return -1;
}

static void drain_tap(struct packet_source *src)
{
	struct waiting_list list = STAILQ_HEAD_INITIALIZER(list);
	struct queued_packet *w;

	pthread_mutex_lock(&src->lock);
	STAILQ_CONCAT(&list, &src->list);
	src->n = 0;
	pthread_mutex_unlock(&src->lock);
	while ((w = STAILQ_FIRST(&list))) {
		STAILQ_REMOVE_HEAD(&list, link);
		src->fn(src->arg, &w->p);
		free(w);
	}
}

unsigned packet_source_drain(struct packet_source *src)
{
	unsigned lost;

	if (src->live)
		src->lost += live_drain(src->live, src->fn, src->arg);
	else
		drain_tap(src);
	pthread_mutex_lock(&src->lock);
	lost = src->lost;
	src->lost = 0;
	pthread_mutex_unlock(&src->lock);
	return lost;
}

static void on_packets_ready(void *arg, int fd, short revents)
{
	struct packet_source *src = arg;
	uint64_t n;

	(void)revents;
	if (src->live)
		src->lost += live_drain(src->live, src->fn, src->arg);
	else if (read(fd, &n, sizeof n) == sizeof n)
		drain_tap(src);
}

static int begin_tap(struct packet_source *src, const char *call, const struct embedded_api *api)
{
	src->event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	if (src->event < 0)
		return fail_call(src->s, errno, call, "eventfd");
	if (tap_begin(src, api) == 0)
		return 0;
	fail_call(src->s, errno, call, "uroce_tap");
	close(src->event);
	return -1;
}

struct packet_source *packet_source_open(struct session *s, const char *call, const struct dev *dev,
					 packet_source_fn *fn, void *arg)
{
	const struct embedded_api *api = embedded_api();
	struct packet_source *src = xcalloc(1, sizeof *src);

	src->s = s;
	src->fn = fn;
	src->arg = arg;
	STAILQ_INIT(&src->list);
	pthread_mutex_init(&src->lock, NULL);
	if (api && begin_tap(src, call, api))
		goto undo;
	if (!api) {
		src->live = live_open(s, call, dev);
		if (!src->live)
			goto undo;
		src->event = live_fd(src->live);
	}
	loop_watch(s->loop, src->event, POLLIN, on_packets_ready, src);
	return src;
undo:
	pthread_mutex_destroy(&src->lock);
	free(src);
	return NULL;
}

void packet_source_pause(struct packet_source *src, bool on)
{
	if (src->live)
		return;
	if (on)
		tap_remove(src);
	else
		tap_begin(src, embedded_api());
}

void packet_source_close(struct packet_source *src)
{
	struct queued_packet *w;

	loop_unwatch(src->s->loop, src->event);
	if (src->live) {
		live_close(src->live);
	} else {
		tap_remove(src);
		close(src->event);
	}
	while ((w = STAILQ_FIRST(&src->list))) {
		STAILQ_REMOVE_HEAD(&src->list, link);
		free(w);
	}
	pthread_mutex_destroy(&src->lock);
	free(src);
}
