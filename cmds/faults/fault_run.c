/* SPDX-License-Identifier: MIT */
/*
 * fault list, fault run: breaks things on purpose, after saying what both ends will see. The rows
 * of the catalogue say it: statuses by volume 1, 11.6.2, and rxe's own where it reports another.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "command/cmd.h"
#include "language/interp.h"
#include "objects.h"
#include "session.h"

/* What the ends see: the status of the first completion, the errno or event of the call that is
 * refused, "-" for nothing. */
struct sight {
	const char *here, *there;
};

struct fault_entry {
	const char *name;
	const char *what; /* one line */
	struct sight all;
	const char *because; /* one line */
	const char *script;  /* makes it happen: returns {here there}, see script_procs */
	struct sight rxe;    /* of the kernel's soft-RoCE where it differs; else NULLs */
	const char *needs;   /* a word of require, or NULL */
};

static const struct fault_entry fault_catalogue[] = {
	{ "bad-rkey",
	  "an RDMA WRITE with a wrong rkey",
	  { "REM_ACCESS_ERR", "-" },
	  "the peer's device finds no region with that key; its QP goes to ERR without a completion",
	  .script = "pair; post write fault_buf -len 8 -remote [get fault_window addr] "
		    "-rkey [expr {[get fault_window rkey] ^ 0x5500}] -qp fault_a; ends" },
	{ "past-end",
	  "an RDMA WRITE over the end of the peer's region",
	  { "REM_ACCESS_ERR", "-" },
	  "address and length must lie inside of the region",
	  .script = "pair; post write fault_buf -len 8 {*}[there 4092] -qp fault_a; ends" },
	{ "stale-mr",
	  "an RDMA WRITE to a region that is gone",
	  { "REM_ACCESS_ERR", "-" },
	  "a key dies with its region, at once",
	  .script =
		  "pair; set to [there]; dereg fault_window; post write fault_buf -len 8 {*}$to -qp fault_a; "
		  "ends" },
	{ "no-remote-write",
	  "an RDMA WRITE where only READ is allowed",
	  { "REM_ACCESS_ERR", "-" },
	  "the region has no REMOTE_WRITE",
	  .script =
		  "pair -access remote-read; post write fault_buf -len 8 {*}[there] -qp fault_a; ends" },
	{ "no-remote-read",
	  "an RDMA READ where only WRITE is allowed",
	  { "REM_ACCESS_ERR", "-" },
	  "the region has no REMOTE_READ",
	  .script =
		  "pair -access local-write,remote-write; post read fault_buf -len 8 {*}[there] -qp fault_a; "
		  "ends" },
	{ "no-remote-atomic",
	  "an atomic where none is allowed",
	  { "REM_ACCESS_ERR", "-" },
	  "the region has no REMOTE_ATOMIC",
	  .script =
		  "pair -access local-write,remote-write; post fetch-add fault_buf -add 1 {*}[there] -qp "
		  "fault_a; ends",
	  .needs = "atomics" },
	{ "other-pd",
	  "an RDMA WRITE to a region of another protection domain",
	  { "REM_ACCESS_ERR", "-" },
	  "a QP reaches the regions of its own PD only",
	  .script =
		  "pair; pd -name fault_pd2; reg 64 -name fault_foreign -pd fault_pd2; post write fault_buf "
		  "-len 8 -remote [get fault_foreign addr] -rkey [get fault_foreign rkey] -qp fault_a; ends" },
	{ "bad-lkey",
	  "a send from memory with a wrong lkey",
	  { "LOC_PROT_ERR", "-" },
	  "the requester's own device finds it and sends nothing",
	  .script =
		  "pair; post write -sge [get fault_buf addr]:8:[expr {[get fault_buf lkey] ^ 0x5500}] "
		  "{*}[there] -qp fault_a; ends",
	  .rxe = { "LOC_QP_OP_ERR", "-" } },
	{ "read-only-sink",
	  "an RDMA READ into memory without LOCAL_WRITE",
	  { "LOC_PROT_ERR", "-" },
	  "the device must write what was read",
	  .script =
		  "pair; reg 64 -name fault_fixed -pd fault_pd -access remote-read; post read fault_fixed "
		  "-len 8 {*}[there] -qp fault_a; ends" },
	{ "recv-too-small",
	  "a message longer than the RECV",
	  { "REM_INV_REQ_ERR", "LOC_LEN_ERR" },
	  "both ends hear of it; both QPs go to ERR",
	  .script =
		  "pair; post recv fault_window -len 4 -qp fault_b; post send fault_buf -len 8 -qp fault_a; "
		  "ends",
	  .rxe = { "REM_OP_ERR", "LOC_QP_OP_ERR" } },
	{ "recv-bad-lkey",
	  "a RECV with a wrong lkey",
	  { "REM_OP_ERR", "LOC_PROT_ERR" },
	  "the peer's own mistake; the sender only hears that it could not be done",
	  .script =
		  "pair; post recv -sge [get fault_window addr]:64:[expr {[get fault_window lkey] ^ 0x5500}] "
		  "-qp fault_b; post send fault_buf -len 8 -qp fault_a; ends",
	  .rxe = { "REM_OP_ERR", "LOC_QP_OP_ERR" } },
	{ "recv-dereg",
	  "a region that is deregistered under a RECV",
	  { "REM_OP_ERR", "LOC_PROT_ERR" },
	  "nothing keeps a region for the requests that are posted: its owner must wait for them",
	  .script =
		  "pair; post recv fault_window -len 64 -qp fault_b; dereg fault_window; post send fault_buf "
		  "-len 8 -qp fault_a; ends",
	  .rxe = { "REM_OP_ERR", "LOC_QP_OP_ERR" } },
	{ "send-dereg",
	  "a region that is deregistered while its WRITE waits",
	  { "LOC_PROT_ERR", "-" },
	  "the queue is drained (SQD), so the request waits; in RTS its key is looked up, and gone",
	  .script =
		  "pair; modify-qp SQD fault_a -en-sqd-async-notify 1; wait async SQ_DRAINED -on fault_a; set "
		  "to [there]; post write fault_buf -len 8 {*}$to -qp fault_a; dereg fault_buf; modify-qp RTS "
		  "fault_a; post write fault_window -len 8 {*}$to -qp fault_a; ends",
	  .rxe = { "LOC_QP_OP_ERR", "-" } },
	{ "no-receive",
	  "a SEND without a RECV",
	  { "RNR_RETRY_EXC_ERR", "-" },
	  "the peer asks to wait; after rnr_retry times it is an error",
	  .script = "pair; post send fault_buf -len 8 -qp fault_a; ends" },
	{ "imm-no-receive",
	  "an RDMA WRITE with immediate without a RECV",
	  { "RNR_RETRY_EXC_ERR", "-" },
	  "the immediate data needs a RECV, though no buffer",
	  .script = "pair; post write-imm fault_buf -len 8 -imm 1 {*}[there] -qp fault_a; ends" },
	{ "peer-in-error",
	  "a message to a QP that is in ERR",
	  { "RETRY_EXC_ERR", "-" },
	  "a QP in ERR does not answer",
	  .script = "pair; modify-qp ERR fault_b; post send fault_buf -len 8 -qp fault_a; ends" },
	{ "peer-gone",
	  "a message to a QP that was destroyed",
	  { "RETRY_EXC_ERR", "-" },
	  "nobody answers",
	  .script = "pair; destroy fault_b; post write fault_buf -len 8 {*}[there] -qp fault_a; "
		    "list [dict get [poll -qp fault_a -within 60s] status] -" },
	{ "peer-process-ends",
	  "a message to a QP whose process has ended",
	  { "RETRY_EXC_ERR", "-" },
	  "its QP goes with it, without a word: only a connection manager would tell",
	  .script =
		  "lone; reg 64 -name fault_buf -pd fault_pd; modify-qp INIT fault_a -fill; "
		  "peer fault_peer; @fault_peer qp create -name fault_b; @fault_peer modify-qp INIT fault_b "
		  "-fill; @fault_peer modify-qp RTR fault_b -peer [qp-info fault_a] -fill; modify-qp RTR fault_a "
		  "-peer [@fault_peer qp-info fault_b] -fill; modify-qp RTS fault_a -fill -timeout 10 -retry-cnt "
		  "2 -rnr-retry 1; destroy fault_peer; post send fault_buf -len 8 -qp fault_a; "
		  "list [dict get [poll -qp fault_a -within 60s] status] -" },
	{ "wrong-qpn",
	  "a wrong dest_qp_num",
	  { "RETRY_EXC_ERR", "-" },
	  "nobody has that number, nobody answers",
	  .script =
		  "pair -rtr {-dest-qpn 0x3ffff1}; post write fault_buf -len 8 {*}[there] -qp fault_a; ends" },
	{ "wrong-psn",
	  "an sq_psn that is not the peer's rq_psn",
	  { "RETRY_EXC_ERR", "-" },
	  "packets from the future are refused, again and again",
	  .script = "pair -shift -77; post send fault_buf -len 8 -qp fault_b; "
		    "list [dict get [poll -qp fault_b -within 60s] status] [first fault_a]" },
	{ "wrong-mtu",
	  "packets that are larger than the peer's path MTU",
	  { "REM_INV_REQ_ERR", "-" },
	  "both ends are told a path MTU, and nothing compares them; short messages pass",
	  .script =
		  "pair -rtr {-mtu 256}; post write fault_buf -len 1024 {*}[there] -qp fault_b; list [dict get "
		  "[poll -qp fault_b -within 60s] status] [first fault_a]" },
	{ "no-responder-resources",
	  "a READ to a QP that answers none",
	  { "REM_INV_REQ_ERR", "-" },
	  "max_dest_rd_atomic of the peer is 0",
	  .script =
		  "pair -rtr {-max-dest-rd-atomic 0}; post read fault_buf -len 8 {*}[there] -qp fault_b; "
		  "list [dict get [poll -qp fault_b -within 60s] status] [first fault_a]" },
	{ "qp-access",
	  "an RDMA WRITE that the peer's QP does not allow",
	  { "REM_INV_REQ_ERR", "-" },
	  "region and QP must both allow it; the QP says it is no request for it",
	  .script =
		  "pair -rights remote-read; post write fault_buf -len 8 {*}[there] -qp fault_a; ends" },
	{ "unaligned-atomic",
	  "an atomic at an address that is no multiple of 8",
	  { "REM_INV_REQ_ERR", "-" },
	  "the 8 bytes must be aligned",
	  .script =
		  "pair; if {[catch {post fetch-add fault_buf -add 1 {*}[there 4] -qp fault_a -force} said how]} "
		  "{ list [lindex [dict get $how -errorcode] end] - } else ends",
	  .rxe = { "EINVAL", "-" },
	  .needs = "atomics" },
	{ "uc-bad-rkey",
	  "the same wrong rkey, on UC",
	  { "SUCCESS", "-" },
	  "nobody answers on UC: the sender never knows",
	  .script =
		  "pair -type UC -rights remote-write; post write fault_buf -len 8 -remote 0 -rkey 1 -qp "
		  "fault_a; ends" },
	{ "wrong-qkey",
	  "a datagram with a wrong Q_Key",
	  { "SUCCESS", "-" },
	  "dropped in silence, and counted",
	  .script =
		  "pair -type UD; post recv fault_window -len 104 -qp fault_b; ah -to [qp-info fault_b] -name "
		  "fault_ah -pd fault_pd; post send fault_buf -len 8 -ah fault_ah -qkey 99 -qp fault_a; ends",
	  .needs = "ud" },
	{ "closed-window",
	  "a memory window after its key was invalidated",
	  { "REM_ACCESS_ERR", "-" },
	  "the owner closes it, and the key is dead",
	  .script =
		  "pair; mw -type 2 -name fault_mw -pd fault_pd; post bind-mw fault_mw fault_window -len 64 "
		  "-access remote-write -qp fault_b; poll -qp fault_b; set key [get fault_mw rkey]; post "
		  "local-inv fault_mw -qp fault_b; poll -qp fault_b; post write fault_buf -len 8 -remote [get "
		  "fault_window addr] -rkey $key -qp fault_a; ends",
	  .needs = "mw-type2" },
	{ "sq-drain",
	  "a send while the send queue is drained (SQD)",
	  { "SQ_DRAINED", "-" },
	  "an asynchronous event when all before it is done; the send itself waits for RTS",
	  .script =
		  "pair; modify-qp SQD fault_a -en-sqd-async-notify 1; set event [dict get [wait async "
		  "SQ_DRAINED -on fault_a] event]; post send fault_buf -len 8 -qp fault_a; "
		  "if {[first fault_a] ne {-}} { set event {sent in SQD} }; list $event [first fault_b]" },
	{ "srq-limit",
	  "messages that nearly empty a shared receive queue",
	  { "SUCCESS", "SRQ_LIMIT_REACHED" },
	  "an asynchronous event, once: post more, and set the limit again",
	  .script =
		  "pd -name fault_pd; srq -max-wr 8 -pd fault_pd -name fault_srq; pair -srq fault_srq; post recv "
		  "fault_window -len 64 -srq fault_srq -repeat 2; srq modify fault_srq -limit 2; post send "
		  "fault_buf -len 8 -qp fault_a; list [dict get [poll -qp fault_a -within 60s] status] [dict get "
		  "[wait async SRQ_LIMIT_REACHED -on fault_srq] event]",
	  .needs = "srq" },
	{ "flush",
	  "requests in a QP that goes to ERR",
	  { "WR_FLUSH_ERR", "-" },
	  "what was not done is given back undone",
	  .script =
		  "pair; post recv fault_buf -qp fault_a; modify-qp ERR fault_a; post send fault_buf -len 8 -qp "
		  "fault_a; ends" },
	{ "cq-overrun",
	  "more completions than the CQ has room for",
	  { "CQ_ERR", "-" },
	  "an asynchronous event; completions are lost, QPs die",
	  .script =
		  "cq -depth 1 -name fault_tiny; pair -cq fault_tiny; set n [expr {[get fault_tiny cqe] + 1}]; "
		  "post write fault_buf -len 1 {*}[there] -qp fault_a -repeat $n; list [dict get [wait async "
		  "CQ_ERR -on fault_tiny] event] [first fault_b]" },
	{ "full-queue",
	  "more work requests than the send queue holds",
	  { "ENOMEM", "-" },
	  "the call posts what fits, and says which did not",
	  .script =
		  "pair; refused {post chain {post write -remote 0 -rkey 0 -unsignaled -repeat 20000 -qp fault_a; "
		  "post send -qp fault_a}}" },
	{ "too-long-inline",
	  "inline data beyond max_inline_data",
	  { "EINVAL", "-" },
	  "refused when posting (hardware may say ENOMEM)",
	  .script = "pair; refused {post send fault_buf -len 4096 -inline -qp fault_a -force}" },
	{ "wrong-gid",
	  "a dgid that the sgid cannot reach: IPv6 from an IPv4 address",
	  { "EINVAL", "-" },
	  "both must be of one kind; one that nobody has ends in ETIMEDOUT here or RETRY_EXC_ERR later",
	  .script =
		  "lone; modify-qp INIT fault_a -fill; set p [qp-info fault_a]; refused {modify-qp RTR fault_a "
		  "-peer $p -fill -dgid 2001:db8::1 -sgid-index [dict get $p gid_index] -force}" },
	{ "empty-gid",
	  "an sgid_index where the GID table is empty",
	  { "ENODATA", "-" },
	  "the QP names its own address by an index into a table that changes with the addresses of the interface",
	  .script =
		  "lone; modify-qp INIT fault_a -fill; set empty [expr {[dict get [lindex [gids] end] index] + "
		  "1}]; refused {modify-qp RTR fault_a -peer [qp-info fault_a] -fill -sgid-index $empty -force}" },
	{ "reset-to-rts",
	  "a QP straight from RESET to RTS",
	  { "EINVAL", "-" },
	  "no such transition",
	  .script = "lone; refused {modify-qp RTS fault_a -force}" },
	{ "send-in-init",
	  "a send before the QP is in RTS",
	  { "EINVAL", "-" },
	  "RECVs may be posted in INIT, sends in RTS",
	  .script = "lone; modify-qp INIT fault_a -fill; refused {post send -qp fault_a -force}" },
	{ "destroy-in-use",
	  "a CQ that a QP still uses",
	  { "EBUSY", "-" },
	  "users go first",
	  .script = "pair; refused {destroy fault_a_cq}" },
	{ "unacked-event",
	  "an id with an event that nobody acknowledged",
	  { "EBUSY", "-" },
	  "rdma_destroy_id would wait for ever, so this shell refuses to call it",
	  .script =
		  "cm create -hold -name fault_id; cm resolve-addr fault_id [dict get [device] address] 7; "
		  "set said [refused {destroy fault_id}]; cm ack fault_id; set said" },
	{ "nobody-listens",
	  "a connection to a port where nobody listens",
	  { "REJECTED", "-" },
	  "reason 8, INVALID_SERVICE_ID: the peer's connection manager says so",
	  .script = "refused {connect [dict get [device] address] 7 -name fault_id}" },
	{ 0 }
};

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
	"			set told($q) [qp-info $q]\n"
	"		}\n"
	"		foreach {me peer extra} [list fault_a fault_b ${-rtr} fault_b fault_a {}] {\n"
	"			set p $told($peer)\n"
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

