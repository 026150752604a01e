/* SPDX-License-Identifier: MIT */
/* The GID table of a port, and which entry to take. */
#ifndef CMDS_GIDS_H
#define CMDS_GIDS_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdint.h>

struct dev;

struct gid_row {
	struct ibv_gid_entry e;
	char netdev[IF_NAMESIZE]; /* "" on InfiniBand */
	int score;		  /* the highest is recommended */
	const char *why;	  /* why it has this score */
};

/* Fills rows (at most max) with the entries in use; returns how many, or -1 with errno. */
int gid_table(const struct dev *dev, uint8_t port, struct gid_row *rows, int max);
/* The row to use when the user names none, or NULL when the table is empty. */
const struct gid_row *gid_best(const struct gid_row *rows, int n);

/* "::ffff:10.0.0.1" as people write it; kept until the fourth call after. */
const char *gid_text(const union ibv_gid *gid);

#define GID_ROWS 64

#endif
