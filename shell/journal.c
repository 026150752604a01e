// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "journal.h"
#include "xmem.h"

const char *const journal_words[JOURNAL_KINDS] = {
	[JOURNAL_CALL] = "call",     [JOURNAL_EVENT] = "event", [JOURNAL_PACKET] = "packet",
	[JOURNAL_WC] = "completion", [JOURNAL_STATE] = "state", [JOURNAL_NOTICE] = "notice",
};

bool journal_is_on;

static struct {
	struct journal_entry *ring; /* JOURNAL_MAX, made with the first entry */
	uint64_t first, next;	    /* those kept have the numbers first to next - 1 */
} journal;

int64_t journal_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static char *copy(const char *text)
{
	char *to = text ? strndup(text, JOURNAL_TEXT) : NULL;

	if (text && !to)
		abort();
	return to;
}

static void forget(struct journal_entry *e)
{
	free(e->text);
	free(e->result);
	free(e->fate);
}

void journal_note(const struct journal_entry *e)
{
	struct journal_entry *to;

	if (!journal_is_on)
		return;
	if (!journal.ring)
		journal.ring = xcalloc(JOURNAL_MAX, sizeof *journal.ring);
	to = &journal.ring[journal.next % JOURNAL_MAX];
	if (journal.next - journal.first == JOURNAL_MAX) {
		forget(to);
		journal.first++;
	}
	*to = *e;
	to->seq = journal.next++;
	if (!to->when)
		to->when = journal_now();
	to->text = copy(e->text ? e->text : "");
	to->result = copy(e->result);
	to->fate = copy(e->fate);
}

struct journal_entry *journal_at(unsigned i)
{
	if (i >= journal.next - journal.first)
		return NULL;
	return &journal.ring[(journal.first + i) % JOURNAL_MAX];
}

void journal_clear(void)
{
	for (; journal.first < journal.next; journal.first++)
		forget(&journal.ring[journal.first % JOURNAL_MAX]);
	free(journal.ring);
	journal.ring = NULL;
}
