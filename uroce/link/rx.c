/* SPDX-License-Identifier: MIT */
/*
 * Datagrams from the sockets of the group. If the host has IPv6, these sockets receive both
 * families, and IPv4 addresses come mapped into IPv6, as GIDs have them.
 */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.h"
#include "counters.h"
#include "fault.h"
#include "frame_ring.h"
#include "gid.h"
#include "group.h"
#include "packet.h"
#include "link.h"
#include "tap.h"

#define BATCH	  32
#define RUN_MAX	  65536 /* bytes of a run: packets of one size that the kernel has merged */
#define RUN_BATCH 16
#define CONTROL_BYTES                                                                     \
	(CMSG_SPACE(sizeof(struct in6_pktinfo)) + CMSG_SPACE(sizeof(struct in_pktinfo)) + \
	 5 * CMSG_SPACE(sizeof(int)))

/* Filled in by recvmsg(2): addresses, hop limit, traffic class, and the length of each packet of a
 * run. */
struct slot {
	struct iovec iov;
	union {
		struct sockaddr sa;
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} from;
	_Alignas(struct cmsghdr) char control[CONTROL_BYTES];
};

static struct mmsghdr msgs[BATCH];
static struct slot slots[BATCH];
static uint8_t room[RUN_BATCH * RUN_MAX];
static unsigned batch; /* the number of slots that share the room; 0: not set yet */

_Static_assert(sizeof(room) >= BATCH * PACKET_MAX, "room for as many without runs");

/* Resets the fields that the kernel has changed, before the next message is received. */
static void reset_message(struct msghdr *m)
{
	m->msg_namelen = sizeof(slots[0].from);
	m->msg_controllen = sizeof(slots[0].control);
}

static void divide_room(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		struct slot *s = &slots[i];
		struct msghdr *m = &msgs[i].msg_hdr;

		s->iov.iov_base = room + i * (sizeof(room) / n);
		s->iov.iov_len = sizeof(room) / n;
		m->msg_name = &s->from;
		m->msg_iov = &s->iov;
		m->msg_iovlen = 1;
		m->msg_control = s->control;
		reset_message(m);
	}
	batch = n;
}

void rx_setup(bool runs)
{
	int on = runs;
	bool takes_runs = setsockopt(group_fd(), SOL_UDP, UDP_GRO, &on, sizeof(on)) == 0 && runs;

	divide_room(takes_runs ? RUN_BATCH : BATCH);
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
		gid_of_ipv4(&p->dst, &info.ipi_addr);
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

/* Reads who sent a message, and to which of our addresses; *segment: the length of each packet of a
 * run. False: the kernel did not say. */
static bool read_addresses(struct packet *p, const struct slot *s, struct msghdr *m, int *segment)
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
		else if (c->cmsg_level == SOL_UDP && c->cmsg_type == UDP_GRO)
			memcpy(segment, CMSG_DATA(c), sizeof(*segment));
	}
	if (s->from.sa.sa_family == AF_INET6) {
		memcpy(&p->src, &s->from.in6.sin6_addr, 16);
		p->sport = ntohs(s->from.in6.sin6_port);
		if (IN6_IS_ADDR_LINKLOCAL(&s->from.in6.sin6_addr))
			p->scope = ifindex;
	} else {
		gid_of_ipv4(&p->src, &s->from.in.sin_addr);
		p->sport = ntohs(s->from.in.sin_port);
	}
	if (gid_is_multicast(&p->dst))
		p->scope = ifindex;
	return ifindex != 0;
}

static void drop_packet(const char *fate, enum counter why, const struct packet *a,
			const uint8_t *data, uint32_t n)
{
	count(why);
	if (tap_on)
		tap(UROCE_IN, fate, a, data, n, 0);
}

static bool is_down(const union ibv_gid *dst, uint32_t scope)
{
	return gid_may_be_down && !gid_is_up(dst, scope);
}

/*
 * The ICRC of an IPv4 packet is checked modulo the identification, which the socket does not show,
 * so one in 32,768 broken packets would pass. Packets that this host itself sends have 0, or a
 * small number within a segmented send.
 */
#define SMALL 64

static bool is_possible(const struct packet *p, uint16_t id)
{
	return id < SMALL || !gid_is_here(&p->src, p->scope);
}

/* --------------------------------------------------------------- packets -- */

