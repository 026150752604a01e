/* SPDX-License-Identifier: MIT */
/* qp-state -svg: the states of a QP, or the transitions of a type, as a drawing. */
#include "qp/qp_figure.h"

#include <stdlib.h>

#include "alloc.h"
#include "file/file.h"
#include "out.h"
#include "session.h"
#include "state_svg.h"
#include "page.h"
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
	char *text;
	size_t len;
	FILE *to = xmemstream(&text, &len);
	int rc;

	d->is_alone = true;
	state_svg(to, d);
	fclose(to);
	rc = save_file(s, file->path, file->force, 0644, text, len);
	if (rc == 0) {
		out_str(o, "file", file->path, "%s", file->path);
		out_u64(o, "bytes", len, ", %zu bytes\n", len);
	}
	free(text);
	return rc;
}

/* "12:03:04.123  RTS → ERR  WC REM_ACCESS_ERR" for XML, to be freed; from NULL: the first one. */
static char *step_line(const struct qp_step *step, const struct qp_step *from)
{
	SCOPED_TEXT(line);

	page_markupf(&line, "%s   %s%s%s   %s", text_clock(step->when, 3),
		     from ? word_name(qp_state_words, from->state) : "", from ? " → " : "",
		     word_name(qp_state_words, step->state), step->why);
	return xstrdup(text_str(&line));
}

int qp_figure(struct session *s, const struct qp *qp, const struct figure_file *file, struct out *o)
{
	struct qp_step steps[QP_STEPS];
	unsigned n = qp_history_steps(qp, steps);
	SCOPED_TEXT(title);
	struct state_svg d = { .type = qp->type,
			       .has_state = true,
			       .now = qp_history_state(qp),
			       .steps = qp_steps_taken(steps, n),
			       .drain = qp_drain(qp),
			       .nlines = n };
	char **lines = xcalloc(n + 1, sizeof *lines);
	int rc;

	page_markupf(&title, "%s, %s, qpn %u: %s", qp->o.name, word_name(qp_type_words, qp->type),
		     qp->v->qp_num, word_name(qp_state_words, d.now));
	for (unsigned i = 0; i < n; i++)
		lines[i] = step_line(&steps[i], i ? &steps[i - 1] : NULL);
	d.title = text_str(&title);
	d.lines = (const char *const *)lines;
	rc = save_figure(s, &d, file, o);
	for (unsigned i = 0; i < n; i++)
		free(lines[i]);
	free(lines);
	return rc;
}

int qp_figure_of_type(struct session *s, enum ibv_qp_type type, const struct figure_file *file,
		      struct out *o)
{
	const char *name = word_name(qp_type_words, type);
	struct state_svg d = { .type = type, .is_table = true };
	char *title;
	int rc;

	title = xasprintf("The states of %s QPs, and what each transition needs", name);
	d.title = title;
	rc = save_figure(s, &d, file, o);
	free(title);
	return rc;
}
