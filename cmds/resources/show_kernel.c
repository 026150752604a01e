/* SPDX-License-Identifier: MIT */
/*
 * show -kernel: the objects of this session beside those that the device holds for this process.
 * For a device of the kernel its resource tracking says so, over netlink: what rdma-resource(8)
 * prints. Asking it takes less than reading what that program prints, and needs no program; libnl
 * would have to be loaded, and all its functions looked up, for two loops. uroce0 says it itself.
 */
#include <errno.h>
#include <linux/rtnetlink.h> /* the macros for attributes */
#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "device/device.h"
#include "launch.h"
#include "objects.h"
#include "output/out.h"
#include "resources/show_process.h"
#include "session.h"
#include "words.h"

enum tracked_kind {
	TRACKED_PD,
	TRACKED_CQ,
	TRACKED_SRQ,
	TRACKED_MR,
	TRACKED_QP,
	TRACKED_ID,
	TRACKED_KINDS
};

enum tracked_field {
	FIELD_NUMBER, /* which the device gave it: pdn, cqn ... */
	FIELD_PD,     /* the number of its PD */
	FIELD_CQE,
	FIELD_USERS,
	FIELD_LEN,
	FIELD_LKEY,
	FIELD_RKEY,
	FIELD_QPN,
	FIELD_TYPE,
	FIELD_STATE,
	FIELD_PORT, /* of the addresses: here, and of the peer */
	FIELD_PEER_PORT,
	FIELDS,
};

/* An object, as one side knows it. */
struct facts {
	enum tracked_kind kind;
	unsigned known; /* a bit for each field */
	uint64_t v[FIELDS];
};

/* What the device holds, and whose it is. */
struct tracked {
	struct facts facts;
	struct obj *o;
};

struct tracked_list {
	struct tracked *all;
	size_t n;
};

#define BIT(field) (1u << (field))

/* identity: the fields that tell an object from others of its kind; in_order: those that nothing
 * tells apart are in the order in which they were made. */
static const struct {
	const char *number; /* as rdma-resource(8) calls it */
	const struct obj_class *class;
	unsigned identity;
	bool in_order;
	/* netlink: the request, the list in the answer, and the number in an entry */
	enum rdma_nldev_command ask;
	unsigned short list, number_attr;
} kinds[TRACKED_KINDS] = {
	[TRACKED_PD] = { "pdn", &pd_class, BIT(FIELD_NUMBER), true, RDMA_NLDEV_CMD_RES_PD_GET,
			 RDMA_NLDEV_ATTR_RES_PD, RDMA_NLDEV_ATTR_RES_PDN },
	[TRACKED_CQ] = { "cqn", &cq_class, BIT(FIELD_CQE) | BIT(FIELD_USERS), true,
			 RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ,
			 RDMA_NLDEV_ATTR_RES_CQN },
	[TRACKED_SRQ] = { "srqn", &srq_class, 0, true, RDMA_NLDEV_CMD_RES_SRQ_GET,
			  RDMA_NLDEV_ATTR_RES_SRQ, RDMA_NLDEV_ATTR_RES_SRQN },
	[TRACKED_MR] = { "mrn", &mr_class, BIT(FIELD_LKEY) | BIT(FIELD_LEN), false,
			 RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR,
			 RDMA_NLDEV_ATTR_RES_MRN },
	[TRACKED_QP] = { NULL, &qp_class, BIT(FIELD_QPN), false, RDMA_NLDEV_CMD_RES_QP_GET,
			 RDMA_NLDEV_ATTR_RES_QP, RDMA_NLDEV_ATTR_RES_LQPN },
	[TRACKED_ID] = { "cm-idn", &id_class, BIT(FIELD_PORT) | BIT(FIELD_PEER_PORT), false,
			 RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID,
			 RDMA_NLDEV_ATTR_RES_CM_IDN },
};

static void set_field(struct facts *f, enum tracked_field field, uint64_t value)
{
	f->known |= BIT(field);
	f->v[field] = value;
}

static struct tracked *tracked_add(struct tracked_list *l, enum tracked_kind kind)
{
	l->all = xgrow(l->all, l->n, sizeof *l->all);
	l->all[l->n] = (struct tracked){ .facts.kind = kind };
	return &l->all[l->n++];
}

/* ------------------------------------------------------------- what the kernel holds -- */

