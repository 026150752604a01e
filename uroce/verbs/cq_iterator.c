/* SPDX-License-Identifier: MIT */
/* Completion queues with an iterator: ibv_create_cq_ex(3). 11.4.2.1. */
#include <errno.h>
#include <string.h>

#include "completion_queue.h"
#include "context.h"
#include "engine.h"
#include "profile.h"

#define KNOWN_WC_FLAGS                                                          \
	(IBV_WC_STANDARD_FLAGS | IBV_WC_EX_WITH_COMPLETION_TIMESTAMP |          \
	 IBV_WC_EX_WITH_COMPLETION_TIMESTAMP_WALLCLOCK | IBV_WC_EX_WITH_CVLAN | \
	 IBV_WC_EX_WITH_FLOW_TAG)
#define KNOWN_FLAGS (IBV_CREATE_CQ_ATTR_SINGLE_THREADED | IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN)

#define KNOWN_ATTRIBUTES (IBV_CQ_INIT_ATTR_MASK_FLAGS | IBV_CQ_INIT_ATTR_MASK_PD)

static struct cq *cq_of(struct ibv_cq_ex *ex)
{
	return (struct cq *)ex;
}

/* The next completion becomes the current one. 0, or ENOENT: there is none. */
static int advance_cq(struct cq *cq)
{
	if (cq_take(cq, &cq->current, NULL, 1) == 0)
		return ENOENT;
	cq->ex.status = cq->current.wc.status;
	cq->ex.wr_id = cq->current.wc.wr_id;
	return 0;
}

/* The current completion belongs to one thread until ibv_end_poll(). */
static int start_poll(struct ibv_cq_ex *ex, struct ibv_poll_cq_attr *attr)
{
	struct cq *cq = cq_of(ex);
	int err;

	if (attr && attr->comp_mask)
		return EINVAL;
	if (cq_empty(cq)) {
		engine_poll_empty(cq);
		if (cq_empty(cq))
			return ENOENT;
	}
	engine_poll_found();
	if (!cq->single)
		pthread_mutex_lock(&cq->polling);
	err = advance_cq(cq);
	if (err && !cq->single)
		pthread_mutex_unlock(&cq->polling);
	return err;
}

static int next_poll(struct ibv_cq_ex *ex)
{
	struct cq *cq = cq_of(ex);

	return cq_empty(cq) ? ENOENT : advance_cq(cq);
}

static void end_poll(struct ibv_cq_ex *ex)
{
	if (!cq_of(ex)->single)
		pthread_mutex_unlock(&cq_of(ex)->polling);
}

#define READS(type, name, member)                 \
	static type name(struct ibv_cq_ex *ex)    \
	{                                         \
		return cq_of(ex)->current.member; \
	}

READS(enum ibv_wc_opcode, read_opcode, wc.opcode)
READS(uint32_t, read_vendor_err, wc.vendor_err)
READS(uint32_t, read_byte_len, wc.byte_len)
READS(__be32, read_imm_data, wc.imm_data)
READS(uint32_t, read_qp_num, wc.qp_num)
READS(uint32_t, read_src_qp, wc.src_qp)
READS(unsigned, read_wc_flags, wc.wc_flags)
READS(uint32_t, read_slid, wc.slid)
READS(uint8_t, read_sl, wc.sl)
READS(uint8_t, read_dlid_path_bits, wc.dlid_path_bits)
READS(uint64_t, read_completion_ts, clock)
READS(uint64_t, read_completion_wallclock_ns, wall)

/* Stands for what is always 0 (a VLAN tag, which the kernel takes off before UDP; the flow tag, as
 * no rule gives another one), for what no flag gives here (tag matching), and for what newer
 * headers have behind the end of the structure. */
static uint64_t read_nothing(struct ibv_cq_ex *ex)
{
	(void)ex;
	return 0;
}

static void fill_ops(struct cq *cq)
{
	uint64_t (*const none)(struct ibv_cq_ex *) = read_nothing;
	struct ibv_cq_ex *ex = &cq->ex;

	for (size_t at = offsetof(struct ibv_cq_ex, start_poll);
	     at + sizeof none <= sizeof cq->room; at += sizeof none)
		memcpy(cq->room + at, &none, sizeof none);
	ex->start_poll = start_poll;
	ex->next_poll = next_poll;
	ex->end_poll = end_poll;
	ex->read_opcode = read_opcode;
	ex->read_vendor_err = read_vendor_err;
	ex->read_byte_len = read_byte_len;
	ex->read_imm_data = read_imm_data;
	ex->read_qp_num = read_qp_num;
	ex->read_src_qp = read_src_qp;
	ex->read_wc_flags = read_wc_flags;
	ex->read_slid = read_slid;
	ex->read_sl = read_sl;
	ex->read_dlid_path_bits = read_dlid_path_bits;
	ex->read_completion_ts = read_completion_ts;
	ex->read_completion_wallclock_ns = read_completion_wallclock_ns;
}

/* The functions of fields that the program did not ask for. */
static void leave_out(struct ibv_cq_ex *ex, uint64_t asked)
{
#define LEAVE_OUT(flag, name)                 \
	if (!(asked & IBV_WC_EX_WITH_##flag)) \
		ex->name = NULL;
	LEAVE_OUT(BYTE_LEN, read_byte_len)
	LEAVE_OUT(IMM, read_imm_data)
	LEAVE_OUT(QP_NUM, read_qp_num)
	LEAVE_OUT(SRC_QP, read_src_qp)
	LEAVE_OUT(SLID, read_slid)
	LEAVE_OUT(SL, read_sl)
	LEAVE_OUT(DLID_PATH_BITS, read_dlid_path_bits)
	LEAVE_OUT(COMPLETION_TIMESTAMP, read_completion_ts)
	LEAVE_OUT(COMPLETION_TIMESTAMP_WALLCLOCK, read_completion_wallclock_ns)
	LEAVE_OUT(CVLAN, read_cvlan)
	LEAVE_OUT(FLOW_TAG, read_flow_tag)
	LEAVE_OUT(TM_INFO, read_tm_info)
#undef LEAVE_OUT
}

struct ibv_cq_ex *cq_create_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	const bool has_flags = attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_FLAGS;
	struct pd *pd = NULL;
	struct cq *cq;

	if ((attr->comp_mask & ~(uint32_t)KNOWN_ATTRIBUTES) ||
	    (attr->wc_flags & ~(uint64_t)KNOWN_WC_FLAGS) ||
	    (has_flags && (attr->flags & ~(uint32_t)KNOWN_FLAGS)))
		return fail_null(EOPNOTSUPP);
	if (attr->comp_mask & IBV_CQ_INIT_ATTR_MASK_PD) {
		pd = to_pd(attr->parent_domain);
		if (!pd || pd->domain == pd || pd->v.context != context)
			return fail_null(EINVAL);
	}
	cq = cq_new(context, attr->cqe, attr->cq_context, attr->channel, attr->comp_vector, pd);
	if (!cq)
		return NULL;
	cq->wc_flags = (unsigned)attr->wc_flags;
	cq->single = has_flags && (attr->flags & IBV_CREATE_CQ_ATTR_SINGLE_THREADED);
	cq->drops = has_flags && (attr->flags & IBV_CREATE_CQ_ATTR_IGNORE_OVERRUN);
	fill_ops(cq);
	if (profile_is_strict)
		leave_out(&cq->ex, attr->wc_flags);
	return &cq->ex;
}
