/* SPDX-License-Identifier: MIT */
/* The memory of regions. */
#ifndef CMDS_MEM_H
#define CMDS_MEM_H

#include <stddef.h>
#include <stdint.h>

struct mr;
struct num;
struct out;
struct session;

/* Fails, naming call, unless all of [off, off + len) is in the region. */
int mem_check(struct session *s, const char *call, const struct mr *mr, uint64_t off, uint64_t len);
/* The bytes of a region from off on; *n is their number. len not given: up to its end. NULL with
 * s->fail filled. */
unsigned char *mem_range(struct session *s, const struct mr *mr, const struct num *off,
			 const struct num *len, size_t *n);
/* Writes the bytes as a value; the text shows them as text if they look like it, else as a hex
 * dump. */
void mem_out_bytes(struct out *o, const unsigned char *p, size_t n, uint64_t off);

#endif
