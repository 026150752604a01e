/* SPDX-License-Identifier: MIT */
/*
 * The table of transitions against a device: for every (type, from, to) the verdict of
 * qp_judge() must be the answer of ibv_modify_qp().
 *
 * Each try has a fresh QP brought to `from`. Exit status 77: no device.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "spec_tables.h"
#include "uroce.h"

#define STATES 7

static const char *const state_names[] = { "RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR" };
static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
static const char
	*const type_names[] = { [IBV_QPT_RC] = "RC", [IBV_QPT_UC] = "UC", [IBV_QPT_UD] = "UD" };
static const struct {
	unsigned bit;
	const char *name;
} bits[] = {
	{ IBV_QP_CUR_STATE, "CUR_STATE" },
	{ IBV_QP_EN_SQD_ASYNC_NOTIFY, "EN_SQD_ASYNC_NOTIFY" },
	{ IBV_QP_ACCESS_FLAGS, "ACCESS_FLAGS" },
	{ IBV_QP_PKEY_INDEX, "PKEY_INDEX" },
	{ IBV_QP_PORT, "PORT" },
	{ IBV_QP_QKEY, "QKEY" },
	{ IBV_QP_AV, "AV" },
	{ IBV_QP_PATH_MTU, "PATH_MTU" },
	{ IBV_QP_TIMEOUT, "TIMEOUT" },
	{ IBV_QP_RETRY_CNT, "RETRY_CNT" },
	{ IBV_QP_RNR_RETRY, "RNR_RETRY" },
	{ IBV_QP_RQ_PSN, "RQ_PSN" },
	{ IBV_QP_MAX_QP_RD_ATOMIC, "MAX_QP_RD_ATOMIC" },
	{ IBV_QP_ALT_PATH, "ALT_PATH" },
	{ IBV_QP_MIN_RNR_TIMER, "MIN_RNR_TIMER" },
	{ IBV_QP_SQ_PSN, "SQ_PSN" },
	{ IBV_QP_MAX_DEST_RD_ATOMIC, "MAX_DEST_RD_ATOMIC" },
	{ IBV_QP_PATH_MIG_STATE, "PATH_MIG_STATE" },
	{ IBV_QP_CAP, "CAP" },
	{ IBV_QP_DEST_QPN, "DEST_QPN" },
};
#define BITS (sizeof bits / sizeof *bits)

static struct {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
	bool by_kernel; /* not the embedded device, which goes by the rule */
} dev;

static unsigned tried, agreed, known, unknown, unreached;

static void die(const char *what)
{
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(1);
}

static void pick_gid(void)
{
	struct ibv_gid_entry e[64];
	ssize_t n = ibv_query_gid_table(dev.ctx, e, 64, 0);

	for (ssize_t i = 0; i < n; i++)
		if (!i || (e[i].gid_type == IBV_GID_TYPE_ROCE_V2 && e[i].gid.raw[10] == 0xff)) {
			dev.gid = e[i].gid;
			dev.gid_index = (int)e[i].gid_index;
		}
}

static void open_device(void)
{
	int n = 0;
	struct ibv_device **list = ibv_get_device_list(&n);

	if (!list || !n) {
		puts("no RDMA device: skipped");
		exit(77);
	}
	dev.ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	if (!dev.ctx || ibv_query_port(dev.ctx, 1, &dev.port))
		die("ibv_open_device");
	dev.pd = ibv_alloc_pd(dev.ctx);
	dev.cq = ibv_create_cq(dev.ctx, 64, NULL, NULL, 0);
	if (!dev.pd || !dev.cq)
		die("ibv_create_cq");
	dev.by_kernel = strcmp(ibv_get_device_name(dev.ctx->device), UROCE_DEVICE) != 0;
	pick_gid();
}

static struct ibv_qp *new_qp(enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = dev.cq,
		.recv_cq = dev.cq,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type,
	};
	struct ibv_qp *qp = ibv_create_qp(dev.pd, &init);

	if (!qp)
		die("ibv_create_qp");
	return qp;
}

/* Every attribute has a value that is right here: only the mask decides. */
static struct ibv_qp_attr good_values(struct ibv_qp *qp, enum ibv_qp_state from)
{
	struct ibv_qp_attr a = {
		.cur_qp_state = from,
		.path_mtu = dev.port.active_mtu,
		.path_mig_state = IBV_MIG_MIGRATED,
		.qkey = 0x1234,
		.dest_qp_num = qp->qp_num,
		.qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1 },
		.max_rd_atomic = 1,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.port_num = 1,
		.timeout = 14,
		.retry_cnt = 6,
		.rnr_retry = 6,
		.alt_port_num = 1,
		.alt_timeout = 14,
	};

	a.ah_attr.is_global = 1;
	a.ah_attr.grh.dgid = dev.gid;
	a.ah_attr.grh.sgid_index = (uint8_t)dev.gid_index;
	a.ah_attr.grh.hop_limit = 64;
	a.ah_attr.port_num = 1;
	a.ah_attr.dlid = dev.port.lid;
	a.alt_ah_attr = a.ah_attr;
	return a;
}

static int move(struct ibv_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to, unsigned mask)
{
	struct ibv_qp_attr a = good_values(qp, from);

	a.qp_state = to;
	return ibv_modify_qp(qp, &a, (int)(mask | IBV_QP_STATE));
}

static int step(struct ibv_qp *qp, enum ibv_qp_state from, enum ibv_qp_state to)
{
	return move(qp, from, to, qp_row(qp->qp_type, from, to)->required);
}

