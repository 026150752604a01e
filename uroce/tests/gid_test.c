// SPDX-License-Identifier: MIT
/* The GID table against addresses that come and go, in a network namespace. */
#include "gid.h"

#include <errno.h>
#include <poll.h>

#include "checks.h"
#include "link.h"
#include "netns.h"
#include "rig.h"

static unsigned changes;

static void changed(unsigned device, bool table, bool port)
{
	(void)device;
	(void)port;
	changes += table;
}

/* ip(8), or the test ends as skipped. */
static void ip(const char *command)
{
	if (!netns_ip(command)) {
		fprintf(stderr, "skipped: cannot run ip %s\n", command);
		exit(SKIPPED);
	}
}

static int index_named(const char *text)
{
	union ibv_gid gid = rig_gid_of(text);

	return gid_find(&gid, 0);
}

static int route_to(const char *text, uint32_t scope)
{
	union ibv_gid gid = rig_gid_of(text);
	struct sockaddr_storage ss;

	gid_to_sockaddr(&ss, &gid, scope, 1);
	return gid_route((struct sockaddr *)&ss);
}

static void test_loopback_only(void)
{
	const struct gid_entry *e;

	CHECK_INT(gid_count(), 2);
	CHECK_INT(index_named("127.0.0.1"), 0);
	CHECK_INT(index_named("::1"), 1);
	e = gid_at(0);
	CHECK(e && e->loopback && e->mtu == 65536 && e->ifindex == 1);
	CHECK_STR(e->ifname, "lo");
	CHECK(!gid_at(2) && !gid_at(GID_ENTRIES) && !gid_at(~0u));
	CHECK_INT(index_named("10.1.0.1"), -1);
	CHECK_INT(route_to("127.0.0.1", 0), 0);
	CHECK_INT(route_to("127.5.5.5", 0), 0);
	CHECK_INT(route_to("::1", 0), 1);
	errno = 0;
	CHECK_INT(route_to("10.1.0.2", 0), -1);
	CHECK_INT(errno, ENETUNREACH);
}

/* A new table would have them in another order: those that are there keep their place. */
static void test_stable(void)
{
	gid_changed = changed;
	gid_refresh();
	CHECK_INT(changes, 0);
	ip("addr add 10.1.0.1/24 dev lo");
	ip("addr add 2001:db8::1/64 dev lo nodad");
	gid_refresh();
	CHECK_INT(changes, 1);
	CHECK_INT(index_named("127.0.0.1"), 0);
	CHECK_INT(index_named("::1"), 1);
	CHECK_INT(index_named("10.1.0.1"), 2);
	CHECK_INT(index_named("2001:db8::1"), 3);
	CHECK(!gid_at(2)->loopback);
	ip("addr del 10.1.0.1/24 dev lo");
	gid_refresh();
	CHECK_INT(changes, 2);
	CHECK(!gid_at(2));
	CHECK_INT(gid_count(), 4);
	CHECK_INT(index_named("2001:db8::1"), 3);
	ip("addr add 10.1.0.7/24 dev lo");
	gid_refresh();
	CHECK_INT(index_named("10.1.0.7"), 2);
	CHECK_INT(route_to("10.1.0.7", 0), 2);
	ip("addr del 2001:db8::1/64 dev lo");
	gid_refresh();
	CHECK_INT(gid_count(), 3);
	CHECK_INT(changes, 4);
	gid_refresh();
	CHECK_INT(changes, 4);
}

/* The source of a route is found though nobody has said that its address is new. */
static void test_route_news(void)
{
	ip("addr add 10.2.0.1/24 dev lo");
	CHECK_INT(index_named("10.2.0.1"), -1);
	CHECK_INT(route_to("10.2.0.1", 0), 3);
	ip("addr del 10.2.0.1/24 dev lo");
	ip("addr del 10.1.0.7/24 dev lo");
	gid_refresh();
	CHECK_INT(gid_count(), 2);
}

static void test_watch(void)
{
	struct pollfd p = { .fd = gid_addrs_watch(), .events = POLLIN };

	CHECK(p.fd >= 0);
	CHECK_INT(poll(&p, 1, 0), 0);
	ip("addr add 10.3.0.1/24 dev lo");
	CHECK_INT(poll(&p, 1, 5000), 1);
	gid_addrs_seen(p.fd);
	CHECK_INT(poll(&p, 1, 0), 0);
	ip("addr del 10.3.0.1/24 dev lo");
	CHECK_INT(poll(&p, 1, 5000), 1);
	close(p.fd);
}