/* Attributes of an entry that are numbers. An id has the number of its QP, and a QP its own. */
static const struct {
	unsigned short attr;
	enum tracked_field field;
} number_attrs[] = {
	{ RDMA_NLDEV_ATTR_RES_PDN, FIELD_PD },	     { RDMA_NLDEV_ATTR_RES_CQE, FIELD_CQE },
	{ RDMA_NLDEV_ATTR_RES_USECNT, FIELD_USERS }, { RDMA_NLDEV_ATTR_RES_MRLEN, FIELD_LEN },
	{ RDMA_NLDEV_ATTR_RES_LKEY, FIELD_LKEY },    { RDMA_NLDEV_ATTR_RES_RKEY, FIELD_RKEY },
	{ RDMA_NLDEV_ATTR_RES_LQPN, FIELD_QPN },     { RDMA_NLDEV_ATTR_RES_TYPE, FIELD_TYPE },
	{ RDMA_NLDEV_ATTR_RES_STATE, FIELD_STATE },
};

static uint64_t attr_number(const struct rtattr *a)
{
	uint64_t n = 0;

	if (RTA_PAYLOAD(a) <= sizeof n) /* the host's byte order */
		memcpy(&n, RTA_DATA(a), RTA_PAYLOAD(a));
	return n;
}

static uint64_t addr_port(const struct sockaddr_storage *ss)
{
	struct sockaddr_in6 in6; /* whose port is where sockaddr_in has it */

	memcpy(&in6, ss, sizeof in6);
	return ntohs(in6.sin6_port);
}

static void note_port(struct facts *f, enum tracked_field field, const struct rtattr *a)
{
	struct sockaddr_storage ss;

	if (RTA_PAYLOAD(a) < sizeof ss)
		return;
	memcpy(&ss, RTA_DATA(a), sizeof ss);
	set_field(f, field, addr_port(&ss));
}

/* One attribute of an entry; *pid: whose it is. */
static void read_attr(struct facts *f, const struct rtattr *a, pid_t *pid)
{
	const unsigned short type = a->rta_type & NLA_TYPE_MASK;

	if (type == RDMA_NLDEV_ATTR_RES_PID)
		*pid = (pid_t)attr_number(a);
	if (type == RDMA_NLDEV_ATTR_RES_SRC_ADDR)
		note_port(f, FIELD_PORT, a);
	if (type == RDMA_NLDEV_ATTR_RES_DST_ADDR)
		note_port(f, FIELD_PEER_PORT, a);
	if (type == kinds[f->kind].number_attr)
		set_field(f, FIELD_NUMBER, attr_number(a));
	for (unsigned i = 0; i < sizeof number_attrs / sizeof *number_attrs; i++)
		if (type == number_attrs[i].attr)
			set_field(f, number_attrs[i].field, attr_number(a));
}

/* The entries of this process: what the kernel has for itself has no process. */
static void read_entries(struct tracked_list *l, enum tracked_kind kind, struct rtattr *list)
{
	int left = (int)RTA_PAYLOAD(list);

	for (struct rtattr *e = RTA_DATA(list); RTA_OK(e, left); e = RTA_NEXT(e, left)) {
		struct facts f = { .kind = kind };
		int rest = (int)RTA_PAYLOAD(e);
		pid_t pid = 0;

		for (struct rtattr *a = RTA_DATA(e); RTA_OK(a, rest); a = RTA_NEXT(a, rest))
			read_attr(&f, a, &pid);
		if (pid == getpid())
			tracked_add(l, kind)->facts = f;
	}
}

/* 1: the last one was read; 0: there are more; -1 with errno. */
static int read_messages(struct tracked_list *l, enum tracked_kind kind, char *buf, unsigned n)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;

	for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		int left = (int)NLMSG_PAYLOAD(h, 0);

		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = NLMSG_DATA(h);

			errno = left < (int)sizeof *e ? EPROTO : -e->error;
			return -1;
		}
		for (struct rtattr *a = NLMSG_DATA(h); RTA_OK(a, left); a = RTA_NEXT(a, left))
			if ((a->rta_type & NLA_TYPE_MASK) == kinds[kind].list)
				read_entries(l, kind, a);
	}
	return 0;
}

