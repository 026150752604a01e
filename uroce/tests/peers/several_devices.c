// SPDX-License-Identifier: MIT
/*
 * devices: two devices of one process, UROCE_DEVICES=uroce0:lo,uroce1:v0, in a network
 * with 10.0.0.1 on v0, whose other end is v1: what one of them has or suffers, the other has not.
 */
#include <arpa/inet.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"
#include "fault_rule.h"
#include "qp_pair.h"

#define PATIENCE_MS 20000
#define QKEY	    0x11
#define GRH	    40 /* bytes before a datagram */

static void ip(const char *command)
{
	char line[100];

	snprintf(line, sizeof line, "ip %s", command);
	CHECK_INT(system(line), 0);
}

static void make_happen(const char *rule)
{
	static struct fault_rule r;
	void (*set)(struct fault_rule *, unsigned);
	void *found = dlsym(RTLD_DEFAULT, "uroce_rules_set");
	char why[200];

	CHECK(found != NULL);
	memcpy(&set, &found, sizeof set);
	CHECK_INT(fault_rule_read(rule, 1, 0, &r, why, sizeof why), 0);
	set(&r, 1);
}

static void expect(struct ibv_context *ctx, enum ibv_event_type type)
{
	struct pollfd p = { .fd = ctx->async_fd, .events = POLLIN };
	struct ibv_async_event e;

	CHECK_INT(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_INT(ibv_get_async_event(ctx, &e), 0);
	CHECK_STR(ibv_event_type_str(e.event_type), ibv_event_type_str(type));
	ibv_ack_async_event(&e);
}

static bool has_event(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) == 1;
}

static enum ibv_port_state state_of(struct ibv_context *ctx)
{
	struct ibv_port_attr a;

	CHECK_INT(ibv_query_port(ctx, 1, &a), 0);
	return a.state;
}

static union ibv_gid gid_of(struct ibv_context *ctx)
{
	union ibv_gid gid;

	pair_gid_index(ctx, &gid);
	return gid;
}

static void listed(const struct pair *p, const struct pair *q)
{
	int n;
	struct ibv_device **list = ibv_get_device_list(&n);
	struct ibv_gid_entry of_p[64], of_q[64];
	ssize_t np, nq;

	CHECK_INT(n, 2);
	CHECK_STR(ibv_get_device_name(list[0]), "uroce0");
	CHECK_STR(ibv_get_device_name(list[1]), "uroce1");
	CHECK(ibv_get_device_guid(list[0]) != ibv_get_device_guid(list[1]));
	CHECK(p->ctx->device == list[0] && q->ctx->device == list[1]);
	ibv_free_device_list(list);
	np = ibv_query_gid_table(p->ctx, of_p, 64, 0);
	nq = ibv_query_gid_table(q->ctx, of_q, 64, 0);
	CHECK(np > 0 && nq > 0);
	for (ssize_t i = 0; i < np; i++)
		for (ssize_t k = 0; k < nq; k++)
			CHECK(memcmp(&of_p[i].gid, &of_q[k].gid, sizeof(union ibv_gid)) != 0);
	CHECK(gid_of(p->ctx).raw[12] == 127 && gid_of(q->ctx).raw[12] == 10);
}

/* A QP of one device is connected to one of the other. */
static struct pair cross(const struct pair *p, const struct pair *q)
{
	struct pair c = { .ctx = p->ctx }, d = { .ctx = q->ctx };
	const union ibv_gid gid_p = gid_of(p->ctx), gid_q = gid_of(q->ctx);

	pair_side(&c, &c.a, 0);
	pair_side(&d, &c.b, 0);
	pair_connect_to(p->ctx, c.a.qp, &gid_q, c.b.qp->qp_num, 14, 7);
	pair_connect_to(q->ctx, c.b.qp, &gid_p, c.a.qp->qp_num, 14, 7);
	return c;
}

