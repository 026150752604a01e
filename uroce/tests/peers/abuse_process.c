// SPDX-License-Identifier: MIT
/* Cases of abuse: fork, exec, an end in the middle of things, a library that goes. */
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abuse.h"
#include "checks.h"
#include "qp_pair.h"
#include "uroce.h"

#ifdef SANITIZED
#define DEEPBIND 0 /* which a sanitizer refuses */
#else
#define DEEPBIND RTLD_DEEPBIND
#endif

static atomic_bool stop;

static void *go_on(void *arg)
{
	while (!stop)
		pair_works(arg);
	return NULL;
}

static void ends_well(pid_t pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	CHECK_INT(status, 0);
}

/* In a child, AddressSanitizer of gcc 12 waits for ever for a lock of its allocator that another
 * thread had when the process forked: with it there is no busy thread, and the engine's sleeps. */
#ifdef __SANITIZE_ADDRESS__
#define BUSY_FORKS 0

static bool all_sleep(DIR *tasks)
{
	struct dirent *e;
	bool asleep = true;

	rewinddir(tasks);
	while (asleep && (e = readdir(tasks))) {
		char path[64], stat[256] = "";
		int tid = atoi(e->d_name), fd;

		if (!tid || tid == gettid())
			continue;
		snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
		fd = open(path, O_RDONLY);
		asleep = fd >= 0 && read(fd, stat, sizeof(stat) - 1) > 0 && strstr(stat, ") S ");
		close(fd);
	}
	return asleep;
}

static void await_others_sleep(void)
{
	DIR *tasks = opendir("/proc/self/task");

	CHECK(tasks);
	while (!all_sleep(tasks))
		usleep(1000);
	closedir(tasks);
}
#else
#define BUSY_FORKS 1

static void await_others_sleep(void)
{
}
#endif

/* The child lets go of what it has inherited, or does not, and makes its own. */
static void child(struct pair *p, unsigned i)
{
	if (i % 2)
		pair_close(p);
	exit(plain());
}

int forks(void)
{
	struct pair p, busy;
	pthread_t thread;

#if defined(__SANITIZE_THREAD__)
	puts("ThreadSanitizer wants no threads in a child: skipped");
	return SKIPPED;
#endif
	pair_make(&p, 0);
	pair_make(&busy, 0);
	if (BUSY_FORKS)
		CHECK_INT(pthread_create(&thread, NULL, go_on, &busy), 0);
	for (unsigned i = 0; i < 6; i++) {
		pid_t pid;

		pair_works(&p);
		fflush(NULL);
		await_others_sleep();
		pid = fork();
		if (pid == 0)
			child(&p, i);
		pair_works(&p);
		ends_well(pid);
	}
	stop = true;
	if (BUSY_FORKS)
		pthread_join(thread, NULL);
	pair_works(&p);
	pair_close(&p);
	pair_close(&busy);
	return 0;
}

/* Descriptors of sockets that are told the TTL of what they receive. */
static unsigned told_ttl(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 64; fd++) {
		int on = 0;
		socklen_t size = sizeof(on);

		n += getsockopt(fd, IPPROTO_IP, IP_RECVTTL, &on, &size) == 0 && on;
	}
	return n;
}

static void tap(void *arg, const struct uroce_packet *p)
{
	(void)arg;
	(void)p;
}

/* The sockets that the child closes are those of the parent, too. */
int fork_with_tap(void)
{
	int (*set_tap)(uroce_tap_fn *, void *);
	unsigned before;
	struct pair p;
	pid_t pid;

	*(void **)&set_tap = dlsym(RTLD_DEFAULT, "uroce_tap");
	CHECK(set_tap != NULL);
	pair_make(&p, 0);
	CHECK_INT(set_tap(tap, NULL), 0);
	before = told_ttl();
	CHECK(before > 0);
	pid = fork();
	if (pid == 0)
		_exit(0);
	ends_well(pid);
	CHECK_INT(told_ttl(), before);
	pair_works(&p);
	pair_close(&p);
	return 0;
}

