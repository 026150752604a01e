/* SPDX-License-Identifier: MIT */
/* fault list, fault run: breaks things on purpose, after saying what both ends will see. */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "edit/complete.h"
#include "faults/fault_catalogue.h"
#include "language/interp.h"
#include "objects.h"
#include "session.h"

/* What the scripts of the catalogue are written with: QPs, regions and helpers, all called
 * fault_..., so that nothing of the user's is touched and all of it can be destroyed. */
static const char script_procs[] =
	"namespace eval ::fault {\n"
	"	# Two QPs fault_a and fault_b; buf is a's memory, window b's. ARGS: -type T,\n"
	"	# -rights R (of both), -rtr OPTIONS (of a), -shift N (of a's rq_psn), -srq S (of b)\n"
	"	proc pair args {\n"
	"		set o [dict merge {-type RC -rights remote-write,remote-read,remote-atomic\n"
	"			-rtr {} -shift 0 -cq {} -srq {} -access\n"
	"			local-write,remote-write,remote-read,remote-atomic,mw-bind} $args]\n"
	"		dict with o {}\n"
	"		if {${-srq} eq {}} { pd -name fault_pd }\n"
	"		reg 4096 -name fault_buf -pd fault_pd\n"
	"		reg 4096 -name fault_window -pd fault_pd -access ${-access}\n"
	"		foreach q {fault_a fault_b} cq [list ${-cq} {}] {\n"
	"			if {$cq eq {}} { set cq [dict get [cq -name ${q}_cq] name] }\n"
	"			set shared {}\n"
	"			if {$q eq {fault_b} && ${-srq} ne {}} { set shared [list -srq ${-srq}] }\n"
	"			qp create -type ${-type} -name $q -pd fault_pd -cq $cq {*}$shared\n"
	"			if {${-type} eq {UD}} {\n"
	"				modify-qp INIT $q -fill -qkey 73\n"
	"			} else { modify-qp INIT $q -fill -access ${-rights} }\n"
	"		}\n"
	"		foreach {me peer extra} [list fault_a fault_b ${-rtr} fault_b fault_a {}] {\n"
	"			set p [qp-info $peer]\n"
	"			set psn [dict get $p psn]\n"
	"			if {$me eq {fault_a}} { set psn [expr {($psn + ${-shift}) & 0xffffff}] }\n"
	"			set to [dict create -dest-qpn [dict get $p qpn] -rq-psn $psn {*}$extra]\n"
	"			if {${-type} eq {UD}} { set to {} }\n"
	"			modify-qp RTR $me -peer $p -fill {*}$to\n"
	"		}\n"
	"		foreach me {fault_a fault_b} {\n"
	"			set again {-timeout 10 -retry-cnt 2 -rnr-retry 1}\n"
	"			if {${-type} ne {RC}} { set again {} }\n"
	"			modify-qp RTS $me -fill {*}$again\n"
	"		}\n"
	"		return\n"
	"	}\n"
	"	# A QP in RESET: fault_a\n"
	"	proc lone {} {\n"
	"		pd -name fault_pd\n"
	"		cq -name fault_cq\n"
	"		qp create -name fault_a -pd fault_pd -cq fault_cq\n"
	"	}\n"
	"	# Options that lead to the window\n"
	"	proc there {{off 0}} {\n"
	"		list -remote [expr {[get fault_window addr] + $off}] -rkey [get fault_window rkey]\n"
	"	}\n"
	"	proc first qp {\n"
	"		set wcs [poll -all -qp $qp]\n"
	"		if {[llength $wcs]} { dict get [lindex $wcs 0] status } else { return - }\n"
	"	}\n"
	"	# What both ends see after a's post\n"
	"	proc ends {} {\n"
	"		set here [dict get [poll -qp fault_a -within 60s] status]\n"
	"		list $here [first fault_b]\n"
	"	}\n"
	"	# What the call says that is refused\n"
	"	proc refused command {\n"
	"		if {[catch {uplevel 1 $command} said how]} {\n"
	"			return [list [lindex [dict get $how -errorcode] end] -]\n"
	"		}\n"
	"		list {no error} -\n"
	"	}\n"
	"}\n";

/* fault list, fault run: breaks things on purpose, after saying what both ends will see. */

#define RXE_VENDOR 0xffffff

/* -------------------------------------------------------------------- arguments -- */

static void complete_fault(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct fault_entry *e = fault_catalogue; e->name; e++)
		Tcl_ListObjAppendElement(NULL, words, Tcl_NewStringObj(e->name, -1));
}

