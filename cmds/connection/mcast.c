/* SPDX-License-Identifier: MIT */
/*
 * Multicast memberships as objects, and mcast attach and detach of a QP by hand. A QP
 * that is attached to a group cannot be destroyed: the membership is destroyed before it.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cm_id.h"
#include "cmd.h"
#include "journal.h"
#include "mcast.h"
#include "session.h"
#include "table.h"
#include "trace.h"

static int leave(struct session *s, struct mcast *m)
{
	int rc;

	call_begin(s, SLOW, "rdma_leave_multicast", "%s, %s", m->id->o.name, m->group);
	rc = rdma_leave_multicast(m->id->v, (struct sockaddr *)&m->addr);
	if (rc)
		return call_fail(s, cm_errno(rc), "%s, %s", m->id->o.name, m->group);
	return call_end(s, "0");
}

static int detach(struct session *s, struct mcast *m)
{
	int err;

	call_begin(s, SLOW, "ibv_detach_mcast", "%s, %s, lid %u", m->qp->o.name, m->group, m->lid);
	err = ibv_detach_mcast(m->qp->v, &m->gid, m->lid);
	if (err)
		return call_fail(s, err, "%s, %s", m->qp->o.name, m->group);
	return call_end(s, "0");
}

static int mcast_destroy(struct session *s, struct obj *o)
{
	struct mcast *m = (struct mcast *)o;

	return m->id ? leave(s, m) : detach(s, m);
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

struct mcast *mcast_add(struct session *s, struct id *id, struct qp *qp, const char *group)
{
	struct mcast *m = obj_new(s, &mcast_class, NULL);

	m->id = id;
	m->qp = qp;
	snprintf(m->group, sizeof m->group, "%s", group);
	obj_use(m, id);
	obj_use(m, qp);
	obj_add(s, m);
	return m;
}

struct mcast *mcast_find(struct session *s, const struct id *id, const struct qp *qp,
			 const char *group)
{
	struct obj *o;

	obj_foreach(o, s) {
		struct mcast *m = (struct mcast *)o;

		if (o->class == &mcast_class && m->id == id && (id || m->qp == qp) &&
		    strcmp(m->group, group) == 0)
			return m;
	}
	return NULL;
}

int mcast_drop(struct session *s, struct mcast *m)
{
	struct fail why = s->fail;

	s->fail = (struct fail){ 0 };
	if (obj_destroy(s, m, false))
		fail_clear(&s->fail);
	s->fail = why;
	return -1;
}

/* ------------------------------------------------------------------- mcast -- */

struct mcast_args {
	struct qp *qp;
	const char *gid;
	struct num lid;
};

static const struct arg mcast_args[] = {
	POS_OPT("qp", mcast_args, qp, kind_qp, "UD QP"),
	OPT("gid", mcast_args, gid, kind_str, "GID of the group: ff0e::ffff:239.1.1.1",
	    .flags = ARG_NEED),
	OPT("lid", mcast_args, lid, kind_u16, "LID of the group, on InfiniBand", .dflt = "0"),
	ARGS_END
};

static int check_mcast(struct session *s, const struct mcast_args *a, union ibv_gid *gid)
{
	if (inet_pton(AF_INET6, a->gid, gid->raw) != 1) {
		fail(s, "args", "BADVALUE", "-gid: '%s' is not a GID", a->gid);
		return fail_row(s, "GIDs", "are written as IPv6 addresses: ff0e::ffff:239.1.1.1");
	}
	if (a->qp->type == IBV_QPT_UD && gid->raw[0] == 0xff)
		return 0;
	fail(s, "ibv_attach_mcast", "EINVAL", "ibv_attach_mcast not called: %s",
	     gid->raw[0] != 0xff ? "that is no multicast GID" : "the QP is not UD");
	return fail_row(s, "note", "groups have GIDs that begin with ff, and take UD QPs");
}

static int attach_exec(struct session *s, const void *args, struct out *o)
{
	const struct mcast_args *a = args;
	union ibv_gid gid;
	struct mcast *m;
	int err;

	if (check_mcast(s, a, &gid))
		return -1;
	call_begin(s, SLOW, "ibv_attach_mcast", "%s, %s, lid %u", a->qp->o.name, a->gid,
		   (unsigned)a->lid.v);
	err = ibv_attach_mcast(a->qp->v, &gid, (uint16_t)a->lid.v);
	if (err)
		return call_fail(s, err, "%s, %s", a->qp->o.name, a->gid);
	call_end(s, "0");
	journal_other(s, "ibv_attach_mcast", &a->qp->o, NULL);
	m = mcast_add(s, NULL, a->qp, a->gid);
	m->gid = gid;
	m->lid = (uint16_t)a->lid.v;
	out_str(o, NULL, m->o.name, "%s: %s receives what is sent to %s\n", m->o.name,
		a->qp->o.name, a->gid);
	return 0;
}

static const struct cmd_eg attach_egs[] = { { "mcast attach -gid ff0e::ffff:239.1.1.1",
					      "receives what is sent" },
					    { NULL, NULL } };

const struct cmd cmd_mcast_attach = {
	.name = "mcast attach",
	.family = "connection, step by step",
	.summary = "attach a UD QP to a multicast group",
	.text = "The QP then gets a copy of each message to the group. Joining the group, so that the\n"
		"network brings the messages, is another matter: cm join does both.",
	.calls = "ibv_attach_mcast(3)",
	.setup = "qp create -type UD",
	.examples = attach_egs,
	.args = mcast_args,
	.size = sizeof(struct mcast_args),
	.exec = attach_exec,
};

static int detach_exec(struct session *s, const void *args, struct out *o)
{
	const struct mcast_args *a = args;
	struct mcast *m = mcast_find(s, NULL, a->qp, a->gid);

	if (!m) {
		fail(s, "ibv_detach_mcast", "ENOENT",
		     "ibv_detach_mcast not called: %s is not attached to %s", a->qp->o.name,
		     a->gid);
		return fail_row(s, "note", "what 'cm join' attached, 'cm leave' detaches");
	}
	out_str(o, NULL, a->gid, "%s is detached from %s\n", a->qp->o.name, a->gid);
	return obj_destroy(s, m, false);
}

static const struct cmd_eg detach_egs[] = { { "mcast detach -gid ff0e::ffff:239.1.1.1",
					      "is detached" },
					    { NULL, NULL } };

const struct cmd cmd_mcast_detach = {
	.name = "mcast detach",
	.family = "connection, step by step",
	.summary = "detach a UD QP from a multicast group",
	.text = "The other end of mcast attach. A QP that is attached cannot be destroyed.",
	.calls = "ibv_detach_mcast(3)",
	.setup = "qp create -type UD; mcast attach -gid ff0e::ffff:239.1.1.1",
	.examples = detach_egs,
	.args = mcast_args,
	.size = sizeof(struct mcast_args),
	.exec = detach_exec,
};
