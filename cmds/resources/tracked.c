/* SPDX-License-Identifier: MIT */
/*
 * The resource tracking of the kernel, which rdma-resource(8) prints, read over netlink. This is
 * less code than parsing that program's output, and needs neither the program nor libnl. uroce0
 * returns its objects in an inventory.
 */
#include "resources/tracked.h"

#include <errno.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "alloc.h"
#include "connection/cm.h"
#include "resources/show_process.h"

const struct tracked_class tracked_classes[TRACKED_KINDS] = {
	[TRACKED_PD] = { "pdn", &pd_class, BIT(FIELD_NUMBER), true },
	[TRACKED_CQ] = { "cqn", &cq_class, BIT(FIELD_CQE) | BIT(FIELD_USERS), true },
	[TRACKED_SRQ] = { "srqn", &srq_class, 0, true },
	[TRACKED_MR] = { "mrn", &mr_class, BIT(FIELD_LKEY) | BIT(FIELD_LEN), false },
	[TRACKED_QP] = { NULL, &qp_class, BIT(FIELD_QPN), false },
	[TRACKED_ID] = { "cm-idn", &id_class, BIT(FIELD_PORT) | BIT(FIELD_PEER_PORT), false },
};

/* The request for a kind, the attribute with the list in the answer, and that with the number of an
 * entry. */
static const struct {
	enum rdma_nldev_command ask;
	unsigned short list, number;
} kinds[TRACKED_KINDS] = {
	[TRACKED_PD] = { RDMA_NLDEV_CMD_RES_PD_GET, RDMA_NLDEV_ATTR_RES_PD,
			 RDMA_NLDEV_ATTR_RES_PDN },
	[TRACKED_CQ] = { RDMA_NLDEV_CMD_RES_CQ_GET, RDMA_NLDEV_ATTR_RES_CQ,
			 RDMA_NLDEV_ATTR_RES_CQN },
	[TRACKED_SRQ] = { RDMA_NLDEV_CMD_RES_SRQ_GET, RDMA_NLDEV_ATTR_RES_SRQ,
			  RDMA_NLDEV_ATTR_RES_SRQN },
	[TRACKED_MR] = { RDMA_NLDEV_CMD_RES_MR_GET, RDMA_NLDEV_ATTR_RES_MR,
			 RDMA_NLDEV_ATTR_RES_MRN },
	[TRACKED_QP] = { RDMA_NLDEV_CMD_RES_QP_GET, RDMA_NLDEV_ATTR_RES_QP,
			 RDMA_NLDEV_ATTR_RES_LQPN },
	[TRACKED_ID] = { RDMA_NLDEV_CMD_RES_CM_ID_GET, RDMA_NLDEV_ATTR_RES_CM_ID,
			 RDMA_NLDEV_ATTR_RES_CM_IDN },
};

void facts_add(struct facts *f, enum tracked_field field, uint64_t value)
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

/* --------------------------------------------------------------------- RDMA netlink -- */

uint64_t nldev_number(const struct rtattr *a)
{
	uint64_t n = 0;

	if (RTA_PAYLOAD(a) <= sizeof n) /* the host's byte order */
		memcpy(&n, RTA_DATA(a), RTA_PAYLOAD(a));
	return n;
}

/* Reads the messages in buf. 1: the answer is complete; 0: more messages follow; -1 with errno. */
static int read_messages(const struct nldev_query *q, char *buf, unsigned n)
{
	struct nlmsghdr *h = (struct nlmsghdr *)buf;

	for (; NLMSG_OK(h, n); h = NLMSG_NEXT(h, n)) {
		int left = (int)NLMSG_PAYLOAD(h, 0);

		if (h->nlmsg_type == NLMSG_DONE)
			return 1;
		if (h->nlmsg_type == NLMSG_ERROR) {
			const struct nlmsgerr *e = NLMSG_DATA(h);

			errno = left < (int)sizeof *e ? EPROTO : -e->error;
			return errno ? -1 : 1;
		}
		for (struct rtattr *a = NLMSG_DATA(h); RTA_OK(a, left); a = RTA_NEXT(a, left))
			if ((a->rta_type & NLA_TYPE_MASK) == q->list)
				q->read(q->arg, a);
	}
	return 0;
}

static int ask_kernel(int fd, const struct nldev_query *q)
{
	struct {
		struct nlmsghdr h;
		struct rtattr index_attr;
		uint32_t index;
		struct rtattr port_attr;
		uint32_t port;
	} ask = {
		.h = { .nlmsg_len = sizeof ask,
		       .nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, q->command),
		       .nlmsg_flags = NLM_F_REQUEST | (q->port ? NLM_F_ACK : NLM_F_DUMP) },
		.index_attr = { RTA_LENGTH(sizeof ask.index), RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = (uint32_t)ibv_get_device_index(q->device),
		.port_attr = { RTA_LENGTH(sizeof ask.port), RDMA_NLDEV_ATTR_PORT_INDEX },
		.port = q->port,
	};
	_Alignas(struct nlmsghdr) char buf[32768]; /* the kernel's largest message of a dump */
	int done = 0;

	if (!q->port)
		ask.h.nlmsg_len = offsetof(typeof(ask), port_attr);
	if (send(fd, &ask, ask.h.nlmsg_len, 0) < 0)
		return -1;
	while (!done) {
		ssize_t n = recv(fd, buf, sizeof buf, 0);

		if (n < 0)
			return -1;
		done = read_messages(q, buf, (unsigned)n);
	}
	return done < 0 ? -1 : 0;
}