static void post(struct side *from, const struct side *to)
{
	struct ibv_wc wc;

	CHECK_INT(pair_post(from, to, IBV_WR_RDMA_WRITE, 1000, 1), 0);
	poll(NULL, 0, 50);
	CHECK_INT(ibv_poll_cq(from->cq, 1, &wc), 0);
}

/* Requests to or from the second device wait while it is down; the first one goes on. */
static void one_is_down(struct pair *p, struct pair *q, struct pair *c)
{
	expect(q->ctx, IBV_EVENT_PORT_ERR);
	CHECK_INT(state_of(q->ctx), IBV_PORT_DOWN);
	CHECK(!has_event(p->ctx->async_fd));
	CHECK_INT(state_of(p->ctx), IBV_PORT_ACTIVE);
	post(&q->a, &q->b);
	post(&c->a, &c->b);
	pair_works(p);
}

static void one_is_up(struct pair *p, struct pair *q, struct pair *c)
{
	expect(q->ctx, IBV_EVENT_PORT_ACTIVE);
	CHECK(!has_event(p->ctx->async_fd));
	CHECK_INT(pair_wait(q->a.cq, NULL), IBV_WC_SUCCESS);
	CHECK_INT(pair_wait(c->a.cq, NULL), IBV_WC_SUCCESS);
	pair_works(q);
	pair_works(c);
}

static void go_down(struct pair *p, struct pair *q, struct pair *c)
{
	ip("link set v0 down");
	one_is_down(p, q, c);
	ip("link set v0 up");
	one_is_up(p, q, c);
	make_happen("event:PORT_ERR:device=uroce1");
	one_is_down(p, q, c);
	make_happen("event:PORT_ACTIVE:device=uroce1");
	one_is_up(p, q, c);
	make_happen("event:PORT_ERR"); /* of each */
	expect(p->ctx, IBV_EVENT_PORT_ERR);
	expect(q->ctx, IBV_EVENT_PORT_ERR);
	make_happen("event:PORT_ACTIVE");
	expect(p->ctx, IBV_EVENT_PORT_ACTIVE);
	expect(q->ctx, IBV_EVENT_PORT_ACTIVE);
}

/* ------------------------------------------------------------------- datagrams -- */

static struct side datagram_side(struct ibv_context *ctx)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD,
					 .cap = { PAIR_DEPTH, PAIR_DEPTH, 2, 2, 64 },
					 .sq_sig_all = 1 };
	struct ibv_qp_attr a = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = QKEY };
	struct side s = { .pd = ibv_alloc_pd(ctx),
			  .cq = ibv_create_cq(ctx, 64, NULL, NULL, 0),
			  .buf = calloc(1, PAIR_BYTES) };

	s.mr = ibv_reg_mr(s.pd, s.buf, PAIR_BYTES, PAIR_ACCESS);
	init.send_cq = init.recv_cq = s.cq;
	s.qp = ibv_create_qp(s.pd, &init);
	CHECK(s.mr && s.qp);
	CHECK_INT(ibv_modify_qp(s.qp, &a,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
		  0);
	a.qp_state = IBV_QPS_RTR;
	CHECK_INT(ibv_modify_qp(s.qp, &a, IBV_QP_STATE), 0);
	a.qp_state = IBV_QPS_RTS;
	CHECK_INT(ibv_modify_qp(s.qp, &a, IBV_QP_STATE | IBV_QP_SQ_PSN), 0);
	return s;
}

static void end_datagrams(struct side *s)
{
	CHECK_INT(ibv_destroy_qp(s->qp) | ibv_destroy_cq(s->cq) | ibv_dereg_mr(s->mr) |
			  ibv_dealloc_pd(s->pd),
		  0);
	free(s->buf);
}

