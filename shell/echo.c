/* SPDX-License-Identifier: MIT */
/* echo and puts: text for the reader, printed at once wherever they are called. */
#include <stdlib.h>
#include <string.h>

#include "args.h"
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

static const struct arg puts_arg_table[] = {
	SWITCH("nonewline", echo_args, nonewline, "no newline at the end"),
	{ .name = "text",
	  AT(echo_args, words),
	  .kind = &kind_str,
	  .help = "what to print",
	  .flags = ARG_POS | ARG_NEED | ARG_MANY },
	ARGS_END,
};

static void print(struct session *s, const struct echo_args *a)
{
	const char *const *words = a->words.v;
	Tcl_DString d;

	Tcl_DStringInit(&d);
	for (size_t i = 0; i < a->words.n; i++) {
		Tcl_DStringAppend(&d, i ? " " : "", -1);
		Tcl_DStringAppend(&d, words[i], -1);
	}
	out_exact(s->opt.format, Tcl_DStringValue(&d), !a->nonewline);
	Tcl_DStringFree(&d);
}

static int echo_exec(struct session *s, const void *args, struct out *o)
{
	(void)o;
	print(s, args);
	return 0;
}

static int puts_exec(struct session *s, const void *args, struct out *o)
{
	const struct echo_args *a = args;
	const char *const *words = a->words.v;

	(void)o;
	if (a->words.n == 2 && strcmp(words[0], "stdout") == 0) {
		struct echo_args text = { a->nonewline, { (void *)&words[1], 1 } };

		print(s, &text);
		return 0;
	}
	if (a->words.n > 1) {
		fail(s, "puts", "TOOMANY", "puts prints one word: quote it, or use echo");
		return s->opt.unsafe ? fail_next(s, "tcl_puts CHANNEL TEXT writes to a file") : -1;
	}
	print(s, a);
	return 0;
}

static const struct cmd_eg echo_examples[] = {
	{ "echo the device has [llength {a b}] ports", "2 ports" },
	{ "echo -nonewline {no newline after this }", "no newline" },
	{ NULL, NULL },
};

const struct cmd cmd_echo = {
	.name = "echo",
	.family = "scripts",
	.summary = "print words",
	.text = "Prints its words with a blank between two, and a newline. It prints at once, also\n"
		"inside of loops and procs, and with -q. With --json it prints a JSON string, so that\n"
		"every line of standard output stays one JSON value. A word that begins with '-' must\n"
		"come after '--'. On a terminal what could act on it is shown as an escape (\\x1b);\n"
		"into a file or a pipe the words go as they are.",
	.examples = echo_examples,
	.args = echo_arg_table,
	.size = sizeof(struct echo_args),
	.exec = echo_exec,
};

static const struct cmd_eg puts_examples[] = {
	{ "puts \"0x[format %x 255]\"", "0xff" },
	{ NULL, NULL },
};

const struct cmd cmd_puts = {
	.name = "puts",
	.family = "scripts",
	.summary = "print one text, as Tcl's own puts does",
	.text = "For those who know Tcl: prints one word to standard output. There are no other\n"
		"channels unless the shell runs with --unsafe; Tcl's own is tcl_puts there.",
	.examples = puts_examples,
	.args = puts_arg_table,
	.size = sizeof(struct echo_args),
	.exec = puts_exec,
};