static int parse_fault(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const char *name = Tcl_GetString(word), *near;
	Tcl_Obj *names;
	int rc;

	for (const struct fault_entry *e = fault_catalogue; e->name; e++)
		if (strcmp(e->name, name) == 0) {
			*(const struct fault_entry **)dst = e;
			return 0;
		}
	names = Tcl_NewListObj(0, NULL);
	Tcl_IncrRefCount(names);
	complete_fault(s, a, names);
	near = suggest(name, names);
	rc = args_bad(s, a, "no fault is called '%s'%s%s%s; see fault list", name,
		      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	Tcl_DecrRefCount(names);
	return rc;
}

static const struct arg_kind kind_fault = { .word = "fault",
					    .size = sizeof(struct fault_entry *),
					    .parse = parse_fault,
					    .is_static = true,
					    .complete = complete_fault };

struct run_args {
	const struct fault_entry *fault;
};

static const struct arg run_args[] = {
	POS("fault", run_args, fault, kind_fault, "its name: see fault list"), ARGS_END
};

/* --------------------------------------------------------------------- running -- */

static const struct sight *predicted(const struct fault_entry *e, const struct dev *dev)
{
	return dev->attr.orig_attr.vendor_id == RXE_VENDOR && e->rxe.here ? &e->rxe : &e->all;
}

/* Everything called fault_..., with its users. */
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

static int run_entry(struct session *s, const struct fault_entry *e)
{
	Tcl_Obj *script = Tcl_NewStringObj(script_procs, -1);
	int rc;

	if (e->needs)
		Tcl_AppendPrintfToObj(script, "require device %s\n", e->needs);
	Tcl_AppendPrintfToObj(script, "apply {{} {\n%s\n} ::fault}\n", e->script);
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

/* The two words that the script left as its result. */
static bool read_sight(struct session *s, struct sight *sight)
{
	Tcl_Obj *here, *there, *result = Tcl_GetObjResult(s->tcl);

	if (Tcl_ListObjIndex(NULL, result, 0, &here) != TCL_OK || !here ||
	    Tcl_ListObjIndex(NULL, result, 1, &there) != TCL_OK || !there)
		return false;
	*sight = (struct sight){ Tcl_GetString(here), Tcl_GetString(there) };
	return true;
}

static int run_exec(struct session *s, const void *args, struct out *o)
{
	const struct fault_entry *e = ((const struct run_args *)args)->fault;
	struct dev *dev = dev_default(s);
	struct qp *current;
	const struct sight *want;
	struct sight got = { 0 };
	Tcl_Obj *kept = NULL;
	bool as_said = false;
	int rc;

	if (!dev)
		return -1;
	want = predicted(e, dev);
	out_str(o, "fault", e->name, "%s: ", e->name);
	out_str(o, "what", e->what, "%s\n", e->what);
	out_sight(o, "predicted", "will see", want);
	out_str(o, "because", e->because, "  %-10s %s\n", "because", e->because);
	clean_up(s);
	current = qp_current_aside(s);
	rc = run_entry(s, e);
	if (rc == TCL_OK && read_sight(s, &got)) {
		kept = Tcl_GetObjResult(s->tcl);
		Tcl_IncrRefCount(kept);
		as_said = strcmp(got.here, want->here) == 0 && strcmp(got.there, want->there) == 0;
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
		     e->name, want->here, want->there, got.here, got.there);
		rc = TCL_ERROR;
	}
	if (kept)
		Tcl_DecrRefCount(kept);
	return rc == TCL_OK ? 0 : rc == TCL_ERROR ? -1 : rc;
}

static const struct cmd_eg run_egs[] = { { "fault run bad-rkey", "as predicted" },
					 { "dict get [fault run no-receive] seen here",
					   "RNR_RETRY_EXC_ERR" },
					 { NULL, NULL } };

const struct cmd cmd_fault_run = {
	.name = "fault run",
	.family = "understanding",
	.summary = "break one thing on purpose, and see what both ends see",
	.text = "Says first what each end will see and why, makes two connected QPs of its own in\n"
		"this process (one in a process beside it, where a process is to end), does it, and\n"
		"compares. Another outcome is an error (RDMASH {fault run} OTHERWISE). What it made\n"
		"is destroyed; -x or trace on shows how it is done.",
	.examples = run_egs,
	.args = run_args,
	.size = sizeof(struct run_args),
	.flags = CMD_EVALS,
	.exec = run_exec,
};

/* ------------------------------------------------------------------------ list -- */

static int list_exec(struct session *s, const void *args, struct out *o)
{
	(void)s, (void)args;
	out_list(o, NULL);
	for (const struct fault_entry *e = fault_catalogue; e->name; e++) {
		out_dict(o, NULL);
		out_str(o, "name", e->name, "%-24s", e->name);
		out_str(o, "what", e->what, "%s", e->what);
		out_str(o, "here", e->all.here, NULL);
		out_str(o, "there", e->all.there, "\n");
		out_end(o);
	}
	out_end(o);
	return 0;
}

static const struct cmd_eg list_egs[] = { { "fault list", "bad-rkey" }, { NULL, NULL } };

const struct cmd cmd_fault_list = {
	.name = "fault list",
	.family = "understanding",
	.summary = "what can be broken on purpose",
	.text = "The catalogue of fault run. As a value: a list of dicts with the name and what each\n"
		"end sees of it by the specification.",
	.examples = list_egs,
	.flags = CMD_NO_RECORD,
	.exec = list_exec,
};
