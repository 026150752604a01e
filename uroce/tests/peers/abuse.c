// SPDX-License-Identifier: MIT
/*
 * abuse CASE [ARG]: what a program may do to verbs, by neglect or on purpose. Run by abuse.sh,
 * each case in a process of its own.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "abuse.h"
#include "check.h"
#include "pair.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1
#endif
#endif

#ifdef SANITIZED
#define DEEPBIND 0 /* which a sanitizer refuses */
#else
#define DEEPBIND RTLD_DEEPBIND
#endif

static const char *self;

/* --------------------------------------------------------------------- much -- */

static int many_mrs(void)
{
	enum { MRS = 100000 };
	struct ibv_mr **mrs = calloc(MRS, sizeof(*mrs));
	struct pair p;

	pair_make(&p, 0);
	CHECK(mrs != NULL);
	for (unsigned i = 0; i < MRS; i++) {
		mrs[i] = ibv_reg_mr(p.b.pd, p.b.buf + i % 4096, 64, PAIR_ACCESS);
		CHECK(mrs[i] != NULL);
	}
	pair_works(&p);
	ibv_dereg_mr(p.b.mr); /* the last one takes its place */
	p.b.mr = mrs[MRS - 1];
	for (unsigned i = 0; i < MRS - 1; i++)
		CHECK_INT(ibv_dereg_mr(mrs[i]), 0);
	CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, 64, 0), 0);
	CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_REM_ACCESS_ERR); /* it begins elsewhere */
	pair_close(&p);
	free(mrs);
	return 0;
}

static int cq_overrun(void)
{
	enum { ROOM = 4 };
	struct ibv_async_event ev;
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	unsigned cq_err = 0, fatal = 0;
	struct pair p;

	pair_make(&p, ROOM);
	for (unsigned i = 0; i < 3 * ROOM; i++)
		CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, 8, i), 0);
	while (!cq_err || !fatal) {
		CHECK_INT(ibv_get_async_event(p.ctx, &ev), 0);
		cq_err += ev.event_type == IBV_EVENT_CQ_ERR && ev.element.cq == p.a.cq;
		fatal += ev.event_type == IBV_EVENT_QP_FATAL && ev.element.qp == p.a.qp;
		ibv_ack_async_event(&ev);
	}
	CHECK_INT(ibv_query_qp(p.a.qp, &attr, IBV_QP_STATE, &init), 0);
	CHECK_INT(attr.qp_state, IBV_QPS_ERR);
	for (unsigned i = 0; i < ROOM; i++)
		CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_SUCCESS);
	pair_close(&p);
	return 0;
}

