// SPDX-License-Identifier: MIT
/*
 * limits probe: finds the largest QP capabilities for which ibv_create_qp(3) succeeds, and compares
 * them with the device's attributes. There is no attribute for max_inline_data.
 */
#include <errno.h>

#include "call_record.h"
#include "command/cmd.h"
#include "objects.h"
#include "session.h"
#include "words.h"

struct probe {
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	enum ibv_qp_type type;
};

struct limit {
	const char *name;
	void (*set)(struct ibv_qp_cap *cap, uint32_t n);
	int (*said)(const struct ibv_device_attr *a); /* NULL: there is no attribute */
};

static void set_inline(struct ibv_qp_cap *cap, uint32_t n)
{
	cap->max_inline_data = n;
}

static void set_send_wr(struct ibv_qp_cap *cap, uint32_t n)
{
	cap->max_send_wr = n;
}

static void set_recv_wr(struct ibv_qp_cap *cap, uint32_t n)
{
	cap->max_recv_wr = n;
}

static void set_send_sge(struct ibv_qp_cap *cap, uint32_t n)
{
	cap->max_send_sge = n;
}

static void set_recv_sge(struct ibv_qp_cap *cap, uint32_t n)
{
	cap->max_recv_sge = n;
}

static int said_wr(const struct ibv_device_attr *a)
{
	return a->max_qp_wr;
}

static int said_sge(const struct ibv_device_attr *a)
{
	return a->max_sge;
}

static const struct limit limits[] = {
	{ "max_inline_data", set_inline, NULL },    { "max_send_wr", set_send_wr, said_wr },
	{ "max_recv_wr", set_recv_wr, said_wr },    { "max_send_sge", set_send_sge, said_sge },
	{ "max_recv_sge", set_recv_sge, said_sge },
};

/* Does ibv_create_qp() succeed? If not, *err is its errno. */
static bool can_create(const struct probe *p, const struct limit *l, uint32_t n, int *err)
{
	struct ibv_qp_init_attr init = {
		.qp_type = p->type, .send_cq = p->cq, .recv_cq = p->cq, .cap = { 1, 1, 1, 1, 0 }
	};
	struct ibv_qp *qp;

	l->set(&init.cap, n);
	qp = ibv_create_qp(p->pd, &init);
	if (!qp) {
		*err = errno ? errno : EINVAL;
		return false;
	}
	ibv_destroy_qp(qp);
	return true;
}

#define MOST (1u << 26) /* more than any device supports */

/* Finds the largest n that works. Starts at the reported limit (0: none), moves up if that works,
 * else down, in steps that double, and then bisects. *err is the errno for n + 1. */
static uint32_t find_largest(const struct probe *p, const struct limit *l, uint32_t said, int *err)
{
	uint32_t good = said, bad = said, step = 1;

	if (!said || can_create(p, l, said, err)) {
		for (; good + step < MOST && can_create(p, l, good + step, err); step *= 2)
			good += step;
		bad = good + step;
	} else {
		for (; step < bad && !can_create(p, l, bad - step, err); step *= 2)
			bad -= step;
		good = step < bad ? bad - step : 0;
	}
	while (bad - good > 1) {
		uint32_t middle = good + (bad - good) / 2;

		if (can_create(p, l, middle, err))
			good = middle;
		else
			bad = middle;
	}
	return good;
}

static void probe_type(const struct probe *p, const struct ibv_device_attr *attr, struct out *o)
{
	out_dict(o, word_name(qp_type_words, p->type));
	out_text(o, "%s\n", word_name(qp_type_words, p->type));
	for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
		int said = limits[i].said ? limits[i].said(attr) : 0, err = 0;
		uint32_t n = find_largest(p, &limits[i], said > 0 ? (uint32_t)said : 0, &err);

		out_u64(o, limits[i].name, n, "  %-16s %8u", limits[i].name, n);
		if (limits[i].said)
			out_text(o, "  the device says %d", said);
		out_text(o, "  (one more: %s)\n", err ? strerrorname_np(err) : "not tried");
	}
	out_end(o);
}

struct limits_args {
	struct dev *dev;
};

static const struct arg limits_args[] = {
	POS_OPT("device", limits_args, dev, kind_dev, "device; else the first"), ARGS_END
};

static int probe_all(struct session *s, struct dev *dev, struct out *o)
{
	static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	struct probe p = { .pd = ibv_alloc_pd(dev->v) };
	int err = errno;

	if (!p.pd)
		return fail_call(s, err, "ibv_alloc_pd", "%s", dev->o.name);
	p.cq = ibv_create_cq(dev->v, 1, NULL, NULL, 0);
	err = errno;
	if (!p.cq) {
		ibv_dealloc_pd(p.pd);
		return fail_call(s, err, "ibv_create_cq", "%s", dev->o.name);
	}
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		p.type = types[i];
		if (!loop_interrupted(s->loop))
			probe_type(&p, &dev->attr.orig_attr, o);
	}
	ibv_destroy_cq(p.cq);
	ibv_dealloc_pd(p.pd);
	return 0;
}

static int limits_exec(struct session *s, const void *args, struct out *o)
{
	int rc;

	record_aside(1);
	rc = probe_all(s, ((const struct limits_args *)args)->dev, o);
	record_aside(-1);
	return rc;
}

static const struct cmd_eg limits_egs[] = {
	{ "limits probe", "max_inline_data" },
	{ "dict get [limits probe] RC max_send_wr", NULL },
	{ NULL, NULL },
};

const struct cmd cmd_limits_probe = {
	.name = "limits probe",
	.family = "device",
	.summary = "find the largest QPs that the device can create",
	.text = "Calls ibv_create_qp with growing values, and finds the limit of each capability by\n"
		"bisection while the others are 1. The limits that a device reports (see device) are\n"
		"not always exact, and there is none for max_inline_data. Limits of locked memory\n"
		"apply, too.",
	.calls = "ibv_create_qp(3), ibv_query_device_ex(3)",
	.examples = limits_egs,
	.args = limits_args,
	.size = sizeof(struct limits_args),
	.flags = CMD_NO_RECORD,
	.exec = limits_exec,
};
