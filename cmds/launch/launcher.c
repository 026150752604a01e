/* SPDX-License-Identifier: MIT */
/*
 * launcher: rank and size from the environment variables of mpirun(1) and srun(1), or from
 * RDMASH_RANK and RDMASH_SIZE.
 */
#include "launch/launcher.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command/cmd.h"
#include "out.h"
#include "session.h"

#define RANKS_MAX 65536

/* Names of environment variables; NULL: the launcher does not set one. The order matters: in a
 * Slurm allocation the processes of mpirun inherit Slurm's variables, which do not have their
 * ranks. */
static const struct kind {
	const char *name, *rank, *size, *local_rank, *local_size;
	const char *hosts;  /* number of hosts */
	const char *job[2]; /* joined */
} kinds[] = {
	{ .name = "environment",
	  .rank = "RDMASH_RANK",
	  .size = "RDMASH_SIZE",
	  .local_rank = "RDMASH_LOCAL_RANK",
	  .local_size = "RDMASH_LOCAL_SIZE",
	  .job = { "RDMASH_JOB" } },
	{ .name = "Open MPI",
	  .rank = "OMPI_COMM_WORLD_RANK",
	  .size = "OMPI_COMM_WORLD_SIZE",
	  .local_rank = "OMPI_COMM_WORLD_LOCAL_RANK",
	  .local_size = "OMPI_COMM_WORLD_LOCAL_SIZE",
	  .job = { "PMIX_NAMESPACE" } },
	{ .name = "PMI", /* MPICH, Intel MPI */
	  .rank = "PMI_RANK",
	  .size = "PMI_SIZE",
	  .local_rank = "MPI_LOCALRANKID",
	  .local_size = "MPI_LOCALNRANKS",
	  .job = { "PMI_JOBID" } },
	{ .name = "Slurm",
	  .rank = "SLURM_PROCID",
	  .size = "SLURM_STEP_NUM_TASKS",
	  .local_rank = "SLURM_LOCALID",
	  .hosts = "SLURM_STEP_NUM_NODES",
	  .job = { "SLURM_JOB_ID", "SLURM_STEP_ID" } },
	{ .name = "PMIx", /* sets no variable for the size */
	  .rank = "PMIX_RANK",
	  .size = "RDMASH_SIZE",
	  .local_size = "RDMASH_LOCAL_SIZE",
	  .job = { "PMIX_NAMESPACE" } },
};

static const char *env_value(const char *name)
{
	const char *value = name ? getenv(name) : NULL;

	return value && *value ? value : NULL;
}

/* Reads a number from a variable; leaves *n unchanged if it is not set. */
static int env_number(struct session *s, const char *name, unsigned max, unsigned *n)
{
	const char *text = env_value(name);
	char *end;
	unsigned long v;

	if (!text)
		return 0;
	v = strtoul(text, &end, 10);
	if (!isdigit((unsigned char)*text) || *end || v > max)
		return fail(s, "launcher", "EINVAL", "%s=%s: not a number from 0 to %u", name, text,
			    max);
	*n = (unsigned)v;
	return 0;
}

/* Reads the job's name, and replaces the characters that a file name may not contain. */
static void read_job(const struct kind *k, char *job, size_t size)
{
	const char *first = env_value(k->job[0]), *second = env_value(k->job[1]);

	snprintf(job, size, "%s%s%s", first ? first : "", second ? "." : "", second ? second : "");
	for (char *c = job; *c; c++)
		if (!isalnum((unsigned char)*c) && *c != '-' && (*c != '.' || c == job))
			*c = '_';
}

int launcher_read(struct session *s, struct launcher *l)
{
	const struct kind *k = kinds, *end = kinds + sizeof kinds / sizeof *kinds;
	unsigned hosts = 0;

	*l = (struct launcher){ .size = 1, .local_size = 1 };
	while (k < end && !env_value(k->rank))
		k++;
	if (k == end)
		return 0;
	l->name = k->name;
	l->local_size = 0;
	if (!env_value(k->size)) {
		fail(s, "launcher", "EINVAL",
		     "%s=%s, but %s is not set: the number of ranks is unknown", k->rank,
		     env_value(k->rank), k->size);
		return fail_next(s, "set RDMASH_RANK and RDMASH_SIZE for each process");
	}
	if (env_number(s, k->rank, RANKS_MAX - 1, &l->rank) ||
	    env_number(s, k->size, RANKS_MAX, &l->size))
		return -1;
	l->local_rank = l->rank;
	if (env_number(s, k->local_rank, RANKS_MAX - 1, &l->local_rank) ||
	    env_number(s, k->local_size, RANKS_MAX, &l->local_size) ||
	    env_number(s, k->hosts, RANKS_MAX, &hosts))
		return -1;
	if (hosts == 1)
		l->local_size = l->size;
	if (l->rank >= l->size)
		return fail(s, "launcher", "EINVAL", "%s=%u, but %s=%u: ranks start at 0", k->rank,
			    l->rank, k->size, l->size);
	read_job(k, l->job, sizeof l->job);
	return 0;
}

static int launcher_exec(struct session *s, const void *args, struct out *o)
{
	struct launcher l;

	(void)args;
	if (launcher_read(s, &l))
		return -1;
	out_int(o, "rank", l.rank, "rank %u", l.rank);
	out_int(o, "size", l.size, " of %u", l.size);
	out_int(o, "local_rank", l.local_rank, NULL);
	out_int(o, "local_size", l.local_size, l.local_size ? "  %u on this host" : NULL,
		l.local_size);
	out_str(o, "name", l.name ? l.name : "", "  %s", l.name ? l.name : "no launcher");
	out_str(o, "job", l.job, *l.job ? " job %s\n" : "\n", l.job);
	return 0;
}

/** For a script that runs as several processes at once: mpirun -n 8 rdmash -f FILE, srun,
 * or another launcher. Rank and size come from the environment that Open MPI, MPICH,
 * Slurm and PMIx set; for other launchers set RDMASH_RANK and RDMASH_SIZE. Without a
 * launcher it is rank 0 of 1. local_size is the number of ranks on this host, 0 if it is
 * unknown. 'rendezvous' exchanges values between the processes.
 * > launcher => rank 0 of 1
 * > dict get [launcher] size => 1 */
const struct cmd cmd_launcher = {
	.name = "launcher",
	.family = "both ends",
	.summary = "show rank and size as set by mpirun, srun and others",
	.flags = CMD_NO_RECORD,
	.exec = launcher_exec,
};
