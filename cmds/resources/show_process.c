/* SPDX-License-Identifier: MIT */
#include "resources/show_process.h"

#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/device.h"
#include "out.h"
#include "qp/qp.h"
#include "session.h"
#include "words.h"

/* -------------------------------------------------------------------------- output -- */

#define PROCESSES (1u << (24 - UROCE_QPN_PROCESS_SHIFT))

struct process_text {
	const struct uroce_inventory *inv;
	const char *only;   /* the name of one object; NULL: all */
	const char *device; /* of the context whose objects are written */
	bool asks_peers, found;
	struct out *o;
	struct {
		bool asked;
		struct uroce_inventory *inv; /* or NULL */
	} peer[PROCESSES];
};

static const char *const prefixes[UROCE_KINDS] = {
	[UROCE_CONTEXT] = "ctx", [UROCE_PD] = "pd", [UROCE_CQ] = "cq", [UROCE_SRQ] = "srq",
	[UROCE_MR] = "mr",	 [UROCE_MW] = "mw", [UROCE_QP] = "qp",
};

#define NAME 16

static const char *format_name(enum uroce_kind kind, uint32_t number, char name[NAME])
{
	snprintf(name, NAME, "%s%" PRIu32, prefixes[kind], number);
	return name;
}

/* Begins the line and the dict of an object. False: the object is not to be shown. */
static bool begin_object(struct process_text *t, enum uroce_kind kind, uint32_t number,
			 unsigned depth)
{
	char name[NAME];

	format_name(kind, number, name);
	if (t->only && strcmp(t->only, name) != 0)
		return false;
	t->found = true;
	if (!t->only) {
		out_text(t->o, "%*s", (int)depth * 2, "");
		out_dict(t->o, name);
	}
	out_str(t->o, "name", name, "%s %s", prefixes[kind], name);
	return true;
}

static void end_object(struct process_text *t)
{
	if (!t->only)
		out_end(t->o);
}

/* Writes the name of another object that this one uses; printed after before, unless that is NULL.
 */
static void out_other(struct process_text *t, const char *key, enum uroce_kind kind,
		      uint32_t number, const char *before)
{
	char name[NAME];

	if (number == UROCE_NO_OBJECT)
		return;
	format_name(kind, number, name);
	if (before)
		out_str(t->o, key, name, "%s%s", before, name);
	else
		out_str(t->o, key, name, NULL);
}

static void out_context(struct process_text *t, const struct uroce_context_row *r)
{
	if (!begin_object(t, UROCE_CONTEXT, r->number, 1))
		return;
	out_str(t->o, "device", r->device, "  on %s", r->device);
	out_u64(t->o, "channels", r->channels, "  %u completion channel%s\n", r->channels,
		r->channels == 1 ? "" : "s");
	end_object(t);
}

static void out_cq(struct process_text *t, const struct uroce_cq_row *r)
{
	if (!begin_object(t, UROCE_CQ, r->number, 2))
		return;
	out_str(t->o, "device", t->device, "  on %s", t->device);
	out_u64(t->o, "cqe", r->size, "  %u entries", r->size);
	out_u64(t->o, "filled", r->filled, "  %u filled", r->filled);
	out_u64(t->o, "most", r->most, r->most > r->filled ? " (%u at most)" : NULL, r->most);
	out_other(t, "context", UROCE_CONTEXT, r->context, NULL);
	out_bool(t->o, "channel", r->channel, "%s", r->channel ? "  with a channel" : "");
	out_bool(t->o, "armed", r->armed, "%s",
		 r->armed == UROCE_ARMED	     ? "  armed"
		 : r->armed == UROCE_ARMED_SOLICITED ? "  armed for solicited completions"
						     : "");
	out_u64(t->o, "events", r->events, NULL);
	out_u64(t->o, "unacknowledged", r->unacknowledged,
		r->unacknowledged ? "  %u events not acknowledged" : NULL, r->unacknowledged);
	out_u64(t->o, "lost", r->lost, NULL);
	out_bool(t->o, "broken", r->overrun, "%s\n", r->overrun ? "  OVERRUN: unusable" : "");
	end_object(t);
}

