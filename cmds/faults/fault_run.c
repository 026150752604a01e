/* SPDX-License-Identifier: MIT */
/*
 * fault list, fault run: breaks things on purpose, after saying what both ends will see. The
 * catalogue is faults.tcl.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "live_context.h"
#include "object_make.h"
#include "objects.h"
#include "session.h"

/* faults.tcl and fault_procs.tcl: the procedures that its scripts use. */
extern const char faults_tcl[], fault_procs_tcl[];

/* The facts that each end sees: "sees" in faults.tcl. */
struct sight {
	const char *here, *there;
};

/* All faults: a dict of dicts. */
static Tcl_Obj *fault_catalogue(void)
{
	static Tcl_Obj *all;

	if (!all) {
		all = Tcl_NewStringObj(strstr(faults_tcl, "\n\n"), -1);
		Tcl_IncrRefCount(all);
	}
	return all;
}

/* The entry of a fault in the catalogue, or NULL. */
static const char *fault_text(Tcl_Obj *fault, const char *key)
{
	Tcl_Obj *text = dict_get(fault, key);

	return text ? Tcl_GetString(text) : NULL;
}

/* Reads a list of two words. */
static bool read_sight(Tcl_Obj *list, struct sight *sight)
{
	Tcl_Obj *here, *there;

	if (Tcl_ListObjIndex(NULL, list, 0, &here) != TCL_OK || !here ||
	    Tcl_ListObjIndex(NULL, list, 1, &there) != TCL_OK || !there)
		return false;
	*sight = (struct sight){ Tcl_GetString(here), Tcl_GetString(there) };
	return true;
}

/* -------------------------------------------------------------------- arguments -- */

static void complete_fault(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	dict_append_keys(fault_catalogue(), words);
}

static int parse_fault(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const char *name = Tcl_GetString(word);
	SCOPED_LIST(names);

	if (dict_get(fault_catalogue(), name))
		return args_parse_str(s, a, word, dst);
	complete_fault(s, a, names);
	return args_bad(s, a, "no fault is called '%s'%s; see fault list", name,
			mistake_did_you_mean(cmd_suggest(name, names)));
}

static const struct arg_kind kind_fault = { .word = "fault",
					    .size = sizeof(const char *),
					    .parse = parse_fault,
					    .is_static = true,
					    .complete = complete_fault };

struct run_args {
	const char *fault;
};

static const struct arg run_args[] = {
	POS("fault", run_args, fault, kind_fault, "its name: see fault list"), ARGS_END
};

/* --------------------------------------------------------------------- running -- */

static struct sight predicted_sight(Tcl_Obj *fault, const struct dev *dev)
{
	struct sight sight = { "-", "-" };
	Tcl_Obj *rxe = dict_get(fault, "rxe");

	read_sight(dev->attr.orig_attr.vendor_id == RXE_VENDOR && rxe ? rxe
								      : dict_get(fault, "sees"),
		   &sight);
	return sight;
}

/* Destroys everything called fault_..., with its users. */
static void clean_up(struct session *s)
{
	struct obj **v = NULL, *o;
	size_t n = 0;

	obj_foreach(o, s) {
		if (strncmp(o->name, "fault_", 6) != 0)
			continue;
		v = xgrow(v, n, sizeof(struct obj *));
		obj_ref(v[n++] = o);
	}
	for (size_t i = 0; i < n; i++) {
		if (!obj_gone(v[i]))
			obj_destroy(s, v[i], true);
		obj_unref(v[i]);
	}
	free(v);
	fail_clear(&s->fail);
}

static int run_fault(struct session *s, Tcl_Obj *fault)
{
	Tcl_Obj *script = Tcl_NewStringObj(fault_procs_tcl, -1);
	const char *needs = fault_text(fault, "needs");
	int rc;

	if (needs)
		Tcl_AppendPrintfToObj(script, "require device %s\n", needs);
	Tcl_AppendPrintfToObj(script, "apply {{} {%s} ::fault}\n", fault_text(fault, "does"));
	Tcl_IncrRefCount(script);
	rc = interp_eval(s, script);
	Tcl_DecrRefCount(script);
	return rc;
}

