/* SPDX-License-Identifier: MIT */
/* Sockets of one process, in a network of its own that has nothing but lo. */
#ifndef UROCE_TESTS_FAKE_GROUP_H
#define UROCE_TESTS_FAKE_GROUP_H

#include <infiniband/verbs.h>

/* Enters the network and opens the sockets; ends the test (77) where that is not allowed. */
void fake_group_open(void);
/* Waits until something has arrived; ends the test after some seconds without. */
void fake_group_wait(int fd);
/* The MTU of lo. */
void fake_group_mtu(int mtu);
/* An IPv4 address (mapped) or IPv6 address. */
union ibv_gid fake_gid(const char *text);

#endif
