/* SPDX-License-Identifier: MIT */
/* The record: what it keeps of a call, in which order, and what it says when it lost some. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "call_record.h"
#include "record_objects.h"
#include "record_rings.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))

static struct ibv_context context; /* of a device whose calls do what the test says */
static struct ibv_cq cqs[2] = { { .context = &context }, { .context = &context } };
static struct ibv_qp qp = { .context = &context };
static int found; /* completions that a poll finds */

static int fake_poll(struct ibv_cq *cq, int n, struct ibv_wc *wc)
{
	for (int i = 0; i < found && i < n; i++)
		wc[i] = (struct ibv_wc){ .wr_id = (uint64_t)i + (cq == &cqs[1] ? 100 : 1),
					 .qp_num = 17 };
	return found;
}

static int fake_send(struct ibv_qp *q, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)q;
	if (wr->num_sge > 1) {
		*bad = wr;
		return ENOMEM;
	}
	return 0;
}

static int fake_notify(struct ibv_cq *cq, int solicited)
{
	struct ibv_wc wc;

	(void)solicited;
	found = 1;
	return ibv_poll_cq(cq, 1, &wc) == 1 ? 0 : EINVAL; /* a call within the call */
}

static struct record_list *all(void)
{
	return record_list(~0u, 0);
}

static struct record *only(struct record_list *l)
{
	CHECK_INT(l->n, 1);
	return &l->v[0];
}

/* ---------------------------------------------------------------------- what is kept -- */

static void test_post(void)
{
	struct ibv_sge *sge = calloc(3, sizeof *sge);
	struct ibv_send_wr *wr = calloc(2, sizeof *wr), *bad = NULL;
	const struct ibv_send_wr *kept;
	struct record_list *l;
	struct record *r;

	record_clear();
	sge[0] = (struct ibv_sge){ 0x1000, 8, 5 };
	sge[1] = (struct ibv_sge){ 0x2000, 9, 6 };
	wr[0] = (struct ibv_send_wr){ .wr_id = 1,
				      .next = &wr[1],
				      .sg_list = sge,
				      .num_sge = 1,
				      .opcode = IBV_WR_RDMA_WRITE,
				      .send_flags = IBV_SEND_SIGNALED,
				      .wr.rdma = { 0x7777, 0x99 } };
	wr[1] = (struct ibv_send_wr){ .wr_id = 2,
				      .sg_list = &sge[1],
				      .num_sge = 1,
				      .opcode = IBV_WR_BIND_MW,
				      .bind_mw.rkey = 0x33 };
	CHECK_INT(ibv_post_send(&qp, wr, &bad), 0);
	memset(sge, 0xee, 3 * sizeof *sge); /* the caller may use them again */
	memset(wr, 0xee, 2 * sizeof *wr);
	l = all();
	r = only(l);
	CHECK_STR(r->fn->name, "ibv_post_send");
	CHECK_INT(r->args[0], PTR(&qp));
	CHECK(r->ended && !r->err && !r->depth && r->count == 1 && !r->left_out);
	CHECK(r->begin && r->end >= r->begin);
	kept = (const struct ibv_send_wr *)(uintptr_t)r->args[1];
	CHECK(kept && kept != wr);
	CHECK_INT(kept->wr_id, 1);
	CHECK_INT(kept->wr.rdma.remote_addr, 0x7777);
	CHECK_INT(kept->sg_list[0].addr, 0x1000);
	CHECK_INT(kept->next->wr_id, 2);
	CHECK_INT(kept->next->bind_mw.rkey, 0x33);
	CHECK_INT(kept->next->sg_list->lkey, 6);
	CHECK(!kept->next->next);
	CHECK(!r->args[2]); /* nothing was refused */
	record_list_free(l);

	record_clear();
	wr[0] = (struct ibv_send_wr){ .wr_id = 3, .sg_list = sge, .num_sge = 2 };
	CHECK_INT(ibv_post_send(&qp, wr, &bad), ENOMEM);
	l = all();
	r = only(l);
	CHECK_INT(r->err, ENOMEM);
	CHECK_INT(*(const uint64_t *)(uintptr_t)r->after[2], PTR(wr));
	CHECK_STR(record_last_failure().fn->name, "ibv_post_send");
	CHECK_INT(record_last_failure().err, ENOMEM);
	record_list_free(l);
	free(wr);
	free(sge);
}

