/* SPDX-License-Identifier: MIT */
/* The families of facts, and how a fact is found by what a person types. */
#include <ctype.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdlib.h>
#include <string.h>

#include "command/args.h"
#include "explain/facts.h"
#include "words.h"

static const char *wc_status_text(uint64_t value)
{
	return ibv_wc_status_str((enum ibv_wc_status)value);
}

static const char *async_text(uint64_t value)
{
	return ibv_event_type_str((enum ibv_event_type)value);
}

static const char *cm_event_text(uint64_t value)
{
	return rdma_event_str((enum rdma_cm_event_type)value);
}

static const char *errno_text(uint64_t value)
{
	return strerror((int)value);
}

const struct fact_family fact_families[] = {
	{ "wc-status", "completion status", "IBV_WC_", wc_status_words, wc_status_facts,
	  wc_status_text },
	{ "cm-event", "connection event", "RDMA_CM_EVENT_", cm_event_words, cm_event_facts,
	  cm_event_text },
	{ "rej", "reason of a reject", "IB_CM_REJ_", rej_words, rej_facts, NULL },
	{ "errno", "errno", "", errno_words, errno_facts, errno_text },
	{ "async", "asynchronous event", "IBV_EVENT_", async_words, async_facts, async_text },
	{ "state", "QP state", "IBV_QPS_", qp_state_words, qp_state_facts, NULL },
	{ "attribute", "QP attribute", "IBV_QP_", qp_attr_words, qp_attr_facts, NULL },
	{ "qp-type", "QP type", "IBV_QPT_", qp_type_words, qp_type_facts, NULL },
	{ "access", "access flag", "IBV_ACCESS_", mr_access_words, access_facts, NULL },
	{ "opcode", "opcode of a work request", "IBV_WR_", wr_opcode_words, wr_opcode_facts, NULL },
	{ "wc-opcode", "opcode of a completion", "IBV_WC_", wc_opcode_words, wc_opcode_facts,
	  NULL },
	{ "send-flag", "flag of a work request", "IBV_SEND_", send_flag_words, send_flag_facts,
	  NULL },
	{ "port-space", "port space", "RDMA_PS_", ps_words, port_space_facts, NULL },
	{ "rule", "rule", "", rule_words, rule_facts, NULL },
	{ 0 }
};

const struct fact *fact_of(const struct fact_family *f, uint64_t value)
{
	for (const struct fact *fact = f->facts; fact->source; fact++)
		if (fact->value == value)
			return fact;
	return NULL;
}

/* How well it fits; larger is better. */
enum fit { FIT_NOT, FIT_TEXT, FIT_MEANING, FIT_PART, FIT_NUMBER, FIT_NAME };

/* Words that people look for, and what they mean by them. */
static const struct {
	const char *word, *family;
	uint64_t value;
} synonyms[] = {
	{ "overrun", "async", IBV_EVENT_CQ_ERR },
	{ "overflow", "async", IBV_EVENT_CQ_ERR },
	{ "imm_data", "rule", RULE_BYTE_ORDER },
	{ "imm_data", "opcode", IBV_WR_RDMA_WRITE_WITH_IMM },
	{ "imm_data", "opcode", IBV_WR_SEND_WITH_IMM },
	{ "imm_data", "wc-opcode", IBV_WC_RECV_RDMA_WITH_IMM },
	{ "odp", "access", IBV_ACCESS_ON_DEMAND },
	{ "endianness", "rule", RULE_BYTE_ORDER },
	{ "endian", "rule", RULE_BYTE_ORDER },
	{ "htonl", "rule", RULE_BYTE_ORDER },
	{ "alignment", "rule", RULE_ATOMICS },
	{ "aligned", "rule", RULE_ATOMICS },
	{ "atomic_cap", "rule", RULE_ATOMICS },
	{ "keepalive", "rule", RULE_DEAD_PEER },
	{ "keep-alive", "rule", RULE_DEAD_PEER },
	{ "heartbeat", "rule", RULE_DEAD_PEER },
	{ "visible", "rule", RULE_VISIBILITY },
	{ "drain", "rule", RULE_DRAINING },
	{ "ordering", "rule", RULE_ORDER },
	{ "grh", "rule", RULE_UD_LENGTH },
	{ "datagram", "rule", RULE_UD_LENGTH },
	{ "memlock", "errno", ENOMEM },
	{ "ulimit", "errno", ENOMEM },
	{ "backlog", "cm-event", RDMA_CM_EVENT_UNREACHABLE },
	{ "firewall", "cm-event", RDMA_CM_EVENT_UNREACHABLE },
	{ "4791", "cm-event", RDMA_CM_EVENT_UNREACHABLE },
	{ "ibv_fork_init", "rule", RULE_FORK },
};