static void out_srq(struct process_text *t, const struct uroce_srq_row *r)
{
	if (!begin_object(t, UROCE_SRQ, r->number, 3))
		return;
	out_u64(t->o, "max_wr", r->size, NULL);
	out_u64(t->o, "posted", r->posted, "  %u of %u receives posted", r->posted, r->size);
	out_u64(t->o, "recv_len", r->oldest_len, NULL);
	out_u64(t->o, "limit", r->limit, "  limit %u\n", r->limit);
	out_other(t, "pd", UROCE_PD, r->pd, NULL);
	end_object(t);
}

static void out_mr(struct process_text *t, const struct uroce_mr_row *r)
{
	const char *access = word_flags(mr_access_words, r->access);

	if (!begin_object(t, UROCE_MR, r->number, 3))
		return;
	out_u64(t->o, "len", r->len, "  %" PRIu64 " B", r->len);
	out_u64(t->o, "addr", r->addr, " at 0x%" PRIx64, r->addr);
	out_u64(t->o, "lkey", r->lkey, "  lkey 0x%x", r->lkey);
	out_u64(t->o, "rkey", r->rkey, "  rkey 0x%x", r->rkey);
	out_flags(t->o, "access", mr_access_words, r->access);
	out_text(t->o, "  %s\n", r->access ? access : "read by this device only");
	out_u64(t->o, "windows", r->windows, NULL);
	out_other(t, "pd", UROCE_PD, r->pd, NULL);
	end_object(t);
}

static void out_mw(struct process_text *t, const struct uroce_mw_row *r)
{
	const char *access = word_flags(mr_access_words, r->access);

	if (!begin_object(t, UROCE_MW, r->number, 3))
		return;
	out_u64(t->o, "type", r->type, "  type %u", r->type);
	out_u64(t->o, "rkey", r->rkey, "  rkey 0x%x", r->rkey);
	out_other(t, "mr", UROCE_MR, r->mr, "  bound to ");
	out_other(t, "qp", UROCE_QP, r->qp, " by ");
	out_u64(t->o, "len", r->len, NULL);
	out_u64(t->o, "addr", r->addr, NULL);
	out_flags(t->o, "access", mr_access_words, r->access);
	out_text(t->o, "%s%s\n", r->len ? "  " : "", r->len ? access : "");
	out_other(t, "pd", UROCE_PD, r->pd, NULL);
	end_object(t);
}

/* ---------------------------------------------------------------------------- QPs -- */

/* The inventory of the process that has a QP of that number, which is asked only once; or NULL. */
static const struct uroce_inventory *process_with(struct process_text *t, uint32_t qpn)
{
	const uint32_t place = (qpn & 0xffffff) >> UROCE_QPN_PROCESS_SHIFT;

	if (!t->peer[place].asked) {
		t->peer[place].asked = true;
		t->peer[place].inv = process_inventory_of_qpn(qpn);
	}
	return t->peer[place].inv;
}

static void out_peer_process(struct process_text *t, const struct uroce_qp_row *r)
{
	const uint32_t qpn = r->attr.dest_qp_num;
	const struct uroce_inventory *inv;
	const struct uroce_qp_row *qp;
	char program[32], name[NAME];

	if (!t->asks_peers || !r->peer_is_here || !qpn)
		return;
	inv = process_with(t, qpn);
	qp = inv ? process_qp(inv, qpn) : NULL;
	if (!qp) {
		out_str(t->o, "peer", "gone", ", which is gone");
		return;
	}
	format_name(UROCE_QP, qp->number, name);
	out_str(t->o, "peer", name, ": %s", name);
	out_int(t->o, "peer_pid", inv->pid, " of process %d (%s)", (int)inv->pid,
		process_program(inv->pid, program, sizeof program));
	out_str(t->o, "peer_state", word_name(qp_state_words, qp->attr.qp_state), ", %s",
		word_name(qp_state_words, qp->attr.qp_state));
}

static void out_queues(struct process_text *t, const struct uroce_qp_row *r, unsigned depth)
{
	const struct ibv_qp_cap *cap = &r->attr.cap;

	out_text(t->o, "\n%*s", (int)depth * 2 + 3, "");
	out_u64(t->o, "sends", r->sends, "%u of %u sends posted", r->sends, cap->max_send_wr);
	out_u64(t->o, "sends_begun", r->begun, r->sends ? ", %u of them begun" : NULL, r->begun);
	if (r->srq == UROCE_NO_OBJECT)
		out_u64(t->o, "recvs", r->recvs, "  %u of %u receives posted", r->recvs,
			cap->max_recv_wr);
	else
		out_int(t->o, "recvs", -1, NULL);
	out_u64(t->o, "recv_len", r->recv_len,
		r->recvs && r->attr.qp_state != IBV_QPS_ERR ? ", the next has %u B" : NULL,
		r->recv_len);
	out_text(t->o, "\n");
}

