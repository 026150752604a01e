/* SPDX-License-Identifier: MIT */
/* The rings of the record: what they lose, who reads them meanwhile, and from another process. */
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record_rig.h"
#include "record_rings.h"
#include "recorded.h"

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
	unsigned n = 0;

	record_clear();
	for (unsigned i = 0; i < LONG; i++)
		wr[i] = (struct ibv_send_wr){ .wr_id = i,
					      .next = i + 1 < LONG ? &wr[i + 1] : NULL };
	ibv_post_send(&qp, wr, &bad);
	l = all();
	CHECK(l->n > 1);
	for (unsigned i = 0; i < l->n; i++)
		for (kept = (const struct ibv_send_wr *)(uintptr_t)l->v[i].args[1]; kept;
		     kept = kept->next)
			CHECK_INT(kept->wr_id, n++);
	CHECK_INT(n, LONG);
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

static pthread_barrier_t met;

static void *keep_ring(void *arg)
{
	post_many(arg);
	pthread_barrier_wait(&met);
	pthread_barrier_wait(&met);
	return NULL;
}

static struct ibv_pd pd;

static void *make_pd(void *arg)
{
	const uint64_t args[] = { PTR(&context) };
	struct record_call call;

	(void)arg;
	record_begin(&call, ROW_ibv_alloc_pd, args, (struct record_from){ 0 });
	record_end(&call, PTR(&pd));
	return NULL;
}

/* Other threads may use what a thread without rings has made. */
static void test_no_ring(void)
{
	unsigned each = 1;
	pthread_t t[RECORD_THREADS], further;
	const struct record_object *o;
	struct record_list *l;
	uint64_t lost;

	pthread_barrier_init(&met, NULL, RECORD_THREADS + 1);
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		pthread_create(&t[i], NULL, keep_ring, &each);
	pthread_barrier_wait(&met);
	record_clear();
	lost = record_area()->lost;
	pthread_create(&further, NULL, make_pd, NULL);
	pthread_join(further, NULL);
	l = all();
	CHECK_INT(l->n, 0);
	CHECK_INT(l->lost[RECORD_CONTROL], lost + 1);
	record_list_free(l);
	o = record_object_at(PTR(&pd), record_time());
	CHECK(o && o->kind == OBJECT_PD);
	pthread_barrier_wait(&met);
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		pthread_join(t[i], NULL);
	pthread_barrier_destroy(&met);
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
	uint64_t image[IMAGE_MAX + IMAGE_SLACK + 16] = { 0 };
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
	CHECK(record_copy(other, 0, RECORD_DATA, ring->tail, image));
	CHECK_INT(ring->tail + IMAGE_WORDS(image), ring->head);
	CHECK(record_is_sound(image));
	record_decode(image, true, &r);
	CHECK(record_is_whole(&r));
	CHECK_STR(r.fn->name, "ibv_post_send");
	CHECK_INT(((const struct ibv_send_wr *)(uintptr_t)r.args[1])->wr_id, 4711);
	munmap(other, record_area_size());
	close(fd);
}

int main(void)
{
	int fd = shared_memory();

	rig_begin();
	test_wrap();
	test_bounds();
	test_threads();
	test_no_ring();
	test_shared(fd);
	return checks_end();
}