static void send_datagram(struct side *s, const union ibv_gid *to, uint32_t qpn, uint32_t imm)
{
	struct ibv_ah_attr attr = { .is_global = 1,
				    .port_num = 1,
				    .grh = { .dgid = *to, .hop_limit = 1 } };
	struct ibv_sge sge = { (uintptr_t)s->buf, 8, s->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND_WITH_IMM, .imm_data = imm
	};
	union ibv_gid own;

	attr.grh.sgid_index = (uint8_t)pair_gid_index(s->qp->context, &own);
	wr.wr.ud.ah = ibv_create_ah(s->pd, &attr);
	CHECK(wr.wr.ud.ah != NULL);
	wr.wr.ud.remote_qpn = qpn;
	wr.wr.ud.remote_qkey = QKEY;
	CHECK_INT(ibv_post_send(s->qp, &wr, &bad), 0);
	CHECK_INT(pair_wait(s->cq, NULL), IBV_WC_SUCCESS);
	CHECK_INT(ibv_destroy_ah(wr.wr.ud.ah), 0);
}

/* The next datagram that comes is this one. */
static void expect_datagram(struct side *s, uint32_t imm)
{
	struct ibv_wc wc;

	CHECK_INT(pair_wait(s->cq, &wc), IBV_WC_SUCCESS);
	CHECK(wc.opcode == IBV_WC_RECV && wc.imm_data == imm);
}

/* A datagram with the number of a QP, but an address of the other device, comes to nobody; a group
 * has members on the device of the interface only. */
static void datagrams(const struct pair *p, const struct pair *q)
{
	struct side from = datagram_side(q->ctx), first = datagram_side(p->ctx),
		    second = datagram_side(q->ctx);
	const union ibv_gid gid_p = gid_of(p->ctx), gid_q = gid_of(q->ctx);
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } };

	for (unsigned i = 0; i < 2; i++) {
		CHECK_INT(pair_recv(&first, 100 + GRH, 0), 0);
		CHECK_INT(pair_recv(&second, 100 + GRH, 0), 0);
	}
	CHECK_INT(ibv_attach_mcast(first.qp, &group, 0), 0);
	CHECK_INT(ibv_attach_mcast(second.qp, &group, 0), 0);
	send_datagram(&from, &gid_q, first.qp->qp_num, 1);
	send_datagram(&from, &group, 0xffffff, 2);
	expect_datagram(&second, 2);
	send_datagram(&from, &gid_p, first.qp->qp_num, 3);
	expect_datagram(&first, 3);
	end_datagrams(&from);
	CHECK_INT(ibv_detach_mcast(first.qp, &group, 0) | ibv_detach_mcast(second.qp, &group, 0),
		  0);
	end_datagrams(&first);
	end_datagrams(&second);
}

/* ----------------------------------------------------------------- connections -- */

static struct rdma_cm_id *bound_to(struct rdma_event_channel *ch, const char *text)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_cm_id *id = NULL;

	CHECK_INT(inet_pton(AF_INET, text, &addr.sin_addr), 1);
	CHECK_INT(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_bind_addr(id, (struct sockaddr *)&addr), 0);
	return id;
}

static void expect_cm(struct rdma_event_channel *ch, const struct rdma_cm_id *id,
		      enum rdma_cm_event_type type)
{
	struct pollfd p = { .fd = ch->fd, .events = POLLIN };
	struct rdma_cm_event *e;

	CHECK_INT(poll(&p, 1, PATIENCE_MS), 1);
	CHECK_INT(rdma_get_cm_event(ch, &e), 0);
	CHECK_STR(rdma_event_str(e->event), rdma_event_str(type));
	CHECK(e->id == id);
	CHECK_INT(rdma_ack_cm_event(e), 0);
}

