// SPDX-License-Identifier: MIT
/*
 * Packets are written into the ring of a pair if there is one (path.h), else into a batch for each
 * address family. The UDP sockets are not connected and have DF set (group_send_fd()): so the
 * kernel writes 0 as identification, which the ICRC covers.
 */
#include "link.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bytes.h"
#include "counters.h"
#include "lock.h"
#include "fault.h"
#include "gid.h"
#include "group.h"
#include "packet.h"
#include "pair.h"
#include "path.h"
#include "tap.h"

#define BATCH	     64
#define HOPS_DEFAULT 64 /* the sockets' own: no control message needed */
#define PATIENCE_MS  1	/* for room in a full socket */
#define GSO_SEGMENTS 60 /* the kernel takes 64, and no more than an IP packet holds */
#define GSO_BYTES    65000
#define CONTROL_BYTES                                                           \
	(CMSG_SPACE(sizeof(struct in6_pktinfo)) + 2 * CMSG_SPACE(sizeof(int)) + \
	 CMSG_SPACE(sizeof(uint16_t)))

struct datagram {
	union {
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to;
	_Alignas(struct cmsghdr) char control[CONTROL_BYTES];
	uint8_t data[PACKET_MAX];
};

/* A message is a datagram, or a run of datagrams for the kernel to split (UDP_SEGMENT), whose
 * address is in the first one. */
struct batch {
	int family;
	unsigned n, nmsgs;
	struct mmsghdr msg[BATCH];
	struct iovec iov[BATCH]; /* of each datagram */
	struct datagram frame[BATCH];
	/* the run that is the last message */
	struct flow flow;
	uint32_t segment, bytes; /* length of each datagram but the last, and of all */
	bool closed;		 /* a shorter one has ended it */
};

static struct batch batches[2] = { { .family = AF_INET }, { .family = AF_INET6 } };

/* The packet between tx_begin() and tx_commit(). */
static struct {
	struct pair *pair;	    /* NULL: it goes by UDP */
	struct frame_header *frame; /* in the ring of the pair; NULL: it is aside */
	struct batch *batch;	    /* by UDP */
	unsigned index;		    /* in its run: the identification that the kernel will write */
	const struct flow *flow;
	const struct packet *packet;
	uint16_t sport;
	bool lost; /* the port, or the address that it leaves from, is down */
	uint8_t *data;
	uint32_t n; /* bytes, with the ICRC */
} begun;

bool tx_gso;

static struct batch *batch_of(const struct flow *flow)
{
	return &batches[gid_is_ipv4(&flow->dgid) ? 0 : 1];
}

static struct cmsghdr *put_control(struct msghdr *m, struct cmsghdr *c, int level, int type,
				   const void *value, size_t n)
{
	c->cmsg_level = level;
	c->cmsg_type = type;
	c->cmsg_len = CMSG_LEN(n);
	memcpy(CMSG_DATA(c), value, n);
	m->msg_controllen += CMSG_SPACE(n);
	return (struct cmsghdr *)((char *)c + CMSG_SPACE(n));
}

static void put_lifetime(struct msghdr *m, struct cmsghdr *c, const struct flow *flow, bool v4)
{
	int level = v4 ? IPPROTO_IP : IPPROTO_IPV6;
	int hops = flow->hops ? flow->hops : HOPS_DEFAULT, tclass = flow->tclass;
	bool multicast = v4 ? IN_MULTICAST(get_be32(flow->dgid.raw + 12))
			    : flow->dgid.raw[0] == 0xff;

	if (tclass)
		c = put_control(m, c, level, v4 ? IP_TOS : IPV6_TCLASS, &tclass, sizeof(tclass));
	if (hops != HOPS_DEFAULT || multicast) /* the default of multicast is 1 */
		put_control(m, c, level, v4 ? IP_TTL : IPV6_HOPLIMIT, &hops, sizeof(hops));
}

static void put_address_ipv4(struct datagram *f, struct msghdr *m, const struct flow *flow)
{
	struct in_pktinfo info = { .ipi_ifindex = (int)flow->scope };

	f->to.in = (struct sockaddr_in){ .sin_family = AF_INET, .sin_port = htons(ROCE_PORT) };
	memcpy(&f->to.in.sin_addr, flow->dgid.raw + 12, 4);
	memcpy(&info.ipi_spec_dst, flow->sgid.raw + 12, 4);
	m->msg_namelen = sizeof(f->to.in);
	put_lifetime(m,
		     put_control(m, (struct cmsghdr *)f->control, IPPROTO_IP, IP_PKTINFO, &info,
				 sizeof(info)),
		     flow, true);
}

static void put_address_ipv6(struct datagram *f, struct msghdr *m, const struct flow *flow)
{
	struct in6_pktinfo info = { .ipi6_ifindex = flow->scope };

	f->to.in6 = (struct sockaddr_in6){ .sin6_family = AF_INET6,
					   .sin6_port = htons(ROCE_PORT),
					   .sin6_scope_id = flow->scope };
	memcpy(&f->to.in6.sin6_addr, &flow->dgid, 16);
	memcpy(&info.ipi6_addr, &flow->sgid, 16);
	m->msg_namelen = sizeof(f->to.in6);
	put_lifetime(m,
		     put_control(m, (struct cmsghdr *)f->control, IPPROTO_IPV6, IPV6_PKTINFO, &info,
				 sizeof(info)),
		     flow, false);
}

static void send_batch(struct batch *b);
static void send_batches(void);

/* Can a datagram of n bytes continue the run of the last message? Only to the same QP, whose number
 * decides which process gets the whole run. */
static bool continues_run(const struct batch *b, const struct flow *flow, uint32_t n, uint32_t qpn)
{
	if (!tx_gso || !b->nmsgs || b->closed || path_is_watched())
		return false;
	return b->msg[b->nmsgs - 1].msg_hdr.msg_iovlen < GSO_SEGMENTS && n <= b->segment &&
	       b->bytes + n <= GSO_BYTES && get_be24(b->frame[b->n - 1].data + 5) == qpn &&
	       memcmp(&b->flow, flow, sizeof(*flow)) == 0;
}

/* The next free datagram for n bytes; *index: its place in a run. */
static struct datagram *next_datagram(struct batch *b, const struct flow *flow, uint32_t n,
				      uint32_t qpn, unsigned *index)
{
	struct msghdr *m;
	struct datagram *f;

	if (b->n == BATCH)
		send_batch(b);
	f = &b->frame[b->n];
	if (continues_run(b, flow, n, qpn)) {
		*index = (unsigned)b->msg[b->nmsgs - 1].msg_hdr.msg_iovlen;
		return f;
	}
	*index = 0;
	m = &b->msg[b->nmsgs].msg_hdr;
	*m = (struct msghdr){
		.msg_name = &f->to,
		.msg_iov = &b->iov[b->n],
		.msg_iovlen = 1,
		.msg_control = f->control,
	};
	if (b->family == AF_INET)
		put_address_ipv4(f, m, flow);
	else
		put_address_ipv6(f, m, flow);
	return f;
}

/* Adds the datagram after the last message to it, which becomes a run. */
static void extend_run(struct batch *b, uint32_t n)
{
	struct msghdr *m = &b->msg[b->nmsgs - 1].msg_hdr;

	if (m->msg_iovlen++ == 1) {
		uint16_t segment = (uint16_t)b->segment;

		put_control(m, (struct cmsghdr *)((char *)m->msg_control + m->msg_controllen),
			    SOL_UDP, UDP_SEGMENT, &segment, sizeof(segment));
	}
	b->bytes += n;
	b->closed = n < b->segment;
}

/* Queues the datagram that next_datagram() returned. */
static void queue_datagram(struct batch *b, const struct flow *flow, uint32_t n, unsigned index)
{
	b->iov[b->n] = (struct iovec){ b->frame[b->n].data, n };
	b->n++;
	if (index) {
		extend_run(b, n);
		return;
	}
	b->nmsgs++;
	if (tx_gso) {
		b->flow = *flow;
		b->segment = b->bytes = n;
		b->closed = false;
	}
}

/* Where a packet is built that the faults handle, or that is lost. */
static uint8_t aside[PACKET_MAX];

static bool has_faults(void)
{
	return fault_directions & UROCE_OUT;
}

static uint16_t port_of(const struct flow *flow)
{
	return group_send_port(gid_is_ipv4(&flow->dgid) ? AF_INET : AF_INET6);
}

/* Begins a frame of n bytes, and writes its header. Datagrams that are still queued are sent before
 * it. NULL: there is no room. */
static struct frame_header *begin_frame(struct pair *pair, const struct flow *flow, uint16_t sport,
					uint32_t n, uint32_t flags)
{
	struct frame_header *h = frame_reserve(&pair->out, n);

	if (!h)
		return NULL;
	if (pair->udp_before)
		send_batches();
	h->flags = flags | (pair->udp_before ? FRAME_AFTER_UDP : 0);
	h->src = flow->sgid;
	h->dst = flow->dgid;
	h->scope = flow->scope;
	h->sport = sport;
	h->tclass = flow->tclass;
	h->hops = flow->hops ? flow->hops : HOPS_DEFAULT;
	return h;
}

static void commit_frame(struct pair *pair)
{
	pair->udp_before = false;
	if (frame_commit(&pair->out))
		pair_ring(pair);
	pair_note_frame(pair);
	count(CNT_SENT_PKTS);
}

uint8_t *tx_begin(struct pair *pair, const struct flow *flow, const struct packet *p)
{
	uint32_t n = p->op->header + p->len + packet_pad(p->len) + ICRC_BYTES;
	uint8_t *payload;

	begun.pair = pair;
	begun.flow = flow;
	begun.packet = p;
	begun.sport = port_of(flow);
	begun.n = n;
	begun.index = 0;
	begun.lost = gid_may_be_down && !gid_is_up(&flow->sgid, flow->scope);
	if (begun.lost) {
		begun.data = aside;
	} else if (!pair) {
		begun.batch = batch_of(flow);
		begun.data = next_datagram(begun.batch, flow, n, p->qpn, &begun.index)->data;
	} else {
		begun.frame = has_faults() ? NULL : begin_frame(pair, flow, begun.sport, n, 0);
		begun.data = begun.frame ? frame_data(begun.frame) : aside;
	}
	payload = begun.data + packet_build(p, begun.data);
	memset(payload + p->len, 0, ICRC_BYTES); /* the pad; the ICRC comes over the rest */
	return payload;
}

/* Writes the ICRC at the end of a packet of n bytes. */
static void put_icrc(const struct flow *flow, uint16_t sport, uint8_t *data, uint32_t n,
		     uint16_t id)
{
	uint32_t icrc;

	n -= ICRC_BYTES;
	icrc = htole32(icrc_of(&flow->sgid, &flow->dgid, sport, data, n, id));
	memcpy(data + n, &icrc, ICRC_BYTES);
}

/* The addresses of a packet as the tap and the faults see them. */
static struct packet addresses_of(const struct flow *flow, uint16_t sport)
{
	return (struct packet){
		.src = flow->sgid,
		.dst = flow->dgid,
		.scope = flow->scope,
		.sport = sport,
		.tclass = flow->tclass,
		.hops = flow->hops ? flow->hops : HOPS_DEFAULT,
	};
}

void tx_commit(void)
{
	bool watched = has_faults() || tap_on;
	uint16_t id = (uint16_t)begun.index;
	struct packet a;

	/* without a wire only those that watch need it */
	if (!begun.pair || watched)
		/* a packet that the faults may hold back is sent on its own */
		put_icrc(begun.flow, begun.sport, begun.data, begun.n, has_faults() ? 0 : id);
	if (watched) { /* this costs a tenth of a round trip through memory */
		a = addresses_of(begun.flow, begun.sport);
		a.own_qpn = begun.packet->own_qpn;
		a.has_wr_id = begun.packet->has_wr_id;
		a.wr_id = begun.packet->wr_id;
	}
	if (begun.lost) {
		count(CNT_PORT_DOWN);
	} else if (has_faults()) {
		fault_pass(UROCE_OUT, &a, begun.data, begun.n);
		return;
	}
	if (tap_on)
		tap(UROCE_OUT, begun.lost ? FATE_PORT_DOWN : NULL, &a, begun.data, begun.n, id);
	if (begun.lost)
		return;
	if (!begun.pair)
		queue_datagram(begun.batch, begun.flow, begun.n, begun.index);
	else if (begun.frame)
		commit_frame(begun.pair);
	else /* the ring is full: tx_has_room() was not asked */
		count(CNT_SEND_ERR);
}

/* Queues a packet that the faults have let pass. Its ICRC may be wrong on purpose, and is for
 * identification 0: it is never part of a run. */
static void queue_passed_datagram(const struct flow *flow, const uint8_t *data, uint32_t n)
{
	struct batch *b = batch_of(flow);
	unsigned index;
	struct datagram *f;

	b->closed = true;
	f = next_datagram(b, flow, n, 0, &index);
	if (data != f->data) /* tx_commit() has written it there already */
		memcpy(f->data, data, n);
	queue_datagram(b, flow, n, index);
	b->closed = true;
}

static void put_passed_frame(struct pair *pair, const struct flow *flow, uint16_t sport,
			     const uint8_t *data, uint32_t n)
{
	struct frame_header *h = begin_frame(pair, flow, sport, n, FRAME_HAS_ICRC);

	if (!h) {
		count(CNT_SEND_ERR);
		return;
	}
	memcpy(frame_data(h), data, n);
	commit_frame(pair);
}

void tx_passed(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate)
{
	struct flow flow = {
		.sgid = a->src,
		.dgid = a->dst,
		.scope = a->scope,
		.tclass = a->tclass,
		.hops = a->hops,
	};
	struct pair *pair = n < BTH_BYTES ? NULL : path_to(&flow, get_be24(data + 5));

	if (pair)
		put_passed_frame(pair, &flow, a->sport, data, n);
	else
		queue_passed_datagram(&flow, data, n);
	if (tap_on)
		tap(UROCE_OUT, fate, a, data, n, 0);
}

bool tx_has_room(struct pair *pair, bool answer)
{
	bool room = !pair || frame_has_room(&pair->out, answer);

	if (pair && !answer && (room || !pair->full_since))
		pair->full_since = room ? 0 : engine_now();
	if (!room)
		pair_publish(); /* room comes only when these frames are handled */
	return room;
}

bool tx_is_blocked(const struct pair *pair)
{
	return pair->full_since && engine_now() - pair->full_since >= TX_BLOCKED_NS;
}

/* Waits a moment for room in the socket. */
static bool wait_for_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, PATIENCE_MS) > 0 && p.revents & POLLOUT;
}

