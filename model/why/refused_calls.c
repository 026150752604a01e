/* SPDX-License-Identifier: MIT */
/* Why a call was refused that makes or ends an object, judged by its arguments, by the objects that
 * there are, and by what the device allows. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "refused_calls.h"

#include "calls.h"
#include "heap.h"
#include "recorded.h"
#include "why.h"
#include "words.h"

void why_limit_passed(struct causes *c, const char *name, uint32_t value, int limit,
		      const char *limit_name)
{
	if (limit > 0 && value > (uint32_t)limit)
		cause_add(c, IS_SO, NULL, "%s %u is more than the device's limit %d (%s)", name,
			  value, limit, limit_name);
}

static const void *argument(const struct refused_call *f, unsigned i)
{
	return (const void *)(uintptr_t)f->r->args[i];
}

/* ----------------------------------------------------------------------- queues -- */

static void compare_capacities(const struct ibv_qp_cap *cap, const struct ibv_device_attr *d,
			       struct causes *c)
{
	why_limit_passed(c, "max_send_wr", cap->max_send_wr, d->max_qp_wr, "max_qp_wr");
	why_limit_passed(c, "max_recv_wr", cap->max_recv_wr, d->max_qp_wr, "max_qp_wr");
	why_limit_passed(c, "max_send_sge", cap->max_send_sge, d->max_sge, "max_sge");
	why_limit_passed(c, "max_recv_sge", cap->max_recv_sge, d->max_sge, "max_sge");
}

static bool is_qp_type(enum ibv_qp_type type)
{
	return (type >= IBV_QPT_RC && type <= IBV_QPT_UD) || type == IBV_QPT_RAW_PACKET ||
	       type == IBV_QPT_XRC_SEND || type == IBV_QPT_XRC_RECV || type == IBV_QPT_DRIVER;
}

/* librdmacm makes a CQ that is NULL by itself, but none of size 0. */
static void find_no_cq(const struct ibv_qp_init_attr *init, struct causes *c)
{
	if (!init->send_cq && !init->cap.max_send_wr)
		cause_add(c, IS_SO, NULL, "send_cq is NULL, and none is made for max_send_wr 0");
	if (!init->recv_cq && !init->cap.max_recv_wr && !init->srq)
		cause_add(c, IS_SO, NULL, "recv_cq is NULL, and none is made for max_recv_wr 0");
}

/* The device context that a PD or a CQ was made with; 0: not known. */
static uint64_t context_of(const struct live_program *p, const void *object)
{
	const struct live_object *o = live_object_at(p->seen, (uintptr_t)object);

	return o ? o->uses[0] : 0;
}

/* The QP's PD and CQs have to be of one context. */
static void compare_contexts(const struct refused_call *f, const struct ibv_qp_init_attr *init)
{
	const struct ibv_cq *cqs[] = { init->send_cq, init->recv_cq };
	const uint64_t pd = f->r->args[0], context = context_of(f->p, (const void *)(uintptr_t)pd);

	for (unsigned i = 0; i < 2 && context; i++)
		if (context_of(f->p, cqs[i]) && context_of(f->p, cqs[i]) != context) {
			cause_add(f->c, IS_SO, NULL,
				  "%s is of %s, and %s of %s: each ibv_open_device gives a context "
				  "of its own",
				  live_program_name(f->p, pd, f->r->end),
				  live_program_name(f->p, context, f->r->end),
				  live_program_name(f->p, (uintptr_t)cqs[i], f->r->end),
				  live_program_name(f->p, context_of(f->p, cqs[i]), f->r->end));
			return;
		}
}

