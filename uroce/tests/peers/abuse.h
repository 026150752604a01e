/* SPDX-License-Identifier: MIT */
/* Cases of abuse.c: 0, or SKIPPED. */
#ifndef UROCE_TESTS_PEERS_ABUSE_H
#define UROCE_TESTS_PEERS_ABUSE_H

#define SKIPPED 77

int addresses(void);
int narrow(void);

#endif
