/* SPDX-License-Identifier: MIT */
#include "reader.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "heap.h"
#include "text.h"
#include "record_rings.h"
#include "recorded.h"
#include "shared_area.h"

#define FD_ABOVE	 200 /* descriptors that programs expect to get are below */
#define SHORTEST_WAIT_MS 1
#define LONGEST_WAIT_MS	 16
#define POST_NS		 5000000000	     /* a post that takes longer is not waited for */
#define CLOCKS_APART	 (UINT64_C(1) << 30) /* ticks that another processor's clock may be ahead */

/* The process that has one of the places in the memory. */
struct process_place {
	struct traced *process; /* NULL: there is none */
	struct record_area *area;
	int pidfd; /* -1: the process had ended already */
	uint64_t cursor[RECORD_THREADS][RECORD_PATHS];
	bool last_round; /* the process has ended: this round reads the rest */
	unsigned thread; /* whose unfinished call is reported next */
	/* threads that were held when this round began, and those that have been reported */
	uint64_t held[RECORD_THREADS], told[RECORD_THREADS];
	uint32_t looks;	    /* threads that waited to be reported when this round began */
	uint64_t lost;	    /* calls that were overwritten before they were read, */
	uint64_t damaged;   /* or could not be read, */
	uint64_t told_lost; /* and those that have been reported */
};

/* A record that was read and is not reported yet. */
struct read_record {
	uint64_t *image;
	struct process_place *place;
	struct traced *process;
	uint64_t moment, order;
};

struct reader {
	int fd;
	struct shared_area *shared;
	bool keeps_all;
	uint64_t begun_at, now; /* ticks; now: when this round began */
	struct process_place place[SHARED_PROCESSES];
	struct traced **processes;
	unsigned nprocesses;
	/* Records in the order of their moments. Those from told to ready are reported next. */
	struct read_record *waiting;
	size_t nwaiting, told, ready;
	uint64_t order;
	unsigned nbegun; /* processes that have been reported */
	struct process_place *ending[SHARED_PROCESSES];
	unsigned nending;
	struct record r;
	/* of an unfinished call, with room for IMAGE_BEHIND() */
	uint64_t begun[RECORD_BEGUN + IMAGE_SLACK + 16];
	int wait_ms;
	uint64_t **kept; /* images of calls for reader_keep() */
	size_t nkept;
};

/* ---------------------------------------------------------------------------- memory -- */

static int make_memory(struct reader *r)
{
	const size_t size = shared_place_at(SHARED_PROCESSES);
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	int fd = memfd_create("vtrace", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd < 0)
		return -1;
	r->fd = fcntl(fd, F_DUPFD_CLOEXEC, FD_ABOVE);
	if (r->fd < 0)
		r->fd = fd;
	else
		close(fd);
	if (ftruncate(r->fd, (off_t)size) || fcntl(r->fd, F_ADD_SEALS, seals))
		return -1;
	r->shared = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, r->fd, 0);
	if (r->shared == MAP_FAILED)
		return -1;
	r->shared->rows = call_count;
	r->shared->tracer = getpid();
	r->shared->magic = SHARED_MAGIC;
	return 0;
}

/* The list that the kernel looks through when this thread ends: one lock, whose word is in the
 * memory. */
static struct {
	struct robust_list_head head;
	struct robust_list lock;
} life;

static void begin_life(struct shared_area *shared)
{
	atomic_store(&shared->reader, (uint32_t)syscall(SYS_gettid));
	life.lock.next = &life.head.list;
	life.head.list.next = &life.lock;
	life.head.futex_offset = (char *)&shared->reader - (char *)&life.lock;
	syscall(SYS_set_robust_list, &life.head, sizeof life.head);
}

static void end_life(struct shared_area *shared)
{
	life.head.list.next = &life.head.list;
	atomic_store(&shared->reader, FUTEX_OWNER_DIED);
}

struct reader *reader_open(const struct shared_options *options)
{
	struct reader *r = xcalloc(1, sizeof *r);

	r->fd = -1;
	if (make_memory(r)) {
		const int err = errno;

		if (r->fd >= 0)
			close(r->fd);
		free(r);
		errno = err;
		return NULL;
	}
	r->shared->how = *options;
	r->keeps_all = options->keeps_all;
	r->wait_ms = SHORTEST_WAIT_MS;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		r->place[i].pidfd = -1;
	begin_life(r->shared);
	r->begun_at = record_time(); /* the first calibrates the clock */
	return r;
}

