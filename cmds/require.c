/* SPDX-License-Identifier: MIT */
/*
 * require: the requirements of a script. If one is not met, the script ends as skipped (exit code
 * 77), not as failed. At the prompt it is only an error.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "alloc.h"
#include "call_record.h"
#include "check/check.h"
#include "command/cmd.h"
#include "object_args.h"
#include "object_make.h"
#include "objects.h"
#include "out.h"
#include "recorded.h"
#include "session.h"

struct capability {
	const char *name;
	const char *lacks; /* after the device's name: "has no atomics" */
	/* Is it there? n: what it is, or the number after the word. */
	bool (*probe)(const struct dev *dev, uint64_t n);
	uint64_t n;
	bool counted; /* a number follows the word */
};

/* -------------------------------------------------------------- probes -- */

static bool any_device(const struct dev *dev, uint64_t n)
{
	(void)n;
	return dev;
}

/* Creates one, because no attribute tells. */
static bool makes_qp(const struct dev *dev, uint64_t type)
{
	struct ibv_qp_init_attr init = { .qp_type = (enum ibv_qp_type)type,
					 .cap = { 1, 1, 1, 1, 0 } };
	struct ibv_qp *qp;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	bool made;

	record_aside(1);
	pd = ibv_alloc_pd(dev->v);
	cq = ibv_create_cq(dev->v, 4, NULL, NULL, 0);
	init.send_cq = init.recv_cq = cq;
	qp = pd && cq ? ibv_create_qp(pd, &init) : NULL;
	made = qp;
	if (qp)
		ibv_destroy_qp(qp);
	if (cq)
		ibv_destroy_cq(cq);
	if (pd)
		ibv_dealloc_pd(pd);
	record_aside(-1);
	return made;
}

/* The member of struct ibv_device_attr at this offset is not zero. */
static bool has_attr(const struct dev *dev, uint64_t offset)
{
	int value;

	memcpy(&value, (const char *)&dev->attr.orig_attr + offset, sizeof value);
	return value > 0;
}

static bool has_cap(const struct dev *dev, uint64_t flags)
{
	return (dev->attr.orig_attr.device_cap_flags | dev->attr.device_cap_flags_ex) & flags;
}

static bool has_odp(const struct dev *dev, uint64_t n)
{
	(void)n;
	return dev->attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
}

static bool is_link(const struct dev *dev, uint64_t layer)
{
	struct ibv_port_attr port;

	return !dev->iwarp && ibv_query_port(dev->v, 1, &port) == 0 && port.link_layer == layer;
}

static bool is_iwarp(const struct dev *dev, uint64_t is)
{
	return dev->iwarp == is;
}

static unsigned active_ports(struct ibv_device *device)
{
	struct ibv_context *v = ibv_open_device(device);
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	unsigned n = 0;

	if (v && ibv_query_device(v, &attr) == 0)
		for (uint8_t i = 1; i && i <= attr.phys_port_cnt; i++)
			n += ibv_query_port(v, i, &port) == 0 && port.state == IBV_PORT_ACTIVE;
	if (v)
		ibv_close_device(v);
	return n;
}

/* Of all devices of the machine. */
static bool has_ports(const struct dev *dev, uint64_t n)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	unsigned active = 0;

	(void)dev;
	for (unsigned i = 0; list && list[i]; i++)
		active += active_ports(list[i]);
	ibv_free_device_list(list);
	return active >= n;
}

#define ATTR(member) offsetof(struct ibv_device_attr, member)
#define MW_TYPE2     (IBV_DEVICE_MEM_WINDOW_TYPE_2A | IBV_DEVICE_MEM_WINDOW_TYPE_2B)

/* IB_UVERBS_DEVICE_FLUSH_GLOBAL of the kernel; older headers lack it. */
#define FLUSH_GLOBAL_CAP (UINT64_C(1) << 38)

static const struct capability capabilities[] = {
	{ "device", "is not there", any_device, 0, false },
	{ "ports", "and the others have fewer active ports", has_ports, 0, true },
	{ "rc", "has no RC", makes_qp, IBV_QPT_RC, false },
	{ "uc", "has no UC", makes_qp, IBV_QPT_UC, false },
	{ "ud", "has no UD", makes_qp, IBV_QPT_UD, false },
	{ "xrc", "has no XRC", has_cap, IBV_DEVICE_XRC, false },
	{ "srq", "has no shared receive queues", has_attr, ATTR(max_srq), false },
	{ "mw", "has no memory windows", has_cap, IBV_DEVICE_MEM_WINDOW, false },
	{ "mw-type2", "has no memory windows of type 2", has_cap, MW_TYPE2, false },
	{ "atomics", "has no atomics", has_attr, ATTR(atomic_cap), false },
	{ "imm", "has no immediate data", is_iwarp, false, false },
	{ "send-inv", "has no send with invalidate", has_cap, IBV_DEVICE_MEM_MGT_EXTENSIONS,
	  false },
	{ "multicast", "has no multicast", has_attr, ATTR(max_mcast_grp), false },
	{ "flush", "has no FLUSH", has_cap, FLUSH_GLOBAL_CAP, false },
	{ "odp", "has no on-demand paging", has_odp, 0, false },
	{ "roce", "is not RoCE", is_link, IBV_LINK_LAYER_ETHERNET, false },
	{ "ib", "is not InfiniBand", is_link, IBV_LINK_LAYER_INFINIBAND, false },
	{ "iwarp", "is not iWARP", is_iwarp, true, false },
	{ 0 },
};

