// SPDX-License-Identifier: MIT
/*
 * port: the port, the addresses and the device come and go under a program: its events, its
 * traffic, its connections. In a network with 10.0.0.1 on v0, whose other end is v1.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>

#include "checks.h"
#include "fault_rule.h"
#include "qp_pair.h"

#define PATIENCE_MS 20000
#define FLAPS	    20

static void ip(const char *command)
{
	char line[100];

	snprintf(line, sizeof line, "ip %s", command);
	CHECK_INT(system(line), 0);
}

static enum ibv_event_type next_event(struct ibv_context *ctx)
{
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event e;

	CHECK_INT(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_INT(ibv_get_async_event(ctx, &e), 0);
	ibv_ack_async_event(&e);
	return e.event_type;
}

static void expect(struct ibv_context *ctx, enum ibv_event_type type)
{
	CHECK_INT(next_event(ctx), type);
}

/* The port's event and that its GIDs have changed: an interface is up before it has a carrier. */
static void expect_with_gids(struct ibv_context *ctx, enum ibv_event_type type)
{
	const enum ibv_event_type first = next_event(ctx);

	CHECK(first == type || first == IBV_EVENT_GID_CHANGE);
	expect(ctx, first == type ? IBV_EVENT_GID_CHANGE : type);
}

/* At most so many wait; of the port's events the last one is type. */
static void expect_at_last(struct ibv_context *ctx, enum ibv_event_type type, unsigned most)
{
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	enum ibv_event_type last = IBV_EVENT_CLIENT_REREGISTER, e;
	unsigned n = 0;

	for (; poll(&p, 1, 0) == 1; n++) {
		e = next_event(ctx);
		if (e != IBV_EVENT_GID_CHANGE)
			last = e;
	}
	CHECK(n && n <= most);
	CHECK_INT(last, type);
}

static enum ibv_port_state state_of(struct ibv_context *ctx)
{
	struct ibv_port_attr a;

	CHECK_INT(ibv_query_port(ctx, 1, &a), 0);
	return a.state;
}

static void *symbol(const char *name)
{
	void *found = dlsym(RTLD_DEFAULT, name);

	CHECK(found != NULL);
	return found;
}

static int call(const char *name, struct ibv_context *ctx, unsigned a, unsigned b)
{
	int (*fn)(struct ibv_context *, unsigned, unsigned);
	void *found = symbol(name);

	memcpy(&fn, &found, sizeof fn);
	return fn(ctx, a, b);
}

/* The device makes the event happen now. */
static void make_happen(const char *rule)
{
	static struct fault_rule r;
	void (*set)(struct fault_rule *, unsigned);
	void *found = symbol("uroce_rules_set");
	char why[200];

	memcpy(&set, &found, sizeof set);
	CHECK_INT(fault_rule_read(rule, 1, 0, &r, why, sizeof why), 0);
	set(&r, 1);
}

/* A WRITE that is posted meanwhile waits, and is there afterwards. */
static void link_down_and_up(struct pair *p)
{
	union ibv_gid before, after;
	const int index = pair_gid_index(p->ctx, &before);
	struct ibv_wc wc;

	ip("link set v0 down");
	expect(p->ctx, IBV_EVENT_PORT_ERR);
	CHECK_INT(state_of(p->ctx), IBV_PORT_DOWN);
	pair_fill(p->a.buf, 1000, 7);
	memset(p->b.buf, 0, 1000);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 1000, 1), 0);
	poll(NULL, 0, 100);
	CHECK_INT(ibv_poll_cq(p->a.cq, 1, &wc), 0);
	CHECK(p->b.buf[0] == 0);
	ip("link set v0 up");
	expect(p->ctx, IBV_EVENT_PORT_ACTIVE);
	CHECK_INT(state_of(p->ctx), IBV_PORT_ACTIVE);
	CHECK_INT(pair_gid_index(p->ctx, &after), index);
	CHECK(memcmp(&before, &after, sizeof before) == 0);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
	CHECK(memcmp(p->a.buf, p->b.buf, 1000) == 0);
	pair_works(p);
}

/* The other end of the cable: no GID goes. */
static void carrier(struct pair *p)
{
	ip("link set v1 down");
	expect(p->ctx, IBV_EVENT_PORT_ERR);
	CHECK_INT(state_of(p->ctx), IBV_PORT_DOWN);
	ip("link set v1 up");
	expect(p->ctx, IBV_EVENT_PORT_ACTIVE);
	pair_works(p);
}

/* Events that nobody reads do not pile up, and the last one says how it is. */
static void nobody_reads(struct pair *p)
{
	struct ibv_context *other = pair_open();

	for (unsigned i = 0; i < FLAPS; i++) {
		ip("link set v0 down");
		expect(other, IBV_EVENT_PORT_ERR);
		ip("link set v0 up");
		expect(other, IBV_EVENT_PORT_ACTIVE);
	}
	expect_at_last(p->ctx, IBV_EVENT_PORT_ACTIVE, 3);
	CHECK_INT(ibv_close_device(other), 0);
	pair_works(p);
}