/* A struct that the callee changes is kept as it was and as it is; errno stays. */
static void test_before_and_after(void)
{
	struct ibv_qp_init_attr init = { .cap.max_send_wr = 10, .qp_type = IBV_QPT_RC };
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(4711) };
	const uint64_t args[] = { PTR(&context), PTR(&init) };
	const uint64_t resolve[] = { 0, 0, PTR(&to), 2000 };
	const struct ibv_qp_init_attr *kept;
	struct record_call c;
	struct record_list *l;
	struct record *r;

	record_clear();
	errno = EXDEV;
	record_begin(&c, ROW_ibv_create_qp, args);
	init.cap.max_send_wr = 16;
	qp.qp_num = 77;
	record_end(&c, PTR(&qp));
	CHECK_INT(errno, EXDEV);
	l = all();
	r = only(l);
	kept = (const struct ibv_qp_init_attr *)(uintptr_t)r->args[1];
	CHECK_INT(kept->cap.max_send_wr, 10);
	kept = (const struct ibv_qp_init_attr *)(uintptr_t)r->after[1];
	CHECK_INT(kept->cap.max_send_wr, 16);
	CHECK_INT(kept->qp_type, IBV_QPT_RC);
	CHECK_INT(((const struct ibv_qp *)record_bytes(r, r->result, NULL))->qp_num, 77);
	record_list_free(l);

	record_clear();
	record_begin(&c, ROW_rdma_resolve_addr, resolve);
	errno = ENODEV;
	record_end(&c, (uint64_t)-1);
	l = all();
	r = only(l);
	CHECK_INT(r->err, ENODEV);
	CHECK_INT(((const struct sockaddr_in *)(uintptr_t)r->args[2])->sin_port, htons(4711));
	CHECK(!r->args[1]);
	record_list_free(l);
}

static void test_private_data(void)
{
	char data[] = "hello", *copy = strdup(data);
	struct rdma_conn_param param = { .private_data = copy, .private_data_len = sizeof data };
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_ESTABLISHED, .param.conn = param };
	struct rdma_cm_event *place = &event;
	struct rdma_event_channel channel = { .fd = 3 };
	const uint64_t connect[] = { 0, PTR(&param) }, get[] = { PTR(&channel), PTR(&place) };
	const struct rdma_conn_param *kept;
	const struct rdma_cm_event *ev;
	struct record_call c;
	struct record_list *l;

	record_clear();
	record_begin(&c, ROW_rdma_connect, connect);
	record_end(&c, 0);
	record_begin(&c, ROW_rdma_get_cm_event, get);
	record_end(&c, 0);
	memset(copy, 0, sizeof data);
	free(copy);
	l = all();
	CHECK_INT(l->n, 2);
	kept = (const struct rdma_conn_param *)(uintptr_t)l->v[0].args[1];
	CHECK_STR((const char *)kept->private_data, "hello");
	CHECK_INT(*(const uint64_t *)(uintptr_t)l->v[1].after[1], PTR(&event));
	ev = record_bytes(&l->v[1], PTR(&event), NULL);
	CHECK_INT(ev->event, RDMA_CM_EVENT_ESTABLISHED);
	CHECK_STR((const char *)ev->param.conn.private_data, "hello");
	record_list_free(l);
}

/* ------------------------------------------------------------------------- the order -- */

static void test_polls(void)
{
	struct ibv_wc wc[4];
	struct record_list *l;
	const struct ibv_wc *kept;

	record_clear();
	found = 0;
	for (int i = 0; i < 1000; i++)
		for (int j = 0; j < 2; j++)
			ibv_poll_cq(&cqs[j], 4, wc);
	found = 2;
	ibv_poll_cq(&cqs[1], 4, wc);
	found = 0;
	ibv_poll_cq(&cqs[0], 4, wc);
	l = all();
	CHECK_INT(l->n, 4);
	CHECK_INT(l->v[0].count, 1000);
	CHECK_INT(l->v[1].count, 1000);
	CHECK_INT(l->v[1].args[0], PTR(&cqs[1]));
	CHECK(l->v[0].end > l->v[0].begin);
	CHECK_INT(l->v[2].count, 1);
	CHECK_INT(l->v[2].result, 2);
	kept = (const struct ibv_wc *)(uintptr_t)l->v[2].after[2];
	CHECK_INT(kept[1].wr_id, 101);
	CHECK_INT(kept[1].qp_num, 17);
	CHECK_INT(l->v[3].count, 1);
	record_list_free(l);
}

