/* SPDX-License-Identifier: MIT */
/*
 * The names of constants in verbs.h and rdma_cma.h, without prefixes, each with its meaning: those
 * of which explain knows more are in the texts of facts/, the others in words.c.
 */
#ifndef MODEL_WORDS_H
#define MODEL_WORDS_H

#include "word.h"

extern const struct word mr_access_words[]; /* ibv_reg_mr(3) */
extern const struct word qp_access_words[]; /* what a QP or an MW may allow */
extern const struct word qp_type_words[];
extern const struct word qp_state_words[];
extern const struct word mig_state_words[];
extern const struct word mtu_words[]; /* "256" ... "4096" */
extern const struct word wc_status_words[];
extern const struct word wc_opcode_words[];
extern const struct word wr_opcode_words[];
extern const struct word send_flag_words[];
extern const struct word qp_attr_words[];  /* bits of a mask: ibv_modify_qp(3) */
extern const struct word async_words[];	   /* ibv_get_async_event(3) */
extern const struct word cm_event_words[]; /* rdma_get_cm_event(3) */
extern const struct word rej_words[];	   /* reasons of a CM REJ message */
extern const struct word ps_words[];	   /* port spaces: TCP, UDP ... */
extern const struct word port_state_words[];
extern const struct word gid_type_words[];
extern const struct word errno_words[]; /* those that libibverbs and librdmacm give */
extern const struct word rule_words[];	/* what explain knows beside constants */
extern const struct word term_words[];	/* things of the field, by their short names */

/* One short line about a status, event or reason called name, or NULL: struct app. */
const char *why_word(const char *name);

#endif