static void find_qp(const struct refused_call *f)
{
	const struct ibv_qp_init_attr *init = (const void *)(uintptr_t)record_arg(f->r,
										  "qp_init_attr");
	const struct ibv_device_attr *device = &f->p->limits.device;

	if (!init)
		return;
	/* rdma_create_ep takes that of its rdma_addrinfo */
	if (!is_qp_type(init->qp_type) && record_call_row(f->r) != ROW_rdma_create_ep)
		cause_add(f->c, IS_SO, NULL, "qp_type %d is no enum ibv_qp_type",
			  (int)init->qp_type);
	if (device->max_qp)
		compare_capacities(&init->cap, device, f->c);
	if (record_call_row(f->r) == ROW_ibv_create_qp && init->qp_type <= IBV_QPT_UD &&
	    (!init->send_cq || !init->recv_cq))
		cause_add(f->c, IS_SO, NULL, "%s is NULL", init->send_cq ? "recv_cq" : "send_cq");
	if (record_call_row(f->r) == ROW_ibv_create_qp)
		compare_contexts(f, init);
	if (record_call_row(f->r) != ROW_ibv_create_qp && f->r->err == EINVAL)
		find_no_cq(init, f->c);
	if (!f->c->n && f->r->err == ENOMEM)
		cause_add(f->c, MAY_BE, NULL,
			  "locked memory (ulimit -l), or the device has no more QPs%s",
			  device->max_qp ? temp_text(" (max_qp %d)", device->max_qp) : "");
	if (!f->c->n && f->r->err == EINVAL &&
	    init->cap.max_inline_data) /* without the value: programs try several */
		cause_add(f->c, MAY_BE, NULL,
			  "max_inline_data: no attribute of the device says how much is possible");
}

static void find_srq(const struct refused_call *f)
{
	const struct ibv_srq_init_attr *init = argument(f, 1);
	const struct ibv_device_attr *device = &f->p->limits.device;

	if (!init)
		return;
	why_limit_passed(f->c, "max_wr", init->attr.max_wr, device->max_srq_wr, "max_srq_wr");
	why_limit_passed(f->c, "max_sge", init->attr.max_sge, device->max_srq_sge, "max_srq_sge");
	if (!init->attr.max_wr)
		cause_add(f->c, IS_SO, NULL, "max_wr is 0: an SRQ has room for at least 1 request");
}

static void find_modify_srq(const struct refused_call *f)
{
	const struct ibv_srq_attr *a = argument(f, 1);
	const unsigned mask = (unsigned)f->r->args[2];
	const struct live_tracked_qp *srq = live_program_queue(f->p, f->r->args[0]);

	if (!a || !srq)
		return;
	if (mask & IBV_SRQ_LIMIT && srq->v.cap.max_recv_wr && a->srq_limit > srq->v.cap.max_recv_wr)
		cause_add(f->c, IS_SO, NULL,
			  "srq_limit is %u, and %s has room for %u requests (max_wr)", a->srq_limit,
			  srq->v.name, srq->v.cap.max_recv_wr);
	if (mask & IBV_SRQ_MAX_WR)
		why_limit_passed(f->c, "max_wr", a->max_wr, f->p->limits.device.max_srq_wr,
				 "max_srq_wr");
}

static void find_cq(const struct refused_call *f)
{
	const int cqe = (int)record_arg(f->r, "cqe");
	const struct ibv_context *context = record_bytes(f->r, f->r->args[0], NULL);
	const uint64_t vector = record_arg(f->r, "comp_vector");

	if (cqe <= 0)
		cause_add(f->c, IS_SO, NULL, "cqe is %d: a CQ has at least 1 entry", cqe);
	else
		why_limit_passed(f->c, "cqe", (uint32_t)cqe, f->p->limits.device.max_cqe,
				 "max_cqe");
	if (context && context->num_comp_vectors > 0 &&
	    (uint32_t)vector >= (uint32_t)context->num_comp_vectors)
		cause_add(f->c, IS_SO, NULL,
			  "comp_vector %d: the device has %d (num_comp_vectors), counted from 0",
			  (int)vector, context->num_comp_vectors);
	else if (!context && vector && !f->c->n)
		cause_add(f->c, MAY_BE, NULL,
			  "comp_vector %d is not less than num_comp_vectors of the context, which "
			  "cannot be seen",
			  (int)vector);
}

/* ------------------------------------------------------------------- memory, GIDs -- */

