/* SPDX-License-Identifier: MIT */
/* Values in the bytes of messages, the peer's and one's own; and the memory of the program. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "heap.h"
#include "replay_values.h"

#define HEX_MIN	    4 /* digits of a run */
#define DECIMAL_MIN 5
#define BELOW	    (UINT64_C(1) << 30)
#define ADDRESS_MIN 0x10000 /* a smaller number is not taken as an address */

/* A run of digits. */
struct digit_run {
	size_t len;
	bool is_decimal; /* it has no letters */
	uint64_t hex, decimal;
};

static unsigned digit_value(unsigned char c)
{
	return (unsigned)(isdigit(c) ? c - '0' : tolower(c) - 'a' + 10);
}

static bool run_at(const unsigned char *data, size_t n, size_t at, struct digit_run *run)
{
	size_t i = at;

	*run = (struct digit_run){ .is_decimal = true };
	if (at && isalnum(data[at - 1]) && tolower(data[at - 1]) != 'x')
		return false;
	for (; i < n && isxdigit(data[i]) && i - at < 33; i++) {
		run->is_decimal &= isdigit(data[i]) != 0;
		run->hex = run->hex << 4 | digit_value(data[i]);
		run->decimal = run->decimal * 10 + digit_value(data[i]);
	}
	run->len = i - at;
	return run->len && (i == n || !isalnum(data[i]));
}

static bool is_value(const struct own_value *o, uint64_t v, uint64_t *offset)
{
	*offset = 0;
	if (o->kind != OWN_MEMORY)
		return v == o->value;
	*offset = v - o->value;
	return v >= o->value && v - o->value < o->len;
}

/* Is the run the value, and in which form? */
static bool is_number(const struct own_value *o, const struct digit_run *run, enum value_form *form,
		      uint64_t *offset)
{
	*form = VALUE_HEX;
	if (run->len >= HEX_MIN && run->len <= 16 && run->hex >= 0x10 &&
	    is_value(o, run->hex, offset))
		return true;
	*form = VALUE_DECIMAL;
	return run->is_decimal && run->len >= DECIMAL_MIN && run->len <= 19 &&
	       is_value(o, run->decimal, offset);
}

static bool find_digits(const unsigned char *data, size_t n, uint64_t v, struct value_place *place)
{
	const struct own_value number = { .kind = OWN_KEY, .value = v };
	struct digit_run run;
	uint64_t offset;

	for (size_t at = 0; at < n; at++) {
		if (!run_at(data, n, at, &run) || !is_number(&number, &run, &place->form, &offset))
			continue;
		place->at = at;
		place->len = run.len;
		return true;
	}
	return false;
}

/* big: the highest byte comes first. */
static uint64_t load_number(const unsigned char *b, unsigned size, bool big)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < size; i++)
		v = v << 8 | b[big ? i : size - 1 - i];
	return v;
}

/* Where to look, too, before a number of size bytes is taken to be at this place. Programs put most
 * numbers at multiples of 4. The bytes "00 00 2a 2a 00 00" have the number 0x2a2a twice: in the
 * first four bytes, the highest byte first, and in the last four, the lowest byte first. The one at
 * a multiple of 4 is meant. Returns the multiple of 4 that is within the number's bytes; 0: the
 * place is a multiple itself, or there is none. */
static size_t next_aligned(size_t at, unsigned size)
{
	const size_t next = (at | 3) + 1;

	return at % 4 && next < at + size ? next : 0;
}

static bool is_within(const struct value_place *taken, size_t at, unsigned size)
{
	return taken && at < taken->at + taken->len && at + size > taken->at;
}

/* The first place of a binary number outside of taken, and how many there are. aligned: only at
 * multiples of 4. */
static unsigned find_binary(const unsigned char *data, size_t n, uint64_t v, unsigned size,
			    const struct value_place *taken, bool aligned,
			    struct value_place *place)
{
	unsigned found = 0;

