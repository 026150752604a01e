/* SPDX-License-Identifier: MIT */
/* What the embedded device can do beyond verbs: uroce.h, looked up at run time. */
#ifndef CMDS_EMBEDDED_API_H
#define CMDS_EMBEDDED_API_H

#include "uroce.h"

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
