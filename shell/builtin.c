/* SPDX-License-Identifier: MIT */
/* Commands of the shell itself that know no objects: echo. */
#include "args.h"
#include "builtin.h"
#include "cmd.h"
#include "out.h"
#include "session.h"

struct echo_args {
	bool nonewline;
	struct many words; /* const char * */
};

static const struct arg echo_arg_table[] = {
	SWITCH("nonewline", echo_args, nonewline, "no newline at the end"),
	POS_MANY("word", echo_args, words, kind_str, "what to print"),
	ARGS_END,
};

static int echo_exec(struct session *s, const void *args, struct out *o)
{
	const struct echo_args *a = args;
	const char *const *words = a->words.v;

	(void)s;
	for (size_t i = 0; i < a->words.n; i++)
		out_text(o, "%s%s", i ? " " : "", words[i]);
	out_text(o, "\n");
	return 0;
}

const struct cmd cmd_echo = {
	.name = "echo",
	.family = "scripts",
	.summary = "Print words",
	.args = echo_arg_table,
	.size = sizeof(struct echo_args),
	.exec = echo_exec,
};
