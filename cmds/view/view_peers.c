/* SPDX-License-Identifier: MIT */
/* The processes at the other ends of QPs of this session, where they are on uroce0. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap.h"
#include "inventory.h"
#include "loop.h"
#include "objects.h"
#include "qp/qp.h"
#include "resources/show_process.h"
#include "view/view_ends.h"

#define AGAIN  INT64_C(200000000)   /* ns until a process is asked again */
#define SILENT INT64_C(10000000000) /* the same of one that has not answered: it holds us up */

static uint32_t process_of(uint32_t qpn)
{
	return (qpn & 0xffffff) >> UROCE_QPN_PROCESS_SHIFT;
}

static struct view_peer *peer_with(struct view_peers *p, uint32_t qpn)
{
	for (unsigned i = 0; i < p->n; i++)
		if (process_of(p->v[i].qpn) == process_of(qpn))
			return &p->v[i];
	if (p->n == VIEW_PEERS)
		return NULL;
	p->v[p->n] = (struct view_peer){ .qpn = qpn };
	return &p->v[p->n++];
}

static bool is_same(const struct uroce_inventory *a, const struct uroce_inventory *b)
{
	static const size_t sizes[UROCE_KINDS] = {
		[UROCE_CQ] = sizeof(struct uroce_cq_row),
		[UROCE_MR] = sizeof(struct uroce_mr_row),
		[UROCE_QP] = sizeof(struct uroce_qp_row),
	};

	if (!a || !b)
		return a == b;
	for (unsigned i = 0; i < UROCE_KINDS; i++)
		if (a->kind[i].n != b->kind[i].n ||
		    (a->kind[i].n &&
		     memcmp(a->kind[i].rows, b->kind[i].rows, a->kind[i].n * sizes[i]) != 0))
			return false;
	return true;
}

static bool ask(struct view_peer *peer)
{
	struct uroce_inventory *inv;
	bool is_new;

	if (loop_now() < peer->next)
		return false;
	inv = process_inventory_of_qpn(peer->qpn);
	peer->next = loop_now() + (inv ? AGAIN : SILENT);
	if (inv && inv->pid == getpid()) { /* the other end is here, too */
		free(inv);
		inv = NULL;
	}
	is_new = !is_same(inv, peer->inv);
	free(peer->inv);
	peer->inv = inv;
	if (inv)
		peer->pid = inv->pid;
	return is_new;
}

bool view_peers_look(struct session *s, struct view_peers *p)
{
	bool any = false, was[VIEW_PEERS] = { false };
	struct qp *qp;

	for (unsigned i = 0; i < p->n; i++) {
		was[i] = p->v[i].is_met;
		p->v[i].is_met = false;
	}
	obj_foreach_of(qp, s, &qp_class) {
		struct ibv_qp_init_attr init;
		struct ibv_qp_attr a = { 0 };
		struct view_peer *peer;

		if (qp_query(qp, &a, &init) != 0 || !a.dest_qp_num ||
		    obj_by_number(s, &qp_class, a.dest_qp_num))
			continue;
		peer = peer_with(p, a.dest_qp_num);
		if (!peer)
			continue;
		any |= ask(peer);
		peer->is_met = true;
	}
	for (unsigned i = 0; i < p->n; i++) /* a new one was asked */
		any |= was[i] && !p->v[i].is_met;
	return any;
}

void view_peers_free(struct view_peers *p)
{
	for (unsigned i = 0; i < p->n; i++)
		free(p->v[i].inv);
	*p = (struct view_peers){ 0 };
}
