/* SPDX-License-Identifier: MIT */
/* Packets that the kernel drops while an interface is captured are counted once, also those that it
 * dropped before the event loop read the others. */
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "checks.h"
#include "device/device.h"
#include "loop.h"
#include "objects.h"
#include "session.h"
#include "wire/wire.h"

static struct gid_row row = { .netdev = "lo" };
static struct pcap_stat counters;
static int event;

const struct embedded_api *__wrap_embedded_api(void);
int __wrap_gid_table(const struct dev *dev, uint8_t port, struct gid_row **rows);
const struct gid_row *__wrap_gid_best(const struct gid_row *rows, int n);

const struct embedded_api *__wrap_embedded_api(void)
{
	return NULL;
}

int __wrap_gid_table(const struct dev *dev, uint8_t port, struct gid_row **rows)
{
	(void)dev, (void)port;
	*rows = NULL;
	return 0;
}

const struct gid_row *__wrap_gid_best(const struct gid_row *rows, int n)
{
	(void)rows, (void)n;
	return &row;
}

static pcap_t *fake_create(const char *netdev, char *why)
{
	(void)netdev, (void)why;
	return (pcap_t *)&counters;
}

static int fake_set(pcap_t *p, int value)
{
	(void)p, (void)value;
	return 0;
}

static int fake_activate(pcap_t *p)
{
	(void)p;
	return 0;
}

static int fake_compile(pcap_t *p, struct bpf_program *program, const char *text, int optimize,
			bpf_u_int32 mask)
{
	(void)p, (void)program, (void)text, (void)optimize, (void)mask;
	return 0;
}

static int fake_setfilter(pcap_t *p, struct bpf_program *program)
{
	(void)p, (void)program;
	return 0;
}

static void fake_freecode(struct bpf_program *program)
{
	(void)program;
}

static int fake_setnonblock(pcap_t *p, int on, char *why)
{
	(void)p, (void)on, (void)why;
	return 0;
}

static int fake_fd(pcap_t *p)
{
	(void)p;
	return event;
}

/* No packet is left; reading them has reset the event. */
static int fake_next(pcap_t *p, struct pcap_pkthdr **h, const unsigned char **data)
{
	uint64_t n;

	(void)p, (void)h, (void)data;
	(void)!read(event, &n, sizeof n);
	return 0;
}

static int fake_stats(pcap_t *p, struct pcap_stat *stat)
{
	(void)p;
	*stat = counters;
	return 0;
}

static void fake_close(pcap_t *p)
{
	(void)p;
}

static void on_packet(void *arg, const struct uroce_packet *p)
{
	(void)arg, (void)p;
}

static void dropped_packets_are_counted_once(void)
{
	struct session s = { .loop = loop_new() };
	struct dev dev = { 0 };
	struct packet_source *source = packet_source_open(&s, "test", &dev, on_packet, NULL);
	uint64_t one = 1;

	CHECK(source);
	CHECK_INT(packet_source_drain(source), 0);
	counters.ps_drop = 5;
	CHECK(write(event, &one, sizeof one) == sizeof one);
	loop_pass(s.loop, 0);
	CHECK(read(event, &one, sizeof one) < 0); /* the loop has read the packets */
	counters.ps_drop = 7;
	CHECK_INT(packet_source_drain(source), 7);
	CHECK_INT(packet_source_drain(source), 0);
	packet_source_close(source);
	loop_free(s.loop);
}

int main(void)
{
	event = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	CHECK(event >= 0);
	libpcap = (struct libpcap){
		.activate = fake_activate,
		.close = fake_close,
		.compile = fake_compile,
		.create = fake_create,
		.freecode = fake_freecode,
		.get_selectable_fd = fake_fd,
		.next_ex = fake_next,
		.set_buffer_size = fake_set,
		.set_immediate_mode = fake_set,
		.set_snaplen = fake_set,
		.set_tstamp_precision = fake_set,
		.setfilter = fake_setfilter,
		.setnonblock = fake_setnonblock,
		.stats = fake_stats,
	};
	dropped_packets_are_counted_once();
	return checks_end();
}
