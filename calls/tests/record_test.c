/* SPDX-License-Identifier: MIT */
/* The record: what it keeps of a call, in which order, and who is told. */
#include <arpa/inet.h>
#include <netinet/in.h>

#include "call_record.h"
#include "record_rig.h"
#include "record_rings.h"
#include "recorded.h"

/* ---------------------------------------------------------------------- what is kept -- */

static void test_post(void)
{
	struct ibv_sge *sge = calloc(3, sizeof *sge);
	struct ibv_send_wr *wr = calloc(2, sizeof *wr), *many = calloc(200, sizeof *many);
	struct ibv_send_wr *bad = NULL;
	const struct ibv_send_wr *kept;
	struct record_list *l;
	struct record *r;
	unsigned accepted = 0;

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
	CHECK_INT(record_accepted(r), 2);
	record_list_free(l);

	record_clear();
	wr[0] = (struct ibv_send_wr){ .wr_id = 3, .sg_list = sge, .num_sge = 2 };
	CHECK_INT(ibv_post_send(&qp, wr, &bad), ENOMEM);
	l = all();
	r = only(l);
	CHECK_INT(r->err, ENOMEM);
	CHECK_INT(*(const uint64_t *)(uintptr_t)r->after[2], PTR(wr));
	CHECK_INT(record_accepted(r), 0);
	CHECK_STR(record_last_failure().fn->name, "ibv_post_send");
	CHECK_INT(record_last_failure().err, ENOMEM);
	record_list_free(l);

	/* the second is refused, then the last of a list of several records */
	record_clear();
	wr[0] = (struct ibv_send_wr){ .wr_id = 4, .next = &wr[1] };
	wr[1] = (struct ibv_send_wr){ .wr_id = 5, .num_sge = 2, .sg_list = sge };
	CHECK_INT(ibv_post_send(&qp, wr, &bad), ENOMEM);
	for (unsigned i = 0; i < 200; i++)
		many[i] = (struct ibv_send_wr){ .next = i < 199 ? &many[i + 1] : NULL };
	many[199] = (struct ibv_send_wr){ .num_sge = 2, .sg_list = sge };
	CHECK_INT(ibv_post_send(&qp, many, &bad), ENOMEM);
	l = all();
	CHECK_INT(record_accepted(&l->v[0]), 1);
	for (unsigned i = 1; i < l->n; i++) {
		const bool is_last = i == l->n - 1;

		CHECK_INT(l->v[i].depth, i > 1);
		CHECK_INT(l->v[i].err, i == 1 || is_last ? ENOMEM : 0);
		CHECK(is_last || record_accepted(&l->v[i]) > 40);
		accepted += record_accepted(&l->v[i]);
	}
	CHECK_INT(accepted, 199);
	record_list_free(l);

	/* all of a list */
	record_clear();
	for (unsigned i = 0; i < 200; i++)
		many[i] = (struct ibv_send_wr){ .wr_id = i, .next = i < 199 ? &many[i + 1] : NULL };
	CHECK_INT(ibv_post_send(&qp, many, &bad), 0);
	l = all();
	for (unsigned i = accepted = 0; i < l->n; i++) {
		r = &l->v[i];
		CHECK_INT(((const struct ibv_send_wr *)(uintptr_t)r->args[1])->wr_id, accepted);
		accepted += record_accepted(r);
	}
	CHECK_INT(accepted, 200);
	record_list_free(l);
	free(many);
	free(wr);
	free(sge);
}

/* Memory of the caller that the callee fills in, and a record that is read where the caller's
 * memory was: an address that it had then may be one of the copy. */
static void test_async_event(void)
{
	struct ibv_async_event event = { 0 };
	const uint64_t args[] = { PTR(&context), PTR(&event) };
	const struct ibv_async_event *kept;
	struct record_list *l;
	struct record_call c;

	record_clear();
	record_begin(&c, ROW_ibv_get_async_event, args, (struct record_from){ 0 });
	event = (struct ibv_async_event){ .element.qp = &qp, .event_type = IBV_EVENT_COMM_EST };
	record_end(&c, 0);
	l = all();
	kept = (const struct ibv_async_event *)(uintptr_t)only(l)->after[1];
	CHECK(kept && kept != &event && kept->element.qp == &qp);
	CHECK_INT(kept->event_type, IBV_EVENT_COMM_EST);
	record_list_free(l);
}

