/* SPDX-License-Identifier: MIT */
/*
 * A program to be traced, which knows nothing of it: it counts its calls itself, and prints "CALLS
 * name" for each function before it ends.
 *
 *	traced_program calls N		N receives posted, N polls, a send that fails
 *	traced_program threads T N	the same in T threads at a time
 *	traced_program reopen N		N times: open, use, close
 *	traced_program extended N	N sends by ibv_wr_send(), taken by ibv_next_poll()
 *	traced_program refused N	and then ibv_wr_rdma_write(), which is not allowed there
 *	traced_program fork N		in a child, too, and in a child of that
 *	traced_program exec N		and then again, after exec
 *	traced_program die N		and then SIGKILL, without a word at the end
 *	traced_program flush N		N receives that are flushed, as the QP goes to ERR
 *	traced_program rejected ADDRESS	a receive that is flushed, as nobody listens there
 *	traced_program serve ADDRESS	waits for one of the next, in PD and CQs of librdmacm
 *	traced_program visit ADDRESS [OFF]	sends, and writes with an rkey that is OFF off
 *	traced_program meet ADDRESS	does the same without a channel of its own
 *	traced_program hang [SECONDS]	waits for an event that never comes, until SIGALRM
 *	traced_program exit CODE
 *	traced_program endless FILE	makes FILE.begun, fills all rings, and makes FILE
 *	traced_program cost N		nanoseconds of a poll that finds nothing, and of a receive
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "traced_program.h"

#define NAMES_MAX 64
static struct {
	const char *name;
	unsigned long n;
} counted[NAMES_MAX];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(const char *name)
{
	unsigned i = 0;

	pthread_mutex_lock(&lock);
	while (counted[i].name && strcmp(counted[i].name, name) != 0)
		i++;
	counted[i].name = name;
	counted[i].n++;
	pthread_mutex_unlock(&lock);
}
#define CALL(name, ...) (count(#name), name(__VA_ARGS__))

static void print_counts(void)
{
	for (unsigned i = 0; counted[i].name; i++)
		printf("%lu %s\n", counted[i].n, counted[i].name);
	fflush(stdout);
}

_Noreturn void traced_fail(const char *what)
{
	fprintf(stderr, "traced_program: %s: %s\n", what, strerror(errno));
	exit(1);
}

void *traced_must(void *p, const char *what)
{
	if (!p)
		traced_fail(what);
	return p;
}

static struct ibv_context *open_first(void)
{
	struct ibv_device **list = CALL(ibv_get_device_list, NULL);
	struct ibv_context *context = NULL;

	if (list && list[0])
		context = CALL(ibv_open_device, list[0]);
	if (list)
		CALL(ibv_free_device_list, list);
	return traced_must(context, "no device");
}

struct end {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_qp *qp;
	struct ibv_mr *mr;
	char memory[4096];
};

static struct ibv_qp_attr to_init(void)
{
	return (struct ibv_qp_attr){ .qp_state = IBV_QPS_INIT, .port_num = 1 };
}
#define TO_INIT (IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)

static struct end *make_end(struct ibv_context *context, unsigned depth)
{
	struct end *e = traced_must(calloc(1, sizeof *e), "memory");
	struct ibv_qp_init_attr init = { .qp_type = IBV_QPT_RC,
					 .cap = { .max_send_wr = 1,
						  .max_recv_wr = depth,
						  .max_send_sge = 1,
						  .max_recv_sge = 1 } };
	struct ibv_qp_attr attr = to_init();

	e->pd = traced_must(CALL(ibv_alloc_pd, context), "ibv_alloc_pd");
	e->cq = traced_must(CALL(ibv_create_cq, context, 16, NULL, NULL, 0), "ibv_create_cq");
	init.send_cq = init.recv_cq = e->cq;
	e->qp = traced_must(CALL(ibv_create_qp, e->pd, &init), "ibv_create_qp");
	if (CALL(ibv_modify_qp, e->qp, &attr, TO_INIT))
		traced_fail("ibv_modify_qp");
	count("ibv_reg_mr");
	e->mr = traced_must(ibv_reg_mr(e->pd, e->memory, sizeof e->memory, IBV_ACCESS_LOCAL_WRITE),
			    "ibv_reg_mr");
	return e;
}

static void end_end(struct end *e)
{
	CALL(ibv_destroy_qp, e->qp);
	CALL(ibv_destroy_cq, e->cq);
	CALL(ibv_dereg_mr, e->mr);
	CALL(ibv_dealloc_pd, e->pd);
	free(e);
}

static int post_recv(struct end *e, uint64_t id)
{
	struct ibv_sge sge = { (uintptr_t)e->memory, sizeof e->memory, e->mr->lkey };
	struct ibv_recv_wr wr = { .wr_id = id, .sg_list = &sge, .num_sge = 1 }, *bad;

	return ibv_post_recv(e->qp, &wr, &bad);
}

#define DEPTH 1000

static void use_once(struct ibv_context *context, unsigned n)
{
	struct end *e = make_end(context, n ? n : 1);
	struct ibv_send_wr send = { .opcode = IBV_WR_SEND }, *bad;
	struct ibv_wc wc;

	for (unsigned i = 0; i < n; i++) {
		count("ibv_post_recv");
		if (post_recv(e, i))
			traced_fail("ibv_post_recv");
		CALL(ibv_poll_cq, e->cq, 1, &wc);
	}
	if (!CALL(ibv_post_send, e->qp, &send, &bad)) /* it is not connected */
		traced_fail("a send that cannot be");
	end_end(e);
}