static void test_depth(void)
{
	struct record_list *l;
	struct record_walk w = { .path = RECORD_DATA };
	struct ibv_wc wc;

	record_clear();
	context.ops.req_notify_cq = fake_notify;
	CHECK_INT(ibv_req_notify_cq(&cqs[0], 0), 0);
	record_aside(1);
	ibv_poll_cq(&cqs[0], 1, &wc);
	record_aside(-1);
	l = all();
	CHECK_INT(l->n, 3);
	CHECK_STR(l->v[0].fn->name, "ibv_req_notify_cq");
	CHECK_INT(l->v[0].depth, 0);
	CHECK_INT(l->v[1].depth, 1);
	CHECK_INT(l->v[2].depth, 1);
	CHECK(l->v[1].begin > l->v[0].begin && l->v[1].end < l->v[0].end);
	record_list_free(l);
	CHECK(record_back(&w));
	CHECK_STR(w.r.fn->name, "ibv_poll_cq");
	CHECK_INT(((const struct ibv_wc *)(uintptr_t)w.r.after[2])->wr_id, 1);
	CHECK(record_back(&w));
	CHECK_STR(w.r.fn->name, "ibv_req_notify_cq");
	CHECK(record_back(&w));
	CHECK(!record_back(&w));
}

/* -------------------------------------------------------------------------- the rings -- */

static void test_wrap(void)
{
	struct ibv_sge sge[3];
	struct ibv_send_wr wr = { .sg_list = sge, .num_sge = 1 }, *bad;
	enum { CALLS = 100000 };
	struct record_list *l;
	struct record_walk w = { .path = RECORD_DATA };

	record_clear();
	for (unsigned i = 0; i < CALLS; i++) {
		wr.wr_id = i;
		wr.num_sge = (int)(i % 4);
		ibv_post_send(&qp, &wr, &bad);
	}
	l = all();
	CHECK(l->n > 1000 && l->n < CALLS);
	CHECK_INT(l->n + l->lost[RECORD_DATA], CALLS);
	for (unsigned i = 0; i < l->n; i++) {
		const struct record *r = &l->v[i];
		const struct ibv_send_wr *kept = (const struct ibv_send_wr *)(uintptr_t)r->args[1];

		CHECK_INT(kept->wr_id, CALLS - l->n + i);
		CHECK_INT(kept->num_sge, kept->wr_id % 4);
		CHECK_INT(r->err, kept->num_sge > 1 ? ENOMEM : 0);
	}
	for (unsigned i = l->n; i-- > 0;) {
		CHECK(record_back(&w));
		CHECK_INT(w.r.begin, l->v[i].begin);
	}
	CHECK(!record_back(&w));
	record_list_free(l);
}

static void test_bounds(void)
{
	enum { LONG = 500 };
	struct ibv_send_wr *wr = calloc(LONG, sizeof *wr), *bad;
	const struct ibv_send_wr *kept;
	struct record_list *l;
	struct record *r;
	unsigned n = 0;

	record_clear();
	for (unsigned i = 0; i < LONG; i++)
		wr[i] = (struct ibv_send_wr){ .wr_id = i,
					      .next = i + 1 < LONG ? &wr[i + 1] : NULL };
	ibv_post_send(&qp, wr, &bad);
	l = all();
	r = only(l);
	for (kept = (const struct ibv_send_wr *)(uintptr_t)r->args[1]; kept; kept = kept->next)
		CHECK_INT(kept->wr_id, n++);
	CHECK(n > 50);
	CHECK_INT(n + r->left_out, LONG);
	record_list_free(l);
	free(wr);
}

/* The reader may come at any time. */
static _Atomic bool stop;

static void *post_many(void *arg)
{
	struct ibv_send_wr wr = { 0 }, *bad;
	unsigned n = *(const unsigned *)arg;

	for (unsigned i = 0; i < n; i++) {
		wr.wr_id = i;
		ibv_post_send(&qp, &wr, &bad);
	}
	return NULL;
}

static void *read_many(void *arg)
{
	(void)arg;
	while (!stop) {
		struct record_list *l = record_list(1u << RECORD_DATA, 0);
		uint64_t last[RECORD_THREADS] = { 0 };

		for (unsigned i = 0; i < l->n; i++) {
			const struct record *r = &l->v[i];
			const struct ibv_send_wr *wr = (const void *)(uintptr_t)r->args[1];

			CHECK_STR(r->fn->name, "ibv_post_send");
			CHECK(wr && wr->wr_id + 1 > last[r->thread]);
			last[r->thread] = wr->wr_id + 1;
		}
		record_list_free(l);
	}
	return NULL;
}