/* ------------------------------------------------------------- command -- */

struct require_args {
	struct many words; /* const char * */
	Tcl_Obj *expr;
	struct dev *dev;
};

static void complete_requirements(struct session *s, const struct arg *a, Tcl_Obj *words)
{
	(void)s, (void)a;
	for (const struct capability *c = capabilities; c->name; c++)
		value_append(words, c->name);
}

static const struct arg_kind kind_capability = { .word = "what",
						 .size = sizeof(char *),
						 .parse = args_parse_str,
						 .complete = complete_requirements };

static const struct arg require_args[] = {
	POS_MANY("what", require_args, words, kind_capability,
		 "capabilities, or the reason of -true"),
	OPT("true", require_args, expr, kind_obj, "an expression that must hold"),
	OPT("device", require_args, dev, kind_dev_opt, "device that must have them"), ARGS_END
};

static int fail_unmet(struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static int fail_unmet(struct session *s, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	if (!s->opt.interactive)
		verdict_skipped(s, text);
	return fail(s, "require", "UNMET", "require %s", text);
}

static const struct capability *find_capability(struct session *s, const char *word)
{
	const struct capability *c = capabilities;
	SCOPED_LIST(names);

	while (c->name && strcmp(c->name, word) != 0)
		c++;
	if (c->name)
		return c;
	complete_requirements(s, NULL, names);
	fail(s, "require", "EINVAL", "require: '%s' is not known%s", word,
	     mistake_did_you_mean(cmd_suggest(word, names)));
	fail_row(s, "one of", "%s", Tcl_GetString(names));
	return NULL;
}

static const char *transport_of(const struct dev *dev)
{
	return dev->iwarp				 ? "iWARP"
	       : is_link(dev, IBV_LINK_LAYER_INFINIBAND) ? "InfiniBand"
							 : "RoCE";
}

/* The number after a counted word. */
static int parse_number(struct session *s, const char *word, const char *of, uint64_t *n)
{
	bool fits;

	if (word && args_number(word, n, &fits) && fits)
		return 0;
	return fail(s, "require", "EINVAL", "require %s needs a number", of);
}

static int check_words(struct session *s, const struct require_args *a)
{
	const char *const *word = a->words.v;
	struct dev *dev = a->dev ? a->dev : dev_default(s);

	for (size_t i = 0; i < a->words.n; i++) {
		const struct capability *c = find_capability(s, word[i]);
		uint64_t n;

		if (!c)
			return -1;
		n = c->n;
		if (!dev)
			return fail_unmet(s, "%s: there is no RDMA device", c->name);
		if (c->counted &&
		    parse_number(s, i + 1 < a->words.n ? word[++i] : NULL, c->name, &n))
			return -1;
		if (c->probe(dev, n))
			continue;
		if (c->counted)
			return fail_unmet(s, "%s %llu: %s %s", c->name, (unsigned long long)n,
					  dev->o.name, c->lacks);
		return fail_unmet(s, "%s: %s (%s) %s", c->name, dev->o.name, transport_of(dev),
				  c->lacks);
	}
	return 0;
}

static int check_true(struct session *s, const struct require_args *a)
{
	const char *const *word = a->words.v;
	int holds;

	if (a->words.n > 1)
		return fail(s, "require", "EINVAL", "require -true EXPR REASON: quote the reason");
	if (Tcl_ExprBooleanObj(s->tcl, a->expr, &holds) != TCL_OK)
		return fail(s, "require", "EINVAL", "require -true: %s",
			    Tcl_GetStringResult(s->tcl));
	Tcl_ResetResult(s->tcl);
	if (holds)
		return 0;
	return fail_unmet(s, "%s", a->words.n ? word[0] : Tcl_GetString(a->expr));
}

static int require_exec(struct session *s, const void *args, struct out *o)
{
	const struct require_args *a = args;

	(void)o;
	if (!a->expr && !a->words.n)
		return fail(s, "require", "EINVAL",
			    "require needs a capability: 'help require' lists them");
	return a->expr ? check_true(s, a) : check_words(s, a);
}

/** For the first lines of a script. Words: device, ports N (active ones of all
 * devices), rc, uc, ud, xrc, srq, mw, mw-type2, atomics, imm, send-inv, multicast,
 * flush, odp, roce, ib, iwarp. -true takes an expression, and a reason to print. If a
 * requirement is not met, the script prints '1..0 # SKIP' and the reason, and ends with
 * exit code 77, which test runners count as skipped (under prove with 0).
 * > require device rc
 * > require ports 1
 * > require -true {1 + 1 == 2} "arithmetic" */
const struct cmd cmd_require = {
	.name = "require",
	.family = "scripts",
	.summary = "skip the script unless this machine has what it needs",
	.calls = "ibv_query_device_ex(3), ibv_query_port(3)",
	.args = require_args,
	.exec = require_exec,
};
