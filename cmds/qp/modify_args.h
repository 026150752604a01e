/* SPDX-License-Identifier: MIT */
/* The arguments of modify-qp: every attribute of a QP is an option. */
#ifndef CMDS_MODIFY_ARGS_H
#define CMDS_MODIFY_ARGS_H

#include "device/gid_arg.h"
#include "qp/qp_change.h"

struct id;

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

/* Takes the attributes that are given into the change. */
void modify_take(struct qp_change *c, const struct modify_qp_args *args);

#endif
