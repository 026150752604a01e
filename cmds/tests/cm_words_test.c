/* SPDX-License-Identifier: MIT */
/* Texts of connection management, without a device: addresses, limits, statuses, dumps.
 */
#include <arpa/inet.h>
#include <errno.h>

#include "checks.h"
#include "connection/cm.h"
#include "connection/cm_id.h"
#include "live_program.h"
#include "session.h"

static struct session s;

static const char *host_text(const char *host, uint16_t port)
{
	struct sockaddr_storage sa;

	if (cm_addr_parse(&s, host, port, AF_UNSPEC, &sa))
		return s.fail.code;
	return cm_addr_text((struct sockaddr *)&sa);
}

static void test_addresses(void)
{
	struct sockaddr_storage sa;

	CHECK_STR(host_text("10.0.0.1", 7471), "10.0.0.1:7471");
	CHECK_STR(host_text("fd00::1", 65535), "[fd00::1]:65535");
	CHECK_STR(host_text("fe80::1%lo", 1), "[fe80::1%lo]:1");
	CHECK_STR(host_text("fe80::1", 1), "BADVALUE"); /* on which interface? */
	CHECK_STR(host_text("[fd00::1]", 1), "BADVALUE");
	CHECK_STR(host_text("10.0.0.1:7471", 1), "BADVALUE");
	CHECK_STR(host_text("", 1), "BADVALUE");
	CHECK_INT(cm_addr_parse(&s, NULL, 80, AF_INET6, &sa), 0);
	CHECK(cm_addr_any((struct sockaddr *)&sa));
	CHECK_STR(cm_addr_text((struct sockaddr *)&sa), "[::]:80");
	CHECK_INT(live_port_of((struct sockaddr *)&sa), 80);
}

/* Do n bytes of private data fit, and not one more? */
static void fits(enum rdma_port_space ps, enum call_row row, size_t n, struct ibv_context *v)
{
	struct rdma_cm_id cm = { .verbs = v, .ps = ps };
	struct id id = { .v = &cm, .ps = ps };

	CHECK_INT(cm_data_fits(&s, &id, row, n), 0);
	CHECK_INT(cm_data_fits(&s, &id, row, n + 1), -1);
}

static void test_limits(void)
{
	struct ibv_device rnic = { .node_type = IBV_NODE_RNIC };
	struct ibv_context iwarp = { .device = &rnic };

	fits(RDMA_PS_TCP, ROW_rdma_connect, 56, NULL);
	fits(RDMA_PS_TCP, ROW_rdma_accept, 196, NULL);
	fits(RDMA_PS_TCP, ROW_rdma_reject, 148, NULL);
	fits(RDMA_PS_UDP, ROW_rdma_connect, 180, NULL);
	fits(RDMA_PS_UDP, ROW_rdma_accept, 136, NULL);
	fits(RDMA_PS_IB, ROW_rdma_connect, 92, NULL);
	fits(RDMA_PS_TCP, ROW_rdma_connect, 255, &iwarp);
}

static const char *status(enum rdma_cm_event_type type, int n)
{
	struct cm_event ev = { .type = type, .status = n };

	return cm_status_text(&ev);
}

/* 28 is no ENOSPC, and 8 no ENOEXEC. */
static void test_statuses(void)
{
	CHECK_STR(status(RDMA_CM_EVENT_REJECTED, 8), "8 INVALID_SERVICE_ID");
	CHECK_STR(status(RDMA_CM_EVENT_REJECTED, 28), "28 CONSUMER_DEFINED");
	CHECK_STR(status(RDMA_CM_EVENT_REJECTED, -ECONNREFUSED), "-111 ECONNREFUSED");
	CHECK_STR(status(RDMA_CM_EVENT_REJECTED, 99), "99");
	CHECK_STR(status(RDMA_CM_EVENT_UNREACHABLE, 3), "3 NO_QP");
	CHECK_STR(status(RDMA_CM_EVENT_ADDR_ERROR, -ENODEV), "-19 ENODEV");
	CHECK_STR(status(RDMA_CM_EVENT_ESTABLISHED, 0), "0");
}

static void dump(const void *data, size_t len, const char *want)
{
	struct text d;

	d = (struct text){ 0 };
	id_hexdump(data, len, &d);
	CHECK_STR(text_str(&d), want);
	text_free(&d);
}

static void test_dump(void)
{
	static const unsigned char zeros[56];
	unsigned char text[56] = "hi\x7f";

	dump(zeros, 0, "");
	dump(zeros, 56, "  56 zero bytes\n");
	dump(text, 56,
	     "  0x0000  68 69 7f 00 00 00 00 00  00 00 00 00 00 00 00 00   hi..............\n"
	     "  and 40 zero bytes\n");
	dump(text, 2, "  0x0000  68 69                                              hi\n");
}

int main(void)
{
	test_addresses();
	test_limits();
	test_statuses();
	test_dump();
	fail_clear(&s.fail);
	return checks_end();
}
