/* SPDX-License-Identifier: MIT */
/* rdmash --pages DIR: what is made from the tables of commands and options, as files. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "command/cmd.h"
#include "file/file.h"
#include "help/help.h"
#include "session.h"

static void write_vim_detection(FILE *to)
{
	fputs("autocmd BufNewFile,BufRead *.rdma setfiletype rdmash\n", to);
}

static const struct page {
	const char *name;
	void (*write)(FILE *to);
} page_table[] = {
	{ "rdmash.1", help_man },   { "rdmash.bash", help_bash },
	{ "_rdmash", help_zsh },    { "rdmash.fish", help_fish },
	{ "rdmash.vim", help_vim }, { "ftdetect.vim", write_vim_detection },
};

static FILE *open_page(struct session *s, const char *dir, const char *name)
{
	char *path = xasprintf("%s/%s", dir, name);
	int fd = file_open(s, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
	FILE *to = fd < 0 ? NULL : fdopen(fd, "w");

	free(path);
	return to;
}

/* -1 with s->fail filled. */
static int close_page(struct session *s, FILE *to, const char *name)
{
	const bool failed = ferror(to);

	if (fclose(to) == 0 && !failed)
		return 0;
	return fail_call(s, errno, "pages", "%s could not be written", name);
}

int help_pages(struct session *s, const char *dir)
{
	FILE *to;

	mkdir(dir, 0777); /* if it fails, opening the first file does, too, and says why */
	for (size_t i = 0; i < sizeof page_table / sizeof *page_table; i++) {
		to = open_page(s, dir, page_table[i].name);
		if (!to)
			return -1;
		page_table[i].write(to);
		if (close_page(s, to, page_table[i].name) != 0)
			return -1;
	}
	for (const struct cmd *const *c = cmd_table; *c; c++) {
		SCOPED_TEXT(name);

		help_man_name(*c, &name);
		text_add(&name, ".1");
		to = open_page(s, dir, text_str(&name));
		if (!to)
			return -1;
		help_man_command(to, *c);
		if (close_page(s, to, text_str(&name)) != 0)
			return -1;
	}
	return 0;
}
