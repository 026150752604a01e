// SPDX-License-Identifier: MIT
/*
 * libFuzzer target: MADs into cm_route(), with connections to one peer in every state, and
 * an application at each. An input is a list of records: what to do, with which connection,
 * and a MAD of 256 bytes (the last may be shorter), whose ids and header are put right unless
 * the record says otherwise, for little would pass otherwise.
 */
#include <errno.h>

#include "bytes.h"
#include "rdmacm_pair.h"

#define LEAVE_HEADER 0x01
#define LEAVE_LOCAL  0x02 /* communication ids, as the sender sees them */
#define LEAVE_REMOTE 0x04
#define FROM_SELF    0x08 /* comes from an address of ours */
#define WAIT	     0x10 /* a while, before */
#define WAIT_LONG    0x20
#define ACTS	     0xc0 /* what the application does with the connection, before */

#define LEAVE_REQUEST 0x80 /* with the number of the connection: what a REQ asks for */

#define FIRST_ID  1000 /* communication ids of the peer: one for each connection */
#define FIRST_QPN 0x2000

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n);

static struct rdma_cm_id *udp;
static struct rdma_cm_id *ids[16];
static unsigned nids;

static union ibv_gid peer(void)
{
	union ibv_gid gid = rig_gid(0);

	gid.raw[15] = 99;
	return gid;
}

static void arrive(const struct mad *m)
{
	union ibv_gid src = peer(), dst = rig_gid(0);

	rig_inject_mad(&src, &dst, m);
}

static struct conn *conn_of(unsigned k)
{
	return to_cm_id(ids[k])->conn;
}

/* --------------------------------------------------------------- one in each state -- */

static struct rdma_cm_id *active(enum rdma_port_space ps)
{
	struct rdma_conn_param p = { .qp_num = FIRST_QPN };

	CHECK_INT(rdma_create_id(client, &id, NULL, ps), 0);
	resolve("10.0.0.99");
	CHECK_INT(rdma_connect(id, &p), 0);
	ids[nids++] = id;
	return id;
}

static struct rdma_cm_id *responded(void)
{
	struct rdma_cm_id *i = active(RDMA_PS_TCP);
	struct mad m = {
		.attr = MAD_REP,
		.local_id = FIRST_ID + nids - 1,
		.remote_id = conn_of(nids - 1)->local_id,
		.rep = { .qpn = FIRST_QPN + nids, .guid = 77 },
	};

	arrive(&m);
	CHECK_INT(expect(client, RDMA_CM_EVENT_CONNECT_RESPONSE), 0);
	return i;
}

static struct rdma_cm_id *established(void)
{
	struct rdma_cm_id *i = responded();

	CHECK_INT(rdma_establish(i), 0);
	return i;
}

static void disconnected(void)
{
	struct rdma_cm_id *i = established();
	struct mad m = { .attr = MAD_DREP,
			 .local_id = FIRST_ID + nids - 1,
			 .remote_id = conn_of(nids - 1)->local_id };

	CHECK_INT(rdma_disconnect(i), 0);
	arrive(&m);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
}

static void being_disconnected(void)
{
	struct mad m = { .attr = MAD_DREQ, .dreq = { .remote_qpn = FIRST_QPN } };

	established();
	m.local_id = FIRST_ID + nids - 1;
	m.remote_id = conn_of(nids - 1)->local_id;
	arrive(&m);
	CHECK_INT(expect(client, RDMA_CM_EVENT_DISCONNECTED), 0);
}

static struct rdma_cm_id *passive(enum mad_attr attr)
{
	struct mad m = { .attr = attr, .local_id = FIRST_ID + nids };
	struct mad_ip ip = { .sport = 1, .src = peer(), .dst = rig_gid(0) };
	struct rdma_cm_event *ev;

	if (attr == MAD_REQ)
		m.req = (struct mad_req){ .service = service_id(RDMA_PS_TCP, PORT),
					  .guid = 78,
					  .qpn = FIRST_QPN + nids,
					  .mtu = IBV_MTU_1024,
					  .pkey = 0xffff,
					  .sgid = ip.src,
					  .dgid = ip.dst };
	else
		m.sidr_req = (struct mad_sidr_req){ .service = service_id(RDMA_PS_UDP, PORT) };
	mad_ip_build(m.data, &ip);
	arrive(&m);
	ev = take(server, RDMA_CM_EVENT_CONNECT_REQUEST);
	ids[nids++] = ev->id;
	rdma_ack_cm_event(ev);
	return ids[nids - 1];
}

static void accept_it(struct rdma_cm_id *i)
{
	struct rdma_conn_param p = { .qp_num = FIRST_QPN };

	CHECK_INT(rdma_accept(i, &p), 0);
}