static unsigned descriptors(void)
{
	unsigned n = 0;

	for (int fd = 0; fd < 1024; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

static void limit(int what, rlim_t n)
{
	struct rlimit r;

	CHECK_INT(getrlimit(what, &r), 0);
	r.rlim_cur = n;
	CHECK_INT(setrlimit(what, &r), 0);
}

/* Opens and makes what it can; undoes it. Returns whether all could be made. */
static bool all_or_emfile(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_comp_channel *channels[4] = { 0 };
	struct ibv_context *ctx;
	unsigned n = 0;

	CHECK(list && list[0]);
	errno = 0;
	ctx = ibv_open_device(list[0]);
	ibv_free_device_list(list);
	if (!ctx) {
		CHECK_INT(errno, EMFILE);
		return false;
	}
	while (n < 4 && (channels[n] = ibv_create_comp_channel(ctx)))
		n++;
	if (n < 4)
		CHECK_INT(errno, EMFILE);
	for (unsigned i = 0; i < n; i++)
		CHECK_INT(ibv_destroy_comp_channel(channels[i]), 0);
	CHECK_INT(ibv_close_device(ctx), 0);
	return n == 4;
}

/* Descriptors run out at every place where one is made. */
static int few_files(void)
{
	unsigned had = descriptors(), most = 0;
	struct rlimit r;
	struct pair p;

	CHECK_INT(getrlimit(RLIMIT_NOFILE, &r), 0);
	for (unsigned n = had; !most; n++) {
		CHECK(n < had + 200);
		limit(RLIMIT_NOFILE, n);
		if (all_or_emfile())
			most = n;
		limit(RLIMIT_NOFILE, r.rlim_cur);
		CHECK_INT(descriptors(), had);
	}
	CHECK(most > had + 64);
	pair_make(&p, 0);
	pair_works(&p);
	pair_close(&p);
	CHECK_INT(descriptors(), had);
	return 0;
}

#ifdef SANITIZED
static int little_memory(void)
{
	puts("a sanitizer needs its memory: skipped");
	return SKIPPED;
}
#else
static rlim_t address_space(void)
{
	unsigned long pages = 0;
	FILE *f = fopen("/proc/self/statm", "re");

	CHECK(f && fscanf(f, "%lu", &pages) == 1);
	fclose(f);
	return pages * 4096;
}

static int little_memory(void)
{
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC, .cap = { 4096, 4096, 8, 8, 0 } };
	struct ibv_qp *qps[4096];
	struct rlimit r;
	unsigned n = 0;
	struct pair p;

	pair_make(&p, 0);
	init.send_cq = init.recv_cq = p.a.cq;
	CHECK_INT(getrlimit(RLIMIT_AS, &r), 0);
	limit(RLIMIT_AS, address_space() + (64 << 20));
	while (n < 4096 && (qps[n] = ibv_create_qp(p.a.pd, &init)))
		n++;
	CHECK(n > 0 && n < 4096);
	CHECK_INT(errno, ENOMEM);
	CHECK(ibv_create_cq(p.ctx, 4000000, NULL, NULL, 0) == NULL);
	CHECK_INT(errno, ENOMEM);
	pair_works(&p); /* nothing that runs needs more */
	while (n)
		CHECK_INT(ibv_destroy_qp(qps[--n]), 0);
	limit(RLIMIT_AS, r.rlim_cur);
	pair_works(&p);
	pair_close(&p);
	return 0;
}
#endif

/* ------------------------------------------------------------------ processes -- */

static int plain(void)
{
	struct pair p;

	pair_make(&p, 0);
	pair_works(&p);
	pair_close(&p);
	return 0;
}

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

/* The child lets go of what it has inherited, or does not, and makes its own. */
static void child(struct pair *p, unsigned i)
{
	if (i % 2)
		pair_close(p);
	exit(plain());
}

static int forks(void)
{
	struct pair p, busy;
	pthread_t thread;

#if defined(__SANITIZE_THREAD__)
	puts("ThreadSanitizer wants no threads in a child: skipped");
	return SKIPPED;
#endif
	pair_make(&p, 0);
	pair_make(&busy, 0);
	CHECK_INT(pthread_create(&thread, NULL, go_on, &busy), 0);
	for (unsigned i = 0; i < 6; i++) {
		pid_t pid;

		pair_works(&p);
		fflush(NULL);
		pid = fork();
		if (pid == 0)
			child(&p, i);
		pair_works(&p);
		ends_well(pid);
	}
	stop = true;
	pthread_join(thread, NULL);
	pair_works(&p);
	pair_close(&p);
	pair_close(&busy);
	return 0;
}

static int execs(void)
{
	struct pair p;

	pair_make(&p, 0);
	for (unsigned i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (pid == 0) {
			execl(self, self, "plain", NULL);
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

/* ---------------------------------------------------------------- no polling -- */

/* A program may look at its memory only: what it has posted, and what its peer does, goes on. */
static int never_polls(void)
{
	struct pair p;

	pair_make(&p, 0);
	for (unsigned i = 0; i < PAIR_DEPTH / 2; i++)
		CHECK_INT(pair_recv(&p.b, 64, i), 0);
	for (unsigned i = 1; i <= PAIR_DEPTH / 2; i++) {
		*(volatile uint64_t *)p.a.buf = i;
		CHECK_INT(pair_post(&p.a, &p.b, i % 2 ? IBV_WR_RDMA_WRITE : IBV_WR_SEND, 64, i), 0);
		for (unsigned k = 0; *(volatile uint64_t *)p.b.buf != i; k++) {
			CHECK(k < 20000);
			usleep(500);
		}
	}
	for (unsigned i = 1; i <= PAIR_DEPTH / 2; i++)
		CHECK_INT(pair_wait(p.a.cq, NULL), IBV_WC_SUCCESS);
	pair_close(&p);
	return 0;
}

/* ------------------------------------------------------------------ signals -- */

static atomic_uint alarms;

static void on_alarm(int sig)
{
	(void)sig;
	alarms++;
}

/* Every us microseconds; 0: no more. */
static void storm(long us, int flags)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = flags };
	struct itimerval t = { { us / 1000000, us % 1000000 }, { us / 1000000, us % 1000000 } };

	CHECK_INT(sigaction(SIGALRM, &sa, NULL), 0);
	CHECK_INT(setitimer(ITIMER_REAL, &t, NULL), 0);
}

static void *post_later(void *arg)
{
	struct pair *p = arg;

	usleep(50000);
	CHECK_INT(pair_post(&p->a, &p->b, IBV_WR_RDMA_WRITE, 8, 0), 0);
	return NULL;
}

static void take_event(struct pair *p)
{
	struct ibv_cq *cq;
	void *context;

	CHECK_INT(ibv_get_cq_event(p->channel, &cq, &context), 0);
	CHECK(cq == p->a.cq);
	ibv_ack_cq_events(cq, 1);
	CHECK_INT(pair_wait(p->a.cq, NULL), IBV_WC_SUCCESS);
}

static int signals(void)
{
	struct ibv_async_event ev;
	struct ibv_cq *cq;
	pthread_t thread;
	sigset_t set;
	void *context;
	struct pair p;

	pair_make(&p, 0);
	storm(200, 0);
	for (unsigned i = 0; i < 20; i++)
		pair_works(&p);
	CHECK(alarms > 0);
	/* like read(2): EINTR unless the handler has SA_RESTART */
	CHECK_INT(ibv_req_notify_cq(p.a.cq, 0), 0);
	CHECK_INT(ibv_get_cq_event(p.channel, &cq, &context), -1);
	CHECK_INT(errno, EINTR);
	CHECK_INT(ibv_get_async_event(p.ctx, &ev), -1);
	CHECK_INT(errno, EINTR);
	storm(2000, SA_RESTART);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	CHECK_INT(pthread_sigmask(SIG_BLOCK, &set, NULL), 0);
	CHECK_INT(pthread_create(&thread, NULL, post_later, &p), 0);
	CHECK_INT(pthread_sigmask(SIG_UNBLOCK, &set, NULL), 0);
	alarms = 0;
	take_event(&p);
	CHECK(alarms > 5);
	pthread_join(thread, NULL);
	storm(0, 0);
	pair_close(&p);
	return 0;
}

/* ------------------------------------------------------------------ threads -- */

enum { THREADS = 8, EACH = 2000 };

struct worker {
	pthread_t thread;
	struct pair *pair;
	atomic_uint *posted, *polled;
};

static void *own_pair(void *arg)
{
	struct worker *w = arg;

	for (unsigned i = 0; i < 20; i++)
		pair_works(w->pair);
	return NULL;
}

/* All post to one QP and poll one queue. */
static void *shared_pair(void *arg)
{
	struct worker *w = arg;
	struct ibv_wc wc[4];

	while (*w->polled < THREADS * EACH) {
		int n;

		if (*w->posted < THREADS * EACH && atomic_fetch_add(w->posted, 1) < THREADS * EACH)
			while (pair_post(&w->pair->a, &w->pair->b, IBV_WR_RDMA_WRITE, 200, 0) != 0)
				if (ibv_poll_cq(w->pair->a.cq, 1, wc) == 1)
					*w->polled += 1;
		n = ibv_poll_cq(w->pair->a.cq, 4, wc);
		CHECK(n >= 0);
		for (int i = 0; i < n; i++)
			CHECK_INT(wc[i].status, IBV_WC_SUCCESS);
		*w->polled += (unsigned)n;
	}
	return NULL;
}

static int threads(void)
{
	struct pair pairs[THREADS], shared;
	struct worker w[2 * THREADS];
	atomic_uint posted = 0, polled = 0;

	pair_make(&shared, 4 * PAIR_DEPTH);
	for (unsigned i = 0; i < THREADS; i++) {
		pair_make(&pairs[i], 0);
		w[i] = (struct worker){ .pair = &pairs[i] };
		w[THREADS + i] =
			(struct worker){ .pair = &shared, .posted = &posted, .polled = &polled };
	}
	for (unsigned i = 0; i < 2 * THREADS; i++)
		CHECK_INT(pthread_create(&w[i].thread, NULL, i < THREADS ? own_pair : shared_pair,
					 &w[i]),
			  0);
	for (unsigned i = 0; i < 2 * THREADS; i++)
		pthread_join(w[i].thread, NULL);
	CHECK_INT(polled, THREADS * EACH);
	for (unsigned i = 0; i < THREADS; i++)
		pair_close(&pairs[i]);
	pair_close(&shared);
	return 0;
}

/* -------------------------------------------------------------- wrong order -- */

static int wrong_order(void)
{
	struct ibv_srq_init_attr srq_init = { .attr = { .max_wr = 8, .max_sge = 1 } };
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_UD, .cap = { 8, 0, 1, 0, 0 } };
	union ibv_gid group = { .raw = { [10] = 0xff, 0xff, 239, 1, 2, 3 } };
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1 };
	struct ibv_srq *srq;
	struct ibv_qp *ud;
	struct pair p;

	pair_make(&p, 0);
	CHECK_INT(ibv_dealloc_pd(p.a.pd), EBUSY);
	CHECK_INT(ibv_destroy_cq(p.a.cq), EBUSY);
	CHECK_INT(ibv_destroy_comp_channel(p.channel), EBUSY);
	srq = ibv_create_srq(p.a.pd, &srq_init);
	CHECK(srq != NULL);
	init.srq = srq;
	init.send_cq = init.recv_cq = p.a.cq;
	ud = ibv_create_qp(p.a.pd, &init);
	CHECK(ud != NULL);
	CHECK_INT(ibv_destroy_srq(srq), EBUSY);
	CHECK_INT(ibv_modify_qp(ud, &attr,
				IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY),
		  0);
	CHECK_INT(ibv_attach_mcast(ud, &group, 0), 0);
	CHECK_INT(ibv_destroy_qp(ud), EBUSY);
	CHECK_INT(ibv_detach_mcast(ud, &group, 0), 0);
	CHECK_INT(ibv_destroy_qp(ud), 0);
	CHECK_INT(ibv_destroy_srq(srq), 0);
	pair_works(&p);
	pair_close(&p);
	/* the device goes before what is made of it: the kernel ends all that there is */
	pair_make(&p, 0);
	CHECK_INT(pair_recv(&p.a, 64, 1), 0);
	CHECK_INT(ibv_close_device(p.ctx), 0);
	return plain();
}