int reader_admit(struct reader *r)
{
	char text[64];

	r->shared->program = getpid();
	snprintf(text, sizeof text, "%d %d", r->fd, r->shared->tracer);
	if (fcntl(r->fd, F_SETFD, 0))
		return -1;
	return setenv(SHARED_VARIABLE, text, 1);
}

void reader_close(struct reader *r)
{
	if (!r)
		return;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].pidfd >= 0)
			close(r->place[i].pidfd);
	for (unsigned i = 0; i < r->nprocesses; i++) {
		record_objects_free(r->processes[i]->objects);
		free(r->processes[i]);
	}
	for (size_t i = 0; i < r->nwaiting; i++)
		free(r->waiting[i].image);
	for (size_t i = 0; i < r->nkept; i++)
		free(r->kept[i]);
	free(r->kept);
	free(r->processes);
	free(r->waiting);
	end_life(r->shared);
	munmap(r->shared, shared_place_at(SHARED_PROCESSES));
	close(r->fd);
	free(r);
}

unsigned reader_refused(const struct reader *r)
{
	return atomic_load(&r->shared->refused);
}

const struct shared_area *reader_shared(const struct reader *r)
{
	return r->shared;
}

/* ------------------------------------------------------------------------- processes -- */

/* Another process can change from at any time: each value is read once. */
static void begin_process(struct reader *r, unsigned i, pid_t pid)
{
	const struct shared_process *from = &r->shared->process[i];
	struct traced *p = xcalloc(1, sizeof *p);

	p->number = r->nprocesses;
	p->pid = pid;
	p->own_pid = from->pid;
	memcpy(p->name, from->name, sizeof p->name - 1);
	for (char *c = p->name; *c; c++)
		if (*c == '\n' || *c == '\t') /* a name has one line */
			*c = ' ';
	p->objects = record_objects_new();
	r->processes = xgrow(r->processes, r->nprocesses, sizeof *r->processes);
	r->processes[r->nprocesses++] = p;
	r->place[i] = (struct process_place){
		.process = p,
		.area = (void *)((char *)r->shared + shared_place_at(i)),
		.pidfd = (int)syscall(SYS_pidfd_open, p->pid, 0),
	};
}

/* Has the process ended, or has it executed another program, which is traced, too? */
static bool has_ended(const struct reader *r, const struct process_place *place)
{
	struct pollfd fd = { .fd = place->pidfd, .events = POLLIN };

	if (place->pidfd < 0 || (poll(&fd, 1, 0) == 1 && fd.revents))
		return true;
	for (unsigned i = place->process->number + 1; i < r->nprocesses; i++)
		if (r->processes[i]->pid == place->process->pid)
			return true;
	return false;
}

/* Lets threads go on that waited until their last call was reported: the last round has done that.
 */
static void release_waiting(struct process_place *place, struct shared_process *p)
{
	if (place->looks == atomic_load(&p->looked))
		return;
	atomic_store(&p->looked, place->looks);
	syscall(SYS_futex, &p->looked, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void update_process(struct reader *r, struct process_place *place,
			   struct shared_process *from)
{
	release_waiting(place, from);
	place->looks = atomic_load(&from->looks);
	place->last_round = has_ended(r, place);
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		place->held[i] = atomic_load(&from->held_thread[i]);
}

static void free_place(struct shared_process *p)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		atomic_store(&p->held_thread[i], 0);
	atomic_store(&p->looks, 0);
	atomic_store(&p->looked, 0);
	atomic_store(&p->state, SHARED_FREE);
}

/* Asks the kernel who has taken the place. */
static void meet_process(struct reader *r, unsigned i)
{
	struct shared_process *p = &r->shared->process[i];
	struct flock lock = shared_lock(i);

	if (fcntl(r->fd, F_GETLK, &lock) || lock.l_type == F_UNLCK) {
		free_place(p); /* it has ended already */
		return;
	}
	begin_process(r, i, lock.l_pid);
	atomic_store(&p->state, SHARED_KNOWN);
	syscall(SYS_futex, &p->state, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void find_processes(struct reader *r)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		if (!r->place[i].process &&
		    atomic_load(&r->shared->process[i].state) == SHARED_READY)
			meet_process(r, i);
	}
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process && !r->place[i].last_round)
			update_process(r, &r->place[i], &r->shared->process[i]);
}

/* Clears the memory of its place and lets another process take it. */
static void end_process(struct reader *r, struct process_place *place)
{
	const unsigned i = (unsigned)(place - r->place);

	if (place->pidfd >= 0)
		close(place->pidfd);
	place->process = NULL;
	place->last_round = false;
	place->pidfd = -1;
	if (fallocate(r->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)shared_place_at(i),
		      (off_t)record_area_size()) == 0)
		free_place(&r->shared->process[i]);
}

