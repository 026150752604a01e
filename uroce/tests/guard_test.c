// SPDX-License-Identifier: MIT
/* Copies that fault, and the handlers that were there before ours. */
#include "engine.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "checks.h"

#define PAGE 4096

static char *map(size_t n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(p != MAP_FAILED);
	return p;
}

static void faults(void *dst, const void *src, size_t n)
{
	errno = 0;
	CHECK_INT(guard_copy(dst, src, n), -1);
	CHECK_INT(errno, EFAULT);
}

static void test_copies(void)
{
	uint8_t from[96], to[96];

	for (unsigned i = 0; i < sizeof(from); i++)
		from[i] = (uint8_t)(i + 1);
	for (unsigned at = 0; at < 16; at++)
		for (unsigned n = 0; n <= 64; n++) {
			memset(to, 0, sizeof(to));
			CHECK_INT(guard_copy(to + at, from + 3, n), 0);
			CHECK(memcmp(to + at, from + 3, n) == 0);
			CHECK(to[at + n] == 0 && (at == 0 || to[at - 1] == 0));
		}
}

static void test_faults(void)
{
	char *p = map(4 * PAGE), buf[3 * PAGE] = { 0 };

	CHECK_INT(mprotect(p, PAGE, PROT_NONE), 0);
	faults(buf, p, 1);
	faults(p, buf, 8);
	faults(buf, p + PAGE - 1, 3);
	faults(p + PAGE - 8, buf, PAGE);
	CHECK_INT(munmap(p + 2 * PAGE, 2 * PAGE), 0);
	faults(buf, p + PAGE, PAGE + 1);
	faults(p + PAGE, buf, 2 * PAGE);
	faults(p + 3 * PAGE, p + PAGE, 100);
	CHECK_INT(mprotect(p + PAGE, PAGE, PROT_READ), 0);
	faults(p + PAGE, buf, 1);
	CHECK_INT(guard_copy(buf, p + PAGE, PAGE), 0);
	munmap(p, 2 * PAGE);
}

static void test_truncated_file(void)
{
	char name[] = "/tmp/uroce-guard-XXXXXX", buf[8] = { 0 }, *p;
	int fd = mkstemp(name);

	CHECK(fd >= 0);
	unlink(name);
	CHECK_INT(ftruncate(fd, PAGE), 0);
	p = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	CHECK_INT(guard_copy(p, buf, 8), 0);
	CHECK_INT(ftruncate(fd, 0), 0);
	faults(p, buf, 8); /* SIGBUS */
	faults(buf, p, 8);
	munmap(p, PAGE);
	close(fd);
}

static void test_atomics(void)
{
	uint64_t *p = (uint64_t *)map(PAGE), old = 77;

	*p = 5;
	CHECK_INT(guard_fetch_add(p, 3, &old), 0);
	CHECK_INT((int64_t)old, 5);
	CHECK_INT(guard_cmp_swap(p, 8, 20, &old), 0);
	CHECK_INT((int64_t)old, 8);
	CHECK_INT(guard_cmp_swap(p, 8, 30, &old), 0);
	CHECK_INT((int64_t)old, 20);
	CHECK_INT((int64_t)*p, 20);
	CHECK_INT(mprotect(p, PAGE, PROT_NONE), 0);
	old = 1;
	CHECK_INT(guard_fetch_add(p, 3, &old), -1);
	CHECK_INT(guard_cmp_swap(p, 8, 20, &old), -1);
	CHECK_INT(errno, EFAULT);
	CHECK_INT((int64_t)old, 1);
	munmap(p, PAGE);
}

static void *fault_often(void *arg)
{
	char *none = arg, buf[64] = { 0 };
	uintptr_t wrong = 0;

	for (unsigned i = 0; i < 5000; i++) {
		wrong += guard_copy(buf, none, 16) != -1;
		wrong += guard_copy(buf + 32, buf, 16) != 0;
	}
	return (void *)wrong;
}