static void set_up(void)
{
	nids = 0;
	rig_now = SECOND;
	open_both(RDMA_PS_TCP, "::");
	rdma_destroy_id(id);
	CHECK_INT(rdma_create_id(server, &udp, NULL, RDMA_PS_UDP), 0);
	CHECK_INT(rdma_bind_addr(udp, address("0.0.0.0", PORT)), 0);
	CHECK_INT(rdma_listen(udp, 2), 0);
	active(RDMA_PS_TCP);
	responded();
	established();
	rdma_disconnect(established());
	disconnected();
	being_disconnected();
	active(RDMA_PS_UDP);
	passive(MAD_REQ);
	accept_it(passive(MAD_REQ));
	rdma_reject(passive(MAD_REQ), NULL, 0);
	passive(MAD_SIDR_REQ);
	accept_it(passive(MAD_SIDR_REQ));
}

/* --------------------------------------------------------------------- what comes -- */

/* Takes what there is; ids that nobody asked for go at once. */
static void drain(struct rdma_event_channel *ch)
{
	struct rdma_cm_event *ev;
	struct rdma_cm_id *unwanted;

	while (!idle(ch)) {
		CHECK_INT(rdma_get_cm_event(ch, &ev), 0);
		unwanted = ev->event == RDMA_CM_EVENT_CONNECT_REQUEST ? ev->id : NULL;
		if (unwanted)
			CHECK(ev->param.conn.private_data_len == 56 ||
			      ev->param.ud.private_data_len == 180);
		CHECK_INT(rdma_ack_cm_event(ev), 0);
		if (unwanted)
			rdma_destroy_id(unwanted);
	}
}

static void act(unsigned what, struct rdma_cm_id *i)
{
	struct rdma_conn_param p = { .qp_num = FIRST_QPN };

	switch (what) {
	case 0x40:
		rdma_establish(i);
		rdma_accept(i, &p);
		break;
	case 0x80:
		rdma_disconnect(i);
		break;
	case 0xc0:
		rdma_reject(i, "no", 2);
		rdma_notify(i, IBV_EVENT_COMM_EST);
		break;
	default:
		break;
	}
}

static void put_ids(uint8_t *buf, unsigned how, unsigned k)
{
	unsigned attr = get_be16(buf + 16);
	uint8_t *local = buf + 24, *remote = buf + 28;

	if (attr == MAD_SIDR_REP)
		remote = local;
	else if (!(how & LEAVE_LOCAL))
		put_be32(local, FIRST_ID + k);
	if (attr != MAD_REQ && attr != MAD_SIDR_REQ && !(how & LEAVE_REMOTE) && conn_of(k))
		put_be32(remote, conn_of(k)->local_id);
}

/* A request that could be met, of the peer that has the connections. */
static void put_request(uint8_t *body, unsigned attr, const struct mad_from *from)
{
	struct mad_ip ip = { .sport = 1, .src = from->src, .dst = from->dst };
	bool req = attr == MAD_REQ;

	put_be64(body + 8, service_id(req ? RDMA_PS_TCP : RDMA_PS_UDP, PORT));
	mad_ip_build(body + (req ? 140 : 16), &ip);
	if (!req)
		return;
	put_be64(body + 16, body[16] & 1 ? 77 : 78);
	body[50] = IBV_MTU_1024 << 4 | (body[50] & 0x0f);
	put_be16(body + 48, 0xffff);
	memcpy(body + 56, &from->src, 16);
	memcpy(body + 72, &from->dst, 16);
}

static void record(unsigned how, unsigned k, const uint8_t *bytes, size_t n)
{
	static const uint8_t head[] = { 1, 7, 2, 3 };
	struct mad_from from = { .src = peer(), .dst = rig_gid(0), .src_qpn = 1 };
	uint8_t buf[MAD_BYTES] = { 0 };
	bool leave = k & LEAVE_REQUEST;
	unsigned attr;

	k = (k & ~LEAVE_REQUEST) % nids;
	memcpy(buf, bytes, n);
	if (how & FROM_SELF)
		from.src = rig_gid(1);
	if (!(how & LEAVE_HEADER)) {
		memcpy(buf, head, sizeof(head));
		put_be16(buf + 16, (uint16_t)(MAD_REQ + buf[17] % (MAD_END - MAD_REQ)));
		put_ids(buf, how, k);
		attr = get_be16(buf + 16);
		if (!leave && (attr == MAD_REQ || attr == MAD_SIDR_REQ))
			put_request(buf + 24, attr, &from);
	}
	if (how & WAIT)
		rig_run(SECOND / 5);
	if (how & WAIT_LONG)
		rig_run(70 * SECOND);
	act(how & ACTS, ids[k]);
	engine_lock();
	cm_route(&from, buf, how & LEAVE_HEADER ? n : MAD_BYTES);
	engine_flush();
	engine_unlock();
	rig_run(SECOND / 100);
	drain(server);
	drain(client);
}

static void tear_down(void)
{
	for (unsigned k = 0; k < nids; k++)
		rdma_destroy_id(ids[k]);
	rdma_destroy_id(udp);
	CHECK_INT(rdma_create_id(client, &id, NULL, RDMA_PS_TCP), 0);
	close_both();
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t n)
{
	set_up();
	while (n > 2) {
		size_t part = n - 2 < MAD_BYTES ? n - 2 : MAD_BYTES;

		record(input[0], input[1], input + 2, part);
		input += 2 + part;
		n -= 2 + part;
	}
	tear_down();
	return 0;
}
