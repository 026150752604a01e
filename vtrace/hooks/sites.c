/* SPDX-License-Identifier: MIT */
#include "default_signals.h"
#include "sites.h"

#include <pthread.h>
#include <string.h>
#include <ucontext.h>

#include "call_fault.h"

static struct shared_area *noted_in;

/* ------------------------------------------------------------------------------ calls -- */

static void note_site(unsigned row, const void *from)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct shared_area *s = noted_in;
	char place[SHARED_PLACE];
	uint32_t n, i = 0;

	call_site(from, place, sizeof place);
	pthread_mutex_lock(&lock);
	n = atomic_load(&s->sites);
	if (n > SHARED_SITES)
		n = SHARED_SITES;
	while (i < n && (s->site[i].row != row || strcmp(s->site[i].place, place) != 0))
		i++;
	if (i < n) {
		s->site[i].calls++;
	} else {
		if (n < SHARED_SITES) {
			s->site[n] = (struct shared_site){ .row = row, .calls = 1 };
			memcpy(s->site[n].place, place, sizeof place);
		}
		atomic_store(&s->sites, n + 1);
	}
	pthread_mutex_unlock(&lock);
}

/* ------------------------------------------------------------------------------ crashes -- */

static const void *instruction_of(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (const void *)(uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (const void *)(uintptr_t)c->uc_mcontext.pc;
#else
	(void)c;
	return NULL;
#endif
}

/* The handler is gone by now: the instruction is executed again, and ends the process. */
static void note_crash(int number, siginfo_t *info, void *context)
{
	uint32_t none = 0;

	if (info->si_code <= 0) { /* somebody has sent it */
		raise(number);
		return;
	}
	if (atomic_compare_exchange_strong(&noted_in->crashed, &none, (uint32_t)number))
		call_site(instruction_of(context), noted_in->crash, sizeof noted_in->crash);
}

/* A program that handles such signals itself goes on to do so. */
static void catch_crashes(void)
{
	static const int numbers[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE };
	const struct sigaction a = { .sa_sigaction = note_crash,
				     .sa_flags = SA_SIGINFO | SA_RESETHAND };

	catch_default_signals(numbers, sizeof numbers / sizeof *numbers, &a);
}

void sites_begin(struct shared_area *shared)
{
	noted_in = shared;
	if (!shared->how.nrules)
		call_faults_note(note_site);
	catch_crashes();
}
