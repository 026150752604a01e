// SPDX-License-Identifier: MIT
/*
 * A batch of frames per address family. The socket is not connected and has DF set (see
 * group_send_fd()): so the kernel writes 0 as identification, which the ICRC covers.
 */
#include "tx.h"

#include <errno.h>
#include <net/if.h>
#include <netinet/in.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>

#include "bytes.h"
#include "counters.h"
#include "fault.h"
#include "gid.h"
#include "group.h"
#include "icrc.h"
#include "tap.h"

#define BATCH	      64
#define HOPS_DEFAULT  64 /* of a socket: no word about it needed */
#define PATIENCE_MS   1	 /* with a full socket: the wire is busy */
#define CONTROL_BYTES (CMSG_SPACE(sizeof(struct in6_pktinfo)) + 2 * CMSG_SPACE(sizeof(int)))

struct frame {
	struct iovec iov;
	union {
		struct sockaddr_in in;
		struct sockaddr_in6 in6;
	} to;
	_Alignas(struct cmsghdr) char control[CONTROL_BYTES];
	uint8_t data[PACKET_MAX];
};

struct batch {
	int family;
	unsigned n;
	struct mmsghdr msg[BATCH];
	struct frame frame[BATCH];
};

static struct batch batches[2] = { { .family = AF_INET }, { .family = AF_INET6 } };

/* The packet between tx_begin() and tx_commit(). */
static struct {
	struct batch *batch;
	const struct flow *flow;
	uint32_t header, len;
} begun;

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
	if (hops != HOPS_DEFAULT || multicast) /* multicast has a default of its own: 1 */
		put_control(m, c, level, v4 ? IP_TTL : IPV6_HOPLIMIT, &hops, sizeof(hops));
}

static void address_ipv4(struct frame *f, struct msghdr *m, const struct flow *flow)
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

static void address_ipv6(struct frame *f, struct msghdr *m, const struct flow *flow)
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

static void flush(struct batch *b);

/* The next free frame, addressed. */
static struct frame *frame_for(struct batch *b, const struct flow *flow)
{
	struct msghdr *m;
	struct frame *f;

	if (b->n == BATCH)
		flush(b);
	f = &b->frame[b->n];
	m = &b->msg[b->n].msg_hdr;
	f->iov.iov_base = f->data;
	*m = (struct msghdr){
		.msg_name = &f->to,
		.msg_iov = &f->iov,
		.msg_iovlen = 1,
		.msg_control = f->control,
	};
	if (b->family == AF_INET)
		address_ipv4(f, m, flow);
	else
		address_ipv6(f, m, flow);
	return f;
}

uint8_t *tx_begin(const struct flow *flow, const struct packet *p)
{
	struct batch *b = batch_of(flow);
	struct frame *f = frame_for(b, flow);

	begun.batch = b;
	begun.flow = flow;
	begun.header = (uint32_t)packet_build(p, f->data);
	begun.len = p->len;
	return f->data + begun.header;
}

/* Appends pad and ICRC: the length of the whole. */
static uint32_t finish(const struct flow *flow, uint16_t sport, uint8_t *data, uint32_t n,
		       unsigned pad)
{
	uint32_t icrc;

	memset(data + n, 0, pad);
	n += pad;
	icrc = htole32(icrc_of(&flow->sgid, &flow->dgid, sport, ROCE_PORT, data, n, 0));
	memcpy(data + n, &icrc, ICRC_BYTES);
	return n + ICRC_BYTES;
}

/* How the flow looks from outside, for the tap and the faults. */
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
	struct batch *b = begun.batch;
	struct frame *f = &b->frame[b->n];
	uint16_t sport = group_send_port(b->family);
	uint32_t n = finish(begun.flow, sport, f->data, begun.header + begun.len,
			    packet_pad(begun.len));

	if (fault_directions & UROCE_OUT || tap_on) {
		struct packet a = addresses_of(begun.flow, sport);

		if (fault_directions & UROCE_OUT) {
			fault_pass(UROCE_OUT, &a, f->data, n, ROCE_PORT);
			return;
		}
		tap(UROCE_OUT, NULL, &a, f->data, n, ROCE_PORT, 0);
	}
	f->iov.iov_len = n;
	b->n++;
}

void tx_abort(void)
{
}

void tx_again(const struct packet *a, const uint8_t *data, uint32_t n, const char *fate)
{
	struct flow flow = {
		.sgid = a->src,
		.dgid = a->dst,
		.scope = a->scope,
		.tclass = a->tclass,
		.hops = a->hops,
	};
	struct batch *b = batch_of(&flow);
	struct frame *f = frame_for(b, &flow);

	memcpy(f->data, data, n);
	f->iov.iov_len = n;
	b->n++;
	if (tap_on)
		tap(UROCE_OUT, fate, a, data, n, ROCE_PORT, 0);
}

/* Room in the socket for more, soon. */
static bool wait_for_room(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };

	return poll(&p, 1, PATIENCE_MS) > 0 && p.revents & POLLOUT;
}

static void flush(struct batch *b)
{
	unsigned done = 0, waits = 0;
	int fd = group_send_fd(b->family);

	while (done < b->n) {
		int sent = fd < 0 ? -1 : sendmmsg(fd, b->msg + done, b->n - done, MSG_DONTWAIT);

		if (sent > 0) {
			counters[CNT_SENT_PKTS] += (unsigned)sent;
			done += (unsigned)sent;
			waits = 0;
			continue;
		}
		if (fd >= 0 && errno == EINTR)
			continue;
		if (fd >= 0 && (errno == EAGAIN || errno == ENOBUFS) && !waits++ &&
		    wait_for_room(fd))
			continue;
		count(CNT_SEND_ERR);
		done++; /* this one is lost; the next may go elsewhere */
	}
	b->n = 0;
}

void tx_flush(void)
{
	for (unsigned i = 0; i < 2; i++)
		if (batches[i].n)
			flush(&batches[i]);
}

void tx_forget(void)
{
	batches[0].n = batches[1].n = 0;
}