static void test_down(void)
{
	const union ibv_gid gid = rig_gid_of("127.0.0.1");

	CHECK(gid_port_is_up(0) && !gid_may_be_down && gid_is_up(&gid, 0));
	netns_lo(false); /* takes the IPv6 address away */
	gid_refresh();
	CHECK_INT(gid_count(), 1);
	CHECK_INT(index_named("127.0.0.1"), 0);
	CHECK(!gid_port_is_up(0) && gid_may_be_down && !gid_is_up(&gid, 0));
	netns_lo(true);
	gid_refresh();
	CHECK_INT(gid_count(), 2);
	CHECK(gid_port_is_up(0) && !gid_may_be_down && gid_is_up(&gid, 0));
}

/* An address on two interfaces, of which the first is down: the other one works. */
static void test_same_address(void)
{
	int at;

	if (!netns_ip("link add v0 type veth peer name v1"))
		return;
	ip("link set v0 addrgenmode none");
	ip("link set v1 addrgenmode none up");
	ip("addr add 10.9.0.1/24 dev v0");
	ip("addr add 10.9.0.1/24 dev v1");
	gid_refresh();
	at = index_named("10.9.0.1");
	CHECK(at >= 0);
	CHECK(!gid_at((unsigned)at)->down);
	CHECK_STR(gid_at((unsigned)at)->ifname, "v1");
	ip("link del v0");
	gid_refresh();
}

/* Two interfaces: their order, narrow ones, link-local addresses and their scope. */
static void test_interfaces(void)
{
	const struct gid_entry *e;
	unsigned v0, v1;
	int at;

	if (!netns_ip("link add v0 type veth peer name v1")) {
		printf("no veth: not all is tested\n");
		return;
	}
	ip("link set v0 address 02:00:00:00:00:01 addrgenmode none up");
	ip("link set v1 address 02:00:00:00:00:02 addrgenmode none up");
	ip("addr add 10.5.0.1/24 dev v0 label v0:1");
	ip("addr add fe80::7/64 dev v0 nodad");
	ip("addr add fe80::7/64 dev v1 nodad");
	ip("addr add 2001:db8:5::1/64 dev v1 nodad");
	gid_refresh();
	v0 = if_nametoindex("v0");
	v1 = if_nametoindex("v1");
	CHECK(v0 && v1);
	CHECK_INT(gid_count(), 6);
	CHECK_INT(index_named("10.5.0.1"), 2);
	CHECK_INT(index_named("2001:db8:5::1"), 3);
	CHECK_INT(gid_at(2)->mtu, 1500);
	CHECK_STR(gid_at(2)->ifname, "v0");
	at = index_named("fe80::7");
	CHECK_INT(at, 4);
	for (unsigned i = 0; i < 2; i++) {
		union ibv_gid gid = rig_gid_of("fe80::7");
		unsigned scope = i ? v1 : v0;

		at = gid_find(&gid, scope);
		CHECK(at >= 4);
		e = gid_at((unsigned)at);
		CHECK_INT(e->ifindex, scope);
		CHECK_INT(route_to("fe80::8", scope), at);
	}
	ip("link set v1 mtu 300"); /* takes its IPv6 addresses away, as below 1280 bytes */
	ip("addr add 10.6.0.1/24 dev v1");
	gid_refresh();
	CHECK_INT(index_named("10.6.0.1"), -1);
	ip("link set v1 mtu 400");
	gid_refresh();
	CHECK(index_named("10.6.0.1") >= 0);
	CHECK_INT(gid_path_mtu(400), IBV_MTU_256);
	ip("link del v0");
	gid_refresh();
	CHECK_INT(gid_count(), 2);
}

static void test_tentative(void)
{
	if (!netns_ip("link add v0 type veth peer name v1"))
		return;
	ip("link set v0 addrgenmode none up"); /* without carrier the address stays tentative */
	ip("addr add 2001:db8:7::1/64 dev v0");
	gid_refresh();
	CHECK_INT(index_named("2001:db8:7::1"), -1);
	ip("addr del 2001:db8:7::1/64 dev v0");
	ip("addr add 2001:db8:7::1/64 dev v0 nodad");
	gid_refresh();
	CHECK(index_named("2001:db8:7::1") >= 0);
	ip("link del v0");
	gid_refresh();
}

static void test_many(void)
{
	char line[60];

	for (unsigned i = 0; i < 80; i++) {
		snprintf(line, sizeof(line), "addr add 10.9.%u.1/24 dev lo", i);
		ip(line);
	}
	gid_refresh();
	CHECK_INT(gid_count(), GID_ENTRIES);
	CHECK_INT(index_named("127.0.0.1"), 0);
	CHECK_INT(index_named("10.9.0.1"), 2);
	CHECK_INT(index_named("10.9.79.1"), -1);
}

