/* SPDX-License-Identifier: MIT */
#include <arpa/inet.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"
#include "facts.h"
#include "heap.h"
#include "live_program.h"
#include "recorded.h"
#include "why.h"
#include "words.h"

void cause_add(struct causes *c, enum verdict verdict, const char *next, const char *fmt, ...)
{
	va_list ap;

	c->v = xgrow(c->v, c->n, sizeof *c->v);
	va_start(ap, fmt);
	c->v[c->n++] = (struct cause){ .verdict = verdict,
				       .rule = strcmp(fmt, "%s") != 0 ? fmt : NULL,
				       .text = xvasprintf(fmt, ap),
				       .next = next && !c->no_commands ? xstrdup(next) : NULL };
	va_end(ap);
}

bool cause_is_like(const struct cause *a, const struct cause *b)
{
	return a->verdict == b->verdict && a->rule && a->rule == b->rule;
}

void causes_add_fact(struct causes *c, const struct fact *fact, const char *name, const char *next)
{
	for (const struct fact_cause *of = fact ? fact->causes : NULL; of && of->text; of++) {
		if (name ? !of->of || !fact_cause_is_of(of, name) : of->of != NULL)
			continue;
		cause_add(c, MAY_BE, next, "%s", of->text);
		next = NULL;
	}
}

unsigned causes_confirmed(const struct causes *c)
{
	unsigned n = 0;

	for (unsigned i = 0; i < c->n; i++)
		n += c->v[i].verdict == IS_SO;
	return n;
}

static void free_cause(struct cause *c)
{
	free(c->text);
	free(c->next);
}

void causes_settle(struct causes *c)
{
	unsigned to = 0;

	if (!causes_confirmed(c))
		return;
	for (unsigned i = 0; i < c->n; i++)
		if (c->v[i].verdict == IS_SO)
			c->v[to++] = c->v[i];
		else
			free_cause(&c->v[i]);
	c->n = to;
}

void causes_take_certain(struct causes *to, struct causes *from)
{
	for (unsigned i = 0; i < from->n; i++)
		if (from->v[i].verdict == IS_SO) {
			to->v = xgrow(to->v, to->n, sizeof *to->v);
			to->v[to->n++] = from->v[i];
		} else {
			free_cause(&from->v[i]);
		}
	free(from->v);
	*from = (struct causes){ .no_commands = from->no_commands };
}

void causes_free(struct causes *c)
{
	for (unsigned i = 0; i < c->n; i++)
		free_cause(&c->v[i]);
	free(c->v);
	*c = (struct causes){ 0 };
}

/* ------------------------------------------------------------------------- names in texts -- */

static const struct call_struct *attributes(void)
{
	return call_table[ROW_ibv_modify_qp].args[1].of;
}

const char *why_state(enum ibv_qp_state state)
{
	return live_word(attributes(), "qp_state", state);
}

const char *why_in_state(const char *qp, enum ibv_qp_state state)
{
	return temp_text("%s is in %s: %s", qp, why_state(state), word_help(qp_state_words, state));
}

const char *why_mtu(enum ibv_mtu mtu)
{
	return live_word(attributes(), "path_mtu", mtu);
}

static const char *names_of_bits(const struct call_enum *words, unsigned bits)
{
	char *text = temp_text("%s", bits ? "" : "0");
	const char *comma = "";

	for (unsigned bit = 1; bit && bit <= bits; bit <<= 1) {
		const char *name = bits & bit ? call_word_name(words, bit) : NULL;

		if (!(bits & bit))
			continue;
		text = name ? temp_text("%s%s%s", text, comma, name)
			    : temp_text("%s%s0x%x", text, comma, bit);
		comma = ",";
	}
	return text;
}

const char *why_access(unsigned access)
{
	return names_of_bits(call_value_find(attributes()->fields, "qp_access_flags")->words,
			     access);
}

const char *why_flush_type(unsigned type)
{
	return names_of_bits(call_table[ROW_ibv_wr_flush].args[4].words, type);
}

const char *why_flush_level(unsigned level)
{
	const char *name = call_word_name(call_table[ROW_ibv_wr_flush].args[5].words, level);

	return name ? name : temp_text("%u", level);
}

const char *why_typed(const char *text)
{
	char *typed = temp_text("%s", text);

	for (char *p = typed; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return typed;
}

const char *why_gid(const union ibv_gid *gid)
{
	char *text = temp_text("%*s", INET6_ADDRSTRLEN, "");

	inet_ntop(AF_INET6, gid->raw, text, INET6_ADDRSTRLEN);
	return text;
}
