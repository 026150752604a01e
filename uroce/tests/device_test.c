/* SPDX-License-Identifier: MIT */
/* Attributes of the device, and the layouts that programs were compiled with. */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "counters.h"
#include "engine.h"
#include "context.h"
#include "verbs_app.h"

int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned index, int *type);
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed);

#undef ibv_query_port
static int old_query_port(struct ibv_context *c, uint8_t port, struct ibv_port_attr *a)
{
	return ibv_query_port(c, port, (struct _compat_ibv_port_attr *)a);
}
#define ibv_query_port(c, port, a) ___ibv_query_port(c, port, a)

/* The beginnings of these are an interface between binaries: they may only grow. The part
 * that the program sees comes first in what we allocate. The mutex and the condition in some of
 * them are larger on some processors. */
#define LOCKS (sizeof(pthread_mutex_t) + sizeof(pthread_cond_t))
#if __SIZEOF_POINTER__ == 8
_Static_assert(sizeof(struct ibv_device) == 664, "ibv_device");
_Static_assert(sizeof(struct ibv_context) == 288 + sizeof(pthread_mutex_t), "ibv_context");
_Static_assert(sizeof(struct ibv_pd) == 16, "ibv_pd");
_Static_assert(sizeof(struct ibv_mr) == 48, "ibv_mr");
_Static_assert(sizeof(struct ibv_cq) == 40 + LOCKS, "ibv_cq");
_Static_assert(sizeof(struct ibv_qp) == 72 + LOCKS, "ibv_qp");
_Static_assert(sizeof(struct ibv_srq) == 40 + LOCKS, "ibv_srq");
_Static_assert(sizeof(struct ibv_ah) == 24, "ibv_ah");
_Static_assert(sizeof(struct ibv_comp_channel) == 16, "ibv_comp_channel");
_Static_assert(sizeof(struct ibv_wc) == 48, "ibv_wc");
_Static_assert(sizeof(struct ibv_device_attr) == 232, "ibv_device_attr");
_Static_assert(sizeof(struct ibv_gid_entry) == 32, "ibv_gid_entry");
_Static_assert(sizeof(struct ibv_qp_attr) == 144, "ibv_qp_attr");
_Static_assert(sizeof(struct ibv_cq_ex) >= 200 + LOCKS, "ibv_cq_ex");
_Static_assert(sizeof(struct ibv_qp_ex) >= 264 + LOCKS, "ibv_qp_ex");
_Static_assert(sizeof(struct verbs_context) >= 608 + sizeof(pthread_mutex_t), "verbs_context");
_Static_assert(sizeof(struct completion) == 64, "a completion is a cache line");
#endif
_Static_assert(offsetof(struct verbs_context, context) + sizeof(struct ibv_context) ==
		       sizeof(struct verbs_context),
	       "the context is last");
_Static_assert(offsetof(struct ibv_port_attr, port_cap_flags2) == 48, "the old ibv_port_attr");
_Static_assert(offsetof(struct cq, v) == 0 && offsetof(struct mr, v) == 0 &&
		       offsetof(struct mw, v) == 0 && offsetof(struct pd, v) == 0 &&
		       offsetof(struct channel, v) == 0,
	       "what the application sees comes first");

static struct ibv_context *context;

static void listed(void)
{
	int n = 7;
	struct ibv_device **list = ibv_get_device_list(&n);

	CHECK_INT(n, 1);
	CHECK_STR(ibv_get_device_name(list[0]), "uroce0");
	CHECK(!list[1]);
	CHECK_INT(list[0]->node_type, IBV_NODE_CA);
	CHECK_INT(list[0]->transport_type, IBV_TRANSPORT_IB);
	CHECK_INT(ibv_get_device_index(list[0]), -1);
	CHECK_INT(be64toh(ibv_get_device_guid(list[0])) >> 24, 0x0200c0fffe);
	CHECK_INT(ibv_get_device_guid(list[0]), device_guid(0));
	CHECK_INT(rig_engine_users, 0); /* looking brings nothing up */
	ibv_free_device_list(list);
	list = ibv_get_device_list(NULL);
	CHECK(list && list[0]);
	ibv_free_device_list(list);
	setenv("UROCE_DEVICES", "7 is no name", 1);
	CHECK(!ibv_get_device_list(&n) && errno == EINVAL && n == 0);
	unsetenv("UROCE_DEVICES");
	CHECK_INT(ibv_fork_init(), 0);
	CHECK_INT(ibv_is_fork_initialized(), IBV_FORK_UNNEEDED);
}

