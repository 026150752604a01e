// SPDX-License-Identifier: MIT
/* The text of `uroce status`: each process describes its own packets, QPs and listeners, and the
 * command asks all of them. */
#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <rdma/rdma_cma.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "counters.h"
#include "export.h"
#include "gid.h"
#include "group.h"
#include "conn.h"
#include "path.h"
#include "preload/preload.h"
#include "queue_pair.h"
#include "shown.h"
#include "uroce.h"

struct status_buffer {
	char *buf;
	size_t n, len;
};

static void add_text(struct status_buffer *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Appends text, unless it does not fit. */
static void add_text(struct status_buffer *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->n - t->len, fmt, ap);
	va_end(ap);
	if (n > 0 && (size_t)n < t->n - t->len)
		t->len += (size_t)n;
	else
		t->buf[t->len] = '\0';
}

/* ------------------------------------------------------------------ of this process -- */

static const char *const state_names[] = {
	[IBV_QPS_RESET] = "RESET", [IBV_QPS_INIT] = "INIT", [IBV_QPS_RTR] = "RTR",
	[IBV_QPS_RTS] = "RTS",	   [IBV_QPS_SQD] = "SQD",   [IBV_QPS_SQE] = "SQE",
	[IBV_QPS_ERR] = "ERR",
};

#define QPS_LISTED 32 /* for each process; only the number of the others is printed */

struct qp_list {
	struct status_buffer *text;
	unsigned n;
};

static const char *type_name(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC	  ? "RC"
	       : type == IBV_QPT_UC	  ? "UC"
	       : type == IBV_QPT_XRC_SEND ? "XRC_SEND"
	       : type == IBV_QPT_XRC_RECV ? "XRC_RECV"
					  : "UD";
}

static void add_host(struct status_buffer *t, const union ibv_gid *gid)
{
	char host[INET6_ADDRSTRLEN];

	if (gid_is_ipv4(gid))
		inet_ntop(AF_INET, gid->raw + 12, host, sizeof host);
	else
		inet_ntop(AF_INET6, gid, host, sizeof host);
	add_text(t, "%s", host);
}

/* How its packets go. */
static void add_path(struct status_buffer *t, const struct qp *qp)
{
	add_text(t, path_is_memory(&qp->flow, qp->attr.dest_qp_num) ? "  by memory" : "  by UDP");
}

/* Since when, and why, it sends nothing any more. Not as a time of the day: localtime(3) may read
 * files. */
static void add_reason(struct status_buffer *t, const struct qp *qp)
{
	struct uroce_qp_row row = { 0 };
	const struct uroce_change *c;

	history_tell_qp(qp, &row);
	if (!row.nchanges)
		return;
	c = &row.changes[row.nchanges - 1];
	add_text(t, "  for %" PRId64 " s: ",
		 (int64_t)(clock_read(CLOCK_REALTIME) - c->when) / 1000000000);
	switch (c->cause) {
	case UROCE_BY_SEND:
	case UROCE_BY_RECV:
		add_text(t, "a %s failed: %s", c->cause == UROCE_BY_SEND ? "send" : "receive",
			 ibv_wc_status_str((enum ibv_wc_status)c->value));
		break;
	case UROCE_BY_REFUSAL:
		add_text(t, "it refused a request of the peer");
		break;
	case UROCE_BY_CQ:
		add_text(t, "cq%u overran", c->value);
		break;
	default:
		add_text(t, c->cause == UROCE_BY_CM ? "by librdmacm" : "by the program");
	}
}

static void add_qp(struct qp *qp, void *arg)
{
	struct qp_list *list = arg;
	enum ibv_qp_state state = qp_state(qp);
	struct status_buffer *t = list->text;

	if (list->n++ >= QPS_LISTED)
		return;
	add_text(t, "  qp %-8u  %s %-5s", qp->v.qp_num, type_name(qp->type), state_names[state]);
	if (qp->type != IBV_QPT_UD && state != IBV_QPS_RESET && state != IBV_QPS_INIT) {
		add_text(t, "  peer ");
		add_host(t, &qp->flow.dgid);
		add_text(t, " qp %u", qp->attr.dest_qp_num);
		add_path(t, qp);
	}
	if (state == IBV_QPS_ERR || state == IBV_QPS_SQE)
		add_reason(t, qp);
	add_text(t, "\n");
}

static void add_qps(struct status_buffer *t)
{
	struct qp_list list = { .text = t };

	qp_each(add_qp, &list);
	if (list.n > QPS_LISTED)
		add_text(t, "  and %u QPs more\n", list.n - QPS_LISTED);
}

static const char *space_name(uint16_t space)
{
	switch (space) {
	case RDMA_PS_TCP:
		return "TCP";
	case RDMA_PS_UDP:
		return "UDP";
	case RDMA_PS_IB:
		return "IB";
	default:
		return "IPOIB";
	}
}

static void add_listener(const struct port *p, void *text)
{
	add_text(text, "  listens  %s  ", space_name(p->space));
	add_host(text, &p->addr);
	add_text(text, " port %u\n", p->number);
}

size_t status_text(char *buf, size_t n)
{
	struct status_buffer t = { .buf = buf, .n = n };

	add_text(&t, "%s\n", program_invocation_short_name);
	add_text(&t, "  packets  %" PRIu64 " sent  %" PRIu64 " received\n", counters[CNT_SENT_PKTS],
		 counters[CNT_RCVD_PKTS]);
	conn_port_each(add_listener, &t);
	add_qps(&t);
	return t.len;
}

/* ------------------------------------------------------------------------- of all -- */

struct status_page {
	int fd;
	unsigned processes;
	bool failed; /* fd takes no more */
};

static void print_process(void *page, unsigned slot, int pid, const char *text)
{
	struct status_page *p = page;
	char number[16] = "unknown", visible[16384];

	p->processes++;
	if (pid)
		snprintf(number, sizeof number, "%d", pid);
	p->failed |= dprintf(p->fd, "slot %-2u  pid %s  %s", slot, number,
			     text ? shown(visible, sizeof visible, text, true)
				  : "does not answer: it may be stopped\n") < 0;
}

EXPORT int uroce_status(int fd)
{
	struct status_page page = { .fd = fd };
	int rc = group_status(print_process, &page);

	if (rc == 0 && !page.processes)
		page.failed |= dprintf(fd, "no process of yours uses uroce0 on this host\n") < 0;
	return page.failed ? -1 : rc;
}
