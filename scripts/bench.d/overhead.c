// SPDX-License-Identifier: MIT
/*
 * The plain C side of "scripts/bench overhead": connects two QPs of this process over two
 * addresses, then posts an RDMA WRITE of 8 bytes and polls for it, n times. Prints the
 * microseconds that each took. Like rdmash: one thread, busy polling, every WR signaled.
 *
 *   overhead ADDRESS PORT N
 */
#include <arpa/inet.h>
#include <rdma/rdma_cma.h>

#include "bench.h"

/* Takes the next event, which must be this one; returns its id. */
static struct rdma_cm_id *await(struct rdma_event_channel *ch, enum rdma_cm_event_type want)
{
	struct rdma_cm_event *ev;
	struct rdma_cm_id *id;

	need(rdma_get_cm_event(ch, &ev) == 0, "rdma_get_cm_event");
	id = ev->id;
	if (ev->event != want) {
		fprintf(stderr, "got %s, wanted %s\n", rdma_event_str(ev->event),
			rdma_event_str(want));
		exit(1);
	}
	rdma_ack_cm_event(ev);
	return id;
}

static struct ibv_cq *make_qp(struct rdma_cm_id *id)
{
	struct ibv_cq *cq = ibv_create_cq(id->verbs, 64, NULL, NULL, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC, .cap = { 32, 32, 4, 4, 64 }
	};

	need(cq != NULL, "ibv_create_cq");
	need(rdma_create_qp(id, NULL, &init) == 0, "rdma_create_qp");
	return cq;
}

static double loop(struct rdma_cm_id *id, struct ibv_cq *cq, struct ibv_mr *mr, struct ibv_mr *to,
		   unsigned n)
{
	struct ibv_sge sge = { (uintptr_t)mr->addr, 8, mr->lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_RDMA_WRITE,
				  .send_flags = IBV_SEND_SIGNALED,
				  .wr.rdma = { (uintptr_t)to->addr, to->rkey } };
	struct ibv_send_wr *bad;
	double from = now();
	struct ibv_wc wc;

	for (unsigned i = 0; i < n; i++) {
		wr.wr_id = i;
		need(ibv_post_send(id->qp, &wr, &bad) == 0, "ibv_post_send");
		while (ibv_poll_cq(cq, 1, &wc) == 0)
			;
		need(wc.status == IBV_WC_SUCCESS, ibv_wc_status_str(wc.status));
	}
	return (now() - from) * 1e6 / n;
}

int main(int argc, char **argv)
{
	struct sockaddr_in addr = { .sin_family = AF_INET };
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	struct rdma_cm_id *listener, *client, *server;
	struct rdma_event_channel *ch;
	struct ibv_mr *from, *to;
	struct ibv_cq *cq;
	unsigned n;

	if (argc != 4 || inet_pton(AF_INET, argv[1], &addr.sin_addr) != 1) {
		fprintf(stderr, "usage: overhead ADDRESS PORT N\n");
		return 2;
	}
	addr.sin_port = htons((uint16_t)strtoul(argv[2], NULL, 10));
	n = (unsigned)strtoul(argv[3], NULL, 10);
	ch = rdma_create_event_channel();
	need(ch != NULL, "rdma_create_event_channel");
	need(rdma_create_id(ch, &listener, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
	need(rdma_bind_addr(listener, (struct sockaddr *)&addr) == 0, "rdma_bind_addr");
	need(rdma_listen(listener, 1) == 0, "rdma_listen");
	need(rdma_create_id(ch, &client, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
	need(rdma_resolve_addr(client, NULL, (struct sockaddr *)&addr, 2000) == 0,
	     "rdma_resolve_addr");
	await(ch, RDMA_CM_EVENT_ADDR_RESOLVED);
	need(rdma_resolve_route(client, 2000) == 0, "rdma_resolve_route");
	await(ch, RDMA_CM_EVENT_ROUTE_RESOLVED);
	cq = make_qp(client);
	need(rdma_connect(client, &param) == 0, "rdma_connect");
	server = await(ch, RDMA_CM_EVENT_CONNECT_REQUEST);
	make_qp(server);
	need(rdma_accept(server, &param) == 0, "rdma_accept");
	await(ch, RDMA_CM_EVENT_ESTABLISHED);
	await(ch, RDMA_CM_EVENT_ESTABLISHED);
	from = ibv_reg_mr(client->pd, calloc(1, 4096), 4096, IBV_ACCESS_LOCAL_WRITE);
	to = ibv_reg_mr(server->pd, calloc(1, 4096), 4096,
			IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	need(from && to, "ibv_reg_mr");
	loop(client, cq, from, to, n / 10 + 1); /* warm up */
	printf("%.3f\n", loop(client, cq, from, to, n));
	return 0;
}
