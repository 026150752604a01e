// SPDX-License-Identifier: MIT
/*
 * buffers ADDRESS CASE
 *
 * Programs that use a buffer too early, or not: each ends without an error on most devices.
 */
#include "pair.h"

#define BIG 32768

/* ------------------------------------------------------------------- send buffers -- */

static void change(size_t at)
{
	r.memory[at]++;
}

/* One message, and what becomes of its buffer before its completion was polled. */
static void send_one(void)
{
	const size_t len = is("big_changed") || is("big_end_changed") || is("big_kept") ? BIG / 2
											: 64;

	join(&r, a, b);
	receive_at(b, MEMORY / 2, BIG);
	if (is("changed_before_post"))
		change(0);
	post(is("write_changed") || is("write_kept") ? IBV_WR_RDMA_WRITE
	     : is("write_imm_changed")		     ? IBV_WR_RDMA_WRITE_WITH_IMM
						     : IBV_WR_SEND,
	     0, len, IBV_SEND_SIGNALED | (is("inline_changed") ? IBV_SEND_INLINE : 0));
	if (is("send_changed") || is("write_changed") || is("write_imm_changed") ||
	    is("big_changed") || is("inline_changed"))
		change(0);
	if (is("send_end_changed") || is("big_end_changed"))
		change(len - 1);
	if (is("neighbours_changed"))
		change(len);
	await_success(r.cq);
	if (is("changed_after"))
		change(0);
}

/* Of two requests the second is signaled: its completion is that of both. */
static void send_two(void)
{
	join(&r, a, b);
	post(IBV_WR_RDMA_WRITE, 0, 64, 0);
	if (is("unsignaled_changed"))
		change(0);
	post(IBV_WR_RDMA_WRITE, 64, 64, IBV_SEND_SIGNALED);
	if (is("second_changed"))
		change(64);
	await_success(r.cq);
	if (is("unsignaled_kept"))
		change(0);
}

/* A ring of buffers, each of which is used again when its completion has come. */
static void send_ring(void)
{
	unsigned done = 0;

	join(&r, a, b);
	for (unsigned i = 0; i < 40; i++) {
		if (i - done == (is("ring_too_early") ? 5 : 4)) {
			await_success(r.cq);
			done++;
		}
		memset(r.memory + i % 4 * 64, (int)i, 64);
		check("ibv_post_send",
		      post_from(a, IBV_WR_RDMA_WRITE, i, i % 4 * 64, 64, IBV_SEND_SIGNALED));
	}
	for (; done < 40; done++)
		await_success(r.cq);
}

static void send_sges(void)
{
	struct ibv_sge sge[2] = { { (uintptr_t)r.memory, 64, r.lkey },
				  { (uintptr_t)r.memory + 128, 64, r.lkey } };
	struct ibv_send_wr wr = { .sg_list = sge,
				  .num_sge = 2,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	join(&r, a, b);
	receive_at(b, MEMORY / 2, 1024);
	check("ibv_post_send", ibv_post_send(a, &wr, &bad));
	change(is("second_sge_changed") ? 130 : 70);
	await_success(r.cq);
}

/* A list of requests in one call. */
static void send_list(void)
{
	struct ibv_sge sge[3];
	struct ibv_send_wr wr[3], *bad;

	join(&r, a, b);
	memset(wr, 0, sizeof wr);
	for (int i = 0; i < 3; i++) {
		sge[i] = (struct ibv_sge){ (uintptr_t)r.memory + 64 * i, 64, r.lkey };
		wr[i].wr_id = i;
		wr[i].next = i < 2 ? &wr[i + 1] : NULL;
		wr[i].sg_list = &sge[i];
		wr[i].num_sge = 1;
		wr[i].opcode = IBV_WR_RDMA_WRITE;
		wr[i].send_flags = i == 2 ? IBV_SEND_SIGNALED : 0;
		wr[i].wr.rdma.remote_addr = (uintptr_t)r.memory + MEMORY / 2;
		wr[i].wr.rdma.rkey = r.mr->rkey;
	}
	check("ibv_post_send", ibv_post_send(a, wr, &bad));
	if (is("list_changed"))
		change(70);
	await_success(r.cq);
}

/* Memory that the device fills in. */
static void fetch(void)
{
	join(&r, a, b);
	memset(r.memory + MEMORY / 2, 'o', 64);
	post(is("read_into") ? IBV_WR_RDMA_READ : IBV_WR_ATOMIC_FETCH_AND_ADD, 0, 8,
	     IBV_SEND_SIGNALED);
	await_success(r.cq);
}

/* Both QPs send the same bytes, which nobody changes. */
static void send_shared(void)
{
	join(&r, a, b);
	receive_at(a, MEMORY / 2, 64);
	receive_at(b, MEMORY / 2 + 64, 64);
	check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 0, 64, IBV_SEND_SIGNALED));
	check("ibv_post_send", post_from(b, IBV_WR_SEND, 1, 0, 64, IBV_SEND_SIGNALED));
	await_success(r.cq);
	await_success(other_cq);
	await_success(r.cq);
	await_success(other_cq);
}