static int ask_kernel(int fd, uint32_t index, enum tracked_kind kind, struct tracked_list *l)
{
	struct {
		struct nlmsghdr h;
		struct rtattr a;
		uint32_t index;
	} ask = {
		.h = { .nlmsg_len = sizeof ask,
		       .nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, kinds[kind].ask),
		       .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP },
		.a = { sizeof ask.a + sizeof ask.index, RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = index,
	};
	_Alignas(struct nlmsghdr) char buf[32768]; /* the kernel's largest message of a dump */
	int done = 0;

	if (send(fd, &ask, sizeof ask, 0) < 0)
		return -1;
	while (!done) {
		ssize_t n = recv(fd, buf, sizeof buf, 0);

		if (n < 0)
			return -1;
		done = read_messages(l, kind, buf, (unsigned)n);
	}
	return done < 0 ? -1 : 0;
}

static int tracked_by_kernel(const struct dev *dev, struct tracked_list *l)
{
	int index = ibv_get_device_index(dev->v->device), rc = 0, err;
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);

	if (fd < 0)
		return -1;
	for (unsigned kind = 0; kind < TRACKED_KINDS && rc == 0; kind++) {
		rc = ask_kernel(fd, (uint32_t)index, kind, l);
		if (rc && errno == EINVAL && kind == TRACKED_SRQ) /* kernels before 5.13 */
			rc = 0;
	}
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

/* ------------------------------------------------------------- what uroce0 holds -- */

#define EACH(inv, KIND, type, row)                                                               \
	for (const struct type *row = (inv)->kind[KIND].rows, *end_ = row + (inv)->kind[KIND].n; \
	     row < end_; row++)

static struct facts *add_row(struct tracked_list *l, enum tracked_kind kind, uint32_t number,
			     uint32_t pd)
{
	struct facts *f = &tracked_add(l, kind)->facts;

	set_field(f, FIELD_NUMBER, number);
	if (pd != UROCE_NO_OBJECT)
		set_field(f, FIELD_PD, pd);
	return f;
}

static int tracked_by_uroce(struct tracked_list *l)
{
	struct uroce_inventory *inv = process_inventory(getpid());
	struct facts *f;

	if (!inv)
		return -1;
	EACH(inv, UROCE_PD, uroce_pd_row, r)
	add_row(l, TRACKED_PD, r->number, r->number);
	EACH(inv, UROCE_CQ, uroce_cq_row, r)
	set_field(add_row(l, TRACKED_CQ, r->number, UROCE_NO_OBJECT), FIELD_CQE, r->size);
	EACH(inv, UROCE_SRQ, uroce_srq_row, r)
	add_row(l, TRACKED_SRQ, r->number, r->pd);
	EACH(inv, UROCE_MR, uroce_mr_row, r)
	{
		f = add_row(l, TRACKED_MR, r->number, r->pd);
		set_field(f, FIELD_LEN, r->len);
		set_field(f, FIELD_LKEY, r->lkey);
		set_field(f, FIELD_RKEY, r->rkey);
	}
	EACH(inv, UROCE_QP, uroce_qp_row, r)
	{
		f = add_row(l, TRACKED_QP, r->number, r->pd);
		set_field(f, FIELD_QPN, r->qpn);
		set_field(f, FIELD_TYPE, r->type);
		set_field(f, FIELD_STATE, r->attr.qp_state);
	}
	free(inv);
	return 0;
}

/* ------------------------------------------------------------- what the session has -- */

/* The kernel's state of an id, enum rdma_cm_state of its cma_priv.h, by the names of rdma(8). */
static const struct word cma_state_words[] = {
	{ "IDLE", 0, NULL },	       { "ADDR_QUERY", 1, NULL },     { "ADDR_RESOLVED", 2, NULL },
	{ "ROUTE_QUERY", 3, NULL },    { "ROUTE_RESOLVED", 4, NULL }, { "CONNECT", 5, NULL },
	{ "DISCONNECT", 6, NULL },     { "ADDR_BOUND", 7, NULL },     { "LISTEN", 8, NULL },
	{ "DEVICE_REMOVAL", 9, NULL }, { "DESTROYING", 10, NULL },    { 0 },
};

