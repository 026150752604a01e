/* SPDX-License-Identifier: MIT */
/* What `doctor` looks at: each check says what is well, and what is not with the cure. */
#ifndef CMDS_DOCTOR_H
#define CMDS_DOCTOR_H

#include <infiniband/verbs.h>
#include <stdbool.h>

struct checkup; /* what is written so far */

/* The kernel's own files, also where uroce renders those of its device in their place. */
#define REAL_SYS "/proc/self/root/sys"

void doctor_ok(struct checkup *c, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* cure: commands to type, or what to change; NULL: nothing can be done. */
void doctor_bad(struct checkup *c, const char *what, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Nothing is wrong, and more could be had: how. */
void doctor_note(struct checkup *c, const char *what, const char *how, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* It cannot be seen from here; cure: how to see it. */
void doctor_unsure(struct checkup *c, const char *what, const char *cure, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

bool doctor_exists(const char *path);
/* Is this process in a container? */
bool doctor_contained(void);

/* Modules, devices of the system, their files. */
void check_kernel(struct checkup *c);
/* Locked memory, descriptors, cgroups. */
void check_limits(struct checkup *c);
/* An open device: state, MTU, GIDs. */
void check_device(struct checkup *c, struct ibv_context *v);
/* Network interfaces that several devices claim. */
void check_shadows(struct checkup *c);
/* Who has UDP port 4791, and whether a firewall drops it. */
void check_udp(struct checkup *c);

#endif