int nldev_ask(const struct nldev_query *q)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA), rc, err;

	if (fd < 0)
		return -1;
	rc = ask_kernel(fd, q);
	err = errno;
	close(fd);
	errno = err;
	return rc;
}

/* ------------------------------------------------------------- what the kernel holds -- */

/* Attributes of an entry that are numbers. LQPN is the QP's own number, or that of an id's QP. */
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

static void note_port(struct facts *f, enum tracked_field field, const struct rtattr *a)
{
	struct sockaddr_storage ss;

	if (RTA_PAYLOAD(a) < sizeof ss)
		return;
	memcpy(&ss, RTA_DATA(a), sizeof ss);
	facts_add(f, field, cm_addr_port((struct sockaddr *)&ss));
}

/* Reads an attribute of an entry. *pid becomes the process of the entry, if the attribute has it.
 */
static void read_attr(struct facts *f, const struct rtattr *a, pid_t *pid)
{
	const unsigned short type = a->rta_type & NLA_TYPE_MASK;

	if (type == RDMA_NLDEV_ATTR_RES_PID)
		*pid = (pid_t)nldev_number(a);
	if (type == RDMA_NLDEV_ATTR_RES_SRC_ADDR)
		note_port(f, FIELD_PORT, a);
	if (type == RDMA_NLDEV_ATTR_RES_DST_ADDR)
		note_port(f, FIELD_PEER_PORT, a);
	if (type == kinds[f->kind].number)
		facts_add(f, FIELD_NUMBER, nldev_number(a));
	for (unsigned i = 0; i < sizeof number_attrs / sizeof *number_attrs; i++)
		if (type == number_attrs[i].attr)
			facts_add(f, number_attrs[i].field, nldev_number(a));
}

struct tracked_reading {
	struct tracked_list *l;
	enum tracked_kind kind;
};

/* Reads the entries of this process. The kernel's own objects have no process. */
static void read_entries(void *arg, const struct rtattr *list)
{
	const struct tracked_reading *r = arg;
	int left = (int)RTA_PAYLOAD(list);

	for (struct rtattr *e = RTA_DATA(list); RTA_OK(e, left); e = RTA_NEXT(e, left)) {
		struct facts f = { .kind = r->kind };
		int rest = (int)RTA_PAYLOAD(e);
		pid_t pid = 0;

		for (struct rtattr *a = RTA_DATA(e); RTA_OK(a, rest); a = RTA_NEXT(a, rest))
			read_attr(&f, a, &pid);
		if (pid == getpid())
			tracked_add(r->l, r->kind)->facts = f;
	}
}

int tracked_by_kernel(const struct dev *dev, struct tracked_list *l)
{
	int rc = 0;

	for (unsigned kind = 0; kind < TRACKED_KINDS && rc == 0; kind++) {
		struct tracked_reading r = { l, kind };

		rc = nldev_ask(&(struct nldev_query){ .device = dev->v->device,
						      .command = kinds[kind].ask,
						      .list = kinds[kind].list,
						      .read = read_entries,
						      .arg = &r });
		if (rc && errno == EINVAL && kind == TRACKED_SRQ) /* unknown before Linux 5.13 */
			rc = 0;
	}
	return rc;
}

/* ------------------------------------------------------------- what uroce0 holds -- */

static struct facts *add_row(struct tracked_list *l, enum tracked_kind kind, uint32_t number,
			     uint32_t pd)
{
	struct facts *f = &tracked_add(l, kind)->facts;

	facts_add(f, FIELD_NUMBER, number);
	if (pd != UROCE_NO_OBJECT)
		facts_add(f, FIELD_PD, pd);
	return f;
}

int tracked_by_uroce(struct tracked_list *l)
{
	struct uroce_inventory *inv = process_inventory(getpid());
	struct facts *f;

	if (!inv)
		return -1;
	inventory_foreach(inv, UROCE_PD, uroce_pd_row, r)
		add_row(l, TRACKED_PD, r->number, r->number);
	inventory_foreach(inv, UROCE_CQ, uroce_cq_row, r)
		facts_add(add_row(l, TRACKED_CQ, r->number, UROCE_NO_OBJECT), FIELD_CQE, r->size);
	inventory_foreach(inv, UROCE_SRQ, uroce_srq_row, r)
		add_row(l, TRACKED_SRQ, r->number, r->pd);
	inventory_foreach(inv, UROCE_MR, uroce_mr_row, r) {
		f = add_row(l, TRACKED_MR, r->number, r->pd);
		facts_add(f, FIELD_LEN, r->len);
		facts_add(f, FIELD_LKEY, r->lkey);
		facts_add(f, FIELD_RKEY, r->rkey);
	}
	inventory_foreach(inv, UROCE_QP, uroce_qp_row, r) {
		f = add_row(l, TRACKED_QP, r->number, r->pd);
		facts_add(f, FIELD_QPN, r->qpn);
		facts_add(f, FIELD_TYPE, r->type);
		facts_add(f, FIELD_STATE, r->attr.qp_state);
	}
	free(inv);
	return 0;
}
