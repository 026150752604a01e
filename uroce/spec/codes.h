/* SPDX-License-Identifier: MIT */
/* What the codes in attributes and packets stand for. Knows no device and no session. */
#ifndef UROCE_SPEC_CODES_H
#define UROCE_SPEC_CODES_H

#include <infiniband/verbs.h>
#include <stdint.h>

/* Microseconds of an RNR NAK timer, min_rnr_timer of a QP: table 46. Five bits; others are
 * cut off. */
uint32_t rnr_timer_us(unsigned code);

/* Nanoseconds of a QP's timeout: 4.096 us * 2^code, volume 1, 9.7.6.1.3. 0: none, wait for
 * ever. Five bits; others are cut off. */
uint64_t ack_timeout_ns(unsigned code);

/* Bytes of an MTU; 0: no such code. */
unsigned mtu_bytes(enum ibv_mtu mtu);
/* The largest MTU that is not larger than so many bytes; 0: less than 256. */
enum ibv_mtu mtu_of_bytes(unsigned bytes);

#endif