static void test_threads(void)
{
	char *none = map(PAGE);
	pthread_t thread[3];

	CHECK_INT(mprotect(none, PAGE, PROT_NONE), 0);
	for (unsigned i = 0; i < 3; i++)
		CHECK_INT(pthread_create(&thread[i], NULL, fault_often, none), 0);
	for (unsigned i = 0; i < 3; i++) {
		void *wrong;

		pthread_join(thread[i], &wrong);
		CHECK(!wrong);
	}
	munmap(none, PAGE);
}

/* ------------------------------------------------ handlers that were there first -- */

static char *page;
static volatile sig_atomic_t calls, usr1_blocked;

static void mend(void)
{
	calls++;
	mprotect(page, PAGE, PROT_READ | PROT_WRITE);
}

static void with_info(int sig, siginfo_t *info, void *context)
{
	sigset_t mask;

	(void)context;
	if (info->si_code > 0 && info->si_addr != page + 8)
		_exit(50);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	usr1_blocked = sigismember(&mask, SIGUSR1) && sigismember(&mask, sig);
	mend();
}

static void plain(int sig)
{
	if (sig != SIGSEGV && sig != SIGBUS)
		_exit(51);
	mend();
}

/* Runs a case in a child, where our handlers come after those of the case; returns what
 * waitpid() says. */
static int in_child(void (*fn)(void))
{
	pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		page = map(PAGE);
		mprotect(page, PAGE, PROT_NONE);
		fn();
		_exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	return status;
}

static void earlier(int flags, void (*handler)(int), void (*action)(int, siginfo_t *, void *))
{
	struct sigaction sa = { .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaddset(&sa.sa_mask, SIGUSR1);
	if (action)
		sa.sa_sigaction = action;
	else
		sa.sa_handler = handler;
	CHECK_INT(sigaction(SIGSEGV, &sa, NULL), 0);
	CHECK_INT(sigaction(SIGBUS, &sa, NULL), 0);
	CHECK_INT(guard_install(), 0);
	CHECK_INT(guard_install(), 0);
}

static void touch(void)
{
	*(volatile char *)(page + 8) = 1;
}

static void gets_its_own(void)
{
	char buf[8];

	CHECK_INT(guard_copy(buf, page, 8), -1);
	CHECK_INT(calls, 0);
	touch();
	CHECK_INT(calls, 1);
	CHECK_INT(page[8], 1);
	raise(SIGSEGV);
	raise(SIGBUS);
	CHECK_INT(calls, 3);
	CHECK_INT(guard_copy(buf, page, 8), 0);
}

static void case_info(void)
{
	sigset_t mask;

	earlier(SA_SIGINFO, NULL, with_info);
	gets_its_own();
	CHECK(usr1_blocked);
	pthread_sigmask(SIG_BLOCK, NULL, &mask);
	CHECK(!sigismember(&mask, SIGUSR1) && !sigismember(&mask, SIGSEGV));
}

static void case_plain(void)
{
	earlier(SA_NODEFER, plain, NULL);
	gets_its_own();
}

static void case_reset(void)
{
	earlier((int)SA_RESETHAND, plain, NULL);
	touch();
	CHECK_INT(calls, 1);
	raise(SIGSEGV);
	_exit(52);
}

static void case_default(void)
{
	earlier(0, SIG_DFL, NULL);
	touch();
	_exit(53);
}

static void case_default_sent(void)
{
	earlier(0, SIG_DFL, NULL);
	raise(SIGBUS);
	_exit(54);
}

static void case_ignored(void)
{
	earlier(0, SIG_IGN, NULL);
	raise(SIGSEGV); /* that can be ignored, a fault cannot */
	touch();
	_exit(55);
}

static void test_handlers(void)
{
	int status;

	CHECK_INT(in_child(case_info), 0);
	CHECK_INT(in_child(case_plain), 0);
	status = in_child(case_reset);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = in_child(case_default);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
	status = in_child(case_default_sent);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
	status = in_child(case_ignored);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

int main(void)
{
	test_handlers();
	CHECK_INT(guard_install(), 0);
	test_copies();
	test_faults();
	test_truncated_file();
	test_atomics();
	test_threads();
	return checks_end();
}
