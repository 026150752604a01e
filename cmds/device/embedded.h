/* SPDX-License-Identifier: MIT */
/* The embedded device, uroce0. */
#ifndef CMDS_EMBEDDED_H
#define CMDS_EMBEDDED_H

#include "uroce.h"

struct options;
struct session;

/* Loads the embedded device if it was requested (--device uroce0), or if the machine has no RDMA
 * device and none was requested. 0, with a line for the user or NULL in *note; -1 with an error
 * message printed. */
int embedded_start(const struct options *opt, const char **note);

/* To be called when the device is used: in a script, which has no banner, prints the note to
 * stderr, once. */
void embedded_tell(struct session *s);

struct embedded_api {
	int (*faults_set)(const struct uroce_fault *rules, unsigned n, uint64_t seed);
	unsigned (*faults_get)(struct uroce_fault *rules, uint64_t *hits, unsigned n);
	int (*tap)(uroce_tap_fn *fn, void *arg);
	int (*capture)(const char *file);
	unsigned (*counters)(struct uroce_counter *c, unsigned n);
};

/* NULL: the system's own devices are used. */
const struct embedded_api *embedded_api(void);

#endif
