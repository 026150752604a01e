/* SPDX-License-Identifier: MIT */
/* The device: ibv_get_device_list(3), ibv_open_device(3), and what it says of itself:
 * ibv_query_device(3), ibv_query_port(3), ibv_query_gid(3). Volume 1, 11.2.1. */
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "context.h"
#include "counters.h"
#include "engine.h"
#include "export.h"
#include "gid.h"
#include "lent.h"
#include "link.h"
#include "own_fd.h"
#include "packet.h"
#include "queue_pair.h"
#include "random.h"
#include "region.h"
#include "transport.h"

/* The macro of verbs.h is for those who link the providers statically. */
#undef ibv_get_device_list

struct device devices[DEVICES_MAX];

__attribute__((constructor)) static void name_devices(void)
{
	devices_read();
	for (unsigned i = 0; i < device_count(); i++) {
		struct ibv_device *v = &devices[i].v;

		devices[i].number = i;
		v->node_type = IBV_NODE_CA;
		v->transport_type = IBV_TRANSPORT_IB;
		snprintf(v->name, sizeof v->name, "%s", device_name(i));
		snprintf(v->ibdev_path, sizeof v->ibdev_path, "/sys/class/infiniband/%s",
			 device_name(i));
		snprintf(v->dev_name, sizeof v->dev_name, "uverbs_uroce%u", i);
		snprintf(v->dev_path, sizeof v->dev_path,
			 "/sys/class/infiniband_verbs/uverbs_uroce%u", i);
	}
}

struct contexts contexts = TAILQ_HEAD_INITIALIZER(contexts);

static uint32_t contexts_opened;     /* ever */
static _Atomic uint64_t chosen_guid; /* 0: not chosen yet */

__be64 device_guid(unsigned device)
{
	uint64_t now = atomic_load(&chosen_guid), mine;
	uint32_t r;

	if (!now) {
		random_bytes(&r, sizeof r);
		mine = 0x0200c0fffe000000 | (r & 0xffffff);
		if (atomic_compare_exchange_strong(&chosen_guid, &now, mine))
			now = mine;
	}
	return htobe64((now & ~UINT64_C(0xffffff)) | ((now + device) & 0xffffff));
}

void device_forget(void)
{
	struct context *c;

	atomic_store(&chosen_guid, 0);
	for (unsigned i = 0; i < device_count(); i++)
		devices[i].failed = false;
	event_forget();
	xrc_forget();
	TAILQ_FOREACH(c, &contexts, open) {
		c->orphan = true;
		event_forget_all(c); /* taken by threads that are not here */
	}
}

/* Says once what the variable is called now. */
static void note_old_variable(void)
{
	static atomic_flag noted = ATOMIC_FLAG_INIT;
	const char *now = getenv("UROCE_DEVICES"), *old = getenv("UROCE_NAME");

	if ((!now || !*now) && old && *old && !atomic_flag_test_and_set(&noted))
		fputs("uroce: note: UROCE_NAME is called UROCE_DEVICES now; the old word goes with "
		      "release 0.4\n",
		      stderr);
}

/* If UROCE_DEVICES is refused, the user is told here: a program that looks for it would only say
 * that there is no such device. */
EXPORT struct ibv_device **ibv_get_device_list(int *num_devices)
{
	struct ibv_device **list = NULL;
	char reason[256];

	note_old_variable();
	if (devices_check(reason, sizeof reason) == 0)
		list = calloc(device_count() + 1, sizeof *list);
	else
		fprintf(stderr, "uroce: %s\n", reason);
	if (num_devices)
		*num_devices = list ? (int)device_count() : 0;
	for (unsigned i = 0; list && i < device_count(); i++)
		list[i] = &devices[i].v;
	return list;
}

EXPORT void ibv_free_device_list(struct ibv_device **list)
{
	free(list);
}

EXPORT const char *ibv_get_device_name(struct ibv_device *device)
{
	return device->name;
}

/* The kernel gives the device no number. */
EXPORT int ibv_get_device_index(struct ibv_device *device)
{
	(void)device;
	return -1;
}

EXPORT __be64 ibv_get_device_guid(struct ibv_device *device)
{
	return device_guid(to_device(device)->number);
}