/* An id has the device of its address; only its ids hear of a device that fails. */
static void connections(struct pair *p, struct pair *q)
{
	struct rdma_event_channel *ch = rdma_create_event_channel();
	struct rdma_cm_id *first = bound_to(ch, "127.0.0.1"), *second = bound_to(ch, "10.0.0.1");
	struct ibv_context **list;
	int n;

	list = rdma_get_devices(&n);
	CHECK(list && n == 2 && list[0] == first->verbs && list[1] == second->verbs);
	rdma_free_devices(list);
	CHECK(first->verbs->device == p->ctx->device && second->verbs->device == q->ctx->device);
	CHECK(first->pd->context == first->verbs && second->pd->context == second->verbs);
	make_happen("event:DEVICE_FATAL:device=uroce1");
	expect(q->ctx, IBV_EVENT_DEVICE_FATAL);
	expect_cm(ch, second, RDMA_CM_EVENT_DEVICE_REMOVAL);
	CHECK(!has_event(ch->fd) && !has_event(p->ctx->async_fd));
	CHECK(!ibv_alloc_pd(q->ctx) && errno == EIO);
	pair_works(p);
	CHECK_INT(pair_post(&q->a, &q->b, IBV_WR_RDMA_WRITE, 8, 1), 0);
	CHECK_INT(pair_wait(q->a.cq, NULL), IBV_WC_WR_FLUSH_ERR);
	CHECK_INT(rdma_destroy_id(first) | rdma_destroy_id(second), 0);
	rdma_destroy_event_channel(ch);
}

/* One device has failed before librdmacm opens it: the other one serves. */
static void one_has_failed(void)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *second = ibv_open_device(list[1]), **open;
	struct rdma_event_channel *ch;
	struct rdma_cm_id *id;
	int n;

	CHECK(second != NULL);
	make_happen("event:DEVICE_FATAL:device=uroce1");
	expect(second, IBV_EVENT_DEVICE_FATAL);
	open = rdma_get_devices(&n);
	CHECK(open && n == 1 && open[0]->device == list[0] && !open[1]);
	rdma_free_devices(open);
	ch = rdma_create_event_channel();
	CHECK(ch != NULL);
	CHECK_INT(rdma_destroy_id(bound_to(ch, "127.0.0.1")), 0);
	CHECK_INT(inet_pton(AF_INET, "10.0.0.1", &addr.sin_addr), 1);
	CHECK_INT(rdma_create_id(ch, &id, NULL, RDMA_PS_TCP), 0);
	CHECK(rdma_bind_addr(id, (struct sockaddr *)&addr) == -1 && errno == ENODEV);
	CHECK_INT(rdma_resolve_addr(id, NULL, (struct sockaddr *)&addr, 1000), 0);
	expect_cm(ch, id, RDMA_CM_EVENT_ADDR_ERROR);
	CHECK_INT(rdma_destroy_id(id), 0);
	rdma_destroy_event_channel(ch);
	exit(0);
}

static void run_alone(void (*part)(void))
{
	const pid_t pid = fork();
	int status = -1;

	if (pid == 0)
		part();
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* An XRC domain of a file is one of its device alone. */
static void xrc_domains(const struct pair *p, const struct pair *q)
{
	FILE *file = tmpfile();
	struct ibv_xrcd_init_attr init = { .comp_mask = IBV_XRCD_INIT_ATTR_FD |
							IBV_XRCD_INIT_ATTR_OFLAGS,
					   .fd = file ? fileno(file) : -1,
					   .oflags = O_CREAT };
	struct ibv_xrcd *of_p = ibv_open_xrcd(p->ctx, &init), *of_q;

	CHECK(file && of_p);
	init.oflags = 0;
	CHECK(!ibv_open_xrcd(q->ctx, &init) && errno == EAGAIN);
	init.oflags = O_CREAT | O_EXCL;
	of_q = ibv_open_xrcd(q->ctx, &init);
	CHECK(of_q != NULL);
	CHECK_INT(ibv_close_xrcd(of_p) | ibv_close_xrcd(of_q), 0);
	fclose(file);
}

int main(void)
{
	struct pair p, q, c;

	run_alone(one_has_failed);
	pair_make_on(&p, 0, 0);
	pair_make_on(&q, 1, 0);
	listed(&p, &q);
	pair_works(&p);
	pair_works(&q);
	c = cross(&p, &q);
	pair_works(&c);
	go_down(&p, &q, &c);
	datagrams(&p, &q);
	xrc_domains(&p, &q);
	connections(&p, &q);
	return checks_end();
}