static void check_region(uint64_t addr, uint64_t len, unsigned access, struct causes *c)
{
	const unsigned writes = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;
	const unsigned flags = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | writes |
			       IBV_ACCESS_MW_BIND | IBV_ACCESS_ZERO_BASED | IBV_ACCESS_ON_DEMAND |
			       IBV_ACCESS_HUGETLB | 1u << 8 |
			       1u << 9; /* FLUSH_GLOBAL, PERSISTENT */
	const unsigned unknown = access & ~(flags | IBV_ACCESS_OPTIONAL_RANGE);

	if (!len)
		cause_add(c, IS_SO, NULL, "length is 0: a region has at least one byte");
	else if (addr + len < addr || (int64_t)len < 0)
		cause_add(
			c, IS_SO, NULL,
			"length is 0x%llx: no address space has that many bytes (a negative number?)",
			(unsigned long long)len);
	if (unknown)
		cause_add(c, IS_SO, NULL, "access has 0x%x, which is no enum ibv_access_flags",
			  unknown);
	if (access & writes && !(access & IBV_ACCESS_LOCAL_WRITE))
		cause_add(c, IS_SO,
			  temp_text("reg %" PRIu64 " -access %s", len,
				    why_typed(why_access(access | IBV_ACCESS_LOCAL_WRITE))),
			  "access has %s without LOCAL_WRITE, which it needs",
			  why_access(access & writes));
}

/* Pinned memory is limited. */
static void find_lock_limit(const struct refused_call *f)
{
	if (f->p->lock_limit)
		cause_add(
			f->c, MAY_BE, NULL,
			"registered memory is pinned; the limit of locked memory is %llu KiB: "
			"ulimit -l unlimited (root, or /etc/security/limits.d), or a smaller region",
			(unsigned long long)f->p->lock_limit / 1024);
}

/* Mistakes that libibverbs refuses itself, before the device sees the call. */
static void find_flags_of_rereg(const struct refused_call *f, unsigned access)
{
	const unsigned flags = (unsigned)record_arg(f->r, "flags");

	if (f->r->err != EINVAL)
		return;
	if (access && !(flags & IBV_REREG_MR_CHANGE_ACCESS))
		cause_add(f->c, IS_SO, NULL,
			  "access is %s, and flags have no IBV_REREG_MR_CHANGE_ACCESS: then it "
			  "must be 0",
			  why_access(access));
	if (flags & IBV_REREG_MR_CHANGE_TRANSLATION &&
	    (!record_arg(f->r, "addr") || !record_arg(f->r, "length")))
		cause_add(f->c, IS_SO, NULL,
			  "IBV_REREG_MR_CHANGE_TRANSLATION needs addr and length");
}

static void find_region(const struct refused_call *f)
{
	const unsigned access = (unsigned)record_arg(f->r, "access");
	const bool is_again = record_call_row(f->r) == ROW_ibv_rereg_mr;
	const struct live_region *mr = is_again ? live_region_at(&f->p->regions, f->r->args[0])
						: NULL;

	if (f->r->err == ENOMEM)
		find_lock_limit(f);
	if (is_again)
		find_flags_of_rereg(f, access);
	if (f->r->err == EFAULT && !is_again && !record_arg(f->r, "addr"))
		cause_add(f->c, IS_SO, NULL, "addr is NULL");
	if (f->r->err == EINVAL && mr)
		check_region(0, mr->len, access, f->c);
	else if (f->r->err == EINVAL && !is_again)
		check_region(record_arg(f->r, "addr"), record_arg(f->r, "length"), access, f->c);
	if (!f->c->n && access && (f->r->err == EOPNOTSUPP || f->r->err == EINVAL))
		cause_add(f->c, f->r->err == EINVAL ? MAY_BE : IS_SO, NULL,
			  "the device does not support one of these flags (%s), or not this "
			  "combination",
			  why_access(access));
}

static void find_port(const struct refused_call *f)
{
	const unsigned number = (unsigned)record_arg(f->r, "port_num");
	const struct ibv_device_attr *device = &f->p->limits.device;

	if (device->max_qp && (!number || number > device->phys_port_cnt))
		cause_add(f->c, IS_SO, NULL,
			  "port_num is %u: the device has %u port%s, counted from 1", number,
			  device->phys_port_cnt, device->phys_port_cnt == 1 ? "" : "s");
}

