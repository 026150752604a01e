// SPDX-License-Identifier: MIT
/* The families of facts, in the order in which a name or number is looked up. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/rdma_cma.h>
#include <string.h>

#include "explain/fact.h"
#include "words.h"

static const char *status_text(uint64_t value)
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
	  status_text },
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