static void test_threads(void)
{
	enum { THREADS = 4 };
	unsigned each = 50000, threads = 0;
	pthread_t t[THREADS], reader;
	struct record_list *l;
	bool seen[RECORD_THREADS] = { 0 };

	record_clear();
	pthread_create(&reader, NULL, read_many, NULL);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, post_many, &each);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	stop = true;
	pthread_join(reader, NULL);
	l = all();
	CHECK_INT(l->n + l->lost[RECORD_DATA], THREADS * each);
	for (unsigned i = 0; i < l->n; i++) {
		CHECK(!i || l->v[i].begin >= l->v[i - 1].begin);
		threads += !seen[l->v[i].thread];
		seen[l->v[i].thread] = true;
	}
	CHECK_INT(threads, THREADS);
	record_list_free(l);

	/* places are used again, the calls of those that find none are counted */
	each = 1;
	record_clear();
	for (unsigned i = 0; i < 3 * RECORD_THREADS; i++) {
		pthread_create(&t[0], NULL, post_many, &each);
		pthread_join(t[0], NULL);
	}
	l = all();
	CHECK_INT(l->n, 3 * RECORD_THREADS);
	record_list_free(l);
}

/* --------------------------------------------------------------------- hooks and rows -- */

struct told {
	unsigned before, after, deep;
};

static void on_before(void *arg, const struct record *r)
{
	struct told *t = arg;

	t->before++;
	t->deep += r->depth > 0;
	CHECK(!r->ended);
	if (r->depth == 0)
		CHECK_INT(((const struct ibv_send_wr *)(uintptr_t)r->args[1])->wr_id, 9);
}

static void on_after(void *arg, const struct record *r)
{
	struct told *t = arg;
	struct ibv_wc wc;

	t->after++;
	CHECK(r->ended);
	if (r->depth == 0)
		ibv_poll_cq(&cqs[0], 1, &wc);
}

static void test_watch(void)
{
	struct ibv_send_wr wr = { .wr_id = 9 }, *bad;
	struct told t = { 0 };
	const struct record_watch w = { on_before, on_after, &t };
	struct record_list *l;

	record_clear();
	found = 0;
	record_watch(&w);
	ibv_post_send(&qp, &wr, &bad);
	record_watch(NULL);
	ibv_post_send(&qp, &wr, &bad);
	CHECK_INT(t.before, 2);
	CHECK_INT(t.after, 2);
	CHECK_INT(t.deep, 1);
	l = all();
	CHECK_INT(l->n, 3);
	record_list_free(l);
}

static const struct call_value put_args[] = {
	{ .name = "region", .kind = CALL_OBJECT, .object = OBJECT_MR },
	{ .name = "len", .kind = CALL_UINT, .size = 8, .counts = 3 },
	{ .name = "data", .kind = CALL_DATA, .with = 2 },
	{ .name = "what", .kind = CALL_STRING },
	{ .name = NULL },
};
static const struct call_fn own[] = {
	{ .name = "put", .path = CALL_DATAPATH, .args = put_args },
};

static void test_own(void)
{
	char bytes[] = { 1, 2, 3 }, what[] = "by hand";
	const uint64_t args[] = { 0, 3, PTR(bytes), PTR(what) };
	struct record_list *l;
	struct record *r;

	record_clear();
	record_own_rows(own, 1);
	record_event(0, args, 0);
	memset(bytes, 0, sizeof bytes);
	memset(what, 0, sizeof what);
	l = all();
	r = only(l);
	CHECK(r->fn == own);
	CHECK(memcmp((const void *)(uintptr_t)r->args[2], "\1\2\3", 3) == 0);
	CHECK_STR((const char *)(uintptr_t)record_arg(r, "what"), "by hand");
	record_list_free(l);
}

static void test_objects(void)
{
	static struct ibv_pd pd = { .context = &context };
	const uint64_t make[] = { PTR(&context) }, end[] = { PTR(&pd) };
	const struct record_object *o;
	struct record_call c;
	uint64_t first, second;

	record_clear();
	for (unsigned i = 0; i < 2; i++) {
		record_begin(&c, ROW_ibv_alloc_pd, make);
		record_end(&c, PTR(&pd));
		record_object_name(&pd, OBJECT_PD, i ? "again" : "pd0");
		if (i == 0)
			first = record_time();
		record_begin(&c, ROW_ibv_dealloc_pd, end);
		record_end(&c, i ? EBUSY : 0);
	}
	second = record_time();
	o = record_object_at(PTR(&pd), first);
	CHECK(o && o->gone);
	CHECK_STR(o->name, "pd0");
	CHECK(o != record_object_at(PTR(&pd), second));
	o = record_object_at(PTR(&pd), second);
	CHECK(o && !o->gone && o->kind == OBJECT_PD);
	CHECK_STR(o->name, "again");
	record_object_gone(&pd);
	CHECK(!record_object_at(PTR(&pd), record_time()));
	CHECK(!record_object_at(PTR(&pd), 1));
}

