/* SPDX-License-Identifier: MIT */
#include "transport_pair.h"

_Alignas(8) uint8_t here[BYTES];
_Alignas(8) uint8_t there[BYTES];
uint32_t here_key, there_key;
struct rig_options o;
struct qp *a, *b;
uint32_t lose_psn;
unsigned lose_times;

void register_there(void)
{
	there_key = rig_reg(rig_pd, there, BYTES,
			    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
				    IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC);
}

void open_memory(void)
{
	here_key = rig_reg(rig_pd, here, BYTES, IBV_ACCESS_LOCAL_WRITE);
	register_there();
	o = rig_defaults;
}

void open_pair(void)
{
	memset(counters, 0, sizeof(counters));
	rig_wire = (struct rig_wire){ .delay = 5000 };
	a = rig_qp(&o);
	b = rig_qp(&o);
	rig_connect(a, b, &o);
	rig_clear();
}

void close_pair(void)
{
	rig_free(a);
	rig_free(b);
	rig_clear();
	while (rig_event().type >= 0)
		;
	o = rig_defaults;
}

struct rig_wr data(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	return (struct rig_wr){ .wr_id = id,
				.opcode = opcode,
				.nsge = 1,
				.sge = { { (uintptr_t)here, len, here_key } },
				.remote = (uintptr_t)there,
				.rkey = there_key };
}

void post(enum ibv_wr_opcode opcode, uint64_t id, uint32_t len)
{
	struct rig_wr wr = data(opcode, id, len);

	rig_post(a, &wr);
}

void expect(struct cq *cq, uint64_t id, enum ibv_wc_status status)
{
	struct ibv_wc wc;

	CHECK(rig_poll(cq, &wc));
	CHECK_INT(wc.wr_id, id);
	CHECK_INT(wc.status, status);
}

void expect_none(struct cq *cq)
{
	struct ibv_wc wc;

	CHECK(!rig_poll(cq, &wc));
}

bool lose_all(const struct packet *p)
{
	(void)p;
	return true;
}

static bool lose(const struct packet *p)
{
	if (p->psn != lose_psn || !lose_times)
		return false;
	lose_times--;
	return true;
}

bool lose_request(const struct packet *p)
{
	return p->op->flags & WIRE_REQUEST && lose(p);
}

bool lose_response(const struct packet *p)
{
	return !(p->op->flags & WIRE_REQUEST) && lose(p);
}

unsigned sent_psn(uint32_t psn)
{
	unsigned n = 0;

	for (unsigned i = 0; i < rig_logged; i++)
		n += rig_log[i].op->flags & WIRE_REQUEST && rig_log[i].psn == psn;
	return n;
}
