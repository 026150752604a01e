/* SPDX-License-Identifier: MIT */
/* The processes on uroce0. */
#ifndef MODEL_PROCESSES_H
#define MODEL_PROCESSES_H

#include <stddef.h>
#include <sys/types.h>

#include "live_inventory.h"

/* The functions of inventory.h in liburoce.so, which is loaded if necessary. The caller frees the
 * inventory. NULL with errno; ENOSYS: the library cannot be loaded. */
struct uroce_inventory *process_inventory(pid_t pid);
struct uroce_inventory *process_inventory_of_qpn(uint32_t qpn);

/* Fills up to n entries with the ids of the processes on uroce0; returns how many there are. */
unsigned process_inventories(pid_t *pids, unsigned n);

/* The QP of that number, or NULL. */
const struct uroce_qp_row *process_qp(const struct uroce_inventory *inv, uint32_t qpn);
/* Reads the name of the program that a process runs into name ("": unknown). Returns name. */
const char *process_program(pid_t pid, char *name, size_t size);

#endif
