/* SPDX-License-Identifier: MIT */
/* The names of constants of which explain does not know more, each with its meaning (the table of
 * calls has the names alone); and look-ups in all tables of words.h. */
#include <ctype.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "connection/cm_id.h"
#include "objects.h"
#include "words.h"

const struct word qp_access_words[] = {
	{ "NONE", 0, "no remote access" },
	{ "LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE, "ignored on a QP" },
	{ "REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE, "the peer may RDMA WRITE" },
	{ "REMOTE_READ", IBV_ACCESS_REMOTE_READ, "the peer may RDMA READ" },
	{ "REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC, "the peer may use atomics" },
	{ "ZERO_BASED", IBV_ACCESS_ZERO_BASED, "for memory windows" },
	{ 0 }
};

const struct word mig_state_words[] = { { "MIGRATED", IBV_MIG_MIGRATED, "on the primary path" },
					{ "REARM", IBV_MIG_REARM, "get ready to migrate" },
					{ "ARMED", IBV_MIG_ARMED,
					  "ready to migrate to the alternate path" },
					{ 0 } };

const struct word mtu_words[] = { { "256", IBV_MTU_256, NULL },	  { "512", IBV_MTU_512, NULL },
				  { "1024", IBV_MTU_1024, NULL }, { "2048", IBV_MTU_2048, NULL },
				  { "4096", IBV_MTU_4096, NULL }, { 0 } };

const struct word port_state_words[] = { { "NOP", IBV_PORT_NOP, NULL },
					 { "DOWN", IBV_PORT_DOWN, "no link" },
					 { "INIT", IBV_PORT_INIT,
					   "on InfiniBand: no subnet manager yet" },
					 { "ARMED", IBV_PORT_ARMED, NULL },
					 { "ACTIVE", IBV_PORT_ACTIVE, NULL },
					 { "ACTIVE_DEFER", IBV_PORT_ACTIVE_DEFER, NULL },
					 { 0 } };

const struct word gid_type_words[] = { { "IB", IBV_GID_TYPE_IB, NULL },
				       { "RoCEv1", IBV_GID_TYPE_ROCE_V1, NULL },
				       { "RoCEv2", IBV_GID_TYPE_ROCE_V2, NULL },
				       { 0 } };

const struct word id_state_words[] = { { "IDLE", ID_IDLE, NULL },
				       { "BOUND", ID_BOUND, NULL },
				       { "LISTENING", ID_LISTENING, NULL },
				       { "ADDR_RESOLVED", ID_ADDR_RESOLVED, NULL },
				       { "ROUTE_RESOLVED", ID_ROUTE_RESOLVED, NULL },
				       { "CONNECTING", ID_CONNECTING, NULL },
				       { "REQUEST", ID_REQUEST,
					 "a peer's request waits for accept or reject" },
				       { "ACCEPTING", ID_ACCEPTING, NULL },
				       { "ESTABLISHED", ID_ESTABLISHED, NULL },
				       { "DISCONNECTED", ID_DISCONNECTED, NULL },
				       { "ERROR", ID_ERROR, NULL },
				       { 0 } };

const char *word_name(const struct word *words, uint64_t value)
{
	const char *name = args_word_name(words, value);

	return name ? name : temp_text("%llu", (unsigned long long)value);
}

const char *word_help(const struct word *words, uint64_t value)
{
	for (; words->name; words++)
		if (words->value == value)
			return words->help;
	return NULL;
}

char *word_flags(const struct word *words, uint64_t bits)
{
	SCOPED_TEXT(d);

	args_flag_names(words, bits, ",", &d);
	return temp_text("%s", bits ? text_str(&d) : "0");
}

char *word_typed(char *text)
{
	for (char *p = text; *p; p++)
		*p = *p == '_' ? '-' : (char)tolower((unsigned char)*p);
	return text;
}

const char *word_explain(const char *name)
{
	static const struct word *const tables[] = { wc_status_words, cm_event_words, async_words,
						     rej_words };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct word *w = tables[i]; w->name; w++)
			if (strcmp(w->name, name) == 0)
				return w->help;
	return NULL;
}
