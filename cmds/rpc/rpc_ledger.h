/* SPDX-License-Identifier: MIT */
/*
 * Which calls of a session have been executed: at most once each, by their id. A reply is kept
 * until the client says that it has it.
 */
#ifndef CMDS_RPC_LEDGER_H
#define CMDS_RPC_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#define RPC_CALLS 256	      /* of a session that are not answered, at most */
#define RPC_KEPT  (64u << 20) /* bytes of replies kept for a session: no call beyond that */

enum rpc_call_state { RPC_UNKNOWN, RPC_RUNNING, RPC_DONE };

struct rpc_entry {
	enum rpc_call_state state;
	uint8_t *reply;
	size_t len;
};

struct rpc_ledger {
	uint64_t answered;		     /* calls below are over */
	struct rpc_entry entries[RPC_CALLS]; /* of answered and up, by id % RPC_CALLS */
	size_t kept;
	uint64_t again, stale;
};

enum rpc_decision {
	RPC_EXECUTE,	/* it is new, and noted as running */
	RPC_WAIT,	/* it runs: its reply will come */
	RPC_REPLY,	/* it is done: send *entry's reply again */
	RPC_STALE,	/* the client does not want it any more */
	RPC_FULL,	/* too many replies are kept */
	RPC_IMPOSSIBLE, /* no client that keeps to the protocol says this */
};

void rpc_ledger_init(struct rpc_ledger *l);
void rpc_ledger_free(struct rpc_ledger *l);
/* A request has come. answered: no call below it is waited for. */
enum rpc_decision rpc_ledger_take(struct rpc_ledger *l, uint64_t id, uint64_t answered,
				  const struct rpc_entry **entry);
/* Is the reply of this call waited for still? */
int rpc_ledger_wants(const struct rpc_ledger *l, uint64_t id);
/* It has been executed. The reply (of malloc) is the ledger's from now on. Returns the entry,
 * or NULL when nobody waits for it any more. */
const struct rpc_entry *rpc_ledger_done(struct rpc_ledger *l, uint64_t id, uint8_t *reply,
					size_t len);

#endif
