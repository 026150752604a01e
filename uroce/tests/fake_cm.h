/* SPDX-License-Identifier: MIT */
/* In place of cm/ and the engine, for tests of link/: MADs that came are kept. */
#ifndef UROCE_TESTS_FAKE_CM_H
#define UROCE_TESTS_FAKE_CM_H

#include "mad.h"

#define FAKE_MADS 1024

extern unsigned fake_mads;
extern struct mad_from fake_from[FAKE_MADS];
extern uint8_t fake_mad[FAKE_MADS][MAD_BYTES];

#endif