EXPORT enum ibv_fork_status ibv_is_fork_initialized(void)
{
	return IBV_FORK_UNNEEDED;
}

int ibv_dontfork_range(void *base, size_t size);
int ibv_dofork_range(void *base, size_t size);

EXPORT int ibv_dontfork_range(void *base, size_t size)
{
	(void)base;
	(void)size;
	return 0;
}

EXPORT int ibv_dofork_range(void *base, size_t size)
{
	(void)base;
	(void)size;
	return 0;
}

/* ----------------------------------------------------- queries: 11.2.1.2 -- */

#undef ibv_query_port

#define PORTS		1
#define WIDTH_1X	1
#define SPEED_SDR	1	 /* 2.5 Gb/s: as rdma_rxe, which does not know its speed either */
#define SPEED_OF_SDR	25	 /* in 100 Mb/s, one lane */
#define VENDOR_ID	0x0200c0 /* the OUI of device_guid(), which is nobody's: locally administered */
#define PHYS_DISABLED	3
#define PHYS_LINK_UP	5
#define GID_TYPE_ROCE_2 IBV_GID_TYPE_ROCE_V2

static const unsigned capabilities = IBV_DEVICE_BAD_PKEY_CNTR | IBV_DEVICE_BAD_QKEY_CNTR |
				     IBV_DEVICE_UD_AV_PORT_ENFORCE | IBV_DEVICE_CURR_QP_STATE_MOD |
				     IBV_DEVICE_SYS_IMAGE_GUID | IBV_DEVICE_RC_RNR_NAK_GEN |
				     IBV_DEVICE_SRQ_RESIZE | IBV_DEVICE_MEM_WINDOW |
				     IBV_DEVICE_MEM_MGT_EXTENSIONS | IBV_DEVICE_MEM_WINDOW_TYPE_2B |
				     IBV_DEVICE_XRC;

/* The kernel's bits: IB_UVERBS_DEVICE_FLUSH_GLOBAL, ATOMIC_WRITE. */
#define CAP_FLUSH_GLOBAL (UINT64_C(1) << 38)
#define CAP_ATOMIC_WRITE (UINT64_C(1) << 40)

static void device_attr(const struct ibv_context *c, struct ibv_device_attr *a)
{
	*a = (struct ibv_device_attr){
		.node_guid = device_guid(context_device(c)),
		.sys_image_guid = device_guid(0), /* one adapter has all */
		.vendor_id = VENDOR_ID,
		.max_mr_size = UINT64_MAX,
		.page_size_cap = 0xfffff000,
		.max_qp = MAX_QP,
		.max_qp_wr = MAX_QP_WR,
		.device_cap_flags = capabilities,
		.max_sge = MAX_SGE,
		.max_sge_rd = MAX_SGE,
		.max_cq = MAX_CQ,
		.max_cqe = MAX_CQE,
		.max_mr = MAX_MR,
		.max_pd = MAX_PD,
		.max_qp_rd_atom = MAX_RD_ATOM,
		.max_res_rd_atom = MAX_QP * MAX_RD_ATOM,
		.max_qp_init_rd_atom = MAX_RD_ATOM,
		/* they are instructions of the CPU, on the memory itself */
		.atomic_cap = IBV_ATOMIC_GLOB,
		.max_mw = MAX_MW,
		.max_mcast_grp = MAX_MCAST_GROUPS,
		.max_mcast_qp_attach = MAX_MCAST_QPS,
		.max_total_mcast_qp_attach = MAX_MCAST_GROUPS * MAX_MCAST_QPS,
		.max_ah = MAX_AH,
		.max_srq = MAX_SRQ,
		.max_srq_wr = MAX_SRQ_WR,
		.max_srq_sge = MAX_SGE,
		.max_pkeys = 1,
		.local_ca_ack_delay = LOCAL_ACK_DELAY,
		.phys_port_cnt = PORTS,
	};
	snprintf(a->fw_ver, sizeof a->fw_ver, "%s", UROCE_VERSION);
}

EXPORT int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attr)
{
	SCOPED_ENGINE_LOCK();
	if (context_failed(context))
		return EIO;
	device_attr(context, attr);
	return 0;
}