/* --------------------------------------------------------------------------- records -- */

/* The time that gives a call its place: causes come before what comes of them. */
static uint64_t moment_of(const uint64_t *image)
{
	return image[record_is_post(record_row(IMAGE_ROW(image))) ? IMAGE_BEGIN : IMAGE_END];
}

/* A time between the beginning of the trace and now, as each that a call has had is. */
static uint64_t possible_time(const struct reader *r, uint64_t ticks)
{
	const uint64_t soon = r->now + CLOCKS_APART;

	return ticks < r->begun_at ? r->begun_at : ticks > soon ? soon : ticks;
}

static void add_waiting(struct reader *r, struct process_place *place, unsigned thread,
			const uint64_t *image)
{
	const size_t words = IMAGE_WORDS(image);
	uint64_t *copy;

	r->waiting = xgrow(r->waiting, r->nwaiting, sizeof *r->waiting);
	copy = xcalloc(words + IMAGE_BEHIND(image), sizeof *copy);
	memcpy(copy, image, words * sizeof *copy);
	copy[IMAGE_END] = possible_time(r, copy[IMAGE_END]);
	copy[IMAGE_BEGIN] = possible_time(r, copy[IMAGE_BEGIN]);
	if (copy[IMAGE_BEGIN] > copy[IMAGE_END])
		copy[IMAGE_BEGIN] = copy[IMAGE_END];
	copy[IMAGE_WHERE] = (uint64_t)thread << 48 | (copy[IMAGE_WHERE] & (UINT64_MAX >> 16));
	r->waiting[r->nwaiting++] = (struct read_record){ copy, place, place->process,
							  moment_of(copy), ++r->order };
}

/* The program adds no more polls to this record from now on; image gets their number. */
static void mark_taken(const struct record_area *area, unsigned slot, uint64_t at, uint64_t *image)
{
	_Atomic uint64_t *w = record_word(area, slot, RECORD_DATA, at);
	const uint64_t count = atomic_fetch_or(w + IMAGE_COUNT, IMAGE_TAKEN);

	/* the rest of that word has been checked */
	image[IMAGE_COUNT] = count >> 32 << 32 | (image[IMAGE_COUNT] & 0xffff7fff);
	image[IMAGE_END] = atomic_load(w + IMAGE_END);
}

/* Reads the record at *at and goes on to the next; false: there is none that makes sense. */
static bool read_record(struct reader *r, struct process_place *place, unsigned thread,
			enum record_path path, uint64_t *at)
{
	uint64_t image[IMAGE_MAX];

	if (!record_copy(place->area, thread, path, *at, image))
		return false;
	if (IMAGE_ROW(image) != IMAGE_PAD) {
		if (!record_is_sound(image))
			return false;
		if (path == RECORD_DATA)
			mark_taken(place->area, thread, *at, image);
		add_waiting(r, place, thread, image);
	}
	*at += IMAGE_WORDS(image);
	return true;
}

/* Reads the records of a ring up to its head. What the ring says of itself may be any numbers, and
 * change: with each step there is less to read. */
static void read_ring(struct reader *r, struct process_place *place, unsigned thread,
		      enum record_path path)
{
	struct record_ring *ring = &place->area->slot[thread].ring[path];
	const uint64_t head = atomic_load_explicit(&ring->head, memory_order_acquire);
	uint64_t *at = &place->cursor[thread][path], tail = atomic_load(&ring->tail);

	if (*at == head)
		return;
	if (head - *at > record_ring_words(path)) /* the oldest were overwritten */
		*at = tail;
	while (*at != head && head - *at <= record_ring_words(path)) {
		if (read_record(r, place, thread, path, at))
			continue;
		tail = atomic_load(&ring->tail);
		if (tail == *at || tail - *at > head - *at)
			break;
		*at = tail;
	}
	place->damaged += *at != head;
	*at = head;
	atomic_store_explicit(&ring->seen, head, memory_order_release);
}

