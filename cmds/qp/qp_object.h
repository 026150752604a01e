/* SPDX-License-Identifier: MIT */
/* QPs as objects: their attributes, their history, and the diagram of the state machine. */
#ifndef CMDS_QP_OBJECT_H
#define CMDS_QP_OBJECT_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>

struct out;
struct qp;
struct session;

/* Queries all attributes of the QP. Returns 0 or an errno. */
int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init);
/* Dumps the QP as INFO lines of the trace. */
void qp_dump(struct session *s, const struct qp *qp);

/* Write attributes of a QP for show and get into the open dict: its peer, its capabilities, its
 * attributes. */
void qp_tell_peer(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *out);
void qp_tell_cap(const struct ibv_qp_cap *cap, bool sig_all, struct out *out);
void qp_tell_attrs(const struct ibv_qp_attr *a, struct out *out);

/* The history of a QP: its states in order, each with the reason. */

#define QP_STEPS 32

/* A change of state, for qp-state. */
struct qp_step {
	int64_t when; /* CLOCK_REALTIME, ns */
	enum ibv_qp_state state;
	char why[48]; /* "created", "modify-qp", "rdma_accept", "WC REM_ACCESS_ERR" ... */
	bool failed;  /* ERR or SQE, and neither end has asked for it */
};

/* Copies the last steps in the record, oldest first; returns their number. */
unsigned qp_history_steps(const struct qp *qp, struct qp_step steps[QP_STEPS]);
/* Records that the QP was created. */
void qp_history_begin(struct qp *qp);
/* Queries the state and records it if it has changed. Returns it (the last known one if the query
 * fails). ERR and SQE are recorded as failures. */
enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why);
/* The same after a requested change of state: ERR is not a failure then. */
enum ibv_qp_state qp_history_asked(struct qp *qp, const char *why);
/* The same after a step of the connection manager, which moves the QP to meant. On iWARP the device
 * may not report the state. */
enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why);
/* The last recorded state. */
enum ibv_qp_state qp_history_state(const struct qp *qp);

/* Writes the diagram as text: the current state, and the transitions so far. */
void qp_diagram(struct out *o, const struct qp *qp);
/* The same of any QP; steps: uroce_step() of those between states that it has taken. */
void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps);
/* Writes into the open dict how long this QP retries before it fails, from its attributes. */
void qp_timing(const struct qp *qp, struct out *o);
void qp_tell_timing(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *o);

#endif
