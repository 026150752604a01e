/* SPDX-License-Identifier: MIT */
#include "fault_rule.h"

#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "near.h"
#include "word.h"

/* ------------------------------------------------------------------------ values as text -- */

/* Digits, perhaps with a point and more digits; *end: what follows. Negative: there are none.
 * strtod(3) would follow the locale of the application. */
static double read_decimal(const char *s, const char **end)
{
	double value = 0, unit = 1;

	*end = s;
	if (!isdigit((unsigned char)*s))
		return -1;
	for (; isdigit((unsigned char)*s); s++)
		value = value * 10 + (*s - '0');
	if (*s == '.')
		for (s++; isdigit((unsigned char)*s); s++)
			value += (*s - '0') * (unit /= 10);
	*end = s;
	return value;
}

bool fault_read_chance(const char *text, double *chance)
{
	const char *end;
	double value = read_decimal(text, &end);

	if (value >= 0 && strcmp(end, "%") == 0) {
		value /= 100;
		end++;
	}
	if (value < 0 || value > 1 || *end)
		return false;
	*chance = value;
	return true;
}

bool fault_read_time(const char *text, double max_us, double *us)
{
	static const struct {
		const char *name;
		double us;
	} units[] = { { "us", 1 }, { "ms", 1e3 }, { "s", 1e6 } };
	const char *end;
	const double value = read_decimal(text, &end);

	for (unsigned i = 0; value >= 0 && i < sizeof units / sizeof *units; i++) {
		*us = value * units[i].us;
		if (strcmp(end, units[i].name) == 0)
			return *us <= max_us;
	}
	return false;
}

bool fault_read_number(const char *text, uint64_t max, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return isdigit((unsigned char)*text) && !*end && !errno && *value <= max;
}

/* ------------------------------------------------------------------------------ the words -- */

#define STATUS(word)                       \
	{                                  \
#word, IBV_WC_##word, NULL \
	}
static const struct word statuses[] = {
	STATUS(LOC_LEN_ERR),	   STATUS(LOC_QP_OP_ERR),
	STATUS(LOC_PROT_ERR),	   STATUS(MW_BIND_ERR),
	STATUS(BAD_RESP_ERR),	   STATUS(LOC_ACCESS_ERR),
	STATUS(REM_INV_REQ_ERR),   STATUS(REM_ACCESS_ERR),
	STATUS(REM_OP_ERR),	   STATUS(RETRY_EXC_ERR),
	STATUS(RNR_RETRY_EXC_ERR), STATUS(REM_ABORT_ERR),
	STATUS(FATAL_ERR),	   STATUS(RESP_TIMEOUT_ERR),
	STATUS(GENERAL_ERR),	   { 0 },
};

#define OPCODE(word)                       \
	{                                  \
#word, IBV_WC_##word, NULL \
	}
static const struct word opcodes[] = {
	OPCODE(SEND),	   OPCODE(RDMA_WRITE), OPCODE(RDMA_READ), OPCODE(COMP_SWAP),
	OPCODE(FETCH_ADD), OPCODE(BIND_MW),    OPCODE(LOCAL_INV), { 0 },
};

static const struct word events[] = {
	{ "PORT_ERR", IBV_EVENT_PORT_ERR, NULL },
	{ "PORT_ACTIVE", IBV_EVENT_PORT_ACTIVE, NULL },
	{ "DEVICE_FATAL", IBV_EVENT_DEVICE_FATAL, NULL },
	{ 0 },
};

static const struct word cm_events[] = {
	{ "REJECTED", RDMA_CM_EVENT_REJECTED, NULL },
	{ "UNREACHABLE", RDMA_CM_EVENT_UNREACHABLE, NULL },
	{ "DISCONNECTED", RDMA_CM_EVENT_DISCONNECTED, NULL },
	{ 0 },
};

/* ----------------------------------------------------------------------------- a rule -- */

