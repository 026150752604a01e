/* SPDX-License-Identifier: MIT */
/* Rank and size of this process, from the launcher's environment. */
#ifndef CMDS_LAUNCHER_H
#define CMDS_LAUNCHER_H

#include <stdbool.h>

struct session;

struct launcher {
	const char *name;    /* "Open MPI", "Slurm" ...; NULL: none */
	unsigned rank, size; /* 0 of 1 without a launcher */
	unsigned local_rank; /* rank among those on this host; rank if unknown */
	unsigned local_size; /* 0: unknown */
	char job[128];	     /* unique name of the job; "": unknown */
};

/* Reads the environment into l. -1 with s->fail filled: a variable is missing or invalid. */
int launcher_read(struct session *s, struct launcher *l);

#endif