/* index is in a table of the port, which has n entries; 0: not known. name: of n. */
static void find_entry(const struct refused_call *f, int n, const char *name)
{
	const int index = (int)record_arg(f->r, "index");

	find_port(f);
	/* a program may read the table until there is no further entry */
	if (!f->c->n && n && (index < 0 || index > n))
		cause_add(f->c, IS_SO, NULL,
			  "index is %d: the table of port %u has the entries 0 to %d (%s %d)",
			  index, (unsigned)record_arg(f->r, "port_num"), n - 1, name, n);
}

static const struct ibv_port_attr *port_of(const struct refused_call *f)
{
	static const struct ibv_port_attr unknown;
	const unsigned number = (unsigned)record_arg(f->r, "port_num");

	return number && number <= LIVE_PORTS ? &f->p->limits.port[number - 1] : &unknown;
}

static void find_gid(const struct refused_call *f)
{
	find_entry(f, port_of(f)->gid_tbl_len, "gid_tbl_len");
}

static void find_pkey(const struct refused_call *f)
{
	find_entry(f, port_of(f)->pkey_tbl_len, "pkey_tbl_len");
}

static void find_group(const struct refused_call *f)
{
	const union ibv_gid *gid = argument(f, 1);
	const struct live_tracked_qp *qp = live_program_qp(f->p, f->r->args[0]);

	if (qp && qp->v.type != IBV_QPT_UD)
		cause_add(f->c, IS_SO, NULL, "%s is %s, and only UD joins a group", qp->v.name,
			  word_name(qp_type_words, qp->v.type));
	if (gid && gid->raw[0] != 0xff)
		cause_add(f->c, IS_SO, NULL, "%s is the GID of no group: those begin with ff",
			  why_gid(gid));
}

/* -------------------------------------------------------------------- extended posts -- */

/* Each datagram needs its address, also if it goes to where the one before it has gone. */
static void find_unaddressed(const struct refused_call *f, const struct live_queues *e)
{
	for (unsigned i = 0; i < e->refused; i++)
		if (e->built.v[i].op && !e->built.v[i].ah)
			cause_add(f->c, IS_SO, NULL,
				  "request %u since ibv_wr_start, %s, has no address: "
				  "ibv_wr_set_ud_addr after each",
				  i + 1, e->built.v[i].built_by->name);
}

static void find_built(const struct refused_call *f)
{
	const struct live_queues *e = live_program_entry(f->p, f->r->args[0]);
	const unsigned used = e ? e->sends.n : 0, room = e ? e->qp.v.cap.max_send_wr : 0;

	if (!e)
		return;
	if (f->r->err == EINVAL && e->qp.v.type == IBV_QPT_UD)
		find_unaddressed(f, e);
	if (f->r->err == ENOMEM && room && used + e->refused > room)
		cause_add(f->c, IS_SO, NULL,
			  "%u requests were built since ibv_wr_start; %s has room for %u "
			  "(max_send_wr), and %u are posted whose completions were not polled",
			  e->refused, e->qp.v.name, room, used);
	if (f->r->err == EOPNOTSUPP && !e->refused)
		cause_add(
			f->c, IS_SO, NULL,
			"since ibv_wr_start there was only an operation that send_ops_flags of %s "
			"does not name (ibv_create_qp_ex)",
			e->qp.v.name);
}

/* --------------------------------------------------------------------------- in use -- */

struct user_names {
	const struct live_program *p;
	uint64_t when;
	unsigned n;
	char *text;
};

/* Only the first ones are named. An object whose end was within librdmacm is not there any more. */
static void add_user_name(void *arg, const struct live_object *user)
{
	const unsigned most = 8;
	struct user_names *names = arg;
	const char *name = live_program_name(names->p, user->address, names->when);

	if (*name && names->n++ < most)
		names->text = temp_text("%s%s%s", names->text, names->n > 1 ? ", " : "", name);
	else if (*name && names->n == most + 1)
		names->text = temp_text("%s and others", names->text);
}

