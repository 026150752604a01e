/* SPDX-License-Identifier: MIT */
/* Multicast groups: who is in, and that the socket joins, on lo or on one of two interfaces that
 * are connected. */
#include <errno.h>
#include <sched.h>

#include "checks.h"
#include "engine.h"
#include "netns.h"
#include "verbs_app.h"
#include "queue_pair.h"

static const char *ifname = "lo";
static unsigned found;

static void find(struct qp *qp, void *arg)
{
	(void)qp;
	(void)arg;
	found++;
}

static unsigned members(const union ibv_gid *g)
{
	found = 0;
	engine_lock();
	qp_each_in_group(g, find, NULL);
	engine_unlock();
	return found;
}

static void test_membership(void)
{
	union ibv_gid v4 = rig_gid_of("::ffff:224.9.8.7"), v6 = rig_gid_of("ff12::77"),
		      host = rig_gid_of("::ffff:10.0.0.1");
	struct qp *a = app_qp(IBV_QPT_UD, NULL, 0), *b = app_qp(IBV_QPT_UD, NULL, 0);
	struct qp *rc = app_qp(IBV_QPT_RC, NULL, 0);

	CHECK_INT(ibv_attach_mcast(&rc->v, &v4, 0), EINVAL);
	CHECK_INT(ibv_attach_mcast(&a->v, &host, 0), EINVAL);
	CHECK_INT(ibv_detach_mcast(&a->v, &v4, 0), EINVAL);
	CHECK_INT(members(&v4), 0);
	CHECK_INT(ibv_attach_mcast(&a->v, &v4, 0), 0);
	CHECK_INT(ibv_attach_mcast(&a->v, &v4, 0), 0); /* once */
	CHECK_INT(ibv_attach_mcast(&b->v, &v4, 0), 0);
	CHECK_INT(ibv_attach_mcast(&b->v, &v6, 0), 0);
	CHECK_INT(members(&v4), 2);
	CHECK_INT(members(&v6), 1);
	CHECK_INT(ibv_destroy_qp(&b->v), EBUSY);
	CHECK_INT(ibv_detach_mcast(&b->v, &v4, 0), 0);
	CHECK_INT(ibv_detach_mcast(&b->v, &v4, 0), EINVAL);
	CHECK_INT(ibv_destroy_qp(&b->v), EBUSY);
	CHECK_INT(ibv_detach_mcast(&b->v, &v6, 0), 0);
	CHECK_INT(ibv_destroy_qp(&b->v), 0);
	CHECK_INT(members(&v4), 1);
	CHECK_INT(ibv_detach_mcast(&a->v, &v4, 0), 0);
	CHECK_INT(members(&v4), 0);
	CHECK_INT(ibv_destroy_qp(&a->v), 0);
	CHECK_INT(ibv_destroy_qp(&rc->v), 0);
}

static void test_limits(void)
{
	union ibv_gid g = rig_gid_of("ff12::1"), many = rig_gid_of("ff12::1:0");
	struct qp *qps[MAX_MCAST_QPS + 1];

	for (unsigned i = 0; i <= MAX_MCAST_QPS; i++) {
		qps[i] = app_qp(IBV_QPT_UD, NULL, 0);
		CHECK_INT(ibv_attach_mcast(&qps[i]->v, &g, 0), i < MAX_MCAST_QPS ? 0 : ENOMEM);
	}
	CHECK_INT(members(&g), MAX_MCAST_QPS);
	CHECK_INT(ibv_destroy_qp(&qps[MAX_MCAST_QPS]->v), 0);
	for (unsigned i = 0; i < 100; i++) {
		many.raw[15] = (uint8_t)i;
		CHECK_INT(ibv_attach_mcast(&qps[0]->v, &many, 0), 0);
	}
	CHECK_INT(qps[0]->mcast, 101);
	engine_lock();
	mcast_forget(); /* a child of fork(): all of them can be destroyed */
	engine_unlock();
	CHECK_INT(members(&g), 0);
	for (unsigned i = 0; i < MAX_MCAST_QPS; i++)
		CHECK_INT(ibv_destroy_qp(&qps[i]->v), 0);
}

/* ------------------------------------------------------------- with sockets -- */

static int port_of(int fd)
{
	struct sockaddr_in6 a;
	socklen_t n = sizeof a;

	CHECK_INT(getsockname(fd, (struct sockaddr *)&a, &n), 0);
	return a.sin6_port;
}

static int receiver(void)
{
	struct sockaddr_in6 any = { .sin6_family = AF_INET6 };
	int fd = socket(AF_INET6, SOCK_DGRAM, 0), off = 0;

	if (fd < 0)
		return -1;
	CHECK_INT(setsockopt(fd, IPPROTO_IP, IP_MULTICAST_ALL, &off, sizeof off), 0);
	CHECK_INT(setsockopt(fd, IPPROTO_IPV6, IPV6_MULTICAST_ALL, &off, sizeof off), 0);
	CHECK_INT(bind(fd, (struct sockaddr *)&any, sizeof any), 0);
	return fd;
}

static void send_byte(int out, const char *to, int port, char c)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6, .sin6_port = (in_port_t)port };

	CHECK_INT(inet_pton(AF_INET6, to, &a.sin6_addr), 1);
	if (sendto(out, &c, 1, 0, (struct sockaddr *)&a, sizeof a) != 1)
		errno = errno ? errno : EIO;
}