#define RXE_VENDOR 0xffffff

/* -------------------------------------------------------------------- arguments -- */

static void complete_fault(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct fault_entry *e = fault_catalogue; e->name; e++)
		list_append(words, e->name);
}

static int parse_fault(struct session *s, const struct arg *a, Tcl_Obj *word, void *dst)
{
	const char *name = Tcl_GetString(word);
	SCOPED_LIST(names);

	for (const struct fault_entry *e = fault_catalogue; e->name; e++)
		if (strcmp(e->name, name) == 0) {
			*(const struct fault_entry **)dst = e;
			return 0;
		}
	complete_fault(s, a, names);
	return args_bad(s, a, "no fault is called '%s'%s; see fault list", name,
			did_you_mean(suggest(name, names)));
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

static const struct sight *predicted_sight(const struct fault_entry *e, const struct dev *dev)
{
	return dev->attr.orig_attr.vendor_id == RXE_VENDOR && e->rxe.here ? &e->rxe : &e->all;
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

/* Reads the two words that the script left as its result. */
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
	want = predicted_sight(e, dev);
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

/** The catalogue of fault run. As a value: a list of dicts with the name and what each
 * end sees of it by the specification.
 * > fault list => bad-rkey */
const struct cmd cmd_fault_list = {
	.name = "fault list",
	.family = "understanding",
	.summary = "what can be broken on purpose",
	.flags = CMD_NO_RECORD,
	.exec = list_exec,
};
