/* SPDX-License-Identifier: MIT */
/* text save, text load: text files for scripts, subject to the checks of file_open(). */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "command/args.h"
#include "command/cmd.h"
#include "file/file.h"
#include "file/save.h"
#include "output/out.h"
#include "session.h"
#include "alloc.h"

#define TEXT_MAX (16u << 20) /* bytes that text load takes */

struct text_args {
	const char *path, *text;
	bool append, force;
};

/* --------------------------------------------------------------------- save -- */

static const struct arg save_arg_table[] = {
	POS("file", text_args, path, kind_path, "file to write"),
	POS("text", text_args, text, kind_str, "the content; a newline is added"),
	SWITCH("append", text_args, append, "append to the file"),
	SWITCH("force", text_args, force, "replace a file that is there"),
	ARGS_END,
};

static int text_save_exec(struct session *s, const void *args, struct out *o)
{
	const struct text_args *a = args;
	char *text = xasprintf("%s\n", a->text);
	int rc;

	(void)o;
	if (a->append)
		rc = save_append(s, a->path, true, 0644, text, strlen(text));
	else
		rc = save_file(s, a->path, a->force, 0644, text, strlen(text));
	free(text);
	return rc;
}

static const struct cmd_eg save_examples[] = {
	{ "text save times.csv time_s,sent_mib", NULL },
	{ "text save times.csv 0.5,128 -append", NULL },
	{ "echo [text load times.csv]", "0.5,128" },
	{ "text save times.csv x", "-force replaces it" },
	{ NULL, NULL },
};

const struct cmd cmd_text_save = {
	.name = "text save",
	.family = "scripts",
	.summary = "write a text to a file",
	.text = "An existing file is replaced only with -force. Either all of the text is written or\n"
		"nothing. -append adds it to the end of the file. A script may write below its own\n"
		"directory (or --allow-dir). For bytes use mem save.",
	.examples = save_examples,
	.args = save_arg_table,
	.size = sizeof(struct text_args),
	.exec = text_save_exec,
};

/* --------------------------------------------------------------------- load -- */

static const struct arg load_arg_table[] = {
	POS("file", text_args, path, kind_path, "file to read"),
	ARGS_END,
};

/* The whole file; NULL with s->fail filled. */
static char *read_text(struct session *s, int fd, const char *path, size_t *len)
{
	size_t room = 65536;
	char *text = xrealloc(NULL, room, 1);
	ssize_t n;

	*len = 0;
	while ((n = file_take(s, fd, path, text + *len, room - *len)) > 0) {
		*len += (size_t)n;
		if (*len == room && room < TEXT_MAX)
			text = xrealloc(text, room *= 2, 1);
		else if (*len == room)
			break;
	}
	if (n == 0 && !memchr(text, 0, *len))
		return text;
	if (n > 0)
		fail(s, "text", "EFBIG", "%s is larger than %u MiB", path, TEXT_MAX >> 20);
	if (n == 0) {
		fail(s, "text", "EILSEQ", "%s is binary: it has zero bytes", path);
		fail_next(s, "mem load MR %s", path);
	}
	free(text);
	return NULL;
}

static int text_load_exec(struct session *s, const void *args, struct out *o)
{
	const struct text_args *a = args;
	int fd = file_open(s, a->path, O_RDONLY, 0);
	size_t len;
	char *text;

	if (fd < 0)
		return -1;
	text = read_text(s, fd, a->path, &len);
	close(fd);
	if (!text)
		return -1;
	if (len && text[len - 1] == '\n')
		len--;
	out_obj(o, Tcl_NewStringObj(text, (int)len));
	out_text(o, "%.*s\n", (int)len, text);
	free(text);
	return 0;
}

static const struct cmd_eg load_examples[] = {
	{ "text save hosts \"10.0.0.1\\n10.0.0.2\"", NULL },
	{ "text load hosts", "10.0.0.2" },
	{ "foreach host [split [text load hosts] \\n] {echo peer $host}", "peer 10.0.0.1" },
	{ NULL, NULL },
};

const struct cmd cmd_text_load = {
	.name = "text load",
	.family = "scripts",
	.summary = "read the text of a file",
	.text = "Its value is the text without the last newline. A script may read below its own\n"
		"directory (or --allow-dir). For bytes use mem load.",
	.examples = load_examples,
	.args = load_arg_table,
	.size = sizeof(struct text_args),
	.exec = text_load_exec,
};
