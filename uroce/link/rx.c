// SPDX-License-Identifier: MIT
/*
 * Datagrams of the sockets of the group. These are dual-stack where the host has IPv6, and
 * IPv4 addresses then come mapped into IPv6, which is how GIDs have them.
 */
#include "rx.h"

#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "bytes.h"
#include "cm.h"
#include "counters.h"
#include "fault.h"
#include "gid.h"
#include "group.h"
#include "icrc.h"
#include "source.h"
#include "tap.h"
#include "transport.h"

#define BATCH 32

/* Destination, hop limit and traffic class, of both families. */
#define CONTROL_BYTES                                                                     \
	(CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct in_pktinfo)) + \
	 4 * CMSG_SPACE(sizeof(int)))

struct slot {
	struct iovec iov;
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} from;
	_Alignas(struct cmsghdr) char control[CONTROL_BYTES];
	uint8_t data[PACKET_MAX];
};

static struct mmsghdr msgs[BATCH];
static struct slot slots[BATCH];

static void map_ipv4(union ibv_gid *gid, const struct in_addr *addr)
{
	memset(gid, 0, 10);
	gid->raw[10] = gid->raw[11] = 0xff;
	memcpy(gid->raw + 12, addr, 4);
}

/* Before a message is received into it; the kernel changes nothing else. */
static void reset(struct msghdr *m)
{
	m->msg_namelen = sizeof(slots[0].from);
	m->msg_controllen = sizeof(slots[0].control);
}

static void prepare(void)
{
	for (unsigned i = 0; i < BATCH; i++) {
		struct slot *s = &slots[i];
		struct msghdr *m = &msgs[i].msg_hdr;

		s->iov.iov_base = s->data;
		s->iov.iov_len = sizeof(s->data);
		m->msg_name = &s->from;
		m->msg_iov = &s->iov;
		m->msg_iovlen = 1;
		m->msg_control = s->control;
		reset(m);
	}
}

static void read_ipv6(struct packet *p, unsigned *ifindex, const struct cmsghdr *c)
{
	const void *value = CMSG_DATA(c);
	struct in6_pktinfo info;
	int number;

	switch (c->cmsg_type) {
	case IPV6_PKTINFO:
		memcpy(&info, value, sizeof(info));
		memcpy(&p->dst, &info.ipi6_addr, 16);
		*ifindex = info.ipi6_ifindex;
		break;
	case IPV6_HOPLIMIT:
	case IPV6_TCLASS:
		memcpy(&number, value, sizeof(number));
		*(c->cmsg_type == IPV6_TCLASS ? &p->tclass : &p->hops) = (uint8_t)number;
		break;
	}
}

static void read_ipv4(struct packet *p, unsigned *ifindex, const struct cmsghdr *c)
{
	const void *value = CMSG_DATA(c);
	struct in_pktinfo info;
	int number;

	switch (c->cmsg_type) {
	case IP_PKTINFO:
		memcpy(&info, value, sizeof(info));
		map_ipv4(&p->dst, &info.ipi_addr);
		*ifindex = (unsigned)info.ipi_ifindex;
		break;
	case IP_TTL:
		memcpy(&number, value, sizeof(number));
		p->hops = (uint8_t)number;
		break;
	case IP_TOS:
		memcpy(&p->tclass, value, 1);
		break;
	}
}

/* Who sent it to which of our addresses. false: the kernel did not say. */
static bool read_addresses(struct packet *p, const struct slot *s, struct msghdr *m)
{
	unsigned ifindex = 0;

	memset(&p->dst, 0, sizeof(p->dst));
	p->tclass = 0;
	p->hops = 0;
	p->scope = 0;
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		if (c->cmsg_level == IPPROTO_IPV6)
			read_ipv6(p, &ifindex, c);
		else if (c->cmsg_level == IPPROTO_IP)
			read_ipv4(p, &ifindex, c);
	}
	if (s->from.sa.sa_family == AF_INET6) {
		memcpy(&p->src, &s->from.in6.sin6_addr, 16);
		p->sport = ntohs(s->from.in6.sin6_port);
		if (IN6_IS_ADDR_LINKLOCAL(&s->from.in6.sin6_addr))
			p->scope = ifindex;
	} else {
		map_ipv4(&p->src, &s->from.in.sin_addr);
		p->sport = ntohs(s->from.in.sin_port);
	}
	return ifindex != 0;
}

static unsigned receive(int fd, unsigned max)
{
	int n;

	if (!msgs[0].msg_hdr.msg_iov)
		prepare();
	do {
		n = recvmmsg(fd, msgs, max, MSG_DONTWAIT, NULL);
	} while (n < 0 && errno == EINTR);
	for (int i = 0; i < n; i++) {
		struct msghdr *m = &msgs[i].msg_hdr;
		struct packet p;

		if (m->msg_flags & (MSG_TRUNC | MSG_CTRUNC) || !read_addresses(&p, &slots[i], m))
			count(CNT_BAD_PACKET);
		else
			rx_input(&p, slots[i].data, msgs[i].msg_len, ROCE_PORT);
		reset(m);
	}
	return n > 0 ? (unsigned)n : 0;
}

unsigned rx_packets(unsigned max)
{
	unsigned n = 0, got, want;

	do {
		want = max - n < BATCH ? max - n : BATCH;
		got = receive(group_fd(), want);
		n += got;
	} while (got == want && n < max);
	return n;
}

