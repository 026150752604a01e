// SPDX-License-Identifier: MIT
/*
 * attack KIND: packets of an attacker while two QPs work, which must not notice: every byte is
 * checked, and every atomic counted. The attacker is a process of its own with ordinary
 * sockets; it knows the QP numbers, and how to make an ICRC. It does not know the PSNs: one
 * of 2^24 that is just right does harm, as RoCE is.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bytes.h"
#include "mad.h"
#include "checks.h"
#include "packet.h"
#include "qp_pair.h"
#include "uroce.h"

#define SKIPPED 77
#define PACKETS 20000

/* --------------------------------------------------------------- who attacks -- */

static uint64_t seed = 88172645463325252;

static uint32_t any(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 16);
}

static uint32_t below(uint32_t n)
{
	return any() % n;
}

static void any_bytes(uint8_t *buf, size_t n)
{
	while (n--)
		*buf++ = (uint8_t)any();
}

struct attacker {
	int fd;
	uint16_t port;
	union ibv_gid src, dst;
	uint32_t qpn[2];
};

static union ibv_gid gid_of(uint32_t addr)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, 0xff } };

	memcpy(gid.raw + 12, &addr, 4);
	return gid;
}

/* From an address of the host; DF is set, so that the identification is 0. */
static void sender(struct attacker *a, const char *from, const uint32_t qpn[2])
{
	struct sockaddr_in in = { .sin_family = AF_INET };
	int discover = IP_PMTUDISC_PROBE;
	socklen_t len = sizeof(in);

	memcpy(a->qpn, qpn, sizeof(a->qpn));
	CHECK_INT(inet_pton(AF_INET, from, &in.sin_addr), 1);
	a->fd = socket(AF_INET, SOCK_DGRAM, 0);
	CHECK(a->fd >= 0);
	CHECK_INT(setsockopt(a->fd, IPPROTO_IP, IP_MTU_DISCOVER, &discover, sizeof(discover)), 0);
	CHECK_INT(bind(a->fd, (struct sockaddr *)&in, sizeof(in)), 0);
	CHECK_INT(getsockname(a->fd, (struct sockaddr *)&in, &len), 0);
	a->port = ntohs(in.sin_port);
	a->src = gid_of(in.sin_addr.s_addr);
	a->dst = gid_of(htonl(INADDR_LOOPBACK));
}

static void throw_at(const struct attacker *a, const uint8_t *data, size_t n)
{
	struct sockaddr_in in = {
		.sin_family = AF_INET,
		.sin_port = htons(ROCE_PORT),
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
	};

	/* a full socket buffer is no failure of the test */
	sendto(a->fd, data, n, 0, (struct sockaddr *)&in, sizeof(in));
	if (any() % 32 == 0)
		usleep(500); /* the others want the processor, too */
}

/* With an ICRC that is right. */
static void throw_valid(const struct attacker *a, uint8_t *data, size_t n)
{
	uint32_t icrc = htole32(icrc_of(&a->src, &a->dst, a->port, data, n, 0));

	memcpy(data + n, &icrc, ICRC_BYTES);
	throw_at(a, data, n + ICRC_BYTES);
}

static const struct opcode *any_opcode(void)
{
	const struct opcode *op;

	do
		op = opcode_find((uint8_t)any());
	while (!op);
	return op;
}

/* A packet as it could be, with nothing in it that fits; returns its length without ICRC. */
static size_t any_packet(const struct attacker *a, uint8_t *data, uint32_t qpn)
{
	struct packet p = {
		.op = any_opcode(),
		.solicited = any() & 1,
		.ackreq = any() & 1,
		.pkey = any() % 8 ? PKEY_DEFAULT : (uint16_t)any(),
		.qpn = qpn,
		.psn = any() & PSN_MASK,
		.va = (uint64_t)any() << 32 | any(),
		.rkey = any(),
		.dma_len = any() % 4 ? any() % 100000 : any(),
		.swap_add = any(),
		.compare = any(),
		.syndrome = (uint8_t)any(),
		.msn = any() & PSN_MASK,
		.qkey = any(),
		.src_qpn = a->qpn[0],
	};
	size_t n;

	if (p.op->flags & WIRE_PAYLOAD)
		p.len = any() % 2 ? 1024 : below(MTU_MAX + 1);
	n = packet_build(&p, data);
	any_bytes(data + n, p.len);
	memset(data + n + p.len, 0, 3);
	return n + p.len + packet_pad(p.len);
}

static uint8_t data[PACKET_MAX + 8000];

static void random_bytes(const struct attacker *a)
{
	size_t n = below(4) ? below(80) : below(sizeof(data));

	any_bytes(data, n);
	if (n > 8 && below(2))
		put_be24(data + 5, a->qpn[below(2)]);
	throw_at(a, data, n);
}