static void read_place(struct reader *r, struct process_place *place)
{
	uint64_t lost = atomic_load(&place->area->lost);

	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		if (!atomic_load(&place->area->slot[i].state))
			continue;
		for (unsigned j = 0; j < RECORD_PATHS; j++) {
			read_ring(r, place, i, j);
			lost += atomic_load(&place->area->slot[i].ring[j].lost);
		}
	}
	if (r->keeps_all) {
		atomic_fetch_add(&place->area->rounds, 1);
		syscall(SYS_futex, &place->area->rounds, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
	place->lost = lost + place->damaged;
}

static int by_moment(const void *a, const void *b)
{
	const struct read_record *x = a, *y = b;

	if (x->moment != y->moment)
		return x->moment < y->moment ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

static bool is_sorted(const struct reader *r)
{
	for (size_t i = 1; i < r->nwaiting; i++)
		if (by_moment(&r->waiting[i - 1], &r->waiting[i]) > 0)
			return false;
	return true;
}

static bool all_are_ready(const struct reader *r, const struct process_place *place)
{
	for (size_t i = r->ready; i < r->nwaiting; i++)
		if (r->waiting[i].place == place)
			return false;
	return true;
}

/* The time, until now, before which no ring gets any more calls. A post that has begun is waited
 * for, but not for ever: its thread may be stopped. */
static uint64_t find_horizon(const struct reader *r, uint64_t now)
{
	uint64_t horizon = now;

	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		const struct process_place *place = &r->place[i];

		if (!place->process || place->last_round)
			continue;
		for (unsigned j = 0; j < RECORD_THREADS; j++) {
			const struct record_slot *slot = &place->area->slot[j];
			const uint32_t called = atomic_load(&slot->called);
			const uint64_t at = atomic_load(&slot->called_at);
			const struct call_fn *fn = called ? record_row(called - 1) : NULL;

			if (fn && record_is_post(fn) && at < horizon &&
			    record_span(at, now) < POST_NS)
				horizon = at;
		}
	}
	return horizon;
}

/* Reads all that has been written. Calls after the horizon wait for the next round. */
static void read_round(struct reader *r)
{
	bool all_ended = true;
	uint64_t horizon;

	if (r->told && r->told < r->nwaiting)
		memmove(r->waiting, r->waiting + r->told,
			(r->nwaiting - r->told) * sizeof *r->waiting);
	r->nwaiting -= r->told;
	r->told = r->ready = r->nending = 0;
	find_processes(r);
	r->now = record_time(); /* after the calls of the threads that were seen to wait */
	horizon = find_horizon(r, r->now);
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct process_place *place = &r->place[i];

		if (!place->process)
			continue;
		read_place(r, place);
		all_ended &= place->last_round;
	}
	if (!is_sorted(r))
		qsort(r->waiting, r->nwaiting, sizeof *r->waiting, by_moment);
	while (r->ready < r->nwaiting && (all_ended || r->waiting[r->ready].moment < horizon))
		r->ready++;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].last_round && all_are_ready(r, &r->place[i]))
			r->ending[r->nending++] = &r->place[i];
}

/* ------------------------------------------------------------------------------ news -- */

static bool next_begun(struct reader *r, struct reader_news *news)
{
	if (r->nbegun == r->nprocesses)
		return false;
	*news = (struct reader_news){ .what = READER_BEGUN, .process = r->processes[r->nbegun++] };
	return true;
}

static bool next_lost(struct reader *r, struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct process_place *place = &r->place[i];

		if (!place->process || place->told_lost >= place->lost)
			continue;
		*news = (struct reader_news){ .what = READER_LOST,
					      .process = place->process,
					      .n = place->lost - place->told_lost };
		place->told_lost = place->lost;
		return true;
	}
	return false;
}

/* Calls that libvtrace.so makes itself are of these. */
static bool is_possible(const struct record *r)
{
	return r->depth < SHARED_OWN_DEPTH || r->fn == &call_table[ROW_ibv_query_device] ||
	       r->fn == &call_table[ROW_ibv_query_port] ||
	       r->fn == &call_table[ROW_ibv_query_gid] || r->fn == &call_table[SHARED_LOOK_ROW] ||
	       r->fn == &call_table[SHARED_CHANGED_ROW];
}

static bool next_call(struct reader *r, struct reader_news *news)
{
	struct read_record *w;

	if (r->told == r->ready)
		return false;
	w = &r->waiting[r->told++];
	record_decode(w->image, true, &r->r);
	if (!is_possible(&r->r) || !record_is_whole(&r->r)) {
		*news = (struct reader_news){ .what = READER_LOST, .process = w->process, .n = 1 };
		return true;
	}
	record_objects_learn(w->process->objects, &r->r);
	*news = (struct reader_news){ .what = READER_CALL, .process = w->process, .r = &r->r };
	return true;
}

