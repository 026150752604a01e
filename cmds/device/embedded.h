/* SPDX-License-Identifier: MIT */
/* The embedded device, uroce0: when rdmash uses it, and how. */
#ifndef CMDS_EMBEDDED_H
#define CMDS_EMBEDDED_H

struct options;
struct session;

/* Takes the embedded device when it was asked for (--device uroce0), or when the machine has no
 * RDMA device and none was asked for. 0, with a line about it for the user or NULL in *note; or -1
 * with an error message printed. */
int embedded_start(const struct options *opt, const char **note);

/* The device is used now: a script, whose user sees no banner, tells of it on stderr, once. */
void embedded_tell(struct session *s);

#endif
