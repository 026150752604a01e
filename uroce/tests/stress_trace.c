// SPDX-License-Identifier: MIT
/* On the embedded device: the last packets, for when something has gone wrong. */
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "stress.h"
#include "uroce.h"

#define PACKETS 512
#define BYTES	32 /* BTH, and what follows */

static struct entry {
	uint64_t time;
	bool out;
	const char *fate;
	uint8_t data[BYTES];
} ring[PACKETS];
static unsigned next;
static atomic_flag busy =
	ATOMIC_FLAG_INIT; /* a tap is called from any thread, trace_print() is not */

static void seen(void *arg, const struct uroce_packet *p)
{
	size_t header = (p->ip[0] >> 4 == 4 ? 20 : 40) + 8;
	struct entry *e;

	(void)arg;
	if (p->len < header + BYTES - 16 || atomic_flag_test_and_set(&busy))
		return;
	e = &ring[next++ % PACKETS];
	*e = (struct entry){ .time = p->time, .out = p->out, .fate = p->fate };
	memcpy(e->data, p->ip + header, p->len - header < BYTES ? p->len - header : BYTES);
	atomic_flag_clear(&busy);
}

void trace_begin(void)
{
	int (*tap)(uroce_tap_fn *, void *) = (int (*)(uroce_tap_fn *, void *))dlsym(RTLD_DEFAULT,
										    "uroce_tap");

	if (tap)
		tap(seen, NULL);
}

static unsigned be24(const uint8_t *b)
{
	return (unsigned)b[0] << 16 | (unsigned)b[1] << 8 | b[2];
}

void trace_print(const char *who)
{
	struct timespec now;

	while (atomic_flag_test_and_set(&busy))
		;
	for (unsigned n = next < PACKETS ? next : PACKETS; n; n--) {
		const struct entry *e = &ring[(next - n) % PACKETS];

		fprintf(stderr,
			"%s %llu.%06llu %s op 0x%02x qp 0x%06x psn %u%s ...%02x%02x%02x%02x %s\n",
			who, (unsigned long long)(e->time / 1000000000 % 1000),
			(unsigned long long)(e->time / 1000 % 1000000), e->out ? "->" : "<-",
			e->data[0], be24(e->data + 5), be24(e->data + 9),
			e->data[8] & 0x80 ? " ackreq" : "", e->data[12], e->data[13], e->data[14],
			e->data[15], e->fate ? e->fate : "");
	}
	clock_gettime(CLOCK_REALTIME, &now);
	fprintf(stderr, "%s %llu.%06ld now\n", who, (unsigned long long)(now.tv_sec % 1000),
		now.tv_nsec / 1000);
}
