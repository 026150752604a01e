/* SPDX-License-Identifier: MIT */
#ifndef MODEL_HOST_GID_H
#define MODEL_HOST_GID_H

#include <infiniband/verbs.h>
#include <stdbool.h>

/* Does the GID lead to this host? It is an address of the host, or a GID of a device that the
 * kernel has. */
bool host_gid_is_own(const union ibv_gid *gid);

#endif