int execs(void)
{
	struct pair p;

	pair_make(&p, 0);
	for (unsigned i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl("/proc/self/exe", "abuse", "plain", NULL);
			_exit(1);
		}
		pair_works(&p);
		ends_well(pid);
	}
	CHECK_INT(system("ls / >/dev/null"), 0);
	pair_works(&p);
	pair_close(&p);
	return 0;
}

int exit_dirty(void)
{
	static struct pair p;
	pthread_t thread;

	pair_make(&p, 0);
	CHECK_INT(pthread_create(&thread, NULL, go_on, &p), 0);
	usleep(20000);
	exit(0);
}

static void exit_now(int sig)
{
	(void)sig;
	exit(0);
}

/* In the middle of whatever call is being made. */
int exit_in_handler(void)
{
	struct itimerval t = { .it_value.tv_usec = 30000 };
	static struct pair p;

	pair_make(&p, 0);
	signal(SIGALRM, exit_now);
	setitimer(ITIMER_REAL, &t, NULL);
	go_on(&p);
	return 1;
}

static void bind_once(struct rdma_event_channel *channel)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct rdma_cm_id *id;

	CHECK_INT(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
	CHECK_INT(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
	CHECK_INT(rdma_destroy_id(id), 0);
}

static void bind_until_exit(long usec)
{
	struct itimerval t = { .it_value.tv_usec = usec };
	struct rdma_event_channel *channel = rdma_create_event_channel();

	CHECK(channel != NULL);
	signal(SIGALRM, exit_now);
	setitimer(ITIMER_REAL, &t, NULL);
	for (;;)
		bind_once(channel);
}

/* The library says goodbye to the peers at the end: it must not wait for itself. */
int exit_in_cm_call(void)
{
	bind_until_exit(30000);
	return 1;
}

static ssize_t write_for_ever(void *fd, const char *text, size_t n)
{
	CHECK_INT(write(*(int *)fd, text, 1), 1);
	while (n)
		pause();
	return 0;
}

/* The last action of exit() is to write what FILEs still have. */
static void exit_for_ever(int fd, long usec)
{
	cookie_io_functions_t functions = { .write = write_for_ever };
	FILE *file = fopencookie(&fd, "w", functions);

	CHECK_INT(prctl(PR_SET_PDEATHSIG, SIGKILL), 0);
	CHECK(file != NULL);
	CHECK_INT(fputc('.', file), '.');
	bind_until_exit(usec);
}

/* A process that has been interrupted in a call, and does not get to its end, is in nobody's way.
 */
int exit_stuck(void)
{
	struct rdma_event_channel *channel;
	char c;

#ifdef SANITIZED
	puts("a sanitizer has locks of its own, which exit() in a handler waits for: skipped");
	return SKIPPED;
#endif
	channel = rdma_create_event_channel();
	CHECK(channel != NULL);
	for (unsigned i = 0; i < 20; i++) {
		int ends[2];
		pid_t pid;

		CHECK_INT(pipe(ends), 0);
		pid = fork();
		if (pid == 0)
			exit_for_ever(ends[1], 5000 + 1000 * i);
		CHECK_INT(read(ends[0], &c, 1), 1);
		bind_once(channel);
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ends[0]);
		close(ends[1]);
	}
	rdma_destroy_event_channel(channel);
	return 0;
}

int dlcloses(void)
{
	for (unsigned i = 0; i < 3; i++) {
		struct ibv_device **(*get)(int *);
		struct ibv_context *(*open_device)(struct ibv_device *);
		int (*close_device)(struct ibv_context *);
		void *lib = dlopen("libibverbs.so.1", RTLD_NOW | RTLD_LOCAL | DEEPBIND);
		struct ibv_context *ctx;

		CHECK(lib != NULL);
		get = (struct ibv_device * *(*)(int *)) dlsym(lib, "ibv_get_device_list");
		open_device = (struct ibv_context * (*)(struct ibv_device *))
			dlsym(lib, "ibv_open_device");
		close_device = (int (*)(struct ibv_context *))dlsym(lib, "ibv_close_device");
		CHECK(get && open_device && close_device);
		ctx = open_device(get(NULL)[0]);
		CHECK(ctx != NULL);
		if (i != 1) /* once it is left open */
			CHECK_INT(close_device(ctx), 0);
		CHECK_INT(dlclose(lib), 0);
	}
	return plain();
}
