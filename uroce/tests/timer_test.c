// SPDX-License-Identifier: MIT
/* The timers against an array that is searched from end to end. */
#include "engine.h"

#include "checks.h"

#define TIMERS 200
#define STEPS  200000

static struct timer timers[TIMERS];
static uint64_t model[TIMERS]; /* when; UINT64_MAX: not running */
static uint64_t now, last_when;
static unsigned fired, again;

static unsigned number(const struct timer *t)
{
	return (unsigned)(t - timers);
}

static void fire(struct timer *t)
{
	CHECK(!timer_running(t));
	CHECK(model[number(t)] == t->when);
	CHECK(t->when <= now);
	model[number(t)] = UINT64_MAX;
	CHECK(t->when >= last_when);
	last_when = t->when;
	fired++;
}

/* Sets itself to a time gone by, stops another one. */
static void fire_again(struct timer *t)
{
	again++;
	timer_set(t, 0);
}

static uint64_t random_state = 88172645463325252u;

static uint64_t draw(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

static uint64_t model_next(void)
{
	uint64_t next = UINT64_MAX;

	for (unsigned i = 0; i < TIMERS; i++)
		if (model[i] < next)
			next = model[i];
	return next;
}

static void step(void)
{
	unsigned i = draw() % TIMERS;

	switch (draw() % 4) {
	case 0:
	case 1:
		model[i] = now + draw() % 1000 + 1;
		timer_set(&timers[i], model[i]);
		break;
	case 2:
		model[i] = UINT64_MAX;
		timer_stop(&timers[i]);
		break;
	case 3:
		now += draw() % 40;
		last_when = 0;
		timer_run(now);
		CHECK(model_next() > now);
		break;
	}
	CHECK_INT(timer_running(&timers[i]), model[i] != UINT64_MAX);
	CHECK(timer_next() == model_next());
}

static void test_model(void)
{
	for (unsigned i = 0; i < TIMERS; i++) {
		timers[i].fn = fire;
		model[i] = UINT64_MAX;
	}
	for (unsigned i = 0; i < STEPS; i++)
		step();
	CHECK(fired > STEPS / 20);
	timer_forget();
	CHECK(timer_next() == UINT64_MAX);
	for (unsigned i = 0; i < TIMERS; i++)
		CHECK(!timer_running(&timers[i]));
}

static void test_sets_itself(void)
{
	struct timer t = { .fn = fire_again };

	timer_set(&t, 5);
	timer_run(10);
	CHECK_INT(again, 1);
	CHECK(timer_running(&t));
	timer_run(10);
	CHECK_INT(again, 2);
	timer_stop(&t);
	timer_stop(&t);
	CHECK(timer_next() == UINT64_MAX);
}

#define MANY 300000

static void ignore(struct timer *t)
{
	(void)t;
}

/* Each runs out before all that were set before it: a search through the others would take
 * minutes. */
static void test_many(void)
{
	static struct timer many[MANY];

	for (unsigned i = 0; i < MANY; i++) {
		many[i].fn = ignore;
		timer_set(&many[i], i % 2 ? 2 * MANY - i : 2 * MANY + i);
	}
	for (unsigned i = 0; i < MANY; i += 3)
		timer_stop(&many[i]);
	CHECK(timer_next() == MANY + 1);
	timer_run(2 * MANY);
	CHECK(timer_next() == 2 * MANY + 2);
	timer_forget();
}

int main(void)
{
	test_many();
	test_model();
	test_sets_itself();
	return checks_end();
}