static enum ibv_qp_state state_of(struct ibv_qp *qp, bool *draining)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr a = { 0 };

	if (ibv_query_qp(qp, &a, IBV_QP_STATE, &init))
		die("ibv_query_qp");
	*draining = a.sq_draining;
	return a.qp_state;
}

/* A send with a key that does not exist makes the send queue of a UC or UD QP fail. */
static bool break_send_queue(struct ibv_qp *qp)
{
	struct ibv_ah_attr av = good_values(qp, IBV_QPS_RTS).ah_attr;
	struct ibv_ah *ah = ibv_create_ah(dev.pd, &av);
	struct ibv_sge sge = { .addr = 8, .length = 8, .lkey = 0x7f7f7f };
	struct ibv_send_wr *bad, wr = { .sg_list = &sge,
					.num_sge = 1,
					.opcode = IBV_WR_SEND,
					.send_flags = IBV_SEND_SIGNALED };
	struct ibv_wc wc;
	bool draining;
	int rc;

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = qp->qp_num;
	rc = ibv_post_send(qp, &wr, &bad);
	for (int i = 0; !rc && i < 100 && !ibv_poll_cq(dev.cq, 1, &wc); i++)
		usleep(1000);
	if (ah)
		ibv_destroy_ah(ah);
	return state_of(qp, &draining) == IBV_QPS_SQE;
}

/* rxe: a queue that is still draining leaves SQD only for ERR. */
static bool drained(struct ibv_qp *qp)
{
	bool draining = true;

	for (int i = 0; draining && i < 100; i++) {
		state_of(qp, &draining);
		if (draining)
			usleep(1000);
	}
	return !draining;
}

static bool bring(struct ibv_qp *qp, enum ibv_qp_state to)
{
	if (to == IBV_QPS_RESET)
		return true;
	if (step(qp, IBV_QPS_RESET, IBV_QPS_INIT))
		return false;
	if (to == IBV_QPS_INIT)
		return true;
	if (to == IBV_QPS_ERR)
		return step(qp, IBV_QPS_INIT, IBV_QPS_ERR) == 0;
	if (step(qp, IBV_QPS_INIT, IBV_QPS_RTR))
		return false;
	if (to == IBV_QPS_RTR)
		return true;
	if (step(qp, IBV_QPS_RTR, IBV_QPS_RTS))
		return false;
	if (to == IBV_QPS_SQD)
		return step(qp, IBV_QPS_RTS, IBV_QPS_SQD) == 0 && drained(qp);
	if (to == IBV_QPS_SQE)
		return qp->qp_type != IBV_QPT_RC && break_send_queue(qp);
	return true;
}

/* Where no send queue can be broken: rxe takes the caller's word, CUR_STATE, for it. */
static bool pretend(struct ibv_qp *qp, enum ibv_qp_state from, unsigned mask)
{
	return from == IBV_QPS_SQE && mask & IBV_QP_CUR_STATE && bring(qp, IBV_QPS_RTS);
}

/* An alternate path exists on InfiniBand alone: the core refuses it on Ethernet. */
static bool explained(unsigned mask, int err)
{
	return mask & IBV_QP_ALT_PATH && dev.port.link_layer == IBV_LINK_LAYER_ETHERNET &&
	       err == EINVAL;
}

static void try(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to, unsigned mask,
		const char *sign, const char *bit)
{
	struct qp_verdict v = qp_judge(type, from, to, mask);
	struct ibv_qp *qp = new_qp(type);
	int rc;

	if (!bring(qp, from)) {
		ibv_destroy_qp(qp);
		qp = new_qp(type);
		if (!pretend(qp, from, mask)) {
			unreached++;
			ibv_destroy_qp(qp);
			return;
		}
	}
	rc = move(qp, from, to, mask);
	tried++;
	if ((v.answer == QP_OK && !(v.refused && dev.by_kernel)) == (rc == 0)) {
		agreed++;
	} else if (explained(mask, rc)) {
		known++;
	} else {
		unknown++;
		printf("%s %s -> %s %s%s: table %s, device %s\n", type_names[type],
		       state_names[from], state_names[to], sign, bit,
		       v.answer == QP_OK ? "takes it" : "refuses it",
		       rc ? strerrorname_np(rc) : "takes it");
	}
	ibv_destroy_qp(qp);
}

static void try_pair(enum ibv_qp_type type, enum ibv_qp_state from, enum ibv_qp_state to)
{
	const struct qp_row *row = qp_row(type, from, to);
	unsigned required = row ? row->required : 0;

	try(type, from, to, required, "", "with what is required");
	if (!row)
		return;
	if (from == IBV_QPS_SQE) /* so that the rest can be told by CUR_STATE */
		required |= row->optional & IBV_QP_CUR_STATE;
	for (size_t i = 0; i < BITS; i++)
		if (required & bits[i].bit)
			try(type, from, to, required & ~bits[i].bit, "-", bits[i].name);
		else
			try(type, from, to, required | bits[i].bit, "+", bits[i].name);
}

int main(void)
{
	open_device();
	for (size_t t = 0; t < sizeof types / sizeof *types; t++)
		for (enum ibv_qp_state from = 0; from < STATES; from++)
			for (enum ibv_qp_state to = 0; to < STATES; to++)
				try_pair(types[t], from, to);
	printf("%s: %u tried, %u agreed, %u explained (ALT_PATH on Ethernet), %u disagreed, "
	       "%u not reached\n",
	       ibv_get_device_name(dev.ctx->device), tried, agreed, known, unknown, unreached);
	return unknown ? 1 : 0;
}