/* Which of them an id has here; the others may be in several. */
static const struct {
	enum id_state here;
	const char *kernel;
} id_states[] = {
	{ ID_BOUND, "ADDR_BOUND" },
	{ ID_LISTENING, "LISTEN" },
	{ ID_ADDR_RESOLVED, "ADDR_RESOLVED" },
	{ ID_ROUTE_RESOLVED, "ROUTE_RESOLVED" },
	{ ID_CONNECTING, "CONNECT" },
	{ ID_REQUEST, "CONNECT" },
	{ ID_ACCEPTING, "CONNECT" },
	{ ID_ESTABLISHED, "CONNECT" },
};

static void know_id(struct facts *f, const struct id *id)
{
	const struct rdma_addr *a = &id->v->route.addr;

	set_field(f, FIELD_PORT, addr_port(&a->src_storage));
	if (a->dst_addr.sa_family)
		set_field(f, FIELD_PEER_PORT, addr_port(&a->dst_storage));
	for (unsigned i = 0; i < sizeof id_states / sizeof *id_states; i++)
		for (const struct word *w = cma_state_words; w->name; w++)
			if (id_states[i].here == id->state &&
			    strcmp(id_states[i].kernel, w->name) == 0)
				set_field(f, FIELD_STATE, w->value);
}

/* References that the queue pairs have, as the kernel counts them. */
static uint64_t cq_users(struct session *s, const struct cq *cq)
{
	uint64_t n = 0;
	struct obj *o;

	obj_foreach_of(o, s, &qp_class) {
		const struct qp *qp = (const struct qp *)o;

		n += (qp->send_cq == cq) + (qp->recv_cq == cq);
	}
	return n;
}

/* Its facts, and in *pd its PD or NULL. */
static struct facts facts_of(struct session *s, enum tracked_kind kind, struct obj *o,
			     struct pd **pd)
{
	struct facts f = { .kind = kind };

	*pd = NULL;
	switch (kind) {
	case TRACKED_PD:
		*pd = (struct pd *)o;
		break;
	case TRACKED_CQ:
		set_field(&f, FIELD_CQE, (uint64_t)((struct cq *)o)->v->cqe);
		set_field(&f, FIELD_USERS, cq_users(s, (struct cq *)o));
		break;
	case TRACKED_SRQ:
		*pd = ((struct srq *)o)->pd;
		break;
	case TRACKED_MR:
		*pd = ((struct mr *)o)->pd;
		set_field(&f, FIELD_LEN, ((struct mr *)o)->v->length);
		set_field(&f, FIELD_LKEY, ((struct mr *)o)->v->lkey);
		set_field(&f, FIELD_RKEY, ((struct mr *)o)->v->rkey);
		break;
	case TRACKED_QP:
		*pd = ((struct qp *)o)->pd;
		set_field(&f, FIELD_QPN, ((struct qp *)o)->v->qp_num);
		set_field(&f, FIELD_TYPE, ((struct qp *)o)->type);
		if (((struct qp *)o)->has_state)
			set_field(&f, FIELD_STATE, ((struct qp *)o)->state);
		break;
	case TRACKED_ID:
		know_id(&f, (struct id *)o);
		break;
	case TRACKED_KINDS:
		break;
	}
	return f;
}

/* Does the device hold it? A listener on all addresses is held by each. */
static bool is_on(const struct dev *dev, enum tracked_kind kind, const struct obj *o,
		  const struct pd *pd)
{
	const struct id *id = (const struct id *)o;

	if (kind == TRACKED_CQ)
		return ((const struct cq *)o)->dev == dev;
	if (kind != TRACKED_ID)
		return pd && pd->dev == dev;
	return id->v->verbs ? id->v->verbs == dev->v : id->state == ID_LISTENING;
}

/* ------------------------------------------------------------- side by side -- */

struct comparison {
	struct session *s;
	const struct dev *dev;
	const char *who; /* holds it: "the kernel" or the device */
	struct tracked_list tracked;
	unsigned disagree;
	struct out *o;
};

/* What both know of these fields is the same, and they both know one of them. */
static bool same_in(const struct facts *a, const struct facts *b, unsigned fields)
{
	unsigned both = a->known & b->known & fields;

	for (unsigned i = 0; i < FIELDS; i++)
		if ((both & BIT(i)) && a->v[i] != b->v[i])
			return false;
	return both;
}

static struct tracked *find_tracked(struct comparison *c, const struct obj *o)
{
	for (size_t i = 0; i < c->tracked.n; i++)
		if (c->tracked.all[i].o == o)
			return &c->tracked.all[i];
	return NULL;
}

