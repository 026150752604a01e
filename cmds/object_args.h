/* SPDX-License-Identifier: MIT */
/* Objects as arguments of commands. */
#ifndef CMDS_OBJECT_ARGS_H
#define CMDS_OBJECT_ARGS_H

#include "command/cmd.h"

struct session;

/* Kinds that store a pointer to the object. Left out: the current one, else the only one;
 * with none or several the command fails and says what to type. */
extern const struct arg_kind kind_dev, kind_pd, kind_cc, kind_cq, kind_srq, kind_qp, kind_mr,
	kind_mw, kind_ah, kind_id, kind_oob, kind_tcp, kind_tcpl;
/* Left out: NULL. */
extern const struct arg_kind kind_dev_opt, kind_pd_opt, kind_cc_opt, kind_cq_opt, kind_srq_opt,
	kind_qp_opt, kind_mr_opt, kind_mw_opt, kind_ah_opt, kind_id_opt, kind_oob_opt, kind_tcp_opt,
	kind_tcpl_opt;
/* struct obj *, of any class; must be given. */
extern const struct arg_kind kind_any;

/* The functions of these kinds, for others whose .of is a class or NULL. The default is the current
 * object, else the only one. */
int obj_arg_parse(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst);
int obj_arg_default(struct session *s, const struct arg *a, void *dst);
void obj_arg_complete(struct session *s, const struct arg *a, Tcl_Obj *words);

#endif