#define REJECTED_BY_PROGRAM 28 /* as rdma_reject(3) */

/* The words that begin rules which are not about calls. */
static const struct {
	const char *name;
	enum fault_what what;
	const struct word *events; /* of which one follows */
	const char *called;
} kinds[] = {
	{ "wc", FAULT_COMPLETION, NULL, NULL },
	{ "event", FAULT_EVENT, events, "event that can be made to happen" },
	{ "cm", FAULT_CM, cm_events, "event of a connection that can be made to happen" },
};
#define KINDS (sizeof kinds / sizeof *kinds)

int fault_refuse(const struct fault_why *why, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	if (why->size)
		vsnprintf(why->text, why->size, format, args);
	va_end(args);
	errno = EINVAL;
	return -1;
}

void fault_offer(struct fault_choice *c, const char *word)
{
	const size_t n = strlen(c->all);

	near_try(&c->near, word);
	snprintf(c->all + n, sizeof c->all - n, "%s%s", n ? ", " : "", word);
}

int fault_refuse_choice(const struct fault_why *why, const struct fault_choice *c,
			const char *called)
{
	if (c->near.best)
		return fault_refuse(why, "'%s' is no %s: did you mean %s?", c->near.typed, called,
				    c->near.best);
	return fault_refuse(why, "'%s' is no %s: there are %s", c->near.typed, called, c->all);
}

struct reading {
	struct fault_rule *r;
	struct fault_why why;
};

/* The value of a word, in any case. -1: refused. */
static int read_word(const struct reading *in, const struct word *words, const char *called,
		     const char *text, int *value)
{
	struct fault_choice c = { near_begin(text), "" };

	for (const struct word *w = words; w->name; w++) {
		fault_offer(&c, w->name);
		if (strcasecmp(text, w->name) == 0) {
			*value = (int)w->value;
			return 0;
		}
	}
	return fault_refuse_choice(&in->why, &c, called);
}

static int read_error(const struct reading *in, const char *key, const char *text)
{
	struct fault_choice c = { near_begin(text), "ENOMEM, EINVAL and others" };

	(void)key;
	for (int i = 1; i < 134; i++) { /* EHWPOISON is 133 */
		const char *name = strerrorname_np(i);

		if (name && strcasecmp(text, name) == 0) {
			in->r->error = i;
			return 0;
		}
		if (name)
			near_try(&c.near, name);
	}
	return fault_refuse_choice(&in->why, &c, "errno");
}

/* "3", "3+", "2..10" */
static int read_when(const struct reading *in, const char *key, const char *text)
{
	struct fault_rule *r = in->r;
	char *end = (char *)(uintptr_t)text;
	bool ends;

	errno = 0;
	r->first = isdigit((unsigned char)*text) ? strtoull(text, &end, 0) : 0;
	r->last = strcmp(end, "+") == 0 ? UINT64_MAX : r->first;
	ends = !*end || strcmp(end, "+") == 0 ||
	       (strncmp(end, "..", 2) == 0 && fault_read_number(end + 2, UINT64_MAX, &r->last));
	if (r->first && r->last >= r->first && ends && !errno)
		return 0;
	return fault_refuse(&in->why,
			    "%s=%s: write 3 (the third only), 3+ (and all later ones) or 2..10",
			    key, text);
}

/* Of a delay, or after which an event comes. */
static int read_duration(const struct reading *in, const char *key, const char *text)
{
	double us;

	if (!fault_read_time(text, 3600e6, &us))
		return fault_refuse(&in->why,
				    "%s=%s: not a time of at most an hour: write 50us, 5ms or 1s",
				    key, text);
	in->r->delay_ns = (uint64_t)(us * 1e3 + 0.5);
	return 0;
}

