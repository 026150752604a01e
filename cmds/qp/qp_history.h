/* SPDX-License-Identifier: MIT */
/* What became of a QP: its states in order, each with the reason. */
#ifndef CMDS_QP_HISTORY_H
#define CMDS_QP_HISTORY_H

#include <infiniband/verbs.h>

struct qp;

#define QP_STEPS 32

/* A step in the life of a QP, for qp-state. */
struct qp_step {
	int64_t when; /* CLOCK_REALTIME, ns */
	enum ibv_qp_state state;
	char why[48]; /* "created", "modify-qp", "rdma_accept", "WC REM_ACCESS_ERR" ... */
};

/* The last steps that the record has of it, oldest first; how many. */
unsigned qp_history_steps(const struct qp *qp, struct qp_step steps[QP_STEPS]);
/* Notes that the QP was made. */
void qp_history_begin(struct qp *qp);
/* Asks the device; notes the state if it is another than the last one noted. Returns it
 * (the last known one when the device cannot be asked). ERR and SQE are noted as failures. */
enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why);
/* The same after somebody has asked for another state: ERR is no failure then. */
enum ibv_qp_state qp_history_asked(struct qp *qp, const char *why);
/* The same after a step of the connection manager, which leaves the QP in meant. On iWARP the
 * device need not tell. */
enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why);
/* The last state noted. */
enum ibv_qp_state qp_history_state(const struct qp *qp);

#endif