static struct tracked *first_like(struct comparison *c, const struct facts *f, unsigned fields)
{
	for (size_t i = 0; i < c->tracked.n; i++) {
		struct tracked *h = &c->tracked.all[i];

		if (!h->o && h->facts.kind == f->kind && (!fields || same_in(f, &h->facts, fields)))
			return h;
	}
	return NULL;
}

/* What was made of a PD has its number. */
static void number_of_pd(struct comparison *c, const struct pd *pd, struct facts *f)
{
	for (size_t i = 0; i < c->tracked.n; i++) {
		const struct tracked *h = &c->tracked.all[i];
		struct pd *its;

		if (!h->o || h->facts.kind == TRACKED_PD || !(h->facts.known & BIT(FIELD_PD)))
			continue;
		facts_of(c->s, h->facts.kind, h->o, &its);
		if (its == pd)
			set_field(f, FIELD_NUMBER, h->facts.v[FIELD_PD]);
	}
}

/* Finds the object among those that are held; by: its identity, or the order. */
static void match_kind(struct comparison *c, enum tracked_kind kind, bool by_order)
{
	struct obj *o;

	obj_foreach_of(o, c->s, kinds[kind].class) {
		struct pd *pd;
		struct facts f = facts_of(c->s, kind, o, &pd);
		struct tracked *h;

		if (!is_on(c->dev, kind, o, pd) || find_tracked(c, o))
			continue;
		if (kind == TRACKED_PD)
			number_of_pd(c, pd, &f);
		h = !by_order		   ? first_like(c, &f, kinds[kind].identity)
		    : kinds[kind].in_order ? first_like(c, &f, 0)
					   : NULL;
		if (h && (by_order || kinds[kind].identity))
			h->o = o;
	}
}

/* PDs last: what was made of them tells which is which. */
static void match_all(struct comparison *c)
{
	for (unsigned by_order = 0; by_order < 2; by_order++)
		for (unsigned kind = TRACKED_KINDS; kind-- > 0;)
			match_kind(c, kind, by_order);
}

/* enum ib_srq_type of the kernel's ib_verbs.h */
static const struct word srq_type_words[] = { { "BASIC", 0, NULL },
					      { "XRC", 1, NULL },
					      { "TM", 2, NULL },
					      { 0 } };

static void tell_field(struct comparison *c, enum tracked_kind kind, unsigned field,
		       const char *key, uint64_t v)
{
	const char *word = NULL;

	if (field == FIELD_TYPE)
		word = word_name(kind == TRACKED_SRQ ? srq_type_words : qp_type_words, v);
	if (field == FIELD_STATE)
		word = word_name(kind == TRACKED_ID ? cma_state_words : qp_state_words, v);
	if (word)
		out_str(c->o, key, word, "  %s", word);
	else if (field == FIELD_LKEY || field == FIELD_RKEY)
		out_u64(c->o, key, v, "  %s 0x%x", key, (unsigned)v);
	else
		out_u64(c->o, key, v, "  %s %llu", key, (unsigned long long)v);
}

static const char *const field_names[FIELDS] = {
	[FIELD_CQE] = "cqe",	 [FIELD_LEN] = "len",	[FIELD_LKEY] = "lkey",
	[FIELD_RKEY] = "rkey",	 [FIELD_QPN] = "qpn",	[FIELD_TYPE] = "type",
	[FIELD_STATE] = "state", [FIELD_PORT] = "port", [FIELD_PEER_PORT] = "peer_port",
};

static void tell_facts(struct comparison *c, const struct facts *f)
{
	const char *number = kinds[f->kind].number;

	if (number && (f->known & BIT(FIELD_NUMBER)))
		tell_field(c, f->kind, FIELD_NUMBER, number, f->v[FIELD_NUMBER]);
	for (unsigned i = 0; i < FIELDS; i++)
		if (field_names[i] && (f->known & BIT(i)))
			tell_field(c, f->kind, i, field_names[i], f->v[i]);
}

/* A bit for each field of which both sides know something else. */
static unsigned differing_fields(const struct facts *here, const struct facts *there)
{
	unsigned fields = 0;

	for (unsigned i = 0; i < FIELDS; i++)
		if (field_names[i] && (here->known & there->known & BIT(i)) &&
		    here->v[i] != there->v[i])
			fields |= BIT(i);
	return fields;
}

