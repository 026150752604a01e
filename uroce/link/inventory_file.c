// SPDX-License-Identifier: MIT
/* Asks another process for its objects, and checks the answer. */
#include "group_own.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "export.h"
#include "link.h"

#define PATIENCE_MS	2000	    /* of a process that has no processor for a while */
#define INVENTORY_BYTES (256 << 20) /* no file is longer */

const uint32_t inventory_row_size[UROCE_KINDS] = {
	[UROCE_CONTEXT] = sizeof(struct uroce_context_row),
	[UROCE_PD] = sizeof(struct uroce_pd_row),
	[UROCE_CQ] = sizeof(struct uroce_cq_row),
	[UROCE_SRQ] = sizeof(struct uroce_srq_row),
	[UROCE_MR] = sizeof(struct uroce_mr_row),
	[UROCE_MW] = sizeof(struct uroce_mw_row),
	[UROCE_QP] = sizeof(struct uroce_qp_row),
	[UROCE_GONE_QP] = sizeof(struct uroce_gone_row),
	[UROCE_DROP] = sizeof(struct uroce_drop_row),
};

#define WHOLE(type) _Static_assert(sizeof(type) % 8 == 0, "the rows that follow are aligned")
WHOLE(struct inventory_head);
WHOLE(struct uroce_context_row);
WHOLE(struct uroce_pd_row);
WHOLE(struct uroce_cq_row);
WHOLE(struct uroce_srq_row);
WHOLE(struct uroce_mr_row);
WHOLE(struct uroce_mw_row);
WHOLE(struct uroce_qp_row);
WHOLE(struct uroce_gone_row);
WHOLE(struct uroce_drop_row);

/* ------------------------------------------------------------------------- reading -- */

/* The result, and after it a copy of the file. */
struct copied {
	struct uroce_inventory v;
	_Alignas(8) char file[];
};

static bool is_head(const struct inventory_head *h, size_t size)
{
	size_t rows = 0;

	if (h->magic != INVENTORY_MAGIC)
		return false;
	for (unsigned i = 0; i < UROCE_KINDS; i++) {
		if (h->kind[i].row_size != inventory_row_size[i] || h->kind[i].n > INVENTORY_ROWS ||
		    h->kind[i].n > h->kind[i].total)
			return false;
		rows += (size_t)h->kind[i].n * inventory_row_size[i];
	}
	return size == sizeof *h + rows;
}

/* Values that readers look up in tables, or subtract from. */
static bool are_changes(const struct uroce_qp_row *row)
{
	if (row->nchanges > UROCE_CHANGES)
		return false;
	for (uint32_t i = 0; i < row->nchanges; i++)
		if (row->changes[i].from > IBV_QPS_ERR || row->changes[i].to > IBV_QPS_ERR ||
		    row->changes[i].cause >= UROCE_CAUSES)
			return false;
	return row->refusal.refused < UROCE_REFUSALS;
}

static bool are_qps(const struct uroce_qp_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i].attr.qp_state > IBV_QPS_ERR || row[i].attr.path_mtu > IBV_MTU_4096 ||
		    row[i].type > IBV_QPT_XRC_RECV || row[i].begun > row[i].sends ||
		    !are_changes(&row[i]))
			return false;
	return true;
}

static bool are_gone(const struct uroce_gone_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i].state > IBV_QPS_ERR)
			return false;
	return true;
}

static bool are_contexts(const struct uroce_context_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!device_name_is_valid(row[i].device, sizeof row[i].device))
			return false;
	return true;
}

static bool are_cqs(const struct uroce_cq_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i].armed > UROCE_ARMED)
			return false;
	return true;
}

static bool are_drops(const struct uroce_drop_row *row, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (row[i].dropped >= UROCE_DROPS)
			return false;
	return true;
}

/* Rows begin with their number. */
static int by_number(const void *a, const void *b)
{
	const uint32_t *one = a, *other = b;

	return (*one > *other) - (*one < *other);
}

/* Finds the rows in the copy. */
static bool find_rows(struct copied *c, size_t size)
{
	const struct inventory_head *h = (const void *)c->file;
	char *at = c->file + sizeof *h;

	if (!is_head(h, size))
		return false;
	for (unsigned i = 0; i < UROCE_KINDS; i++) {
		c->v.kind[i].rows = at;
		c->v.kind[i].n = h->kind[i].n;
		c->v.kind[i].total = h->kind[i].total;
		qsort(at, h->kind[i].n, inventory_row_size[i], by_number);
		at += (size_t)h->kind[i].n * inventory_row_size[i];
	}
	return are_contexts(c->v.kind[UROCE_CONTEXT].rows, c->v.kind[UROCE_CONTEXT].n) &&
	       are_qps(c->v.kind[UROCE_QP].rows, c->v.kind[UROCE_QP].n) &&
	       are_cqs(c->v.kind[UROCE_CQ].rows, c->v.kind[UROCE_CQ].n) &&
	       are_gone(c->v.kind[UROCE_GONE_QP].rows, c->v.kind[UROCE_GONE_QP].n) &&
	       are_drops(c->v.kind[UROCE_DROP].rows, c->v.kind[UROCE_DROP].n);
}

struct uroce_inventory *inventory_read(int fd, pid_t pid)
{
	struct copied *c = NULL;
	struct stat st;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) ||
	    st.st_size < (off_t)sizeof(struct inventory_head) || st.st_size > INVENTORY_BYTES) {
		errno = EPROTO;
		return NULL;
	}
	c = malloc(sizeof *c + (size_t)st.st_size);
	if (!c)
		return NULL;
	c->v.pid = pid;
	if (pread(fd, c->file, (size_t)st.st_size, 0) == st.st_size &&
	    find_rows(c, (size_t)st.st_size))
		return &c->v;
	free(c);
	errno = EPROTO;
	return NULL;
}

/* -------------------------------------------------------------------------- asking -- */

/* The inventory of the process in a slot; slot 0: there is none. */
static struct uroce_inventory *ask_slot(unsigned slot)
{
	struct uroce_inventory *found = NULL;
	struct control_message m;
	struct socket_dir dir;

	if (socket_dir_look(&dir) != 0)
		return NULL;
	errno = ENOENT;
	if (slot && control_ask(&dir, slot, CONTROL_ASK_INVENTORY, PATIENCE_MS, &m) == 0) {
		found = inventory_read(m.nfds == 1 ? m.fds[0] : -1, m.pid);
		control_drop(&m);
	}
	socket_dir_close(&dir);
	return found;
}

EXPORT struct uroce_inventory *uroce_inventory_of_process(pid_t pid)
{
	pid_t pids[SLOTS];
	unsigned slot = 1;

	sockets_slot_pids(pids);
	while (slot < SLOTS && pids[slot] != pid)
		slot++;
	return ask_slot(slot < SLOTS && pid ? slot : 0);
}

EXPORT struct uroce_inventory *uroce_inventory_of_qpn(uint32_t qpn)
{
	return ask_slot((qpn & 0xffffff) >> SLOT_SHIFT);
}

EXPORT unsigned uroce_inventory_processes(pid_t *pids, unsigned n)
{
	pid_t all[SLOTS];
	unsigned found = 0;

	sockets_slot_pids(all);
	for (unsigned slot = 1; slot < SLOTS; slot++) {
		if (!all[slot])
			continue;
		if (found < n)
			pids[found] = all[slot];
		found++;
	}
	return found;
}
