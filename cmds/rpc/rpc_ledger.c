/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "rpc_ledger.h"

void rpc_ledger_init(struct rpc_ledger *l)
{
	*l = (struct rpc_ledger){ .answered = 1 };
}

static struct rpc_entry *entry_of(struct rpc_ledger *l, uint64_t id)
{
	return &l->entries[id % RPC_CALLS];
}

static void forget(struct rpc_ledger *l, struct rpc_entry *e)
{
	l->kept -= e->len;
	free(e->reply);
	*e = (struct rpc_entry){ 0 };
}

void rpc_ledger_free(struct rpc_ledger *l)
{
	for (unsigned i = 0; i < RPC_CALLS; i++)
		forget(l, &l->entries[i]);
}

static void advance(struct rpc_ledger *l, uint64_t answered)
{
	for (unsigned n = 0; n < RPC_CALLS && l->answered < answered; n++)
		forget(l, entry_of(l, l->answered++));
	if (l->answered < answered)
		l->answered = answered;
}

int rpc_ledger_wants(const struct rpc_ledger *l, uint64_t id)
{
	return id >= l->answered;
}

enum rpc_decision rpc_ledger_take(struct rpc_ledger *l, uint64_t id, uint64_t answered,
				  const struct rpc_entry **entry)
{
	struct rpc_entry *e;

	*entry = NULL;
	if (!id || answered > id)
		return RPC_IMPOSSIBLE;
	if (answered > l->answered)
		advance(l, answered);
	if (id < l->answered) {
		l->stale++;
		return RPC_STALE;
	}
	if (id - l->answered >= RPC_CALLS)
		return RPC_IMPOSSIBLE;
	*entry = e = entry_of(l, id);
	if (e->state != RPC_UNKNOWN) {
		l->again++;
		return e->state == RPC_DONE ? RPC_REPLY : RPC_WAIT;
	}
	e->state = RPC_RUNNING; /* also when it is refused: that is its reply */
	return l->kept > RPC_KEPT ? RPC_FULL : RPC_EXECUTE;
}

const struct rpc_entry *rpc_ledger_done(struct rpc_ledger *l, uint64_t id, uint8_t *reply,
					size_t len)
{
	struct rpc_entry *e = entry_of(l, id);

	if (id < l->answered) {
		free(reply);
		return NULL;
	}
	*e = (struct rpc_entry){ .state = RPC_DONE, .reply = reply, .len = len };
	l->kept += len;
	return e;
}
