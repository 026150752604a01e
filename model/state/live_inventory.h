/* SPDX-License-Identifier: MIT */
/* The objects of a process as its device shows them: the inventory of uroce0. */
#ifndef MODEL_LIVE_INVENTORY_H
#define MODEL_LIVE_INVENTORY_H

#include "inventory.h"
#include "live.h"

/* Loops over the rows of a kind: inventory_foreach(inv, UROCE_QP, uroce_qp_row, qp) */
#define inventory_foreach(inv, KIND, type, row)                        \
	for (const struct type *row = (inv)->kind[KIND].rows,          \
			       *row##_end = row + (inv)->kind[KIND].n; \
	     row < row##_end; row++)

/* Adds the regions, windows and QPs of the process to the end; its .qp becomes that of the number,
 * if there is one. end->regions and end->qps.v are to be freed. */
void live_end_take(struct live_end *end, const struct uroce_inventory *inv, uint32_t qpn);

/* How the state of a QP came to be changed: for enum uroce_cause. */
extern const char *const live_changed_by[UROCE_CAUSES];
/* Why a device has dropped a packet: for enum uroce_dropped. */
extern const char *const live_dropped_for[UROCE_DROPS];

/* Learns what the device of its process alone knows: packets that were dropped, a CQ that has
 * overrun. */
void live_qp_take_device(struct live_qp *qp, const struct uroce_inventory *inv);

#endif
