/* SPDX-License-Identifier: MIT */
/* Devices of the machine and how they are opened. */
#ifndef CMDS_DEVICE_H
#define CMDS_DEVICE_H

#include <infiniband/verbs.h>

struct dev;
struct session;

/* Opens the device called name, or gives the one open already; NULL with s->fail filled. */
struct dev *dev_open(struct session *s, const char *name);
/* Fails with "no RDMA device" and what to do about it. Returns -1. */
int dev_none(struct session *s, const char *call);

#endif
