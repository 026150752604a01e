// SPDX-License-Identifier: MIT
#include "fake_host.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "checks.h"
#include "counters.h"
#include "engine.h"
#include "gid.h"
#include "group.h"
#include "link.h"
#include "timer.h"

#define LATENCY 1000000ull
#define LATE	200000000ull /* less than the time wait of the tests */
#define MADS	1024
#define TIMERS	512

uint64_t fake_now = 1000000000;
int fake_reserved;
unsigned fake_names, fake_sent, fake_forwards;
bool fake_killed;
uint16_t fake_taken;
enum fate (*fake_fate)(unsigned n, const struct mad *m);
void (*fake_app)(void);

uint64_t counters[COUNTERS];

/* -- time -- */

static struct timer *timers[TIMERS];
static unsigned most_timers;

uint64_t engine_now(void)
{
	return fake_now;
}

int timer_reserve(int n)
{
	fake_reserved += n;
	CHECK(fake_reserved >= 0);
	return 0;
}

void timer_set(struct timer *t, uint64_t when)
{
	if (!t->place) {
		unsigned i = 0;

		while (timers[i])
			i++;
		CHECK(i + 1 < TIMERS);
		timers[i] = t;
		t->place = i + 1;
		if (i >= most_timers)
			most_timers = i + 1;
	}
	t->when = when;
}

void timer_stop(struct timer *t)
{
	if (t->place)
		timers[t->place - 1] = NULL;
	t->place = 0;
}

static struct timer *first_timer(void)
{
	struct timer *first = NULL;

	for (unsigned i = 0; i < most_timers; i++)
		if (timers[i] && (!first || timers[i]->when < first->when))
			first = timers[i];
	return first;
}

/* -- the wire -- */

static struct flying {
	bool used;
	uint64_t when;
	struct mad_from from;
	uint8_t mad[MAD_BYTES];
} flying[MADS];
static unsigned highest; /* of those used ever, plus 1 */

static bool has_outgoing;
static struct flow out_flow;
static struct mad out_mad;

static void fly(const struct flow *flow, const uint8_t *buf, uint64_t when)
{
	unsigned i = 0;

	while (i < MADS && flying[i].used)
		i++;
	CHECK(i < MADS);
	if (i >= highest)
		highest = i + 1;
	flying[i] = (struct flying){
		.used = true,
		.when = when,
		.from = { .src = flow->sgid,
			  .dst = flow->dgid,
			  .scope = flow->scope,
			  .src_qpn = 1 },
	};
	memcpy(flying[i].mad, buf, MAD_BYTES);
}

void tx_send_mad(const struct flow *flow, const uint8_t *buf)
{
	enum fate fate = FATE_PASS;
	struct mad m;

	CHECK_INT(mad_parse(&m, buf, MAD_BYTES), 0);
	CHECK(gid_index(&flow->sgid, flow->scope) >= 0);
	if (fake_fate)
		fate = fake_fate(fake_sent, &m);
	fake_sent++;
	if (gid_index(&flow->dgid, flow->scope) < 0) {
		has_outgoing = true;
		out_mad = m;
		out_flow = *flow;
		return;
	}
	if (fate != FATE_DROP)
		fly(flow, buf, fake_now + LATENCY);
	if (fate == FATE_TWICE)
		fly(flow, buf, fake_now + LATENCY);
	if (fate == FATE_AGAIN_LATE)
		fly(flow, buf, fake_now + LATE);
}

bool fake_outgoing(struct mad *m, struct flow *flow)
{
	bool had = has_outgoing;

	has_outgoing = false;
	if (m)
		*m = out_mad;
	if (flow)
		*flow = out_flow;
	return had;
}

void fake_arrive(const union ibv_gid *src, const union ibv_gid *dst, const struct mad *m)
{
	struct mad_from from = { .src = *src, .dst = *dst, .src_qpn = 1 };
	uint8_t buf[MAD_BYTES];

	mad_build(buf, m);
	cm_route(&from, buf, sizeof(buf));
	if (fake_app)
		fake_app();
}

bool fake_step(uint64_t ns)
{
	struct timer *t = first_timer();
	struct flying *f = NULL;
	uint64_t when;

	for (unsigned i = 0; i < highest; i++)
		if (flying[i].used && (!f || flying[i].when < f->when))
			f = &flying[i];
	if (!f && !t)
		return false;
	when = f && (!t || f->when <= t->when) ? f->when : t->when;
	if (when > fake_now + ns)
		return false;
	if (when > fake_now)
		fake_now = when;
	if (f && (!t || f->when <= t->when)) {
		struct flying copy = *f;

		f->used = false;
		cm_route(&copy.from, copy.mad, MAD_BYTES);
	} else {
		timer_stop(t);
		t->fn(t);
	}
	if (fake_app)
		fake_app();
	return true;
}

void fake_run(uint64_t ns)
{
	uint64_t end = fake_now + ns;

	while (fake_step(end - fake_now))
		;
	fake_now = end;
}

void fake_reset(void)
{
	memset(flying, 0, highest * sizeof(flying[0]));
	highest = 0;
	has_outgoing = false;
	fake_sent = fake_forwards = 0;
	fake_fate = NULL;
}

bool rx_mad(const struct mad_from *from, const uint8_t *mad, size_t n)
{
	(void)from;
	(void)mad;
	(void)n;
	return true;
}

/* -- addresses -- */

