// SPDX-License-Identifier: MIT
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#include "stress.h"

#define HEAR_MS 60000

/* ------------------------------------------------------------------------ control -- */

void say(const struct end *e, const struct message *m)
{
	if (send(e->control, m, sizeof(*m), MSG_NOSIGNAL) != sizeof(*m))
		die("the other end is gone: %s", strerror(errno));
}

void hear(const struct end *e, struct message *m)
{
	struct pollfd p = { e->control, POLLIN, 0 };

	if (poll(&p, 1, HEAR_MS) != 1)
		die("the other end has said nothing for %d s", HEAR_MS / 1000);
	if (recv(e->control, m, sizeof(*m), MSG_WAITALL) != sizeof(*m))
		die("the other end is gone");
}

void meet(const struct end *e, struct message *m)
{
	enum say what = m->say;

	say(e, m);
	hear(e, m);
	if (m->say != what)
		die("the other end says %u, not %u", m->say, what);
}

/* ----------------------------------------------------------------------- objects -- */

static void *need(void *object, const char *what)
{
	if (!object)
		die("%s: %s", what, strerror(errno));
	return object;
}

static void must(int error, const char *what)
{
	if (error)
		die("%s: %s", what, strerror(error));
}

static void *pages(size_t n)
{
	void *p = NULL;

	must(posix_memalign(&p, 4096, n), "memory");
	memset(p, FILLER, n);
	return p;
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = need(ibv_get_device_list(NULL), "ibv_get_device_list");
	struct ibv_context *ctx;
	unsigned i = 0;

	while (list[i] && name && strcmp(name, ibv_get_device_name(list[i])) != 0)
		i++;
	if (!list[i])
		die("no RDMA device %s", name ? name : "here");
	ctx = need(ibv_open_device(list[i]), "ibv_open_device");
	ibv_free_device_list(list);
	return ctx;
}

/* The first of IPv4, or the one that was asked for. */
static void find_gid(struct end *e)
{
	static const uint8_t ipv4[12] = { [10] = 0xff, [11] = 0xff };
	struct ibv_port_attr port;

	must(ibv_query_port(e->ctx, 1, &port), "ibv_query_port");
	for (int i = e->gid_index < 0 ? 0 : e->gid_index; i < port.gid_tbl_len; i++) {
		struct ibv_gid_entry entry;

		if (ibv_query_gid_ex(e->ctx, 1, (uint32_t)i, &entry, 0) != 0 ||
		    entry.gid_type != IBV_GID_TYPE_ROCE_V2 ||
		    (e->gid_index < 0 && memcmp(entry.gid.raw, ipv4, sizeof(ipv4)) != 0))
			continue;
		e->gid = entry.gid;
		e->gid_index = i;
		return;
	}
	die("no GID of RoCEv2 and IPv4");
}

static void open_lane(struct end *e, struct lane *l, unsigned qp)
{
	l->open = pages(sizeof(*l->open));
	l->own = pages(sizeof(*l->own));
	memcpy(l->open->source, content_bytes(source_content(&e->s, e->me, qp), AREA_BYTES),
	       AREA_BYTES);
	l->open_mr = need(ibv_reg_mr(e->pd, l->open, sizeof(*l->open),
				     IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
					     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC |
					     IBV_ACCESS_MW_BIND),
			  "ibv_reg_mr");
	l->own_mr = need(ibv_reg_mr(e->pd, l->own, sizeof(*l->own), IBV_ACCESS_LOCAL_WRITE),
			 "ibv_reg_mr");
}

void end_open(struct end *e, const char *device)
{
	struct message m = { .say = SAY_HELLO, .s = e->s };
	int depth;

	e->ctx = open_device(device);
	find_gid(e);
	e->pd = need(ibv_alloc_pd(e->ctx), "ibv_alloc_pd");
	e->shared = pages(4096);
	e->shared_mr = need(ibv_reg_mr(e->pd, e->shared, 4096,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC),
			    "ibv_reg_mr");
	m.gid = e->gid;
	m.shared = (uintptr_t)e->shared;
	m.shared_rkey = e->shared_mr->rkey;
	meet(e, &m);
	if (e->me)
		e->s = m.s;
	e->peer_gid = m.gid;
	e->peer_shared = m.shared;
	e->peer_shared_rkey = m.shared_rkey;

	depth = (int)e->s.qps * (SEND_DEPTH + RECV_DEPTH + 1);
	e->channel = need(ibv_create_comp_channel(e->ctx), "ibv_create_comp_channel");
	e->cq = need(ibv_create_cq(e->ctx, depth, NULL, e->channel, 0), "ibv_create_cq");
	e->lane = need(calloc(e->s.qps, sizeof(*e->lane)), "memory");
	for (unsigned q = 0; q < e->s.qps; q++)
		open_lane(e, &e->lane[q], q);
}

struct lane *end_lane(const struct end *e, uint32_t qpn)
{
	for (unsigned q = 0; q < e->s.qps; q++)
		if (e->lane[q].qp && e->lane[q].qp->qp_num == qpn)
			return &e->lane[q];
	die("a completion of QP 0x%x, which is none of ours", qpn);
}

/* -------------------------------------------------------------------- connection -- */