static void test_same_place(void)
{
	uint64_t image[IMAGE_MAX + IMAGE_SLACK] = { 0 }, copy[IMAGE_MAX];
	const struct ibv_send_wr *kept;
	struct ibv_send_wr *wr, *bad;
	const struct record_slot *slot;
	struct record r;

	record_clear();
	wr = (struct ibv_send_wr *)(void *)(image + 8); /* where the copy will be */
	wr[0] = (struct ibv_send_wr){ .wr_id = 1, .next = &wr[1] };
	wr[1] = (struct ibv_send_wr){ .wr_id = 2 };
	CHECK_INT(ibv_post_send(&qp, wr, &bad), 0);
	slot = record_own_slot();
	CHECK(record_copy(record_area(), (unsigned)(slot - record_area()->slot), RECORD_DATA,
			  slot->ring[RECORD_DATA].tail, copy));
	memcpy(image, copy, sizeof copy);
	record_decode(image, true, &r);
	kept = (const struct ibv_send_wr *)(uintptr_t)r.args[1];
	CHECK_INT(kept->wr_id, 1);
	CHECK(kept->next && kept->next->wr_id == 2 && !kept->next->next);
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
	record_begin(&c, ROW_ibv_create_qp, args, (struct record_from){ 0 });
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
	record_begin(&c, ROW_rdma_resolve_addr, resolve, (struct record_from){ 0 });
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
	record_begin(&c, ROW_rdma_connect, connect, (struct record_from){ 0 });
	record_end(&c, 0);
	record_begin(&c, ROW_rdma_get_cm_event, get, (struct record_from){ 0 });
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

static int fake_notify(struct ibv_cq *cq, int solicited)
{
	struct ibv_wc wc;

	(void)solicited;
	found = 1;
	return ibv_poll_cq(cq, 1, &wc) == 1 ? 0 : EINVAL; /* a call within the call */
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

static void count(void *told, const struct record *r)
{
	CHECK(r->ended);
	++*(unsigned *)told;
}

/* Polls that are watched push nothing out either. */
static void test_polls_watched(void)
{
	unsigned told = 0;
	const struct record_watch w = { .after = count, .arg = &told };
	struct record_list *l;
	struct ibv_wc wc;

	record_clear();
	found = 0;
	record_watch(&w);
	for (int i = 0; i < 1000; i++)
		ibv_poll_cq(&cqs[0], 1, &wc);
	record_watch(NULL);
	CHECK_INT(told, 1000);
	l = all();
	CHECK_INT(l->n, 1);
	CHECK_INT(l->v[0].count, 1000);
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
	const struct record_watch w = { .before = on_before, .after = on_after, .arg = &t };
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
		record_begin(&c, ROW_ibv_alloc_pd, make, (struct record_from){ 0 });
		record_end(&c, PTR(&pd));
		record_object_name(&pd, OBJECT_PD, i ? "again" : "pd0");
		if (i == 0)
			first = record_time();
		record_begin(&c, ROW_ibv_dealloc_pd, end, (struct record_from){ 0 });
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
	CHECK(!record_object_at(PTR(&pd), 1));
}

/* Objects that librdmacm makes for an id: rdma_destroy_id() leaves its QP. */
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
	record_begin(&c, ROW_rdma_get_cm_event, get, (struct record_from){ 0 });
	record_end(&c, 0);
	CHECK_INT(record_object_at(PTR(&request), record_time())->kind, OBJECT_CM_ID);
	record_begin(&c, ROW_rdma_create_qp, make, (struct record_from){ 0 });
	request.qp = &its;
	record_end(&c, 0);
	first = record_time();
	CHECK_INT(record_object_at(PTR(&its), first)->kind, OBJECT_QP);
	record_begin(&c, ROW_rdma_destroy_qp, end, (struct record_from){ 0 });
	request.qp = NULL;
	record_end(&c, 0);
	CHECK(!record_object_at(PTR(&its), record_time()));
	CHECK(record_object_at(PTR(&its), first));
	record_begin(&c, ROW_rdma_create_qp, make, (struct record_from){ 0 });
	request.qp = &its;
	record_end(&c, 0);
	record_begin(&c, ROW_rdma_destroy_id, end, (struct record_from){ 0 });
	record_end(&c, 0);
	CHECK(!record_object_at(PTR(&request), record_time()));
	CHECK(record_object_at(PTR(&its), record_time())); /* the program has to destroy it */
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

int main(void)
{
	rig_begin();
	test_post();
	test_async_event();
	test_same_place();
	test_before_and_after();
	test_private_data();
	test_polls();
	test_polls_watched();
	test_depth();
	test_watch();
	test_own();
	test_objects();
	test_held_objects();
	test_time();
	return checks_end();
}
