/* SPDX-License-Identifier: MIT */
/*
 * QPs: the object, its history and drawing; changes of its attributes; and what the other end needs
 * to know of it.
 */
#ifndef CMDS_QP_H
#define CMDS_QP_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

#include "connection/cm_id.h"
#include "device/device.h"
#include "object_make.h"
#include "objects.h"
#include "qp_rules.h"
#include "spec_tables.h"
#include "state_svg.h"

struct text;
struct out;
struct qp;
struct session;

/* The sizes of a QP's queues, as options of the commands that create one. */
struct qp_sizes {
	struct num send_wr, recv_wr, send_sge, recv_sge, inline_data;
	bool sig_all, flush;
};
#define QP_SIZE_ARGS(st, f)                                                                       \
	OPT("send-wr", st, f.send_wr, kind_u32, "work requests in the send queue", .dflt = "32"), \
		OPT("recv-wr", st, f.recv_wr, kind_u32, "work requests in the receive queue",     \
		    .dflt = "32"),                                                                \
		OPT("send-sge", st, f.send_sge, kind_u32, "pieces of memory in a send",           \
		    .dflt = "4"),                                                                 \
		OPT("recv-sge", st, f.recv_sge, kind_u32, "pieces of memory in a receive",        \
		    .dflt = "4"),                                                                 \
		OPT("inline", st, f.inline_data, kind_u32, "bytes that may be sent inline",       \
		    .dflt = "64"),                                                                \
		SWITCH("sig-all", st, f.sig_all, "every send completes with a WC"),               \
		SWITCH("flush", st, f.flush, "can post flush: made by ..._create_qp_ex")
/* A QP with an SRQ has no receive queue of its own. */
void qp_set_sizes(struct qp_spec *spec, const struct qp_sizes *sizes);

/* Queries all attributes of the QP. Returns 0 or an errno. */
int qp_query(const struct qp *qp, struct ibv_qp_attr *a, struct ibv_qp_init_attr *init);
/* The QP of this session that it is connected with, where both know of it; or NULL. */
struct qp *qp_peer_here(struct session *s, const struct qp *qp);
/* Dumps the QP as INFO lines of the trace. */
void qp_dump(struct session *s, const struct qp *qp);

/* Write attributes of a QP for show and get into the open dict: its peer, its capabilities, its
 * attributes. */
void qp_tell_peer(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *out);
/* Is the peer that qp_tell_peer() has written into object on that device? */
bool qp_told_device(Tcl_Obj *object, const struct dev *dev);
void qp_tell_cap(const struct ibv_qp_cap *cap, bool sig_all, struct out *out);
void qp_tell_attrs(const struct ibv_qp_attr *a, struct out *out);

/* The history of a QP: its states in order, each with the reason. */

#define QP_STEPS 32

/* A change of state, for qp-state. */
struct qp_step {
	int64_t when; /* CLOCK_REALTIME, ns */
	enum ibv_qp_state state;
	char why[48];  /* "created", "modify-qp", "rdma_accept", "WC REM_ACCESS_ERR" ... */
	bool failed;   /* ERR or SQE, and neither end has asked for it */
	bool by_flush; /* seen by a completion that was flushed, which does not tell why */
};

/* Copies the last steps in the record, oldest first; returns their number. */
unsigned qp_history_steps(const struct qp *qp, struct qp_step steps[QP_STEPS]);
/* The same of the QP that was at that address up to a time, CLOCK_REALTIME in ns. */
unsigned qp_history_at(uint64_t address, int64_t until, struct qp_step steps[QP_STEPS]);
/* Its last step to ERR; false: there was none. */
bool qp_history_err(const struct qp *qp, struct qp_step *step);
/* Finds the value of rq_psn (IBV_QP_RQ_PSN) or sq_psn (IBV_QP_SQ_PSN) that the QP began with, which
 * the last ibv_modify_qp(3) since its creation or RESET gave. A query tells the current one. false:
 * the record has no such call: the connection manager made it, or it was overwritten. */
bool qp_history_first_psn(const struct qp *qp, unsigned bit, uint32_t *psn);
/* Records that the QP was created. */
void qp_history_begin(struct qp *qp);
/* Queries the state and records it if it has changed. Returns it (the last known one if the query
 * fails). ERR and SQE are recorded as failures. why NULL: somebody has asked. */
enum ibv_qp_state qp_history_sync(struct qp *qp, const char *why);
/* The same after a failed completion. */
enum ibv_qp_state qp_history_completed(struct qp *qp, enum ibv_wc_status status);
/* The same after a requested change of state: ERR is not a failure then. */
enum ibv_qp_state qp_history_asked(struct qp *qp, const char *why);
/* The same after a step of the connection manager, which moves the QP to meant. On iWARP the device
 * may not report the state. */
