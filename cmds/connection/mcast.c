/* SPDX-License-Identifier: MIT */
/* Multicast memberships, those of call ibv_attach_mcast, too; cm join. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "call/calling.h"
#include "command/cmd.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "object_args.h"
#include "session.h"
#include "words.h"

/* A QP that is attached to a group cannot be destroyed, so each membership is an object, which is
 * destroyed before its QP. */

static int mcast_destroy(struct session *s, struct obj *o)
{
	struct mcast *m = (struct mcast *)o;

	if (m->id ? rdma_leave_multicast(m->id->v, (struct sockaddr *)&m->addr)
		  : ibv_detach_mcast(m->qp->v, &m->gid, m->lid))
		return call_fail(s, "%s, %s", m->id ? m->id->o.name : m->qp->o.name, m->group);
	return 0;
}

static void mcast_describe(struct session *s, struct obj *o, struct out *out)
{
	struct mcast *m = (struct mcast *)o;

	(void)s;
	out_str(out, "name", o->name, "mg %s", o->name);
	out_str(out, "group", m->group, "  group %s", m->group);
	out_str(out, "id", m->id ? m->id->o.name : "", "%s%s", m->id ? "  joined by " : "",
		m->id ? m->id->o.name : "");
	out_str(out, "qp", m->qp ? m->qp->o.name : "", "%s%s\n", m->qp ? "  received by " : "",
		m->qp ? m->qp->o.name : "");
}

static const struct obj_class mcast_class = { .prefix = "mg",
					      .title = "multicast membership",
					      .remedy = "cm join GROUP",
					      .size = sizeof(struct mcast),
					      .destroy = mcast_destroy,
					      .describe = mcast_describe };

static struct mcast *add_mcast(struct session *s, struct id *id, struct qp *qp,
			       const union ibv_gid *gid, const char *group)
{
	struct mcast *m = obj_new(s, &mcast_class, NULL);

	m->id = id;
	m->qp = qp;
	m->gid = *gid;
	snprintf(m->group, sizeof m->group, "%s", group);
	obj_use(m, id);
	obj_use(m, qp);
	obj_add(s, m);
	return m;
}

struct mcast *mcast_attached(struct session *s, struct qp *qp, const union ibv_gid *gid,
			     uint16_t lid, const char *group)
{
	struct mcast *m = add_mcast(s, NULL, qp, gid, group);

	m->lid = lid;
	return m;
}

struct mcast *mcast_joined(struct session *s, struct id *id, struct qp *qp,
			   const struct sockaddr *addr, const char *group)
{
	union ibv_gid gid = mcast_gid(addr);
	struct mcast *m = add_mcast(s, id, qp, &gid, group);

	memcpy(&m->addr, addr, call_sockaddr_len(addr));
	return m;
}

union ibv_gid mcast_gid(const struct sockaddr *group)
{
	union ibv_gid gid = { .raw = { [10] = 0xff, [11] = 0xff } };

	if (group->sa_family == AF_INET)
		memcpy(gid.raw + 12, &((const struct sockaddr_in *)group)->sin_addr, 4);
	else
		memcpy(gid.raw, &((const struct sockaddr_in6 *)group)->sin6_addr, sizeof gid);
	return gid;
}

struct mcast *mcast_find(const struct obj *o, const union ibv_gid *gid)
{
	struct obj_use *u;

	obj_foreach_user(u, o) {
		struct mcast *m = (struct mcast *)u->user;

		if (m->o.class == &mcast_class && memcmp(&m->gid, gid, sizeof *gid) == 0)
			return m;
	}
	return NULL;
}

int mcast_check_once(struct session *s, const char *call, const struct qp *qp,
		     const union ibv_gid *gid)
{
	const struct mcast *m = qp ? mcast_find(&qp->o, gid) : NULL;

	if (!m)
		return 0;
	fail(s, call, "EEXIST", "%s not called: %s is in that group already, by %s", call,
	     qp->o.name, m->o.name);
	return fail_next(s, "destroy %s", m->o.name);
}

/* ----------------------------------------------------------------- cm join -- */

struct join_args {
	struct id *id;
	const char *group;
	struct num within;
};

static const struct arg join_args[] = {
	POS_OPT("id", join_args, id, kind_id_first, "connection id of a UD port space"),
	POS("group", join_args, group, kind_str, "multicast address: 239.1.1.1 or ff0e::1"),
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

static int join_exec(struct session *s, const void *args, struct out *o)
{
	const struct join_args *a = args;
	struct qp *qp = a->id->qp;
	struct sockaddr_storage group;
	union ibv_gid gid;
	struct cm_event ev;
	struct mcast *m;

	if (need_datagrams(s, a->id, "cm join") || !id_dev(s, a->id, "cm join") ||
	    cm_addr_parse(s, a->group, 0, AF_UNSPEC, &group))
		return -1;
	gid = mcast_gid((struct sockaddr *)&group);
	if (mcast_check_once(s, "rdma_join_multicast", qp, &gid))
		return -1;
	if (rdma_join_multicast(a->id->v, (struct sockaddr *)&group, NULL))
		return call_fail(s, "%s, %s", a->id->o.name, a->group);
	m = mcast_joined(s, a->id, qp, (struct sockaddr *)&group, a->group);
	if (cm_await(s, a->id, "rdma_join_multicast", RDMA_CM_EVENT_MULTICAST_JOIN, a->within.v,
		     &ev) ||
	    cm_step_make_ah(s, a->id, &ev))
		return obj_destroy_quietly(s, m);
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

/** For ids of port space UDP or IPOIB that are on a device. The QP of the id, if it has
 * one, is attached to the group, and an address handle is made for sending to it. To leave
 * the group destroy the membership.
 * > cm join 239.1.1.1 => joined 239.1.1.1
 * > destroy mg0 */
const struct cmd cmd_cm_join = {
	.name = "cm join",
	.family = "connection, step by step",
	.summary = "join a multicast group",
	.calls = "rdma_join_multicast(3)",
	.setup = "cm create -ps UDP; cm bind 0 -address 10.0.0.1; qp create -type UD -id id0",
	.args = join_args,
	.exec = join_exec,
};
