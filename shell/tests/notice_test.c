/* SPDX-License-Identifier: MIT */
/* Notices without an editor: one line each on standard error, nothing of them acting. */
#include <signal.h>
#include <unistd.h>

#include "checks.h"
#include "output/print.h"

static int err[2];

static void redirect(void)
{
	CHECK_INT(pipe(err), 0);
	CHECK_INT(dup2(err[1], STDERR_FILENO), STDERR_FILENO);
	close(err[1]);
}

/* The text that was written since the last call, at most one pipe's worth. */
static const char *written(void)
{
	static char text[4096];
	ssize_t n;

	fputs("|", stderr);
	n = read(err[0], text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static unsigned lines_in(const char *text)
{
	unsigned n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

/* A thousand of a kind are fifty and a number; other kinds are not affected, nor are packets. */
static void flood(void)
{
	struct notices *n = notices_new(NULL);
	const char *text;

	for (int i = 0; i < 1000; i++)
		notice_post(n, NOTICE_CM, "id%d", i);
	text = written();
	CHECK_INT(lines_in(text), 50);
	notice_post(n, NOTICE_ASYNC, "other");
	CHECK_STR(written(), "* async other\n|");
	notices_free(n);
	CHECK_STR(written(), "* cm    950 more, which are not shown\n|");
	n = notices_new(NULL);
	for (int i = 0; i < 100; i++)
		notice_post(n, NOTICE_WIRE, "->");
	CHECK_INT(lines_in(written()), 100);
	notices_free(n);
	CHECK_STR(written(), "|");
}

int main(void)
{
	struct notices *n = notices_new(NULL);
	const bool colors = true;
	int saved = dup(STDERR_FILENO);

	redirect();
	notice_post(n, NOTICE_CM, "id%d: DISCONNECTED by peer", 0);
	CHECK_STR(written(), "* cm    id0: DISCONNECTED by peer\n|");
	notice_post(n, NOTICE_ASYNC, "%s", "a\033[2J\r\n\tb\302\233c\303\266\177");
	CHECK_STR(written(), "* async a\\x1b[2J\\x0d\\n\\tb\\u009bc\303\266\\x7f\n|");

	CHECK_INT(notices_shown(n), (1u << NOTICE_KINDS) - 1);
	notices_show(n, 1u << NOTICE_ASYNC);
	notice_post(n, NOTICE_CM, "not shown");
	CHECK_STR(written(), "|");
	notices_show(n, 1u << NOTICE_CQ);
	print_color(&colors);
	notice_post(n, NOTICE_CQ, "cq0");
	CHECK_STR(written(), "\033[32m* cq    \033[0mcq0\n|");

	print_color(NULL);
	flood();

	signal(SIGPIPE, SIG_IGN);
	close(err[0]);
	notice_post(n, NOTICE_CQ, "nobody reads this");
	dup2(saved, STDERR_FILENO);
	close(saved);
	notices_free(n);
	return checks_end();
}
