// SPDX-License-Identifier: MIT
/*
 * Each thread says what it is about to touch and where to go on when that faults; the
 * handler, which runs in the thread that faulted, jumps there. The handlers block no signal
 * (SA_NODEFER), so that a jump out of them leaves nothing to be restored.
 */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#define PAGE_MASK (~(uintptr_t)4095)

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define GUARD_TSAN 1
#endif
#elif defined(__SANITIZE_THREAD__)
#define GUARD_TSAN 1
#endif

#ifdef GUARD_TSAN
#define SAVE_MASK 1 /* its handlers, which call ours, do block signals */
#define UNSEEN	  true
#else
#define SAVE_MASK 0
#define UNSEEN	  false
#endif

struct range {
	uintptr_t first, last;
};

/* initial-exec: the handler must not be the first to allocate it. */
static __thread struct {
	volatile sig_atomic_t active;
	struct range range[2];
	sigjmp_buf back;
} guard __attribute__((tls_model("initial-exec")));

enum { SEGV, BUS, SIGNALS };
static const int numbers[SIGNALS] = { SIGSEGV, SIGBUS };
static struct sigaction former[SIGNALS];

static bool ours(const siginfo_t *info)
{
	uintptr_t at = (uintptr_t)info->si_addr;

	if (!guard.active || info->si_code <= 0) /* somebody sent it: kill(2) */
		return false;
	for (unsigned i = 0; i < 2; i++) /* a fault may be told with the address of its page */
		if (at >= (guard.range[i].first & PAGE_MASK) && at <= guard.range[i].last)
			return true;
	return false;
}

/* The same as without our handler: the action comes into force, and the fault happens again; a
 * signal that was sent is sent again. */
static void default_action(int sig, const siginfo_t *info)
{
	struct sigaction sa = { .sa_handler = SIG_DFL };

	sigaction(sig, &sa, NULL);
	if (info->si_code <= 0)
		raise(sig);
}

static void call_former(int sig, siginfo_t *info, void *context, struct sigaction *f)
{
	struct sigaction sa = *f;
	sigset_t block = sa.sa_mask, before;

	if (sa.sa_flags & (int)SA_RESETHAND)
		*f = (struct sigaction){ .sa_handler = SIG_DFL };
	if (!(sa.sa_flags & SA_NODEFER))
		sigaddset(&block, sig);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	if (sa.sa_flags & SA_SIGINFO)
		sa.sa_sigaction(sig, info, context);
	else
		sa.sa_handler(sig);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void on_fault(int sig, siginfo_t *info, void *context)
{
	struct sigaction *f = &former[sig == SIGSEGV ? SEGV : BUS];
	int saved = errno;

	if (ours(info)) {
		guard.active = 0;
		siglongjmp(guard.back, 1);
	}
	if (f->sa_flags & SA_SIGINFO || (f->sa_handler != SIG_DFL && f->sa_handler != SIG_IGN))
		call_former(sig, info, context, f);
	else if (f->sa_handler == SIG_DFL || info->si_code > 0) /* no fault can be ignored */
		default_action(sig, info);
	errno = saved;
}

static int install(unsigned i)
{
	struct sigaction sa = { .sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK };

	sa.sa_sigaction = on_fault;
	sigemptyset(&sa.sa_mask);
	/* the handler may run as soon as it is there: it must know its predecessor before */
	if (sigaction(numbers[i], NULL, &former[i]) != 0)
		return -1;
	sa.sa_flags |= former[i].sa_flags & SA_RESTART;
	return sigaction(numbers[i], &sa, NULL);
}

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int failed;

static void install_all(void)
{
	for (unsigned i = 0; i < SIGNALS; i++)
		if (install(i) != 0)
			failed = errno;
}

int guard_install(void)
{
	pthread_once(&once, install_all);
	errno = failed;
	return failed ? -1 : 0;
}

static inline struct range range_of(const void *p, size_t n)
{
	return (struct range){ (uintptr_t)p, (uintptr_t)p + n - 1 };
}

static inline void enter(void)
{
	guard.active = 1;
	atomic_signal_fence(memory_order_seq_cst);
}

static inline void leave(void)
{
	atomic_signal_fence(memory_order_seq_cst);
	guard.active = 0;
}

static int faulted(void)
{
	errno = EFAULT;
	return -1;
}

/* No race or access of ours: a sanitizer, of the program or of this library, is not to see it. */
static bool unseen = UNSEEN;

/* Slowly, but not by a function that a sanitizer has taken over. */
__attribute__((no_sanitize("address"), no_sanitize("thread"), noinline, cold)) static void
copy_unseen(void *dst, const void *src, size_t n)
{
	volatile uint8_t *to = dst;
	const volatile uint8_t *from = src;

	while (n--)
		*to++ = *from++;
}

static inline void copy(void *dst, const void *src, size_t n)
{
	if (__builtin_expect(unseen, 0))
		copy_unseen(dst, src, n);
	else
		memcpy(dst, src, n);
}

void guard_copy_unseen(void)
{
	unseen = true;
}

int guard_copy(void *dst, const void *src, size_t n)
{
	size_t last;

	if (n == 0)
		return 0;
	last = (((uintptr_t)dst + n - 1) & 7) + 1;
	if (last > n)
		last = n;
	guard.range[0] = range_of(dst, n);
	guard.range[1] = range_of(src, n);
	if (sigsetjmp(guard.back, SAVE_MASK))
		return faulted();
	enter();
	if (n > last) {
		copy(dst, src, n - last);
		atomic_thread_fence(memory_order_release);
	}
	copy((char *)dst + n - last, (const char *)src + n - last, last);
	leave();
	return 0;
}

__attribute__((no_sanitize("thread"))) int guard_store(uint64_t *p, uint64_t value)
{
	guard.range[0] = guard.range[1] = range_of(p, sizeof(*p));
	if (sigsetjmp(guard.back, SAVE_MASK))
		return faulted();
	enter();
	__atomic_store_n(p, value, __ATOMIC_RELEASE);
	leave();
	return 0;
}

__attribute__((no_sanitize("thread"))) int guard_fetch_add(uint64_t *p, uint64_t add, uint64_t *old)
{
	uint64_t was;

	guard.range[0] = guard.range[1] = range_of(p, sizeof(*p));
	if (sigsetjmp(guard.back, SAVE_MASK))
		return faulted();
	enter();
	was = __atomic_fetch_add(p, add, __ATOMIC_SEQ_CST);
	leave();
	*old = was;
	return 0;
}

__attribute__((no_sanitize("thread"))) int guard_cmp_swap(uint64_t *p, uint64_t compare,
							  uint64_t swap, uint64_t *old)
{
	guard.range[0] = guard.range[1] = range_of(p, sizeof(*p));
	if (sigsetjmp(guard.back, SAVE_MASK))
		return faulted();
	enter();
	__atomic_compare_exchange_n(p, &compare, swap, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	leave();
	*old = compare;
	return 0;
}