static void test_mtu(void)
{
	CHECK_INT(gid_path_mtu(65536), IBV_MTU_4096);
	CHECK_INT(gid_path_mtu(9000), IBV_MTU_4096);
	CHECK_INT(gid_path_mtu(4180), IBV_MTU_4096);
	CHECK_INT(gid_path_mtu(4179), IBV_MTU_2048);
	CHECK_INT(gid_path_mtu(1500), IBV_MTU_1024);
	CHECK_INT(gid_path_mtu(1107), IBV_MTU_512);
	CHECK_INT(gid_path_mtu(340), IBV_MTU_256);
	CHECK_INT(gid_path_mtu(339), 0);
	CHECK_INT(gid_path_mtu(0), 0);
}

/* Each device has the addresses of its interfaces; others are of this host, and of no device. */
static void test_devices(void)
{
	union ibv_gid gid = rig_gid_of("127.0.0.1"), other = rig_gid_of("10.9.0.1");

	setenv("UROCE_DEVICES", "a:v0,b:lo", 1);
	devices_read();
	gid_refresh();
	CHECK_INT(index_named("127.0.0.1"), (int)gid_position(1, 0));
	CHECK(!gid_first(0) && !gid_port_is_up(0) && gid_port_is_up(1) && gid_may_be_down);
	CHECK(gid_is_up(&gid, 0) && gid_is_of(&gid, 0, 1) && !gid_is_of(&gid, 0, 0));
	if (netns_ip("link add v0 type veth peer name v1")) {
		ip("link set v0 addrgenmode none up");
		ip("link set v1 addrgenmode none up");
		ip("addr add 10.9.0.1/24 dev v1");
		gid_refresh();
		CHECK_INT(index_named("10.9.0.1"), -1);
		CHECK(gid_is_here(&other, 0) && !gid_port_is_up(0));
		CHECK_INT(route_to("10.9.0.2", 0), -1);
		CHECK_INT(errno, ENODEV);
		ip("addr del 10.9.0.1/24 dev v1");
		ip("addr add 10.9.0.1/24 dev v0");
		gid_refresh();
		CHECK_INT(index_named("10.9.0.1"), 0);
		CHECK(gid_port_is_up(0) && gid_port_is_up(1) && !gid_may_be_down);
		CHECK_INT(route_to("10.9.0.2", 0), 0);
		gid_port_put_down(0, true);
		CHECK(!gid_port_is_up(0) && gid_port_is_up(1) && !gid_is_up(&other, 0) &&
		      gid_is_up(&gid, 0));
		gid_port_put_down(0, false);
		ip("link del v0");
	}
	unsetenv("UROCE_DEVICES");
	devices_read();
	gid_refresh();
	CHECK_INT(index_named("127.0.0.1"), 0);
}

static void test_sockaddr(void)
{
	struct sockaddr_storage ss;
	struct sockaddr_in6 in6 = { .sin6_family = AF_INET6, .sin6_scope_id = 3 };
	union ibv_gid gid = rig_gid_of("192.0.2.5"), back;
	uint32_t scope = 9;

	gid_to_sockaddr(&ss, &gid, 0, 4791);
	CHECK_INT(ss.ss_family, AF_INET);
	CHECK_INT(ntohs(((struct sockaddr_in *)&ss)->sin_port), 4791);
	CHECK_INT(gid_of_sockaddr(&back, &scope, (struct sockaddr *)&ss), 0);
	CHECK(memcmp(&back, &gid, 16) == 0 && scope == 0);
	inet_pton(AF_INET6, "fe80::1", &in6.sin6_addr);
	CHECK_INT(gid_of_sockaddr(&gid, &scope, (struct sockaddr *)&in6), 0);
	CHECK_INT(scope, 3);
	gid_to_sockaddr(&ss, &gid, scope, 7);
	CHECK_INT(((struct sockaddr_in6 *)&ss)->sin6_scope_id, 3);
	in6.sin6_family = AF_UNIX;
	CHECK_INT(gid_of_sockaddr(&gid, &scope, (struct sockaddr *)&in6), -1);
	CHECK_INT(gid_route((struct sockaddr *)&in6), -1);
	CHECK_INT(errno, EAFNOSUPPORT);
}

int main(void)
{
	test_mtu();
	test_sockaddr();
	netns_enter();
	test_loopback_only();
	test_stable();
	test_route_news();
	test_watch();
	test_down();
	test_same_address();
	test_interfaces();
	test_devices();
	test_tentative();
	test_many();
	return checks_end();
}
