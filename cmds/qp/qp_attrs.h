/* SPDX-License-Identifier: MIT */
/* The attributes of a QP as names, options and text. Nothing else spells them out. */
#ifndef CMDS_QP_ATTRS_H
#define CMDS_QP_ATTRS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <tcl.h>

struct session;
struct word;

struct qp_attr_def {
	unsigned bit;		  /* IBV_QP_... */
	const char *member;	  /* of struct ibv_qp_attr; NULL: an address vector */
	const char *option;	  /* of modify-qp, without '-' */
	const char *unknown;	  /* stands for a value nobody knows yet: "PEER_QPN" */
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

/* These append. "PKEY_INDEX, PORT": the names of the bits of mask. */
void qp_attr_names(unsigned mask, const char *sep, Tcl_DString *text);
/* "1", "REMOTE_WRITE", "dgid ::1 sgid_index 1 ..." */
void qp_attr_value(const struct ibv_qp_attr *a, const struct qp_attr_def *d, Tcl_DString *text);
/* " -port 1 -pkey-index 0": what to type; attributes of unknown have a word instead. */
void qp_attr_options(const struct ibv_qp_attr *a, unsigned mask, unsigned unknown,
		     Tcl_DString *text);
/* "STATE=INIT PORT=1 PKEY_INDEX=0": for the trace. */
void qp_attr_list(const struct ibv_qp_attr *a, unsigned mask, Tcl_DString *text);
/* Rows of s->fail, as many as it takes: "passed  STATE = INIT  PORT = 1 ...". Those of
 * missing are named so. */
void qp_attr_rows(struct session *s, const char *label, const struct ibv_qp_attr *a, unsigned mask,
		  unsigned missing);
/* "dgid ::ffff:10.0.0.2 sgid_index 1 hop_limit 64 ..." */
void qp_av_text(const struct ibv_ah_attr *av, Tcl_DString *text);

#endif
