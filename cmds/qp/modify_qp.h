/* SPDX-License-Identifier: MIT */
/*
 * Changes of a QP: the table of attributes (names, options, text), and a change that is checked,
 * completed and explained.
 */
#ifndef CMDS_MODIFY_QP_H
#define CMDS_MODIFY_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "device/gids.h"
#include "qp_table.h"

struct session;
struct word;

struct qp_attr_def {
	unsigned bit;		  /* IBV_QP_... */
	const char *member;	  /* of struct ibv_qp_attr; NULL: an address vector */
	const char *option;	  /* of modify-qp, without '-' */
	const char *unknown;	  /* placeholder for an unknown value: "PEER_QPN" */
	const struct word *words; /* of an enum or of flags; NULL: a number */
	bool flags;
	size_t offset, size; /* in struct ibv_qp_attr; size 0: an address vector */
};

/* In the order in which they are printed; ends with a bit of 0. */
extern const struct qp_attr_def qp_attr_defs[];

/* The bit's name without the prefix. */
const char *qp_attr_name(const struct qp_attr_def *d);
uint64_t qp_attr_get(const struct ibv_qp_attr *a, const struct qp_attr_def *d);
void qp_attr_set(struct ibv_qp_attr *a, const struct qp_attr_def *d, uint64_t v);

/* Appends the names of the bits of mask: "PKEY_INDEX, PORT". */
void qp_attr_names(unsigned mask, const char *sep, Tcl_DString *text);
/* Appends the options to type, " -port 1 -pkey-index 0"; attributes in unknown get a placeholder.
 */
void qp_attr_options(const struct ibv_qp_attr *a, unsigned mask, unsigned unknown,
		     Tcl_DString *text);
/* Adds rows to s->fail: "passed  STATE = INIT  PORT = 1 ...". Attributes in missing are marked so.
 */
void qp_attr_rows(struct session *s, const char *label, const struct ibv_qp_attr *a, unsigned mask,
		  unsigned missing);

/* A requested change of a QP. */

struct causes;
struct dev;
struct id;
struct qp;

struct qp_change {
	struct qp *qp;
	enum ibv_qp_state actual;   /* the state on the device */
	enum ibv_qp_state from, to; /* from is CUR_STATE if that is given */
	struct ibv_qp_attr a;
	unsigned mask;	     /* the given attributes, with IBV_QP_STATE if a state is given */
	const struct id *id; /* whose rdma_init_qp_attr() gave by_id of mask, or NULL */
	unsigned by_id;
	unsigned filled;	/* the attributes in mask that qp_fill() added */
	struct ibv_qp_attr now; /* before the change */
};

/* Fills the attributes of want from the device, the QP and its peer. Returns those whose values are
 * unknown. */
unsigned qp_fill(struct qp_change *c, unsigned want);
/* The index of the local GID to use for this destination. */
unsigned qp_sgid_for(const struct dev *dev, uint8_t port, const union ibv_gid *dgid);

/* Appends the problems of the values on this device to a Tcl list. */
void qp_faults(const struct qp_change *c, Tcl_Obj *faults);

/* qp_judge() for the device that the QP is of: what the kernel refuses beyond
 * the rule is extra, unless the device is the embedded one. */
struct qp_verdict qp_change_judge(const struct qp_change *c);
/* Fills s->fail with the reasons for the refusal and the remedy. Returns -1. */
int qp_refuse(struct session *s, const struct qp_change *c, const struct qp_verdict *v);
int qp_refuse_values(struct session *s, const struct qp_change *c, Tcl_Obj *faults);
/* Adds why a change with this verdict is refused; none if the verdict is good. */
void qp_change_reasons(const struct qp_verdict *v, enum ibv_qp_type type, enum ibv_qp_state from,
		       enum ibv_qp_state to, struct causes *c);
/* After ibv_modify_qp() failed with err and call_fail(). */
int qp_explain_failure(struct session *s, const struct qp_change *c, int err);
/* Appends the command that makes the change: "modify-qp INIT -port 1 ...". */
void qp_change_command(struct session *s, const struct qp_change *c, enum ibv_qp_state to,
		       Tcl_DString *text);
/* "RESET -> INIT", or "RTS" when the state stays. */
void qp_change_text(const struct qp_change *c, Tcl_DString *text);

/* The arguments of modify-qp: every attribute of a QP is an option. */

/* An address vector, or the alternate one. */
struct av_args {
	struct gid_arg dgid;
	struct num sgid_index, hop_limit, traffic_class, flow_label, dlid, sl, global;
};

struct modify_qp_args {
	struct num state;
	struct qp *qp;
	struct num port, pkey_index, access, qkey, mtu, dest_qpn, rq_psn, sq_psn, max_rd_atomic,
		max_dest_rd_atomic, min_rnr_timer, timeout, retry_cnt, rnr_retry, cur_state,
		en_sqd_async_notify, path_mig_state;
	struct av_args av, alt;
	struct num alt_port, alt_pkey_index, alt_timeout;
	struct id *from_id;
	Tcl_Obj *peer;
	bool fill, force;
};

extern const struct arg modify_qp_args[];

#endif