/* The arguments of an unfinished call, if its thread has kept them. */
static void decode_begun(struct reader *r, const struct record_slot *slot, unsigned row)
{
	uint64_t *image = r->begun;
	size_t n;

	memcpy(image, slot->begun, sizeof slot->begun);
	n = IMAGE_WORDS(image);
	if (n < IMAGE_ARGS || n > RECORD_BEGUN || IMAGE_ROW(image) != row ||
	    !record_is_sound(image))
		return;
	memset(image + n, 0, IMAGE_BEHIND(image) * sizeof *image);
	record_decode(image, false, &r->r);
	if (!record_is_whole(&r->r))
		r->r = (struct record){ .fn = r->r.fn };
}

/* The call in which a thread of the process is, or was when it ended. */
static bool next_inside(struct reader *r, const struct process_place *place, unsigned *thread,
			struct reader_news *news)
{
	const struct record_slot *slot;
	const struct call_fn *fn;
	uint32_t called;

	while (*thread < RECORD_THREADS) {
		slot = &place->area->slot[(*thread)++];
		called = atomic_load(&slot->called);
		fn = called && atomic_load(&slot->state) ? record_row(called - 1) : NULL;
		if (!fn)
			continue;
		r->r = (struct record){ .fn = fn };
		decode_begun(r, slot, called - 1);
		r->r.begin = r->r.end = possible_time(r, atomic_load(&slot->called_at));
		r->r.thread = *thread - 1;
		r->r.depth = 0;
		r->r.count = 1;
		*news = (struct reader_news){ .what = READER_UNFINISHED,
					      .process = place->process,
					      .r = &r->r };
		return true;
	}
	return false;
}

static bool next_unfinished(struct reader *r, struct process_place *place, struct reader_news *news)
{
	return next_inside(r, place, &place->thread, news);
}

bool reader_inside(struct reader *r, struct traced *process, unsigned *thread,
		   struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process == process)
			return next_inside(r, &r->place[i], thread, news);
	return false;
}

static bool has_waiting(const struct reader *r, const struct process_place *place, unsigned thread)
{
	for (size_t i = r->told; i < r->nwaiting; i++)
		if (r->waiting[i].place == place && IMAGE_THREAD(r->waiting[i].image) == thread)
			return true;
	return false;
}

/* A held thread is reported after its calls, of which the last is the one for which it is held. */
static bool next_held_of(const struct reader *r, struct process_place *place,
			 struct reader_news *news)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++) {
		if (place->told[i] == place->held[i] || has_waiting(r, place, i))
			continue;
		place->told[i] = place->held[i];
		*news = (struct reader_news){ .what = READER_HELD,
					      .process = place->process,
					      .n = (uint32_t)place->held[i] };
		return true;
	}
	return false;
}

static bool next_held(struct reader *r, struct reader_news *news)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process && next_held_of(r, &r->place[i], news))
			return true;
	return false;
}

void reader_keep(struct reader *r)
{
	struct read_record *w = r->told ? &r->waiting[r->told - 1] : NULL;

	if (!w || !w->image)
		return;
	r->kept = xgrow(r->kept, r->nkept, sizeof *r->kept);
	r->kept[r->nkept++] = w->image;
	w->image = NULL;
}

void reader_release(struct reader *r)
{
	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		struct shared_process *p = &r->shared->process[i];

		atomic_fetch_add(&p->went_on, 1);
		syscall(SYS_futex, &p->went_on, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
	}
}

static bool next_news(struct reader *r, struct reader_news *news)
{
	if (r->told)
		free(r->waiting[r->told - 1].image), r->waiting[r->told - 1].image = NULL;
	if (next_begun(r, news) || next_lost(r, news) || next_call(r, news) || next_held(r, news))
		return true;
	while (r->nending) {
		struct process_place *place = r->ending[r->nending - 1];

		if (next_unfinished(r, place, news))
			return true;
		r->nending--;
		*news = (struct reader_news){ .what = READER_ENDED, .process = place->process };
		end_process(r, place);
		return true;
	}
	return false;
}

void reader_next(struct reader *r, struct reader_news *news, int timeout_ms)
{
	int waited = 0;

	if (next_news(r, news))
		return;
	for (;;) {
		read_round(r);
		if (next_news(r, news)) {
			r->wait_ms = SHORTEST_WAIT_MS;
			return;
		}
		*news = (struct reader_news){ .what = READER_NOTHING };
		if (waited >= timeout_ms)
			return;
		poll(NULL, 0, r->wait_ms);
		waited += r->wait_ms;
		if (r->wait_ms < LONGEST_WAIT_MS)
			r->wait_ms *= 2;
	}
}

bool reader_is_idle(const struct reader *r)
{
	if (r->told < r->nwaiting || r->nending)
		return false;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		if (r->place[i].process ||
		    atomic_load(&r->shared->process[i].state) == SHARED_READY)
			return false;
	return true;
}
