/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "context.h"
#include "fake_verbs.h"
#include "link.h"
#include "queue_pair.h"
#include "transport.h"

/* -- the environment -- */

const char *fake_name_refused;

const char *device_name(void)
{
	return "uroce0";
}

int device_name_check(char *reason, size_t size)
{
	if (!fake_name_refused)
		return 0;
	snprintf(reason, size, "%s", fake_name_refused);
	errno = EINVAL;
	return -1;
}

/* ::ffff:192.0.2.1, nothing, ::1 */
static const struct rig_address addresses[] = {
	{ "::ffff:192.0.2.1", "eth0", 2, 1500 },
	{ NULL, NULL, 0, 0 },
	{ "::1", "lo", 1, 65536 },
};

void fake_addresses(bool any)
{
	rig_addresses(addresses, any ? 3 : 0);
}

/* -- QPs -- */

static struct qp *qps[8];
unsigned fake_failures;
int fake_last_event;
struct ibv_mw_bind fake_posted;
uint32_t fake_posted_rkey;
int fake_post_error;

void fake_qp_add(struct qp *qp)
{
	for (unsigned i = 0; i < 8; i++)
		if (!qps[i]) {
			qps[i] = qp;
			return;
		}
}

void fake_qps_clear(void)
{
	memset(qps, 0, sizeof qps);
}

void qp_each(void (*fn)(struct qp *qp, void *arg), void *arg)
{
	for (unsigned i = 0; i < 8; i++)
		if (qps[i])
			fn(qps[i], arg);
}

void transport_fail(struct qp *qp, int event)
{
	fake_failures++;
	fake_last_event = event;
	qp->attr.qp_state = IBV_QPS_ERR;
}

int post_bind(struct ibv_qp *qp, struct ibv_mw *mw, uint32_t rkey, const struct ibv_mw_bind *b)
{
	(void)qp;
	(void)mw;
	fake_posted = *b;
	fake_posted_rkey = rkey;
	return fake_post_error;
}

void mcast_refresh(void)
{
}

void mcast_leave(struct qp *qp)
{
	qp->mcast = 0;
}

void context_ops_qp(struct context *c)
{
	(void)c;
}

void context_ops_srq(struct context *c)
{
	(void)c;
}