/* Is the packet well-formed, and its ICRC right? Then p has its headers. *id: the likely
 * identification of the IPv4 header, then the one that was found. */
static bool is_intact(struct packet *p, const uint8_t *data, uint32_t n, uint16_t *id)
{
	if (packet_parse(p, data, n) != 0) {
		drop_packet("malformed", CNT_BAD_PACKET, p, data, n);
		return false;
	}
	if (!icrc_valid(&p->src, &p->dst, p->sport, data, n, id) || !is_possible(p, *id)) {
		drop_packet("icrc", CNT_BAD_ICRC, p, data, n);
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

/* MADs come on a socket of their own. Packets that the peer sent before a MAD, and that the kernel
 * has delivered, are handled before it: a disconnect must not overtake the last acknowledgement. */
#define MADS 64

static struct {
	struct mad_from from;
	uint8_t mad[MAD_BYTES];
} mads[MADS];
static unsigned nmads;

static void route_mads(void)
{
	for (unsigned i = 0; i < nmads; i++)
		link_upper.shared_mad(&mads[i].from, mads[i].mad, MAD_BYTES);
	nmads = 0;
}

static void queue_mad(const struct packet *p, uint16_t id)
{
	if (nmads == MADS)
		route_mads();
	mads[nmads].from = mad_from(p, id);
	memcpy(mads[nmads++].mad, p->payload, MAD_BYTES);
}

/* id: the likely identification. */
static void input_packet(const struct packet *addresses, const uint8_t *data, uint32_t n,
			 uint16_t id)
{
	struct packet p = *addresses;

	if (n >= BTH_BYTES && get_be24(data + 5) == GSI_QPN) {
		if (is_intact(&p, data, n, &id)) {
			count(CNT_RCVD_PKTS);
			if (is_mad(&p))
				queue_mad(&p, id);
		}
		return;
	}
	if (is_down(&addresses->dst, addresses->scope)) {
		drop_packet(FATE_PORT_DOWN, CNT_PORT_DOWN, addresses, data, n);
		return;
	}
	if (fault_directions & UROCE_IN) {
		fault_pass(UROCE_IN, addresses, data, n);
		return;
	}
	if (!is_intact(&p, data, n, &id))
		return;
	count(CNT_RCVD_PKTS);
	if (tap_on)
		tap(UROCE_IN, NULL, &p, data, n, id);
	link_upper.packet(&p);
}

void rx_input(const struct packet *addresses, const uint8_t *data, uint32_t n)
{
	input_packet(addresses, data, n, 0);
	route_mads();
}

/* Handles one packet or a run. The sender's kernel numbers the packets of a run from 0. */
static unsigned input_message(const struct slot *s, struct mmsghdr *msg)
{
	struct msghdr *m = &msg->msg_hdr;
	const uint8_t *data = s->iov.iov_base;
	uint32_t left = msg->msg_len;
	uint16_t index = 0;
	int segment = 0;
	struct packet p;

	if (m->msg_flags & (MSG_TRUNC | MSG_CTRUNC) || !read_addresses(&p, s, m, &segment)) {
		count(CNT_BAD_PACKET);
		return 1;
	}
	while (segment > 0 && left > (uint32_t)segment) {
		input_packet(&p, data, (uint32_t)segment, index++);
		data += segment;
		left -= (uint32_t)segment;
	}
	input_packet(&p, data, left, index);
	return index + 1u;
}

/* A system call, because recvmsg(3) is a cancellation point, which costs as much as taking a lock;
 * and a thread that has the engine's lock cannot be cancelled anyway. */
static int receive_messages(int fd, unsigned max)
{
	long n;

	do {
		if (max ==
		    1) /* most of the time there is nothing: this is the fastest way to find out */
			n = syscall(SYS_recvmsg, fd, &msgs[0].msg_hdr, MSG_DONTWAIT);
		else
			n = syscall(SYS_recvmmsg, fd, msgs, max, MSG_DONTWAIT, NULL);
	} while (n < 0 && errno == EINTR);
	if (n < 0 || max > 1)
		return (int)n;
	msgs[0].msg_len = (unsigned)n;
	return 1;
}

/* Handles at most max messages. Returns the number of packets; *more: there may be more
 * messages. */
static unsigned receive_batch(int fd, unsigned max, bool *more)
{
	unsigned packets = 0;
	int n;

	if (!batch)
		divide_room(BATCH);
	if (max > batch)
		max = batch;
	n = receive_messages(fd, max);
	*more = n == (int)max;
	for (int i = 0; i < n; i++) {
		packets += input_message(&slots[i], &msgs[i]);
		reset_message(&msgs[i].msg_hdr);
	}
	return packets;
}

/* Is the socket left out of this pass, if epoll was not asked whether it has packets? Reading it is
 * a system call; looking at memory is not. While frames come through memory, the socket is read in
 * one of SKIP passes, and ever more rarely, down to one of SKIP_MOST, while it is empty. */
#define SKIP	  16
#define SKIP_MOST 256
#define QUIET	  1000 /* passes without a frame: some 0.1 ms */

static unsigned skip = SKIP;

static bool skip_socket(enum rx_socket socket, unsigned frames)
{
	static unsigned quiet = QUIET, skipped;

	quiet = frames ? 0 : quiet + (quiet < QUIET);
	if (socket != RX_MAYBE)
		return socket == RX_EMPTY;
	if (quiet < QUIET && ++skipped < skip)
		return true;
	skipped = 0;
	return false;
}

static void looked_at_socket(unsigned packets)
{
	if (packets)
		skip = SKIP;
	else if (skip < SKIP_MOST)
		skip *= 2;
}

/* If more messages are asked for than there are, the kernel looks for another one before we see the
 * first. So several are asked for only if there was one each time lately, or if epoll reported
 * some. Two in a row are no stream, but an acknowledgement and a reply. */
#define NO_STREAM 2

unsigned rx_packets(unsigned max, enum rx_socket socket)
{
	static unsigned likely = 1, in_a_row;
	unsigned frames = rx_memory(max), n;
	bool more;

	if (skip_socket(socket, frames))
		return frames;
	if (frames >= max) /* frames that were sent before the datagrams may be left */
		frames += rx_memory(FRAME_RING_FRAMES);
	n = socket == RX_READY && likely == 1 ? 2 : likely;
	n = receive_batch(group_fd(), n < max ? n : max, &more);
	looked_at_socket(n);
	in_a_row = more ? in_a_row + n : 0;
	likely = in_a_row > NO_STREAM ? BATCH : more || !n ? 1 : n;
	route_mads();
	return n + frames;
}

/* A sender that never stops must not keep the MADs waiting for ever. */
#define DRAIN_MAX 1024

void rx_datagrams(void)
{
	unsigned n = 0;
	bool more;

	do
		n += receive_batch(group_fd(), BATCH, &more);
	while (more && n < DRAIN_MAX);
}

void rx_drain(void)
{
	rx_memory(FRAME_RING_FRAMES);
	rx_datagrams();
}

unsigned rx_mads(void)
{
	bool more;
	unsigned n = receive_batch(group_gsi_fd(), BATCH, &more);

	if (nmads)
		rx_drain();
	route_mads();
	return n;
}

/* The MAD comes from rx_passed(): it has been through the faults. */
static bool passed;

void rx_passed(const struct packet *addresses, const uint8_t *data, uint32_t n, const char *fate)
{
	struct packet p = *addresses;
	uint16_t id = 0;

	if (!is_intact(&p, data, n, &id))
		return;
	if (tap_on)
		tap(UROCE_IN, fate, &p, data, n, id);
	if (p.qpn == GSI_QPN) {
		struct mad_from from = mad_from(&p, id);

		passed = true;
		if (is_mad(&p))
			link_upper.mad(&from, p.payload, p.len);
		passed = false;
	} else {
		count(CNT_RCVD_PKTS);
		link_upper.packet(&p);
	}
}

/* Builds the packet that a MAD came in. Returns its length. */
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
	icrc = htole32(icrc_of(&a->src, &a->dst, a->sport, data, n, from->ip_id));
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

	if (is_down(&a.dst, a.scope)) {
		count(CNT_PORT_DOWN);
		return false;
	}
	if (passed || !(fault_directions & UROCE_IN || tap_on) || n != MAD_BYTES)
		return true;
	len = wrap_mad(from, &a, mad, n, data);
	if (fault_directions & UROCE_IN) {
		fault_pass(UROCE_IN, &a, data, len);
		return false;
	}
	tap(UROCE_IN, NULL, &a, data, len, from->ip_id);
	return true;
}
