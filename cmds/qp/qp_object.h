/* SPDX-License-Identifier: MIT */
/* QPs as objects: what the device tells of one, its history, and the drawing of its state machine.
 */
#ifndef CMDS_QP_OBJECT_H
#define CMDS_QP_OBJECT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct out;
struct qp;
struct session;

/* Everything the device tells about the QP; 0 or the errno. */
int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init);
/* Dumps the QP as INFO lines of the trace. */
void qp_dump(struct session *s, const struct qp *qp);

/* What show and get tell of any QP, into the dict that is open: whom it is connected with, what it
 * has room for, its attributes. */
void qp_tell_peer(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *out);
void qp_tell_cap(const struct ibv_qp_cap *cap, bool sig_all, struct out *out);
void qp_tell_attrs(const struct ibv_qp_attr *a, struct out *out);

/* What became of a QP: its states in order, each with the reason. */

#define QP_STEPS 32

/* A step in the life of a QP, for qp-state. */
struct qp_step {
	int64_t when; /* CLOCK_REALTIME, ns */
	enum ibv_qp_state state;
	char why[48]; /* "created", "modify-qp", "rdma_accept", "WC REM_ACCESS_ERR" ... */
	bool failed;  /* ERR or SQE, and neither end has asked for it */
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

/* Appends the drawing as text: where the QP is, and the way it took. */
void qp_diagram(struct out *o, const struct qp *qp);
/* The same of any QP; steps: uroce_step() of those between states that it has taken. */
void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps);
/* Into the dict that is open: how long this QP tries before it gives up, from its attributes. */
void qp_timing(const struct qp *qp, struct out *o);
void qp_tell_timing(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *o);

#endif
