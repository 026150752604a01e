/* SPDX-License-Identifier: MIT */
/*
 * The names of constants in verbs.h and rdma_cma.h, without prefixes, each with its meaning: those
 * of which explain knows more are in the texts of explain/facts/, the others in words.c.
 */
#ifndef CMDS_WORDS_H
#define CMDS_WORDS_H

#include "command/cmd.h"

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
extern const struct word errno_words[];	   /* those that libibverbs and librdmacm give */
extern const struct word id_state_words[]; /* enum id_state */
extern const struct word rule_words[];	   /* what explain knows beside constants */
extern const struct word term_words[];	   /* things of the field, by their short names */

/* The name of value, or its number: never NULL; as temp_text(). */
const char *word_name(const struct word *words, uint64_t value);
/* The meaning of the value, or NULL. */
const char *word_help(const struct word *words, uint64_t value);
/* "LOCAL_WRITE,REMOTE_READ", or "0"; as temp_text(). */
char *word_flags(const struct word *words, uint64_t bits);
/* Changes the name, in place, to how it is typed: "remote-write" of "REMOTE_WRITE". */
char *word_typed(char *text);
/* One short line about a status, event or reason called name, or NULL: struct app. */
const char *word_explain(const char *name);

#endif
