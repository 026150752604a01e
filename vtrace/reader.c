/* SPDX-License-Identifier: MIT */
#include "reader_own.h"

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
#include "recorded.h"
#include "shared_area.h"

#define FD_ABOVE 200		     /* descriptors that programs expect to get are below */
#define POST_NS	 5000000000	     /* a post that takes longer is not waited for */
#define READ_NS	 (UINT64_C(1) << 30) /* that reading a round may take: calls end meanwhile */

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
	r->wait_ms = READER_SHORTEST_WAIT_MS;
	for (unsigned i = 0; i < SHARED_PROCESSES; i++)
		r->place[i].pidfd = -1;
	begin_life(r->shared);
	r->begun_at = record_time();
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

/* NULL: none sees itself as pid. */
static const struct traced *newest_process(const struct reader *r, pid_t pid)
{
	for (unsigned i = r->nprocesses; i; i--)
		if (r->processes[i - 1]->own_pid == pid)
			return r->processes[i - 1];
	return NULL;
}

/* Another process can change from at any time: each value is read once. */
static void begin_process(struct reader *r, unsigned i, pid_t pid)
{
	const struct shared_process *from = &r->shared->process[i];
	struct traced *p = xcalloc(1, sizeof *p);

	p->number = r->nprocesses;
	p->pid = pid;
	p->own_pid = from->pid;
	p->forked_by = newest_process(r, from->forked_by);
	p->forked_at = from->forked_at;
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
	if (place->told_signal)
		syscall(SYS_pidfd_send_signal, place->pidfd, (int)place->told_signal, NULL, 0);
	place->looks = atomic_load(&from->looks);
	place->signal = atomic_exchange(&from->signal, 0);
	place->last_round = has_ended(r, place);
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		place->held[i] = atomic_load(&from->held_thread[i]);
}

static void free_place(struct shared_process *p)
{
	for (unsigned i = 0; i < RECORD_THREADS; i++)
		atomic_store(&p->held_thread[i], 0);
	atomic_store(&p->signal, 0);
	atomic_store(&p->looks, 0);
	atomic_store(&p->looked, 0);
	atomic_store(&p->stops, 0);
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

void reader_end_process(struct reader *r, struct process_place *place)
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

uint64_t reader_possible_time(const struct reader *r, uint64_t ticks)
{
	const uint64_t soon = r->now + READ_NS;

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
	copy[IMAGE_END] = reader_possible_time(r, copy[IMAGE_END]);
	copy[IMAGE_BEGIN] = reader_possible_time(r, copy[IMAGE_BEGIN]);
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

/* Reads the records of a ring up to its head. The numbers that the ring says of itself may be any,
 * and change: with each step there is less to read. */
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

void reader_read_round(struct reader *r)
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
