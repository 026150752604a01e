// SPDX-License-Identifier: MIT
#include "asked_peer.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "explain/explain.h"
#include "output/out.h"
#include "resources/show_process.h"

void asked_peer_learn(pid_t pid, struct live_qp *qp)
{
	struct uroce_inventory *inv;
	const struct uroce_qp_row *row;

	if (qp->known & IBV_QP_DEST_QPN)
		return;
	inv = process_inventory(pid);
	row = inv ? process_qp(inv, qp->number) : NULL;
	if (row && row->attr.dest_qp_num) {
		qp->attr = row->attr;
		qp->cap = row->attr.cap;
		qp->known |= IBV_QP_DEST_QPN | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_ACCESS_FLAGS |
			     IBV_QP_RNR_RETRY | IBV_QP_RETRY_CNT | IBV_QP_TIMEOUT |
			     IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC;
	}
	free(inv);
}

/* An address of this host can be bound to. */
static bool is_here(const union ibv_gid *gid)
{
	struct sockaddr_in6 a = { .sin6_family = AF_INET6 };
	int fd = socket(AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool here;

	memcpy(&a.sin6_addr, gid, sizeof a.sin6_addr);
	here = fd >= 0 && bind(fd, (const struct sockaddr *)&a, sizeof a) == 0;
	if (fd >= 0)
		close(fd);
	return here;
}

static void tell_gone(struct live_end *end, const struct uroce_inventory *inv, uint32_t qpn)
{
	char program[32];

	if (inv)
		snprintf(end->gone, sizeof end->gone,
			 "process %d (%s), the peer, has destroyed QP %u", (int)inv->pid,
			 process_program(inv->pid, program, sizeof program), qpn);
	else
		snprintf(end->gone, sizeof end->gone, "the process of the peer's QP has ended");
}

struct live_end asked_peer_find(const struct live_qp *qp)
{
	const uint32_t qpn = qp->attr.dest_qp_num;
	struct live_end end = { .qp = NULL };
	struct uroce_inventory *inv;
	struct out *told;

	if ((qp->known & (IBV_QP_DEST_QPN | IBV_QP_AV)) != (IBV_QP_DEST_QPN | IBV_QP_AV) ||
	    !is_here(&qp->attr.ah_attr.grh.dgid))
		return end;
	inv = process_inventory_of_qpn(qpn);
	if (!inv && errno != ENOENT)
		return end;
	told = out_new(false);
	if (inv)
		process_tell(inv, NULL, false, told);
	if (!inv || !live_end_look(&end, out_value(told), qpn, qp->number))
		tell_gone(&end, inv, qpn);
	if (inv)
		snprintf(end.whose, sizeof end.whose, "[%d]: ", (int)inv->pid);
	out_free(told);
	free(inv);
	return end;
}