/* Structures grow at their end: a caller with a larger one gets zeros there, a caller with
 * a smaller one what fits. */
static void hand_over(void *to, size_t size, const void *from, size_t len)
{
	memset(to, 0, size);
	memcpy(to, from, size < len ? size : len);
}

/* Nothing is pinned, so any memory may come and go. If it is not on demand, missing memory is an
 * error when it is registered. */
#define ODP_UD (IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV)
#define ODP_UC (ODP_UD | IBV_ODP_SUPPORT_WRITE)
#define ODP_RC (ODP_UC | IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_ATOMIC | IBV_ODP_SUPPORT_SRQ_RECV)

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t size)
{
	struct ibv_device_attr_ex a = {
		.completion_timestamp_mask = UINT64_MAX,
		.hca_core_clock = 1000000, /* kHz: nanoseconds */
		.device_cap_flags_ex = capabilities | CAP_FLUSH_GLOBAL | CAP_ATOMIC_WRITE,
		.odp_caps = {
			.general_caps = IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT,
			.per_transport_caps = { ODP_RC, ODP_UC, ODP_UD },
		},
		.max_dm_size = MAX_DM,
		.xrc_odp_caps = ODP_RC,
		.phys_port_cnt_ex = PORTS,
	};

	if ((input && input->comp_mask) || size < offsetof(struct ibv_device_attr_ex, odp_caps))
		return EINVAL;
	SCOPED_ENGINE_LOCK();
	if (context_failed(context))
		return EIO;
	device_attr(context, &a.orig_attr);
	hand_over(attr, size, &a, sizeof a);
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr,
		      size_t size)
{
	struct ibv_port_attr a = {
		.max_mtu = IBV_MTU_4096,
		.gid_tbl_len = GID_ENTRIES,
		.port_cap_flags = IBV_PORT_CM_SUP | IBV_PORT_IP_BASED_GIDS,
		.max_msg_sz = MAX_MESSAGE,
		.pkey_tbl_len = 1,
		.max_vl_num = 1,
		.active_width = WIDTH_1X,
		.active_speed = SPEED_SDR,
		.link_layer = IBV_LINK_LAYER_ETHERNET,
		.flags = IBV_QPF_GRH_REQUIRED,
	};
	const unsigned device = context_device(context);

	if (port != PORTS)
		return EINVAL;
	SCOPED_ENGINE_LOCK();
	if (context_failed(context))
		return EIO;
	a.state = gid_port_is_up(device) ? IBV_PORT_ACTIVE : IBV_PORT_DOWN;
	a.phys_state = gid_port_is_up(device) ? PHYS_LINK_UP : PHYS_DISABLED;
	a.active_mtu = gid_active_mtu(device);
	a.bad_pkey_cntr = (uint32_t)counters[CNT_BAD_PKEY];
	a.qkey_viol_cntr = (uint32_t)counters[CNT_BAD_QKEY];
	hand_over(attr, size, &a, sizeof a);
	return 0;
}

/* Of release 62 of rdma-core; older headers do not declare it. */
int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num, uint64_t *port_speed);

EXPORT int ibv_query_port_speed(struct ibv_context *context, uint32_t port_num,
				uint64_t *port_speed)
{
	if (port_num != PORTS)
		return errno = EINVAL;
	SCOPED_ENGINE_LOCK();
	if (context_failed(context))
		return errno = EIO;
	*port_speed = SPEED_OF_SDR;
	return 0;
}

/* Callers of this version have the old structure, which ends before port_cap_flags2. */
EXPORT int ibv_query_port(struct ibv_context *context, uint8_t port_num,
			  struct _compat_ibv_port_attr *port_attr)
{
	return query_port(context, port_num, (struct ibv_port_attr *)port_attr,
			  offsetof(struct ibv_port_attr, port_cap_flags2));
}

static struct ibv_gid_entry gid_entry(unsigned index, const struct gid_entry *e)
{
	return (struct ibv_gid_entry){
		.gid = e->gid,
		.gid_index = index,
		.port_num = PORTS,
		.gid_type = GID_TYPE_ROCE_2,
		.ndev_ifindex = e->ifindex,
	};
}