enum ibv_qp_state qp_history_cm(struct qp *qp, enum ibv_qp_state meant, const char *why);
/* The last recorded state. */
enum ibv_qp_state qp_history_state(const struct qp *qp);

/* The steps between states that these have made, of uroce_step(). */
uint64_t qp_steps_taken(const struct qp_step *steps, unsigned n);
/* Is the send queue of a QP in SQD empty? Asks the device. */
enum state_drain qp_drain(const struct qp *qp);

/* The diagram of the states, if the terminal has room for it; steps: uroce_step() of those between
 * states that it has taken. */
void qp_draw(struct out *o, enum ibv_qp_type type, enum ibv_qp_state now, uint64_t steps);
/* Writes into the open dict how long this QP retries before it fails, from its attributes. */
void qp_tell_timing(enum ibv_qp_type type, const struct ibv_qp_attr *a, struct out *o);

/*
 * Changes of a QP: the table of attributes (names, options, text), and a change that is checked,
 * completed and explained.
 */

struct word;

struct call_value;
struct qp_attr_def {
	unsigned bit;		  /* IBV_QP_... */
	const char *option;	  /* of modify-qp, without '-'; NULL: it has none, or several */
	size_t arg;		  /* offset of its value, struct num, in struct qp_modify_args */
	const char *unknown;	  /* placeholder for an unknown value: "PEER_QPN" */
	const struct word *words; /* of an enum or of flags; NULL: a number */
	bool flags;
};

/* In the order in which they are printed; ends with a bit of 0. */
extern const struct qp_attr_def qp_attr_defs[];

/* The definition of a bit that is in the table. */
const struct qp_attr_def *qp_attr_def(unsigned bit);
/* The bit's name without the prefix. */
const char *qp_attr_name(const struct qp_attr_def *d);
/* Sets the value of a number, an enum or flags; a path has none. false: it does not fit. */
bool qp_attr_set(struct ibv_qp_attr *a, const struct qp_attr_def *d, uint64_t v);

/* A requested change of a QP. */

struct causes;
struct dev;
struct id;

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

/* Adds the problems of the values on this device. right (NULL: it is not wanted), a copy of c, gets
 * values without these problems; an attribute of which none is known leaves its mask. */
void qp_check_values(const struct qp_change *c, struct qp_change *right, struct causes *problems);

/* qp_judge() for the device that the QP is of: what the kernel refuses beyond
 * the rule is extra, unless the device is the embedded one. */
struct qp_verdict qp_change_judge(const struct qp_change *c);
/* Fills s->fail with the reasons for the refusal and the remedy. Returns -1. */
int qp_refuse(struct session *s, const struct qp_change *c, const struct qp_verdict *v);
int qp_refuse_values(struct session *s, const struct qp_change *c, const struct causes *problems);
/* Adds the row "next" with the change, if nothing is wrong with it when it has right values.
 * Returns -1. */
int qp_next_on_device(struct session *s, const struct qp_change *refused);
/* Appends the command that makes the change: "modify-qp INIT -port 1 ...". */
void qp_change_command(struct session *s, const struct qp_change *c, enum ibv_qp_state to,
		       struct text *text);
/* "RESET -> INIT", or "RTS" when the state stays. */
void qp_change_text(const struct qp_change *c, struct text *text);

/* The arguments of modify-qp: every attribute of a QP is an option. */

/* An address vector, or the alternate one. */
struct av_args {
	struct gid_arg dgid;
	struct num sgid_index, hop_limit, traffic_class, flow_label, dlid, sl, global;
};

struct qp_modify_args {
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

extern const struct arg qp_modify_args[];

/*
 * The data of a QP for the other end, as a dict and as JSON: {"qpn": ..., "psn": ...,
 * "lid": ..., "gid": "...", "rkey": ..., "addr": ...} and a few more.
 */

struct mr;
struct qp_peer;

/* Fills the data of qp. gid_index < 0: the recommended GID. mr may be NULL. */
int qp_peer_of(struct session *s, const struct qp *qp, const struct mr *mr, int gid_index,
	       struct qp_peer *mine);

/* Parse untrusted data and check every field. -1 with s->fail filled and *p unchanged. */
int qp_peer_from_dict(struct session *s, Tcl_Obj *dict, struct qp_peer *p);
int qp_peer_from_json(struct session *s, const char *text, size_t len, struct qp_peer *p);
/* Stores p as the peer of qp; fails if the types of the QPs differ. */
int qp_peer_adopt(struct session *s, struct qp *qp, const struct qp_peer *p);
/* To be freed. */
char *qp_peer_to_json(const struct qp_peer *p);
/* The fields as values and a few lines of text. */
void qp_peer_out(struct out *o, const struct qp_peer *p);

#endif