/* ----------------------------------------------------------------------- ends -- */

static int exit_dirty(void)
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
static int exit_in_handler(void)
{
	struct itimerval t = { .it_value.tv_usec = 30000 };
	static struct pair p;

	pair_make(&p, 0);
	signal(SIGALRM, exit_now);
	setitimer(ITIMER_REAL, &t, NULL);
	go_on(&p);
	return 1;
}

/* The library says goodbye to the peers at the end: it must not wait for itself. */
static int exit_in_cm_call(void)
{
	struct sockaddr_in any = { .sin_family = AF_INET };
	struct itimerval t = { .it_value.tv_usec = 30000 };
	struct rdma_event_channel *channel = rdma_create_event_channel();

	CHECK(channel != NULL);
	signal(SIGALRM, exit_now);
	setitimer(ITIMER_REAL, &t, NULL);
	for (unsigned i = 0; i < UINT_MAX; i++) {
		struct rdma_cm_id *id;

		CHECK_INT(rdma_create_id(channel, &id, NULL, RDMA_PS_TCP), 0);
		CHECK_INT(rdma_bind_addr(id, (struct sockaddr *)&any), 0);
		CHECK_INT(rdma_destroy_id(id), 0);
	}
	return 1;
}

static int dlcloses(void)
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

/* --------------------------------------------------------------------- memory -- */

