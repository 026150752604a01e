/* SPDX-License-Identifier: MIT */
/* Terminal modes while the program is stopped (SIGTSTP, SIGCONT) and when it panics. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "edit_impl.h"
#include "keys.h"

static struct edit *the_edit;

static void write_all(const char *s)
{
	ssize_t n = write(STDOUT_FILENO, s, strlen(s));

	(void)n;
}

static void let_go(struct edit *e)
{
	tcsetattr(STDIN_FILENO, TCSANOW, &e->cooked);
	if (!e->dumb)
		write_all(KEYS_PASTE_OFF);
}

static void resume(struct edit *e)
{
	if (!e->typing)
		return;
	tcsetattr(STDIN_FILENO, TCSADRAIN, &e->raw);
	if (!e->dumb)
		write_all(KEYS_PASTE_ON);
	e->resumed = 1;
	raise(SIGWINCH);
}

static void on_cont(int sig)
{
	int saved = errno;

	(void)sig;
	resume(the_edit);
	errno = saved;
}

static void on_stop(int sig)
{
	struct sigaction stop = { .sa_handler = SIG_DFL }, own;
	int saved = errno;

	if (the_edit->typing)
		let_go(the_edit);
	sigaction(sig, &stop, &own);
	raise(sig);
	sigaction(sig, &own, NULL);
	errno = saved;
}

/* SA_NODEFER: the handler stops the process by the same signal. */
void edit_catch_stops(struct edit *e)
{
	struct sigaction stop = { .sa_handler = on_stop, .sa_flags = SA_RESTART | SA_NODEFER };
	struct sigaction cont = { .sa_handler = on_cont, .sa_flags = SA_RESTART };

	sigaction(SIGTSTP, NULL, &e->stop_before);
	if (e->stop_before.sa_handler != SIG_IGN)
		sigaction(SIGTSTP, &stop, NULL);
	sigaction(SIGCONT, &cont, &e->cont_before);
}

void edit_release_stops(struct edit *e)
{
	sigaction(SIGTSTP, &e->stop_before, NULL);
	sigaction(SIGCONT, &e->cont_before, NULL);
}

void edit_panic(struct edit *e)
{
	if (!e->typing)
		return;
	let_go(e);
	write_all("\r\n");
}

/* exit(3) while a line is typed: memory has run out, say. */
static void at_exit(void)
{
	if (the_edit)
		edit_panic(the_edit);
}

void edit_guard(struct edit *e)
{
	static bool registered;

	the_edit = e;
	if (!registered)
		registered = atexit(at_exit) == 0;
}
