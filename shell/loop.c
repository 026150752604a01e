/* SPDX-License-Identifier: MIT */
/*
 * The only wait in the program: file descriptors, timers and signals over poll(2).
 *
 * Callbacks may wait again. A nested pass serves what is ready, so the results that the outer pass
 * has not served yet are stale by then (a read could block). The outer pass notices that passes has
 * changed, and polls again.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/queue.h>
#include <time.h>
#include <unistd.h>

#include "loop.h"
#include "alloc.h"

#define NSEC_PER_SEC  1000000000LL
#define NSEC_PER_MSEC 1000000LL
#define NSEC_PER_USEC 1000LL

struct watch {
	TAILQ_ENTRY(watch) link;
	int fd;
	short events;
	loop_fd_fn *fn;
	void *arg;
	unsigned long since; /* the pass in which it was added: revents of that pass do not belong
				to it */
	bool *ready;   /* flag of the innermost loop_wait_fd(), which takes precedence over fn; or
			  NULL */
	short awaited; /* events that it waits for */
};

struct loop_timer {
	TAILQ_ENTRY(loop_timer) link;
	int64_t due;
	loop_fn *fn;
	void *arg;
	bool running; /* off the list, freed when its callback returns */
};

TAILQ_HEAD(watches, watch);
TAILQ_HEAD(timers, loop_timer);

static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGPIPE, SIGXFSZ };
#define N_SIGNALS (sizeof(signals) / sizeof(*signals))

struct loop {
	struct watches watches;
	struct timers timers;
	unsigned n_watches;
	struct pollfd *polled;
	unsigned n_polled, room;
	unsigned long passes;
	int wake;
	struct sigaction before[N_SIGNALS];
	volatile sig_atomic_t interrupted;
	volatile unsigned interrupts;
	volatile sig_atomic_t ending;
	volatile sig_atomic_t resized;
	volatile sig_atomic_t unserved; /* signals that ask for an end */
	void (*on_third)(void);
	loop_fn *on_resize;
	void *on_resize_arg;
};

static struct loop *the_loop;

int64_t loop_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * NSEC_PER_SEC + ts.tv_nsec;
}

static int64_t deadline_after(int64_t n, int64_t unit)
{
	int64_t now = loop_now();

	if (n < 0 || n > (INT64_MAX - now) / unit)
		return INT64_MAX;
	return now + n * unit;
}

static void on_signal(int sig)
{
	struct loop *l = the_loop;
	const uint64_t one = 1;
	int saved = errno;
	ssize_t n;

	if (sig == SIGWINCH)
		l->resized = 1;
	else if (sig != SIGINT)
		l->ending = sig;
	else {
		l->interrupted = 1;
		l->interrupts++;
	}
	if (sig != SIGWINCH && ++l->unserved >= 3 && l->on_third)
		l->on_third();
	n = write(l->wake, &one, sizeof(one));
	(void)n;
	errno = saved;
}

/* A signal that was ignored when the program started stays ignored: nohup, and background jobs of a
 * shell without job control. */
static bool stays_ignored(int sig, const struct sigaction *before)
{
	return sig != SIGWINCH && before->sa_handler == SIG_IGN;
}

/* Does a failing write(2) report the same reason by errno (EPIPE, EFBIG)? Then the signal is
 * ignored. */
static bool fails_with_errno(int sig)
{
	return sig == SIGPIPE || sig == SIGXFSZ;
}

/* SA_RESTART: the libraries do not expect EINTR; poll(2) fails with it anyway. */
static void install_signal_handlers(struct loop *l)
{
	struct sigaction sa = { .sa_flags = SA_RESTART };
	unsigned i;

	sigemptyset(&sa.sa_mask);
	for (i = 0; i < N_SIGNALS; i++) {
		sigaction(signals[i], NULL, &l->before[i]);
		if (stays_ignored(signals[i], &l->before[i]))
			continue;
		sa.sa_handler = fails_with_errno(signals[i]) ? SIG_IGN : on_signal;
		sigaction(signals[i], &sa, NULL);
	}
}

struct loop *loop_new(void)
{
	struct loop *l = xcalloc(1, sizeof(*l));