static void out_states(struct process_text *t, const struct uroce_qp_row *r)
{
	const enum ibv_qp_state state = r->attr.qp_state;

	qp_draw(t->o, r->type, state, r->steps);
	out_text(t->o, "   now      %-5s  %s\n", word_name(qp_state_words, state),
		 word_help(qp_state_words, state));
}

static void out_qp(struct process_text *t, const struct uroce_qp_row *r)
{
	const unsigned depth = t->only ? 0 : 3;
	const char *type = word_name(qp_type_words, r->type);
	const char *state = word_name(qp_state_words, r->attr.qp_state);
	const char *access = r->attr.qp_access_flags
				     ? word_flags(qp_access_words, r->attr.qp_access_flags)
				     : "nothing";

	if (!begin_object(t, UROCE_QP, r->number, depth))
		return;
	out_str(t->o, "type", type, "  %s", type);
	out_str(t->o, "state", state, " %s", state);
	out_u64(t->o, "qpn", r->qpn, "  qpn %u", r->qpn);
	out_other(t, "pd", UROCE_PD, r->pd, NULL);
	out_other(t, "send_cq", UROCE_CQ, r->send_cq, "  ");
	out_other(t, "recv_cq", UROCE_CQ, r->recv_cq, r->recv_cq == r->send_cq ? NULL : "/");
	out_other(t, "srq", UROCE_SRQ, r->srq, "  ");
	qp_tell_peer(r->type, &r->attr, t->o);
	out_peer_process(t, r);
	qp_tell_cap(&r->attr.cap, r->sq_sig_all, t->o);
	qp_tell_attrs(&r->attr, t->o);
	out_queues(t, r, depth);
	out_text(t->o, "%*slets the peer: %s\n", (int)depth * 2 + 3, "", access);
	show_process_history(r, t->only, depth * 2 + 3, t->o);
	if (t->only) {
		out_states(t, r);
		qp_tell_timing(r->type, &r->attr, t->o);
	}
	end_object(t);
}

/* ---------------------------------------------------------------------------- tree -- */

/* Writes a PD, and below it the objects that belong to it. */
static void out_pd(struct process_text *t, const struct uroce_pd_row *pd)
{
	if (begin_object(t, UROCE_PD, pd->number, 2)) {
		out_str(t->o, "device", t->device, "  on %s\n", t->device);
		out_other(t, "context", UROCE_CONTEXT, pd->context, NULL);
		end_object(t);
	}
	inventory_foreach(t->inv, UROCE_MR, uroce_mr_row, mr)
		if (mr->pd == pd->number)
			out_mr(t, mr);
	inventory_foreach(t->inv, UROCE_MW, uroce_mw_row, mw)
		if (mw->pd == pd->number)
			out_mw(t, mw);
	inventory_foreach(t->inv, UROCE_SRQ, uroce_srq_row, srq)
		if (srq->pd == pd->number)
			out_srq(t, srq);
	inventory_foreach(t->inv, UROCE_QP, uroce_qp_row, qp)
		if (qp->pd == pd->number)
			out_qp(t, qp);
}

static void out_all(struct process_text *t)
{
	inventory_foreach(t->inv, UROCE_CONTEXT, uroce_context_row, context) {
		t->device = context->device;
		out_context(t, context);
		inventory_foreach(t->inv, UROCE_CQ, uroce_cq_row, cq)
			if (cq->context == context->number)
				out_cq(t, cq);
		inventory_foreach(t->inv, UROCE_PD, uroce_pd_row, pd)
			if (pd->context == context->number)
				out_pd(t, pd);
	}
	inventory_foreach(t->inv, UROCE_QP, uroce_qp_row, qp)
		if (qp->pd == UROCE_NO_OBJECT) /* XRC_RECV */
			out_qp(t, qp);
}

static void out_left_out(struct process_text *t)
{
	static const char *const titles[UROCE_KINDS] = {
		"contexts", "PDs",	     "CQs",
		"SRQs",	    "regions",	     "windows",
		"QPs",	    "destroyed QPs", "kinds of dropped packets"
	};

	for (unsigned i = 0; i < UROCE_KINDS; i++)
		if (t->inv->kind[i].n < t->inv->kind[i].total)
			out_text(t->o, "and %u %s more\n",
				 t->inv->kind[i].total - t->inv->kind[i].n, titles[i]);
}