static void spoilt(const struct attacker *a)
{
	size_t n = any_packet(a, data, a->qpn[below(2)]) + ICRC_BYTES;

	any_bytes(data + n - ICRC_BYTES, ICRC_BYTES);
	throw_at(a, data, n);
}

static void truncated(const struct attacker *a)
{
	size_t n = any_packet(a, data, a->qpn[below(2)]);

	n = BTH_BYTES + below((uint32_t)n - BTH_BYTES + 1);
	if (below(4))
		n &= ~(size_t)3;
	throw_valid(a, data, n);
}

static void strange(const struct attacker *a)
{
	throw_valid(a, data, any_packet(a, data, a->qpn[below(2)]));
}

static void elsewhere(const struct attacker *a)
{
	throw_valid(a, data, any_packet(a, data, any() & PSN_MASK));
}

/* MADs of the connection manager: some fields as they should be, so that others are read. */
static void mads(const struct attacker *a)
{
	struct packet p = {
		.op = opcode_find(OPCODE_UD + OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = 1,
		.psn = any() & PSN_MASK,
		.qkey = below(8) ? GSI_QKEY : any(),
		.src_qpn = below(8) ? 1 : any() & PSN_MASK,
		.len = below(8) ? MAD_BYTES : below(512) & ~3u,
	};
	size_t n = packet_build(&p, data);
	uint8_t *mad = data + n, *b = mad + 24;

	any_bytes(mad, p.len);
	if (p.len == MAD_BYTES) {
		static const uint8_t header[] = { 1, 7, 2, 3, 0, 0, 0, 0 };

		memcpy(mad, header, sizeof(header));
		put_be16(mad + 16, (uint16_t)(0x10 + below(10)));
		if (below(2)) /* a service of the victim, from the address that sends it */
			put_be64(b + 8, 0x01060000u | (7000 + below(3)));
		if (below(2)) {
			memcpy(b + 56, &a->src, 16);
			memcpy(b + 72, &a->dst, 16);
			put_be16(b + 48, PKEY_DEFAULT);
			b[43] &= (uint8_t)~6u;
			b[50] = (uint8_t)(3 << 4 | (b[50] & 15));
			memset(b + 140, 0, 36);
			b[141] = 0x40;
			memcpy(b + 140 + 4, a->src.raw, 16);
			memcpy(b + 140 + 16, a->src.raw + 12, 4);
			memcpy(b + 140 + 32, a->dst.raw + 12, 4);
			memset(b + 144, 0, 12);
			memset(b + 160, 0, 12);
		}
	}
	memset(data + n + p.len, 0, 3);
	throw_valid(a, data, n + p.len);
}

static const struct kind {
	const char *name, *from;
	void (*throw)(const struct attacker *a);
	const char *counted; /* by the victim */
} kinds[] = {
	{ "random", "127.0.0.1", random_bytes, "bad_packet" },
	{ "icrc", "127.0.0.1", spoilt, "bad_icrc" },
	{ "truncated", "127.0.0.1", truncated, "bad_packet" },
	{ "strange", "127.0.0.1", strange, "duplicate_request" },
	{ "spoofed", "127.0.0.2", strange, "bad_source" },
	{ "elsewhere", "127.0.0.1", elsewhere, "bad_qpn" },
	{ "mads", "127.0.0.1", mads, "bad_qkey" },
	{ "mads-spoofed", "127.0.0.3", mads, "bad_qkey" },
	{ "replay", NULL, NULL, "duplicate_request" },
};

/* --------------------------------------------------------------------- replay -- */

#define REPLAYED_TTL 63 /* says that we have sent it; the ICRC does not cover it */

static int packet_socket(void)
{
	struct sockaddr_ll ll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_IP),
		.sll_ifindex = (int)if_nametoindex("lo"),
	};
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_IP));

	if (fd < 0)
		return -1;
	CHECK_INT(bind(fd, (struct sockaddr *)&ll, sizeof(ll)), 0);
	return fd;
}

static uint16_t ip_sum(struct ip *ip)
{
	const uint8_t *p = (const uint8_t *)ip;
	uint32_t sum = 0;

	ip->ip_sum = 0;
	for (unsigned i = 0; i < ip->ip_hl * 4u; i += 2)
		sum += get_be16(p + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)~sum);
}

/* Sends what it sees once more, after a while. */
static void replay(int fd)
{
	enum { KEPT = 37, ROOM = 4400, SHIFT = 2 /* so that the IP header is aligned */ };
	static _Alignas(4) uint8_t kept[KEPT][ROOM];
	static ssize_t len[KEPT];

	for (unsigned i = 0, sent = 0; sent < PACKETS;) {
		struct sockaddr_ll from;
		socklen_t n = sizeof(from);
		uint8_t *frame = kept[i % KEPT] + SHIFT;
		struct ip *ip = (void *)(frame + ETH_HLEN);
		struct udphdr *udp = (void *)(ip + 1);

		if (len[i % KEPT] > 0 && send(fd, frame, (size_t)len[i % KEPT], 0) > 0)
			sent++;
		do
			len[i % KEPT] = recvfrom(fd, frame, ROOM - SHIFT, 0,
						 (struct sockaddr *)&from, &n);
		while (from.sll_pkttype == PACKET_OUTGOING || ip->ip_ttl == REPLAYED_TTL ||
		       ip->ip_p != IPPROTO_UDP || udp->uh_dport != htons(ROCE_PORT));
		ip->ip_ttl = REPLAYED_TTL;
		ip->ip_sum = ip_sum(ip);
		udp->uh_sum = 0; /* none was made on lo */
		i += 1 + (any() % 3 == 0);
	}
}

