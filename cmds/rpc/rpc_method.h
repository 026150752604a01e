/* SPDX-License-Identifier: MIT */
/* Methods: names with arguments and a body in Tcl, for all servers of the session. */
#ifndef CMDS_RPC_METHOD_H
#define CMDS_RPC_METHOD_H

#include <stdint.h>
#include <sys/queue.h>
#include <tcl.h>

#include "objects.h"
#include "rpc_message.h"

struct domain;
struct session;

/* Checks of an argument, named in the list of arguments: "n:int". */
enum rpc_type { RPC_TEXT, RPC_INT, RPC_DOUBLE, RPC_BOOL, RPC_LIST, RPC_DICT, RPC_TYPES };

struct rpc_param {
	char *name;
	enum rpc_type type;
};

struct rpc_method {
	LIST_ENTRY(rpc_method) link;
	char *name;
	struct rpc_param params[RPC_ARGS_MAX];
	unsigned n_params, n_need; /* those without a default come first */
	bool rest;		   /* the last is "args": any number */
	Tcl_Obj *params_text;	   /* as given */
	Tcl_Obj *lambda;	   /* for apply */
	struct domain *domain;	   /* where its body runs, whoever waits meanwhile */
	uint64_t calls, errors;
};

/* Defines the method, or replaces it. -1 with s->fail filled. */
struct rpc_method *rpc_method_set(struct session *s, const char *name, Tcl_Obj *params,
				  Tcl_Obj *body);
void rpc_methods_free(struct rpc_methods *all);

/* What came of a call: a value, or with code an error's text; both are references. */
struct rpc_outcome {
	Tcl_Obj *value, *code;
};

/* Executes it, whatever it asks for. A failure is an outcome, too. */
void rpc_method_call(struct session *s, const Rpc__Request *r, struct rpc_outcome *out);
void rpc_outcome_fail(struct rpc_outcome *out, const char *code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
void rpc_outcome_free(struct rpc_outcome *out);

#endif