/* Writes each object as a dict under its name, with the keys of 'show', and as a tree; or (only not
 * NULL) just the object of that name. asks_peers: also asks the processes of the peers of its QPs.
 * False: there is no object of that name. */
static bool print_process(const struct uroce_inventory *inv, const char *only, bool asks_peers,
			  struct out *o)
{
	struct process_text t = { .inv = inv, .only = only, .asks_peers = asks_peers, .o = o };
	char program[32];

	if (!only) {
		process_program(inv->pid, program, sizeof program);
		out_dict(o, "process");
		out_int(o, "pid", inv->pid, "process %d", (int)inv->pid);
		out_str(o, "program", program, "  %s\n", program);
		out_end(o);
	}
	out_all(&t);
	if (!only) {
		show_process_drops(inv, o);
		out_left_out(&t);
	}
	if (!only && inv->kind[UROCE_QP].n == 1)
		out_states(&t, inv->kind[UROCE_QP].rows);
	for (unsigned i = 0; i < PROCESSES; i++)
		free(t.peer[i].inv);
	return t.found || !only;
}

/* ---------------------------------------------------------------------------- show -- */

/* Is the process in another network namespace, which has a uroce0 of its own? */
static bool is_elsewhere(pid_t pid)
{
	char path[64];
	struct stat its, ours;

	snprintf(path, sizeof path, "/proc/%d/ns/net", (int)pid);
	return stat(path, &its) == 0 && stat("/proc/self/ns/net", &ours) == 0 &&
	       its.st_ino != ours.st_ino;
}

static int fail_not_there(struct session *s, pid_t pid)
{
	char program[32];

	if (pid == getpid() && !embedded_api()) {
		fail_call(s, EOPNOTSUPP, "show", "process %d", (int)pid);
		fail_row(s, "cause", "the objects of this device cannot be seen from outside");
		return fail_next(s, "show    (those of this session), or rdmash --device uroce0");
	}
	fail(s, "show", "ENOENT", "process %d (%s) has not opened uroce0", (int)pid,
	     process_program(pid, program, sizeof program));
	if (is_elsewhere(pid)) {
		fail_row(s, "cause",
			 "it is in another network namespace, which has its own uroce0");
		return fail_next(s, "nsenter -n -t %d rdmash, in a terminal", (int)pid);
	}
	fail_row(s, "note", "only the objects of programs on uroce0 can be seen from outside");
	return fail_next(s, "!uroce status    (the processes that are on it)");
}

static int fail_inventory(struct session *s, pid_t pid, int err)
{
	switch (err) {
	case ENOENT:
		return fail_not_there(s, pid);
	case ETIMEDOUT:
		fail(s, "show", "ETIMEDOUT", "process %d does not answer", (int)pid);
		fail_row(s, "likely", "it is stopped, by a signal or a debugger");
		return fail_next(s, "!kill -CONT %d", (int)pid);
	case EPROTO:
		fail(s, "show", "EPROTO", "process %d answers in an unknown format", (int)pid);
		return fail_row(s, "cause",
				"it uses another version of liburoce.so: start it again");
	case ENOSYS:
		fail(s, "show", "ENOSYS", "process %d cannot be asked: there is no liburoce.so",
		     (int)pid);
		return fail_row(s, "remedy", "install the package again");
	default:
		return fail_call(s, err, "show", "process %d", (int)pid);
	}
}

int show_process(struct session *s, pid_t pid, const char *only, struct out *o)
{
	struct uroce_inventory *inv;
	struct stat st;
	char path[64];
	bool found;

	snprintf(path, sizeof path, "/proc/%d", (int)pid);
	if (stat(path, &st) != 0)
		return fail(s, "show", "ESRCH", "there is no process %d", (int)pid);
	if (st.st_uid != geteuid()) {
		fail(s, "show", "EPERM", "process %d is of another user, with uid %u", (int)pid,
		     st.st_uid);
		return fail_row(s, "note", "a process on uroce0 answers only its own user");
	}
	inv = process_inventory(pid);
	if (!inv)
		return fail_inventory(s, pid, errno);
	found = print_process(inv, only, true, o);
	free(inv);
	if (found)
		return 0;
	fail(s, "show", "ENOENT", "process %d has no %s", (int)pid, only);
	return fail_next(s, "show -process %d", (int)pid);
}
