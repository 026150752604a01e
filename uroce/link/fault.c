// SPDX-License-Identifier: MIT
/* For every packet the rules draw random numbers. Each packet that is held back has a timer. */
#include "fault.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "bytes.h"
#include "counters.h"
#include "lock.h"
#include "random.h"
#include "timer.h"
#include "export.h"
#include "link.h"
#include "tap.h"

#define HELD_MAX     8192    /* packets in all; others are lost */
#define REORDER_NS   1000000 /* at most, if no packet comes that could overtake */
#define ICRC_IGNORES 4	     /* the byte of the BTH that the ICRC does not cover */

struct held_packet {
	LIST_ENTRY(held_packet) entry;
	struct timer timer;
	enum uroce_direction dir;
	const char *fate;
	struct packet addresses;
	uint32_t n;
	uint8_t data[];
};

unsigned fault_directions;

static struct wire_rule rules[FAULT_RULES];
static unsigned nrules, nheld;
static uint64_t state = 1; /* of the random numbers */

static LIST_HEAD(held_list, held_packet) delayed = LIST_HEAD_INITIALIZER(delayed);
/* They pass as soon as another packet to their QP has passed: at most one of a QP and direction. */
static struct held_list reordered = LIST_HEAD_INITIALIZER(reordered);

static bool draw_chance(double probability)
{
	return probability > 0 && (double)(random_next(&state) >> 11) * 0x1p-53 < probability;
}

static bool rule_matches(const struct wire_rule *f, enum uroce_direction dir, const uint8_t *data)
{
	return (f->direction ? f->direction & dir : true) &&
	       (!f->count || f->told.hits < f->count) && (f->opcode < 0 || f->opcode == data[0]) &&
	       (!f->qpn || f->qpn == get_be24(data + 5)) &&
	       (f->psn < 0 || ((get_be24(data + 9) - (uint32_t)f->psn) & PSN_MASK) <= f->psn_more);
}

static enum fate draw_rule(struct wire_rule *f)
{
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		if (draw_chance(*fault_chance(f, fate)))
			return fate;
	return PASS;
}

static enum fate draw_fate(enum uroce_direction dir, const uint8_t *data, unsigned *delay_us)
{
	*delay_us = 0;
	for (unsigned i = 0; i < nrules; i++) {
		enum fate fate;

		if (!rule_matches(&rules[i], dir, data))
			continue;
		fate = draw_rule(&rules[i]);
		if (fate == PASS && !rules[i].delay_us)
			continue;
		rules[i].told.hits++;
		*delay_us = rules[i].delay_us;
		return fate;
	}
	return PASS;
}

static void deliver_packet(enum uroce_direction dir, const struct packet *a, const uint8_t *data,
			   uint32_t n, const char *fate)
{
	if (dir == UROCE_OUT)
		tx_passed(a, data, n, fate);
	else
		rx_passed(a, data, n, fate);
}

static void release_packet(struct timer *t)
{
	struct held_packet *h =
		(struct held_packet *)((char *)t - offsetof(struct held_packet, timer));

	timer_stop(t);
	LIST_REMOVE(h, entry);
	nheld--;
	deliver_packet(h->dir, &h->addresses, h->data, h->n, h->fate);
	free(h);
}

/* Where too many packets are held back, or there is no memory, the packet is lost. */
static void hold_packet(struct held_list *list, enum uroce_direction dir, uint64_t ns,
			const struct packet *a, const uint8_t *data, uint32_t n, const char *fate)
{
	struct held_packet *h = nheld < HELD_MAX ? malloc(sizeof(*h) + n) : NULL;

	if (!h) {
		count(CNT_FAULT_DROP);
		return;
	}
	*h = (struct held_packet){
		.timer.fn = release_packet,
		.dir = dir,
		.addresses = *a,
		.n = n,
		.fate = fate,
	};
	memcpy(h->data, data, n);
	LIST_INSERT_HEAD(list, h, entry);
	timer_set(&h->timer, engine_now() + ns);
	nheld++;
}

static void flip_bit(uint8_t *to, const uint8_t *data, uint32_t n)
{
	uint32_t bit = (uint32_t)(random_next(&state) % ((n - 1) * 8));

	if (bit / 8 >= ICRC_IGNORES)
		bit += 8;
	memcpy(to, data, n);
	to[bit / 8] ^= (uint8_t)(1u << bit % 8);
}

