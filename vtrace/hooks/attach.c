/* SPDX-License-Identifier: MIT */
/* Where this process writes its record. With its first call it takes a place in the memory that
 * vtrace has made; a child of fork() takes a place of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "call_fault.h"
#include "failing.h"
#include "calls.h"
#include "freed.h"
#include "hold.h"
#include "sums.h"
#include "record_rings.h"
#include "shared_area.h"
#include "sites.h"

static void *own_records; /* NULL: not traced */
static struct shared_area *own_header;

static struct shared_area *map_header(int fd)
{
	struct shared_area *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (s == MAP_FAILED)
		return NULL;
	if (s->magic == SHARED_MAGIC && s->rows == call_count)
		return s;
	munmap(s, sizeof *s);
	return NULL;
}

/* Maps the memory through the inherited descriptor or, if the program has closed that, through
 * /proc of the process that made it. *fd is to be closed if it is not the inherited one. */
static struct shared_area *find_shared(int *fd, int *inherited)
{
	const char *where = getenv(SHARED_VARIABLE);
	struct shared_area *s = NULL;
	char path[64];
	struct stat st;
	int tracer;

	if (!where || sscanf(where, "%d %d", inherited, &tracer) != 2)
		return NULL;
	*fd = *inherited;
	if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    (size_t)st.st_size >= sizeof(struct shared_area))
		s = map_header(*fd);
	if (s)
		return s;
	snprintf(path, sizeof path, "/proc/%d/fd/%d", tracer, *inherited);
	*fd = open(path, O_RDWR | O_CLOEXEC);
	s = *fd < 0 ? NULL : map_header(*fd);
	if (!s && *fd >= 0)
		close(*fd);
	return s;
}

static pid_t forked_by; /* 0: this program was executed */
static uint64_t forked_at;

static void name_process(struct shared_process *p)
{
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, p->name, sizeof p->name - 1);

	if (fd >= 0)
		close(fd);
	if (n <= 0)
		n = snprintf(p->name, sizeof p->name, "%s", program_invocation_name);
	while (n > 0 && !p->name[n - 1])
		n--;
	for (ssize_t i = 0; i < n; i++)
		if (!p->name[i])
			p->name[i] = ' ';
	p->pid = getpid();
	p->forked_by = forked_by;
	p->forked_at = forked_at;
}

/* Waits until vtrace knows which process this is. false: it could not be told, or vtrace has ended.
 */
static bool become_known(struct shared_area *s, int fd, unsigned place)
{
	const struct timespec moment = { .tv_nsec = 50000000 };
	struct flock lock = shared_lock(place), none = lock;
	struct shared_process *p = &s->process[place];

	none.l_type = F_UNLCK;
	fcntl(fd, F_SETLK, &lock);
	atomic_store(&p->state, SHARED_READY);
	while (atomic_load(&p->state) == SHARED_READY && !record_reader_died(&s->reader)) {
		syscall(SYS_futex, &p->state, FUTEX_WAIT, SHARED_READY, &moment, NULL, 0);
		fcntl(fd, F_SETLK, &lock); /* another thread may have closed a descriptor */
	}
	fcntl(fd, F_SETLK, &none);
	return atomic_load(&p->state) == SHARED_KNOWN;
}

static struct fault_rule own_faults[FAULT_RULES_MAX];
static unsigned nfaults;

/* uroce0 makes those come true that are not about calls; without it vtrace has refused all that
 * failing.c cannot. */
static void set_faults(unsigned n)
{
	void (*set)(struct fault_rule *, unsigned) =
		(void (*)(struct fault_rule *, unsigned))dlsym(RTLD_DEFAULT, "uroce_rules_set");

	nfaults = n;
	call_faults_set(own_faults, n);
	if (set)
		set(own_faults, n);
	else
		failing_set(own_faults, n);
}

/* Each process counts for itself; vtrace is told the hits of all. */
static void begin_faults(struct shared_area *s)
{
	const uint32_t n = s->how.nrules < FAULT_RULES_MAX ? s->how.nrules : FAULT_RULES_MAX;

	memcpy(own_faults, s->how.rules, n * sizeof *own_faults);
	for (uint32_t i = 0; i < n; i++) {
		atomic_store(&own_faults[i].matched, 0);
		atomic_store(&own_faults[i].hit, 0);
		own_faults[i].told = &s->how.rules[i];
	}
	set_faults(n);
}

/* In the child of fork(), where the memory is gone. The device has forgotten its rules. */
static void end_faults(void)
{
	call_faults_set(own_faults, 0);
	failing_forget();
	for (unsigned i = 0; i < nfaults; i++)
		own_faults[i].told = NULL;
}

static void *take_place(struct shared_area *s, int fd)
{
	struct record_area *records;
	uint32_t expected;

	for (unsigned i = 0; i < SHARED_PROCESSES; i++) {
		expected = SHARED_FREE;
		if (!atomic_compare_exchange_strong(&s->process[i].state, &expected, SHARED_TAKEN))
			continue;
		records = mmap(NULL, record_area_size(), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_NORESERVE, fd, (off_t)shared_place_at(i));
		if (records == MAP_FAILED) {
			atomic_store(&s->process[i].state, SHARED_FREE);
			break;
		}
		madvise(records, record_area_size(),
			MADV_DONTDUMP); /* a core file need not have it */
		name_process(&s->process[i]);
		if (!become_known(s, fd, i)) {
			munmap(records, record_area_size());
			break;
		}
		if (s->how.keeps_all)
			record_keep_for(&s->reader);
		sums_are_kept = s->how.sums;
		sums_flags_are_asked = s->how.fields;
		if (s->how.stop_on != SHARED_STOP_NEVER || s->how.looks || s->how.checks)
			hold_begin(s, &s->process[i]);
		freed_begin(s);
		if (s->how.nrules)
			begin_faults(s);
		if (s->how.notes)
			sites_begin(s);
		own_records = records;
		own_header = s;
		return records;
	}
	atomic_fetch_add(&s->refused, 1);
	return NULL;
}

/* A child must not write to the rings of its parent, which it has inherited. */
static void forget_parent(void)
{
	forked_by = getppid();
	forked_at = record_time();
	record_keep_for(NULL);
	hold_forget();
	end_faults();
	freed_forget();
	sums_are_kept = sums_flags_are_asked = false;
	if (own_records) {
		munmap(own_records, record_area_size());
		munmap(own_header, sizeof *own_header);
	}
	own_records = NULL;
	record_forked();
}

static void install_fork(void)
{
	pthread_atfork(NULL, NULL, forget_parent);
}

void *record_area_memory(size_t *size)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	const int err = errno;
	int fd, inherited;
	struct shared_area *s = find_shared(&fd, &inherited);
	void *records = NULL;

	(void)size;
	if (s && (s->how.follows || s->program == getpid()))
		records = take_place(s, fd);
	if (s) {
		if (!records)
			munmap(s, sizeof *s);
		if (fd != inherited)
			close(fd);
		pthread_once(&once, install_fork);
	}
	errno = err;
	return records;
}