static void opened(void)
{
	struct ibv_device other = { 0 };
	int copy;

	CHECK(!ibv_open_device(&other) && errno == ENODEV);
	rig_engine_error = EADDRINUSE;
	CHECK(!ibv_open_device(&devices[0].v) && errno == EADDRINUSE);
	rig_engine_error = 0;
	context = ibv_open_device(&devices[0].v);
	CHECK(context && context->device == &devices[0].v);
	CHECK_INT(rig_engine_users, 1);
	CHECK_INT(fcntl(context->async_fd, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
	copy = dup(context->cmd_fd); /* as pyverbs does */
	CHECK(copy >= 0);
	close(copy);
	CHECK(verbs_get_ctx(context)->sz == sizeof(struct verbs_context));
}

/* An application with a QP that can receive, and is member of a group. */
struct owner {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
};

static struct owner new_owner(struct ibv_context *c, const union ibv_gid *group)
{
	struct owner o = { ibv_alloc_pd(c), ibv_create_cq(c, 1, NULL, NULL, 0), NULL };
	struct ibv_qp_init_attr a = { .send_cq = o.cq, .recv_cq = o.cq, .qp_type = IBV_QPT_UD };

	o.qp = ibv_create_qp(o.pd, &a);
	CHECK(o.qp);
	to_qp(o.qp)->attr.qp_state = IBV_QPS_RTS;
	CHECK_INT(ibv_attach_mcast(o.qp, group, 0), 0);
	return o;
}

static void end_owner(struct owner *o)
{
	CHECK_INT(ibv_destroy_qp(o->qp) | ibv_destroy_cq(o->cq) | ibv_dealloc_pd(o->pd), 0);
}

/* Closed with something left: that stops, and the rest of the process does not. */
static void closed_with_qp(void)
{
	const union ibv_gid group = rig_gid_of("224.9.8.7");
	struct ibv_context *second = ibv_open_device(&devices[0].v);
	struct owner left, mine;

	rig_group_fd = RIG_MEMBER_FD;
	left = new_owner(second, &group);
	mine = new_owner(context, &group);
	engine_lock();
	event_port(0, IBV_EVENT_GID_CHANGE);
	engine_unlock();
	CHECK_INT(ibv_close_device(second), 0);
	CHECK_INT(rig_engine_users, 1);
	CHECK_INT(qp_state(to_qp(left.qp)), IBV_QPS_ERR);
	CHECK_INT(qp_state(to_qp(mine.qp)), IBV_QPS_RTS);
	CHECK(!to_qp(left.qp)->mcast && to_qp(mine.qp)->mcast);
	CHECK_INT(rig_transport.event, -1);
	end_owner(&left);
	free(to_context(second)); /* what the application lost */
	CHECK_INT(ibv_detach_mcast(mine.qp, &group, 0), 0);
	end_owner(&mine);
	rig_group_fd = -1;
}

/* The context is there as long as anything that was made from it. */
static void closed_with_any(void)
{
	struct ibv_xrcd_init_attr xrcd_attr = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1,
		.oflags = O_CREAT,
	};
	struct ibv_alloc_dm_attr dm_attr = { .length = 64 };
	struct ibv_td_init_attr td_attr = { 0 };

	for (unsigned i = 0; i < 4; i++) {
		struct ibv_context *c = ibv_open_device(&devices[0].v);
		struct ibv_comp_channel *ch = i == 0 ? ibv_create_comp_channel(c) : NULL;
		struct ibv_xrcd *xrcd = i == 1 ? ibv_open_xrcd(c, &xrcd_attr) : NULL;
		struct ibv_dm *dm = i == 2 ? ibv_alloc_dm(c, &dm_attr) : NULL;
		struct ibv_td *td = i == 3 ? ibv_alloc_td(c, &td_attr) : NULL;

		CHECK(ch || xrcd || dm || td);
		CHECK_INT(ibv_close_device(c), 0);
		CHECK(c->async_fd == -1 && c->cmd_fd == -1);
		CHECK_INT(ch ? ibv_destroy_comp_channel(ch) : 0, 0);
		CHECK_INT(xrcd ? ibv_close_xrcd(xrcd) : 0, 0);
		CHECK_INT(dm ? ibv_free_dm(dm) : 0, 0);
		CHECK_INT(td ? ibv_dealloc_td(td) : 0, 0);
		free(to_context(c));
	}
}

static void limits(void)
{
	struct ibv_device_attr a;
	struct ibv_device_attr_ex ex;
	struct {
		struct ibv_device_attr_ex known;
		char more[64];
	} larger;

	CHECK_INT(ibv_query_device(context, &a), 0);
	CHECK(a.max_qp == MAX_QP && a.max_mr == MAX_MR && a.max_sge == MAX_SGE);
	CHECK(a.fw_ver[0] && a.vendor_id == 0x0200c0 && a.vendor_part_id == 0);
	CHECK_INT(a.node_guid, device_guid(0));
	CHECK_INT(ibv_query_device_ex(context, NULL, &ex), 0);
	CHECK_INT(memcmp(&ex.orig_attr, &a, sizeof a), 0);
	CHECK_INT(ex.odp_caps.general_caps, IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	CHECK_INT(ex.max_dm_size, MAX_DM);
	CHECK_INT(ex.hca_core_clock, 1000000);
	memset(&larger, 0xff, sizeof larger);
	CHECK_INT(verbs_get_ctx(context)->query_device_ex(context, NULL, &larger.known,
							  sizeof larger),
		  0);
	CHECK_INT(larger.more[63], 0);
	memset(&ex, 0xff, sizeof ex);
	CHECK_INT(verbs_get_ctx(context)->query_device_ex(
			  context, NULL, &ex, offsetof(struct ibv_device_attr_ex, odp_caps)),
		  0);
	CHECK(ex.odp_caps.general_caps == UINT64_MAX); /* not beyond what it has */
	CHECK_INT(verbs_get_ctx(context)->query_device_ex(context, NULL, &ex, 8), EINVAL);
	CHECK_INT(verbs_get_ctx(context)->query_device_ex(
			  context, &(struct ibv_query_device_ex_input){ 1 }, &ex, sizeof ex),
		  EINVAL);
}

static void port(void)
{
	struct ibv_port_attr a;
	uint64_t speed;
	struct {
		char known[48];
		char more[4];
	} old;

	CHECK_INT(ibv_query_port(context, 0, &a), EINVAL);
	CHECK_INT(ibv_query_port(context, 2, &a), EINVAL);
	counters[CNT_BAD_PKEY] = 3;
	counters[CNT_BAD_QKEY] = 4;
	CHECK_INT(ibv_query_port_speed(context, 2, &speed), EINVAL);
	CHECK_INT(ibv_query_port_speed(context, 1, &speed), 0);
	CHECK_INT(speed, 25); /* SDR, 1X */
	CHECK_INT(ibv_query_port(context, 1, &a), 0);
	CHECK_INT(a.state, IBV_PORT_ACTIVE);
	CHECK_INT(a.active_mtu, IBV_MTU_1024); /* of the first address */
	CHECK_INT(a.link_layer, IBV_LINK_LAYER_ETHERNET);
	CHECK_INT(a.gid_tbl_len, 64);
	CHECK_INT(a.flags, IBV_QPF_GRH_REQUIRED);
	CHECK(a.bad_pkey_cntr == 3 && a.qkey_viol_cntr == 4);
	memset(&old, 0x77, sizeof old);
	CHECK_INT(old_query_port(context, 1, (struct ibv_port_attr *)&old), 0);
	CHECK_INT(old.more[0], 0x77); /* a program compiled long ago has no room for it */
	CHECK_INT(memcmp(old.known, &a, 48), 0);
	app_addresses(false);
	CHECK_INT(ibv_query_port(context, 1, &a), 0);
	CHECK_INT(a.state, IBV_PORT_DOWN);
	app_addresses(true);
}

static void gids(void)
{
	struct ibv_gid_entry e, table[8];
	struct {
		struct ibv_gid_entry known;
		char more[8];
	} larger[3];
	union ibv_gid gid;
	int type;

	CHECK_INT(ibv_query_gid(context, 1, 0, &gid), 0);
	CHECK(gid.raw[10] == 0xff && gid.raw[15] == 1);
	/* programs loop over the whole table: an empty entry is no error */
	memset(&gid, 0xff, sizeof gid);
	CHECK_INT(ibv_query_gid(context, 1, 2, &gid), 0);
	CHECK(gid.global.subnet_prefix == 0 && gid.global.interface_id == 0);
	CHECK(ibv_query_gid(context, 1, 64, &gid) == -1 && errno == EINVAL);
	CHECK(ibv_query_gid(context, 1, -1, &gid) == -1 && errno == EINVAL);
	CHECK(ibv_query_gid(context, 2, 0, &gid) == -1 && errno == EINVAL);
	CHECK_INT(ibv_query_gid_ex(context, 1, 1, &e, 0), 0);
	CHECK(e.gid_index == 1 && e.port_num == 1 && e.ndev_ifindex == 1 &&
	      e.gid_type == IBV_GID_TYPE_ROCE_V2);
	CHECK_INT(ibv_query_gid_ex(context, 1, 2, &e, 0), ENODATA);
	CHECK_INT(ibv_query_gid_ex(context, 1, 0, &e, 1), EINVAL);
	CHECK_INT(ibv_query_gid_table(context, table, 8, 0), 3);
	CHECK(table[0].gid_index == 0 && table[1].gid_index == 1 && table[2].gid_index == 3);
	CHECK_INT(ibv_query_gid_table(context, table, 1, 0), 1);
	CHECK_INT(ibv_query_gid_table(context, table, 0, 0), -EINVAL);
	memset(larger, 0xff, sizeof larger);
	CHECK_INT(_ibv_query_gid_table(context, &larger[0].known, 3, 0, sizeof larger[0]), 3);
	CHECK(larger[2].known.gid_index == 3 && larger[2].more[7] == 0);
	CHECK_INT(ibv_query_gid_type(context, 1, 0, &type), 0);
	CHECK_INT(type, 1);
	CHECK_INT(ibv_query_gid_type(context, 1, 2, &type), 0);
	CHECK_INT(type, 0);
	CHECK_INT(ibv_query_gid_type(context, 1, 99, &type), -1);
}

static void pkeys(void)
{
	__be16 pkey;

	CHECK_INT(ibv_query_pkey(context, 1, 0, &pkey), 0);
	CHECK_INT(pkey, 0xffff);
	CHECK(ibv_query_pkey(context, 1, 1, &pkey) == -1 && errno == EINVAL);
	CHECK_INT(ibv_get_pkey_index(context, 1, pkey), 0);
	CHECK_INT(ibv_get_pkey_index(context, 1, 0x1234), -1);
}

/* In a child of fork(), which shares the descriptors with its parent. */
static int child_main(__be64 guid_of_parent, struct ibv_cq *cq)
{
	struct ibv_wc wc;

	alarm(10);
	device_forget();
	cq_forget_all();
	if (ibv_poll_cq(cq, 1, &wc) != 1) /* a thread of the parent has its lock */
		return 3;
	if (device_guid(0) == guid_of_parent || ibv_destroy_cq(cq) != 0 ||
	    ibv_close_device(context) != 0)
		return 1;
	return rig_engine_users == 1 ? 0 : 2; /* it did not give back what the parent has */
}

/* ThreadSanitizer goes on to believe that a lock that was made anew is taken. */
static void take_lock(struct ibv_cq *cq, bool on)
{
#ifdef __SANITIZE_THREAD__
	(void)cq;
	(void)on;
#else
	if (on)
		pthread_mutex_lock(&to_cq(cq)->taking);
	else
		pthread_mutex_unlock(&to_cq(cq)->taking);
#endif
}

/* A child has another GUID, and what it destroys leaves the parent's events alone. */
static void forked(void)
{
	const struct ibv_wc wc = { .wr_id = 1 };
	struct ibv_comp_channel *ch = ibv_create_comp_channel(context);
	struct ibv_cq *cq = ibv_create_cq(context, 4, NULL, ch, 0), *got;
	const __be64 mine = device_guid(0);
	struct ibv_async_event e;
	int status;
	void *arg;
	pid_t child;

	ibv_req_notify_cq(cq, 0);
	engine_lock();
	cq_put(to_cq(cq), &wc, false);
	event_port(0, IBV_EVENT_GID_CHANGE);
	engine_unlock();
	fcntl(ch->fd, F_SETFL, O_NONBLOCK);
	fcntl(context->async_fd, F_SETFL, O_NONBLOCK);
	take_lock(cq, true);
	child = fork();
	if (child == 0)
		_exit(child_main(mine, cq));
	take_lock(cq, false);
	CHECK(child > 0);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
	CHECK_INT(device_guid(0), mine);
	CHECK_INT(ibv_get_cq_event(ch, &got, &arg), 0);
	ibv_ack_cq_events(got, 1);
	CHECK_INT(ibv_get_async_event(context, &e), 0);
	CHECK_INT(ibv_destroy_cq(cq), 0);
	CHECK_INT(ibv_destroy_comp_channel(ch), 0);
}

int main(void)
{
	app_addresses(true);
	listed();
	opened();
	closed_with_qp();
	closed_with_any();
	limits();
	port();
	gids();
	pkeys();
	forked();
	CHECK_INT(ibv_close_device(context), 0);
	CHECK_INT(rig_engine_users, 0);
	return checks_end();
}