/* The packet that waits for another one to the QP of data. */
static struct held_packet *find_reordered(enum uroce_direction dir, const uint8_t *data)
{
	struct held_packet *h;

	LIST_FOREACH(h, &reordered, entry)
		if (h->dir == dir && memcmp(h->data + 5, data + 5, 3) == 0)
			break;
	return h;
}

static const char *fate_name(enum fate fate, unsigned delay_us)
{
	return fate == PASS && delay_us ? "delay" : fault_kinds[fate].name;
}

static void pass_packet(enum uroce_direction dir, enum fate fate, unsigned delay_us,
			const struct packet *a, const uint8_t *data, uint32_t n)
{
	const char *name = fate_name(fate, delay_us);
	const char *first = fate == DUP ? fate_name(PASS, delay_us) : name;

	if (delay_us) {
		count(CNT_FAULT_DELAY);
		hold_packet(&delayed, dir, delay_us * 1000ull, a, data, n, first);
		if (fate == DUP)
			hold_packet(&delayed, dir, delay_us * 1000ull, a, data, n, name);
		return;
	}
	deliver_packet(dir, a, data, n, first);
	if (fate == DUP)
		deliver_packet(dir, a, data, n, name);
}

void fault_pass(enum uroce_direction dir, const struct packet *addresses, const uint8_t *data,
		uint32_t n)
{
	const uint8_t *passed = data; /* corruption may have changed its QPN */
	uint8_t changed[PACKET_MAX];
	struct held_packet *waiting;
	unsigned delay_us;
	enum fate fate;

	if (n < BTH_BYTES || n > PACKET_MAX) {
		deliver_packet(dir, addresses, data, n, NULL);
		return;
	}
	/* delivering a packet may send more packets through here: look first */
	waiting = find_reordered(dir, data);
	fate = draw_fate(dir, data, &delay_us);
	if (fate == REORDER && waiting && !delay_us)
		fate = PASS; /* one packet of a QP at a time */
	if (fate != PASS)
		count(fault_kinds[fate].counter);
	switch (fate) {
	case DROP:
		if (tap_on)
			tap(dir, fault_kinds[DROP].name, addresses, data, n, 0);
		return;
	case REORDER:
		if (delay_us) {
			delay_us += REORDER_NS / 1000; /* packets that follow overtake it */
			break;
		}
		hold_packet(&reordered, dir, REORDER_NS, addresses, data, n,
			    fault_kinds[REORDER].name);
		return;
	case CORRUPT:
		flip_bit(changed, data, n);
		passed = changed;
		break;
	case PASS:
	case DUP:
	case FATES:
		break;
	}
	pass_packet(dir, fate, delay_us, addresses, passed, n);
	if (waiting && find_reordered(dir, data) == waiting)
		release_packet(&waiting->timer);
}

int fault_set(const char *text, bool adds, uint64_t seed, char *why, size_t size)
{
	const unsigned first = adds ? nrules : 0;
	struct wire_rule read[FAULT_RULES];
	const int n = fault_read(text, read, (int)(FAULT_RULES - first), why, size);

	if (n < 0)
		return -1;
	memcpy(rules + first, read, (unsigned)n * sizeof *rules);
	nrules = first + (unsigned)n;
	fault_directions = 0;
	for (unsigned i = 0; i < nrules; i++)
		fault_directions |= rules[i].direction ? rules[i].direction : UROCE_OUT | UROCE_IN;
	if (seed)
		state = seed;
	return 0;
}

void fault_forget(void)
{
	struct held_list *const lists[] = { &delayed, &reordered };
	struct held_packet *h;

	for (unsigned i = 0; i < 2; i++)
		while ((h = LIST_FIRST(lists[i]))) {
			timer_stop(&h->timer);
			LIST_REMOVE(h, entry);
			free(h);
		}
	nheld = nrules = fault_directions = 0;
}

EXPORT int uroce_faults_set(const char *text, bool adds, uint64_t seed, char *why, size_t size)
{
	SCOPED_ENGINE_LOCK();
	return fault_set(text, adds, seed, why, size);
}

EXPORT unsigned uroce_faults_get(struct uroce_fault *to, unsigned n)
{
	SCOPED_ENGINE_LOCK();
	for (unsigned i = 0; i < nrules && i < n; i++)
		to[i] = rules[i].told;
	return nrules;
}
