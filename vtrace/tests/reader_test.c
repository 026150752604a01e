/* SPDX-License-Identifier: MIT */
/* The order of calls: a post that has not returned comes before what the peer has polled of it. */
#include "reader.h"

#include <pthread.h>
#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record_rig.h"
#include "record_rings.h"
#include "recorded.h"

static sem_t posted, polled;
static int to_reader[2], to_program[2];

static void tell(const int pipe[2])
{
	CHECK_INT(write(pipe[1], "", 1), 1);
}

static void hear(const int pipe[2])
{
	char c;

	CHECK_INT(read(pipe[0], &c, 1), 1);
}

/* The device has the request, but the call returns only when the other thread has polled. */
static int post_slowly(struct ibv_qp *q, struct ibv_send_wr *wr, struct ibv_send_wr **bad)
{
	(void)q;
	(void)wr;
	(void)bad;
	sem_post(&posted);
	sem_wait(&polled);
	return 0;
}

static void *poll_once(void *arg)
{
	struct ibv_wc wc;

	(void)arg;
	sem_wait(&posted);
	found = 1;
	CHECK_INT(ibv_poll_cq(&cqs[0], 1, &wc), 1);
	tell(to_reader);
	hear(to_program); /* the reader has looked */
	sem_post(&polled);
	return NULL;
}

/* Takes the first place in the memory of the reader, as libvtrace.so does. */
static void join_reader(void)
{
	struct shared_area *shared;
	struct record_area *area;
	struct flock lock;
	int fd;

	CHECK_INT(sscanf(getenv(SHARED_VARIABLE), "%d", &fd), 1);
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(shared != MAP_FAILED && shared->magic == SHARED_MAGIC);
	area = mmap(NULL, record_area_size(), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
		    (off_t)shared_place_at(0));
	CHECK(area != MAP_FAILED);
	CHECK_INT(record_area_at(area, record_area_size()), 0);
	lock = shared_lock(0);
	CHECK_INT(fcntl(fd, F_SETLK, &lock), 0);
	shared->process[0].pid = getpid();
	atomic_store(&shared->process[0].state, SHARED_READY);
}

static void run_program(void)
{
	struct ibv_send_wr wr = { 0 }, *bad;
	pthread_t t;

	rig_begin();
	context.ops.post_send = post_slowly;
	join_reader();
	pthread_create(&t, NULL, poll_once, NULL);
	CHECK_INT(ibv_post_send(&qp, &wr, &bad), 0);
	pthread_join(t, NULL);
}

static void expect_news(struct reader *r, enum reader_what what, const char *function)
{
	struct reader_news news;

	reader_next(r, &news, 10000);
	CHECK_INT(news.what, what);
	if (function)
		CHECK_STR(news.r->fn->name, function);
}

int main(void)
{
	struct reader *r = reader_open(&(struct shared_options){ .keeps_all = true });
	struct reader_news news;
	pid_t child;
	int status;

	CHECK(r && pipe(to_reader) == 0 && pipe(to_program) == 0);
	sem_init(&posted, 0, 0);
	sem_init(&polled, 0, 0);
	CHECK_INT(reader_admit(r), 0);
	child = fork();
	CHECK(child >= 0);
	if (!child) {
		run_program();
		reader_close(r);
		return 0;
	}
	hear(to_reader);
	expect_news(r, READER_BEGUN, NULL);
	reader_next(r, &news, 0);
	CHECK_INT(news.what, READER_NOTHING);
	tell(to_program);
	expect_news(r, READER_CALL, "ibv_post_send");
	expect_news(r, READER_CALL, "ibv_poll_cq");
	expect_news(r, READER_ENDED, NULL);
	CHECK_INT(waitpid(child, &status, 0), child);
	CHECK_INT(status, 0);
	reader_close(r);
	return checks_end();
}