/* The number of packets in n messages. */
static unsigned count_packets(const struct mmsghdr *msg, unsigned n)
{
	unsigned sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += (unsigned)msg[i].msg_hdr.msg_iovlen;
	return sum;
}

/* A system call: see receive_messages() in rx.c. */
static int send_messages(int fd, struct mmsghdr *msg, unsigned n)
{
	if (n == 1) /* less to copy */
		return syscall(SYS_sendmsg, fd, &msg->msg_hdr, MSG_DONTWAIT) < 0 ? -1 : 1;
	return (int)syscall(SYS_sendmmsg, fd, msg, n, MSG_DONTWAIT);
}

static bool can_try_again(int fd, unsigned *waits)
{
	if (fd < 0)
		return false;
	return errno == EINTR ||
	       ((errno == EAGAIN || errno == ENOBUFS) && !(*waits)++ && wait_for_room(fd));
}

static void send_batch(struct batch *b)
{
	unsigned done = 0, waits = 0;
	int fd = group_send_fd(b->family);

	pair_publish(); /* so that frames in memory are not overtaken */
	while (done < b->nmsgs) {
		struct mmsghdr *msg = b->msg + done;
		int sent = fd < 0 ? -1 : send_messages(fd, msg, b->nmsgs - done);

		if (sent > 0) {
			counters[CNT_SENT_PKTS] += count_packets(msg, (unsigned)sent);
			done += (unsigned)sent;
			waits = 0;
		} else if (!can_try_again(fd, &waits)) {
			counters[CNT_SEND_ERR] += count_packets(msg, 1);
			if (errno == EIO && msg->msg_hdr.msg_iovlen > 1)
				tx_gso = false; /* the interface cannot split it */
			done++; /* this message is lost; the next may have another destination */
		}
	}
	b->n = b->nmsgs = 0;
}

static void send_batches(void)
{
	for (unsigned i = 0; i < 2; i++)
		if (batches[i].nmsgs)
			send_batch(&batches[i]);
}

void tx_flush(void)
{
	pair_publish();
	send_batches();
}

void tx_send_mad(const struct flow *flow, const uint8_t *mad)
{
	static uint32_t psn;
	struct packet p = {
		.op = opcode_find(OPCODE_UD + OP_SEND_ONLY),
		.pkey = PKEY_DEFAULT,
		.qpn = GSI_QPN,
		.psn = psn,
		.qkey = GSI_QKEY,
		.src_qpn = GSI_QPN,
		.len = MAD_BYTES,
	};

	psn = psn_add(psn, 1);
	memcpy(tx_begin(NULL, flow, &p), mad, MAD_BYTES);
	tx_commit();
}

void tx_forget(void)
{
	for (unsigned i = 0; i < 2; i++)
		batches[i].n = batches[i].nmsgs = 0;
}