/* Upper case, '-' and ' ' are '_'. */
static int plain_char(int c)
{
	return c == '-' || c == ' ' ? '_' : toupper(c);
}

static bool same_words(const char *a, const char *b)
{
	while (*a && plain_char((unsigned char)*a) == plain_char((unsigned char)*b))
		a++, b++;
	return !*a && !*b;
}

static bool contains_words(const char *text, const char *part)
{
	size_t len = strlen(part);

	for (; text && *text; text++) {
		size_t i = 0;

		while (i < len &&
		       plain_char((unsigned char)text[i]) == plain_char((unsigned char)part[i]))
			i++;
		if (i == len)
			return true;
	}
	return false;
}

static const char *without_prefix(const char *prefix, const char *text)
{
	size_t len = strlen(prefix);

	return strncasecmp(text, prefix, len) == 0 ? text + len : text;
}

/* Statuses of CM events are negative errnos. */
static bool is_number(const struct fact_family *f, const char *text, uint64_t value)
{
	char *end;
	long long v;

	errno = 0;
	v = strtoll(text, &end, 0);
	if (errno || end == text || *end)
		return false;
	if (v < 0)
		return f->words == errno_words && -(uint64_t)v == value;
	return (uint64_t)v == value;
}

static bool is_synonym(const struct fact_family *f, const struct fact *fact, const char *text)
{
	for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
		if (synonyms[i].value == fact->value && same_words(synonyms[i].word, text) &&
		    strcmp(synonyms[i].family, f->name) == 0)
			return true;
	return false;
}

static enum fit fact_fits(const struct fact_family *f, const struct fact *fact, const char *text)
{
	const char *name = word_name(f->words, fact->value);
	const char *help = word_help(f->words, fact->value);
	const char *own = f->text ? f->text(fact->value) : NULL;

	if (same_words(name, without_prefix(f->prefix, text)))
		return FIT_NAME;
	if (is_number(f, text, fact->value))
		return FIT_NUMBER;
	if (is_synonym(f, fact, text))
		return FIT_PART;
	if (isdigit((unsigned char)*text) || *text == '-')
		return FIT_NOT;
	if (contains_words(name, without_prefix(f->prefix, text)))
		return FIT_PART;
	if (contains_words(help, text) || contains_words(own, text))
		return FIT_MEANING;
	return contains_words(fact->causes, text) || contains_words(fact->here, text) ? FIT_TEXT
										      : FIT_NOT;
}

unsigned facts_find(const struct fact_family *only, const char *text, struct found *found)
{
	enum fit best = FIT_TEXT;
	unsigned n = 0;

	for (const struct fact_family *f = fact_families; f->name && *text; f++)
		for (const struct fact *fact = f->facts; fact->source; fact++) {
			enum fit fit = only && f != only ? FIT_NOT : fact_fits(f, fact, text);

			if (fit < best)
				continue;
			if (fit > best)
				n = 0;
			best = fit;
			if (n < FOUND_MAX)
				found[n++] = (struct found){ f, fact };
		}
	return n;
}

const struct fact_family *fact_family(const char *name)
{
	const struct fact_family *found = NULL;
	size_t len = strlen(name);

	for (const struct fact_family *f = fact_families; f->name; f++) {
		if (strcasecmp(f->name, name) == 0)
			return f;
		if (len && strncasecmp(f->name, name, len) == 0) {
			if (found)
				return NULL;
			found = f;
		}
	}
	return found;
}

void facts_names(Tcl_Obj *names)
{
	for (const struct fact_family *f = fact_families; f->name; f++)
		for (const struct word *w = f->words; w->name; w++)
			Tcl_ListObjAppendElement(NULL, names, Tcl_NewStringObj(w->name, -1));
}
