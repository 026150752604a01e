/* SPDX-License-Identifier: MIT */
/* The times of records: ticks of a clock as nanoseconds. */
#include "record_rings.h"
#include "call_record.h"

/* Nanoseconds per tick, measured from the start until now, so that the precision grows with time.
 */
static double tick_length(const struct record_area *area, struct clock_pair *now)
{
	if (area->clock == CLOCK_SYSTEM) {
		record_clock_pair(now);
		return 1;
	}
	do
		record_clock_pair(now);
	while (now->realtime - area->realtime < 2000000);
	return (double)(now->realtime - area->realtime) / (double)(now->ticks - area->ticks);
}

/* Clocks are compared only from time to time, so that equal ticks give equal times. */
static struct clock_pair reference;
static double tick_ns;

#define COMPARED_TICKS INT64_C(20000000000)

static void compare_clocks(void)
{
	struct clock_pair now;

	tick_ns = tick_length(record_area(), &now);
	reference = now;
}

/* From the last comparison to a moment, which is not long after it. */
static int64_t since_compared(uint64_t ticks)
{
	if (tick_ns <= 0 || (int64_t)(ticks - reference.ticks) > COMPARED_TICKS)
		compare_clocks();
	return (int64_t)(ticks - reference.ticks);
}

int64_t record_realtime(uint64_t ticks)
{
	const int64_t since = since_compared(ticks);

	return reference.realtime + (int64_t)((double)since * tick_ns);
}

uint64_t record_ticks(int64_t realtime)
{
	since_compared(record_clock_read());
	return reference.ticks +
	       (uint64_t)(int64_t)((double)(realtime - reference.realtime) / tick_ns);
}

int64_t record_span(uint64_t from, uint64_t to)
{
	since_compared(to);
	return (int64_t)((double)(int64_t)(to - from) * tick_ns);
}
