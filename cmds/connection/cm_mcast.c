/* SPDX-License-Identifier: MIT */
/*
 * Multicast through the connection manager: cm join, cm leave. librdmacm attaches the QP
 * of the id by itself when it joins, and detaches it when it leaves.
 */
#include <string.h>

#include "cm_addr.h"
#include "cm_events.h"
#include "cm_id.h"
#include "cm_step.h"
#include "cmd.h"
#include "mcast.h"
#include "session.h"
#include "call_trace.h"
#include "words.h"

/* ----------------------------------------------------------------- cm join -- */

struct join_args {
	struct id *id;
	const char *group;
	bool send_only;
	struct num within;
};

static const struct arg join_args[] = {
	POS_OPT("id", join_args, id, kind_id_first, "connection id of a UD port space"),
	POS("group", join_args, group, kind_str, "multicast address: 239.1.1.1 or ff0e::1"),
	SWITCH("send-only", join_args, send_only, "do not receive what is sent to the group"),
	OPT("within", join_args, within, kind_ms, "time to join", .dflt = "10s"), ARGS_END
};

static int need_datagrams(struct session *s, const struct id *id, const char *what)
{
	if (id_is_ud(id))
		return 0;
	fail(s, what, "EINVAL",
	     "%s not called: %s is of port space %s, groups are for UDP and IPOIB", what,
	     id->o.name, word_name(ps_words, id->ps));
	return fail_next(s, "cm create -ps UDP");
}

static int check_once(struct session *s, const struct qp *qp, const struct sockaddr *group)
{
	union ibv_gid gid = mcast_gid(group);

	return mcast_check_once(s, "rdma_join_multicast", qp, &gid);
}

static int start_join(struct session *s, const struct join_args *a, struct sockaddr *group)
{
	struct rdma_cm_join_mc_attr_ex attr = {
		.comp_mask = RDMA_CM_JOIN_MC_ATTR_ADDRESS | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS,
		.join_flags = RDMA_MC_JOIN_FLAG_SENDONLY_FULLMEMBER,
		.addr = group,
	};
	int rc;

	rc = a->send_only ? rdma_join_multicast_ex(a->id->v, &attr, NULL)
			  : rdma_join_multicast(a->id->v, group, NULL);
	if (rc)
		return call_fail(s, cm_errno(rc), "%s, %s", a->id->o.name, cm_addr_host(group));
	return 0;
}

static int join_exec(struct session *s, const void *args, struct out *o)
{
	const struct join_args *a = args;
	struct qp *qp = a->send_only ? NULL : a->id->qp;
	struct sockaddr_storage group;
	struct cm_event ev;
	struct mcast *m;

	if (need_datagrams(s, a->id, "cm join") || !id_dev(s, a->id, "cm join") ||
	    cm_addr_parse(s, a->group, 0, AF_UNSPEC, &group) ||
	    check_once(s, qp, (struct sockaddr *)&group) ||
	    start_join(s, a, (struct sockaddr *)&group))
		return -1;
	m = mcast_joined(s, a->id, qp, (struct sockaddr *)&group, a->group);
	if (cm_await(s, a->id, "rdma_join_multicast", RDMA_CM_EVENT_MULTICAST_JOIN, a->within.v,
		     &ev) ||
	    step_make_ah(s, a->id, &ev))
		return mcast_drop(s, m);
	out_str(o, "id", a->id->o.name, "%s", a->id->o.name);
	out_str(o, "group", a->group, " joined %s", a->group);
	out_u64(o, "qp_num", ev.ud.qp_num, ", qp_num 0x%x", ev.ud.qp_num);
	out_u64(o, "qkey", ev.ud.qkey, " qkey 0x%x", ev.ud.qkey);
	out_str(o, "name", m->o.name, ", %s", m->o.name);
	if (a->id->ah)
		out_str(o, "ah", a->id->ah->o.name, ", %s sends to it", a->id->ah->o.name);
	out_text(o, "\n");
	return 0;
}

static const struct cmd_eg join_egs[] = { { "cm join 239.1.1.1", "joined 239.1.1.1" },
					  { NULL, NULL } };

const struct cmd cmd_cm_join = {
	.name = "cm join",
	.family = "connection, step by step",
	.summary = "join a multicast group",
	.text = "For ids of port space UDP or IPOIB that are on a device. The QP of the id, if it has\n"
		"one, is attached to the group, and an address handle is made for sending to it.",
	.calls = "rdma_join_multicast(3)",
	.setup = "cm create -ps UDP; cm bind 0 -address 10.0.0.1; qp create -type UD -id id0",
	.examples = join_egs,
	.args = join_args,
	.size = sizeof(struct join_args),
	.exec = join_exec,
};

/* ---------------------------------------------------------------- cm leave -- */

struct leave_args {
	struct id *id;
	const char *group;
};

static const struct arg leave_args[] = {
	POS_OPT("id", leave_args, id, kind_id_first, "connection id"),
	POS("group", leave_args, group, kind_str, "multicast address that was joined"), ARGS_END
};

static int leave_exec(struct session *s, const void *args, struct out *o)
{
	const struct leave_args *a = args;
	struct sockaddr_storage group;
	union ibv_gid gid;
	struct mcast *m;

	if (cm_addr_parse(s, a->group, 0, AF_UNSPEC, &group))
		return -1;
	gid = mcast_gid((struct sockaddr *)&group);
	m = mcast_find(&a->id->o, &gid);
	if (!m) {
		fail(s, "rdma_leave_multicast", "ENOENT",
		     "rdma_leave_multicast not called: %s has not joined %s", a->id->o.name,
		     a->group);
		return fail_next(s, "cm join %s %s", a->id->o.name, a->group);
	}
	out_str(o, NULL, a->group, "%s left %s\n", a->id->o.name, a->group);
	return obj_destroy(s, m, false);
}

static const struct cmd_eg leave_egs[] = { { "cm leave 239.1.1.1", "left 239.1.1.1" },
					   { NULL, NULL } };

const struct cmd cmd_cm_leave = {
	.name = "cm leave",
	.family = "connection, step by step",
	.summary = "leave a multicast group",
	.text = "The QP of the id is detached from the group.",
	.calls = "rdma_leave_multicast(3)",
	.setup = "cm create -ps UDP; cm bind 0 -address 10.0.0.1; qp create -type UD -id id0\n"
		 "cm join 239.1.1.1",
	.examples = leave_egs,
	.args = leave_args,
	.size = sizeof(struct leave_args),
	.exec = leave_exec,
};