/* The two directions have one buffer, as in the examples of libibverbs: what arrives is written
 * where the last message was sent from. */
static void bounce(void)
{
	join(&r, a, b);
	for (int i = 0; i < 4; i++) {
		receive_at(a, 0, 64);
		receive_at(b, 1024, 64);
		check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 0, 64, IBV_SEND_SIGNALED));
		await_success(other_cq);
		r.memory[1024]++;
		check("ibv_post_send", post_from(b, IBV_WR_SEND, 1, 1024, 64, IBV_SEND_SIGNALED));
		await_success(r.cq);
		await_success(r.cq);
		await_success(other_cq);
	}
}

/* b sends back what it has got from where it has got it, and gives the place to the next receive.
 */
static void echo(void)
{
	join(&r, a, b);
	receive_at(a, 8192, 64);
	receive_at(b, 4096, 64);
	check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 0, 64, IBV_SEND_SIGNALED));
	await_success(other_cq);
	check("ibv_post_send", post_from(b, IBV_WR_SEND, 1, 4096, 64, IBV_SEND_SIGNALED));
	if (is("echo_sent"))
		await_success(other_cq);
	receive_at(b, 4096, 64);
	memset(r.memory + 2048, 'n', 64);
	check("ibv_post_send", post_from(a, IBV_WR_SEND, 1, 2048, 64, IBV_SEND_SIGNALED));
	for (int i = 0; i < 3; i++) /* its sends and the echo */
		await_success(r.cq);
	await_success(other_cq);
	if (!is("echo_sent"))
		await_success(other_cq);
}

/* The answer tells that the first datagram came, which had no completion. */
static void answer_datagram(struct ibv_qp *from, struct ibv_qp *to, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	await_success(other_cq);
	wr->wr.ud.remote_qpn = from->qp_num;
	wr->send_flags = IBV_SEND_SIGNALED;
	wr->sg_list->addr += 128;
	check("ibv_post_send", ibv_post_send(to, wr, &bad));
	await_success(other_cq);
	await_success(r.cq);
	change(0);
	receive_at(to, MEMORY / 2, 40 + 64);
	wr->wr.ud.remote_qpn = to->qp_num;
	check("ibv_post_send", ibv_post_send(from, wr, &bad));
}