/* What the session knows, where the device holds something else. */
static void tell_differences(struct comparison *c, const struct facts *here,
			     const struct facts *there)
{
	const unsigned fields = differing_fields(here, there);

	if (!fields)
		return;
	out_text(c->o, "; here:");
	out_dict(c->o, "here");
	for (unsigned i = 0; i < FIELDS; i++)
		if (fields & BIT(i))
			tell_field(c, here->kind, i, field_names[i], here->v[i]);
	out_end(c->o);
}

static void begin_line(struct comparison *c, bool agrees, const char *name)
{
	c->disagree += !agrees;
	out_paint(c->o, agrees ? PAINT_NONE : PAINT_BAD);
	out_dict(c->o, name);
	out_bool(c->o, "agrees", agrees, "%c %-7s", agrees ? ' ' : '!', name);
}

static void end_line(struct comparison *c)
{
	out_end(c->o);
	out_text(c->o, "\n");
	out_paint(c->o, PAINT_NONE);
}

static void tell_object(struct comparison *c, enum tracked_kind kind, struct obj *o)
{
	struct pd *pd;
	struct facts here = facts_of(c->s, kind, o, &pd);
	const struct tracked *h = find_tracked(c, o);

	if (!is_on(c->dev, kind, o, pd))
		return;
	begin_line(c, h && !differing_fields(&here, &h->facts), o->name);
	if (h) {
		tell_facts(c, &h->facts);
		tell_differences(c, &here, &h->facts);
	} else {
		out_text(c->o, "  %s has it no more", c->who);
	}
	end_line(c);
}

/* librdmacm makes a PD of its own on a device when it binds the first id to it, and uroce0's when
 * the device is opened. */
static bool has_librdmacms_pd(struct comparison *c)
{
	struct obj *o;

	obj_foreach_of(o, c->s, &id_class)
		if (((const struct id *)o)->v->verbs == c->dev->v)
			return true;
	return embedded_is_used();
}

/* What no object of the session stands for. */
static void tell_rest(struct comparison *c)
{
	bool librdmacms = has_librdmacms_pd(c);

	for (size_t i = 0; i < c->tracked.n; i++) {
		const struct tracked *h = &c->tracked.all[i];
		char *name;
		bool known;

		if (h->o)
			continue;
		known = librdmacms && h->facts.kind == TRACKED_PD;
		librdmacms &= !known;
		name = known ? xstrdup("(librdmacm)")
			     : xasprintf("(%s%zu)", kinds[h->facts.kind].class->prefix, i);
		begin_line(c, known, name);
		tell_facts(c, &h->facts);
		out_text(c->o, known ? "" : "; no object of this session");
		end_line(c);
		free(name);
	}
}

static int compare_device(struct session *s, const struct dev *dev, struct out *o)
{
	struct comparison c = { .s = s, .dev = dev, .o = o, .who = "the kernel" };
	const bool uroce = embedded_is_used();

	if (uroce)
		c.who = dev->o.name;
	if (uroce ? tracked_by_uroce(&c.tracked) : tracked_by_kernel(dev, &c.tracked)) {
		free(c.tracked.all);
		return fail_call(s, errno, "show -kernel", "%s", dev->o.name);
	}
	match_all(&c);
	out_dict(o, dev->o.name);
	out_text(o, "%s\n", dev->o.name);
	for (unsigned kind = 0; kind < TRACKED_KINDS; kind++) {
		struct obj *obj;

		if (uroce && kind == TRACKED_ID) /* are librdmacm's part of the process itself */
			continue;
		obj_foreach_of(obj, s, kinds[kind].class)
			tell_object(&c, kind, obj);
	}
	tell_rest(&c);
	out_end(o);
	free(c.tracked.all);
	return (int)c.disagree;
}

int show_kernel(struct session *s, struct out *o)
{
	unsigned disagree = 0;
	struct obj *dev;

	out_dict(o, NULL);
	obj_foreach_of(dev, s, &dev_class) {
		int n = compare_device(s, (const struct dev *)dev, o);

		if (n < 0)
			return -1;
		disagree += (unsigned)n;
	}
	out_u64(o, "disagree", disagree, NULL);
	if (disagree)
		out_text(o, "%u with '!' do%s not agree\n", disagree, disagree == 1 ? "es" : "");
	else
		out_text(o, "all agree\n");
	return 0;
}