/* ENODATA for an empty entry, as the kernel. */
EXPORT int _ibv_query_gid_ex(struct ibv_context *context, uint32_t port_num, uint32_t gid_index,
			     struct ibv_gid_entry *entry, uint32_t flags, size_t entry_size)
{
	const struct gid_entry *e;
	struct ibv_gid_entry got;

	if (port_num != PORTS || gid_index >= GID_ENTRIES || flags || entry_size < sizeof got)
		return EINVAL;
	SCOPED_ENGINE_LOCK();
	e = gid_at(gid_position(context_device(context), gid_index));
	if (!e)
		return ENODATA;
	got = gid_entry(gid_index, e);
	hand_over(entry, entry_size, &got, sizeof got);
	return 0;
}

EXPORT ssize_t _ibv_query_gid_table(struct ibv_context *context, struct ibv_gid_entry *entries,
				    size_t max_entries, uint32_t flags, size_t entry_size)
{
	size_t n = 0;

	if (!max_entries || flags || entry_size < sizeof *entries)
		return -EINVAL;
	SCOPED_ENGINE_LOCK();
	for (unsigned i = 0; i < GID_ENTRIES && n < max_entries; i++) {
		const struct gid_entry *e = gid_at(gid_position(context_device(context), i));
		struct ibv_gid_entry got;

		if (!e)
			continue;
		got = gid_entry(i, e);
		hand_over((char *)entries + n++ * entry_size, entry_size, &got, sizeof got);
	}
	return (ssize_t)n;
}

/* Older than _ibv_query_gid_ex(): an empty entry is zeros, an error -1. */
static int old_query_gid(struct ibv_context *context, uint8_t port, uint32_t index,
			 struct ibv_gid_entry *e)
{
	int err = _ibv_query_gid_ex(context, port, index, e, 0, sizeof *e);

	return err && err != ENODATA ? fail(err) : 0;
}

EXPORT int ibv_query_gid(struct ibv_context *context, uint8_t port_num, int index,
			 union ibv_gid *gid)
{
	struct ibv_gid_entry e = { 0 };

	if (old_query_gid(context, port_num, (uint32_t)index, &e) != 0)
		return -1;
	*gid = e.gid;
	return 0;
}

/* Not in the public headers; ibv_devinfo and pyverbs use it. 0: IB or RoCEv1, 1: RoCEv2. */
int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned index, int *type);

EXPORT int ibv_query_gid_type(struct ibv_context *context, uint8_t port_num, unsigned index,
			      int *type)
{
	struct ibv_gid_entry e = { 0 };

	if (old_query_gid(context, port_num, index, &e) != 0)
		return -1;
	*type = e.gid_type == GID_TYPE_ROCE_2;
	return 0;
}

EXPORT int ibv_query_pkey(struct ibv_context *context, uint8_t port_num, int index, __be16 *pkey)
{
	(void)context;
	if (port_num != PORTS || index != 0)
		return fail(EINVAL);
	*pkey = htobe16(PKEY_DEFAULT);
	return 0;
}

EXPORT int ibv_get_pkey_index(struct ibv_context *context, uint8_t port_num, __be16 pkey)
{
	(void)context;
	if (port_num != PORTS || pkey != htobe16(PKEY_DEFAULT))
		return fail(EINVAL);
	return 0;
}

static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint32_t wanted = values->comp_mask;

	(void)context;
	values->comp_mask = 0;
	if (wanted & IBV_VALUES_MASK_RAW_CLOCK) {
		if (clock_gettime(CLOCK_MONOTONIC, &values->raw_clock) != 0)
			return errno;
		values->comp_mask |= IBV_VALUES_MASK_RAW_CLOCK;
	}
	return 0;
}

/* ------------------------------------------------------- opening and closing -- */

void (*device_news)(struct ibv_device *failed);

static void addresses_changed(unsigned device, bool table, bool port)
{
	if (port && !gid_port_is_up(device))
		count(CNT_LINK_DOWNED);
	if (port)
		event_port(device,
			   gid_port_is_up(device) ? IBV_EVENT_PORT_ACTIVE : IBV_EVENT_PORT_ERR);
	if (table) {
		mcast_refresh();
		event_port(device, IBV_EVENT_GID_CHANGE);
		if (device_news)
			device_news(NULL);
	}
}

