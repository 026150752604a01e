/* SPDX-License-Identifier: MIT */
#include "record_rig.h"

struct ibv_context context;
struct ibv_cq cqs[2] = { { .context = &context }, { .context = &context } };
struct ibv_qp qp = { .context = &context };
int found;

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	for (int i = 0; i < found && i < n; i++)
		wc[i] = (struct ibv_wc){ .wr_id = (uint64_t)i + (cq == &cqs[1] ? 100 : 1),
					 .qp_num = 17 };
	return found;
}

static int fake_send(struct ibv_qp *q, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)q;
	for (; wr; wr = wr->next)
		if (wr->num_sge > 1) {
			*bad = wr;
			return ENOMEM;
		}
	return 0;
}

void rig_begin(void)
{
	context.ops.poll_cq = fake_poll;
	context.ops.post_send = fake_send;
}

struct record_list *all(void)
{
	return record_list(~0u, 0);
}

struct record *only(struct record_list *l)
{
	CHECK_INT(l->n, 1);
	return &l->v[0];
}
