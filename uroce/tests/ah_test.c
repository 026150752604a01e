/* SPDX-License-Identifier: MIT */
/* Address handles: where an address vector leads, and the way back to a sender. */
#include <arpa/inet.h>
#include <errno.h>

#include "queue_pair.h"
#include "checks.h"
#include "engine.h"
#include "verbs_app.h"

static int flow(struct flow *f, struct ibv_ah_attr a)
{
	int err;

	engine_lock();
	err = av_flow(f, 0, &a);
	engine_unlock();
	return err;
}

static int flow_to(struct flow *f, uint8_t index, const char *dgid)
{
	struct ibv_ah_attr a = app_av(index);

	a.grh.dgid = rig_gid_of(dgid);
	a.grh.hop_limit = 3;
	a.grh.traffic_class = 0x20;
	return flow(f, a);
}

static void test_flow(void)
{
	struct ibv_ah_attr a = app_av(0);
	struct flow f;

	CHECK_INT(flow_to(&f, 0, "::ffff:192.0.2.9"), 0);
	CHECK(memcmp(&f.sgid, &rig_entry(0)->gid, 16) == 0);
	CHECK_INT(f.dgid.raw[15], 9);
	CHECK_INT(f.scope, 0);
	CHECK_INT(f.hops, 64);
	CHECK_INT(f.tclass, 0x20);
	CHECK_INT(flow_to(&f, 3, "fe80::2"), 0); /* by the interface of the address */
	CHECK_INT(f.scope, 2);
	*rig_entry(4) = (struct gid_entry){ .gid = rig_gid_of("2001:db8::1"), .ifindex = 2 };
	CHECK_INT(flow_to(&f, 3, "2001:db8::2"), 0);
	rig_entry(4)->ifindex = 0;
	CHECK_INT(f.scope, 0);
	CHECK_INT(flow_to(&f, 0, "::ffff:224.1.2.3"), 0);
	CHECK_INT(f.scope, 2);
	CHECK_INT(f.hops, 3);
	CHECK_INT(flow_to(&f, 3, "ff12::1"), 0);
	CHECK_INT(f.scope, 2);

	/* an IPv4 address sends to a group of IPv6 from what its interface has of it */
	CHECK_INT(flow_to(&f, 0, "ff01:0:2:c985::1"), 0);
	CHECK(memcmp(&f.sgid, &rig_entry(3)->gid, 16) == 0);
	CHECK_INT(f.scope, 2);
	CHECK_INT(flow_to(&f, 1, "ff01:0:2:c985::1"), EINVAL); /* which is nothing here */

	CHECK_INT(flow_to(&f, 0, "fe80::2"), EINVAL);
	CHECK_INT(flow_to(&f, 3, "::ffff:192.0.2.9"), EINVAL);
	CHECK_INT(flow_to(&f, 0, "::ffff:0.0.0.0"), EINVAL);
	CHECK_INT(flow_to(&f, 0, "::ffff:255.255.255.255"), EINVAL);
	CHECK_INT(flow_to(&f, 3, "::"), EINVAL);
	a.grh.sgid_index = 2;
	CHECK_INT(flow(&f, a), ENODATA);
	a.grh.sgid_index = 255;
	CHECK_INT(flow(&f, a), EINVAL);
	a = app_av(0);
	a.is_global = 0;
	CHECK_INT(flow(&f, a), EINVAL);
	a = app_av(0);
	a.port_num = 0;
	CHECK_INT(flow(&f, a), EINVAL);
	rig_route_errno = EHOSTUNREACH;
	CHECK_INT(flow(&f, app_av(0)), EHOSTUNREACH);
	CHECK_INT(flow_to(&f, 0, "::ffff:224.1.2.3"), 0); /* needs no route */
	rig_route_errno = ENODEV; /* the host would take an address that we do not have */
	CHECK_INT(flow(&f, app_av(0)), 0);
	rig_route_errno = 0;
}