static void use(struct ibv_context *context, unsigned n)
{
	for (; n > DEPTH; n -= DEPTH)
		use_once(context, DEPTH);
	use_once(context, n);
}

static void use_and_close(unsigned n)
{
	struct ibv_context *context = open_first();

	use(context, n);
	CALL(ibv_close_device, context);
}

static void flush(unsigned n)
{
	struct ibv_qp_attr error = { .qp_state = IBV_QPS_ERR };
	struct ibv_context *context = open_first();
	struct end *e = make_end(context, n);
	struct ibv_wc wc;

	for (unsigned i = 0; i < n; i++) {
		count("ibv_post_recv");
		if (post_recv(e, i))
			traced_fail("ibv_post_recv");
	}
	if (CALL(ibv_modify_qp, e->qp, &error, IBV_QP_STATE))
		traced_fail("ibv_modify_qp");
	for (unsigned i = 0; i < n;)
		i += (unsigned)CALL(ibv_poll_cq, e->cq, 1, &wc);
	end_end(e);
	CALL(ibv_close_device, context);
}

/* -------------------------------------------------------------------------- threads -- */

struct thread {
	pthread_t id;
	struct ibv_context *context;
	unsigned n;
};

static void *run_thread(void *arg)
{
	const struct thread *t = arg;

	use(t->context, t->n);
	return NULL;
}

static void threads(unsigned t, unsigned n)
{
	struct ibv_context *context = open_first();
	struct thread *v = traced_must(calloc(t, sizeof *v), "memory");

	for (unsigned i = 0; i < t; i++) {
		v[i] = (struct thread){ .context = context, .n = n };
		if (pthread_create(&v[i].id, NULL, run_thread, &v[i]))
			traced_fail("pthread_create");
	}
	for (unsigned i = 0; i < t; i++)
		pthread_join(v[i].id, NULL);
	CALL(ibv_close_device, context);
	free(v);
}

/* ------------------------------------------------------------------------- extended -- */

