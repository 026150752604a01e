// SPDX-License-Identifier: MIT
/*
 * Rules as text: "drop=5%,dup=2%,dir=out,op=ACK;delay=2ms".
 */
#include "fault.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "fault_rule.h"

#define WORD_MAX 80

const struct fault_kind fault_kinds[FATES] = {
#define KIND(name, word, lost, help) \
	[name] = { #word, offsetof(struct wire_rule, word), CNT_FAULT_##name, lost },
	UROCE_FAULTS(KIND)
#undef KIND
};

bool fault_loses(const char *fate)
{
	for (enum fate i = FIRST_FAULT; fate && i < FATES; i++)
		if (strcmp(fate, fault_kinds[i].name) == 0)
			return fault_kinds[i].lost;
	return fate && strcmp(fate, FATE_PORT_DOWN) == 0;
}

static int read_probability(const struct fault_why *r, const char *word, const char *s, double *p)
{
	if (!fault_read_chance(s, p))
		return fault_refuse(r, "%s: not a probability: write 5%% or 0.05", word);
	return 0;
}

static int read_delay(const struct fault_why *r, const char *word, const char *s,
		      struct wire_rule *f)
{
	double us;

	if (!fault_read_time(s, 60e6, &us))
		return fault_refuse(r, "%s: not a delay of at most a minute: write 50us, 2ms or 1s",
				    word);
	f->delay_us = (unsigned)(us + 0.5);
	return 0;
}

static int read_number(const struct fault_why *r, const char *word, const char *s, uint64_t max,
		       uint64_t *value)
{
	if (!fault_read_number(s, max, value))
		return fault_refuse(r, "%s: not a number from 0 to %llu", word,
				    (unsigned long long)max);
	return 0;
}

/* Reads 5 or 5-9. PSNs wrap: 0xffffff-3 are five of them. */
static int read_psns(const struct fault_why *r, const char *word, const char *s,
		     struct wire_rule *f)
{
	const char *dash = strchr(s, '-');
	char first[WORD_MAX];
	uint64_t from, to;

	snprintf(first, sizeof(first), "%.*s", dash ? (int)(dash - s) : (int)strlen(s), s);
	if (read_number(r, word, first, PSN_MASK, &from) != 0 ||
	    read_number(r, word, dash ? dash + 1 : first, PSN_MASK, &to) != 0)
		return -1;
	f->psn = (int64_t)from;
	f->psn_more = (uint32_t)(to - from) & PSN_MASK;
	return 0;
}

static int read_opcode(const struct fault_why *r, const char *word, const char *s,
		       struct wire_rule *f)
{
	const struct opcode *op = opcode_named(s);
	uint64_t value;

	if (op) {
		f->opcode = op->code;
		return 0;
	}
	if (!isdigit((unsigned char)*s))
		return fault_refuse(r, "%s: no such opcode: write ACK, UC_SEND_ONLY or 0x11", word);
	if (read_number(r, word, s, 0xff, &value) != 0)
		return -1;
	f->opcode = (int)value;
	return 0;
}

static int read_direction(const struct fault_why *r, const char *word, const char *s,
			  struct wire_rule *f)
{
	if (strcasecmp(s, "out") == 0)
		f->direction = UROCE_OUT;
	else if (strcasecmp(s, "in") == 0)
		f->direction = UROCE_IN;
	else if (strcasecmp(s, "both") == 0)
		f->direction = 0;
	else
		return fault_refuse(r, "%s: not a direction: write in, out or both", word);
	return 0;
}

static int read_qpn(const struct fault_why *r, const char *word, const char *s, struct wire_rule *f)
{
	uint64_t qpn;

	if (read_number(r, word, s, PSN_MASK, &qpn) != 0)
		return -1;
	f->qpn = (uint32_t)qpn;
	return 0;
}

static int read_count(const struct fault_why *r, const char *word, const char *s,
		      struct wire_rule *f)
{
	return read_number(r, word, s, UINT64_MAX, &f->count);
}

/* The words that are not faults. */
static const struct {
	const char *name, *also;
	int (*read)(const struct fault_why *r, const char *word, const char *s,
		    struct wire_rule *f);
} words[] = {
	{ "delay", "delay", read_delay }, { "dir", "direction", read_direction },
	{ "op", "opcode", read_opcode },  { "psn", "psn", read_psns },
	{ "qpn", "qpn", read_qpn },	  { "count", "count", read_count },
};
#define WORDS (sizeof(words) / sizeof(words[0]))

/* Reads key=value; word is the whole, for messages. */
static int read_pair(const struct fault_why *r, const char *word, const char *key,
		     const char *value, struct wire_rule *f)
{
	struct fault_choice c = { near_begin(key), "" };

	if (strcasecmp(key, "duplicate") == 0)
		key = fault_kinds[DUP].name;
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++) {
		fault_offer(&c, fault_kinds[fate].name);
		if (strcasecmp(key, fault_kinds[fate].name) == 0)
			return read_probability(r, word, value, fault_chance(f, fate));
	}
	for (unsigned i = 0; i < WORDS; i++) {
		fault_offer(&c, words[i].name);
		if (strcasecmp(key, words[i].name) == 0 || strcasecmp(key, words[i].also) == 0)
			return words[i].read(r, word, value, f);
	}
	return fault_refuse_choice(r, &c, "fault of packets, or word about them");
}

/* Reads one rule: words up to a semicolon or the end, to which *s is moved. */
static int read_rule(const struct fault_why *r, const char **s, struct wire_rule *f)
{
	const size_t all = strcspn(*s, ";");

	*f = (struct wire_rule){ .opcode = -1, .psn = -1 };
	if (all >= sizeof(f->told.text))
		return fault_refuse(r, "a rule of %zu characters is too long", all);
	memcpy(f->told.text, *s, all);
	for (;;) {
		size_t n = strcspn(*s, ",;");
		char word[WORD_MAX], pair[WORD_MAX], *value;

		if (n >= sizeof(word))
			return fault_refuse(r, "a word of %zu characters is too long", n);
		memcpy(word, *s, n);
		word[n] = '\0';
		memcpy(pair, word, n + 1);
		value = strchr(pair, '=');
		if (!value)
			return fault_refuse(r, "\"%s\": not of the form drop=5%%", word);
		*value++ = '\0';
		if (read_pair(r, word, pair, value, f) != 0)
			return -1;
		*s += n;
		if (**s != ',')
			break;
		++*s;
	}
	f->told.loses = f->delay_us;
	for (enum fate fate = FIRST_FAULT; fate < FATES; fate++)
		f->told.loses |= fault_kinds[fate].lost && *fault_chance(f, fate) > 0;
	return 0;
}

int fault_read(const char *text, struct wire_rule *rules, int max, char *why, size_t size)
{
	const struct fault_why r = { why, size };
	int n = 0;

	for (const char *s = text; *s; n++) {
		if (n == max)
			return fault_refuse(&r, "more than %d rules", FAULT_RULES);
		if (read_rule(&r, &s, &rules[n]) != 0)
			return -1;
		if (*s == ';')
			s++;
	}
	return n;
}