/* --------------------------------------------------------- who is attacked -- */

static volatile sig_atomic_t over;

static void on_term(int sig)
{
	(void)sig;
	over = 1;
}

/* Adds one, n times; the sum tells. */
static void atomics(struct pair *p)
{
	uint64_t *sum = (uint64_t *)p->b.buf, before, n = 16;

	*sum = before = any();
	for (unsigned i = 0; i < n; i++) {
		struct ibv_sge sge = { (uintptr_t)p->a.buf, 8, p->a.mr->lkey };
		struct ibv_send_wr *bad, wr = {
			.sg_list = &sge,
			.num_sge = 1,
			.opcode = IBV_WR_ATOMIC_FETCH_AND_ADD,
			.wr.atomic = { (uintptr_t)sum, 1, 0, p->b.mr->rkey },
		};

		CHECK_INT(ibv_post_send(p->a.qp, &wr, &bad), 0);
		CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
		CHECK_INT(*(uint64_t *)p->a.buf, before + i);
	}
	CHECK_INT(*sum, before + n);
}

/* Listens, takes no request: they must not pile up. */
static void listen_only(uint16_t port)
{
	struct sockaddr_in in = { .sin_family = AF_INET, .sin_port = htons(port) };
	struct rdma_event_channel *channel = rdma_create_event_channel();
	struct rdma_cm_id *id;

	CHECK(channel != NULL);
	CHECK_INT(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_bind_addr(id, (struct sockaddr *)&in), 0);
	CHECK_INT(rdma_listen(id, port % 2 ? 4 : 0), 0);
}

static long resident(void)
{
	long size = 0, pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	CHECK(f && fscanf(f, "%ld %ld", &size, &pages) == 2);
	fclose(f);
	return pages * 4;
}

static uint64_t counter(const char *name)
{
	unsigned (*get)(struct uroce_counter *, unsigned) = (unsigned (*)(
		struct uroce_counter *, unsigned))dlsym(RTLD_DEFAULT, "uroce_counters");
	struct uroce_counter c[64];
	unsigned n;

	CHECK(get != NULL);
	n = get(c, 64);
	for (unsigned i = 0; i < n && i < 64; i++)
		if (strcmp(c[i].name, name) == 0)
			return c[i].value;
	CHECK(!"there is such a counter");
	return 0;
}

static void victim(int tell, const char *counted)
{
	uint32_t qpn[2];
	long before;
	struct pair p;

	signal(SIGTERM, on_term);
	pair_make(&p, 0);
	listen_only(7000);
	listen_only(7001);
	qpn[0] = p.a.qp->qp_num;
	qpn[1] = p.b.qp->qp_num;
	pair_works(&p);
	before = resident();
	CHECK_INT(write(tell, qpn, sizeof(qpn)), sizeof(qpn));
	while (!over) {
		pair_works(&p);
		atomics(&p);
	}
	printf("%s %llu, memory +%ld KiB\n", counted, (unsigned long long)counter(counted),
	       resident() - before);
	CHECK(counter(counted) > PACKETS / 100);
	CHECK(resident() - before < 16384);
	pair_close(&p);
	exit(0);
}

static void attack(const struct kind *kind, const uint32_t qpn[2])
{
	struct attacker a;

	sender(&a, kind->from, qpn);
	for (unsigned i = 0; i < PACKETS; i++)
		kind->throw(&a);
}

static const struct kind *find(const char *name)
{
	for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	exit(2);
}

int main(int argc, char **argv)
{
	const struct kind *kind = find(argc > 1 ? argv[1] : "");
	int pipes[2], status, fd = -1;
	uint32_t qpn[2];
	pid_t pid;

	if (!kind->throw &&(fd = packet_socket()) < 0) {
		printf("no packet sockets here: %s\n", strerror(errno));
		return SKIPPED;
	}
	CHECK_INT(pipe(pipes), 0);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL); /* a check that fails ends the other one */
		victim(pipes[1], kind->counted);
	}
	close(pipes[1]);
	CHECK_INT(read(pipes[0], qpn, sizeof(qpn)), sizeof(qpn));
	if (kind->throw)
		attack(kind, qpn);
	else
		replay(fd);
	kill(pid, SIGTERM);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
	return checks_end();
}
