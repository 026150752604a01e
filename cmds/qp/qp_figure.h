/* SPDX-License-Identifier: MIT */
/* Drawings of states, for qp-state. */
#ifndef CMDS_QP_FIGURE_H
#define CMDS_QP_FIGURE_H

#include "qp/qp.h"

struct figure_file {
	const char *path;
	bool force; /* replaces an existing one */
};

/* Writes the way of a QP through its states. -1 with s->fail filled. */
int qp_figure(struct session *s, const struct qp *qp, const struct figure_file *file,
	      struct out *o);
/* Writes all transitions of QPs of that type, with their attributes. */
int qp_figure_of_type(struct session *s, enum ibv_qp_type type, const struct figure_file *file,
		      struct out *o);

#endif
