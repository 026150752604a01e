/* SPDX-License-Identifier: MIT */
/* The objects of another program on uroce0, told as the shell tells its own. */
#ifndef CMDS_SHOW_PROCESS_H
#define CMDS_SHOW_PROCESS_H

#include <stdbool.h>

#include "inventory.h"

struct out;
struct session;

/* As those of inventory.h, found in liburoce.so, which is loaded if need be; ENOSYS: it cannot be.
 * To be freed. */
struct uroce_inventory *process_inventory(pid_t pid);
struct uroce_inventory *process_inventory_of_qpn(uint32_t qpn);

/* Each row of a kind: inventory_foreach(inv, UROCE_QP, uroce_qp_row, qp) */
#define inventory_foreach(inv, KIND, type, row)                        \
	for (const struct type *row = (inv)->kind[KIND].rows,          \
			       *row##_end = row + (inv)->kind[KIND].n; \
	     row < row##_end; row++)

/* The QP of that number, or NULL. */
const struct uroce_qp_row *process_qp(const struct uroce_inventory *inv, uint32_t qpn);
/* The program that a process runs, in name, or "". */
const char *process_program(pid_t pid, char *name, size_t size);

/* States each object as a dict under its name, with the keys that `show` has, and as a tree; or the
 * one called only. asks_peers: whom QPs are connected with. false: there is none of that name. */
bool process_tell(const struct uroce_inventory *inv, const char *only, bool asks_peers,
		  struct out *o);

/* show -process PID: 0, or -1 with s->fail filled. only: the name of an object, or NULL. */
int show_process(struct session *s, pid_t pid, const char *only, struct out *o);

/* show -kernel: the objects of this session, and what its devices hold for this process. 0, or -1
 * with s->fail filled. */
int show_kernel(struct session *s, struct out *o);

#endif