static void expect_cm(struct rdma_event_channel *ch, enum rdma_cm_event_type type)
{
	struct pollfd p = { .fd = ch->fd, .events = POLLIN };
	struct rdma_cm_event *e;

	CHECK_INT(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_INT(rdma_get_cm_event(ch, &e), 0);
	CHECK_STR(rdma_event_str(e->event), rdma_event_str(type));
	CHECK_INT(rdma_ack_cm_event(e), 0);
}

static void address_goes(struct pair *p, struct rdma_event_channel *ch)
{
	ip("addr del 10.0.0.1/24 dev v0");
	expect_cm(ch, RDMA_CM_EVENT_ADDR_CHANGE);
	expect_with_gids(p->ctx, IBV_EVENT_PORT_ERR);
	ip("addr add 10.0.0.1/24 dev v0");
	expect_with_gids(p->ctx, IBV_EVENT_PORT_ACTIVE);
	pair_works(p);
}

/* uroce itself does the same. */
static void on_purpose(struct pair *p, struct rdma_event_channel *ch)
{
	union ibv_gid gid;
	struct ibv_wc wc;

	make_happen("event:PORT_ERR");
	expect(p->ctx, IBV_EVENT_PORT_ERR);
	CHECK_INT(state_of(p->ctx), IBV_PORT_DOWN);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 1), 0);
	poll(NULL, 0, 50);
	CHECK_INT(ibv_poll_cq(p->a.cq, 1, &wc), 0);
	make_happen("event:PORT_ACTIVE");
	expect(p->ctx, IBV_EVENT_PORT_ACTIVE);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
	CHECK_INT(pair_gid_index(p->ctx, &gid), 0);
	CHECK_INT(call("uroce_gid_move", p->ctx, 0, 9), 0);
	expect(p->ctx, IBV_EVENT_GID_CHANGE);
	CHECK_INT(ibv_query_gid(p->ctx, 1, 9, &gid), 0);
	CHECK(gid.raw[12] == 10);
	pair_works(p);
	CHECK_INT(call("uroce_gid_move", p->ctx, 30, 0), -1);
	CHECK_INT(call("uroce_gid_move", p->ctx, 9, 5), 0);
	expect(p->ctx, IBV_EVENT_GID_CHANGE);
	call("uroce_gid_restore", p->ctx, 0, 0);
	expect(p->ctx, IBV_EVENT_GID_CHANGE);
	CHECK_INT(ibv_query_gid(p->ctx, 1, 0, &gid), 0);
	CHECK(gid.raw[12] == 10);
	CHECK_INT(call("uroce_gid_hide", p->ctx, 0, 0), 0);
	expect(p->ctx, IBV_EVENT_GID_CHANGE);
	expect_cm(ch, RDMA_CM_EVENT_ADDR_CHANGE);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 1), 0);
	poll(NULL, 0, 50);
	CHECK_INT(ibv_poll_cq(p->a.cq, 1, &wc), 0);
	call("uroce_gid_restore", p->ctx, 0, 0);
	expect(p->ctx, IBV_EVENT_GID_CHANGE);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
}

/* Everything can still be destroyed, and nothing can be made. */
static void device_fails(struct pair *p, struct rdma_event_channel *ch)
{
	struct ibv_qp_attr reset = { .qp_state = IBV_QPS_RESET };
	struct ibv_device_attr device;
	struct ibv_port_attr a;

	CHECK_INT(pair_recv(&p->b, 8, 5), 0);
	make_happen("event:DEVICE_FATAL");
	expect(p->ctx, IBV_EVENT_DEVICE_FATAL);
	expect_cm(ch, RDMA_CM_EVENT_DEVICE_REMOVAL);
	CHECK_INT(pair_wait(p->b.cq, NULL), IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 1), 0);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_WR_FLUSH_ERR);
	CHECK(!ibv_alloc_pd(p->ctx) && errno == EIO);
	CHECK(!ibv_reg_mr(p->a.pd, p->a.buf, 8, 0) && errno == EIO);
	CHECK(!ibv_create_cq(p->ctx, 8, NULL, NULL, 0) && errno == EIO);
	CHECK_INT(ibv_modify_qp(p->a.qp, &reset, IBV_QP_STATE), EIO);
	CHECK_INT(ibv_resize_cq(p->a.cq, 500), EIO);
	CHECK_INT(ibv_rereg_mr(p->a.mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, 0),
		  IBV_REREG_MR_ERR_CMD);
	CHECK_INT(errno, EIO);
	CHECK_INT(ibv_query_device(p->ctx, &device), EIO);
	CHECK_INT(ibv_query_port(p->ctx, 1, &a), EIO);
	CHECK(!ibv_open_device(p->ctx->device) && errno == EIO);
}

int main(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *id = NULL;
	struct pair p;

	addr.sin_addr.s_addr = htobe32(0x0a000001);
	pair_make(&p, 0);
	CHECK(ch && rdma_create_id(ch, &id, NULL, RDMA_PS_TCP) == 0);
	pair_works(&p);
	link_down_and_up(&p);
	carrier(&p);
	nobody_reads(&p);
	CHECK_INT(rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	address_goes(&p, ch);
	on_purpose(&p, ch);
	device_fails(&p, ch);
	pair_close(&p);
	CHECK_INT(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
	return checks_end();
}