/* What librdmacm makes for an id. */
static void test_held_objects(void)
{
	static struct ibv_qp its;
	static struct rdma_cm_id request;
	struct rdma_cm_event event = { .event = RDMA_CM_EVENT_CONNECT_REQUEST, .id = &request };
	struct rdma_cm_event *place = &event;
	const uint64_t get[] = { 0, PTR(&place) }, make[] = { PTR(&request), 0, 0 };
	const uint64_t end[] = { PTR(&request) };
	struct record_call c;
	uint64_t first;

	record_clear();
	record_begin(&c, ROW_rdma_get_cm_event, get);
	record_end(&c, 0);
	CHECK_INT(record_object_at(PTR(&request), record_time())->kind, OBJECT_CM_ID);
	record_begin(&c, ROW_rdma_create_qp, make);
	request.qp = &its;
	record_end(&c, 0);
	first = record_time();
	CHECK_INT(record_object_at(PTR(&its), first)->kind, OBJECT_QP);
	record_begin(&c, ROW_rdma_destroy_qp, end);
	request.qp = NULL;
	record_end(&c, 0);
	CHECK(!record_object_at(PTR(&its), record_time()));
	CHECK(record_object_at(PTR(&its), first));
	record_begin(&c, ROW_rdma_destroy_id, end);
	record_end(&c, 0);
	CHECK(!record_object_at(PTR(&request), record_time()));
}

static void test_time(void)
{
	struct timespec t;
	uint64_t ticks = record_time();
	int64_t realtime, now;

	clock_gettime(CLOCK_REALTIME, &t);
	now = t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
	realtime = record_realtime(ticks);
	CHECK(realtime > now - 20000000 && realtime < now + 20000000);
	CHECK(llabs(record_realtime(record_ticks(realtime)) - realtime) < 1000);
	CHECK(record_time() > ticks);
}

/* The rings lie in memory that another process may map, and has no pointers in it: what is read
 * through a second mapping, at another address, is what was written. */
static int shared_memory(void)
{
	int fd = memfd_create("record", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	size_t size = record_area_size();
	void *memory;

	CHECK(fd >= 0 && ftruncate(fd, (off_t)size) == 0);
	CHECK_INT(fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
	memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(memory != MAP_FAILED);
	CHECK_INT(record_area_at(memory, size - 1), -1);
	CHECK_INT(record_area_at(memory, size), 0);
	return fd;
}

static void test_shared(int fd)
{
	struct ibv_send_wr wr = { .wr_id = 4711 }, *bad;
	uint64_t image[IMAGE_MAX + 24];
	const struct record_ring *ring;
	struct record_area *other;
	struct record r;

	record_clear();
	ibv_post_send(&qp, &wr, &bad);
	other = mmap(NULL, record_area_size(), PROT_READ, MAP_SHARED, fd, 0);
	CHECK(other != MAP_FAILED && other != record_area());
	CHECK(other->magic == RECORD_MAGIC && other->rows == call_count);
	ring = &other->slot[0].ring[RECORD_DATA];
	CHECK(ring->head > ring->tail);
	CHECK(record_copy(other, ring, ring->tail, image));
	CHECK_INT(ring->tail + IMAGE_WORDS(image), ring->head);
	record_decode(image, true, &r);
	CHECK_STR(r.fn->name, "ibv_post_send");
	CHECK_INT(((const struct ibv_send_wr *)(uintptr_t)r.args[1])->wr_id, 4711);
	munmap(other, record_area_size());
	close(fd);
}

int main(void)
{
	int fd = shared_memory();

	context.ops.poll_cq = fake_poll;
	context.ops.post_send = fake_send;
	test_post();
	test_before_and_after();
	test_private_data();
	test_polls();
	test_depth();
	test_wrap();
	test_bounds();
	test_threads();
	test_watch();
	test_own();
	test_objects();
	test_shared(fd);
	test_held_objects();
	test_time();
	return checks_end();
}