/* Sends a byte to the group, then one to the socket: how many of the first kind came
 * in before that one. -1: such a group cannot be sent to here. */
static int echo(const char *group, int fd)
{
	int lo = (int)if_nametoindex(ifname), out = socket(AF_INET6, SOCK_DGRAM, 0), n = 0;
	struct ip_mreqn v4 = { .imr_ifindex = lo };
	char c;

	CHECK(out >= 0);
	CHECK_INT(setsockopt(out, IPPROTO_IPV6, IPV6_MULTICAST_IF, &lo, sizeof lo), 0);
	CHECK_INT(setsockopt(out, IPPROTO_IP, IP_MULTICAST_IF, &v4, sizeof v4), 0);
	errno = 0;
	send_byte(out, group, port_of(fd), 'm');
	if (errno)
		n = -1;
	send_byte(out, "::ffff:127.0.0.1", port_of(fd), 'u');
	while (recv(fd, &c, 1, 0) == 1 && c == 'm')
		n++;
	CHECK_INT(c, 'u');
	close(out);
	return n;
}

static void try_group(struct qp *qp, const char *group)
{
	union ibv_gid g = rig_gid_of(group);
	int before = echo(group, rig_group_fd);

	if (before < 0) {
		printf("%s: cannot be sent to here: skipped\n", group);
		return;
	}
	CHECK_INT(before, 0); /* not a member */
	CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), 0);
	CHECK_INT(echo(group, rig_group_fd), 1);
	CHECK_INT(ibv_detach_mcast(&qp->v, &g, 0), 0);
	CHECK_INT(echo(group, rig_group_fd), 0);
}

static void test_sockets(void)
{
	struct qp *qp = app_qp(IBV_QPT_UD, NULL, 0);
	unsigned lo = if_nametoindex(ifname);
	union ibv_gid g = rig_gid_of("::ffff:224.9.8.7");

	rig_group_fd = receiver();
	if (rig_group_fd < 0 || !lo) {
		puts("no IPv6, or no such interface: skipped");
		ibv_destroy_qp(&qp->v);
		return;
	}
	rig_entry(0)->ifindex = rig_entry(3)->ifindex = 0;
	rig_entry(1)->ifindex = 0;
	CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), ENODEV);
	rig_entry(1)->ifindex = lo;
	rig_entry(3)->ifindex = lo;
	try_group(qp, "::ffff:224.9.8.7");
	try_group(qp, "ff12::77");
	close(rig_group_fd);
	ibv_destroy_qp(&qp->v);
}

/* Joined on an interface that came later. */
static void test_refresh(void)
{
	union ibv_gid g = rig_gid_of("::ffff:239.1.2.3");
	struct qp *qp = app_qp(IBV_QPT_UD, NULL, 0);

	rig_group_fd = receiver();
	if (rig_group_fd >= 0 && echo("::ffff:239.1.2.3", rig_group_fd) == 0) {
		rig_entry(0)->ifindex = 0x7fff;		       /* there is no such interface */
		CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), 0); /* but lo */
		CHECK_INT(ibv_detach_mcast(&qp->v, &g, 0), 0);
		rig_entry(0)->ifindex = 0;
		rig_entry(1)->ifindex = 0x7fff;
		CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), ENODEV);
		rig_entry(1)->ifindex = if_nametoindex(ifname);
		CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), 0);
		engine_lock();
		mcast_refresh();
		engine_unlock();
		CHECK_INT(echo("::ffff:239.1.2.3", rig_group_fd), 1);
		engine_lock();
		mcast_leave(qp); /* the device is closed, and opened again with other sockets */
		engine_unlock();
		CHECK_INT(echo("::ffff:239.1.2.3", rig_group_fd), 0);
		CHECK_INT(ibv_attach_mcast(&qp->v, &g, 0), 0);
		CHECK_INT(echo("::ffff:239.1.2.3", rig_group_fd), 1);
		CHECK_INT(ibv_detach_mcast(&qp->v, &g, 0), 0);
	}
	close(rig_group_fd);
	ibv_destroy_qp(&qp->v);
}

/* IPv6 multicast does not go over lo. */
static void make_veth(void)
{
	if (!netns_ip("link add d0 type veth peer d1")) {
		puts("skipped: no ip(8), or no veth");
		exit(SKIPPED);
	}
	netns_write("/proc/sys/net/ipv6/conf/d0/accept_dad", "0");
	CHECK(netns_ip("link set d0 up") && netns_ip("link set d1 up"));
}

/* mcast_test [d0] */
int main(int argc, char **argv)
{
	cpu_set_t one;

	CPU_ZERO(&one); /* lo keeps the order of what one processor sends */
	CPU_SET(sched_getcpu(), &one);
	CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
	netns_enter();
	if (argc > 1) {
		ifname = argv[1];
		make_veth();
	}
	app_open();
	test_sockets();
	test_refresh();
	app_addresses(true);
	rig_group_fd = receiver(); /* that joins on lo */
	rig_entry(0)->ifindex = rig_entry(1)->ifindex = rig_entry(3)->ifindex =
		if_nametoindex(ifname);
	test_membership();
	test_limits();
	app_close();
	return checks_end();
}