static int read_reason(const struct reading *in, const char *key, const char *text)
{
	uint64_t n;

	if (!fault_read_number(text, 0xffff, &n) || !n)
		return fault_refuse(&in->why, "%s=%s: not a number from 1 to 65535", key, text);
	if (in->r->event != RDMA_CM_EVENT_REJECTED)
		return fault_refuse(&in->why, "%s=%s: only a rejection has one", key, text);
	in->r->reason = (int)n;
	return 0;
}

static int read_chance(const struct reading *in, const char *key, const char *text)
{
	if (fault_read_chance(text, &in->r->chance))
		return 0;
	return fault_refuse(&in->why, "%s=%s: not a probability: write 5%% or 0.05", key, text);
}

static int read_site(const struct reading *in, const char *key, const char *text)
{
	const char *plus = strrchr(text, '+');
	uint64_t offset;

	if (!plus || plus == text || !fault_read_number(plus + 1, UINT64_MAX, &offset) ||
	    strlen(text) >= sizeof in->r->site)
		return fault_refuse(
			&in->why, "%s=%s: not a place in a program or library: write rping+0x12f0",
			key, text);
	strcpy(in->r->site, text);
	return 0;
}

static int read_status(const struct reading *in, const char *key, const char *text)
{
	(void)key;
	return read_word(in, statuses, "status of a failed completion", text, &in->r->status);
}

static int read_opcode(const struct reading *in, const char *key, const char *text)
{
	(void)key;
	return read_word(in, opcodes, "opcode of a request that can be made to fail", text,
			 &in->r->opcode);
}

static int read_qpn(const struct reading *in, const char *key, const char *text)
{
	uint64_t n;

	if (!fault_read_number(text, 0xffffff, &n))
		return fault_refuse(&in->why, "%s=%s: not the number of a QP", key, text);
	in->r->qpn = (uint32_t)n;
	return 0;
}

static int read_device(const struct reading *in, const char *key, const char *text)
{
	if (!*text || strlen(text) >= sizeof in->r->device)
		return fault_refuse(&in->why, "%s=%s: not the name of a device", key, text);
	strcpy(in->r->device, text);
	return 0;
}

static int read_force(const struct reading *in, const char *key, const char *text)
{
	(void)key, (void)text;
	in->r->forced = true;
	return 0;
}

#define OF(what) (1u << (what))
static const struct {
	const char *key;
	unsigned whats;
	bool alone; /* without a value */
	int (*read)(const struct reading *in, const char *key, const char *text);
} keys[] = {
	{ "error", OF(FAULT_CALL), false, read_error },
	{ "delay", OF(FAULT_CALL), false, read_duration },
	{ "at", OF(FAULT_CALL), false, read_site },
	{ "force", OF(FAULT_CALL), true, read_force },
	{ "status", OF(FAULT_COMPLETION), false, read_status },
	{ "opcode", OF(FAULT_COMPLETION), false, read_opcode },
	{ "qpn", OF(FAULT_COMPLETION), false, read_qpn },
	{ "after", OF(FAULT_EVENT) | OF(FAULT_CM), false, read_duration },
	{ "device", OF(FAULT_EVENT), false, read_device },
	{ "reason", OF(FAULT_CM), false, read_reason },
	{ "when", ~OF(FAULT_EVENT), false, read_when },
	{ "chance", ~OF(FAULT_EVENT), false, read_chance },
};
#define KEYS (sizeof keys / sizeof *keys)

/* "error=ENOMEM" */
static int read_pair(const struct reading *in, char *pair)
{
	struct fault_choice c = { near_begin(pair), "" };
	char *value = strchr(pair, '=');

	if (value)
		*value++ = '\0';
	for (unsigned i = 0; i < KEYS; i++) {
		if (!(keys[i].whats & OF(in->r->what)))
			continue;
		fault_offer(&c, keys[i].key);
		if (strcmp(keys[i].key, pair) != 0)
			continue;
		if (!value && !keys[i].alone)
			return fault_refuse(&in->why, "%s has no value: write %s=...", pair, pair);
		if (value && keys[i].alone)
			return fault_refuse(&in->why, "%s takes no value", pair);
		return keys[i].read(in, pair, value);
	}
	return fault_refuse_choice(&in->why, &c, "word of such a rule");
}