static void connect_to_itself(struct ibv_context *context, struct ibv_qp *qp)
{
	struct ibv_qp_attr init = to_init(),
			   rts = { .qp_state = IBV_QPS_RTS, .timeout = 14, .retry_cnt = 7 },
			   rtr = { .qp_state = IBV_QPS_RTR,
				   .path_mtu = IBV_MTU_1024,
				   .dest_qp_num = qp->qp_num,
				   .ah_attr = { .port_num = 1, .is_global = 1 } };

	rtr.ah_attr.grh.hop_limit = 1;
	if (CALL(ibv_query_gid, context, 1, 0, &rtr.ah_attr.grh.dgid) ||
	    CALL(ibv_modify_qp, qp, &init, TO_INIT) ||
	    CALL(ibv_modify_qp, qp, &rtr,
		 IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) ||
	    CALL(ibv_modify_qp, qp, &rts,
		 IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			 IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		traced_fail("ibv_modify_qp");
}

/* Every second message is "turn ID", inline from memory that is not registered. */
static void send_extended(struct ibv_qp_ex *qp, const struct end *e, uint64_t id)
{
	char text[32];

	CALL(ibv_wr_start, qp);
	qp->wr_id = id;
	qp->wr_flags = id % 2 ? IBV_SEND_SIGNALED | IBV_SEND_INLINE : IBV_SEND_SIGNALED;
	CALL(ibv_wr_send, qp);
	if (id % 2) {
		snprintf(text, sizeof text, "turn %" PRIu64, id);
		CALL(ibv_wr_set_inline_data, qp, text, 8);
	} else {
		CALL(ibv_wr_set_sge, qp, e->mr->lkey, (uintptr_t)e->memory, 8);
	}
	if (CALL(ibv_wr_complete, qp))
		traced_fail("ibv_wr_complete");
}

/* Two completions: of the send, and of the receive. The one of rxe in rdma-core 44 says that there
 * is a next one when there is none: it is asked once, when nothing matters any more. */
static void take_extended(struct ibv_cq_ex *cq, bool last)
{
	struct ibv_poll_cq_attr attr = { 0 };
	unsigned taken = 0;
	int rc;

	while (taken < 2) {
		rc = CALL(ibv_start_poll, cq, &attr);
		if (rc == ENOENT)
			continue;
		if (rc || cq->status)
			traced_fail("ibv_start_poll");
		CALL(ibv_wc_read_opcode, cq);
		if (++taken == 2 && last)
			CALL(ibv_next_poll, cq);
		CALL(ibv_end_poll, cq);
	}
}

/* Its completion is an error. */
static void write_refused(struct ibv_qp_ex *qp, const struct end *e, struct ibv_cq_ex *cq)
{
	struct ibv_poll_cq_attr attr = { 0 };

	CALL(ibv_wr_start, qp);
	qp->wr_id = 77;
	qp->wr_flags = IBV_SEND_SIGNALED;
	CALL(ibv_wr_rdma_write, qp, e->mr->rkey, (uintptr_t)e->memory);
	CALL(ibv_wr_set_sge, qp, e->mr->lkey, (uintptr_t)e->memory, 8);
	if (CALL(ibv_wr_complete, qp))
		traced_fail("ibv_wr_complete");
	while (CALL(ibv_start_poll, cq, &attr) == ENOENT)
		;
	if (cq->status == IBV_WC_SUCCESS)
		traced_fail("a write that is not allowed");
	CALL(ibv_end_poll, cq);
}

static void extended(unsigned n, bool refused)
{
	struct ibv_context *context = open_first();
	struct end *e = traced_must(calloc(1, sizeof *e), "memory");
	struct ibv_cq_init_attr_ex cq_attr = { .cqe = 16, .wc_flags = IBV_WC_EX_WITH_BYTE_LEN };
	struct ibv_cq_ex *cq = traced_must(CALL(ibv_create_cq_ex, context, &cq_attr),
					   "ibv_create_cq_ex");
	struct ibv_qp_init_attr_ex attr = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4,
			 .max_recv_wr = 4,
			 .max_send_sge = 1,
			 .max_recv_sge = 1,
			 .max_inline_data = 16 },
		.comp_mask = IBV_QP_INIT_ATTR_PD | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS,
		.send_ops_flags = IBV_QP_EX_WITH_SEND | IBV_QP_EX_WITH_RDMA_WRITE,
	};

	e->cq = ibv_cq_ex_to_cq(cq);
	e->pd = attr.pd = traced_must(CALL(ibv_alloc_pd, context), "ibv_alloc_pd");
	attr.send_cq = attr.recv_cq = e->cq;
	count("ibv_reg_mr");
	e->mr = traced_must(ibv_reg_mr(e->pd, e->memory, sizeof e->memory, IBV_ACCESS_LOCAL_WRITE),
			    "ibv_reg_mr");
	e->qp = traced_must(CALL(ibv_create_qp_ex, context, &attr), "ibv_create_qp_ex");
	connect_to_itself(context, e->qp);
	for (unsigned i = 0; i < n; i++) {
		count("ibv_post_recv");
		if (post_recv(e, i))
			traced_fail("ibv_post_recv");
		send_extended(CALL(ibv_qp_to_qp_ex, e->qp), e, i);
		take_extended(cq, i + 1 == n);
	}
	if (refused)
		write_refused(CALL(ibv_qp_to_qp_ex, e->qp), e, cq);
	end_end(e);
	CALL(ibv_close_device, context);
}