static void send_datagram(void)
{
	struct ibv_qp *from = make_wide_qp(IBV_QPT_UD, r.cq, NULL, 0),
		      *to = make_wide_qp(IBV_QPT_UD, other_cq, NULL, 0);
	struct ibv_ah_attr path = {
		.is_global = 1,
		.port_num = 1,
		.grh = { .dgid = r.gid, .sgid_index = r.gid_index, .hop_limit = 64 },
	};
	struct ibv_ah *ah = ibv_create_ah(r.pd, &path);
	struct ibv_sge sge = { (uintptr_t)r.memory, is("grh_no_room") ? 0 : 64, r.lkey };
	struct ibv_send_wr wr = { .sg_list = &sge,
				  .num_sge = 1,
				  .opcode = IBV_WR_SEND,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;

	check("ibv_create_ah", ah ? 0 : errno);
	to_datagrams(from);
	to_datagrams(to);
	receive_at(to, MEMORY / 2, is("grh_no_room") ? 32 : is("grh_short") ? 64 : 40 + 64);
	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = to->qp_num;
	wr.wr.ud.remote_qkey = 5;
	if (is("ud_answered")) {
		wr.send_flags = 0;
		receive_at(from, MEMORY / 2 + 1024, 40 + 64);
	}
	check("ibv_post_send", ibv_post_send(from, &wr, &bad));
	if (is("ud_changed"))
		change(0);
	if (is("ud_answered"))
		answer_datagram(from, to, &wr);
	await_success(r.cq);
	if (is("ud_kept") || is("ud_changed"))
		await_success(other_cq);
	check("ibv_destroy_qp", ibv_destroy_qp(from) | ibv_destroy_qp(to));
	check("ibv_destroy_ah", ibv_destroy_ah(ah));
}

/* Two regions of the same memory, the requests of one of them. */
static void change_reset(void)
{
	join(&r, a, b);
	post(IBV_WR_RDMA_WRITE, 0, 64, 0);
	move_to(a, IBV_QPS_RESET);
	move_to(b, IBV_QPS_RESET);
	change(0);
	join(&r, a, b);
	post(IBV_WR_RDMA_WRITE, 0, 64, IBV_SEND_SIGNALED);
	await_success(r.cq);
}

/* --------------------------------------------------- READ, and then a use of its bytes -- */

static void read_then(void)
{
	const unsigned flags = IBV_SEND_SIGNALED;

	join(&r, a, b);
	receive_at(b, MEMORY / 2 + 4096, 1024);
	post(is("atomic_then_send") ? IBV_WR_ATOMIC_FETCH_AND_ADD : IBV_WR_RDMA_READ, 0,
	     is("atomic_then_send") ? 8 : 64, flags);
	if (is("read_wait_send"))
		await_success(r.cq);
	post(is("read_then_write") ? IBV_WR_RDMA_WRITE : IBV_WR_SEND,
	     is("read_then_other") ? 64 : 0, 8,
	     flags | (is("read_then_fenced") ? IBV_SEND_FENCE : 0));
	if (!is("read_wait_send"))
		await_success(r.cq);
	await_success(r.cq);
}

/* --------------------------------------------------------------------- regions -- */

static void deregister(void)
{
	struct ibv_mr *mr = register_part(4096, 4096), *other = register_part(4096, 4096);
	const uint32_t lkey = r.lkey;
	struct ibv_wc wc;

	join(&r, a, b);
	r.lkey = mr->lkey;
	if (is("dereg_send_posted") || is("dereg_send_done"))
		post(IBV_WR_RDMA_WRITE, 4096, 64, IBV_SEND_SIGNALED);
	else if (is("dereg_unsignaled") || is("dereg_unsignaled_done"))
		post(IBV_WR_RDMA_WRITE, 4096, 64, 0);
	else if (is("dereg_read"))
		post(IBV_WR_RDMA_READ, 4096, 64, IBV_SEND_SIGNALED);
	else if (is("dereg_inline"))
		post(IBV_WR_RDMA_WRITE, 4096, 32, IBV_SEND_SIGNALED | IBV_SEND_INLINE);
	else
		receive_at(b, 4096, 64);
	r.lkey = lkey;
	if (is("dereg_unsignaled_done"))
		post(IBV_WR_RDMA_WRITE, 0, 64, IBV_SEND_SIGNALED);
	if (is("dereg_send_done") || is("dereg_unsignaled_done"))
		await_success(r.cq);
	if (is("dereg_after_err") || is("dereg_in_err"))
		move_to(b, IBV_QPS_ERR);
	if (is("dereg_after_err"))
		await_within(other_cq, &wc, 2000);
	if (is("dereg_after_reset"))
		move_to(b, IBV_QPS_RESET);
	if (is("dereg_after_destroy")) {
		check("ibv_destroy_qp", ibv_destroy_qp(b));
		b = NULL;
	}
	if (is("dereg_other")) {
		check("ibv_dereg_mr", ibv_dereg_mr(other));
		other = NULL;
		post(IBV_WR_SEND, 0, 64, IBV_SEND_SIGNALED);
		await_success(r.cq);
		await_success(other_cq);
	}
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	if (other)
		check("ibv_dereg_mr", ibv_dereg_mr(other));
	if (is("dereg_send_posted") || is("dereg_inline") || is("dereg_read"))
		await_within(r.cq, &wc, 2000);
}

/* An extended CQ whose program does not ask which of two requests of one id has completed. */
static void deregister_same_id(void)
{
	struct ibv_cq_init_attr_ex init = { .cqe = 16 };
	struct ibv_cq_ex *cq = ibv_create_cq_ex(r.context, &init);
	struct ibv_mr *mr = register_part(4096, 4096);
	const uint32_t lkey = r.lkey;
	struct ibv_poll_cq_attr none = { 0 };
	struct ibv_qp *qp;

	check("ibv_create_cq_ex", cq ? 0 : errno);
	qp = make_wide_qp(IBV_QPT_RC, ibv_cq_ex_to_cq(cq), NULL, 0);
	join(&r, qp, b);
	check("ibv_post_recv", post_receive(&r, qp, 1, 64));
	r.lkey = mr->lkey;
	check("ibv_post_send", post_from(qp, IBV_WR_RDMA_WRITE, 1, 4096, 64, IBV_SEND_SIGNALED));
	r.lkey = lkey;
	while (ibv_start_poll(cq, &none))
		usleep(100);
	ibv_end_poll(cq);
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_destroy_cq", ibv_destroy_cq(ibv_cq_ex_to_cq(cq)));
}

static void deregister_srq(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 4, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r.pd, &init);
	struct ibv_mr *mr = register_part(4096, 4096);
	struct ibv_sge sge = { (uintptr_t)r.memory + 4096, 64, mr->lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;
	struct ibv_qp *qp;

	check("ibv_create_srq", srq ? 0 : errno);
	qp = make_wide_qp(IBV_QPT_RC, other_cq, srq, 0);
	join(&r, a, qp);
	check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	if (is("dereg_srq_unused"))
		check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_dereg_mr", ibv_dereg_mr(mr));
	if (is("dereg_srq"))
		check("ibv_destroy_qp", ibv_destroy_qp(qp));
	check("ibv_destroy_srq", ibv_destroy_srq(srq));
}

/* A queue pair of datagrams has its receives in an SRQ, which one of messages may share. */
static void share_receives(void)
{
	struct ibv_srq_init_attr init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_srq *srq = ibv_create_srq(r.pd, &init);
	struct ibv_qp *datagrams = make_wide_qp(IBV_QPT_UD, other_cq, srq, 0), *messages = NULL;
	struct ibv_sge sge = { (uintptr_t)r.memory, is("srq_grh_room") ? 40 + 32 : 32, r.lkey };
	struct ibv_recv_wr wr = { .sg_list = &sge, .num_sge = 1 }, *bad;

	if (is("srq_no_datagrams")) {
		check("ibv_destroy_qp", ibv_destroy_qp(datagrams));
		datagrams = NULL;
	}
	if (is("srq_no_datagrams") || is("srq_grh_may"))
		messages = make_wide_qp(IBV_QPT_RC, other_cq, srq, 0);
	check("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
	if (datagrams)
		check("ibv_destroy_qp", ibv_destroy_qp(datagrams));
	if (messages)
		check("ibv_destroy_qp", ibv_destroy_qp(messages));
	check("ibv_destroy_srq", ibv_destroy_srq(srq));
}

static const struct named_case cases[] = {
	{ "send_changed", send_one },
	{ "send_end_changed", send_one },
	{ "send_kept", send_one },
	{ "neighbours_changed", send_one },
	{ "changed_after", send_one },
	{ "changed_before_post", send_one },
	{ "inline_changed", send_one },
	{ "write_changed", send_one },
	{ "write_kept", send_one },
	{ "write_imm_changed", send_one },
	{ "big_changed", send_one },
	{ "big_end_changed", send_one },
	{ "big_kept", send_one },
	{ "unsignaled_changed", send_two },
	{ "unsignaled_kept", send_two },
	{ "second_changed", send_two },
	{ "ring", send_ring },
	{ "ring_too_early", send_ring },
	{ "second_sge_changed", send_sges },
	{ "between_sges_changed", send_sges },
	{ "list_changed", send_list },
	{ "list_kept", send_list },
	{ "read_into", fetch },
	{ "atomic_into", fetch },
	{ "shared_send", send_shared },
	{ "bounce", bounce },
	{ "ud_changed", send_datagram },
	{ "ud_kept", send_datagram },
	{ "ud_answered", send_datagram },
	{ "grh_no_room", send_datagram },
	{ "echo_overwritten", echo },
	{ "echo_sent", echo },
	{ "srq_grh_no_room", share_receives },
	{ "srq_grh_may", share_receives },
	{ "srq_grh_room", share_receives },
	{ "srq_no_datagrams", share_receives },
	{ "change_reset", change_reset },
	{ "read_then_send", read_then },
	{ "read_then_write", read_then },
	{ "atomic_then_send", read_then },
	{ "read_then_fenced", read_then },
	{ "read_then_other", read_then },
	{ "read_wait_send", read_then },
	{ "dereg_recv_posted", deregister },
	{ "dereg_send_posted", deregister },
	{ "dereg_send_done", deregister },
	{ "dereg_unsignaled", deregister },
	{ "dereg_unsignaled_done", deregister },
	{ "dereg_read", deregister },
	{ "dereg_inline", deregister },
	{ "dereg_after_err", deregister },
	{ "dereg_in_err", deregister },
	{ "dereg_after_reset", deregister },
	{ "dereg_after_destroy", deregister },
	{ "dereg_other", deregister },
	{ "dereg_same_id", deregister_same_id },
	{ "dereg_srq", deregister_srq },
	{ "dereg_srq_unused", deregister_srq },
};

MAIN(cases)
