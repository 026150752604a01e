/* SPDX-License-Identifier: MIT */
/* The names of constants of which explain does not know more, each with its meaning (the table of
 * calls has the names alone). */
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "spec_tables.h"
#include "words.h"

const struct word qp_access_words[] = {
	{ "NONE", 0, "no remote access" },
	{ "LOCAL_WRITE", IBV_ACCESS_LOCAL_WRITE, "ignored on a QP" },
	{ "REMOTE_WRITE", IBV_ACCESS_REMOTE_WRITE, "the peer may RDMA WRITE" },
	{ "REMOTE_READ", IBV_ACCESS_REMOTE_READ, "the peer may RDMA READ" },
	{ "REMOTE_ATOMIC", IBV_ACCESS_REMOTE_ATOMIC, "the peer may use atomics" },
	{ "FLUSH_GLOBAL", FLUSH_ACCESS_GLOBAL, "the peer may FLUSH" },
	{ "FLUSH_PERSISTENT", FLUSH_ACCESS_PERSISTENT, "the same into memory that lasts" },
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

const char *why_word(const char *name)
{
	static const struct word *const tables[] = { wc_status_words, cm_event_words, async_words,
						     rej_words };

	for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
		for (const struct word *w = tables[i]; w->name; w++)
			if (strcmp(w->name, name) == 0)
				return w->help;
	return NULL;
}