/* The other side's memory is gone; then our own. */
static void gone(void (*take_away)(void *at, size_t n), int fd)
{
	for (unsigned own = 0; own < 2; own++) {
		struct side *victim;
		struct ibv_mr *mr;
		enum ibv_wc_status status;
		struct pair p;
		uint8_t *at;

		if (fd >= 0)
			CHECK_INT(ftruncate(fd, PAIR_BYTES), 0);
		at = mmap(NULL, PAIR_BYTES, PROT_READ | PROT_WRITE,
			  fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
		CHECK(at != MAP_FAILED);
		pair_make(&p, 0);
		victim = own ? &p.a : &p.b;
		mr = victim->mr;
		victim->mr = ibv_reg_mr(victim->pd, at, PAIR_BYTES, PAIR_ACCESS);
		CHECK(victim->mr != NULL);
		free(victim->buf);
		victim->buf = at;
		pair_works(&p);
		take_away(at, PAIR_BYTES);
		CHECK_INT(pair_post(&p.a, &p.b, IBV_WR_RDMA_WRITE, PAIR_BYTES, 0), 0);
		status = pair_wait(p.a.cq, NULL);
		CHECK(own ? status == IBV_WC_LOC_PROT_ERR
			  : status == IBV_WC_REM_OP_ERR || status == IBV_WC_REM_ACCESS_ERR);
		CHECK_INT(ibv_dereg_mr(mr), 0);
		victim->buf = NULL;
		pair_close(&p);
		munmap(at, PAIR_BYTES);
	}
}

static void unmap(void *at, size_t n)
{
	CHECK_INT(munmap(at, n), 0);
}

static void protect(void *at, size_t n)
{
	CHECK_INT(mprotect(at, n, PROT_NONE), 0);
}

static int memory_unmapped(void)
{
	gone(unmap, -1);
	return 0;
}

static int memory_protected(void)
{
	gone(protect, -1);
	return 0;
}

static int file_behind;

static void shorten(void *at, size_t n)
{
	(void)at;
	(void)n;
	CHECK_INT(ftruncate(file_behind, 0), 0);
}

static int file_truncated(void)
{
	file_behind = memfd_create("abuse", 0);
	CHECK(file_behind >= 0);
	gone(shorten, file_behind);
	return 0;
}

#define CASE(name)          \
	{                   \
#name, name \
	}
static const struct {
	const char *name;
	int (*run)(void);
} cases[] = {
	CASE(many_mrs),	   CASE(cq_overrun),	  CASE(few_files),	  CASE(little_memory),
	CASE(plain),	   CASE(addresses),	  CASE(narrow),		  CASE(forks),
	CASE(execs),	   CASE(never_polls),	  CASE(signals),	  CASE(threads),
	CASE(wrong_order), CASE(exit_dirty),	  CASE(exit_in_handler),  CASE(exit_in_cm_call),
	CASE(dlcloses),	   CASE(memory_unmapped), CASE(memory_protected), CASE(file_truncated),
};

int main(int argc, char **argv)
{
	self = "/proc/self/exe";
	for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (argc < 2)
			puts(cases[i].name);
		else if (strcmp(argv[1], cases[i].name) == 0)
			return cases[i].run();
	}
	return argc < 2 ? 0 : 2;
}