	TAILQ_INIT(&l->watches);
	TAILQ_INIT(&l->timers);
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (l->wake < 0)
		err(1, "eventfd");
	the_loop = l;
	install_signal_handlers(l);
	return l;
}

static void remove_watch(struct loop *l, struct watch *w)
{
	TAILQ_REMOVE(&l->watches, w, link);
	l->n_watches--;
	free(w);
}

void loop_free(struct loop *l)
{
	struct loop_timer *t;
	struct watch *w;
	unsigned i;

	if (!l)
		return;
	for (i = 0; i < N_SIGNALS; i++)
		sigaction(signals[i], &l->before[i], NULL);
	the_loop = NULL;
	while ((w = TAILQ_FIRST(&l->watches)))
		remove_watch(l, w);
	while ((t = TAILQ_FIRST(&l->timers)))
		loop_cancel(l, t);
	close(l->wake);
	free(l->polled);
	free(l);
}

static struct watch *find_watch(struct loop *l, int fd)
{
	struct watch *w;

	TAILQ_FOREACH(w, &l->watches, link)
		if (w->fd == fd)
			return w;
	return NULL;
}

/* The watch on fd; created if there is none. */
static struct watch *watch_of(struct loop *l, int fd)
{
	struct watch *w = find_watch(l, fd);

	if (w)
		return w;
	w = xcalloc(1, sizeof(*w));
	w->fd = fd;
	w->since = l->passes;
	TAILQ_INSERT_TAIL(&l->watches, w, link);
	l->n_watches++;
	return w;
}

void loop_watch(struct loop *l, int fd, short events, loop_fd_fn *fn, void *arg)
{
	struct watch *w = watch_of(l, fd);

	w->events = events;
	w->fn = fn;
	w->arg = arg;
}

void loop_unwatch(struct loop *l, int fd)
{
	struct watch *w = find_watch(l, fd);

	if (w && w->ready)
		w->fn = NULL;
	else if (w)
		remove_watch(l, w);
}

struct loop_timer *loop_after(struct loop *l, int64_t ms, loop_fn *fn, void *arg)
{
	struct loop_timer *t = xcalloc(1, sizeof(*t)), *at;

	t->due = deadline_after(ms, NSEC_PER_MSEC);
	t->fn = fn;
	t->arg = arg;
	TAILQ_FOREACH_REVERSE(at, &l->timers, timers, link)
		if (at->due <= t->due)
			break;
	if (at)
		TAILQ_INSERT_AFTER(&l->timers, at, t, link);
	else
		TAILQ_INSERT_HEAD(&l->timers, t, link);
	return t;
}

void loop_cancel(struct loop *l, struct loop_timer *t)
{
	if (!t || t->running)
		return;
	TAILQ_REMOVE(&l->timers, t, link);
	free(t);
}

static void run_timers(struct loop *l)
{
	int64_t now = loop_now();
	struct loop_timer *t;

	while ((t = TAILQ_FIRST(&l->timers)) && t->due <= now) {
		TAILQ_REMOVE(&l->timers, t, link);
		t->running = true;
		t->fn(t->arg);
		free(t);
	}
}

static void collect_watches(struct loop *l)
{
	struct watch *w;
	unsigned n = 0;

	if (l->room < l->n_watches + 1) {
		l->room = 2 * (l->n_watches + 1);
		l->polled = xrealloc(l->polled, l->room, sizeof(*l->polled));
	}
	l->polled[n++] = (struct pollfd){ .fd = l->wake, .events = POLLIN };
	TAILQ_FOREACH(w, &l->watches, link)
		l->polled[n++] = (struct pollfd){ .fd = w->fd,
						  .events = w->ready ? w->awaited : w->events };
	l->n_polled = n;
}

static int64_t next_due(const struct loop *l, int64_t until)
{
	const struct loop_timer *t = TAILQ_FIRST(&l->timers);

	return t && t->due < until ? t->due : until;
}

static int poll_until(struct pollfd *polled, unsigned n_polled, int64_t until)
{
	struct timespec ts;
	int64_t left = 0;
	int n;

	if (until != INT64_MAX) {
		left = until - loop_now();
		if (left < 0)
			left = 0;
		ts.tv_sec = left / NSEC_PER_SEC;
		ts.tv_nsec = left % NSEC_PER_SEC;
	}
	n = ppoll(polled, n_polled, until == INT64_MAX ? NULL : &ts, NULL);
	if (n < 0 && errno != EINTR)
		err(1, "poll");
	return n;
}

