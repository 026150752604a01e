/* SPDX-License-Identifier: MIT */
/* The event loop: order of timers, changes from inside callbacks, nested waits, signals.
 */
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include "checks.h"
#include "loop.h"

#define MSEC 1000000LL

static struct loop *loop;
static char order[32];

static void note(char c)
{
	size_t n = strlen(order);

	order[n] = c;
	order[n + 1] = '\0';
}

static char letters[] = "abcdefghijklmnopqrstuvwxyz";
#define LETTER(c) (&letters[(c) - 'a'])

static void note_timer(void *arg)
{
	note(*(const char *)arg);
}

static bool noted(void *arg)
{
	return strlen(order) >= *(const size_t *)arg;
}

static enum loop_end wait_notes(size_t n)
{
	return loop_wait(loop, noted, &n, 5000);
}

static void timers_in_order(void)
{
	struct loop_timer *gone;
	int64_t start = loop_now();

	order[0] = '\0';
	loop_after(loop, 30, note_timer, LETTER('c'));
	loop_after(loop, 10, note_timer, LETTER('a'));
	gone = loop_after(loop, 15, note_timer, LETTER('x'));
	loop_after(loop, 10, note_timer, LETTER('b'));
	loop_cancel(loop, gone);
	CHECK_INT(wait_notes(3), LOOP_DONE);
	CHECK_STR(order, "abc");
	CHECK(loop_now() - start >= 30 * MSEC);
}

static struct loop_timer *self;

static void cancel_self(void *arg)
{
	(void)arg;
	loop_cancel(loop, self);
	note('s');
	loop_after(loop, 1, note_timer, LETTER('t'));
}

static void timer_cancels_itself(void)
{
	order[0] = '\0';
	self = loop_after(loop, 0, cancel_self, NULL);
	CHECK_INT(wait_notes(2), LOOP_DONE);
	CHECK_STR(order, "st");
}

/* Either pipe's watch takes both away: only the first of the two may run. */
static int both[2][2];

static void unwatch_both(void *arg, int fd, short revents)
{
	(void)arg;
	(void)fd;
	CHECK(revents & POLLIN);
	note('u');
	loop_unwatch(loop, both[0][0]);
	loop_unwatch(loop, both[1][0]);
}

static void unwatch_inside(void)
{
	size_t two = 2;
	int i;

	order[0] = '\0';
	for (i = 0; i < 2; i++) {
		CHECK_INT(pipe(both[i]), 0);
		CHECK_INT(write(both[i][1], "x", 1), 1);
		loop_watch(loop, both[i][0], POLLIN, unwatch_both, NULL);
	}
	CHECK_INT(loop_wait(loop, noted, &two, 20), LOOP_TIMEOUT);
	CHECK_STR(order, "u");
	for (i = 0; i < 2; i++) {
		close(both[i][0]);
		close(both[i][1]);
	}
}

static void read_one(void *arg, int fd, short revents)
{
	char c;

	(void)arg;
	(void)revents;
	CHECK_INT(read(fd, &c, 1), 1);
	note(c);
}

/* Reads one byte, then waits until the other pipe's byte has been read: by a nested pass.
 * The outer pass has stale knowledge of that pipe then, and a second read would block. */
static void wait_inside(void *arg, int fd, short revents)
{
	read_one(arg, fd, revents);
	CHECK_INT(wait_notes(2), LOOP_DONE);
	note(')');
}

static void nested_wait(void)
{
	int p[2], q[2];

	order[0] = '\0';
	CHECK_INT(pipe(p), 0);
	CHECK_INT(pipe(q), 0);
	CHECK_INT(write(p[1], "(", 1), 1);
	CHECK_INT(write(q[1], "-", 1), 1);
	loop_watch(loop, p[0], POLLIN, wait_inside, NULL);
	loop_watch(loop, q[0], POLLIN, read_one, NULL);
	CHECK_INT(wait_notes(3), LOOP_DONE);
	CHECK_STR(order, "(-)");
	loop_unwatch(loop, p[0]);
	loop_unwatch(loop, q[0]);
	close(p[0]);
	close(p[1]);
	close(q[0]);
	close(q[1]);
}

/* The number of a closed descriptor comes back at once: the new watch must not be told
 * what was ready on the old one. */
static int reused[2];

static void fresh_watch(void *arg, int fd, short revents)
{
	(void)arg;
	(void)fd;
	(void)revents;
	note('!');
}

static void replace_other(void *arg, int fd, short revents)
{
	int p[2];

	(void)arg;
	(void)revents;
	loop_unwatch(loop, fd);
	loop_unwatch(loop, reused[0]);
	close(reused[0]);
	close(reused[1]);
	CHECK_INT(pipe(p), 0);
	CHECK_INT(p[0], reused[0]);
	reused[1] = p[1];
	loop_watch(loop, p[0], POLLIN, fresh_watch, NULL);
	note('r');
}

static void reused_descriptor(void)
{
	size_t two = 2;
	int p[2];

	order[0] = '\0';
	CHECK_INT(pipe(p), 0);
	CHECK_INT(pipe(reused), 0);
	CHECK_INT(write(p[1], "x", 1), 1);
	CHECK_INT(write(reused[1], "x", 1), 1);
	loop_watch(loop, p[0], POLLIN, replace_other, NULL);
	loop_watch(loop, reused[0], POLLIN, fresh_watch, NULL);
	CHECK_INT(loop_wait(loop, noted, &two, 20), LOOP_TIMEOUT);
	CHECK_STR(order, "r");
	loop_unwatch(loop, reused[0]);
	close(reused[0]);
	close(reused[1]);
	close(p[0]);
	close(p[1]);
}

