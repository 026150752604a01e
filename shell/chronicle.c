// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "chronicle.h"
#include "xmem.h"

const char *const chronicle_words[CHRONICLE_KINDS] = {
	[CHRONICLE_CALL] = "call",     [CHRONICLE_EVENT] = "event", [CHRONICLE_PACKET] = "packet",
	[CHRONICLE_WC] = "completion", [CHRONICLE_STATE] = "state", [CHRONICLE_NOTICE] = "notice",
};

bool chronicle_is_on;

static struct {
	struct chronicle_entry *ring; /* CHRONICLE_MAX, made with the first entry */
	uint64_t first, next;	      /* those kept have the numbers first to next - 1 */
} chronicle;

int64_t chronicle_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static char *copy(const char *text)
{
	char *to = text ? strndup(text, CHRONICLE_TEXT) : NULL;

	if (text && !to)
		abort();
	return to;
}

static void forget(struct chronicle_entry *e)
{
	free(e->text);
	free(e->result);
	free(e->fate);
}

void chronicle_note(const struct chronicle_entry *e)
{
	struct chronicle_entry *to;

	if (!chronicle_is_on)
		return;
	if (!chronicle.ring)
		chronicle.ring = xcalloc(CHRONICLE_MAX, sizeof *chronicle.ring);
	to = &chronicle.ring[chronicle.next % CHRONICLE_MAX];
	if (chronicle.next - chronicle.first == CHRONICLE_MAX) {
		forget(to);
		chronicle.first++;
	}
	*to = *e;
	to->seq = chronicle.next++;
	if (!to->when)
		to->when = chronicle_now();
	to->text = copy(e->text ? e->text : "");
	to->result = copy(e->result);
	to->fate = copy(e->fate);
}

struct chronicle_entry *chronicle_at(unsigned i)
{
	if (i >= chronicle.next - chronicle.first)
		return NULL;
	return &chronicle.ring[(chronicle.first + i) % CHRONICLE_MAX];
}

void chronicle_clear(void)
{
	for (; chronicle.first < chronicle.next; chronicle.first++)
		forget(&chronicle.ring[chronicle.first % CHRONICLE_MAX]);
	free(chronicle.ring);
	chronicle.ring = NULL;
}
