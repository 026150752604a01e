/* SPDX-License-Identifier: MIT */
/* Why calls are refused and events of the connection manager come, where no device of a test says
 * so: a GID without an interface, a Q_Key of the privileged, no room for a QP, reasons of other
 * hosts. The calls are recorded, but not made. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "call_record.h"
#include "checks.h"
#include "event_rules.h"
#include "live_program.h"
#include "recorded.h"
#include "refused_calls.h"
#include "why.h"

#define PTR(p) ((uint64_t)(uintptr_t)(p))

static struct ibv_context context;
static struct ibv_pd pd = { .context = &context };
static struct ibv_cq cq = { .context = &context };
static struct ibv_qp qp = { .context = &context, .pd = &pd, .qp_num = 17 };
static struct live_program *live;
static struct causes causes; /* of the last call that has failed */

static void take(void *arg, const struct record *r)
{
	const struct refused_call refused = { live, r, &causes };

	(void)arg;
	causes_free(&causes);
	live_program_take(live, r, &record_own_objects);
	if (r->err)
		why_call_refused(&refused);
}

static void call(enum call_row row, const uint64_t *args, uint64_t result, int err)
{
	struct record_call c;

	record_begin(&c, row, args, (struct record_from){ 0 });
	errno = err;
	record_end(&c, result);
}

static void create_qp(enum ibv_qp_type type, int err)
{
	struct ibv_qp_init_attr init = {
		.send_cq = &cq, .recv_cq = &cq, .cap = { 8, 8, 2, 2, 0 }, .qp_type = type
	};

	qp.qp_type = type;
	call(ROW_ibv_create_qp, (uint64_t[]){ PTR(&pd), PTR(&init) }, err ? 0 : PTR(&qp), err);
}

/* Is it the only cause, with that certainty, and with these words? */
static void caused(enum verdict verdict, const char *words)
{
	CHECK_INT(causes.n, 1);
	if (causes.n != 1)
		return;
	CHECK_INT(causes.v[0].verdict, verdict);
	if (!strstr(causes.v[0].text, words))
		CHECK_STR(causes.v[0].text, words);
}

static void a_q_key_of_the_privileged(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_INIT, .port_num = 1, .qkey = 0x80010000 };
	const int mask = IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY;

	create_qp(IBV_QPT_UD, 0);
	call(ROW_ibv_modify_qp, (uint64_t[]){ PTR(&qp), PTR(&attr), mask }, EPERM, EPERM);
	caused(IS_SO, "QKEY 0x80010000");
	attr.qkey = 1;
	call(ROW_ibv_modify_qp, (uint64_t[]){ PTR(&qp), PTR(&attr), mask }, EPERM, EPERM);
	CHECK_INT(causes.n, 0);
}

static void a_gid_without_an_interface(void)
{
	struct ibv_ah_attr attr = { .is_global = 1, .grh.sgid_index = 3, .port_num = 1 };

	call(ROW_ibv_create_ah, (uint64_t[]){ PTR(&pd), PTR(&attr) }, 0, ENODEV);
	caused(MAY_BE, "sgid_index 3 has no network interface");
	attr.is_global = 0;
	call(ROW_ibv_create_ah, (uint64_t[]){ PTR(&pd), PTR(&attr) }, 0, ENODEV);
	CHECK_INT(causes.n, 0);
}

static void no_room_for_a_qp(void)
{
	create_qp(IBV_QPT_RC, ENOMEM);
	caused(MAY_BE, "no more QPs");
}

static void event(enum rdma_cm_event_type type, int status)
{
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(7471) };
	const struct failed_event e = { type, status, (const struct sockaddr *)&to };

	inet_pton(AF_INET, "10.0.0.2", &to.sin_addr);
	causes_free(&causes);
	why_event_failed(&e, &causes);
}

static void events(void)
{
	event(RDMA_CM_EVENT_REJECTED, 8);
	caused(IS_SO, "nobody listens at 10.0.0.2, port 7471");
	event(RDMA_CM_EVENT_REJECTED, 10);
	caused(IS_SO, "10.0.0.2, port 7471 still has a connection");
	event(RDMA_CM_EVENT_REJECTED, 28); /* the program alone knows why */
	CHECK(causes.n > 1);
	CHECK_INT(causes_confirmed(&causes), 0);
	event(RDMA_CM_EVENT_UNREACHABLE, 1); /* the status of a SIDR response */
	caused(IS_SO, "nobody listens");
	event(RDMA_CM_EVENT_UNREACHABLE, 3);
	CHECK_INT(causes.n, 0); /* the status says it all */
	event(RDMA_CM_EVENT_UNREACHABLE, -ETIMEDOUT);
	CHECK_INT(causes_confirmed(&causes), 0);
	CHECK_STR(causes.n ? causes.v[0].next : NULL, "!ping -c 1 10.0.0.2");
	event(RDMA_CM_EVENT_ADDR_ERROR, -ENETUNREACH);
	caused(IS_SO, "no route to 10.0.0.2");
}

int main(void)
{
	live = live_program_new();
	record_learn(take, NULL);
	a_q_key_of_the_privileged();
	a_gid_without_an_interface();
	no_room_for_a_qp();
	events();
	causes_free(&causes);
	live_program_free(live);
	return checks_end();
}