static void note_invalid(void *arg, int fd, short revents)
{
	(void)arg;
	(void)fd;
	CHECK_INT(revents, POLLNVAL);
	note('n');
}

static void closed_descriptor(void)
{
	size_t two = 2;
	int p[2];

	order[0] = '\0';
	CHECK_INT(pipe(p), 0);
	loop_watch(loop, p[0], POLLIN, note_invalid, NULL);
	close(p[0]);
	close(p[1]);
	CHECK_INT(loop_wait(loop, noted, &two, 20), LOOP_TIMEOUT);
	CHECK_STR(order, "n");
}

static void many_descriptors(void)
{
	int p[50][2];
	int i;

	order[0] = '\0';
	for (i = 0; i < 50; i++) {
		CHECK_INT(pipe(p[i]), 0);
		loop_watch(loop, p[i][0], POLLIN, read_one, NULL);
	}
	CHECK_INT(write(p[49][1], "z", 1), 1);
	CHECK_INT(wait_notes(1), LOOP_DONE);
	CHECK_STR(order, "z");
	for (i = 0; i < 50; i++) {
		loop_unwatch(loop, p[i][0]);
		close(p[i][0]);
		close(p[i][1]);
	}
}

static bool never(void *arg)
{
	(void)arg;
	return false;
}

static bool always(void *arg)
{
	(void)arg;
	return true;
}

static void times(void)
{
	int64_t start;
	int p[2];

	order[0] = '\0';
	CHECK_INT(pipe(p), 0);
	CHECK_INT(write(p[1], "w", 1), 1);
	loop_watch(loop, p[0], POLLIN, read_one, NULL);
	CHECK_INT(loop_wait(loop, never, NULL, 0), LOOP_TIMEOUT);
	CHECK_STR(order, "w");
	loop_unwatch(loop, p[0]);
	close(p[0]);
	close(p[1]);

	start = loop_now();
	CHECK_INT(loop_wait(loop, NULL, NULL, 20), LOOP_TIMEOUT);
	CHECK(loop_now() - start >= 20 * MSEC);
	CHECK_INT(loop_wait(loop, always, NULL, LOOP_FOREVER), LOOP_DONE);
	CHECK_INT(loop_wait(loop, always, NULL, INT64_MAX), LOOP_DONE);

	start = loop_now();
	loop_pass(loop, 300);
	CHECK(loop_now() - start >= 300000);
	CHECK(loop_now() - start < 1000 * MSEC);
}

static void raise_int(void *arg)
{
	(void)arg;
	raise(SIGINT);
}

static void interrupts(void)
{
	loop_after(loop, 5, raise_int, NULL);
	CHECK_INT(loop_wait(loop, NULL, NULL, LOOP_FOREVER), LOOP_INTERRUPTED);
	CHECK(loop_interrupted(loop));
	CHECK_INT(loop_wait(loop, NULL, NULL, LOOP_FOREVER), LOOP_INTERRUPTED);
	loop_clear_interrupt(loop);
	CHECK(!loop_interrupted(loop));
	CHECK_INT(loop_interrupts(loop), 1);
	CHECK_INT(loop_wait(loop, NULL, NULL, 1), LOOP_TIMEOUT);
	CHECK_INT(loop_ending(loop), 0);
}

static void resizes(void)
{
	size_t one = 1;

	order[0] = '\0';
	loop_on_resize(loop, note_timer, LETTER('w'));
	raise(SIGWINCH);
	CHECK_STR(order, "");
	CHECK_INT(loop_wait(loop, noted, &one, 1000), LOOP_DONE);
	CHECK_STR(order, "w");
}

static void broken_pipe(void)
{
	int p[2];

	CHECK_INT(pipe(p), 0);
	close(p[0]);
	CHECK_INT(write(p[1], "x", 1), -1);
	close(p[1]);
}

static void ends(void)
{
	raise(SIGTERM);
	CHECK_INT(loop_ending(loop), SIGTERM);
	CHECK_INT(loop_wait(loop, NULL, NULL, LOOP_FOREVER), LOOP_INTERRUPTED);
	loop_clear_interrupt(loop);
	CHECK_INT(loop_wait(loop, NULL, NULL, LOOP_FOREVER), LOOP_INTERRUPTED);
}

static void left_behind(void)
{
	struct sigaction sa;

	loop_after(loop, 100000, note_timer, LETTER('l'));
	loop_watch(loop, 0, POLLIN, fresh_watch, NULL);
	loop_free(loop);
	sigaction(SIGTERM, NULL, &sa);
	CHECK(sa.sa_handler == SIG_DFL);
	sigaction(SIGHUP, NULL, &sa);
	CHECK(sa.sa_handler == SIG_IGN);
}

int main(void)
{
	struct sigaction sa;

	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGHUP, SIG_IGN);
	loop = loop_new();
	sigaction(SIGHUP, NULL, &sa);
	CHECK(sa.sa_handler == SIG_IGN);

	timers_in_order();
	timer_cancels_itself();
	unwatch_inside();
	nested_wait();
	reused_descriptor();
	closed_descriptor();
	many_descriptors();
	times();
	interrupts();
	resizes();
	broken_pipe();
	ends();
	left_behind();
	return checks_end();
}
