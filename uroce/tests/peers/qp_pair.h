/* SPDX-License-Identifier: MIT */
/*
 * Two connected QPs of one process, for programs that use the device as any program does:
 * through libibverbs, with nothing of uroce linked. The program ends if something cannot be had.
 */
#ifndef UROCE_TESTS_PEERS_QP_PAIR_H
#define UROCE_TESTS_PEERS_QP_PAIR_H

#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>

#define PAIR_BYTES 65536 /* of the buffer of each side */
#define PAIR_DEPTH 64	 /* requests of a queue */
#define PAIR_ACCESS                                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ | \
	 IBV_ACCESS_REMOTE_ATOMIC)

#define PAIR_TO_RTR                                                                     \
	(IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN | \
	 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER)

struct side {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	uint8_t *buf;
};

struct pair {
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel;
	struct side a, b;
};

struct ibv_context *pair_open(void);
struct ibv_context *pair_open_device(unsigned number);
/* cqe: of each completion queue; 0: enough for both queues of its QP. */
void pair_make(struct pair *p, int cqe);
void pair_make_on(struct pair *p, unsigned device, int cqe);
void pair_side(struct pair *p, struct side *s, int cqe);
/* A QP in INIT, with the PD and CQ that the side has. */
void pair_new_qp(struct side *s);
/* From RESET to INIT. */
void pair_to_init(struct ibv_qp *qp);
void pair_close(struct pair *p);

/* To RTS with the QP number of a peer at the first address of this host. timeout, retries: as
 * in ibv_modify_qp(3). */
void pair_connect(struct ibv_context *ctx, struct ibv_qp *qp, uint32_t peer, uint8_t timeout,
		  uint8_t retries);
/* The same with a peer at another address. */
void pair_connect_to(struct ibv_context *ctx, struct ibv_qp *qp, const union ibv_gid *dgid,
		     uint32_t peer, uint8_t timeout, uint8_t retries);
int pair_gid_index(struct ibv_context *ctx, union ibv_gid *gid);

/* Posts one request of the whole or the first n bytes; 0 or an errno. */
int pair_post(struct side *from, const struct side *to, enum ibv_wr_opcode op, uint32_t n,
	      uint64_t wr_id);
int pair_recv(struct side *s, uint32_t n, uint64_t wr_id);
/* Polls until a completion comes, for a minute at most: its status. */
enum ibv_wc_status pair_wait(struct ibv_cq *cq, struct ibv_wc *wc);
/* The pattern: what each byte of a buffer is, for a seed. */
uint8_t pair_byte(unsigned i, unsigned seed);
void pair_fill(uint8_t *buf, unsigned n, unsigned seed);
/* WRITE, READ and SEND of the pattern, each checked byte by byte. */
void pair_works(struct pair *p);

#endif