static void test_create(void)
{
	struct ibv_ah_attr a = app_av(1);
	struct ibv_ah *ah = ibv_create_ah(app_pd, &a);

	CHECK(ah && ah->pd == app_pd && ah->context == app_context);
	CHECK_INT(to_pd(app_pd)->users, 1);
	CHECK_INT(ibv_destroy_ah(ah), 0);
	a.grh.sgid_index = 2;
	CHECK(!ibv_create_ah(app_pd, &a));
	CHECK_INT(errno, ENODATA);
	CHECK_INT(to_pd(app_pd)->users, 0);
}

static void ipv4_grh(struct ibv_grh *grh, const char *from, const char *to)
{
	uint8_t *h = (uint8_t *)grh + 20;

	memset(grh, 0, sizeof *grh);
	h[0] = 0x45;
	h[1] = 0x08;
	h[8] = 61;
	CHECK_INT(inet_pton(AF_INET, from, h + 12), 1);
	CHECK_INT(inet_pton(AF_INET, to, h + 16), 1);
}

static void test_from_wc(void)
{
	struct ibv_wc wc = { .wc_flags = IBV_WC_GRH, .src_qp = 7 };
	struct ibv_context *context = app_context;
	struct ibv_ah_attr a;
	struct ibv_grh grh;
	union ibv_gid peer;
	struct ibv_ah *ah;

	ipv4_grh(&grh, "127.0.0.9", "127.0.0.1");
	CHECK_INT(ibv_init_ah_from_wc(context, 1, &wc, &grh, &a), 0);
	peer = rig_gid_of("::ffff:127.0.0.9");
	CHECK(memcmp(&a.grh.dgid, &peer, 16) == 0);
	CHECK_INT(a.grh.sgid_index, 1);
	CHECK_INT(a.is_global, 1);
	CHECK_INT(a.grh.traffic_class, 8);
	CHECK_INT(a.grh.hop_limit, 61);
	ah = ibv_create_ah_from_wc(app_pd, &wc, &grh, 1);
	CHECK(ah != NULL);
	CHECK(memcmp(&to_ah(ah)->flow.dgid, &peer, 16) == 0);
	ibv_destroy_ah(ah);

	ipv4_grh(&grh, "127.0.0.9", "127.0.0.2"); /* not ours */
	CHECK_INT(ibv_init_ah_from_wc(context, 1, &wc, &grh, &a), -1);
	CHECK_INT(errno, ENOENT);
	CHECK(!ibv_create_ah_from_wc(app_pd, &wc, &grh, 1));
	memset(&grh, 0, sizeof grh); /* neither */
	CHECK_INT(ibv_init_ah_from_wc(context, 1, &wc, &grh, &a), -1);
	CHECK_INT(errno, EINVAL);

	grh.version_tclass_flow = htobe32(0x6aa12345);
	grh.hop_limit = 60;
	grh.sgid = rig_gid_of("fe80::9");
	grh.dgid = rig_gid_of("fe80::1");
	CHECK_INT(ibv_init_ah_from_wc(context, 1, &wc, &grh, &a), 0);
	CHECK(memcmp(&a.grh.dgid, &grh.sgid, 16) == 0);
	CHECK_INT(a.grh.sgid_index, 3);
	CHECK_INT(a.grh.traffic_class, 0xaa);
	CHECK_INT(a.grh.flow_label, 0x12345);
	CHECK_INT(a.grh.hop_limit, 60);
	wc.wc_flags = 0; /* without a GRH nobody can be reached here, but that is said later */
	CHECK_INT(ibv_init_ah_from_wc(context, 1, &wc, &grh, &a), 0);
	CHECK_INT(a.is_global, 0);
	CHECK(!ibv_create_ah_from_wc(app_pd, &wc, &grh, 1));
	CHECK_INT(errno, EINVAL);
}

int main(void)
{
	app_open();
	test_flow();
	test_create();
	test_from_wc();
	app_close();
	return checks_end();
}