/* ------------------------------------------------------------------------ processes -- */

/* Each child has a device of its own, and prints its own counts, before its parent goes on. */
static void generations(unsigned n, unsigned generation)
{
	int status;
	pid_t pid;

	use_and_close(n);
	if (generation < 2) {
		pid = fork();
		if (pid == 0) {
			memset(counted, 0, sizeof counted);
			generations(n, generation + 1);
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
			traced_fail("the child");
		use_and_close(n);
	}
	print_counts();
}

static void hang(unsigned seconds)
{
	struct ibv_context *context = open_first();
	struct ibv_async_event event;

	puts("waiting");
	fflush(stdout);
	alarm(seconds);
	ibv_get_async_event(context, &event);
}

/* ----------------------------------------------------------------------------- cost -- */

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void cost(unsigned n)
{
	struct ibv_context *context = open_first();
	int64_t begin, polling = 0, posting = 0;
	struct ibv_wc wc;

	for (unsigned i = 0; i < n; i += DEPTH) {
		struct end *e = make_end(context, DEPTH);

		begin = now();
		for (unsigned j = 0; j < DEPTH; j++)
			ibv_poll_cq(e->cq, 1, &wc);
		polling += now() - begin;
		begin = now();
		for (unsigned j = 0; j < DEPTH; j++)
			if (post_recv(e, j))
				traced_fail("ibv_post_recv");
		posting += now() - begin;
		end_end(e);
	}
	printf("%.1f %.1f\n", (double)polling / n, (double)posting / n);
	ibv_close_device(context);
}

static void make_file(const char *name, const char *end)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof path, "%s%s", name, end);
	f = fopen(path, "w");
	if (f)
		fclose(f);
}

static void fill_rings(const char *file)
{
	struct end *e = make_end(open_first(), DEPTH);

	make_file(file, ".begun");
	for (unsigned i = 0; i < 200000; i++) { /* some 20 times a ring */
		struct ibv_qp_attr attr = to_init();

		post_recv(e, i);
		ibv_query_qp(e->qp, &attr, IBV_QP_STATE, &(struct ibv_qp_init_attr){ 0 });
	}
	make_file(file, "");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	const unsigned n = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;

	if (strcmp(what, "exit") == 0)
		return (int)n;
	if (strcmp(what, "fork") == 0) {
		generations(n, 0);
		return 0;
	}
	if (strcmp(what, "cost") == 0) {
		cost(n);
		return 0;
	}
	if (strcmp(what, "hang") == 0)
		hang(n);
	else if (strcmp(what, "rejected") == 0 && argc > 2)
		traced_be_rejected(argv[2]);
	else if (strcmp(what, "serve") == 0 && argc > 2)
		traced_serve(argv[2]);
	else if (strcmp(what, "visit") == 0 && argc > 2)
		traced_visit(argv[2], argc > 3 ? (unsigned)strtoul(argv[3], NULL, 10) : 0);
	else if (strcmp(what, "meet") == 0 && argc > 2)
		traced_meet(argv[2]);
	else if (strcmp(what, "threads") == 0 && argc > 3)
		threads(n, (unsigned)strtoul(argv[3], NULL, 10));
	else if (strcmp(what, "flush") == 0)
		flush(n);
	else if (strcmp(what, "endless") == 0 && argc > 2)
		fill_rings(argv[2]);
	else if (strcmp(what, "extended") == 0 || strcmp(what, "refused") == 0)
		extended(n, strcmp(what, "refused") == 0);
	else if (strcmp(what, "reopen") == 0)
		for (unsigned i = 0; i < n; i++)
			use_and_close(1);
	else
		use_and_close(n);
	print_counts();
	if (strcmp(what, "die") == 0)
		raise(SIGKILL);
	if (strcmp(what, "exec") == 0)
		execl("/proc/self/exe", argv[0], "calls", argv[2], NULL);
	return 0;
}
