/* SPDX-License-Identifier: MIT */
/* What the rpc commands share. */
#ifndef CMDS_RPC_CMD_H
#define CMDS_RPC_CMD_H

#include "args.h"
#include "rpc_link.h"

extern const struct word rpc_type_words[]; /* UD, RC */

/* What examples need: both ends in one process. */
#define RPC_SETUP                                        \
	"rpc serve add {a:int b:int} {expr {$a + $b}}\n" \
	"set port [dict get [rpc listen 0] port]\n"      \
	"rpc connect 127.0.0.1 $port"

static inline const struct rpc_link_kind *rpc_kind_of(const struct num *type)
{
	return type->v == IBV_QPT_RC ? &rpc_link_rc : &rpc_link_ud;
}

#endif
