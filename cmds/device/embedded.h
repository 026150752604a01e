/* SPDX-License-Identifier: MIT */
/* The embedded device, uroce0: when rdmash uses it, and how. */
#ifndef CMDS_EMBEDDED_H
#define CMDS_EMBEDDED_H

#include "uroce.h"

struct options;
struct session;

/* Takes the embedded device when it was asked for (--device uroce0), or when the machine has no
 * RDMA device and none was asked for. 0, with a line about it for the user or NULL in *note; or -1
 * with an error message printed. */
int embedded_start(const struct options *opt, const char **note);

/* The device is used now: a script, whose user sees no banner, tells of it on stderr, once. */
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