static void context_init(struct context *c, struct ibv_device *device)
{
	struct ibv_context *v = &c->v.context;

	c->v.sz = sizeof c->v;
	v->device = device;
	v->abi_compat = __VERBS_ABI_IS_EXTENDED;
	v->cmd_fd = -1;
	v->num_comp_vectors = COMP_VECTORS;
	pthread_mutex_init(&v->mutex, NULL);
	TAILQ_INIT(&c->events);
	TAILQ_INIT(&c->taken);
	c->v.query_port = query_port;
	c->v.query_device_ex = query_device_ex;
	c->v.query_rt_values = query_rt_values;
	context_ops_cq(c);
	context_ops_qp(c);
	context_ops_srq(c);
	context_ops_mw(c);
	context_ops_mr(c);
	context_ops_pd(c);
}

static void close_cmd_fd(struct context *c)
{
	if (fd_is_marked(c->v.context.cmd_fd))
		close(c->v.context.cmd_fd);
	c->v.context.cmd_fd = -1;
}

EXPORT struct ibv_context *ibv_open_device(struct ibv_device *device)
{
	struct context *c;
	int err;

	if (device < &devices[0].v || device >= &devices[device_count()].v)
		return fail_null(ENODEV);
	c = calloc(1, sizeof *c);
	if (!c)
		return NULL;
	context_init(c, device);
	c->queue = event_queue_new();
	if (!c->queue) {
		err = errno;
		goto undo;
	}
	c->v.context.async_fd = c->queue->fd;
	/* programs dup(2) it */
	c->v.context.cmd_fd = fd_mark(open("/dev/null", O_RDWR | O_CLOEXEC));
	if (c->v.context.cmd_fd < 0) {
		err = errno;
		goto undo;
	}
	lent_look();
	if (engine_get() != 0) {
		err = errno;
		/* errno alone does not tell the user who has the port */
		fprintf(stderr, "uroce: %s\n", engine_reason());
		goto undo;
	}
	engine_lock();
	gid_changed = addresses_changed;
	c->number = contexts_opened++;
	TAILQ_INSERT_TAIL(&contexts, c, open);
	err = context_failed(&c->v.context) ? EIO : 0;
	if (err)
		TAILQ_REMOVE(&contexts, c, open);
	else
		on_purpose_begin();
	engine_unlock();
	if (!err)
		return &c->v.context;
	engine_put();
undo:
	if (c->queue)
		event_queue_close(c->queue);
	close_cmd_fd(c);
	free(c);
	return fail_null(err);
}

static void stop_qp(struct qp *qp, uint8_t cause)
{
	if (qp_state(qp) != IBV_QPS_RESET && qp_state(qp) != IBV_QPS_ERR)
		transport_fail(qp, -1, &(struct uroce_change){ .cause = cause });
}

static void close_qp(struct qp *qp, void *c)
{
	if (qp->ctx != c)
		return;
	mcast_leave(qp);
	stop_qp(qp, UROCE_BY_CLOSE);
}

static void fail_qp(struct qp *qp, void *device)
{
	if (qp->ctx->v.context.device == device)
		stop_qp(qp, UROCE_BY_FAILURE);
}

void device_fail(struct device *d)
{
	if (d->failed)
		return;
	d->failed = true;
	qp_each(fail_qp, &d->v);
	event_port(d->number, IBV_EVENT_DEVICE_FATAL);
	if (device_news)
		device_news(&d->v);
}

/* This is never refused, as with the kernel: objects that were not destroyed stop working. The
 * application leaks their structures, and the context that those point to. */
EXPORT int ibv_close_device(struct ibv_context *context)
{
	struct context *c = to_context(context);
	bool used, orphan = c->orphan;

	engine_lock();
	TAILQ_REMOVE(&contexts, c, open);
	qp_each(close_qp, c);
	event_forget_all(c);
	used = c->objects || c->channels;
	engine_flush();
	event_queue_close(c->queue);
	c->queue = NULL; /* what is left may still raise events */
	context->async_fd = -1;
	close_cmd_fd(c);
	engine_unlock();
	if (!orphan)
		engine_put();
	if (!used) {
		pthread_mutex_destroy(&context->mutex);
		free(c);
	}
	return 0;
}