static void out_sight(struct out *o, const char *key, const char *label, const struct sight *sight)
{
	out_dict(o, key);
	out_str(o, "here", sight->here, "  %-10s this end %s", label, sight->here);
	out_str(o, "there", sight->there, ", the other %s\n",
		strcmp(sight->there, "-") == 0 ? "nothing" : sight->there);
	out_end(o);
}

static int run_exec(struct session *s, const void *args, struct out *o)
{
	const char *name = ((const struct run_args *)args)->fault;
	Tcl_Obj *fault = dict_get(fault_catalogue(), name), *kept = NULL;
	struct dev *dev = dev_default(s);
	struct sight want, got = { 0 };
	struct qp *current;
	bool as_said = false;
	int rc;

	if (!dev)
		return -1;
	want = predicted_sight(fault, dev);
	out_str(o, "fault", name, "%s: ", name);
	out_str(o, "what", fault_text(fault, "what"), "%s\n", fault_text(fault, "what"));
	out_sight(o, "predicted", "will see", &want);
	out_str(o, "because", fault_text(fault, "because"), "  %-10s %s\n", "because",
		fault_text(fault, "because"));
	clean_up(s);
	current = qp_current_aside(s);
	rc = run_fault(s, fault);
	if (rc == TCL_OK && read_sight(Tcl_GetObjResult(s->tcl), &got)) {
		kept = Tcl_GetObjResult(s->tcl);
		Tcl_IncrRefCount(kept);
		as_said = strcmp(got.here, want.here) == 0 && strcmp(got.there, want.there) == 0;
		out_sight(o, "seen", "saw", &got);
		out_bool(o, "as_predicted", as_said, "  %s\n", as_said ? "as predicted" : "");
	}
	if (rc == TCL_OK) {
		clean_up(s);
		qp_current_back(s, current);
	} else if (current) { /* what is left can be looked at: its QP stays the current one */
		obj_unref(current);
	}
	if (kept && !as_said) {
		fail(s, "fault run", "OTHERWISE", "%s: predicted %s and %s, but saw %s and %s",
		     name, want.here, want.there, got.here, got.there);
		rc = TCL_ERROR;
	}
	if (kept)
		Tcl_DecrRefCount(kept);
	return rc == TCL_OK ? 0 : rc == TCL_ERROR ? -1 : rc;
}

/** Says first what each end will see and why, makes two connected QPs of its own in this
 * process (one of them in a second process, for faults that end a process), breaks it,
 * and compares. Another outcome is an error (RDMASH {fault run} OTHERWISE). Everything
 * it made is destroyed; -x or trace on shows how it is done.
 * > fault run bad-rkey => as predicted
 * > dict get [fault run no-receive] seen here => RNR_RETRY_EXC_ERR */
const struct cmd cmd_fault_run = {
	.name = "fault run",
	.family = "understanding",
	.summary = "break one thing on purpose, and see what both ends see",
	.args = run_args,
	.flags = CMD_EVALS,
	.exec = run_exec,
};

/* ------------------------------------------------------------------------ list -- */

static int list_exec(struct session *s, const void *args, struct out *o)
{
	Tcl_Obj *name, *fault;
	struct sight sight = { 0 };
	Tcl_DictSearch search;
	int done;

	(void)s, (void)args;
	out_list(o, NULL);
	Tcl_DictObjFirst(NULL, fault_catalogue(), &search, &name, &fault, &done);
	for (; !done; Tcl_DictObjNext(&search, &name, &fault, &done)) {
		read_sight(dict_get(fault, "sees"), &sight);
		out_dict(o, NULL);
		out_str(o, "name", Tcl_GetString(name), "%-24s", Tcl_GetString(name));
		out_str(o, "what", fault_text(fault, "what"), "%s", fault_text(fault, "what"));
		out_str(o, "here", sight.here, NULL);
		out_str(o, "there", sight.there, "\n");
		out_end(o);
	}
	out_end(o);
	return 0;
}

/** The catalogue of fault run. Its value is a list of dicts with the name and what each
 * end sees of it by the specification.
 * > fault list => bad-rkey */
const struct cmd cmd_fault_list = {
	.name = "fault list",
	.family = "understanding",
	.summary = "what can be broken on purpose",
	.flags = CMD_NO_RECORD,
	.exec = list_exec,
};