	for (size_t at = 0; at + size <= n; at += aligned ? 4 : 1)
		for (int big = 1; big >= 0; big--) {
			if (load_number(data + at, size, big) != v || is_within(taken, at, size))
				continue;
			if (!found++)
				*place = (struct value_place){ at, size,
							       big ? VALUE_BE : VALUE_LE };
		}
	return found;
}

bool replay_value_find(const unsigned char *data, size_t n, uint64_t v, unsigned size,
		       const struct value_place *taken, struct value_place *place)
{
	unsigned found;

	if (v <= 1)
		return false;
	if (find_digits(data, n, v, place))
		return true;
	found = find_binary(data, n, v, size, taken, true, place);
	if (v < 0x100)
		return found == 1 &&
		       find_binary(data, n, v, size, taken, false, &(struct value_place){ 0 }) == 1;
	if (!found)
		found = find_binary(data, n, v, size, taken, false, place);
	return found && (found == 1 || v >= 0x10000);
}

/* Are these the digits of the GID, in pairs, with a colon between the pairs if step is 3? */
static bool is_digit_pairs(const unsigned char *data, size_t step, const unsigned char gid[16])
{
	for (unsigned i = 0; i < 16; i++) {
		const unsigned char *c = data + step * i;

		if (!isxdigit(c[0]) || !isxdigit(c[1]) ||
		    (digit_value(c[0]) << 4 | digit_value(c[1])) != gid[i] ||
		    (step == 3 && i < 15 && c[2] != ':'))
			return false;
	}
	return true;
}

static bool is_gid_at(const unsigned char *data, size_t n, size_t at, const unsigned char gid[16],
		      struct value_place *place)
{
	if (n - at >= 16 && memcmp(data + at, gid, 16) == 0) {
		*place = (struct value_place){ at, 16, VALUE_BE };
		return true;
	}
	*place = (struct value_place){ at, 32, VALUE_HEX };
	if (n - at >= 32 && is_digit_pairs(data + at, 2, gid))
		return true;
	*place = (struct value_place){ at, 47, VALUE_OCTETS };
	return n - at >= 47 && is_digit_pairs(data + at, 3, gid);
}

bool replay_value_find_gid(const unsigned char *data, size_t n, const unsigned char gid[16],
			   struct value_place *place)
{
	for (size_t at = 0; at + 16 <= n; at++)
		if (is_gid_at(data, n, at, gid, place))
			return true;
	return false;
}

bool replay_value_find_base(const unsigned char *data, size_t n, uint64_t v,
			    struct value_place *place, uint64_t *base)
{
	struct digit_run run;
	uint64_t b;

	*base = 0;
	for (size_t at = 0; at < n; at++) {
		if (!run_at(data, n, at, &run) || run.len < 8 || run.len > 16)
			continue;
		if (run.hex < ADDRESS_MIN || run.hex > v || v - run.hex > BELOW || run.hex <= *base)
			continue;
		*base = run.hex;
		*place = (struct value_place){ at, run.len, VALUE_HEX };
	}
	for (size_t at = 0; at + 8 <= n; at++)
		for (int big = 1; big >= 0; big--) {
			b = load_number(data + at, 8, big);
			if (b < ADDRESS_MIN || b > v || v - b > BELOW || b <= *base)
				continue;
			*base = b;
			*place = (struct value_place){ at, 8, big ? VALUE_BE : VALUE_LE };
		}
	return *base;
}

/* --------------------------------------------------------------------------- one's own -- */

static bool has_own_binary(const struct own_value *o, const unsigned char *data, size_t n,
			   size_t at, struct value_place *place, uint64_t *offset)
{
	const unsigned size = o->kind == OWN_MEMORY ? 8 : 4;

	if (n - at < size || o->value < 0x100)
		return false;
	for (int big = 1; big >= 0; big--)
		if (is_value(o, load_number(data + at, size, big), offset)) {
			*place = (struct value_place){ at, size, big ? VALUE_BE : VALUE_LE };
			return true;
		}
	return false;
}

static bool is_own_binary(const struct own_value *o, const unsigned char *data, size_t n, size_t at,
			  struct value_place *place, uint64_t *offset)
{
	size_t next;

