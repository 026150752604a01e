/* SPDX-License-Identifier: MIT */
/* The memory of regions, as the mem commands see it. */
#ifndef CMDS_MEM_H
#define CMDS_MEM_H

#include "objects.h"
#include "output/out.h"

/* As mem_at(); len not given: up to the end. *n: how many. */
unsigned char *mem_range(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n);
/* A value of hex digits. */
void mem_out_hex(struct session *s, struct out *o, const unsigned char *p, size_t n);
/* The bytes as a value; as text what looks like text, else a hexdump. */
void mem_out_bytes(struct out *o, const unsigned char *p, size_t n, uint64_t off);
/* Hex and characters, 16 a line; off is the offset of the first. Text only. */
void mem_hexdump(struct out *o, const unsigned char *p, size_t n, uint64_t off);

#endif
