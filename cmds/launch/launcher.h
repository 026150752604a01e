/* SPDX-License-Identifier: MIT */
/* Who started this process, as one of how many: from the launcher's environment. */
#ifndef CMDS_LAUNCHER_H
#define CMDS_LAUNCHER_H

#include <stdbool.h>

struct session;

struct launcher {
	const char *name;    /* "Open MPI", "Slurm" ...; NULL: none */
	unsigned rank, size; /* 0 of 1 without a launcher */
	unsigned local_rank; /* among those on this host; rank where it is not told */
	unsigned local_size; /* 0: not told */
	char job[128];	     /* what no other job of the launcher is called; "" not told */
};

/* -1 with s->fail filled: the environment makes no sense. */
int launcher_read(struct session *s, struct launcher *l);

#endif