	if (!has_own_binary(o, data, n, at, place, offset))
		return false;
	next = next_aligned(at, (unsigned)place->len);
	return !next ||
	       !has_own_binary(o, data, n, next, &(struct value_place){ 0 }, &(uint64_t){ 0 });
}

const struct own_value *replay_value_own_at(const struct own_value *own, unsigned nown,
					    const unsigned char *data, size_t n, size_t at,
					    struct value_place *place, uint64_t *offset)
{
	struct digit_run run;
	const bool is_run = run_at(data, n, at, &run);

	for (int kind = OWN_GID + 1; kind-- > 0;) { /* GIDs first, addresses last */
		for (unsigned i = 0; i < nown; i++) {
			const struct own_value *o = &own[i];

			*offset = 0;
			*place = (struct value_place){ .at = at, .len = run.len };
			if (o->gone || (int)o->kind != kind)
				continue;
			if (kind == OWN_GID && is_gid_at(data, n, at, o->gid, place))
				return o;
			if (kind != OWN_GID &&
			    ((is_run && is_number(o, &run, &place->form, offset)) ||
			     is_own_binary(o, data, n, at, place, offset)))
				return o;
		}
	}
	return NULL;
}

/* ------------------------------------------------------------------------------- memory -- */

void replay_memory_add(struct replay_memory *m, uint64_t at, uint64_t len)
{
	uint64_t end = at + len;
	unsigned first = 0, last;

	if (!len || end < at)
		return;
	while (first < m->n && m->blocks[first].at + m->blocks[first].len <= at)
		first++;
	for (last = first; last < m->n && m->blocks[last].at < end; last++) {
		const struct memory_block *b = &m->blocks[last];

		at = b->at < at ? b->at : at;
		end = b->at + b->len > end ? b->at + b->len : end;
	}
	if (first == last) {
		m->blocks = xgrow(m->blocks, m->n, sizeof *m->blocks);
		memmove(m->blocks + first + 1, m->blocks + first,
			(m->n - first) * sizeof *m->blocks);
		m->n++;
	} else {
		memmove(m->blocks + first + 1, m->blocks + last, (m->n - last) * sizeof *m->blocks);
		m->n -= last - first - 1;
	}
	m->blocks[first] = (struct memory_block){ .at = at, .len = end - at };
}

const struct memory_block *replay_memory_find(const struct replay_memory *m, uint64_t at,
					      uint64_t len)
{
	for (unsigned i = 0; i < m->n; i++) {
		const struct memory_block *b = &m->blocks[i];

		if (at >= b->at && at - b->at < b->len && len <= b->len - (at - b->at))
			return b;
	}
	return NULL;
}

bool replay_memory_put(struct replay_memory *m, uint64_t at, const unsigned char *data, size_t n,
		       bool dirty)
{
	struct memory_block *b = (struct memory_block *)(uintptr_t)replay_memory_find(m, at, n);

	if (!b || b->len > REPLAY_BLOCK_MAX)
		return !b;
	if (!b->bytes) {
		b->bytes = xcalloc(1, b->len);
		b->dirty = xcalloc(1, b->len);
	}
	memcpy(b->bytes + (at - b->at), data, n);
	memset(b->dirty + (at - b->at), dirty, n);
	return true;
}

void replay_memory_clean(struct replay_memory *m, uint64_t at, uint64_t n)
{
	const struct memory_block *b = replay_memory_find(m, at, n);

	if (b && b->dirty)
		memset(b->dirty + (at - b->at), 0, n);
}

void replay_memory_clear(struct replay_memory *m)
{
	for (unsigned i = 0; i < m->n; i++) {
		free(m->blocks[i].bytes);
		free(m->blocks[i].dirty);
		m->blocks[i].bytes = NULL;
		*m->blocks[i].name = '\0';
		m->blocks[i].is_used = false;
		m->blocks[i].dirty = NULL;
	}
}

void replay_memory_free(struct replay_memory *m)
{
	replay_memory_clear(m);
	free(m->blocks);
	*m = (struct replay_memory){ 0 };
}
