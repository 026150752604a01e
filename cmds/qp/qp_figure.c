/* SPDX-License-Identifier: MIT */
/* qp-state -svg: the states of a QP, or the transitions of a type, as a drawing. */
#include "qp/qp_figure.h"

#include "alloc.h"
#include "file/file.h"
#include "out.h"
#include "session.h"
#include "state_svg.h"
#include "words.h"

uint64_t qp_steps_taken(const struct qp_step *steps, unsigned n)
{
	enum ibv_qp_state last = IBV_QPS_RESET;
	uint64_t taken = 0;

	for (unsigned i = 0; i < n; i++) {
		enum ibv_qp_state state = steps[i].state;

		if (state > IBV_QPS_ERR)
			continue;
		if (i && state != last)
			taken |= state_path(last, state);
		last = state;
	}
	return taken;
}

static int save_figure(struct session *s, struct state_svg *d, const struct figure_file *file,
		       struct out *o)
{
	SCOPED_TEXT(text);

	d->is_alone = true;
	state_svg(&text, d);
	if (save_file(s, file->path, file->force, 0644, text_str(&text), text_len(&text)))
		return -1;
	out_str(o, "file", file->path, "%s", file->path);
	out_u64(o, "bytes", text_len(&text), ", %zu bytes\n", text_len(&text));
	return 0;
}

/* Appends "12:03:04.123  RTS → ERR  WC REM_ACCESS_ERR"; from NULL: the first one. */
static void append_step(struct text *lines, const struct qp_step *step, const struct qp_step *from)
{
	xappendf(lines, "%s   %s%s%s   %s\n", text_clock(step->when, 3),
		 from ? word_name(qp_state_words, from->state) : "", from ? " → " : "",
		 word_name(qp_state_words, step->state), step->why);
}

int qp_figure(struct session *s, const struct qp *qp, const struct figure_file *file, struct out *o)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);
	const enum ibv_qp_state now = qp_history_state(qp);
	SCOPED_TEXT(lines);
	struct state_svg d = { .title = temp_text("%s, %s, qpn %u: %s", qp->o.name,
						  word_name(qp_type_words, qp->type), qp->v->qp_num,
						  word_name(qp_state_words, now)),
			       .type = qp->type,
			       .now = now,
			       .steps = qp_steps_taken(steps, n),
			       .drain = qp_drain(qp) };

	for (unsigned i = 0; i < n; i++)
		append_step(&lines, &steps[i], i ? &steps[i - 1] : NULL);
	d.lines = text_str(&lines);
	return save_figure(s, &d, file, o);
}

int qp_figure_of_type(struct session *s, enum ibv_qp_type type, const struct figure_file *file,
		      struct out *o)
{
	const char *name = word_name(qp_type_words, type);
	struct state_svg d = {
		.type = type,
		.is_table = true,
		.title = temp_text("The states of %s QPs, and what each transition needs", name),
	};

	return save_figure(s, &d, file, o);
}
