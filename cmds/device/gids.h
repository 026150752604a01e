/* SPDX-License-Identifier: MIT */
/* The GID table of a port, the recommended entry, and GIDs as arguments. */
#ifndef CMDS_GIDS_H
#define CMDS_GIDS_H

#include <infiniband/verbs.h>
#include <net/if.h>
#include <stdint.h>

#include "command/args.h"

struct dev;

struct gid_row {
	struct ibv_gid_entry e;
	char netdev[IF_NAMESIZE]; /* "" on InfiniBand */
	int score;		  /* the highest is recommended */
	const char *why;	  /* the reason for the score */
};

/* Fills rows (at most max) with the used entries; returns their number, or -1 with errno. */
int gid_table(const struct dev *dev, uint8_t port, struct gid_row *rows, int max);
/* The row to use when the user names none, or NULL when the table is empty. */
const struct gid_row *gid_best(const struct gid_row *rows, int n);

/* The text form, "::ffff:10.0.0.1"; valid for the next three calls. */
const char *gid_text(const union ibv_gid *gid);

#define GID_ROWS 64

/* A GID as an argument: "fe80::1", "::ffff:10.0.0.1", or an IPv4 address. */

struct gid_arg {
	union ibv_gid v;
	bool set;
};

extern const struct arg_kind kind_gid; /* struct gid_arg */

/* Parses a GID; an IPv4 address becomes an IPv4-mapped one. False: text is neither. */
bool gid_parse(const char *text, union ibv_gid *gid);

#endif