unsigned rx_mads(void)
{
	return receive(group_gsi_fd(), BATCH);
}

static void lost(const char *fate, enum counter why, const struct packet *a, const uint8_t *data,
		 uint32_t n, uint16_t dport)
{
	count(why);
	if (tap_on)
		tap(UROCE_IN, fate, a, data, n, dport, 0);
}

/* Well-formed, and its ICRC is right: p has the headers then. */
static bool intact(struct packet *p, const uint8_t *data, uint32_t n, uint16_t dport, uint16_t *id)
{
	if (packet_parse(p, data, n) != 0) {
		lost("malformed", CNT_BAD_PACKET, p, data, n, dport);
		return false;
	}
	if (!icrc_valid(&p->src, &p->dst, p->sport, dport, data, n, id) ||
	    (gid_is_ipv4(&p->src) && !source_believed(p, *id))) {
		lost("icrc", CNT_BAD_ICRC, p, data, n, dport);
		return false;
	}
	return true;
}

/* The general services interface: volume 1, 13.5.1 and 16; C9-55 to C9-57. */
static bool is_mad(const struct packet *p)
{
	enum counter why;

	if (p->op->code != OPCODE_UD + OP_SEND_ONLY || p->len != MAD_BYTES || p->src_qpn != GSI_QPN)
		why = CNT_BAD_PACKET;
	else if ((p->pkey & 0x7fff) != (PKEY_DEFAULT & 0x7fff))
		why = CNT_BAD_PKEY;
	else if (p->qkey != GSI_QKEY)
		why = CNT_BAD_QKEY;
	else
		return true;
	count(why);
	return false;
}

static struct mad_from mad_from(const struct packet *p, uint16_t id)
{
	return (struct mad_from){
		.src = p->src,
		.dst = p->dst,
		.scope = p->scope,
		.src_qpn = p->src_qpn,
		.psn = p->psn,
		.sport = p->sport,
		.ip_id = id,
		.tclass = p->tclass,
		.hops = p->hops,
	};
}

void rx_input(const struct packet *addresses, const uint8_t *data, uint32_t n, uint16_t dport)
{
	struct packet p = *addresses;
	uint16_t id;

	if (n >= BTH_BYTES && get_be24(data + 5) == GSI_QPN) {
		if (intact(&p, data, n, dport, &id)) {
			count(CNT_RCVD_PKTS);
			if (is_mad(&p)) {
				struct mad_from from = mad_from(&p, id);

				cm_route(&from, p.payload, p.len);
			}
		}
		return;
	}
	if (fault_directions & UROCE_IN) {
		fault_pass(UROCE_IN, addresses, data, n, dport);
		return;
	}
	if (!intact(&p, data, n, dport, &id))
		return;
	count(CNT_RCVD_PKTS);
	if (tap_on)
		tap(UROCE_IN, NULL, &p, data, n, dport, id);
	transport_input(&p);
}

/* A MAD comes from rx_again(): the faults have had it. */
static bool passed;

void rx_again(const struct packet *addresses, const uint8_t *data, uint32_t n, uint16_t dport,
	      const char *fate)
{
	struct packet p = *addresses;
	uint16_t id;

	if (!intact(&p, data, n, dport, &id))
		return;
	if (tap_on)
		tap(UROCE_IN, fate, &p, data, n, dport, id);
	if (p.qpn == GSI_QPN) {
		struct mad_from from = mad_from(&p, id);

		passed = true;
		if (is_mad(&p))
			cm_input(&from, p.payload, p.len);
		passed = false;
	} else {
		count(CNT_RCVD_PKTS);
		transport_input(&p);
	}
}

/* The packet that a MAD came in. */
static uint32_t wrap_mad(const struct mad_from *from, const struct packet *a, const uint8_t *mad,
			 size_t n, uint8_t *data)
{
	struct packet p = {
		.op = opcode_find(OPCODE_UD + OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = GSI_QPN,
		.psn = from->psn,
		.qkey = GSI_QKEY,
		.src_qpn = from->src_qpn,
		.len = (uint32_t)n,
	};
	size_t header = packet_build(&p, data);
	uint32_t icrc;

	memcpy(data + header, mad, n);
	n += header;
	icrc = htole32(icrc_of(&a->src, &a->dst, a->sport, ROCE_PORT, data, n, from->ip_id));
	memcpy(data + n, &icrc, ICRC_BYTES);
	return (uint32_t)n + ICRC_BYTES;
}

bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	struct packet a = {
		.src = from->src,
		.dst = from->dst,
		.scope = from->scope,
		.sport = from->sport,
		.tclass = from->tclass,
		.hops = from->hops,
	};
	uint8_t data[HEADERS_MAX + MAD_BYTES + ICRC_BYTES];
	uint32_t len;

	if (passed || !(fault_directions & UROCE_IN || tap_on) || n != MAD_BYTES)
		return true;
	len = wrap_mad(from, &a, mad, n, data);
	if (fault_directions & UROCE_IN) {
		fault_pass(UROCE_IN, &a, data, len, ROCE_PORT);
		return false;
	}
	tap(UROCE_IN, NULL, &a, data, len, ROCE_PORT, from->ip_id);
	return true;
}
