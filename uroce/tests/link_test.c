// SPDX-License-Identifier: MIT
/* Sending and receiving over real sockets, and what happens to packets that are not right. */
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "checks.h"
#include "counters.h"
#include "fault.h"
#include "rig.h"
#include "gid.h"
#include "group_own.h"
#include "packet.h"
#include "bytes.h"
#include "link.h"
#include "tap.h"
#include "uroce.h"

#define SLOT 1u
#define QPN  (SLOT << SLOT_SHIFT | 0x3456)

/* The same as in group.c; but qemu-user, in which tests run too, does not know IPV6_DONTFRAG. */
static int open_sender(int family, uint16_t *port)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = htons(50001) };
	int fd = sockets_open_send(family, port), probe = IPV6_PMTUDISC_PROBE;

	if (fd >= 0 || family == AF_INET)
		return fd;
	fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	setsockopt(fd, IPPROTO_IPV6, IPV6_MTU_DISCOVER, &probe, sizeof(probe));
	*port = ntohs(a.sin6_port);
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) == 0 ? fd : -1;
}

static void open_link(void)
{
	rig_open_sockets(SLOT);
	group.sender[0] = open_sender(AF_INET, &group.port[0]);
	group.sender[1] = open_sender(AF_INET6, &group.port[1]);
	CHECK(group.sender[0] >= 0 && group.sender[1] >= 0);
}

/* Waits until something has arrived. */
static void await_packets(void)
{
	struct pollfd p = { .fd = group_fd(), .events = POLLIN };

	CHECK_INT(poll(&p, 1, 5000), 1);
}

static void set_lo_mtu(int mtu)
{
	struct ifreq r = { .ifr_name = "lo", .ifr_mtu = mtu };

	CHECK_INT(ioctl(group_send_fd(AF_INET), SIOCSIFMTU, &r), 0);
}

static struct flow flow(const char *from, const char *to)
{
	return (struct flow){ .sgid = rig_gid_of(from), .dgid = rig_gid_of(to) };
}

