/* SPDX-License-Identifier: MIT */
/* What can go wrong, each with what both ends will see of it, and how to make it happen. */
#ifndef CMDS_FAULT_CATALOGUE_H
#define CMDS_FAULT_CATALOGUE_H

/* What the ends see: the status of the first completion, the errno or event of the call that is
 * refused, "-" for nothing. */
struct sight {
	const char *here, *there;
};

struct fault_entry {
	const char *name;
	const char *what;      /* one line */
	struct sight all, rxe; /* rxe: of the kernel's soft-RoCE where it differs; else NULLs */
	const char *because;   /* one line */
	const char *needs;     /* a word of require, or NULL */
	const char *
		script; /* makes it happen: returns {here there}, see script_procs of fault_run.c */
};

/* Ends with a NULL name. */
extern const struct fault_entry fault_catalogue[];

#endif
