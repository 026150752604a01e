/* SPDX-License-Identifier: MIT */
/*
 * fuzz_commands SCRATCH SECONDS [SEED]: command lines from the table, one after the other, and
 * now and then one inside of another. Each seed gives a hundred lines on a fresh scenario, and
 * what they leave is destroyed: a run that fails says which seed, to be run again by 0 SECONDS.
 */
#include <stdlib.h>
#include <time.h>

#include "command/cmd.h"
#include "command_lines.h"
#include "loop.h"
#include "session_rig.h"

#define LINES 100 /* of a seed */

struct inside {
	struct lines *lines;
	struct loop_timer *timer;
	unsigned n;
};

static void on_timer(void *arg)
{
	struct inside *in = arg;

	in->timer = NULL;
	in->n++;
	rig_run_aside(in->lines->s, lines_words(in->lines, lines_command(in->lines), 2));
}

static unsigned run_seed(struct session *s, uint64_t seed)
{
	struct lines lines = { .s = s, .random = seed };
	struct inside in = { .lines = &lines };

	for (unsigned i = 0; i < LINES; i++) {
		if (lines_random(&lines, 4) == 0)
			in.timer = loop_after(s->loop, 1, on_timer, &in);
		rig_run(s, lines_words(&lines, lines_command(&lines), 3));
		if (in.timer)
			loop_cancel(s->loop, in.timer);
		in.timer = NULL;
	}
	rig_reset(s);
	return in.n;
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 0) : (uint64_t)time(NULL);
	int64_t until = loop_now() + (argc > 2 ? strtoll(argv[2], NULL, 0) : 0) * 1000000000;
	unsigned long n = 0, inside = 0;
	struct session *s;

	if (argc < 3)
		return 2;
	s = rig_new(argv[1]);
	do {
		rig_say("seed %llu\r", (unsigned long long)seed);
		inside += run_seed(s, seed++);
		n += LINES;
	} while (loop_now() < until);
	rig_say("%lu command lines, and %lu inside of them, up to seed %llu\n", n, inside,
		(unsigned long long)seed - 1);
	rig_free(s);
	return 0;
}