static void create_qp(const struct end *e, struct lane *l)
{
	struct ibv_qp_init_attr init = {
		.send_cq = e->cq,
		.recv_cq = e->cq,
		.cap = { .max_send_wr = SEND_DEPTH,
			 .max_recv_wr = RECV_DEPTH,
			 .max_send_sge = SGES,
			 .max_recv_sge = SGES,
			 .max_inline_data = INLINE_MAX },
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_INIT,
		.port_num = 1,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
				   IBV_ACCESS_REMOTE_ATOMIC,
	};

	l->qp = need(ibv_create_qp(e->pd, &init), "ibv_create_qp");
	must(ibv_modify_qp(l->qp, &attr,
			   IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
	     "INIT");
	if (getrandom(&l->psn, sizeof(l->psn), 0) != sizeof(l->psn))
		die("getrandom: %s", strerror(errno));
	l->psn &= 0xffffff;
	l->window = 0;
	if (e->s.kinds & 1u << SEND_INV)
		l->mw = need(ibv_alloc_mw(e->pd, IBV_MW_TYPE_2), "ibv_alloc_mw");
}

static void connect_qp(const struct end *e, struct lane *l, uint32_t qpn, uint32_t psn)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = (enum ibv_mtu)e->s.mtu,
		.dest_qp_num = qpn,
		.rq_psn = psn,
		.max_dest_rd_atomic = 4,
		.min_rnr_timer = 1, /* 10 us */
		.ah_attr = { .is_global = 1,
			     .port_num = 1,
			     .grh = { .dgid = e->peer_gid,
				      .sgid_index = (uint8_t)e->gid_index,
				      .hop_limit = 64 } },
	};

	must(ibv_modify_qp(l->qp, &attr,
			   IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
				   IBV_QP_RQ_PSN | IBV_QP_MAX_DEST_RD_ATOMIC |
				   IBV_QP_MIN_RNR_TIMER),
	     "RTR");
	attr = (struct ibv_qp_attr){
		.qp_state = IBV_QPS_RTS,
		.sq_psn = l->psn,
		.timeout = (uint8_t)e->s.timeout,
		.retry_cnt = (uint8_t)e->s.retries,
		.rnr_retry = 7,
		.max_rd_atomic = 4,
	};
	must(ibv_modify_qp(l->qp, &attr,
			   IBV_QP_STATE | IBV_QP_SQ_PSN | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT |
				   IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC),
	     "RTS");
}

/* Before the peer sends anything: nothing else completes. */
static void bind_window(const struct end *e, struct lane *l)
{
	struct ibv_send_wr wr = {
		.opcode = IBV_WR_BIND_MW,
		.send_flags = IBV_SEND_SIGNALED,
		.bind_mw = { .mw = l->mw,
			     .rkey = ibv_inc_rkey(l->mw->rkey),
			     .bind_info = { .mr = l->open_mr,
					    .addr = (uintptr_t)l->open->target,
					    .length = AREA_BYTES,
					    .mw_access_flags = IBV_ACCESS_REMOTE_WRITE } },
	};
	struct ibv_send_wr *bad;
	struct ibv_wc wc;
	int n;

	must(ibv_post_send(l->qp, &wr, &bad), "bind");
	while ((n = ibv_poll_cq(e->cq, 1, &wc)) == 0)
		;
	if (n < 0 || wc.status != IBV_WC_SUCCESS || wc.opcode != IBV_WC_BIND_MW)
		die("bind: %s", n < 0 ? "ibv_poll_cq" : ibv_wc_status_str(wc.status));
	l->mw->rkey = l->window = wr.bind_mw.rkey;
}

void end_connect(struct end *e)
{
	struct message m = { .say = SAY_READY };
	bool fresh[QPS_MAX] = { false };

	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		fresh[q] = !l->qp;
		if (fresh[q])
			create_qp(e, l);
		m.lane[q].qpn = l->qp->qp_num;
		m.lane[q].psn = l->psn;
	}
	meet(e, &m);
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		if (fresh[q])
			connect_qp(e, l, m.lane[q].qpn, m.lane[q].psn);
		if (l->mw && !l->window)
			bind_window(e, l);
		m.lane[q].open = (uintptr_t)l->open;
		m.lane[q].rkey = l->open_mr->rkey;
		m.lane[q].window = l->window;
	}
	m.say = SAY_GO;
	meet(e, &m);
	for (unsigned q = 0; q < e->s.qps; q++) {
		e->lane[q].peer_open = m.lane[q].open;
		e->lane[q].peer_rkey = m.lane[q].rkey;
		e->lane[q].peer_window = m.lane[q].window;
	}
}

/* In this mode there are others than COMM_EST when QPs fail. */
static void check_events(const struct end *e)
{
	struct ibv_async_event event;
	struct pollfd p = { e->ctx->async_fd, POLLIN, 0 };

	while (poll(&p, 1, 0) == 1 && ibv_get_async_event(e->ctx, &event) == 0) {
		if (!e->s.may_fail && event.event_type != IBV_EVENT_COMM_EST)
			die("event: %s", ibv_event_type_str(event.event_type));
		ibv_ack_async_event(&event);
	}
}

void end_close(struct end *e)
{
	check_events(e);
	for (unsigned q = 0; q < e->s.qps; q++) {
		struct lane *l = &e->lane[q];

		if (l->qp)
			must(ibv_destroy_qp(l->qp), "ibv_destroy_qp");
		if (l->mw)
			must(ibv_dealloc_mw(l->mw), "ibv_dealloc_mw");
		must(ibv_dereg_mr(l->open_mr), "ibv_dereg_mr");
		must(ibv_dereg_mr(l->own_mr), "ibv_dereg_mr");
		free(l->open);
		free(l->own);
	}
	free(e->lane);
	must(ibv_destroy_cq(e->cq), "ibv_destroy_cq");
	must(ibv_destroy_comp_channel(e->channel), "ibv_destroy_comp_channel");
	must(ibv_dereg_mr(e->shared_mr), "ibv_dereg_mr");
	free(e->shared);
	must(ibv_dealloc_pd(e->pd), "ibv_dealloc_pd");
	must(ibv_close_device(e->ctx), "ibv_close_device");
}