static void serve_signals(struct loop *l)
{
	uint64_t count;
	ssize_t n = read(l->wake, &count, sizeof(count));

	(void)n;
	l->unserved = 0;
	if (!l->resized)
		return;
	l->resized = 0;
	if (l->on_resize)
		l->on_resize(l->on_resize_arg);
}

static void serve_fd(struct loop *l, struct pollfd p)
{
	struct watch *w = find_watch(l, p.fd);
	loop_fd_fn *fn;
	void *arg;

	if (!w || w->since == l->passes)
		return;
	if (w->ready) {
		*w->ready = true;
		return;
	}
	fn = w->fn;
	arg = w->arg;
	if (p.revents &
	    POLLNVAL) /* fd was closed without loop_unwatch(): it would be ready forever */
		loop_unwatch(l, p.fd);
	fn(arg, p.fd, p.revents);
}

static void run_pass(struct loop *l, int64_t until)
{
	unsigned long this = ++l->passes;
	unsigned i;
	int ready;

	collect_watches(l);
	ready = poll_until(l->polled, l->n_polled, next_due(l, until));
	serve_signals(l);
	run_timers(l);
	if (ready <= 0)
		return;
	for (i = 1; l->passes == this && i < l->n_polled; i++)
		if (l->polled[i].revents)
			serve_fd(l, l->polled[i]);
}

enum loop_end loop_wait(struct loop *l, loop_cond *done, void *arg, int64_t within_ms)
{
	int64_t until = deadline_after(within_ms, NSEC_PER_MSEC);
	bool served = false;

	for (;;) {
		if (done && done(arg))
			return LOOP_DONE;
		if (l->interrupted || l->ending)
			return LOOP_INTERRUPTED;
		if (served && loop_now() >= until)
			return LOOP_TIMEOUT;
		run_pass(l, until);
		served = true;
	}
}

void loop_pass(struct loop *l, int64_t us)
{
	run_pass(l, deadline_after(us, NSEC_PER_USEC));
}

static bool fd_is_ready(void *arg)
{
	return *(bool *)arg;
}

enum loop_end loop_wait_fd(struct loop *l, int fd, short events, int64_t within_ms)
{
	struct watch *w = watch_of(l, fd);
	bool *outer = w->ready, is = false;
	short outer_awaited = w->awaited;
	enum loop_end end;

	w->ready = &is;
	w->awaited = events;
	end = loop_wait(l, fd_is_ready, &is, within_ms);
	w->ready = outer; /* the watch still exists, because it is waited for */
	w->awaited = outer_awaited;
	if (!w->ready && !w->fn)
		remove_watch(l, w);
	return end;
}

bool loop_wait_alone(struct loop *l, int fd, short events)
{
	struct pollfd polled[2] = { { .fd = l->wake, .events = POLLIN },
				    { .fd = fd, .events = events } };

	while (!l->interrupted && !l->ending) {
		int ready = poll_until(polled, 2, INT64_MAX);

		serve_signals(l);
		if (ready > 0 && polled[1].revents)
			return true;
	}
	return false;
}

void loop_rest(int64_t us)
{
	poll_until(NULL, 0, deadline_after(us, NSEC_PER_USEC));
}

void loop_interrupt(struct loop *l)
{
	l->interrupted = 1;
}

bool loop_interrupted(const struct loop *l)
{
	return l->interrupted;
}

void loop_clear_interrupt(struct loop *l)
{
	l->interrupted = 0;
	l->unserved = 0;
}

unsigned loop_interrupts(const struct loop *l)
{
	return l->interrupts;
}

int loop_ending(const struct loop *l)
{
	return l->ending;
}

void loop_on_third(struct loop *l, void (*fn)(void))
{
	l->on_third = fn;
}

void loop_on_resize(struct loop *l, loop_fn *fn, void *arg)
{
	l->on_resize = fn;
	l->on_resize_arg = arg;
}