static const char *const addresses[] = { "::ffff:10.0.0.1", "::ffff:10.0.0.2", "fd00::1",
					 "fe80::1" };
#define ADDRESSES (sizeof(addresses) / sizeof(addresses[0]))

union ibv_gid fake_gid(unsigned index)
{
	union ibv_gid gid;

	CHECK_INT(inet_pton(AF_INET6, addresses[index], &gid), 1);
	return gid;
}

int gid_index(const union ibv_gid *gid, unsigned scope)
{
	for (unsigned i = 0; i < ADDRESSES; i++) {
		union ibv_gid own = fake_gid(i);

		if (memcmp(&own, gid, sizeof(own)) == 0)
			return own.raw[0] == 0xfe && scope && scope != 3 ? -1 : (int)i;
	}
	return -1;
}

const struct gid_entry *gid_at(unsigned index)
{
	static struct gid_entry e;

	if (index >= ADDRESSES)
		return NULL;
	e = (struct gid_entry){
		.gid = fake_gid(index), .ifname = "eth0", .ifindex = 3, .mtu = 1500
	};
	return &e;
}

void gid_refresh(void)
{
}

enum ibv_mtu gid_path_mtu(unsigned ifmtu)
{
	CHECK_INT(ifmtu, 1500);
	return IBV_MTU_1024;
}

int gid_of_sockaddr(union ibv_gid *gid, uint32_t *scope, const struct sockaddr *sa)
{
	const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)sa;

	*scope = 0;
	memset(gid, 0, sizeof(*gid));
	if (sa->sa_family == AF_INET) {
		memset(gid->raw + 10, 0xff, 2);
		memcpy(gid->raw + 12, &((const struct sockaddr_in *)sa)->sin_addr, 4);
		return 0;
	}
	if (sa->sa_family != AF_INET6)
		return -1;
	memcpy(gid, &in6->sin6_addr, 16);
	*scope = in6->sin6_scope_id;
	return 0;
}

void gid_to_sockaddr(struct sockaddr_storage *ss, const union ibv_gid *gid, uint32_t scope,
		     uint16_t port)
{
	struct sockaddr_in6 *in6 = (struct sockaddr_in6 *)ss;
	struct sockaddr_in *in = (struct sockaddr_in *)ss;

	memset(ss, 0, sizeof(*ss));
	if (gid_is_ipv4(gid)) {
		in->sin_family = AF_INET;
		in->sin_port = htons(port);
		memcpy(&in->sin_addr, gid->raw + 12, 4);
		return;
	}
	in6->sin6_family = AF_INET6;
	in6->sin6_port = htons(port);
	in6->sin6_scope_id = scope;
	memcpy(&in6->sin6_addr, gid, 16);
}

/* 10.0.0.0/8 from 10.0.0.1, multicast too; fd00::/16; 127.0.0.0/8 has no device; the rest
 * is unreachable. */
int gid_route(const struct sockaddr *dst)
{
	union ibv_gid gid;
	uint32_t scope;

	CHECK_INT(gid_of_sockaddr(&gid, &scope, dst), 0);
	if (gid_is_ipv4(&gid)) {
		if (gid.raw[12] == 10 || (gid.raw[12] & 0xf0) == 0xe0)
			return 0;
		errno = gid.raw[12] == 127 ? ENODEV : ENETUNREACH;
		return -1;
	}
	if (gid.raw[0] == 0xfd)
		return 2;
	if (gid.raw[0] == 0xfe)
		return 3;
	errno = ENETUNREACH;
	return -1;
}

bool fake_silent;
unsigned fake_asked;

bool neighbour_known(const union ibv_gid *dst, uint32_t scope)
{
	(void)dst;
	(void)scope;
	return !fake_silent;
}

void neighbour_ask(const union ibv_gid *dst, uint32_t scope)
{
	(void)dst;
	(void)scope;
	fake_asked++;
}

/* -- other processes -- */

static struct group_name {
	bool used;
} names[16];

unsigned group_slot(void)
{
	return FAKE_SLOT;
}

struct group_name *group_claim(uint16_t space, uint16_t *port, const union ibv_gid *addr)
{
	unsigned i = 0;

	(void)space;
	(void)addr;
	if (*port && *port == fake_taken) {
		errno = EADDRINUSE;
		return NULL;
	}
	while (names[i].used)
		i++;
	CHECK(i + 1 < sizeof(names) / sizeof(names[0]));
	names[i].used = true;
	if (!*port)
		*port = (uint16_t)(40000 + i);
	fake_names++;
	return &names[i];
}

void group_release(struct group_name *name)
{
	fake_names--;
	name->used = false;
}

int group_announce(uint64_t guid)
{
	(void)guid;
	return 0;
}

bool group_announced(uint64_t guid)
{
	(void)guid;
	return !fake_killed;
}

int group_forward(unsigned slot, const struct mad_from *from, const void *mad, size_t n)
{
	(void)from;
	(void)mad;
	CHECK_INT(n, MAD_BYTES);
	CHECK(slot != FAKE_SLOT);
	fake_forwards++;
	errno = ECONNREFUSED;
	return -1;
}

int group_forward_name(uint16_t space, uint16_t port, const union ibv_gid *addr,
		       const struct mad_from *from, const void *mad, size_t n)
{
	(void)space;
	(void)port;
	(void)addr;
	(void)from;
	(void)mad;
	CHECK_INT(n, MAD_BYTES);
	fake_forwards++;
	errno = ECONNREFUSED;
	return -1;
}
