/* SPDX-License-Identifier: MIT */
/* show -watch: the states and queues of all QPs in one line, drawn again when something changes. */
#include <string.h>
#include <unistd.h>

#include "loop.h"
#include "objects.h"
#include "out.h"
#include "output/print.h"
#include "own_model.h"
#include "qp/qp.h"
#include "resources/show_process.h"
#include "session.h"
#include "text.h"
#include "words.h"

#define AGAIN_MS 50
#define LINES	 1000 /* that the value has at most */

static void add_line(struct session *s, struct text *line)
{
	struct qp *qp;

	obj_foreach_of(qp, s, &qp_class) {
		const enum ibv_qp_state state = qp_history_sync(qp, NULL);

		xappendf(line, "%s%s %s %u sent", text_len(line) ? "   " : "", qp->o.name,
			 word_name(qp_state_words, state), own_outstanding(qp, false).n);
		if (!qp->srq)
			xappendf(line, " %u recv", own_outstanding(qp, true).n);
	}
	if (!text_len(line))
		text_add(line, "no QP");
	if (print_columns() && text_len(line) >= print_columns())
		text_resize(line, print_columns() - 1);
}

void show_watch(struct session *s, int64_t within_ms, struct out *o)
{
	const int64_t until = loop_now() + within_ms * 1000000;
	const bool is_terminal = isatty(STDERR_FILENO);
	enum loop_end end = LOOP_TIMEOUT;
	unsigned n = 0;
	SCOPED_TEXT(last);

	out_list(o, NULL);
	while (end == LOOP_TIMEOUT && loop_now() < until) {
		SCOPED_TEXT(line);

		add_line(s, &line);
		if (strcmp(text_str(&line), text_str(&last)) != 0) {
			if (is_terminal)
				print_in_place(text_str(&line), false);
			if (n++ < LINES)
				out_str(o, NULL, text_str(&line), is_terminal ? NULL : "%s\n",
					text_str(&line));
			text_resize(&last, 0);
			text_add(&last, text_str(&line));
		}
		end = loop_wait(s->loop, NULL, NULL, AGAIN_MS);
	}
	out_end(o);
	if (is_terminal)
		print_in_place(text_str(&last), true);
}