static struct packet send_only(uint32_t psn, uint32_t len)
{
	return (struct packet){
		.op = opcode_find(OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = QPN,
		.psn = psn,
		.len = len,
	};
}

static void send_one(const struct flow *f, uint32_t psn, uint32_t len)
{
	struct packet p = send_only(psn, len);

	memset(tx_begin(NULL, f, &p), (int)psn & 0xff, len);
	tx_commit();
}

/* Until n packets have come in all, since rig_forget(). */
static void receive(unsigned n)
{
	while (rig_packets.n < n) {
		await_packets();
		CHECK(rx_packets(n - rig_packets.n, RX_MAYBE) > 0);
	}
	CHECK_INT(rx_packets(32, RX_READY), 0);
	CHECK_INT(rig_packets.n, n);
}

static void check_arrival(const char *from, const char *to, uint8_t tclass, uint8_t hops)
{
	struct flow f = flow(from, to);

	rig_forget();
	f.tclass = tclass;
	f.hops = hops;
	for (uint32_t len = 0; len <= MTU_MAX; len = len * 5 + 1) {
		struct packet *p = &rig_packets.p[0];

		rig_forget();
		send_one(&f, 0xfffffe, len);
		tx_flush();
		receive(1);
		CHECK(memcmp(&p->src, &f.sgid, 16) == 0);
		CHECK(memcmp(&p->dst, &f.dgid, 16) == 0);
		CHECK_INT(p->tclass, tclass);
		CHECK_INT(p->hops, hops ? hops : 64);
		CHECK_INT(p->sport, group_send_port(gid_is_ipv4(&f.dgid) ? AF_INET : AF_INET6));
		CHECK_INT(p->qpn, QPN);
		CHECK_INT(p->psn, 0xfffffe);
		CHECK_INT(p->len, len);
		CHECK_INT(rig_packets.last[0], len ? 0xfe : 0);
	}
}

static void check_batches(void)
{
	struct flow v4 = flow("127.0.0.1", "127.0.0.1"), v6 = flow("::1", "::1");
	uint32_t next4 = 0, next6 = 1;
	uint64_t sent = counters[CNT_SENT_PKTS];

	rig_forget();
	for (uint32_t psn = 0; psn < 300; psn++) /* more than a batch of each */
		send_one(psn % 2 ? &v6 : &v4, psn, psn % 3);
	tx_flush();
	tx_flush(); /* nothing is left */
	receive(300);
	CHECK_INT(counters[CNT_SENT_PKTS] - sent, 300);
	for (unsigned i = 0; i < 300; i++) {
		bool is6 = memcmp(&rig_packets.p[i].src, &v6.sgid, 16) == 0;
		uint32_t *next = is6 ? &next6 : &next4;

		CHECK_INT(rig_packets.p[i].psn, *next);
		CHECK_INT(rig_packets.p[i].len, *next % 3);
		*next += 2;
	}
}

/* Packets that the kernel takes apart, and puts together: nobody sees a difference. */
static void check_runs(const char *from, const char *to, bool together)
{
	struct flow f = flow(from, to);
	uint64_t bad = counters[CNT_BAD_ICRC];

	rig_forget();
	tx_gso = true;
	rx_setup(together);
	for (uint32_t psn = 0; psn < 200; psn++) {
		/* a longer one first, a run, a shorter end; from 150 on all sizes */
		uint32_t len = psn == 0	    ? 1024
			       : psn < 149  ? 1008
			       : psn == 149 ? 77
					    : psn * 37 % 300;
		struct packet p = send_only(psn, len);

		p.qpn += psn / 100; /* a run is for one QP */
		memset(tx_begin(NULL, &f, &p), (int)psn & 0xff, len);
		tx_commit();
	}
	tx_flush();
	receive(200);
	for (uint32_t psn = 0; psn < 200; psn++) {
		CHECK_INT(rig_packets.p[psn].psn, psn);
		CHECK_INT(rig_packets.p[psn].qpn, QPN + psn / 100);
		CHECK(rig_packets.p[psn].len == 0 || rig_packets.last[psn] == psn);
		CHECK(memcmp(&rig_packets.p[psn].dst, &f.dgid, 16) == 0);
	}
	CHECK_INT(counters[CNT_BAD_ICRC], bad);
	tx_gso = false;
	rx_setup(false);
}

/* One packet that the kernel refuses is lost, and counted; those around it go out. */
static void check_refused(void)
{
	struct flow good = flow("127.0.0.1", "127.0.0.1");
	struct flow alien = flow("10.9.8.7", "127.0.0.1"); /* not an address of ours */
	struct flow nowhere = flow("127.0.0.1", "192.0.2.1");
	struct flow mixed = flow("::1", "127.0.0.1");
	uint64_t errors = counters[CNT_SEND_ERR], sent = counters[CNT_SENT_PKTS];
	struct packet p = send_only(77, 4);

	rig_forget();
	send_one(&alien, 0, 4);
	send_one(&good, 1, 4);
	send_one(&nowhere, 2, 4);
	send_one(&alien, 3, 4);
	send_one(&good, 4, 4);
	send_one(&mixed, 5, 4);
	tx_begin(NULL, &good, &p);
	tx_flush();
	set_lo_mtu(1500);
	send_one(&good, 6, 2048);
	send_one(&good, 7, 1024);
	tx_flush();
	set_lo_mtu(65536);
	receive(3);
	CHECK_INT(rig_packets.p[0].psn, 1);
	CHECK_INT(rig_packets.p[1].psn, 4);
	CHECK_INT(rig_packets.p[2].psn, 7);
	CHECK_INT(counters[CNT_SEND_ERR] - errors, 5);
	CHECK_INT(counters[CNT_SENT_PKTS] - sent, 3);
}

static struct packet addresses(const char *from, const char *to, uint16_t sport)
{
	return (struct packet){ .src = rig_gid_of(from), .dst = rig_gid_of(to), .sport = sport };
}

static uint32_t build(const struct packet *a, const struct packet *p, uint16_t id, uint8_t *data)
{
	size_t n = packet_build(p, data);
	uint32_t icrc;

	memset(data + n, 0x5a, p->len);
	n += p->len;
	memset(data + n, 0, packet_pad(p->len));
	n += packet_pad(p->len);
	icrc = htole32(icrc_of(&a->src, &a->dst, a->sport, data, n, id));
	memcpy(data + n, &icrc, 4);
	return (uint32_t)n + 4;
}

static void expect(enum counter why, const struct packet *a, const uint8_t *data, uint32_t n)
{
	uint64_t before[COUNTERS];

	memcpy(before, counters, sizeof(before));
	before[why]++;
	rig_forget();
	rx_input(a, data, n);
	CHECK_INT(rig_packets.n + rig_mads.routed, why == CNT_RCVD_PKTS);
	CHECK(memcmp(before, counters, sizeof(before)) == 0);
}

static void check_bad_packets(void)
{
	struct packet a = addresses("10.0.0.1", "10.0.0.2", 49152), other = a;
	struct packet p = send_only(1, 9);
	uint8_t data[PACKET_MAX];
	uint32_t n = build(&a, &p, 0, data);

	expect(CNT_RCVD_PKTS, &a, data, n);
	other.src.raw[15] ^= 1; /* claims to come from elsewhere */
	expect(CNT_BAD_ICRC, &other, data, n);
	other = a;
	other.sport++;
	expect(CNT_BAD_ICRC, &other, data, n);
	for (uint32_t cut = 1; cut <= n; cut++)
		expect(cut % 4 || n - cut < 20 ? CNT_BAD_PACKET : CNT_BAD_ICRC, &a, data, n - cut);
	data[n - 5] ^= 1; /* the pad is covered, too */
	expect(CNT_BAD_ICRC, &a, data, n);
	data[n - 5] ^= 1;
	data[0] = 0x15;
	expect(CNT_BAD_PACKET, &a, data, n);
}

/* Other hosts may write any identification; this one does not. */
static void check_identifications(void)
{
	struct packet other = addresses("10.0.0.4", "10.0.0.2", 50000);
	struct packet own = addresses("127.0.0.1", "127.0.0.1", 50000);
	struct packet p = send_only(1, 100);
	uint8_t data[PACKET_MAX];

	for (uint16_t id = 1000; id < 1100; id++)
		expect(CNT_RCVD_PKTS, &other, data, build(&other, &p, id, data));
	for (uint16_t id = 0; id < 64; id++)
		expect(CNT_RCVD_PKTS, &own, data, build(&own, &p, id, data));
	expect(CNT_BAD_ICRC, &own, data, build(&own, &p, 4711, data));
}

static struct packet a_mad(void)
{
	return (struct packet){
		.op = opcode_find(OPCODE_UD + OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = GSI_QPN,
		.psn = 0x424242,
		.qkey = GSI_QKEY,
		.src_qpn = GSI_QPN,
		.len = MAD_BYTES,
	};
}

static void check_mads(void)
{
	struct packet a = addresses("fe80::1", "fe80::2", 40000), p = a_mad();
	uint8_t data[PACKET_MAX];

	a.scope = 3;
	a.hops = 64;
	expect(CNT_RCVD_PKTS, &a, data, build(&a, &p, 0, data));
	CHECK_INT(rig_mads.input, 1);
	CHECK(memcmp(&rig_mads.from.src, &a.src, 16) == 0);
	CHECK(memcmp(&rig_mads.from.dst, &a.dst, 16) == 0);
	CHECK_INT(rig_mads.from.scope, 3);
	CHECK_INT(rig_mads.from.src_qpn, 1);
	CHECK_INT(rig_mads.from.psn, 0x424242);
	CHECK_INT(rig_mads.from.sport, 40000);
	CHECK_INT(rig_mads.mad[255], 0x5a);
}

static void expect_bad_mad(const struct packet *p, enum counter why)
{
	struct packet a = addresses("fe80::1", "fe80::2", 40000);
	uint8_t data[PACKET_MAX];
	uint64_t bad = counters[why];

	rig_forget();
	rx_input(&a, data, build(&a, p, 0, data));
	CHECK_INT(rig_mads.routed + rig_packets.n, 0);
	CHECK_INT(counters[why], bad + 1);
}

static void check_bad_mads(void)
{
	struct packet p = a_mad();

	p.qkey = 0x11111111;
	expect_bad_mad(&p, CNT_BAD_QKEY);
	p = a_mad();
	p.src_qpn = 2;
	expect_bad_mad(&p, CNT_BAD_PACKET);
	p = a_mad();
	p.len = 252;
	expect_bad_mad(&p, CNT_BAD_PACKET);
	p = a_mad();
	p.pkey = 0x8001;
	expect_bad_mad(&p, CNT_BAD_PKEY);
	p = a_mad();
	p.op = opcode_find(OP_SEND_ONLY);
	expect_bad_mad(&p, CNT_BAD_PACKET);
}

static struct {
	unsigned n;
	bool out[8];
	char fate[8][16];
	uint8_t ip[8][PACKET_MAX + 48];
	size_t len[8];
} tapped;

static void remember(void *arg, const struct uroce_packet *p)
{
	CHECK(arg == &tapped && tapped.n < 8);
	tapped.out[tapped.n] = p->out;
	snprintf(tapped.fate[tapped.n], 16, "%s", p->fate ? p->fate : "");
	memcpy(tapped.ip[tapped.n], p->ip, p->len);
	tapped.len[tapped.n++] = p->len;
}

/* The sender and the receiver show the same: so the identification is 0, too. */
static void check_tap(const char *from, const char *to)
{
	struct flow f = flow(from, to);

	tapped.n = 0;
	uroce_tap(remember, &tapped);
	rig_forget();
	send_one(&f, 9, 21);
	tx_flush();
	receive(1);
	CHECK_INT(tapped.n, 2);
	CHECK(tapped.out[0] && !tapped.out[1]);
	CHECK_STR(tapped.fate[0], "");
	CHECK_STR(tapped.fate[1], "");
	CHECK_INT(tapped.len[0], (gid_is_ipv4(&f.sgid) ? 28 : 48) + 12 + 24 + 4);
	CHECK_INT(tapped.len[1], tapped.len[0]);
	CHECK(memcmp(tapped.ip[0], tapped.ip[1], tapped.len[0]) == 0);
	uroce_tap(NULL, NULL);
	send_one(&f, 9, 21);
	tx_flush();
	receive(2);
	CHECK_INT(tapped.n, 2);
}

/* A MAD is shown as it was on the wire, in the process that it is for; so are broken packets. */
static void check_tap_of_others(void)
{
	struct packet a = addresses("10.1.0.1", "10.1.0.2", 50123), p = a_mad();
	uint8_t data[PACKET_MAX];
	uint32_t n = build(&a, &p, 0xabcd, data);

	tapped.n = 0;
	uroce_tap(remember, &tapped);
	rig_forget();
	rx_input(&a, data, n);
	CHECK_INT(rig_mads.input, 1);
	CHECK_INT(tapped.n, 1);
	CHECK_INT(tapped.len[0], 28 + n);
	CHECK(memcmp(tapped.ip[0] + 28, data, n) == 0);
	CHECK_INT(get_be16(tapped.ip[0] + 4), 0xabcd);
	data[40] ^= 1;
	rx_input(&a, data, n);
	rx_input(&a, data, 10);
	CHECK_INT(tapped.n, 3);
	CHECK_STR(tapped.fate[1], "icrc");
	CHECK_STR(tapped.fate[2], "malformed");
	uroce_tap(NULL, NULL);
}

static void check_faults(void)
{
	struct flow f = flow("127.0.0.1", "127.0.0.1");
	struct packet a = addresses("10.1.0.1", "10.1.0.2", 50123), p = a_mad();
	uint8_t data[PACKET_MAX];
	uint64_t bad = counters[CNT_BAD_ICRC] + counters[CNT_BAD_PACKET];

	CHECK_INT(uroce_faults_set("drop=1,dir=out", false, 1, NULL, 0), 0);
	rig_forget();
	send_one(&f, 1, 1);
	fault_set("dup=100%,dir=out;corrupt=100%,dir=in", false, 0, NULL, 0);
	send_one(&f, 2, 1);
	tx_flush();
	await_packets();
	while (counters[CNT_BAD_ICRC] + counters[CNT_BAD_PACKET] < bad + 2)
		rx_packets(32, RX_READY);
	CHECK_INT(rig_packets.n, 0);
	CHECK_INT(counters[CNT_FAULT_DROP], 1);
	CHECK_INT(counters[CNT_FAULT_DUP], 1);
	CHECK_INT(counters[CNT_FAULT_CORRUPT], 2);

	fault_set("delay=1ms,dir=in", false, 0, NULL, 0);
	rx_input(&a, data, build(&a, &p, 0, data));
	CHECK_INT(rig_mads.routed, 1);
	CHECK_INT(rig_mads.lost, 1);
	CHECK_INT(rig_mads.input, 0);
	rig_run(999999);
	CHECK_INT(rig_mads.input, 0);
	rig_run(1);
	CHECK_INT(rig_mads.input, 1);
	CHECK_INT(rig_mads.from.psn, 0x424242);
	uroce_faults_set("", false, 0, NULL, 0);
}

static void refused(const char *name, const char *value, const char *want)
{
	char reason[300] = "";

	link_forget();
	setenv(name, value, 1);
	CHECK_INT(link_setup(reason, sizeof(reason)), -1);
	if (strcmp(reason, want) != 0) {
		fprintf(stderr, "%s=%s: %s\n", name, value, reason);
		exit(1);
	}
	checks_passed++;
	unsetenv(name);
}

static void set_devices(const char *value)
{
	setenv("UROCE_DEVICES", value, 1);
	devices_read();
}

static void check_devices(void)
{
	char reason[200];

	refused("UROCE_DEVICES", "7/x",
		"UROCE_DEVICES: '7/x' cannot be the name of a device: take a letter, then letters, "
		"digits, _ and -, 63 at most");
	refused("UROCE_DEVICES", "a,",
		"UROCE_DEVICES: '' cannot be the name of a device: take a letter, then letters, "
		"digits, _ and -, 63 at most");
	refused("UROCE_DEVICES", "a:lo,a:v0", "UROCE_DEVICES: it has the device a twice");
	refused("UROCE_DEVICES", "a:lo:v0,b:lo", "UROCE_DEVICES: it has the interface lo twice");
	refused("UROCE_DEVICES", "a:v1:lo:lo", "UROCE_DEVICES: it has the interface lo twice");
	refused("UROCE_DEVICES", "a:", "UROCE_DEVICES: '' cannot be the name of an interface");
	refused("UROCE_DEVICES", "a,b:lo,c",
		"UROCE_DEVICES: neither a nor c has an interface of its own: write c:INTERFACE");
	refused("UROCE_DEVICES", "a:0,b:1,c:2,d:3,e:4,f:5,g:6,h:7,i:8",
		"UROCE_DEVICES: there are more than 8 devices");
	set_devices("7/x");
	CHECK(device_has_all());
	CHECK_STR(device_name(0), "uroce0");
	set_devices("rxe_0");
	CHECK(device_has_all());
	CHECK_STR(device_names(), "rxe_0");
	set_devices("a,b:lo:v0,c:v1");
	CHECK(!device_has_all());
	CHECK_STR(device_names(), "a,b,c");
	CHECK_INT(device_of_interface("v0"), 1);
	CHECK_INT(device_of_interface("v1"), 2);
	CHECK_INT(device_of_interface("v"), 0);
	set_devices("b:lo");
	CHECK(!device_has_all());
	CHECK_INT(device_of_interface("eth0"), 1);
	set_devices("");
	CHECK_STR(device_name(0), "uroce0");
	CHECK_INT(devices_check(reason, sizeof(reason)), 0);
	setenv("UROCE_NAME", "rxe_0", 1); /* its old name */
	devices_read();
	CHECK_STR(device_names(), "rxe_0");
	unsetenv("UROCE_NAME");
	unsetenv("UROCE_DEVICES");
	devices_read();
}

static void check_setup(void)
{
	char reason[200] = "", name[] = "link_test.XXXXXX";
	int fd = mkstemp(name);

	CHECK(fd >= 0 && write(fd, "a text", 6) == 6 && close(fd) == 0);
	snprintf(reason, sizeof(reason),
		 "UROCE_PCAP=%s: is there and is no pcapng file: name another one", name);
	refused("UROCE_PCAP", name, reason);
	refused("UROCE_FAULT", "drop=2",
		"UROCE_FAULT: drop=2: not a probability: write 5% or 0.05");
	refused("UROCE_PCAP", "/nonexistent/a",
		"UROCE_PCAP=/nonexistent/a: No such file or directory");
	check_devices();
	setenv("UROCE_FAULT", "drop=100%,dir=out", 1);
	refused("UROCE_FAULT_SEED", "0x", "UROCE_FAULT_SEED=0x is not a number from 1 to 2^64-1");
	CHECK_INT(fault_directions, 0);
	CHECK_INT(link_setup(reason, sizeof(reason)), 0);
	CHECK_INT(fault_directions, UROCE_OUT);
	uroce_faults_set("", false, 0, NULL, 0);
	CHECK_INT(link_setup(reason, sizeof(reason)), 0); /* what the program wants stays */
	CHECK_INT(fault_directions, 0);
	setenv("UROCE_FAULT", "dup=100%", 1);
	setenv("UROCE_GSO", "0", 1);
	link_forget();
	CHECK_INT(link_setup(reason, sizeof(reason)), 0);
	CHECK_INT(fault_directions, UROCE_OUT | UROCE_IN);
	CHECK(!tx_gso);
	unsetenv("UROCE_FAULT");
	unsetenv("UROCE_GSO");
	link_forget();
	CHECK_INT(link_setup(reason, sizeof(reason)), 0);
	CHECK(fault_directions == 0 && tx_gso && !tap_on);
	CHECK_INT(unlink(name), 0);
}

static void check_counters(void)
{
	struct uroce_counter c[COUNTERS];
	unsigned n = uroce_counters(c, COUNTERS);

	CHECK_INT(n, COUNTERS);
	CHECK_INT(uroce_counters(NULL, 0), COUNTERS);
	for (unsigned i = 0; i < n; i++) {
		CHECK(c[i].name && *c[i].name);
		CHECK_INT(c[i].value, counters[i]);
	}
	CHECK_STR(c[CNT_SENT_PKTS].name, "sent_pkts");
	CHECK_STR(c[CNT_FAULT_DELAY].name, "fault_delay");
}

int main(void)
{
	open_link();
	check_arrival("127.0.0.1", "127.0.0.1", 0, 0);
	check_arrival("127.0.0.3", "127.5.4.2", 0x2e << 2, 17);
	check_arrival("::1", "::1", 0, 64);
	check_arrival("::1", "::1", 0x2c, 255);
	check_batches();
	check_runs("127.0.0.1", "127.0.0.1", false);
	check_runs("127.0.0.1", "127.0.0.2", true);
	check_runs("::1", "::1", false);
	check_runs("::1", "::1", true);
	check_refused();
	check_bad_packets();
	check_identifications();
	check_mads();
	check_bad_mads();
	check_tap("127.0.0.2", "127.0.0.3");
	check_tap("::1", "::1");
	check_tap_of_others();
	check_faults();
	check_setup();
	check_counters();
	return checks_end();
}