static int check_complete(const struct reading *in)
{
	const struct fault_rule *r = in->r;

	if (r->what == FAULT_CALL && !r->error && !r->delay_ns)
		return fault_refuse(&in->why,
				    "it says neither error= nor delay=: write %s:error=ENOMEM",
				    r->name);
	if (r->what == FAULT_COMPLETION && r->status < 0)
		return fault_refuse(&in->why,
				    "it has no status=: write wc:status=RNR_RETRY_EXC_ERR");
	return 0;
}

static int read_rule(const struct reading *in, char *text)
{
	struct fault_rule *r = in->r;
	const char *name = strsep(&text, ":");

	if (!*name || strlen(name) >= sizeof r->name)
		return fault_refuse(
			&in->why,
			"it begins with neither the name of a function nor wc, event or cm");
	strcpy(r->name, name);
	for (unsigned i = 0; i < KINDS; i++) {
		if (strcmp(name, kinds[i].name) != 0)
			continue;
		r->what = kinds[i].what;
		if (kinds[i].events && read_word(in, kinds[i].events, kinds[i].called,
						 text ? strsep(&text, ":") : "", &r->event))
			return -1;
	}
	while (text)
		if (read_pair(in, strsep(&text, ":")))
			return -1;
	return check_complete(in);
}

int fault_rule_read(const char *text, uint64_t seed, unsigned index, struct fault_rule *r,
		    char *why, size_t size)
{
	const struct reading in = { r, { why, size } };
	char copy[sizeof r->text];

	*r = (struct fault_rule){ .status = -1,
				  .opcode = -1,
				  .reason = REJECTED_BY_PROGRAM,
				  .first = 1,
				  .last = UINT64_MAX,
				  .chance = 1,
				  .seed = seed + index * UINT64_C(0x9e3779b97f4a7c15) };
	if (strlen(text) >= sizeof copy)
		return fault_refuse(&in.why, "it has more than %zu characters", sizeof copy - 1);
	for (const char *c = text; *c; c++)
		if (!isgraph((unsigned char)*c) || *c == '"' || *c == '\\')
			return fault_refuse(&in.why, "it has a blank, a quote or the like");
	strcpy(copy, text);
	strcpy(r->text, text);
	return read_rule(&in, copy);
}

/* The time at which an event comes, or is to come after the device was opened. */
static uint64_t time_of(const struct fault_rule *r)
{
	return r->due ? r->due : r->delay_ns;
}

const char *fault_port_down_by(const struct fault_rule *rules, const struct fault_rule *counts,
			       unsigned n, const char *device)
{
	const struct fault_rule *last = NULL;

	for (unsigned i = 0; i < n; i++) {
		const struct fault_rule *r = &rules[i];

		if (r->what == FAULT_EVENT && r->event != IBV_EVENT_DEVICE_FATAL &&
		    atomic_load(&counts[i].hit) &&
		    (!*r->device || !device || strcmp(r->device, device) == 0) &&
		    (!last || time_of(r) >= time_of(last)))
			last = r;
	}
	return last && last->event == IBV_EVENT_PORT_ERR ? last->text : NULL;
}

bool fault_rule_is_of_device(const char *text)
{
	const size_t n = strcspn(text, ":");

	for (unsigned i = 0; i < KINDS; i++)
		if (text[n] && strlen(kinds[i].name) == n && strncmp(text, kinds[i].name, n) == 0)
			return true;
	return false;
}

/* splitmix64 */
double fault_rule_draw(uint64_t seed, uint64_t n)
{
	uint64_t z = seed + n * UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return (double)((z ^ z >> 31) >> 11) / 9007199254740992.0; /* 2^53 */
}