/* Names the users of an object that the program wants to destroy. */
static void find_users(const struct refused_call *f)
{
	const uint64_t object = f->r->args[0];
	const struct live_object *o = live_object_at(f->p->seen, object);
	struct user_names names = { .p = f->p, .when = f->r->end, .text = temp_text("%s", "") };

	live_objects_users(f->p->seen, object, add_user_name, &names);
	if (names.n)
		cause_add(f->c, IS_SO, NULL, "%s is still used by %s: destroy what uses it first",
			  live_program_name(f->p, object, f->r->end), names.text);
	if (o && o->groups > 0)
		cause_add(f->c, IS_SO, NULL,
			  "%s is attached to %d multicast group%s: ibv_detach_mcast first",
			  live_program_name(f->p, object, f->r->end), o->groups,
			  o->groups == 1 ? "" : "s");
}

/* ------------------------------------------------------------------------- all calls -- */

static const struct refused_rule rules[] = {
	{ ROW_ibv_create_qp, 0, find_qp },
	{ ROW_rdma_create_qp, EINVAL, find_qp },
	{ ROW_rdma_create_ep, EINVAL, find_qp },
	{ ROW_ibv_create_cq, EINVAL, find_cq },
	{ ROW_ibv_create_srq, EINVAL, find_srq },
	{ ROW_ibv_modify_srq, 0, find_modify_srq },
	{ ROW_ibv_reg_mr, 0, find_region },
	{ ROW_ibv_reg_mr_iova, 0, find_region },
	{ ROW_ibv_reg_mr_iova2, 0, find_region },
	{ ROW_ibv_rereg_mr, 0, find_region },
	{ ROW_ibv_create_ah, 0, why_path_refused },
	{ ROW_ibv_query_gid, 0, find_gid },
	{ ROW_ibv_query_port, 0, find_port },
	{ ROW_ibv_query_pkey, 0, find_pkey },
	{ ROW_ibv_attach_mcast, EINVAL, find_group },
	{ ROW_ibv_wr_complete, 0, find_built },
};

/* Calls whose first argument is a queue, which has to be known. */
static const struct refused_rule rules_of_queues[] = {
	{ ROW_ibv_modify_qp, 0, why_change_refused },
	{ ROW_ibv_post_send, 0, why_sends_refused },
	{ ROW_ibv_post_recv, 0, why_receives_refused },
	{ ROW_ibv_post_srq_recv, 0, why_receives_refused },
};

void why_apply_rules(const struct refused_rule *rule, size_t n, const struct refused_call *f)
{
	for (const struct refused_rule *end = rule + n; rule < end; rule++)
		if (rule->row == record_call_row(f->r) && (!rule->err || rule->err == f->r->err))
			rule->find(f);
}

/* An object of the parent: a process that was forked has the memory of its objects, but not them.
 */
static void find_inherited(const struct refused_call *f)
{
	const struct live_program *parent = f->p->parent;
	const uint64_t object = f->r->nargs ? f->r->args[0] : 0;
	const char *name = parent ? live_program_name(parent, object, f->p->forked_at) : "";

	if (*name && !live_object_at(f->p->seen, object))
		cause_add(f->c, IS_SO, NULL,
			  "%s was made before fork(), by the parent: a child can use no object of "
			  "it, but may open the device and make its own",
			  name);
}

void why_call_refused(const struct refused_call *f)
{
	const struct record *r = f->r;
	const bool is_of_queue = r->nargs && live_program_queue(f->p, r->args[0]);

	find_inherited(f);
	why_id_call_refused(f);
	if (r->err == EBUSY && r->nargs && r->fn->args[0].role == CALL_GONE)
		find_users(f);
	why_apply_rules(rules, sizeof rules / sizeof *rules, f);
	if (is_of_queue)
		why_apply_rules(rules_of_queues, sizeof rules_of_queues / sizeof *rules_of_queues,
				f);
}
