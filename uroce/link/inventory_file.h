/* SPDX-License-Identifier: MIT */
/*
 * How a process hands over what it has (inventory.h): a memfd with a head and then the rows of
 * each kind, one kind after the other. Whoever asked copies it before looking at it.
 */
#ifndef UROCE_LINK_INVENTORY_FILE_H
#define UROCE_LINK_INVENTORY_FILE_H

#include <stddef.h>

#include "inventory.h"

#define INVENTORY_MAGIC UINT64_C(0x31746e65766e69) /* "invent1" */
#define INVENTORY_ROWS	65536u			   /* of a kind, at most */

struct inventory_head {
	uint64_t magic;
	struct {
		uint32_t row_size; /* bytes: another one is of another version */
		uint32_t n, total;
	} kind[UROCE_KINDS];
	uint32_t reserved;
};

extern const uint32_t inventory_row_size[UROCE_KINDS];

/* The inventory in that file of so many bytes, of the process pid; to be freed. NULL with errno:
 * EPROTO: it is not as it should be. */
struct uroce_inventory *inventory_read(int fd, pid_t pid);

#endif
