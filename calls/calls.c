/* SPDX-License-Identifier: MIT */
/* Reading the table, and values as it describes them. */
#include <endian.h>
#include <infiniband/ib.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "backend.h"
#include "calls.h"

static int compare_fn_name(const void *key, const void *row)
{
	return strcmp(key, ((const struct call_fn *)row)->name);
}

const struct call_fn *call_find(const char *name)
{
	return bsearch(name, call_table, call_count, sizeof *call_table, compare_fn_name);
}

bool call_present(const struct call_fn *fn)
{
	return !fn->since || fn->is_inline || backend_has(fn->name);
}

const struct call_value *call_value_find(const struct call_value *values, const char *name)
{
	for (; values->name; values++)
		if (strcmp(values->name, name) == 0)
			return values;
	return NULL;
}

/* The same but for case, and '-' where the other has '_'. */
static bool same_word(const char *a, const char *b)
{
	for (; *a && *b; a++, b++) {
		char x = *a == '-' ? '_' : *a, y = *b == '-' ? '_' : *b;

		if (strncasecmp(&x, &y, 1) != 0)
			return false;
	}
	return !*a && !*b;
}

static const char *short_name(const struct call_enum *e, const struct call_word *w)
{
	size_t n = strlen(e->prefix);

	return strncmp(w->name, e->prefix, n) == 0 ? w->name + n : w->name;
}

/* The word, without its prefix or a part of it: IBV_WC_EX_WITH_BYTE_LEN, WITH_BYTE_LEN, BYTE_LEN.
 */
static bool is_word(const struct call_enum *e, const struct call_word *w, const char *name)
{
	const char *from = w->name, *last = short_name(e, w);

	while (from < last && !same_word(from, name))
		from += strcspn(from, "_") + 1;
	return same_word(from, name);
}

const struct call_word *call_word_find(const struct call_enum *e, const char *name)
{
	for (const struct call_word *w = e->words; w->name; w++)
		if (is_word(e, w, name))
			return w;
	return NULL;
}

const char *call_word_name(const struct call_enum *e, int64_t value)
{
	for (const struct call_word *w = e->words; w->name; w++)
		if (w->value == value)
			return short_name(e, w);
	return NULL;
}

static uint64_t to_host_order(const struct call_value *v, uint64_t n)
{
	if (v->kind != CALL_BE)
		return n;
	switch (v->size) {
	case 2:
		return be16toh((uint16_t)n);
	case 4:
		return be32toh((uint32_t)n);
	default:
		return be64toh(n);
	}
}

static bool is_signed(const struct call_value *v)
{
	return v->kind == CALL_INT || v->kind == CALL_ENUM || v->kind == CALL_FD;
}

uint64_t call_load(const struct call_value *v, const void *p)
{
	uint16_t two;
	uint32_t four;
	uint64_t n;

	switch (v->size) {
	case 1:
		n = *(const uint8_t *)p;
		return is_signed(v) ? (uint64_t)(int8_t)n : n;
	case 2:
		memcpy(&two, p, sizeof two);
		return is_signed(v) ? (uint64_t)(int16_t)two : to_host_order(v, two);
	case 4:
		memcpy(&four, p, sizeof four);
		return is_signed(v) ? (uint64_t)(int32_t)four : to_host_order(v, four);
	default:
		memcpy(&n, p, sizeof n);
		return to_host_order(v, n);
	}
}

static bool fits_value(const struct call_value *v, uint64_t n)
{
	int bits = 8 * v->size;
	int64_t top = (int64_t)n >> (bits - 1); /* of a negative number all bits are set */

	if (bits == 64)
		return true;
	return is_signed(v) ? top == 0 || top == -1 : n >> bits == 0;
}

bool call_store(const struct call_value *v, void *p, uint64_t n)
{
	uint64_t swapped = to_host_order(v, n);

	if (!fits_value(v, n))
		return false;
	switch (v->size) {
	case 1:
		*(uint8_t *)p = (uint8_t)swapped;
		break;
	case 2:
		memcpy(p, &(uint16_t){ (uint16_t)swapped }, sizeof(uint16_t));
		break;
	case 4:
		memcpy(p, &(uint32_t){ (uint32_t)swapped }, sizeof(uint32_t));
		break;
	default:
		memcpy(p, &swapped, sizeof swapped);
	}
	return true;
}

bool call_is_pointer(const struct call_value *v)
{
	switch (v->kind) {
	case CALL_OBJECT:
	case CALL_STRING:
	case CALL_DATA:
	case CALL_SOCKADDR:
	case CALL_CHAIN:
	case CALL_LIST:
	case CALL_OBJECTS:
		return true;
	default:
		return v->pointer;
	}
}

size_t call_length(const struct call_value *values, const struct call_value *v, const void *base,
		   bool is_arg)
{
	const struct call_value *with = &values[v->with - 1];
	uint64_t n;

	if (!v->with)
		return v->fixed;
	n = is_arg ? ((const uint64_t *)base)[v->with - 1]
		   : call_load(with, (const char *)base + with->offset);
	if (with->is_log)
		return n < 16 ? (size_t)1 << n : 0;
	return n > UINT32_MAX ? 0 : (size_t)n;
}

size_t call_sockaddr_len(const void *address)
{
	switch (((const struct sockaddr *)address)->sa_family) {
	case AF_INET:
		return sizeof(struct sockaddr_in);
	case AF_INET6:
		return sizeof(struct sockaddr_in6);
	case AF_IB:
		return sizeof(struct sockaddr_ib);
	default:
		return sizeof(sa_family_t);
	}
}

/* Is the field present, according to the sibling that decides? */
static bool is_chosen(const struct call_struct *of, const struct call_value *field, const void *p)
{
	const struct call_value *by = &of->fields[field->when - 1];
	uint64_t n = call_load(by, (const char *)p + by->offset);

	if (by->kind == CALL_FLAGS)
		return n & field->when_any;
	return n < 64 && field->when_any >> n & 1;
}

bool call_field_is_set(const struct call_struct *of, const struct call_value *field, const void *p,
		       uint64_t mask, unsigned qp_type)
{
	if (field->bit && mask && !(field->bit & mask))
		return false;
	if (field->qp_types && qp_type && (qp_type >= 64 || !(field->qp_types >> qp_type & 1)))
		return false;
	/* the deciding sibling may be absent itself: the flags of a completion with an error */
	if (!field->when)
		return true;
	return is_chosen(of, field, p) &&
	       call_field_is_set(of, &of->fields[field->when - 1], p, mask, qp_type);
}
